//! One builder rekeys everything: of one file the failure is that of the run, of several
//! each is told.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

use std::path::{Path, PathBuf};
use std::{fs, io};

use polyseal_file::{Encryptor, ExistingRecipients, Header, Identities, Key, Recipients};
use polyseal_local::{
    FileOutcome, NewRecipients, Options, Problem, Rekey, RekeyMode, RekeyPlan, RekeyTarget,
    RekeyedFile, Result, Trust, encrypt_file,
};

struct TestDir {
    folder: tempfile::TempDir,
    old: Key,
    new: Key,
}

impl TestDir {
    fn new() -> Self {
        let (old, new) = (Key::generate().unwrap(), Key::generate().unwrap());
        Self { folder: tempfile::tempdir().unwrap(), old, new }
    }

    fn seal(&self, name: &str) -> PathBuf {
        let [plain, sealed] = ["plain", name].map(|name| self.folder.path().join(name));
        fs::write(&plain, "meet at noon").unwrap();
        let recipients = Recipients::from(&self.old);
        encrypt_file(&plain, &sealed, Encryptor::new(&recipients), &Options::new()).unwrap();
        sealed
    }

    fn with_plan<T>(&self, work: impl FnOnce(&RekeyPlan<'_>) -> T) -> T {
        let (identities, to) = (Identities::from(&self.old), Recipients::from(&self.new));
        work(&RekeyPlan::new(&identities, &to, ExistingRecipients::Remove, RekeyMode::Header))
    }
}

fn opens(key: &Key, path: &Path) -> bool {
    let header = Header::read(&mut fs::File::open(path).unwrap()).unwrap();
    header.authenticate(&Identities::from(key)).is_ok()
}

#[test]
fn one_file_is_told_of_once_and_its_failure_is_that_of_the_run() {
    let room = TestDir::new();
    let sealed = room.seal("one");
    for first in [true, false] {
        let mut told = Vec::new();
        let mut tell = |path: &Path, done: Result<FileOutcome>| {
            told.push((path.to_owned(), done.unwrap()));
            Ok(())
        };
        let done = room.with_plan(|plan| {
            Rekey::new(RekeyTarget::File(&sealed), plan).on_file(&mut tell).run()
        });
        if first {
            let total = done.unwrap();
            assert_eq!((total.files, total.failed), (1, 0));
            assert_eq!(told, [(sealed.clone(), FileOutcome::Rekeyed)]);
        } else {
            let refused = done.unwrap_err();
            assert!(matches!(refused.problem(), Problem::File(_)), "{refused}");
            assert_eq!(refused.path(), sealed);
            assert!(told.is_empty());
        }
        assert!(opens(&room.new, &sealed) && !opens(&room.old, &sealed));
    }
}

#[test]
fn the_first_failure_ends_a_run_of_several_unless_each_is_told() {
    let room = TestDir::new();
    let missing = room.folder.path().join("missing");
    let names = || {
        let sealed = room.seal("last");
        RekeyTarget::Files(Box::new([missing.clone(), sealed].map(Ok).into_iter()))
    };
    let refused = room.with_plan(|plan| Rekey::new(names(), plan).run()).unwrap_err();
    assert_eq!(refused.path(), missing);

    fs::remove_file(room.folder.path().join("last")).unwrap();
    let mut failed = Vec::new();
    let mut tell = |path: &Path, done: Result<FileOutcome>| {
        failed.extend(done.err().map(|_| path.to_owned()));
        Ok(())
    };
    let total = room.with_plan(|plan| Rekey::new(names(), plan).on_file(&mut tell).run());
    let total = total.unwrap();
    assert_eq!((total.files, total.failed, failed), (1, 1, vec![missing]));
    assert!(opens(&room.new, &room.folder.path().join("last")));
}

#[test]
fn without_a_copy_nothing_is_put_back() {
    let room = TestDir::new();
    let sealed = room.seal("one");
    let before = fs::read(&sealed).unwrap();
    let refused = Rekey::restore(RekeyTarget::File(&sealed), Trust::SamePayload).run();
    let Problem::Io { source, .. } = refused.unwrap_err().into_problem() else {
        panic!("another problem")
    };
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
    let tree = RekeyTarget::Tree(room.folder.path());
    assert_eq!(Rekey::restore(tree, Trust::SamePayload).run().unwrap().files, 0);
    assert_eq!(fs::read(&sealed).unwrap(), before);
}

#[test]
fn the_result_in_another_file_leaves_the_first_and_replaces_none_unasked() {
    let room = TestDir::new();
    let (sealed, there) = (room.seal("one"), room.seal("two"));
    let new = room.folder.path().join("new");
    room.with_plan(|plan| {
        let ready = RekeyedFile::open(&sealed, plan).unwrap();
        let (careful, overwriting) = (Options::new(), Options::new().overwrite(true));
        let exists = ready.write_to_file(&there, &careful).unwrap_err();
        assert!(matches!(exists.problem(), Problem::Exists), "{exists}");
        let itself = ready.write_to_file(&sealed, &overwriting).unwrap_err();
        assert!(matches!(itself.problem(), Problem::Forbidden(_)), "{itself}");
        ready.write_to_file(&new, &careful).unwrap();
        ready.write_to_file(&there, &overwriting).unwrap();
    });
    assert!(opens(&room.old, &sealed) && opens(&room.new, &new) && opens(&room.new, &there));
}

/// Recipients that nobody may be asked for.
struct Unasked;

impl NewRecipients for Unasked {
    fn get(&self) -> Result<&Recipients> {
        panic!("asked before the file was opened")
    }
}

#[test]
fn nobody_is_asked_for_recipients_before_the_file_has_opened() {
    let room = TestDir::new();
    let sealed = room.seal("one");
    let other = Identities::from(&room.new);
    let plan = RekeyPlan::new(&other, &Unasked, ExistingRecipients::Keep, RekeyMode::Header);
    let refused = Rekey::new(RekeyTarget::File(&sealed), &plan).run().unwrap_err();
    assert!(matches!(refused.problem(), Problem::File(_)), "{refused}");
}
