//! The page about backups: its job runs as systemd, cron would run it, and so do its commands; its
//! exit codes, its figure, and what it says is kept are so.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs};

use rustix::fs::{XattrFlags, getxattr, setxattr};

use super::commands::run_in;
use super::{blocks, read};
use crate::common::{Outcome, TOOL, TestDir, cannot, have};

const PAGE: &str = "docs/backup.md";

/// A directory with a source, and an identity's recipient.
fn room() -> TestDir {
    let room = TestDir::new();
    fs::create_dir(room.path("srv")).unwrap();
    room.write("srv/report", b"draft\n");
    for who in ["restore", "other"] {
        let keygen = ["keygen", "-t", "hybrid", "-o", &format!("{who}.identity")];
        room.write(&format!("{who}.recipient"), &room.run(keygen, b"").succeeds());
    }
    room
}

/// A line of the page, with the places of this directory.
fn moved(line: &str) -> String {
    let places = [
        ("/usr/bin/polyseal", TOOL),
        ("%d/", ""),
        ("/etc/polyseal/", ""),
        ("%S/polyseal/", ""),
        ("/var/lib/", ""),
        ("/backup/srv", "sealed"),
        (" /srv", " srv"),
    ];
    places.into_iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to))
}

/// Restores with the identity, and says how that ends.
fn verify(room: &TestDir, who: &str, more: &[&str]) -> Outcome {
    let identity = format!("{who}.identity");
    let args = ["verify", "-i", &identity, "--recursive", "-q", "sealed"];
    room.run([&args, more].concat(), b"")
}

#[test]
fn the_units_are_good_and_their_command_works() {
    let page = read(PAGE);
    let room = room();
    let units = blocks(&page, "ini");
    for (unit, lines) in ["backup.service", "backup.timer"].into_iter().zip(&units) {
        let text = lines.join("\n").replace("/usr/bin/polyseal", TOOL);
        room.write(unit, text.as_bytes());
        assert!(page.contains(&format!("/etc/systemd/system/{unit}`")), "{unit}");
    }
    if have("systemd-analyze") {
        let mut analyze = Command::new("systemd-analyze");
        analyze.args(["verify", "--man=no", "./backup.service", "./backup.timer"]);
        let said = analyze.current_dir(room.0.path()).output().unwrap();
        assert!(said.status.success() && said.stderr.is_empty(), "{said:?}");
    } else {
        cannot("systemd-analyze is missing");
    }

    let line = units[0].iter().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    // Systemd's own quotes and variables are not in it: a shell takes it as systemd does.
    assert!(line.chars().all(|c| c.is_ascii_alphanumeric() || " /%-.".contains(c)), "{line}");
    for number in 1..=2 {
        room.shell(&moved(line)).succeeds();
        verify(&room, "restore", &["--at-least", &number.to_string()]).succeeds();
        room.write("srv/report", b"final\n");
    }

    // With a key on the host.
    let credential = "LoadCredential=backup.key:";
    let variable = "Environment=POLYSEAL_KEY_FILE=%d/backup.key";
    assert!(page.contains(credential) && page.contains(variable));
    let line = line.replace("-R %d/restore.recipient ", "");
    let line = line.replace("--state %S/polyseal/srv.state ", "").replace("/backup/srv", "own");
    room.shell(&format!("POLYSEAL_KEY_FILE=k {}", moved(&line))).succeeds();
    room.run(["verify", "-k", "k", "--recursive", "-q", "own"], b"").succeeds();
}

#[test]
fn the_line_of_cron_is_silent_unless_it_fails() {
    let page = read(PAGE);
    let room = room();
    let line = blocks(&page, "crontab")[0].join("\n");
    // Cron takes a percent sign for the end of the line.
    let command = line.strip_prefix("30 2 * * * root ").expect("a line of a system's crontab");
    assert!(!command.contains(['%', '\n']), "{command}");
    assert_eq!(room.shell(&moved(command)).succeeds(), b"");
    verify(&room, "restore", &[]).succeeds();
    fs::remove_file(room.path("srv/report")).unwrap();
    let outcome = room.shell(&moved(command));
    assert_eq!(outcome.0.stdout, b"exit code 2\n", "{}", outcome.errors());
    assert!(outcome.errors().contains("srv has no files"), "{}", outcome.errors());
}

#[test]
fn every_command_about_backups() {
    let room = TestDir::new();
    let programs = [Path::new(TOOL).parent().unwrap().to_owned()];
    let others = env::var_os("PATH").unwrap();
    let path = env::join_paths(programs.into_iter().chain(env::split_paths(&others))).unwrap();
    let variables = [("PATH", path.into_string().unwrap())];
    assert!(run_in(room.0.path(), PAGE, &variables) > 9);
    let verify = ["verify", "-i", "new.identity", "--recursive", "-q", "sealed"];
    room.run(verify, b"").succeeds();
}

#[test]
fn every_exit_code_of_the_table() {
    let page = read(PAGE);
    let codes = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let codes: Vec<i32> = codes.filter_map(|code| code.parse().ok()).collect();
    assert_eq!(codes, [0, 1, 2, 3, 4, 6]);

    let room = room();
    let job = "$P encrypt -R restore.recipient --recursive --update --state s -o sealed srv";
    room.shell(job).succeeds();
    verify(&room, "restore", &[]).succeeds();
    verify(&room, "other", &[]).fails(4, "none of the keys");
    verify(&room, "restore", &["--at-least", "2"]).fails(3, "older");

    room.write("sealed/stranger", b"");
    verify(&room, "restore", &[]).fails(6, "not of this tree");
    fs::remove_file(room.path("sealed/stranger")).unwrap();

    room.shell("mkfifo srv/pipe").succeeds();
    room.shell(job).fails(2, "--exclude");
    verify(&room, "restore", &[]).fails(1, "does not have it");
    fs::remove_file(room.path("srv/pipe")).unwrap();
    room.shell(job).succeeds();
    verify(&room, "restore", &[]).succeeds();

    // Without its state, everything anew: what was deleted meanwhile is of no tree.
    room.write("srv/new", b"");
    fs::remove_file(room.path("srv/report")).unwrap();
    room.write("s", b"damaged");
    let outcome = room.shell(job);
    assert!(outcome.0.status.success(), "{}", outcome.errors());
    assert!(outcome.errors().contains("encrypted anew: the state of it"), "{}", outcome.errors());
    verify(&room, "restore", &["--at-least", "2"]).fails(3, "number 1");
    verify(&room, "restore", &[]).fails(6, "report.polyseal");

    let mut altered = room.read("sealed/new.polyseal");
    *altered.last_mut().unwrap() ^= 1;
    room.write("sealed/new.polyseal", &altered);
    verify(&room, "restore", &[]).fails(3, "not authentic");
}

#[test]
fn what_is_kept_and_what_it_costs() {
    let page = read(PAGE);
    let room = room();
    room.write("srv/report", &[0; 1000]);
    fs::hard_link(room.path("srv/report"), room.path("srv/hard")).unwrap();
    fs::create_dir(room.path("srv/empty")).unwrap();
    symlink("report", room.path("srv/link")).unwrap();
    // Only root can give a file away, and not every file system has attributes.
    let is_given = chown(room.path("srv/report"), Some(1), None).is_ok();
    let flags = XattrFlags::empty();
    let is_set = setxattr(room.path("srv/report"), "user.polyseal", b"1", flags).is_ok();
    fs::set_permissions(room.path("srv/report"), PermissionsExt::from_mode(0o664)).unwrap();
    fs::set_permissions(room.path("srv/empty"), PermissionsExt::from_mode(0o751)).unwrap();
    let hole = fs::File::create(room.path("srv/hole")).unwrap();
    hole.set_len(1 << 20).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    for name in ["srv/report", "srv/empty"] {
        fs::File::open(room.path(name)).unwrap().set_modified(then).unwrap();
    }
    let job = "$P encrypt -R restore.recipient --recursive --update --state s -o sealed srv";
    room.shell(job).succeeds();
    let bytes = fs::metadata(room.path("sealed/report.polyseal")).unwrap().len();
    let cost = format!("1000 bytes take {:.1} times", bytes as f64 / 1000.0);
    assert!(page.contains(&cost), "{cost}");

    let decrypt = ["decrypt", "-i", "restore.identity", "--recursive", "--preserve-permissions"];
    room.run([&decrypt[..], &["-o", "all", "sealed"]].concat(), b"").succeeds();
    let seen = |name: &str| fs::symlink_metadata(room.path(name)).unwrap();
    for name in ["report", "hard", "empty", "link", "hole"] {
        let (before, after) = (seen(&format!("srv/{name}")), seen(&format!("all/{name}")));
        assert_eq!(after.mode(), before.mode(), "{name}");
        assert_eq!(after.modified().unwrap(), before.modified().unwrap(), "{name}");
    }
    assert_eq!(fs::read_link(room.path("all/link")).unwrap().to_str(), Some("report"));
    assert_eq!((seen("srv/hard").nlink(), seen("all/hard").nlink()), (2, 1));
    assert!(!is_given || (seen("srv/report").uid(), seen("all/report").uid()) == (1, 0));
    let attribute = |name| getxattr(room.path(name), "user.polyseal", &mut [0; 8][..]).is_ok();
    assert_eq!((attribute("srv/report"), attribute("all/report")), (is_set, false));
    assert!(seen("all/hole").blocks() < 2048 && seen("all/hole").len() == 1 << 20);
}
