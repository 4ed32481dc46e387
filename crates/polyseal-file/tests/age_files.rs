//! age's own files: both ways with the program `age`, and every way in which they can be wrong.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Ended};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{FILE, IoSetup, STREAM, carry, message, shapes};
use polyseal_file::age::v1::{self, Header};
use polyseal_file::age::{
    BoundedIdentity, DecryptError, EncryptError, FILE_KEY_BYTES, FileKey, Identity, MAX_WORK,
    NoCallbacks, Recipient, Stanza, parse_identities, to_recipients,
};
use polyseal_file::{
    ArmorReader, ArmorWriter, Decryptor, Encryptor, Error, ExistingRecipients, HeaderError,
    Identities, Input, Key, Output, Passphrase, Recipients,
};

const CHUNK: usize = 65_536;
const EDGES: [usize; 8] = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 9 * CHUNK, 9 * CHUNK + 7];
const KEYS: [&str; 4] = ["x25519.txt", "hybrid.txt", "ssh_ed25519", "ssh_rsa_2048"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/age").join(name)
}

fn keys(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

fn identities(name: &str) -> Identities<'static> {
    Identities::new().age(parse_identities(&keys(name), None, &NoCallbacks).unwrap())
}

fn recipients(name: &str) -> Recipients {
    Recipients::new().age(to_recipients(&keys(name), None, &NoCallbacks).unwrap())
}

fn encrypt(to: &Recipients, shape: IoSetup, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
    let encryptor = v1::Encryptor::new(to).running(shape.run());
    let (result, sealed) = carry(shape, plaintext, |i, o| encryptor.encrypt(i, o));
    let summary = result?;
    assert_eq!(summary.plaintext_bytes, plaintext.len() as u64);
    assert_eq!(summary.file_bytes, sealed.len() as u64);
    Ok(sealed)
}

fn decrypt(with: &Identities<'_>, shape: IoSetup, sealed: &[u8]) -> (Result<(), Error>, Vec<u8>) {
    let decryptor = Decryptor::new(with).running(shape.run());
    let (result, opened) = carry(shape, sealed, |i, o| decryptor.decrypt(i, o));
    (result.map(|_| ()), opened)
}

/// The program `age` in a folder of its own; `None` if it is not installed, which is said.
struct Age(tempfile::TempDir);

impl Age {
    fn find() -> Option<Self> {
        if Command::new("age").arg("--version").output().is_err() {
            let here = std::env::var_os("CI").is_some() && !cfg!(windows);
            assert!(!here, "in CI this must be possible: age is missing");
            eprintln!("SKIPPED: age is missing");
            return None;
        }
        Some(Self(tempfile::tempdir().unwrap()))
    }

    fn run(&self, args: &[&str]) -> Ended {
        Command::new("age").args(args).current_dir(self.0.path()).output().unwrap()
    }

    /// The file that it makes of `plaintext`; `None` if it does not know the kind of recipient.
    fn encrypt(&self, to: &str, plaintext: &[u8]) -> Option<Vec<u8>> {
        fs::write(self.0.path().join("plaintext"), plaintext).unwrap();
        let ended = self.run(&["-e", "-i", path(to).to_str().unwrap(), "plaintext"]);
        ended.status.success().then_some(ended.stdout)
    }

    /// The plaintext that it makes of a file.
    fn decrypt(&self, with: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        fs::write(self.0.path().join("sealed"), sealed).unwrap();
        let ended = self.run(&["-d", "-i", path(with).to_str().unwrap(), "sealed"]);
        ended.status.success().then_some(ended.stdout)
    }

    /// Whether it is so new that it knows hybrid keys.
    fn knows_hybrid(&self) -> bool {
        self.encrypt("hybrid.txt", b"").is_some()
    }
}

fn passphrase() -> Passphrase {
    Passphrase::new(b"correct horse".to_vec()).unwrap()
}

#[test]
fn every_kind_of_recipient_both_ways_with_the_program_age() {
    let Some(age) = Age::find() else { return };
    for name in KEYS {
        if name == "hybrid.txt" && !age.knows_hybrid() {
            continue;
        }
        let plaintext = message(CHUNK + 3);
        let sealed = encrypt(&recipients(name), FILE, &plaintext).unwrap();
        assert!(age.decrypt(name, &sealed).unwrap() == plaintext, "{name}");
        let (result, opened) =
            decrypt(&identities(name), FILE, &age.encrypt(name, &plaintext).unwrap());
        result.unwrap();
        assert!(opened == plaintext, "{name}");
    }
}

#[test]
fn passphrases() {
    let opens = |sealed: &[u8], given: &'static [u8]| {
        let identities = Identities::new().passphrase(|| Passphrase::new(given.to_vec()));
        decrypt(&identities, STREAM, sealed).0
    };
    let sealed = encrypt(&Recipients::new().passphrase(passphrase()), STREAM, b"m").unwrap();
    let stanza = sealed.split(|&b| b == b'\n').nth(1).unwrap();
    assert!(stanza.starts_with(b"-> scrypt ") && stanza.ends_with(b" 18"));
    opens(&sealed, b"correct horse").unwrap();
    let theirs = keys("passphrase.age");
    opens(&theirs, b"correct horse").unwrap();
    assert!(matches!(opens(&theirs, b"another"), Err(Error::WrongPassphrase)));
    assert!(matches!(opens(&theirs, b"\xff"), Err(Error::AgePassphrase)));
    let none = decrypt(&identities("x25519.txt"), STREAM, &theirs).0;
    assert!(matches!(none, Err(Error::PassphraseNeeded)), "{none:?}");
}

#[test]
fn every_edge_in_every_shape() {
    let (to, with) = (recipients("x25519.txt"), identities("x25519.txt"));
    let age = Age::find();
    for length in EDGES {
        let plaintext = message(length);
        for shape in shapes() {
            let sealed = encrypt(&to, shape, &plaintext).unwrap();
            if let Some(age) = &age {
                let opened = age.decrypt("x25519.txt", &sealed).unwrap();
                assert!(opened == plaintext, "{length}, {shape:?}");
            }
            let (result, opened) = decrypt(&with, shape, &sealed);
            result.unwrap();
            assert!(opened == plaintext, "{length}, {shape:?}");
        }
        let theirs = age.as_ref().map(|age| age.encrypt("x25519.txt", &plaintext).unwrap());
        let sealed = theirs.map_or_else(|| encrypt(&to, FILE, &plaintext), Ok).unwrap();
        let reader = Decryptor::new(&with).reader(&sealed[..]).unwrap();
        assert_eq!(reader.plaintext_bytes(), length as u64);
        for from in [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK - 3].into_iter().filter(|&f| f <= length) {
            let mut part = vec![0; CHUNK + 9];
            let reader = Decryptor::new(&with).reader(&sealed[..]).unwrap();
            let n = reader.read_at(&mut part, from as u64).unwrap();
            assert!(part[..n] == plaintext[from..length.min(from + CHUNK + 9)], "{length}, {from}");
        }
    }
}

#[test]
fn no_byte_can_be_changed_and_no_length_either() {
    let with = identities("x25519.txt");
    let sealed = encrypt(&recipients("x25519.txt"), STREAM, b"attack at dawn").unwrap();
    for (at, flip) in (0..sealed.len()).flat_map(|at| [(at, 1), (at, 0x80)]) {
        let mut altered = sealed.clone();
        altered[at] ^= flip;
        let (result, opened) = decrypt(&with, STREAM, &altered);
        assert!(result.is_err() && opened.is_empty(), "{at}, {flip}");
    }
    for length in 0..sealed.len() {
        let (result, opened) = decrypt(&with, STREAM, &sealed[..length]);
        assert!(result.is_err() && opened.is_empty(), "{length}");
    }
    let (result, opened) = decrypt(&with, STREAM, &[&sealed[..], b"x"].concat());
    assert!(matches!(result, Err(Error::Corrupt { segment: 0, last: true })), "{result:?}");
    assert!(opened.is_empty());
}

#[test]
fn what_is_wrong_with_the_chunks_is_said_and_pipes_get_what_is_right() {
    let with = identities("x25519.txt");
    let plaintext = message(11 * CHUNK);
    let sealed = encrypt(&recipients("x25519.txt"), STREAM, &plaintext).unwrap();
    let offset = Header::read(&mut &sealed[..]).unwrap().as_bytes().len();
    let end = |chunks: usize| offset + chunks * (CHUNK + 16);
    let expect = |sealed: &[u8], chunks: usize, right: fn(&Error) -> bool| {
        for shape in shapes() {
            let (result, opened) = decrypt(&with, shape, sealed);
            let error = result.unwrap_err();
            assert!(right(&error), "{shape:?}: {error:?}");
            if !shape.file_in && !shape.file_out {
                assert!(opened == plaintext[..chunks * CHUNK], "{shape:?}: {}", opened.len());
            }
        }
    };
    let mut altered = sealed.clone();
    altered[end(9)] ^= 1;
    expect(&altered, 9, |e| matches!(e, Error::Corrupt { segment: 9, last: false }));
    expect(&sealed[..end(10)], 10, |e| matches!(e, Error::CutShort));
    expect(&sealed[..end(10) + 9], 10, |e| matches!(e, Error::Truncated));
    let longer = [&sealed[..], b"more than a tag of 16 bytes"].concat();
    expect(&longer, 11, |e| matches!(e, Error::Extended));
    // Whole chunks in another order, and of another file.
    let swapped = [&sealed[..offset], &sealed[end(1)..end(2)], &sealed[offset..end(1)]].concat();
    expect(&swapped, 0, |e| matches!(e, Error::Corrupt { segment: 0, last: false }));
    let other = encrypt(&recipients("x25519.txt"), STREAM, &plaintext).unwrap();
    let spliced = [&sealed[..end(3)], &other[end(3)..]].concat();
    expect(&spliced, 3, |e| matches!(e, Error::Corrupt { segment: 3, last: false }));
}

#[test]
fn what_is_wrong_with_a_header_is_said() {
    let read = |text: &str| Header::read(&mut text.as_bytes()).map(|_| ()).unwrap_err();
    let version = "age-encryption.org/v1\n";
    assert!(matches!(read(""), Error::NotAPolysealFile));
    assert!(matches!(read("attack at dawn"), Error::NotAPolysealFile));
    assert!(matches!(read("age-encryption.org/v"), Error::Truncated));
    assert!(matches!(read(version), Error::Truncated));
    assert!(matches!(read("age-encryption.org/v2\n-> X\n"), Error::AgeVersion));
    let text = format!("{version}--- {}\n", "A".repeat(43));
    assert!(matches!(read(&text), Error::Header(HeaderError::AgeText)));
    let two = format!("{version}-> scrypt\n\n-> X\n\n--- {}\n", "A".repeat(43));
    assert!(matches!(read(&two), Error::Header(HeaderError::PassphraseNotAlone)));
    // Without an end of line, and with many: no more than the limit is read.
    for endless in ["-> X ", "-> X\n\n"] {
        let endless = format!("{version}{}", endless.repeat(1 << 18));
        let error = read(&endless);
        assert!(matches!(error, Error::Header(HeaderError::AgeTooLong)), "{error:?}");
    }
    // So many that an RSA key would be tried for half a minute; of other keys, there may be more.
    let rsa = |tag: &str, times| format!("-> ssh-rsa {tag}\nAAAA\n").repeat(times);
    let end = format!("--- {}\n{}", "A".repeat(43), "n".repeat(16));
    let others = rsa("b", 128) + &"-> ssh-ed25519 a\nAAAA\n".repeat(200);
    assert!(
        Header::read(&mut format!("{version}{}{others}{end}", rsa("a", 128)).as_bytes()).is_ok()
    );
    let error = read(&format!("{version}{}{others}{}{end}", rsa("a", 64), rsa("a", 65)));
    assert!(matches!(error, Error::Header(HeaderError::AgeManyRsa)), "{error:?}");
    let work = format!(
        "{version}-> scrypt {} 23\n{}\n--- {}\n{}",
        "A".repeat(22),
        "A".repeat(43),
        "A".repeat(43),
        "n".repeat(16)
    );
    let asked = Identities::new().passphrase(|| panic!("asked, though there is no use for it"));
    let error = decrypt(&asked, STREAM, work.as_bytes()).0.unwrap_err();
    assert!(matches!(error, Error::AgeWork { required: 23, limit: 22 }), "{error:?}");
}

#[test]
fn who_does_not_go_into_an_age_file_is_refused_before_anything_is_written() {
    let refused = |to: &Recipients| encrypt(to, STREAM, b"message").unwrap_err();
    let key = Key::generate().unwrap();
    assert!(matches!(refused(&Recipients::new()), Error::NoRecipients));
    assert!(matches!(refused(&recipients("x25519.txt").key(key)), Error::AgeKeyFile));
    let mixed = recipients("x25519.txt").passphrase(passphrase());
    assert!(matches!(refused(&mixed), Error::PassphraseNotAlone));
    let hybrid = to_recipients(&keys("hybrid.txt"), None, &NoCallbacks).unwrap();
    assert!(matches!(refused(&recipients("x25519.txt").age(hybrid)), Error::MixedRecipients));
    let text = Recipients::new().passphrase(Passphrase::new(b"\xff".to_vec()).unwrap());
    assert!(matches!(refused(&text), Error::AgePassphrase));
    let mut output = Vec::new();
    let (mut input, none) = (&b"message"[..], Recipients::new());
    let result =
        v1::Encryptor::new(&none).encrypt(Input::Stream(&mut input), Output::Stream(&mut output));
    assert!(result.is_err() && output.is_empty());
}

#[test]
fn another_header_opens_the_same_payload() {
    let plaintext = message(CHUNK + 1);
    let sealed = encrypt(&recipients("x25519.txt"), STREAM, &plaintext).unwrap();
    let old = Header::read(&mut &sealed[..]).unwrap();
    let mine = identities("x25519.txt");
    let other = old.authenticate(&identities("hybrid.txt")).unwrap_err();
    assert!(matches!(other, Error::NoMatchingKey));
    let authentic = old.authenticate(&mine).unwrap();
    let with = |header: &Header| [header.as_bytes(), &sealed[old.as_bytes().len()..]].concat();
    let opens = |name: &str, file: &[u8]| {
        let (result, opened) = decrypt(&identities(name), FILE, file);
        result.map(|()| assert!(opened == plaintext, "{name}"))
    };
    let both = authentic.rekey(&recipients("ssh_ed25519"), ExistingRecipients::Keep).unwrap();
    assert_eq!(both.recipients().collect::<Vec<_>>(), ["X25519", "ssh-ed25519"]);
    opens("x25519.txt", &with(&both)).unwrap();
    opens("ssh_ed25519", &with(&both)).unwrap();
    let one = authentic.rekey(&recipients("hybrid.txt"), ExistingRecipients::Remove).unwrap();
    opens("hybrid.txt", &with(&one)).unwrap();
    assert!(matches!(opens("x25519.txt", &with(&one)), Err(Error::NoMatchingKey)));
    let keep = |to: &Recipients| authentic.rekey(to, ExistingRecipients::Keep).unwrap_err();
    assert!(matches!(keep(&recipients("hybrid.txt")), Error::MixedRecipients));
    assert!(matches!(keep(&Recipients::new().passphrase(passphrase())), Error::PassphraseNotAlone));
    // And the other way round: what keeps a secret from quantum computers is not undone.
    let hybrid = identities("hybrid.txt");
    let weaker = one.authenticate(&hybrid).unwrap();
    let weaker = weaker.rekey(&recipients("x25519.txt"), ExistingRecipients::Keep);
    assert!(matches!(weaker, Err(Error::MixedRecipients)), "{weaker:?}");
}

/// A recipient of a type of its own, and an identity that counts the stanzas that it is tried on.
#[derive(Clone)]
struct CountingKey(Arc<AtomicU32>);

impl Recipient for CountingKey {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let (tag, body) = ("t".to_owned(), file_key.expose_secret().to_vec());
        Ok((vec![Stanza { tag, args: Vec::new(), body }], HashSet::new()))
    }
}

impl Identity for CountingKey {
    fn unwrap_stanza(&self, _: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

impl BoundedIdentity for CountingKey {
    fn work(&self, stanza: &Stanza) -> u32 {
        u32::from(stanza.tag == "t")
    }
}

/// All identities on all stanzas, in both formats: some seconds at most.
#[test]
fn how_often_identities_are_tried_is_bounded() {
    let recipients = |times| {
        let all = (0..times).map(|_| Box::new(CountingKey(Arc::default())) as Box<_>);
        Recipients::new().age(all)
    };
    let age = encrypt(&recipients(1000), STREAM, b"").unwrap();
    let mut polyseal = Vec::new();
    Encryptor::new(&recipients(128))
        .encrypt(Input::Stream(&mut &b""[..]), Output::Stream(&mut polyseal))
        .unwrap();
    for (sealed, stanzas) in [(age, 1000), (polyseal, 128)] {
        let most = MAX_WORK / stanzas;
        for (identities, refused) in [(most, false), (most + 1, true)] {
            let counted = CountingKey(Arc::default());
            let all = (0..identities).map(|_| Box::new(counted.clone()) as Box<_>);
            let error = decrypt(&Identities::new().age(all), STREAM, &sealed).0.unwrap_err();
            assert_eq!(matches!(error, Error::AgeTries), refused, "{identities}: {error:?}");
            assert!(refused || matches!(error, Error::NoMatchingKey), "{error:?}");
            assert_eq!(counted.0.load(Ordering::Relaxed), most * stanzas);
        }
        // Identities that can be tried all the same are tried.
        let counted = CountingKey(Arc::default());
        let none = (0..=most).map(|_| Box::new(counted.clone()) as Box<_>);
        let with = Identities::new().age(none).age([Box::new(BodyIdentity) as Box<_>]);
        decrypt(&with, STREAM, &sealed).0.unwrap();
    }
}

/// The same stanzas, at once.
struct BodyIdentity;

impl Identity for BodyIdentity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        let key = <[u8; FILE_KEY_BYTES]>::try_from(&stanza.body[..]).ok()?;
        Some(Ok(FileKey::new(Box::new(key))))
    }
}

impl BoundedIdentity for BodyIdentity {
    fn work(&self, _: &Stanza) -> u32 {
        0
    }
}

#[test]
fn armour_is_for_the_file_that_it_says() {
    let age = encrypt(&recipients("x25519.txt"), STREAM, b"message").unwrap();
    let polyseal = crate::common::encrypt(&crate::common::key(), 4096, STREAM, b"message");
    let armored = |mut writer: ArmorWriter<Vec<u8>>, file: &[u8]| {
        writer.write_all(file).unwrap();
        writer.finish().unwrap()
    };
    let read = |text: &[u8]| ArmorReader::new(text).read_to_end(&mut Vec::new());
    read(&armored(ArmorWriter::age(Vec::new()), &age)).unwrap();
    read(&armored(ArmorWriter::new(Vec::new()), &polyseal)).unwrap();
    read(&armored(ArmorWriter::age(Vec::new()), &polyseal)).unwrap_err();
    read(&armored(ArmorWriter::new(Vec::new()), &age)).unwrap_err();
    let text = String::from_utf8(armored(ArmorWriter::age(Vec::new()), &age)).unwrap();
    read(text.replace("END AGE ENCRYPTED", "END POLYSEAL").as_bytes()).unwrap_err();
    // The program `age` reads it too.
    if let Some(theirs) = Age::find() {
        assert_eq!(theirs.decrypt("x25519.txt", text.as_bytes()).unwrap(), b"message");
    }
}

#[test]
fn an_age_file_has_no_context() {
    let sealed = encrypt(&recipients("x25519.txt"), STREAM, b"message").unwrap();
    let (with, context) =
        (identities("x25519.txt"), polyseal_file::Context::new("backup").unwrap());
    let decryptor = Decryptor::new(&with).context(&context);
    let refused = decryptor.reader(&sealed[..]).unwrap_err();
    assert!(matches!(refused, Error::ContextUnexpected));
}

#[test]
fn a_file_without_a_key_says_for_whom_it_is() {
    let sealed = encrypt(&recipients("hybrid.txt"), STREAM, b"message").unwrap();
    let length = sealed.len() as u64;
    let found = v1::Inspection::read(&mut &sealed[..], Some(length)).unwrap();
    assert_eq!((found.format, found.version, found.authenticated), ("age", 1, false));
    assert_eq!(found.recipients, ["mlkem768x25519"]);
    assert_eq!(found.payload.unwrap().plaintext_bytes, Some(7));
    assert_eq!(found.payload_offset, length - 7 - 16);
}
