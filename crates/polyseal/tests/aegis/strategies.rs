//! The result depends neither on the back end nor on the strategy: side by side, lane after lane
//! and the measured choice give what the portable back end gives.

use aead::consts::{U16, U32};
use aead::{AeadInOut, KeyInit};
use polyseal::aead;
use polyseal::aegis::{Aegis, TagBytes, V1, Variant, X128, X256};
use polyseal::testing::{Backend, LANE_BY_LANE, WIDE};

use super::array;
use crate::common::{bytes, soft};

/// Seals and opens wherever the CPU can, by every strategy; `rate` is the variant's. A tag's length
/// is no part of a strategy: vectors have both.
fn agree<V: Variant, T: TagBytes>(rate: usize) {
    let (key, nonce) = (array::<Aegis<V, T>>(1), array::<Aegis<V, T>>(2));
    let meaning = Aegis::<V, T>::with_backend(&key, soft());
    // Beyond 8 KiB, lane after lane runs in stretches.
    for bytes_of_message in [0, 1, 17, rate - 1, rate, rate + 1, 3 * rate + 7, 20_011] {
        for bytes_of_ad in [0, rate + 9] {
            let (ad, message) = (bytes(3, bytes_of_ad), bytes(4, bytes_of_message));
            let mut ciphertext = message.clone();
            let tag = meaning
                .encrypt_inout_detached(&nonce, &ad, ciphertext.as_mut_slice().into())
                .expect("sealing");
            for backend in Backend::available() {
                let cipher = Aegis::<V, T>::with_backend(&key, backend);
                let name = |strategy| {
                    let variant = core::any::type_name::<V>();
                    format!("{variant} on {}, {strategy}, {bytes_of_message} bytes", backend.name())
                };
                let mut buffer = message.clone();
                let got = cipher
                    .encrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into())
                    .expect("sealing");
                assert_eq!((&buffer, got), (&ciphertext, tag.clone()), "{}", name("measured"));
                cipher
                    .decrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into(), &tag)
                    .expect("opening");
                assert_eq!(buffer, message, "{}", name("measured"));

                let got = cipher.seal_by::<WIDE>(&nonce, &ad, buffer.as_mut_slice().into());
                assert_eq!((&buffer, got), (&ciphertext, tag.clone()), "{}", name("wide"));
                let got = cipher.decrypt_by::<WIDE>(&nonce, &ad, buffer.as_mut_slice().into());
                assert_eq!((&buffer, got), (&message, tag.clone()), "{}", name("wide"));

                let got = cipher.seal_by::<LANE_BY_LANE>(&nonce, &ad, buffer.as_mut_slice().into());
                assert_eq!((&buffer, got), (&ciphertext, tag.clone()), "{}", name("by lane"));
                let got =
                    cipher.decrypt_by::<LANE_BY_LANE>(&nonce, &ad, buffer.as_mut_slice().into());
                assert_eq!((&buffer, got), (&message, tag.clone()), "{}", name("by lane"));
            }
        }
    }
}

macro_rules! degrees {
    ($($name:ident: $variant:ty, $tag:ty, $rate:expr;)+) => {$(
        #[test]
        fn $name() {
            agree::<$variant, $tag>($rate);
        }
    )+};
}

// Wider than a register on some back end, and narrower on another; 8 fills the widest twice. An
// algorithm with one lane, or a degree that cannot be divided, is evaluated in one way, which the
// vectors of its name test, and the division of every degree into lanes is a unit test beside the
// engine.
degrees! {
    x128_2: X128<2>, U16, 64;
    x128_4: X128<4>, U32, 128;
    x128_8: X128<8, V1>, U16, 256;
    x256_4: X256<4>, U32, 64;
}

/// The two specifications are one algorithm at degree 1 and two above.
#[test]
fn the_specifications_part_above_degree_1() {
    fn seal<V: Variant>() -> (Vec<u8>, Vec<u8>) {
        let mut buffer = bytes(4, 100);
        let cipher = Aegis::<V, U32>::new(&array::<Aegis<V, U32>>(1));
        let nonce = array::<Aegis<V, U32>>(2);
        let tag = cipher
            .encrypt_inout_detached(&nonce, b"ad", buffer.as_mut_slice().into())
            .expect("sealing");
        (buffer, tag.to_vec())
    }
    assert_eq!(seal::<X128<1>>(), seal::<X128<1, V1>>());
    assert_eq!(seal::<X256<1>>(), seal::<X256<1, V1>>());
    assert_ne!(seal::<X128<2>>().0, seal::<X128<2, V1>>().0);
    assert_ne!(seal::<X256<2>>().0, seal::<X256<2, V1>>().0);
}

/// Version 1.0's lanes do not know the degree, so two degrees share key stream, block by block:
/// why the degree is part of an algorithm's identity, and a key belongs to one algorithm.
#[test]
fn a_lane_of_version_1_does_not_know_the_degree() {
    fn key_stream<V: Variant>() -> Vec<u8> {
        let mut buffer = vec![0; 16];
        let cipher = Aegis::<V, U16>::new(&array::<Aegis<V, U16>>(1));
        let nonce = array::<Aegis<V, U16>>(2);
        cipher.encrypt_inout_detached(&nonce, b"", buffer.as_mut_slice().into()).expect("sealing");
        buffer
    }
    assert_eq!(key_stream::<X128<2, V1>>(), key_stream::<X128<4, V1>>());
    assert_eq!(key_stream::<X256<2, V1>>(), key_stream::<X256<4, V1>>());
    assert_ne!(key_stream::<X128<2>>(), key_stream::<X128<4>>());
    assert_ne!(key_stream::<X256<2>>(), key_stream::<X256<4>>());
}
