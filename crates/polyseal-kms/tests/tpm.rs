//! Keys wrapped by a TPM: swtpm, through tpm2-tools.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use polyseal_file::Key;
use polyseal_kms::{Class, Context, Kms, Problem, Settings};
use tempfile::TempDir;

use crate::programs::{are_there, command, keeper, program, refusal, settings, until};

/// A TPM of software. It is new each time, so it has other seeds.
struct Swtpm {
    place: TempDir,
    process: Child,
}

impl Swtpm {
    fn start() -> Option<Self> {
        if !are_there(&["swtpm", "tpm2_create", "tpm2_evictcontrol"]) {
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let path = place.path().display();
        let mut swtpm = command("swtpm", place.path());
        swtpm.args(["socket", "--tpm2", "--flags", "not-need-init,startup-clear"]);
        swtpm.args(["--tpmstate", &format!("dir={path}")]);
        swtpm.args(["--server", &format!("type=unixio,path={path}/socket")]);
        swtpm.args(["--ctrl", &format!("type=unixio,path={path}/socket.ctrl")]);
        let process = swtpm.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let tpm = Self { place, process };
        until("the TPM must answer", || tpm.tool(&["tpm2_getcap", "handles-transient"]).is_some());
        Some(tpm)
    }

    fn address(&self) -> String {
        format!("swtpm:path={}/socket", self.place.path().display())
    }

    /// The output of a program that succeeds.
    fn tool(&self, args: &[&str]) -> Option<String> {
        let mut tool = command(args[0], self.place.path());
        tool.env("TPM2TOOLS_TCTI", self.address()).current_dir(self.place.path());
        let output = tool.args(&args[1..]).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    fn loaded(&self) -> String {
        self.tool(&["tpm2_getcap", "handles-transient"]).unwrap()
    }

    fn settings(&self) -> Settings {
        settings(&[("TPM2TOOLS_TCTI", &self.address())])
    }

    fn keeper(&self, uri: &str) -> Box<dyn Kms> {
        keeper(uri, &self.settings()).unwrap()
    }
}

impl Drop for Swtpm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn keys_come_back() {
    let Some(tpm) = Swtpm::start() else { return };
    let (keeper, context) = (tpm.keeper("tpm:"), Context::default());
    let (key, blob) = keeper.generate(&context).unwrap();
    assert!(!blob.bytes.windows(8).any(|part| key.reveal().windows(8).any(|own| own == part)));
    assert!(blob.bytes.len() <= 8192);
    // More often than a TPM has room for objects.
    for _ in 0..4 {
        let back = tpm.keeper("tpm:").unwrap(&blob.bytes, &context).unwrap();
        assert_eq!(back.reveal(), key.reveal());
    }
    let again = keeper.unwrap(&blob.bytes, &context).unwrap();
    let other = keeper.wrap(&again, &context).unwrap();
    assert_eq!(again.reveal(), key.reveal());
    assert_ne!(other.bytes, blob.bytes);
    assert_eq!(tpm.loaded(), "");
}

/// Objects of other programs stay in the TPM.
#[test]
fn other_objects_stay() {
    let Some(tpm) = Swtpm::start() else { return };
    tpm.tool(&["tpm2_createprimary", "-Q", "-C", "o", "-c", "other"]).unwrap();
    let before = tpm.loaded();
    assert_eq!(before.lines().count(), 1);
    let (key, blob) = tpm.keeper("tpm:").generate(&Context::default()).unwrap();
    let back = tpm.keeper("tpm:").unwrap(&blob.bytes, &Context::default()).unwrap();
    assert_eq!(back.reveal(), key.reveal());
    assert_eq!(tpm.loaded(), before);
}

#[test]
fn a_parent_that_is_there() {
    let Some(tpm) = Swtpm::start() else { return };
    let uri = "tpm:handle=0x81000001";
    let (keeper, context) = (tpm.keeper(uri), Context::default());
    let error = refusal(keeper.generate(&context));
    assert!(matches!(error.problem(), Problem::NotFound(_)), "{error}");
    tpm.tool(&["tpm2_createprimary", "-Q", "-C", "o", "-G", "rsa2048", "-c", "parent"]).unwrap();
    tpm.tool(&["tpm2_evictcontrol", "-Q", "-C", "o", "-c", "parent", "0x81000001"]).unwrap();
    tpm.tool(&["tpm2_flushcontext", "-t"]).unwrap();
    let (key, blob) = keeper.generate(&context).unwrap();
    assert_eq!(keeper.unwrap(&blob.bytes, &context).unwrap().reveal(), key.reveal());
    let error = refusal(tpm.keeper("tpm:").unwrap(&blob.bytes, &context));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
}

#[test]
fn what_another_wrapped_or_was_altered() {
    let (Some(tpm), Some(other)) = (Swtpm::start(), Swtpm::start()) else { return };
    let (keeper, context) = (tpm.keeper("tpm:"), Context::default());
    let blob = keeper.wrap(&Key::generate().unwrap(), &context).unwrap().bytes;
    let error = refusal(other.keeper("tpm:").unwrap(&blob, &context));
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    assert_eq!(error.class(), Class::KeyUnavailable);
    assert_eq!(other.loaded(), "");
    for at in (0..blob.len()).step_by(9) {
        let mut altered = blob.clone();
        altered[at] ^= 1;
        let error = refusal(keeper.unwrap(&altered, &context));
        assert!(matches!(error.problem(), Problem::Refused(_)), "{at}: {error}");
    }
    for cut in [0, 1, 40, blob.len() - 1] {
        assert!(keeper.unwrap(&blob[..cut], &context).is_err());
    }
}

#[test]
fn an_owner_with_a_password() {
    let Some(tpm) = Swtpm::start() else { return };
    tpm.tool(&["tpm2_changeauth", "-c", "o", "secret"]).unwrap();
    let error = refusal(tpm.keeper("tpm:").generate(&Context::default()));
    assert!(matches!(error.problem(), Problem::Denied(_)), "{error}");
}

/// The TPM refuses objects that somebody has guessed at: ours ask for no password.
#[test]
fn a_lockout_by_others() {
    let Some(tpm) = Swtpm::start() else { return };
    let (keeper, context) = (tpm.keeper("tpm:"), Context::default());
    let (key, blob) = keeper.generate(&context).unwrap();
    fs::write(tpm.place.path().join("theirs"), b"a secret of others").unwrap();
    // There is room for three objects, and each program leaves those that it used.
    let run = |args: &[&str]| {
        let done = tpm.tool(args);
        tpm.tool(&["tpm2_flushcontext", "-t"]).unwrap();
        done
    };
    let parts = ["-Q", "-C", "other", "-u", "pub", "-r", "priv"];
    run(&["tpm2_dictionarylockout", "-s", "-n", "1", "-t", "3600", "-l", "3600"]).unwrap();
    run(&["tpm2_createprimary", "-Q", "-C", "o", "-c", "other"]).unwrap();
    run(&[&["tpm2_create", "-i", "theirs", "-p", "right"], &parts[..]].concat()).unwrap();
    run(&[&["tpm2_load", "-c", "object"], &parts[..]].concat()).unwrap();
    for password in ["wrong", "wrong", "right"] {
        let opened = run(&["tpm2_unseal", "-c", "object", "-p", password]);
        assert!(opened.is_none(), "{password}");
    }
    let told = tpm.tool(&["tpm2_getcap", "properties-variable"]).unwrap();
    let lockout = told.lines().find(|line| line.contains("inLockout")).unwrap();
    assert!(lockout.ends_with('1'), "{told}");
    assert_eq!(keeper.unwrap(&blob.bytes, &context).unwrap().reveal(), key.reveal());
    keeper.generate(&context).unwrap();
}

#[test]
fn no_tpm() {
    if !are_there(&["tpm2_create"]) {
        return;
    }
    let settings = settings(&[("TPM2TOOLS_TCTI", "swtpm:path=/nonexistent")]);
    let error = refusal(keeper("tpm:", &settings).unwrap().generate(&Context::default()));
    assert!(matches!(error.problem(), Problem::Unreachable(_)), "{error}");
}

/// The programs' arguments and input: scripts stand for them, which write them down.
#[test]
fn where_the_key_goes() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().display().to_string();
    let program = |name, script: &str| program(place.path(), name, script);
    for name in ["tpm2_createprimary", "tpm2_flushcontext", "tpm2_getcap", "tpm2_load"] {
        program(name, "");
    }
    program("tpm2_unseal", &format!("cat {path}/key"));
    program(
        "tpm2_create",
        &format!(
            "echo \"$@\" > {path}/args; cat > {path}/key; stat -c %a . > {path}/mode
             pwd > {path}/where; echo 1 > public; echo 2 > private"
        ),
    );
    let settings = settings(&[("PATH", &format!("{path}:/usr/bin:/bin"))]);
    let tpm = keeper("tpm:", &settings).unwrap();
    let (key, blob) = tpm.generate(&Context::default()).unwrap();
    assert_eq!(blob.bytes, *b"\x01\0\x021\n\0\x022\n");
    let read = |name: &str| fs::read(place.path().join(name)).unwrap();
    assert_eq!(read("key"), key.reveal());
    assert_eq!(read("mode"), b"700\n");
    assert!(String::from_utf8(read("args")).unwrap().ends_with("-i - -u public -r private\n"));
    let there = String::from_utf8(read("where")).unwrap();
    assert!(!Path::new(there.trim_end()).exists());
    assert_eq!(tpm.unwrap(&blob.bytes, &Context::default()).unwrap().reveal(), key.reveal());
    fs::write(place.path().join("key"), [7; 31]).unwrap();
    let error = refusal(tpm.unwrap(&blob.bytes, &Context::default()));
    assert!(matches!(error.problem(), Problem::Service(_)), "{error}");
}

#[test]
fn what_is_not_there() {
    let error = refusal(keeper("tpm:", &settings(&[("PATH", "/nowhere")])));
    assert!(matches!(error.problem(), Problem::Setting(why) if why.contains("tpm2-tools")));
    for uri in ["tpm:handle=0x80000001", "tpm:handle=-C", "tpm:owner=o"] {
        let error = refusal(keeper(uri, &settings(&[])));
        assert!(matches!(error.problem(), Problem::Uri(_)), "{uri}: {error}");
    }
}
