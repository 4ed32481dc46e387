//! A signed tree in a store: at every moment it is signed, as before or as after.

use std::path::Path;
use std::sync::Arc;

use polyseal_file::statement::{
    AllowedSigners, Coverage, SegmentHashes, SignedStatement, Signer, Statement, TreeVersion,
};
use polyseal_file::{
    Decryptor, Encryptor, Identities, Key, ReadAt, Recipients, Result as FileResult,
};
use polyseal_local::{
    FileOutcome, KnownBy, Options, Problem, Result, SealedTree, SignedTree, StatementAcceptor,
    StatementSigner, Store, Total, TreeUpdater, UpdateRules,
};

use crate::map::Map;

const ALICE: &str = include_str!("../../polyseal-file/tests/statements/alice");
const SIGNERS: &str = include_str!("../../polyseal-file/tests/statements/allowed_signers");

struct Alice;

impl StatementSigner for Alice {
    fn sign(&self, statement: &Statement, hashes: &SegmentHashes) -> FileResult<Vec<u8>> {
        let signature = Signer::from_openssh(ALICE)?.sign(statement)?;
        SignedStatement::with_signatures(statement, &[signature], hashes)
    }
}

impl StatementAcceptor for Alice {
    fn accept(&self, stored: Box<dyn ReadAt + Send + Sync>) -> FileResult<(Coverage, TreeVersion)> {
        let signed = SignedStatement::read(&stored)?;
        signed.accepted(
            &AllowedSigners::parse(SIGNERS)?,
            Some("alice@example.org"),
            1_796_000_000,
        )?;
        signed.tree_coverage(stored)
    }
}

struct Backup {
    folder: tempfile::TempDir,
    key: Key,
}

impl Backup {
    fn new() -> Self {
        let backup = Self { folder: tempfile::tempdir().unwrap(), key: Key::generate().unwrap() };
        std::fs::create_dir_all(backup.folder.path().join("a")).unwrap();
        backup.put("one", b"1");
        backup.put("a/long", &[7; 200_000]);
        backup.put("gone", b"");
        backup
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    fn update(&self, map: &Map, options: &Options<'_>) -> Result<Total> {
        let store: Arc<dyn Store> = Arc::new(map.clone());
        let (recipients, identities) = (Recipients::from(&self.key), Identities::from(&self.key));
        let updater = TreeUpdater::in_store(self.folder.path(), store, options)?;
        let known = KnownBy::Keys(Decryptor::new(&identities));
        let encryptor = Encryptor::new(&recipients);
        updater.update(known, encryptor, UpdateRules::default(), options, &mut |_, done| {
            done.map(drop)
        })
    }

    /// Reads a part of every file by what was signed; `None` if nobody has signed the tree.
    fn read(&self, map: &Map) -> Option<Vec<Vec<u8>>> {
        let identities = Identities::from(&self.key);
        let (decryptor, options) = (Decryptor::new(&identities), Options::new().accepting(&Alice));
        let store: Arc<dyn Store> = Arc::new(map.clone());
        let tree = match SealedTree::open_in(store, decryptor, &options) {
            Err(error) if matches!(error.problem(), Problem::NoManifest) => return None,
            tree => tree.unwrap(),
        };
        let mut parts = Vec::new();
        for name in ["one", "a/long", "gone", "new"] {
            let file = match tree.file(Path::new(name)) {
                Err(error) if matches!(error.problem(), Problem::NotInTree) => continue,
                file => file.unwrap(),
            };
            let reader = file.coverage().apply(decryptor).reader(&file).unwrap();
            let from = reader.plaintext_bytes().saturating_sub(5);
            let mut part = vec![0; (reader.plaintext_bytes() - from) as usize];
            reader.read_at(&mut part, from).unwrap();
            parts.push(part);
        }
        Some(parts)
    }
}

#[test]
fn an_update_in_a_store_that_ends_anywhere_leaves_a_signed_tree() {
    let backup = Backup::new();
    let (map, signed) = (Map::default(), Options::new().signed_by(&Alice));
    backup.update(&map, &signed).unwrap();
    let before = backup.read(&map).unwrap();
    let first = map.files.lock().unwrap().clone();
    backup.put("one", b"one");
    backup.put("a/long", &[8; 300_000]);
    backup.put("new", &[9; 100_000]);
    std::fs::remove_file(backup.folder.path().join("gone")).unwrap();
    let mut after = None;
    for changes in 0.. {
        *map.files.lock().unwrap() = first.clone();
        map.end_after(Some(changes));
        let done = backup.update(&map, &signed);
        map.end_after(None);
        // Each file as one of the two has it, and signed.
        let now = backup.read(&map).unwrap();
        assert!(now.len() == 2 || now.len() == 3, "{changes}");
        *map.age.lock().unwrap() = std::time::Duration::from_secs(3600);
        backup.update(&map, &signed).unwrap();
        after = backup.read(&map);
        assert_ne!(after.as_ref(), Some(&before));
        let store: Arc<dyn Store> = Arc::new(map.clone());
        let mirror = SignedTree::open_in(store, &Alice, &Options::new()).unwrap();
        let mut files = 0;
        let tell = &mut |_: &Path, done: Result<FileOutcome>| {
            assert!(matches!(done.unwrap(), FileOutcome::AsSigned { .. }));
            files += 1;
            Ok(())
        };
        mirror.verify(tell).unwrap();
        assert_eq!(files, 3);
        // Nothing is left of earlier statements: one, a list, and the hashes of two files.
        let own = |path: &&String| path.starts_with(".polyseal-signed/");
        assert_eq!(map.files.lock().unwrap().keys().filter(own).count(), 4, "{changes}");
        if done.is_ok() {
            assert!(changes > 5);
            break;
        }
    }
    assert_eq!(after.unwrap(), [&b"one"[..], &[8; 5], &[9; 5]]);
}

/// Whoever has both versions can put the tree back as if the second update had been interrupted: it
/// is then none of the second number, because any of its files may be of the first.
#[test]
fn a_tree_that_looks_interrupted_has_the_number_of_before() {
    let (backup, signed) = (Backup::new(), Options::new().signed_by(&Alice));
    let map = Map::default();
    backup.update(&map, &signed).unwrap();
    let first = map.files.lock().unwrap().clone();
    backup.put("one", b"one");
    backup.update(&map, &signed).unwrap();
    let second = map.files.lock().unwrap().clone();
    let mut mixed = first;
    let own = second.iter().filter(|(path, _)| path.starts_with(".polyseal-signed/"));
    mixed.extend(own.map(|(path, file)| (path.clone(), file.clone())));
    let coming = second[".polyseal-manifest.polyseal"].clone();
    mixed.insert(".polyseal-update/manifest.polyseal".to_owned(), coming);
    *map.files.lock().unwrap() = mixed;
    assert_eq!(backup.read(&map).unwrap()[0], b"1");
    let identities = Identities::from(&backup.key);
    let options = Options::new().accepting(&Alice);
    let tree = SealedTree::open_in(Arc::new(map), Decryptor::new(&identities), &options).unwrap();
    assert!(tree.is_interrupted() && tree.expect_at_least(1).is_ok());
    let older = tree.expect_at_least(2).unwrap_err();
    assert!(matches!(older.problem(), Problem::OlderTree(1)), "{older}");
}

/// A key that Alice's list does not have.
struct Mallory(Signer);

impl StatementSigner for Mallory {
    fn sign(&self, statement: &Statement, hashes: &SegmentHashes) -> FileResult<Vec<u8>> {
        SignedStatement::with_signatures(statement, &[self.0.sign(statement)?], hashes)
    }
}

impl StatementAcceptor for Mallory {
    fn accept(&self, stored: Box<dyn ReadAt + Send + Sync>) -> FileResult<(Coverage, TreeVersion)> {
        let signed = SignedStatement::read(&stored)?;
        signed.accepted(&AllowedSigners::of_key(&self.0.public_key()?)?, None, 0)?;
        signed.tree_coverage(stored)
    }
}

/// Whoever can open a tree can write its manifest. An update that signs takes nothing over from one
/// that its signer has not signed.
#[test]
fn an_update_signs_nothing_that_somebody_else_has_put_there() {
    let (backup, map) = (Backup::new(), Map::default());
    let (alice, unsigned) = (Options::new().signed_by(&Alice), Options::new());
    let mallory = Mallory(Signer::generate().unwrap());
    let mallory = Options::new().signed_by(&mallory);
    backup.update(&map, &unsigned).unwrap();
    let refused = |error: polyseal_local::Error| {
        let problem = error.problem();
        let is_unsigned = matches!(problem, Problem::NotSigned);
        is_unsigned || error.to_string().contains("no signature of it is one of an allowed signer")
    };
    assert!(refused(backup.update(&map, &alice).unwrap_err()));
    let identities = Identities::from(&backup.key);
    let (store, options): (Arc<dyn Store>, _) = (Arc::new(map.clone()), Options::new());
    let decryptor = Decryptor::new(&identities);
    let tree = SealedTree::open_in(store, decryptor, &options).unwrap();
    tree.sign(&Alice, &mut |_, done| done.map(drop)).unwrap();
    let signed = map.files.lock().unwrap().clone();
    assert!(refused(backup.update(&map, &mallory).unwrap_err()));
    backup.update(&map, &alice).unwrap();
    // As Mallory would leave it: the same tree by another manifest.
    *map.files.lock().unwrap() = signed;
    backup.put("one", b"another");
    backup.update(&map, &unsigned).unwrap();
    assert!(refused(backup.update(&map, &alice).unwrap_err()));
}

/// A tree that was updated since it was opened is not signed, and keeps its statement.
#[test]
fn a_signature_of_an_earlier_version_leaves_that_of_the_next() {
    let (backup, signed) = (Backup::new(), Options::new().signed_by(&Alice));
    let map = Map::default();
    // Files that have just been written are encrypted again.
    std::thread::sleep(std::time::Duration::from_millis(200));
    backup.update(&map, &signed).unwrap();
    let identities = Identities::from(&backup.key);
    let (decryptor, options) = (Decryptor::new(&identities), Options::new());
    let store: Arc<dyn Store> = Arc::new(map.clone());
    let earlier = SealedTree::open_in(store, decryptor, &options).unwrap();
    backup.put("new", &[9; 100_000]);
    backup.update(&map, &signed).unwrap();
    let error = earlier.sign(&Alice, &mut |_, done| done.map(drop)).unwrap_err();
    assert!(matches!(error.problem(), Problem::UpdatedMeanwhile), "{error}");
    assert_eq!(backup.read(&map).unwrap().len(), 4);
}

/// A part that was altered is refused by its hash, before it is opened.
#[test]
fn a_part_of_a_file_in_a_tree_is_compared_with_what_was_signed() {
    let (backup, map) = (Backup::new(), Map::default());
    backup.update(&map, &Options::new().signed_by(&Alice)).unwrap();
    let mut stored = map.get("a/long.polyseal");
    stored[4096 + 70_000] ^= 1;
    map.put("a/long.polyseal", stored);
    let identities = Identities::from(&backup.key);
    let (decryptor, options) = (Decryptor::new(&identities), Options::new().accepting(&Alice));
    let tree = SealedTree::open_in(Arc::new(map), decryptor, &options).unwrap();
    let file = tree.file(Path::new("a/long")).unwrap();
    let reader = file.coverage().apply(decryptor).reader(&file).unwrap();
    assert!(reader.read_at(&mut [0; 9], 0).is_ok());
    let refused = reader.read_at(&mut [0; 9], 70_000).unwrap_err();
    assert!(refused.to_string().contains("is not the one that was signed"), "{refused}");
}
