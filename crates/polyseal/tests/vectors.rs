//! Published and generated vectors, every back end.

use std::fs;
use std::path::Path;

use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on, mac_on};
use serde_json::Value;

fn bytes(test: &Value, field: &str) -> Vec<u8> {
    hex::decode(test[field].as_str().expect(field)).expect(field)
}

/// The instance that a group of tests is about.
fn algorithm(file: &Value, group: &Value) -> Algorithm {
    let id = match file["algorithm"].as_str().expect("algorithm") {
        "AEGIS128L" => "aegis-128l",
        "AEGIS256" => "aegis-256",
        id => id,
    };
    let mut algorithm: Algorithm = id.parse().expect(id);
    for (name, field) in [("key", "keySize"), ("nonce", "ivSize"), ("tag", "tagSize")] {
        algorithm = algorithm.with(name, group[field].as_u64().expect(field) / 8).expect(field);
    }
    if let Some(params) = group["params"].as_object() {
        for (name, value) in params {
            algorithm = algorithm.with(name, value.as_u64().expect(name)).expect(name);
        }
    }
    algorithm
}

#[test]
fn every_file_on_every_back_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the vectors") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let file: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        for group in file["testGroups"].as_array().expect("groups") {
            let algorithm = algorithm(&file, group);
            for test in group["tests"].as_array().expect("tests") {
                for backend in Backend::available() {
                    check(&algorithm, group, test, backend);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 3000, "only {count} tests were found");
}

fn check(algorithm: &Algorithm, group: &Value, test: &Value, backend: Backend) {
    let (key, nonce) = (bytes(test, "key"), bytes(test, "iv"));
    let (message, tag) = (bytes(test, "msg"), bytes(test, "tag"));
    let valid = test["result"] == "valid";
    let name = format!("{algorithm} on {} test {}", backend.name(), test["tcId"]);
    if group["type"] == "MacTest" {
        let mac = mac_on(algorithm, &key, backend).expect(&name);
        if valid {
            assert_eq!(mac.mac(&nonce, &message), Ok(tag.clone()), "{name}");
        }
        assert_eq!(mac.verify(&nonce, &message, &tag).is_ok(), valid, "{name}");
    } else {
        let (ad, mut sealed) = (bytes(test, "aad"), bytes(test, "ct"));
        sealed.extend_from_slice(&tag);
        let aead = aead_on(algorithm, &key, backend).expect(&name);
        let opened = aead.open(&nonce, &ad, &sealed);
        if valid {
            assert_eq!(aead.seal(&nonce, &ad, &message), Ok(sealed), "{name}");
            assert_eq!(opened, Ok(message), "{name}");
        } else {
            assert!(opened.is_err(), "{name}");
        }
    }
}
