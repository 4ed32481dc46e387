//! Any bytes as the manifest of a tree: what is read keeps the rules of the specification, which
//! are told here once more, and is written as the same bytes.

use polyseal_file::manifest::{Entry, Error, Kind, Reader, Writer, stays_inside};

pub(crate) fn check(bytes: &[u8]) {
    let (mut entries, mut failed) = (Vec::new(), false);
    let mut binds = true;
    match Reader::with_unbound_contents(bytes) {
        Ok(reader) => {
            binds = reader.binds_contents();
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
    assert_eq!(Reader::new(bytes).is_ok(), Reader::with_unbound_contents(bytes).is_ok() && binds);
    if !binds {
        // Nobody writes version 1.
        return;
    }
    let mut writer = Writer::new(Vec::new()).expect("memory takes everything");
    entries.iter().for_each(|entry| writer.push(entry).expect("what is read can be written"));
    let written = writer.finish().expect("memory takes everything");
    assert_eq!(!failed, written == bytes);
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
    let is_directory = |path: &[u8]| {
        let entry = entries.iter().find(|entry| entry.path == path);
        entry.is_some_and(|entry| entry.kind == Kind::Directory)
    };
    for entry in entries {
        let names = names(&entry.path);
        assert!(names.iter().all(|name| !["", ".", ".."].map(str::as_bytes).contains(name)));
        assert!(!entry.path.contains(&0) && entry.path.len() < 1 << 16);
        assert!(entry.mode < 1 << 9 && entry.modified.nanoseconds < 1_000_000_000);
        if let Some(end) = entry.path.iter().rposition(|&byte| byte == b'/') {
            assert!(is_directory(&entry.path[..end]));
        }
        if let Kind::Link { target } = &entry.kind {
            assert!(!target.is_empty() && !target.contains(&0));
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
