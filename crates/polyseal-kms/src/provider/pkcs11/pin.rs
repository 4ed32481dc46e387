//! The PIN of a token: where it comes from, and that a wrong one is not given twice.
//!
//! Source: RFC 7512, section 2.4, for `pin-value` and `pin-source`; without a `|command`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use polyseal_file::SecretText;
use zeroize::Zeroizing;

use crate::{Error, Problem, Result, Settings, Uri};

/// The longest PIN, in bytes.
const MAX_BYTES: usize = 256;

/// A PIN, wiped when dropped.
pub(super) struct Pin {
    pub(super) text: SecretText,
    /// The user was asked for it, and knows how often it was wrong.
    pub(super) was_typed: bool,
}

/// The PIN from the URI, the environment, or the user.
pub(super) fn find(uri: &Uri, settings: &Settings, what: &str) -> Result<Pin> {
    let (text, was_typed) = if let Some(value) = uri.query("pin-value") {
        (value.to_owned().into(), false)
    } else if let Some(source) = uri.query("pin-source") {
        (read(source.strip_prefix("file:").unwrap_or(source))?, false)
    } else if let Some(value) = settings.get("PKCS11_PIN") {
        (value.into(), false)
    } else if let Some(path) = settings.get("PKCS11_PIN_FILE") {
        (read(&path)?, false)
    } else {
        (settings.ask(what).ok_or(Problem::NoPin)?, true)
    };
    if text.reveal().is_empty() {
        return Err(Problem::NoPin.into());
    }
    if text.reveal().len() > MAX_BYTES {
        return Err(Problem::Setting("a PIN has at most 256 bytes".to_owned()).into());
    }
    Ok(Pin { text, was_typed })
}

/// The first line of a file.
fn read(path: &str) -> Result<SecretText> {
    let bad = |why: &str| Error::new(Problem::Setting(format!("the PIN's file {path}: {why}")));
    if !Path::new(path.strip_prefix("//").unwrap_or(path)).is_absolute() {
        // It may be the PIN itself.
        let why = "the path of the PIN's file is not absolute";
        return Err(Problem::Setting(why.to_owned()).into());
    }
    let file = File::open(path).map_err(|error| bad(&error.to_string()))?;
    // With all the room at once it never moves, which would leave a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 3));
    let read = file.take(MAX_BYTES as u64 + 3).read_to_end(&mut bytes);
    read.map_err(|error| bad(&error.to_string()))?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = str::from_utf8(line).map_err(|_| bad("not text in UTF-8"))?;
    if text.contains(['\n', '\r']) {
        return Err(bad("it has more than one line"));
    }
    Ok(text.to_owned().into())
}

/// The tokens that a wrong PIN was given to.
static REFUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The right to give a PIN: one thread has it at a time, so that none gives what another has just
/// found to be wrong.
pub(super) struct Attempt {
    refused: MutexGuard<'static, Vec<String>>,
    token: String,
}

impl Attempt {
    /// Waits for it. `token` names the token for as long as this process runs.
    pub(super) fn new(token: &str) -> Self {
        let refused = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
        Self { refused, token: token.to_owned() }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused.contains(&self.token)
    }

    /// Nothing is given to the token any more.
    pub(super) fn refuse(mut self) {
        self.refused.push(self.token);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Origin;

    fn uri(query: &str) -> Uri {
        Uri::parse(&format!("pkcs11:object=a{query}"), Origin::User).unwrap()
    }

    #[test]
    fn from_the_uri_then_the_environment_then_the_user() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pin");
        fs::write(&path, "in a file\r\n").unwrap();
        let path = path.to_str().unwrap().to_owned();
        let with = |names: &'static [&str]| {
            let path = path.clone();
            let variables = move |name: &str| match name {
                "PKCS11_PIN_FILE" if names.contains(&name) => Some(path.clone()),
                name if names.contains(&name) => Some("set".to_owned()),
                _ => None,
            };
            Settings::from_variables(variables)
                .ask_with(|what| (what == "PIN").then(|| "typed".to_owned().into()))
        };
        let find = |query: &str, names| {
            let pin = find(&uri(query), &with(names), "PIN").unwrap();
            (pin.text.reveal().to_owned(), pin.was_typed)
        };
        let all = &["PKCS11_PIN", "PKCS11_PIN_FILE"][..];
        assert_eq!(find("?pin-value=said", all), ("said".to_owned(), false));
        for start in ["", "file:", "file://"] {
            let source = format!("?pin-source={start}{path}");
            assert_eq!(find(&source, all), ("in a file".to_owned(), false), "{source}");
        }
        assert_eq!(find("", all), ("set".to_owned(), false));
        assert_eq!(find("", &["PKCS11_PIN_FILE"]), ("in a file".to_owned(), false));
        assert_eq!(find("", &[]), ("typed".to_owned(), true));
    }

    #[test]
    fn what_is_no_pin() {
        let none = Settings::from_variables(|_| None);
        let problem =
            |query: &str| find(&uri(query), &none, "PIN").err().unwrap().problem().clone();
        assert_eq!(problem(""), Problem::NoPin);
        assert_eq!(problem("?pin-value="), Problem::NoPin);
        let long = "1".repeat(MAX_BYTES + 1);
        let others = ["pin-source=111111", "pin-source=|cat%20/pin", "pin-source=/no/such/file"];
        for query in others.iter().map(|&s| s.to_owned()).chain([format!("pin-value={long}")]) {
            let problem = problem(&format!("?{query}"));
            assert!(matches!(problem, Problem::Setting(_)), "{query}");
            assert!(!format!("{problem}").contains("111"), "{problem}");
        }
    }
}
