//! Files as inputs: how they are read, and what becomes of one whose length changes meanwhile.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Seek, Write, pipe};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::common::{IoSetup, STREAM, contents, decrypt, encryptor, key, message, recipients};
use polyseal_file::{
    ArmorWriter, Decryptor, Encryptor, Error, Identities, Input, Output, Result, RunOptions,
    Summary, age,
};

/// Read in one piece, in several, and at offsets.
const LENGTHS: [usize; 6] = [1, 5000, 700_000, (1 << 20) - 1, 1 << 20, 3_000_000];

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Encrypts a file that has another length once a first piece of it has been read.
fn while_it_changes(
    plaintext: &[u8],
    threads: usize,
    new_length: usize,
) -> (Result<Summary>, Vec<u8>) {
    let (to, file, mut sealed) = (recipients(), file_of(plaintext), Vec::new());
    let changed = AtomicBool::new(false);
    let change = |_| {
        if !changed.swap(true, Ordering::Relaxed) {
            let kept = plaintext.len().min(new_length) as u64;
            file.set_len(kept).unwrap();
            file.write_all_at(&vec![b'+'; new_length - kept as usize], kept).unwrap();
        }
    };
    let shape = IoSetup { threads, ..STREAM };
    let encryptor = encryptor(&to, 4096, shape).running(shape.run().progress(&change));
    let result = encryptor.encrypt(Input::File(&file), Output::Stream(&mut sealed));
    assert!(changed.into_inner());
    (result, sealed)
}

#[test]
fn a_file_that_grows_is_encrypted_as_it_was() {
    for length in LENGTHS {
        for threads in [1, 3] {
            let message = message(length);
            for more in [1, 4096, 1_000_000] {
                let (result, sealed) = while_it_changes(&message, threads, length + more);
                let summary = result.unwrap();
                assert!(summary.grew, "{length} + {more}");
                assert_eq!(summary.plaintext_bytes, length as u64);
                assert_eq!(summary.file_bytes, sealed.len() as u64);
                let (result, opened) = decrypt(&key(), STREAM, &sealed);
                assert!(result.is_ok() && opened == message, "{length} + {more}");
            }
            let (result, _) = while_it_changes(&message, threads, length);
            assert!(!result.unwrap().grew, "{length}");
        }
    }
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    for length in LENGTHS {
        for new_length in [0, length / 2, length - 1] {
            let (result, _) = while_it_changes(&message(length), 1, new_length);
            assert!(matches!(result, Err(Error::InputChanged)), "{length}: {result:?}");
        }
    }
}

/// Bytes that could not be read are missing, though in the end the length is what it was. The
/// system says of each such file that it has a page.
#[cfg(target_os = "linux")]
#[test]
fn a_file_in_sys_has_what_it_gives() {
    let path = "/sys/devices/system/cpu/online";
    let Ok(file) = File::open(path) else { return };
    let expected = std::fs::read(path).unwrap();
    assert!(file.metadata().unwrap().len() > expected.len() as u64);
    let (to, mut sealed) = (recipients(), Vec::new());
    let summary =
        Encryptor::new(&to).encrypt(Input::File(&file), Output::Stream(&mut sealed)).unwrap();
    assert_eq!((summary.plaintext_bytes, summary.grew), (expected.len() as u64, false));
    assert_eq!(decrypt(&key(), STREAM, &sealed).1, expected);
}

#[test]
fn a_file_that_shrinks_for_a_while_is_an_error() {
    let to = recipients();
    for length in [700_000, 3_000_000] {
        let file = file_of(&message(length));
        let short = AtomicBool::new(false);
        let change = |_| {
            let was = short.fetch_xor(true, Ordering::Relaxed);
            file.set_len(if was { length as u64 } else { 1000 }).unwrap();
        };
        let encryptor = encryptor(&to, 4096, STREAM).running(STREAM.run().progress(&change));
        let result = encryptor.encrypt(Input::File(&file), Output::Stream(&mut Vec::new()));
        assert!(matches!(result, Err(Error::InputChanged)), "{length}: {result:?}");
    }
}

#[test]
fn an_age_file_tells_the_same() {
    let mine = age::to_recipients(include_bytes!("age/x25519.txt"), None, &age::NoCallbacks);
    let to = polyseal_file::Recipients::new().age(mine.unwrap());
    for length in LENGTHS {
        let file = file_of(&message(length));
        let grow = |_| (&file).write_all(b"+").unwrap();
        let encryptor = age::v1::Encryptor::new(&to).running(RunOptions::new().progress(&grow));
        let summary = encryptor.encrypt(Input::File(&file), Output::Stream(&mut Vec::new()));
        let summary = summary.unwrap();
        assert!(summary.grew && summary.plaintext_bytes == length as u64, "{length}");
    }
}

/// A file to which something is added is no longer whole.
#[test]
fn an_encrypted_file_that_changes_is_an_error() {
    let (to, identities) = (recipients(), Identities::from(&key()));
    for length in LENGTHS {
        let sealed = polyseal_file::encrypt(&to, &message(length)).unwrap();
        let mut armor = ArmorWriter::new(Vec::new());
        armor.write_all(&sealed).unwrap();
        for file in [sealed, armor.finish().unwrap()] {
            let file = file_of(&file);
            let grow = |_| (&file).write_all(b"+").unwrap();
            let decryptor = Decryptor::new(&identities).running(RunOptions::new().progress(&grow));
            let result = decryptor.verify(Input::File(&file));
            // Bytes behind armour may be seen as they are read.
            let refused = matches!(result, Err(Error::InputChanged | Error::Armor(_)));
            assert!(refused, "{length}: {result:?}");
        }
    }
}

/// Reading goes by what the file has, and not by where it stands; that stays.
#[test]
fn the_position_of_a_file_does_not_matter() {
    let (to, identities) = (recipients(), Identities::from(&key()));
    for length in LENGTHS {
        let mut file = file_of(&message(length));
        file.seek(std::io::SeekFrom::Start(length as u64 / 2)).unwrap();
        let sealed = tempfile::tempfile().unwrap();
        let encryptor = Encryptor::new(&to);
        let summary = encryptor.encrypt(Input::File(&file), Output::File(&sealed)).unwrap();
        assert_eq!(summary.plaintext_bytes, length as u64);
        assert!(!summary.grew);
        assert_eq!(file.stream_position().unwrap(), length as u64 / 2);
        let opened = tempfile::tempfile().unwrap();
        let decryptor = Decryptor::new(&identities);
        decryptor.decrypt(Input::File(&sealed), Output::File(&opened)).unwrap();
        assert!(contents(&opened) == message(length), "{length}");
    }
}

/// By its length, a pipe is empty, and so is what the system makes up when it is read.
#[test]
fn what_has_no_length_is_read_to_its_end() {
    let (to, identities) = (recipients(), Identities::from(&key()));
    let through = |file: File| {
        let mut sealed = Vec::new();
        let output = Output::Stream(&mut sealed);
        let summary = Encryptor::new(&to).encrypt(Input::File(&file), output).unwrap();
        assert!(!summary.grew);
        polyseal_file::decrypt(&identities, &sealed).unwrap()
    };
    for length in [0, 10, 2_000_000] {
        let (reader, mut writer) = pipe().unwrap();
        let opened = thread::scope(|scope| {
            scope.spawn(move || writer.write_all(&message(length)).unwrap());
            through(File::from(std::os::fd::OwnedFd::from(reader)))
        });
        assert!(opened == message(length), "{length}");
    }
    assert_eq!(through(file_of(b"")), b"");
    if cfg!(target_os = "linux") {
        let mut version = String::new();
        File::open("/proc/version").unwrap().read_to_string(&mut version).unwrap();
        let opened = through(File::open("/proc/version").unwrap());
        assert!(!version.is_empty() && opened == version.as_bytes());
    }
    // A file that is decrypted may come through a pipe, too.
    let sealed = polyseal_file::encrypt(&to, &message(3_000_000)).unwrap();
    let (reader, mut writer) = pipe().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || writer.write_all(&sealed).unwrap());
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let summary = Decryptor::new(&identities).verify(Input::File(&file)).unwrap();
        assert_eq!(summary.plaintext_bytes, 3_000_000);
    });
}
