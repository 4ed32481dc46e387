//! KC-XAES where the nonce is not sent: one key, two nonces, one ciphertext.

use std::f64::consts::PI;

use polyseal::Error;
use polyseal::aead::KeyInit;
use polyseal::any::AnyAead;
use polyseal::gcm::{Aes256, Cmac};

use super::support::letters::LETTERS;
use super::support::nonces::{bound, k_c, same_commitment};
use super::support::schemes::algorithm;
use super::support::two_nonces::{KEY, attack};

fn open_to_two_letters(name: &str, nonces: &[Vec<u8>; 2]) {
    assert_ne!(nonces[0], nonces[1]);
    assert_eq!(attack(name, nonces), LETTERS.map(|letter| Ok(letter.to_owned())), "{name}");
}

#[test]
fn two_nonces_of_kc_xaes_open_one_ciphertext() {
    for nonce_bytes in [24, 23] {
        let name = format!("kc-xaes-256-gcm:nonce={nonce_bytes}");
        open_to_two_letters(&name, &same_commitment(&KEY, nonce_bytes).nonces);
    }
}

/// Where the whole nonce is hashed, such a pair is worth nothing.
#[test]
fn hashes_do_not_collide_so() {
    let [first, second] = attack("h-kc-aes-256-gcm", &same_commitment(&KEY, 24).nonces);
    assert_eq!(first.as_deref(), Ok(LETTERS[0]));
    assert_eq!(second, Err(Error::Unauthentic));
}

/// The commitment of DNDK's version 2 depends on 15 bytes of the nonce, but so does the derived
/// key: GCM under one key has no tag for two nonces, because AES masks them with different blocks.
#[test]
fn one_head_of_dndk_is_one_commitment_but_not_one_tag() {
    let name = "dndk-gcm:version=2,kc=1";
    let nonces = [4, 5].map(|tail| [[3; 15].as_slice(), &[tail; 9]].concat());
    let aead = AnyAead::new(&algorithm(name), &KEY).expect("a key");
    let [one, other] = nonces.each_ref().map(|nonce| aead.seal(nonce, b"", b"").expect("sealed"));
    assert_eq!(one[16..], other[16..], "K_C");
    assert_ne!(one[..16], other[..16], "T");
    let [first, second] = attack(name, &nonces);
    assert_eq!(first.as_deref(), Ok(LETTERS[0]));
    assert_eq!(second, Err(Error::Unauthentic));
}

/// The pairs of KC-XAES do not work where U is in the second half's last block; and K_C is its own.
#[test]
fn u_in_the_last_block_tells_these_nonces_apart() {
    let prf = Cmac::<Aes256>::new(&KEY.into());
    let nonces = same_commitment(&KEY, 24).nonces.map(|nonce| nonce.try_into().expect("24 bytes"));
    let [one, other] = nonces.each_ref().map(|nonce| k_c(&prf, nonce));
    assert_eq!(one, other);
    let aead = AnyAead::new(&algorithm("kc-xaes-256-gcm"), &KEY).expect("a key");
    assert_eq!(aead.seal(&nonces[0], b"", b"").expect("sealed")[16..], *one.as_flattened());
    let [one, other] = nonces.each_ref().map(|nonce| bound(&prf, nonce));
    assert_ne!(one, other);
    assert_eq!(one[0], other[0], "the first half is K_C's");
}

/// √(π / 2 · 2^(8 (28 − b))) calls in the mean: 2^16.3 for 24 bytes, 2^20.3 for 23.
#[test]
fn it_costs_a_collision_of_four_bytes_and_one_more_for_each_missing_one() {
    for (nonce_bytes, keys) in [(24, 32), (23, 3)] {
        let algorithm = algorithm(&format!("kc-xaes-256-gcm:nonce={nonce_bytes}"));
        let mut calls = 0;
        for key in (0..keys).map(|key| [key; 32]) {
            let found = same_commitment(&key, nonce_bytes);
            let aead = AnyAead::new(&algorithm, &key).expect("a key");
            let [one, other] = found
                .nonces
                .map(|nonce| aead.seal(&nonce, b"", b"").expect("sealed").split_off(16));
            assert_eq!(one, other, "another commitment");
            calls += found.calls;
        }
        let expected = (PI / 2.0).sqrt() * (4.0 * (28 - nonce_bytes) as f64).exp2();
        let ratio = calls as f64 / f64::from(keys) / expected;
        assert!((0.6..1.6).contains(&ratio), "{nonce_bytes} bytes: {ratio:.2} of what is expected");
    }
}
