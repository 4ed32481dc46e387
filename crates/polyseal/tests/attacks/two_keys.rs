//! One ciphertext, two keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use polyseal::Error;
use polyseal::registry::{Algorithm, Level, families};
use polyseal::testing::{Backend, aead_on};
use serde_json::Value;

use super::support::field::{inverse, multiply, square, square_root};
use super::support::letters::{LETTERS, body, read};
use super::support::schemes::{COMMITTING, OPEN, algorithm};
use super::support::two_keys::attack;

#[test]
fn gcm_opens_to_two_letters() {
    for name in OPEN {
        assert_eq!(attack(name).letters, LETTERS.map(|letter| Ok(letter.to_owned())), "{name}");
    }
}

/// T is right and the letter is there: without the commitment, the second key would open it.
#[test]
fn a_commitment_refuses_the_second_key() {
    for name in COMMITTING {
        let outcome = attack(name);
        assert_eq!(outcome.within, LETTERS, "{name}");
        let [first, second] = outcome.letters;
        assert_eq!(first.as_deref(), Ok(LETTERS[0]), "{name}");
        assert_eq!(second, Err(Error::Unauthentic), "{name}");
    }
}

/// The registry claims the commitments that the attack leaves.
#[test]
fn the_registry_claims_a_commitment_where_there_is_one() {
    let level = |name| algorithm(name).commitment().map_or(Level::None, |claim| claim.level);
    for name in OPEN {
        assert_eq!(level(name), Level::None, "{name}");
    }
    for name in COMMITTING {
        assert_ne!(level(name), Level::None, "{name}");
    }
    let named = OPEN.iter().chain(&COMMITTING).map(|name| algorithm(name).family().identity.id);
    // The reference attacks it, by other equations.
    let tried: BTreeSet<_> = named.chain(["aes-256-gcm-siv"]).collect();
    assert_eq!(level("aes-256-gcm-siv"), Level::None);
    for family in families().iter().filter(|family| family.identity.id.contains("gcm")) {
        assert!(tried.contains(family.identity.id), "{} has not been attacked", family.identity.id);
    }
}

fn collisions() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/attacks/gcm-collisions.json");
    let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    let collisions = file["collisions"].as_array().expect("collisions").clone();
    assert_eq!(file["numberOfCollisions"].as_u64(), Some(collisions.len() as u64));
    collisions
}

/// The reference's collisions, on every back end.
#[test]
fn the_references_collisions() {
    let collisions = collisions();
    assert_eq!(collisions.len(), 20);
    assert_eq!(collisions[19]["algorithm"], "aes-256-gcm-siv");
    for collision in &collisions {
        let bytes = |field: &str| {
            hex::decode(collision[field].as_str().expect("text")).expect("hex digits")
        };
        let mut algorithm: Algorithm = algorithm(collision["algorithm"].as_str().expect("text"));
        for (name, value) in collision["params"].as_object().into_iter().flatten() {
            let value = value.as_u64().or(value.as_bool().map(u64::from)).expect("a value");
            algorithm = algorithm.with(name, value).expect("a parameter");
        }
        let (nonce, ad) = (bytes("nonce"), bytes("aad"));
        let sealed = [bytes("ct"), bytes("tag")].concat();
        for backend in Backend::available() {
            let open = |key: &str| {
                let aead = aead_on(&algorithm, &bytes(key), backend).expect("a key");
                aead.open(&nonce, &ad, &sealed)
            };
            let name = format!("{algorithm} on {}", backend.name());
            let second = match collision["opensUnderKey2"].as_bool().expect("a verdict") {
                true => Ok(bytes("msg2")),
                false => Err(Error::Unauthentic),
            };
            assert_eq!(open("key1"), Ok(bytes("msg1")), "{name}");
            assert_eq!(open("key2"), second, "{name}");
        }
    }
}

#[test]
fn the_format_ignores_what_is_around_the_letter() {
    let [one, other] = LETTERS;
    assert_eq!(read(body(one).as_bytes()), Some(one));
    assert_eq!(read(&[&[0xff; 99], body(other).as_bytes(), &[0xfe; 9]].concat()), Some(other));
    assert_eq!(read(&body(one).as_bytes()[1..]), None);
    assert_eq!(read(&[0xff; 99]), None);
}

#[test]
fn the_field() {
    let one = 1 << 127;
    for x in (1..20_u32).map(|i| 0x0123_4567_89ab_cdef_0246_8ace_1357_9bdf_u128.rotate_left(i)) {
        assert_eq!(multiply(x, one), x);
        assert_eq!(multiply(x, inverse(x)), one);
        assert_eq!(square_root(square(x)), x);
    }
}
