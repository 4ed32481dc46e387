//! Keys in a real keyring: GNOME Keyring on a bus of its own, through `secret-tool`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use polyseal_file::Key;
use polyseal_kms::{Class, Context, Kms, Problem, Settings};
use tempfile::TempDir;

use crate::programs::{are_there, command, keeper, program, refusal, settings, until};

const URI: &str = "secret-service:service=backup%20of%20%C3%A9;account=ops";

/// A bus, and on it a keyring that is unlocked.
struct Session {
    home: TempDir,
    address: String,
    bus: Child,
}

impl Session {
    fn start() -> Option<Self> {
        let needed = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"];
        if !are_there(&needed) {
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        // The session ends with `cat`, whose input ends with this.
        let script = r#"printf password | gnome-keyring-daemon --unlock --components=secrets >&2
            echo "$DBUS_SESSION_BUS_ADDRESS"
            cat"#;
        let mut session = command("dbus-run-session", home.path());
        session.args(["--", "sh", "-c", script]);
        session.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut bus = session.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let session = Self { home, address: address.trim().to_owned(), bus };
        until("the keyring must answer", || session.tool(&["lookup", "no", "entry"]).is_empty());
        Some(session)
    }

    /// The standard error of `secret-tool`.
    fn tool(&self, args: &[&str]) -> Vec<u8> {
        let mut tool = command("secret-tool", self.home.path());
        tool.env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        tool.args(args).output().unwrap().stderr
    }

    fn settings(&self) -> Settings {
        let home = self.home.path().to_str().unwrap();
        settings(&[
            ("DBUS_SESSION_BUS_ADDRESS", &self.address),
            ("HOME", home),
            ("XDG_RUNTIME_DIR", home),
        ])
    }

    fn keeper(&self, uri: &str) -> Box<dyn Kms> {
        keeper(uri, &self.settings()).unwrap()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.bus.stdin.take());
        let _ = self.bus.wait();
    }
}

#[test]
fn keys_come_back() {
    let Some(session) = Session::start() else { return };
    let (keyring, context) = (session.keeper(URI), Context::default());
    let (one, blob) = keyring.generate(&context).unwrap();
    let (other, second) = keyring.generate(&context).unwrap();
    assert_eq!(blob.bytes.len(), 16);
    assert_ne!(blob.bytes, second.bytes);
    // Another process, as it were.
    let keyring = session.keeper(URI);
    assert_eq!(keyring.unwrap(&blob.bytes, &context).unwrap().reveal(), one.reveal());
    assert_eq!(keyring.unwrap(&second.bytes, &context).unwrap().reveal(), other.reveal());
    // The older entry stays.
    let again = keyring.unwrap(&blob.bytes, &context).unwrap();
    let third = keyring.wrap(&again, &context).unwrap();
    assert_eq!(again.reveal(), one.reveal());
    assert_ne!(third.bytes, blob.bytes);
    for blob in [&blob, &third] {
        assert_eq!(keyring.unwrap(&blob.bytes, &context).unwrap().reveal(), one.reveal());
    }
}

#[test]
fn what_has_no_entry() {
    let Some(session) = Session::start() else { return };
    let (keyring, context) = (session.keeper(URI), Context::default());
    let blob = keyring.wrap(&Key::generate().unwrap(), &context).unwrap();
    let mut other = blob.bytes.clone();
    other[0] ^= 1;
    let error = refusal(keyring.unwrap(&other, &context));
    assert!(matches!(error.problem(), Problem::NotFound(_)), "{error}");
    let elsewhere = session.keeper("secret-service:service=restore");
    let error = refusal(elsewhere.unwrap(&blob.bytes, &context));
    assert!(matches!(error.problem(), Problem::NotFound(_)), "{error}");
    let error = refusal(keyring.unwrap(&blob.bytes[1..], &context));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
}

#[test]
fn a_locked_keyring() {
    let Some(session) = Session::start() else { return };
    let (keyring, context) = (session.keeper(URI), Context::default());
    let blob = keyring.wrap(&Key::generate().unwrap(), &context).unwrap();
    session.tool(&["lock"]);
    let error = refusal(keyring.unwrap(&blob.bytes, &context));
    assert!(matches!(error.problem(), Problem::Unreachable(why) if why.contains("locked")));
    let error = refusal(keyring.wrap(&Key::generate().unwrap(), &context));
    assert_eq!(error.class(), Class::KeeperFailed, "{error}");
}

#[test]
fn no_bus() {
    if !are_there(&["secret-tool"]) {
        return;
    }
    let settings = settings(&[("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")]);
    let keyring = keeper(URI, &settings).unwrap();
    let error = refusal(keyring.unwrap(&[7; 16], &Context::default()));
    assert!(
        matches!(error.problem(), Problem::Unreachable(why) if why.contains("connect")),
        "{error}"
    );
    let error = refusal(keyring.wrap(&Key::generate().unwrap(), &Context::default()));
    assert!(matches!(error.problem(), Problem::Unreachable(_)), "{error}");
}

/// The program's arguments and input: a script stands for it, which writes them down.
#[test]
fn the_key_is_in_no_argument() {
    let place = tempfile::tempdir().unwrap();
    let script = format!("echo \"$@\" > {0}/args\ncat > {0}/input", place.path().display());
    program(place.path(), "secret-tool", &script);
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    let keyring = keeper(URI, &settings(&[("PATH", &path)])).unwrap();
    let (key, _) = keyring.generate(&Context::default()).unwrap();
    let read = |name| fs::read_to_string(place.path().join(name)).unwrap();
    assert_eq!(Key::parse(read("input").as_bytes()).unwrap().reveal(), key.reveal());
    let args = read("args");
    let start = "store --label=Key of Polyseal service backup of é account ops polyseal-wrap-id ";
    assert_eq!(args.trim_end().strip_prefix(start).map(str::len), Some(32), "{args}");
}

#[test]
fn what_would_be_an_option() {
    let settings = settings(&[]);
    for attributes in [
        "",
        "service=",
        "service=--unlock",
        "-s=backup",
        "Service=backup",
        "ser%20vice=backup",
        "service=a%0Ab",
        "service=backup;polyseal-wrap-id=00",
        "xdg:schema=other",
    ] {
        let error = refusal(keeper(&format!("secret-service:{attributes}"), &settings));
        assert!(matches!(error.problem(), Problem::Uri(_)), "{attributes}: {error}");
    }
}

#[test]
fn no_program() {
    let error = refusal(keeper(URI, &settings(&[("PATH", "/nowhere")])));
    assert!(matches!(error.problem(), Problem::Setting(why) if why.contains("libsecret-tools")));
}
