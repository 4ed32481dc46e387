//! The store of epochs: each number once, on the disk before it is given, and never back.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;

use polyseal_omd_link::{Epoch, EpochError, EpochFile};

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("epochs");
    (directory, path)
}

fn text(given: &str) -> String {
    format!("omd-link epochs 1\n{given}\n")
}

#[test]
fn each_number_is_on_the_disk_before_it_is_given() {
    let (_directory, path) = place();
    let mut epochs = EpochFile::create(&path).expect("a new file");
    for number in 1..4 {
        assert_eq!(epochs.take().expect("an epoch").number(), number);
        assert_eq!(fs::read_to_string(&path).expect("the file"), text(&number.to_string()));
    }
    assert_eq!(EpochFile::open(&path).expect("the file").take().expect("an epoch").number(), 4);
    assert_eq!(epochs.take().expect("one after another's").number(), 5);
}

#[test]
fn nobody_gets_a_number_that_another_has() {
    let (_directory, path) = place();
    EpochFile::create(&path).expect("a new file");
    let link = path.with_file_name("other-name");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    let takers: Vec<_> = [path.clone(), link, path.clone(), path]
        .map(|path| {
            thread::spawn(move || {
                let mut epochs = EpochFile::open(path).expect("the file");
                let taken = (0..10).map(|_| epochs.take().expect("an epoch").number());
                taken.collect::<Vec<_>>()
            })
        })
        .into();
    let taken = takers.into_iter().flat_map(|taker| taker.join().expect("no panic"));
    assert_eq!(taken.collect::<BTreeSet<_>>(), (1..=40).collect());
}

#[test]
fn what_went_back_is_missing_or_is_no_store_gives_nothing() {
    let (directory, path) = place();
    assert!(matches!(EpochFile::open(&path), Err(EpochError::Missing(_))));
    let mut epochs = EpochFile::create(&path).expect("a new file");
    let old = fs::read(&path).expect("the file");
    epochs.take().expect("an epoch");
    assert!(matches!(EpochFile::create(&path), Err(EpochError::Exists(_))));

    fs::write(&path, old).expect("an old copy");
    let went_back = epochs.take().expect_err("an old copy");
    assert!(matches!(went_back, EpochError::WentBack { found: 0, given: 1, .. }), "{went_back}");
    fs::remove_file(&path).expect("a file");
    assert!(matches!(epochs.take(), Err(EpochError::Missing(_))));
    for other in ["", "-1", "+1", "01", " 1", "1 ", "18446744073709551616", "1\n2"] {
        fs::write(&path, text(other)).expect("a file");
        assert!(matches!(epochs.take(), Err(EpochError::Malformed(_))), "{other:?}");
        assert!(matches!(EpochFile::open(&path), Err(EpochError::Malformed(_))), "{other:?}");
    }
    fs::write(&path, [0xff; 100]).expect("a file");
    assert!(matches!(epochs.take(), Err(EpochError::Malformed(_))));
    assert!(matches!(EpochFile::open(directory.path()), Err(EpochError::Io(..))));
    assert!(matches!(EpochFile::create(path.join("below")), Err(EpochError::Io(..))));

    let mut epochs = EpochFile::reset(&path, 7).expect("whatever is there");
    assert_eq!(epochs.take().expect("an epoch").number(), 8);
    let mut epochs = EpochFile::reset(&path, u64::MAX - 1).expect("whatever is there");
    assert_eq!(epochs.take().expect("the last").number(), u64::MAX);
    assert!(matches!(epochs.take(), Err(EpochError::Exhausted(_))));
    assert_eq!(Epoch::NoStore.number(), 0);
}

#[test]
fn a_write_that_was_broken_off_costs_nothing() {
    let (_directory, path) = place();
    let mut epochs = EpochFile::create(&path).expect("a new file");
    fs::write(path.with_file_name("epochs.new"), "half").expect("a file");
    assert_eq!(epochs.take().expect("an epoch").number(), 1);
}

#[test]
fn what_cannot_be_written_is_not_given() {
    let (_directory, path) = place();
    let mut epochs = EpochFile::create(&path).expect("a new file");
    let new = path.with_file_name("epochs.new");
    fs::create_dir(&new).expect("a directory, in the way of the file");
    assert!(matches!(epochs.take(), Err(EpochError::Io(..))));
    assert_eq!(fs::read_to_string(&path).expect("the file"), text("0"));
    fs::remove_dir(&new).expect("the directory");
    assert_eq!(epochs.take().expect("an epoch").number(), 1);
}

#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let (directory, path) = place();
    std::os::unix::fs::symlink(directory.path().join("nothing"), &path).expect("a link");
    assert!(matches!(EpochFile::create(&path), Err(EpochError::Io(..))));
    assert!(matches!(EpochFile::reset(&path, 3), Err(EpochError::Io(..))));
    assert!(!directory.path().join("nothing").exists() && path.is_symlink());
}

/// A file beside it that can be removed is no lock.
#[test]
fn programs_wait_for_each_other() {
    let (directory, path) = place();
    let mut epochs = EpochFile::create(&path).expect("a new file");
    let held = fs::File::open(directory.path()).expect("the directory");
    held.lock().expect("a lock");
    let other = thread::spawn(move || epochs.take().expect("an epoch").number());
    assert!(!other.is_finished());
    fs::write(&path, text("5")).expect("another program's number");
    held.unlock().expect("no lock");
    assert_eq!(other.join().expect("a number"), 6);
}
