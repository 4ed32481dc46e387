//! age's recipients and identities: against age 1.3.1 and OpenSSH, whose keys and files are in
//! `tests/age`, against the community's vectors, and every way in which they can be wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use polyseal_file::age::v1::Encryptor;
use polyseal_file::age::{
    BoundedIdentity, Callbacks, DecryptError, FileKey, Identity, IdentityKind, KeyError,
    KeyProblem, MAX_KEYS_FILE_BYTES, MAX_SSH_FILE_BYTES, NoCallbacks, Recipient, RecipientList,
    Stanza, generate, hybrid, parse_identities, recipient_texts, to_recipients,
};
use polyseal_file::{Decryptor, Error, Input, Output, Recipients, SecretText};
use sha2::{Digest, Sha256};

const SSH: [&str; 3] = ["ssh_ed25519", "ssh_rsa_2048", "ssh_rsa_3072"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/age").join(name)
}

fn data(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

fn text(name: &str) -> String {
    String::from_utf8(data(name)).unwrap()
}

/// The last line: the secret of an identity file, or the recipient in a comment.
fn secret(name: &str) -> String {
    text(name).lines().last().unwrap().to_owned()
}

fn public(name: &str) -> String {
    text(name).lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap().to_owned()
}

/// Gives this passphrase, if any, and counts how often.
#[derive(Clone)]
struct PassphraseCallbacks(Option<&'static str>, Arc<AtomicUsize>);

impl PassphraseCallbacks {
    fn new(passphrase: impl Into<Option<&'static str>>) -> Self {
        Self(passphrase.into(), Arc::default())
    }

    fn times(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Callbacks for PassphraseCallbacks {
    fn display_message(&self, _: &str) {}

    fn confirm(&self, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }

    fn request_public_string(&self, _: &str) -> Option<String> {
        None
    }

    fn request_passphrase(&self, question: &str) -> Option<SecretText> {
        assert!(question.ends_with(" keys"), "{question}");
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.map(|passphrase| passphrase.to_owned().into())
    }
}

/// An identity that opens several files.
#[derive(Clone)]
struct Shared(Arc<dyn BoundedIdentity>);

impl Identity for Shared {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.0.unwrap_stanza(stanza)
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        self.0.unwrap_stanzas(stanzas)
    }
}

impl BoundedIdentity for Shared {
    fn work(&self, stanza: &Stanza) -> u32 {
        self.0.work(stanza)
    }
}

type Identities = Vec<Shared>;

fn shared(identities: Vec<Box<dyn BoundedIdentity>>) -> Identities {
    identities.into_iter().map(|identity| Shared(Arc::from(identity))).collect()
}

fn identities(name: &str) -> Identities {
    shared(parse_identities(&data(name), Some("keys"), &NoCallbacks).unwrap())
}

fn parsed(contents: &str) -> Identities {
    shared(parse_identities(contents.as_bytes(), None, &NoCallbacks).unwrap())
}

/// As Windows PowerShell writes it.
fn utf16(text: &str) -> Vec<u8> {
    let marked = [0xfeff].into_iter().chain(text.encode_utf16());
    marked.flat_map(u16::to_le_bytes).collect()
}

fn refused(contents: impl AsRef<[u8]>) -> KeyError {
    match parse_identities(contents.as_ref(), Some("keys"), &NoCallbacks) {
        Err(error) => error,
        Ok(_) => panic!("taken for identities"),
    }
}

fn opened(file: &[u8], identities: &Identities) -> Result<Vec<u8>, Error> {
    let all = identities.iter().map(|identity| Box::new(identity.clone()) as Box<_>);
    let (with, mut plaintext) = (polyseal_file::Identities::new().age(all), Vec::new());
    let (mut file, output) = (file, Output::Stream(&mut plaintext));
    Decryptor::new(&with).decrypt(Input::Stream(&mut file), output).map(|_| plaintext)
}

fn sealed(recipients: Vec<Box<dyn Recipient + Send + Sync>>) -> Vec<u8> {
    let (to, message, mut file) = (Recipients::new().age(recipients), data("message"), Vec::new());
    let (mut message, output) = (&message[..], Output::Stream(&mut file));
    Encryptor::new(&to).encrypt(Input::Stream(&mut message), output).unwrap();
    file
}

fn list(recipient: &str) -> Result<RecipientList, KeyProblem> {
    let mut list = RecipientList::new();
    list.add(recipient).map_err(|error| error.problem().clone())?;
    Ok(list)
}

fn one(recipient: &str) -> Vec<Box<dyn Recipient + Send + Sync>> {
    list(recipient).unwrap().into_recipients(&NoCallbacks).unwrap()
}

#[test]
fn files_of_age_open_with_the_keys_of_age_keygen_and_openssh() {
    for (file, keys) in [
        ("hybrid.age", "hybrid.txt"),
        ("x25519.age", "x25519.txt"),
        ("ssh_ed25519.age", "ssh_ed25519"),
        ("ssh_rsa_2048.age", "ssh_rsa_2048"),
        ("ssh_rsa_2048.age", "ssh_rsa_2048.pem"),
        ("ssh_rsa_3072.age", "ssh_rsa_3072"),
        ("several.age", "x25519.txt"),
        ("several.age", "ssh_ed25519"),
        ("several.age", "ssh_rsa_2048"),
    ] {
        assert_eq!(
            opened(&data(file), &identities(keys)).unwrap(),
            data("message"),
            "{file} {keys}"
        );
        let dos = text(keys).replace('\n', "\r\n");
        let dos = parsed(&dos);
        assert_eq!(opened(&data(file), &dos).unwrap(), data("message"), "{file} {keys}, CRLF");
        if keys == "x25519.txt" {
            // For age, CR alone ends the last line.
            let cut = text(keys).trim_end().to_owned() + "\r";
            let cut = parsed(&cut);
            assert_eq!(opened(&data(file), &cut).unwrap(), data("message"), "{file}, CR");
        }
        let marked = [&b"\xef\xbb\xbf\r\n"[..], &data(keys)].concat();
        let marked = shared(parse_identities(&marked, None, &NoCallbacks).unwrap());
        assert_eq!(opened(&data(file), &marked).unwrap(), data("message"), "{file} {keys}, mark");
    }
    for (file, keys) in [("hybrid.age", "x25519.txt"), ("several.age", "ssh_rsa_3072")] {
        let error = opened(&data(file), &identities(keys)).unwrap_err();
        assert!(matches!(error, Error::NoMatchingKey), "{error:?}");
    }
}

#[test]
fn what_is_encrypted_here_opens_here() {
    let mut pairs =
        vec![(public("x25519.txt"), "x25519.txt"), (public("hybrid.txt"), "hybrid.txt")];
    pairs.extend(SSH.map(|name| (text(&format!("{name}.pub")).trim_end().to_owned(), name)));
    for (recipient, keys) in pairs {
        let file = sealed(one(&recipient));
        assert_eq!(opened(&file, &identities(keys)).unwrap(), data("message"), "{keys}");
        let file = sealed(to_recipients(&data(keys), None, &NoCallbacks).unwrap());
        assert_eq!(opened(&file, &identities(keys)).unwrap(), data("message"), "{keys}");
    }
}

#[test]
fn recipients_are_told_of_every_identity_that_knows_its_own() {
    let of = |keys: &str| recipient_texts(&data(keys), Some(keys), &NoCallbacks, &[]);
    for keys in ["x25519.txt", "hybrid.txt"] {
        assert_eq!(of(keys).unwrap(), [public(keys)]);
    }
    for keys in SSH {
        // Without the comment behind the key.
        let line = text(&format!("{keys}.pub"));
        let line: Vec<_> = line.split(' ').take(2).collect();
        assert_eq!(of(keys).unwrap(), [line.join(" ").trim_end()], "{keys}");
    }
    assert!(of("x25519.age").is_err());
}

#[test]
fn texts_are_those_of_age_keygen() {
    let identity: hybrid::Identity = secret("hybrid.txt").parse().unwrap();
    assert_eq!(identity.to_string().reveal(), secret("hybrid.txt"));
    assert_eq!(identity.to_recipient().to_string(), public("hybrid.txt"));
    assert_eq!(identity.to_recipient(), public("hybrid.txt").parse().unwrap());
    assert_eq!(format!("{identity:?}"), "Identity(secret)");
    assert_eq!((secret("hybrid.txt").len(), public("hybrid.txt").len()), (77, 1959));
    for (kind, of_age) in
        [(IdentityKind::X25519, "x25519.txt"), (IdentityKind::Hybrid, "hybrid.txt")]
    {
        let made = generate(kind, Some("2025-01-02T03:04:05Z")).unwrap();
        let lines: Vec<_> = made.file.reveal().lines().collect();
        assert_eq!(lines[0], "# created: 2025-01-02T03:04:05Z");
        assert_eq!(lines[1], format!("# public key: {}", made.recipient));
        let shape = |text: &str| (text.split('1').next().unwrap().to_owned(), text.len());
        assert_eq!(shape(lines[2]), shape(&secret(of_age)));
        assert_eq!(shape(&made.recipient), shape(&public(of_age)));
        assert!(made.file.reveal().ends_with('\n') && lines.len() == 3);
        assert!(!format!("{made:?} {:?}", made.file).contains("SECRET"));
        assert_eq!(generate(kind, None).unwrap().file.reveal().lines().count(), 2);
        let identities = parsed(made.file.reveal());
        assert_eq!(opened(&sealed(one(&made.recipient)), &identities).unwrap(), data("message"));
    }
}

#[test]
fn the_vectors_of_the_community() {
    let mut seen = 0;
    for entry in fs::read_dir(path("cctv")).unwrap() {
        let vector = fs::read(entry.unwrap().path()).unwrap();
        let end = vector.windows(2).position(|two| two == b"\n\n").unwrap();
        let head = str::from_utf8(&vector[..end]).unwrap();
        let all = |key| head.lines().filter_map(move |line| line.strip_prefix(key));
        let keys = all("identity: ").collect::<Vec<_>>().join("\n");
        let identities = parsed(&keys);
        let result = opened(&vector[end + 2..], &identities);
        match (all("expect: ").next().unwrap(), result) {
            ("success", Ok(plaintext)) => {
                let digest = Sha256::digest(plaintext);
                let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(all("payload: ").next().unwrap(), digest, "{head}");
            }
            ("no match", Err(Error::NoMatchingKey)) => {}
            ("header failure", Err(error)) if !matches!(error, Error::NoMatchingKey) => {}
            (_, result) => panic!("{head}\n{result:?}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 17);
}

fn wrapped() -> (hybrid::Identity, Stanza) {
    let identity = hybrid::Identity::generate().unwrap();
    let file_key = FileKey::new(Box::new([7; 16]));
    let (mut stanzas, labels) = identity.to_recipient().wrap_file_key(&file_key).unwrap();
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), ["postquantum"]);
    let stanza = stanzas.pop().unwrap();
    assert!(stanzas.is_empty());
    let file_key = identity.unwrap_stanza(&stanza).unwrap().unwrap();
    assert_eq!(file_key.expose_secret(), &[7; 16]);
    (identity, stanza)
}

#[test]
fn a_stanza_that_was_altered_anywhere_does_not_open() {
    let (identity, mut stanza) = wrapped();
    let enc = BASE64_STANDARD_NO_PAD.decode(&stanza.args[0]).unwrap();
    assert_eq!((enc.len(), stanza.body.len()), (1120, 32));
    let good = stanza.args[0].clone();
    for at in 0..enc.len() {
        let mut enc = enc.clone();
        enc[at] ^= 1 << (at % 8);
        stanza.args[0] = BASE64_STANDARD_NO_PAD.encode(&enc);
        assert!(identity.unwrap_stanza(&stanza).is_none(), "byte {at} of enc");
    }
    stanza.args[0] = good;
    for at in 0..stanza.body.len() {
        stanza.body[at] ^= 1 << (at % 8);
        assert!(identity.unwrap_stanza(&stanza).is_none(), "byte {at} of the body");
        stanza.body[at] ^= 1 << (at % 8);
    }
    assert!(hybrid::Identity::generate().unwrap().unwrap_stanza(&stanza).is_none());
    assert!(identity.unwrap_stanza(&stanza).unwrap().is_ok());
    stanza.tag = "MLKEM768X25519".to_owned();
    assert!(identity.unwrap_stanza(&stanza).is_none());
}

#[test]
fn a_stanza_of_another_shape_is_an_error() {
    let (identity, mut stanza) = wrapped();
    let enc = stanza.args[0].clone();
    let bytes = BASE64_STANDARD_NO_PAD.decode(&enc).unwrap();
    let body = stanza.body.clone();
    let mut bad = |args: &[&str], body: &[u8], why: &str| {
        stanza.args = args.iter().map(|&arg| arg.to_owned()).collect();
        stanza.body = body.to_vec();
        let result = identity.unwrap_stanza(&stanza);
        assert!(matches!(result, Some(Err(DecryptError::InvalidHeader))), "{why}");
    };
    bad(&[], &body, "no argument");
    bad(&[&enc, &enc], &body, "two arguments");
    bad(&[""], &body, "an empty argument");
    for length in [0, 1, 1088, 1119] {
        bad(&[&BASE64_STANDARD_NO_PAD.encode(&bytes[..length])], &body, "a short encapsulation");
    }
    bad(&[&BASE64_STANDARD_NO_PAD.encode([&bytes[..], &[0]].concat())], &body, "a long one");
    bad(&[&format!("{enc}=")], &body, "padding");
    bad(&[&format!("{}\n", &enc[..enc.len() - 1])], &body, "another character");
    // 1120 bytes leave four bits over, which are zero.
    let last = enc.chars().last().unwrap();
    let next = char::from(last as u8 + 1);
    assert!(next.is_ascii_alphanumeric());
    bad(&[&format!("{}{next}", &enc[..enc.len() - 1])], &body, "Base64 that is not canonical");
    for length in [0, 16, 31] {
        bad(&[&enc], &body[..length], "a short body");
    }
    bad(&[&enc], &[&body[..], &[0]].concat(), "a long body");
    let mut zero = bytes.clone();
    zero[1088..].fill(0);
    bad(&[&BASE64_STANDARD_NO_PAD.encode(&zero)], &body, "a point of small order");
    bad(&[&enc], &[&body[..16], &body].concat(), "a file key of 32 bytes");
}

#[test]
fn hybrid_texts_that_are_damaged() {
    let recipient = public("hybrid.txt");
    let identity = secret("hybrid.txt");
    let as_recipient =
        |text: &str| text.parse::<hybrid::Recipient>().map_err(|e| e.problem().clone());
    let as_identity =
        |text: &str| text.parse::<hybrid::Identity>().map_err(|e| e.problem().clone());
    let damaged = KeyProblem::Damaged("recipient");
    for length in (0..recipient.len()).step_by(13).chain([recipient.len() - 1]) {
        assert_eq!(as_recipient(&recipient[..length]), Err(damaged.clone()), "{length}");
    }
    for length in 0..identity.len() {
        assert_eq!(as_identity(&identity[..length]).err(), Some(KeyProblem::Damaged("identity")));
    }
    let mixed = format!("{}{}", &recipient[..90], recipient[90..].to_uppercase());
    for text in [
        recipient.to_uppercase(),
        mixed,
        format!("{recipient} "),
        format!(" {recipient}"),
        recipient.replacen('q', "p", 1),
        public("x25519.txt"),
        bech32::encode::<UnlimitedBech32>(Hrp::parse("age1pq").unwrap(), &[9; 1215]).unwrap(),
        bech32::encode::<UnlimitedBech32>(Hrp::parse("age1pq").unwrap(), &[9; 1217]).unwrap(),
        bech32::encode::<UnlimitedBech32>(Hrp::parse("age1pp").unwrap(), &bytes_of(&recipient))
            .unwrap(),
        // Twelve bits of ones are no number modulo q.
        bech32::encode::<UnlimitedBech32>(Hrp::parse("age1pq").unwrap(), &[255; 1216]).unwrap(),
    ] {
        assert_eq!(as_recipient(&text), Err(damaged.clone()), "{text}");
        if text.starts_with("age1pq1") {
            let length = matches!(list(&text).err(), Some(KeyProblem::Length { .. }));
            assert!(length || list(&text).err() == Some(damaged.clone()), "{text}");
        }
    }
    assert_eq!(as_recipient(&identity), Err(KeyProblem::SecretAsRecipient));
    let upper = |text: Result<String, _>| text.map(|text: String| text.to_uppercase()).unwrap();
    for text in [
        identity.to_lowercase(),
        format!("{}{}", &identity[..40], identity[40..].to_lowercase()),
        format!("{identity} "),
        secret("x25519.txt"),
        upper(bech32::encode::<UnlimitedBech32>(
            Hrp::parse("age-secret-key-pq-").unwrap(),
            &[9; 31],
        )),
        upper(bech32::encode::<UnlimitedBech32>(
            Hrp::parse("age-secret-key-pq-").unwrap(),
            &[9; 33],
        )),
        upper(bech32::encode::<UnlimitedBech32>(
            Hrp::parse("age-secret-key-qp-").unwrap(),
            &[9; 32],
        )),
    ] {
        assert_eq!(as_identity(&text).err(), Some(KeyProblem::Damaged("identity")), "{text}");
    }
    // Another string of 32 bytes: the bits that are left over are not zero.
    for hrp in ["age-secret-key-pq-", "age-secret-key-", "age"] {
        let text = odd(Hrp::parse(hrp).unwrap(), &[9; 32]);
        assert!(as_identity(&text.to_uppercase()).is_err());
        assert!(parse_identities(text.to_uppercase().as_bytes(), None, &NoCallbacks).is_err());
        assert!(list(&text).is_err());
    }
}

use bech32::primitives::iter::{ByteIterExt, Fe32IterExt};
use bech32::{Fe32, Hrp};

/// Bech32's checksum without its limit on the length.
enum UnlimitedBech32 {}

impl bech32::Checksum for UnlimitedBech32 {
    type MidstateRepr = u32;
    const CODE_LENGTH: usize = usize::MAX;
    const CHECKSUM_LENGTH: usize = 6;
    const GENERATOR_SH: [u32; 5] = bech32::Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = bech32::Bech32::TARGET_RESIDUE;
}

fn bytes_of(text: &str) -> Vec<u8> {
    bech32::primitives::decode::CheckedHrpstring::new::<UnlimitedBech32>(text)
        .unwrap()
        .byte_iter()
        .collect()
}

/// The text of these bytes, but with the last bit of the padding set.
fn odd(hrp: Hrp, bytes: &[u8]) -> String {
    let mut letters: Vec<Fe32> = bytes.iter().copied().bytes_to_fes().collect();
    let last = letters.pop().unwrap();
    letters.push(Fe32::try_from(last.to_u8() | 1).unwrap());
    letters.into_iter().with_checksum::<UnlimitedBech32>(&hrp).chars().collect()
}

/// A stanza of whatever type.
fn any() -> Stanza {
    Stanza { tag: "X25519".to_owned(), args: Vec::new(), body: Vec::new() }
}

#[test]
fn identity_files_that_are_encrypted() {
    for name in ["encrypted.age", "encrypted.asc"] {
        let asked = PassphraseCallbacks::new("polyseal");
        let keys = shared(parse_identities(&data(name), Some("keys"), &asked).unwrap());
        assert_eq!(asked.times(), 0, "not before it is needed");
        for file in ["hybrid.age", "x25519.age", "several.age"] {
            assert_eq!(opened(&data(file), &keys).unwrap(), data("message"), "{name} {file}");
        }
        let error = opened(&data("ssh_ed25519.age"), &keys).unwrap_err();
        assert!(matches!(error, Error::NoMatchingKey), "{error:?}");
        assert_eq!(asked.times(), 1, "once");
        // Two kinds that age does not let be together.
        let mut both = RecipientList::new();
        both.add_identities(&data(name), Some("keys"), &asked).unwrap();
        assert_eq!((both.len(), asked.times()), (2, 2));

        for (passphrase, problem) in
            [(Some("polysea"), KeyProblem::WrongPassphrase), (None, KeyProblem::NoPassphrase)]
        {
            let asked = PassphraseCallbacks::new(passphrase);
            let keys = shared(parse_identities(&data(name), Some("keys"), &asked).unwrap());
            for _ in 0..2 {
                let error = opened(&data("hybrid.age"), &keys).unwrap_err();
                assert!(matches!(error, Error::Age(said) if said == format!("keys: {problem}")));
                let refused = keys[0].unwrap_stanza(&any()).unwrap();
                let Err(DecryptError::Key(error)) = refused else { panic!("{refused:?}") };
                assert_eq!((error.problem(), error.file()), (&problem, Some("keys")));
            }
            assert_eq!(asked.times(), 1, "not again when it was wrong");
            let error = to_recipients(&data(name), Some("keys"), &asked).err().unwrap();
            assert_eq!(error.problem(), &problem);
        }
    }
}

/// One identity that refuses a stanza does not keep the others from being tried.
#[test]
fn every_identity_of_an_encrypted_file_is_tried() {
    let keys = parse_identities(
        &data("encrypted.age"),
        Some("keys"),
        &PassphraseCallbacks::new("polyseal"),
    );
    let keys = keys.unwrap();
    let file_key = FileKey::new(Box::new([7; 16]));
    for (good, other) in [("x25519.txt", "mlkem768x25519"), ("hybrid.txt", "X25519")] {
        let (mut stanzas, _) = one(&public(good))[0].wrap_file_key(&file_key).unwrap();
        let bad =
            Stanza { tag: other.to_owned(), args: vec!["AAAA".to_owned()], body: vec![0; 32] };
        stanzas.insert(0, bad);
        let found = keys[0].unwrap_stanzas(&stanzas).unwrap().unwrap();
        assert_eq!(found.expose_secret(), &[7; 16], "{good}");
        assert!(keys[0].unwrap_stanzas(&stanzas[..1]).unwrap().is_err(), "{other}");
    }
}

#[test]
fn encrypted_identity_files_that_are_refused() {
    let good = data("encrypted.age");
    for cut in [20, 60, 120, 150] {
        assert_eq!(refused(&good[..cut]).problem(), &KeyProblem::EncryptedDamaged, "{cut}");
    }
    assert_eq!(refused(data("hybrid.age")).problem(), &KeyProblem::NotForPassphrase);
    let problem = |contents: &[u8]| {
        let asked = PassphraseCallbacks::new("polyseal");
        to_recipients(contents, Some("keys"), &asked).err().unwrap().problem().clone()
    };
    assert_eq!(problem(&good[..good.len() - 1]), KeyProblem::EncryptedDamaged);
    assert_eq!(problem(&[&good[..], b"\n"].concat()), KeyProblem::EncryptedDamaged);
    let at = good.windows(4).position(|four| four == b" 10\n").unwrap();
    let mut costly = good.clone();
    costly[at + 1..at + 3].copy_from_slice(b"21");
    assert_eq!(problem(&costly), KeyProblem::WorkFactor { required: 21, limit: 20 });
    // Only what age-keygen makes may be within.
    for (within, expected) in [
        ("encrypted_ssh.age", KeyProblem::NotAnIdentity),
        ("encrypted_twice.age", KeyProblem::NotText),
        ("encrypted_nothing.age", KeyProblem::NoIdentities),
        ("encrypted_recipient.age", KeyProblem::RecipientAsIdentity),
    ] {
        assert_eq!(problem(&data(within)), expected, "{within}");
    }
}

/// A stanza that is seen to be for another costs nothing, and no other is tried for nothing.
#[test]
fn each_identity_says_what_its_stanzas_cost() {
    let file_key = || FileKey::new(Box::new([7; 16]));
    let asked = PassphraseCallbacks::new("polyseal");
    let stanza = |keys: &str| {
        let recipients = to_recipients(&data(keys), Some("keys"), &asked).unwrap();
        recipients[0].wrap_file_key(&file_key()).unwrap().0.pop().unwrap()
    };
    let one_of_a_kind = [("x25519.txt", 1), ("hybrid.txt", 3), ("ssh_ed25519", 2), (SSH[1], 256)];
    for (keys, work) in one_of_a_kind.into_iter().chain([("ssh_ed25519_encrypted", 2)]) {
        let identity = &parse_identities(&data(keys), Some("keys"), &asked).unwrap()[0];
        for (other, _) in one_of_a_kind {
            let stanza = stanza(other);
            let cost = identity.work(&stanza);
            let same = keys.strip_suffix("_encrypted").unwrap_or(keys) == other;
            assert_eq!(cost, if same { work } else { 0 }, "{keys}, {other}");
            assert!(cost > 0 || identity.unwrap_stanza(&stanza).is_none());
        }
    }
    // One of each is in it.
    let encrypted = parse_identities(&data("encrypted.age"), Some("keys"), &asked).unwrap();
    let work = |keys: &str| encrypted[0].work(&stanza(keys));
    assert_eq!((work("x25519.txt"), work("hybrid.txt"), work("ssh_ed25519")), (1, 3, 0));
}

#[test]
fn an_ssh_key_that_is_encrypted() {
    let asked = PassphraseCallbacks::new("polyseal");
    let keys = parse_identities(&data("ssh_ed25519_encrypted"), Some("keys"), &asked).unwrap();
    let keys = shared(keys);
    for file in ["hybrid.age", "x25519.age", "ssh_rsa_2048.age"] {
        assert!(matches!(opened(&data(file), &keys), Err(Error::NoMatchingKey)));
    }
    let file = String::from_utf8_lossy(&data("ssh_ed25519.age")).into_owned();
    let ours = &file.lines().nth(1).unwrap()["-> ssh-ed25519 ".len()..][..6];
    let stanza = Stanza { tag: "other".to_owned(), args: vec![ours.to_owned()], body: vec![0; 32] };
    assert!(keys[0].unwrap_stanza(&stanza).is_none());
    assert_eq!(asked.times(), 0, "it is not for them");
    for file in ["ssh_ed25519.age", "several.age"] {
        assert_eq!(opened(&data(file), &keys).unwrap(), data("message"));
    }
    assert_eq!(asked.times(), 1, "once");
    let recipients = to_recipients(&data("ssh_ed25519_encrypted"), None, &asked).unwrap();
    assert_eq!(asked.times(), 1, "its public part is not encrypted");
    assert_eq!(opened(&sealed(recipients), &keys).unwrap(), data("message"));
    for (passphrase, problem) in
        [(Some("polysea"), KeyProblem::WrongPassphrase), (None, KeyProblem::NoPassphrase)]
    {
        let asked = PassphraseCallbacks::new(passphrase);
        let keys = parse_identities(&data("ssh_ed25519_encrypted"), Some("keys"), &asked).unwrap();
        let ours = Stanza { tag: "ssh-ed25519".to_owned(), args: vec![ours.to_owned()], ..any() };
        let refused = keys[0].unwrap_stanza(&ours).unwrap();
        let Err(DecryptError::Key(error)) = refused else { panic!("{refused:?}") };
        assert_eq!((error.problem(), error.file()), (&problem, Some("keys")));
        let error = opened(&data("several.age"), &shared(keys)).unwrap_err();
        assert!(matches!(error, Error::Age(said) if said == format!("keys: {problem}")));
    }
}

#[test]
fn every_cipher_of_ssh_keys() {
    for (keys, file) in [
        ("ssh_ed25519_aes256-cbc", "ssh_ed25519.age"),
        ("ssh_ed25519_aes128-ctr", "ssh_ed25519.age"),
        ("ssh_ed25519_aes192-ctr", "ssh_ed25519.age"),
        ("ssh_ed25519_aes256-gcm", "ssh_ed25519.age"),
        ("ssh_rsa_2048_encrypted", "ssh_rsa_2048.age"),
    ] {
        let parsed = |passphrase| {
            let asked = PassphraseCallbacks::new(passphrase);
            shared(parse_identities(&data(keys), Some("keys"), &asked).unwrap())
        };
        assert_eq!(opened(&data(file), &parsed("polyseal")).unwrap(), data("message"), "{keys}");
        for wrong in ["", "polyseaL", "polyseal "] {
            let error = opened(&data(file), &parsed(wrong)).unwrap_err().to_string();
            assert_eq!(error, format!("keys: {}", KeyProblem::WrongPassphrase), "{keys}");
        }
        let recipients = to_recipients(&data(keys), None, &NoCallbacks).unwrap();
        let file = sealed(recipients);
        assert_eq!(opened(&file, &parsed("polyseal")).unwrap(), data("message"), "{keys}");
    }
    let other = refused(data("ssh_ed25519_chacha20-poly1305"));
    let cipher = "chacha20-poly1305@openssh.com".to_owned();
    assert_eq!(other.problem(), &KeyProblem::SshCipher(cipher));
}

/// A private key with any byte changed is refused, or is the key that it was: a comment has
/// changed, or both numbers that only a passphrase would make the same.
#[test]
fn ssh_keys_with_a_byte_changed() {
    use base64::prelude::BASE64_STANDARD;

    for (name, file, step) in [
        ("ssh_ed25519", "ssh_ed25519.age", 1),
        ("ssh_ed25519_aes256-gcm", "ssh_ed25519.age", 1),
        ("ssh_rsa_2048", "ssh_rsa_2048.age", 7),
        ("ssh_rsa_2048.pem", "ssh_rsa_2048.age", 7),
    ] {
        let text = text(name);
        let lines: Vec<_> = text.lines().collect();
        let (first, last) = (lines[0], lines[lines.len() - 1]);
        let good = BASE64_STANDARD.decode(lines[1..lines.len() - 1].concat()).unwrap();
        let mut taken = 0;
        for (at, flip) in (0..good.len()).step_by(step).flat_map(|at| [(at, 1), (at, 0x80)]) {
            let mut altered = good.clone();
            altered[at] ^= flip;
            let altered = format!("{first}\n{}\n{last}\n", BASE64_STANDARD.encode(altered));
            let asked = PassphraseCallbacks::new("polyseal");
            let parsed = parse_identities(altered.as_bytes(), Some("keys"), &asked);
            // How often a passphrase is stretched may have become anything.
            let Some(keys) = parsed.ok().filter(|_| !name.ends_with("gcm")) else { continue };
            let Ok(plaintext) = opened(&data(file), &shared(keys)) else { continue };
            assert_eq!(plaintext, data("message"));
            taken += 1;
        }
        // In PKCS #1, three numbers follow from the others, and are computed anew.
        let most = if name.ends_with("pem") { 3 * 2 * 131 / step } else { 40 };
        assert!(taken < most, "{name}: {taken}");
        for length in (0..good.len()).step_by(3) {
            let cut = BASE64_STANDARD.encode(&good[..length]);
            refused(format!("{first}\n{cut}\n{last}\n"));
        }
        for more in [&b"\0"[..], &good] {
            let longer = BASE64_STANDARD.encode([&good, more].concat());
            refused(format!("{first}\n{longer}\n{last}\n"));
        }
    }
}

#[test]
fn ssh_key_files_that_are_refused() {
    let good = text("ssh_ed25519");
    assert_eq!(refused(good.repeat(2)).problem(), &KeyProblem::SshFileNotAlone);
    assert_eq!(refused(format!("{good}x")).problem(), &KeyProblem::SshFileNotAlone);
    for cut in [30, 100, good.len() - 10] {
        assert_eq!(refused(&good[..cut]).problem(), &KeyProblem::SshFormat, "{cut}");
    }
    let pkcs8 = good.replace("OPENSSH PRIVATE", "PRIVATE");
    assert_eq!(refused(pkcs8).problem(), &KeyProblem::SshFormat);
    let long = format!("{good}{}", "\n".repeat(MAX_SSH_FILE_BYTES));
    assert_eq!(refused(long).problem(), &KeyProblem::TooLong(MAX_SSH_FILE_BYTES));
}

#[test]
fn identity_files_that_are_refused() {
    let good = text("x25519.txt");
    assert_eq!(identities("x25519.txt").len(), 1);
    let both = format!("\n{good}#\r\n\r\n{}", text("hybrid.txt"));
    assert_eq!(parse_identities(both.as_bytes(), None, &NoCallbacks).unwrap().len(), 2);
    let identity = secret("x25519.txt");
    let spaced = format!("\u{feff}\t # mine\r\n \t{identity}\t \r\n  \n");
    assert_eq!(opened(&data("x25519.age"), &parsed(&spaced)).unwrap(), data("message"));
    let changed = if identity.ends_with('Q') { 'P' } else { 'Q' };
    let length = |found, expected| KeyProblem::Length { what: "identity", found, expected };
    for (line, problem) in [
        (public("hybrid.txt"), KeyProblem::RecipientAsIdentity),
        (text("ssh_rsa_2048.pub").trim_end().to_owned(), KeyProblem::RecipientAsIdentity),
        (identity[..identity.len() - 1].to_owned(), length(73, 74)),
        (format!("{identity}\u{a0}"), length(75, 74)),
        (secret("hybrid.txt").replace("PQ-1", "PQ-1Q"), length(78, 77)),
        (format!("{}{}", &identity[..73], changed), KeyProblem::Damaged("identity")),
        ("AGE-PLUGIN-1".to_owned(), KeyProblem::Damaged("identity")),
        (format!("\u{a0}{identity}"), KeyProblem::NotAnIdentity),
        (identity.to_lowercase(), KeyProblem::Damaged("identity")),
        ("hunter2".to_owned(), KeyProblem::NotAnIdentity),
    ] {
        let error = refused(format!("{good}{line}\n"));
        assert_eq!(
            (error.problem(), error.line(), error.file()),
            (&problem, Some(4), Some("keys"))
        );
        assert!(!error.to_string().contains(&line), "{error}");
        assert!(error.to_string().starts_with("keys, line 4: "), "{error}");
    }
    assert_eq!(refused("").problem(), &KeyProblem::Empty);
    assert_eq!(refused(utf16(&good)).problem(), &KeyProblem::Utf16);
    assert_eq!(refused(utf16(&text("ssh_ed25519"))).problem(), &KeyProblem::Utf16);
    assert_eq!(refused("# a\n\n").problem(), &KeyProblem::NoIdentities);
    assert_eq!(refused(b"#\xff").problem(), &KeyProblem::NotText);
    let long = vec![b'#'; MAX_KEYS_FILE_BYTES + 1];
    assert_eq!(refused(&long).problem(), &KeyProblem::TooLong(MAX_KEYS_FILE_BYTES));
    assert_eq!(refused(&long[1..]).problem(), &KeyProblem::NoIdentities);
}

// `age-plugin-…` of this name is on nobody's PATH.
const PLUGIN_RECIPIENT_HRP: &str = "age1polyseal-none";
const PLUGIN_IDENTITY_HRP: &str = "age-plugin-polyseal-none-";

#[test]
fn plugins_that_are_not_there() {
    let missing = KeyProblem::Plugin("polyseal-none".to_owned());
    let recipient =
        bech32::encode::<UnlimitedBech32>(Hrp::parse(PLUGIN_RECIPIENT_HRP).unwrap(), b"a").unwrap();
    let mut recipients = list(&recipient).unwrap();
    recipients.add(&public("x25519.txt")).unwrap();
    assert_eq!(recipients.len(), 2);
    let error = recipients.into_recipients(&NoCallbacks).err().unwrap();
    assert_eq!(error.problem(), &missing);
    let identity =
        bech32::encode::<UnlimitedBech32>(Hrp::parse(PLUGIN_IDENTITY_HRP).unwrap(), b"a").unwrap();
    let identity = identity.to_uppercase();
    assert_eq!(refused(&identity).problem(), &missing);
    let error = to_recipients(identity.as_bytes(), None, &NoCallbacks).err().unwrap();
    assert_eq!(error.problem(), &missing);
    assert_eq!(
        list(&recipient[..recipient.len() - 1]).err(),
        Some(KeyProblem::Damaged("recipient"))
    );
}

#[test]
fn one_recipient() {
    let ed25519 = text("ssh_ed25519.pub").trim_end().to_owned();
    let cut = |text: &str| text[..text.len() - 1].to_owned();
    let length = |found, expected| KeyProblem::Length { what: "recipient", found, expected };
    for (text, problem) in [
        (cut(&public("x25519.txt")), length(61, 62)),
        (format!("{}\n", public("x25519.txt")), length(63, 62)),
        (public("x25519.txt").to_uppercase(), KeyProblem::Damaged("recipient")),
        (public("x25519.txt").replacen('q', "p", 1), KeyProblem::Damaged("recipient")),
        (cut(&public("hybrid.txt")), length(1958, 1959)),
        ("age1tag1qqqq".to_owned(), KeyProblem::Damaged("recipient")),
        ("age1tagpq1qqqq".to_owned(), KeyProblem::Damaged("recipient")),
        (ed25519[..60].to_owned(), KeyProblem::Damaged("SSH key")),
        (ed25519.replace(" a test", "!"), KeyProblem::Damaged("SSH key")),
        ("ssh-ed25519".to_owned(), KeyProblem::Damaged("SSH key")),
        (text("ssh_rsa_1024.pub"), KeyProblem::SshRsaSize),
        (text("ssh_ecdsa.pub"), KeyProblem::SshType("ecdsa-sha2-nistp256".to_owned())),
        (secret("x25519.txt"), KeyProblem::SecretAsRecipient),
        (secret("hybrid.txt").to_lowercase(), KeyProblem::SecretAsRecipient),
        ("AGE-PLUGIN-X-1QQ".to_owned(), KeyProblem::SecretAsRecipient),
        (text("ssh_ed25519"), KeyProblem::SecretAsRecipient),
        ("polyseal-key-1-00".to_owned(), KeyProblem::SecretAsRecipient),
        ("me@example.org".to_owned(), KeyProblem::NotARecipient),
        (String::new(), KeyProblem::NotARecipient),
        ("# comment".to_owned(), KeyProblem::NotARecipient),
        ("äge1".to_owned(), KeyProblem::NotARecipient),
    ] {
        assert_eq!(list(&text).err(), Some(problem), "{text}");
    }
    assert_eq!(list(&ed25519).unwrap().len(), 1);
    assert_eq!(list(ed25519.strip_suffix(" a test").unwrap()).unwrap().len(), 1);
}

#[test]
fn tag_recipients_wrap() {
    // The generator of P-256, compressed and not.
    let hex = |digits: &str| -> Vec<u8> {
        let pairs = digits.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
        pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
    };
    let x = hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296");
    let y = hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");
    let ml_kem = bytes_of(&public("hybrid.txt"))[..1184].to_vec();
    let tag = [&[3][..], &x].concat();
    let tagpq = [&ml_kem, &[4][..], &x, &y].concat();
    for (hrp, key, kind, label) in [
        ("age1tag", tag, "p256tag", None),
        ("age1tagpq", tagpq, "mlkem768p256tag", Some("postquantum".to_owned())),
    ] {
        let text = bech32::encode::<UnlimitedBech32>(Hrp::parse(hrp).unwrap(), &key).unwrap();
        let file_key = FileKey::new(Box::new([1; 16]));
        let (stanzas, labels) = one(&text)[0].wrap_file_key(&file_key).unwrap();
        assert_eq!(stanzas[0].tag, kind);
        assert_eq!(labels.into_iter().next(), label);
    }
}

#[test]
fn recipients_files() {
    let (x25519, hybrid) = (public("x25519.txt"), public("hybrid.txt"));
    let file = format!(
        "\u{feff} # those who may\n\n{x25519}\t\r\n {hybrid}\n{}",
        text("ssh_rsa_3072.pub")
    );
    let mut list = RecipientList::new();
    list.add_file(file.as_bytes(), Some("keys")).unwrap();
    assert_eq!(list.len(), 3);
    assert_eq!(format!("{list:?}"), "RecipientList(3)");
    let mut refused = |contents: &[u8], line, problem| {
        let error = list.add_file(contents, Some("keys")).unwrap_err();
        assert_eq!((error.problem(), error.line(), error.file()), (&problem, line, Some("keys")));
        for word in str::from_utf8(contents).unwrap_or_default().split_whitespace() {
            let shown = word.len() > 11 && error.to_string().contains(word);
            assert!(!shown || word.starts_with("ecdsa-"), "{error}");
        }
        assert_eq!(list.len(), 3, "all of it or nothing");
        error.to_string()
    };
    let secret = refused(&data("x25519.txt"), Some(3), KeyProblem::SecretAsRecipient);
    assert!(secret.starts_with("keys, line 3: this is a secret, not a recipient"), "{secret}");
    refused(&data("ssh_rsa_2048"), Some(1), KeyProblem::SecretAsRecipient);
    refused(format!("{x25519}\n;{hybrid}").as_bytes(), Some(2), KeyProblem::NotARecipient);
    refused(b"root:x:0:0:root:/root:/bin/bash", Some(1), KeyProblem::NotARecipient);
    let ecdsa = KeyProblem::SshType("ecdsa-sha2-nistp256".to_owned());
    refused(&data("ssh_ecdsa.pub"), Some(1), ecdsa);
    refused(b"", None, KeyProblem::Empty);
    refused(&utf16(&x25519), None, KeyProblem::Utf16);
    refused(b"# none\n", None, KeyProblem::NoRecipients);
    refused(b"\xff", None, KeyProblem::NotText);
    let long = vec![b'#'; MAX_KEYS_FILE_BYTES + 1];
    refused(&long, None, KeyProblem::TooLong(MAX_KEYS_FILE_BYTES));
}

/// As a server gives them out, one of them not of a type that can be used.
#[test]
fn keys_that_cannot_be_used_are_left_out_if_that_is_asked_for() {
    let [good, ecdsa, rsa] = ["ssh_ed25519.pub", "ssh_ecdsa.pub", "ssh_rsa_1024.pub"].map(text);
    let file = format!("{ecdsa}{good}{rsa}sk-ssh-ed25519@openssh.com {}\n", sk_key());
    assert!(RecipientList::new().add_file(file.as_bytes(), None).is_err());
    let mut list = RecipientList::new().skip_unsupported();
    list.add_file(file.as_bytes(), Some("keys")).unwrap();
    let skipped = |list: &RecipientList| {
        let each = list.skipped().iter().map(|e| (e.file().unwrap().to_owned(), e.line().unwrap()));
        each.collect::<Vec<_>>()
    };
    let three = [1, 3, 4].map(|line| ("keys".to_owned(), line));
    assert_eq!((list.len(), skipped(&list)), (1, three.to_vec()));
    // Nothing else is left out, nor all of a file, nor one that is named alone.
    for (bad, problem) in [
        (format!("{file}{ecdsa}ssh-ed25519 AAAA\n"), KeyProblem::Damaged("SSH key")),
        (format!("{file}hunter2\n"), KeyProblem::NotARecipient),
        (format!("{ecdsa}{rsa}"), KeyProblem::NoneSupported),
        ("#\n".to_owned(), KeyProblem::NoRecipients),
    ] {
        let error = list.add_file(bad.as_bytes(), Some("keys")).unwrap_err();
        assert_eq!(error.problem(), &problem);
        assert_eq!((list.len(), list.skipped().len()), (1, 3), "nothing of it");
    }
    assert!(list.add(ecdsa.trim_end()).is_err());
}

/// The public key of a security key, as ssh-keygen writes it.
fn sk_key() -> String {
    let field = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let fields = [&b"sk-ssh-ed25519@openssh.com"[..], &[7; 32], b"ssh:"].map(field);
    base64::prelude::BASE64_STANDARD.encode(fields.concat())
}

#[test]
fn several_recipients_and_labels() {
    let mut list = RecipientList::new();
    list.add(&public("hybrid.txt")).unwrap();
    list.add(&generate(IdentityKind::Hybrid, None).unwrap().recipient).unwrap();
    let file = sealed(list.into_recipients(&NoCallbacks).unwrap());
    assert_eq!(opened(&file, &identities("hybrid.txt")).unwrap(), data("message"));
    let mut mixed = RecipientList::new();
    mixed.add(&public("hybrid.txt")).unwrap();
    mixed.add(&public("x25519.txt")).unwrap();
    let mixed = Recipients::new().age(mixed.into_recipients(&NoCallbacks).unwrap());
    let result = Encryptor::new(&mixed)
        .encrypt(Input::Stream(&mut &b""[..]), Output::Stream(&mut Vec::new()));
    assert!(matches!(result, Err(Error::MixedRecipients)));
}
