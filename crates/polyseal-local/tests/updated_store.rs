//! Updates of a tree in a store, which is here a map of bytes: at every moment each file opens and
//! belongs to its entry, as before or as after.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use polyseal_file::{Decryptor, Encryptor, Identities, Key, Recipients};
use polyseal_local::{
    FileOutcome, KnownBy, NewTree, Options, Problem, Result, SealedTree, Store, Total, TreeUpdater,
    UpdateRules,
};

use crate::map::Map;

pub(crate) const COMING: &str = ".polyseal-update/manifest.polyseal";
pub(crate) const LOCK: &str = ".polyseal-update/lock";

/// Longer than the grain of a file's times: what changed before is then known to be unchanged.
pub(crate) const GRAIN: Duration = Duration::from_millis(120);

/// How the manifest that is there is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    ByKey,
    ByState,
}

type Contents = BTreeMap<PathBuf, String>;

/// A tree, and a store that it is encrypted into.
pub(crate) struct Backup {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) key: Key,
    pub(crate) known: Known,
    pub(crate) map: Map,
    pub(crate) rules: UpdateRules,
}

impl Backup {
    pub(crate) fn new(known: Known) -> Self {
        let backup = Self {
            folder: tempfile::tempdir().unwrap(),
            key: Key::from_bytes(&[7; 32]),
            known,
            map: Map::default(),
            rules: UpdateRules::default(),
        };
        for (path, text) in [("same", "1"), ("changed", "2"), ("gone", "3"), ("sub/changed", "4")] {
            backup.write(path, text);
        }
        sleep(GRAIN);
        backup
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at("d").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn edit(&self) {
        self.write("changed", "2, changed");
        self.write("sub/changed", "4, changed");
        self.write("sub/new", "5, new");
        fs::remove_file(self.at("d/gone")).unwrap();
        sleep(GRAIN);
    }

    pub(crate) fn update(&self) -> Result<Total> {
        self.update_of(self.map.clone(), || ())
    }

    pub(crate) fn update_of(&self, map: Map, between: impl FnOnce()) -> Result<Total> {
        let store: Arc<dyn Store> = Arc::new(map);
        let options = Options::new().jobs(NonZeroUsize::MIN);
        let updater = TreeUpdater::in_store(&self.at("d"), store, &options)?;
        between();
        let recipients = Recipients::from(&self.key);
        let identities = Identities::from(&self.key);
        let state = self.at("state");
        let known = match self.known {
            Known::ByKey => KnownBy::Keys(Decryptor::new(&identities)),
            Known::ByState => KnownBy::State(&state),
        };
        let encryptor = Encryptor::new(&recipients);
        updater.update(known, encryptor, self.rules, &options, &mut |_, done| done.map(drop))
    }

    /// The counts of files that were encrypted, unchanged and deleted.
    pub(crate) fn updated(&self) -> [u64; 3] {
        let total = self.update().unwrap();
        [total.files, total.unchanged, total.deleted]
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(SealedTree<'_>) -> T) -> T {
        let identities = Identities::from(&self.key);
        let store = Arc::new(self.map.clone());
        work(SealedTree::open_in(store, Decryptor::new(&identities), &Options::new()).unwrap())
    }

    /// The failures of a verification, and the contents of all files.
    pub(crate) fn opened(&self) -> (Vec<Problem>, Contents) {
        let mut told = Vec::new();
        let mut tell = |_: &Path, done: Result<FileOutcome>| {
            told.extend(done.err().map(polyseal_local::Error::into_problem));
            Ok(())
        };
        self.with(|tree| tree.verify(&mut tell)).unwrap();
        let to = tempfile::tempdir_in(self.folder.path()).unwrap();
        let new = NewTree::new(to.path(), false).unwrap();
        self.with(|tree| tree.decrypt(new, &mut |_, _| Ok(()))).unwrap();
        (told, contents(to.path()))
    }

    #[track_caller]
    pub(crate) fn is_whole(&self) {
        let (told, there) = self.opened();
        assert!(told.is_empty(), "{told:?}");
        assert_eq!(there, contents(&self.at("d")));
        assert!(self.map.list().unwrap().iter().all(|name| !name.starts_with(".polyseal-update")));
    }

    fn number(&self) -> u64 {
        self.with(|tree| tree.number())
    }
}

/// This host remembers a tree whose update has not ended.
impl Drop for Backup {
    fn drop(&mut self) {
        let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
        let Some(folder) = env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(home) else {
            return;
        };
        let hash = blake3::hash(self.map.id().as_encoded_bytes());
        let _ = fs::remove_file(folder.join("polyseal").join(format!("{}.lock", hash.to_hex())));
    }
}

fn contents(of: &Path) -> Contents {
    let mut found = Contents::new();
    let mut folders = vec![of.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(of).unwrap().to_owned(), text);
            }
        }
    }
    found
}

pub(crate) fn each_way(test: impl Fn(Backup)) {
    for known in [Known::ByKey, Known::ByState] {
        test(Backup::new(known));
    }
}

#[test]
fn only_what_has_changed_is_written() {
    each_way(|backup| {
        assert_eq!(backup.updated(), [4, 0, 0]);
        backup.is_whole();
        backup.map.asked();
        assert_eq!(backup.updated(), [0, 4, 0]);
        let asked = backup.map.asked();
        assert!(
            !asked.iter().any(|it| it.starts_with("commit") && !it.ends_with(LOCK)),
            "{asked:?}"
        );
        assert_eq!(backup.number(), 1);
        backup.edit();
        assert_eq!(backup.updated(), [3, 1, 1]);
        backup.is_whole();
        assert_eq!(backup.number(), 2);
        let asked = backup.map.asked();
        let at = |what: &str| asked.iter().rposition(|asked| asked == what).unwrap();
        // The coming manifest, the files, the manifest, what is gone.
        assert!(at(&format!("commit {COMING}")) < at("commit changed.polyseal"));
        assert!(at("commit sub/new.polyseal") < at("commit .polyseal-manifest.polyseal"));
        assert!(at("commit .polyseal-manifest.polyseal") < at("delete gone.polyseal"));
        assert!(!asked.iter().any(|asked| asked.contains("same.polyseal")));
    });
}

/// After every number of changes the connection ends, and the next update goes on.
#[test]
fn an_update_that_ends_at_any_moment() {
    each_way(|backup| {
        backup.updated();
        let (files, before) = (backup.map.files.lock().unwrap().clone(), contents(&backup.at("d")));
        let state = fs::read(backup.at("state")).ok();
        backup.edit();
        let after = contents(&backup.at("d"));
        for changes in 1.. {
            *backup.map.files.lock().unwrap() = files.clone();
            state.iter().for_each(|state| fs::write(backup.at("state"), state).unwrap());
            backup.map.end_after(Some(changes));
            let done = backup.update();
            let ended = backup.map.has_ended();
            backup.map.end_after(None);
            let (told, there) = backup.opened();
            assert!(told.iter().all(|it| matches!(it, Problem::InterruptedUpdate)), "{told:?}");
            for (path, text) in &there {
                let known = [before.get(path), after.get(path)];
                assert!(known.contains(&Some(text)), "{changes}: {path:?} has {text:?}");
            }
            assert!(
                before.keys().all(|path| there.contains_key(path) || !after.contains_key(path))
            );
            // A file that has been put is not encrypted again.
            let put = there.iter().filter(|(path, text)| before.get(*path) != Some(text)).count();
            let [encrypted, ..] = backup.updated();
            assert!(encrypted + put as u64 <= 3, "{changes}: {encrypted} of 3, {put} were there");
            backup.is_whole();
            if done.is_ok() && !ended {
                assert!(changes > 8, "{changes}");
                break;
            }
        }
    });
}

#[test]
fn a_first_run_that_ends_at_any_moment() {
    each_way(|backup| {
        for changes in 1.. {
            backup.map.files.lock().unwrap().clear();
            let _ = fs::remove_file(backup.at("state"));
            backup.map.end_after(Some(changes));
            let done = backup.update();
            let ended = backup.map.has_ended();
            backup.map.end_after(None);
            backup.updated();
            backup.is_whole();
            if done.is_ok() && !ended {
                break;
            }
        }
    });
}

#[test]
fn what_is_not_of_the_tree_is_not_replaced() {
    each_way(|backup| {
        backup.updated();
        backup.edit();
        backup.map.put("sub/new.polyseal", b"of another program".to_vec());
        let refused = backup.update().unwrap_err();
        assert!(matches!(refused.problem(), Problem::Exists), "{refused}");
        assert_eq!(backup.map.get("sub/new.polyseal"), b"of another program");
        backup.map.files.lock().unwrap().remove("sub/new.polyseal");
        backup.updated();
        backup.is_whole();
    });
}

/// Another program that has the lease is not disturbed; one that has given it back is no obstacle.
#[test]
fn two_updates_do_not_meet() {
    each_way(|backup| {
        backup.updated();
        let held = backup.map.clone();
        held.put(LOCK, b"0123456789abcdef0123456789abcdef".to_vec());
        let files = held.files.lock().unwrap().clone();
        backup.edit();
        assert!(matches!(backup.update().unwrap_err().into_problem(), Problem::BusyTree));
        assert!(*held.files.lock().unwrap() == files);
        held.put(LOCK, b"interrupted\n".to_vec());
        backup.updated();
        backup.is_whole();
        // It is older than any program writes it.
        held.put(LOCK, b"0123456789abcdef0123456789abcdef".to_vec());
        *held.age.lock().unwrap() = Duration::from_secs(46 * 60);
        backup.updated();
        backup.is_whole();
    });
}
