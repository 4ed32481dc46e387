//! Precomputation changes nothing: the hash of setup associated data, and of associated data.

use polyseal::Error;
use polyseal::flex::{Config, Flex, NonceForm, Profile, SetupHash};
use polyseal::testing::{Backend, flex_on};

use super::{MODES, flex, key, refuses, told};
use crate::common::bytes;

#[test]
fn kept_associated_data_is_associated_data() {
    for profile in Profile::ALL {
        for mode in MODES {
            for form in [NonceForm::Hidden(13), NonceForm::Public(13), NonceForm::AnyPublic] {
                let flex = flex(Backend::detect(), super::config(mode, profile, form));
                let nonce = bytes(2, 13);
                let told = told(flex.config(), &nonce);
                for ad_bytes in [0, 1, 100, 256, 257, 5000] {
                    let ad = bytes(3, ad_bytes);
                    let prepared = flex.with_ad(&ad).expect("associated data");
                    for length in [0, 5, 700] {
                        let (message, name) = (
                            bytes(4, length),
                            format!("{:?}, {ad_bytes}, {length}", flex.config()),
                        );
                        let sealed = prepared.seal(&nonce, &message).expect(&name);
                        assert!(flex.seal(&nonce, &ad, &message).as_ref() == Ok(&sealed), "{name}");
                        let opened = prepared.open(told, &sealed).expect(&name);
                        assert!(*opened.message == message && opened.nonce == nonce, "{name}");

                        let mut again = vec![0; sealed.len()];
                        prepared.seal_into(&nonce, &message, &mut again).expect(&name);
                        assert!(again == sealed, "{name}");
                        let mut recovered = vec![0; flex.config().hidden_bytes()];
                        let mut message = vec![0xaa; length];
                        prepared
                            .open_into(told, &sealed, &mut recovered, &mut message)
                            .expect(&name);
                        assert!(bytes(4, length) == message, "{name}");

                        let forged = super::flipped(&sealed, sealed.len() - 1);
                        let refused = prepared.open(told, &forged).err();
                        assert_eq!(refused, Some(Error::Unauthentic), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn kept_associated_data_is_that_of_streams() {
    for config in [Config::OCH_STREAM, Config::CIV_STREAM] {
        let flex = flex(Backend::detect(), config);
        let (prepared, message) = (flex.with_ad(b"ad").expect("associated data"), bytes(1, 70_000));
        let sealed = prepared.seal(&[7; 24], &message).expect("sealing");
        assert!(flex.seal(&[7; 24], b"ad", &message) == Ok(sealed.clone()));
        assert!(*prepared.open(&[7; 24], &sealed).expect("opening").message == message);
    }
}

#[test]
fn other_kept_associated_data_is_refused() {
    for config in [Config::OCH, Config::CIV, Config::CIV_PUBLIC] {
        let flex = flex(Backend::detect(), config);
        let nonce = bytes(2, config.hidden_bytes());
        let sealed = flex.with_ad(b"one").and_then(|ad| ad.seal(&nonce, b"message"));
        let sealed = sealed.expect("sealing");
        for other in [&b"other"[..], b"", b"onf"] {
            let prepared = flex.with_ad(other).expect("associated data");
            let refused = prepared.open(&[], &sealed).err();
            assert_eq!(refused, Some(Error::Unauthentic), "{config:?}");
        }
        let prepared = flex.with_ad(b"one").expect("associated data");
        assert!(prepared.seal(&[7; 70_000], b"message").is_err(), "the nonce is looked at");
    }
}

#[test]
fn a_kept_hash_of_setup_associated_data_is_it() {
    for profile in Profile::ALL {
        for mode in MODES {
            let builder = Config::builder(mode).profile(profile).allow_64_bits();
            let config = builder.prehash_setup_ad().build().expect("a configuration");
            let nonce = bytes(2, config.hidden_bytes());
            for length in [0, 1, 256, 257, 3000] {
                let setup_ad = bytes(5, length);
                let setup = SetupHash::new(profile, &setup_ad).expect("a hash");
                let kept = Flex::init_prehashed(config, &key(), &setup).expect("a key");
                let sealed = kept.seal(&nonce, b"ad", b"message").expect("sealing");
                for backend in Backend::available() {
                    let plain = flex_on(backend, config, &key(), &setup_ad).expect("a key");
                    let name = format!("{config:?}, {length} on {}", backend.name());
                    assert!(plain.seal(&nonce, b"ad", b"message") == Ok(sealed.clone()), "{name}");
                    let other = SetupHash::new(profile, &bytes(6, length + 1)).expect("a hash");
                    let other = Flex::init_prehashed(config, &key(), &other).expect("a key");
                    assert!(refuses(&other, &[], b"ad", &sealed), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_hash_is_for_who_takes_it() {
    let refused = |config, setup: &SetupHash| {
        Flex::init_prehashed(config, &key(), setup).map(drop).expect_err("refused")
    };
    let hashes = |profile| {
        let builder = Config::builder(polyseal::flex::Mode::Och).profile(profile);
        builder.prehash_setup_ad().build().expect("a configuration")
    };
    let setup = SetupHash::new(Profile::S512, b"set up").expect("a hash");
    assert_eq!(setup.profile(), Profile::S512);
    assert_eq!(refused(Config::OCH, &setup), Error::SetupHash);
    assert_eq!(refused(hashes(Profile::A512), &setup), Error::SetupHash);
    assert!(Flex::init_prehashed(hashes(Profile::S512), &key(), &setup).is_ok());
    let short = Flex::init_prehashed(hashes(Profile::S512), &[7; 15], &setup).map(drop);
    let range = Error::Range { what: "key", shortest: 16, longest: 1024, actual: 15 };
    assert_eq!(short, Err(range));
    assert_eq!(
        Error::SetupHash.to_string(),
        "the hash of setup associated data is another profile's, or it is not to be hashed"
    );
}
