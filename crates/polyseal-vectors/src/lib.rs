//! Files of test vectors in the Wycheproof AEAD schema, and what Polyseal's algorithms make of
//! them.
//!
//! Source: the schemas `aead_test_schema.json` and `mac_test_schema.json` of C2SP/wycheproof, with
//! names of the registry as algorithms, too.
//!
//! [`read`] takes a whole file, strictly: what it does not understand is an error, never a skip.
//! Fields that say nothing about the outcome are not looked at. Skipped are Wycheproof's tests of
//! AES-192, which Polyseal does not have, and those of an algorithm that a build was made without;
//! it is said how many ([`Group::skipped`]). Legacy and opt-in configurations run like every other.
//!
//! ```
//! let file = r#"{
//!     "algorithm": "aegis-128l",
//!     "testGroups": [{
//!         "type": "AeadTest", "keySize": 128, "ivSize": 128, "tagSize": 128,
//!         "tests": [{
//!             "tcId": 1, "key": "10010000000000000000000000000000",
//!             "iv": "10000200000000000000000000000000", "aad": "", "msg": "",
//!             "ct": "", "tag": "c2b879a67def9d74e6c14f708bbcc9b4", "result": "valid"
//!         }]
//!     }]
//! }"#;
//! for group in polyseal_vectors::read(file)? {
//!     for test in group.tests() {
//!         assert_eq!(group.check(test), Ok(()));
//!     }
//! }
//! # Ok::<(), polyseal_vectors::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

use std::fmt;

mod check;
#[cfg(feature = "flex")]
mod flex;
mod schema;

pub use check::Verdict;
pub use schema::{Group, Skipped, Test, read};

/// The reason why a file of vectors cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group of one test of AEGIS-128L, with an empty message; `more` stands in the test.
    fn file(algorithm: &str, key_size: u64, tag: &str, more: &str) -> String {
        let key = &"10010000000000000000000000000000".repeat(2)[..key_size as usize / 4];
        format!(
            r#"{{"algorithm": "{algorithm}", "testGroups": [{{
                "type": "AeadTest", "keySize": {key_size}, "ivSize": 128, "tagSize": 128,
                "tests": [{{
                    "tcId": 7, "key": "{key}", "iv": "10000200000000000000000000000000",
                    "aad": "", "msg": "", "ct": "", "tag": "{tag}", "result": "valid"{more}
                }}]
            }}]}}"#
        )
    }

    const TAG: &str = "c2b879a67def9d74e6c14f708bbcc9b4";

    #[test]
    fn a_test_passes_only_if_it_is_as_it_says() {
        let verdict = |tag: &str| {
            let groups = read(&file("aegis-128l", 128, tag, "")).unwrap();
            let test = &groups[0].tests()[0];
            assert_eq!((groups.len(), test.id(), groups[0].skipped()), (1, 7, None));
            groups[0].check(test)
        };
        assert_eq!(verdict(TAG), Ok(()));
        assert!(verdict(&TAG.replace('c', "d")).is_err());
    }

    #[test]
    fn what_is_not_understood_is_an_error_and_never_a_skip() {
        for (text, part) in [
            (file("aegis-128l", 128, TAG, r#", "tcId": 8"#), "duplicate field `tcId`"),
            (file("aegis-512l", 128, TAG, ""), "unknown algorithm aegis-512l"),
            (file("aegis-128l", 256, TAG, ""), "a group that is not all invalid"),
            (file("AES-GCM", 192, TAG, ""), "all tests are of AES-192"),
            (r#"{"algorithm": "aegis-128l", "testGroups": []}"#.to_owned(), "there are no tests"),
            (String::new(), "EOF"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
