//! Any bytes as the manifest of a tree: what is read keeps the rules of the specification, which
//! are told here once more, and is written as the same bytes.

use polyseal_file::PayloadRoot;
use polyseal_file::manifest::{
    Entry, Error, FileBinding, Kind, NO_STAMP, Reader, State, Timestamp, Writer, stays_inside,
};

pub(crate) fn check(bytes: &[u8]) {
    let (mut entries, mut failed) = (Vec::new(), false);
    let (mut version, mut lineage) = (0, None);
    match Reader::with_unbound_contents(bytes) {
        Ok(reader) => {
            (version, lineage) = (reader.version(), reader.lineage().copied());
            for entry in reader {
                // After an error there is nothing more.
                assert!(!failed);
                match entry {
                    Ok(entry) => entries.push(entry),
                    Err(error) => failed = is_told(&error),
                }
            }
        }
        Err(error) => failed = is_told(&error),
    }
    keep_the_rules(&entries);
    entries.iter().for_each(|entry| is_of_version(version, entry));
    assert_eq!(Reader::new(bytes).is_ok(), version > 1);
    assert_eq!(lineage.is_some(), version == 3);
    // Nobody writes an older version.
    let Some(lineage) = lineage else { return };
    assert_ne!(lineage.number, 0);
    let mut writer = Writer::new(Vec::new(), &lineage).expect("memory takes everything");
    entries.iter().for_each(|entry| writer.push(entry).expect("what is read can be written"));
    let written = writer.finish().expect("memory takes everything");
    assert_eq!(!failed, written == bytes);
    let missing = entries.iter().filter(|entry| matches!(entry.state, State::Failed(_))).count();
    let counts = [entries.len(), missing].map(|count| (count as u64).to_le_bytes()).concat();
    assert!(written.ends_with(&counts));
}

/// Nothing in it is of another version.
fn is_of_version(version: u16, entry: &Entry) {
    assert!(version == 3 || (entry.state == State::New && entry.kind != Kind::Absent));
    let Kind::File { bound, stamp, .. } = &entry.kind else { return };
    let bound_by = match bound {
        FileBinding::Salt(_) => 1,
        FileBinding::Contents(it) if matches!(it.payload_root, PayloadRoot::List(_)) => 2,
        FileBinding::Contents(_) => 3,
    };
    assert!(version == bound_by && (version == 3 || *stamp == NO_STAMP));
}

fn is_told(error: &Error) -> bool {
    assert!(matches!(error, Error::Invalid(_)), "bytes are always read: {error}");
    !error.to_string().is_empty()
}

fn names(path: &[u8]) -> Vec<&[u8]> {
    path.split(|&byte| byte == b'/').collect()
}

fn keep_the_rules(entries: &[Entry]) {
    for pair in entries.windows(2) {
        assert!(names(&pair[0].path) < names(&pair[1].path));
    }
    let directory = |path: &[u8]| {
        let entry = entries.iter().find(|entry| entry.path == path);
        entry.filter(|entry| entry.kind == Kind::Directory)
    };
    for entry in entries {
        let names = names(&entry.path);
        assert!(names.iter().all(|name| !["", ".", ".."].map(str::as_bytes).contains(name)));
        assert!(!entry.path.contains(&0) && entry.path.len() < 1 << 16);
        assert!(entry.mode < 1 << 9 && entry.modified.nanoseconds < 1_000_000_000);
        if let Some(end) = entry.path.iter().rposition(|&byte| byte == b'/') {
            let parent = directory(&entry.path[..end]).expect("a directory");
            assert!(parent.state != State::Deleted || entry.state == State::Deleted);
        }
        assert!(match entry.state {
            State::New => entry.kind != Kind::Absent,
            State::Unchanged => matches!(entry.kind, Kind::File { .. }),
            State::Failed(reason) => reason.number() != 0,
            State::Deleted => matches!(entry.kind, Kind::File { .. } | Kind::Directory),
        });
        if entry.kind == Kind::Absent {
            assert!(entry.mode == 0 && entry.modified == Timestamp::ZERO);
        }
        if let Kind::Link { target } = &entry.kind {
            assert!(entry.mode == 0 && !target.is_empty() && !target.contains(&0));
            if stays_inside(&entry.path, target) {
                stay_inside(names.len() - 1, target);
            }
        }
    }
}

/// Goes the way, from so many directories below the root.
fn stay_inside(mut depth: usize, target: &[u8]) {
    assert_ne!(target[0], b'/');
    for name in names(target) {
        match name {
            b"" | b"." => {}
            b".." => depth = depth.checked_sub(1).expect("it leads out of the tree"),
            _ => depth += 1,
        }
    }
}
