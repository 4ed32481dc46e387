//! Where encrypted files are stored that are mounted: a directory, or a store.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{BsdFileFlags, FileAttr, FileType, INodeNo};
use polyseal_file::{Inspection, ReadAt, age};

/// What is added to the names of encrypted files.
const SUFFIXES: [&[u8]; 2] = [b".polyseal", b".age"];
/// How the names of a tree's own files begin.
const HIDDEN: &[u8] = b".polyseal-";

/// What is below that which was named. Paths have the names of what is stored.
pub(super) trait Place: Send + Sync {
    /// What the directory at `path` shows.
    fn entries(&self, path: &Path) -> io::Result<Arc<Names>>;

    /// What is at `path` now. That of nothing is what was named, as a directory.
    fn look(&self, path: &Path) -> io::Result<Found>;

    /// For how long the kernel may rely on an answer: what is stored may be replaced.
    fn valid(&self) -> Duration;

    /// How many reads are answered at once.
    fn readers(&self) -> usize;
}

/// What is shown, by the names that are shown.
pub(super) type Names = BTreeMap<OsString, Entry>;

/// Something that is shown, by the name of what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) stored: OsString,
    pub(super) is_directory: bool,
}

/// A directory, or one version of a file.
pub(super) struct Found {
    /// Without a number.
    pub(super) attributes: FileAttr,
    pub(super) file: Option<(Version, Source)>,
}

/// The encrypted file.
pub(super) type Source = Box<dyn ReadAt + Send + Sync>;

/// Which file it is, and as of when; after a change it is another.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Version {
    /// What the place tells it from others by.
    pub(super) stored: String,
    /// As its header says.
    pub(super) plaintext_bytes: u64,
}

/// Whose something is, what they may do, and when it was changed.
#[derive(Clone, Copy)]
pub(super) struct Owned {
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// The rights to read; those to enter a directory follow from them.
    pub(super) perm: u16,
    pub(super) accessed: SystemTime,
    pub(super) modified: SystemTime,
    pub(super) changed: SystemTime,
}

impl Found {
    pub(super) fn directory(owned: &Owned) -> Self {
        Self { attributes: owned.attributes(FileType::Directory, 0), file: None }
    }

    /// The version that `stored` names, which is read from `source`.
    pub(super) fn file(owned: &Owned, stored: String, source: Source) -> Self {
        let plaintext_bytes = plaintext_bytes(&source);
        let attributes = owned.attributes(FileType::RegularFile, plaintext_bytes);
        Self { attributes, file: Some((Version { stored, plaintext_bytes }, source)) }
    }
}

impl Owned {
    fn attributes(&self, kind: FileType, size: u64) -> FileAttr {
        const BLOCK: u64 = 512;
        let &Self { uid, gid, perm, accessed, modified, changed } = self;
        FileAttr {
            ino: INodeNo(0),
            size,
            blocks: size.div_ceil(BLOCK),
            atime: accessed,
            mtime: modified,
            ctime: changed,
            crtime: UNIX_EPOCH,
            kind,
            // Whoever may read the one file may enter its directory.
            perm: if kind == FileType::Directory { perm | (perm & 0o444) >> 2 } else { perm },
            nlink: 1,
            uid,
            gid,
            rdev: 0,
            blksize: 1 << 16,
            flags: BsdFileFlags::empty().bits(),
        }
    }
}

/// By the header alone, of either format; none of it is authenticated here.
fn plaintext_bytes(source: &Source) -> u64 {
    let stored = source.size().ok();
    let mut input = io::BufReader::new(At(source, 0));
    let first = io::BufRead::fill_buf(&mut input).ok().and_then(|bytes| bytes.first().copied());
    let payload = if first == Some(b'a') {
        age::v1::Inspection::read(&mut input, stored).ok().and_then(|i| i.payload)
    } else {
        Inspection::read(&mut input, stored).ok().and_then(|i| i.payload)
    };
    payload.and_then(|payload| payload.plaintext_bytes).unwrap_or(0)
}

/// From an offset on.
struct At<'a>(&'a Source, u64);

impl io::Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read_at(buffer, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

/// Whether something with this name is never shown.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    matches!(name.as_bytes(), b"" | b"." | b"..") || name.as_bytes().starts_with(HIDDEN)
}

/// The name of an encrypted file without what says that it is one.
pub(super) fn short(name: &OsStr) -> Option<&OsStr> {
    let bytes = name.as_bytes();
    let short = SUFFIXES.iter().find_map(|suffix| bytes.strip_suffix(*suffix))?;
    (!matches!(short, b"" | b"." | b"..")).then(|| OsStr::from_bytes(short))
}

/// By which names `directories` and `files` are shown.
pub(super) fn named(directories: Vec<OsString>, mut files: Vec<OsString>) -> Names {
    let entry = |stored: &OsString, is_directory| Entry { stored: stored.clone(), is_directory };
    let mut entries: BTreeMap<_, _> =
        directories.iter().map(|name| (name.clone(), entry(name, true))).collect();
    files.sort();
    // `a.polyseal` comes before `a.age`: it is sorted behind it, and is more ours.
    for stored in files.iter().rev() {
        let short = short(stored).unwrap_or(stored).to_owned();
        let name = if entries.contains_key(&short) { stored.clone() } else { short };
        entries.entry(name).or_insert_with(|| entry(stored, false));
    }
    entries
}

/// The one file that was named, in a directory of its own.
pub(super) fn alone(name: &OsStr) -> Arc<Names> {
    let entry = Entry { stored: name.to_owned(), is_directory: false };
    Arc::new([(name.to_owned(), entry)].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_unless_they_are_taken() {
        let of = |directories: &[&str], files: &[&str]| {
            let os = |names: &[&str]| names.iter().map(OsString::from).collect();
            let named = named(os(directories), os(files));
            let show = |(name, entry): (OsString, Entry)| {
                format!("{}={}", name.display(), entry.stored.display())
            };
            named.into_iter().map(show).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&[], &["a.polyseal", "b.age"]), "a=a.polyseal b=b.age");
        assert_eq!(of(&["a"], &["a.polyseal"]), "a=a a.polyseal=a.polyseal");
        assert_eq!(of(&[], &["a.age", "a.polyseal"]), "a=a.polyseal a.age=a.age");
        assert_eq!(of(&[], &["a.age.age", "a.age"]), "a=a.age a.age=a.age.age");
        assert_eq!(short(OsStr::new(".polyseal")), None);
        assert_eq!(short(OsStr::new("..polyseal")), None);
        assert_eq!(short(OsStr::new("...age")), None);
        assert_eq!(short(OsStr::new("plain")), None);
    }
}
