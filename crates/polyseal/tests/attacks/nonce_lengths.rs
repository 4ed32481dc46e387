//! Nonces of 20 and of 24 bytes with the same U and V.

use polyseal::Error;
use polyseal::aead::array::Array;
use polyseal::aead::consts::{U20, U24};
use polyseal::any::AnyAead;

use super::support::nonce_lengths::{KEY, nonces, open, seal};
use super::support::schemes::algorithm;

#[test]
fn only_the_commitment_differs() {
    let (short, long) = nonces();
    for length in [0, 1, 16, 33, 100] {
        let message = vec![5; length];
        let (one, other) = (seal(&short, &message), seal(&long, &message));
        assert_eq!(one[..length + 16], other[..length + 16], "C and T");
        assert_ne!(one[length + 16..length + 32], other[length + 16..length + 32], "K_C's first");
        assert_ne!(one[length + 32..], other[length + 32..], "K_C's second block");
    }
}

/// The loss under a key that takes both: here it takes two types.
#[test]
fn two_lengths_repeat_the_key_stream() {
    let (short, long) = nonces();
    let (one, other) = (b"Meet me at noon.", b"Do not trust him");
    let (c, d) = (seal(&short, one), seal(&long, other));
    for i in 0..16 {
        assert_eq!(c[i] ^ d[i], one[i] ^ other[i]);
    }
}

#[test]
fn one_length_does_not_open_as_the_other() {
    let (short, long) = nonces();
    let message = b"the same C and T";
    assert_eq!(open(&short, &seal(&short, message)).expect("its own"), message);
    assert_eq!(open(&long, &seal(&long, message)).expect("its own"), message);
    assert!(open(&long, &seal(&short, message)).is_err());
    assert!(open(&short, &seal(&long, message)).is_err());
}

#[test]
fn a_nonce_of_another_length_is_refused() {
    let (short, long) = nonces();
    let both = [short.as_slice(), long.as_slice()];
    assert!(Array::<u8, U24>::try_from(both[0]).is_err());
    assert!(Array::<u8, U20>::try_from(both[1]).is_err());
    for (expected, actual) in [(20, 24), (24, 20)] {
        let algorithm = algorithm(&format!("kc-xaes-256-gcm:nonce={expected}"));
        let aead = AnyAead::new(&algorithm, &KEY).expect("a key");
        for nonce in both.iter().filter(|nonce| nonce.len() == actual) {
            let refused = Error::Length { what: "nonce", expected, actual };
            assert_eq!(aead.seal(nonce, b"", b"message"), Err(refused));
            assert_eq!(aead.open(nonce, b"", &[0; 55]), Err(refused));
        }
    }
}
