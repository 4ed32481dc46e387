//! A file that gives epochs, each once. The driver in Python reads and writes the same file.
//!
//! It has the highest number that was given. A new one is on the disk before the caller has it: a
//! file beside it is written and flushed, takes its name, and the directory is flushed. A lock on
//! the directory keeps two programs from one number. Limits: copies do not know of each other, nor
//! do hard links. A file that is restored from a copy gives numbers again, and only an
//! [`EpochFile`] that is still open notices. Anyone who can write the directory can do so, too.
//! Some network file systems lock for one machine only.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::num::NonZeroU64;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::epoch::Epoch;

const HEAD: &str = "omd-link epochs 1\n";
/// The longest such file, in bytes.
const LONGEST: u64 = HEAD.len() as u64 + 21;

/// The store of one end, for as long as its master key is in use.
///
/// ```
/// use polyseal_omd_link::EpochFile;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("epochs");
/// let mut epochs = EpochFile::create(&path)?; // once, with a new master key
/// assert_eq!(epochs.take()?.number(), 1);
/// let mut epochs = EpochFile::open(&path)?; // at each start
/// assert_eq!(epochs.take()?.number(), 2);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EpochFile {
    path: PathBuf,
    /// The highest number that is known to have been given.
    given: u64,
}

/// Why an [`EpochFile`] gives no epoch.
#[derive(Debug)]
#[non_exhaustive]
pub enum EpochError {
    /// There is no such file, so that nobody knows which numbers were given.
    Missing(PathBuf),
    /// There is a file of this name already.
    Exists(PathBuf),
    /// The file is not an epoch file.
    Malformed(PathBuf),
    /// The file has a smaller number than before.
    WentBack {
        /// The file.
        path: PathBuf,
        /// The number in the file.
        found: u64,
        /// The number that was given already.
        given: u64,
    },
    /// All numbers were given.
    Exhausted(PathBuf),
    /// The file cannot be read, written or locked.
    Io(PathBuf, io::Error),
}

impl fmt::Display for EpochError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(
                f,
                "{}: no file of epochs is here. Create it with a new master key; if there was one, \
                 reset it above every epoch that was used",
                path.display()
            ),
            Self::Exists(path) => write!(f, "{}: there is a file here already", path.display()),
            Self::Malformed(path) => write!(f, "{}: this is no file of epochs", path.display()),
            Self::WentBack { path, found, given } => write!(
                f,
                "{}: the epochs went back to {found}, and {given} was used. Reset the file above \
                 every epoch that was used",
                path.display()
            ),
            Self::Exhausted(path) => write!(f, "{}: all epochs were used", path.display()),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for EpochError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl EpochFile {
    /// A new file, of a new master key: its first epoch is 1.
    ///
    /// # Errors
    ///
    /// [`EpochError::Exists`] and [`EpochError::Io`].
    pub fn create(path: impl AsRef<Path>) -> Result<Self, EpochError> {
        let path = resolved(path.as_ref())?;
        let _lock = locked(&path)?;
        match fs::symlink_metadata(&path) {
            Ok(_) => return Err(EpochError::Exists(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(EpochError::Io(path, error)),
        }
        write(&path, 0)?;
        Ok(Self { path, given: 0 })
    }

    /// The file that is there.
    ///
    /// # Errors
    ///
    /// [`EpochError::Missing`], [`EpochError::Malformed`] and [`EpochError::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, EpochError> {
        let path = resolved(path.as_ref())?;
        let given = read(&path)?;
        Ok(Self { path, given })
    }

    /// Writes the file anew, whatever is there: its next epoch is one above `used`. That must be
    /// the highest which this end has used with the master key, or more; 0 with a new master key.
    ///
    /// # Errors
    ///
    /// [`EpochError::Io`].
    pub fn reset(path: impl AsRef<Path>, used: u64) -> Result<Self, EpochError> {
        let path = resolved(path.as_ref())?;
        let _lock = locked(&path)?;
        write(&path, used)?;
        Ok(Self { path, given: used })
    }

    /// The next epoch. Nobody gets it again, also if this program ends before it is used.
    ///
    /// # Errors
    ///
    /// [`EpochError::WentBack`], [`EpochError::Exhausted`], and those of [`open`](Self::open).
    pub fn take(&mut self) -> Result<Epoch, EpochError> {
        let _lock = locked(&self.path)?;
        let found = read(&self.path)?;
        if found < self.given {
            return Err(EpochError::WentBack { path: self.path.clone(), found, given: self.given });
        }
        let next = found.checked_add(1).and_then(NonZeroU64::new);
        let next = next.ok_or_else(|| EpochError::Exhausted(self.path.clone()))?;
        write(&self.path, next.get())?;
        self.given = next.get();
        Ok(Epoch::Stored(next))
    }
}

/// The path without symbolic links, so that one file has one lock. A link that leads nowhere is an
/// error.
fn resolved(path: &Path) -> Result<PathBuf, EpochError> {
    let whole = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => (|| {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            Ok(fs::canonicalize(directory.unwrap_or(Path::new(".")))?.join(name))
        })(),
        whole => whole,
    };
    whole.map_err(|error| EpochError::Io(path.to_owned(), error))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn directory(path: &Path) -> io::Result<File> {
    File::open(path.parent().unwrap_or(Path::new("/")))
}

/// Nobody else has it until it is dropped. A file of its own could be removed meanwhile.
fn locked(path: &Path) -> Result<File, EpochError> {
    directory(path)
        .and_then(|directory| directory.lock().map(|()| directory))
        .map_err(|error| EpochError::Io(path.to_owned(), error))
}

fn text(given: u64) -> String {
    format!("{HEAD}{given}\n")
}

fn read(path: &Path) -> Result<u64, EpochError> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(EpochError::Missing(path.to_owned()));
        }
        Err(error) => return Err(EpochError::Io(path.to_owned(), error)),
    }
    let number = std::str::from_utf8(&bytes).ok().and_then(|all| all.strip_prefix(HEAD));
    number
        .and_then(|digits| digits.trim_end().parse().ok())
        .filter(|&given| text(given).as_bytes() == bytes)
        .ok_or_else(|| EpochError::Malformed(path.to_owned()))
}

/// On the disk once this returns.
fn write(path: &Path, given: u64) -> Result<(), EpochError> {
    let new = beside(path, ".new");
    (|| {
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text(given).as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        // A name is in the directory, which has to be flushed for itself.
        directory(path)?.sync_all()
    })()
    .map_err(|error| EpochError::Io(path.to_owned(), error))
}
