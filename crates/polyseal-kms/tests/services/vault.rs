//! Vault: its development server, which `POLYSEAL_VAULT` names; and servers that have bad days.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use polyseal_kms::{Class, Problem, Settings, WrappedKey};

use super::common::{Peer, Server, answer, generate, settings_of};

const TOKEN: &str = "a-root-token";

struct Vault {
    peer: Peer,
    program: String,
}

impl Vault {
    fn start() -> Option<Self> {
        let peer = Peer::start("POLYSEAL_VAULT", |process, data, port| {
            let listen = format!("-dev-listen-address=127.0.0.1:{port}");
            process.args(["server", "-dev", "-dev-no-store-token", &listen]);
            process.arg(format!("-dev-root-token-id={TOKEN}")).env("HOME", data);
        })?;
        let vault = Self { peer, program: std::env::var("POLYSEAL_VAULT").unwrap() };
        // It listens before it is unsealed.
        let deadline = Instant::now() + Duration::from_secs(30);
        while !vault.run(&["secrets", "enable", "transit"]) {
            assert!(Instant::now() < deadline, "Vault does not start");
            thread::sleep(Duration::from_millis(100));
        }
        vault.manage(&["write", "-f", "transit/keys/backup"]);
        vault.manage(&["write", "-f", "transit/keys/other"]);
        Some(vault)
    }

    fn run(&self, args: &[&str]) -> bool {
        let mut command = Command::new(&self.program);
        command.args(args).env("VAULT_ADDR", &self.peer.endpoint).env("VAULT_TOKEN", TOKEN);
        command.output().unwrap().status.success()
    }

    fn manage(&self, args: &[&str]) {
        assert!(self.run(args), "{args:?}");
    }

    fn settings(&self, token: &str) -> Settings {
        settings_of(&[("VAULT_ADDR", &self.peer.endpoint), ("VAULT_TOKEN", token)])
    }

    fn uri(&self, path: &str) -> String {
        format!("hcvault://{}/{path}", &self.peer.endpoint["http://".len()..])
    }
}

#[test]
fn keys_come_back_and_are_bound() {
    let Some(vault) = Vault::start() else { return };
    let settings = vault.settings(TOKEN);
    let uri = vault.uri("transit/keys/backup");
    let wrapped = generate(&uri, &["app=backup"], &settings).unwrap();
    assert_eq!(wrapped.key_id(), Some("version 1"));
    let key = wrapped.unwrap(&settings).unwrap();

    let file = wrapped.to_file();
    let refused = |altered: String| {
        assert_ne!(altered, file);
        WrappedKey::parse(altered.as_bytes()).unwrap().unwrap(&settings).unwrap_err()
    };
    let error = refused(file.replace("app=backup", "app=other"));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    let error = refused(file.replace("keys/backup", "keys/other"));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    let error = refused(file.replace("keys/backup", "keys/nobody"));
    assert!(matches!(error.problem(), Problem::NotFound(_)), "{error}");
    let error = refused(file.replace("transit/keys", "elsewhere/keys"));
    assert_eq!(error.class(), Class::KeyUnavailable, "{error}");

    // A new version wraps, the old one unwraps until it may not any more.
    vault.manage(&["write", "-f", "transit/keys/backup/rotate"]);
    let again = wrapped.rewrap(&settings).unwrap();
    assert_eq!(again.key_id(), Some("version 2"));
    assert_eq!(again.unwrap(&settings).unwrap().reveal(), key.reveal());
    wrapped.unwrap(&settings).unwrap();
    vault.manage(&["write", "transit/keys/backup/config", "min_decryption_version=2"]);
    let error = wrapped.unwrap(&settings).unwrap_err();
    assert!(matches!(error.problem(), Problem::Disabled(_)), "{error}");

    let error = again.unwrap(&vault.settings("another-token")).unwrap_err();
    assert_eq!(error.class(), Class::KeyUnavailable, "{error}");
    vault.manage(&["operator", "seal"]);
    let error = again.unwrap(&settings).unwrap_err();
    assert_eq!(error.class(), Class::KeeperFailed, "{error}");
}

#[test]
fn what_a_server_refuses() {
    for (status, says, class, tries) in [
        (400, "encryption key not found", Class::KeyUnavailable, 1),
        (403, "permission denied", Class::KeyUnavailable, 1),
        (404, "no handler for route", Class::KeyUnavailable, 1),
        (400, "something else", Class::KeeperFailed, 1),
        (429, "", Class::KeeperFailed, 5),
        (503, "Vault is sealed", Class::KeeperFailed, 5),
    ] {
        let server = Server::start(vec![answer(status, &format!(r#"{{"errors":["{says}"]}}"#))]);
        let settings = settings_of(&[("VAULT_ADDR", &server.endpoint), ("VAULT_TOKEN", TOKEN)]);
        let uri = format!("hcvault://{}/transit/keys/k", &server.endpoint["http://".len()..]);
        let error = generate(&uri, &[], &settings).unwrap_err();
        assert_eq!((error.class(), server.requests().len()), (class, tries), "{status}: {error}");
        assert!(!format!("{error}{error:?}").contains(TOKEN), "{error:?}");
    }
}

#[test]
fn the_token_of_a_login() {
    let body = r#"{"data":{"ciphertext":"vault:v1:AAAA","key_version":1}}"#;
    let server = Server::start(vec![answer(200, body)]);
    let uri = format!("hcvault://{}/transit/keys/k", &server.endpoint["http://".len()..]);
    let home = tempfile::tempdir().unwrap();
    let at_home =
        [("VAULT_ADDR", server.endpoint.as_str()), ("HOME", home.path().to_str().unwrap())];
    let error = generate(&uri, &[], &settings_of(&at_home)).unwrap_err();
    assert!(matches!(error.problem(), Problem::Credentials(_)), "{error}");
    assert!(server.requests().is_empty());
    fs::write(home.path().join(".vault-token"), "of-a-login\n").unwrap();
    generate(&uri, &[], &settings_of(&at_home)).unwrap();
    let namespace = [&at_home[..], &[("VAULT_NAMESPACE", "team")]].concat();
    generate(&uri, &["a=b"], &settings_of(&namespace)).unwrap();
    let [first, second] = &server.requests()[..] else { panic!() };
    assert!(first.contains("x-vault-token: of-a-login"), "{first}");
    assert!(!first.contains("associated_data"), "{first}");
    assert!(second.contains("x-vault-namespace: team"), "{second}");
    assert!(second.contains(r#""associated_data":"YT1i""#), "{second}");
}
