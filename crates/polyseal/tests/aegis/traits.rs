//! The RustCrypto traits, used as a stranger would who knows `aead` and not this crate.

use aead::{Aead, AeadCore, AeadInOut, KeyInit, KeySizeUser, Nonce, Payload, Tag, TagPosition};
use polyseal::aead;
use polyseal::aegis::{
    Aegis128L, Aegis128LTag32, Aegis128X2, Aegis128X4Tag32, Aegis256, Aegis256X2Tag32, Aegis256X4,
    Aegis256X4Tag32,
};
use polyseal::any::AnyAead;
use polyseal::registry::Algorithm;

use super::array;
use crate::common::bytes;

use aead::array::typenum::Unsigned;

/// `C` through the traits is the registry's `name`.
fn is<C: Aead + AeadInOut + KeyInit + AeadCore>(name: &str) {
    let algorithm: Algorithm = name.parse().expect(name);
    assert_eq!(C::key_size(), algorithm.key_bytes(), "{name}");
    assert_eq!(C::NonceSize::USIZE, algorithm.nonce_bytes(), "{name}");
    assert_eq!(C::TagSize::USIZE, algorithm.tag_bytes(), "{name}");
    assert!(matches!(C::TAG_POSITION, TagPosition::Postfix), "{name}");

    let key = array::<C>(1);
    let nonce = Nonce::<C>::try_from(&bytes(2, algorithm.nonce_bytes())[..]).expect(name);
    let (ad, message) = (bytes(3, 21), bytes(4, 333));
    let cipher = C::new(&key);
    let payload = || Payload { msg: &message, aad: &ad };

    // Into a vector.
    let sealed = cipher.encrypt(&nonce, payload()).expect(name);
    let by_name = AnyAead::new(&algorithm, &key).expect(name);
    assert_eq!(Ok(&sealed), by_name.seal(&nonce, &ad, &message).as_ref(), "{name}");
    let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: &ad }).expect(name);
    assert_eq!(opened, message, "{name}");
    assert!(cipher.decrypt(&nonce, &sealed[..]).is_err(), "{name}: other AD");
    let too_short = &sealed[..algorithm.tag_bytes() - 1];
    assert!(cipher.decrypt(&nonce, too_short).is_err(), "{name}: shorter than a tag");

    // In a growing buffer.
    let mut buffer = message.clone();
    cipher.encrypt_in_place(&nonce, &ad, &mut buffer).expect(name);
    assert_eq!(buffer, sealed, "{name}: in place");
    cipher.decrypt_in_place(&nonce, &ad, &mut buffer).expect(name);
    assert_eq!(buffer, message, "{name}: in place");

    // Detached.
    let mut buffer = message.clone();
    let tag = cipher.encrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into()).expect(name);
    assert_eq!([&buffer[..], &tag].concat(), sealed, "{name}: detached");
    let mut wrong: Tag<C> = tag.clone();
    wrong[0] ^= 1;
    let mut forged = buffer.clone();
    let refused = cipher.decrypt_inout_detached(&nonce, &ad, forged.as_mut_slice().into(), &wrong);
    assert_eq!((refused, forged), (Err(aead::Error), vec![0; 333]), "{name}: a wrong tag");
    cipher.decrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into(), &tag).expect(name);
    assert_eq!(buffer, message, "{name}: detached");

    // Keys of a wrong length are refused, not cut.
    assert!(C::new_from_slice(&key[1..]).is_err(), "{name}");
    assert!(C::new_from_slice(&key).is_ok(), "{name}");
}

#[test]
fn types_are_the_registrys_algorithms() {
    is::<Aegis128L>("aegis-128l");
    is::<Aegis128LTag32>("aegis-128l:tag=32");
    is::<Aegis128X2>("aegis-128x2");
    is::<Aegis128X4Tag32>("aegis-128x4:tag=32");
    is::<Aegis256>("aegis-256");
    is::<Aegis256X2Tag32>("aegis-256x2:tag=32");
    is::<Aegis256X4>("aegis-256x4");
}

/// Nothing secret is printed.
#[test]
fn debug_tells_nothing() {
    let cipher = Aegis128L::new(&[0x42; 16].into());
    let encryptor = cipher.encryptor(&[0x42; 16].into(), b"").expect("an encryptor");
    let mut buffer = [0; 16];
    let decryptor = cipher.decryptor(&[0x42; 16].into(), b"", &mut buffer).expect("a decryptor");
    for (debug, expected) in [
        (format!("{cipher:?}"), "Aegis { .. }"),
        (format!("{encryptor:?}"), "Encryptor { .. }"),
        (format!("{decryptor:?}"), "Decryptor { .. }"),
    ] {
        assert_eq!(debug, expected);
    }
}

/// A cipher may be shared between threads, moved and cloned.
#[test]
fn ciphers_can_be_shared() {
    fn shared<T: Send + Sync + Clone + KeySizeUser>() -> usize {
        T::key_size()
    }
    assert_eq!((shared::<Aegis128L>(), shared::<Aegis256X4Tag32>()), (16, 32));
}
