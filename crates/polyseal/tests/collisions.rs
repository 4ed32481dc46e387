//! AEGIS does not commit to its key when the adversary chooses the associated data: two keys, two
//! AD, one ciphertext and tag, and both open it.
//!
//! This is the algorithm, not a defect of the code: an implementation that refused any of these
//! would not be AEGIS. It is why the registry claims a commitment only for fixed associated data,
//! and why what needs one uses something else on top.

use std::fs;
use std::path::Path;

use polyseal::registry::{Algorithm, Kind, Level, families};
use polyseal::testing::{Backend, aead_on};
use serde_json::Value;

fn collisions() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/attacks/aegis-collisions.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    file["collisions"].as_array().expect("collisions").clone()
}

#[test]
fn two_keys_open_one_ciphertext() {
    let collisions = collisions();
    assert_eq!(collisions.len(), 8, "six variants of the draft and two of version 1.0");
    for collision in &collisions {
        let text = |field: &str| collision[field].as_str().expect("text").to_owned();
        let bytes = |field: &str| hex::decode(text(field)).expect("hex");
        assert_ne!(bytes("key1"), bytes("key2"));
        for tag_field in ["tag128", "tag256"] {
            let (nonce, message, tag) = (bytes("nonce"), bytes("msg"), bytes(tag_field));
            let sealed = [bytes("ct"), tag.clone()].concat();
            let mut algorithm: Algorithm = text("algorithm").parse().expect("an algorithm");
            algorithm = algorithm.with("tag", tag.len() as u64).expect("a tag length");
            if let Some(degree) = collision["params"]["degree"].as_u64() {
                algorithm = algorithm.with("degree", degree).expect("a degree");
            }
            for backend in Backend::available() {
                let name = format!("{algorithm} on {}", backend.name());
                for (key, ad) in [("key1", "ad1"), ("key2", "ad2")] {
                    let aead = aead_on(&algorithm, &bytes(key), backend).expect(&name);
                    let ad = bytes(ad);
                    assert_eq!(aead.seal(&nonce, &ad, &message), Ok(sealed.clone()), "{name}");
                    assert_eq!(aead.open(&nonce, &ad, &sealed), Ok(message.clone()), "{name}");
                }
            }
        }
    }
}

/// The registry claims the commitment that the attack leaves: the key, under fixed AD, with half
/// the tag's bits; nothing for a MAC.
#[test]
fn the_registry_claims_no_more() {
    for family in families().iter().filter(|f| f.identity.id.starts_with("aegis-")) {
        for tag_bytes in family.sizes.tag_bytes.iter() {
            let claim = family.commitment_at(tag_bytes).map(|c| (c.level, c.bits));
            let expected = (family.identity.kind == Kind::Aead)
                .then_some((Level::KeyFixedAd, 4 * tag_bytes as u32));
            assert_eq!(claim, expected, "{} {tag_bytes}", family.identity.id);
        }
    }
    let shown: Vec<_> =
        collisions().iter().map(|c| c["algorithm"].as_str().expect("text").to_owned()).collect();
    for algorithm in crate::common::instances(Kind::Aead) {
        let commits = algorithm
            .commitment()
            .is_some_and(|claim| !matches!(claim.level, Level::None | Level::KeyFixedAd));
        let id = algorithm.family().identity.id;
        assert!(!(commits && shown.iter().any(|s| s == id)), "{id} is shown not to commit");
    }
}
