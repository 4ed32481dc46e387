//! Keys and states are gone from memory once their owner is.
//!
//! The global allocator of this test looks at every block that is given back, at the last moment
//! when reading it is in order. So the objects live on the heap; copies that moves have left on the
//! stack are out of reach, of this test and of any destructor. Padding and bytes that were never
//! written are read as well: the look is volatile and byte by byte, and nothing is concluded from
//! a byte that was not written, except that it is not a secret.

mod common;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

use aead::KeyInit;
use polyseal::aead;
use polyseal::aegis::{
    Aegis128L, Aegis128X4, Aegis256X2, AegisMac128X2, AegisMac128X4, AegisStream256,
};
use polyseal::any::{AnyAead, AnyMac};
use polyseal::registry::Kind;

use common::instances;

/// The secret: every key begins with it, and no other memory holds it.
const SECRET: [u8; 16] = *b"\xd1\x9c\x3e\xa7\x52\xf8\x0b\x64\xb5\x2d\xe6\x91\x4a\x78\xc3\x1f";

/// What was in the blocks that this thread has given back while it was watching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Remains {
    blocks: usize,
    bytes: usize,
    nonzero: usize,
    secret: bool,
}

thread_local! {
    static WATCH: Cell<Option<Remains>> = const { Cell::new(None) };
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
            if let Some(mut remains) = watch.get() {
                remains.blocks += 1;
                remains.bytes += layout.size();
                let mut matched = 0;
                for at in 0..layout.size() {
                    // SAFETY: within the block, which is still allocated; volatile, because the
                    // compiler may take what nobody can read for free to be anything.
                    let byte = unsafe { block.add(at).read_volatile() };
                    remains.nonzero += usize::from(byte != 0);
                    // The secret has no byte twice, so a failed match can begin again here only.
                    matched = if byte == SECRET[matched] {
                        matched + 1
                    } else {
                        usize::from(byte == SECRET[0])
                    };
                    if matched == SECRET.len() {
                        remains.secret = true;
                        matched = 0;
                    }
                }
                watch.set(Some(remains));
            }
        });
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// What dropping `owner` leaves in the memory that it gives back.
fn remains<T>(owner: T) -> Remains {
    WATCH.set(Some(Remains::default()));
    drop(owner);
    WATCH.take().expect("watching")
}

/// A key that begins with the secret.
fn key<const N: usize>() -> [u8; N] {
    let mut key = [0x77; N];
    key[..16].copy_from_slice(&SECRET);
    key
}

/// What is public beside a key: the back end and the strategy.
const BESIDE_A_KEY: usize = 2;

/// What is public beside a state: those, counters, and the address and length of a destination. A
/// state that is under way has 100 bytes of message, and more of registers and key stream.
const BESIDE_A_STATE: usize = 24;

#[track_caller]
fn wiped(remains: Remains, least_bytes: usize, public: usize) {
    assert!(remains.blocks > 0 && remains.bytes >= least_bytes, "nothing was seen: {remains:?}");
    assert!(!remains.secret, "the key is still there: {remains:?}");
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

#[test]
fn a_key_behind_a_name_is_wiped() {
    let key = key::<32>();
    for algorithm in instances(Kind::Aead) {
        let owner = AnyAead::new(&algorithm, &key[..algorithm.key_bytes()]).expect("a key");
        wiped(remains(owner), algorithm.key_bytes(), BESIDE_A_KEY);
    }
    for algorithm in instances(Kind::Mac) {
        let owner = AnyMac::new(&algorithm, &key[..algorithm.key_bytes()]).expect("a key");
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
