//! Every algorithm on AES-GCM is AES-GCM under the keys and nonces of its definition: derived here
//! from CMAC, KBKDF, HMAC and HKDF, put together message by message, and compared.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use polyseal::gcm::{Aes256, Cmac, Counter, kbkdf};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};
use serde_json::Value;
use sha2::{Sha256, Sha512};

use super::{field, internal};
use crate::common::{bytes, soft};

/// Short, short enough for four blocks, longer, and around the groups; beside no, little and more
/// associated data.
const LENGTHS: [(usize, usize); 14] = [
    (0, 0),
    (0, 1),
    (13, 16),
    (16, 33),
    (64, 64),
    (65, 64),
    (64, 65),
    (3, 127),
    (20, 256),
    (100, 511),
    (0, 512),
    (512, 513),
    (33, 1025),
    (1, 4099),
];

fn seal(id: &str, key: &[u8], nonce: &[u8], ad: &[u8], message: &[u8], on: Backend) -> Vec<u8> {
    let algorithm: Algorithm = id.parse().expect(id);
    let aead = aead_on(&algorithm, key, on).expect(id);
    aead.seal(nonce, ad, message).expect(id)
}

fn gcm(key: &[u8], iv: &[u8], ad: &[u8], message: &[u8]) -> Vec<u8> {
    seal("aes-256-gcm", key, iv, ad, message, soft())
}

/// `id` under `root` and `nonce` is GCM under `key` and `iv`, and then `commitment`.
fn is_gcm(id: &str, root: &[u8], nonce: &[u8], key: &[u8], iv: &[u8], commitment: &[u8]) {
    for (ad_bytes, message_bytes) in LENGTHS {
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
        let expected = [&gcm(key, iv, &ad, &message)[..], commitment].concat();
        for backend in Backend::available() {
            let sealed = seal(id, root, nonce, &ad, &message, backend);
            let name = format!("{id} on {}, {message_bytes} bytes", backend.name());
            assert_eq!(sealed, expected, "{name}");
        }
    }
}

/// K_U and K_C of XAES and KC-XAES, by KBKDF.
fn by_kbkdf(key: &[u8], nonce: &[u8]) -> ([u8; 32], [u8; 32]) {
    let prf = Cmac::<Aes256>::with_backend(key.try_into().expect("a key"), soft());
    let (u, v) = (&nonce[..12], &nonce[nonce.len() - 12..]);
    let (mut k_u, mut k_c) = ([0; 32], [0; 32]);
    // The counter stands before; 58 is "X", 00 ends the label.
    kbkdf(&prf, Counter::Before(2), &[b"X\0", u].concat(), &mut k_u).expect("K_U");
    let fixed = [b"XCMT", u, v, &[24 - nonce.len() as u8, 1, 0]].concat();
    kbkdf(&prf, Counter::Behind(1), &fixed, &mut k_c).expect("K_C");
    (k_u, k_c)
}

#[test]
fn xaes_derives_by_kbkdf() {
    let file = internal("kc-xaes-derivation.json");
    let tests = file["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 36);
    for (i, test) in tests.iter().enumerate() {
        let (key, nonce) = (field(test, "key"), field(test, "nonce"));
        let (k_u, k_c) = by_kbkdf(&key, &nonce);
        assert_eq!(k_u[..], field(test, "K_U"), "test {i}");
        assert!(test["K_C"].is_null() || k_c[..] == field(test, "K_C"), "test {i}");

        let id = format!("kc-xaes-256-gcm:nonce={}", nonce.len());
        is_gcm(&id, &key, &nonce, &k_u, &field(test, "IV"), &k_c);
        if nonce.len() == 24 {
            is_gcm("xaes-256-gcm", &key, &nonce, &k_u, &field(test, "IV"), &[]);
        }
    }
}

#[test]
fn dndk_derives_as_its_draft_says() {
    let file = internal("dndk-derivation.json");
    let tests = file["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 6);
    for test in tests {
        let (key, nonce, k_c) = (field(test, "key"), field(test, "nonce"), field(test, "K_C"));
        let (version, kc) = (&test["version"], u8::from(test["kc"] == Value::Bool(true)));
        let id = format!("dndk-gcm:version={version},kc={kc},nonce={}", nonce.len());
        is_gcm(&id, &key, &nonce, &field(test, "DK"), &field(test, "IV"), &k_c);
    }
}

#[test]
fn hkdf_derives_as_the_aws_encryption_sdk() {
    let file = internal("hkdf-derivation.json");
    let tests = file["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 4);
    for test in tests {
        let (key, nonce) = (field(test, "key"), field(test, "nonce"));
        let hkdf = Hkdf::<Sha512>::new(Some(&nonce), &key);
        let (mut data_key, mut commitment) = ([0; 32], [0; 32]);
        hkdf.expand(b"\x04\x78DERIVEKEY", &mut data_key).expect("a key");
        hkdf.expand(b"COMMITKEY", &mut commitment).expect("a commitment");
        assert_eq!(data_key[..], field(test, "dataKey"));
        assert_eq!(commitment[..], field(test, "commitment"));
        let id = "hkdf-committed-aes-256-gcm";
        is_gcm(id, &key, &nonce, &data_key, &[0; 12], &commitment);
    }
}

/// HMAC-SHA256 of `parts`.
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut prf = Hmac::<Sha256>::new_from_slice(key).expect("any key");
    parts.iter().for_each(|part| prf.update(part));
    prf.finalize().into_bytes().into()
}

#[test]
fn hmac_derives_as_defined_here() {
    let (key, nonce) = (bytes(1, 32), bytes(2, 24));
    let (u, v) = nonce.split_at(12);
    let k_u = hmac(&key, &[&[0, 1, 0x58, 0], u]);
    let k_c = hmac(&key, &[b"XCMT", u, v, &[0, 1, 0, 1]]);
    is_gcm("h-aes-256-gcm", &key, &nonce, &k_u, v, &[]);
    is_gcm("h-kc-aes-256-gcm", &key, &nonce, &k_u, v, &k_c);
}

#[test]
fn the_padding_fix_seals_zeros_first() {
    let (key, nonce) = (bytes(1, 32), bytes(2, 12));
    for (ad_bytes, message_bytes) in LENGTHS {
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
        let whole = gcm(&key, &nonce, &ad, &[&[0; 32][..], &message].concat());
        let (c0, rest) = whole.split_at(32);
        let expected = [rest, c0].concat();
        for backend in Backend::available() {
            let id = "padding-fix-aes-256-gcm";
            let sealed = seal(id, &key, &nonce, &ad, &message, backend);
            assert_eq!(sealed, expected, "on {}, {message_bytes} bytes", backend.name());
        }
    }
}

#[test]
fn ctx_hashes_key_nonce_tag_and_data() {
    for (ctx, inner) in [
        ("ctx-aes-256-gcm", "aes-256-gcm"),
        ("ctx-aegis-128l", "aegis-128l"),
        ("ctx-aegis-128x2", "aegis-128x2"),
        ("ctx-aegis-128x4", "aegis-128x4"),
        ("ctx-aegis-256", "aegis-256"),
        ("ctx-aegis-256x2", "aegis-256x2"),
        ("ctx-aegis-256x4", "aegis-256x4"),
    ] {
        let algorithm: Algorithm = inner.parse().expect(inner);
        let (key, nonce) = (bytes(1, algorithm.key_bytes()), bytes(2, algorithm.nonce_bytes()));
        for (ad_bytes, message_bytes) in LENGTHS {
            let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
            let sealed = seal(inner, &key, &nonce, &ad, &message, soft());
            let (ciphertext, tag) = sealed.split_at(message_bytes);
            let expected = [ciphertext, &hmac(&key, &[&nonce, tag, &ad])].concat();
            for backend in Backend::available() {
                let sealed = seal(ctx, &key, &nonce, &ad, &message, backend);
                assert_eq!(sealed, expected, "{ctx} on {}", backend.name());
            }
        }
    }
}
