//! Headers with whatever in them, and stanzas and a MAC that are right all the same: opened or
//! refused as the reference in Python does it, and described in the same words.
//!
//! `research/reference/verdicts.py` makes the same headers of the same inputs: see there.

use std::sync::OnceLock;

use argon2::{Algorithm, Argon2, Params, Version};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use polyseal_file::age::{NoCallbacks, parse_identities};
use polyseal_file::{Context, Decryptor, Error, Header, Identities, Inspection, Key, Passphrase};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::reference;

const FILE_KEY: [u8; 32] = [1; 32];
const OTHER_FILE_KEY: [u8; 32] = [2; 32];
const KEY: [u8; 32] = [3; 32];
const OTHER_KEY: [u8; 32] = [4; 32];
/// The file key that the conformance kit's age recipients have wrapped.
const AGE_KEY: [u8; 16] = [
    0xe1, 0xdd, 0x65, 0x6e, 0xfe, 0x10, 0xca, 0x0a, 0xd6, 0x2a, 0x4c, 0x3c, 0xb0, 0x83, 0x48, 0x5d,
];
const PASSPHRASE: &[u8] = b"passphrase";
const CONTEXT: &[u8] = b"context";
/// The most that Argon2id is given to do.
const MOST_KIBIBYTES: u32 = 64;
const MOST_PASSES: u32 = 2;

const STANZAS: usize = 160;
const MAC: usize = 32;

fn hkdf(key: &[u8], salt: &[u8], info: &[&[u8]], out: &mut [u8]) {
    Hkdf::<Sha256>::new(Some(salt), key).expand_multi_info(info, out).expect("a short output");
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any key");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> usize {
    bytes[at..at + N].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// The header that begins with `body`.
fn finish(body: &[u8]) -> Vec<u8> {
    let length = if body.len() < STANZAS { 0 } else { number::<8>(body, 16) };
    if !(4096..=65536).contains(&length) || !length.is_multiple_of(4096) {
        return body.to_vec();
    }
    let end = length - MAC;
    let mut header = body.to_vec();
    header.resize(end, 0);
    let salt = <[u8; 32]>::try_from(&header[32..64]).expect("32 bytes");
    if header[128] == 1 {
        let label = b"polyseal-file/1 context";
        hkdf(&FILE_KEY, &salt, &[label, CONTEXT], &mut header[128..STANZAS]);
    }
    let mut at = STANZAS;
    for _ in 0..number::<2>(&header, 10) {
        if at + 4 > end {
            break;
        }
        let after = at + 4 + number::<2>(&header, at + 2);
        if after > end {
            break;
        }
        let (fixed, stanza) = header.split_at_mut(at);
        seal([&fixed[..10], &fixed[12..STANZAS]], &mut stanza[..after - at]);
        at = after;
    }
    let mut key = [0; 32];
    hkdf(&FILE_KEY, &salt, &[b"polyseal-file/1 header"], &mut key);
    let mac = hmac(&key, &[&header]);
    header.extend_from_slice(&mac);
    header
}

/// The same stanza for the file key; or, as the first byte of its id says, under another key, for
/// another file key, or left alone.
fn seal(fixed: [&[u8]; 2], stanza: &mut [u8]) {
    let kind = number::<2>(stanza, 0);
    if !(1..=3).contains(&kind) || stanza.len() < 108 || stanza[36] == 3 {
        return;
    }
    let (end, what) = (stanza.len() - MAC, stanza[36]);
    let specific = &stanza[76..end];
    let salt = &stanza[4..36];
    let stretched;
    let key: &[u8] = match kind {
        _ if what == 1 => &OTHER_KEY,
        1 => &KEY,
        3 => &AGE_KEY,
        _ => match cheap(specific) {
            Some(cost) => {
                stretched = stretch(cost, salt);
                &stretched
            }
            None => &OTHER_KEY,
        },
    };
    let mut material = [0; 72];
    hkdf(key, salt, &[b"polyseal-file/1 stanza", &stanza[..2]], &mut material);
    let (id, rest) = material.split_at(8);
    let (pad, mac_key) = rest.split_at(32);
    let file_key = if what == 2 { OTHER_FILE_KEY } else { FILE_KEY };
    stanza[36..44].copy_from_slice(id);
    for ((out, key), pad) in stanza[44..76].iter_mut().zip(file_key).zip(pad) {
        *out = key ^ pad;
    }
    let (covered, tag) = stanza.split_at_mut(end);
    tag.copy_from_slice(&hmac(mac_key, &[fixed[0], fixed[1], covered]));
}

/// Argon2id's m, t and p, if little is to be done.
fn cheap(specific: &[u8]) -> Option<Params> {
    let specific: &[u8; 12] = specific.try_into().ok()?;
    let field = |at: usize| u32::try_from(number::<4>(specific, at)).expect("4 bytes");
    let (m, t, p) = (field(0), field(4), field(8));
    let bounded = p >= 1 && u64::from(p) * 8 <= u64::from(m);
    (bounded && m <= MOST_KIBIBYTES && (1..=MOST_PASSES).contains(&t))
        .then(|| Params::new(m, t, p, Some(32)).expect("parameters"))
}

fn stretch(cost: Params, salt: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost);
    argon2.hash_password_into(PASSPHRASE, salt, &mut key).expect("a key");
    key
}

/// An age identity of the conformance kit.
fn kit(name: &str) -> &'static str {
    static INDEX: OnceLock<Value> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let index = include_str!("../../../vectors/file-format/index.json");
        serde_json::from_str(index).expect("JSON")
    });
    index["keys"][name]["identity"].as_str().expect("an identity")
}

/// The keys that the bits of `given` stand for.
fn identities(given: u8, described: &Value) -> Identities<'static> {
    let mut identities = Identities::new();
    for (bit, key) in [(1, KEY), (16, [0; 32])] {
        if given & bit != 0 {
            identities = identities.key(Key::from_bytes(&key));
        }
    }
    for (bit, name) in [(2, "age-1"), (4, "age-hybrid")] {
        if given & bit != 0 {
            let age = parse_identities(kit(name).as_bytes(), None, &NoCallbacks);
            identities = identities.age(age.expect("an identity"));
        }
    }
    let costly = |stanza: &Value| {
        stanza["memory_kib"].as_u64() > Some(MOST_KIBIBYTES.into())
            || stanza["passes"].as_u64() > Some(MOST_PASSES.into())
    };
    if given & 8 != 0 && !described["stanzas"].as_array().expect("stanzas").iter().any(costly) {
        identities = identities.passphrase(|| Passphrase::new(PASSPHRASE.to_vec()));
    }
    identities
}

/// The outcome, in the conformance kit's words.
fn outcome(given: u8, header: &[u8], described: &Value) -> &'static str {
    let identities = identities(given, described);
    let context = Context::new(CONTEXT).expect("a context");
    let mut decryptor = Decryptor::new(&identities);
    if given & 32 != 0 {
        decryptor = decryptor.context(&context);
    }
    match decryptor.reader(header).map(|_| ()) {
        // There is no payload.
        Err(Error::Truncated) => "ok",
        Err(error) => word(&error),
        Ok(()) => panic!("a header alone is not a file"),
    }
}

fn word(error: &Error) -> &'static str {
    match error {
        Error::NotAPolysealFile | Error::AgeFile | Error::Armored => "not-a-polyseal-file",
        Error::UnsupportedVersion(_) => "unsupported-version",
        Error::Truncated => "truncated-header",
        Error::Header(_) => "bad-header",
        Error::NoMatchingKey | Error::WrongPassphrase | Error::PassphraseNeeded => {
            "no-matching-key"
        }
        Error::HeaderNotAuthentic => "header-not-authentic",
        Error::ContextMissing => "context-missing",
        Error::ContextDiffers => "context-differs",
        Error::ContextUnexpected => "context-unexpected",
        error => panic!("{error:?}"),
    }
}

/// The verdict on an input: its first byte gives the keys and the context, the rest a header.
pub(crate) fn verdict(input: &[u8]) -> Value {
    let (given, body) = input.split_first().unwrap_or((&0, &[]));
    let header = finish(body);
    let sha256 = base16ct::lower::encode_string(&Sha256::digest(&header));
    let (described, outcome) = match Header::parse(&header) {
        // For a part of the magic, the specification lets a reader say either.
        Err(Error::Truncated) if header.len() < 8 => (Value::Null, "not-a-polyseal-file"),
        Err(error) => (Value::Null, word(&error)),
        Ok(parsed) => {
            assert_eq!(parsed.as_bytes(), header);
            let described = Inspection::read(&mut &header[..], None).expect("it is parsed");
            let described = serde_json::to_value(described).expect("JSON");
            let outcome = outcome(*given, &header, &described);
            (described, outcome)
        }
    };
    json!({ "sha256": sha256, "described": described, "outcome": outcome })
}

pub(crate) fn check(input: &[u8]) {
    reference::agrees("authentic_header", input, &verdict(input));
}
