//! Parts against what the pipeline writes in one go, with the same header and file key; and what
//! the refusals are for.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;
use proptest::sample::{Index, select};

use super::*;
use crate::layout::SegmentSize;
use crate::pipeline::{Input, Output};
use crate::suite::Suite;
use crate::whole_file::Encryptor;

fn user() -> Key {
    Key::from_bytes(&[0x5a; 32])
}

fn version() -> SourceVersion {
    SourceVersion::new("version 1").unwrap()
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

fn begin(suite: &str, bytes: usize, detached: bool) -> Sealer {
    let recipients = Recipients::from(&user());
    let encryptor = Encryptor::new(&recipients)
        .suite(suite.parse().unwrap())
        .segment_size(SegmentSize::new(4096).unwrap());
    if detached {
        encryptor.sealer_detached(bytes as u64, &version()).unwrap()
    } else {
        encryptor.sealer(bytes as u64, &version()).unwrap()
    }
}

fn again(sealer: &Sealer) -> Sealer {
    let identities = Identities::from(&user());
    Sealer::from_ticket(&sealer.ticket().unwrap(), &identities, None, &version()).unwrap()
}

/// The bytes that one process writes with the header of `sealer`.
fn in_one_go(sealer: &Sealer, message: &[u8]) -> Vec<u8> {
    let (recipients, mut stored) = (Recipients::from(&user()), Vec::new());
    let before = &sealer.header.as_bytes()[..sealer.layout.payload_offset() as usize];
    let (mut input, output) = (message, Output::Stream(&mut stored));
    Encryptor::new(&recipients)
        .segment_size(sealer.header.segment_size())
        .carry(&sealer.header, &sealer.file_key, Input::Stream(&mut input), output, before)
        .unwrap();
    stored
}

fn seal(sealer: &Sealer, message: &[u8], stored: Range<u64>) -> Result<Vec<u8>> {
    let Range { start, end } = sealer.plaintext_range(stored.clone());
    sealer.seal_stored(stored, &version(), &message[start as usize..end as usize])
}

#[test]
fn parts_of_every_suite_make_the_file_that_one_process_writes() {
    for suite in Suite::allowed() {
        for bytes in [0, 1, 4095, 4096, 4097, 3 * 4096, 3 * 4096 + 100] {
            let message = message(bytes);
            let sealer = begin(suite, bytes, false);
            let expected = in_one_go(&sealer, &message);
            assert_eq!(sealer.stored_bytes(), expected.len() as u64);
            // From the end, each by a sealer of its own.
            let mut parts: Vec<_> = sealer.parts(NonZeroU64::new(5000).unwrap()).collect();
            parts.reverse();
            let sealed: BTreeMap<_, _> = parts
                .into_iter()
                .map(|part| (part.start, seal(&again(&sealer), &message, part).unwrap()))
                .collect();
            assert!(sealed.into_values().flatten().eq(expected), "{suite}, {bytes} bytes");
        }
    }
}

#[test]
fn parts_have_one_size_and_cover_all() {
    for (bytes, detached, size) in
        [(0, false, 4096), (0, true, 1), (100_000, true, 7), (5, false, 1 << 40)]
    {
        let sealer = begin("aegis-128l", bytes, detached);
        let parts: Vec<_> = sealer.parts(NonZeroU64::new(size).unwrap()).collect();
        let mut next = 0;
        for (i, part) in parts.iter().enumerate() {
            assert_eq!(part.start, next);
            assert!(part.end - part.start == size || i + 1 == parts.len());
            next = part.end;
        }
        assert_eq!(next, sealer.stored_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any ranges, however they overlap, in any order: each is what stands there in the file.
    #[test]
    fn any_range_is_that_of_the_file(
        bytes in 0..40_000_usize,
        suite in select(&["aegis-256x2", "aes-256-gcm", "kc-xaes-256-gcm", "omd-sha256"][..]),
        detached in any::<bool>(),
        ranges in vec((any::<Index>(), any::<Index>()), 1..12),
    ) {
        let message = message(bytes);
        let sealer = begin(suite, bytes, detached);
        let expected = in_one_go(&sealer, &message);
        for (a, b) in ranges {
            let [a, b] = [a, b].map(|index| index.index(expected.len() + 1));
            let part = a.min(b)..a.max(b);
            let found = seal(&sealer, &message, part.start as u64..part.end as u64).unwrap();
            assert!(found == expected[part.clone()], "{part:?} of {}", expected.len());
        }
        // Whole segments, as they are named for the plaintext.
        let all = sealer.stored_range(0..u64::MAX);
        assert_eq!(sealer.plaintext_range(all), 0..bytes as u64);
    }
}

#[test]
fn ranges_that_are_empty_turned_round_or_beyond_the_end() {
    let (message, sealer) = (message(10_000), begin("aegis-256x2", 10_000, false));
    let end = sealer.stored_bytes();
    for range in [0..0, 5000..5000, end..end + 5, u64::MAX..u64::MAX] {
        assert!(seal(&sealer, &message, range.clone()).unwrap().is_empty(), "{range:?}");
    }
    #[allow(clippy::reversed_empty_ranges, reason = "as a caller may")]
    for range in [6000..5000, 100..50, u64::MAX..0] {
        assert!(seal(&sealer, &message, range.clone()).unwrap().is_empty(), "{range:?}");
    }
    let expected = in_one_go(&sealer, &message);
    assert!(seal(&sealer, &message, 0..u64::MAX).unwrap() == expected);
    assert!(seal(&sealer, &message, 4000..u64::MAX).unwrap() == expected[4000..]);
    let short = sealer.seal_stored(0..end, &version(), &message[1..]);
    assert!(matches!(short, Err(Error::PartBytes { expected: 10_000, given: 9999 })));
}

#[test]
fn a_retry_gives_the_same_bytes_and_another_plaintext_is_refused() {
    let (mut message, sealer) = (message(20_000), begin("aes-256-gcm", 20_000, true));
    let first = seal(&sealer, &message, 4000..9000).unwrap();
    assert_eq!(seal(&sealer, &message, 4000..9000).unwrap(), first);
    message[4500] ^= 1;
    // Segment 1 has been sealed with the earlier bytes; segment 4 has not been.
    let refused = seal(&sealer, &message, 0..20_000);
    assert!(matches!(refused, Err(Error::SealedOtherwise { segment: 1 })), "{refused:?}");
    assert!(seal(&sealer, &message, 4 * 4112..20_000).is_ok());
    message[4500] ^= 1;
    assert_eq!(seal(&sealer, &message, 4000..9000).unwrap(), first);
}

#[test]
fn one_thread_gets_a_segment_that_several_seal_differently() {
    for _ in 0..50 {
        let (sealer, ready) = (begin("aes-256-gcm", 4096, true), Barrier::new(4));
        let sealed: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u8)
                .map(|i| {
                    let (sealer, ready) = (&sealer, &ready);
                    scope.spawn(move || {
                        ready.wait();
                        seal(sealer, &[i; 4096], 0..5000)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(sealed.iter().filter(|sealed| sealed.is_ok()).count(), 1);
    }
}

/// The documentation says that nobody can prevent this: two processes that are lied to. This is why
/// a version must change with every byte.
#[test]
fn two_plaintexts_under_one_nonce_give_away_their_difference() {
    // With AEGIS as far as the first block of the state's rate, with GCM all along.
    for (suite, bytes) in [("aes-256-gcm", 4096), ("aegis-256", 16), ("aegis-128l", 32)] {
        let (one, other) = (message(4096), vec![0x33; 4096]);
        let sealer = begin(suite, 4096, true);
        let [first, second] =
            [&one, &other].map(|message| seal(&again(&sealer), message, 0..4096).unwrap());
        let xor = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a ^ b).collect::<Vec<_>>();
        assert_eq!(xor(&first, &second)[..bytes], xor(&one, &other)[..bytes], "{suite}");
    }
}

#[test]
fn another_version_of_the_source_is_refused_everywhere() {
    let (message, sealer) = (message(100), begin("aegis-256x2", 100, true));
    let other = SourceVersion::new("version 2").unwrap();
    let refused = sealer.seal_stored(0..116, &other, &message);
    assert!(matches!(refused, Err(Error::SourceChanged)));
    let identities = Identities::from(&user());
    let refused = Sealer::from_ticket(&sealer.ticket().unwrap(), &identities, None, &other);
    assert!(matches!(refused, Err(Error::SourceChanged)));
    for bad in [0, SourceVersion::MAX_BYTES + 1] {
        assert!(matches!(SourceVersion::new(vec![1; bad]), Err(Error::SourceVersion)));
    }
    assert!(SourceVersion::new(vec![1; SourceVersion::MAX_BYTES]).is_ok());
}

#[test]
fn every_byte_of_a_ticket_counts() {
    let identities = Identities::from(&user());
    let open = |ticket: &[u8]| Sealer::from_ticket(ticket, &identities, None, &version());
    let sealer = begin("aegis-256x2", 5000, false);
    let others = Key::from_bytes(&[1; 32]);
    let ticket = sealer.ticket().unwrap();
    assert_eq!(ticket.len(), 4096 + 89);
    assert!(open(&ticket).is_ok());
    for at in 0..ticket.len() {
        let mut altered = ticket.clone();
        altered[at] ^= 1;
        assert!(open(&altered).is_err(), "byte {at}");
    }
    for length in [0, 31, 57, 89, 100, 4096, ticket.len() - 1] {
        assert!(open(&ticket[..length]).is_err(), "{length} bytes");
    }
    assert!(open(&[&ticket[..], &[0]].concat()).is_err());
    let nobody = Sealer::from_ticket(&ticket, &Identities::from(&others), None, &version());
    assert!(matches!(nobody, Err(Error::NoMatchingKey)));
    // A file is no ticket, nor is its header.
    let file = in_one_go(&sealer, &message(5000));
    assert!(matches!(open(&file), Err(Error::Ticket)));
    assert!(matches!(open(&file[..4096]), Err(Error::Ticket)));
}

#[test]
fn workers_seal_a_file_that_they_are_no_recipients_of() {
    let (message, sealer) = (message(10_000), begin("aegis-256x2", 10_000, false));
    let worker = Key::from_bytes(&[9; 32]);
    let ticket = sealer.ticket_for(&Recipients::from(&worker)).unwrap();
    let identities = Identities::from(&worker);
    let theirs = Sealer::from_ticket(&ticket, &identities, None, &version()).unwrap();
    let all = seal(&theirs, &message, 0..u64::MAX).unwrap();
    assert!(all == in_one_go(&sealer, &message));
    assert_eq!(theirs.header().as_bytes(), sealer.header().as_bytes());
    let refused = theirs.header().authenticate(&identities);
    assert!(matches!(refused, Err(Error::NoMatchingKey)));
    let owner = Sealer::from_ticket(&ticket, &Identities::from(&user()), None, &version());
    assert!(matches!(owner, Err(Error::NoMatchingKey)));
}

#[test]
fn a_ticket_needs_the_context() {
    let (recipients, identities) = (Recipients::from(&user()), Identities::from(&user()));
    let [one, other] = ["one", "other"].map(|text| Context::new(text).unwrap());
    let sealer = Encryptor::new(&recipients).context(&one).sealer(10, &version()).unwrap();
    let open =
        |context| Sealer::from_ticket(&sealer.ticket().unwrap(), &identities, context, &version());
    assert!(matches!(open(None), Err(Error::ContextMissing)));
    assert!(matches!(open(Some(&other)), Err(Error::ContextDiffers)));
    let expected = seal(&sealer, b"0123456789", 0..u64::MAX).unwrap();
    assert!(seal(&open(Some(&one)).unwrap(), b"0123456789", 0..u64::MAX).unwrap() == expected);
}

#[test]
fn no_more_segments_than_a_file_may_have() {
    let recipients = Recipients::from(&user());
    let encryptor = Encryptor::new(&recipients)
        .suite("aes-256-gcm".parse().unwrap())
        .segment_size(SegmentSize::new(4096).unwrap());
    let most = (1 << 52) / (4096 + 16) * 4096;
    assert!(encryptor.sealer(most, &version()).is_ok());
    for more in [most + 1, u64::MAX] {
        assert!(matches!(encryptor.sealer(more, &version()), Err(Error::TooLong)), "{more}");
    }
}
