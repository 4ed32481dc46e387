//! OCH: against the reference at every edge, the hidden nonce, the order of the parts, and every
//! byte tampered with. Its vectors are read with all others.

use std::fs;
use std::path::Path;

use aead::consts::U32;
use aead::{Aead, Payload};
use polyseal::any::AnyAead;
use polyseal::och::OchAreionP;
use polyseal::testing::{Backend, aead_on};
use polyseal::{Error, aead};
use serde_json::Value;
use shake::Shake256;
use shake::digest::{ExtendableOutput, Update, XofReader};

use crate::common::{bytes, key, nonce};

const HIDES: &str = "och-areion-s";
const IDS: [&str; 2] = ["och-areion-p", HIDES];

/// The cipher of a name on each back end, with its name.
fn on_every_back_end(id: &str, key: &[u8]) -> Vec<(&'static str, AnyAead)> {
    let algorithm = id.parse().expect(id);
    let on = |backend| aead_on(&algorithm, key, backend).expect("a key");
    Backend::available().map(|backend| (backend.name(), on(backend))).collect()
}

fn shake(input: &[u8], count: usize) -> Vec<u8> {
    let mut output = vec![0; count];
    Shake256::default().chain(input).finalize_xof().read(&mut output);
    output
}

/// `vectors/internal/och-edges.json` says how inputs and digests are made.
#[test]
fn the_reference_agrees_at_every_edge() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/internal/och-edges.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let input = |what: &str, n| shake(format!("polyseal/och-edges/{what}").as_bytes(), n);
    let (key, nonce) = (input("key", 32), input("nonce", 32));
    let mut count = 0;
    for group in file["groups"].as_array().expect("groups") {
        let id = group["algorithm"].as_str().expect("an id");
        let ciphers = on_every_back_end(id, &key);
        for test in group["tests"].as_array().expect("tests") {
            let (ad, message) = (input("aad", number(&test[0])), input("msg", number(&test[1])));
            let digest = test[2].as_str().expect("a digest");
            for (backend, aead) in &ciphers {
                let sealed = aead.seal(&nonce, &ad, &message).expect("sealing");
                let name = format!("{id} on {backend}: {test}");
                assert_eq!(hex::encode(shake(&sealed, 16)), digest, "{name}");
                assert_eq!(aead.open(&nonce, &ad, &sealed), Ok(message.clone()), "{name}");
            }
            count += 1;
        }
    }
    assert_eq!(count, number(&file["numberOfTests"]));
}

/// Windows of offsets begin at blocks 16, 32, …, whichever vector they fall into.
#[test]
fn a_message_is_the_same_on_every_back_end() {
    for id in IDS {
        let ciphers = on_every_back_end(id, &bytes(1, 32));
        for length in (0..2200).step_by(31).chain([1 << 16, (1 << 16) + 17]) {
            let (nonce, message) = (bytes(2, 32), bytes(3, length));
            let mut all = ciphers.iter().map(|(_, aead)| aead.seal(&nonce, b"ad", &message));
            let first = all.next().expect("the portable back end");
            assert!(all.all(|sealed| sealed == first), "{id}: {length}");
        }
    }
}

#[test]
fn a_hidden_nonce_is_recovered_and_checked() {
    let (nonce, mut other) = (bytes(2, 32), bytes(2, 32));
    other[31] ^= 1;
    for (backend, aead) in on_every_back_end(HIDES, &bytes(1, 32)) {
        for length in [0, 1, 31, 32, 33, 700] {
            let message = bytes(3, length);
            let sealed = aead.seal(&nonce, b"ad", &message).expect("sealing");
            assert_eq!(sealed.len(), length + 64);
            let opened = aead.open_hidden_nonce(b"ad", &sealed).expect("opening");
            assert_eq!((&opened.nonce, &*opened.message), (&nonce, &message), "{backend}");
            // Told the nonce, or another.
            assert_eq!(aead.open(&nonce, b"ad", &sealed), Ok(message), "{backend}");
            assert_eq!(aead.open(&other, b"ad", &sealed), Err(Error::Unauthentic), "{backend}");
        }
        let short = aead.open_hidden_nonce(b"", &[0; 63]).map(|_| ());
        assert_eq!(short, Err(Error::Buffer { expected: 64, actual: 63 }));
    }
}

#[test]
fn every_byte_counts() {
    let nonce = bytes(2, 32);
    for id in IDS {
        for (backend, aead) in on_every_back_end(id, &bytes(1, 32)) {
            for length in [0, 20, 32, 75] {
                let mut sealed = aead.seal(&nonce, b"ad", &bytes(3, length)).expect("sealing");
                for at in 0..sealed.len() {
                    sealed[at] ^= 1 << (at % 8);
                    let refused = aead.open(&nonce, b"ad", &sealed);
                    let name = format!("{id} on {backend}: byte {at} of {length}");
                    assert_eq!(refused, Err(Error::Unauthentic), "{name}");
                    if id == HIDES {
                        let refused = aead.open_hidden_nonce(b"ad", &sealed).map(|_| ());
                        assert_eq!(refused, Err(Error::Unauthentic), "{name}");
                    }
                    sealed[at] ^= 1 << (at % 8);
                }
                assert_eq!(aead.open(&nonce, b"AD", &sealed), Err(Error::Unauthentic));
            }
        }
    }
}

/// The type and the name are one algorithm.
#[test]
fn the_type_is_what_its_name_says() {
    fn sizes<A: aead::AeadCore<NonceSize = U32, TagSize = U32>>() {}
    sizes::<OchAreionP>();
    let (key, nonce) = (key::<OchAreionP>(1), nonce::<OchAreionP>(2));
    for backend in Backend::available() {
        let typed = OchAreionP::with_backend(&key, backend);
        let named = aead_on(&IDS[0].parse().expect("a name"), &key, backend).expect("a key");
        for length in [0, 31, 32, 1000] {
            let msg = &bytes(3, length)[..];
            let sealed = typed.encrypt(&nonce, Payload { msg, aad: b"ad" }).expect("sealing");
            assert_eq!(named.seal(&nonce, b"ad", msg).as_ref(), Ok(&sealed));
            let opened = typed.decrypt(&nonce, Payload { msg: &sealed, aad: b"ad" });
            assert_eq!(opened.as_deref(), Ok(msg));
        }
    }
}
