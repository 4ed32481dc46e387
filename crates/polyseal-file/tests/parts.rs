//! Parts of a file at its very end and beyond it, from sources that do not give everything at once;
//! and how many recipients a header has room for.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::common::{STREAM, encrypt, key, message};
use polyseal_file::age::{EncryptError, FileKey, Recipient, Stanza};
use polyseal_file::{
    Answer, Decryptor, Encryptor, Error, ExistingRecipients, Header, Identities, Input, Inspection,
    Key, MAX_SEGMENTS, Opener, Output, ReadAt, Recipients, SegmentSize, Step, Suite, Version,
};

const SEGMENT: u64 = 4096;

/// Gives a few bytes at a time, and is interrupted before each.
struct InterruptedSource<'a> {
    bytes: &'a [u8],
    interrupted: Cell<bool>,
}

impl ReadAt for InterruptedSource<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if !self.interrupted.replace(true) {
            return Err(ErrorKind::Interrupted.into());
        }
        self.interrupted.set(false);
        let some = buffer.len().min(1000);
        self.bytes.read_at(&mut buffer[..some], offset)
    }

    fn size(&self) -> io::Result<u64> {
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
        let source = InterruptedSource { bytes: &sealed, interrupted: Cell::new(false) };
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

/// As from a store: what a source of C's, or of any other program, is asked for.
#[test]
fn a_source_is_read_twice_to_be_opened_and_once_for_a_part() {
    struct CountingSource<'a>(&'a [u8], RefCell<Vec<(u64, usize)>>);

    impl ReadAt for CountingSource<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.1.borrow_mut().push((offset, buffer.len()));
            self.0.read_at(buffer, offset)
        }

        fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    let identities = Identities::from(&key());
    let sealed = encrypt(&key(), SEGMENT, STREAM, &message(20 * SEGMENT as usize + 9));
    let source = CountingSource(&sealed, RefCell::default());
    let reader = Decryptor::new(&identities).reader(&source).unwrap();
    let tag = 16;
    let end = sealed.len() as u64 - 9 - tag;
    assert_eq!(source.1.take(), [(0, 4096), (end, 9 + tag as usize)]);
    reader.read_at(&mut [0; 10], 5 * SEGMENT).unwrap();
    let unit = SEGMENT + tag;
    assert_eq!(source.1.take(), [(4096 + 5 * unit, unit as usize)]);
    // The last segment has come.
    reader.read_at(&mut [0; 10], 20 * SEGMENT).unwrap();
    assert!(source.1.take().is_empty());
}

/// The bytes that a source has fetched for an opener are not read again, and others are.
#[test]
fn an_opener_that_has_begun_is_gone_on_with() {
    struct BegunSource<'a>(&'a [u8], Opener, RefCell<Vec<(u64, usize)>>);

    impl ReadAt for BegunSource<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            if let Some(held) = self.1.bytes_from(offset).filter(|held| !held.is_empty()) {
                return held.read_at(buffer, 0);
            }
            self.2.borrow_mut().push((offset, buffer.len()));
            self.0.read_at(buffer, offset)
        }

        fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn opener(&self) -> io::Result<Opener> {
            Ok(self.1.fork())
        }
    }

    let identities = Identities::from(&key());
    // The last segment is longer than what comes with the first bytes.
    let segment = 1 << 20;
    let sealed = encrypt(&key(), segment, STREAM, &message(2 * segment as usize));
    let size = sealed.len() as u64;
    let mut opener = Opener::new();
    let Step::Fetch(wanted) = opener.step() else { panic!() };
    for wanted in wanted {
        let range = wanted.range(size);
        let bytes = sealed[range.start as usize..range.end as usize].to_vec();
        let version = Version::new(size).with_tag(Some("\"1\""));
        opener.take(&wanted, Answer { version, start: range.start, bytes }).unwrap();
    }
    let source = BegunSource(&sealed, opener, RefCell::default());
    let last = 4096 + segment + 16;
    for _ in 0..2 {
        let reader = Decryptor::new(&identities).reader(&source).unwrap();
        let missing = size - (65_536 + 64) - last;
        assert_eq!(source.2.take(), [(last, missing as usize)]);
        reader.read_at(&mut [0; 10], segment).unwrap();
        assert!(source.2.take().is_empty());
    }
    // A fork has not unlocked anything.
    assert_eq!(source.1.fork().step(), Step::Unlock);
}

/// A source that gets shorter once it has been opened does not end the file.
#[test]
fn a_source_that_ends_early_has_changed() {
    struct ShrinkingSource<'a>(&'a [u8], &'a Cell<usize>);

    impl ReadAt for ShrinkingSource<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.0[..self.1.get()].read_at(buffer, offset)
        }

        fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    let identities = Identities::from(&key());
    let sealed = encrypt(&key(), SEGMENT, STREAM, &message(3 * SEGMENT as usize));
    let left = Cell::new(sealed.len());
    let reader = Decryptor::new(&identities).reader(ShrinkingSource(&sealed, &left)).unwrap();
    left.set(5000);
    assert!(matches!(reader.read_at(&mut [0; 10], 0), Err(Error::InputChanged)));
    left.set(0);
    let reader = Decryptor::new(&identities).reader(ShrinkingSource(&sealed, &left));
    assert!(reader.is_err(), "nothing is left of it");
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
        let full = authentic.rekey(&keys(most - 1), ExistingRecipients::Keep).unwrap();
        assert_eq!(full.as_bytes().len(), header_bytes);
        assert!(header.spare_bytes() - full.spare_bytes() == 108 * usize::from(most - 1));
        let file = [full.as_bytes(), &sealed[header_bytes..]].concat();
        for key in [key(), Key::from_bytes(&[most - 2; 32])] {
            let identities = Identities::from(&key);
            assert!(Decryptor::new(&identities).reader(&file[..]).is_ok());
        }

        let too_many = authentic.rekey(&keys(most), ExistingRecipients::Keep);
        assert!(matches!(too_many, Err(Error::TooManyRecipients)), "{header_bytes}");
        assert!(authentic.rekey(&keys(most), ExistingRecipients::Remove).is_ok(), "{header_bytes}");
        let again =
            full.authenticate(&identities).unwrap().rekey(&keys(1), ExistingRecipients::Keep);
        assert!(matches!(again, Err(Error::TooManyRecipients)), "a header that is full");
        let nobody = authentic.rekey(&Recipients::new(), ExistingRecipients::Keep);
        assert!(matches!(nobody, Err(Error::NoRecipients)), "{header_bytes}");
    }
}

/// An age recipient whose text in the header has so many bytes, with a label or none.
struct LongRecipient(usize, &'static str);

impl Recipient for LongRecipient {
    fn wrap_file_key(&self, _: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        // Beside the argument: "-> t " and two ends of lines.
        let args = vec!["x".repeat(self.0 - 7)];
        let labels = [self.1.to_owned()].into_iter().filter(|label| !label.is_empty());
        Ok((vec![Stanza { tag: "t".to_owned(), args, body: Vec::new() }], labels.collect()))
    }
}

fn long(texts: &[(usize, &'static str)]) -> Recipients {
    let recipient =
        |&(text, label)| Box::new(LongRecipient(text, label)) as Box<dyn Recipient + Send + Sync>;
    Recipients::new().age(texts.iter().map(recipient))
}

fn header_of(recipients: &Recipients) -> Header {
    Header::parse(&seal(recipients, 0).unwrap()).unwrap()
}

/// Fixed fields, an age stanza without its text, and the MAC.
const BESIDE: usize = 160 + 110 + 32;

#[test]
fn a_new_header_has_2048_bytes_to_spare() {
    for length in [4096, 8192, 65536] {
        let text = length - BESIDE - 2048;
        let header = header_of(&long(&[(text, "")]));
        assert_eq!((header.as_bytes().len(), header.spare_bytes()), (length, 2048));
        let longer = header_of(&long(&[(text + 1, "")]));
        // The longest is the longest.
        let next = (length + 4096).min(65536);
        assert_eq!((longer.as_bytes().len(), longer.spare_bytes()), (next, next - length + 2047));
        let described = Inspection::read(&mut longer.as_bytes(), None).unwrap();
        assert_eq!(described.spare_bytes, longer.spare_bytes());
    }
}

#[test]
fn a_header_can_be_full_to_the_last_byte() {
    let identities = Identities::from(&key());
    let header = header_of(&Recipients::from(&key()));
    let authentic = header.authenticate(&identities).unwrap();
    let rekey = |text| authentic.rekey(&long(&[(text, "")]), ExistingRecipients::Remove);
    let full = rekey(4096 - BESIDE).unwrap();
    assert_eq!((full.as_bytes().len(), full.spare_bytes()), (4096, 0));
    for text in [4096 - BESIDE + 1, 65536 - BESIDE, 65536 - 110, 70_000] {
        assert!(matches!(rekey(text), Err(Error::TooManyRecipients)), "{text}");
    }
    let longest = seal(&long(&[(65536 - BESIDE, "")]), 0).unwrap();
    assert_eq!(Header::parse(&longest).unwrap().spare_bytes(), 0);
    for text in [65536 - BESIDE + 1, 65536 - 110, 70_000] {
        let longer = seal(&long(&[(text, "")]), 0);
        assert!(matches!(longer, Err(Error::TooManyRecipients)), "{text}");
    }
}

#[test]
fn a_header_is_as_long_as_it_is_asked_to_be() {
    for (asked, length) in [(0, 4096), (4096, 4096), (4097, 8192), (65536, 65536), (1 << 40, 65536)]
    {
        let sealed = seal(&Recipients::from(&key()), asked).unwrap();
        assert_eq!(Header::parse(&sealed).unwrap().as_bytes().len(), length, "{asked}");
    }
}

#[test]
fn recipients_of_one_kind() {
    for mixed in [[(50, "a"), (50, "b")], [(50, ""), (50, "b")], [(50, "a"), (50, "")]] {
        assert!(matches!(seal(&long(&mixed), 0), Err(Error::MixedRecipients)), "{mixed:?}");
        let header = header_of(&Recipients::from(&key()));
        let authentic = header.authenticate(&Identities::from(&key())).unwrap();
        let first = authentic.rekey(&long(&mixed[..1]), ExistingRecipients::Keep).unwrap();
        let authentic = first.authenticate(&Identities::from(&key())).unwrap();
        let second = authentic.rekey(&long(&mixed[1..]), ExistingRecipients::Keep);
        assert!(matches!(second, Err(Error::MixedRecipients)), "{mixed:?}");
        assert!(authentic.rekey(&long(&mixed[..1]), ExistingRecipients::Keep).is_ok(), "{mixed:?}");
    }
    assert!(seal(&long(&[(50, "a"), (51, "a")]), 0).is_ok());
}

/// A header with a payload of any length behind it, of which nothing can be read.
struct UnreadablePayload<'a>(&'a [u8], u64);

impl ReadAt for UnreadablePayload<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(4096 + self.1)
    }
}

#[test]
fn a_file_has_no_more_segments_than_it_may() {
    for (suite, most) in
        [("aegis-256x2", MAX_SEGMENTS), ("aes-256-gcm", (1 << 52) / (SEGMENT + 16))]
    {
        let suite: Suite = suite.parse().unwrap();
        let recipients = Recipients::from(&key());
        let mut sealed = Vec::new();
        Encryptor::new(&recipients)
            .suite(suite)
            .segment_size(SegmentSize::new(SEGMENT).unwrap())
            .encrypt(Input::Stream(&mut &b""[..]), Output::Stream(&mut sealed))
            .unwrap();
        let identities = Identities::from(&key());
        let open = |bytes| {
            let decryptor = Decryptor::new(&identities);
            decryptor.reader(UnreadablePayload(&sealed[..4096], bytes)).map(|_| ()).unwrap_err()
        };
        let whole = most * (SEGMENT + 16);
        // The last segment is looked for, and is not there; and one more is too many.
        assert!(matches!(open(whole), Error::InputChanged), "{suite}");
        assert!(matches!(open(whole + 17), Error::TooLong), "{suite}");
    }
}
