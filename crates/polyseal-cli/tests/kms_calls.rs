//! The tool's requests to AWS KMS, for which local-kms stands: `POLYSEAL_LOCAL_KMS` names it.

#![cfg(unix)]

use std::env;
use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Outcome, TestDir};
use crate::pages::commands::run_in;

const KEY: &str = "bc436485-5092-42b8-92a3-0aa8b93536dc";
const FILES: usize = 10_000;

struct Kms {
    room: TestDir,
    process: Child,
    port: u16,
}

impl Kms {
    fn start() -> Self {
        let program = env::var_os("POLYSEAL_LOCAL_KMS").expect("POLYSEAL_LOCAL_KMS is not set");
        let room = TestDir::new();
        let seed = format!(
            "Keys:\n  Symmetric:\n    Aes:\n      - Metadata: {{KeyId: {KEY}}}\n        \
             BackingKeys: [{}]\n",
            "5c".repeat(32)
        );
        room.write("seed.yaml", seed.as_bytes());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = File::create(room.path("log")).unwrap();
        let process = Command::new(program)
            .env("PORT", port.to_string())
            .env("KMS_REGION", "eu-west-2")
            .env("KMS_SEED_PATH", room.path("seed.yaml"))
            .env("KMS_DATA_PATH", room.path("."))
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "local-kms does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Self { room, process, port }
    }

    fn run(&self, args: &[&str]) -> Outcome {
        let mut command = self.room.command(args);
        command
            .env("AWS_ENDPOINT_URL_KMS", format!("http://127.0.0.1:{}", self.port))
            .env("AWS_REGION", "eu-west-2")
            .env("AWS_ACCESS_KEY_ID", "a")
            .env("AWS_SECRET_ACCESS_KEY", "very secret");
        Outcome(command.output().unwrap())
    }

    /// How often its log says so.
    fn calls(&self, what: &str) -> usize {
        let log = String::from_utf8(self.room.read("log")).unwrap();
        log.lines().filter(|line| line.contains(what)).count()
    }
}

impl Drop for Kms {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn ten_thousand_files_are_one_call() {
    let kms = Kms::start();
    let uri = format!("aws-kms://{KEY}");
    kms.run(&["keygen", "--kms", &uri, "--only", "-o", "team.wrapped"]).succeeds();
    for file in 0..FILES {
        let folder = format!("data/{}", file % 100);
        if file < 100 {
            fs::create_dir_all(kms.room.path(&folder)).unwrap();
        }
        kms.room.write(&format!("{folder}/{file}"), file.to_string().as_bytes());
    }
    assert_eq!((kms.calls("Data key generated"), kms.calls("Decryption called")), (1, 0));
    let seal = ["encrypt", "-k", "team.wrapped", "--recursive", "-o", "sealed", "data"];
    kms.run(&seal).succeeds();
    assert_eq!(kms.calls("Decryption called"), 1);
    let open = ["decrypt", "-k", "team.wrapped", "--recursive", "-o", "plain", "sealed"];
    kms.run(&open).succeeds();
    assert_eq!(kms.calls("Decryption called"), 2);
    assert_eq!(kms.room.read("plain/99/9999"), b"9999");
}

#[test]
fn nothing_is_written_when_the_key_is_refused() {
    let kms = Kms::start();
    let uri = format!("aws-kms://{KEY}");
    let bound = ["keygen", "--kms", &uri, "--kms-context", "app=a", "--only", "-o", "w"];
    kms.run(&bound).succeeds();
    kms.room.write("plain", b"plain");
    let altered = String::from_utf8(kms.room.read("w")).unwrap().replace("app=a", "app=b");
    kms.room.write("altered", altered.as_bytes());
    kms.run(&["encrypt", "-k", "altered", "-o", "sealed", "plain"]).fails(4, "another context");
    let away = altered.replace(KEY, "00000000-0000-4000-8000-000000000000");
    kms.room.write("away", away.as_bytes());
    kms.run(&["encrypt", "-k", "away", "-o", "sealed", "plain"]).fails(4, "no such key");
    let mut gone = kms.room.command(["encrypt", "-k", "w", "-o", "sealed", "plain"]);
    gone.env("AWS_REGION", "eu-west-2");
    Outcome(gone.output().unwrap()).fails(4, "AWS_ACCESS_KEY_ID");
    assert!(!kms.room.path("sealed").exists());
}

/// With SoftHSM.
#[test]
fn the_commands_of_the_page_for_a_token() {
    let room = TestDir::new();
    fs::create_dir(room.path("tokens")).unwrap();
    let configuration = format!("directories.tokendir = {}\n", room.path("tokens").display());
    room.write("softhsm2.conf", configuration.as_bytes());
    let variables = [
        ("SOFTHSM2_CONF", room.path("softhsm2.conf").display().to_string()),
        ("PKCS11_PIN", "1234".to_owned()),
    ];
    assert_eq!(run_in(&room.path(""), "docs/keys.md", &variables), 3);
    assert!(room.read("restore.recipient").starts_with(b"age1tag1"));
    assert!(room.path("restore.identity").exists());
}
