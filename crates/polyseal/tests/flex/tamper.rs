//! Whatever is changed, opening refuses, and leaves nothing behind.

use polyseal::Error;
use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::testing::{Backend, flex_on};

use super::{MODES, NONCE_BYTES, NONCES, config, flex, flipped, key, refuses, told};
use crate::common::{bytes, soft};

const AD: &[u8] = b"associated data";

fn nonce() -> Vec<u8> {
    bytes(2, NONCE_BYTES.into())
}

/// Every mode with every place of the nonce.
fn kinds(profile: Profile) -> impl Iterator<Item = Config> {
    MODES.into_iter().flat_map(move |mode| NONCES.map(|form| config(mode, profile, form)))
}

/// Empty, short, a whole number of blocks, a short and a long tail.
fn shapes(config: &Config) -> [usize; 5] {
    let (b, hidden) = (config.profile().block_bytes(), config.hidden_bytes());
    [0, b - hidden - 9, 2 * b - hidden, 2 * b - hidden + 5, 3 * b - hidden - 1]
}

fn every_byte_on(backend: Backend, profile: Profile) {
    for config in kinds(profile) {
        let flex = flex(backend, config);
        let nonce = nonce();
        for length in shapes(&config) {
            let sealed = flex.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
            let told = told(&config, &nonce);
            assert!(!refuses(&flex, told, AD, &sealed));
            for at in 0..sealed.len() {
                let name = format!("{config:?} on {}: byte {at}", backend.name());
                assert!(refuses(&flex, told, AD, &flipped(&sealed, at)), "{name}");
            }
        }
    }
}

#[test]
fn every_byte_on_every_back_end() {
    Backend::available().for_each(|backend| every_byte_on(backend, Profile::S512));
}

#[test]
fn every_byte_in_every_profile() {
    Profile::ALL.into_iter().for_each(|profile| every_byte_on(Backend::detect(), profile));
}

#[test]
fn every_other_length() {
    for profile in Profile::ALL {
        for config in kinds(profile) {
            let flex = flex(Backend::detect(), config);
            let (nonce, b) = (nonce(), profile.block_bytes());
            let told = told(&config, &nonce);
            for length in shapes(&config) {
                let sealed = flex.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
                for kept in 0..sealed.len() {
                    assert!(refuses(&flex, told, AD, &sealed[..kept]), "{config:?}: {kept}");
                    let behind = &sealed[sealed.len() - kept..];
                    assert!(refuses(&flex, told, AD, behind), "{config:?}: the last {kept}");
                }
                for added in [1, 2, 16, 32, b - 1, b, b + 1] {
                    let zeros = vec![0; added];
                    let behind = [&sealed[..], &zeros].concat();
                    assert!(refuses(&flex, told, AD, &behind), "{config:?}: {added} behind");
                    let before = [&zeros[..], &sealed].concat();
                    assert!(refuses(&flex, told, AD, &before), "{config:?}: {added} before");
                }
            }
        }
    }
}

#[test]
fn another_context() {
    for profile in Profile::ALL {
        for config in kinds(profile) {
            let flex = flex(Backend::detect(), config);
            let (nonce, hides) = (nonce(), config.hidden_bytes() > 0);
            for length in shapes(&config) {
                let sealed = flex.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
                let told = told(&config, &nonce);
                let name = format!("{config:?}, {length} bytes");
                assert!(!refuses(&flex, told, AD, &sealed), "{name}");
                for at in 0..AD.len() {
                    assert!(refuses(&flex, told, &flipped(AD, at), &sealed), "{name}: ad {at}");
                }
                for ad in [&AD[1..], &AD[..14], b"", b"associated data\0"] {
                    assert!(refuses(&flex, told, ad, &sealed), "{name}: {ad:?}");
                }
                for at in 0..nonce.len() * usize::from(!hides) {
                    assert!(refuses(&flex, &flipped(&nonce, at), AD, &sealed), "{name}: nonce");
                }
                for other in others(&config) {
                    assert!(refuses(&other, told, AD, &sealed), "{name}, but {:?}", other.config());
                }
            }
        }
    }
}

/// Keys that differ from `config` under the key and without setup associated data in one respect,
/// and take the same nonces.
fn others(config: &Config) -> Vec<Flex> {
    let on = |config, key: &[u8], setup_ad: &[u8]| {
        flex_on(Backend::detect(), config, key, setup_ad).expect("a key")
    };
    let key = key();
    let mut others = vec![
        on(*config, &flipped(&key, 31), b""),
        on(*config, &key[..31], b""),
        on(*config, &[&key[..], b"\0"].concat(), b""),
        on(*config, &key, b"\0"),
        on(*config, &key, b"setup"),
    ];
    let builder = Config::builder(config.mode()).nonce(config.nonce()).allow_64_bits();
    let builder = builder.profile(config.profile());
    let hashed = builder.prehash_setup_ad().build().expect("a configuration");
    others.push(on(hashed, &key, b""));
    let mode = if config.mode() == Mode::Civ { Mode::Och } else { Mode::Civ };
    others.push(on(super::config(mode, config.profile(), config.nonce()), &key, b""));
    // One case has the same sizes.
    let profile = match config.profile() {
        Profile::S512 => Profile::A512,
        Profile::S256 => Profile::A256,
        _ => Profile::S512,
    };
    others.push(on(super::config(config.mode(), profile, config.nonce()), &key, b""));
    others
}

/// A tag is no prefix of a longer one, nor is a stretch.
#[test]
fn another_length_of_tag() {
    for form in NONCES {
        for mode in [Mode::Och, Mode::Civ] {
            let of = |bytes| {
                let config = Config::builder(mode).nonce(form).tag_bytes(bytes);
                flex(Backend::detect(), config.build().expect("a configuration"))
            };
            let (long, short, nonce) = (of(32), of(31), nonce());
            for length in shapes(long.config()) {
                let message = bytes(3, length);
                let sealed = long.seal(&nonce, AD, &message).expect("sealing");
                let told = told(long.config(), &nonce);
                assert!(refuses(&short, told, AD, &sealed[..sealed.len() - 1]));
                assert!(refuses(&short, told, AD, &sealed));
                let sealed = short.seal(&nonce, AD, &message).expect("sealing");
                assert!(refuses(&long, told, AD, &sealed));
                for last in 0..=255 {
                    assert!(refuses(&long, told, AD, &[&sealed[..], &[last]].concat()));
                }
            }
        }
    }
    let of = |bytes| {
        let config = Config::builder(Mode::Robust).nonce(NONCES[1]).stretch_bytes(bytes);
        flex(Backend::detect(), config.build().expect("a configuration"))
    };
    let (long, short, nonce) = (of(16), of(15), nonce());
    for length in shapes(long.config()) {
        let sealed = long.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
        assert!(refuses(&short, &nonce, AD, &sealed));
        assert!(refuses(&of(0), &nonce, AD, &sealed));
    }
}

/// The same bytes, cut elsewhere: between associated data and nonce, and between hidden nonce and
/// message. (Erratum 3 of research/papers/flex.md.)
#[test]
fn a_header_ends_in_one_place() {
    for mode in MODES {
        let fixed = flex(Backend::detect(), config(mode, Profile::S512, NonceForm::Public(13)));
        let nonce = nonce();
        for length in shapes(fixed.config()) {
            let sealed = fixed.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
            let longer = [AD, &nonce[..1]].concat();
            let turned = [&nonce[1..], b"\0"].concat();
            assert!(refuses(&fixed, &turned, &longer, &sealed), "{mode:?}");
            let shorter = [&AD[14..], &nonce[..12]].concat();
            assert!(refuses(&fixed, &shorter, &AD[..14], &sealed), "{mode:?}");
        }

        // One string, cut in every place.
        let free = flex(Backend::detect(), config(mode, Profile::S512, NonceForm::AnyPublic));
        let whole = [AD, &nonce].concat();
        let sealed = free.seal(&nonce, AD, b"message").expect("sealing");
        for at in 0..=whole.len() - 8 {
            let (ad, nonce) = whole.split_at(at);
            assert_eq!(refuses(&free, nonce, ad, &sealed), at != AD.len(), "{mode:?}: {at}");
        }
        // As long as the trailing length says.
        let behind = [&nonce[..], &[13, 0]].concat();
        assert!(refuses(&free, &behind, AD, &sealed));

        let of =
            |bytes| flex(Backend::detect(), config(mode, Profile::S512, NonceForm::Hidden(bytes)));
        for length in shapes(of(13).config()) {
            let sealed = of(13).seal(&nonce, AD, &bytes(3, length)).expect("sealing");
            for other in [12, 14] {
                assert!(refuses(&of(other), &[], AD, &sealed), "{mode:?}: {other}");
            }
            assert!(refuses(&fixed, &nonce, AD, &sealed), "{mode:?}: not hidden");
        }
    }
}

/// Every byte of a tail that is longer than what a tag takes, and its end. (Erratum 1.)
#[test]
fn long_tails_are_authenticated() {
    for profile in Profile::ALL {
        let flex = flex(Backend::detect(), config(Mode::Och, profile, NONCES[1]));
        let (nonce, b, r) =
            (nonce(), profile.block_bytes(), profile.block_bytes() - profile.tag_bytes());
        for tail in r - 1..b {
            for last in [0, 0x80, 0xff] {
                let mut message = bytes(3, b + tail);
                message[b + tail - 1] = last;
                let sealed = flex.seal(&nonce, AD, &message).expect("sealing");
                for at in b + r - 2..b + tail {
                    assert!(refuses(&flex, &nonce, AD, &flipped(&sealed, at)), "{profile:?}: {at}");
                }
                let (body, tag) = sealed.split_at(b + tail);
                let cut = [&body[..b + tail - 1], tag].concat();
                assert!(refuses(&flex, &nonce, AD, &cut), "{profile:?}: {tail}, cut");
                for more in 0..=255 {
                    let continued = [body, &[more], tag].concat();
                    assert!(refuses(&flex, &nonce, AD, &continued), "{profile:?}: {tail}, {more}");
                }
            }
        }
    }
}

/// Blocks exchanged, and of another message under the same nonce, which OCH does not claim to bear.
#[test]
fn blocks_stay_in_their_place() {
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        for config in kinds(profile) {
            let flex = flex(Backend::detect(), config);
            let (nonce, message) = (nonce(), bytes(3, 40 * b - config.hidden_bytes()));
            let told = told(&config, &nonce);
            let sealed = flex.seal(&nonce, AD, &message).expect("sealing");
            let other = flex.seal(&nonce, AD, &flipped(&message, 0)).expect("sealing");
            for (i, j) in [(0, 1), (1, 2), (3, 35), (16, 32), (8, 24), (0, 39)] {
                let mut exchanged = sealed.clone();
                exchanged[i * b..][..b].copy_from_slice(&sealed[j * b..][..b]);
                exchanged[j * b..][..b].copy_from_slice(&sealed[i * b..][..b]);
                assert!(refuses(&flex, told, AD, &exchanged), "{config:?}: {i} and {j}");
                if config.mode() != Mode::Och {
                    let mixed = [&other[..j * b], &sealed[j * b..]].concat();
                    assert!(refuses(&flex, told, AD, &mixed), "{config:?}: from {j} on");
                }
            }
        }
    }
}

/// The contents of full buffers when `open_into` refuses.
fn left(flex: &Flex, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let hidden = flex.config().hidden_bytes();
    let bytes = sealed.len() - flex.config().overhead_bytes();
    let bytes = flex.config().message_bytes(sealed.len() as u64).map_or(bytes, |b| b as usize);
    let (mut recovered, mut message) = (vec![0xaa; hidden], vec![0xaa; bytes]);
    let result = flex.open_into(nonce, ad, sealed, &mut recovered, &mut message);
    assert_eq!(result, Err(Error::Unauthentic));
    (recovered, message)
}

fn leaves_zeros(mode: Mode) {
    for profile in [Profile::S512, Profile::A512, Profile::K1600, Profile::S384] {
        for backend in [soft(), Backend::detect()] {
            for config in NONCES.map(|form| config(mode, profile, form)) {
                let flex = flex(backend, config);
                let nonce = nonce();
                let told = told(&config, &nonce);
                for length in shapes(&config).into_iter().chain([20 * profile.block_bytes()]) {
                    let sealed = flex.seal(&nonce, AD, &bytes(3, length)).expect("sealing");
                    let zeros = (vec![0; config.hidden_bytes()], vec![0; length]);
                    let name = format!("{config:?} on {}, {length} bytes", backend.name());
                    for at in [0, sealed.len() / 2, sealed.len() - 1] {
                        let forged = flipped(&sealed, at);
                        assert!(left(&flex, told, AD, &forged) == zeros, "{name}: byte {at}");
                    }
                    assert!(left(&flex, told, b"", &sealed) == zeros, "{name}: other data");
                    if config.hidden_bytes() > 0 {
                        let given = left(&flex, &nonce, AD, &sealed);
                        assert!(given == zeros, "{name}: a nonce that is hidden was given");
                    }
                }
            }
        }
    }
}

#[test]
fn refused_och_leaves_zeros() {
    leaves_zeros(Mode::Och);
}

#[test]
fn refused_civ_leaves_zeros() {
    leaves_zeros(Mode::Civ);
}

#[test]
fn refused_robust_leaves_zeros() {
    leaves_zeros(Mode::Robust);
}

#[test]
fn refused_robust_ae_leaves_zeros() {
    leaves_zeros(Mode::RobustAe);
}

/// Also what is too short to be anything, and the segments that were right.
#[test]
fn refused_streams_leave_zeros() {
    for mode in [Mode::Och, Mode::Civ] {
        let builder = Config::builder(mode).segment_bytes(256);
        let flex = flex(Backend::detect(), builder.build().expect("a stream"));
        let sealed = flex.seal(&[7; 24], AD, &bytes(3, 700)).expect("sealing");
        for at in [0, 300, sealed.len() - 1] {
            let zeros = (vec![], vec![0; 700]);
            assert!(left(&flex, &[7; 24], AD, &flipped(&sealed, at)) == zeros, "{mode:?}: {at}");
        }
        let mut message = [0xaa; 700];
        let cut = &sealed[..2 * 288 + 31];
        let refused = flex.open_into(&[7; 24], AD, cut, &mut [], &mut message);
        assert_eq!(refused, Err(Error::Unauthentic));
        assert_eq!(message, [0; 700]);
    }
}
