//! The command line, as its users see it: every file in `cmd/` is a transcript.

/// The system's text for one of its error numbers.
fn words(code: i32) -> String {
    polyseal_file::reason(&std::io::Error::from_raw_os_error(code))
}

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    // ENOENT or ERROR_FILE_NOT_FOUND.
    cases.insert_var("[NO_FILE]", words(2)).unwrap();
    let not_given = "on Windows, a passphrase comes from descriptor 0, which is standard input";
    let not_given = if cfg!(windows) { not_given.to_owned() } else { words(9) };
    cases.insert_var("[NOT_GIVEN]", not_given).unwrap();
    cases.case("tests/cmd/*.trycmd");
    if cfg!(feature = "stores") {
        cases.skip("tests/cmd/without-stores.trycmd");
    }
    if cfg!(feature = "mount") {
        cases.skip("tests/cmd/without-mount.trycmd");
    }
    if cfg!(not(feature = "bench")) {
        cases.skip("tests/cmd/bench.trycmd");
    }
}
