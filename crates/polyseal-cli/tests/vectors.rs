//! Every test vector of the repository, and every figure of the papers' limits, through the tool.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::common::TestDir;
use serde_json::Value;

#[test]
fn every_vector_passes() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors");
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    let args = [OsStr::new("vectors")].into_iter().chain(files.iter().map(|f| f.as_os_str()));
    let report = String::from_utf8(TestDir::new().run(args, b"").succeeds()).unwrap();
    for file in &files {
        assert!(report.contains(file.to_str().unwrap()), "nothing is said of {}", file.display());
    }
}

/// Those that a script of `papers` computes.
#[test]
fn limits_are_those_of_the_papers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../research/papers/limits.json");
    let figures: Vec<Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(figures.len() > 10);
    for figure in figures {
        let (messages, keys) =
            (format!("2^{}", figure["messages"]), format!("2^{}", figure["keys"]));
        let algorithm = figure["algorithm"].as_str().unwrap();
        let args = ["--messages", &messages, "--keys", &keys, "--size", "64", "--json", algorithm];
        let printed = TestDir::new().run(["limits"].into_iter().chain(args), b"").succeeds();
        let printed: Value = serde_json::from_slice(&printed).unwrap();
        let rows = [&printed["bounds"], &printed["offline"]].map(|rows| rows.as_array().unwrap());
        let row = rows.into_iter().flatten().find(|row| row["name"] == figure["row"]);
        let log2 = row.unwrap_or_else(|| panic!("{figure}"))["log2"].as_f64().unwrap();
        // The tool rounds up, to a tenth.
        let exact = figure["log2"].as_f64().unwrap();
        assert!((log2 - (exact * 10.0).ceil() / 10.0).abs() < 1e-9, "{figure}: {log2}");
    }
}
