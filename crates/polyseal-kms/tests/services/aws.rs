//! AWS KMS: local-kms, which `POLYSEAL_LOCAL_KMS` names and which checks the encryption context and
//! refuses disabled keys; and servers that have bad days.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use p256::elliptic_curve::sec1::ToSec1Point;
use polyseal_kms::{
    Class, Error, KeyPair, Origin, Problem, Settings, Uri, WrappedKey, unwrap_once,
};

use super::common::{KEY_TEXT, Peer, Server, answer, field, generate, settings_of};

const KEY: &str = "aws-kms://alias/testing";
const SEED: &str = "
Keys:
  Symmetric:
    Aes:
      - Metadata: {KeyId: bc436485-5092-42b8-92a3-0aa8b93536dc}
        BackingKeys: [5cdaead27fe7da2de47945d73cd6d79e36494e73802f3cd3869f1d2cb0b5d7a9]
      - Metadata: {KeyId: 7a1ca4ab-4c0a-4e9c-9f0b-2f4c9f6a1c11}
        BackingKeys: [6cdaead27fe7da2de47945d73cd6d79e36494e73802f3cd3869f1d2cb0b5d7a9]
Aliases:
  - {AliasName: alias/testing, TargetKeyId: bc436485-5092-42b8-92a3-0aa8b93536dc}
  - {AliasName: alias/other, TargetKeyId: 7a1ca4ab-4c0a-4e9c-9f0b-2f4c9f6a1c11}
";

fn settings(endpoint: &str) -> Settings {
    settings_of(&[
        ("AWS_ENDPOINT_URL_KMS", endpoint),
        ("AWS_REGION", "eu-west-2"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "very secret"),
    ])
}

struct LocalKms(Peer);

impl LocalKms {
    fn start() -> Option<Self> {
        let peer = Peer::start("POLYSEAL_LOCAL_KMS", |process: &mut Command, data, port| {
            fs::write(data.join("seed.yaml"), SEED).unwrap();
            process.env("PORT", port.to_string()).env("KMS_REGION", "eu-west-2");
            process.env("KMS_SEED_PATH", data.join("seed.yaml")).env("KMS_DATA_PATH", data);
        });
        peer.map(Self)
    }

    /// Says something to it that Polyseal never says.
    fn manage(&self, operation: &str, body: &str) {
        let mut stream = TcpStream::connect(&self.0.endpoint["http://".len()..]).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: kms\r\nConnection: close\r\nContent-Type: \
             application/x-amz-json-1.1\r\nX-Amz-Target: \
             TrentService.{operation}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn keys_come_back_and_are_bound() {
    let Some(kms) = LocalKms::start() else { return };
    let settings = settings(&kms.0.endpoint);
    let wrapped = generate(KEY, &["app=backup", "b=2"], &settings).unwrap();
    assert!(wrapped.key_id().unwrap().contains("bc436485"));
    let key = wrapped.unwrap(&settings).unwrap();
    let again = wrapped.rewrap(&settings).unwrap();
    assert_ne!(again.to_file(), wrapped.to_file());
    assert_eq!(again.unwrap(&settings).unwrap().reveal(), key.reveal());

    let file = wrapped.to_file();
    let refused = |altered: String| {
        assert_ne!(altered, file);
        WrappedKey::parse(altered.as_bytes()).unwrap().unwrap(&settings).unwrap_err()
    };
    let error = refused(file.replace("app=backup", "app=other"));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    let error = refused(file.replace("alias/testing", "alias/other"));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    let error = refused(file.replace("alias/testing", "alias/nobody"));
    assert!(matches!(error.problem(), Problem::NotFound(_)), "{error}");
    // Another blob of the same key in the same context: the service gives its key.
    let other = generate(KEY, &["app=backup", "b=2"], &settings).unwrap().to_file();
    let line =
        |file: &str| file.lines().find(|line| line.starts_with("wrapped: ")).unwrap().to_owned();
    let error = refused(file.replace(&line(&file), &line(&other)));
    assert_eq!((error.problem(), error.class()), (&Problem::Check, Class::KeyAltered));

    let id = r#"{"KeyId":"bc436485-5092-42b8-92a3-0aa8b93536dc"}"#;
    kms.manage("DisableKey", id);
    let error = wrapped.unwrap(&settings).unwrap_err();
    assert!(matches!(error.problem(), Problem::Disabled(_)), "{error}");
    assert_eq!(error.class(), Class::KeyUnavailable);
    kms.manage("EnableKey", id);
    kms.manage("ScheduleKeyDeletion", id);
    let error = wrapped.unwrap(&settings).unwrap_err();
    assert!(matches!(error.problem(), Problem::Disabled(_)), "{error}");
}

/// The answer of `GenerateDataKey` and `Decrypt`.
fn given() -> String {
    format!(r#"{{"KeyId":"k","CiphertextBlob":"AAAA","Plaintext":"{KEY_TEXT}"}}"#)
}

fn refused_by(answers: Vec<String>) -> (Error, usize) {
    let server = Server::start(answers);
    let error = generate(KEY, &[], &settings(&server.endpoint)).unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("very secret"), "{shown}");
    (error, server.requests().len())
}

#[test]
fn what_may_be_another_time_is_tried_again_and_then_told() {
    for (status, kind) in [
        (400, "ThrottlingException"),
        (500, "KeyUnavailableException"),
        (429, ""),
        (503, ""),
        (500, ""),
    ] {
        let body = format!(r#"{{"__type":"{kind}"}}"#);
        let (error, tries) = refused_by(vec![answer(status, &body)]);
        assert_eq!((tries, error.class()), (5, Class::KeeperFailed), "{status} {kind}: {error}");
    }
    let (error, tries) =
        refused_by(vec!["HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n{".to_owned()]);
    assert_eq!(tries, 5);
    assert!(matches!(error.problem(), Problem::Unreachable(_)), "{error}");
    let server = Server::start(vec![answer(503, ""), answer(200, &given())]);
    generate(KEY, &[], &settings(&server.endpoint)).unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_is_refused_is_not_tried_again() {
    for (kind, message, class) in [
        ("DisabledException", "x is disabled.", Class::KeyUnavailable),
        (
            "com.amazonaws.kms#KMSInvalidStateException",
            "x is pending deletion.",
            Class::KeyUnavailable,
        ),
        ("AccessDeniedException", "no", Class::KeyUnavailable),
        ("InvalidKeyUsageException", "its use is SIGN_VERIFY", Class::Usage),
        (
            "InvalidSignatureException",
            "Signature expired: 20150830T123600Z is now",
            Class::KeeperFailed,
        ),
        ("InvalidSignatureException", "it does not match", Class::KeyUnavailable),
        ("ValidationException", "\u{1b}[1m", Class::KeeperFailed),
    ] {
        let body = format!(r#"{{"__type":"{kind}","message":{message:?}}}"#);
        let body = body.replace("\\u{1b}", "\\u001b");
        let (error, tries) = refused_by(vec![answer(400, &body)]);
        assert_eq!((tries, error.class()), (1, class), "{kind}: {error}");
        assert!(!error.to_string().contains('\u{1b}'));
    }
    let redirect = "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    let (error, tries) = refused_by(vec![redirect.to_owned()]);
    assert_eq!(tries, 1, "{error}");
    let long = answer(200, &"x".repeat((1 << 20) + 1));
    let (error, _) = refused_by(vec![long]);
    assert!(error.to_string().contains("1 MiB"), "{error}");
    for nonsense in ["", "{}", r#"{"Plaintext":"AAAA","CiphertextBlob":"AAAA"}"#, "[]"] {
        let (error, tries) = refused_by(vec![answer(200, nonsense)]);
        assert_eq!((tries, error.class()), (1, Class::KeeperFailed), "{nonsense}: {error}");
    }
}

#[test]
fn one_call_for_a_process() {
    let server = Server::start(vec![answer(200, &given())]);
    let settings = settings(&server.endpoint);
    let file = generate(KEY, &["test=one call"], &settings).unwrap().to_file();
    assert_eq!(server.requests().len(), 1);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| unwrap_once(file.as_bytes(), &settings).unwrap());
        }
    });
    assert_eq!(server.requests().len(), 2);
}

/// A store of somebody else would choose the keys.
#[test]
fn the_endpoint_of_stores_is_not_asked() {
    let store = Server::start(vec![answer(200, &given())]);
    let settings = settings_of(&[
        ("AWS_ENDPOINT_URL", &store.endpoint),
        ("AWS_REGION", "xx-nowhere-1"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "very secret"),
    ]);
    let error = generate(KEY, &[], &settings).unwrap_err();
    assert!(error.to_string().contains("kms.xx-nowhere-1.amazonaws.com"), "{error}");
    assert!(store.requests().is_empty());
}

/// A new text that does not open would take the place of the one that does.
#[test]
fn what_is_rewrapped_is_opened_before_it_is_given() {
    let blob = |bytes: &str| format!(r#"{{"KeyId":"k","CiphertextBlob":"{bytes}"}}"#);
    let other = KEY_TEXT.replacen('A', "B", 1);
    let server = Server::start(vec![
        answer(200, &given()),
        answer(200, &given()),
        answer(200, &blob("AAAB")),
        answer(200, &given().replace(KEY_TEXT, &other)),
    ]);
    let settings = settings(&server.endpoint);
    let wrapped = generate(KEY, &[], &settings).unwrap();
    assert_eq!(*wrapped.rewrap(&settings).unwrap_err().problem(), Problem::Check);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_machine_is_asked_for_credentials_only_where_that_is_said() {
    let expires = "2099-01-01T00:00:00Z";
    let credentials = format!(
        r#"{{"AccessKeyId":"AKIDMACHINE","SecretAccessKey":"very secret","Token":"a token",
        "Expiration":"{expires}","Code":"Success","LastUpdated":"{expires}","Type":"AWS-HMAC"}}"#
    );
    let machine =
        Server::start(vec![answer(200, "token"), answer(200, "role"), answer(200, &credentials)]);
    let kms = Server::start(vec![answer(200, &given())]);
    let with = |more: &[(&str, &str)]| {
        let set = [
            ("AWS_ENDPOINT_URL_KMS", kms.endpoint.as_str()),
            ("AWS_REGION", "eu-west-2"),
            ("AWS_METADATA_ENDPOINT", machine.endpoint.as_str()),
        ];
        generate(KEY, &[], &settings_of(&[&set, more].concat()))
    };
    let error = with(&[]).unwrap_err();
    assert!(matches!(error.problem(), Problem::Credentials(_)), "{error}");
    assert!(machine.requests().is_empty() && kms.requests().is_empty());
    with(&[("AWS_EC2_METADATA_DISABLED", "false")]).unwrap();
    assert_eq!(machine.requests().len(), 3);
    let request = kms.requests().pop().unwrap();
    assert!(request.contains("Credential=AKIDMACHINE/"), "{request}");
    assert!(request.contains("x-amz-security-token: a token"), "{request}");
}

/// The exchange as the API reference has it, computed here: no peer derives secrets.
#[test]
fn a_key_pair_derives() {
    // As every P-256 key begins in a PEM file, up to the byte that says uncompressed.
    const BEGINNING: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE";
    let secret = p256::SecretKey::from_slice(&[7; 32]).unwrap();
    let public = secret.public_key().to_sec1_point(false);
    let der = format!("{BEGINNING}{}", BASE64_STANDARD.encode(&public.as_bytes()[1..]));
    let of = |usage: &str| answer(200, &format!(r#"{{"PublicKey":"{der}","KeyUsage":"{usage}"}}"#));
    let shared = |secret: &p256::SecretKey, request: &str| {
        let other = field(request, "PublicKey");
        let other = BASE64_STANDARD.decode(other.strip_prefix(BEGINNING).unwrap()).unwrap();
        let other = p256::PublicKey::from_sec1_bytes(&[&[4], &other[..]].concat()).unwrap();
        let shared = p256::ecdh::diffie_hellman(secret.to_nonzero_scalar(), other.as_affine());
        let shared = BASE64_STANDARD.encode(shared.raw_secret_bytes());
        answer(200, &format!(r#"{{"KeyId":"k","SharedSecret":"{shared}"}}"#))
    };
    let serve = |private: p256::SecretKey| {
        let key = of("KEY_AGREEMENT");
        Server::answering(move |number, request| match number {
            0 => key.clone(),
            _ => shared(&private, request),
        })
    };
    let uri = Uri::parse(KEY, Origin::User).unwrap();
    let server = serve(secret.clone());
    let pair = KeyPair::make(&uri, &settings(&server.endpoint)).unwrap();
    assert_eq!(pair.recipient().to_point(), public.as_bytes());
    let requests = server.requests();
    assert!(requests[0].contains("TrentService.GetPublicKey"), "{}", requests[0]);
    assert!(requests[1].contains("TrentService.DeriveSharedSecret"), "{}", requests[1]);
    assert!(requests[1].contains(r#""KeyAgreementAlgorithm":"ECDH""#), "{}", requests[1]);
    // A public key of another pair.
    let other = serve(p256::SecretKey::from_slice(&[8; 32]).unwrap());
    let error = KeyPair::make(&uri, &settings(&other.endpoint)).unwrap_err();
    assert_eq!(*error.problem(), Problem::OtherPublicKey);
    let signs = Server::start(vec![of("SIGN_VERIFY")]);
    let error = KeyPair::make(&uri, &settings(&signs.endpoint)).unwrap_err();
    assert!(error.to_string().contains("KEY_AGREEMENT"), "{error}");
    let other = r#"{"PublicKey":"AAAA","KeyUsage":"KEY_AGREEMENT"}"#;
    let other = Server::start(vec![answer(200, other)]);
    let error = KeyPair::make(&uri, &settings(&other.endpoint)).unwrap_err();
    assert!(error.to_string().contains("P-256"), "{error}");
}
