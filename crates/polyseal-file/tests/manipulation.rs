//! Every manipulation of a file is refused, and what was written before is a part of the message.

use crate::common::{FILE, IoSetup, STREAM, decrypt, encrypt, key, message, shapes};
use polyseal_file::{Error, MIN_HEADER_BYTES as HEADER_BYTES};

const SEGMENT: usize = 4096;
const WIRE: usize = SEGMENT + 16;

/// Three full segments and a short one.
fn sealed() -> (Vec<u8>, Vec<u8>) {
    let message = message(3 * SEGMENT + 100);
    (encrypt(&key(), SEGMENT as u64, STREAM, &message), message)
}

/// Asserts that `altered` does not open, streamed or as a file.
fn refused(altered: &[u8], message: &[u8], what: &str) -> [Error; 2] {
    [STREAM, FILE].map(|shape| {
        let (result, written) = decrypt(&key(), shape, altered);
        if shape == STREAM {
            assert!(message.starts_with(&written), "{what}: unverified output");
        }
        result.err().unwrap_or_else(|| panic!("{what}, {shape:?}: accepted"))
    })
}

/// The segments of a file, tags included.
fn segments(file: &[u8]) -> Vec<&[u8]> {
    file[HEADER_BYTES..].chunks(WIRE).collect()
}

fn with_segments(file: &[u8], segments: &[&[u8]]) -> Vec<u8> {
    [&file[..HEADER_BYTES], &segments.concat()].concat()
}

#[test]
fn control_the_untouched_file_opens() {
    let (file, message) = sealed();
    for shape in shapes() {
        let (result, opened) = decrypt(&key(), shape, &file);
        result.unwrap();
        assert!(opened == message);
        assert_eq!(with_segments(&file, &segments(&file)), file);
    }
}

#[test]
fn every_byte_flipped() {
    let (mut file, message) = sealed();
    for at in 0..file.len() {
        let bit = 1 << (at % 8);
        file[at] ^= bit;
        for error in refused(&file, &message, &format!("byte {at}")) {
            if let Some(payload_at) = at.checked_sub(HEADER_BYTES) {
                let number = (payload_at / WIRE) as u64;
                assert!(
                    matches!(error, Error::Corrupt { segment, .. } if segment == number),
                    "byte {at}: {error:?}"
                );
            }
        }
        file[at] ^= bit;
    }
}

#[test]
fn truncation_at_every_length() {
    let (file, message) = sealed();
    for length in 0..file.len() {
        refused(&file[..length], &message, &format!("cut to {length}"));
    }
    // At an edge between segments, whole segments are left, but not the last.
    for count in 1..4 {
        let errors = refused(&file[..HEADER_BYTES + count * WIRE], &message, "edge");
        let expected = count as u64 - 1;
        for error in errors {
            assert!(
                matches!(error, Error::Corrupt { segment, last: true } if segment == expected),
                "{error:?}"
            );
        }
    }
}

#[test]
fn extension() {
    let (file, message) = sealed();
    for extra in (1..40).chain([WIRE - 101, WIRE - 100, WIRE - 99, WIRE, 2 * WIRE, 100_000]) {
        for byte in [0, 0xff] {
            let longer = [&file[..], &vec![byte; extra]].concat();
            refused(&longer, &message, &format!("{extra} more"));
        }
    }
}

#[test]
fn extension_of_an_exact_multiple() {
    for count in 0..4 {
        let message = message(count * SEGMENT);
        let file = encrypt(&key(), SEGMENT as u64, STREAM, &message);
        for extra in [1, 15, 16, 17, WIRE - 1, WIRE, WIRE + 1] {
            let longer = [&file[..], &vec![0; extra]].concat();
            refused(&longer, &message, &format!("{count} segments and {extra} more"));
        }
    }
}

#[test]
fn reordering_duplication_and_omission() {
    let (file, message) = sealed();
    let original = segments(&file);
    let count = original.len();
    for i in 0..count {
        for j in 0..count {
            let mut altered = original.clone();
            altered[i] = original[j];
            if i != j {
                refused(&with_segments(&file, &altered), &message, &format!("{j} also at {i}"));
                altered[j] = original[i];
                refused(&with_segments(&file, &altered), &message, &format!("{i} and {j} swapped"));
            }
            let mut altered = original.clone();
            altered.insert(i, original[j]);
            refused(&with_segments(&file, &altered), &message, &format!("{j} inserted at {i}"));
        }
        let mut altered = original.clone();
        altered.remove(i);
        refused(&with_segments(&file, &altered), &message, &format!("{i} left out"));
    }
    refused(&with_segments(&file, &[]), &message, "no segment");
}

#[test]
fn splicing_from_a_file_with_the_same_key() {
    let (file, message) = sealed();
    let (other, _) = sealed();
    let (mine, theirs) = (segments(&file), segments(&other));
    for i in 0..mine.len() {
        let mut altered = mine.clone();
        altered[i] = theirs[i];
        refused(&with_segments(&file, &altered), &message, &format!("foreign segment {i}"));
    }
    refused(&with_segments(&other, &mine), &message, "foreign header");
    // Foreign parts of the header: salt; suite, stanza and MAC.
    for range in [32..64, 64..HEADER_BYTES, 160..268, HEADER_BYTES - 32..HEADER_BYTES] {
        let mut altered = file.clone();
        altered[range.clone()].copy_from_slice(&other[range.clone()]);
        if altered != file {
            refused(&altered, &message, &format!("foreign {range:?}"));
        }
    }
}

#[test]
fn a_bad_segment_among_many_ends_the_output_before_it() {
    let message = message(700 * SEGMENT);
    let mut file = encrypt(&key(), SEGMENT as u64, FILE, &message);
    let bad = 450;
    file[HEADER_BYTES + bad * WIRE] ^= 1;
    for threads in 1..=4 {
        for file_in in [false, true] {
            let shape = IoSetup { file_in, file_out: false, threads };
            let (result, written) = decrypt(&key(), shape, &file);
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Corrupt { segment: 450, last: false }), "{error:?}");
            assert!(message.starts_with(&written) && written.len() <= bad * SEGMENT);
            // The batches before the bad one were verified, and a pipe has got them.
            assert!(written.len() >= (bad - 128) * SEGMENT, "{}", written.len());
        }
        let shape = IoSetup { threads, ..FILE };
        assert!(decrypt(&key(), shape, &file).0.is_err());
    }
}

#[test]
fn the_empty_file() {
    let file = encrypt(&key(), SEGMENT as u64, STREAM, b"");
    assert_eq!(file.len(), HEADER_BYTES + 16);
    assert!(decrypt(&key(), STREAM, &file).0.is_ok());
    for at in HEADER_BYTES..file.len() {
        let mut altered = file.clone();
        altered[at] ^= 0x10;
        refused(&altered, b"", "flipped");
        refused(&file[..at], b"", "cut");
    }
    let twice = with_segments(&file, &[segments(&file)[0], segments(&file)[0]]);
    refused(&twice, b"", "twice");
}
