//! The keyring of the desktop: GNOME Keyring, KWallet, `KeePassXC`.
//!
//! Source: the Secret Service API of freedesktop.org, spoken by libsecret's program `secret-tool`.
//! `secret-service:service=backup;account=ops` has attributes as that program has them.
//!
//! A keyring wraps nothing, it keeps. So the key itself is stored there, and the wrapped key is a
//! random name of 16 bytes, the attribute `polyseal-wrap-id` of the entry.
//!
//! Security claim: the key goes to the program and comes from it by pipes, never by an argument.
//!
//! Limits: every program of the user can read an unlocked keyring. The encryption context is bound
//! to the key by the file's check value alone. A key that was wrapped again has two entries, and
//! the older one stays, as the older file needs it.

use std::path::Path;
use std::time::Duration;

use polyseal_file::Key;

use super::programs::{Ended, Program};
use super::{Blob, Kms};
use crate::{Context, Problem, Result, Settings, Uri};

/// The keyring may ask the user for its password.
const LIMIT: Duration = Duration::from_secs(120);

/// How the program finds the bus and the keyring a window to ask in.
const VARIABLES: [&str; 5] =
    ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];

/// The attribute that tells the keys with the same URI apart.
const ID: &str = "polyseal-wrap-id";

/// Its length in bytes; there it is in hexadecimal digits.
const ID_BYTES: usize = 16;

struct Keyring {
    program: Program,
    /// Names and values by turns.
    attributes: Vec<String>,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let attributes = attributes(uri)?;
    let program = Program::find("secret-tool", "libsecret-tools", &VARIABLES, LIMIT, settings)?;
    Ok(Box::new(Keyring { program, attributes }))
}

/// They become arguments of a program: none may look like an option of it.
fn attributes(uri: &Uri) -> Result<Vec<String>> {
    let bad = |why: String| Problem::Uri(why);
    let mut attributes = Vec::new();
    for name in uri.attribute_names() {
        let is_safe = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b);
        if name.is_empty() || name.starts_with('-') || !name.bytes().all(is_safe) {
            let rule = "has lower-case letters, digits and _.- and does not begin with -";
            return Err(bad(format!("the name of an attribute {rule}")).into());
        }
        if name == ID || name.starts_with("xdg:") {
            return Err(bad(format!("the attribute {ID} is set by Polyseal")).into());
        }
        let value = uri.attribute(name).unwrap_or_default();
        if value.is_empty() || value.starts_with('-') || value.chars().any(char::is_control) {
            let rule = "is not empty, does not begin with - and has no control characters";
            return Err(bad(format!("the value of {name} {rule}")).into());
        }
        attributes.extend([name.to_owned(), value.to_owned()]);
    }
    match attributes.is_empty() {
        true => Err(bad("it names at least one attribute, as in service=backup".into()).into()),
        false => Ok(attributes),
    }
}

impl Keyring {
    /// Runs `secret-tool`, with the attributes of the entry with this name.
    fn run(&self, command: &[&str], id: &str, input: &[u8]) -> Result<Ended> {
        let of_uri = self.attributes.iter().map(String::as_str);
        let args: Vec<_> = command.iter().copied().chain(of_uri).chain([ID, id]).collect();
        self.program.run(Path::new("/"), &args, input)
    }

    /// Why there is no key: the program is silent alike if there is no entry, and if the user did
    /// not unlock it.
    fn absent(&self, id: &str) -> Result<Problem> {
        let found = self.run(&["search", "--all"], id, b"")?;
        Ok(match (found.out.is_empty(), found.good) {
            (false, _) => Problem::Unreachable("the keyring is locked".to_owned()),
            (true, true) => Problem::NotFound(format!("the keyring has no entry {ID} {id}")),
            (true, false) => Problem::Unreachable(found.said("secret-tool:")),
        })
    }
}

impl Kms for Keyring {
    fn wrap(&self, key: &Key, _: &Context) -> Result<Blob> {
        let mut bytes = vec![0; ID_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| Problem::Random)?;
        let file = key.to_file();
        // The line of the key, without the words for people.
        let line = file.reveal().trim_end().rsplit('\n').next().unwrap_or_default();
        let store = ["store", "--label=Key of Polyseal"];
        match self.run(&store, &digits(&bytes), line.as_bytes())? {
            stored if stored.good => Ok(Blob { bytes, key_id: None }),
            failed => Err(Problem::Unreachable(failed.said("secret-tool:")).into()),
        }
    }

    fn unwrap(&self, wrapped: &[u8], _: &Context) -> Result<Key> {
        if wrapped.len() != ID_BYTES {
            return Err(Problem::Refused("it does not name an entry".to_owned()).into());
        }
        let id = digits(wrapped);
        let found = self.run(&["lookup"], &id, b"")?;
        match (found.out.is_empty(), found.words.trim().is_empty()) {
            (false, _) => Key::parse(&found.out).map_err(|_| {
                Problem::Service("what the keyring has there is no key".to_owned()).into()
            }),
            (true, true) => Err(self.absent(&id)?.into()),
            (true, false) => Err(Problem::Unreachable(found.said("secret-tool:")).into()),
        }
    }
}

fn digits(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Cannot fail: a string takes whatever is written.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
