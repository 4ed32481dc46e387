//! Any text: an algorithm's name, which has one spelling, or an error that can be printed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyseal::registry::Algorithm;

fuzz_target!(|text: &str| {
    match text.parse::<Algorithm>() {
        Ok(algorithm) => {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            assert!(algorithm.family().tag_bytes.accepts(algorithm.tag_bytes()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
