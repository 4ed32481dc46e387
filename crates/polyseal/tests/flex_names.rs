//! Flex by name is Flex: the same bytes, whichever way it is asked; and what is there by name only.

use polyseal::aead::{self, AeadCore, AeadInOut, KeyInit, KeySizeUser};
use polyseal::any::AnyAead;
use polyseal::flex::{
    Config, Flex, FlexAead, FlexCivPublic, FlexCivPublicNonce, FlexOchPublic, FlexOchTransport,
    FlexRobust, FlexRobustAe, FlexRobustAeNonce, FlexRobustNonce, Preset,
};
use polyseal::random_nonce::RandomNonce;
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};
use polyseal::{Error, Result};

use crate::common::bytes;
use aead::array::typenum::Unsigned;
use aead::consts::{U0, U12, U512};
use aead::inout::InOutBuf;
use aead::{Aead, Payload};
use proptest::prelude::any;
use proptest::{prop_assert, prop_assert_eq, proptest};

fn algorithm(text: &str) -> Algorithm {
    text.parse().expect(text)
}

#[test]
fn a_name_is_its_configuration() {
    for &(_, name, config) in Config::NAMED {
        let a = algorithm(name);
        assert_eq!(Config::from_algorithm(&a), Some(config), "{name}");
        assert_eq!(a.head_bytes(), config.hidden_bytes(), "{name}");
        assert_eq!(a.tag_bytes(), config.overhead_bytes(), "{name}");
        assert_eq!(a.is_whole(), config.segment_bytes().is_some(), "{name}");
        assert_eq!(a.family().limits.max_message_bytes, config.max_message_bytes(), "{name}");
        let cfg = hex::encode(config.to_bytes());
        assert_eq!(
            Config::from_algorithm(&algorithm(&format!("flex:cfg={cfg}"))),
            Some(config),
            "{name}"
        );
        // Each has keys of its own.
        let (key, nonce) = (bytes(1, 32), bytes(2, a.nonce_bytes()));
        for setup_ad in [&b""[..], b"set up"] {
            let aead = AnyAead::with_setup_ad(&a, &key, setup_ad).expect(name);
            let flex = Flex::init(config, &key, setup_ad).expect(name);
            for length in [0, 5, 63, 64, 1000, 65_536, 65_537, 200_000] {
                let message = bytes(3, length);
                let sealed = aead.seal(&nonce, b"ad", &message).expect(name);
                assert_eq!(Ok(&sealed), flex.seal(&nonce, b"ad", &message).as_ref(), "{name}");
                assert_eq!(Some(sealed.len() as u64), a.ciphertext_bytes(length as u64), "{name}");
                assert_eq!(aead.open(&nonce, b"ad", &sealed).as_ref(), Ok(&message), "{name}");
            }
        }
    }
}

/// A stream is sealed and opened as a whole; there is nothing detached about it.
#[test]
fn streams_are_whole() {
    for name in ["flex-och-stream", "flex-civ-stream", "flex:cfg=0108012018000a00"] {
        let a = algorithm(name);
        let segment =
            Config::from_algorithm(&a).and_then(|config| config.segment_bytes()).expect("segments");
        for backend in Backend::available() {
            let aead = aead_on(&a, &bytes(1, 32), backend).expect(name);
            let nonce = bytes(2, 24);
            let message = bytes(3, 2 * segment + 100);
            let mut sealed = aead.seal(&nonce, b"ad", &message).expect(name);
            assert_eq!(sealed.len(), message.len() + 3 * 32, "{name}");
            assert_eq!(aead.open(&nonce, b"ad", &sealed).as_ref(), Ok(&message), "{name}");
            for at in [0, segment, segment + 32, 2 * (segment + 32) + 5, sealed.len() - 1] {
                sealed[at] ^= 1;
                assert_eq!(aead.open(&nonce, b"ad", &sealed), Err(Error::Unauthentic), "{name}");
                sealed[at] ^= 1;
            }
            for length in [segment + 32, 2 * (segment + 32), 2 * (segment + 32) + 32, 40] {
                let cut = aead.open(&nonce, b"ad", &sealed[..length]);
                assert_eq!(cut, Err(Error::Unauthentic), "{name}: cut to {length}");
            }
            for actual in [0, 31] {
                let cut = aead.open(&nonce, b"ad", &sealed[..actual]);
                assert_eq!(cut, Err(Error::Buffer { expected: 32, actual }), "{name}");
            }

            let (mut buffer, mut tag) = ([0x5c; 40], [0x5c; 32]);
            let whole = Err(Error::WholeOnly);
            let seal = aead.seal_inout_detached(&nonce, b"", buffer[..].as_mut().into(), &mut tag);
            assert_eq!(seal, whole, "{name}");
            let open = aead.open_inout_detached(&nonce, b"", buffer[..].as_mut().into(), &tag);
            assert_eq!(open, whole, "{name}");
            assert_eq!((buffer, tag), ([0x5c; 40], [0x5c; 32]), "{name}: something was written");
        }
    }
    assert_eq!(
        Error::WholeOnly.to_string(),
        "this algorithm's ciphertext is in one piece: use seal and open"
    );
}

#[test]
fn only_flex_is_set_up() {
    for name in ["aegis-128l", "aes-256-gcm", "kc-xaes-256-gcm", "ctx-aegis-256"] {
        let a = algorithm(name);
        for setup_ad in [&b""[..], b"set up"] {
            let made = AnyAead::with_setup_ad(&a, &bytes(1, a.key_bytes()), setup_ad);
            assert_eq!(made.map(|_| ()), Err(Error::NoSetupAd), "{name}");
        }
    }
    let mac = AnyAead::with_setup_ad(&algorithm("aegis-128l-mac"), &[0; 16], b"");
    assert_eq!(mac.map(|_| ()), Err(Error::WrongKind));
    let a = algorithm("flex-och");
    let short = AnyAead::with_setup_ad(&a, &[0; 31], b"");
    assert_eq!(short.map(|_| ()), Err(Error::Length { what: "key", expected: 32, actual: 31 }));

    let sealed = |setup_ad: &[u8]| {
        let aead = AnyAead::with_setup_ad(&a, &[7; 32], setup_ad)?;
        Ok::<_, Error>((aead.seal(&[1; 32], b"", b"message")?, aead))
    };
    let ((one, first), (other, second)) = (sealed(b"1").expect("one"), sealed(b"2").expect("two"));
    assert_ne!(one, other);
    assert_eq!(first.open(&[1; 32], b"", &other), Err(Error::Unauthentic));
    assert_eq!(second.open(&[1; 32], b"", &other).as_deref(), Ok(&b"message"[..]));
}

/// Everything that is wide, hidden or stretched, detached: the tag is what stands around the body.
#[test]
fn any_configuration_is_detached() {
    for cfg in [
        "0101012020000000",
        "0101032018000000",
        "01010720c7000000",
        "0200052018000000",
        "0304010018000000",
        "0305010018000000",
        "030401ff18000000",
        "0305030518000000",
        "03050705c7000000",
    ] {
        let a = algorithm(&format!("flex:cfg={cfg}"));
        let (aead, nonce) =
            (AnyAead::new(&a, &bytes(1, 32)).expect(cfg), bytes(2, a.nonce_bytes()));
        for length in [0, 1, 5, 63, 64, 200, 700] {
            let message = bytes(3, length);
            let sealed = aead.seal(&nonce, b"ad", &message).expect(cfg);
            let (head, rest) = sealed.split_at(a.head_bytes());
            let (body, tail) = rest.split_at(length);
            let tag = [head, tail].concat();

            let (mut buffer, mut computed) = (message.clone(), vec![0; a.tag_bytes()]);
            let sealing = buffer.as_mut_slice().into();
            assert_eq!(aead.seal_inout_detached(&nonce, b"ad", sealing, &mut computed), Ok(()));
            assert_eq!((&buffer[..], &computed), (body, &tag), "{cfg}, {length}");
            let opening = buffer.as_mut_slice().into();
            assert_eq!(aead.open_inout_detached(&nonce, b"ad", opening, &tag), Ok(()));
            assert_eq!(buffer, message, "{cfg}, {length}");

            let mut other = nonce.clone();
            other[0] ^= 1;
            for (nonce, ad, at) in [(&other, &b"ad"[..], None), (&nonce, b"aD", None)]
                .into_iter()
                .chain((0..tag.len()).step_by(7).map(|at| (&nonce, &b"ad"[..], Some(at))))
            {
                let (mut buffer, mut tag) = (body.to_vec(), tag.clone());
                if let Some(at) = at {
                    tag[at] ^= 1;
                }
                let forged = buffer.as_mut_slice().into();
                let refused = aead.open_inout_detached(nonce, ad, forged, &tag);
                assert_eq!(refused, Err(Error::Unauthentic), "{cfg}, {length}: {at:?}");
                assert!(buffer.iter().all(|&byte| byte == 0), "{cfg}, {length}: left behind");
            }
        }
    }
}

/// `C` through the traits is the registry's `name`.
fn is<C: Aead + AeadInOut + KeyInit + KeySizeUser + AeadCore + Send + Sync>(name: &str) {
    let a = algorithm(name);
    let found = (C::key_size(), C::NonceSize::USIZE, C::TagSize::USIZE);
    assert_eq!(found, (a.key_bytes(), a.nonce_bytes(), a.tag_bytes()), "{name}");
    let key = aead::Key::<C>::try_from(&bytes(1, 32)[..]).expect(name);
    let nonce = aead::Nonce::<C>::try_from(&bytes(2, a.nonce_bytes())[..]).expect(name);
    let (cipher, by_name) = (C::new(&key), AnyAead::new(&a, &key).expect(name));
    for (ad_bytes, message_bytes) in [(0, 0), (21, 33), (300, 64), (21, 2000)] {
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
        let sealed = cipher.encrypt(&nonce, Payload { msg: &message, aad: &ad }).expect(name);
        assert_eq!(Ok(&sealed), by_name.seal(&nonce, &ad, &message).as_ref(), "{name}");
        let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: &ad }).expect(name);
        assert_eq!(opened, message, "{name}");

        // Out of place, and wiped where it is not authentic.
        let (body, tag) = sealed.split_at(message_bytes);
        let mut tag = aead::Tag::<C>::try_from(tag).expect(name);
        let mut output = vec![0x5c; message_bytes];
        let buffer = InOutBuf::new(body, &mut output).expect("of one length");
        cipher.decrypt_inout_detached(&nonce, &ad, buffer, &tag).expect(name);
        assert_eq!(output, message, "{name}");
        for at in 0..tag.len() {
            tag[at] ^= 1;
            let buffer = InOutBuf::new(body, &mut output).expect("of one length");
            let refused = cipher.decrypt_inout_detached(&nonce, &ad, buffer, &tag);
            assert_eq!(refused, Err(aead::Error), "{name}: byte {at}");
            assert!(output.iter().all(|&byte| byte == 0), "{name}: left behind");
            tag[at] ^= 1;
        }
    }
    assert!(C::new_from_slice(&key[1..]).is_err(), "{name}");
}

#[test]
fn types_are_the_registrys_algorithms() {
    is::<FlexOchPublic>("flex-och-public");
    is::<FlexOchTransport>("flex-och-transport");
    is::<FlexCivPublic>("flex-civ-public");
    is::<FlexCivPublicNonce<U0>>("flex-civ-public:nonce=0");
    is::<FlexCivPublicNonce<U512>>("flex-civ-public:nonce=512");
    is::<FlexRobust>("flex-robust");
    is::<FlexRobustNonce<U0>>("flex-robust:nonce=0");
    is::<FlexRobustAe>("flex-robust-ae");
    is::<FlexRobustAeNonce<U0>>("flex-robust-ae:nonce=0");
    is::<FlexRobustNonce<U12>>("flex-robust:nonce=12");
    let shown = format!("{:?}", FlexOchPublic::new(&[0xa5; 32].into()));
    assert_eq!(shown, "FlexAead { .. }");
}

fn takes_setup_ad<S: Preset>(
    with_setup_ad: fn(&[u8], &[u8]) -> Result<FlexAead<S>>,
    config: Config,
) {
    let (key, nonce) = (bytes(1, 32), bytes(2, S::NonceSize::USIZE));
    let typed_nonce = aead::Nonce::<FlexAead<S>>::try_from(&nonce[..]).expect("a nonce");
    for setup_ad in [&b""[..], b"set up", &bytes(3, 1000)] {
        let cipher = with_setup_ad(&key, setup_ad).expect("a key");
        let sealed = cipher.encrypt(&typed_nonce, &b"message"[..]).expect("sealing");
        let flex = Flex::init(config, &key, setup_ad).expect("a key");
        assert_eq!(Ok(sealed), flex.seal(&nonce, b"", b"message"), "{config:?}");
    }
    for actual in [0, 16, 31, 33] {
        let error = Error::Length { what: "key", expected: 32, actual };
        let refused = with_setup_ad(&vec![7; actual], b"").map(drop);
        assert_eq!(refused, Err(error), "{config:?}");
    }
}

#[test]
fn types_take_setup_associated_data() {
    takes_setup_ad(FlexOchPublic::with_setup_ad, Config::OCH_PUBLIC);
    takes_setup_ad(FlexOchTransport::with_setup_ad, Config::OCH_TRANSPORT);
    takes_setup_ad(FlexCivPublic::with_setup_ad, Config::CIV_PUBLIC);
    takes_setup_ad(FlexRobust::with_setup_ad, Config::ROBUST);
}

#[test]
fn types_draw_nonces() {
    let cipher = FlexCivPublic::new(&[7; 32].into());
    let sealed = cipher.seal_random_nonce(b"ad", b"message").expect("sealing");
    assert_eq!(sealed.len(), 24 + 7 + 32);
    assert_eq!(cipher.open_random_nonce(b"ad", &sealed).as_deref(), Ok(&b"message"[..]));
    assert_eq!(cipher.open_random_nonce(b"aD", &sealed), Err(aead::Error));
    let by_name = AnyAead::new(&algorithm("flex-civ-public"), &[7; 32]).expect("a key");
    assert_eq!(by_name.open_random_nonce(b"ad", &sealed).as_deref(), Ok(&b"message"[..]));
}

/// With no nonce, equal messages are equal, and nothing else is.
#[test]
fn no_nonce_is_deterministic() {
    let aead = AnyAead::new(&algorithm("flex-civ-public:nonce=0"), &[7; 32]).expect("a key");
    let seal = |ad: &[u8], message: &[u8]| aead.seal(b"", ad, message).expect("sealing");
    assert_eq!(seal(b"ad", b"message"), seal(b"ad", b"message"));
    assert_ne!(seal(b"ad", b"message"), seal(b"aD", b"message"));
    let opened = aead.open_hidden_nonce(b"ad", &seal(b"ad", b"message")).expect("opening");
    assert_eq!((opened.nonce.len(), opened.message.as_slice()), (0, &b"message"[..]));
}

fn open(name: &str, key: &[u8], ad: &[u8], sealed: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let opened = AnyAead::new(&algorithm(name), key)?.open_hidden_nonce(ad, sealed)?;
    Ok((opened.nonce.clone(), opened.message.to_vec()))
}

proptest! {
    /// The hidden nonce comes out, and only with the right key, associated data and ciphertext; and
    /// another one that is given is refused.
    #[test]
    fn a_hidden_nonce_comes_out(
        civ in any::<bool>(), key: [u8; 32], nonce: [u8; 32], other: [u8; 32],
        ad: Vec<u8>, message: Vec<u8>, at: usize, bit in 0..8_u32,
    ) {
        let name = if civ { "flex-civ" } else { "flex-och" };
        let aead = AnyAead::new(&algorithm(name), &key)?;
        let mut sealed = aead.seal(&nonce, &ad, &message)?;
        prop_assert_eq!(open(name, &key, &ad, &sealed), Ok((nonce.to_vec(), message.clone())));
        prop_assert_eq!(aead.open(&nonce, &ad, &sealed), Ok(message));
        if other != nonce {
            prop_assert_eq!(aead.open(&other, &ad, &sealed), Err(Error::Unauthentic));
        }
        prop_assert!(!sealed.windows(32).any(|window| window == nonce), "not hidden");
        let at = at % sealed.len();
        sealed[at] ^= 1 << bit;
        prop_assert_eq!(open(name, &key, &ad, &sealed), Err(Error::Unauthentic));
    }
}
