//! Every test vector of the repository, through the tool.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use common::Room;

#[test]
fn every_vector_passes() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors");
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    let args = [OsStr::new("vectors")].into_iter().chain(files.iter().map(|f| f.as_os_str()));
    let report = String::from_utf8(Room::new().run(args, b"").succeeds()).unwrap();
    for file in &files {
        assert!(report.contains(file.to_str().unwrap()), "nothing is said of {}", file.display());
    }
}
