//! Which algorithms files are encrypted with.
//!
//! An allow-list of whole names: what enters the registry does not enter the format by itself, nor
//! does another size or parameter of what is on it. An AEAD is on it if its definition is public
//! and stable, its tag has at least 16 bytes and its nonce has room for the segment's number.

use std::fmt;

use polyseal::registry::Algorithm;

use crate::error::{Error, Result};

/// The suite when nothing else is said.
pub const DEFAULT_SUITE: &str = "aegis-256x2";

/// The suite of the portable profile: every reader has it, and every platform computes it.
pub const PORTABLE_SUITE: &str = "aes-256-gcm";

const ALLOWED: &[&str] = &[
    "aegis-128l",
    "aegis-128l:tag=32",
    "aegis-128x2",
    "aegis-128x2:tag=32",
    "aegis-128x4",
    "aegis-128x4:tag=32",
    "aegis-256",
    "aegis-256:tag=32",
    "aegis-256x2",
    "aegis-256x2:tag=32",
    "aegis-256x4",
    "aegis-256x4:tag=32",
    "aes-128-gcm",
    "aes-256-gcm",
    "xaes-256-gcm",
    "kc-xaes-256-gcm",
    "dndk-gcm",
    "dndk-gcm:kc=1",
    "h-aes-256-gcm",
    "h-kc-aes-256-gcm",
    "hkdf-committed-aes-256-gcm",
    "padding-fix-aes-256-gcm",
    "ctx-aes-256-gcm",
    "ctx-aegis-128l",
    "ctx-aegis-128x2",
    "ctx-aegis-128x4",
    "ctx-aegis-256",
    "ctx-aegis-256x2",
    "ctx-aegis-256x4",
    "flex-och",
    "flex-och-public",
    "flex-och-transport",
    "flex-civ",
    "flex-civ-public",
    "flex-robust",
    "omd-sha256",
    "omd-sha512",
    "omd-blake2b",
];

/// The longest textual form in bytes: the header's field for it.
pub(crate) const NAME_BYTES: usize = 64;
/// The longest nonce of an allowed suite in bytes.
pub(crate) const MAX_NONCE_BYTES: usize = 32;
/// The longest key of an allowed suite in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 64;

/// An algorithm that files are encrypted with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Suite(Algorithm);

impl Suite {
    /// `algorithm`, if files are encrypted with it.
    ///
    /// # Errors
    /// [`Error::Suite`] if they are not; [`Error::SuiteOfSegments`] because it has segments itself.
    pub fn new(algorithm: &Algorithm) -> Result<Self> {
        let name = algorithm.to_string();
        match ALLOWED.contains(&name.as_str()) {
            true => Ok(Self(*algorithm)),
            false if algorithm.is_whole() => Err(Error::SuiteOfSegments(name)),
            false => Err(Error::Suite(name)),
        }
    }

    /// The names of all suites.
    #[must_use]
    pub fn allowed() -> &'static [&'static str] {
        ALLOWED
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &Algorithm {
        &self.0
    }

    pub(crate) fn tag_bytes(&self) -> usize {
        self.0.tag_bytes()
    }
}

impl std::str::FromStr for Suite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let algorithm = text.parse().map_err(|_| Error::Suite(text.to_owned()))?;
        Self::new(&algorithm)
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use polyseal::any::AnyAead;
    use polyseal::registry::families;

    use super::*;
    use crate::layout::MAX_SEGMENT_BYTES;

    /// The table of the specification's section 2, which belongs to the format and not to the
    /// registry: names, key, nonce and tag.
    const TABLE: &[(&[&str], [usize; 3])] = &[
        (&["aegis-128l", "aegis-128x2", "aegis-128x4"], [16, 16, 16]),
        (&["aegis-128l:tag=32", "aegis-128x2:tag=32", "aegis-128x4:tag=32"], [16, 16, 32]),
        (&["aegis-256", "aegis-256x2", "aegis-256x4"], [32, 32, 16]),
        (&["aegis-256:tag=32", "aegis-256x2:tag=32", "aegis-256x4:tag=32"], [32, 32, 32]),
        (&["aes-128-gcm"], [16, 12, 16]),
        (&["aes-256-gcm"], [32, 12, 16]),
        (&["xaes-256-gcm", "dndk-gcm", "h-aes-256-gcm"], [32, 24, 16]),
        (&["kc-xaes-256-gcm", "dndk-gcm:kc=1", "h-kc-aes-256-gcm"], [32, 24, 48]),
        (&["hkdf-committed-aes-256-gcm"], [32, 32, 48]),
        (&["padding-fix-aes-256-gcm"], [32, 12, 48]),
        (&["ctx-aes-256-gcm"], [32, 12, 32]),
        (&["ctx-aegis-128l", "ctx-aegis-128x2", "ctx-aegis-128x4"], [16, 16, 32]),
        (&["ctx-aegis-256", "ctx-aegis-256x2", "ctx-aegis-256x4"], [32, 32, 32]),
        (&["flex-och", "flex-civ"], [32, 32, 64]),
        (&["flex-och-public", "flex-civ-public", "flex-robust"], [32, 24, 32]),
        (&["flex-och-transport"], [32, 12, 16]),
        (&["omd-sha256"], [32, 31, 32]),
        (&["omd-sha512", "omd-blake2b"], [64, 32, 64]),
    ];

    #[test]
    fn the_suites_are_those_of_the_specification() {
        let rows = || TABLE.iter().flat_map(|(names, sizes)| names.iter().map(move |n| (n, sizes)));
        assert_eq!(rows().count(), ALLOWED.len());
        for (name, sizes) in rows() {
            let suite: Suite = name.parse().unwrap();
            let algorithm = suite.algorithm();
            let found = [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()];
            assert_eq!((suite.to_string().as_str(), &found), (*name, sizes));
            assert!(name.len() < NAME_BYTES);
            assert!(algorithm.key_bytes() <= MAX_KEY_BYTES);
            assert!((9..=MAX_NONCE_BYTES).contains(&algorithm.nonce_bytes()), "{name}");
            assert!(algorithm.family().limits.max_message_bytes >= MAX_SEGMENT_BYTES.into());
            assert!(AnyAead::new(algorithm, &vec![0; algorithm.key_bytes()]).is_ok());
        }
    }

    #[test]
    fn nothing_else_is_a_suite() {
        let all = || families().iter().flat_map(Algorithm::instances);
        let suites: std::collections::BTreeSet<_> =
            all().filter_map(|a| Suite::new(&a).ok()).map(|s| s.to_string()).collect();
        assert_eq!(suites, ALLOWED.iter().map(|name| (*name).to_owned()).collect());
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
