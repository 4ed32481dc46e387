//! Every edge against the reference, every byte tampered with, and in place as out of place.

use std::fs;
use std::path::Path;

use aead::inout::InOutBuf;
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};
use polyseal::{Error, aead};
use serde_json::Value;
use shake::Shake256;
use shake::digest::{ExtendableOutput, Update, XofReader};

use super::{IDS, bytes, keyed};

fn shake(input: &[u8], count: usize) -> Vec<u8> {
    let mut output = vec![0; count];
    Shake256::default().chain(input).finalize_xof().read(&mut output);
    output
}

/// `vectors/internal/omd-edges.json` says how inputs and digests are made.
#[test]
fn the_reference_agrees_at_every_edge() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/internal/omd-edges.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let mut count = 0;
    for group in file["groups"].as_array().expect("groups") {
        let input = |what: &str, n| shake(format!("polyseal/omd-edges/{what}").as_bytes(), n);
        let id = group["algorithm"].as_str().expect("an id");
        let mut algorithm: Algorithm = id.parse().expect(id);
        for name in ["key", "nonce", "tag"] {
            algorithm = algorithm.with(name, number(&group[name]) as u64).expect(name);
        }
        for (name, value) in group["params"].as_object().expect("params") {
            let value = match value.as_str() {
                Some(text) => algorithm.value_of(name, text).expect(name),
                None => number(value) as u64,
            };
            algorithm = algorithm.with(name, value).expect(name);
        }
        let (key, nonce) =
            (input("key", algorithm.key_bytes()), input("nonce", algorithm.nonce_bytes()));
        for test in group["tests"].as_array().expect("tests") {
            let (ad, message) = (input("aad", number(&test[0])), input("msg", number(&test[1])));
            let digest = test[2].as_str().expect("a digest");
            for backend in Backend::available() {
                let aead = aead_on(&algorithm, &key, backend).expect("a key");
                let sealed = aead.seal(&nonce, &ad, &message).expect("sealing");
                let name = format!("{algorithm} on {}: {test}", backend.name());
                assert_eq!(hex::encode(shake(&sealed, 16)), digest, "{name}");
                assert_eq!(aead.open(&nonce, &ad, &sealed), Ok(message.clone()), "{name}");
            }
            count += 1;
        }
    }
    assert_eq!(count, number(&file["numberOfTests"]));
}

#[test]
fn every_byte_counts() {
    for id in IDS {
        for rule in ["version=2", "rule=reference", "version=1"] {
            let aead = keyed(&format!("{id}:{rule}"), 1, Backend::detect());
            let nonce = bytes(2, aead.algorithm().nonce_bytes());
            for (ad, message) in [(0, 0), (0, 5), (5, 0), (130, 64), (129, 131)] {
                let (ad, message) = (bytes(3, ad), bytes(4, message));
                let sealed = aead.seal(&nonce, &ad, &message).expect("sealing");
                let refused = |nonce: &[u8], ad: &[u8], sealed: &[u8]| {
                    assert_eq!(aead.open(nonce, ad, sealed), Err(Error::Unauthentic), "{id}");
                };
                let changed = |bytes: &[u8], at: usize| {
                    let mut changed = bytes.to_vec();
                    changed[at] ^= 1 << (at % 8);
                    changed
                };
                (0..sealed.len()).for_each(|at| refused(&nonce, &ad, &changed(&sealed, at)));
                (0..ad.len()).for_each(|at| refused(&nonce, &changed(&ad, at), &sealed));
                (0..nonce.len()).for_each(|at| refused(&changed(&nonce, at), &ad, &sealed));
                refused(&nonce, &[&ad[..], &[0]].concat(), &sealed);
            }
        }
    }
}

/// And what is not authentic leaves nothing behind, in either case.
#[test]
fn in_place_is_out_of_place() {
    for id in IDS {
        for backend in Backend::available() {
            let aead = keyed(id, 1, backend);
            let nonce = bytes(2, aead.algorithm().nonce_bytes());
            for length in [0, 1, 31, 32, 33, 63, 64, 65, 128, 1000] {
                let (message, mut in_place) = (bytes(4, length), bytes(4, length));
                let mut tags = [vec![0; aead.algorithm().tag_bytes()], Vec::new()];
                tags[1] = tags[0].clone();
                let mut output = vec![0xee; length];
                let buffer = InOutBuf::new(&message, &mut output).expect("as long");
                aead.seal_inout_detached(&nonce, b"ad", buffer, &mut tags[0]).expect("sealing");
                let buffer = in_place.as_mut_slice().into();
                aead.seal_inout_detached(&nonce, b"ad", buffer, &mut tags[1]).expect("sealing");
                assert_eq!((&in_place, &tags[0]), (&output, &tags[1]), "{id}, {length}");

                let mut opened = vec![0xee; length];
                let buffer = InOutBuf::new(&output, &mut opened).expect("as long");
                aead.open_inout_detached(&nonce, b"ad", buffer, &tags[0]).expect("opening");
                assert_eq!(opened, message);

                tags[0][3] ^= 1;
                let buffer = InOutBuf::new(&output, &mut opened).expect("as long");
                let refused = aead.open_inout_detached(&nonce, b"ad", buffer, &tags[0]);
                assert_eq!(refused, Err(Error::Unauthentic));
                let buffer = in_place.as_mut_slice().into();
                let refused = aead.open_inout_detached(&nonce, b"ad", buffer, &tags[0]);
                assert_eq!(refused, Err(Error::Unauthentic));
                assert_eq!((opened, in_place), (vec![0; length], vec![0; length]));
            }
        }
    }
}
