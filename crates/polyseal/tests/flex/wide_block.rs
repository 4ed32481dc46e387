//! The wide-block cipher: a permutation of strings of every length, in which each bit of the input
//! changes all of the output, and of which no part survives when two ciphertexts are mixed.

use std::collections::HashSet;

use polyseal::Error;
use polyseal::flex::{ConfigError, Mode, NonceForm, Profile};
use polyseal::hazmat::WideBlock;
use polyseal::testing::{Backend, wide_block_on};

use super::{config, flex, flipped, key, refuses};
use crate::common::{bytes, soft};

const NONCE: [u8; 24] = [7; 24];
const AD: &[u8] = b"sector 5";

fn wide(backend: Backend, profile: Profile, stretch: u8) -> WideBlock {
    let number = Profile::ALL.iter().position(|&p| p == profile).expect("a profile") as u8 + 1;
    let cfg = [3, 0, number, stretch, NONCE.len() as u8, 0, 0, 0];
    wide_block_on(backend, cfg, &key(), b"").expect("a key")
}

/// The names are the specification's configurations 22 and 23, and any other by its bytes.
#[test]
fn names_say_what_is_missing() {
    for (name, cfg) in [
        ("wide-block-robust-no-commitment", "03000110ffff0000"),
        ("wide-block-length-preserving-no-authenticity", "03000100ffff0000"),
        ("wide-block-no-commitment:cfg=0301050818000000", "0301050818000000"),
        ("wide-block-no-commitment:cfg=03000105ffff0000", "03000105ffff0000"),
        ("wide-block-no-authenticity:cfg=0300020018000000,allow-64-bit=1", "0300020018000000"),
    ] {
        let cipher = WideBlock::by_name(name, &key(), b"setup").expect(name);
        assert_eq!(hex::encode(cipher.config().to_bytes()), cfg);
        assert!(!cipher.config().commits());
    }
    let refused = |name: &str| WideBlock::by_name(name, &key(), b"").map(drop).expect_err(name);
    for name in ["", "wide-block", "flex-robust", "wide-block-robust-no-commitment "] {
        assert_eq!(refused(name), Error::UnknownAlgorithm, "{name}");
    }
    for name in [
        "wide-block-no-commitment",
        "wide-block-no-commitment:",
        "wide-block-no-commitment:cfg=0300010018000000",
        "wide-block-no-authenticity:cfg=0300010118000000",
        "wide-block-no-commitment:cfg=0300010818",
        "wide-block-no-commitment:cfg=0300010818000000,allow-64-bit=0",
        "wide-block-no-commitment:cfg=0300010818000000,key=32",
        "wide-block-robust-no-commitment:cfg=03000110ffff0000",
    ] {
        assert_eq!(refused(name), Error::Parameter, "{name}");
    }
    for (cfg, error) in [
        ("03040100ffff0000", ConfigError::Commits),
        ("0101012020000000", ConfigError::Commits),
        ("0300020018000000", ConfigError::SixtyFourBits("S256")),
    ] {
        assert_eq!(refused(&format!("wide-block-no-commitment:cfg={cfg}")), Error::Config(error));
    }
    let name = WideBlock::LENGTH_PRESERVING_NO_AUTHENTICITY;
    let short = WideBlock::by_name(name, &[7; 15], b"").map(drop);
    assert!(matches!(short, Err(Error::Range { what: "key", actual: 15, .. })));
}

fn encipher(cipher: &WideBlock, message: &[u8]) -> Vec<u8> {
    cipher.encipher(&NONCE, AD, message).expect("enciphering")
}

fn decipher(cipher: &WideBlock, sealed: &[u8]) -> Vec<u8> {
    cipher.decipher(&NONCE, AD, sealed).expect("deciphering").message.to_vec()
}

#[test]
fn short_strings_on_every_back_end() {
    for profile in Profile::ALL {
        for length in 0..=profile.block_bytes() + 1 {
            let message = bytes(1, length);
            let sealed = encipher(&wide(soft(), profile, 0), &message);
            assert_eq!(sealed.len(), length);
            for backend in Backend::available() {
                let (cipher, name) =
                    (wide(backend, profile, 0), format!("{length} on {}", backend.name()));
                assert_eq!(encipher(&cipher, &message), sealed, "{profile:?}: {name}");
                assert_eq!(decipher(&cipher, &sealed), message, "{profile:?}: {name}");
            }
        }
    }
}

#[test]
fn a_byte_has_256_images() {
    for profile in Profile::ALL {
        let cipher = wide(Backend::detect(), profile, 0);
        let images: HashSet<_> = (0..=255).map(|x| encipher(&cipher, &[x])).collect();
        assert_eq!(images.len(), 256, "{profile:?}");
        assert!(images.iter().all(|image| encipher(&cipher, &decipher(&cipher, image)) == *image));
        let fixed = (0..=255).filter(|&x| encipher(&cipher, &[x]) == [x]).count();
        assert!(fixed < 12, "{profile:?}: {fixed} bytes stay");
    }
}

#[test]
fn two_bytes_have_65536_images() {
    let cipher = wide(Backend::detect(), Profile::S512, 0);
    let mut seen = vec![false; 1 << 16];
    for x in 0..=u16::MAX {
        let image = encipher(&cipher, &x.to_le_bytes());
        let image = u16::from_le_bytes([image[0], image[1]]);
        assert!(!std::mem::replace(&mut seen[usize::from(image)], true), "{image} twice");
    }
}

/// Five standard deviations, which are √n / 2 of n independent bits: it can fail from 26 bits on.
fn is_about_half(one: &[u8], other: &[u8]) -> bool {
    assert!(one.len() >= SHORTEST, "too few bits to say anything");
    let differ: u32 = one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
    let bits = 8.0 * one.len() as f64;
    (f64::from(differ) - bits / 2.0).abs() < 2.5 * bits.sqrt()
}

/// The shortest block of which half must change.
const SHORTEST: usize = 8;

/// A bit of the input, anywhere, changes half of the bits of each block of the output, both ways.
#[test]
fn every_bit_changes_everything() {
    for profile in Profile::ALL {
        let (cipher, b) = (wide(Backend::detect(), profile, 0), profile.block_bytes());
        for length in [b / 2, b - 1, b, b + 1, 2 * b, 5 * b + 9, 20 * b + b - 1] {
            let message = bytes(1, length);
            let (sealed, opened) = (encipher(&cipher, &message), decipher(&cipher, &message));
            for at in (0..length).step_by(1 + length / 40).chain([length - 1]) {
                let changed = flipped(&message, at);
                for (one, other) in
                    [(&sealed, encipher(&cipher, &changed)), (&opened, decipher(&cipher, &changed))]
                {
                    let long = |block: &&[u8]| block.len() >= SHORTEST;
                    for (one, other) in one.chunks(b).filter(long).zip(other.chunks(b)) {
                        let name = format!("{profile:?}: {length} bytes, byte {at}");
                        assert!(is_about_half(one, other), "{name}");
                    }
                }
            }
        }
    }
}

/// Blocks that are in the same place in `text` as in one of `messages`, or anywhere else.
fn survivors(text: &[u8], messages: &[Vec<u8>], block: usize) -> usize {
    let known: HashSet<_> = messages.iter().flat_map(|m| m.chunks_exact(block)).collect();
    text.chunks_exact(block).filter(|text| known.contains(text)).count()
}

/// All mixtures of the blocks of two ciphertexts of nearly one message, both ways.
#[test]
fn no_block_survives_a_mixture() {
    for profile in Profile::ALL {
        let (cipher, b) = (wide(Backend::detect(), profile, 0), profile.block_bytes());
        for blocks in [3, 5, 8] {
            for changed in [0, blocks / 2, blocks - 1] {
                let one = bytes(1, blocks * b);
                let messages = [one.clone(), flipped(&one, changed * b + 3)];
                let sealed = messages.each_ref().map(|m| encipher(&cipher, m));
                let opened = messages.each_ref().map(|m| decipher(&cipher, m));
                for choice in 1..(1_u32 << blocks) - 1 {
                    let mix = |of: &[Vec<u8>; 2]| -> Vec<u8> {
                        let part = |i: usize| &of[(choice >> i & 1) as usize][i * b..][..b];
                        (0..blocks).flat_map(|i| part(i).iter().copied()).collect()
                    };
                    let name = format!("{profile:?}: {choice:b} of {blocks}, {changed} changed");
                    let back = decipher(&cipher, &mix(&sealed));
                    assert_eq!(survivors(&back, &messages, b), 0, "{name}");
                    let on = encipher(&cipher, &mix(&opened));
                    assert_eq!(survivors(&on, &messages, b), 0, "{name}, the other way");
                }
            }
        }
    }
}

/// Halves that are cut where the masks are fresh, and around it.
#[test]
fn no_block_survives_across_the_groups() {
    for profile in [Profile::S512, Profile::S256, Profile::K1600, Profile::S384] {
        let (cipher, b) = (wide(Backend::detect(), profile, 0), profile.block_bytes());
        for length in [131 * b, 131 * b + 5, 258 * b + 31] {
            let one = bytes(1, length);
            for changed in [0, 64 * b, 128 * b, 129 * b, 130 * b, length - 1] {
                let messages = [one.clone(), flipped(&one, changed)];
                let [first, second] = messages.each_ref().map(|m| encipher(&cipher, m));
                let name = format!("{profile:?}: {length} bytes, byte {changed} changed");
                assert_eq!(survivors(&first, std::slice::from_ref(&second), b), 0, "{name}");
                for at in [1, 2, 64, 127, 128, 129, 130] {
                    let mixed = [&first[..at * b], &second[at * b..]].concat();
                    let back = decipher(&cipher, &mixed);
                    assert_eq!(survivors(&back, &messages, b), 0, "{name}: mixed at {at}");
                }
            }
        }
    }
}

/// With its tag, a mixture is refused as well.
#[test]
fn the_committing_tag_refuses_mixtures() {
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        let flex = flex(Backend::detect(), config(Mode::Robust, profile, NonceForm::Public(24)));
        for blocks in [2, 5, 8, 131] {
            let one = bytes(1, blocks * b);
            let seal = |message: &[u8]| flex.seal(&NONCE, AD, message).expect("sealing");
            let (first, second) = (seal(&one), seal(&flipped(&one, blocks * b - 1)));
            for at in 1..=blocks {
                let mixed = [&first[..at * b], &second[at * b..]].concat();
                assert!(refuses(&flex, &NONCE, AD, &mixed), "{profile:?}: {at} of {blocks}");
            }
        }
    }
}

/// So many zeros as the configuration says are looked at, and no others.
#[test]
fn the_stretch_is_counted() {
    for profile in Profile::ALL {
        for stretch in [1, 16, 255] {
            let cipher = wide(Backend::detect(), profile, stretch);
            let short = usize::from(stretch);
            for length in [0, 1, 20, profile.block_bytes(), 3 * profile.block_bytes() + 1] {
                let message = vec![0; length];
                let sealed = encipher(&cipher, &message);
                assert_eq!(sealed.len(), length + short);
                assert_eq!(decipher(&cipher, &sealed), message, "{profile:?}: {stretch}");
            }
            for length in 0..short {
                let refused = cipher.decipher(&NONCE, AD, &vec![0; length]);
                assert_eq!(refused.map(drop), Err(Error::Unauthentic), "{profile:?}: {length}");
            }
        }
    }
}

/// A stretch of λ bytes refuses all but one in 2^(8λ); each of its bytes counts.
#[test]
fn the_stretch_refuses() {
    for profile in [Profile::S512, Profile::S256] {
        let tried = 16 * 256_u32;
        let accepted = |stretch: u8| {
            let cipher = wide(Backend::detect(), profile, stretch);
            let opens = |i: &u32| {
                let sealed = bytes((*i).into(), 100);
                cipher.decipher(&NONCE, AD, &sealed).is_ok()
            };
            (0..tried).filter(opens).count()
        };
        assert_eq!(accepted(0), tried as usize, "{profile:?}");
        // 16 are to be expected.
        assert!((3..40).contains(&accepted(1)), "{profile:?}: {}", accepted(1));
        assert_eq!(accepted(3), 0, "{profile:?}");

        let cipher = wide(Backend::detect(), profile, 16);
        let sealed = encipher(&cipher, &bytes(1, 50));
        for at in 0..sealed.len() {
            let refused = cipher.decipher(&NONCE, AD, &flipped(&sealed, at));
            assert_eq!(refused.map(drop), Err(Error::Unauthentic), "{profile:?}: {at}");
        }
    }
}

/// Nonce and associated data are tweaks, and the key counts.
#[test]
fn every_tweak_is_another_cipher() {
    let cipher = wide(Backend::detect(), Profile::S512, 0);
    for length in [1, 2, 17, 64, 200] {
        let message = bytes(1, length);
        let sealed = encipher(&cipher, &message);
        let contexts = [
            cipher.encipher(&[8; 24], AD, &message),
            cipher.encipher(&NONCE, b"sector 6", &message),
            cipher.encipher(&NONCE, b"", &message),
        ];
        let others = contexts.map(|other| other.expect("enciphering"));
        let differ = others.iter().filter(|other| **other != sealed).count();
        // Single bytes may well be alike.
        assert!(differ == 3 || length == 1, "{length}");
        assert!(length < 17 || others.iter().all(|other| is_about_half(other, &sealed)));
    }
}
