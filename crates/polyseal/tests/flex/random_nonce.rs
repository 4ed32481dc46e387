//! Nonces that are drawn travel with the ciphertext, and are long enough.

use polyseal::Error;
use polyseal::flex::{Config, NonceForm, Profile};
use polyseal::testing::Backend;

use super::{MODES, config, flex};

#[test]
fn drawn_nonces_are_found_again() {
    for mode in MODES {
        for (form, in_front) in
            [(NonceForm::Hidden(16), 0), (NonceForm::Public(16), 16), (NonceForm::AnyPublic, 24)]
        {
            let config = config(mode, Profile::S512, form);
            let flex = flex(Backend::detect(), config);
            let seal = || flex.seal_random_nonce(b"ad", b"message").expect("sealing");
            let (first, second) = (seal(), seal());
            assert_eq!(first.len(), in_front + 7 + config.overhead_bytes(), "{config:?}");
            assert_ne!(first, second, "{config:?}: nothing was drawn");
            let opened = flex.open_random_nonce(b"ad", &first).expect("opening");
            assert_eq!(opened.message[..], b"message"[..], "{config:?}");
            assert_eq!(opened.nonce[..in_front], first[..in_front], "{config:?}");
            assert_eq!(opened.nonce.len(), if in_front == 0 { 16 } else { in_front });
            for at in 0..first.len() {
                let forged = super::flipped(&first, at);
                let refused = flex.open_random_nonce(b"ad", &forged).err();
                assert_eq!(refused, Some(Error::Unauthentic), "{config:?}: {at}");
                let refused = flex.open_random_nonce(b"ad", &first[..at]).err();
                assert_eq!(refused, Some(Error::Unauthentic), "{config:?}: {at} bytes");
            }
        }
    }
}

#[test]
fn short_nonces_are_not_drawn() {
    for (config, limit) in [
        (Config::OCH_TRANSPORT, 1 << 32),
        (config(MODES[1], Profile::S512, NonceForm::Public(0)), 1),
        (config(MODES[0], Profile::S512, NonceForm::Hidden(15)), 1 << 44),
    ] {
        let refused = flex(Backend::detect(), config).seal_random_nonce(b"", b"message");
        assert_eq!(refused, Err(Error::FewRandomNonces { limit }), "{config:?}");
    }
}

/// A configuration tells the limits that its name has.
#[test]
fn a_configuration_tells_its_limits() {
    use polyseal::limits::Limits;
    use polyseal::registry::Algorithm;

    for profile in Profile::ALL {
        for mode in MODES {
            let config = config(mode, profile, NonceForm::Public(24));
            let digits = hex::encode(config.to_bytes());
            let text = format!("flex:allow-64-bit=1,cfg={digits}");
            let limits = Limits::for_algorithm(&text.parse::<Algorithm>().expect(&text));
            assert_eq!(config.max_messages(), limits.counted_nonce_messages, "{config:?}");
            assert_eq!(config.max_total_bytes(), limits.total_bytes.limit, "{config:?}");
        }
    }
}
