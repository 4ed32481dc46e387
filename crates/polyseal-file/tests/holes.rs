//! Long runs of zeros are holes in what is decrypted into a file, and the contents are the same.

#![cfg(unix)]

use std::fs::File;
use std::num::NonZeroUsize;
use std::os::unix::fs::{FileExt, MetadataExt};

use crate::common::{contents, key, message, recipients};
use polyseal_file::{
    Decryptor, Encryptor, Identities, Input, Output, Recipients, RunOptions, SegmentSize, age,
};

const MIB: usize = 1 << 20;

/// A file of so many bytes. Those in `data`, each with a beginning and an end, are not zeros.
fn sparse(bytes: usize, data: &[(usize, usize)]) -> File {
    let file = tempfile::tempfile().unwrap();
    file.set_len(bytes as u64).unwrap();
    for &(start, end) in data {
        let text: Vec<u8> = message(end - start).iter().map(|byte| byte | 1).collect();
        file.write_all_at(&text, start as u64).unwrap();
    }
    file
}

/// The bytes that a file takes on the disk.
fn taken(file: &File) -> u64 {
    file.metadata().unwrap().blocks() * 512
}

/// Whether there are holes where the tests have their files.
fn there_are_holes() -> bool {
    let are = taken(&sparse(2 * MIB, &[(MIB, MIB + 1)])) < MIB as u64;
    if !are {
        eprintln!("this file system has no holes: only contents are compared");
    }
    are
}

/// Decrypts what `plain` is encrypted to, in every way, and looks at each file that comes of it.
fn each(plain: &File, segment: u64, look: impl Fn(&File, &str)) {
    let expected = contents(plain);
    let (to, mut sealed) = (recipients(), Vec::new());
    let encryptor = Encryptor::new(&to).segment_size(SegmentSize::new(segment).unwrap());
    encryptor.encrypt(Input::File(plain), Output::Stream(&mut sealed)).unwrap();
    let mine = include_bytes!("age/x25519.txt");
    let to = age::to_recipients(mine, None, &age::NoCallbacks).unwrap();
    let (to, mut of_age) = (Recipients::new().age(to), Vec::new());
    let encryptor = age::v1::Encryptor::new(&to);
    encryptor.encrypt(Input::File(plain), Output::Stream(&mut of_age)).unwrap();
    let identities = age::parse_identities(mine, None, &age::NoCallbacks).unwrap();
    let identities = Identities::from(&key()).age(identities);
    let of_age = (segment == u64::from(age::v1::CHUNK_BYTES)).then_some(("age", &of_age));
    for (format, sealed) in [("polyseal", &sealed)].into_iter().chain(of_age) {
        let input = tempfile::tempfile().unwrap();
        input.write_all_at(sealed, 0).unwrap();
        for threads in [1, 3] {
            let run = RunOptions::new().threads(NonZeroUsize::new(threads).unwrap());
            let decryptor = Decryptor::new(&identities).running(run);
            for (way, input) in
                [("stream", Input::Stream(&mut &sealed[..])), ("file", Input::File(&input))]
            {
                let how = format!("{format}, {segment}, {threads} threads, {way}");
                let output = tempfile::tempfile().unwrap();
                let summary = decryptor.decrypt(input, Output::File(&output)).unwrap();
                assert_eq!(summary.plaintext_bytes, expected.len() as u64, "{how}");
                assert!(contents(&output) == expected, "{how}");
                look(&output, &how);
            }
        }
    }
}

#[test]
fn holes_stay_holes() {
    let holes = there_are_holes();
    for (bytes, data) in [
        // Nothing else, as long as blocks and not.
        (2 * MIB, &[][..]),
        (2 * MIB + 5000, &[]),
        // At the beginning, in between, and at the end, within a segment.
        (2 * MIB, &[(2 * MIB - 1, 2 * MIB)]),
        (2 * MIB, &[(0, 1), (2 * MIB - 1, 2 * MIB)]),
        (2 * MIB + 70_001, &[(0, 100_000)]),
        (2 * MIB + 70_001, &[(MIB + 1, MIB + 10_000)]),
        // From one border of segments to another, and beside one.
        (2 * MIB, &[(0, 65_536), (2 * MIB - 65_536, 2 * MIB)]),
        (2 * MIB, &[(0, 65_537), (2 * MIB - 65_537, 2 * MIB)]),
        (2 * MIB, &[(0, 65_535), (2 * MIB - 65_535, 2 * MIB)]),
    ] {
        let plain = sparse(bytes, data);
        for segment in [4096, 65_536, 1 << 20] {
            each(&plain, segment, |opened, how| {
                // As much as the data takes, and a file system's whim.
                let most = taken(&plain) + 256 * 1024;
                assert!(!holes || taken(opened) <= most, "{bytes}, {data:?}: {how}");
            });
        }
    }
}

/// Where a run of zeros is as long as a block, or not, or across borders.
#[test]
fn the_contents_are_the_same_whatever_is_left_out() {
    for bytes in [0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 600_000] {
        each(&sparse(bytes, &[]), 4096, |_, _| {});
        each(&sparse(bytes, &[(0, bytes.min(10))]), 65_536, |_, _| {});
        each(&sparse(bytes, &[(bytes - bytes.min(10), bytes)]), 65_536, |_, _| {});
    }
    let blocks: Vec<_> = (0..200).filter(|i| i % 3 != 1 && i % 7 != 0).collect();
    let whole: Vec<_> = blocks.iter().map(|i| (i * 4096, (i + 1) * 4096)).collect();
    let shifted: Vec<_> = blocks.iter().map(|i| (i * 4096 + 1000, (i + 1) * 4096 - 1000)).collect();
    for data in [whole, shifted] {
        for segment in [4096, 8192, 65_536] {
            each(&sparse(200 * 4096 + 77, &data), segment, |_, _| {});
        }
    }
}

/// A device has no holes, and no length that could be set: all of it is written.
#[test]
fn what_is_no_regular_file_has_no_holes() {
    let identities = Identities::from(&key());
    let sealed = polyseal_file::encrypt(&recipients(), &[0; 100_000]).unwrap();
    let null = File::options().write(true).open("/dev/null").unwrap();
    let input = Input::Stream(&mut &sealed[..]);
    let summary = Decryptor::new(&identities).decrypt(input, Output::File(&null)).unwrap();
    assert_eq!(summary.plaintext_bytes, 100_000);
}
