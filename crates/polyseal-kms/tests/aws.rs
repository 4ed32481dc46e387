//! AWS KMS: local-kms, which `POLYSEAL_LOCAL_KMS` names and which checks the encryption context and
//! refuses disabled keys; and servers that have bad days.

#![allow(clippy::unwrap_used)]

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use polyseal_kms::{
    Class, Context, Error, Origin, Problem, Settings, Uri, WrappedKey, unwrap_once,
};

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
    let endpoint = endpoint.to_owned();
    Settings::from_variables(move |name| match name {
        "AWS_ENDPOINT_URL_KMS" => Some(endpoint.clone()),
        "AWS_REGION" => Some("eu-west-2".to_owned()),
        "AWS_ACCESS_KEY_ID" => Some("AKIDEXAMPLE".to_owned()),
        "AWS_SECRET_ACCESS_KEY" => Some("very secret".to_owned()),
        _ => None,
    })
}

fn generate(key: &str, context: &[&str], settings: &Settings) -> Result<WrappedKey, Error> {
    let uri = Uri::parse(key, Origin::User).unwrap();
    let context = Context::parse(context.iter().copied()).unwrap();
    WrappedKey::generate(&uri, context, settings).map(|(wrapped, _)| wrapped)
}

struct LocalKms {
    _data: tempfile::TempDir,
    process: Child,
    endpoint: String,
}

impl LocalKms {
    /// `None`, said aloud, where the program is not.
    fn start() -> Option<Self> {
        let Ok(program) = env::var("POLYSEAL_LOCAL_KMS") else {
            assert!(env::var_os("CI").is_none(), "POLYSEAL_LOCAL_KMS is not set");
            eprintln!("not tested: POLYSEAL_LOCAL_KMS is not set");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("seed.yaml"), SEED).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut process = Command::new(program);
        process.env("PORT", port.to_string()).env("KMS_REGION", "eu-west-2");
        process.env("KMS_SEED_PATH", data.path().join("seed.yaml"));
        process.env("KMS_DATA_PATH", data.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = process.spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "local-kms does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { _data: data, process, endpoint: format!("http://127.0.0.1:{port}") })
    }

    /// Says something to it that Polyseal never says.
    fn manage(&self, operation: &str, body: &str) {
        let mut stream = TcpStream::connect(&self.endpoint["http://".len()..]).unwrap();
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

impl Drop for LocalKms {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn keys_come_back_and_are_bound() {
    let Some(kms) = LocalKms::start() else { return };
    let settings = settings(&kms.endpoint);
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
    assert_eq!((error.problem(), error.class()), (&Problem::Check, Class::Content));

    let id = r#"{"KeyId":"bc436485-5092-42b8-92a3-0aa8b93536dc"}"#;
    kms.manage("DisableKey", id);
    let error = wrapped.unwrap(&settings).unwrap_err();
    assert!(matches!(error.problem(), Problem::Disabled(_)), "{error}");
    assert_eq!(error.class(), Class::NoKey);
    kms.manage("EnableKey", id);
    kms.manage("ScheduleKeyDeletion", id);
    let error = wrapped.unwrap(&settings).unwrap_err();
    assert!(matches!(error.problem(), Problem::Disabled(_)), "{error}");
}

/// A server that gives these answers by turns, the last again and again, and counts.
fn server(answers: Vec<String>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            // The body is one JSON object, and ends with a brace.
            while !request.ends_with(b"}") {
                match stream.read(&mut part) {
                    Ok(0) | Err(_) => break,
                    Ok(length) => request.extend_from_slice(&part[..length]),
                }
            }
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let answer = answers.get(number).or(answers.last()).unwrap();
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (endpoint, count)
}

fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn refused_by(answers: Vec<String>) -> (Error, usize) {
    let (endpoint, count) = server(answers);
    let error = generate(KEY, &[], &settings(&endpoint)).unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("very secret"), "{shown}");
    (error, count.load(Ordering::SeqCst))
}

#[test]
fn what_may_be_another_time_is_tried_again_and_then_told() {
    for (status, kind) in [(400, "ThrottlingException"), (429, ""), (503, ""), (500, "")] {
        let body = format!(r#"{{"__type":"{kind}"}}"#);
        let (error, tries) = refused_by(vec![answer(status, &body)]);
        assert_eq!((tries, error.class()), (5, Class::System), "{status} {kind}: {error}");
    }
    let (error, tries) =
        refused_by(vec!["HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n{".to_owned()]);
    assert_eq!(tries, 5);
    assert!(matches!(error.problem(), Problem::Unreachable(_)), "{error}");
    let good = r#"{"KeyId":"k","CiphertextBlob":"AAAA","Plaintext":
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#;
    let (endpoint, count) = server(vec![answer(503, ""), answer(200, good)]);
    generate(KEY, &[], &settings(&endpoint)).unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn what_is_refused_is_not_tried_again() {
    for (kind, message, class) in [
        ("DisabledException", "x is disabled.", Class::NoKey),
        ("com.amazonaws.kms#KMSInvalidStateException", "x is pending deletion.", Class::NoKey),
        ("AccessDeniedException", "no", Class::NoKey),
        ("InvalidCiphertextException", "", Class::NoKey),
        ("InvalidSignatureException", "Signature expired: 20150830T123600Z is now", Class::System),
        ("InvalidSignatureException", "it does not match", Class::NoKey),
        ("ValidationException", "\u{1b}[1m", Class::System),
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
        assert_eq!((tries, error.class()), (1, Class::System), "{nonsense}: {error}");
    }
}

#[test]
fn one_call_for_a_process() {
    let body = r#"{"KeyId":"k","CiphertextBlob":"AAAA","Plaintext":
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}"#;
    let (endpoint, count) = server(vec![answer(200, body)]);
    let settings = settings(&endpoint);
    let file = generate(KEY, &["test=one call"], &settings).unwrap().to_file();
    assert_eq!(count.load(Ordering::SeqCst), 1);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| unwrap_once(file.as_bytes(), &settings).unwrap());
        }
    });
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn nothing_is_asked_without_credentials() {
    let uri = Uri::parse(KEY, Origin::User).unwrap();
    let none = Settings::from_variables(|name| (name == "AWS_REGION").then(|| "eu-1".to_owned()));
    let error = WrappedKey::generate(&uri, Context::default(), &none).unwrap_err();
    assert!(matches!(error.problem(), Problem::Credentials(_)), "{error}");
}
