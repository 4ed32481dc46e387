//! Which stores there are, and why one cannot be asked: settings, credentials, and the services
//! that give those.

use std::error::Error;
use std::fmt;

use object_store::Error as StoreError;

use super::answers::{
    BadList, EmptyObject, ExcessBytes, HttpNotAllowed, NoAnswer, Redirected, UnusableCredential,
    find,
};
use super::xml;

/// The most characters that are shown of a server's message.
const SAID: usize = 300;

/// The words of `object_store` about a credential that cannot be read. Behind them are those of a
/// decoder, which may quote it.
const UNREADABLE: [&str; 4] = [
    "Unable to decode service account file",
    "Error reading pem file",
    "Invalid RSA key",
    "Invalid Access Key",
];

/// Where objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Amazon's S3, and other servers with its interface.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure's blobs.
    Az,
    /// A web server, which is only read from.
    Web,
}

/// The reason why no request can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// No credentials are in the environment: one of these variables is needed.
    NoCredentials(String),
    /// The endpoint has no TLS, and this variable does not allow that.
    NoTls(&'static str),
    /// A setting in the environment is wrong.
    Setting(String),
    /// The service that gives credentials refuses to, in its words.
    Refused(String),
    /// The service that gives credentials does not answer as it should, or the system has no
    /// client to ask it.
    Service(String),
}

impl SetupError {
    /// The settings do not make a store, and why, without anything of a credential.
    #[must_use]
    pub fn from_settings(error: &StoreError) -> Self {
        Self::Setting(line(without_quotes(&error.to_string())))
    }

    /// The error of a provider of credentials.
    pub(super) fn from_provider(error: &StoreError) -> Self {
        if let Some(unusable) = find::<UnusableCredential>(error) {
            return Self::from(unusable);
        }
        let said = line(&message(error));
        match error {
            StoreError::Unauthenticated { .. }
            | StoreError::PermissionDenied { .. }
            | StoreError::NotFound { .. } => Self::Refused(said),
            _ => Self::Service(said),
        }
    }
}

impl From<&UnusableCredential> for SetupError {
    fn from(unusable: &UnusableCredential) -> Self {
        Self::Setting(unusable.to_string())
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCredentials(variables) => {
                write!(f, "there are no credentials in the environment: set {variables}")
            }
            Self::NoTls(variable) => {
                write!(f, "its endpoint has no TLS (http://): set {variable}=true if that is meant")
            }
            Self::Setting(what) | Self::Refused(what) | Self::Service(what) => f.write_str(what),
        }
    }
}

impl Error for SetupError {}

/// The words in a store's error that say most.
#[must_use]
pub fn message(error: &StoreError) -> String {
    fn text<T: Error + 'static>(error: &StoreError) -> Option<String> {
        find::<T>(error).map(ToString::to_string)
    }
    let ours = [
        text::<ExcessBytes>,
        text::<Redirected>,
        text::<HttpNotAllowed>,
        text::<BadList>,
        text::<EmptyObject>,
        text::<NoAnswer>,
    ];
    let text = ours.iter().find_map(|text| text(error));
    let text = text.unwrap_or_else(|| without_quotes(&error.to_string()).to_owned());
    // A server's message in XML is in there.
    let xml = text.find('<').and_then(|at| xml::text(&text[at..], "Message"));
    xml.unwrap_or(text)
}

/// A message up to the words of a decoder of credentials.
fn without_quotes(text: &str) -> &str {
    let ends = UNREADABLE.iter().filter_map(|words| Some(text.find(words)? + words.len()));
    ends.min().map_or(text, |end| &text[..end])
}

/// The first line of a server's message, with control characters spelt out, and cut off after 300
/// characters.
#[must_use]
pub fn line(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    let cut = first.char_indices().nth(SAID).map(|(at, _)| at);
    let mut line: String = first[..cut.unwrap_or(first.len())]
        .chars()
        .flat_map(|c| {
            let spelt = c.is_control().then(|| c.escape_default());
            spelt.into_iter().flatten().chain((!c.is_control()).then_some(c))
        })
        .collect();
    if cut.is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_one_line() {
        assert_eq!(line(" a\u{1b}[2J\nb "), "a\\u{1b}[2J");
        assert_eq!(line(&"x".repeat(400)), "x".repeat(300) + "…");
        let source = "Server: <Error><Code>A</Code><Message>No &amp; never</Message></Error>";
        let error = StoreError::Generic { store: "S3", source: source.into() };
        assert_eq!(message(&error), "No & never");
    }
}
