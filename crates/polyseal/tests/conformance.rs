//! Every algorithm of the registry, on every back end of this machine, is an AEAD or a MAC and is
//! the same one everywhere: what the portable back end computes is the meaning.
//!
//! Buffers lie between guard bytes, at an odd address, and are full of garbage before: nothing may
//! be taken for granted about the output, and nothing may be written outside it.

use aead::inout::InOutBuf;
use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::limits::Limits;
use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on, mac_on};
use polyseal::{Error, Result, aead};

use crate::common::{bytes, edges, instances, pairs, rate, soft};

/// An output or in-place buffer within guard bytes.
struct Guarded {
    bytes: Vec<u8>,
    len: usize,
}

impl Guarded {
    const GUARD: u8 = 0xa5;
    const BEFORE: usize = 65;
    const AFTER: usize = 67;

    fn holding(content: &[u8]) -> Self {
        let mut bytes = vec![Self::GUARD; Self::BEFORE + content.len() + Self::AFTER];
        bytes[Self::BEFORE..][..content.len()].copy_from_slice(content);
        Self { bytes, len: content.len() }
    }

    fn garbage(len: usize) -> Self {
        Self::holding(&bytes(0x9a5b_a9e0, len))
    }

    fn content(&mut self) -> &mut [u8] {
        &mut self.bytes[Self::BEFORE..][..self.len]
    }

    /// The content, once the guards have been seen to be whole.
    fn into_content(mut self, name: &str) -> Vec<u8> {
        let content = self.content().to_vec();
        self.content().fill(Self::GUARD);
        assert!(self.bytes.iter().all(|&b| b == Self::GUARD), "{name}: wrote beside the buffer");
        content
    }
}

/// One message, and what the portable back end makes of it.
struct Case {
    algorithm: Algorithm,
    key: Vec<u8>,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    message: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

impl Case {
    fn new(algorithm: Algorithm, ad_bytes: usize, message_bytes: usize) -> Self {
        let key = bytes(1, algorithm.key_bytes());
        let nonce = bytes(2, algorithm.nonce_bytes());
        let (ad, message) = (bytes(3, ad_bytes), bytes(4, message_bytes));
        let aead = aead_on(&algorithm, &key, soft()).expect("an AEAD");
        let sealed = aead.seal(&nonce, &ad, &message).expect("sealing");
        // A hidden nonce stands in front.
        let (head, rest) = sealed.split_at(algorithm.head_bytes());
        let (ciphertext, tag) = rest.split_at(message_bytes);
        let (ciphertext, tag) = (ciphertext.to_vec(), [head, tag].concat());
        assert_eq!(tag.len(), algorithm.tag_bytes());
        Self { algorithm, key, nonce, ad, message, ciphertext, tag }
    }

    fn on(&self, backend: Backend) -> AnyAead {
        let aead = aead_on(&self.algorithm, &self.key, backend).expect("an AEAD");
        assert_eq!(*aead.algorithm(), self.algorithm);
        aead
    }

    fn name(&self, backend: Backend) -> String {
        let (a, on) = (&self.algorithm, backend.name());
        format!("{a} on {on}, {} bytes with {} of AD", self.message.len(), self.ad.len())
    }

    /// Round trip and tidiness, attached and detached, in place and out of place.
    fn round_trip(&self, backend: Backend) {
        let (aead, name) = (self.on(backend), self.name(backend));
        let (nonce, ad, bytes) = (&self.nonce[..], &self.ad[..], self.message.len());

        let (head, tail) = self.tag.split_at(self.algorithm.head_bytes());
        let sealed = [head, &self.ciphertext, tail].concat();
        assert_eq!(aead.seal(nonce, ad, &self.message).as_ref(), Ok(&sealed), "{name}: attached");
        assert_eq!(aead.open(nonce, ad, &sealed).as_ref(), Ok(&self.message), "{name}: attached");

        // Out of place, from an input that must not change.
        let input = self.message.clone();
        let (mut output, mut tag) = (Guarded::garbage(bytes), Guarded::garbage(self.tag.len()));
        let buffer = InOutBuf::new(&input, output.content()).expect("equal lengths");
        aead.seal_inout_detached(nonce, ad, buffer, tag.content()).expect(&name);
        assert_eq!(output.into_content(&name), self.ciphertext, "{name}: out of place");
        assert_eq!(tag.into_content(&name), self.tag, "{name}: out of place");
        assert_eq!(input, self.message, "{name}: the input changed");

        let input = self.ciphertext.clone();
        let mut output = Guarded::garbage(bytes);
        let buffer = InOutBuf::new(&input, output.content()).expect("equal lengths");
        aead.open_inout_detached(nonce, ad, buffer, &self.tag).expect(&name);
        assert_eq!(output.into_content(&name), self.message, "{name}: out of place");
        assert_eq!(input, self.ciphertext, "{name}: the input changed");

        // In place, there and back and there again.
        let (mut buffer, mut tag) = (Guarded::holding(&self.message), vec![0x5c; self.tag.len()]);
        aead.seal_inout_detached(nonce, ad, buffer.content().into(), &mut tag).expect(&name);
        assert_eq!((&*buffer.content(), &tag), (&self.ciphertext[..], &self.tag), "{name}");
        aead.open_inout_detached(nonce, ad, buffer.content().into(), &tag).expect(&name);
        assert_eq!(*buffer.content(), self.message, "{name}: in place");
        tag.fill(0xc5);
        aead.seal_inout_detached(nonce, ad, buffer.content().into(), &mut tag).expect(&name);
        assert_eq!(buffer.into_content(&name), self.ciphertext, "{name}: not tidy");
        assert_eq!(tag, self.tag, "{name}: not tidy");
    }

    /// Refused, in place and out of place; and afterwards the output is all zeros.
    fn refuses(&self, aead: &AnyAead, [nonce, ad, ciphertext, tag]: [&[u8]; 4], name: &str) {
        let mut output = Guarded::garbage(ciphertext.len());
        let buffer = InOutBuf::new(ciphertext, output.content()).expect("equal lengths");
        let opened = aead.open_inout_detached(nonce, ad, buffer, tag);
        assert_eq!(opened, Err(Error::Unauthentic), "{name}");
        assert!(output.into_content(name).iter().all(|&b| b == 0), "{name}: output left behind");

        let mut buffer = Guarded::holding(ciphertext);
        let opened = aead.open_inout_detached(nonce, ad, buffer.content().into(), tag);
        assert_eq!(opened, Err(Error::Unauthentic), "{name}");
        assert!(buffer.into_content(name).iter().all(|&b| b == 0), "{name}: output left behind");
    }

    /// A change of any byte of any input, or of a length, is refused.
    fn tamper(&self, backend: Backend) {
        let (aead, name) = (self.on(backend), self.name(backend));
        let inputs = [&self.nonce[..], &self.ad, &self.ciphertext, &self.tag];
        let what = ["nonce", "AD", "ciphertext", "tag"];
        for (field, original) in inputs.into_iter().enumerate() {
            let mut changed = original.to_vec();
            for at in 0..original.len() {
                changed[at] ^= 1 << (at % 8);
                let mut inputs = inputs;
                inputs[field] = &changed;
                self.refuses(&aead, inputs, &format!("{name}: {} byte {at}", what[field]));
                changed[at] = original[at];
            }
        }
        for field in [1, 2] {
            let longer = [inputs[field], &[0]].concat();
            let shorter = &inputs[field][..inputs[field].len() - 1];
            for changed in [&longer[..], shorter, &[]] {
                let mut inputs = inputs;
                inputs[field] = changed;
                let bytes = changed.len();
                self.refuses(&aead, inputs, &format!("{name}: {bytes} bytes of {}", what[field]));
            }
        }
        let mut key = self.key.clone();
        for at in 0..key.len() {
            key[at] ^= 0x80 >> (at % 8);
            let other = aead_on(&self.algorithm, &key, backend).expect("an AEAD");
            self.refuses(&other, inputs, &format!("{name}: key byte {at}"));
            key[at] = self.key[at];
        }
    }

    /// A wrong length is named precisely, and nothing has been written.
    fn wrong_lengths(&self, backend: Backend) {
        let (aead, name) = (self.on(backend), self.name(backend));
        let length = |what, expected, actual| Err(Error::Length { what, expected, actual });
        let untouched = |call: &dyn Fn(&mut [u8]) -> Result<()>, error: Result<()>| {
            let mut buffer = self.ciphertext.clone();
            assert_eq!(call(&mut buffer), error, "{name}");
            assert_eq!(buffer, self.ciphertext, "{name}: written in spite of {error:?}");
        };
        let bytes = |right: usize| {
            let wrong = [0, 1, right.saturating_sub(1), right + 1, 2 * right];
            wrong.into_iter().filter(move |&bytes| bytes != right)
        };

        let right = self.key.len();
        for wrong in bytes(right) {
            let made = aead_on(&self.algorithm, &vec![0; wrong], backend);
            assert_eq!(made.map(|_| ()), length("key", right, wrong), "{name}");
        }
        let right = self.nonce.len();
        for wrong in bytes(right) {
            let (nonce, error) = (vec![0; wrong], length("nonce", right, wrong));
            let mut tag = self.tag.clone();
            untouched(&|b| aead.open_inout_detached(&nonce, &self.ad, b.into(), &self.tag), error);
            let sealed = aead.seal_inout_detached(
                &nonce,
                &self.ad,
                vec![0; 9][..].as_mut().into(),
                &mut tag,
            );
            assert_eq!((sealed, &tag), (error, &self.tag), "{name}");
            assert_eq!(aead.seal(&nonce, &self.ad, &self.message).map(|_| ()), error, "{name}");
        }
        let right = self.tag.len();
        for wrong in bytes(right) {
            let (tag, error) = (vec![0; wrong], length("tag", right, wrong));
            let (nonce, ad) = (&self.nonce, &self.ad);
            untouched(&|b| aead.open_inout_detached(nonce, ad, b.into(), &tag), error);
            untouched(&|b| aead.seal_inout_detached(nonce, ad, b.into(), &mut tag.clone()), error);
        }
        for actual in [0, 1, right - 1] {
            let error = Error::Buffer { expected: right, actual };
            assert_eq!(aead.open(&self.nonce, &self.ad, &vec![0; actual]), Err(error), "{name}");
        }
        // A bare tag is a sealed message; whether it is the right one is another question.
        let empty = aead.open(&self.nonce, &self.ad, &self.tag);
        assert_eq!(empty, Err(Error::Unauthentic), "{name}");
    }
}

/// Those whose tag is apart from the ciphertext.
fn detached() -> impl Iterator<Item = Algorithm> {
    instances(Kind::Aead).into_iter().filter(|algorithm| !algorithm.is_whole())
}

fn for_each_aead(mut test: impl FnMut(Algorithm, Backend)) {
    for algorithm in detached() {
        for backend in Backend::available() {
            test(algorithm, backend);
        }
    }
}

#[test]
fn round_trips_at_every_edge() {
    for algorithm in detached() {
        for (ad_bytes, message_bytes) in pairs(rate(&algorithm)) {
            let case = Case::new(algorithm, ad_bytes, message_bytes);
            Backend::available().for_each(|backend| case.round_trip(backend));
        }
    }
}

#[test]
fn round_trips_of_many_updates() {
    // The long stretches of the evaluation strategies end between these.
    for algorithm in detached() {
        for (ad_bytes, message_bytes) in [(0, 0x1_0003), (0x1_0003, 5), (0x2001, 0x1fff)] {
            let case = Case::new(algorithm, ad_bytes, message_bytes);
            Backend::available().for_each(|backend| case.round_trip(backend));
        }
    }
}

#[test]
fn every_changed_byte_is_refused_and_the_output_wiped() {
    for_each_aead(|algorithm, backend| {
        // Short messages may be handled in another way than long ones.
        for length in [21, rate(&algorithm) + 5] {
            Case::new(algorithm, 19, length).tamper(backend);
        }
    });
}

#[test]
fn wrong_lengths_are_named() {
    for_each_aead(|algorithm, backend| Case::new(algorithm, 3, 40).wrong_lengths(backend));
}

/// A ciphertext depends on all of key, nonce and (through the tag) AD; two calls do not differ.
#[test]
fn inputs_matter_and_calls_do_not() {
    for_each_aead(|algorithm, backend| {
        let case = Case::new(algorithm, 16, 64);
        let aead = case.on(backend);
        let seal = |nonce: &[u8], ad: &[u8]| aead.seal(nonce, ad, &case.message).expect("sealing");
        let sealed = seal(&case.nonce, &case.ad);
        assert_eq!(sealed, seal(&case.nonce, &case.ad), "{algorithm}");
        let other_nonce = seal(&bytes(7, case.nonce.len()), &case.ad);
        let differ = sealed[..64] != other_nonce[..64];
        assert_eq!(differ, !case.nonce.is_empty(), "{algorithm}: whether the nonce matters");
        let other_ad = seal(&case.nonce, &bytes(7, 16));
        assert_ne!(sealed[64..], other_ad[64..], "{algorithm}: the AD does not matter");
    });
}

#[test]
fn macs_agree_and_refuse() {
    for algorithm in instances(Kind::Mac) {
        let (key, nonce) = (bytes(1, algorithm.key_bytes()), bytes(2, algorithm.nonce_bytes()));
        let meaning = mac_on(&algorithm, &key, soft()).expect("a MAC");
        let mut lengths = edges(rate(&algorithm));
        lengths.push(0x1_0003);
        for backend in Backend::available() {
            let mac = mac_on(&algorithm, &key, backend).expect("a MAC");
            for &length in &lengths {
                let name = format!("{algorithm} on {}, {length} bytes", backend.name());
                let data = bytes(3, length);
                let tag = mac.mac(&nonce, &data).expect(&name);
                assert_eq!(Ok(&tag), meaning.mac(&nonce, &data).as_ref(), "{name}");
                assert_eq!(tag.len(), algorithm.tag_bytes(), "{name}");
                assert_eq!(mac.verify(&nonce, &data, &tag), Ok(()), "{name}");
                for at in 0..tag.len() {
                    let mut tag = tag.clone();
                    tag[at] ^= 1 << (at % 8);
                    let refused = mac.verify(&nonce, &data, &tag);
                    assert_eq!(refused, Err(Error::Unauthentic), "{name}: tag byte {at}");
                }
            }
        }
    }
}

#[test]
fn macs_notice_every_byte_and_name_wrong_lengths() {
    for algorithm in instances(Kind::Mac) {
        let (key, nonce) = (bytes(1, algorithm.key_bytes()), bytes(2, algorithm.nonce_bytes()));
        for backend in Backend::available() {
            let mac = mac_on(&algorithm, &key, backend).expect("a MAC");
            let mut data = bytes(3, rate(&algorithm) + 5);
            let tag = mac.mac(&nonce, &data).expect("a tag");
            for at in 0..data.len() {
                data[at] ^= 1 << (at % 8);
                let refused = mac.verify(&nonce, &data, &tag);
                assert_eq!(refused, Err(Error::Unauthentic), "{algorithm}: byte {at}");
                data[at] ^= 1 << (at % 8);
            }
            let longer = [&data[..], &[0]].concat();
            assert_eq!(mac.verify(&nonce, &longer, &tag), Err(Error::Unauthentic));
            assert_eq!(mac.verify(&bytes(9, nonce.len()), &data, &tag), Err(Error::Unauthentic));

            let short = mac_on(&algorithm, &key[1..], backend).map(|_| ());
            let error = |what, expected| Error::Length { what, expected, actual: expected - 1 };
            assert_eq!(short, Err(error("key", key.len())));
            assert_eq!(mac.mac(&nonce[1..], &data), Err(error("nonce", nonce.len())));
            assert_eq!(mac.verify(&nonce, &data, &tag[1..]), Err(error("tag", tag.len())));
        }
    }
}

/// A batch by name is its messages one at a time; one that is altered says nothing of the others;
/// and with a wrong length anywhere nothing is done, and no message is called authentic, whatever
/// it was before.
#[test]
fn batches_by_name() {
    for algorithm in instances(Kind::Aead).into_iter().filter(|a| !a.is_whole()) {
        let aead = AnyAead::new(&algorithm, &bytes(1, algorithm.key_bytes())).expect("an AEAD");
        let nonces: Vec<_> = (0..5).map(|i| bytes(10 + i, algorithm.nonce_bytes())).collect();
        let plain: Vec<_> = (0..5_u64).map(|i| bytes(20 + i, 7 * i as usize)).collect();
        let (mut buffers, mut tags) = (plain.clone(), vec![vec![0; algorithm.tag_bytes()]; 5]);
        let work = |buffers: &mut [Vec<u8>], tags: &mut [Vec<u8>], nonces: &[Vec<u8>], opens| {
            let parts = nonces.iter().zip(buffers).zip(tags);
            let mut messages: Vec<_> = parts
                .map(|((nonce, buffer), tag)| Message::new(nonce, b"ad", buffer, tag))
                .collect();
            messages.iter_mut().for_each(|message| message.outcome = Ok(()));
            let all = match opens {
                true => aead.open_batch(&mut messages),
                false => aead.seal_batch(&mut messages),
            };
            (all, messages.iter().map(|message| message.outcome).collect::<Vec<_>>())
        };
        let sealed = work(&mut buffers, &mut tags, &nonces, false);
        assert_eq!(sealed, (Ok(()), vec![Ok(()); 5]), "{algorithm}");
        for (i, message) in plain.iter().enumerate() {
            let (mut buffer, mut tag) = (message.clone(), vec![0; algorithm.tag_bytes()]);
            aead.seal_inout_detached(&nonces[i], b"ad", (&mut buffer[..]).into(), &mut tag)
                .expect("sealing");
            assert_eq!((&buffers[i], &tags[i]), (&buffer, &tag), "{algorithm}");
        }

        let mut wrong = nonces.clone();
        wrong[3].push(0);
        for opens in [false, true] {
            let (mut untouched, mut its_tags) = (buffers.clone(), tags.clone());
            let (all, each) = work(&mut untouched, &mut its_tags, &wrong, opens);
            assert!(matches!(all, Err(Error::Length { what: "nonce", .. })), "{algorithm}");
            assert_eq!(each, [Err(Error::Unauthentic); 5], "{algorithm}");
            assert_eq!((untouched, its_tags), (buffers.clone(), tags.clone()), "{algorithm}");
        }

        tags[2][0] ^= 1;
        let (all, each) = work(&mut buffers, &mut tags, &nonces, true);
        assert_eq!(all, Err(Error::Unauthentic), "{algorithm}");
        for (i, outcome) in each.into_iter().enumerate() {
            let (expected, content) = match i {
                2 => (Err(Error::Unauthentic), vec![0; plain[2].len()]),
                _ => (Ok(()), plain[i].clone()),
            };
            assert_eq!((outcome, &buffers[i]), (expected, &content), "{algorithm}");
        }
    }
}

/// A nonce that is drawn travels in front, is as good as any, and is authentic; where a key would
/// have too few messages, it is refused.
#[test]
fn random_nonces_travel_with_the_ciphertext() {
    let mut sealing = Vec::new();
    for algorithm in instances(Kind::Aead) {
        let aead = AnyAead::new(&algorithm, &bytes(1, algorithm.key_bytes())).expect("an AEAD");
        let hides = algorithm.head_bytes() > 0;
        let (nonce_bytes, message) = (algorithm.nonce_bytes(), bytes(4, 40));
        // Opening does not depend on who drew the nonce. A hidden one does not stand in front.
        let mut sealed = if hides { Vec::new() } else { bytes(2, nonce_bytes) };
        sealed.extend(aead.seal(&bytes(2, nonce_bytes), b"ad", &message).expect("sealing"));
        assert_eq!(aead.open_random_nonce(b"ad", &sealed).as_ref(), Ok(&message), "{algorithm}");

        let drawn = aead.seal_random_nonce(b"ad", &message);
        match Limits::for_algorithm(&algorithm).random_nonce_messages {
            Some(limit) if limit < 1 << 48 => {
                assert_eq!(drawn, Err(Error::FewRandomNonces { limit }), "{algorithm}");
                continue;
            }
            _ => assert!(nonce_bytes >= 16, "{algorithm}"),
        }
        let mut drawn = drawn.expect("sealing");
        assert_eq!(drawn.len(), sealed.len(), "{algorithm}");
        let again = aead.seal_random_nonce(b"ad", &message).expect("sealing");
        assert_ne!(drawn[..nonce_bytes], again[..nonce_bytes], "{algorithm}");
        assert!(drawn[nonce_bytes - 8..nonce_bytes].iter().any(|&byte| byte != 0), "{algorithm}");
        assert_eq!(aead.open_random_nonce(b"ad", &drawn).as_ref(), Ok(&message), "{algorithm}");
        if hides {
            let opened = aead.open_hidden_nonce(b"ad", &drawn).expect("opening");
            assert_eq!(*opened.message, message, "{algorithm}");
            let open = |nonce: &[u8]| aead.open(nonce, b"ad", &drawn);
            assert_eq!(open(&opened.nonce).as_ref(), Ok(&message), "{algorithm}");
            assert_eq!(open(&bytes(2, nonce_bytes)), Err(Error::Unauthentic), "{algorithm}");
        } else {
            let (nonce, rest) = drawn.split_at(nonce_bytes);
            assert_eq!(aead.open(nonce, b"ad", rest).as_ref(), Ok(&message), "{algorithm}");
            let (expected, actual) = (nonce_bytes, 0);
            let refused = aead.open_hidden_nonce(b"ad", rest).map(|_| ());
            assert_eq!(refused, Err(Error::Length { what: "nonce", expected, actual }));
        }
        let refused = Err(Error::Unauthentic);
        assert_eq!(aead.open_random_nonce(b"aD", &drawn), refused, "{algorithm}");
        for at in 0..drawn.len() {
            drawn[at] ^= 1 << (at % 8);
            assert_eq!(aead.open_random_nonce(b"ad", &drawn), refused, "{algorithm}: byte {at}");
            drawn[at] ^= 1 << (at % 8);
        }
        let expected = if hides { 0 } else { nonce_bytes } + algorithm.tag_bytes();
        for actual in [0, nonce_bytes, expected - 1] {
            let short = aead.open_random_nonce(b"ad", &drawn[..actual]);
            assert_eq!(short, Err(Error::Buffer { expected, actual }), "{algorithm}");
        }
        let empty = aead.seal_random_nonce(b"", b"").expect("sealing");
        assert_eq!(empty.len(), expected, "{algorithm}");
        assert_eq!(aead.open_random_nonce(b"", &empty), Ok(Vec::new()), "{algorithm}");
        sealing.push(algorithm.to_string());
    }
    let has = |name: &str| sealing.iter().any(|algorithm| algorithm == name);
    assert!(has("aegis-128l") && has("kc-xaes-256-gcm") && has("dndk-gcm:nonce=16"), "{sealing:?}");
    assert!(has("flex-och") && has("flex-och-stream") && has("flex-civ-public"), "{sealing:?}");
    assert!(!has("flex-och-transport") && !has("flex-civ-public:nonce=0"));
    assert!(!has("aes-256-gcm") && !has("aes-256-gcm:nonce=24") && !has("dndk-gcm:nonce=13"));
}

#[test]
fn an_aead_is_no_mac() {
    for backend in Backend::available() {
        for algorithm in instances(Kind::Aead) {
            let key = vec![0; algorithm.key_bytes()];
            assert_eq!(mac_on(&algorithm, &key, backend).map(|_| ()), Err(Error::WrongKind));
        }
        for algorithm in instances(Kind::Mac) {
            let key = vec![0; algorithm.key_bytes()];
            assert_eq!(aead_on(&algorithm, &key, backend).map(|_| ()), Err(Error::WrongKind));
        }
    }
}
