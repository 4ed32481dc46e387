//! Flex's keys are gone with their owner, those of messages too; unverified plaintext is gone at
//! once.
//!
//! The secrets are computed here, on the permutation alone: the subkeys, a context's key K1', Δ,
//! and a block's mask.

use polyseal::Error;
use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce};
use polyseal::flex::{
    Config, FlexAead, FlexCivPublic, FlexOchPublic, FlexRobust, Mode, NonceForm, Preset, Profile,
};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, Direction, Permutation, Width, aead_on, flex_on, wide_block_on};

use super::{
    BESIDE_AN_EXPANDED_KEY, KEY, Remains, SECRET, Sought, WATCH, clear_the_stack, leaves,
    remains_of, wiped,
};

const AD: &[u8] = b"ad";
const NONCE: [u8; 24] = [9; 24];

fn xor(x: &[u8], y: &[u8]) -> Vec<u8> {
    x.iter().zip(y).map(|(x, y)| x ^ y).collect()
}

/// `x`, then zeros.
fn padded(mut x: Vec<u8>, count: usize) -> Vec<u8> {
    x.resize(count, 0);
    x
}

/// π of one block.
fn permute(profile: Profile, block: &[u8]) -> Vec<u8> {
    let name = match profile {
        Profile::S512 => 2,
        Profile::S256 => 0,
        Profile::S1024 => 3,
        Profile::S384 => 1,
        Profile::A512 => 5,
        Profile::A256 => 4,
        Profile::K1600 => 6,
        _ => 7,
    };
    let permutation = Permutation::ALL[name];
    assert_eq!(permutation.bytes, profile.block_bytes());
    let mut block = block.to_vec();
    permutation.apply(Backend::detect(), Direction::Forward, Width::One, &mut block);
    block
}

/// seq of the specification, section 3, for 1 to 255 bytes.
fn seq(profile: Profile, h: &[u8], domain: u8, input: &[u8], count: usize) -> Vec<u8> {
    let (b, t) = (profile.block_bytes(), profile.tag_bytes());
    let (r, mut h) = (b - t, h.to_vec());
    let text = padded(input.to_vec(), (input.len() + 3).next_multiple_of(r) - 3);
    let length = u8::try_from(input.len()).expect("a byte");
    let mut output = vec![];
    let (first, last) = text.split_at(text.len() - (r - 3));
    for block in first.chunks(r) {
        h = xor(&permute(profile, &[&h[..], block].concat())[..t], &h);
    }
    h = xor(&h, &[0x5c; 32]);
    for c in 0.. {
        let block = [&h[..], last, &[length, c, 16 * domain + 1]].concat();
        output.extend(xor(&permute(profile, &block), &block));
        if output.len() >= count {
            break;
        }
    }
    output.truncate(count);
    output
}

/// p ⊗ L.
fn times(profile: Profile, p: u8, l: &[u8]) -> Vec<u8> {
    let exponents: [usize; 4] = match profile {
        Profile::S512 | Profile::A512 => [8, 5, 2, 0],
        Profile::S256 | Profile::A256 => [10, 5, 2, 0],
        Profile::S1024 => [19, 6, 1, 0],
        Profile::S384 => [12, 3, 2, 0],
        Profile::K1600 => [14, 11, 1, 0],
        _ => [4, 3, 1, 0],
    };
    let (mut sum, mut multiple) = (vec![0; l.len()], l.to_vec());
    for b in 0..8 {
        if p >> b & 1 == 1 {
            sum = xor(&sum, &multiple);
        }
        let carries: Vec<_> = multiple.iter().map(|x| x >> 7).collect();
        multiple = multiple.iter().map(|x| x << 1).collect();
        for at in 1..l.len() {
            multiple[at] |= carries[at - 1];
        }
        for exponent in exponents {
            multiple[exponent / 8] ^= carries[l.len() - 1] << (exponent % 8);
        }
    }
    sum
}

/// The secrets that nobody may find.
struct Secrets {
    profile: Profile,
    /// K1, K2 and K3.
    subkeys: Vec<u8>,
    l: Vec<u8>,
}

impl Secrets {
    /// The secrets of [`KEY`], without setup associated data.
    fn new(config: &Config) -> Self {
        let profile = config.profile();
        let t = profile.tag_bytes();
        let r = profile.block_bytes() - t;
        let iv = padded([b"Flex-1:", profile.name().as_bytes()].concat(), t);
        let key = padded(KEY.to_vec(), KEY.len().next_multiple_of(r));
        let input = [&key[..], &config.to_bytes(), &[KEY.len() as u8, 0]].concat();
        let subkeys = seq(profile, &iv, 1, &input, 3 * t);
        let l = seq(profile, &subkeys[t..2 * t], 4, &subkeys[2 * t..], profile.block_bytes());
        Self { profile, subkeys, l }
    }

    fn k1(&self) -> &[u8] {
        &self.subkeys[..self.profile.tag_bytes()]
    }

    /// K1' of [`AD`], and of [`NONCE`] if it is public.
    fn context(&self, hidden: bool) -> Vec<u8> {
        let t = self.profile.tag_bytes();
        match hidden {
            true => seq(self.profile, self.k1(), 2, AD, t),
            false => seq(self.profile, self.k1(), 3, &[AD, &NONCE].concat(), t),
        }
    }

    /// D of (0, j) without Δ.
    fn d(&self, context: &[u8], j: u8) -> Vec<u8> {
        let context = padded(context.to_vec(), self.l.len());
        xor(&times(self.profile, j, &self.l), &context)
    }

    /// Δ of OCH with `nonce` hidden.
    fn delta(&self, context: &[u8], nonce: &[u8]) -> Vec<u8> {
        let d = self.d(context, 12);
        let x = padded([nonce, &[0x80]].concat(), d.len());
        xor(&permute(self.profile, &xor(&x, &d)), &d)
    }

    /// Pieces as long as what is moved at once: vectors, or for Keccak-p and Ascon-p words.
    fn pieces<'s>(&self, secrets: &[&'s [u8]]) -> Vec<&'s [u8]> {
        let bytes = if matches!(self.profile, Profile::K1600 | Profile::As320) { 8 } else { 16 };
        secrets.iter().flat_map(|secret| secret.chunks_exact(bytes)).collect()
    }
}

/// The values computed here are those that the specification prints.
#[test]
fn the_secrets_are_flexs() {
    let key: Vec<u8> = (0..32).collect();
    let cfg = [1, 1, 1, 32, 12, 0, 0, 0];
    let iv = padded(b"Flex-1:S512".to_vec(), 32);
    let input = [&key[..], &cfg, &[32, 0]].concat();
    let k1 = "d2fa8b17f7dcb02a8390148b5a2dbf42de6d5e2276598dbacf81fcbae92d5bf0";
    assert_eq!(hex::encode(seq(Profile::S512, &iv, 1, &input, 32)), k1);
    for profile in Profile::ALL {
        // The last bytes of D are the mask's, the first are hidden by K1': so this is E~.
        let config = config(Mode::Och, profile, true);
        let secrets = Secrets::new(&config);
        let flex = flex_on(Backend::detect(), config, &KEY, b"").expect("a key");
        let message = vec![0x5a; profile.block_bytes() - 24];
        let sealed = flex.seal(&NONCE, AD, &message).expect("sealing");
        let d = secrets.d(&secrets.context(true), 9);
        let block = xor(&permute(profile, &xor(&[&NONCE[..], &message].concat(), &d)), &d);
        assert_eq!(sealed[..block.len()], block, "{profile:?}");
    }
}

fn config(mode: Mode, profile: Profile, hidden: bool) -> Config {
    let form = if hidden { NonceForm::Hidden(24) } else { NonceForm::Public(24) };
    let builder = Config::builder(mode).profile(profile).nonce(form).allow_64_bits();
    builder.build().expect("a configuration")
}

const MODES: [Mode; 4] = [Mode::Och, Mode::Civ, Mode::Robust, Mode::RobustAe];

#[test]
fn a_key_of_flex_is_wiped() {
    for profile in Profile::ALL {
        for backend in Backend::available() {
            let config = config(Mode::Och, profile, true);
            let secrets = Secrets::new(&config);
            let (double, sixteenfold) =
                (times(profile, 2, &secrets.l), times(profile, 16, &secrets.l));
            let sought: [&[u8]; 8] = [
                &SECRET,
                &secrets.subkeys[..16],
                &secrets.subkeys[profile.tag_bytes()..][..16],
                &secrets.subkeys[2 * profile.tag_bytes()..][..16],
                &secrets.l[..16],
                &secrets.l[16..32],
                &double[..16],
                &sixteenfold[..16],
            ];
            clear_the_stack();
            let flex = flex_on(backend, config, &KEY, b"").expect("a key");
            wiped(remains_of(&sought, flex), 1000, BESIDE_AN_EXPANDED_KEY);
        }
    }
}

/// A profile, a back end and a call that has left something behind.
type Findings = Vec<String>;

#[track_caller]
fn nothing(findings: &Findings) {
    assert!(findings.is_empty(), "{} left something:\n{}", findings.len(), findings.join("\n"));
}

/// The names of those of `secrets` that `call` leaves on the stack.
fn left(secrets: &Secrets, named: &[(&str, &[u8])], mut call: impl FnMut()) -> Vec<String> {
    let is_left = |(_, secret): &&(&str, &[u8])| leaves(&secrets.pieces(&[secret]), &mut call);
    named.iter().filter(is_left).map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn init_of_flex_leaves_nothing() {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        let config = config(Mode::Och, profile, true);
        let (secrets, t) = (Secrets::new(&config), profile.tag_bytes());
        let named: [(&str, &[u8]); 5] = [
            ("K", &SECRET),
            ("K1", &secrets.subkeys[..t]),
            ("K2", &secrets.subkeys[t..2 * t]),
            ("K3", &secrets.subkeys[2 * t..]),
            ("L", &secrets.l),
        ];
        for backend in Backend::available() {
            let mut flex = None;
            let names = left(&secrets, &named, || {
                flex = Some(flex_on(backend, config, &KEY, b"").expect("a key"));
            });
            if !names.is_empty() {
                findings.push(format!("init, {profile:?} on {}: {names:?}", backend.name()));
            }
        }
    }
    nothing(&findings);
}

fn messages_of(mode: Mode) {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        for hidden in [true, false] {
            let config = config(mode, profile, hidden);
            let secrets = Secrets::new(&config);
            let context = secrets.context(hidden);
            let delta = secrets.delta(&context, &NONCE);
            let double = times(profile, 2, &secrets.l);
            let named: [(&str, &[u8]); 5] = [
                ("K1", secrets.k1()),
                ("K1'", &context),
                ("L", &secrets.l),
                ("2L", &double),
                ("Δ", &delta),
            ];
            for backend in Backend::available() {
                for length in [0, 5, profile.block_bytes(), 20 * profile.block_bytes() + 5] {
                    let told = if hidden { &[][..] } else { &NONCE };
                    let message = vec![0x5a; length];
                    let mut sealed = vec![0; length + config.overhead_bytes()];
                    // Traces of messages go with the key.
                    let sealing = left(&secrets, &named, || {
                        let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                        flex.seal_into(&NONCE, AD, &message, &mut sealed).expect("sealing");
                    });
                    let (mut recovered, mut opened) =
                        (vec![0; config.hidden_bytes()], vec![0; length]);
                    let opening = left(&secrets, &named, || {
                        let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                        flex.open_into(told, AD, &sealed, &mut recovered, &mut opened)
                            .expect("opening");
                    });
                    assert_eq!(opened, message);
                    let place = if hidden { "hidden" } else { "public" };
                    for (what, names) in [("sealing", sealing), ("opening", opening)] {
                        if !names.is_empty() {
                            findings.push(format!(
                                "{what} {length} bytes, {mode:?}, {profile:?}, nonce {place}, on \
                                 {}: {names:?}",
                                backend.name()
                            ));
                        }
                    }
                }
            }
        }
    }
    nothing(&findings);
}

#[test]
fn messages_of_och_leave_nothing() {
    messages_of(Mode::Och);
}

#[test]
fn messages_of_civ_leave_nothing() {
    messages_of(Mode::Civ);
}

#[test]
fn messages_of_robust_leave_nothing() {
    messages_of(Mode::Robust);
}

#[test]
fn messages_of_robust_ae_leave_nothing() {
    messages_of(Mode::RobustAe);
}

/// Whether `call` gives back memory with one of `secrets` in it.
fn frees(secrets: &[&[u8]], call: impl FnOnce()) -> bool {
    WATCH.set(Some((Remains::default(), Sought::new(secrets))));
    call();
    WATCH.take().expect("watching").0.secret
}

/// Unverified plaintext is gone, wherever it was: on the heap, and on the stack.
#[test]
fn refused_messages_of_flex_are_wiped() {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        for (mode, hidden) in MODES.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
            let config = config(mode, profile, hidden);
            let secrets = Secrets::new(&config);
            let pieces = secrets.pieces(&[&SECRET]);
            for backend in Backend::available() {
                let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                for length in [30, b, 9 * b + 30, 20 * b + 30] {
                    let message = SECRET.repeat(length.div_ceil(16));
                    let sealed = flex.seal(&NONCE, AD, &message[..length]).expect("sealing");
                    let told = if hidden { &[][..] } else { &NONCE };
                    // Depending on the mode and the length, one or the other leaves most of the
                    // message.
                    for at in [0, sealed.len() - 1] {
                        let mut forged = sealed.clone();
                        forged[at] ^= 1;
                        let open = || {
                            let refused = flex.open(told, AD, &forged).map(drop);
                            assert_eq!(refused, Err(Error::Unauthentic));
                        };
                        let name = format!(
                            "byte {at} of {length}, {mode:?}, {profile:?}, hidden {hidden}, on {}",
                            backend.name()
                        );
                        if frees(&pieces, open) {
                            findings.push(format!("on the heap: {name}"));
                        }
                        if leaves(&pieces, open) {
                            findings.push(format!("on the stack: {name}"));
                        }
                    }
                }
            }
        }
    }
    nothing(&findings);
}

/// To a forger, the right tag of a forgery is as good as the key.
#[test]
fn the_right_tag_of_a_forgery_is_wiped() {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        for (mode, hidden) in MODES.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
            let config = config(mode, profile, hidden);
            let secrets = Secrets::new(&config);
            let told = if hidden { &[][..] } else { &NONCE };
            for backend in Backend::available() {
                let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                for length in [5, 30, b, 9 * b + 30, 20 * b + 30] {
                    let message = SECRET.repeat(length.div_ceil(16));
                    let mut forged = flex.seal(&NONCE, AD, &message[..length]).expect("sealing");
                    let tag_at = forged.len() - config.tag_bytes();
                    // No piece of it is one of the forgery.
                    let tag = forged[tag_at..].to_vec();
                    forged[tag_at..].iter_mut().for_each(|byte| *byte ^= 0xa5);
                    let open = || {
                        let refused = flex.open(told, AD, &forged).map(drop);
                        assert_eq!(refused, Err(Error::Unauthentic));
                    };
                    if leaves(&secrets.pieces(&[&tag]), open) {
                        findings.push(format!(
                            "{length} bytes, {mode:?}, {profile:?}, hidden {hidden}, on {}",
                            backend.name()
                        ));
                    }
                }
            }
        }
    }
    nothing(&findings);
}

/// Finds what refusing `open` leaves of [`SECRET`], on the heap and on the stack.
fn look(findings: &mut Findings, pieces: &[&[u8]], name: &str, open: &dyn Fn()) {
    if frees(pieces, open) {
        findings.push(format!("on the heap: {name}"));
    }
    if leaves(pieces, open) {
        findings.push(format!("on the stack: {name}"));
    }
}

#[test]
fn refused_segments_are_wiped() {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        for mode in [Mode::Och, Mode::Civ] {
            let builder = Config::builder(mode).profile(profile).segment_bytes(256);
            let config = builder.allow_64_bits().build().expect("a stream");
            let secrets = Secrets::new(&config);
            let pieces = secrets.pieces(&[&SECRET]);
            for backend in Backend::available() {
                let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                let message = SECRET.repeat(40);
                let name = format!("{mode:?}, {profile:?}, on {}", backend.name());
                let mut forged = flex.seal(&NONCE, AD, &message).expect("sealing");
                *forged.last_mut().expect("a tag") ^= 1;
                look(&mut findings, &pieces, &format!("a stream, {name}"), &|| {
                    let refused = flex.open(&NONCE, AD, &forged).map(drop);
                    assert_eq!(refused, Err(Error::Unauthentic));
                });
                let opener = flex.open_segments(&NONCE, AD).expect("a stream");
                let unit = 256 + config.tag_bytes();
                look(&mut findings, &pieces, &format!("a segment, {name}"), &|| {
                    let refused = opener.open(2, true, &forged[2 * unit..]).map(drop);
                    assert_eq!(refused, Err(Error::Unauthentic));
                });
            }
        }
    }
    nothing(&findings);
}

/// Associated data that is long, and kept; and without a tag that commits.
#[test]
fn refused_messages_of_other_calls_are_wiped() {
    let mut findings = Findings::new();
    let ad = vec![0x33; 9000];
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        for backend in Backend::available() {
            for (mode, hidden) in MODES.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
                let config = config(mode, profile, hidden);
                let secrets = Secrets::new(&config);
                let pieces = secrets.pieces(&[&SECRET]);
                let flex = flex_on(backend, config, &KEY, b"").expect("a key");
                let prepared = flex.with_ad(&ad).expect("associated data");
                let told = if hidden { &[][..] } else { &NONCE };
                for length in [30, 9 * b + 30, 20 * b + 30] {
                    let message = SECRET.repeat(length.div_ceil(16));
                    let mut forged = flex.seal(&NONCE, &ad, &message[..length]).expect("sealing");
                    *forged.last_mut().expect("a tag") ^= 1;
                    let name = format!("{length}, {mode:?}, {profile:?}, on {}", backend.name());
                    look(&mut findings, &pieces, &format!("long AD, {name}"), &|| {
                        assert!(flex.open(told, &ad, &forged).is_err());
                    });
                    look(&mut findings, &pieces, &format!("kept AD, {name}"), &|| {
                        assert!(prepared.open(told, &forged).is_err());
                    });
                }
            }
            for hidden in [0, 1] {
                let number = Profile::ALL.iter().position(|&p| p == profile).expect("a profile");
                let cfg = [3, hidden, number as u8 + 1, 16, 24, 0, 0, 0];
                let wide = wide_block_on(backend, cfg, &KEY, b"").expect("a key");
                let secrets = Secrets::new(wide.config());
                let pieces = secrets.pieces(&[&SECRET]);
                let told = if hidden == 1 { &[][..] } else { &NONCE };
                for length in [16, 30, 9 * b + 30] {
                    let message = SECRET.repeat(length.div_ceil(16));
                    let sealed = wide.encipher(&NONCE, AD, &message[..length]);
                    let mut forged = sealed.expect("enciphering");
                    *forged.last_mut().expect("a byte") ^= 1;
                    let name = format!("wide, {length}, {profile:?}, on {}", backend.name());
                    look(&mut findings, &pieces, &name, &|| {
                        assert!(wide.decipher(told, AD, &forged).is_err());
                    });
                }
            }
        }
    }
    nothing(&findings);
}

/// By name, with a wrong tag; and with the right one, if the nonce that was hidden is another.
#[test]
fn refused_messages_by_name_are_wiped() {
    let mut findings = Findings::new();
    for name in [
        "flex-och",
        "flex-och-public",
        "flex-civ",
        "flex-civ-public",
        "flex-robust",
        "flex-robust-ae",
        "flex:cfg=0305010020000000",
        "flex:cfg=0304012018000000",
        "flex:cfg=030501103f000000",
    ] {
        let algorithm: Algorithm = name.parse().expect(name);
        for backend in Backend::available() {
            let aead = aead_on(&algorithm, &KEY, backend).expect(name);
            let nonce = vec![9; algorithm.nonce_bytes()];
            for (length, other_nonce) in [(30, false), (30, true), (606, false), (606, true)] {
                let message = SECRET.repeat(length / 16 + 1)[..length].to_vec();
                let mut given = nonce.clone();
                let mut sealed = aead.seal(&nonce, AD, &message).expect(name);
                match other_nonce {
                    true => given[0] ^= 1,
                    false => *sealed.last_mut().expect("a tag") ^= 1,
                }
                let called =
                    format!("{name}, {length}, other nonce {other_nonce}, on {}", backend.name());
                look(&mut findings, &[&SECRET], &called, &|| {
                    let refused = aead.open(&given, AD, &sealed).map(drop);
                    assert_eq!(refused, Err(Error::Unauthentic));
                });
                let (head, rest) = sealed.split_at(algorithm.head_bytes());
                let (body, tail) = rest.split_at(length);
                let tag = [head, tail].concat();
                look(&mut findings, &[&SECRET], &format!("detached, {called}"), &|| {
                    let mut buffer = body.to_vec();
                    let open = buffer.as_mut_slice().into();
                    let refused = aead.open_inout_detached(&given, AD, open, &tag);
                    assert_eq!(refused, Err(Error::Unauthentic));
                    assert!(buffer.iter().all(|&byte| byte == 0));
                });
            }
        }
    }
    nothing(&findings);
}

/// `_new` names the preset, which has no name of its own.
fn leaves_nothing_typed<S: Preset>(
    _new: fn(&Key<FlexAead<S>>) -> FlexAead<S>,
    config: Config,
    findings: &mut Findings,
) {
    let secrets = Secrets::new(&config);
    let t = config.profile().tag_bytes();
    // K1 and L are the cipher's own, of which moving it leaves copies.
    let named: [(&str, &[u8]); 3] =
        [("K", &SECRET), ("K2", &secrets.subkeys[t..2 * t]), ("K3", &secrets.subkeys[2 * t..])];
    for backend in Backend::available() {
        let name = format!("{:?} on {}", config.mode(), backend.name());
        let mut made = None;
        let names = left(&secrets, &named, || {
            made = Some(Box::new(FlexAead::<S>::with_backend((&KEY).into(), backend)));
        });
        if !names.is_empty() {
            findings.push(format!("init, {name}: {names:?}"));
        }
        let cipher = made.expect("a cipher");
        let nonce = Nonce::<FlexAead<S>>::try_from(&NONCE[..]).expect("a nonce");
        for length in [32, 608] {
            let mut sealed = SECRET.repeat(length / 16);
            let buffer = sealed.as_mut_slice().into();
            let right = cipher.encrypt_inout_detached(&nonce, AD, buffer).expect("sealing");
            let mut forged = right.clone();
            forged.iter_mut().for_each(|byte| *byte ^= 0xa5);
            for (what, secret) in [("plaintext", &SECRET[..]), ("the right tag", &right)] {
                let open = || {
                    let mut buffer = sealed.clone();
                    let open = buffer.as_mut_slice().into();
                    assert!(cipher.decrypt_inout_detached(&nonce, AD, open, &forged).is_err());
                    assert!(buffer.iter().all(|&byte| byte == 0));
                };
                look(findings, &secrets.pieces(&[secret]), &format!("{what}, {name}"), &open);
            }
        }
    }
}

#[test]
fn types_of_flex_leave_nothing() {
    let mut findings = Findings::new();
    leaves_nothing_typed(FlexOchPublic::new, Config::OCH_PUBLIC, &mut findings);
    leaves_nothing_typed(FlexCivPublic::new, Config::CIV_PUBLIC, &mut findings);
    leaves_nothing_typed(FlexRobust::new, Config::ROBUST, &mut findings);
    nothing(&findings);
}

/// The look at freed memory sees what is not wiped.
#[test]
fn an_ordinary_vector_is_found() {
    assert!(frees(&[&SECRET], || drop(SECRET.to_vec())));
    assert!(!frees(&[&SECRET], || drop(vec![0x5a; 16])));
}

/// Keys of any length: none of it stays, wherever it is padded or hashed, while the key is in use.
#[test]
fn long_keys_of_flex_leave_nothing() {
    let mut findings = Findings::new();
    for profile in Profile::ALL {
        let config = config(Mode::Civ, profile, false);
        for backend in Backend::available() {
            for repetitions in [2, 5, 20, 64] {
                let key = SECRET.repeat(repetitions);
                let mut flex = None;
                let init = || flex = Some(flex_on(backend, config, &key, b"").expect("a key"));
                if leaves(&[&SECRET], init) {
                    let name = backend.name();
                    findings.push(format!("{repetitions} · 16 bytes, {profile:?} on {name}"));
                }
            }
        }
    }
    nothing(&findings);
}
