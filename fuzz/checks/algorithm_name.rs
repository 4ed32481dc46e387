//! Any text: an algorithm's name, which has one spelling, or an error that can be printed.

use polyseal::registry::Algorithm;

pub(crate) fn check(text: &str) {
    match text.parse::<Algorithm>() {
        Ok(algorithm) => {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            assert!(algorithm.family().tag_bytes.accepts(algorithm.tag_bytes()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
