//! The RustCrypto traits, used as a stranger would who knows `aead` and not this crate.

use aead::array::ArraySize;
use aead::array::typenum::Unsigned;
use aead::{Aead, AeadCore, AeadInOut, KeyInit, KeySizeUser, Payload, Tag, TagPosition};
use polyseal::aead::consts::{U12, U13, U16, U20, U27};
use polyseal::aegis::{Aegis128L, Aegis256X2};
use polyseal::any::AnyAead;
use polyseal::commit::Ctx;
use polyseal::gcm::{
    Aes, Aes128, Aes128Gcm, Aes256, Aes256Gcm, Aes256GcmSiv, Aes256GcmTag12, Cmac, DndkGcmNonce,
    DndkKcGcmNonce, DndkV1Gcm, DndkV1KcGcm, Gcm, HAes256Gcm, HKcAes256Gcm, HkdfCommittedAes256Gcm,
    KcXaes256Gcm, KcXaes256GcmNonce, PaddingFixAes256Gcm, TagBytes, Xaes256Gcm,
};
use polyseal::random_nonce::RandomNonce;
use polyseal::registry::Algorithm;
use polyseal::{Error, aead};

use super::{key, nonce};
use crate::common::bytes;

/// `C` through the traits is the registry's `name`.
fn is<C: Aead + AeadInOut + KeyInit + AeadCore>(name: &str) {
    let algorithm: Algorithm = name.parse().expect(name);
    assert_eq!(C::key_size(), algorithm.key_bytes(), "{name}");
    assert_eq!(C::NonceSize::USIZE, algorithm.nonce_bytes(), "{name}");
    assert_eq!(C::TagSize::USIZE, algorithm.tag_bytes(), "{name}");
    assert!(matches!(C::TAG_POSITION, TagPosition::Postfix), "{name}");

    let (key, nonce) = (key::<C>(1), nonce::<C>(2));
    let cipher = C::new(&key);
    let by_name = AnyAead::new(&algorithm, &key).expect(name);
    // Short messages and long ones may go different ways.
    for (ad_bytes, message_bytes) in [(0, 0), (21, 33), (21, 333), (600, 5)] {
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));

        // Into a vector.
        let payload = Payload { msg: &message, aad: &ad };
        let sealed = cipher.encrypt(&nonce, payload).expect(name);
        assert_eq!(Ok(&sealed), by_name.seal(&nonce, &ad, &message).as_ref(), "{name}");
        let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: &ad }).expect(name);
        assert_eq!(opened, message, "{name}");
        let other = Payload { msg: &sealed, aad: b"other" };
        assert!(cipher.decrypt(&nonce, other).is_err(), "{name}: other AD");
        let too_short = &sealed[..algorithm.tag_bytes() - 1];
        assert!(cipher.decrypt(&nonce, too_short).is_err(), "{name}: shorter than a tag");

        // Detached.
        let mut buffer = message.clone();
        let tag =
            cipher.encrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into()).expect(name);
        assert_eq!([&buffer[..], &tag].concat(), sealed, "{name}: detached");
        for at in [0, C::TagSize::USIZE - 1] {
            let (mut wrong, mut forged): (Tag<C>, _) = (tag.clone(), buffer.clone());
            wrong[at] ^= 1;
            let refused =
                cipher.decrypt_inout_detached(&nonce, &ad, forged.as_mut_slice().into(), &wrong);
            let expected = (Err(aead::Error), vec![0; message_bytes]);
            assert_eq!((refused, forged), expected, "{name}: a wrong tag");
        }
        cipher.decrypt_inout_detached(&nonce, &ad, buffer.as_mut_slice().into(), &tag).expect(name);
        assert_eq!(buffer, message, "{name}: detached");
    }
    // Keys of a wrong length are refused, not cut.
    assert!(C::new_from_slice(&key[1..]).is_err(), "{name}");
    assert!(C::new_from_slice(&key).is_ok(), "{name}");
}

#[test]
fn types_are_the_registrys_algorithms() {
    is::<Aes128Gcm>("aes-128-gcm");
    is::<Gcm<Aes128, U16, U12>>("aes-128-gcm:nonce=16,tag=12");
    is::<Aes256Gcm>("aes-256-gcm");
    is::<Aes256GcmTag12>("aes-256-gcm:tag=12");
    is::<PaddingFixAes256Gcm>("padding-fix-aes-256-gcm");
    is::<Ctx<Aes256Gcm>>("ctx-aes-256-gcm");
}

/// A key used once is as one used often, whatever the sizes; what is refused is wiped.
fn once_is_as_ever<A: Aes, N: ArraySize, T: TagBytes>() {
    let name = format!("{} and {} bytes", N::USIZE, T::USIZE);
    let (key, nonce) = (key::<Gcm<A, N, T>>(1), nonce::<Gcm<A, N, T>>(2));
    let cipher = Gcm::<A, N, T>::new(&key);
    // Short, medium and long ones go different ways.
    for (ad_bytes, message_bytes) in [(0, 0), (21, 33), (64, 64), (65, 64), (3, 700), (1, 5000)] {
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
        let mut buffer = message.clone();
        let tag = Gcm::<A, N, T>::encrypt_once(&key, &nonce, &ad, buffer.as_mut_slice().into())
            .expect(&name);
        let mut often = message.clone();
        let expected =
            cipher.encrypt_inout_detached(&nonce, &ad, often.as_mut_slice().into()).expect(&name);
        assert_eq!((&buffer, tag.as_slice()), (&often, expected.as_slice()), "{name}");

        for at in 0..T::USIZE {
            let (mut wrong, mut forged) = (tag.clone(), buffer.clone());
            wrong[at] ^= 1;
            let output = forged.as_mut_slice().into();
            let refused = Gcm::<A, N, T>::decrypt_once(&key, &nonce, &ad, output, &wrong);
            assert_eq!(refused, Err(Error::Unauthentic), "{name}");
            assert_eq!(forged, vec![0; message_bytes], "{name}: what is refused is wiped");
        }
        let output = buffer.as_mut_slice().into();
        Gcm::<A, N, T>::decrypt_once(&key, &nonce, &ad, output, &tag).expect(&name);
        assert_eq!(buffer, message, "{name}");
    }
}

#[test]
fn a_key_for_one_message_is_as_any_key() {
    once_is_as_ever::<Aes128, U12, U16>();
    once_is_as_ever::<Aes256, U12, U16>();
    once_is_as_ever::<Aes256, U12, U13>();
    once_is_as_ever::<Aes256, U16, U16>();
    once_is_as_ever::<Aes128, U27, U12>();
}

#[test]
fn types_of_derived_keys_are_the_registrys_algorithms() {
    is::<Aes256GcmSiv>("aes-256-gcm-siv");
    is::<Xaes256Gcm>("xaes-256-gcm");
    is::<KcXaes256Gcm>("kc-xaes-256-gcm");
    is::<KcXaes256GcmNonce<U20>>("kc-xaes-256-gcm:nonce=20");
    is::<DndkGcmNonce<U27>>("dndk-gcm:nonce=27");
    is::<DndkKcGcmNonce<U12>>("dndk-gcm:kc=1,nonce=12");
    is::<DndkV1Gcm>("dndk-gcm:version=1");
    is::<DndkV1KcGcm>("dndk-gcm:version=1,kc=1");
    is::<HAes256Gcm>("h-aes-256-gcm");
    is::<HKcAes256Gcm>("h-kc-aes-256-gcm");
    is::<HkdfCommittedAes256Gcm>("hkdf-committed-aes-256-gcm");
}

/// A message that a type seals under a nonce that it draws, the algorithm of that name opens, and
/// the reverse.
#[test]
fn random_nonces_are_the_same_by_type_and_by_name() {
    fn same<C: RandomNonce + KeyInit>(id: &str) {
        let algorithm: Algorithm = id.parse().expect(id);
        let (cipher, key) = (C::new(&key::<C>(1)), key::<C>(1));
        let named = AnyAead::new(&algorithm, &key).expect(id);
        let mut sealed = cipher.seal_random_nonce(b"ad", b"a message").expect(id);
        assert_eq!(named.open_random_nonce(b"ad", &sealed).as_deref(), Ok(&b"a message"[..]));
        let other = named.seal_random_nonce(b"ad", b"another").expect(id);
        assert_eq!(cipher.open_random_nonce(b"ad", &other).as_deref(), Ok(&b"another"[..]));
        assert_ne!(sealed[..16], other[..16]);
        for at in 0..sealed.len() {
            sealed[at] ^= 1;
            assert!(cipher.open_random_nonce(b"ad", &sealed).is_err(), "{id}: byte {at}");
            sealed[at] ^= 1;
            assert!(cipher.open_random_nonce(b"ad", &sealed[..at]).is_err(), "{id}: {at} bytes");
        }
        assert!(cipher.open_random_nonce(b"aD", &sealed).is_err(), "{id}");
    }
    same::<Xaes256Gcm>("xaes-256-gcm");
    same::<KcXaes256Gcm>("kc-xaes-256-gcm");
    same::<KcXaes256GcmNonce<U20>>("kc-xaes-256-gcm:nonce=20");
    same::<DndkGcmNonce<U16>>("dndk-gcm:nonce=16");
    same::<HkdfCommittedAes256Gcm>("hkdf-committed-aes-256-gcm");
    same::<Aegis128L>("aegis-128l");
    same::<Ctx<Aegis256X2>>("ctx-aegis-256x2");
}

/// Nothing secret is printed.
#[test]
fn debug_tells_nothing() {
    type Cipher = KcXaes256Gcm;
    let (cipher, nonce) = (Cipher::new(&[0x42; 32].into()), [0x42; 24].into());
    let cmac = Cmac::<Aes128>::new(&[0x42; 16].into());
    let encryptor = cipher.encryptor(&nonce, b"").expect("an encryptor");
    let mut buffer = [0; 16];
    let decryptor = cipher.decryptor(&nonce, b"", &mut buffer).expect("a decryptor");
    for (debug, expected) in [
        (format!("{:?}", Aes128Gcm::new(&[0x42; 16].into())), "Gcm { .. }"),
        (format!("{cipher:?}"), "NonceDerived { .. }"),
        (format!("{:?}", Ctx::<Aes256Gcm>::new(&[0x42; 32].into())), "Ctx { .. }"),
        (
            format!("{:?}", PaddingFixAes256Gcm::new(&[0x42; 32].into())),
            "PaddingFixAes256Gcm { .. }",
        ),
        (format!("{cmac:?}"), "Cmac { .. }"),
        (format!("{:?}", cmac.start()), "CmacState { .. }"),
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
    let sizes = (shared::<Aes128Gcm>(), shared::<KcXaes256Gcm>(), shared::<Ctx<Aes256Gcm>>());
    assert_eq!(sizes, (16, 32, 32));
    assert_eq!((shared::<Cmac<Aes128>>(), shared::<PaddingFixAes256Gcm>()), (16, 32));
}
