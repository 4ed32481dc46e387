//! Every rule of the specification: a small file for each, written by the reference in Python, and
//! read here from streams, from files and in parts, with the outcome that the rule asks for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use polyseal_file::age::{NoCallbacks, parse_identities};
use polyseal_file::{
    ArmorReader, Context, Decryptor, Error, Header, Identities, Input, Key, Output, Passphrase,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    keys: BTreeMap<String, KitKey>,
    tests: Vec<Test>,
    parts: Vec<Test>,
    key_files: Vec<KeyFile>,
}

#[derive(Deserialize)]
struct Repeated {
    hex: String,
    times: usize,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum KitKey {
    KeyFile { hex: String },
    Passphrase(Repeated),
    Age { identity: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    file: String,
    rule: String,
    #[serde(default)]
    armored: bool,
    keys: Vec<String>,
    context: Option<Repeated>,
    outcome: String,
    plaintext: Option<String>,
    plaintext_length: Option<usize>,
    plaintext_sha256: Option<String>,
    segment: Option<u64>,
    start: Option<u64>,
    length: Option<usize>,
}

#[derive(Deserialize)]
struct KeyFile {
    file: String,
    rule: String,
    outcome: String,
    key: Option<String>,
}

impl Repeated {
    fn bytes(&self) -> Vec<u8> {
        unhex(&self.hex).repeat(self.times)
    }
}

impl Test {
    fn identities(&self, index: &Index) -> Identities<'static> {
        self.keys.iter().fold(Identities::new(), |all, name| match &index.keys[name] {
            KitKey::KeyFile { hex } => {
                all.key(Key::from_bytes(&unhex(hex).as_slice().try_into().unwrap()))
            }
            KitKey::Passphrase(passphrase) => {
                let passphrase = passphrase.bytes();
                all.passphrase(move || Passphrase::new(passphrase.clone()))
            }
            KitKey::Age { identity } => {
                all.age(parse_identities(identity.as_bytes(), None, &NoCallbacks).unwrap())
            }
        })
    }

    fn context(&self) -> Option<Context> {
        self.context.as_ref().map(|context| Context::new(context.bytes()).unwrap())
    }

    #[track_caller]
    fn check(&self, how: &str, result: Result<Vec<u8>, Error>) {
        let about = format!("{}, {how}: {}", self.file, self.rule);
        match result {
            Ok(plaintext) => {
                assert_eq!(self.outcome, "ok", "{about}");
                if let Some(expected) = &self.plaintext {
                    assert!(plaintext == unhex(expected), "{about}");
                } else {
                    assert_eq!(Some(plaintext.len()), self.plaintext_length, "{about}");
                    let digest = Sha256::digest(&plaintext).to_vec();
                    let expected = self.plaintext_sha256.as_deref().unwrap();
                    assert_eq!(digest, unhex(expected), "{about}");
                }
            }
            Err(error) => {
                assert_eq!(outcome(&error, self), self.outcome, "{about}: {error:?}");
                if let Error::Corrupt { segment, .. } = error {
                    assert_eq!(Some(segment), self.segment, "{about}");
                }
            }
        }
    }
}

fn outcome(error: &Error, test: &Test) -> &'static str {
    match error {
        Error::NotAPolysealFile => "not-a-polyseal-file",
        // More than the specification asks for: it says whose file it is.
        Error::AgeFile if test.armored => "bad-armor",
        Error::AgeFile => "not-a-polyseal-file",
        Error::UnsupportedVersion(_) => "unsupported-version",
        // One error: how far the file goes tells which.
        Error::Truncated if test.outcome == "truncated-header" => "truncated-header",
        Error::Truncated => "truncated-payload",
        Error::Header(_) => "bad-header",
        Error::NoMatchingKey | Error::WrongPassphrase | Error::PassphraseNeeded => {
            "no-matching-key"
        }
        Error::HeaderNotAuthentic => "header-not-authentic",
        Error::ContextMissing => "context-missing",
        Error::ContextDiffers => "context-differs",
        Error::ContextUnexpected => "context-unexpected",
        Error::Corrupt { .. } => "corrupt-segment",
        Error::Armor(_) | Error::NotArmored => "bad-armor",
        _ => "another",
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(hex).unwrap()
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/file-format")
}

fn index() -> Index {
    serde_json::from_slice(&fs::read(directory().join("index.json")).unwrap()).unwrap()
}

#[test]
fn every_rule_from_a_stream_and_from_a_file() {
    let index = index();
    assert!(index.tests.len() >= 120);
    for test in &index.tests {
        let path = directory().join(&test.file);
        let bytes = fs::read(&path).unwrap();
        let (identities, context) = (test.identities(&index), test.context());
        let mut decryptor = Decryptor::new(&identities);
        if let Some(context) = &context {
            decryptor = decryptor.context(context);
        }
        let streamed = |reader: &mut (dyn Read + Send)| {
            let mut plaintext = Vec::new();
            let output = Output::Stream(&mut plaintext);
            decryptor.decrypt(Input::Stream(reader), output).map(|_| plaintext)
        };
        // Without its armour, the file inside can be decrypted.
        let unarmored = |reader: &mut (dyn Read + Send)| streamed(&mut ArmorReader::new(reader));
        let mut plaintext = Vec::new();
        let file = File::open(&path).unwrap();
        let output = Output::Stream(&mut plaintext);
        let from_file = decryptor.decrypt(Input::File(&file), output).map(|_| plaintext);
        // A file that does not begin as armour is none, whatever the kit expects.
        let seen = b"- \t\r\n".contains(&bytes[0]);
        if test.armored {
            test.check("armour", unarmored(&mut &bytes[..]));
            assert!(seen || test.outcome == "bad-armor", "{}", test.file);
        }
        if seen || !test.armored {
            test.check("stream", streamed(&mut &bytes[..]));
            test.check("file", from_file);
        }
        if test.armored {
            let refused = decryptor.reader(&bytes[..]);
            assert!(matches!(refused, Err(Error::Armored | Error::NotAPolysealFile)));
            assert!(test.outcome != "ok" || matches!(refused, Err(Error::Armored)));
            continue;
        }
        // Cut in two behind the header, as where that is kept elsewhere.
        if let Ok(header) = Header::parse(&bytes) {
            let payload = &bytes[header.as_bytes().len()..];
            let decryptor = decryptor.detached_header(&header);
            let (mut plaintext, mut input) = (Vec::new(), payload);
            let input = Input::Stream(&mut input);
            let output = Output::Stream(&mut plaintext);
            test.check("two parts", decryptor.decrypt(input, output).map(|_| plaintext));
        }
        // All of it, by way of random access: an earlier failure may be that of the last segment.
        let whole = decryptor.reader(&bytes[..]).and_then(|reader| {
            let mut plaintext = vec![0; usize::try_from(reader.plaintext_bytes()).unwrap()];
            reader.read_at(&mut plaintext, 0).map(|_| plaintext)
        });
        match whole {
            Err(Error::Corrupt { .. }) => assert_eq!(test.outcome, "corrupt-segment"),
            other => test.check("random access", other),
        }
    }
}

#[test]
fn every_part() {
    let index = index();
    assert!(!index.parts.is_empty());
    for test in &index.parts {
        let bytes = fs::read(directory().join(&test.file)).unwrap();
        let (identities, context) = (test.identities(&index), test.context());
        let mut decryptor = Decryptor::new(&identities);
        if let Some(context) = &context {
            decryptor = decryptor.context(context);
        }
        let part = decryptor.reader(&bytes[..]).and_then(|reader| {
            let mut part = vec![0; test.length.unwrap()];
            let n = reader.read_at(&mut part, test.start.unwrap())?;
            part.truncate(n);
            Ok(part)
        });
        test.check("a part", part);
    }
}

#[test]
fn every_key_file() {
    for test in &index().key_files {
        let key = Key::parse(&fs::read(directory().join(&test.file)).unwrap());
        let about = format!("{}: {}", test.file, test.rule);
        match (&key, &test.key) {
            // Keys are not shown: that it is the same one shows in what it opens.
            (Ok(key), Some(expected)) => {
                assert_eq!(test.outcome, "ok", "{about}");
                let line = format!("polyseal-key-1-{expected}\n");
                assert!(key.to_file().reveal().ends_with(&line), "{about}");
            }
            (Err(Error::KeyFile(_)), None) => assert_eq!(test.outcome, "bad-key-file", "{about}"),
            other => panic!("{about}: {other:?}"),
        }
    }
}

/// Nothing in the directory is left out.
#[test]
fn every_file_has_a_rule() {
    let index = index();
    let named = |name: &str| {
        let tests = index.tests.iter().chain(&index.parts).map(|test| &test.file);
        tests.chain(index.key_files.iter().map(|test| &test.file)).any(|file| file == name)
    };
    for entry in fs::read_dir(directory()).unwrap() {
        let name = entry.map(|entry| entry.file_name().into_string().unwrap());
        let name = name.map_err(io::Error::other).unwrap();
        assert!(name == "index.json" || named(&name), "{name}");
    }
}
