//! HCTR2 and AEZ, which refuse nothing: whatever is altered, all of the message is lost.

use super::modes::bytes;
use super::*;

fn all() -> Vec<(&'static str, Box<dyn Aead>)> {
    let mut all = all_of_hctr2();
    all.extend(all_of_aez());
    all
}

fn all_of_hctr2() -> Vec<(&'static str, Box<dyn Aead>)> {
    vec![
        ("rustcrypto", Box::new(hctr2::Hctr2::new())),
        ("hctr2-rs", Box::new(hctr2_rs::Hctr2::new())),
        #[cfg(google_hctr2)]
        ("google-hctr2", Box::new(google_hctr2::Hctr2::new())),
    ]
}

fn all_of_aez() -> Vec<(&'static str, Box<dyn Aead>)> {
    vec![
        ("zears", Box::new(zears::Zears::new())),
        #[cfg(feature = "aez")]
        ("aez", Box::new(aez::Aez::new())),
    ]
}

/// How many bytes of a message that was all ones are still where they were.
fn left(message: &[u8]) -> usize {
    message.iter().filter(|byte| **byte == 1).count()
}

#[test]
fn they_open_what_they_sealed_and_nothing_else() {
    let (nonce, other) = ([9; 32], [8; 64]);
    for (name, mut aead) in all() {
        for length in (32..200).chain((200..5000).step_by(337)) {
            let name = format!("{name}, {length} bytes");
            let (mut sealed, mut tag) = (vec![1; length], [0; 64]);
            aead.rekey(&KEY);
            aead.seal(&nonce, b"header", &mut sealed, &mut tag);
            // Out of three dozen random bytes, a quarter does not happen to be right.
            let lost = |message: &[u8]| left(message) * 4 < length;
            assert!(lost(&sealed), "{name}");
            let mut opened = vec![0; length];
            let mut open = |nonce, ad, sealed: &[u8]| {
                assert!(aead.open(nonce, ad, sealed, &tag, &mut opened), "{name}");
                left(&opened)
            };
            assert_eq!(open(&nonce, b"header".as_slice(), &sealed), length, "{name}");
            for (nonce, ad) in [(&[7; 32], "header"), (&nonce, "headex"), (&nonce, "")] {
                assert!(open(nonce, ad.as_bytes(), &sealed) * 4 < length, "{name}");
            }
            for flipped in [0, length / 2, length - 1] {
                sealed[flipped] ^= 1;
                assert!(open(&nonce, b"header", &sealed) * 4 < length, "{name} {flipped}");
                sealed[flipped] ^= 1;
            }
            assert!(aead.open_once(&other, &nonce, b"header", &sealed, &tag, &mut opened));
            assert!(lost(&opened), "{name}");
            assert_eq!(tag, [0; 64], "{name}");
        }
    }
}

/// A message of `hex` under a key, a nonce, and associated data; then the first again.
fn vector(aead: &mut dyn Aead, [key, nonce, ad, message]: [&str; 4]) -> String {
    let (mut long_key, mut long_nonce, mut tag) = ([0; 64], [0; 32], [0; 64]);
    long_key[..key.len() / 2].copy_from_slice(&bytes(key));
    long_nonce[..nonce.len() / 2].copy_from_slice(&bytes(nonce));
    let mut sealed = bytes(message);
    aead.seal_once(&long_key, &long_nonce, &bytes(ad), &mut sealed, &mut tag);
    sealed.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From the authors' vectors for AES-256, with their tweak cut into nonce and associated data.
#[test]
fn hctr2_is_that_of_its_authors() {
    let expected = "7bb1436dd8726cf6676a00c4f1f0f5a4fc6091ab460b15fcd7c12815a1fcf768\
                    8ecc276200645672a617d73f67801058";
    let inputs = [
        "0365036e4de6e84e8bbe22194831eed9a09121be6289de78d9b036a33cce43d5",
        "a9c34be70ffc6dbf5627211c",
        "fcd604105f43e23035296c1090f1bf61ed0f8a91",
        "07aa0226b498115e3341215151632c7200ab32a71cc83c9c250e8b9adf85ed2d\
         f4f2bc55ca926d22fd223b424c0b74ec",
    ];
    for (name, mut aead) in all_of_hctr2() {
        assert_eq!(vector(&mut *aead, inputs), expected, "{name}");
    }
}

/// From the vectors of AEZ v5 without redundancy.
#[test]
fn aez_is_that_of_its_authors() {
    let expected = "fa862e94a2954f8a0dee1f56cbbbda322e2a82f11f321e07594e79e1c8bcd535";
    let inputs = [
        "9adf7a023fbc4e663695f627a8d5b5c45f6752e375d19e11a669e6b949347d0c\
         f5e0e2516ee285af365224976afa60be",
        "799de3d90fbd6fed93b5f96cf9f4e852",
        "d6e278e0c6ede09d302d6fde09de77711a9a02fc8a049fb34a5e3f00c1cfc336d0",
        "efea7ecfa45f51b52ce038cf6c0704392c2211bfca17a36284f63a902b37f0ab",
    ];
    for (name, mut aead) in all_of_aez() {
        assert_eq!(vector(&mut *aead, inputs), expected, "{name}");
    }
}

/// In place and from one buffer into another, for all lengths of messages and associated data.
fn agree(mut one: impl Aead, mut other: impl Aead) {
    for length in (16..700).chain([4096, 70_001]) {
        let message: Vec<u8> = (0..length).map(|i| (i * i) as u8).collect();
        let (ad, nonce) = (&message[..length * 5 % 200 % (length + 1)], [length as u8; 32]);
        let (mut expected, mut tag, mut opened) = (message.clone(), [0; 64], vec![0; length]);
        let mut sealed = message.clone();
        one.seal(&nonce, ad, &mut expected, &mut tag);
        other.seal(&nonce, ad, &mut sealed, &mut tag);
        assert_eq!(sealed, expected, "{length}");
        assert!(other.open(&nonce, ad, &sealed, &tag, &mut opened));
        assert_eq!(opened, message, "{length}");
    }
}

#[test]
fn all_of_hctr2_agree() {
    agree(hctr2_rs::Hctr2::new(), hctr2::Hctr2::new());
    #[cfg(google_hctr2)]
    agree(hctr2_rs::Hctr2::new(), google_hctr2::Hctr2::new());
}

#[cfg(feature = "aez")]
#[test]
fn both_of_aez_agree() {
    agree(zears::Zears::new(), aez::Aez::new());
}
