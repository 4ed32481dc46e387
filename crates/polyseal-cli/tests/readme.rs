//! Every command in the README does what it says there: a newcomer's five minutes, in a shell.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{TOOL, message};

/// The lines of all blocks that show a console.
fn console(text: &str) -> Vec<&str> {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        if fence {
            inside = *line == "```console";
        }
        inside && !fence
    });
    lines.collect()
}

#[test]
fn every_command_in_the_readme() {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("photos")).unwrap();
    fs::write(room.path().join("photos/one"), message(1000)).unwrap();
    fs::write(room.path().join("passphrase.txt"), "correct horse battery staple\n").unwrap();
    let mut path = OsString::from(Path::new(TOOL).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());

    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let mut lines = console(&text).into_iter().peekable();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{line}: no command"));
        let mut expected = String::new();
        while let Some(output) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected += output;
            expected += "\n";
        }
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", command]).env("PATH", &path).current_dir(&room);
        let output = shell.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        // A range ends where it ends, without an end of line.
        if !expected.is_empty() {
            assert_eq!(shown.trim_end(), expected.trim_end(), "{command}");
        }
        commands += 1;
    }
    assert!(commands > 20, "{commands} commands");
}
