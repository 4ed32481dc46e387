//! Many messages at once are the same as one at a time, on every back end; and one that is refused
//! says nothing about the others.

use polyseal::Error;
use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use crate::common::{bytes, soft};

/// `algorithm` on `backend`, under one key for all.
fn on(algorithm: &Algorithm, backend: Backend) -> AnyAead {
    aead_on(algorithm, &bytes(1, algorithm.key_bytes()), backend).expect("an AEAD")
}

/// One message's parts: what goes into a [`Message`], and what should come out.
struct Entry {
    nonce: Vec<u8>,
    ad: Vec<u8>,
    message: Vec<u8>,
    buffer: Vec<u8>,
    tag: Vec<u8>,
    ciphertext: Vec<u8>,
    expected: Vec<u8>,
}

impl Entry {
    fn new(cipher: &AnyAead, i: u64, ad_bytes: usize, message_bytes: usize) -> Self {
        let algorithm = cipher.algorithm();
        let nonce = bytes(100 + i, algorithm.nonce_bytes());
        let (ad, message) = (bytes(200 + i, ad_bytes), bytes(300 + i, message_bytes));
        let (mut ciphertext, mut expected) = (message.clone(), vec![0; algorithm.tag_bytes()]);
        cipher
            .seal_inout_detached(&nonce, &ad, ciphertext.as_mut_slice().into(), &mut expected)
            .expect("sealing");
        let (buffer, tag) = (message.clone(), vec![0; algorithm.tag_bytes()]);
        Self { nonce, ad, message, buffer, tag, ciphertext, expected }
    }

    fn as_message(&mut self) -> Message<'_> {
        Message::new(&self.nonce, &self.ad, &mut self.buffer, &mut self.tag)
    }
}

/// Whether each was authentic; opening as a whole succeeds only if all were.
fn open(cipher: &AnyAead, entries: &mut [Entry]) -> Vec<bool> {
    let mut messages: Vec<_> = entries.iter_mut().map(Entry::as_message).collect();
    let opened = cipher.open_batch(&mut messages);
    let refused = Err(Error::Unauthentic);
    assert!(messages.iter().all(|m| m.outcome == Ok(()) || m.outcome == refused));
    let authentic: Vec<_> = messages.iter().map(|message| message.outcome.is_ok()).collect();
    assert_eq!(opened, if authentic.contains(&false) { refused } else { Ok(()) });
    authentic
}

/// The part of a message that is altered on its way: a tag in one of its bytes.
#[derive(Clone, Copy, Debug)]
enum Part {
    Nonce,
    Ad,
    Ciphertext,
    Tag(usize),
}

impl Entry {
    /// Alters `part`, or what was altered back; false if there is no such part.
    fn alter(&mut self, part: Part) -> bool {
        let bytes = match part {
            Part::Nonce => self.nonce.last_mut(),
            Part::Ad => self.ad.last_mut(),
            Part::Ciphertext => self.buffer.last_mut(),
            Part::Tag(at) => self.tag.get_mut(at),
        };
        bytes.map(|byte| *byte ^= 1).is_some()
    }
}

/// Batches of one shape alone, just as many as go side by side and one more: every shape of at most
/// one `unit` of associated data and `most` of message. Whatever is altered in one message, that
/// one is refused and no other.
fn every_shape_stands_alone(algorithm: &Algorithm, unit: usize, most: usize) {
    // T's first and last byte, and K_C's or those of a longer T.
    const PARTS: [Part; 7] = [
        Part::Nonce,
        Part::Ad,
        Part::Ciphertext,
        Part::Tag(0),
        Part::Tag(15),
        Part::Tag(16),
        Part::Tag(47),
    ];
    let meaning = on(algorithm, soft());
    for (ad, message) in (0..=1).flat_map(|ad| (0..=most).map(move |message| (ad, message))) {
        for count in [4, 5] {
            let length = |units: usize, i: usize| (units * unit).saturating_sub(3 * i);
            let entry =
                |i: usize| Entry::new(&meaning, i as u64, length(ad, i), length(message, i));
            for backend in Backend::available() {
                let name = format!("{count} of {ad} and {message} on {}", backend.name());
                let cipher = on(algorithm, backend);
                let mut entries: Vec<_> = (0..count).map(entry).collect();
                let mut messages: Vec<_> = entries.iter_mut().map(Entry::as_message).collect();
                assert!(messages.iter().all(|message| message.outcome.is_err()), "{name}");
                assert_eq!(cipher.seal_batch(&mut messages), Ok(()), "{name}");
                assert!(messages.iter().all(|message| message.outcome.is_ok()), "{name}");
                for (i, entry) in entries.iter().enumerate() {
                    assert_eq!(entry.buffer, entry.ciphertext, "{name}: {i}");
                    assert_eq!(entry.tag, entry.expected, "{name}: {i}");
                }
                for (part, victim) in PARTS.iter().flat_map(|&p| (0..count).map(move |v| (p, v))) {
                    for entry in &mut entries {
                        entry.buffer.clone_from(&entry.ciphertext);
                    }
                    if !entries[victim].alter(part) {
                        continue;
                    }
                    let authentic = open(&cipher, &mut entries);
                    for (i, entry) in entries.iter().enumerate() {
                        assert_eq!(authentic[i], i != victim, "{name}: {i}, {part:?} of {victim}");
                        let wiped = vec![0; entry.message.len()];
                        let left = if i == victim { &wiped } else { &entry.message };
                        assert_eq!(entry.buffer, *left, "{name}: {i}, {part:?} of {victim}");
                    }
                    entries[victim].alter(part);
                }
            }
        }
    }
}

/// Batches of every size up to 33 with lengths drawn from `lengths`, so that some fill the lanes
/// and some are left over.
fn is_one_at_a_time(algorithm: &Algorithm, lengths: &[(usize, usize)]) {
    let meaning = on(algorithm, soft());
    for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 32, 33] {
        for backend in Backend::available() {
            let name = format!("{count} messages on {}", backend.name());
            let cipher = on(algorithm, backend);
            let draw = bytes(count as u64, count);
            let mut entries: Vec<_> = (0..)
                .zip(&draw)
                .map(|(i, &drawn)| {
                    let (ad, message) = lengths[usize::from(drawn) % lengths.len()];
                    Entry::new(&meaning, i, ad, message)
                })
                .collect();

            let mut messages: Vec<_> = entries.iter_mut().map(Entry::as_message).collect();
            cipher.seal_batch(&mut messages).expect(&name);
            for (i, entry) in entries.iter().enumerate() {
                let shape = (entry.ad.len(), entry.message.len());
                assert_eq!(entry.buffer, entry.ciphertext, "{name}: {i}, {shape:?}");
                assert_eq!(entry.tag, entry.expected, "{name}: {i}, {shape:?}");
            }

            assert!(open(&cipher, &mut entries).into_iter().all(|authentic| authentic), "{name}");
            assert!(entries.iter().all(|e| e.buffer == e.message), "{name}");

            // Some of them are forged, in the tag's first, middle or last byte.
            for (i, entry) in entries.iter_mut().enumerate() {
                entry.buffer.clone_from(&entry.ciphertext);
                let last = entry.tag.len() - 1;
                match draw[i] / 64 {
                    1 => entry.tag[0] ^= 0x80,
                    2 => entry.tag[last / 2] ^= 0x08,
                    3 => entry.tag[last] ^= 0x01,
                    _ => {}
                }
            }
            for (i, authentic) in open(&cipher, &mut entries).into_iter().enumerate() {
                let entry = &entries[i];
                assert_eq!(authentic, entry.tag == entry.expected, "{name}: {i}");
                let wiped = vec![0; entry.message.len()];
                let left = if authentic { &entry.message } else { &wiped };
                assert_eq!(entry.buffer, *left, "{name}: {i}");
            }
        }
    }
}

/// Nothing is done if the last message of the batch has a wrong length, which is named, and no
/// message is called authentic: not even one that was in a batch before.
fn names_wrong_lengths(algorithm: &Algorithm) {
    let cipher = on(algorithm, Backend::detect());
    let (nonce, tag) = (algorithm.nonce_bytes(), algorithm.tag_bytes());
    for (what, expected, actual) in [
        ("nonce", nonce, nonce - 1),
        ("nonce", nonce, nonce + 1),
        ("tag", tag, tag - 1),
        ("tag", tag, 0),
    ] {
        let other_nonce = vec![2; if what == "nonce" { actual } else { nonce }];
        let mut other_tag = vec![0x55; if what == "tag" { actual } else { tag }];
        let right = vec![1; nonce];
        let (mut buffers, mut tags) = ([[0x11; 20]; 5], vec![vec![0x55; tag]; 4]);
        for opens in [false, true] {
            let [buffers @ .., last] = &mut buffers;
            let mut messages: Vec<_> = buffers
                .iter_mut()
                .zip(&mut tags)
                .map(|(buffer, tag)| Message::new(&right, b"", buffer, tag))
                .collect();
            messages.push(Message::new(&other_nonce, b"", last, &mut other_tag));
            messages[0].outcome = Ok(());
            let refused = match opens {
                true => cipher.open_batch(&mut messages),
                false => cipher.seal_batch(&mut messages),
            };
            assert_eq!(refused, Err(Error::Length { what, expected, actual }));
            assert!(messages.iter().all(|m| m.outcome == Err(Error::Unauthentic)), "{what}");
        }
        assert_eq!(buffers, [[0x11; 20]; 5], "{what}: something was done");
        assert!(tags.concat().iter().all(|&byte| byte == 0x55), "{what}: something was done");
    }
}

/// Lengths that go side by side, nearly so, and that are too long.
const MIXED: [(usize, usize); 24] = [
    (0, 0),
    (0, 1),
    (0, 15),
    (0, 16),
    (0, 17),
    (0, 31),
    (0, 32),
    (0, 32),
    (0, 33),
    (0, 48),
    (0, 63),
    (0, 64),
    (0, 65),
    (0, 129),
    (0, 700),
    (1, 32),
    (5, 0),
    (15, 17),
    (16, 32),
    (16, 64),
    (17, 32),
    (17, 64),
    (100, 5),
    (100, 300),
];

/// One shape only, so that lanes are always full.
const ALIKE: [(usize, usize); 2] = [(13, 30), (16, 32)];

/// No message has associated data, so that every block count is often met.
const BARE: [(usize, usize); 5] = [(0, 16), (0, 30), (0, 47), (0, 64), (0, 0)];

/// `unit` bytes are an update, or a block; messages of up to `most` of them go side by side.
fn batches(name: &str, unit: usize, most: usize) {
    let algorithm = name.parse().expect(name);
    every_shape_stands_alone(&algorithm, unit, most + 1);
    is_one_at_a_time(&algorithm, &MIXED);
    is_one_at_a_time(&algorithm, &ALIKE);
    is_one_at_a_time(&algorithm, &BARE);
    names_wrong_lengths(&algorithm);
}

#[test]
fn omd() {
    batches("omd-sha256", 32, 2);
    batches("omd-sha512", 64, 2);
    batches("omd-blake2b", 64, 2);
}

#[test]
fn xaes() {
    batches("xaes-256-gcm", 16, 4);
}

#[test]
fn kc_xaes() {
    batches("kc-xaes-256-gcm", 16, 4);
}

#[test]
fn dndk() {
    batches("dndk-gcm", 16, 4);
}

#[test]
fn derivation_by_hmac() {
    batches("h-kc-aes-256-gcm", 16, 4);
}

#[test]
fn aegis_128l() {
    batches("aegis-128l", 32, 8);
    batches("aegis-128l:tag=32", 32, 8);
}

#[test]
fn aegis_256() {
    batches("aegis-256", 16, 8);
    batches("aegis-256:tag=32", 16, 8);
}

#[test]
fn aegis_128x2() {
    batches("aegis-128x2", 64, 2);
}
