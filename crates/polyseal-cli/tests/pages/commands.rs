//! Every command on a page does what it says there, one after the other in a shell.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{blocks, read};
use crate::common::{TOOL, cannot, have, message};

/// Runs the page's blocks of `console` in a directory of its own, and returns how many commands
/// there are.
fn run(page: &str) -> usize {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("photos")).unwrap();
    fs::write(room.path().join("photos/one"), message(1000)).unwrap();
    let mut path = OsString::from(Path::new(TOOL).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());

    let text = read(page);
    let mut lines = blocks(&text, "console").into_iter().flatten().peekable();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        let command =
            line.strip_prefix("$ ").unwrap_or_else(|| panic!("{page}: {line}: no command"));
        let mut expected = String::new();
        while let Some(output) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected += output;
            expected += "\n";
        }
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", command]).env("PATH", &path).current_dir(&room);
        let output = shell.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{page}: {command}: {errors}");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        // A range ends where it ends, without an end of line.
        if !expected.is_empty() {
            assert_eq!(shown.trim_end(), expected.trim_end(), "{page}: {command}");
        }
        commands += 1;
    }
    commands
}

#[test]
fn every_command_in_the_readme() {
    assert!(run("README.md") >= 7);
}

#[test]
fn every_command_about_files() {
    assert!(run("docs/files.md") > 20);
}

#[test]
fn every_command_about_algorithms() {
    assert!(run("docs/choosing.md") + run("docs/limits.md") >= 4);
}

#[test]
fn every_command_about_migration() {
    if !have("age") || !have("age-keygen") {
        return cannot("age is missing");
    }
    assert!(run("docs/migration.md") >= 8);
}
