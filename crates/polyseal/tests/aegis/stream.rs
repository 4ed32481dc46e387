//! The key stream is the encryption of zeros, on every back end, and a prefix of itself.

use aead::AeadInOut;
use aead::consts::U16;
use aead::inout::InOutBuf;
use polyseal::aead;
use polyseal::aegis::{Aegis, AegisStream, Variant, X128, X256};
use polyseal::testing::Backend;

use super::array;
use crate::common::{bytes, soft};

fn is_the_encryption_of_zeros<V: Variant>(rate: usize) {
    let (key, nonce) = (array::<AegisStream<V>>(1), array::<AegisStream<V>>(2));
    let long = 0x4003;
    let mut expected = vec![0; long];
    Aegis::<V, U16>::with_backend(&key, soft())
        .encrypt_inout_detached(&nonce, b"", expected.as_mut_slice().into())
        .expect("sealing");
    for backend in Backend::available() {
        let stream = AegisStream::<V>::with_backend(&key, backend);
        for length in [0, 1, 16, rate - 1, rate, rate + 1, 2 * rate + 3, long] {
            let name = format!("{} on {}", core::any::type_name::<V>(), backend.name());
            let mut output = bytes(5, length);
            stream.generate(&nonce, &mut output).expect(&name);
            assert_eq!(output, expected[..length], "{name}, {length} bytes");

            // Twice over a message gives it back, in place and out of place.
            let message = bytes(6, length);
            let mut once = bytes(7, length);
            let buffer = InOutBuf::new(&message, &mut once).expect("equal lengths");
            stream.apply(&nonce, buffer).expect(&name);
            let xored: Vec<u8> = message.iter().zip(&expected).map(|(m, z)| m ^ z).collect();
            assert_eq!(once, xored, "{name}, {length} bytes");
            stream.apply(&nonce, once.as_mut_slice().into()).expect(&name);
            assert_eq!(once, message, "{name}, {length} bytes");
        }
    }
}

#[test]
fn the_128_family() {
    is_the_encryption_of_zeros::<X128<1>>(32);
    is_the_encryption_of_zeros::<X128<2>>(64);
    is_the_encryption_of_zeros::<X128<4>>(128);
}

#[test]
fn the_256_family() {
    is_the_encryption_of_zeros::<X256<1>>(16);
    is_the_encryption_of_zeros::<X256<2>>(32);
    is_the_encryption_of_zeros::<X256<4>>(64);
}
