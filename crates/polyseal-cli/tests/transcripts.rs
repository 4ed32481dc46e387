//! The command line, as its users see it: every file in `cmd/` is a transcript.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases.case("tests/cmd/*.trycmd");
    if cfg!(feature = "stores") {
        cases.skip("tests/cmd/without-stores.trycmd");
    }
    if cfg!(not(feature = "bench")) {
        cases.skip("tests/cmd/bench.trycmd");
    }
}
