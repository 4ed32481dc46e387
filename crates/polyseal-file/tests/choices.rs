//! The options of a caller make their difference, and nothing else does: contexts, passphrases,
//! threads, files and sources that are read twice.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{STREAM, contents, encrypt, encryptor, key, message, recipients};
use polyseal_file::age::{EncryptError, FileKey, Recipient, Stanza};
use polyseal_file::{
    Context, Decryptor, Encryptor, Error, ExistingRecipients, Header, Identities, Input,
    Inspection, Output, Passphrase, ReadAt, Recipients, RunOptions, StanzaInfo,
};

fn seal(encryptor: Encryptor<'_>, message: &[u8]) -> Result<Vec<u8>, Error> {
    let mut sealed = Vec::new();
    encryptor.encrypt(Input::Stream(&mut &*message), Output::Stream(&mut sealed))?;
    Ok(sealed)
}

fn open(decryptor: Decryptor<'_>, sealed: &[u8]) -> Result<Vec<u8>, Error> {
    let mut opened = Vec::new();
    decryptor.decrypt(Input::Stream(&mut &*sealed), Output::Stream(&mut opened))?;
    Ok(opened)
}

#[test]
fn contexts() {
    let (recipients, identities) = (recipients(), Identities::from(&key()));
    let [ours, theirs] = ["ours", "theirs"].map(|name| Context::new(name).unwrap());
    let bound = seal(Encryptor::new(&recipients).context(&ours), b"message").unwrap();
    let free = seal(Encryptor::new(&recipients), b"message").unwrap();
    let decryptor = Decryptor::new(&identities);
    assert_eq!(open(decryptor.context(&ours), &bound).unwrap(), b"message");
    assert_eq!(open(decryptor, &free).unwrap(), b"message");
    assert!(matches!(open(decryptor, &bound), Err(Error::ContextMissing)));
    assert!(matches!(open(decryptor.context(&theirs), &bound), Err(Error::ContextDiffers)));
    assert!(matches!(open(decryptor.context(&ours), &free), Err(Error::ContextUnexpected)));
    assert!(Header::parse(&bound).unwrap().has_context());
    assert!(!Header::parse(&free).unwrap().has_context());
}

/// Some age recipient, with labels or none.
struct LabelledRecipient(&'static [&'static str]);

impl Recipient for LabelledRecipient {
    fn wrap_file_key(&self, _: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let stanza = Stanza { tag: "t".to_owned(), args: Vec::new(), body: Vec::new() };
        Ok((vec![stanza], self.0.iter().map(|&label| label.to_owned()).collect()))
    }
}

fn someone(labels: &'static [&'static str]) -> [Box<dyn Recipient + Send + Sync>; 1] {
    [Box::new(LabelledRecipient(labels))]
}

#[test]
fn a_passphrase_alone() {
    let passphrase = |text: &str| Passphrase::new(text.as_bytes().to_vec());
    let with = || Recipients::new().passphrase(passphrase("open sesame").unwrap());
    assert!(!with().is_empty() && Recipients::new().is_empty());
    for others in [with().key(key()), with().age(someone(&[]))] {
        assert!(!others.is_empty());
        let sealed = seal(Encryptor::new(&others), b"");
        assert!(matches!(sealed, Err(Error::PassphraseNotAlone)));
    }
    let sealed = seal(Encryptor::new(&with()), b"message").unwrap();
    let asked = |text: &'static str| Identities::new().passphrase(move || passphrase(text));
    let opened = open(Decryptor::new(&asked("open sesame")), &sealed);
    assert_eq!(opened.unwrap(), b"message");
    let wrong = open(Decryptor::new(&asked("open sesam")), &sealed);
    assert!(matches!(wrong, Err(Error::WrongPassphrase)));
    let unasked = open(Decryptor::new(&Identities::from(&key())), &sealed);
    assert!(matches!(unasked, Err(Error::PassphraseNeeded)));
}

/// However a set of labels is ordered in memory.
#[test]
fn many_labels() {
    const LABELS: &[&str] = &["h", "g", "f", "e", "d", "c", "b", "a"];
    let recipients = Recipients::new().age(someone(LABELS));
    let sealed = seal(Encryptor::new(&recipients), b"").unwrap();
    let described = Inspection::read(&mut &sealed[..], None).unwrap();
    let [StanzaInfo::Age { labels, .. }] = &described.stanzas[..] else { panic!("an age stanza") };
    assert!(labels.iter().map(String::as_str).eq(LABELS.iter().rev().copied()));
}

/// A salt of its own in every file, and in every stanza.
#[test]
fn nothing_shows_that_two_files_are_for_one_key() {
    let identities = Identities::from(&key());
    let mut seen = HashSet::new();
    for _ in 0..3 {
        let sealed = seal(Encryptor::new(&recipients()), b"").unwrap();
        let header = Header::parse(&sealed).unwrap();
        let authentic = header.authenticate(&identities).unwrap();
        let twice = authentic.rekey(&recipients(), ExistingRecipients::Keep).unwrap();
        let described = Inspection::read(&mut twice.as_bytes(), None).unwrap();
        assert!(seen.insert(described.file_salt));
        assert_eq!(described.stanzas.len(), 2);
        for (i, stanza) in described.stanzas.iter().enumerate() {
            let StanzaInfo::KeyFile { key_id, .. } = stanza else { panic!("for a key file") };
            assert!(seen.insert(key_id.clone()));
            // The stanza's salt: behind type and length.
            let salt = &twice.as_bytes()[160 + 108 * i + 4..][..32];
            assert!(seen.insert(format!("{salt:?}")));
        }
    }
}

/// No thread but those that were allowed tells of its progress, and all of it is told.
#[test]
fn threads_and_progress() {
    let (file, message) = (file_of(&message(8 << 20)), 8 << 20);
    for threads in [1, 2] {
        let threads = NonZeroUsize::new(threads).unwrap();
        let (seen, told) = (Mutex::new(HashSet::new()), AtomicU64::new(0));
        let progress = |bytes| {
            seen.lock().unwrap().insert(thread::current().id());
            // Others have their turn.
            thread::sleep(Duration::from_millis(5));
            told.fetch_add(bytes, Ordering::Relaxed);
        };
        let (to, sealed) = (recipients(), tempfile::tempfile().unwrap());
        let run = RunOptions::new().threads(threads).progress(&progress);
        let encryptor = encryptor(&to, 4096, STREAM).running(run);
        encryptor.encrypt(Input::File(&file), Output::File(&sealed)).unwrap();
        assert_eq!(told.swap(0, Ordering::Relaxed), message);
        assert!(seen.lock().unwrap().drain().count() <= threads.get());

        let identities = Identities::from(&key());
        let opened = tempfile::tempfile().unwrap();
        let decryptor = Decryptor::new(&identities).running(run);
        decryptor.decrypt(Input::File(&sealed), Output::File(&opened)).unwrap();
        assert_eq!(told.load(Ordering::Relaxed), message + (message / 4096) * 16);
        assert!(seen.lock().unwrap().len() <= threads.get());
        assert_eq!(contents(&opened), contents(&file));
    }
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[test]
fn an_output_with_something_in_it_is_refused() {
    let (recipients, identities) = (recipients(), Identities::from(&key()));
    let sealed = encrypt(&key(), 4096, STREAM, b"message");
    for bytes in [1, 2] {
        let output = file_of(&vec![0xee; bytes]);
        let result = Encryptor::new(&recipients)
            .encrypt(Input::Stream(&mut &b""[..]), Output::File(&output));
        assert!(matches!(result, Err(Error::OutputNotEmpty)), "{bytes}");
        let result = Decryptor::new(&identities)
            .decrypt(Input::Stream(&mut &sealed[..]), Output::File(&output));
        assert!(matches!(result, Err(Error::OutputNotEmpty)), "{bytes}");
        assert_eq!(contents(&output), vec![0xee; bytes]);
    }
}

/// For a file, it is known before anything is opened.
#[test]
fn a_length_that_no_payload_has() {
    let identities = Identities::from(&key());
    // More than is opened at once.
    let count = 2000;
    let sealed = encrypt(&key(), 4096, STREAM, &message(count * 4096));
    for cut in [4096 + 1, 4096 + 15, 4096 + 16] {
        let mut opened = Vec::new();
        let input = file_of(&sealed[..sealed.len() - cut]);
        let result =
            Decryptor::new(&identities).decrypt(Input::File(&input), Output::Stream(&mut opened));
        match cut {
            // All but the last segment, of which none is the last.
            4112 => {
                let last = count as u64 - 2;
                let error = result.unwrap_err();
                assert!(matches!(error, Error::Corrupt { segment, last: true } if segment == last));
            }
            _ => {
                assert!(matches!(result, Err(Error::Truncated)), "{cut}");
                assert!(opened.is_empty(), "{cut}");
            }
        }
    }
}

#[test]
fn a_file_is_read_from_its_beginning() {
    let identities = Identities::from(&key());
    let message = message(10_000);
    let file = file_of(&encrypt(&key(), 4096, STREAM, &message));
    let mut reader = Decryptor::new(&identities).reader(&file).unwrap();
    assert_eq!(ReadAt::size(&file).unwrap(), 4096 + 10_000 + 3 * 16);
    let mut opened = Vec::new();
    reader.read_to_end(&mut opened).unwrap();
    assert_eq!(opened, message);
}

/// Notes where it was read.
struct OffsetLog<'a>(&'a [u8], &'a RefCell<Vec<u64>>);

impl ReadAt for OffsetLog<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.1.borrow_mut().push(offset);
        self.0.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

/// The segment at hand is not read again; after a failure none is at hand.
#[test]
fn a_segment_at_hand() {
    let identities = Identities::from(&key());
    let message = message(3 * 4096);
    let mut sealed = encrypt(&key(), 4096, STREAM, &message);
    sealed[4096 + 4112 + 5] ^= 1;
    let offsets = RefCell::new(Vec::new());
    let source = OffsetLog(&sealed, &offsets);
    let reader = Decryptor::new(&identities).reader(source).unwrap();
    let mut part = [0; 100];
    for (from, offset) in [(0, Some(4096)), (100, None), (4000, None)] {
        offsets.borrow_mut().clear();
        let n = reader.read_at(&mut part[..96], from).unwrap();
        assert_eq!((n, &part[..96]), (96, &message[from as usize..][..96]));
        assert_eq!(offsets.borrow().first().copied(), offset, "{from}");
    }
    let damaged = reader.read_at(&mut part, 4096);
    assert!(matches!(damaged, Err(Error::Corrupt { segment: 1, .. })));
    for from in [0, 2 * 4096, 0] {
        reader.read_at(&mut part, from).unwrap();
        assert_eq!(part, message[from as usize..][..100], "after a failure");
        assert!(reader.read_at(&mut part, 4096).is_err());
    }
}
