//! Files in a directory, or one file: which are shown, and how they are found.
//!
//! Shown are directories, and regular files whose names end in `.polyseal` or `.age`, by the names
//! without that; a file whose short name is taken, by its whole name. Nothing else is: no other
//! files, no symbolic links, no manifest of a tree. A path is opened from the handle of the
//! directory that was named, a component at a time and through no link: nobody who can write there
//! makes something from elsewhere appear.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};

use super::place::{Found, Names, Owned, Place, alone, is_hidden, named, short};
use polyseal_local::FileId;

/// For how long the kernel may rely on an answer.
const VALID: Duration = Duration::from_secs(1);

/// For how long names may be kept though the directory may have changed unseen: within so much of a
/// change, another one may leave its times as they are.
const UNSURE: Duration = Duration::from_millis(100);

/// The most directories whose names are kept.
const KEPT: usize = 64;

/// What was named.
pub(super) struct Shown {
    source: Source,
    kept: Mutex<HashMap<PathBuf, Kept>>,
    /// How often a directory has been read.
    reads: AtomicU64,
}

/// A directory, or one file.
enum Source {
    Directory(OwnedFd),
    File { file: File, name: OsString },
}

/// The names in a directory. They are the same as long as it is the same and has not changed.
struct Kept {
    state: State,
    names: Arc<Names>,
    read: SystemTime,
}

/// Which directory it is, and when it was changed.
type State = (FileId, [i64; 4]);

impl Shown {
    pub(super) fn open(source: &Path) -> io::Result<Self> {
        let file = File::open(source)?;
        let source = if file.metadata()?.is_dir() {
            Source::Directory(file.into())
        } else {
            let name = source.file_name().unwrap_or(OsStr::new("plaintext"));
            Source::File { file, name: short(name).unwrap_or(name).to_owned() }
        };
        Ok(Self { source, kept: Mutex::default(), reads: AtomicU64::new(0) })
    }

    /// What the directory at `path` shows. A directory that has not changed is not read again, and
    /// nothing in it is opened: who looks at each of its files would else do all of it for each.
    fn names(&self, path: &Path) -> io::Result<Arc<Names>> {
        if let Source::File { name, .. } = &self.source {
            return Ok(alone(name));
        }
        let directory = self.directory(path)?;
        let now = SystemTime::now();
        // Before it is read: what changes meanwhile is seen the next time.
        let state = state(&directory)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = kept.get(path).filter(|there| there.state == state && there.holds(now))
        {
            return Ok(Arc::clone(&there.names));
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        let names = Arc::new(read(&directory)?);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), Kept { state, names: Arc::clone(&names), read: now });
        Ok(names)
    }

    /// Opens what is stored at `path`, below what was named.
    fn stored(&self, path: &Path) -> io::Result<File> {
        match &self.source {
            Source::File { file, .. } if path == Path::new("") => Ok(file.try_clone()?),
            Source::File { file, name } if path == Path::new(name) => Ok(file.try_clone()?),
            Source::File { .. } => Err(io::ErrorKind::NotFound.into()),
            Source::Directory(_) => match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => at(&self.directory(parent)?, name),
                _ => Ok(self.directory(path)?.into()),
            },
        }
    }

    fn directory(&self, path: &Path) -> io::Result<OwnedFd> {
        let Source::Directory(root) = &self.source else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut directory = openat(root, ".", flags, Mode::empty())?;
        for component in path.components() {
            let Component::Normal(name) = component else {
                return Err(io::ErrorKind::NotFound.into());
            };
            directory = openat(&directory, name, flags, Mode::empty())?;
        }
        Ok(directory)
    }
}

impl Place for Shown {
    fn entries(&self, path: &Path) -> io::Result<Arc<Names>> {
        self.names(path)
    }

    fn look(&self, path: &Path) -> io::Result<Found> {
        let file = self.stored(path)?;
        let metadata = file.metadata()?;
        let owned = Owned {
            uid: metadata.uid(),
            gid: metadata.gid(),
            perm: rights(&metadata),
            accessed: metadata.accessed().unwrap_or(UNIX_EPOCH),
            modified: metadata.modified().unwrap_or(UNIX_EPOCH),
            changed: changed(&metadata),
        };
        // The one file that was named is shown in a directory of its own.
        if path == Path::new("") || metadata.is_dir() {
            return Ok(Found::directory(&owned));
        }
        let id = FileId::of(&metadata);
        let state = (id, metadata.ctime(), metadata.ctime_nsec(), metadata.len());
        Ok(Found::file(&owned, format!("{state:?}"), Box::new(file)))
    }

    fn valid(&self) -> Duration {
        VALID
    }

    fn readers(&self) -> usize {
        available_parallelism().map_or(1, usize::from)
    }
}

impl Kept {
    /// Whether the times of a directory that is still the same prove that its names are.
    fn holds(&self, now: SystemTime) -> bool {
        let [seconds, nanoseconds, ..] = self.state.1.map(|it| u64::try_from(it).unwrap_or(0));
        let changed = UNIX_EPOCH + Duration::new(seconds, 0) + Duration::from_nanos(nanoseconds);
        let long_before = self.read.duration_since(changed).is_ok_and(|since| since > UNSURE);
        // The kernel, too, relies on what it was told for so long.
        long_before || now.duration_since(self.read).is_ok_and(|since| since < VALID)
    }
}

fn state(directory: &OwnedFd) -> io::Result<State> {
    let stat = fstat(directory)?;
    let nanoseconds = |it| i64::try_from(it).unwrap_or_default();
    let changed = [stat.st_ctime, nanoseconds(stat.st_ctime_nsec)];
    let modified = [stat.st_mtime, nanoseconds(stat.st_mtime_nsec)];
    let times = [changed[0], changed[1], modified[0], modified[1]];
    let id = FileId::of_open(directory).ok_or(io::ErrorKind::NotFound)?;
    Ok((id, times))
}

fn read(directory: &OwnedFd) -> io::Result<Names> {
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if is_hidden(&name) {
            continue;
        }
        let kind = match entry.file_type() {
            // Not every file system says it here.
            FileType::Unknown => match statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                // It has gone meanwhile.
                Err(_) => continue,
            },
            known => known,
        };
        match kind {
            FileType::Directory => directories.push(name),
            FileType::RegularFile if short(&name).is_some() => files.push(name),
            _ => {}
        }
    }
    Ok(named(directories, files))
}

/// What `name` in `directory` is, if it is no link. A FIFO is not waited for.
fn at(directory: &OwnedFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?.into())
}

/// The rights of what is shown: those to read of what is stored.
fn rights(metadata: &Metadata) -> u16 {
    let mode = (metadata.permissions().mode() & 0o777) as u16;
    if metadata.is_dir() { mode & 0o555 } else { mode & 0o444 }
}

fn changed(metadata: &Metadata) -> SystemTime {
    u64::try_from(metadata.ctime()).map_or(UNIX_EPOCH, |s| UNIX_EPOCH + Duration::from_secs(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_read_again_only_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), b"").unwrap();
        (0..100).for_each(|i| write(&format!("{i}.polyseal")));
        let shown = Shown::open(folder.path()).unwrap();
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
        // What has changed at the very moment when it was read is not relied on for long.
        let (names, reads) = look();
        std::thread::sleep(VALID);
        assert_eq!(look(), (names, reads + 1));
        assert_eq!(look(), (names, reads + 1));
        // A directory that is not the same one is another, whatever its times are.
        let root = shown.kept.lock().unwrap().remove(Path::new("")).unwrap();
        shown.kept.lock().unwrap().insert("sub".into(), root);
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(shown.entries(Path::new("sub")).unwrap().is_empty());
    }

    #[test]
    fn links_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("tree/inside")).unwrap();
        std::fs::write(path("secret.polyseal"), b"").unwrap();
        std::fs::write(path("tree/inside/file.polyseal"), b"").unwrap();
        std::os::unix::fs::symlink("../secret.polyseal", path("tree/link.polyseal")).unwrap();
        std::os::unix::fs::symlink("..", path("tree/up")).unwrap();
        let shown = Shown::open(&path("tree")).unwrap();
        let entries = shown.entries(Path::new("")).unwrap();
        assert_eq!(entries.keys().collect::<Vec<_>>(), ["inside"]);
        for hostile in ["link.polyseal", "up/secret.polyseal", "up", "../secret.polyseal"] {
            assert!(shown.stored(Path::new(hostile)).is_err(), "{hostile}");
        }
        assert!(shown.stored(Path::new("inside/file.polyseal")).is_ok());
    }
}
