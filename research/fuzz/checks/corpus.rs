//! The inputs of a target that are kept in the tree (`research/fuzz/corpus`), for the tests of a
//! crate.

use std::fs;
use std::path::Path;

/// The names of the inputs, and what is in them.
pub(crate) fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../research/fuzz/corpus").join(target);
    let entries = fs::read_dir(folder).expect("a corpus").map(|entry| entry.expect("an entry"));
    let inputs: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().expect("a name");
            (name, fs::read(entry.path()).expect("an input"))
        })
        .collect();
    assert!(inputs.len() > 10, "{target}");
    inputs
}
