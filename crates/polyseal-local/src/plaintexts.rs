//! Encrypted files in a directory, or one file, as plaintexts: which are shown, by which names, and
//! how the stored file is found. A mount shows them.
//!
//! Shown are directories, and regular files whose names end in `.polyseal` or `.age`, by the names
//! without that; a file whose short name is taken, by its whole name. Nothing else is: no other
//! files, no symbolic links, no manifest of a tree. A path is opened from the handle of the
//! directory that was named, a component at a time and through no link: nobody who can write there
//! makes something from elsewhere appear.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::platform::{Directory, DirectoryState, EntryKind, bytes, name_from_bytes};

/// The suffixes of encrypted files.
const SUFFIXES: [&[u8]; 2] = [b".polyseal", b".age"];
/// How the names of a tree's own files begin.
const HIDDEN: &[u8] = b".polyseal-";
/// For how long names may be kept though the directory may have changed unseen: within so much of a
/// change, another one may leave its times as they are.
const UNSURE: Duration = Duration::from_millis(100);
/// The most directories whose names are kept.
const KEPT: usize = 64;

/// The entries that a directory shows, by the names that are shown.
pub type ShownNames = BTreeMap<OsString, ShownEntry>;

/// An entry that is shown, with the name under which it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownEntry {
    /// Its name where it is stored.
    pub stored: OsString,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// Shows a directory, or one file, without the suffixes.
#[derive(Debug)]
pub struct ShownPlaintexts {
    source: PlaintextSource,
    valid: Duration,
    cache: Mutex<HashMap<PathBuf, CachedNames>>,
    /// How often a directory has been read.
    reads: AtomicU64,
}

#[derive(Debug)]
enum PlaintextSource {
    Directory(Directory),
    File { file: File, name: OsString },
}

/// The names in a directory. They are the same as long as it is the same and has not changed.
#[derive(Debug)]
struct CachedNames {
    state: DirectoryState,
    names: Arc<ShownNames>,
    read: SystemTime,
}

impl ShownPlaintexts {
    /// The directory or file `source`. For so long as `valid` says, the caller relies on an answer
    /// that it was given.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open(source: &Path, valid: Duration) -> io::Result<Self> {
        let source = match Directory::open(source) {
            Ok(directory) => PlaintextSource::Directory(directory),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let name = source.file_name().unwrap_or(OsStr::new("plaintext"));
                let name = short_name(name).unwrap_or(Cow::Borrowed(name)).into_owned();
                PlaintextSource::File { file: File::open(source)?, name }
            }
            Err(error) => return Err(error),
        };
        Ok(Self { source, valid, cache: Mutex::default(), reads: AtomicU64::new(0) })
    }

    /// The entries that the directory at `path` shows; paths have the names that are stored. An
    /// unchanged directory is not read again, and no file in it is opened: a caller who looks at
    /// each file would otherwise cause all that work for each.
    ///
    /// # Errors
    /// An I/O error; a link on the way is one.
    pub fn entries(&self, path: &Path) -> io::Result<Arc<ShownNames>> {
        if let PlaintextSource::File { name, .. } = &self.source {
            return Ok(alone(name));
        }
        let directory = self.directory(path)?;
        let now = SystemTime::now();
        // Before it is read: a change meanwhile is seen the next time.
        let state = directory.state()?;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) =
            cache.get(path).filter(|there| there.state == state && there.holds(now, self.valid))
        {
            return Ok(Arc::clone(&there.names));
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        let names = Arc::new(read(&directory)?);
        if cache.len() >= KEPT {
            cache.clear();
        }
        cache.insert(path.to_owned(), CachedNames { state, names: Arc::clone(&names), read: now });
        Ok(names)
    }

    /// Opens the entry that is stored at `path` below the source: a regular file or a directory.
    ///
    /// # Errors
    /// As [`entries`](Self::entries).
    pub fn stored(&self, path: &Path) -> io::Result<File> {
        match &self.source {
            PlaintextSource::File { file, .. } if path == Path::new("") => Ok(file.try_clone()?),
            PlaintextSource::File { file, name } if path == Path::new(name) => {
                Ok(file.try_clone()?)
            }
            PlaintextSource::File { .. } => Err(io::ErrorKind::NotFound.into()),
            PlaintextSource::Directory(_) => match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => {
                    let directory = self.directory(parent)?;
                    match directory.stat(name)?.kind() {
                        EntryKind::Directory => directory.beneath(Path::new(name))?.to_file(),
                        _ => directory.file(Path::new(name)),
                    }
                }
                _ => self.directory(path)?.to_file(),
            },
        }
    }

    fn directory(&self, path: &Path) -> io::Result<Directory> {
        match &self.source {
            PlaintextSource::Directory(root) => root.beneath(path),
            PlaintextSource::File { .. } => Err(io::ErrorKind::NotADirectory.into()),
        }
    }
}

impl CachedNames {
    /// Whether the times of a directory that is still the same prove that its names are.
    fn holds(&self, now: SystemTime, valid: Duration) -> bool {
        let changed = UNIX_EPOCH + self.state.changed();
        let long_before = self.read.duration_since(changed).is_ok_and(|since| since > UNSURE);
        // The caller may also rely on the answer for so long.
        long_before || now.duration_since(self.read).is_ok_and(|since| since < valid)
    }
}

fn read(directory: &Directory) -> io::Result<ShownNames> {
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for (name, kind) in directory.names()? {
        match kind {
            _ if is_hidden(&name) => {}
            EntryKind::Directory => directories.push(name),
            EntryKind::File if short_name(&name).is_some() => files.push(name),
            _ => {}
        }
    }
    Ok(shown_names(directories, files))
}

/// Whether something with this name is never shown.
#[must_use]
pub fn is_hidden(name: &OsStr) -> bool {
    matches!(bytes(name), b"" | b"." | b"..") || bytes(name).starts_with(HIDDEN)
}

/// The name of an encrypted file without its suffix.
#[must_use]
pub fn short_name(name: &OsStr) -> Option<Cow<'_, OsStr>> {
    let bytes = bytes(name);
    let short = SUFFIXES.iter().find_map(|suffix| bytes.strip_suffix(*suffix))?;
    (!matches!(short, b"" | b"." | b"..")).then(|| name_from_bytes(short))
}

/// By which names `directories` and `files` are shown.
#[must_use]
pub fn shown_names(directories: Vec<OsString>, mut files: Vec<OsString>) -> ShownNames {
    let entry =
        |stored: &OsString, is_directory| ShownEntry { stored: stored.clone(), is_directory };
    let mut entries: BTreeMap<_, _> =
        directories.iter().map(|name| (name.clone(), entry(name, true))).collect();
    files.sort();
    // `a.polyseal` comes before `a.age`: it is sorted behind it, and is more ours.
    for stored in files.iter().rev() {
        let short = short_name(stored).unwrap_or(Cow::Borrowed(stored)).into_owned();
        let name = if entries.contains_key(&short) { stored.clone() } else { short };
        entries.entry(name).or_insert_with(|| entry(stored, false));
    }
    entries
}

/// The one file that was named, in a directory of its own.
#[must_use]
pub fn alone(name: &OsStr) -> Arc<ShownNames> {
    let entry = ShownEntry { stored: name.to_owned(), is_directory: false };
    Arc::new([(name.to_owned(), entry)].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: Duration = Duration::from_secs(1);

    #[test]
    fn names_are_short_unless_they_are_taken() {
        let of = |directories: &[&str], files: &[&str]| {
            let os = |names: &[&str]| names.iter().map(OsString::from).collect();
            let named = shown_names(os(directories), os(files));
            let show = |(name, entry): (OsString, ShownEntry)| {
                format!("{}={}", name.display(), entry.stored.display())
            };
            named.into_iter().map(show).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&[], &["a.polyseal", "b.age"]), "a=a.polyseal b=b.age");
        assert_eq!(of(&["a"], &["a.polyseal"]), "a=a a.polyseal=a.polyseal");
        assert_eq!(of(&[], &["a.age", "a.polyseal"]), "a=a.polyseal a.age=a.age");
        assert_eq!(of(&[], &["a.age.age", "a.age"]), "a=a.age a.age=a.age.age");
        assert_eq!(short_name(OsStr::new(".polyseal")), None);
        assert_eq!(short_name(OsStr::new("..polyseal")), None);
        assert_eq!(short_name(OsStr::new("...age")), None);
        assert_eq!(short_name(OsStr::new("plain")), None);
    }

    #[test]
    fn a_directory_is_read_again_only_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), b"").unwrap();
        (0..100).for_each(|i| write(&format!("{i}.polyseal")));
        let shown = ShownPlaintexts::open(folder.path(), VALID).unwrap();
        let look =
            || (shown.entries(Path::new("")).unwrap().len(), shown.reads.load(Ordering::Relaxed));
        for wait in [Duration::ZERO, UNSURE * 2] {
            // So that the times of the directory change, whatever their grain is.
            std::thread::sleep(wait);
            let (before, reads) = look();
            (0..100).for_each(|_| assert_eq!(look(), (before, reads)));
            std::thread::sleep(UNSURE);
            write(&format!("new-{}.polyseal", wait.as_millis()));
            assert_eq!(look(), (before + 1, reads + 1));
        }
        // A change at the very moment of reading is not relied on for long.
        let (names, reads) = look();
        std::thread::sleep(VALID);
        assert_eq!(look(), (names, reads + 1));
        assert_eq!(look(), (names, reads + 1));
        // A directory that is not the same one is another, whatever its times are.
        let root = shown.cache.lock().unwrap().remove(Path::new("")).unwrap();
        shown.cache.lock().unwrap().insert("sub".into(), root);
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(shown.entries(Path::new("sub")).unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("tree/inside")).unwrap();
        std::fs::write(path("secret.polyseal"), b"").unwrap();
        std::fs::write(path("tree/inside/file.polyseal"), b"").unwrap();
        std::os::unix::fs::symlink("../secret.polyseal", path("tree/link.polyseal")).unwrap();
        std::os::unix::fs::symlink("..", path("tree/up")).unwrap();
        let shown = ShownPlaintexts::open(&path("tree"), VALID).unwrap();
        let entries = shown.entries(Path::new("")).unwrap();
        assert_eq!(entries.keys().collect::<Vec<_>>(), ["inside"]);
        for hostile in ["link.polyseal", "up/secret.polyseal", "up", "../secret.polyseal"] {
            assert!(shown.stored(Path::new(hostile)).is_err(), "{hostile}");
        }
        assert!(shown.stored(Path::new("inside/file.polyseal")).is_ok());
    }
}
