//! Published and generated vectors, every back end.

use std::fs;
use std::path::Path;

use polyseal::aead::KeyInit;
use polyseal::flex::{Builder, ConfigError, NonceForm};
use polyseal::gcm::{Aes, Aes128, Aes256, Cmac};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on, flex_on, mac_on, wide_block_on};
use polyseal::{Error, Result};
use serde_json::Value;

fn bytes(test: &Value, field: &str) -> Vec<u8> {
    hex::decode(test[field].as_str().expect(field)).expect(field)
}

/// The instance that a group of tests is about.
fn algorithm(file: &Value, group: &Value) -> Result<Algorithm> {
    let id = match (file["algorithm"].as_str().expect("algorithm"), &group["keySize"]) {
        ("AEGIS128L", _) => "aegis-128l",
        ("AEGIS256", _) => "aegis-256",
        ("AES-GCM", bits) => &format!("aes-{bits}-gcm"),
        (id, _) => id,
    };
    let mut algorithm: Algorithm = id.parse()?;
    if let Some(params) = group["params"].as_object() {
        for (name, value) in params {
            let value = match value.as_str() {
                Some(text) => algorithm.value_of(name, text)?,
                None => value.as_u64().or(value.as_bool().map(u64::from)).expect(name),
            };
            algorithm = algorithm.with(name, value)?;
        }
    }
    for (name, field) in [("key", "keySize"), ("nonce", "ivSize"), ("tag", "tagSize")] {
        let bits = group[field].as_u64().expect(field);
        if name == "tag" && bits == 0 && algorithm.head_bytes() > 0 {
            // It is in the ciphertext, as is the nonce.
            continue;
        }
        algorithm = algorithm.with(name, bits / 8)?;
    }
    Ok(algorithm)
}

#[test]
fn every_file_on_every_back_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let (mut count, mut skipped) = (0, 0);
    for entry in fs::read_dir(folder).expect("the vectors") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let file: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        for group in file["testGroups"].as_array().expect("groups") {
            let tests = group["tests"].as_array().expect("tests");
            if file["algorithm"] == "AES-CMAC" {
                tests.iter().for_each(check_cmac);
                continue;
            }
            if file["algorithm"] == "flex" {
                for test in tests {
                    Backend::available().for_each(|b| check_flex(&group["params"], test, b));
                }
                count += tests.len();
                continue;
            }
            match algorithm(&file, group) {
                Ok(algorithm) => {
                    for test in tests {
                        Backend::available().for_each(|b| check(&algorithm, group, test, b));
                    }
                    count += tests.len();
                }
                Err(Error::UnknownAlgorithm) => {
                    assert_eq!(group["keySize"], 192, "in {}", path.display());
                    skipped += tests.len();
                }
                // A length that does not exist, a nonce's of 0.
                Err(error) => assert!(tests.iter().all(|t| t["result"] == "invalid"), "{error}"),
            }
        }
    }
    assert!(count > 7000, "only {count} tests were found");
    assert!(skipped < 200, "{skipped} tests are about algorithms that are not there");
}

/// Any configuration with setup associated data. A nonce that is hidden is not told to opening,
/// which has to find it. A configuration that does not commit is a wide-block cipher.
fn check_flex(params: &Value, test: &Value, backend: Backend) {
    let name = format!("flex {} on {} test {}", params["cfg"], backend.name(), test["tcId"]);
    let [key, nonce, ad, message, ciphertext] =
        ["key", "iv", "aad", "msg", "ct"].map(|field| bytes(test, field));
    let (config, setup_ad) = (bytes(params, "cfg"), bytes(params, "setupAd"));
    let config = config.try_into().expect("8 bytes");
    let built = Builder::from_bytes(config).and_then(|builder| builder.allow_64_bits().build());
    let (sealed, opened) = match built {
        Ok(config) => {
            let flex = flex_on(backend, config, &key, &setup_ad).expect(&name);
            let hides = matches!(config.nonce(), NonceForm::Hidden(_));
            let opened = flex.open(if hides { &[] } else { &nonce }, &ad, &ciphertext);
            if hides {
                let told = flex.open(&nonce, &ad, &ciphertext);
                assert_eq!(told.map(|_| ()), Err(Error::Unauthentic), "{name}");
            }
            let opened = opened.map(|opened| (opened.nonce, opened.message));
            (flex.seal(&nonce, &ad, &message), opened)
        }
        Err(ConfigError::NotCommitting) => {
            let cipher = wide_block_on(backend, config, &key, &setup_ad).expect(&name);
            let hides = cipher.config().hidden_bytes() > 0;
            let opened = cipher.decipher(if hides { &[] } else { &nonce }, &ad, &ciphertext);
            (cipher.encipher(&nonce, &ad, &message), opened.map(|o| (o.nonce, o.message)))
        }
        Err(error) => panic!("{name}: {error}"),
    };
    if test["result"] == "valid" {
        assert_eq!(sealed, Ok(ciphertext), "{name}");
        let (recovered, opened) = opened.expect(&name);
        assert_eq!((recovered, &*opened), (nonce, &message), "{name}");
    } else {
        assert_eq!(opened.map(|_| ()), Err(Error::Unauthentic), "{name}");
    }
}

/// Keys of a wrong length are refused; AES-192 is not there.
fn check_cmac(test: &Value) {
    fn mac<A: Aes>(test: &Value) {
        let name = format!("{} test {}", core::any::type_name::<A>(), test["tcId"]);
        for backend in Backend::available() {
            let key = bytes(test, "key");
            let cmac = Cmac::<A>::with_backend(key[..].try_into().expect("a key"), backend);
            let (message, tag) = (bytes(test, "msg"), bytes(test, "tag"));
            let valid = test["result"] == "valid";
            assert_eq!(cmac.mac(&message)[..] == tag[..], valid, "{name}");
            let tag = tag.first_chunk().expect("16 bytes");
            assert_eq!(cmac.verify(&message, tag).is_ok(), valid, "{name}");
        }
    }
    match bytes(test, "key").len() {
        16 => mac::<Aes128>(test),
        32 => mac::<Aes256>(test),
        24 => {}
        _ => {
            assert!(Cmac::<Aes128>::new_from_slice(&bytes(test, "key")).is_err());
            assert!(Cmac::<Aes256>::new_from_slice(&bytes(test, "key")).is_err());
            assert_eq!(test["result"], "invalid");
        }
    }
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
