//! Updates of a tree in a store that meet other programs, failures of the store, and files that are
//! not of the tree.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use polyseal_file::{Decryptor, Identities, Key};
use polyseal_local::{Options, Problem, SealedTree, Store};

use crate::updated_store::{Backup, COMING, GRAIN, Known, LOCK, each_way};

impl Backup {
    /// Another host, with the same key and source.
    fn other_host(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let copied = Command::new("cp").arg("-a").arg(self.at("d")).arg(folder.path()).status();
        assert!(copied.unwrap().success());
        let _ = fs::copy(self.at("state"), folder.path().join("state"));
        let mut map = self.map.clone();
        map.host += 1;
        let (key, known, rules) = (Key::from_bytes(&[7; 32]), self.known, self.rules);
        Self { folder, key, known, map, rules }
    }

    /// Runs an update that ends after so many changes.
    fn update_ends_after(&self, changes: u64) {
        self.map.end_after(Some(changes));
        let _ = self.update();
        self.map.end_after(None);
    }

    #[track_caller]
    fn has_nothing_strange(&self) {
        let (told, _) = self.opened();
        assert!(told.iter().all(|it| matches!(it, Problem::InterruptedUpdate)), "{told:?}");
    }
}

/// A file that changes again after an interrupted update has put it.
#[test]
fn a_file_that_has_changed_twice_is_of_one_of_two_manifests() {
    each_way(|backup| {
        backup.updated();
        backup.edit();
        backup.update_ends_after(3);
        backup.write("changed", "2, changed again");
        backup.write("sub/new", "5, new again");
        sleep(GRAIN);
        let mut files = backup.map.files.lock().unwrap().clone();
        files.remove(LOCK);
        let states = ["state", "state.coming", "state.coming-2"].map(|name| backup.at(name));
        let before = states.clone().map(|path| fs::read(path).ok());
        for changes in 1..14 {
            *backup.map.files.lock().unwrap() = files.clone();
            for (path, bytes) in states.iter().zip(&before) {
                match bytes {
                    Some(bytes) => fs::write(path, bytes).unwrap(),
                    None => drop(fs::remove_file(path)),
                }
            }
            backup.update_ends_after(changes);
            backup.has_nothing_strange();
        }
        assert!(!backup.map.list().unwrap().contains(&COMING.to_owned()), "all was done");
        backup.updated();
        backup.is_whole();
    });
}

#[test]
fn a_first_run_does_not_replace_a_tree_that_has_appeared() {
    let backup = Backup::new(Known::ByKey);
    let other = backup.other_host();
    backup.map.put(LOCK, b"interrupted\n".to_vec());
    let done = other.update_of(other.map.clone(), || {
        backup.updated();
    });
    assert!(matches!(done.unwrap_err().problem(), Problem::BusyTree));
    backup.is_whole();
}

/// A timeout says nothing about the coming manifest.
#[test]
fn a_coming_manifest_that_cannot_be_read_is_not_taken_for_none() {
    let backup = Backup::new(Known::ByKey);
    backup.updated();
    backup.edit();
    backup.update_ends_after(3);
    *backup.map.unread.lock().unwrap() = Some(COMING.into());
    let identities = Identities::from(&backup.key);
    let (store, decryptor) = (Arc::new(backup.map.clone()), Decryptor::new(&identities));
    assert!(SealedTree::open_in(store, decryptor, &Options::new()).is_err());
    backup.update().unwrap_err();
    *backup.map.unread.lock().unwrap() = None;
    assert!(backup.map.list().unwrap().contains(&COMING.to_owned()));
    backup.has_nothing_strange();
    backup.updated();
    backup.is_whole();
}

/// A program sleeps for so long that another takes the lease: it replaces nothing of that one.
#[test]
fn a_program_that_has_lost_its_lease_replaces_nothing() {
    each_way(|backup| {
        backup.updated();
        let other = backup.other_host();
        backup.edit();
        other.write("changed", "2, other");
        other.write("sub/new", "5, other");
        sleep(GRAIN);
        let age = Arc::clone(&backup.map.age);
        backup.map.meanwhile("commit changed.polyseal", move || {
            *age.lock().unwrap() = Duration::from_secs(46 * 60);
            other.updated();
            other.is_whole();
            *age.lock().unwrap() = Duration::ZERO;
        });
        let refused = backup.update().unwrap_err();
        assert!(matches!(refused.problem(), Problem::Changed | Problem::BusyTree), "{refused}");
        backup.has_nothing_strange();
    });
}

/// The other one has come only as far as its manifest: that is not taken for one's own.
#[test]
fn the_coming_manifest_of_another_program_is_not_given_out() {
    let backup = Backup::new(Known::ByKey);
    backup.updated();
    let other = backup.other_host();
    backup.edit();
    other.write("changed", "2, other");
    sleep(GRAIN);
    let age = Arc::clone(&backup.map.age);
    backup.map.meanwhile("commit sub/new.polyseal", move || {
        *age.lock().unwrap() = Duration::from_secs(46 * 60);
        other.update_ends_after(2);
        *age.lock().unwrap() = Duration::ZERO;
    });
    let manifest = || backup.map.get(".polyseal-manifest.polyseal");
    let before = manifest();
    assert!(matches!(backup.update().unwrap_err().problem(), Problem::BusyTree));
    assert!(manifest() == before);
    // One file was under way: nobody knows it, and the others are those of a manifest.
    let (told, _) = backup.opened();
    let is_known = |it: &Problem| matches!(it, Problem::InterruptedUpdate | Problem::Added);
    assert!(told.iter().all(is_known), "{told:?}");
}

#[test]
fn with_leave_to_add_objects_alone_what_has_changed_is_kept() {
    each_way(|backup| {
        backup.updated();
        backup.edit();
        *backup.map.keeps_all.lock().unwrap() = true;
        backup.update().unwrap_err();
        backup.write("same", "another");
        sleep(GRAIN);
        let _ = backup.update();
        let (_, there) = backup.opened();
        assert_eq!(there.get(Path::new("same")).map(String::as_str), Some("another"));
        *backup.map.keeps_all.lock().unwrap() = false;
        backup.updated();
        backup.is_whole();
    });
}

#[test]
fn a_tree_that_is_updated_while_it_is_read_is_not_taken_for_a_forgery() {
    let backup = Backup::new(Known::ByKey);
    backup.updated();
    backup.edit();
    let mut told = Vec::new();
    backup.with(|tree| {
        backup.updated();
        let verified = tree.verify(&mut |_, done| {
            told.extend(done.err().map(polyseal_local::Error::into_problem));
            Ok(())
        });
        verified.unwrap();
    });
    assert!(
        told.len() > 2 && told.iter().all(|it| matches!(it, Problem::UpdatedMeanwhile)),
        "{told:?}"
    );
    backup.is_whole();
}

#[test]
fn nothing_of_another_is_replaced() {
    let theirs = {
        let mut other = Backup::new(Known::ByKey);
        other.key = Key::from_bytes(&[9; 32]);
        other.updated();
        other.map.get("same.polyseal")
    };
    each_way(|backup| {
        backup.updated();
        backup.edit();
        backup.map.put("sub/new.polyseal", theirs.clone());
        assert!(matches!(backup.update().unwrap_err().problem(), Problem::Exists));
        assert!(backup.map.get("sub/new.polyseal") == theirs);
    });
    // Nor by a first run that seems to have begun.
    let first = Backup::new(Known::ByKey);
    first.map.put(LOCK, b"interrupted\n".to_vec());
    first.map.put("same.polyseal", b"of another program".to_vec());
    assert!(matches!(first.update().unwrap_err().problem(), Problem::Exists));
    assert_eq!(first.map.get("same.polyseal"), b"of another program");
}
