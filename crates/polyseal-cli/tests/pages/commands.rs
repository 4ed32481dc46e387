//! Every command on a page does what it says there, one after the other in a shell.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{all_blocks, read};
use crate::common::{TOOL, cannot, have, message};

/// Runs the page's commands in a directory of its own, and returns how many there are.
fn run(page: &str) -> usize {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("photos")).unwrap();
    fs::write(room.path().join("photos/one"), message(1000)).unwrap();
    run_in(room.path(), page, &[])
}

/// Runs the page's blocks of `console` and `sh` in `room`, which is the user's home, with these
/// variables, and returns how many commands there are.
pub(crate) fn run_in(room: &Path, page: &str, variables: &[(&str, String)]) -> usize {
    let mut path = OsString::from(Path::new(TOOL).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());

    let run = |command: &str, expected: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-e", "-o", "pipefail", "-c", command]).current_dir(room);
        shell.env("PATH", &path).env("HOME", room).envs(variables.iter().cloned());
        let output = shell.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{page}: {command}: {errors}");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        // A range ends where it ends, without an end of line.
        if !expected.is_empty() {
            assert_eq!(shown.trim_end(), expected.trim_end(), "{page}: {command}");
        }
    };
    let text = read(page);
    let mut commands = 0;
    for (language, lines) in all_blocks(&text) {
        if language == "sh" {
            run(&lines.join("\n"), "");
            commands += lines.len();
        } else if language == "console" {
            // Each command stands behind a prompt, and its output below.
            let mut lines = lines.into_iter().peekable();
            while let Some(line) = lines.next() {
                let command = line.strip_prefix("$ ");
                let command = command.unwrap_or_else(|| panic!("{page}: {line}: no command"));
                let mut expected = String::new();
                while let Some(output) = lines.next_if(|line| !line.starts_with("$ ")) {
                    expected += output;
                    expected += "\n";
                }
                run(command, &expected);
                commands += 1;
            }
        }
    }
    commands
}

#[test]
fn every_command_in_the_readmes() {
    assert!(run("README.md") >= 7);
    assert!(run("crates/polyseal-cli/README.md") >= 7);
}

#[test]
fn every_command_about_files() {
    assert!(run("docs/files.md") > 30);
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
