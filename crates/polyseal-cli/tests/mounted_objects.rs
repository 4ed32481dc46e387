//! `mount` of objects: on a real /dev/fuse, from a real S3 server and from a web server, both on
//! this machine: `make test-all ONLY=stores` builds and names the first (`POLYSEAL_VERSITYGW`).

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::sync::atomic::Ordering;

use crate::bucket::BucketFixture;
use crate::common::{Outcome, TestDir, cannot, have, message, payload_offset};
use crate::mounted::Mounted;
use crate::web::Web;

const EIO: Option<i32> = Some(5);
const EACCES: Option<i32> = Some(13);

impl BucketFixture {
    fn mount(&self, url: &str) -> Option<Mounted> {
        Mounted::by(&self.room, self.command(&["mount", "-k", "k", url, "plain"]))
    }

    fn put(&self, text: &[u8], url: &str) {
        self.room.write("m", text);
        self.run(&["encrypt", "-k", "k", "m", "-f", "-o", url]).succeeds();
    }
}

#[test]
fn a_prefix_is_shown_as_the_tree_that_was_encrypted() {
    let place = BucketFixture::new();
    fs::create_dir_all(place.room.path("tree/a b/c")).unwrap();
    for (name, length) in
        [("empty", 0), ("one", 1), ("a b/edge", 65_536), ("a b/c/large", 20_000_001), ("é", 9)]
    {
        let text = message(length);
        place.room.write(&format!("tree/{name}"), &text);
        place.put(&text, &format!("s3://bucket/of/{name}.polyseal"));
    }
    place.room.run(["keygen", "-t", "x25519", "-o", "id"], b"");
    place.room.shell("$P keygen -t x25519 -o id2 >r && $P encrypt --format age -R r -o m.age m");
    fs::copy(place.room.path("m.age"), place.stored("of/letter.age")).unwrap();
    fs::copy(place.room.path("m"), place.room.path("tree/letter")).unwrap();
    fs::write(place.stored("of/not encrypted"), "x").unwrap();
    place.put(b"elsewhere", "s3://bucket/other.polyseal");
    for url in ["s3://bucket/of", "s3://bucket/of/"] {
        let args = ["mount", "-k", "k", "-i", "id2", url, "plain"];
        let Some(mounted) = Mounted::by(&place.room, place.command(&args)) else { return };
        let trees = [place.room.path("tree"), mounted.at.clone()];
        let diff = Command::new("diff").arg("-r").args(trees).output().unwrap();
        assert!(diff.status.success(), "{}", String::from_utf8_lossy(&diff.stdout));
        let large = mounted.path("a b/c/large");
        assert_eq!(fs::metadata(&large).unwrap().len(), 20_000_001);
        let mut part = [0; 10_000];
        File::open(large).unwrap().read_exact_at(&mut part, 15_000_777).unwrap();
        assert!(part[..] == message(20_000_001)[15_000_777..15_010_777]);
        assert!(File::create(mounted.path("new")).is_err());
        assert!(File::open(mounted.path("absent")).is_err());
        mounted.end();
        fs::remove_dir(place.room.path("plain")).unwrap();
    }
    // The whole bucket.
    let Some(mounted) = place.mount("s3://bucket") else { return };
    assert_eq!(crate::common::names(&mounted.at), ["of", "other"]);
    assert_eq!(fs::read(mounted.path("of/one")).unwrap(), message(1));
    mounted.end();
}

#[test]
fn what_was_altered_is_an_error_and_never_data() {
    let place = BucketFixture::new();
    let text = message(3_000_001);
    for name in ["altered", "short", "theirs"] {
        place.put(&text, &format!("s3://bucket/{name}.polyseal"));
    }
    // In the second segment; the object opens, for its header and its end are right.
    let sealed = fs::read(place.stored("altered.polyseal")).unwrap();
    let mut altered = sealed.clone();
    altered[payload_offset(&sealed) + 70_000] ^= 1;
    fs::write(place.stored("altered.polyseal"), altered).unwrap();
    let short = fs::read(place.stored("short.polyseal")).unwrap();
    fs::write(place.stored("short.polyseal"), &short[..short.len() - 1]).unwrap();
    fs::write(place.stored("garbage.polyseal"), "garbage").unwrap();
    place.room.run(["keygen", "-o", "other"], b"").succeeds();
    let args = ["encrypt", "-k", "other", "m", "-f", "-o", "s3://bucket/theirs.polyseal"];
    place.run(&args).succeeds();
    let Some(mounted) = place.mount("s3://bucket") else { return };
    let file = File::open(mounted.path("altered")).unwrap();
    let mut all = Vec::new();
    assert_eq!((&file).read_to_end(&mut all).unwrap_err().raw_os_error(), EIO);
    assert!(all.len() <= 65_536 && all[..] == text[..all.len()]);
    let mut part = [0; 4096];
    file.read_exact_at(&mut part, 2_000_000).unwrap();
    assert!(part[..] == text[2_000_000..2_004_096]);
    for (name, error) in [("short", EIO), ("garbage", EIO), ("theirs", EACCES)] {
        assert_eq!(File::open(mounted.path(name)).unwrap_err().raw_os_error(), error, "{name}");
    }
    drop(file);
    mounted.end();
}

/// Neither the size nor the contents of two versions are ever mixed.
#[test]
fn what_is_replaced_while_it_is_open_is_an_error() {
    let place = BucketFixture::new();
    let text = message(60_000_000);
    let other: Vec<u8> = text.iter().map(|byte| !byte).collect();
    for (name, url) in [("bucket", "s3://bucket"), ("object", "s3://bucket/c.polyseal")] {
        place.put(&text, "s3://bucket/c.polyseal");
        let Some(mounted) = place.mount(url) else { return };
        let mut file = File::open(mounted.path("c")).unwrap();
        let mut start = vec![0; 1000];
        file.read_exact(&mut start).unwrap();
        place.put(&other[..50_000_000], "s3://bucket/c.polyseal");
        let mut rest = Vec::new();
        assert_eq!(file.read_to_end(&mut rest).unwrap_err().raw_os_error(), EIO, "{name}");
        assert!(rest[..] == text[1000..][..rest.len()], "{name}");
        // A program that opens it now reads the present contents.
        assert!(fs::read(mounted.path("c")).unwrap() == other[..50_000_000], "{name}");
        fs::remove_file(place.stored("c.polyseal")).unwrap();
        assert!(File::open(mounted.path("c")).is_err(), "{name}");
        drop(file);
        mounted.end();
        fs::remove_dir(place.room.path("plain")).unwrap();
    }
}

/// Also by one that would open: the key and the contents are the same, the version is not.
#[test]
fn what_is_rekeyed_while_it_is_open_is_another_version() {
    let place = BucketFixture::new();
    let text = message(60_000_000);
    place.put(&text, "s3://bucket/c.polyseal");
    place.room.run(["keygen", "-o", "other"], b"").succeeds();
    let Some(mounted) = place.mount("s3://bucket") else { return };
    let file = File::open(mounted.path("c")).unwrap();
    let mut part = [0; 1000];
    file.read_exact_at(&mut part, 0).unwrap();
    let args = ["rekey", "--keep", "-k", "k", "--to-key", "other", "s3://bucket/c.polyseal"];
    assert!(place.run(&args).0.status.success());
    let error = file.read_exact_at(&mut part, 30_000_000).unwrap_err();
    assert_eq!(error.raw_os_error(), EIO);
    assert!(fs::read(mounted.path("c")).unwrap() == text);
    drop(file);
    mounted.end();
}

/// A database is read in pages, here and there.
#[test]
fn a_database_can_be_queried() {
    if !have("sqlite3") {
        return cannot("sqlite3 is missing");
    }
    let place = BucketFixture::new();
    let query = "select count(*), sum(n) from t where n % 1000 = 7";
    place
        .room
        .shell(&format!(
            "sqlite3 db \"create table t(n); with recursive c(x) as (select 1 union all select \
             x+1 from c where x < 200000) insert into t select x from c; create index i on \
             t(n);\" && sqlite3 db '{query}' >expected"
        ))
        .succeeds();
    place.put(&place.room.read("db"), "s3://bucket/data/db.polyseal");
    let Some(mounted) = place.mount("s3://bucket/data/db.polyseal") else { return };
    assert_eq!(crate::common::names(&mounted.at), ["db"]);
    let found = place.room.shell(&format!("sqlite3 -readonly plain/db '{query}'")).succeeds();
    assert!(!found.is_empty() && found == place.room.read("expected"));
    mounted.end();
}

#[test]
fn an_object_on_a_web_server() {
    let room = TestDir::new();
    let text = message(30_000_000);
    let web = Web::serve(room.seal(&text));
    let url = format!("{}/d/c.polyseal", web.url());
    let Some(mounted) = Mounted::new(&room, &["-k", "k"], &url) else { return };
    assert_eq!(crate::common::names(&mounted.at), ["c"]);
    web.requests.store(0, Ordering::Relaxed);
    let file = File::open(mounted.path("c")).unwrap();
    // Its beginning to look at it, and its last segment.
    let requests = web.requests.load(Ordering::Relaxed);
    assert!(requests == 2, "{requests} requests");
    let mut part = [0; 1000];
    web.sent.store(0, Ordering::Relaxed);
    file.read_exact_at(&mut part, 20_000_000).unwrap();
    let requests = web.requests.load(Ordering::Relaxed);
    assert!((3..=4).contains(&requests), "{requests} requests");
    assert!(part[..] == text[20_000_000..20_001_000]);
    // The system reads ahead a little, the tool does not.
    let sent = web.sent.load(Ordering::Relaxed);
    assert!(sent < 1_000_000, "{sent} bytes for a part");
    web.requests.store(0, Ordering::Relaxed);
    assert!(fs::read(mounted.path("c")).unwrap() == text);
    let requests = web.requests.load(Ordering::Relaxed);
    assert!(requests < 40, "{requests} requests");
    // The server goes away.
    drop(file);
    web.gone.store(true, Ordering::Relaxed);
    assert_eq!(File::open(mounted.path("c")).unwrap_err().raw_os_error(), EIO);
    web.gone.store(false, Ordering::Relaxed);
    assert!(fs::read(mounted.path("c")).unwrap() == text);
    mounted.end();
}

#[test]
fn what_cannot_be_mounted() {
    let place = BucketFixture::new();
    place.put(b"x", "s3://bucket/c");
    fs::create_dir(place.room.path("plain")).unwrap();
    for (url, code, said) in [
        ("s3://bucket/none", 1, "there is no such object"),
        ("s3://none/", 1, "s3://none/"),
        ("s3://bucket/c?x", 1, "there is no such object"),
        ("s3://bucket/x//", 2, "names no object"),
    ] {
        place.run(&["mount", "-k", "k", url, "plain"]).fails(code, said);
    }
    place.run(&["mount", "-k", "k", "s3://bucket/c", "k"]).fails(2, "is not a directory");
    let mut wrong = place.command(&["mount", "-k", "k", "s3://bucket", "plain"]);
    wrong.env("AWS_SECRET_ACCESS_KEY", "wrong");
    Outcome(wrong.output().unwrap()).fails(1, "s3://bucket");
}
