//! XAES and KC-XAES on the FIPS module: the published vectors, and `gcm` on the other side.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce};
use polyseal::fips::{self, KcXaes256Gcm, Sealed, Xaes};
use polyseal::gcm;
use polyseal::{Error, Result};
use serde_json::Value;

use common::bytes;

const LENGTHS: [usize; 12] = [0, 1, 15, 16, 17, 31, 33, 255, 256, 257, 1023, (64 << 10) + 3];

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("its length")
}

fn on_module<const TAG: usize>(key: &[u8]) -> Xaes<TAG> {
    Xaes::new(&array(key)).expect("the module")
}

fn fast<C: KeyInit>(key: &[u8]) -> C {
    C::new(&Key::<C>::try_from(key).expect("32 bytes"))
}

#[test]
fn the_module_is_in_its_fips_mode() {
    assert!(fips::is_fips_module());
}

#[test]
fn published_vectors() {
    // KC-XAES has nonces of 20 to 24 bytes, and 24 is all that the module can be used for.
    vectors::<16>("xaes-256-gcm", 138);
    vectors::<48>("kc-xaes-256-gcm", 159);
}

fn vectors<const TAG: usize>(id: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../vectors/{id}.json"));
    let file: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    let groups = file["testGroups"].as_array().expect("groups");
    let mut count = 0;
    for group in groups.iter().filter(|g| g["ivSize"] == 192) {
        for test in group["tests"].as_array().expect("tests") {
            let field = |name| hex::decode(test[name].as_str().expect(name)).expect(name);
            let sealed = [field("ct"), field("tag")].concat();
            let cipher = on_module::<TAG>(&field("key"));
            let opened = cipher.open(&array(&field("iv")), &field("aad"), &sealed);
            let expected = match test["result"].as_str() {
                Some("valid") => Ok(field("msg")),
                _ => Err(Error::Unauthentic),
            };
            assert_eq!(opened, expected, "{id}, test {}", test["tcId"]);
            count += 1;
        }
    }
    assert!(count >= at_least, "{id}: only {count} tests were found");
}

#[test]
fn each_opens_what_the_other_seals() {
    each_opens_what_the_other_seals_of::<16, gcm::Xaes256Gcm>();
    each_opens_what_the_other_seals_of::<48, gcm::KcXaes256Gcm>();
}

fn each_opens_what_the_other_seals_of<const TAG: usize, C: KeyInit + AeadInOut>() {
    for (seed, length) in (1..).zip(LENGTHS) {
        let (key, message) = (bytes(seed, 32), bytes(seed, length));
        let ad = bytes(seed + 100, LENGTHS[LENGTHS.len() - seed as usize]);
        let (module, gcm) = (on_module::<TAG>(&key), fast::<C>(&key));

        let Sealed { nonce, mut sealed } = module.seal(&ad, &message).expect("sealing");
        assert_eq!(sealed.len(), length + TAG);
        let nonce = Nonce::<C>::try_from(&nonce[..]).expect("24 bytes");
        gcm.decrypt_in_place(&nonce, &ad, &mut sealed).expect("opening what the module sealed");
        assert_eq!(sealed, message, "{length} bytes");

        let nonce = Nonce::<C>::try_from(&bytes(seed, 24)[..]).expect("24 bytes");
        let mut sealed = message.clone();
        gcm.encrypt_in_place(&nonce, &ad, &mut sealed).expect("sealing");
        assert_eq!(module.open(&array(&nonce), &ad, &sealed), Ok(message), "{length} bytes");
    }
}

#[test]
fn in_place_is_the_same() {
    in_place_is_the_same_of::<16>();
    in_place_is_the_same_of::<48>();
}

fn in_place_is_the_same_of<const TAG: usize>() {
    for length in LENGTHS {
        let (cipher, message) = (on_module::<TAG>(&bytes(1, 32)), bytes(2, length));
        let mut buffer = message.clone();
        let (nonce, tag) = cipher.seal_in_place(b"ad", &mut buffer).expect("sealing");
        buffer.extend_from_slice(&tag);
        assert_eq!(cipher.open(&nonce, b"ad", &buffer).as_ref(), Ok(&message));
        assert_eq!(cipher.open_in_place(&nonce, b"ad", &mut buffer), Ok(&mut message.clone()[..]));
    }
}

#[test]
fn every_altered_byte_is_refused_and_nothing_is_left() {
    every_altered_byte_is_refused_of::<16>();
    every_altered_byte_is_refused_of::<48>();
}

fn every_altered_byte_is_refused_of<const TAG: usize>() {
    let (key, ad, message) = (bytes(3, 32), bytes(4, 19), bytes(5, 37));
    let Sealed { nonce, sealed } = on_module::<TAG>(&key).seal(&ad, &message).expect("sealing");
    let open = |key: &[u8], nonce: &[u8], ad: &[u8], sealed: &[u8]| {
        let mut buffer = sealed.to_vec();
        let opened =
            on_module::<TAG>(key).open_in_place(&array(nonce), ad, &mut buffer).map(|m| m.to_vec());
        assert!(opened.is_ok() || buffer.iter().all(|&b| b == 0), "something was released");
        opened
    };
    let honest = [&key[..], &nonce, &ad, &sealed];
    let run = |parts: [&[u8]; 4]| open(parts[0], parts[1], parts[2], parts[3]);
    assert_eq!(run(honest), Ok(message));
    for part in 0..honest.len() {
        for at in 0..honest[part].len() {
            let mut altered = honest[part].to_vec();
            altered[at] ^= 1 << (at % 8);
            let mut parts = honest;
            parts[part] = &altered;
            assert_eq!(run(parts), Err(Error::Unauthentic), "part {part}, byte {at}");
        }
    }
}

/// T is right, and the commitment is another key's: only the comparison of K_C can refuse it.
#[test]
fn the_commitment_alone_refuses() {
    let (key, nonce) = (bytes(6, 32), bytes(7, 24));
    let seal = |key: &[u8]| {
        let mut sealed = b"message".to_vec();
        let nonce = Nonce::<gcm::KcXaes256Gcm>::try_from(&nonce[..]).expect("24 bytes");
        fast::<gcm::KcXaes256Gcm>(key).encrypt_in_place(&nonce, b"", &mut sealed).expect("sealing");
        sealed
    };
    let (mut sealed, other) = (seal(&key), seal(&bytes(8, 32)));
    let k_c = 7 + 16;
    sealed[k_c..].copy_from_slice(&other[k_c..]);
    let opened = on_module::<48>(&key).open(&array(&nonce), b"", &sealed);
    assert_eq!(opened, Err(Error::Unauthentic));
    assert!(on_module::<16>(&key).open(&array(&nonce), b"", &sealed[..k_c]).is_ok());
}

#[test]
fn what_is_shorter_than_a_tag_is_no_message() {
    fn refused<const TAG: usize>() {
        let cipher = on_module::<TAG>(&bytes(9, 32));
        for actual in 0..TAG {
            let opened: Result<Vec<u8>> = cipher.open(&[0; 24], b"", &vec![0; actual]);
            assert_eq!(opened, Err(Error::Buffer { expected: TAG, actual }));
        }
    }
    refused::<16>();
    refused::<48>();
}

/// U comes from one call of the generator and V from another: neither half repeats.
#[test]
fn every_message_has_its_own_nonce() {
    let cipher = KcXaes256Gcm::new(&[7; 32]).expect("the module");
    let (mut heads, mut tails) = (HashSet::new(), HashSet::new());
    for _ in 0..1000 {
        let nonce = cipher.seal(b"", b"").expect("sealing").nonce;
        heads.insert(array::<12>(&nonce[..12]));
        tails.insert(array::<12>(&nonce[12..]));
    }
    assert_eq!((heads.len(), tails.len()), (1000, 1000));
}

#[test]
fn the_key_is_not_shown() {
    let shown = format!("{:?}", KcXaes256Gcm::new(&[7; 32]).expect("the module"));
    assert_eq!(shown, "Xaes { .. }");
}
