//! Every command on a page does what it says there, one after the other in a shell.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{all_blocks, read};
use crate::common::{TOOL, cannot, have, message};

/// Runs the page's blocks of `console` and `sh` in a directory of its own, which is the user's home,
/// and returns how many commands there are.
fn run(page: &str) -> usize {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("photos")).unwrap();
    fs::write(room.path().join("photos/one"), message(1000)).unwrap();
    let mut path = OsString::from(Path::new(TOOL).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());

    let text = read(page);
    let blocks = all_blocks(&text).into_iter().filter(|(l, _)| ["console", "sh"].contains(l));
    // Lines of `sh` are commands; those of `console` begin with a prompt, and have output.
    let lines = blocks.flat_map(|(l, lines)| lines.into_iter().map(move |line| (l == "sh", line)));
    let mut lines = lines.peekable();
    let is_output = |&(is_command, line): &(bool, &str)| !is_command && !line.starts_with("$ ");
    let mut commands = 0;
    while let Some((is_command, line)) = lines.next() {
        let command = if is_command { Some(line) } else { line.strip_prefix("$ ") };
        let command = command.unwrap_or_else(|| panic!("{page}: {line}: no command"));
        let mut expected = String::new();
        while let Some((_, output)) = lines.next_if(is_output) {
            expected += output;
            expected += "\n";
        }
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", command]).current_dir(&room);
        let output = shell.env("PATH", &path).env("HOME", room.path()).output().unwrap();
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
