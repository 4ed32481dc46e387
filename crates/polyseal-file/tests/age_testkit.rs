//! age's own test vectors (C2SP's CCTV, `vectors/age/testkit`), every one, in every way in which a
//! file can be opened.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use crate::common::{IoSetup, carry, shapes};
use polyseal_file::age::v1::Header;
use polyseal_file::age::{NoCallbacks, parse_identities};
use polyseal_file::{ArmorReader, ArmorWriter, Decryptor, Error, Identities, Input, Passphrase};
use sha2::{Digest, Sha256};

/// How many vectors have which outcome.
const OUTCOMES: [(&str, usize); 6] = [
    ("success", 26),
    ("no match", 13),
    ("HMAC failure", 1),
    ("header failure", 62),
    ("payload failure", 19),
    ("armor failure", 22),
];

struct Vector {
    name: String,
    expect: String,
    payload: Option<String>,
    keys: String,
    passphrase: Option<String>,
    armored: bool,
    file: Vec<u8>,
}

fn vectors() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/age/testkit");
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    names.iter().map(|path| vector(path)).collect()
}

fn vector(path: &Path) -> Vector {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let bytes = fs::read(path).unwrap();
    let blank = bytes.windows(2).position(|two| two == b"\n\n").unwrap();
    let text = str::from_utf8(&bytes[..blank]).unwrap();
    let mut vector = Vector {
        name,
        expect: String::new(),
        payload: None,
        keys: String::new(),
        passphrase: None,
        armored: false,
        file: bytes[blank + 2..].to_vec(),
    };
    for line in text.lines() {
        let (key, value) = line.split_once(": ").unwrap();
        match (key, value) {
            ("expect", _) => vector.expect = value.to_owned(),
            ("payload", _) => vector.payload = Some(value.to_owned()),
            ("identity", _) => vector.keys += &format!("{value}\n"),
            ("passphrase", _) => vector.passphrase = Some(value.to_owned()),
            ("armored", "yes") => vector.armored = true,
            ("compressed", "zlib") => {
                vector.file = miniz_oxide::inflate::decompress_to_vec_zlib(&vector.file).unwrap();
            }
            ("file key" | "comment", _) => {}
            other => panic!("{}: {other:?}", vector.name),
        }
    }
    vector
}

impl Vector {
    fn identities(&self) -> Identities<'_> {
        let mut identities = Identities::new();
        if !self.keys.is_empty() {
            let keys = parse_identities(self.keys.as_bytes(), None, &NoCallbacks).unwrap();
            identities = identities.age(keys);
        }
        if let Some(passphrase) = &self.passphrase {
            identities = identities.passphrase(|| Passphrase::new(passphrase.clone().into_bytes()));
        }
        identities
    }

    /// The outcome in the vectors' words, and the plaintext that was given.
    fn open(&self, shape: IoSetup) -> (&'static str, Vec<u8>) {
        let header = match self.header() {
            Ok(header) => header,
            Err(error) => return (outcome(&error, "header failure"), Vec::new()),
        };
        let identities = self.identities();
        if let Err(error) = header.authenticate(&identities) {
            return (outcome(&error, "header failure"), Vec::new());
        }
        let decryptor = Decryptor::new(&identities).running(shape.run());
        let (result, plaintext) = carry(shape, &self.file, |input, output| match input {
            // Without its armour, the file inside can be decrypted to a file.
            Input::Stream(reader) if self.armored && shape.file_out => {
                decryptor.decrypt(Input::Stream(&mut ArmorReader::new(reader)), output)
            }
            input => decryptor.decrypt(input, output),
        });
        let outcome = result.map_or_else(|e| outcome(&e, "payload failure"), |_| "success");
        (outcome, plaintext)
    }

    fn header(&self) -> Result<Header, Error> {
        if self.armored {
            Header::read(&mut BufReader::new(ArmorReader::new(&self.file[..])))
        } else {
            Header::read(&mut &self.file[..])
        }
    }

    /// The file without its armour.
    fn plain(&self) -> Vec<u8> {
        let mut plain = self.file.clone();
        if self.armored {
            plain.clear();
            ArmorReader::new(&self.file[..]).read_to_end(&mut plain).expect(&self.name);
        }
        plain
    }
}

/// The outcome, in the words of the vectors. A truncation counts for the part that is being read.
fn outcome(error: &Error, part: &'static str) -> &'static str {
    match error {
        Error::NoMatchingKey | Error::WrongPassphrase => "no match",
        Error::HeaderNotAuthentic => "HMAC failure",
        Error::NotAPolysealFile | Error::AgeVersion | Error::AgeWork { .. } | Error::Header(_) => {
            "header failure"
        }
        Error::Truncated => part,
        Error::Corrupt { .. } | Error::CutShort | Error::Extended => "payload failure",
        Error::Armor(_) | Error::NotArmored => "armor failure",
        _ => "another",
    }
}

fn hash(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

#[test]
fn every_vector_has_the_expected_outcome_and_payload_in_every_shape() {
    let mut counts = BTreeMap::<String, usize>::new();
    for vector in vectors() {
        let name = &vector.name;
        *counts.entry(vector.expect.clone()).or_default() += 1;
        // A passphrase takes its time, and the pipeline comes after it.
        let slow = vector.passphrase.is_some();
        let fit = |shape: &IoSetup| !(slow && shape.threads > 1);
        for shape in shapes().filter(fit) {
            let (outcome, plaintext) = vector.open(shape);
            assert_eq!(outcome, vector.expect, "{name}, {shape:?}");
            // A stream may have got the verified part; a file, after a failure, has nothing.
            let Some(payload) = &vector.payload else { continue };
            if outcome == "success" || !(shape.file_in || shape.file_out) {
                assert_eq!(&hash(&plaintext), payload, "{name}, {shape:?}");
            }
        }
    }
    let expected = OUTCOMES.map(|(outcome, count)| (outcome.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
}

#[test]
fn parts_are_read_of_what_opens_and_of_nothing_else() {
    for vector in vectors().iter().filter(|v| v.payload.is_some() && v.passphrase.is_none()) {
        let (identities, plain) = (vector.identities(), vector.plain());
        let reader = Decryptor::new(&identities).reader(&plain[..]);
        if vector.expect == "success" {
            let (mut reader, mut plaintext) = (reader.unwrap(), Vec::new());
            reader.read_to_end(&mut plaintext).unwrap();
            assert_eq!(&hash(&plaintext), vector.payload.as_ref().unwrap(), "{}", vector.name);
            assert_eq!(reader.plaintext_bytes(), plaintext.len() as u64, "{}", vector.name);
            continue;
        }
        let read = reader.and_then(|reader| {
            let mut plaintext = vec![0; plain.len()];
            reader.read_at(&mut plaintext, 0)
        });
        assert_eq!(
            outcome(&read.unwrap_err(), "payload failure"),
            vector.expect,
            "{}",
            vector.name
        );
    }
}

#[test]
fn headers_and_armour_are_written_as_they_were_read() {
    for vector in vectors().iter().filter(|v| v.payload.is_some()) {
        let plain = vector.plain();
        let header = vector.header().unwrap();
        assert!(plain.starts_with(header.as_bytes()), "{}", vector.name);
        let mut armor = ArmorWriter::age(Vec::new());
        armor.write_all(&plain).unwrap();
        let (armored, mut again) = (armor.finish().unwrap(), Vec::new());
        ArmorReader::new(&armored[..]).read_to_end(&mut again).unwrap();
        assert!(again == plain, "{}", vector.name);
        if vector.armored {
            let lines = |text: &[u8]| -> Vec<Vec<u8>> {
                let lines = text.trim_ascii().split(|&b| b == b'\n');
                lines.map(|line| line.trim_ascii_end().to_vec()).collect()
            };
            assert_eq!(lines(&armored), lines(&vector.file), "{}", vector.name);
        }
    }
}
