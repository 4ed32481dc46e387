//! Any message under any algorithm: every back end against the portable one, in pieces against at
//! once, and what other crates have too against them: the six variants of AEGIS's draft, AES-GCM
//! and XAES against theirs, KC-XAES against XAES.

use aes_gcm::{Aes128Gcm, Aes256Gcm};
use polyseal::Error;
use polyseal::aead::consts::U32;
use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce};
use polyseal::aegis::{Aegis, Variant, X128, X256};
use polyseal::registry::{Algorithm, Kind, Sizes, families};
use polyseal::testing::{Backend, aead_on, mac_on};
use xaes_256_gcm::Xaes256Gcm;

use super::input::Bytes;

/// A message, and what is done with it.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) family: u8,
    pub(crate) tag: u8,
    pub(crate) parameter: u8,
    pub(crate) key: [u8; 64],
    pub(crate) nonce: [u8; 32],
    pub(crate) ad: Vec<u8>,
    pub(crate) message: Vec<u8>,
    /// Where the message is cut for the incremental interface.
    pub(crate) cuts: Vec<u8>,
    /// Which bit of the sealed message is flipped.
    pub(crate) flip: u16,
}

fn pick<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}

fn length(from: Sizes, by: u8) -> usize {
    from.iter().nth(usize::from(by) % from.count()).expect("one of them")
}

impl Message {
    pub(crate) fn from_input(input: &[u8]) -> Self {
        let mut input = Bytes(input);
        let [family, tag, parameter, cuts, ad] = input.array();
        Self {
            family,
            tag,
            parameter,
            flip: input.number(),
            cuts: input.bytes((cuts % 8).into()).to_vec(),
            key: input.array(),
            nonce: input.array(),
            ad: input.bytes(2 * usize::from(ad)).to_vec(),
            message: input.rest().to_vec(),
        }
    }

    fn algorithm(&self) -> Algorithm {
        let family = &families()[usize::from(self.family) % families().len()];
        let mut algorithm = Algorithm::new(family);
        for (i, param) in family.sizes.params.iter().enumerate() {
            let value = pick(param.allowed, self.parameter >> i);
            // Some exclude each other.
            algorithm = algorithm.with(param.name, value).unwrap_or(algorithm);
        }
        // A shorter one is guessed before long.
        let tag = length(family.sizes.tag_bytes, self.tag).max(8) as u64;
        let nonce = length(family.sizes.nonce_bytes, self.nonce[0]).min(self.nonce.len()) as u64;
        // Lengths that the parameters rule out leave it as it is.
        algorithm = algorithm.with("tag", tag).unwrap_or(algorithm);
        algorithm.with("nonce", nonce).unwrap_or(algorithm)
    }
}

/// Sealed and opened everywhere alike; refused everywhere once a bit is flipped.
fn aead(m: &Message, algorithm: &Algorithm) {
    let (key, nonce) = (&m.key[..algorithm.key_bytes()], &m.nonce[..algorithm.nonce_bytes()]);
    let mut sealed: Option<Vec<u8>> = None;
    for backend in Backend::available() {
        let aead = aead_on(algorithm, key, backend).expect("an AEAD");
        let here = aead.seal(nonce, &m.ad, &m.message).expect("sealing");
        assert_eq!(aead.open(nonce, &m.ad, &here).as_ref(), Ok(&m.message));

        let mut forged = here.clone();
        let at = usize::from(m.flip / 8) % forged.len();
        forged[at] ^= 1 << (m.flip % 8);
        assert_eq!(aead.open(nonce, &m.ad, &forged), Err(Error::Unauthentic));
        let expected = sealed.get_or_insert_with(|| here.clone());
        assert_eq!(*expected, here, "{algorithm} on {}", backend.name());
        if algorithm.is_whole() {
            continue;
        }
        // An encrypted nonce is a part of the tag, and in front.
        forged.rotate_left(algorithm.head_bytes());
        let (buffer, tag) = forged.split_at_mut(m.message.len());
        let (tail, head) = tag.split_at(tag.len() - algorithm.head_bytes());
        let tag = [head, tail].concat();
        let refused = aead.open_inout_detached(nonce, &m.ad, (&mut *buffer).into(), &tag);
        assert_eq!(refused, Err(Error::Unauthentic));
        assert!(buffer.iter().all(|&b| b == 0), "output left behind on {}", backend.name());
    }
    if let (Some(peer), Some(sealed)) = (peer(m, algorithm), sealed) {
        assert_eq!(peer, sealed, "{algorithm} against the peer");
    }
}

fn mac(m: &Message, algorithm: &Algorithm) {
    let (key, nonce) = (&m.key[..algorithm.key_bytes()], &m.nonce[..algorithm.nonce_bytes()]);
    let mut tag = None;
    for backend in Backend::available() {
        let mac = mac_on(algorithm, key, backend).expect("a MAC");
        let here = mac.mac(nonce, &m.message).expect("a tag");
        assert_eq!(mac.verify(nonce, &m.message, &here), Ok(()));
        let expected = tag.get_or_insert_with(|| here.clone());
        assert_eq!(*expected, here, "{algorithm} on {}", backend.name());
    }
}

/// The `aegis` crate's output for it, if it has the algorithm.
fn peer(m: &Message, algorithm: &Algorithm) -> Option<Vec<u8>> {
    macro_rules! seal {
        ($module:ident, $type:ident, $tag:literal) => {{
            let key = m.key[..].first_chunk().expect("a key");
            let nonce = m.nonce[..].first_chunk().expect("a nonce");
            let cipher = aegis::$module::$type::<$tag>::new(key, nonce);
            let (ciphertext, tag) = cipher.encrypt(&m.message, &m.ad);
            Some([&ciphertext[..], &tag].concat())
        }};
    }
    match (algorithm.family().identity.id, algorithm.tag_bytes()) {
        ("aegis-128l", 16) => seal!(aegis128l, Aegis128L, 16),
        ("aegis-128l", 32) => seal!(aegis128l, Aegis128L, 32),
        ("aegis-128x2", 16) => seal!(aegis128x2, Aegis128X2, 16),
        ("aegis-128x2", 32) => seal!(aegis128x2, Aegis128X2, 32),
        ("aegis-128x4", 16) => seal!(aegis128x4, Aegis128X4, 16),
        ("aegis-128x4", 32) => seal!(aegis128x4, Aegis128X4, 32),
        ("aegis-256", 16) => seal!(aegis256, Aegis256, 16),
        ("aegis-256", 32) => seal!(aegis256, Aegis256, 32),
        ("aegis-256x2", 16) => seal!(aegis256x2, Aegis256X2, 16),
        ("aegis-256x2", 32) => seal!(aegis256x2, Aegis256X2, 32),
        ("aegis-256x4", 16) => seal!(aegis256x4, Aegis256X4, 16),
        ("aegis-256x4", 32) => seal!(aegis256x4, Aegis256X4, 32),
        ("aes-128-gcm", 16) if algorithm.nonce_bytes() == 12 => Some(seal::<Aes128Gcm>(m)),
        ("aes-256-gcm", 16) if algorithm.nonce_bytes() == 12 => Some(seal::<Aes256Gcm>(m)),
        ("xaes-256-gcm", 16) => Some(seal::<Xaes256Gcm>(m)),
        _ => None,
    }
}

/// The output of `C`, of another crate: ciphertext, then tag.
fn seal<C: AeadInOut + KeyInit>(m: &Message) -> Vec<u8> {
    let nonce = Nonce::<C>::default().len();
    let nonce = Nonce::<C>::try_from(&m.nonce[..nonce]).expect("a nonce");
    let cipher = C::new_from_slice(&m.key[..C::key_size()]).expect("a key");
    let mut sealed = m.message.clone();
    let tag = cipher
        .encrypt_inout_detached(&nonce, &m.ad, sealed.as_mut_slice().into())
        .expect("sealing");
    sealed.extend_from_slice(&tag);
    sealed
}

/// KC-XAES is XAES, and 32 bytes that say under which key.
fn commits(m: &Message, backend: Backend) {
    let [xaes, kc_xaes] = ["xaes-256-gcm", "kc-xaes-256-gcm"].map(|id| {
        let aead = aead_on(&id.parse().expect(id), &m.key[..32], backend).expect(id);
        aead.seal(&m.nonce[..24], &m.ad, &m.message).expect("sealing")
    });
    assert_eq!(kc_xaes[..xaes.len()], xaes, "on {}", backend.name());
    assert_eq!(kc_xaes.len(), xaes.len() + 32, "on {}", backend.name());
}

/// In pieces is as at once.
fn in_pieces<V: Variant>(m: &Message) {
    let bytes_of_key = size_of::<Key<Aegis<V, U32>>>();
    let key = Key::<Aegis<V, U32>>::try_from(&m.key[..bytes_of_key]).expect("a key");
    let nonce = Nonce::<Aegis<V, U32>>::try_from(&m.nonce[..bytes_of_key]).expect("a nonce");
    for backend in Backend::available() {
        let cipher = Aegis::<V, U32>::with_backend(&key, backend);
        let mut once = m.message.clone();
        let tag = cipher
            .encrypt_inout_detached(&nonce, &m.ad, once.as_mut_slice().into())
            .expect("sealing");

        let mut pieces = m.message.clone();
        let mut encryptor = cipher.encryptor(&nonce, &m.ad).expect("an encryptor");
        let mut room = vec![0; pieces.len()];
        let mut decryptor = cipher.decryptor(&nonce, &m.ad, &mut room).expect("a decryptor");
        let mut rest = &mut pieces[..];
        for cut in m.cuts.iter().map(|&cut| cut.into()).chain([usize::MAX]) {
            let (piece, behind) = rest.split_at_mut(rest.len().min(cut));
            encryptor.update((&mut *piece).into()).expect("an update");
            decryptor.update(piece).expect("an update");
            rest = behind;
        }
        assert_eq!(encryptor.finalize(), tag, "on {}", backend.name());
        assert_eq!(decryptor.finalize(&tag).as_deref(), Ok(&m.message[..]));
        assert_eq!(pieces, once, "on {}", backend.name());
    }
}

pub(crate) fn check(m: &Message) {
    let algorithm = m.algorithm();
    match algorithm.family().identity.kind {
        Kind::Aead => aead(m, &algorithm),
        Kind::Mac => mac(m, &algorithm),
        kind => panic!("say how to fuzz a {kind:?}"),
    }
    if algorithm.family().identity.id == "kc-xaes-256-gcm" {
        Backend::available().for_each(|backend| commits(m, backend));
    }
    match m.parameter % 3 {
        0 => in_pieces::<X128<1>>(m),
        1 => in_pieces::<X128<2>>(m),
        _ => in_pieces::<X256<2>>(m),
    }
}
