//! Running tests, one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::{Mutant, TESTS};

/// By package and target.
pub(crate) type Executables = BTreeMap<(String, String), PathBuf>;

/// A test, how long it takes, and the places that it comes by.
pub(crate) struct Test {
    executable: PathBuf,
    name: String,
    pub(crate) time: Duration,
    reached: BTreeSet<usize>,
}

/// The executables that cargo says it has built.
pub(crate) fn executables(messages: &[serde_json::Value]) -> Executables {
    let mut executables = Executables::new();
    for message in messages {
        let (Some(path), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
        else {
            continue;
        };
        let folder = Path::new(manifest).parent().and_then(Path::file_name).expect("a package");
        let target = match message["target"]["kind"][0].as_str() {
            Some("lib") => "lib",
            _ => message["target"]["name"].as_str().expect("a target"),
        };
        let package = folder.to_str().expect("UTF-8").to_owned();
        executables.insert((package, target.to_owned()), path.into());
    }
    executables
}

/// Every test of [`TESTS`], the quickest first, after it has run with no mutant chosen.
pub(crate) fn tests(executables: &Executables, copy: &Path) -> Vec<Test> {
    let mut tests = Vec::new();
    let record = copy.join("reached");
    for (package, target, words) in TESTS {
        let Some(executable) = executables.get(&((*package).into(), (*target).into())) else {
            continue;
        };
        let listed = Command::new(executable).arg("--list").output().expect("a list of tests");
        let listed = String::from_utf8(listed.stdout).expect("UTF-8");
        let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
        for name in names.filter(|name| words.iter().any(|word| name.contains(word))) {
            let _ = fs::remove_file(&record);
            let mut command = command(executable, name);
            command.env("POLYSEAL_MUTANT_REACHED", &record);
            let begun = Instant::now();
            assert!(command.status().expect("a test").success(), "{target} {name} fails by itself");
            let reached = fs::read_to_string(&record).unwrap_or_default();
            let reached = reached.lines().map(|line| line.parse().expect("a number")).collect();
            let (executable, name) = (executable.clone(), name.to_owned());
            tests.push(Test { executable, name, time: begun.elapsed(), reached });
        }
    }
    tests.sort_by_key(|test| test.time);
    tests
}

/// With bounds on memory, for a mutant may ask for any amount; random inputs are the same each
/// time, and failures are not remembered.
fn command(executable: &Path, name: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 8000000; exec \"$@\"", "sh"]).arg(executable);
    command.args(["--exact", "--test-threads=1", name]).env("RUST_BACKTRACE", "0");
    command.env("PROPTEST_RNG_SEED", "1").current_dir(env::temp_dir());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// If no test notices the mutant: how many come by it. One that does not end notices it.
pub(crate) fn survives(mutant: &Mutant, tests: &[Test]) -> Option<usize> {
    let mut reached = 0;
    for test in tests.iter().filter(|test| test.reached.contains(&mutant.first)) {
        reached += 1;
        let mut command = command(&test.executable, &test.name);
        let mut child = command
            .env("POLYSEAL_MUTANT", mutant.number.to_string())
            .spawn()
            .expect("a test starts");
        let limit = Instant::now() + 10 * test.time + Duration::from_secs(5);
        let mut pause = Duration::from_millis(1);
        let passed = loop {
            match child.try_wait().expect("a test ends") {
                Some(status) => break status.success(),
                None if Instant::now() > limit => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break false;
                }
                None => sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        if !passed {
            return None;
        }
    }
    Some(reached)
}
