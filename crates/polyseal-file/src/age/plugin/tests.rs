//! Both conversations, and every way in which a plugin can fail: plugins here are shell scripts.

use std::fs;
use std::io::{self, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::*;
use crate::age::plugin_program::tests::Kept;
use crate::age::plugin_program::{Conversation, run};
use crate::age::{PluginProblem, in_process};

/// Reads what the client says first, and what it answers to `say`, into the file `log`.
const HEAD: &str = r#"#!/usr/bin/env -S timeout 60 sh
exec 3> "${0%/*}/log"
l=; until [ "$l" = '-> done' ]; do read -r l; echo "$l" >&3; done
read -r l
say() { printf -- "$@"; read -r l; echo "$l" >&3; read -r l; echo "$l" >&3; }
"#;

/// A user who says what is expected, and of whom it is kept what they were told.
#[derive(Clone)]
struct User(Arc<Mutex<Vec<String>>>, PathBuf);

impl User {
    fn told(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Callbacks for User {
    fn display_message(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
        fs::write(self.1.join("told"), b"").unwrap();
    }

    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        self.0.lock().unwrap().push(format!("{message} {yes} {no:?}"));
        no.map(|_| false)
    }

    fn request_public_string(&self, message: &str) -> Option<String> {
        Some(format!("public {message}"))
    }

    fn request_passphrase(&self, message: &str) -> Option<SecretText> {
        (message != "nothing").then(|| "1234".to_owned().into())
    }
}

/// A plugin that is this script, in a folder of its own.
fn installed(script: &str) -> (Plugin<User>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("age-plugin-x");
    // Not written here: while it is open in this process, another thread's program has it open,
    // too, and no program that is written to can be run.
    let mut write = Command::new("sh");
    write.args(["-c", "cat > \"$0\" && chmod +x \"$0\""]).arg(&path).stdin(Stdio::piped());
    let mut write = write.spawn().unwrap();
    write.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(write.wait().unwrap().success());
    let plugin = Plugin {
        program: "age-plugin-x".to_owned(),
        path,
        recipients: vec!["age1x1one".to_owned(), "age1x1two".to_owned()],
        identities: vec!["AGE-PLUGIN-X-1ONE".to_owned().into()],
        callbacks: User(Arc::default(), folder.path().to_owned()),
    };
    (plugin, folder)
}

fn file_key() -> FileKey {
    FileKey::new(Box::new([0; 16]))
}

fn stanza() -> Stanza {
    Stanza { tag: "X".to_owned(), args: vec!["a".to_owned()], body: vec![0; 3] }
}

#[test]
fn both_conversations() {
    let script = "say '-> msg\\nVG91Y2g\\n'
        say '-> confirm WWVz Tm8\\nUmVhbGx5Pw\\n'
        say '-> confirm WWVz\\nUmVhbGx5Pw\\n'
        say '-> request-public\\nTmFtZQ\\n'
        say '-> request-secret\\nUElO\\n'
        say '-> request-secret\\nbm90aGluZw\\n'
        say '-> grease-7 a b\\n\\n'\n";
    let answers = "-> ok\n\n-> ok no\n\n-> fail\n\n-> ok\ncHVibGljIE5hbWU\n-> ok\nMTIzNA\n\
                   -> fail\n\n-> unsupported\n\n";
    let told = ["Touch", "Really? Yes Some(\"No\")", "Really? Yes None"];
    let wraps = "say '-> recipient-stanza 0 X a\\nAAAA\\n'\nsay '-> labels postquantum b\\n\\n'
        printf -- '-> done\\n\\n'";
    let (plugin, folder) = installed(&[HEAD, script, wraps].concat());
    let (stanzas, labels) = plugin.wrap(&file_key()).unwrap();
    assert_eq!((stanzas, labels.len()), (vec![stanza()], 2));
    let first = "-> add-recipient age1x1one\n\n-> add-recipient age1x1two\n\n\
                 -> add-identity AGE-PLUGIN-X-1ONE\n\n-> extension-labels\n\n\
                 -> wrap-file-key\nAAAAAAAAAAAAAAAAAAAAAA\n-> done\n";
    let log = || fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(log(), format!("{first}{answers}-> ok\n\n-> ok\n\n"));
    let all = plugin.callbacks.told();
    let all: Vec<_> = all.iter().filter(|told| !told.starts_with("waiting ")).collect();
    assert_eq!(all, told);

    let opens = "say '-> file-key 0\\nAAAAAAAAAAAAAAAAAAAAAA\\n'\nprintf -- '-> done\\n\\n'";
    let (plugin, folder) = installed(&[HEAD, script, opens].concat());
    let key = plugin.unwrap(&[stanza(), stanza()]).unwrap().unwrap();
    assert_eq!(key.expose_secret(), &[0; 16]);
    let first = "-> add-identity AGE-PLUGIN-X-1ONE\n\n-> recipient-stanza 0 X a\nAAAA\n\
                 -> recipient-stanza 0 X a\nAAAA\n-> done\n";
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(log, format!("{first}{answers}-> ok\n\n"));
    let (plugin, _folder) = installed(&format!("{HEAD}printf -- '-> done\\n\\n'"));
    assert!(plugin.unwrap(&[stanza()]).unwrap().is_none(), "for another");
}

#[test]
fn plugins_that_fail() {
    let answer = |say: &str| format!("{HEAD}say '{say}'\nprintf -- '-> done\\n\\n'");
    let protocol = "age-plugin-x does not keep to the protocol of plugins: it gave ";
    let long = "…".to_owned() + &"x".repeat(1 << 10);
    for (script, expected) in [
        (
            "#!/bin/sh\necho 'token not plugged in' >&2; exit 3",
            "age-plugin-x ended too early, exit status: 3; it said: token not plugged in",
        ),
        ("#!/bin/sh\nkill -9 $$", "age-plugin-x ended too early, signal: 9 (SIGKILL)"),
        ("#!/bin/sh\nprintf -- '-> do'", "age-plugin-x ended too early, exit status: 0"),
        (
            "#!/bin/sh\nexec >&-; while read -r l; do :; done; exit 5",
            "age-plugin-x ended too early, exit status: 5",
        ),
        ("#!/bin/sh\necho usage: none; cat", &format!("{protocol}an invalid stanza")),
        ("#!/bin/sh\nprintf -- '-> x\\n=\\n'; cat", &format!("{protocol}an invalid stanza")),
        ("#!/bin/sh\nyes -- '-> x'", &format!("{protocol}an invalid stanza")),
        ("#!/bin/sh\nyes | tr -d '\\n'", &format!("{protocol}an invalid stanza")),
        (
            "#!/bin/sh\nyes x | head -n 300000 | tr -d '\\n' >&2",
            &format!("age-plugin-x ended too early, exit status: 0; it said: {long}"),
        ),
        ("#!/no/such/shell", "cannot start age-plugin-x: No such file or directory"),
        (&answer("-> confirm !\\n\\n"), &format!("{protocol}a question without its answers")),
        (&answer("-> error internal\\nbm8gc2xvdA\\n"), "age-plugin-x: no slot"),
        (&answer("-> error identity 0\\nbm8gc2xvdA\\n"), "age-plugin-x: no slot"),
    ] {
        // More than a pipe holds, which some of them do not read.
        let stanzas = (0..5000).map(|_| stanza()).collect::<Vec<_>>();
        let (plugin, _folder) = installed(script);
        let [wrapped, opened] =
            [plugin.wrap(&file_key()).map(|_| ()), plugin.unwrap(&stanzas).map(|_| ())];
        assert_eq!(wrapped.unwrap_err().to_string(), expected);
        let error = opened.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.plugin(), "age-plugin-x");
    }
    let wrap = |say: &str| installed(&answer(say)).0.wrap(&file_key()).map(|_| ());
    for bad in [
        "-> recipient-stanza 0\\n\\n",
        "-> recipient-stanza 1 X\\n\\n",
        "-> labels a a\\n\\n",
        "-> labels\\n\\n-> labels\\n\\n",
        "-> unheard-of\\n\\n",
    ] {
        let problem = wrap(bad).unwrap_err().problem().clone();
        assert!(matches!(problem, PluginProblem::Protocol(_)), "{bad}: {problem:?}");
    }
    for bad in [
        "-> file-key 0\\nAAAA\\n",
        "-> file-key 1\\nAAAAAAAAAAAAAAAAAAAAAA\\n",
        "-> file-key\\nAAAAAAAAAAAAAAAAAAAAAA\\n",
        "-> file-key 0\\nAAAAAAAAAAAAAAAAAAAAAA\\n-> file-key 0\\nAAAAAAAAAAAAAAAAAAAAAA\\n",
    ] {
        let opened = installed(&answer(bad)).0.unwrap(&[stanza()]).map(|_| ());
        let problem = opened.unwrap_err().problem().clone();
        assert!(matches!(problem, PluginProblem::Protocol(_)), "{bad}: {problem:?}");
    }
}

/// It says nothing until the user has been told that it is waited for.
#[test]
fn a_silent_plugin_is_named_once() {
    let script = "until [ -e \"${0%/*}/told\" ]; do sleep 0.01; done; sleep 0.05
        say '-> grease\\n\\n'; sleep 0.05; printf -- '-> done\\n\\n'";
    let (plugin, _folder) = installed(&format!("{HEAD}{script}"));
    assert!(plugin.unwrap(&[stanza()]).unwrap().is_none());
    assert_eq!(plugin.callbacks.told(), ["waiting for age-plugin-x …"]);
}

#[test]
fn names_of_programs() {
    let bech32 = |prefix: &str| {
        let prefix = ::bech32::Hrp::parse(prefix).unwrap();
        ::bech32::encode::<::bech32::Bech32>(prefix, b"data").unwrap()
    };
    let recipient = |prefix: &str| recipient(&bech32(prefix)).ok().map(|found| found.name);
    let identity =
        |prefix: &str| identity(&bech32(prefix).to_uppercase()).ok().map(|found| found.name);
    assert_eq!(recipient("age1a+b-c._9").as_deref(), Some("a+b-c._9"));
    assert_eq!(identity("age-plugin-a+b-c._9-").as_deref(), Some("a+b-c._9"));
    for bad in ["age1", "age1../sh", "age1a/b", "ag1a", "age1a~"] {
        assert_eq!(recipient(bad), None, "{bad}");
    }
    for bad in ["age-plugin-", "age-plugin--", "age-plugin-a", "age-plugin-../a-", "plugin-a-"] {
        assert_eq!(identity(bad), None, "{bad}");
    }
}

/// The program's side, when the next test starts this program anew; else nothing.
#[test]
fn the_side_of_the_program() {
    let Ok(machine) = env::var("POLYSEAL_TEST_PLUGIN") else { return };
    let to = fs::OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    let conversation = Conversation::new(BufReader::new(io::stdin()), to);
    run(&machine, Arc::new(Kept(conversation.clone())), &conversation).unwrap();
}

#[test]
fn the_client_and_the_program() {
    let this = env::current_exe().unwrap();
    let script = format!(
        "#!/bin/sh\nPOLYSEAL_TEST_PLUGIN=\"${{1#*=}}\" exec '{}' --exact \
         age::plugin::tests::the_side_of_the_program 3>&1 > /dev/null\n",
        this.display()
    );
    let (mut plugin, _folder) = installed(&script);
    let identity = in_process::to_line("kept", b"mine").unwrap();
    (plugin.recipients, plugin.identities) = (Vec::new(), vec![identity]);
    let key = FileKey::new(Box::new([7; 16]));
    let (stanzas, labels) = plugin.wrap(&key).unwrap();
    assert_eq!((stanzas.len(), labels.len()), (1, 0));
    assert_eq!(plugin.unwrap(&stanzas).unwrap().unwrap(), key);
    assert!(plugin.unwrap(&[stanza()]).unwrap().is_none(), "for another");
    plugin.recipients.push("age1kept1qqqq".to_owned());
    let refused = plugin.wrap(&key).unwrap_err().to_string();
    assert_eq!(refused, "age-plugin-x: age-plugin-kept has no recipients of its own");
}
