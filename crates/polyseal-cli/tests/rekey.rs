//! Rekeying: what of the file changes, what is kept, and that an interruption loses nothing.

#![cfg(unix)]

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::common::{Outcome, TestDir, message, payload_offset, rekey_until_locked};

const BACKUP: &str = "c.header-backup";

/// A room with a file `c` for the key `k`, and another key `other`.
fn room(message: &[u8]) -> (TestDir, Vec<u8>) {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    let sealed = room.seal(message);
    (room, sealed)
}

/// Rekeys for `other`, with the other arguments.
fn rekey(room: &TestDir, args: &[&str]) -> Outcome {
    room.run([&["rekey", "-k", "k", "--to-key", "other"], args].concat(), b"")
}

#[track_caller]
fn rekeys(room: &TestDir, args: &[&str]) {
    let outcome = rekey(room, args);
    assert!(outcome.0.status.success(), "{}", outcome.errors());
}

/// The copy that a rekey in place from the header of `old` to that of `new` keeps beside the file.
fn copy_of(old: &[u8], new: &[u8]) -> Vec<u8> {
    let payload = payload_offset(old);
    [&old[..payload], &new[..payload]].concat()
}

/// A room, and the file as it was before a rekey in place and as it is after it.
fn before_and_after() -> (TestDir, Vec<u8>, Vec<u8>) {
    let (room, old) = room(b"message");
    rekeys(&room, &["--in-place", "c"]);
    let new = room.read("c");
    assert!(old != new && old.len() == new.len());
    (room, old, new)
}

#[test]
fn the_payload_is_not_touched() {
    for length in [0, 1, 65_536, 3_000_001] {
        let message = message(length);
        for args in [&["c"][..], &["--in-place", "c"], &["-o", "c2", "c"]] {
            let (room, old) = room(&message);
            rekeys(&room, args);
            let name = if args[0] == "-o" { "c2" } else { "c" };
            let (new, payload) = (room.read(name), payload_offset(&old));
            assert_eq!(payload_offset(&new), payload);
            assert!(new[..payload] != old[..payload] && new[payload..] == old[payload..]);
            // The fields that bind the payload to the header: salt, suite and context.
            assert!(new[10..12] == old[10..12] && new[12..160] == old[12..160]);
            room.opens("other", name, &message);
            room.run(["decrypt", "-k", "k", name], b"").fails(4, "none of the keys");
            assert_eq!(room.names().len(), if name == "c" { 3 } else { 4 });
            assert!(name == "c" || room.read("c") == old);
        }
    }
}

#[test]
fn a_new_key_makes_all_of_it_new() {
    let (room, _) = room(b"");
    let message = message(200_000);
    let mut args = vec!["encrypt", "-k", "k", "-f", "-o", "c", "--suite", "aegis-128l"];
    args.extend(["--segment-size", "4KiB", "--header-size", "8KiB", "--context", "backup"]);
    room.run(args, &message).succeeds();
    let old = room.read("c");
    rekey(&room, &["--new-key", "c"]).fails(4, "is bound to a context");
    assert!(room.read("c") == old);
    rekey(&room, &["--new-key", "--context", "backup", "c"]).succeeds();
    let new = room.read("c");
    let payload = payload_offset(&old);
    // Length of the header, segment size and suite stay; salt and context tag do not.
    assert_eq!((new.len(), payload), (old.len(), 8192));
    assert!(new[12..32] == old[12..32] && new[64..128] == old[64..128]);
    assert!(new[32..64] != old[32..64] && new[128..160] != old[128..160]);
    let same = new[payload..].chunks(16).zip(old[payload..].chunks(16)).filter(|(a, b)| a == b);
    assert_eq!(same.count(), 0);
    let open = ["decrypt", "-k", "other", "--context", "backup", "c"];
    assert!(room.run(open, b"").succeeds() == message);
    // The old header before the new payload opens nothing.
    room.write("mixed", &[&old[..payload], &new[payload..]].concat());
    let open = ["decrypt", "-k", "k", "--context", "backup", "mixed"];
    room.run(open, b"").fails(3, "is not authentic");
}

#[test]
fn whoever_could_open_it_still_can_if_that_is_said() {
    for args in [&["--keep", "c"][..], &["--keep", "--in-place", "c"]] {
        let (room, _) = room(b"message");
        rekey(&room, args).succeeds();
        room.opens("k", "c", b"message");
        room.opens("other", "c", b"message");
    }
}

#[test]
fn permissions_are_kept_unless_it_is_another_file() {
    for mode in [0o644, 0o600, 0o640, 0o444, 0o755] {
        for args in [&["c"][..], &["--new-key", "c"], &["--in-place", "c"]] {
            let (room, _) = room(b"message");
            fs::set_permissions(room.path("c"), Permissions::from_mode(mode)).unwrap();
            if rekey(&room, args).0.status.code() == Some(1) {
                // Users other than root cannot write to it in place.
                assert!(args[0] == "--in-place" && mode & 0o200 == 0);
                continue;
            }
            let now = fs::metadata(room.path("c")).unwrap().permissions().mode();
            assert_eq!(now & 0o7777, mode, "{args:?}");
            room.opens("other", "c", b"message");
        }
    }
    let (room, _) = room(b"message");
    fs::set_permissions(room.path("c"), Permissions::from_mode(0o644)).unwrap();
    rekeys(&room, &["-o", "c2", "c"]);
    assert_eq!(fs::metadata(room.path("c2")).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn symbolic_links_are_followed_and_stay() {
    for how in ["--in-place", "--new-key", "--keep"] {
        let (room, _) = room(b"message");
        fs::create_dir(room.path("d")).unwrap();
        symlink("../c", room.path("d/link")).unwrap();
        rekeys(&room, &[how, "d/link"]);
        assert!(fs::symlink_metadata(room.path("d/link")).unwrap().is_symlink());
        room.opens("other", "c", b"message");
        assert_eq!(crate::common::names(&room.path("d")), ["link"]);
    }
    // The copy of a header is beside the file, not beside the link.
    let (room, old, new) = before_and_after();
    symlink("c", room.path("link")).unwrap();
    room.write(BACKUP, &copy_of(&old, &new));
    rekey(&room, &["--in-place", "link"]).fails(2, "a rekey was interrupted");
    assert!(room.read("c") == new);
    room.run(["rekey", "--restore", "link"], b"").succeeds();
    assert!(room.read("c") == old);
}

/// In place is in the file, under all its names; otherwise the other names keep the old file.
#[test]
fn hard_links() {
    for (how, same) in [("--in-place", true), ("--new-key", false), ("--keep", false)] {
        let (room, old) = room(b"message");
        fs::hard_link(room.path("c"), room.path("also")).unwrap();
        rekeys(&room, &[how, "c"]);
        room.opens("other", "c", b"message");
        let inode = |name| fs::metadata(room.path(name)).unwrap().ino();
        assert_eq!(inode("c") == inode("also"), same);
        assert_eq!(room.read("also") != old, same);
    }
}

/// Wherever the new header has come to an end, or what of it came first.
#[test]
fn a_torn_header_is_put_right() {
    let (room, old, new) = before_and_after();
    let payload = payload_offset(&old);
    let mut torn = 0;
    for cut in [0, 1, 8, 32, 160, 170, 200, 267, 268, 512, 2048, payload - 32, payload - 1, payload]
    {
        for (first, second) in [(&new, &old), (&old, &new)] {
            let file = [&first[..cut], &second[cut..]].concat();
            room.write("c", &file);
            room.write(BACKUP, &copy_of(&old, &new));
            if file != old && file != new {
                torn += 1;
                for key in ["k", "other"] {
                    let outcome = room.run(["decrypt", "-k", key, "c"], b"");
                    assert!(matches!(outcome.0.status.code(), Some(3 | 4)), "{cut}");
                }
            }
            room.run(["rekey", "--restore", "c"], b"").succeeds();
            assert!(room.read("c") == old, "{cut}");
            room.opens("k", "c", b"message");
            assert_eq!(room.names(), ["c", "k", "other"]);
        }
    }
    assert!(torn >= 10, "{torn}");
}

#[test]
fn a_copy_that_cannot_be_put_back_changes_nothing() {
    let (room, old, new) = before_and_after();
    let payload = payload_offset(&old);
    let copy = copy_of(&old, &new);
    let other = room.seal(b"message");
    // A file that is shorter than any header has no room for one.
    let short = &new[..100];
    let mut magic = copy.clone();
    magic[0] ^= 1;
    let mut spare = copy.clone();
    spare[payload - 40] = 1;
    for (file, copy, code) in [
        (&new[..], &copy_of(&other, &other)[..], 2),
        (&new, &copy[..2 * payload - 1], 1),
        (&new, &copy[..payload], 1),
        (&new, &copy[..payload - 1], 3),
        (&new, &copy[..100], 3),
        (&new, b"", 3),
        (&new, &magic, 3),
        (&new, &spare, 3),
        (short, &copy, 2),
        (b"", &copy, 2),
    ] {
        room.write("c", file);
        room.write(BACKUP, copy);
        room.run(["rekey", "--restore", "c"], b"").fails(code, "");
        assert!(room.read("c") == file && room.read(BACKUP) == copy);
    }
    fs::remove_file(room.path(BACKUP)).unwrap();
    room.run(["rekey", "--restore", "c"], b"").fails(1, "No such file");
    room.run(["rekey", "--restore", "absent"], b"").fails(1, "absent");
}

/// Somebody else may write to the directory, too.
#[test]
fn a_copy_that_was_planted_is_not_put_back() {
    let (room, old, new) = before_and_after();
    let header = &old[..payload_offset(&old)];
    let right = copy_of(&old, &new);
    let restore = |keys: &[&str]| room.run([&["rekey", "--restore"], keys, &["c"]].concat(), b"");
    let changed = |at: usize, bytes: &[u8]| {
        let mut copy = header.to_vec();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        copy
    };
    // Another segment size; another suite; a longer header of the same file.
    let segment = changed(12, &4096_u32.to_le_bytes());
    let suite = changed(64, b"aegis-128l\0\0\0\0\0\0");
    let mut longer = changed(16, &8192_u64.to_le_bytes());
    let zeros = [0; 4096];
    longer.splice(header.len() - 32..header.len() - 32, zeros);
    for header in [segment, suite, longer] {
        let copy = copy_of(&header, &[&new[..], &[0; 4096]].concat());
        room.write(BACKUP, &copy);
        restore(&[]).fails(2, "it may be another file");
        assert!(room.read("c") == new && room.read(BACKUP) == copy);
    }
    // A header of this file, but with forged stanzas: a key tells.
    let forged = copy_of(&changed(header.len() - 1, &[header[header.len() - 1] ^ 1]), &new);
    room.write(BACKUP, &forged);
    for keys in [&["-k", "k"][..], &["-k", "other"]] {
        let outcome = restore(keys);
        assert!(matches!(outcome.0.status.code(), Some(3 | 4)), "{}", outcome.errors());
        assert!(room.read("c") == new && room.read(BACKUP) == forged);
    }
    fs::remove_file(room.path(BACKUP)).unwrap();
    // Not a file at all.
    room.write("saved", &right);
    let not_ours = "is not a regular file";
    symlink("saved", room.path(BACKUP)).unwrap();
    restore(&[]).fails(2, not_ours);
    fs::remove_file(room.path(BACKUP)).unwrap();
    fs::create_dir(room.path(BACKUP)).unwrap();
    restore(&[]).fails(2, not_ours);
    fs::remove_dir(room.path(BACKUP)).unwrap();
    if crate::common::have("mkfifo") {
        assert!(room.shell(&format!("mkfifo {BACKUP}")).succeeds().is_empty());
        restore(&[]).fails(2, not_ours);
        fs::remove_file(room.path(BACKUP)).unwrap();
    } else {
        crate::common::cannot("mkfifo is missing");
    }
    assert!(room.read("c") == new);
    // Right, but of somebody who is neither the caller nor the file's owner.
    room.write(BACKUP, &right);
    match chown(room.path(BACKUP), Some(54_321), None) {
        Ok(()) => drop(restore(&[]).fails(2, not_ours)),
        Err(_) => crate::common::cannot("giving a file to another owner needs root"),
    }
    assert!(room.read("c") == new);
    // The right one, with its key and without any.
    for keys in [&["-k", "k"][..], &[]] {
        let _ = fs::remove_file(room.path(BACKUP));
        room.write("c", &new);
        room.write(BACKUP, &right);
        restore(keys).succeeds();
        assert!(room.read("c") == old && !room.path(BACKUP).exists());
    }
}

/// A file that only has the name of a copy is reported as that, and not as an interrupted rekey.
#[test]
fn what_stands_in_the_way_of_a_copy_is_named() {
    let (room, old, new) = before_and_after();
    room.write("c", &old);
    let other = room.seal(b"message");
    room.write("c", &old);
    let foreign = copy_of(&other, &other);
    for (planted, why) in
        [(&b"planted"[..], "not a Polyseal file"), (&foreign, "neither of the headers")]
    {
        room.write(BACKUP, planted);
        let args = ["rekey", "-k", "k", "--to-key", "other", "--in-place", "c"];
        let errors = room.run(args, b"").fails(2, "c.header-backup stands in the way").errors();
        assert!(errors.contains(why) && errors.contains("see what this is"), "{errors}");
        assert!(!errors.contains("was interrupted") && !errors.contains("--restore"), "{errors}");
        let outcome = room.run([&args[..], &["--json"]].concat(), b"");
        assert_eq!(outcome.0.status.code(), Some(2));
        // A new file needs no such name: the planted file keeps nothing from being done.
        for how in [&["--new-key"][..], &["--keep"], &["--keep", "--json"]] {
            room.write("c", &old);
            let outcome = rekey(&room, &[how, &["c"]].concat());
            assert!(outcome.0.status.success(), "{}", outcome.errors());
            let told = "c.header-backup is no copy of a header, and was left as it is";
            assert!(outcome.errors().contains(told), "{}", outcome.errors());
            room.opens("other", "c", b"message");
        }
        room.write("c", &old);
        // Somebody who cannot open the file is not told of a rekey that never was.
        let errors = room.run(["decrypt", "-k", "other", "c"], b"").fails(4, "").errors();
        assert!(!errors.contains("interrupted"), "{errors}");
        assert!(room.read("c") == old && room.read(BACKUP) == planted);
    }
    room.write(BACKUP, &copy_of(&old, &new));
    room.run(["decrypt", "-k", "other", "c"], b"").fails(4, "was interrupted");
}

#[test]
fn an_interrupted_file_is_put_back_before_anything_else() {
    let (room, old, new) = before_and_after();
    let copy = copy_of(&old, &new);
    let torn = [&new[..200], &old[200..]].concat();
    for file in [&old, &new, &torn] {
        for how in ["--in-place", "--new-key", "--keep"] {
            room.write("c", file);
            room.write(BACKUP, &copy);
            let args = ["rekey", "-k", "k", "-k", "other", "--to-key", "other", how, "c"];
            room.run(args, b"").fails(2, "a rekey was interrupted").fails(2, "--restore");
            assert!(room.read("c") == *file && room.read(BACKUP) == copy);
        }
    }
    // Nor is another's output written over it: the copy would then be of that.
    room.write("d", &old);
    rekey(&room, &["-f", "-o", "c", "d"]).fails(2, "a rekey was interrupted");
    assert!(room.read("c") == torn && room.read(BACKUP) == copy);
    // Another file can be made of it, if it opens.
    room.write("c", &new);
    room.run(["rekey", "-k", "other", "--to-key", "k", "--keep", "-o", "c2", "c"], b"").succeeds();
    room.opens("k", "c2", b"message");
}

/// Its copy is beside one of its names; under the other, nobody sees that a rekey was interrupted.
#[test]
fn a_rekey_under_another_name_is_not_undone() {
    let (room, old, new) = before_and_after();
    room.run(["keygen", "-o", "third"], b"").succeeds();
    fs::hard_link(room.path("c"), room.path("also")).unwrap();
    let copy = copy_of(&old, &new);
    room.write(BACKUP, &copy);
    let args = ["rekey", "--in-place", "-k", "other", "--to-key", "third", "also"];
    assert!(room.run(args, b"").0.status.success());
    let newest = room.read("c");
    for keys in [&["-k", "k"][..], &[]] {
        let restore = [&["rekey", "--restore"], keys, &["c"]].concat();
        room.run(restore, b"").fails(2, "have been rekeyed under another name");
        assert!(room.read("c") == newest && room.read(BACKUP) == copy);
    }
    room.opens("third", "c", b"message");
}

#[test]
fn a_refused_rekey_changes_nothing() {
    let (room, old) = room(b"message");
    let recipient = "age1wcaq02qxx596v93ekhlzk0xke3t7vs6g3xqtzxgf3sd3ta5r5svqlf4jea";
    let many = format!("{recipient}\n").repeat(60);
    room.write("many", many.as_bytes());
    let unheard = ["--passphrase-fd", "99"];
    for how in [&[][..], &["--in-place"], &["-o", "c2"]] {
        let run = |args: &[&str]| room.run([&["rekey"], how, args, &["c"]].concat(), b"");
        run(&["-k", "other", "--to-key", "other"]).fails(4, "none of the keys");
        run(&["-k", "k"]).fails(2, "nobody was named");
        run(&["-k", "k", "--to-key", "absent"]).fails(1, "absent");
        run(&[&unheard[..], &["--to-key", "other"]].concat()).fails(1, "file descriptor 99");
        // There is no room for so many; a new key makes it.
        run(&["-k", "k", "-R", "many"])
            .fails(2, "there are at most 128, and fewer of the larger kinds");
        assert!(room.read("c") == old);
        assert_eq!(room.names(), ["c", "k", "many", "other"]);
    }
    room.run(["rekey", "-k", "k", "-R", "many", "--new-key", "c"], b"").succeeds();
    assert!(payload_offset(&room.read("c")) > payload_offset(&old));
}

/// The tool's descriptors are not for the programs that it starts: a plugin that could read a
/// passphrase from one could open every file that has it.
#[test]
fn a_plugin_inherits_no_descriptor() {
    let room = TestDir::new();
    room.write("secret", b"retreat\n");
    room.write("m", b"message");
    room.write(
        "age-plugin-failing",
        b"#!/bin/sh\nls /proc/self/fd >$ROOM/fds\ncat <&3 >$ROOM/got\nexit 1\n",
    );
    let mode = Permissions::from_mode(0o755);
    fs::set_permissions(room.path("age-plugin-failing"), mode).unwrap();
    room.shell("$P encrypt --passphrase-fd 3 -o c m 3< secret").succeeds();
    let path = "export ROOM=\"$PWD\" PATH=\"$PWD:$PATH\"; r=age1failing1vyc5lwvd";
    let rekey = "$P rekey --passphrase-fd 3 -r $r c 3< secret 4< m";
    room.shell(&format!("{path}; {rekey}")).fails(1, "age-plugin-failing");
    let fds = String::from_utf8(room.read("fds")).unwrap();
    // The last one is that of `ls`.
    assert!(fds.split_whitespace().take(3).eq(["0", "1", "2"]), "{fds}");
    assert!(fds.split_whitespace().count() <= 4, "{fds}");
    assert!(!room.path("got").exists() || room.read("got").is_empty());
}

/// A file may be said to have more bytes than there is room for.
#[test]
fn holes_stay_holes() {
    let (room, old) = room(b"message");
    let hole = 1 << 36;
    let file = OpenOptions::new().write(true).open(room.path("c")).unwrap();
    if file.set_len(hole).is_err() {
        return crate::common::cannot("the file system has no files of 64 GiB");
    }
    rekeys(&room, &["c"]);
    let metadata = fs::metadata(room.path("c")).unwrap();
    assert_eq!(metadata.len(), hole);
    assert!(metadata.blocks() * 512 < 1 << 24, "{} blocks", metadata.blocks());
    let file = OpenOptions::new().write(true).open(room.path("c")).unwrap();
    file.set_len(old.len() as u64).unwrap();
    room.opens("other", "c", b"message");
}

#[test]
fn only_a_regular_file_without_armour_can_be_rekeyed() {
    let (room, _) = room(b"message");
    room.run(["encrypt", "-a", "-k", "k", "-o", "armoured"], b"message").succeeds();
    for name in ["armoured", "-", "/dev/null"] {
        for how in ["--in-place", "--new-key", "--keep"] {
            let outcome = rekey(&room, &[how, name]);
            assert!(matches!(outcome.0.status.code(), Some(2 | 3)), "{name}, {how}");
        }
    }
    assert_eq!(room.names(), ["armoured", "c", "k", "other"]);
    assert!(fs::symlink_metadata("/dev/null").unwrap().rdev() != 0);
}

/// Changes to a file while a rekey of it waits for a key are not undone, whichever way either goes:
/// a key that was revoked meanwhile stays revoked.
#[test]
fn what_others_do_meanwhile_is_not_undone() {
    for slow in [&["--keep"][..], &["--keep", "--in-place"], &["--new-key"]] {
        for quick in [&["--new-key"][..], &["--in-place"], &[]] {
            let (room, _) = room(&message(100_000));
            assert!(room.shell("mkfifo third").0.status.success());
            let args = [&["rekey", "-k", "k", "--to-key", "third"], slow, &["c"]].concat();
            // It has read the header once, and waits for somebody to write to the FIFO.
            let mut waiting = room.command(args);
            let waiting = waiting.stderr(Stdio::piped()).spawn().unwrap();
            let mut third = OpenOptions::new().write(true).open(room.path("third")).unwrap();
            rekeys(&room, &[quick, &["c"]].concat());
            let (revoked, names) = (room.read("c"), room.names());
            third.write_all(&room.read("k")).unwrap();
            drop(third);
            let outcome = Outcome(waiting.wait_with_output().unwrap());
            outcome.fails(1, "c has been changed meanwhile");
            assert!(room.read("c") == revoked, "{slow:?} after {quick:?}");
            assert_eq!(room.names(), names);
            room.run(["verify", "-k", "k", "c"], b"").fails(4, "");
            room.run(["verify", "-k", "other", "c"], b"").succeeds();
        }
    }
}

/// A rekey that begins while another waits for a key, and is interrupted, has to be put back first:
/// its copy would otherwise undo the other one.
#[test]
fn one_that_was_interrupted_meanwhile_is_put_back_first() {
    let (room, old) = room(&message(100_000));
    assert!(room.shell("mkfifo third").0.status.success());
    let mut waiting = room.command(["rekey", "-k", "k", "--to-key", "third", "c"]);
    let waiting = waiting.stderr(Stdio::piped()).spawn().unwrap();
    let mut third = OpenOptions::new().write(true).open(room.path("third")).unwrap();
    room.write("c.header-backup", &copy_of(&old, &old));
    third.write_all(&room.read("k")).unwrap();
    drop(third);
    Outcome(waiting.wait_with_output().unwrap()).fails(2, "a rekey was interrupted");
    assert!(room.read("c") == old);
}

#[test]
fn a_file_that_another_rekey_has_locked_is_not_waited_for_long() {
    let (room, old) = room(b"message");
    let file = File::open(room.path("c")).unwrap();
    file.lock().unwrap();
    rekey(&room, &["c"]).fails(1, "c is being rekeyed by another program");
    assert!(room.read("c") == old);
    file.unlock().unwrap();
    rekeys(&room, &["c"]);
}

/// Another file with the same recipients may have been put in its place: the context tells.
#[test]
fn a_wrong_context_is_refused_wherever_it_is_given() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "other"], b"").succeeds();
    room.write("m", b"message");
    room.run(["encrypt", "-k", "k", "--context", "mine", "-o", "c", "m"], b"").succeeds();
    let old = room.read("c");
    for args in [&["--keep"][..], &["--in-place"], &["--new-key"], &["-o", "c2"]] {
        rekey(&room, &[args, &["--context", "yours", "c"]].concat()).fails(4, "context");
        assert!(room.read("c") == old && !room.path("c2").exists());
    }
    rekeys(&room, &["--in-place", "--context", "mine", "c"]);
    for args in [&["--keep"][..], &["--new-key"], &["--context", "mine"], &["--to-key", "k"]] {
        let all = [&["rekey", "--restore"], args, &["c"]].concat();
        room.run(all, b"").fails(2, "cannot be used with");
    }
}

/// Two rekeys of one file do not undo each other, whichever way the first makes its change: the one
/// that comes too late says so.
#[test]
fn what_is_revoked_meanwhile_stays_revoked() {
    for how in [&["--keep"][..], &["--keep", "--in-place"], &["--new-key"]] {
        let (room, _) = room(b"message");
        let first = rekey_until_locked(&room, &[how, &["--to-key", "other"]].concat(), "c");
        room.run(["keygen", "-o", "third"], b"").succeeds();
        let revoke = ["rekey", "-k", "k", "--to-key", "third", "c"];
        let second = room.command(revoke).stdin(Stdio::null()).spawn().unwrap();
        // It has read the header, and waits.
        sleep(Duration::from_millis(300));
        room.write("go", b"");
        let first = Outcome(first.wait_with_output().unwrap());
        assert!(first.0.status.success(), "{}", first.errors());
        Outcome(second.wait_with_output().unwrap()).fails(1, "changed meanwhile");
        room.opens("other", "c", b"message");
        room.run(["decrypt", "-k", "third", "c"], b"").fails(4, "none of the keys");
    }
}

/// Somebody who can write to a folder of the path shows another file once the right one is locked.
#[test]
fn what_was_read_is_replaced_and_nothing_else() {
    let (room, _) = room(b"message");
    fs::create_dir(room.path("home")).unwrap();
    room.write("home/precious", b"the only copy");
    for how in [&[][..], &["--in-place"], &["--new-key"]] {
        let _ = fs::remove_file(room.path("go"));
        let _ = fs::remove_file(room.path("link"));
        room.seal(b"message");
        symlink("c", room.path("link")).unwrap();
        let rekey = rekey_until_locked(&room, &[how, &["--to-key", "other"]].concat(), "link");
        fs::remove_file(room.path("link")).unwrap();
        symlink("home/precious", room.path("link")).unwrap();
        room.write("go", b"");
        let outcome = Outcome(rekey.wait_with_output().unwrap());
        assert!(outcome.0.status.success(), "{}", outcome.errors());
        room.opens("other", "c", b"message");
        assert_eq!(room.read("home/precious"), b"the only copy");
        assert_eq!(fs::read_link(room.path("link")).unwrap(), Path::new("home/precious"));
    }
}

/// A file that has two names is done under both, and the second does not wait for the first.
#[test]
fn two_names_of_one_file_in_one_run() {
    for link in [|from: PathBuf, to: PathBuf| symlink(from, to), |from, to| fs::hard_link(from, to)]
    {
        let (room, _) = room(b"message");
        link(room.path("c"), room.path("d")).unwrap();
        let done = rekey(&room, &["c", "d"]);
        assert!(done.0.status.success(), "{}", done.errors());
        room.opens("other", "c", b"message");
        room.opens("other", "d", b"message");
    }
}
