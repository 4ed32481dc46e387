//! Which stored files are shown, and by which names.
//!
//! Shown are directories, and regular files whose names end in `.polyseal` or `.age`, by the names
//! without that; a file whose short name is taken, by its whole name. Nothing else is: no other
//! files, no symbolic links, no manifest of a tree. A path is opened from the handle of the
//! directory that was named, a component at a time and through no link: nobody who can write there
//! makes something from elsewhere appear.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, Mode, OFlags, openat};

/// What is added to the names of encrypted files.
const SUFFIXES: [&[u8]; 2] = [b".polyseal", b".age"];
/// How the names of a tree's own files begin.
const HIDDEN: &[u8] = b".polyseal-";

/// What was named: a directory, or one file.
pub(super) enum Shown {
    Directory(OwnedFd),
    File { file: File, name: OsString },
}

/// Something that is shown, by the name of what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) stored: OsString,
    pub(super) is_directory: bool,
}

impl Shown {
    pub(super) fn open(source: &Path) -> io::Result<Self> {
        let file = File::open(source)?;
        if file.metadata()?.is_dir() {
            return Ok(Self::Directory(file.into()));
        }
        let name = source.file_name().unwrap_or(OsStr::new("plaintext"));
        Ok(Self::File { file, name: short(name).unwrap_or(name).to_owned() })
    }

    /// What the directory at `path` shows, by the names that are shown.
    pub(super) fn entries(&self, path: &Path) -> io::Result<BTreeMap<OsString, Entry>> {
        let directory = match self {
            Self::File { name, .. } => {
                let entry = Entry { stored: name.clone(), is_directory: false };
                return Ok([(name.clone(), entry)].into());
            }
            Self::Directory(_) => self.directory(path)?,
        };
        let (mut directories, mut files) = (Vec::new(), Vec::new());
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            if matches!(name.as_bytes(), b"." | b"..") || name.as_bytes().starts_with(HIDDEN) {
                continue;
            }
            // Not every file system says it here, and what it says may have changed.
            let Ok(file) = at(&directory, &name) else { continue };
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                directories.push(name);
            } else if metadata.is_file() && short(&name).is_some() {
                files.push(name);
            }
        }
        Ok(named(directories, files))
    }

    /// Opens what is stored at `path`, below what was named.
    pub(super) fn stored(&self, path: &Path) -> io::Result<File> {
        match self {
            Self::File { file, .. } if path == Path::new("") => Ok(file.try_clone()?),
            Self::File { file, name } if path == Path::new(name) => Ok(file.try_clone()?),
            Self::File { .. } => Err(io::ErrorKind::NotFound.into()),
            Self::Directory(_) => match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => at(&self.directory(parent)?, name),
                _ => Ok(self.directory(path)?.into()),
            },
        }
    }

    fn directory(&self, path: &Path) -> io::Result<OwnedFd> {
        let Self::Directory(root) = self else { return Err(io::ErrorKind::NotADirectory.into()) };
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

/// What `name` in `directory` is, if it is no link. A FIFO is not waited for.
fn at(directory: &OwnedFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?.into())
}

fn short(name: &OsStr) -> Option<&OsStr> {
    let bytes = name.as_bytes();
    let short = SUFFIXES.iter().find_map(|suffix| bytes.strip_suffix(*suffix))?;
    (!matches!(short, b"" | b"." | b"..")).then(|| OsStr::from_bytes(short))
}

/// By which names `directories` and `files` are shown.
fn named(directories: Vec<OsString>, mut files: Vec<OsString>) -> BTreeMap<OsString, Entry> {
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

/// The rights of what is shown: those to read of what is stored.
pub(super) fn rights(metadata: &Metadata) -> u16 {
    use std::os::unix::fs::PermissionsExt;
    let mode = (metadata.permissions().mode() & 0o777) as u16;
    if metadata.is_dir() { mode & 0o555 } else { mode & 0o444 }
}

/// The path of something in a directory at `parent`.
pub(super) fn below(parent: &Path, stored: &OsStr) -> PathBuf {
    parent.join(stored)
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
