//! The reference's vectors, on every back end.

use std::fs;
use std::path::Path;

use polyseal::Error;
use polyseal::testing::Backend;
use serde_json::Value;
use shake::Shake256;
use shake::digest::{ExtendableOutput, Update, XofReader};

use super::Cipher;

/// Whole ciphertexts, valid and not.
const CIPHERTEXTS: &str = "flex.json";
/// Digests of ciphertexts, for the edges of all lengths.
const EDGES: &str = "internal/flex-edges.json";

fn load(path: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    serde_json::from_slice(&fs::read(folder.join(path)).expect(path)).expect("JSON")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v Vec<Value> {
    value[name].as_array().expect(name)
}

fn hexadecimal(value: &Value, name: &str) -> Vec<u8> {
    hex::decode(value[name].as_str().expect(name)).expect("hexadecimal")
}

fn configuration(value: &Value) -> [u8; 8] {
    hexadecimal(value, "cfg").try_into().expect("eight bytes")
}

#[test]
fn every_ciphertext_of_the_reference() {
    let file = load(CIPHERTEXTS);
    let (mut valid, mut invalid) = (0, 0);
    for group in list(&file, "testGroups") {
        let (cfg, setup_ad) =
            (configuration(&group["params"]), hexadecimal(&group["params"], "setupAd"));
        for test in list(group, "tests") {
            let [key, nonce, ad, message, sealed] =
                ["key", "iv", "aad", "msg", "ct"].map(|name| hexadecimal(test, name));
            let is_valid = test["result"] == "valid";
            *if is_valid { &mut valid } else { &mut invalid } += 1;
            for backend in Backend::available() {
                let name = format!("test {} on {}", test["tcId"], backend.name());
                let cipher = Cipher::on(backend, cfg, &key, &setup_ad);
                if is_valid {
                    let computed = cipher.seal(&nonce, &ad, &message).expect(&name);
                    assert!(computed == sealed, "another ciphertext: {name}");
                    cipher.opens_to(&nonce, &ad, &sealed, &message, &name);
                } else {
                    let opened = cipher.open(&nonce, &ad, &sealed);
                    assert_eq!(opened, Err(Error::Unauthentic), "{name}");
                }
            }
        }
    }
    assert_eq!(file["numberOfTests"].as_u64(), Some(valid + invalid));
    assert!(valid >= 997 && invalid >= 1109, "{valid} valid, {invalid} not");
}

/// As many bytes of SHAKE-256 of `text` as asked for.
fn shake(text: &[u8], count: usize) -> Vec<u8> {
    let mut hash = Shake256::default();
    hash.update(text);
    let mut output = vec![0; count];
    hash.finalize_xof().read(&mut output);
    output
}

fn length(value: &Value) -> usize {
    value.as_u64().expect("a length") as usize
}

#[test]
fn every_edge_of_the_reference() {
    let file = load(EDGES);
    let input = |what: &str, count: &Value| {
        shake(format!("polyseal/flex-edges/{what}").as_bytes(), length(count))
    };
    let mut count = 0;
    for group in list(&file, "groups") {
        let cfg = configuration(group);
        let (key, setup_ad) = (input("key", &group["key"]), input("setupAd", &group["setupAd"]));
        let ciphers: Vec<_> = Backend::available()
            .map(|backend| (backend.name(), Cipher::on(backend, cfg, &key, &setup_ad)))
            .collect();
        for test in list(group, "tests") {
            let (nonce, ad, message) =
                (input("nonce", &test[0]), input("aad", &test[1]), input("msg", &test[2]));
            for (backend, cipher) in &ciphers {
                let (cfg, key, setup_ad) = (hex::encode(cfg), key.len(), setup_ad.len());
                let name = format!("{cfg}, {key} of key, {setup_ad} of setup, {test} on {backend}");
                let sealed = cipher.seal(&nonce, &ad, &message).expect(&name);
                assert_eq!(hex::encode(shake(&sealed, 16)), test[3], "{name}");
                cipher.opens_to(&nonce, &ad, &sealed, &message, &name);
            }
            count += 1;
        }
    }
    assert_eq!(file["numberOfTests"].as_u64(), Some(count));
    assert!(count > 2000, "{count} tests");
}
