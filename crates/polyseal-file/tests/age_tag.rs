//! Private keys that somebody else keeps: a file of age 1.3.2 for a tag recipient, what the keeper
//! says, and plugins that run in this process.

#![cfg(feature = "age")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ::p256::ecdh::diffie_hellman;
use ::p256::elliptic_curve::sec1::ToSec1Point;
use ::p256::{PublicKey, SecretKey};
use polyseal_file::age::{
    BoundedIdentity, Callbacks, InProcessPlugin, Keeper, KeeperError, KeyError, KeyProblem,
    NoCallbacks, Recipient, RecipientList, in_process, p256, parse_identities_with,
    recipient_texts,
};
use polyseal_file::{
    Class, Decryptor, Encryptor, Error, Identities, Input, Output, Recipients, SecretText,
};
use zeroize::Zeroizing;

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/age").join(name)).unwrap()
}

fn secret_key() -> SecretKey {
    let vector = String::from_utf8(data("hpke-p256-vector")).unwrap();
    let digits = vector.lines().find_map(|line| line.strip_prefix("skRm ")).unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    SecretKey::from_slice(&(0..32).map(byte).collect::<Vec<_>>()).unwrap()
}

fn recipient() -> p256::Recipient {
    let point = secret_key().public_key().to_sec1_point(false);
    p256::Recipient::from_point(point.as_bytes().try_into().unwrap()).unwrap()
}

#[derive(Clone, Default)]
struct Software {
    calls: Arc<AtomicUsize>,
    refuses: bool,
}

impl Keeper for Software {
    fn derive(&self, point: &[u8; 65]) -> Result<Zeroizing<[u8; 32]>, KeeperError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.refuses {
            return Err(KeeperError::new(Class::KeyUnavailable, "locked").with_hint("unlock it"));
        }
        let point = PublicKey::from_sec1_bytes(point).unwrap();
        let product = diffie_hellman(secret_key().to_nonzero_scalar(), point.as_affine());
        Ok(Zeroizing::new((*product.raw_secret_bytes()).into()))
    }
}

fn open(identities: Vec<Box<dyn BoundedIdentity>>, sealed: &[u8]) -> Result<Vec<u8>, Error> {
    let (identities, mut opened) = (Identities::new().age(identities), Vec::new());
    let mut sealed = sealed;
    Decryptor::new(&identities)
        .decrypt(Input::Stream(&mut sealed), Output::Stream(&mut opened))
        .map(|_| opened)
}

fn seal(recipients: Vec<Box<dyn Recipient + Send + Sync>>) -> Vec<u8> {
    let (to, mut sealed) = (Recipients::new().age(recipients), Vec::new());
    Encryptor::new(&to)
        .encrypt(Input::Stream(&mut &b"message"[..]), Output::Stream(&mut sealed))
        .unwrap();
    sealed
}

fn kept(keeper: Software) -> Vec<Box<dyn BoundedIdentity>> {
    vec![Box::new(p256::Identity::new(recipient(), keeper))]
}

#[test]
fn a_file_of_age_is_opened_with_one_call() {
    let keeper = Software::default();
    assert_eq!(open(kept(keeper.clone()), &data("tag.age")).unwrap(), data("message"));
    assert_eq!(keeper.calls.load(Ordering::Relaxed), 1);
    // None of these is for the key.
    for other in ["x25519.age", "hybrid.age", "ssh_ed25519.age"] {
        let refused = open(kept(keeper.clone()), &data(other));
        assert!(matches!(refused, Err(Error::NoMatchingKey)), "{other}");
    }
    assert_eq!(keeper.calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_file_of_polyseal_and_what_the_keeper_says() {
    let sealed = seal(vec![Box::new(recipient())]);
    assert_eq!(open(kept(Software::default()), &sealed).unwrap(), b"message");
    let refused = open(kept(Software { refuses: true, ..Software::default() }), &sealed);
    let Err(Error::Keeper(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.class(), Class::KeyUnavailable);
    assert_eq!((error.message(), error.hint()), ("locked", Some("unlock it")));
}

/// Opens with the key of this file, if the identity says so.
struct Plugin(Software);

impl Plugin {
    fn check(data: &[u8]) -> Result<(), KeyError> {
        let refused = || KeyProblem::Refused { plugin: "kept".to_owned(), why: "no".to_owned() };
        if data == b"mine" { Ok(()) } else { Err(refused().into()) }
    }
}

impl InProcessPlugin for Plugin {
    fn name(&self) -> &str {
        "kept"
    }

    fn identity(&self, data: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError> {
        Self::check(data)?;
        Ok(Box::new(p256::Identity::new(recipient(), self.0.clone())))
    }

    fn recipient(&self, data: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError> {
        Self::check(data)?;
        Ok(Box::new(recipient()))
    }

    fn recipient_text(&self, data: &[u8]) -> Result<String, KeyError> {
        Self::check(data)?;
        Ok(recipient().to_string())
    }
}

#[derive(Clone)]
struct Passphrase;

impl Callbacks for Passphrase {
    fn display_message(&self, _: &str) {}

    fn confirm(&self, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }

    fn request_public_string(&self, _: &str) -> Option<String> {
        None
    }

    fn request_passphrase(&self, _: &str) -> Option<SecretText> {
        Some("polyseal".to_owned().into())
    }
}

fn plugins() -> Vec<Arc<dyn InProcessPlugin>> {
    vec![Arc::new(Plugin(Software::default()))]
}

fn problem(file: &str) -> KeyProblem {
    let parsed = parse_identities_with(file.as_bytes(), None, &NoCallbacks, &plugins());
    parsed.map(|_| ()).unwrap_err().problem().clone()
}

#[test]
fn an_identity_of_a_plugin_in_this_process_plain_and_encrypted() {
    let line = in_process::to_line("kept", b"mine").unwrap();
    let shown = format!("{line:?}");
    let line = line.reveal();
    assert!(line.starts_with("AGE-PLUGIN-KEPT-1") && !shown.contains("KEPT"), "{line} {shown}");
    let plain = format!("# kept\n{line}\n").into_bytes();
    for file in [plain, data("encrypted_plugin.age")] {
        let identities = parse_identities_with(&file, None, &Passphrase, &plugins()).unwrap();
        assert_eq!(open(identities, &data("tag.age")).unwrap(), data("message"));
        let mut list = RecipientList::new().with_plugins(plugins());
        list.add_identities(&file, None, &Passphrase).unwrap();
        let sealed = seal(list.into_recipients(&Passphrase).unwrap());
        assert_eq!(open(kept(Software::default()), &sealed).unwrap(), b"message");
        let texts = recipient_texts(&file, None, &Passphrase, &plugins()).unwrap();
        assert_eq!(texts, [recipient().to_string()]);
    }
    // A program is asked nothing.
    if cfg!(feature = "plugin") {
        let untold = recipient_texts(line.as_bytes(), None, &Passphrase, &[]).unwrap_err();
        assert_eq!(*untold.problem(), KeyProblem::RecipientNotTold("kept".to_owned()));
    }
}

#[test]
fn what_a_plugin_in_this_process_does_not_take() {
    let line = |data: &[u8]| in_process::to_line("kept", data).unwrap().reveal().to_owned();
    assert!(matches!(problem(&line(b"yours")), KeyProblem::Refused { why, .. } if why == "no"));
    let mine = line(b"mine");
    let last = if mine.ends_with('Q') { "P" } else { "Q" };
    let altered = format!("{}{last}", &mine[..mine.len() - 1]);
    // In lower case, it is not a plugin's.
    for bad in [altered, mine.to_lowercase(), mine.replace("MINE", "mine")] {
        if bad != mine {
            assert_eq!(problem(&bad), KeyProblem::Damaged("identity"), "{bad}");
        }
    }
    let long = vec![0; in_process::MAX_IDENTITY_BYTES];
    assert!(matches!(problem(&line(&long)), KeyProblem::Refused { .. }));
    assert!(in_process::to_line("kept", &[&long[..], &[0]].concat()).is_err());
    assert!(in_process::to_line("é", b"").is_err());
    // For another plugin, a program is looked for.
    let other = in_process::to_line("polyseal-test-absent", b"mine").unwrap();
    if cfg!(feature = "plugin") {
        assert_eq!(problem(other.reveal()), KeyProblem::Plugin("polyseal-test-absent".to_owned()));
    }
}
