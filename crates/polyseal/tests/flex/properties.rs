//! Properties that hold for every input, on inputs that nobody chose.

use polyseal::Error;
use polyseal::flex::{NonceForm, Profile};
use polyseal::testing::Backend;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::proptest;

use super::{Cipher, MODES, flipped, key, told};
use crate::common::{bytes, soft};

/// Any configuration at all, by its bytes, which may be invalid.
fn fields() -> impl Strategy<Value = [u8; 8]> {
    let nl = prop_oneof![0..70_u16, Just(1024), Just(u16::MAX), any::<u16>()];
    let aux = prop_oneof![3 => Just(0_u16), 2 => 8..25_u16, 1 => any::<u16>()];
    let tl = prop_oneof![16..33_u8, any::<u8>()];
    (0..5_u8, 0..17_u8, 0..10_u8, tl, nl, aux).prop_map(|(mode, flags, profile, tl, nl, aux)| {
        let ([n0, n1], [a0, a1]) = (nl.to_le_bytes(), aux.to_le_bytes());
        [mode, flags, profile, tl, n0, n1, a0, a1]
    })
}

/// A valid one, committing or not.
fn configuration() -> impl Strategy<Value = [u8; 8]> {
    let mode = 1..4_u8;
    (mode, 0..16_u8, 0..8_usize, any::<u8>(), any::<u16>(), 8..13_u8).prop_map(
        |(mode, mut flags, profile, tl, nl, log2)| {
            let p = Profile::ALL[profile];
            flags &= if mode == 3 { 7 } else { 11 };
            if flags & 8 != 0 {
                flags &= !1;
            }
            let tl = match mode {
                3 => tl,
                _ => 16 + tl % (p.tag_bytes() as u8 - 15),
            };
            let nl = match (flags & 1 != 0, nl % 4) {
                (true, _) => nl % (p.block_bytes() as u16 - 8) + 8,
                (false, 0) => u16::MAX,
                (false, _) => 8 + nl % 1017,
            };
            let aux = if flags & 8 != 0 { log2 } else { 0 };
            let [n0, n1] = nl.to_le_bytes();
            [mode, flags, profile as u8 + 1, tl, n0, n1, aux, 0]
        },
    )
}

fn nonce(cipher: &Cipher, seed: u64, free: usize) -> Vec<u8> {
    let (shortest, longest) = cipher.config().nonce_range().into_inner();
    bytes(seed, free.clamp(shortest, longest))
}

proptest! {
    /// Eight bytes are a configuration and come back, or are invalid and say why.
    #[test]
    fn any_eight_bytes(cfg in fields(), noise: [u8; 8]) {
        for cfg in [cfg, noise] {
            match super::from_bytes(cfg) {
                Ok(config) => assert_eq!(config.to_bytes(), cfg),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }

    /// The portable back end is the meaning of all; and each opens what the others sealed.
    #[test]
    fn back_ends_agree(
        cfg in configuration(),
        seed: u32,
        (key_bytes, setup_bytes, ad_bytes) in (16..300_usize, 0..600_usize, 0..1200_usize),
        (nonce_bytes, message_bytes) in (0..300_usize, 0..2500_usize),
    ) {
        let seed = u64::from(seed);
        let (key, setup_ad) = (bytes(seed, key_bytes), bytes(seed + 1, setup_bytes));
        let (ad, message) = (bytes(seed + 2, ad_bytes), bytes(seed + 3, message_bytes));
        let portable = Cipher::on(soft(), cfg, &key, &setup_ad);
        let nonce = nonce(&portable, seed + 4, nonce_bytes);
        let sealed = portable.seal(&nonce, &ad, &message).expect("sealing");
        let length = portable.config().ciphertext_bytes(message.len() as u64);
        assert_eq!(length, Some(sealed.len() as u64));
        for backend in Backend::available() {
            let name = format!("{cfg:02x?} on {}", backend.name());
            let cipher = Cipher::on(backend, cfg, &key, &setup_ad);
            assert_eq!(cipher.seal(&nonce, &ad, &message).as_ref(), Ok(&sealed), "{name}");
            cipher.opens_to(&nonce, &ad, &sealed, &message, &name);
        }
    }

    /// Whatever is done to a ciphertext: it is refused, or it is what its message is sealed to.
    #[test]
    fn only_what_was_sealed_opens(
        cfg in configuration(),
        seed: u32,
        message_bytes in 0..700_usize,
        (at, cut, more) in (any::<u16>(), 0..80_usize, 0..80_usize),
    ) {
        let cipher = Cipher::on(Backend::detect(), cfg, &key(), b"");
        let seed = u64::from(seed);
        let (nonce, message) = (nonce(&cipher, seed, 24), bytes(seed + 1, message_bytes));
        let sealed = cipher.seal(&nonce, b"ad", &message).expect("sealing");
        let mut changed = sealed.clone();
        changed.truncate(sealed.len().saturating_sub(cut));
        changed.extend(bytes(seed + 2, more));
        if !changed.is_empty() {
            changed = flipped(&changed, usize::from(at) % changed.len());
        }
        match cipher.open(&nonce, b"ad", &changed) {
            Ok((opened, recovered)) => {
                let config = cipher.config();
                assert!(changed == sealed || !config.commits() && config.stretch_bytes() < 8);
                let again = cipher.seal(&recovered, b"ad", &opened);
                assert_eq!(again, Ok(changed), "{cfg:02x?}");
            }
            Err(error) => {
                assert_eq!(error, Error::Unauthentic);
                assert_ne!(changed, sealed, "{cfg:02x?}");
            }
        }
    }

    /// Without a stretch every string opens: a permutation, there and back.
    #[test]
    fn every_string_is_somethings_ciphertext(
        profile in 1..9_u8,
        hashed: bool,
        seed: u32,
        length in prop_oneof![0..200_usize, 0..3000_usize],
    ) {
        let cfg = [3, 2 * u8::from(hashed), profile, 0, 24, 0, 0, 0];
        let sealed = bytes(seed.into(), length);
        for backend in [soft(), Backend::detect()] {
            let cipher = Cipher::on(backend, cfg, &key(), b"setup");
            let (message, _) = cipher.open(&[7; 24], b"ad", &sealed).expect("any string");
            assert_eq!(message.len(), length);
            assert!(cipher.seal(&[7; 24], b"ad", &message).as_ref() == Ok(&sealed), "{cfg:02x?}");
        }
    }

    /// With a stretch of a byte, one in 256 opens, and it is the ciphertext of the text to which it
    /// opens.
    #[test]
    fn what_is_accepted_is_sealed_to_itself(profile in 1..9_u8, seed: u32, length in 1..400_usize) {
        let cfg = [3, 0, profile, 1, 24, 0, 0, 0];
        let cipher = Cipher::on(Backend::detect(), cfg, &key(), b"");
        for i in 0..16 {
            let sealed = bytes(u64::from(seed) + (i << 33), length);
            if let Ok((message, _)) = cipher.open(&[7; 24], b"ad", &sealed) {
                assert_eq!(cipher.seal(&[7; 24], b"ad", &message), Ok(sealed));
            }
        }
    }

    /// The interface without vectors computes the same, over what is in the buffers.
    #[test]
    fn buffers_are_overwritten(cfg in configuration(), message_bytes in 0..700_usize, fill: u8) {
        let Cipher::Aead(flex) = Cipher::on(Backend::detect(), cfg, &key(), b"") else {
            return Ok(());
        };
        let (config, nonce) = (*flex.config(), bytes(1, *flex.config().nonce_range().start()));
        let message = bytes(2, message_bytes);
        let sealed = flex.seal(&nonce, b"ad", &message).expect("sealing");
        let mut ciphertext = vec![fill; sealed.len()];
        flex.seal_into(&nonce, b"ad", &message, &mut ciphertext).expect("sealing");
        assert!(ciphertext == sealed, "{cfg:02x?}");
        let mut recovered = vec![fill; config.hidden_bytes()];
        let mut opened = vec![fill; message_bytes];
        let told = told(&config, &nonce);
        flex.open_into(told, b"ad", &sealed, &mut recovered, &mut opened).expect("opening");
        assert_eq!(opened, message, "{cfg:02x?}");
        assert!(config.hidden_bytes() == 0 || recovered == nonce, "{cfg:02x?}");
    }

    /// Refusals do not depend on how a nonce is hidden.
    #[test]
    fn noise_is_refused(noise in proptest::collection::vec(any::<u8>(), 0..300), hidden: bool) {
        for mode in MODES {
            let form = if hidden { NonceForm::Hidden(8) } else { NonceForm::Public(8) };
            let config = super::config(mode, Profile::S512, form);
            let flex = super::flex(Backend::detect(), config);
            assert!(super::refuses(&flex, told(&config, &[7; 8]), b"", &noise), "{mode:?}");
        }
    }
}

/// The strategy above makes all kinds.
#[test]
fn the_configurations_are_valid_and_various() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut kinds = std::collections::HashSet::new();
    for _ in 0..2000 {
        let cfg = configuration().new_tree(&mut runner).expect("a tree").current();
        Cipher::on(Backend::detect(), cfg, &key(), b"");
        kinds.insert([cfg[0], cfg[1], cfg[2]]);
    }
    // Flags: two for streams, four and eight otherwise; eight profiles.
    assert_eq!(kinds.len(), 8 * (2 * 6 + 8));
}
