//! Any text: an algorithm's name, which has one spelling, or an error that can be printed. A name
//! of Flex is a configuration, which its eight bytes describe as well.

use polyseal::flex::{Builder, Config};
use polyseal::registry::Algorithm;

pub(crate) fn check(text: &str) {
    match text.parse::<Algorithm>() {
        Ok(algorithm) => {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            assert!(algorithm.family().sizes.tag_bytes.accepts(algorithm.tag_bytes()));
            assert_eq!(
                algorithm.family().identity.id.starts_with("flex"),
                Config::from_algorithm(&algorithm).is_some()
            );
            if let Some(config) = Config::from_algorithm(&algorithm) {
                let builder = Builder::from_bytes(config.to_bytes()).expect("its own bytes");
                assert_eq!(builder.allow_64_bits().build(), Ok(config));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
