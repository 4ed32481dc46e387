//! The lengths that are allowed, which is public: each wrong one is told precisely, in sealing and
//! opening.

use polyseal::Error;
use polyseal::any::AnyAead;
use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, wide_block_on};

use super::{config, flex, told};
use crate::common::bytes;

#[test]
fn a_key_has_16_to_1024_bytes() {
    for bytes in [0, 15, 1025] {
        let refusal = Err(Error::Range { what: "key", shortest: 16, longest: 1024, actual: bytes });
        let key = vec![7; bytes];
        assert_eq!(Flex::init(Config::OCH, &key, b"").map(drop), refusal);
        let cfg = [3, 0, 1, 0, 0, 0, 0, 0];
        assert_eq!(wide_block_on(Backend::detect(), cfg, &key, b"").map(drop), refusal);
        assert_eq!(Flex::generate_key(&mut vec![7; bytes]), refusal);
    }
    for bytes in [16, 17, 1023, 1024] {
        assert!(Flex::init(Config::OCH, &vec![7; bytes], b"").is_ok(), "{bytes}");
    }
    let mut key = [0; 32];
    Flex::generate_key(&mut key).expect("a key");
    assert_ne!(key, [0; 32]);
}

/// By name, every length of the specification is what [`Flex`] makes of it, and no other is one.
#[test]
fn names_take_the_lengths_of_the_specification() {
    let free = [0, 1, 1024, 1025, 65535];
    for (name, cfg, nonces) in [
        ("flex-och", Config::OCH, &[32][..]),
        ("flex-och-public", Config::OCH_PUBLIC, &[24]),
        ("flex-civ-public", Config::CIV_PUBLIC, &free),
        ("flex-robust", Config::ROBUST, &free),
        (
            "flex:cfg=0200012000040000",
            config(Mode::Civ, Profile::S512, NonceForm::Public(1024)),
            &[1024],
        ),
    ] {
        let named = |key: usize, nonce: usize| {
            let algorithm: Algorithm = name.parse().expect(name);
            algorithm.with("key", key as u64)?.with("nonce", nonce as u64)
        };
        for key_bytes in [16, 17, 257, 1024] {
            for &nonce_bytes in nonces {
                let algorithm = named(key_bytes, nonce_bytes).expect(name);
                assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
                let (key, nonce) = (bytes(1, key_bytes), bytes(2, nonce_bytes));
                let aead = AnyAead::new(&algorithm, &key).expect(name);
                let sealed = aead.seal(&nonce, b"ad", b"message").expect(name);
                let flex = Flex::init(cfg, &key, b"").expect("a key");
                assert_eq!(flex.seal(&nonce, b"ad", b"message"), Ok(sealed.clone()));
                assert_eq!(aead.open(&nonce, b"ad", &sealed), Ok(b"message".to_vec()));
                let shorter = AnyAead::new(&algorithm, &key[1..]).map(drop);
                let (expected, actual) = (key_bytes, key_bytes - 1);
                assert_eq!(shorter, Err(Error::Length { what: "key", expected, actual }));
            }
        }
        for key in [0, 15, 1025] {
            let refused = named(key, nonces[0]);
            assert!(matches!(refused, Err(Error::Size { what: "key", .. })), "{name}: {key}");
        }
        let fixed = nonces.len() == 1;
        for nonce in if fixed { vec![0, nonces[0] - 1, nonces[0] + 1, 65535] } else { vec![65536] }
        {
            let refused = named(32, nonce);
            assert!(matches!(refused, Err(Error::Size { what: "nonce", .. })), "{name}: {nonce}");
        }
    }
}

/// The errors of sealing and opening with a nonce of `bytes` bytes.
fn said(flex: &Flex, bytes: usize) -> [Option<Error>; 2] {
    let nonce = vec![7; bytes];
    let sealing = flex.seal(&nonce, b"", b"message").err();
    let opening = flex.open(&nonce, b"", &[7; 100]).err();
    [sealing, opening]
}

#[test]
fn a_nonce_of_another_length_is_an_error() {
    for (mode, form, bad) in [
        (Mode::Och, NonceForm::Public(24), [0, 23, 25]),
        (Mode::Civ, NonceForm::Public(1024), [0, 1023, 1025]),
        (Mode::Robust, NonceForm::Public(0), [1, 2, 24]),
        (Mode::RobustAe, NonceForm::Public(0), [1, 2, 24]),
    ] {
        let config = config(mode, Profile::S512, form);
        let expected = *config.nonce_range().start();
        for actual in bad {
            let error = Some(Error::Length { what: "nonce", expected, actual });
            assert_eq!(said(&flex(Backend::detect(), config), actual), [error; 2]);
            assert!(!config.takes_nonce_of(actual));
        }
    }
}

#[test]
fn a_free_nonce_has_a_range() {
    for (mode, shortest) in [(Mode::Och, 8), (Mode::Civ, 0), (Mode::Robust, 0), (Mode::RobustAe, 0)]
    {
        let config = config(mode, Profile::S512, NonceForm::AnyPublic);
        let flex = flex(Backend::detect(), config);
        assert_eq!(config.nonce_range(), shortest..=65535);
        let bad = (0..shortest).chain([65536, 70000]);
        for actual in bad {
            let error = Error::Range { what: "nonce", shortest, longest: 65535, actual };
            assert_eq!(said(&flex, actual), [Some(error); 2]);
        }
        for bytes in [shortest, shortest + 1, 255, 256, 65535] {
            assert_eq!(said(&flex, bytes), [None, Some(Error::Unauthentic)], "{bytes}");
        }
    }
}

/// A hidden nonce is given for sealing only.
#[test]
fn a_hidden_nonce_is_given_once() {
    let config = config(Mode::Civ, Profile::S512, NonceForm::Hidden(24));
    let flex = flex(Backend::detect(), config);
    for actual in [0, 23, 25] {
        let error = Error::Length { what: "nonce", expected: 24, actual };
        assert_eq!(flex.seal(&vec![7; actual], b"", b"").err(), Some(error));
    }
    let sealed = flex.seal(&[7; 24], b"ad", b"message").expect("sealing");
    assert_eq!(flex.open(&[], b"ad", &sealed).expect("opening").nonce, [7; 24]);
    for bytes in [1, 23, 24, 25] {
        let refused = flex.open(&vec![7; bytes], b"ad", &sealed);
        assert_eq!(refused.err(), Some(Error::Unauthentic), "{bytes}");
    }
}

/// A wrong nonce is an error before a short ciphertext is refused: so none tells of the other.
#[test]
fn errors_come_before_refusals() {
    let config = config(Mode::Och, Profile::S512, NonceForm::Public(24));
    let flex = flex(Backend::detect(), config);
    let error = Error::Length { what: "nonce", expected: 24, actual: 3 };
    assert_eq!(flex.open(b"abc", b"", b"").err(), Some(error));
    assert_eq!(flex.open(&[7; 24], b"", b"").err(), Some(Error::Unauthentic));
}

#[test]
fn buffers_have_exact_lengths() {
    for config in [Config::OCH, Config::CIV_PUBLIC, Config::ROBUST, Config::OCH_STREAM] {
        let flex = flex(Backend::detect(), config);
        let (nonce, hidden) = (vec![7; *config.nonce_range().start()], config.hidden_bytes());
        let sealed = flex.seal(&nonce, b"", b"message").expect("sealing");
        for bytes in [0, sealed.len() - 1, sealed.len() + 1] {
            let error = Error::Buffer { expected: sealed.len(), actual: bytes };
            let result = flex.seal_into(&nonce, b"", b"message", &mut vec![0; bytes]);
            assert_eq!(result, Err(error), "{config:?}");
        }
        let open = |recovered: usize, message: usize| {
            let (mut recovered, mut message) = (vec![0; recovered], vec![0; message]);
            let nonce = told(&config, &nonce);
            flex.open_into(nonce, b"", &sealed, &mut recovered, &mut message)
        };
        assert_eq!(open(hidden, 7), Ok(()), "{config:?}");
        for actual in [6, 8] {
            assert_eq!(open(hidden, actual), Err(Error::Buffer { expected: 7, actual }));
        }
        let actual = hidden + 1;
        assert_eq!(open(actual, 7), Err(Error::Buffer { expected: hidden, actual }));
    }
}

/// Lengths around `at`.
fn around(at: u64) -> impl Iterator<Item = u64> {
    (at.saturating_sub(2)..=at.saturating_add(2)).chain([at])
}

#[test]
fn lengths_are_each_others_inverse() {
    let stream =
        |mode, bytes| Config::builder(mode).segment_bytes(bytes).build().expect("a stream");
    let stretched = Config::builder(Mode::Robust).stretch_bytes(255).build().expect("a stretch");
    for config in [
        Config::OCH,
        Config::OCH_TRANSPORT,
        Config::CIV_PUBLIC,
        Config::ROBUST,
        stretched,
        stream(Mode::Och, 1 << 8),
        stream(Mode::Civ, 1 << 24),
    ] {
        let segment = config.segment_bytes().map_or(64, |bytes| bytes as u64);
        let edges = [0, 1, 32, segment, 2 * segment, 1000 * segment, 1 << 39];
        for message in edges.into_iter().flat_map(around) {
            let sealed = config.ciphertext_bytes(message).expect("within the limits");
            assert_eq!(config.message_bytes(sealed), Some(message), "{config:?}");
            let pieces = match config.segment_bytes() {
                Some(bytes) => message.div_ceil(bytes as u64).max(1),
                None => 1,
            };
            assert_eq!(sealed, message + pieces * config.overhead_bytes() as u64, "{config:?}");
        }
        // The other way round; lengths that no ciphertext has are between those.
        let unit = segment + config.overhead_bytes() as u64;
        let near = [0, 16, 32, 64, unit, unit + 32, 2 * unit, 2 * unit + 32, 77 * unit];
        for sealed in near.into_iter().flat_map(around) {
            let message = config.message_bytes(sealed);
            let is_one = (sealed.saturating_sub(78 * config.overhead_bytes() as u64)..=sealed)
                .find(|&message| config.ciphertext_bytes(message) == Some(sealed));
            assert_eq!(message, is_one, "{config:?}: {sealed}");
        }
    }
}

#[test]
fn a_segment_is_empty_only_alone() {
    let config = Config::builder(Mode::Och).segment_bytes(256).build().expect("a stream");
    assert_eq!(config.message_bytes(31), None);
    assert_eq!(config.message_bytes(32), Some(0));
    assert_eq!(config.message_bytes(288), Some(256));
    for tail in 1..=32 {
        assert_eq!(config.message_bytes(288 + tail), None, "{tail}");
    }
    assert_eq!(config.message_bytes(288 + 33), Some(257));
}

/// No length overflows, and beyond a limit there is no ciphertext.
#[test]
fn there_is_nothing_beyond_a_limit() {
    for (config, limit) in
        [(Config::OCH, 1 << 50), (Config::CIV, 1 << 50), (Config::ROBUST, 1 << 40)]
    {
        assert_eq!(config.max_message_bytes(), limit);
        let longest = limit + config.overhead_bytes() as u64;
        assert_eq!(config.ciphertext_bytes(limit), Some(longest));
        assert_eq!(config.message_bytes(longest), Some(limit));
        for beyond in [limit + 1, u64::MAX - 1, u64::MAX] {
            assert_eq!(config.ciphertext_bytes(beyond), None, "{config:?}: {beyond}");
        }
        for beyond in [longest + 1, u64::MAX] {
            assert_eq!(config.message_bytes(beyond), None, "{config:?}: {beyond}");
        }
    }
    let stream = Config::OCH_STREAM;
    assert_eq!(stream.ciphertext_bytes(u64::MAX), None);
    assert_eq!(stream.message_bytes(u64::MAX).and_then(|m| stream.ciphertext_bytes(m)), {
        stream.message_bytes(u64::MAX).map(|_| u64::MAX)
    });
}
