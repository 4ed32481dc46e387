//! Any message under any algorithm: every back end against the portable one, in pieces against at
//! once, and the six variants of the draft against the `aegis` crate.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use polyseal::Error;
use polyseal::aead::AeadInOut;
use polyseal::aead::consts::U32;
use polyseal::aead::{Key, Nonce};
use polyseal::aegis::{Aegis, Variant, X128, X256};
use polyseal::registry::{Algorithm, Kind, families};
use polyseal::testing::{Backend, aead_on, mac_on};

#[derive(Arbitrary, Debug)]
struct Message {
    family: u8,
    tag: u8,
    parameter: u8,
    key: [u8; 32],
    nonce: [u8; 32],
    ad: Vec<u8>,
    message: Vec<u8>,
    /// Where the message is cut for the incremental interface.
    cuts: Vec<u8>,
    /// Which bit of the sealed message is flipped.
    flip: u16,
}

fn pick<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}

impl Message {
    fn algorithm(&self) -> Algorithm {
        let family = &families()[usize::from(self.family) % families().len()];
        let tag = pick(family.tag_bytes.allowed, self.tag) as u64;
        let mut algorithm = Algorithm::new(family).with("tag", tag).expect("a tag length");
        for param in family.params {
            let value = pick(param.allowed, self.parameter);
            algorithm = algorithm.with(param.name, value).expect("a parameter");
        }
        algorithm
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
        let (buffer, tag) = forged.split_at_mut(m.message.len());
        let refused = aead.open_inout_detached(nonce, &m.ad, (&mut *buffer).into(), tag);
        assert_eq!(refused, Err(Error::Unauthentic));
        assert!(buffer.iter().all(|&b| b == 0), "output left behind on {}", backend.name());

        let expected = sealed.get_or_insert_with(|| here.clone());
        assert_eq!(*expected, here, "{algorithm} on {}", backend.name());
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

/// What the `aegis` crate makes of it, if it has the algorithm.
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
    match (algorithm.family().id, algorithm.tag_bytes()) {
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
        _ => None,
    }
}

/// In pieces is as at once.
fn in_pieces<V: Variant>(m: &Message) {
    let bytes_of_key = core::mem::size_of::<Key<Aegis<V, U32>>>();
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

fuzz_target!(|m: Message| {
    let algorithm = m.algorithm();
    match algorithm.family().kind {
        Kind::Aead => aead(&m, &algorithm),
        Kind::Mac => mac(&m, &algorithm),
        kind => panic!("say how to fuzz a {kind:?}"),
    }
    match m.parameter % 3 {
        0 => in_pieces::<X128<1>>(&m),
        1 => in_pieces::<X128<2>>(&m),
        _ => in_pieces::<X256<2>>(&m),
    }
});
