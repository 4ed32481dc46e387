//! Which algorithms files are encrypted with.
//!
//! An allow-list of whole names: a new algorithm of the registry does not enter the format by
//! itself, nor does another size or parameter of one on the list. An AEAD is on it if its
//! definition is public and stable, its tag has at least 16 bytes and its nonce has room for the
//! segment's number.

use std::fmt;

use polyseal::registry::Algorithm;

use crate::error::{Error, Result};

/// The suite when nothing else is said: `aegis-256x2`, and [`PORTABLE_SUITE`] in a build without
/// the feature `aegis`.
///
/// Any crate of a program can turn the feature on for all of them: to have the same suite in every
/// build, name one ([`Encryptor::suite`](crate::Encryptor::suite)). Which files a build opens does
/// not depend on it.
pub const DEFAULT_SUITE: &str =
    if cfg!(feature = "aegis") { "aegis-256x2" } else { PORTABLE_SUITE };

/// The suite of the portable profile: every platform computes it, and every reader has it, but for
/// a build of this crate without the feature `gcm`, which refuses it by name.
pub const PORTABLE_SUITE: &str = "aes-256-gcm";

/// A row of the specification's table (section 2). Its sizes are the format's own, so that a file
/// is described, measured and rekeyed by a build that has not compiled its algorithm.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: &'static str,
    key_bytes: usize,
    nonce_bytes: usize,
    tag_bytes: usize,
}

const fn row(name: &'static str, key: usize, nonce: usize, tag: usize) -> Row {
    Row { name, key_bytes: key, nonce_bytes: nonce, tag_bytes: tag }
}

const ROWS: [Row; 38] = [
    row("aegis-128l", 16, 16, 16),
    row("aegis-128l:tag=32", 16, 16, 32),
    row("aegis-128x2", 16, 16, 16),
    row("aegis-128x2:tag=32", 16, 16, 32),
    row("aegis-128x4", 16, 16, 16),
    row("aegis-128x4:tag=32", 16, 16, 32),
    row("aegis-256", 32, 32, 16),
    row("aegis-256:tag=32", 32, 32, 32),
    row("aegis-256x2", 32, 32, 16),
    row("aegis-256x2:tag=32", 32, 32, 32),
    row("aegis-256x4", 32, 32, 16),
    row("aegis-256x4:tag=32", 32, 32, 32),
    row("aes-128-gcm", 16, 12, 16),
    row("aes-256-gcm", 32, 12, 16),
    row("xaes-256-gcm", 32, 24, 16),
    row("kc-xaes-256-gcm", 32, 24, 48),
    row("dndk-gcm", 32, 24, 16),
    row("dndk-gcm:kc=1", 32, 24, 48),
    row("h-aes-256-gcm", 32, 24, 16),
    row("h-kc-aes-256-gcm", 32, 24, 48),
    row("hkdf-committed-aes-256-gcm", 32, 32, 48),
    row("padding-fix-aes-256-gcm", 32, 12, 48),
    row("ctx-aes-256-gcm", 32, 12, 32),
    row("ctx-aegis-128l", 16, 16, 32),
    row("ctx-aegis-128x2", 16, 16, 32),
    row("ctx-aegis-128x4", 16, 16, 32),
    row("ctx-aegis-256", 32, 32, 32),
    row("ctx-aegis-256x2", 32, 32, 32),
    row("ctx-aegis-256x4", 32, 32, 32),
    row("flex-och", 32, 32, 64),
    row("flex-och-public", 32, 24, 32),
    row("flex-och-transport", 32, 12, 16),
    row("flex-civ", 32, 32, 64),
    row("flex-civ-public", 32, 24, 32),
    row("flex-robust", 32, 24, 32),
    row("omd-sha256", 32, 31, 32),
    row("omd-sha512", 64, 32, 64),
    row("omd-blake2b", 64, 32, 64),
];

static TABLE: [Row; ROWS.len()] = ROWS;

static NAMES: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ROWS[at].name;
        at += 1;
    }
    names
};

/// The longest textual form in bytes: the header's field for it.
pub(crate) const NAME_BYTES: usize = 64;
/// The longest nonce of an allowed suite in bytes.
pub(crate) const MAX_NONCE_BYTES: usize = 32;
/// The longest key of an allowed suite in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 64;

/// An algorithm that files are encrypted with.
///
/// Every suite of the format can be named. The features `aegis`, `gcm`, `ctx`, `flex` and `omd` say
/// which are compiled; [`algorithm`](Self::algorithm) whether this build has one.
///
/// ```
/// use polyseal_file::Suite;
///
/// let suite: Suite = "aegis-256x2".parse()?;
/// assert_eq!((suite.key_bytes(), suite.tag_bytes()), (32, 16));
/// # Ok::<(), polyseal_file::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Suite(&'static Row);

impl Suite {
    /// `algorithm`, if files are encrypted with it.
    ///
    /// # Errors
    /// [`Error::Suite`] if they are not; [`Error::SuiteOfSegments`] because it has segments itself.
    pub fn new(algorithm: &Algorithm) -> Result<Self> {
        let name = algorithm.to_string();
        match Self::named(&name) {
            Some(suite) => Ok(suite),
            None if algorithm.is_whole() => Err(Error::SuiteOfSegments(name)),
            None => Err(Error::Suite(name)),
        }
    }

    /// The suite of this name, in its one spelling.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(Self)
    }

    /// The names of all suites, those that this build was made without among them.
    #[must_use]
    pub fn allowed() -> &'static [&'static str] {
        &NAMES
    }

    /// The algorithm.
    ///
    /// # Errors
    /// [`Error::SuiteLeftOut`] if this build was made without it.
    pub fn algorithm(&self) -> Result<Algorithm> {
        self.0.name.parse().map_err(|error| match error {
            polyseal::Error::LeftOut { feature } => {
                Error::SuiteLeftOut { suite: self.0.name, feature }
            }
            other => Error::Cipher(other),
        })
    }

    /// The length of its key in bytes.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.0.key_bytes
    }

    /// The length of its tag in bytes: of each segment, beside the ciphertext.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        self.0.tag_bytes
    }
}

impl std::str::FromStr for Suite {
    type Err = Error;

    /// Reads a name in any of its spellings.
    fn from_str(text: &str) -> Result<Self> {
        if let Some(suite) = Self::named(text) {
            return Ok(suite);
        }
        Self::new(&text.parse().map_err(|_| Error::Suite(text.to_owned()))?)
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({})", self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use polyseal::any::AnyAead;
    use polyseal::registry::families;

    use super::*;
    use crate::layout::MAX_SEGMENT_BYTES;

    /// The format's sizes are the registry's, for what is compiled.
    #[test]
    fn the_suites_are_those_of_the_specification() {
        for row in &TABLE {
            let suite: Suite = row.name.parse().unwrap();
            assert_eq!(suite.to_string(), row.name);
            assert!(row.name.len() < NAME_BYTES && row.key_bytes <= MAX_KEY_BYTES);
            assert!((9..=MAX_NONCE_BYTES).contains(&row.nonce_bytes), "{}", row.name);
            let algorithm = match suite.algorithm() {
                Err(Error::SuiteLeftOut { suite, feature }) => {
                    let built = match feature {
                        "aegis" => cfg!(feature = "aegis"),
                        "gcm" => cfg!(feature = "gcm"),
                        "ctx" => cfg!(feature = "ctx"),
                        "flex" => cfg!(feature = "flex"),
                        "omd" => cfg!(feature = "omd"),
                        _ => true,
                    };
                    assert!(suite == row.name && !built, "{suite} is left out");
                    continue;
                }
                found => found.unwrap(),
            };
            let sizes = [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()];
            assert_eq!(sizes, [row.key_bytes, row.nonce_bytes, row.tag_bytes], "{}", row.name);
            assert!(algorithm.family().limits.max_message_bytes >= MAX_SEGMENT_BYTES.into());
            assert!(AnyAead::new(&algorithm, &vec![0; row.key_bytes]).is_ok());
        }
    }

    #[test]
    fn nothing_else_is_a_suite() {
        let all = families().iter().flat_map(Algorithm::instances);
        let suites: std::collections::BTreeSet<_> =
            all.filter_map(|a| Suite::new(&a).ok()).map(|s| s.to_string()).collect();
        let built = TABLE.iter().filter_map(|row| Suite(row).algorithm().ok());
        assert_eq!(suites, built.map(|algorithm| algorithm.to_string()).collect());
        for bad in ["aes-256-gcm:tag=12", "aes-128-gcm:nonce=16", "kc-xaes-256-gcm:nonce=20"] {
            assert!(bad.parse::<Algorithm>().is_ok() && bad.parse::<Suite>().is_err(), "{bad}");
        }
        for bad in [
            "flex",
            "flex:cfg=0100012018000000",
            "flex-och:key=16",
            "flex-robust:nonce=0",
            "omd-sha512:tag=32",
            "omd-sha256:version=1",
            "omd-blake2b:rule=reference",
        ] {
            assert!(matches!(bad.parse::<Suite>(), Err(Error::Suite(name)) if name == bad));
        }
        for bad in ["flex-och-stream", "flex-civ-stream", "flex:cfg=0108012018000a00"] {
            assert!(
                matches!(bad.parse::<Suite>(), Err(Error::SuiteOfSegments(name)) if name == bad)
            );
        }
    }
}
