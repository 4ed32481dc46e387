//! One key for everything: under another configuration, setup associated data, nonce or associated
//! data, all is different and nothing of one shows in another.

use std::collections::HashMap;

use polyseal::flex::{Config, Mode, NonceForm, Profile};
use polyseal::hazmat::WideBlock;
use polyseal::testing::{Backend, flex_on};

use super::{Cipher, key};
use crate::common::bytes;

/// Ciphertexts, none of which has eight bytes in common with another.
#[derive(Default)]
struct Seen(HashMap<[u8; 8], String>);

impl Seen {
    #[track_caller]
    fn add(&mut self, name: &str, sealed: &[u8]) {
        for window in sealed.windows(8) {
            let window = window.try_into().expect("eight bytes");
            if let Some(other) = self.0.insert(window, name.to_owned()) {
                panic!("{name} and {other} have eight bytes in common");
            }
        }
    }
}

const NONCE_BYTES: usize = 24;

fn nonce(config: &Config) -> Vec<u8> {
    let (shortest, longest) = config.nonce_range().into_inner();
    bytes(2, NONCE_BYTES.clamp(shortest, longest))
}

/// The configurations that have a name.
fn named() -> Vec<[u8; 8]> {
    let wide = Config::builder(Mode::Robust).nonce(NonceForm::AnyPublic);
    let wide = [wide.stretch_bytes(16), wide]
        .map(|builder| WideBlock::init(builder, &key(), b"").expect("a key").config().to_bytes());
    Config::NAMED.iter().map(|(.., config)| config.to_bytes()).chain(wide).collect()
}

/// Configurations that differ from a named one in a single field, or only in whether setup
/// associated data is hashed first.
fn near() -> Vec<[u8; 8]> {
    vec![
        [1, 1, 1, 32, 31, 0, 0, 0],
        [1, 1, 1, 31, 32, 0, 0, 0],
        [1, 3, 1, 32, 32, 0, 0, 0],
        [1, 0, 1, 32, 25, 0, 0, 0],
        [1, 0, 1, 32, 255, 255, 0, 0],
        [1, 0, 5, 32, 24, 0, 0, 0],
        [2, 0, 1, 32, 24, 0, 0, 0],
        [2, 2, 1, 32, 255, 255, 0, 0],
        [3, 4, 1, 1, 255, 255, 0, 0],
        [3, 6, 1, 0, 255, 255, 0, 0],
        [3, 2, 1, 0, 255, 255, 0, 0],
        [1, 8, 1, 32, 24, 0, 17, 0],
    ]
}

/// The inputs are equal: what could be alike are the subkeys.
#[test]
fn configurations_have_unrelated_subkeys() {
    for length in [9, 64, 300] {
        let mut seen = Seen::default();
        for cfg in named().into_iter().chain(near()) {
            for setup_ad in [&b""[..], b"\0", b"setup"] {
                let cipher = Cipher::on(Backend::detect(), cfg, &key(), setup_ad);
                let nonce = nonce(cipher.config());
                let sealed = cipher.seal(&nonce, b"ad", &bytes(3, length)).expect("sealing");
                seen.add(&format!("{cfg:02x?} with {setup_ad:?}"), &sealed);
            }
        }
        assert!(seen.0.len() > 60 * length);
    }
}

/// Keys that begin alike, are padded alike, or hold what follows a key.
#[test]
fn keys_have_unrelated_subkeys() {
    let long = bytes(1, 1024);
    let mut padded = long[..40].to_vec();
    padded.resize(64, 0);
    let cfg = Config::CIV.to_bytes();
    let and_more = [&long[..64], &cfg].concat();
    let lengths =
        [16, 17, 31, 32, 33, 40, 63, 64, 65, 96, 128, 200, 246, 247, 255, 256, 257, 512, 1023];
    let mut keys: Vec<_> = lengths.iter().map(|&length| long[..length].to_vec()).collect();
    keys.extend([padded, and_more, long]);
    for profile in Profile::ALL {
        let mut seen = Seen::default();
        let config = super::config(Mode::Civ, profile, NonceForm::Public(24));
        for key in &keys {
            for setup_ad in [&b""[..], &cfg] {
                let flex = flex_on(Backend::detect(), config, key, setup_ad).expect("a key");
                let sealed = flex.seal(&[7; 24], b"", &[0; 80]).expect("sealing");
                seen.add(&format!("{profile:?}: {} with {setup_ad:?}", key.len()), &sealed);
            }
        }
    }
}

/// Lengths around leaves and groups of leaves. A zero more is another input, and each byte counts.
#[test]
fn long_setup_data_is_hashed_whole() {
    let lengths = [0, 1, 205, 206, 207, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 8448, 8449];
    for profile in [Profile::S512, Profile::S256, Profile::K1600] {
        for hashed in [false, true] {
            let builder = Config::builder(Mode::Civ).profile(profile).allow_64_bits();
            let builder = if hashed { builder.prehash_setup_ad() } else { builder };
            let config = builder.nonce(NonceForm::Public(24)).build().expect("a configuration");
            let mut seen = Seen::default();
            let mut add = |name: String, setup_ad: &[u8]| {
                let flex = flex_on(Backend::detect(), config, &key(), setup_ad).expect("a key");
                seen.add(&name, &flex.seal(&[7; 24], b"", &[0; 40]).expect("sealing"));
            };
            for length in lengths {
                add(format!("{length} zeros"), &vec![0; length]);
            }
            for at in (0..4097).step_by(255).chain([4096]) {
                let mut changed = vec![0; 4097];
                changed[at] = 1;
                add(format!("byte {at}"), &changed);
            }
        }
    }
}

/// The same of associated data, whose leaves must not be exchanged either.
#[test]
fn long_associated_data_is_hashed_whole() {
    let lengths = [
        0, 1, 231, 232, 233, 255, 256, 257, 511, 512, 513, 3840, 4095, 4096, 4097, 4352, 8191,
        8192, 8193, 8448, 8449,
    ];
    for profile in Profile::ALL {
        for form in [NonceForm::Hidden(24), NonceForm::Public(24), NonceForm::AnyPublic] {
            let config = super::config(Mode::Civ, profile, form);
            let flex = super::flex(Backend::detect(), config);
            let mut seen = Seen::default();
            let mut add = |name: String, ad: &[u8]| {
                seen.add(&name, &flex.seal(&[7; 24], ad, &[0; 40]).expect("sealing"));
            };
            for length in lengths {
                add(format!("{length} zeros"), &vec![0; length]);
            }
            let long = bytes(4, 8449);
            add("as it is".into(), &long);
            for at in (0..8449).step_by(251).chain([8448]) {
                let mut changed = long.clone();
                changed[at] ^= 0x10;
                add(format!("byte {at}"), &changed);
            }
            for (i, j) in [(0, 1), (0, 16), (15, 16), (4, 8), (31, 32), (2, 30)] {
                let mut exchanged = long.clone();
                exchanged[i * 256..][..256].copy_from_slice(&long[j * 256..][..256]);
                exchanged[j * 256..][..256].copy_from_slice(&long[i * 256..][..256]);
                add(format!("{i} and {j}"), &exchanged);
            }
        }
    }
}

/// Hashing setup associated data first is a configuration of its own: with the hash in its place,
/// and however it is made, nothing else comes out.
#[test]
fn the_prehash_is_under_the_key() {
    for mode in super::MODES {
        let builder = Config::builder(mode).nonce(NonceForm::Public(24));
        let mut seen = Seen::default();
        for (name, builder) in [("plain", builder), ("hashed", builder.prehash_setup_ad())] {
            let config = builder.build().expect("a configuration");
            for setup_ad in [vec![], vec![0], vec![0; 32], bytes(1, 32), bytes(1, 300)] {
                let flex = flex_on(Backend::detect(), config, &key(), &setup_ad).expect("a key");
                let sealed = flex.seal(&[7; 24], b"", &[0; 40]).expect("sealing");
                seen.add(&format!("{name}, {} bytes", setup_ad.len()), &sealed);
            }
        }
    }
}

/// The promise of CIV and ROBUST without nonces: equal messages show, and no more.
#[test]
fn repeated_nonces_show_equality() {
    for (mode, form) in [
        (Mode::Civ, NonceForm::Hidden(24)),
        (Mode::Civ, NonceForm::Public(24)),
        (Mode::Robust, NonceForm::Hidden(24)),
        (Mode::Robust, NonceForm::Public(24)),
        (Mode::RobustAe, NonceForm::Hidden(24)),
        (Mode::RobustAe, NonceForm::Public(24)),
    ] {
        for profile in Profile::ALL {
            let flex = super::flex(Backend::detect(), super::config(mode, profile, form));
            let mut seen = Seen::default();
            for last in 0..4 {
                for length in [40, 400] {
                    let mut message = vec![0; length];
                    message[length - 1] = last;
                    let seal = || flex.seal(&[7; 24], b"", &message).expect("sealing");
                    assert_eq!(seal(), seal());
                    seen.add(&format!("{mode:?} {profile:?}: {length}, {last}"), &seal());
                }
            }
        }
    }
}

/// A hidden nonce shows nowhere, not even that two of them differ in a bit.
#[test]
fn hidden_nonces_leave_no_trace() {
    for mode in super::MODES {
        for profile in Profile::ALL {
            let config = super::config(mode, profile, NonceForm::Hidden(24));
            let flex = super::flex(Backend::detect(), config);
            for length in [0, 8, 300] {
                let mut seen = Seen::default();
                for bit in 0..24 {
                    let nonce = super::flipped(&[7; 24], bit);
                    let sealed = flex.seal(&nonce, b"", &vec![0; length]).expect("sealing");
                    seen.add(&format!("{mode:?} {profile:?}: {length}, {bit}"), &sealed);
                }
            }
        }
    }
}
