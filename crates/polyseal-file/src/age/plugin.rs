//! Plugins: programs `age-plugin-NAME` on the PATH, which are trusted with the file key.
//!
//! Source: c2sp.org/age-plugin, the state machines `recipient-v1` and `identity-v1`, as a client
//! has them. What a plugin asks the user goes through the caller's [`Callbacks`].
//!
//! Security claim: a plugin is started only for a recipient or an identity that names it, from a
//! directory of the PATH that is absolute, and with pipes for its three standard streams. What it
//! gives is looked at as strictly as what is read from a file.
//!
//! Limits: a plugin may take as long as it likes; after 10 seconds of silence that is said. What
//! goes through the pipes is not wiped from their buffers.

mod process;

use std::collections::HashSet;
use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ::age::secrecy::ExposeSecret;
use ::age::{Callbacks, DecryptError, EncryptError};
use age_core::format::{FileKey, Stanza};
use age_core::primitives::bech32_decode;
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::{Zeroize, Zeroizing};

use self::process::Conversation;
use super::error::{KeyProblem, PluginError};
use super::recipients::exact;
use super::work::BoundedIdentity;
use super::{BoxedIdentity, BoxedRecipient};
use crate::stanza::AgeStanza;

type Result<T> = std::result::Result<T, PluginError>;

/// `age1NAME1…`.
pub(super) struct Recipient {
    name: String,
    text: String,
}

/// `AGE-PLUGIN-NAME-1…`.
#[derive(Clone)]
pub(super) struct Identity {
    name: String,
    text: Zeroizing<String>,
}

impl Recipient {
    pub(super) fn plugin(&self) -> &str {
        &self.name
    }
}

impl Identity {
    pub(super) fn plugin(&self) -> &str {
        &self.name
    }
}

impl FromStr for Recipient {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let name = name(text, |prefix| prefix.strip_prefix("age1"))?;
        Ok(Self { name, text: text.to_owned() })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Identity {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let name = name(text, |prefix| prefix.strip_prefix("AGE-PLUGIN-")?.strip_suffix('-'))?;
        Ok(Self { name: name.to_ascii_lowercase(), text: Zeroizing::new(text.to_owned()) })
    }
}

/// The name that `of` finds in the part of a Bech32 text that says what it is.
fn name(text: &str, of: impl Fn(&str) -> Option<&str>) -> std::result::Result<String, ()> {
    let is_safe = |b: u8| b.is_ascii_alphanumeric() || b"+-._".contains(&b);
    bech32_decode(
        text,
        |_| (),
        |_| Ok(()),
        |prefix, _| {
            let name = of(prefix.as_str()).ok_or(())?;
            // It becomes a part of a file's name.
            let good = !name.is_empty() && name.bytes().all(is_safe);
            good.then(|| name.to_owned()).ok_or(())
        },
    )
}

/// A line of an identity file.
pub(super) fn identity(line: &str) -> std::result::Result<Identity, KeyProblem> {
    line.parse().map_err(|()| KeyProblem::Damaged("identity"))
}

/// `age1NAME1…`.
pub(super) fn recipient(text: &str) -> std::result::Result<Recipient, KeyProblem> {
    exact(text).ok_or(KeyProblem::Damaged("recipient"))
}

/// What opens with those of `identities` that are of the plugin `name`.
pub(super) fn usable<C: Callbacks>(
    name: &str,
    identities: &[Identity],
    callbacks: &C,
) -> std::result::Result<BoxedIdentity, KeyProblem> {
    Ok(Box::new(Plugin::find(name, &[], identities, callbacks)?))
}

/// What wraps a key for all of them: one recipient for each plugin.
pub(super) fn wrapping<C: Callbacks>(
    recipients: &[Recipient],
    identities: &[Identity],
    callbacks: &C,
) -> std::result::Result<Vec<BoxedRecipient>, KeyProblem> {
    let mut names: Vec<&str> = Vec::new();
    let of_recipients = recipients.iter().map(Recipient::plugin);
    for name in of_recipients.chain(identities.iter().map(Identity::plugin)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let plugin = |name: &str| -> std::result::Result<BoxedRecipient, KeyProblem> {
        Ok(Box::new(Plugin::find(name, recipients, identities, callbacks)?))
    };
    names.into_iter().map(plugin).collect()
}

/// A plugin, and what it is to encrypt to or to open with.
struct Plugin<C> {
    /// `age-plugin-NAME`.
    program: String,
    path: PathBuf,
    recipients: Vec<String>,
    identities: Vec<Zeroizing<String>>,
    callbacks: C,
}

impl<C: Callbacks> Plugin<C> {
    fn find(
        name: &str,
        recipients: &[Recipient],
        identities: &[Identity],
        callbacks: &C,
    ) -> std::result::Result<Self, KeyProblem> {
        let program = format!("age-plugin-{name}");
        let path = on_the_path(&program).ok_or_else(|| KeyProblem::Plugin(name.to_owned()))?;
        let recipients = recipients.iter().filter(|one| one.name == name);
        let identities = identities.iter().filter(|one| one.name == name);
        Ok(Self {
            program,
            path,
            recipients: recipients.map(|one| one.text.clone()).collect(),
            identities: identities.map(|one| one.text.clone()).collect(),
            callbacks: callbacks.clone(),
        })
    }

    fn start(&self, state_machine: &str) -> Result<Conversation<'_, C>> {
        Conversation::start(&self.program, &self.path, state_machine, &self.callbacks)
    }

    /// The state machine `recipient-v1`.
    fn wrap(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>)> {
        let mut plugin = self.start("recipient-v1")?;
        for recipient in &self.recipients {
            plugin.send("add-recipient", &[recipient], b"");
        }
        for identity in &self.identities {
            plugin.send("add-identity", &[identity], b"");
        }
        plugin.send("extension-labels", &[], b"");
        plugin.send("wrap-file-key", &[], file_key.expose_secret());
        plugin.send("done", &[], b"");
        let (mut stanzas, mut labels) = (Vec::new(), None);
        let mut refused = None;
        loop {
            let mut said = plugin.receive()?;
            match said.tag.as_str() {
                "recipient-stanza" => {
                    // One file is all that it was given.
                    let [file, tag, args @ ..] = &said.args[..] else {
                        return Err(plugin.nonsense("a recipient stanza without a type"));
                    };
                    if file != "0" {
                        return Err(plugin.nonsense("a recipient stanza for another file"));
                    }
                    let (tag, args) = (tag.clone(), args.to_vec());
                    stanzas.push(Stanza { tag, args, body: said.body });
                    plugin.send("ok", &[], b"");
                }
                "labels" => {
                    let given = said.args.len();
                    let set: HashSet<_> = said.args.drain(..).collect();
                    if labels.is_some() || set.len() != given {
                        return Err(plugin.nonsense("labels twice"));
                    }
                    labels = Some(set);
                    plugin.send("ok", &[], b"");
                }
                "error" => {
                    refused.get_or_insert_with(|| text(&said.body));
                    plugin.send("ok", &[], b"");
                }
                "done" => break,
                _ => self.answer(&mut plugin, &said)?,
            }
        }
        match (refused, stanzas.is_empty()) {
            (Some(why), _) => Err(plugin.refused(why)),
            (None, true) => Err(plugin.nonsense("neither stanzas nor an error")),
            (None, false) => Ok((stanzas, labels.unwrap_or_default())),
        }
    }

    /// The state machine `identity-v1`; `None` if none of `stanzas` is for these identities.
    fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>> {
        let mut plugin = self.start("identity-v1")?;
        for identity in &self.identities {
            plugin.send("add-identity", &[identity], b"");
        }
        for stanza in stanzas {
            let args = ["0", &stanza.tag].into_iter().chain(stanza.args.iter().map(String::as_str));
            plugin.send("recipient-stanza", &args.collect::<Vec<_>>(), &stanza.body);
        }
        plugin.send("done", &[], b"");
        let mut file_key = None;
        let mut refused = None;
        loop {
            let mut said = plugin.receive()?;
            match said.tag.as_str() {
                "file-key" => {
                    let key = FileKey::try_init_with_mut(|key: &mut [u8; 16]| {
                        let given = <&[u8; 16]>::try_from(&said.body[..]).map_err(|_| ())?;
                        key.copy_from_slice(given);
                        Ok::<_, ()>(())
                    });
                    said.body.zeroize();
                    let (Ok(key), ["0"], None) = (key, &words(&said.args)[..], &file_key) else {
                        return Err(plugin.nonsense("what is no file key, or a second one"));
                    };
                    file_key = Some(key);
                    plugin.send("ok", &[], b"");
                }
                "error" => {
                    refused.get_or_insert_with(|| text(&said.body));
                    plugin.send("ok", &[], b"");
                }
                "done" => break,
                _ => self.answer(&mut plugin, &said)?,
            }
        }
        match (file_key, refused) {
            (None, Some(why)) => Err(plugin.refused(why)),
            (file_key, _) => Ok(file_key),
        }
    }

    /// Answers what both state machines have: something is said to the user, or asked.
    fn answer(&self, plugin: &mut Conversation<'_, C>, said: &AgeStanza) -> Result<()> {
        let message = text(&said.body);
        match said.tag.as_str() {
            "msg" => {
                self.callbacks.display_message(&message);
                plugin.send("ok", &[], b"");
            }
            "confirm" => {
                let words = said.args.iter().map(|word| BASE64_STANDARD_NO_PAD.decode(word));
                let words = words.collect::<std::result::Result<Vec<_>, _>>();
                let (yes, no) = match words.as_deref() {
                    Ok([yes]) => (text(yes), None),
                    Ok([yes, no]) => (text(yes), Some(text(no))),
                    _ => return Err(plugin.nonsense("a question without its answers")),
                };
                match self.callbacks.confirm(&message, &yes, no.as_deref()) {
                    Some(true) => plugin.send("ok", &["yes"], b""),
                    Some(false) => plugin.send("ok", &["no"], b""),
                    None => plugin.send("fail", &[], b""),
                }
            }
            "request-public" => match self.callbacks.request_public_string(&message) {
                Some(answer) => plugin.send("ok", &[], answer.as_bytes()),
                None => plugin.send("fail", &[], b""),
            },
            "request-secret" => match self.callbacks.request_passphrase(&message) {
                Some(answer) => plugin.send("ok", &[], answer.expose_secret().as_bytes()),
                None => plugin.send("fail", &[], b""),
            },
            _ => plugin.send("unsupported", &[], b""),
        }
        Ok(())
    }
}

impl<C: Callbacks> ::age::Recipient for Plugin<C> {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> std::result::Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        self.wrap(file_key).map_err(|error| EncryptError::Io(io::Error::other(error)))
    }
}

impl<C: Callbacks> ::age::Identity for Plugin<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<std::result::Result<FileKey, DecryptError>> {
        self.unwrap_stanzas(std::slice::from_ref(stanza))
    }

    fn unwrap_stanzas(
        &self,
        stanzas: &[Stanza],
    ) -> Option<std::result::Result<FileKey, DecryptError>> {
        let failed = |error| DecryptError::Io(io::Error::other(error));
        self.unwrap(stanzas).map_err(failed).transpose()
    }
}

impl<C: Callbacks> BoundedIdentity for Plugin<C> {
    /// None of this program's: how long a plugin takes is its own affair.
    fn work(&self, _: &Stanza) -> u32 {
        0
    }
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The program in the first directory of the PATH that has it. What is not absolute there depends
/// on where this program was started, and is passed over.
fn on_the_path(program: &str) -> Option<PathBuf> {
    let (paths, program) = (env::var_os("PATH")?, format!("{program}{}", env::consts::EXE_SUFFIX));
    env::split_paths(&paths)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&program))
        .find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::sync::{Arc, Mutex};

    use ::age::secrecy::SecretString;
    use tempfile::TempDir;

    use super::super::error::PluginProblem;
    use super::*;

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

        fn request_passphrase(&self, message: &str) -> Option<SecretString> {
            (message != "nothing").then(|| SecretString::from("1234"))
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
            identities: vec![Zeroizing::new("AGE-PLUGIN-X-1ONE".to_owned())],
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
            ("#!/bin/sh\necho usage: none; cat", &format!("{protocol}what is no stanza")),
            ("#!/bin/sh\nprintf -- '-> x\\n=\\n'; cat", &format!("{protocol}what is no stanza")),
            ("#!/bin/sh\nyes -- '-> x'", &format!("{protocol}what is no stanza")),
            ("#!/bin/sh\nyes | tr -d '\\n'", &format!("{protocol}what is no stanza")),
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
            let prefix = bech32::Hrp::parse(prefix).unwrap();
            bech32::encode::<bech32::Bech32>(prefix, b"data").unwrap()
        };
        let recipient = |prefix: &str| recipient(&bech32(prefix)).ok().map(|found| found.name);
        let identity =
            |prefix: &str| identity(&bech32(prefix).to_uppercase()).ok().map(|found| found.name);
        assert_eq!(recipient("age1a+b-c._9").as_deref(), Some("a+b-c._9"));
        assert_eq!(identity("age-plugin-a+b-c._9-").as_deref(), Some("a+b-c._9"));
        for bad in ["age1", "age1../sh", "age1a/b", "ag1a", "age1a~"] {
            assert_eq!(recipient(bad), None, "{bad}");
        }
        for bad in ["age-plugin-", "age-plugin--", "age-plugin-a", "age-plugin-../a-", "plugin-a-"]
        {
            assert_eq!(identity(bad), None, "{bad}");
        }
    }
}
