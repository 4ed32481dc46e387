use polyseal::testing::Backend;

use super::super::mode::TimingTable;
use super::*;
use crate::contest::Timing;
use crate::table::{Style, Table};

fn timing(bytes: usize, seconds: f64) -> Timing {
    Timing::once(bytes, seconds * 1e3, seconds)
}

fn measured() -> TimingTable {
    let names = ["flex-och", "aes-256-gcm", "ocb3 openssl"].map(String::from).to_vec();
    let at = |bytes: usize, one: f64| {
        [one, 2.0 * one, 3.0 * one].map(|seconds| timing(bytes, seconds)).to_vec()
    };
    TimingTable { names, timings: vec![at(256, 0.256), at(4096, 2.048)] }
}

fn written(tables: Vec<Table>) -> String {
    let mut out = Vec::new();
    tables.iter().for_each(|table| table.write(&mut out, Style::Markdown).unwrap());
    String::from_utf8(out).unwrap()
}

#[test]
fn costs_and_ratios() {
    let text = written(MODES[0].tables("OCH, seal", &measured(), Some(0.25)));
    let cells = |start: &str| -> Vec<Vec<String>> {
        let lines = text.lines().filter(|line| line.trim_start_matches("| ").starts_with(start));
        let cells = |line: &str| line.split('|').map(|c| c.trim().to_owned()).collect();
        lines.map(cells).collect()
    };
    let long = cells("  4 KiB");
    assert_eq!(long.len(), 2, "{text}");
    assert_eq!(long[0][2..6], ["0.250", "0.500", "1.000", "1.500"], "{text}");
    assert_eq!(long[1][2..4], ["2.00 (2.00–2.00)", "3.00 (3.00–3.00)"], "{text}");
}

#[test]
fn without_the_mode_there_are_no_ratios() {
    let mut measured = measured();
    measured.names[0] = String::from("something else");
    assert_eq!(MODES[0].tables("OCH, seal", &measured, None).len(), 1);
}

#[test]
fn a_limit_is_the_rounds_of_every_pass() {
    let limits = MODES.each_ref().map(|mode| (mode.limit(0.25) * 1e3).round());
    assert_eq!(limits, [234.0, 469.0, 469.0]);
}

#[test]
fn the_versions_of_every_peer_are_told() {
    for (_, peers) in MODES.iter().flat_map(|mode| mode.rivals) {
        assert!(peers.iter().all(|peer| PEERS.contains(peer)));
    }
}

/// Everything that this program has is measured, and the paper's sizes and associated data are only
/// defaults.
#[test]
fn whatever_exists_is_measured() {
    let options = Options {
        sizes: vec![300],
        ad: Some(3),
        rounds: 1,
        slice: 0,
        patience: 0,
        ..Options::default()
    };
    let mut out = Vec::new();
    tables(&options, &mut Log::None, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for title in ["OCH, seal", "OCH, open", "CIV, seal", "ROBUST, open"] {
        let title = format!("**{title} on {}: cycles per byte**", Backend::detect().name());
        assert!(text.contains(&title), "{text}");
    }
    assert!(text.contains("3 bytes of associated data") && text.contains(" 300 B |"), "{text}");
    assert!(text.contains("ctx-aes-256-gcm"), "{text}");
    assert!(text.contains(" flex-robust | flex-robust-ae |"), "{text}");
    if cfg!(feature = "peers") {
        for name in ["ocb3 openssl", "aes-256-gcm-siv boringssl", "hctr2 rustcrypto", "aez zears"] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
}
