//! Tickets: those of the reference in Python, and parts that other processes seal.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use polyseal_file::{
    Context, Decryptor, Encryptor, Error, Identities, Input, Key, Output, Recipients, Sealer,
    SegmentSize, SourceVersion,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Index {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    file: String,
    outcome: String,
    key: String,
    version: String,
    context: Option<String>,
    bytes: Option<u64>,
    stored_sha256: Option<String>,
}

fn unhex(text: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(text).unwrap()
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

fn outcome(error: &Error) -> &'static str {
    match error {
        Error::Ticket => "not-a-ticket",
        Error::SourceChanged => "source-changed",
        Error::HeaderNotAuthentic => "header-not-authentic",
        Error::NotAPolysealFile => "not-a-polyseal-file",
        Error::Truncated => "truncated-header",
        Error::NoMatchingKey => "no-matching-key",
        Error::ContextMissing => "context-missing",
        Error::ContextDiffers => "context-differs",
        other => panic!("{other}"),
    }
}

fn seal(sealer: &Sealer, version: &SourceVersion, message: &[u8], stored: Range<u64>) -> Vec<u8> {
    let Range { start, end } = sealer.plaintext_range(stored.clone());
    sealer.seal_stored(stored, version, &message[start as usize..end as usize]).unwrap()
}

#[test]
fn the_tickets_of_the_reference_are_taken_and_seal_what_it_seals() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/ticket");
    let index: Index =
        serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    assert!(index.tests.len() > 25);
    for test in &index.tests {
        let key = Key::from_bytes(&unhex(&test.key).try_into().unwrap());
        let version = SourceVersion::new(unhex(&test.version)).unwrap();
        let context = test
            .context
            .as_ref()
            .map(|it| Context::new(&*String::from_utf8(unhex(it)).unwrap()).unwrap());
        let ticket = fs::read(folder.join(&test.file)).unwrap();
        let identities = Identities::from(&key);
        let sealer = match Sealer::from_ticket(&ticket, &identities, context.as_ref(), &version) {
            Ok(sealer) => sealer,
            Err(error) => {
                assert_eq!(outcome(&error), test.outcome, "{}", test.file);
                continue;
            }
        };
        assert_eq!("ok", test.outcome, "{}", test.file);
        assert_eq!(sealer.plaintext_bytes(), test.bytes.unwrap(), "{}", test.file);
        let message = message(sealer.plaintext_bytes() as usize);
        let parts = sealer.parts(NonZeroU64::new(1000).unwrap());
        let stored: Vec<_> =
            parts.flat_map(|part| seal(&sealer, &version, &message, part)).collect();
        let digest = Sha256::digest(&stored);
        assert_eq!(digest[..], unhex(test.stored_sha256.as_ref().unwrap()), "{}", test.file);
        // A ticket for processes that can open the file is the same that is written here.
        if !test.file.starts_with("workers") && test.file != "both.ticket" {
            assert!(sealer.ticket().unwrap() == ticket, "{}", test.file);
        }
    }
}

/// The order of another process, in its environment: the ticket comes on its standard input, before
/// the plaintext.
const PART: &str = "POLYSEAL_TEST_PART";
const WORKER: &str = "ticket::a_part_is_sealed_by_another_process_if_it_is_told_to";
const BYTES: usize = 300_000;
const FIXED: &str = "\"9a0364b9e99bb480dd25e1f0284c8555\"";

fn worker_key() -> Key {
    Key::from_bytes(&[9; 32])
}

/// The other process, which is this test and nothing else. Without an order it sees that it has
/// none.
#[test]
fn a_part_is_sealed_by_another_process_if_it_is_told_to() {
    let Ok(order) = env::var(PART) else { return assert!(env::var_os(PART).is_none()) };
    let numbers: Vec<u64> = order.split('-').map(|it| it.parse().unwrap()).collect();
    let [ticket_bytes, start, end] = numbers[..] else { panic!("{order}") };
    let (mut ticket, mut plaintext) = (Vec::new(), Vec::new());
    let mut input = std::io::stdin();
    (&mut input).take(ticket_bytes).read_to_end(&mut ticket).unwrap();
    input.read_to_end(&mut plaintext).unwrap();
    let version = SourceVersion::new(FIXED).unwrap();
    let identities = Identities::from(&worker_key());
    let sealer = Sealer::from_ticket(&ticket, &identities, None, &version).unwrap();
    let sealed = sealer.seal_stored(start..end, &version, &plaintext).unwrap();
    // Standard output has the test harness's own text.
    fs::write(env::var_os("POLYSEAL_TEST_PART_TO").unwrap(), sealed).unwrap();
}

#[test]
fn processes_that_seal_parts_in_any_order_make_the_file_that_one_makes() {
    let folder = tempfile::tempdir().unwrap();
    let (message, version) = (message(BYTES), SourceVersion::new(FIXED).unwrap());
    let owner = Key::from_bytes(&[7; 32]);
    for suite in ["aegis-256x2", "kc-xaes-256-gcm"] {
        let recipients = Recipients::from(&owner);
        let sealer = Encryptor::new(&recipients)
            .suite(suite.parse().unwrap())
            .segment_size(SegmentSize::new(16_384).unwrap())
            .sealer(BYTES as u64, &version)
            .unwrap();
        // In this process alone, and from the beginning to the end.
        let whole = seal(&sealer, &version, &message, 0..sealer.stored_bytes());
        let ticket = sealer.ticket_for(&Recipients::from(&worker_key())).unwrap();
        let mut parts: Vec<_> =
            sealer.parts(NonZeroU64::new(50_000).unwrap()).enumerate().collect();
        assert_eq!(parts.len(), 7);
        // 3, 6, 2, 5, 1, 4, 0: all of them run at the same time, begun in this order.
        parts.sort_by_key(|(i, _)| (i * 2 + 1) % 7);
        let begun: Vec<_> = parts
            .into_iter()
            .map(|(i, part)| {
                let to = folder.path().join(i.to_string());
                let mut process = Command::new(env::current_exe().unwrap())
                    .args(["--exact", WORKER])
                    .env(PART, format!("{}-{}-{}", ticket.len(), part.start, part.end))
                    .env("POLYSEAL_TEST_PART_TO", &to)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap();
                let Range { start, end } = sealer.plaintext_range(part);
                let mut input = process.stdin.take().unwrap();
                input.write_all(&ticket).unwrap();
                input.write_all(&message[start as usize..end as usize]).unwrap();
                (i, process, to)
            })
            .collect();
        let mut sealed: Vec<_> = begun
            .into_iter()
            .map(|(i, mut process, to)| {
                assert!(process.wait().unwrap().success());
                (i, fs::read(to).unwrap())
            })
            .collect();
        sealed.sort();
        let file: Vec<_> = sealed.into_iter().flat_map(|(_, bytes)| bytes).collect();
        assert!(file == whole, "{suite}");
        let (identities, mut opened) = (Identities::from(&owner), Vec::new());
        let decryptor = Decryptor::new(&identities);
        decryptor.decrypt(Input::Stream(&mut &file[..]), Output::Stream(&mut opened)).unwrap();
        assert!(opened == message);
    }
}
