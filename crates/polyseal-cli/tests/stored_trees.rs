//! Trees and several files in a bucket of a real S3 server, Versity's gateway on this machine:
//! `make test-all ONLY=stores` builds and names it (`POLYSEAL_VERSITYGW`).

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, ChildStdout, Command};

use crate::bucket::BucketFixture;
use crate::common::{Outcome, names};

const MANIFEST: &str = ".polyseal-manifest.polyseal";

impl BucketFixture {
    /// With a tree `d`.
    fn with_tree() -> Self {
        let place = Self::new();
        let room = &place.room;
        fs::create_dir_all(room.path("d/sub/empty")).unwrap();
        room.write("d/one", b"the first");
        room.write("d/sub/%2F #é", b"the second");
        room.write("d/sub/none", b"");
        symlink("one", room.path("d/link")).unwrap();
        fs::set_permissions(room.path("d/one"), fs::Permissions::from_mode(0o640)).unwrap();
        place
    }

    fn encrypt(&self, to: &str) {
        self.run(&["encrypt", "-k", "k", "--recursive", "d", "-o", to]).succeeds();
    }

    fn verify(&self, key: &str, tree: &str) -> Outcome {
        self.run(&["verify", "-k", key, "--recursive", tree])
    }

    /// Asserts that `out` is the tree `d`.
    #[track_caller]
    fn is_the_tree(&self, out: &str) {
        assert_eq!(names(&self.room.path(out)), ["link", "one", "sub"]);
        assert_eq!(names(&self.room.path(&format!("{out}/sub"))), ["%2F #é", "empty", "none"]);
        for file in ["one", "sub/%2F #é", "sub/none"] {
            let [there, here] = [out, "d"].map(|tree| self.room.read(&format!("{tree}/{file}")));
            assert!(there == here, "{file}");
        }
        let link = fs::read_link(self.room.path(&format!("{out}/link"))).unwrap();
        assert_eq!(link, Path::new("one"));
        let [there, here] =
            [out, "d"].map(|tree| fs::metadata(self.room.path(&format!("{tree}/one"))).unwrap());
        assert_eq!(there.modified().unwrap(), here.modified().unwrap());
        assert_eq!(there.permissions().mode() & 0o740, 0o640);
    }
}

/// All regular files below a directory, by their paths there. The server keeps things of its own
/// in folders that begin with a dot.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    fn collect(directory: &Path, front: &str, into: &mut Vec<String>) {
        for name in names(directory) {
            let path = directory.join(&name);
            if path.is_dir() {
                if !name.starts_with(".sgwtmp") {
                    collect(&path, &format!("{front}{name}/"), into);
                }
            } else {
                into.push(format!("{front}{name}"));
            }
        }
    }
    let mut found = Vec::new();
    collect(directory, "", &mut found);
    found
}

/// The server keeps the ETag of an object in an attribute of its file.
fn copy_with_its_tag(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        fs::create_dir_all(to.join(&path).parent().unwrap()).unwrap();
        fs::copy(from.join(&path), to.join(&path)).unwrap();
    }
}

#[test]
fn a_tree_goes_to_a_prefix_and_back() {
    let place = BucketFixture::with_tree();
    // With a slash at the end or not, and all of a bucket.
    for (i, (to, folder)) in
        [("s3://bucket/p/q", "p/q"), ("s3://bucket/r/", "r")].into_iter().enumerate()
    {
        place.encrypt(to);
        let expected = [MANIFEST, "one.polyseal", "sub/%2F #é.polyseal", "sub/none.polyseal"];
        assert_eq!(files(&place.stored(folder)), expected);
        let verified = String::from_utf8(place.verify("k", to).succeeds()).unwrap();
        let name = format!("s3://bucket/{folder}/one.polyseal: whole and authentic, 9 bytes\n");
        assert!(verified.contains(&name), "{verified}");
        let out = format!("out{i}");
        place.run(&["decrypt", "-k", "k", "--recursive", to, "-o", &out]).succeeds();
        place.is_the_tree(&out);
    }
    place.server.bucket("other");
    place.encrypt("s3://other");
    place.run(&["decrypt", "-k", "k", "--recursive", "s3://other/", "-o", "all"]).succeeds();
    place.is_the_tree("all");
    let json =
        place.run(&["verify", "-k", "k", "--recursive", "s3://other", "--json", "--jobs", "3"]);
    let json = String::from_utf8(json.succeeds()).unwrap();
    assert!(
        json.contains("{\"path\":\"s3://other/one.polyseal\",\"outcome\":\"verified\""),
        "{json}"
    );
    let excluded = ["decrypt", "-k", "k", "--recursive", "s3://other/", "--exclude", "sub"];
    place.run(&[&excluded[..], &["-o", "part"]].concat()).succeeds();
    assert_eq!(names(&place.room.path("part")), ["link", "one"]);
    assert!(!place.room.path("s3:").exists());
}

#[test]
fn it_is_the_tree_that_a_directory_has() {
    let place = BucketFixture::with_tree();
    place.encrypt("s3://bucket/p");
    copy(&place.stored("p"), &place.room.path("downloaded"));
    place.run(&["verify", "-k", "k", "--recursive", "downloaded"]).succeeds();
    place.run(&["decrypt", "-k", "k", "--recursive", "downloaded", "-o", "out"]).succeeds();
    place.is_the_tree("out");

    place.run(&["encrypt", "-k", "k", "--recursive", "d", "-o", "sealed"]).succeeds();
    copy(&place.room.path("sealed"), &place.stored("uploaded"));
    place.verify("k", "s3://bucket/uploaded/").succeeds();
    let args = ["decrypt", "-k", "k", "--recursive", "s3://bucket/uploaded/", "-o", "back"];
    place.run(&args).succeeds();
    place.is_the_tree("back");
}

#[test]
fn what_is_missing_added_altered_or_swapped_is_told() {
    let place = BucketFixture::with_tree();
    place.encrypt("s3://bucket/p/");
    let at = |name: &str| place.stored("p").join(name);
    let whole = fs::read(at("one.polyseal")).unwrap();

    fs::remove_file(at("one.polyseal")).unwrap();
    place.verify("k", "s3://bucket/p/").fails(3, "s3://bucket/p/one.polyseal: it is missing");
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    fs::write(at("one.polyseal"), &altered).unwrap();
    place.verify("k", "s3://bucket/p/").fails(3, "s3://bucket/p/one.polyseal: ");
    fs::copy(at("sub/none.polyseal"), at("one.polyseal")).unwrap();
    place.verify("k", "s3://bucket/p/").fails(3, "it is not the file that the manifest has there");
    let args = ["decrypt", "-k", "k", "--recursive", "s3://bucket/p/", "-o", "out"];
    place.run(&args).fails(3, "it is not the file that the manifest has there");
    // The others are there.
    assert_eq!(names(&place.room.path("out")), ["link", "sub"]);
    assert_eq!(place.room.read("out/sub/%2F #é"), b"the second");

    fs::write(at("one.polyseal"), &whole).unwrap();
    place.verify("k", "s3://bucket/p/").succeeds();
    fs::create_dir(at("new")).unwrap();
    fs::write(at("new/x"), "").unwrap();
    place
        .verify("k", "s3://bucket/p/")
        .fails(6, "s3://bucket/p/new/x: it is not of this tree: the manifest does not have it");
    fs::remove_file(at("new/x")).unwrap();
    // A name that cannot be a path is reported, too.
    fs::write(at("tab\t"), "").unwrap();
    let verified = place.verify("k", "s3://bucket/p/");
    let told = verified.errors();
    assert!(verified.0.status.success() && told.contains("left out an object"), "{told}");
    fs::remove_file(at("tab\t")).unwrap();
    fs::remove_file(at(MANIFEST)).unwrap();
    place.verify("k", "s3://bucket/p/").fails(3, "is missing: it is no sealed tree");
    place.verify("k", "s3://bucket/none/").fails(3, "is missing: it is no sealed tree");
}

#[test]
fn a_prefix_with_objects_is_refused_unless_they_may_be_replaced() {
    let place = BucketFixture::with_tree();
    fs::create_dir(place.stored("p")).unwrap();
    fs::write(place.stored("p/x"), "x").unwrap();
    let args = ["encrypt", "-k", "k", "--recursive", "d", "-o", "s3://bucket/p/"];
    place.run(&args).fails(2, "s3://bucket/p/ is not empty: s3://bucket/p/x is there");
    assert_eq!(files(&place.stored("p")), ["x"]);
    // One that only begins with it is another.
    place.encrypt("s3://bucket/p/y");
    let args = ["encrypt", "-k", "k", "--recursive", "d", "-f", "-o", "s3://bucket/p/"];
    place.run(&args).succeeds();
    place.verify("k", "s3://bucket/p/").fails(6, "s3://bucket/p/x: it is not of this tree");
    fs::remove_file(place.stored("p/x")).unwrap();
    fs::remove_dir_all(place.stored("p/y")).unwrap();
    place.run(&args).succeeds();
    place.verify("k", "s3://bucket/p/").succeeds();
}

#[test]
fn a_file_that_fails_keeps_no_other_from_being_done() {
    let place = BucketFixture::with_tree();
    let socket = std::os::unix::net::UnixListener::bind(place.room.path("d/socket")).unwrap();
    let args = ["encrypt", "-k", "k", "--recursive", "d", "-o", "s3://bucket/p/"];
    place.run(&args).fails(2, "d/socket: it is neither a file nor a directory");
    drop(socket);
    // As in a directory, the manifest has what could be taken, and says that it is not all.
    place.verify("k", "s3://bucket/p/").fails(1, "p/socket: the tree does not have it");
    let decrypt = ["decrypt", "-k", "k", "--recursive", "s3://bucket/p/", "-o", "out"];
    place.run(&decrypt).fails(1, "p/socket: the tree does not have it");
    place.is_the_tree("out");
}

#[test]
fn names_that_are_no_keys_are_refused_before_anything_is_written() {
    let place = BucketFixture::with_tree();
    for name in [&b"line\nfeed"[..], b"\xff"] {
        let path = place.room.path("d/sub").join(OsStr::from_bytes(name));
        fs::write(&path, "").unwrap();
        let args = ["encrypt", "-k", "k", "--recursive", "d", "-o", "s3://bucket/p/"];
        place.run(&args).fails(2, "names no object");
        let mut several = place.room.command(["encrypt", "-k", "k", "d/one", "-o", "s3://bucket/"]);
        several.arg(&path).envs(place.server.environment());
        Outcome(several.output().unwrap()).fails(2, "names no object");
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(files(&place.stored("")), [""; 0]);
}

#[test]
fn several_files_go_to_a_prefix_and_back() {
    let place = BucketFixture::with_tree();
    place.room.write("two", b"2");
    place.run(&["encrypt", "-k", "k", "d/one", "two", "-o", "s3://bucket/p/"]).succeeds();
    place.run(&["encrypt", "-k", "k", "two", "-o", "s3://bucket"]).succeeds();
    assert_eq!(files(&place.stored("")), ["p/one.polyseal", "p/two.polyseal", "two.polyseal"]);
    let back = ["s3://bucket/p/one.polyseal", "s3://bucket/p/two.polyseal"];
    fs::create_dir(place.room.path("out")).unwrap();
    place.run(&[&["decrypt", "-k", "k", "-o", "out"], &back[..]].concat()).succeeds();
    assert_eq!(names(&place.room.path("out")), ["one", "two"]);
    assert_eq!(place.room.read("out/one"), b"the first");
    // From one prefix to another, and beside each.
    place.run(&[&["decrypt", "-k", "k", "-o", "s3://bucket/q/"], &back[..]].concat()).succeeds();
    assert_eq!(fs::read(place.stored("q/two")).unwrap(), b"2");
    place.run(&["decrypt", "-k", "k", back[0], back[1]]).succeeds();
    assert_eq!(fs::read(place.stored("p/one")).unwrap(), b"the first");

    // None is replaced, and each is told.
    place
        .run(&["encrypt", "-k", "k", "d/one", "two", "-o", "s3://bucket/p/"])
        .fails(2, "2 of 2 files failed");
    place.run(&["encrypt", "-k", "k", "-f", "d/one", "two", "-o", "s3://bucket/p/"]).succeeds();
    // Known before anything is done.
    fs::create_dir(place.room.path("e")).unwrap();
    place.room.write("e/one", b"another");
    for args in [
        &["encrypt", "d/one", "e/one", "-o", "s3://bucket/n/"][..],
        &["encrypt", "d/one", "two", "-o", "s3://bucket/n"],
        &[
            "decrypt",
            "s3://bucket/p/two.polyseal",
            "s3://bucket/q/two.polyseal",
            "-o",
            "s3://bucket/n/",
        ],
        &["decrypt", "s3://bucket/n/a.polyseal.polyseal", "s3://bucket/n/a.polyseal"],
    ] {
        place.run(&[args, &["-k", "k", "-f"]].concat()).fails(2, "");
        assert!(!place.stored("n").exists(), "{args:?}");
    }
}

#[test]
fn a_list_of_files_goes_to_the_same_paths_below_a_prefix() {
    let place = BucketFixture::with_tree();
    place.room.write("list", b"d/one\n./d/sub/none\n");
    let args = ["encrypt", "-k", "k", "--files-from", "list", "-o", "s3://bucket/p/"];
    place.run(&args).succeeds();
    assert_eq!(files(&place.stored("p")), ["d/one.polyseal", "d/sub/none.polyseal"]);
    place.room.write("list", b"d/../d/one\n/etc/hostname\ns3://bucket/x\nd/sub/none\nd/sub/none\n");
    let more = ["encrypt", "-k", "k", "-f", "--files-from", "list", "-o", "s3://bucket/q/"];
    place.run(&more).fails(2, "leads out of this directory");
    assert_eq!(files(&place.stored("q")), ["d/sub/none.polyseal"]);

    place.room.write("list", b"s3://bucket/p/d/one.polyseal\n");
    let args = ["decrypt", "-k", "k", "--files-from", "list"];
    place.run(&[&args[..], &["-o", "d"]].concat()).fails(2, "leads out of this directory");
    place.run(&args).succeeds();
    assert_eq!(fs::read(place.stored("p/d/one")).unwrap(), b"the first");
    assert!(!place.room.path("d/s3:").exists() && !place.room.path("s3:").exists());
}

/// A directory that is called as a scheme is never meant.
#[test]
fn a_directory_called_s3_is_left_alone() {
    let place = BucketFixture::with_tree();
    for directory in ["p", "q", "o"] {
        fs::create_dir_all(place.room.path("s3:/bucket").join(directory)).unwrap();
    }
    place.room.write("s3:/bucket/p/one.polyseal", b"in the way");
    // An input, if the output were a file.
    let linked = place.room.path("s3:/bucket/q/one.polyseal");
    fs::hard_link(place.room.path("d/one"), linked).unwrap();
    place.room.write("two", b"2");
    let there = files(&place.room.path("s3:"));
    place.encrypt("s3://bucket/p");
    place.run(&["encrypt", "-k", "k", "d/one", "two", "-o", "s3://bucket/q/"]).succeeds();
    place.run(&["encrypt", "-k", "k", "two", "-o", "s3://bucket/o"]).succeeds();
    place.room.write("list", b"two\n");
    place.run(&["encrypt", "-k", "k", "--files-from", "list", "-o", "s3://bucket/p2/"]).succeeds();
    assert!(place.stored("p2/two.polyseal").exists());
    assert_eq!(files(&place.room.path("s3:")), there);
    for args in [
        &["decrypt", "--recursive", "s3://bucket/p", "-o", "s3://bucket/new/"][..],
        &["encrypt", "--recursive", "s3://bucket/p", "-o", "new"],
        &["encrypt", "--recursive", "s3://bucket/p", "-o", "s3://bucket/new/"],
        &["rekey", "--to-key", "k", "--new-key", "--recursive", "s3://bucket/p", "-o", "new"],
        &["rekey", "--to-key", "k", "--new-key", "--recursive", "d", "-o", "s3://bucket/new/"],
        &["rekey", "--to-key", "k", "--bind-contents", "--recursive", "s3://bucket/p"],
        &["rekey", "--to-key", "k", "--in-place", "--recursive", "s3://bucket/p"],
        &["rekey", "--restore", "--recursive", "s3://bucket/p"],
        &["rekey", "--to-key", "k", "two", "s3://bucket/p/one.polyseal"],
        &["verify", "--recursive", "https://example.org/p/"],
        &["encrypt", "--recursive", "d", "-o", "https://example.org/p/"],
    ] {
        let failed = place.run(&[args, &["-k", "k"]].concat()).fails(2, "");
        assert!(!failed.errors().contains("No such file"), "{args:?}: {}", failed.errors());
    }
    assert!(!place.stored("new").exists() && !place.room.path("new").exists());
    assert_eq!(files(&place.room.path("s3:")), there);
}

#[test]
fn the_objects_of_a_tree_get_other_recipients_and_the_manifest_last() {
    let place = BucketFixture::with_tree();
    place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    place.room.run(["keygen", "-o", "k3"], b"").succeeds();
    place.encrypt("s3://bucket/p/");
    let rekey = |from: &str, to: &str, more: &[&str]| {
        let args = ["rekey", "-k", from, "--to-key", to, "--recursive", "s3://bucket/p/"];
        place.run(&[&args[..], more].concat())
    };
    let at = |name: &str| place.stored("p").join(name);
    // One is missing: the others are done, and the manifest.
    let aside = place.room.path("aside");
    fs::rename(at("one.polyseal"), &aside).unwrap();
    rekey("k", "k2", &[]).fails(3, "s3://bucket/p/one.polyseal: it is missing");
    fs::rename(&aside, at("one.polyseal")).unwrap();
    let again = rekey("k", "k2", &["--json"]);
    assert!(again.0.status.success(), "{}", again.errors());
    let told = String::from_utf8(again.0.stdout).unwrap();
    assert_eq!(told.matches("\"rekeyed\"").count(), 1, "{told}");
    assert_eq!(told.matches("\"already\"").count(), 2, "{told}");
    place.verify("k2", "s3://bucket/p/").succeeds();
    place.verify("k", "s3://bucket/p/").fails(4, "");

    // Interrupted before the manifest: it is run again.
    copy_with_its_tag(&at(MANIFEST), &aside);
    assert!(rekey("k2", "k3", &[]).0.status.success());
    copy_with_its_tag(&aside, &at(MANIFEST));
    assert!(rekey("k2", "k3", &[]).0.status.success());
    place.verify("k3", "s3://bucket/p/").succeeds();

    // Both can open it; what is not of the tree is told, and left.
    fs::write(at("x"), "x").unwrap();
    let kept = rekey("k3", "k", &["--keep"]);
    let told = String::from_utf8(kept.succeeds()).unwrap();
    assert!(told.contains("s3://bucket/p/x: it is not of this tree, and was left"), "{told}");
    fs::remove_file(at("x")).unwrap();
    place.verify("k", "s3://bucket/p/").succeeds();
    place.verify("k3", "s3://bucket/p/").succeeds();
}

#[test]
fn several_objects_get_other_recipients() {
    let place = BucketFixture::with_tree();
    place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    place.room.write("two", b"2");
    place.run(&["encrypt", "-k", "k", "d/one", "two", "-o", "s3://bucket/p/"]).succeeds();
    let mixed = ["rekey", "-k", "k", "--to-key", "k2", "s3://bucket/p/one.polyseal", "k"];
    place.run(&mixed).fails(2, "files and objects are not rekeyed in one run");
    let both = ["s3://bucket/p/one.polyseal", "s3://bucket/p/two.polyseal"];
    let rekey = ["rekey", "-k", "k", "--to-key", "k2", both[0], both[1]];
    for word in ["rekeyed", "a new key opens it already"] {
        let done = place.run(&rekey);
        assert!(done.0.status.success(), "{}", done.errors());
        let told = String::from_utf8(done.0.stdout).unwrap();
        assert_eq!(told.matches(word).count(), 2, "{told}");
    }
    place.run(&["verify", "-k", "k2", both[0], both[1]]).succeeds();
}

/// Starts a run, and returns when it waits for its messages to be read.
fn begun(place: &BucketFixture, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut command = place.room.command(args);
    let mut child = command.arg("--json").envs(place.server.environment()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    told.read_line(&mut String::new()).unwrap();
    (child, told)
}

fn ended((child, mut told): (Child, BufReader<ChildStdout>)) -> Outcome {
    io::copy(&mut told, &mut io::sink()).unwrap();
    Outcome(child.wait_with_output().unwrap())
}

/// If another program writes the manifest in between, the run that began before does not replace
/// it.
#[test]
fn the_manifest_is_written_over_the_version_that_was_seen_alone() {
    let place = BucketFixture::with_tree();
    // The messages on them do not fit into a pipe.
    let long = "x".repeat(200);
    (0..400).for_each(|i| place.room.write(&format!("d/{i}{long}"), b""));
    fs::create_dir(place.room.path("small")).unwrap();
    place.room.write("small/one", b"another");
    let over = |tree| ["encrypt", "-k", "k", "--recursive", tree, "-f", "-o", "s3://bucket/p/"];
    let manifest = || fs::read(place.stored("p").join(MANIFEST)).unwrap();

    let first = ["encrypt", "-k", "k", "--recursive", "d", "-o", "s3://bucket/p/"];
    let first = begun(&place, &first);
    place.run(&over("small")).succeeds();
    let other = manifest();
    ended(first).fails(2, "s3://bucket/p/.polyseal-manifest.polyseal already exists");
    assert!(manifest() == other);

    let second = begun(&place, &over("d"));
    place.run(&over("small")).succeeds();
    let other = manifest();
    ended(second).fails(1, "s3://bucket/p/.polyseal-manifest.polyseal has been changed meanwhile");
    assert!(manifest() == other);
    place.run(&over("d")).succeeds();

    place.room.run(["keygen", "-o", "k2"], b"").succeeds();
    let rekey = ["rekey", "-k", "k", "--to-key", "k2", "--recursive", "s3://bucket/p/"];
    let third = begun(&place, &rekey);
    place.run(&over("small")).succeeds();
    let other = manifest();
    ended(third).fails(3, "");
    assert!(manifest() == other);
}
