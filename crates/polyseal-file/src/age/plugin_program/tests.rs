//! Both conversations, as the other side has them in words; `plugin/tests.rs` has them with the
//! client.

use std::collections::HashSet;
use std::io::Cursor;

use zeroize::Zeroizing;

use super::super::dhkem::tests::Software;
use super::super::dhkem::tests::vector;
use super::super::{BoundedIdentity, Identity as _, Keeper, KeeperError};
use super::super::{EncryptError, KeyError, KeyProblem, Recipient, p256};
use super::*;
use crate::Class;
use crate::stanza::age_text;

/// A plugin whose key is that of a vector. Its keeper asks for a PIN, which is 1234.
pub(in crate::age) struct Kept(pub(in crate::age) Conversation);

struct AskingKeeper(Conversation);

impl Keeper for AskingKeeper {
    fn derive(&self, point: &[u8; 65]) -> Result<Zeroizing<[u8; 32]>, KeeperError> {
        match self.0.request_secret("PIN").as_ref().map(SecretText::reveal) {
            Some("1234") => Software::new().derive(point),
            Some(_) => Err(KeeperError::new(Class::KeyUnavailable, "wrong").with_hint("look")),
            None => Err(KeeperError::new(Class::KeyUnavailable, "no PIN")),
        }
    }
}

pub(in crate::age) fn recipient() -> p256::Recipient {
    p256::Recipient::from_point(&vector("pkRm")).unwrap()
}

impl Kept {
    fn check(data: &[u8]) -> Result<(), KeyError> {
        let (plugin, why) = ("kept".to_owned(), "no".to_owned());
        if data == b"mine" { Ok(()) } else { Err(KeyProblem::Refused { plugin, why }.into()) }
    }
}

impl InProcessPlugin for Kept {
    fn name(&self) -> &str {
        "kept"
    }

    fn identity(&self, data: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError> {
        Self::check(data)?;
        Ok(Box::new(p256::Identity::new(recipient(), AskingKeeper(self.0.clone()))))
    }

    fn recipient(&self, data: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError> {
        Self::check(data)?;
        Ok(Box::new(recipient()))
    }
}

/// A pipe that records what goes into it.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<u8>>>);

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The plugin's part of a conversation, of which the other part is `theirs`.
fn says(machine: &str, theirs: &str) -> (io::Result<()>, String) {
    let to = Recorded::default();
    let conversation = Conversation::new(Cursor::new(theirs.as_bytes().to_vec()), to.clone());
    let result = run(machine, Arc::new(Kept(conversation.clone())), &conversation);
    let said = String::from_utf8(to.0.lock().unwrap().clone()).unwrap();
    (result, said)
}

fn mine() -> String {
    in_process::to_line("kept", b"mine").unwrap().reveal().to_owned()
}

/// The text of a stanza for the key.
fn stanza() -> String {
    let key = FileKey::new(Box::new([7; 16]));
    let (stanzas, _) = recipient().wrap_file_key(&key).unwrap();
    let text = String::from_utf8(age_text::write(&stanzas).unwrap()).unwrap();
    text.replacen("-> ", "-> recipient-stanza 0 ", 1)
}

const OK: &str = "-> ok\n\n";
const DONE: &str = "-> done\n\n";

#[test]
fn wraps_each_key_for_each_identity() {
    let identity = mine();
    let theirs = format!(
        "-> add-identity {identity}\n\n-> grease-1 a b\nAAAA\n-> add-identity {identity}\n\n\
         -> extension-labels\n\n-> wrap-file-key\nBwcHBwcHBwcHBwcHBwcHBw\n\
         -> wrap-file-key\nCAgICAgICAgICAgICAgICA\n{DONE}{}",
        OK.repeat(4)
    );
    let (result, said) = says("recipient-v1", &theirs);
    result.unwrap();
    let stanzas = age_text::parse(said.as_bytes()).unwrap();
    assert_eq!(stanzas.len(), 5);
    let identity = p256::Identity::new(recipient(), Software::new());
    for (at, stanza) in stanzas[..4].iter().enumerate() {
        assert_eq!(stanza.tag, "recipient-stanza");
        assert_eq!(stanza.args[..2], [(at / 2).to_string(), "p256tag".to_owned()]);
        let (tag, args) = (stanza.args[1].clone(), stanza.args[2..].to_vec());
        let stanza = Stanza { tag, args, body: stanza.body.clone() };
        let key = identity.unwrap_stanza(&stanza).unwrap().unwrap();
        assert_eq!(key.expose_secret(), &[7 + at as u8 / 2; 16]);
    }
    assert_eq!(stanzas[4].tag, "done");
}

#[test]
fn says_what_it_does_not_wrap_for() {
    let yours = in_process::to_line("kept", b"yours").unwrap();
    let other = in_process::to_line("other", b"mine").unwrap();
    let identity = mine();
    let theirs = format!(
        "-> add-recipient age1kept1qqqq\n\n-> add-identity {identity}\n\n\
         -> add-identity {}\n\n-> add-identity {}\n\n\
         -> add-identity {}Q\n\n-> wrap-file-key\nBwcHBwcHBwcHBwcHBwcHBw\n{DONE}{}",
        yours.reveal(),
        other.reveal(),
        identity,
        OK.repeat(4)
    );
    let (result, said) = says("recipient-v1", &theirs);
    result.unwrap();
    let errors: Vec<_> = age_text::parse(said.as_bytes())
        .unwrap()
        .into_iter()
        .map(|it| (it.tag, it.args.join(" "), String::from_utf8(it.body).unwrap()))
        .collect();
    let expect = |at: usize, args: &str, why: &str| {
        let (tag, found, said) = &errors[at];
        assert_eq!((tag.as_str(), found.as_str()), ("error", args));
        assert!(said.contains(why), "{said}");
    };
    expect(0, "recipient 0", "has no recipients");
    expect(1, "identity 1", "not an identity of kept: no");
    expect(2, "identity 2", "not an identity of age-plugin-kept");
    expect(3, "identity 3", "damaged");
    assert_eq!((errors.len(), errors[4].0.as_str()), (5, "done"));
}

#[test]
fn opens_and_asks() {
    let given = format!("-> add-identity {}\n\n{}{DONE}", mine(), stanza());
    let pin = |digits: &str| format!("-> ok\n{}\n", super::super::base64::encode(digits));
    let asks = "-> request-secret\nUElO\n";
    let (result, said) = says("identity-v1", &format!("{given}{}{OK}", pin("1234")));
    result.unwrap();
    assert_eq!(said, format!("{asks}-> file-key 0\nBwcHBwcHBwcHBwcHBwcHBw\n{DONE}"));
    for (answer, why) in [(pin("4321"), "wrong: look"), ("-> fail\n\n".to_owned(), "no PIN")] {
        let (result, said) = says("identity-v1", &format!("{given}{answer}{OK}"));
        result.unwrap();
        let why = super::super::base64::encode(why);
        assert_eq!(said, format!("{asks}-> error identity 0\n{why}\n{DONE}"));
    }
}

#[test]
fn is_quiet_about_files_of_others() {
    let other = "-> recipient-stanza 0 X25519 a\nAAAA\n-> recipient-stanza 1 p256tag AAAA AAAA\n\n";
    let theirs = format!("-> add-identity {}\n\n{other}{DONE}{OK}", mine());
    let (result, said) = says("identity-v1", &theirs);
    result.unwrap();
    // The second is in no form of its type, which is said.
    assert!(said.starts_with("-> error identity 0\n") && said.ends_with(DONE), "{said}");
    let only = "-> recipient-stanza 0 X25519 a\nAAAA\n";
    let (result, said) =
        says("identity-v1", &format!("-> add-identity {}\n\n{only}{DONE}", mine()));
    result.unwrap();
    assert_eq!(said, DONE);
}

/// A file that would have the keeper asked more often than is allowed costs nothing.
#[test]
fn calls_to_a_keeper_are_bounded() {
    let theirs = format!("-> add-identity {}\n\n{}{DONE}{OK}", mine(), stanza().repeat(129));
    let (result, said) = says("identity-v1", &theirs);
    result.unwrap();
    assert!(said.starts_with("-> error identity 0\n") && said.ends_with(DONE), "{said}");
}

#[test]
fn whoever_does_not_keep_to_the_protocol_gets_nothing() {
    let identity = mine();
    let stanza = stanza();
    let long =
        format!("-> recipient-stanza 0 X a\n{}\n", format!("{}\n", "A".repeat(64)).repeat(15_000));
    for (machine, theirs) in [
        ("identity-v1", "usage\n".to_owned()),
        ("identity-v1", String::new()),
        ("identity-v1", "-> done a\n\n".to_owned()),
        ("identity-v1", "-> add-identity\n\n".to_owned()),
        ("identity-v1", format!("-> add-identity {identity} a\n\n{DONE}")),
        ("identity-v1", format!("-> recipient-stanza 0\n\n{DONE}")),
        ("identity-v1", stanza.replace("stanza 0", "stanza 1") + DONE),
        ("identity-v1", stanza.replace("stanza 0", "stanza -1") + DONE),
        ("identity-v1", stanza.replace("stanza 0", "stanza x") + DONE),
        ("identity-v1", long.repeat(2) + DONE),
        ("identity-v1", "-> add-identity a\n\n".repeat(5000) + DONE),
        ("recipient-v1", format!("-> wrap-file-key\nAAAA\n{DONE}")),
        ("recipient-v1", format!("-> wrap-file-key\nBwcHBwcHBwcHBwcHBwcHBwc\n{DONE}")),
        ("recipient-v1", format!("-> wrap-file-key a\nBwcHBwcHBwcHBwcHBwcHBw\n{DONE}")),
        ("recipient-v1", "-> add-recipient a\n\n".repeat(5000) + DONE),
        ("recipient-v1", format!("-> add-identity {identity}\n\n")),
        ("recipient-v2", DONE.to_owned()),
    ] {
        let (result, said) = says(machine, &theirs);
        assert!(result.is_err() && said.is_empty(), "{machine}: {said}");
    }
}

/// A plugin whose recipient has a label.
struct Labelled(Kept);

struct LabelledRecipient(p256::Recipient);

impl Recipient for LabelledRecipient {
    fn wrap_file_key(
        &self,
        file_key: &FileKey,
    ) -> Result<(Vec<Stanza>, HashSet<String>), EncryptError> {
        let (stanzas, _) = self.0.wrap_file_key(file_key)?;
        Ok((stanzas, HashSet::from(["postquantum".to_owned()])))
    }
}

impl InProcessPlugin for Labelled {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn identity(&self, data: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError> {
        self.0.identity(data)
    }

    fn recipient(&self, _: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError> {
        Ok(Box::new(LabelledRecipient(recipient())))
    }
}

/// A client that knows no labels would put the stanza beside any other.
#[test]
fn a_label_is_told_or_nothing_is_wrapped() {
    let says = |extension: &str| {
        let theirs = format!(
            "-> add-identity {}\n\n{extension}-> wrap-file-key\nBwcHBwcHBwcHBwcHBwcHBw\n{DONE}{}",
            mine(),
            OK.repeat(3)
        );
        let to = Recorded::default();
        let conversation = Conversation::new(Cursor::new(theirs.into_bytes()), to.clone());
        let plugin = Arc::new(Labelled(Kept(conversation.clone())));
        run("recipient-v1", plugin, &conversation).unwrap();
        let said = to.0.lock().unwrap().clone();
        age_text::parse(&said).unwrap()
    };
    let told = says("-> extension-labels\n\n");
    assert_eq!((&*told[0].tag, &told[0].args[..]), ("labels", &["postquantum".to_owned()][..]));
    assert_eq!((told.len(), &*told[1].tag), (3, "recipient-stanza"));
    let refused = says("");
    assert_eq!((refused.len(), &*refused[0].tag, &*refused[0].args[0]), (2, "error", "internal"));
}
