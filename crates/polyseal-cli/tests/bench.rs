//! `bench --report`: what the report on the papers is made of, by the tool alone.

#![cfg(feature = "bench")]

use std::path::Path;

use crate::common::TestDir;
use serde_json::Value;

#[test]
fn a_report_has_every_paper_and_every_back_end() {
    let room = TestDir::new();
    let args = "bench --report new/report --size 64 --rounds 1 --slice 0 --patience 0".split(' ');
    let said = room.run(args, b"").succeeds();
    let records = Path::new("new/report").join("measured.jsonl");
    assert!(String::from_utf8_lossy(&said).contains(&records.display().to_string()));
    let records = String::from_utf8(room.read("new/report/measured.jsonl")).unwrap();
    let records: Vec<Value> =
        records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str, field: &str| {
        let records = records.iter().filter(|record| record["kind"] == kind);
        records.map(|record| record[field].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut backends = of("run", "backend");
    assert!(backends.contains(&"soft".to_owned()), "{backends:?}");
    backends.dedup();
    assert_eq!(backends, of("run", "backend"), "each once");
    for paper in ["aegis", "kc-xaes", "flex", "omd", "och"] {
        assert!(of("contest", "paper").iter().any(|other| other == paper), "{paper}");
    }
    // A file stands where the directory would be.
    room.write("taken", b"");
    let refused = room.run(["bench", "--report", "taken", "--size", "64"], b"");
    assert_eq!(refused.0.status.code(), Some(1));
    // The papers' measurements cannot be chosen.
    let refused = room.run(["bench", "--report", "r", "--suite", "aegis-128l"], b"");
    assert_eq!(refused.0.status.code(), Some(2));
}
