//! The common part of tests whose peers are programs of the distribution.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use polyseal_kms::{Error, Kms, Origin, Result, Settings, Uri, connect};

/// Whether all of these programs are there; else a notice, or in CI a failure.
pub(crate) fn are_there(programs: &[&str]) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    let is_there = |program: &str| env::split_paths(&paths).any(|path| path.join(program).exists());
    let missing: Vec<_> = programs.iter().filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        assert!(env::var_os("CI").is_none(), "in CI these must be there: {missing:?}");
        eprintln!("SKIPPED: there is no {missing:?}");
    }
    missing.is_empty()
}

/// These variables, and the PATH.
pub(crate) fn settings(variables: &[(&str, &str)]) -> Settings {
    let own = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let variables: Vec<_> = variables.iter().map(own).collect();
    Settings::from_variables(move |name| {
        let of_test = variables.iter().find(|(other, _)| other == name);
        of_test
            .map(|(_, value)| value.clone())
            .or_else(|| (name == "PATH").then(|| env::var("PATH").unwrap()))
    })
}

pub(crate) fn keeper(uri: &str, settings: &Settings) -> Result<Box<dyn Kms>> {
    connect(&Uri::parse(uri, Origin::File)?, settings)
}

/// A script that stands for a program. Another process writes it: a program that is open for
/// writing cannot be started, and the other tests' programs inherit what is open here.
pub(crate) fn program(place: &Path, name: &str, script: &str) {
    let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let mut shell = Command::new("sh");
    shell.args(["-c", write]).arg(place.join(name)).arg(script);
    assert!(shell.status().unwrap().success());
}

pub(crate) fn refusal<T>(result: Result<T>) -> Error {
    match result {
        Ok(_) => panic!("this must fail"),
        Err(error) => error,
    }
}

pub(crate) fn command(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_RUNTIME_DIR", home);
    // A keyring that can ask somebody would wait for the answer.
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
