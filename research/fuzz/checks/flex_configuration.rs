//! Any configuration of Flex, under any key: eight bytes, a name and the builder's choices say the
//! same; what is sealed is the same on every back end and by every interface, opens, and is refused
//! after any change.

use polyseal::Error;
use polyseal::any::AnyAead;
use polyseal::flex::{Builder, Config, ConfigError, Flex, Mode, NonceForm, Profile, SetupHash};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, flex_on, wide_block_on};

use super::input::Bytes;

/// A configuration, and what is done under it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) config: [u8; 8],
    /// Whether the bytes are taken as they are, or made to keep most of the rules.
    pub(crate) as_they_are: bool,
    /// The lengths of key, setup associated data, nonce (if it may have any), associated data and
    /// message, as far as there may be so many.
    pub(crate) lengths: [u16; 5],
    /// The byte that all of them are filled with.
    pub(crate) seed: u8,
    /// Which bit of the ciphertext is flipped.
    pub(crate) flip: u16,
}

impl Case {
    pub(crate) fn from_input(input: &[u8]) -> Self {
        let mut input = Bytes(input);
        let [shape, seed, config @ ..] = input.array::<10>();
        let lengths = [(); 5].map(|()| input.number());
        Self { config, as_they_are: shape % 4 == 0, lengths, seed, flip: input.number() }
    }

    fn config(&self) -> [u8; 8] {
        if self.as_they_are {
            return self.config;
        }
        let [mode, mut flags, profile, tag, nl0, nl1, log2, _] = self.config;
        let (mode, profile) = (mode % 3 + 1, profile % 8);
        let chosen = Profile::ALL[usize::from(profile)];
        // Segments have public nonces; a tag that commits is a choice with ROBUST only.
        flags &= if mode == 3 { 7 } else { 11 };
        flags &= if flags & 8 != 0 { 10 } else { 7 };
        let nl = u16::from_le_bytes([nl0, nl1]);
        let [nl0, nl1] = match flags & 1 != 0 {
            true => nl % chosen.block_bytes() as u16,
            false if nl % 4 == 0 => u16::MAX,
            false => nl % 1025,
        }
        .to_le_bytes();
        let tag = if mode == 3 { tag } else { 16 + tag % (chosen.tag_bytes() as u8 - 15) };
        let log2 = if flags & 8 != 0 { 8 + log2 % 3 } else { 0 };
        [mode, flags, profile + 1, tag, nl0, nl1, log2, 0]
    }

    /// `count` bytes, others for each `which`.
    fn bytes(&self, which: u8, count: usize) -> Vec<u8> {
        let step = 2 * which + 1;
        (0..count)
            .map(|i| self.seed.wrapping_add(step.wrapping_mul(i as u8)) ^ (i >> 8) as u8)
            .collect()
    }

    fn length(&self, which: usize, most: usize) -> usize {
        usize::from(self.lengths[which]) % (most + 1)
    }
}

/// The parts of a case.
struct Parts {
    key: Vec<u8>,
    setup_ad: Vec<u8>,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    message: Vec<u8>,
}

pub(crate) fn check(case: &Case) {
    let bytes = case.config();
    let built = Builder::from_bytes(bytes).and_then(|builder| builder.allow_64_bits().build());
    let level = match Config::from_bytes(bytes) {
        Err(ConfigError::SixtyFourBits(_)) => built,
        same => same,
    };
    assert_eq!(level, built);
    let parts = |config: &Config| Parts {
        key: case.bytes(0, 16 + case.length(0, 1008)),
        setup_ad: case.bytes(1, case.length(1, 600)),
        nonce: {
            let (shortest, longest) = config.nonce_range().into_inner();
            case.bytes(2, case.length(2, 300).clamp(shortest, longest))
        },
        ad: case.bytes(3, case.length(3, 600)),
        message: case.bytes(4, case.length(4, 1300)),
    };
    match built {
        Ok(config) => {
            assert_eq!(config.to_bytes(), bytes);
            described(&config);
            sealed(case, &config, &parts(&config));
        }
        Err(ConfigError::NotCommitting) => enciphered(bytes, parts),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The builder's choices and a name come to the same.
fn described(config: &Config) {
    let mut builder = Config::builder(config.mode())
        .profile(config.profile())
        .nonce(config.nonce())
        .allow_64_bits();
    builder = match (config.mode(), config.stretch_bytes()) {
        (Mode::Robust, 0) => builder,
        (Mode::Robust, stretch) => builder.stretch_bytes(stretch),
        _ => builder.tag_bytes(config.tag_bytes()),
    };
    if let Some(bytes) = config.segment_bytes() {
        builder = builder.segment_bytes(bytes);
    }
    if config.prehashes_setup_ad() {
        builder = builder.prehash_setup_ad();
    }
    assert_eq!(builder.build(), Ok(*config));

    let algorithm = named(config);
    assert_eq!(Config::from_algorithm(&algorithm), Some(*config), "{algorithm}");
    assert_eq!(algorithm.to_string().parse(), Ok(algorithm), "{algorithm}");
    let bytes: Vec<String> = config.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("flex:allow-64-bit=1,cfg={}", bytes.concat());
    assert_eq!(
        text.parse::<Algorithm>().map(|a| Config::from_algorithm(&a)),
        Ok(Some(*config)),
        "{text}"
    );
}

fn named(config: &Config) -> Algorithm {
    let algorithm: Algorithm = "flex".parse().expect("a name");
    let cfg = u64::from_be_bytes(config.to_bytes());
    match algorithm.with("cfg", cfg) {
        Ok(algorithm) => algorithm,
        Err(_) => {
            let allowed = algorithm.with("allow-64-bit", 1).expect("a parameter");
            allowed.with("cfg", cfg).expect("a configuration")
        }
    }
}

fn sealed(case: &Case, config: &Config, parts: &Parts) {
    let Parts { key, setup_ad, nonce, ad, message } = parts;
    let told: &[u8] = if config.hidden_bytes() > 0 { &[] } else { nonce };
    let flex = Flex::init(*config, key, setup_ad).expect("a key");
    let sealed = flex.seal(nonce, ad, message).expect("sealing");
    let length = sealed.len() as u64;
    assert_eq!(config.ciphertext_bytes(message.len() as u64), Some(length));
    assert_eq!(config.message_bytes(length), Some(message.len() as u64));

    // Every back end, and all interfaces.
    for backend in Backend::available() {
        let flex = flex_on(backend, *config, key, setup_ad).expect("a key");
        assert_eq!(flex.seal(nonce, ad, message).as_ref(), Ok(&sealed), "on {}", backend.name());
        opens(&flex, told, parts, &sealed);
    }
    let mut into = vec![0xee; sealed.len()];
    flex.seal_into(nonce, ad, message, &mut into).expect("sealing");
    assert_eq!(into, sealed);
    let (mut recovered, mut opened) =
        (vec![0xee; config.hidden_bytes()], vec![0xee; message.len()]);
    flex.open_into(told, ad, &sealed, &mut recovered, &mut opened).expect("opening");
    assert!(opened == *message && (told == nonce || recovered == *nonce));
    let prepared = flex.with_ad(ad).expect("associated data");
    assert_eq!(prepared.seal(nonce, message).as_ref(), Ok(&sealed));
    assert_eq!(*prepared.open(told, &sealed).expect("opening").message, *message);
    if config.prehashes_setup_ad() {
        let hash = SetupHash::new(config.profile(), setup_ad).expect("a hash");
        let prehashed = Flex::init_prehashed(*config, key, &hash).expect("a key");
        assert_eq!(prehashed.seal(nonce, ad, message).as_ref(), Ok(&sealed));
    }
    by_name(config, parts, &sealed);
    if config.segment_bytes().is_some() {
        in_segments(&flex, parts, &sealed);
    }
    random_nonce(&flex, ad, message);

    // Whatever else is opened, or opened with, is refused.
    let refuses = |flex: &Flex, nonce: &[u8], ad: &[u8], sealed: &[u8], what: &str| {
        let error = flex.open(nonce, ad, sealed).map(|_| ());
        assert_eq!(error, Err(Error::Unauthentic), "{what}");
    };
    let mut forged = sealed.clone();
    let at = usize::from(case.flip / 8) % forged.len();
    forged[at] ^= 1 << (case.flip % 8);
    refuses(&flex, told, ad, &forged, "a bit");
    refuses(&flex, told, ad, &sealed[..sealed.len() - 1], "cut");
    refuses(&flex, told, ad, &[&sealed[..], &[0]].concat(), "longer");
    refuses(&flex, told, &[ad, &[0][..]].concat(), &sealed, "more associated data");
    if let Some((last, before)) = ad.split_last() {
        refuses(&flex, told, &[before, &[last ^ 1]].concat(), &sealed, "other associated data");
    }
    if config.hidden_bytes() > 0 {
        refuses(&flex, nonce, ad, &sealed, "a nonce beside the hidden one");
    } else if let Some((last, before)) = nonce.split_last() {
        refuses(&flex, &[before, &[last ^ 0x80]].concat(), ad, &sealed, "another nonce");
    }
    let mut other = key.clone();
    other[usize::from(case.flip) % key.len()] ^= 1;
    let flex = Flex::init(*config, &other, setup_ad).expect("a key");
    refuses(&flex, told, ad, &sealed, "another key");
    let flex = Flex::init(*config, key, &[setup_ad, &[0][..]].concat()).expect("a key");
    refuses(&flex, told, ad, &sealed, "other setup associated data");
}

fn opens(flex: &Flex, told: &[u8], parts: &Parts, sealed: &[u8]) {
    let opened = flex.open(told, &parts.ad, sealed).expect("opening");
    assert!(*opened.message == parts.message && opened.nonce == parts.nonce);
}

/// By name it is the same, with the lengths that names have.
fn by_name(config: &Config, parts: &Parts, sealed: &[u8]) {
    let Parts { key, setup_ad, nonce, ad, message } = parts;
    let algorithm = named(config).with("nonce", nonce.len() as u64);
    let Ok(algorithm) = algorithm.and_then(|algorithm| algorithm.with("key", key.len() as u64))
    else {
        return;
    };
    let aead = AnyAead::with_setup_ad(&algorithm, key, setup_ad).expect("a key");
    assert_eq!(aead.seal(nonce, ad, message).as_deref(), Ok(sealed), "{algorithm}");
    assert_eq!(aead.open(nonce, ad, sealed).as_ref(), Ok(message), "{algorithm}");
}

/// Segment by segment it is the same, forwards and backwards; and none opens in another's place.
fn in_segments(flex: &Flex, parts: &Parts, sealed: &[u8]) {
    let Parts { nonce, ad, message, .. } = parts;
    let segment = flex.config().segment_bytes().expect("segments");
    let unit = segment + flex.config().overhead_bytes();
    let count = sealed.len().div_ceil(unit);
    let (before, last) = message.split_at((count - 1) * segment);
    let mut sealer = flex.seal_segments(nonce, ad).expect("a sealer");
    let mut pieces: Vec<u8> =
        before.chunks(segment).flat_map(|piece| sealer.next(piece).expect("a segment")).collect();
    pieces.extend(sealer.last(last).expect("the last segment"));
    assert_eq!(pieces, sealed);
    let opener = flex.open_segments(nonce, ad).expect("an opener");
    for (i, piece) in sealed.chunks(unit).enumerate().rev() {
        let (index, is_last) = (i as u64, i + 1 == count);
        let opened = opener.open(index, is_last, piece).expect("a segment");
        let plain = &message[i * segment..];
        assert_eq!(*opened, plain[..plain.len().min(segment)]);
        for (index, is_last) in [(index, !is_last), (index + 1, is_last)] {
            let elsewhere = opener.open(index, is_last, piece).map(|_| ());
            assert_eq!(elsewhere, Err(Error::Unauthentic));
        }
    }
}

fn random_nonce(flex: &Flex, ad: &[u8], message: &[u8]) {
    match flex.seal_random_nonce(ad, message) {
        Ok(sealed) => {
            let opened = flex.open_random_nonce(ad, &sealed).expect("opening");
            assert_eq!(*opened.message, *message);
        }
        Err(error) => {
            assert!(matches!(error, Error::FewRandomNonces { .. }));
            let short = match flex.config().nonce() {
                NonceForm::Hidden(bytes) | NonceForm::Public(bytes) => bytes < 16,
                _ => false,
            };
            assert!(short, "{error}");
        }
    }
}

/// A configuration that does not commit has no tag; all back ends give the same.
fn enciphered(bytes: [u8; 8], parts: impl Fn(&Config) -> Parts) {
    let mut sealed: Option<Vec<u8>> = None;
    for backend in Backend::available() {
        let cipher = wide_block_on(backend, bytes, &[7; 32], b"setup").expect("a key");
        assert_eq!(cipher.config().to_bytes(), bytes);
        let Parts { nonce, ad, message, .. } = parts(cipher.config());
        let here = cipher.encipher(&nonce, &ad, &message).expect("enciphering");
        let told: &[u8] = if cipher.config().hidden_bytes() > 0 { &[] } else { &nonce };
        let opened = cipher.decipher(told, &ad, &here).expect("deciphering");
        assert!(*opened.message == message && opened.nonce == nonce);
        assert_eq!(*sealed.get_or_insert_with(|| here.clone()), here, "on {}", backend.name());
    }
}
