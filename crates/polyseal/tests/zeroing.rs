//! Keys and states are gone from memory once their owner is.
//!
//! The global allocator of this test looks at every block that is given back, at the last moment
//! when reading it is in order. So the objects live on the heap; copies that moves have left on the
//! stack are out of reach, of this test and of any destructor. Padding and bytes that were never
//! written are read as well: the look is volatile and byte by byte, and nothing is concluded from
//! a byte that was not written, except that it is not a secret.

mod common;
#[path = "zeroing/flex.rs"]
mod flex;
#[path = "zeroing/och.rs"]
mod och;
#[path = "zeroing/omd.rs"]
mod omd;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::mem::MaybeUninit;
use std::alloc::System;

use aead::consts::U16;
use aead::{AeadInOut, KeyInit};
use aes::cipher::BlockCipherEncrypt;
use polyseal::aead;
use polyseal::aegis::{
    Aegis128L, Aegis128X4, Aegis256X2, AegisMac128X2, AegisMac128X4, AegisStream256,
};
use polyseal::any::{AnyAead, AnyMac};
use polyseal::batch::{Batch, Message};
use polyseal::commit::Ctx;
use polyseal::gcm::{
    Aes128, Aes128Gcm, Aes256, Aes256Gcm, Cmac, Counter, Gcm, HKcAes256Gcm, HkdfCommittedAes256Gcm,
    KcXaes256Gcm, PaddingFixAes256Gcm, Xaes256Gcm, kbkdf,
};
use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on};

use common::instances;

/// The secret: every key begins with it, and no other memory holds it.
const SECRET: [u8; 16] = *b"\xd1\x9c\x3e\xa7\x52\xf8\x0b\x64\xb5\x2d\xe6\x91\x4a\x78\xc3\x1f";

/// The contents of the blocks that this thread has given back while it was watching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Remains {
    blocks: usize,
    bytes: usize,
    nonzero: usize,
    secret: bool,
}

/// Byte strings of up to 16 bytes that are looked for: each as a number, and which of a number's
/// bits count.
#[derive(Clone, Copy)]
struct Sought([(u128, u128); 8]);

impl Sought {
    fn new(secrets: &[&[u8]]) -> Self {
        // An unused entry is never found.
        let mut sought = Self([(1, 0); 8]);
        assert!(secrets.len() <= sought.0.len());
        for (sought, secret) in sought.0.iter_mut().zip(secrets) {
            let value = secret.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
            *sought = (value, u128::MAX >> (128 - 8 * secret.len()));
        }
        sought
    }

    /// Whether one of them is the end of the bytes read, of which `last` are the last 16 bytes.
    fn ends(&self, last: u128) -> bool {
        self.0.iter().any(|&(value, mask)| last & mask == value)
    }
}

thread_local! {
    static WATCH: Cell<Option<(Remains, Sought)>> = const { Cell::new(None) };
}

struct Watching;

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let _ = WATCH.try_with(|watch| {
            if let Some((mut remains, sought)) = watch.get() {
                remains.blocks += 1;
                remains.bytes += layout.size();
                let mut last = 0;
                for at in 0..layout.size() {
                    // SAFETY: within the block, which is still allocated; volatile, because the
                    // compiler may take what nobody can read for free to be anything.
                    let byte = unsafe { block.add(at).read_volatile() };
                    remains.nonzero += usize::from(byte != 0);
                    last = last << 8 | u128::from(byte);
                    remains.secret |= sought.ends(last);
                }
                watch.set(Some((remains, sought)));
            }
        });
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The remains of `owner` in the memory that it gives back.
fn remains<T>(owner: T) -> Remains {
    remains_of(&[&SECRET], owner)
}

/// The same, looking for `secrets`, each of at most 16 bytes.
fn remains_of<T>(secrets: &[&[u8]], owner: T) -> Remains {
    WATCH.set(Some((Remains::default(), Sought::new(secrets))));
    drop(owner);
    WATCH.take().expect("watching").0
}

/// A key that begins with the secret.
const fn key<const N: usize>() -> [u8; N] {
    let mut key = [0x77; N];
    let mut at = 0;
    while at < SECRET.len() {
        key[at] = SECRET[at];
        at += 1;
    }
    key
}

/// The same where it is not on the stack.
static KEY: [u8; 32] = key();

/// As long as the longest key.
static LONG_KEY: [u8; 1024] = key();

/// The value of `make`, on the heap. Its padding has the stack's contents, which are zeros.
fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    clear_the_stack();
    Box::new(make())
}

/// The public bytes beside a key: the back end and the strategy.
const BESIDE_A_KEY: usize = 2;

/// The public bytes beside a state: those, counters, and the address and length of a destination. A
/// state that is under way has 100 bytes of message, and more of registers and key stream.
const BESIDE_A_STATE: usize = 24;

/// The other bytes beside an expanded key of GCM, which is aligned to 64 bytes: the padding has
/// whatever was there before. Each of the secrets is longer.
const BESIDE_AN_EXPANDED_KEY: usize = 100;

/// The public bytes beside HMAC's state of a key: how many blocks it has taken.
const BESIDE_A_HASHED_KEY: usize = 16;

/// The public bytes beside a message of GCM: those, the first counter block, and the commitment,
/// which is most of a public tag. So many that a block of key stream could hide in them: secrets
/// are looked for by their values.
const BESIDE_A_MESSAGE: usize = BESIDE_AN_EXPANDED_KEY + BESIDE_A_STATE + 16 + 32;

#[track_caller]
fn wiped(remains: Remains, least_bytes: usize, public: usize) {
    assert!(remains.blocks > 0 && remains.bytes >= least_bytes, "nothing was seen: {remains:?}");
    assert!(!remains.secret, "a key, or what was looked for, is still there: {remains:?}");
    assert!(remains.nonzero <= public, "a secret is still there: {remains:?}");
}

/// The watch sees what is not wiped.
#[test]
fn an_ordinary_array_stays() {
    let seen = remains(Box::new(key::<32>()));
    assert_eq!(seen, Remains { blocks: 1, bytes: 32, nonzero: 32, secret: true });
}

#[test]
fn a_key_is_wiped() {
    wiped(remains(Box::new(Aegis128L::new(&key().into()))), 16, BESIDE_A_KEY);
    wiped(remains(Box::new(Aegis256X2::new(&key().into()))), 32, BESIDE_A_KEY);
    wiped(remains(Box::new(AegisMac128X2::new(&key().into()))), 16, BESIDE_A_KEY);
    wiped(remains(Box::new(AegisStream256::new(&key().into()))), 32, BESIDE_A_KEY);
    let cipher = Box::new(Aegis128L::new(&key().into()));
    wiped(remains(cipher.clone()), 16, BESIDE_A_KEY);
    wiped(remains(cipher), 16, BESIDE_A_KEY);
}

/// Round keys, powers of the hash key, subkeys, and what HMAC and HKDF keep.
#[test]
fn an_expanded_key_is_wiped() {
    let short: &[u8; 16] = KEY.first_chunk().expect("16 bytes");
    let (short, long) = (short.into(), (&KEY).into());
    wiped(remains(boxed(|| Aes128Gcm::new(short))), 1000, BESIDE_AN_EXPANDED_KEY);
    wiped(remains(boxed(|| Aes256Gcm::new(long))), 1000, BESIDE_AN_EXPANDED_KEY);
    wiped(remains(boxed(|| PaddingFixAes256Gcm::new(long))), 1000, BESIDE_AN_EXPANDED_KEY);
    wiped(remains(boxed(|| Ctx::<Aegis128L>::new(short))), 80, BESIDE_A_HASHED_KEY);
    wiped(remains(boxed(|| Cmac::<Aes128>::new(short))), 270, BESIDE_A_KEY);
    wiped(remains(boxed(|| Cmac::<Aes256>::new(long))), 270, BESIDE_A_KEY);
    wiped(remains(boxed(|| Xaes256Gcm::new(long))), 256, BESIDE_A_KEY);
    wiped(remains(boxed(|| KcXaes256Gcm::new(long))), 256, BESIDE_A_KEY);
    wiped(remains(boxed(|| HKcAes256Gcm::new(long))), 64, BESIDE_A_HASHED_KEY);
    wiped(remains(boxed(|| HkdfCommittedAes256Gcm::new(long))), 32, BESIDE_A_KEY);
    let cipher = boxed(|| Aes256Gcm::new(long));
    wiped(remains(boxed(|| (*cipher).clone())), 1000, BESIDE_AN_EXPANDED_KEY);
    wiped(remains(cipher), 1000, BESIDE_AN_EXPANDED_KEY);
}

#[test]
fn a_key_behind_a_name_is_wiped() {
    // Together, the padding of the one takes what the making of the other leaves on the stack.
    let both_kinds = |a: &Algorithm| a.family().identity.id == "ctx-aes-256-gcm";
    for algorithm in instances(Kind::Aead).into_iter().filter(|a| !both_kinds(a)) {
        clear_the_stack();
        let owner = AnyAead::new(&algorithm, &LONG_KEY[..algorithm.key_bytes()]).expect("a key");
        let remains = remains(owner);
        let public = match algorithm.family().identity.id {
            id if id.starts_with("aegis-") => BESIDE_A_KEY,
            _ if remains.bytes > 1000 => BESIDE_AN_EXPANDED_KEY,
            _ => BESIDE_A_HASHED_KEY,
        };
        wiped(remains, algorithm.key_bytes(), public);
    }
    for algorithm in instances(Kind::Mac) {
        let owner = AnyMac::new(&algorithm, &LONG_KEY[..algorithm.key_bytes()]).expect("a key");
        wiped(remains(owner), algorithm.key_bytes(), BESIDE_A_KEY);
    }
}

/// A state under way: registers, the update that waits, and its key stream.
#[test]
fn a_state_is_wiped() {
    let cipher = Aegis128X4::new(&key().into());
    let mut encryptor = Box::new(cipher.encryptor(&[9; 16].into(), b"ad").expect("an encryptor"));
    let mut message = [0x5a; 228];
    encryptor.update(message.as_mut_slice().into()).expect("an update");
    wiped(remains(encryptor), 2000, BESIDE_A_STATE);

    let mut room = [0xee; 300];
    let mut decryptor =
        Box::new(cipher.decryptor(&[9; 16].into(), b"ad", &mut room).expect("a decryptor"));
    decryptor.update(&message).expect("an update");
    wiped(remains(decryptor), 2000, BESIDE_A_STATE);
    assert_eq!(room[..228], [0; 228], "a message that nobody verified");

    let mac = AegisMac128X4::new(&key().into());
    let mut state = Box::new(mac.start(&[9; 16].into()));
    state.update(&[0x5a; 228]).expect("an update");
    wiped(remains(state), 2000, BESIDE_A_STATE);
}

/// A block under AES-256.
fn aes_256(key: &[u8; 32], block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    aes::Aes256::new(key.into()).encrypt_block(&mut block);
    block.into()
}

/// GHASH (SP 800-38D, 6.4), of blocks that are padded with zeros.
fn ghash<'a>(h: [u8; 16], blocks: impl IntoIterator<Item = &'a [u8]>) -> [u8; 16] {
    let mut sum = 0_u128;
    for block in blocks {
        let mut padded = [0; 16];
        padded[..block.len()].copy_from_slice(block);
        let (x, mut v) = (sum ^ u128::from_be_bytes(padded), u128::from_be_bytes(h));
        sum = 0;
        for bit in (0..128).rev() {
            sum ^= if x >> bit & 1 == 1 { v } else { 0 };
            v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
        }
    }
    sum.to_be_bytes()
}

fn reversed(mut block: [u8; 16]) -> [u8; 16] {
    block.reverse();
    block
}

/// A message of GCM under way: keys, the key stream of its last block, and the hash. (The
/// ciphertext of that block is public.)
#[test]
fn a_message_of_gcm_is_wiped() {
    let nonce = [9; 24].into();
    let k_u = k_u(&[9; 12]);
    // Five of the 229 bytes are in the block under way; the message is the same in all of it.
    let mut message = [0x5a; 240];
    let mut key_stream = [0x5a; 16];
    {
        let cipher = KcXaes256Gcm::new((&KEY).into());
        cipher.encrypt_inout_detached(&nonce, b"", message.as_mut_slice().into()).expect("sealing");
        key_stream.iter_mut().zip(&message[224..]).for_each(|(k, c)| *k ^= c);
    }
    let hash =
        ghash(aes_256(&k_u, [0; 16]), [&b"ad"[..]].into_iter().chain(message[..224].chunks(16)));
    let (hash_reversed, h_reversed) = (reversed(hash), reversed(aes_256(&k_u, [0; 16])));
    let secrets: [&[u8]; 7] =
        [&SECRET, &k_u[..16], &k_u[16..], &key_stream, &hash, &hash_reversed, &h_reversed];

    let cipher = boxed(|| KcXaes256Gcm::new((&KEY).into()));
    let mut encryptor = boxed(|| cipher.encryptor(&nonce, b"ad").expect("an encryptor"));
    let mut message = [0x5a; 229];
    encryptor.update(message.as_mut_slice().into()).expect("an update");
    wiped(remains_of(&secrets, encryptor), 1000, BESIDE_A_MESSAGE);

    let mut room = [0xee; 300];
    let mut decryptor = boxed(|| cipher.decryptor(&nonce, b"ad", &mut room).expect("a decryptor"));
    decryptor.update(&message).expect("an update");
    wiped(remains_of(&secrets, decryptor), 1000, BESIDE_A_MESSAGE);
    assert_eq!(room[..229], [0; 229], "a message that nobody verified");

    let cmac = boxed(|| Cmac::<Aes256>::new((&KEY).into()));
    let mut state = boxed(|| cmac.start());
    state.update(&[0x5a; 229]);
    wiped(remains(state), 40, BESIDE_A_STATE);
}

/// With a nonce of another length than 12 bytes, the first counter block is a hash under the key.
#[test]
fn a_hashed_nonce_is_wiped() {
    let lengths = 128_u128.to_be_bytes();
    let h = aes_256(&KEY, [0; 16]);
    let first = ghash(h, [&[9; 16][..], &lengths]);
    let first_reversed = reversed(first);
    let secrets: [&[u8]; 4] = [&SECRET, &KEY[16..], &first[..12], &first_reversed[4..]];
    let cipher = boxed(|| Gcm::<Aes256, U16>::new((&KEY).into()));
    let encryptor = boxed(|| cipher.encryptor(&[9; 16].into(), b"ad").expect("an encryptor"));
    wiped(remains_of(&secrets, encryptor), 1000, BESIDE_A_MESSAGE);
}

/// Calls on the largest states, in memory, use more than 64 KiB.
const STACK: usize = 1 << 17;

/// Overwrites the part of the stack that the next call will use.
#[inline(never)]
fn clear_the_stack() {
    // Mutable, lest it be a constant somewhere else; longer than what is looked at.
    core::hint::black_box(&mut [0_u8; STACK + 4096]);
}

/// Whether `secret` lies in the part of the stack that the last call has used. As with the blocks:
/// what was never written is read as well.
#[inline(never)]
fn is_on_the_stack(secret: &[u8]) -> bool {
    let stack = MaybeUninit::<[u8; STACK]>::uninit();
    let stack = core::hint::black_box(&stack).as_ptr().cast::<u8>();
    let mut matched = 0;
    for at in 0..STACK {
        // SAFETY: within the array; volatile, as above.
        let byte = unsafe { stack.add(at).read_volatile() };
        matched =
            if byte == secret[matched] { matched + 1 } else { usize::from(byte == secret[0]) };
        if matched == secret.len() {
            return true;
        }
    }
    false
}

/// Whether `call` leaves one of `secrets` on the stack.
fn leaves(secrets: &[&[u8]], call: impl FnOnce()) -> bool {
    // With a frame of its own, or what is inlined would keep its variables above the part looked
    // at.
    #[inline(never)]
    fn apart(call: impl FnOnce()) {
        call();
    }
    clear_the_stack();
    apart(call);
    secrets.iter().any(|secret| is_on_the_stack(secret))
}

/// The look at the stack sees what a call leaves there.
#[test]
fn an_ordinary_variable_stays() {
    #[inline(never)]
    fn copy(secret: &[u8]) {
        let mut copy = [0; 999];
        copy[7..][..16].copy_from_slice(secret);
        core::hint::black_box(&copy);
    }
    assert!(leaves(&[&SECRET], || copy(&SECRET)));
    assert!(!leaves(&[&SECRET], || copy(&[0x5a; 16])));
}

/// XAES's key of the messages whose nonces begin with `u`.
fn k_u(u: &[u8; 12]) -> [u8; 32] {
    let mut k_u = [0; 32];
    let prf = Cmac::<Aes256>::new(&KEY.into());
    kbkdf(&prf, Counter::Before(2), &[b"X\0", &u[..]].concat(), &mut k_u).expect("K_U");
    k_u
}

/// DNDK's of the messages whose nonces of 24 bytes begin with `head`.
fn dndk(head: &[u8; 15]) -> [u8; 32] {
    let x = [0, 1, 2].map(|i| {
        let mut input = [8 * (24 - 12) + i; 16];
        input[..15].copy_from_slice(head);
        u128::from_be_bytes(aes_256(&KEY, input))
    });
    let key = [(x[1] ^ x[0]).to_be_bytes(), (x[2] ^ x[0]).to_be_bytes()];
    key.concat().try_into().expect("32 bytes")
}

/// AES-256-GCM-SIV's two keys of the messages under `nonce`.
fn siv(nonce: &[u8; 12]) -> Vec<u8> {
    let half = |i: u8| {
        let mut input = [0; 16];
        input[0] = i;
        input[4..].copy_from_slice(nonce);
        aes_256(&KEY, input)[..8].to_vec()
    };
    (0..6).flat_map(half).collect()
}

/// Every 16 bytes of `bytes`.
fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.chunks(16).map(<[u8]>::to_vec).collect()
}

/// The intermediate values of HKDF-SHA-512 for the key of a message: the pseudorandom key, also as
/// HMAC pads it, and its first output, of which the key is the beginning.
fn hkdf(salt: &[u8]) -> Vec<Vec<u8>> {
    let (prk, expand) = hkdf::Hkdf::<sha2::Sha512>::extract(Some(salt), &KEY);
    let mut t = [0; 64];
    expand.expand(b"\x04\x78DERIVEKEY", &mut t).expect("64 bytes");
    let padded = |pad: u8| prk.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
    [prk.to_vec(), padded(0x36), padded(0x5c), t.to_vec()].iter().flat_map(|b| blocks(b)).collect()
}

fn hmac(u: &[u8; 12]) -> Vec<u8> {
    let mut prf = <hmac::Hmac<sha2::Sha256> as KeyInit>::new_from_slice(&KEY).expect("a key");
    hmac::Mac::update(&mut prf, &[0, 1, b'X', 0]);
    hmac::Mac::update(&mut prf, u);
    hmac::Mac::finalize(prf).into_bytes().to_vec()
}

/// Derived keys are gone with their message: no block of them is left behind, nor of K.
#[test]
fn derived_keys_are_wiped() {
    let nonce = [9; 32];
    for (name, mut secrets) in [
        ("aes-256-gcm-siv", blocks(&siv(&[9; 12]))),
        ("xaes-256-gcm", blocks(&k_u(&[9; 12]))),
        ("kc-xaes-256-gcm", blocks(&k_u(&[9; 12]))),
        ("dndk-gcm", blocks(&dndk(&[9; 15]))),
        ("h-kc-aes-256-gcm", blocks(&hmac(&[9; 12]))),
        ("hkdf-committed-aes-256-gcm", hkdf(&nonce)),
        ("padding-fix-xaes-256-gcm", blocks(&k_u(&[9; 12]))),
        ("kc-c3-xaes-256-gcm", blocks(&k_u(&[9; 12]))),
        ("f-com-h-aes-256-gcm", blocks(&hmac(&[9; 12]))),
        ("f-com-hkdf-aes-256-gcm", hkdf(&nonce[..24])),
        ("f-com-dndk-gcm", blocks(&dndk(&[9; 15]))),
    ] {
        secrets.push(SECRET.to_vec());
        let secrets: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
        let algorithm: Algorithm = name.parse().expect(name);
        let nonce = &nonce[..algorithm.nonce_bytes()];
        for backend in Backend::available() {
            let cipher = aead_on(&algorithm, &KEY, backend).expect("an AEAD");
            for length in [0, 16, 32, 64, 65, 300, 2000] {
                let name = format!("{name}: {length} bytes on {}", backend.name());
                let mut message = vec![0x5a; length];
                let mut tag = vec![0; algorithm.tag_bytes()];
                let seal = || {
                    let buffer = message.as_mut_slice().into();
                    cipher.seal_inout_detached(nonce, b"ad", buffer, &mut tag).expect("sealing");
                };
                assert!(!leaves(&secrets, seal), "sealing {name}");
                let open = || {
                    let buffer = message.as_mut_slice().into();
                    cipher.open_inout_detached(nonce, b"ad", buffer, &tag).expect("opening");
                };
                assert!(!leaves(&secrets, open), "opening {name}");
                assert_eq!(message, vec![0x5a; length], "{name}");
            }
        }
    }
}

/// To a forger, the tag that a forgery should have had is as good as the key.
#[test]
fn the_right_tag_of_a_forgery_is_wiped() {
    for algorithm in instances(Kind::Aead).into_iter().filter(|a| !a.is_whole()) {
        for backend in Backend::available() {
            let cipher =
                aead_on(&algorithm, &LONG_KEY[..algorithm.key_bytes()], backend).expect("an AEAD");
            let nonce = vec![9; algorithm.nonce_bytes()];
            for length in [0, 40, 600] {
                let mut message = vec![0x5a; length];
                let mut tag = vec![0; algorithm.tag_bytes()];
                let buffer = message.as_mut_slice().into();
                cipher.seal_inout_detached(&nonce, b"ad", buffer, &mut tag).expect("sealing");
                let head = algorithm.head_bytes();
                let right = tag[head..].to_vec();
                *tag.last_mut().expect("a tag") ^= 1;
                let refuse = || {
                    let buffer = message.as_mut_slice().into();
                    let verdict = cipher.open_inout_detached(&nonce, b"ad", buffer, &tag);
                    assert_eq!(verdict, Err(polyseal::Error::Unauthentic));
                };
                let right = &right[..right.len().min(16)];
                assert!(
                    !leaves(&[right], refuse),
                    "{algorithm}: {length} bytes on {}",
                    backend.name()
                );
            }
        }
    }
}

/// Also those of messages side by side.
#[test]
fn derived_keys_of_a_batch_are_wiped() {
    let nonces: [[u8; 24]; 4] = [[1; 24], [2; 24], [3; 24], [4; 24]];
    let mut secrets = vec![SECRET.to_vec()];
    secrets.extend((1..=4).flat_map(|i| blocks(&k_u(&[i; 12]))));
    let secrets: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
    for backend in Backend::available() {
        let cipher = KcXaes256Gcm::with_backend(&KEY.into(), backend);
        for length in [0, 16, 32, 64] {
            let name = format!("{length} bytes on {}", backend.name());
            let (mut buffers, mut tags) = ([[0x5a; 64]; 4], [[0; 48]; 4]);
            let each = nonces.iter().zip(&mut buffers).zip(&mut tags);
            let mut messages: Vec<_> = each
                .map(|((nonce, buffer), tag)| {
                    Message::new(nonce, b"ad", &mut buffer[..length], tag)
                })
                .collect();
            let seal = || cipher.seal_batch(&mut messages).expect("sealing");
            assert!(!leaves(&secrets, seal), "sealing {name}");
            let open = || cipher.open_batch(&mut messages).expect("opening");
            assert!(!leaves(&secrets, open), "opening {name}");
            assert_eq!(buffers, [[0x5a; 64]; 4], "{name}");
        }
    }
}
