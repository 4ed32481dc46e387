//! Parts of a file at its very end and beyond it, from sources that do not give everything at once;
//! and how many recipients a header has room for.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::cell::Cell;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use common::{STREAM, encrypt, key, message};
use polyseal_file::{
    Decryptor, Encryptor, Error, Existing, Header, Identities, Input, Key, Output, ReadAt,
    Recipients,
};

const SEGMENT: u64 = 4096;

/// Gives a few bytes at a time, and is interrupted before each.
struct Halting<'a> {
    bytes: &'a [u8],
    interrupted: Cell<bool>,
}

impl ReadAt for Halting<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if !self.interrupted.replace(true) {
            return Err(ErrorKind::Interrupted.into());
        }
        self.interrupted.set(false);
        let some = buffer.len().min(1000);
        self.bytes.read_at(&mut buffer[..some], offset)
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
}

#[test]
fn parts_around_the_end() {
    let identities = Identities::from(&key());
    // The last segment is full, has one byte, or is all there is and empty.
    for bytes in [0, 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT] {
        let message = message(bytes as usize);
        let sealed = encrypt(&key(), SEGMENT, STREAM, &message);
        let source = Halting { bytes: &sealed, interrupted: Cell::new(false) };
        let mut reader = Decryptor::new(&identities).reader(source).unwrap();
        assert_eq!(reader.plaintext_bytes(), bytes);
        for from in [0, 1, bytes.saturating_sub(1), bytes, bytes + 1, 9 * SEGMENT, u64::MAX] {
            for length in [0, 1, 5, 2 * SEGMENT as usize] {
                let mut part = vec![0xee; length];
                let n = reader.read_at(&mut part, from).unwrap();
                let rest = message.get(usize::try_from(from).unwrap()..).unwrap_or_default();
                let expected = &rest[..rest.len().min(length)];
                assert_eq!(part[..n], *expected, "{length} of {bytes} bytes from {from}");
                assert!(part[n..].iter().all(|&b| b == 0xee), "written behind the end");
            }
        }
        let mut whole = Vec::new();
        reader.seek(SeekFrom::End(-(bytes.min(3) as i64))).unwrap();
        reader.read_to_end(&mut whole).unwrap();
        assert_eq!(whole, message[message.len() - message.len().min(3)..]);
        assert_eq!(reader.seek(SeekFrom::Start(bytes + 7)).unwrap(), bytes + 7);
        assert_eq!(reader.read(&mut [0; 9]).unwrap(), 0, "beyond the end there is nothing");
    }
}

/// What gets shorter once it has been opened is no end of the file.
#[test]
fn a_source_that_ends_early_has_changed() {
    struct Shrinking<'a>(&'a [u8], &'a Cell<usize>);

    impl ReadAt for Shrinking<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.0[..self.1.get()].read_at(buffer, offset)
        }

        fn bytes(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    let identities = Identities::from(&key());
    let sealed = encrypt(&key(), SEGMENT, STREAM, &message(3 * SEGMENT as usize));
    let left = Cell::new(sealed.len());
    let mut reader = Decryptor::new(&identities).reader(Shrinking(&sealed, &left)).unwrap();
    left.set(5000);
    assert!(matches!(reader.read_at(&mut [0; 10], 0), Err(Error::InputChanged)));
    left.set(0);
    let reader = Decryptor::new(&identities).reader(Shrinking(&sealed, &left));
    assert!(reader.is_err(), "nothing is left of it");
}

/// A file has at most 2^48 segments: one more is too long, and is not looked at.
#[test]
fn as_many_segments_as_there_may_be() {
    struct Endless<'a>(&'a [u8], u64);

    impl ReadAt for Endless<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            match usize::try_from(offset).ok().and_then(|at| self.0.get(at..)) {
                Some(rest) if !rest.is_empty() => rest.read_at(buffer, 0),
                _ => {
                    buffer.fill(0);
                    Ok(buffer.len())
                }
            }
        }

        fn bytes(&self) -> io::Result<u64> {
            Ok(self.1)
        }
    }

    let identities = Identities::from(&key());
    let sealed = encrypt(&key(), SEGMENT, STREAM, b"");
    let header = Header::parse(&sealed).unwrap();
    let tag_bytes = sealed.len() as u64 - header.payload_offset();
    let unit = SEGMENT + tag_bytes;
    let open = |payload: u64| {
        let source = Endless(header.as_bytes(), header.payload_offset() + payload);
        Decryptor::new(&identities).reader(source).map(|_| ())
    };
    // The last one, which is zeros, is no segment of this file.
    assert!(matches!(open(unit << 48), Err(Error::Corrupt { .. })));
    assert!(matches!(open((unit << 48) + tag_bytes + 1), Err(Error::TooLong)));
}

/// 160 bytes, 108 for each key file, 2048 to spare and 32 for the MAC, in whole pages.
#[test]
fn a_new_header_has_room_to_spare() {
    for count in 1..=128 {
        let header = Header::parse(&seal(&keys(count), 4096).unwrap()).unwrap();
        let used = 160 + 108 * usize::from(count) + 32;
        let length = (used + 2048).next_multiple_of(4096);
        assert_eq!(header.payload_offset(), length as u64, "{count} key files");
        assert_eq!(header.spare_bytes(), length - used, "{count} key files");
    }
}

fn keys(count: u8) -> Recipients {
    (0..count).fold(Recipients::new(), |all, i| all.key(Key::from_bytes(&[i; 32])))
}

fn seal(recipients: &Recipients, header_bytes: usize) -> Result<Vec<u8>, Error> {
    let mut sealed = Vec::new();
    Encryptor::new(recipients)
        .header_bytes(header_bytes)
        .encrypt(Input::Stream(&mut &b"message"[..]), Output::Stream(&mut sealed))?;
    Ok(sealed)
}

#[test]
fn from_1_to_128_can_open_a_file() {
    assert!(matches!(seal(&Recipients::new(), 4096), Err(Error::NoRecipients)));
    let sealed = seal(&keys(128), 4096).unwrap();
    for i in [0, 1, 64, 127] {
        let identities = Identities::from(&Key::from_bytes(&[i; 32]));
        assert!(Decryptor::new(&identities).reader(&sealed[..]).is_ok(), "key {i}");
    }
    assert!(matches!(seal(&keys(129), 4096), Err(Error::TooManyRecipients)));
}

#[test]
fn as_many_as_there_is_room_for_can_be_added() {
    let identities = Identities::from(&key());
    // In 4096 bytes 36 key files find room; in the longest header the limit is their number.
    for (header_bytes, most) in [(4096, 36), (65536, 128)] {
        let sealed = seal(&Recipients::from(&key()), header_bytes).unwrap();
        let header = Header::parse(&sealed).unwrap();
        let authentic = header.authenticate(&identities).unwrap();
        let full = authentic.rekey(&keys(most - 1), Existing::Keep).unwrap();
        assert_eq!(full.as_bytes().len(), header_bytes);
        assert!(header.spare_bytes() - full.spare_bytes() == 108 * usize::from(most - 1));
        let file = [full.as_bytes(), &sealed[header_bytes..]].concat();
        for key in [key(), Key::from_bytes(&[most - 2; 32])] {
            let identities = Identities::from(&key);
            assert!(Decryptor::new(&identities).reader(&file[..]).is_ok());
        }

        let too_many = authentic.rekey(&keys(most), Existing::Keep);
        assert!(matches!(too_many, Err(Error::TooManyRecipients)), "{header_bytes}");
        assert!(authentic.rekey(&keys(most), Existing::Remove).is_ok(), "{header_bytes}");
        let again = full.authenticate(&identities).unwrap().rekey(&keys(1), Existing::Keep);
        assert!(matches!(again, Err(Error::TooManyRecipients)), "a header that is full");
        let nobody = authentic.rekey(&Recipients::new(), Existing::Keep);
        assert!(matches!(nobody, Err(Error::NoRecipients)), "{header_bytes}");
    }
}
