//! OCB3, AES-GCM-SIV, CTX, Ascon and HiAE.

use super::*;

fn all(id: &str) -> Vec<(&'static str, Box<dyn Aead>)> {
    match id {
        "ocb3" => vec![
            ("openssl", Box::new(openssl::Evp::ocb3())),
            ("rustcrypto", Box::new(rustcrypto::ocb3())),
        ],
        "aes-256-gcm-siv" => vec![
            ("aws-lc", Box::new(aws_lc::Gcm::siv())),
            ("boringssl", Box::new(boringssl::Gcm::siv())),
            ("openssl", Box::new(openssl::Evp::gcm_siv())),
            ("rustcrypto", Box::new(rustcrypto::aes_256_gcm_siv())),
        ],
        "ascon-aead128" => vec![("ascon-aead", Box::new(ascon_aead::ascon_aead128()))],
        "hiae" => vec![
            ("hiae", Box::new(hiae::Hiae::new())),
            #[cfg(libhiae)]
            ("libhiae", Box::new(libhiae::Hiae::new())),
        ],
        _ => vec![
            ("aws-lc", Box::new(aws_lc::ctx())),
            ("boringssl", Box::new(boringssl::ctx())),
            ("openssl", Box::new(openssl::ctx())),
            ("ring", Box::new(ring::ctx())),
        ],
    }
}

/// Ciphertext and tag.
fn sealed(
    aead: &mut dyn Aead,
    key: &crate::ring::Key,
    nonce: &crate::ring::Nonce,
    ad: &[u8],
    message: &[u8],
) -> Vec<u8> {
    let (mut sealed, mut tag) = (message.to_vec(), [0; 64]);
    aead.seal_once(key, nonce, ad, &mut sealed, &mut tag);
    sealed.extend_from_slice(&tag[..16]);
    sealed
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn they_work_twice_and_refuse() {
    for (id, tag_bytes) in [
        ("ocb3", 16),
        ("aes-256-gcm-siv", 16),
        ("ctx-aes-256-gcm", 32),
        ("ascon-aead128", 16),
        ("hiae", 16),
    ] {
        let mut made: Vec<_> =
            all(id).iter_mut().map(|(name, aead)| seal(name, &mut **aead, tag_bytes)).collect();
        made.dedup();
        assert_eq!(made.len(), 1, "{id}");
    }
}

/// Under one key: nothing of a message may be left for the next, and one without associated data
/// comes behind one that has some. The tails of messages go their own way through OpenSSL's OCB3.
#[test]
fn libraries_agree_on_every_length() {
    for id in ["ocb3", "aes-256-gcm-siv", "ascon-aead128", "hiae"] {
        let mut libraries = all(id);
        for length in (0..300).chain((300..5000).step_by(337)) {
            let message: Vec<u8> = (0..length).map(|i| (i * i) as u8).collect();
            let (nonce, ad) =
                ([length as u8; 32], &message[..message.len() % 7 * message.len() / 7]);
            let results = libraries.iter_mut().map(|(name, aead)| {
                let (mut sealed, mut tag, mut opened) = (message.clone(), [0; 64], vec![0; length]);
                aead.seal(&nonce, ad, &mut sealed, &mut tag);
                assert!(aead.open(&nonce, ad, &sealed, &tag, &mut opened), "{id} {name} {length}");
                assert_eq!(opened, message, "{id} {name} {length}");
                if let Some(byte) = sealed.last_mut() {
                    *byte ^= 1;
                    assert!(!aead.open(&nonce, ad, &sealed, &tag, &mut opened), "{id} {name}");
                    sealed[length - 1] ^= 1;
                }
                assert!(!aead.open(&nonce, b"other", &sealed, &tag, &mut opened), "{id} {name}");
                (sealed, tag)
            });
            let mut results: Vec<_> = results.collect();
            results.dedup();
            assert_eq!(results.len(), 1, "{id} {length}");
        }
    }
}

/// RFC 7253, appendix A: the result of the iterated test for keys of 256 bits and tags of 128.
#[test]
fn ocb3_is_that_of_its_rfc() {
    for (name, mut aead) in all("ocb3") {
        let mut key = [0; 64];
        key[31] = 128;
        let mut count = 0_u32;
        let mut seal = |ad: &[u8], message: &[u8]| {
            count += 1;
            let mut nonce = [0; 32];
            nonce[8..12].copy_from_slice(&count.to_be_bytes());
            sealed(&mut *aead, &key, &nonce, ad, message)
        };
        let (zeros, mut all) = ([0; 128], Vec::new());
        for length in 0..128 {
            all.extend(seal(&zeros[..length], &zeros[..length]));
            all.extend(seal(b"", &zeros[..length]));
            all.extend(seal(&zeros[..length], b""));
        }
        assert_eq!(hex(&seal(&all, b"")), "d90eb8e9c977c88b79dd793d7ffa161c", "{name}");
    }
}

/// RFC 8452, appendix C.2: the first two vectors, and one with associated data.
#[test]
fn gcm_siv_is_that_of_its_rfc() {
    let (mut key, mut nonce) = ([0; 64], [0; 32]);
    (key[0], nonce[0]) = (1, 3);
    for (name, mut aead) in all("aes-256-gcm-siv") {
        let mut seal =
            |ad: &[u8], message: &[u8]| hex(&sealed(&mut *aead, &key, &nonce, ad, message));
        assert_eq!(seal(b"", b""), "07f5f4169bbf55a8400cd47ea6fd400f", "{name}");
        let message = [1, 0, 0, 0, 0, 0, 0, 0];
        let expected = "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28";
        assert_eq!(seal(b"", &message), expected, "{name}");
        let message = [2, 0, 0, 0, 0, 0, 0, 0];
        let expected = "1de22967237a813291213f267e3b452f02d01ae33e4ec854";
        assert_eq!(seal(&[1], &message), expected, "{name}");
    }
}

/// The known answers for SP 800-232 of its authors, number 600 and the last one.
#[test]
fn ascon_is_that_of_its_standard() {
    let bytes: [u8; 32] = core::array::from_fn(|i| i as u8);
    let (mut key, mut nonce) = ([0; 64], [0; 32]);
    key[..16].copy_from_slice(&bytes[..16]);
    nonce[..16].copy_from_slice(&bytes[..16]);
    for (name, mut aead) in all("ascon-aead128") {
        let mut seal =
            |ad: &[u8], message: &[u8]| hex(&sealed(&mut *aead, &key, &nonce, ad, message));
        let expected = "1f820273c65246b76d4ff8d1add72d5cc170974453eb43684ecb92bc8e6beeecc694";
        assert_eq!(seal(&bytes[..5], &bytes[..18]), expected, "{name}");
        let expected = "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e50622d788345fa7bee44\
                        68915d3f9422289f2349d6a3b4160397";
        assert_eq!(seal(&bytes, &bytes), expected, "{name}");
    }
}

/// draft-pham-cfrg-hiae: the second vector, and of the fifth, which is a byte more than the rate,
/// the beginning, the end and the tag.
#[test]
fn hiae_is_that_of_its_draft() {
    for (name, mut aead) in all("hiae") {
        let mut seal = |key: &str, nonce: &str, ad: &str, message: &[u8]| {
            let (mut long_key, mut long_nonce) = ([0; 64], [0; 32]);
            long_key[..32].copy_from_slice(&bytes(key));
            long_nonce[..16].copy_from_slice(&bytes(nonce));
            hex(&sealed(&mut *aead, &long_key, &long_nonce, &bytes(ad), message))
        };
        let key = "2f8e4d7c3b9a5e1f8d2c6b4a9f3e7d5c1b8a6f4e3d2c9b5a8f7e6d4c3b2a1f9e";
        let nonce = "7c3e9f5a1d8b4c6f2e9a5d7b3f8c1e4a";
        let expected = "af9bd1865daa6fc351652589abf70bffed9e2edc8241c3184fc08972bd8e9952";
        let message = bytes("55f00fcc339669aa55f00fcc339669aa");
        assert_eq!(seal(key, nonce, "", &message), expected, "{name}");

        let key = "3e9d6c5b4a8f7e2d1c9b8a7f6e5d4c3b2a1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d";
        let nonce = "6f2e8a5c9b3d7f1e4a8c5b9d3f7e2a6c";
        let mut message = bytes("cc339669aa55f00f").repeat(32);
        message.push(0xcc);
        let made = seal(key, nonce, "6778899aabbccddeef00112233445566", &message);
        assert!(made.starts_with("522e4cd9b0881809d80e149bb4ed8b8a"), "{name}: {made}");
        let end = "751d95dba709fb335183c21476836ea1ab61bac11505dd8bbf55e7fbb7489de7b0";
        assert!(made.ends_with(end), "{name}: {made}");
    }
}

pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).map(|two| str::from_utf8(two).unwrap());
    digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
}

/// The schemes put together from their parts equal ours, on each of our back ends.
#[test]
fn ours_is_the_ctx_of_the_c_libraries() {
    // ring's parts are not in C: `they_work_twice_and_refuse` says the same of it.
    let mut libraries = all("ctx-aes-256-gcm");
    libraries.retain(|(name, _)| *name != "ring");
    let libraries = libraries.try_into().unwrap_or_else(|_| panic!("three of them"));
    ours_is_theirs("ctx-aes-256-gcm", libraries);
}
