//! Round trips give the plaintext back: every length at an edge, every shape of the pipeline, every
//! suite and segment size; and the layout in between is right.

use crate::common::{
    FILE, IoSetup, OddIo, STREAM, decrypt, encrypt, encryptor, key, message, recipients, shapes,
};
use polyseal_file::{
    Decryptor, Encryptor, Error, Identities, Input, MIN_HEADER_BYTES as HEADER_BYTES, Output,
    SegmentSize, Suite,
};
use proptest::prelude::*;

/// Around one segment, around a batch of 128, more than 64 segments.
const LENGTHS: [usize; 16] = [
    0,
    1,
    15,
    4095,
    4096,
    4097,
    8191,
    8192,
    8193,
    65 * 4096 + 5,
    127 * 4096 + 1,
    128 * 4096 - 1,
    128 * 4096,
    128 * 4096 + 1,
    300 * 4096 + 17,
    512 * 4096,
];

#[test]
fn every_length_and_shape() {
    let key = key();
    for shape in shapes() {
        for length in LENGTHS {
            let message = message(length);
            let sealed = encrypt(&key, 4096, shape, &message);
            let segments = length.div_ceil(4096).max(1);
            assert_eq!(sealed.len(), HEADER_BYTES + length + 16 * segments, "{shape:?} {length}");
            // Whatever the shape, it is the same format.
            for shape in [shape, STREAM, FILE] {
                let (result, opened) = decrypt(&key, shape, &sealed);
                result.unwrap_or_else(|error| panic!("{shape:?} {length}: {error}"));
                assert!(opened == message, "{shape:?} {length}");
            }
        }
    }
}

/// Bytes in, bytes out: the same files.
#[test]
fn bytes_and_what_they_are_sealed_to() {
    let (key, identities) = (key(), Identities::from(&key()));
    for length in LENGTHS {
        let message = message(length);
        let sealed = polyseal_file::encrypt(&recipients(), &message).unwrap();
        assert_eq!(sealed.len(), HEADER_BYTES + length + 16 * length.div_ceil(1 << 16).max(1));
        assert!(decrypt(&key, STREAM, &sealed).1 == message, "{length}");
        assert!(polyseal_file::decrypt(&identities, &sealed).unwrap() == message, "{length}");
        // All of it, or none.
        let cut = polyseal_file::decrypt(&identities, &sealed[..sealed.len() - 1]);
        assert!(matches!(cut, Err(Error::Corrupt { .. } | Error::Truncated)), "{length}");
    }
    let nobody = polyseal_file::encrypt(&polyseal_file::Recipients::new(), b"");
    assert!(matches!(nobody, Err(Error::NoRecipients)));
}

#[test]
fn every_suite() {
    let key = key();
    let message = message(70_000);
    for name in Suite::allowed() {
        let suite: Suite = name.parse().unwrap();
        let mut sealed = Vec::new();
        Encryptor::new(&recipients())
            .suite(suite)
            .encrypt(Input::Stream(&mut &message[..]), Output::Stream(&mut sealed))
            .unwrap();
        let tags = 2 * suite.tag_bytes();
        assert_eq!(sealed.len(), HEADER_BYTES + message.len() + tags, "{suite}");
        for shape in [STREAM, FILE] {
            let (result, opened) = decrypt(&key, shape, &sealed);
            result.unwrap();
            assert!(opened == message, "{suite}");
        }
        // The last segment's tag, whatever its parts are.
        for back in 1..=suite.tag_bytes() {
            let at = sealed.len() - back;
            sealed[at] ^= 1;
            let (result, _) = decrypt(&key, STREAM, &sealed);
            assert!(matches!(result, Err(Error::Corrupt { segment: 1, .. })), "{suite}, {back}");
            sealed[at] ^= 1;
        }
    }
}

#[test]
fn every_segment_size() {
    let key = key();
    for log2 in 12..=24 {
        let segment = 1 << log2;
        let message = message(segment + segment / 2 + 3);
        let sealed = encrypt(&key, segment as u64, FILE, &message);
        assert!(decrypt(&key, STREAM, &sealed).1 == message, "{segment}");
    }
}

#[test]
fn no_two_files_are_alike() {
    let [a, b] = [0, 1].map(|_| encrypt(&key(), 4096, STREAM, &[0; 10_000]));
    let equal = |range: std::ops::Range<usize>| a[range.clone()] == b[range];
    assert!(equal(0..32), "what is not secret");
    assert!(!equal(32..64) && !equal(HEADER_BYTES..HEADER_BYTES + 16));
    // Nor are two segments of one file, though they hold the same.
    assert_ne!(a[HEADER_BYTES..HEADER_BYTES + 16], a[HEADER_BYTES + 4112..][..16]);
}

#[test]
fn an_output_file_that_is_not_empty_is_refused_and_not_touched() {
    let key = key();
    let sealed = encrypt(&key, 4096, STREAM, b"message");
    let file = tempfile::tempfile().unwrap();
    file.set_len(1_000_000).unwrap();
    let result =
        Encryptor::new(&recipients()).encrypt(Input::Stream(&mut &[][..]), Output::File(&file));
    assert!(matches!(result, Err(Error::OutputNotEmpty)), "{result:?}");
    let result = Decryptor::new(&Identities::from(&key))
        .decrypt(Input::Stream(&mut &sealed[..]), Output::File(&file));
    assert!(matches!(result, Err(Error::OutputNotEmpty)), "{result:?}");
    assert!(crate::common::contents(&file) == vec![0; 1_000_000]);
}

#[test]
fn an_output_that_fails_is_an_error_and_ends_the_work() {
    let to = recipients();
    for room in [0, 100, 4096, 5000, 700_000] {
        for threads in 1..=4 {
            let mut buffer = vec![0; room];
            let mut writer = &mut buffer[..];
            let shape = IoSetup { threads, ..STREAM };
            let result = encryptor(&to, 4096, shape)
                .encrypt(Input::Stream(&mut std::io::repeat(7)), Output::Stream(&mut writer));
            assert!(matches!(result, Err(Error::Io { what: "write the output", .. })));
        }
    }
}

#[test]
fn progress_adds_up() {
    let total = std::sync::atomic::AtomicU64::new(0);
    let add = |n| {
        total.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
    };
    let to = recipients();
    encryptor(&to, 4096, FILE)
        .running(FILE.run().progress(&add))
        .encrypt(Input::Stream(&mut &message(3_000_000)[..]), Output::Stream(&mut Vec::new()))
        .unwrap();
    assert_eq!(total.into_inner(), 3_000_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn streams_in_odd_pieces(
        length in 0_usize..1_500_000,
        log2 in 12_u32..18,
        threads in 1_usize..5,
        mut reads in prop::collection::vec(0_usize..200_000, 1..8),
        mut writes in prop::collection::vec(0_usize..200_000, 1..8),
    ) {
        reads.push(70_000);
        writes.push(70_000);
        let (key, message) = (key(), message(length));
        let run = IoSetup { threads, ..STREAM }.run();
        let mut sealed = OddIo::new(Vec::new(), &writes);
        let mut opened = OddIo::new(Vec::new(), &reads);
        Encryptor::new(&recipients())
            .segment_size(SegmentSize::new(1 << log2).unwrap())
            .running(run)
            .encrypt(
                Input::Stream(&mut OddIo::new(&message[..], &reads)),
                Output::Stream(&mut sealed),
            )
            .unwrap();
        Decryptor::new(&Identities::from(&key))
            .running(run)
            .decrypt(
                Input::Stream(&mut OddIo::new(&sealed.inner[..], &writes)),
                Output::Stream(&mut opened),
            )
            .unwrap();
        prop_assert!(opened.inner == message);
    }
}

/// In append mode the system would put every piece at the end, in whatever order they come.
// Wine lets what only appends set the length, as Windows does not.
#[cfg(unix)]
#[test]
fn an_output_file_in_append_mode_is_refused() {
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    let result =
        Encryptor::new(&recipients()).encrypt(Input::Stream(&mut &[][..]), Output::File(&file));
    assert!(matches!(result, Err(Error::OutputNotEmpty)), "{result:?}");
}
