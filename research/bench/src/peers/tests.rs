//! All libraries must do the same work, and the right one.

use aead::KeyInit;
use polyseal::aegis::AegisStream128L;
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use super::*;
use crate::contender::Aead;

mod modes;
mod wide_blocks;

/// Seals a message with `aead`; it must notice a flipped bit, and a key of its own must be the same
/// as another key.
pub(super) fn seal(
    name: &str,
    aead: &mut (impl Aead + ?Sized),
    tag_bytes: usize,
) -> (Vec<u8>, Vec<u8>) {
    let (nonce, other) = ([9; 32], [8; 64]);
    let (mut message, mut tag) = (vec![1; 100], [0; 64]);
    aead.seal_once(&other, &nonce, b"", &mut [0; 3], &mut [0; 64]);
    aead.rekey(&KEY);
    aead.seal(&nonce, b"", &mut message, &mut tag);

    let (mut again, mut same) = (vec![1; 100], [0; 64]);
    aead.seal_once(&other, &nonce, b"", &mut again, &mut same);
    assert_ne!((&again, same), (&message, tag), "{name}");
    again.fill(1);
    aead.seal_once(&KEY, &nonce, b"", &mut again, &mut same);
    assert_eq!((&again, same), (&message, tag), "{name}");

    let mut opened = vec![0; 100];
    assert!(aead.open(&nonce, b"", &message, &tag, &mut opened), "{name}");
    assert_eq!(opened, [1; 100], "{name}");
    for flipped in [0, 15, tag_bytes - 1] {
        let mut wrong = tag;
        wrong[flipped] ^= 1;
        assert!(!aead.open(&nonce, b"", &message, &wrong, &mut opened), "{name} {flipped}");
        assert!(
            !aead.open_once(&KEY, &nonce, b"", &message, &wrong, &mut opened),
            "{name} {flipped}"
        );
    }
    // A failed opening must not spoil the next message.
    assert!(aead.open(&nonce, b"", &message, &tag, &mut opened), "{name}");
    assert!(!aead.open_once(&other, &nonce, b"", &message, &tag, &mut opened), "{name}");
    opened.fill(0);
    assert!(aead.open_once(&KEY, &nonce, b"", &message, &tag, &mut opened), "{name}");
    assert_eq!(opened, [1; 100], "{name}");
    (message, tag[..tag_bytes].to_vec())
}

#[test]
fn every_library_computes_the_same_gcm() {
    for (id, key_bytes) in [("aes-128-gcm", 16), ("aes-256-gcm", 32)] {
        let expected = seal("aws-lc", &mut aws_lc::Gcm::new(key_bytes), 16);
        let boringssl = seal("boringssl", &mut boringssl::Gcm::new(key_bytes), 16);
        assert_eq!(boringssl, expected, "{id}");
        assert_eq!(seal("openssl", &mut openssl::Evp::gcm(key_bytes), 16), expected, "{id}");
        assert_eq!(seal("ring", &mut ring::Gcm::new(key_bytes), 16), expected, "{id}");
        assert_eq!(seal("graviola", &mut graviola::Gcm::new(key_bytes), 16), expected, "{id}");
        #[cfg(ipsec_mb)]
        assert_eq!(seal("ipsec-mb", &mut ipsec_mb::Gcm::new(key_bytes), 16), expected, "{id}");
    }
    let expected = seal("aws-lc", &mut aws_lc::Gcm::new(16), 16);
    assert_eq!(seal("rustcrypto", &mut rustcrypto::aes_128_gcm(), 16), expected);
    let expected = seal("aws-lc", &mut aws_lc::Gcm::new(32), 16);
    assert_eq!(seal("rustcrypto", &mut rustcrypto::aes_256_gcm(), 16), expected);
}

/// Messages and associated data of any length under any key: what the C libraries make of them, and
/// what is composed of their parts, on each of our back ends.
fn ours_is_theirs(id: &str, mut libraries: [(&str, Box<dyn Aead>); 3]) {
    let algorithm: Algorithm = id.parse().unwrap();
    let (key_bytes, tag_bytes) = (algorithm.key_bytes(), algorithm.tag_bytes());
    // Every length up to beyond a group of the widest registers, and then in strides.
    for (i, length) in (0..600).chain((600..20_000).step_by(617)).enumerate() {
        let chance = AegisStream128L::new(&[key_bytes as u8; 16].into());
        let draw = |which: u64, output: &mut [u8]| {
            let which = u128::from(which) << 64 | i as u128;
            chance.generate(&which.to_le_bytes().into(), output).unwrap();
        };
        let (mut key, mut nonce) = (KEY, [0; 32]);
        // No associated data now and then; else up to beyond a group.
        let (mut ad, mut message) = (vec![0; 7 * i % 601], vec![0; length]);
        draw(1, &mut key);
        draw(2, &mut nonce);
        draw(3, &mut message);
        draw(4, &mut ad);
        for backend in Backend::available() {
            let ours = aead_on(&algorithm, &key[..key_bytes], backend).unwrap();
            let nonce_bytes = algorithm.nonce_bytes();
            let sealed = ours.seal(&nonce[..nonce_bytes], &ad, &message).unwrap();
            for (name, library) in &mut libraries {
                let name = format!("{id} of {name}, {}, {length} bytes", backend.name());
                let (mut theirs, mut tag) = (message.clone(), [0; 64]);
                library.seal_once(&key, &nonce, &ad, &mut theirs, &mut tag);
                let mut opened = vec![0; length];
                assert!(library.open(&nonce, &ad, &theirs, &tag, &mut opened), "{name}");
                assert_eq!(opened, message, "{name}");
                theirs.extend_from_slice(&tag[..tag_bytes]);
                assert_eq!(theirs, sealed, "{name}");
            }
            assert_eq!(ours.open(&nonce[..nonce_bytes], &ad, &sealed).unwrap(), message);
        }
    }
}

#[test]
fn ours_is_the_gcm_of_the_c_libraries() {
    for key_bytes in [16, 32] {
        let libraries: [(_, Box<dyn Aead>); 3] = [
            ("aws-lc", Box::new(aws_lc::Gcm::new(key_bytes))),
            ("boringssl", Box::new(boringssl::Gcm::new(key_bytes))),
            ("openssl", Box::new(openssl::Evp::gcm(key_bytes))),
        ];
        ours_is_theirs(&format!("aes-{}-gcm", 8 * key_bytes), libraries);
    }
}

#[test]
fn ours_are_the_schemes_composed_of_their_parts() {
    for (id, commits) in [("xaes-256-gcm", false), ("kc-xaes-256-gcm", true)] {
        let libraries: [(_, Box<dyn Aead>); 3] = [
            ("aws-lc", Box::new(aws_lc::by_cmac(commits))),
            ("boringssl", Box::new(boringssl::by_cmac(commits))),
            ("openssl", Box::new(openssl::by_cmac(commits))),
        ];
        ours_is_theirs(id, libraries);
    }
}

#[test]
fn every_derivation_works_twice_and_refuses() {
    for commits in [false, true] {
        let tag_bytes = if commits { 48 } else { 16 };
        let expected = seal("aws-lc", &mut aws_lc::by_cmac(commits), tag_bytes);
        let boringssl = seal("boringssl", &mut boringssl::by_cmac(commits), tag_bytes);
        assert_eq!(boringssl, expected);
        assert_eq!(seal("openssl", &mut openssl::by_cmac(commits), tag_bytes), expected);
        let hashed = seal("aws-lc", &mut aws_lc::by_hmac(commits), tag_bytes);
        assert_ne!(hashed.0, expected.0);
        assert_eq!(hashed.1.len(), expected.1.len());
    }
    let expected = seal("aws-lc", &mut aws_lc::by_cmac(false), 16);
    assert_eq!(seal("rustcrypto", &mut rustcrypto::xaes_256_gcm(), 16), expected);
}

/// A published vector of XAES-256-GCM; KC-XAES adds its commitment and changes nothing else.
#[test]
fn xaes_gives_the_bytes_of_its_specification() {
    let commitment = "04076b6085eebab138855fe57811c04112eff989d44120dfff662d5475a383c3";
    let expected = "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271";
    assert_eq!(vector(&mut rustcrypto::xaes_256_gcm(), 16), expected);
    assert_eq!(vector(&mut aws_lc::by_cmac(false), 16), expected);
    assert_eq!(vector(&mut boringssl::by_cmac(false), 16), expected);
    assert_eq!(vector(&mut openssl::by_cmac(false), 16), expected);
    let expected = format!("{expected}{commitment}");
    assert_eq!(vector(&mut aws_lc::by_cmac(true), 48), expected);
    assert_eq!(vector(&mut boringssl::by_cmac(true), 48), expected);
    assert_eq!(vector(&mut openssl::by_cmac(true), 48), expected);
}

/// From `research/reference/xaes.py`: `kc-c3-xaes-256-gcm`.
#[test]
fn the_commitment_of_c3_gives_the_bytes_of_the_reference() {
    let expected = "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271\
                    e7066ed26a734264c7d81c2f7cb9e06606c3a3d49fd4be2c2f99b97832582aeb";
    assert_eq!(vector(&mut aws_lc::by_cmac_c3(), 48), expected);
    seal("aws-lc", &mut aws_lc::by_cmac_c3(), 48);
}

/// Computed with Python's `hmac` and the `cryptography` package, as nobody has published any.
#[test]
fn the_hmac_variants_give_the_bytes_of_another_composition() {
    let commitment = "e57e9d6c34c04106e341840dde60a6af76e059f9c59a8e5080c17f405a56552d";
    let expected = "86c44e8c57947d4313bf1f5b28f61e557c7f7e86e99add95e66e219a";
    assert_eq!(vector(&mut aws_lc::by_hmac(false), 16), expected);
    assert_eq!(vector(&mut aws_lc::by_hmac(true), 48), format!("{expected}{commitment}"));
}

/// The message `XAES-256-GCM` under the key 01…01 and the nonce `ABC…X`, or as much of it as
/// is one, in hexadecimal.
fn vector(aead: &mut (impl Aead + ?Sized), tag_bytes: usize) -> String {
    let (mut message, mut tag) = (b"XAES-256-GCM".to_vec(), [0; 64]);
    let nonce = core::array::from_fn(|i| b'A' + i as u8);
    aead.seal_once(&[1; 64], &nonce, b"", &mut message, &mut tag);
    let bytes = message.iter().chain(&tag[..tag_bytes]);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn both_builds_of_libaegis_agree_with_the_crate() {
    let (sealed, tag) =
        ::aegis::aegis128l::Aegis128L::<16>::new(&[7; 16], &[9; 16]).encrypt(&[1; 100], &[]);
    for library in libaegis::builds() {
        let mut key = library.key("aegis-128l").unwrap();
        assert_eq!(seal(library.name, &mut key, 16), (sealed.clone(), tag.to_vec()));
    }
}

#[test]
fn every_version_is_known() {
    for peer in Peer::ALL {
        let versions = peer.versions();
        assert!(!versions.is_empty() || peer.absence().is_some());
        assert!(versions.iter().all(|v| v.contains(|c: char| c.is_ascii_digit())), "{versions:?}");
    }
}
