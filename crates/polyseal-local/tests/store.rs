//! Sealed trees in a store, which is here a map of bytes: they are those of a directory, and the
//! manifest comes last, over the version that was seen.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_file::{Decryptor, Encryptor, ExistingRecipients, Identities, Key, Recipients};
use polyseal_local::{
    FileOutcome, NewTree, Options, Problem, Rekey, RekeyMode, RekeyPlan, RekeyTarget, RekeyedCheck,
    Result, SealedTree, Store, Total, TreeSealer, Trust,
};

use crate::map::Map;

const MANIFEST: &str = ".polyseal-manifest.polyseal";

/// A tree of three files, and a store.
struct TestDir {
    folder: tempfile::TempDir,
    key: Key,
    map: Map,
}

impl TestDir {
    fn new() -> Self {
        let room = Self {
            folder: tempfile::tempdir().unwrap(),
            key: Key::generate().unwrap(),
            map: Map::default(),
        };
        fs::create_dir_all(room.at("d/sub/empty")).unwrap();
        for (path, text) in [("d/a", "first"), ("d/a-", "second"), ("d/sub/a", "third")] {
            fs::write(room.at(path), text).unwrap();
        }
        room
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn seal(&self, overwrite: bool, meanwhile: impl Fn() + Sync) -> Result<Total> {
        let options = Options::new().jobs(NonZeroUsize::MIN);
        let store = Arc::new(self.map.clone());
        let sealer = TreeSealer::to_store(&self.at("d"), store, overwrite, &options)?;
        let recipients = Recipients::from(&self.key);
        sealer.seal(Encryptor::new(&recipients), &options, &mut |_, done| {
            meanwhile();
            done.map(drop)
        })
    }

    fn with<T>(&self, key: &Key, work: impl FnOnce(SealedTree<'_>) -> T) -> Result<T> {
        let identities = Identities::from(key);
        let store = Arc::new(self.map.clone());
        Ok(work(SealedTree::open_in(store, Decryptor::new(&identities), &Options::new())?))
    }

    /// The messages on files that are not whole.
    fn verify(&self, key: &Key) -> Vec<String> {
        let mut told = Vec::new();
        let verified = self.with(key, |tree| {
            tree.verify(&mut |_, done| {
                told.extend(done.err().map(|error| error.to_string()));
                Ok(())
            })
        });
        verified.unwrap().unwrap();
        told
    }

    fn rekey(&self, to: &Key, meanwhile: impl Fn() + Sync) -> Vec<Result<FileOutcome>> {
        let (old, new) = (Identities::from(&self.key), Identities::from(to));
        let recipients = Recipients::from(to);
        let (others, how) = (ExistingRecipients::Remove, RekeyMode::Header);
        let plan =
            RekeyPlan::new(&old, &recipients, others, how).rekeyed_check(RekeyedCheck::Opens(&new));
        let options = Options::new().jobs(NonZeroUsize::MIN);
        let mut told = Vec::new();
        let mut tell = |_: &Path, done| {
            meanwhile();
            told.push(done);
            Ok(())
        };
        let target = RekeyTarget::StoredTree(Arc::new(self.map.clone()));
        Rekey::new(target, &plan).options(&options).on_file(&mut tell).run().unwrap();
        told
    }
}

fn problem<T: std::fmt::Debug>(result: Result<T>) -> Problem {
    result.unwrap_err().into_problem()
}

/// In a store, no header is rewritten in place, and so none is left to be put back.
#[test]
fn nothing_is_put_back_in_a_store() {
    let room = TestDir::new();
    room.seal(false, || ()).unwrap();
    let name = Path::new("a.polyseal");
    let version = room.map.open(name).unwrap();
    let one = RekeyTarget::StoredFile { version: version.as_ref(), shown: name };
    for target in [one, RekeyTarget::StoredTree(Arc::new(room.map.clone()))] {
        let refused = Rekey::restore(target, Trust::SamePayload).run();
        assert!(matches!(problem(refused), Problem::InAStore));
    }
}

#[test]
fn a_tree_in_a_store_is_that_of_a_directory() {
    let room = TestDir::new();
    let total = room.seal(false, || ()).unwrap();
    assert_eq!((total.files, total.directories, total.bytes), (3, 2, 16));
    let asked = room.map.asked();
    assert_eq!(asked.first().unwrap(), &format!("create {MANIFEST}"));
    assert_eq!(asked.last().unwrap(), &format!("commit {MANIFEST}"));

    for path in room.map.list().unwrap() {
        let to = room.at("s").join(&path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, room.map.get(&path)).unwrap();
    }
    let identities = Identities::from(&room.key);
    let local = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &Options::new());
    local.unwrap().verify(&mut |_, done| done.map(drop)).unwrap();
    assert_eq!(room.verify(&room.key), [""; 0]);
    let to = NewTree::new(&room.at("out"), false).unwrap();
    room.with(&room.key, |tree| tree.decrypt(to, &mut |_, done| done.map(drop))).unwrap().unwrap();
    assert_eq!(fs::read_to_string(room.at("out/sub/a")).unwrap(), "third");
    assert!(room.at("out/sub/empty").is_dir());
}

#[test]
fn what_is_not_of_the_tree_is_told() {
    let room = TestDir::new();
    room.seal(false, || ()).unwrap();
    let a = room.map.get("a.polyseal");
    room.map.put("a.polyseal", room.map.get("a-.polyseal"));
    room.map.put("sub/b.polyseal", a);
    room.map.files.lock().unwrap().remove("sub/a.polyseal");
    let expected = [
        "map:/a.polyseal: it is not the file that the manifest has there",
        "map:/sub/a.polyseal: it is missing",
        "map:/sub/b.polyseal: it is not of this tree: the manifest does not have it",
    ];
    assert_eq!(room.verify(&room.key), expected);
    // Operations for directories alone are refused.
    let recipients = Recipients::from(&room.key);
    let bound = room.with(&room.key, |tree| {
        tree.bind_contents(Encryptor::new(&recipients), &mut |_, done| done.map(drop))
    });
    assert!(matches!(problem(bound.unwrap()), Problem::InAStore));
    room.map.files.lock().unwrap().remove(MANIFEST);
    assert!(matches!(problem(room.with(&room.key, |_| ())), Problem::NoManifest));
}

#[test]
fn nothing_is_written_where_something_is_unless_that_is_asked_for() {
    let room = TestDir::new();
    room.map.put("x", Vec::new());
    let occupied = problem(room.seal(false, || ()));
    assert!(matches!(occupied, Problem::Occupied(path) if path == Path::new("map:/x")));
    assert_eq!(room.map.asked(), [""; 0]);
    room.seal(true, || ()).unwrap();
}

#[test]
fn the_manifest_replaces_the_version_that_was_seen_alone() {
    let room = TestDir::new();
    let meanwhile = || room.map.put(MANIFEST, b"another".to_vec());
    assert!(matches!(problem(room.seal(false, meanwhile)), Problem::Exists));
    assert_eq!(room.map.get(MANIFEST), b"another");
    assert!(matches!(problem(room.seal(true, meanwhile)), Problem::Changed));
    assert_eq!(room.map.get(MANIFEST), b"another");
    room.seal(true, || ()).unwrap();

    // Nor does a rekey: it is of the version that it opened.
    let other = Key::generate().unwrap();
    let manifest = room.map.get(MANIFEST);
    let told = room.rekey(&other, || room.map.put(MANIFEST, manifest.clone()));
    assert!(matches!(told.last().unwrap().as_ref().unwrap_err().problem(), Problem::Changed));
    assert!(room.map.get(MANIFEST) == manifest);
    // The run is repeated.
    let told = room.rekey(&other, || ());
    assert!(told.iter().all(|done| matches!(done, Ok(FileOutcome::AlreadyRekeyed))), "{told:?}");
    let asked = room.map.asked();
    let last = asked.iter().rfind(|asked| asked.starts_with("rekey")).unwrap();
    assert_eq!(*last, format!("rekey {MANIFEST}"));
    assert_eq!(room.verify(&other), [""; 0]);
    assert!(room.with(&room.key, |_| ()).is_err());
}

/// Somebody who can write to the store does not get a file of their own rekeyed, nor keeps the
/// others and the manifest from it.
#[test]
fn what_is_not_the_file_of_its_name_is_not_rekeyed() {
    let room = TestDir::new();
    room.seal(false, || ()).unwrap();
    let [a, other] = ["a.polyseal", "a-.polyseal"].map(|path| room.map.get(path));
    room.map.put("a.polyseal", other.clone());
    let key = Key::generate().unwrap();
    let told = room.rekey(&key, || ());
    assert!(matches!(told[0].as_ref().unwrap_err().problem(), Problem::OtherFile));
    assert!(told[1..].iter().all(|done| matches!(done, Ok(FileOutcome::Rekeyed))), "{told:?}");
    assert!(room.map.get("a.polyseal") == other);
    // When it is back, the run is repeated with the same keys.
    room.map.put("a.polyseal", a);
    let told = room.rekey(&key, || ());
    assert!(matches!(
        told[..],
        [
            Ok(FileOutcome::Rekeyed),
            Ok(FileOutcome::AlreadyRekeyed),
            Ok(FileOutcome::AlreadyRekeyed)
        ]
    ));
    assert_eq!(room.verify(&key), [""; 0]);
}
