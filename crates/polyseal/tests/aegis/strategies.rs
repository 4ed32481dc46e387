//! The result depends neither on the back end nor on the strategy, at any degree from 1 to 16: side
//! by side, lane after lane and the measured choice give what the portable back end gives.

use aead::consts::{U16, U32};
use aead::{AeadInOut, KeyInit};
use polyseal::aead;
use polyseal::aegis::{Aegis, TagBytes, V1, Variant, X128, X256};
use polyseal::testing::{Backend, Strategy};

use crate::array;
use crate::common::{bytes, soft};

const STRATEGIES: [Strategy; 3] = [Strategy::Auto, Strategy::Wide, Strategy::LaneByLane];

/// Seals and opens with tags of `T` bytes wherever the CPU can; `rate` is the variant's.
fn agree<V: Variant, T: TagBytes>(rate: usize) {
    let (key, nonce) = (array::<Aegis<V, T>>(1), array::<Aegis<V, T>>(2));
    // Beyond 8 KiB, lane after lane runs in stretches.
    for bytes_of_message in [0, 1, 17, rate - 1, rate, rate + 1, 3 * rate + 7, 20_011] {
        for bytes_of_ad in [0, rate + 9] {
            let (ad, message) = (bytes(3, bytes_of_ad), bytes(4, bytes_of_message));
            let meaning = Aegis::<V, T>::with_backend(&key, soft());
            let mut ciphertext = message.clone();
            let tag = meaning
                .encrypt_inout_detached(&nonce, &ad, ciphertext.as_mut_slice().into())
                .expect("sealing");
            for backend in Backend::available() {
                for strategy in STRATEGIES {
                    let name = format!(
                        "{}, rate {rate}, {} {strategy:?}, {bytes_of_message} bytes",
                        core::any::type_name::<V>(),
                        backend.name()
                    );
                    let cipher = Aegis::<V, T>::with_backend(&key, backend).with_strategy(strategy);
                    let mut buffer = message.clone();
                    let got = cipher
                        .encrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into())
                        .expect(&name);
                    assert_eq!((&buffer, got), (&ciphertext, tag.clone()), "{name}");
                    cipher
                        .decrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into(), &tag)
                        .expect(&name);
                    assert_eq!(buffer, message, "{name}");
                }
            }
        }
    }
}

fn both_tags<V: Variant>(rate: usize) {
    agree::<V, U16>(rate);
    agree::<V, U32>(rate);
}

macro_rules! degrees {
    ($state:ident, $blocks:literal, $($name:ident: $degree:literal),+) => {$(
        #[test]
        fn $name() {
            both_tags::<$state<$degree>>(16 * $blocks * $degree);
        }
    )+};
}

degrees! {
    X128, 2,
    x128_1: 1, x128_2: 2, x128_3: 3, x128_4: 4, x128_5: 5, x128_6: 6, x128_7: 7, x128_8: 8,
    x128_9: 9, x128_10: 10, x128_11: 11, x128_12: 12, x128_13: 13, x128_14: 14, x128_15: 15,
    x128_16: 16
}

// Lanes are dealt out by what both states share, so not every degree has to be compiled twice.
degrees! { X256, 1, x256_1: 1, x256_2: 2, x256_3: 3, x256_4: 4, x256_6: 6, x256_8: 8, x256_16: 16 }

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
