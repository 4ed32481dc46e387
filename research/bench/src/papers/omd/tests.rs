use super::*;

fn timing(bytes: usize, seconds: f64) -> Timing {
    Timing::once(bytes, seconds * 1e3, seconds)
}

fn measured() -> TimingTable {
    let names = ["omd-sha512", "aes-256-gcm", "sha512 openssl", "sha512 aws-lc", "blake2b openssl"];
    let at = |bytes: usize, one: f64| {
        [3.0 * one, one, 2.5 * one, 2.0 * one, one].map(|seconds| timing(bytes, seconds)).to_vec()
    };
    let timings = vec![at(64, 0.064), at(4096, 2.048)];
    TimingTable { names: names.map(String::from).to_vec(), timings }
}

fn written(table: &Table) -> String {
    let mut out = Vec::new();
    table.write(&mut out, Style::Markdown).unwrap();
    String::from_utf8(out).unwrap()
}

/// The cells of the first row that begins with `start`.
fn cells(table: &Table, start: &str) -> Vec<String> {
    let text = written(table);
    let line = text.lines().find(|line| line.trim_start_matches(['|', ' ']).starts_with(start));
    line.unwrap().split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn a_mode_stands_beside_its_floor() {
    let costs = measured().costs("seal");
    // The fastest library is the floor. Contenders that are not there have empty cells.
    assert_eq!(cells(&costs, "4 KiB")[2..9], ["", "", "1.500", "1.000", "", "0.500", "0.500"]);
    let distances = measured().distances("seal");
    assert_eq!(cells(&distances, "64 B")[2..5], ["", "1.50 (1.50–1.50), aws-lc", ""]);
}

#[test]
fn rates_are_of_the_bytes_that_are_hashed() {
    let rates = measured().rates();
    assert_eq!(cells(&rates, "openssl")[2..5], ["", "0.625", "0.250"]);
    assert_eq!(cells(&rates, "aws-lc")[2..5], ["", "0.500", ""]);
}

#[test]
fn batches_gain_against_singles() {
    let options = Options { rounds: 1, slice: 0, patience: 0, ..Options::default() };
    let suites = ["omd-blake2b", "xaes-256-gcm"].map(|id| id.parse().unwrap());
    let cells = cells(
        &batches(suites.into_iter(), Backend::detect(), &options, &mut Log::None).unwrap(),
        "omd-blake2b",
    );
    assert!(cells[2].parse::<f64>().unwrap() > 0.0, "{cells:?}");
    assert!(cells[4].contains('–'), "{cells:?}");
}

/// Everything that this program has is measured, and the sizes are only defaults.
#[test]
fn whatever_exists_is_measured() {
    let options =
        Options { sizes: vec![300], rounds: 1, slice: 0, patience: 0, ..Options::default() };
    let mut out = Vec::new();
    tables(&options, &mut Log::None, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let backend = Backend::detect();
    for title in ["seal", "open", "8 messages of 16 KiB"] {
        let title = format!("**{title} on {}: cycles per byte", backend.name());
        assert!(text.contains(&title), "{text}");
    }
    assert!(text.contains(" 300 B |") && text.contains("no associated data"), "{text}");
    let names =
        TimingTable::measure(Operation::Seal, backend, &options, &mut Log::None).unwrap().names;
    for name in ["omd-sha256", "omd-sha512", "omd-blake2b", "aes-256-gcm"] {
        assert!(names.contains(&String::from(name)), "{names:?}");
    }
    if cfg!(feature = "peers") {
        for name in ["sha256 aws-lc", "sha512 openssl", "blake2b rustcrypto"] {
            assert!(names.contains(&String::from(name)), "{names:?}");
        }
    }
}
