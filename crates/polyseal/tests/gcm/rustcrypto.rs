//! Against another implementation, by other authors: RustCrypto's `aes-gcm`, `aes-gcm-siv`,
//! `xaes-256-gcm` and `cmac`.

use aead::{AeadInOut, KeyInit, Nonce};
use aes_gcm::AesGcm;
use aes_gcm::aes::{Aes128, Aes256};
use cmac::Mac;
use polyseal::aead;
use polyseal::aead::consts::{U8, U12, U13, U16};
use polyseal::gcm;
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};
use proptest::proptest;

use crate::common::{bytes, pairs, rate};

/// The peer's ciphertext, then its tag.
fn peer_seal(a: &Algorithm, key: &[u8], nonce: &[u8], ad: &[u8], message: &[u8]) -> Vec<u8> {
    fn seal<C: AeadInOut + KeyInit>(
        key: &[u8],
        nonce: &[u8],
        ad: &[u8],
        message: &[u8],
    ) -> Vec<u8> {
        let nonce = Nonce::<C>::try_from(nonce).expect("a nonce");
        let mut buffer = message.to_vec();
        let tag = C::new_from_slice(key)
            .expect("a key")
            .encrypt_inout_detached(&nonce, ad, buffer.as_mut_slice().into())
            .expect("sealing");
        buffer.extend_from_slice(&tag);
        buffer
    }
    let seal = match (a.family().identity.id, a.nonce_bytes(), a.tag_bytes()) {
        ("aes-128-gcm", 12, 16) => seal::<AesGcm<Aes128, U12>>,
        ("aes-128-gcm", 16, 16) => seal::<AesGcm<Aes128, U16>>,
        ("aes-256-gcm", 12, 16) => seal::<AesGcm<Aes256, U12>>,
        ("aes-256-gcm", 8, 16) => seal::<AesGcm<Aes256, U8>>,
        ("aes-256-gcm", 16, 16) => seal::<AesGcm<Aes256, U16>>,
        ("aes-256-gcm", 12, 13) => seal::<AesGcm<Aes256, U12, U13>>,
        ("xaes-256-gcm", 24, 16) => seal::<xaes_256_gcm::Xaes256Gcm>,
        ("aes-256-gcm-siv", 12, 16) => seal::<aes_gcm_siv::Aes256GcmSiv>,
        _ => panic!("the peer has no {a}"),
    };
    seal(key, nonce, ad, message)
}

fn agree(seed: u64, ad_bytes: usize, message_bytes: usize) {
    for name in [
        "aes-128-gcm",
        "aes-128-gcm:nonce=16",
        "aes-256-gcm",
        "aes-256-gcm:nonce=8",
        "aes-256-gcm:nonce=16",
        "aes-256-gcm:tag=13",
        "xaes-256-gcm",
        "aes-256-gcm-siv",
    ] {
        let a: Algorithm = name.parse().expect(name);
        let (key, nonce) = (bytes(seed, a.key_bytes()), bytes(seed + 1, a.nonce_bytes()));
        let (ad, message) = (bytes(seed + 2, ad_bytes), bytes(seed + 3, message_bytes));
        let sealed = peer_seal(&a, &key, &nonce, &ad, &message);
        for backend in Backend::available() {
            let name = format!("{a} on {}, {message_bytes} with {ad_bytes}", backend.name());
            let aead = aead_on(&a, &key, backend).expect(&name);
            assert_eq!(aead.seal(&nonce, &ad, &message).as_ref(), Ok(&sealed), "{name}");
            assert_eq!(aead.open(&nonce, &ad, &sealed).as_ref(), Ok(&message), "{name}");
        }
    }
}

/// CMAC of `data` by the peer and here.
fn macs_agree(seed: u64, length: usize) {
    let (key, data) = (bytes(seed, 32), bytes(seed + 1, length));
    let short: &[u8; 16] = key.first_chunk().expect("a key");
    let long: &[u8; 32] = key.first_chunk().expect("a key");
    let mut peers = (
        cmac::Cmac::<Aes128>::new_from_slice(short).expect("a key"),
        cmac::Cmac::<Aes256>::new_from_slice(long).expect("a key"),
    );
    peers.0.update(&data);
    peers.1.update(&data);
    let tags = (peers.0.finalize().into_bytes(), peers.1.finalize().into_bytes());
    for backend in Backend::available() {
        let name = format!("{length} bytes on {}", backend.name());
        let cmac = gcm::Cmac::<gcm::Aes128>::with_backend(short.into(), backend);
        assert_eq!(cmac.mac(&data)[..], tags.0[..], "{name}");
        let cmac = gcm::Cmac::<gcm::Aes256>::with_backend(long.into(), backend);
        assert_eq!(cmac.mac(&data)[..], tags.1[..], "{name}");
    }
}

#[test]
fn at_every_edge() {
    let algorithm: Algorithm = "aes-256-gcm".parse().expect("an algorithm");
    for (ad_bytes, message_bytes) in pairs(rate(&algorithm)) {
        agree(1, ad_bytes, message_bytes);
    }
    (0..=80).for_each(|length| macs_agree(1, length));
}

proptest! {
    #[test]
    fn on_any_message(seed: u32, ad_bytes in 0..700_usize, message_bytes in 0..3000_usize) {
        agree(seed.into(), ad_bytes, message_bytes);
    }

    #[test]
    fn on_any_mac(seed: u32, length in 0..1000_usize) {
        macs_agree(seed.into(), length);
    }
}
