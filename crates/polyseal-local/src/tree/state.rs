//! The manifest of a tree as its writer remembers it, who cannot open that: for a host that has
//! recipients alone.
//!
//! The file has the plaintext of the manifest, the commitment to the encrypted one, and a checksum:
//!
//! | bytes | |
//! |---:|---|
//! | 15 | `polyseal-state`, and a line feed |
//! | 2 | version, 1 |
//! | 32 | BLAKE3 of the context of the files, or of nothing |
//! | | the plaintext of the manifest |
//! | 96 | file salt, key commitment and payload root of the encrypted manifest |
//! | 32 | BLAKE3 of all before |
//!
//! It tells names, sizes and times, and no key. It is of use only for the very manifest that is
//! stored, and for the context of its files: a tree has one.
//!
//! Limits: it is not authentic. Who can write it, and the tree, can leave files out, or give one
//! the contents of another: as can whoever owns the host that encrypts.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Lineage, Reader, commitment_bytes, commitment_from_bytes};
use polyseal_file::{COMMITMENT_BYTES, Commitment, Context, Error as FileError, stored_payload};

use crate::error::{Error, ErrorContext, Problem, Result, manifest_error};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::{Directory, state_folder};

const BEGINNING: &[u8; 17] = b"polyseal-state\n\x01\x00";
const COMMITMENT: usize = 3 * COMMITMENT_BYTES;
const CHECKSUM: usize = blake3::OUT_LEN;
const BUFFER: usize = 1 << 16;
const CONTEXT: usize = blake3::OUT_LEN;
const PLAINTEXT_AT: usize = BEGINNING.len() + CONTEXT;

/// The bytes that stand for a context.
fn context_hash(context: Option<&Context>) -> [u8; CONTEXT] {
    *blake3::hash(context.map_or(&[], Context::as_bytes)).as_bytes()
}

/// The file of the state of the directory `to` by default.
pub(super) fn state_of_directory(to: &Path) -> Result<PathBuf> {
    let absolute = || {
        let to = std::path::absolute(to)?;
        let (folder, name) = (to.parent().unwrap_or(&to), to.file_name().unwrap_or_default());
        Ok(std::fs::canonicalize(folder)?.join(name))
    };
    state_file(absolute().cannot("write", to)?.as_os_str(), "state")
}

/// A file about the tree of this path or URL, in the user's folder for such files, by a hash. The
/// folder is made.
pub(super) fn state_file(to: &OsStr, suffix: &str) -> Result<PathBuf> {
    let missing = || Error::new(Path::new(to), Problem::NoStateFolder);
    let folder = state_folder().ok_or_else(missing)?.join("polyseal");
    std::fs::create_dir_all(&folder).cannot("write", &folder)?;
    let hash = blake3::hash(to.as_encoded_bytes());
    Ok(folder.join(format!("{}.{suffix}", hash.to_hex())))
}

/// A state that has been read, and is whole.
pub(super) struct TreeState {
    path: PathBuf,
    pub(super) commitment: Commitment,
    pub(super) lineage: Lineage,
}

/// The reader of a state's manifest.
type StateEntries = Reader<BufReader<Take<File>>>;

impl TreeState {
    /// Reads the state at `path`. The inner error says why there is none that can be used.
    ///
    /// # Errors
    /// An I/O error.
    pub(super) fn read(
        path: &Path,
        context: Option<&Context>,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let mut file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Err("there is no state of it on this host"));
            }
            file => file.cannot("read", path)?,
        };
        let Some((hash, commitment)) = whole(&mut file).cannot("read", path)? else {
            return Ok(Err("the state of it on this host is damaged"));
        };
        if hash != context_hash(context) {
            return Ok(Err("the state of it on this host has another context"));
        }
        let lineage = Lineage::FIRST;
        let mut state = Self { path: path.to_owned(), commitment, lineage };
        let mut entries = state.reader()?;
        let Some(lineage) = entries.lineage().copied() else {
            return Ok(Err("the state of it on this host is damaged"));
        };
        if entries.any(|entry| entry.is_err()) {
            return Ok(Err("the state of it on this host is damaged"));
        }
        state.lineage = lineage;
        Ok(Ok(state))
    }

    /// Whether it is that of this encrypted manifest.
    ///
    /// # Errors
    /// An error of reading that.
    pub(super) fn is_of(&self, manifest: &mut impl Read) -> polyseal_file::Result<bool> {
        match stored_payload(manifest) {
            Ok((salt, root)) => {
                Ok(salt == self.commitment.file_salt && root == self.commitment.payload_root)
            }
            Err(error @ FileError::Io { .. }) => Err(error),
            // Anyone may have put something else there: it is another, whatever is wrong with it.
            Err(_) => Ok(false),
        }
    }

    /// The entries of the manifest.
    pub(super) fn entries(&self) -> Result<impl Iterator<Item = Result<Entry>> + Send + use<>> {
        let shown = self.path.clone();
        Ok(self.reader()?.map(move |entry| entry.map_err(manifest_error(&shown))))
    }

    fn reader(&self) -> Result<StateEntries> {
        let read = || {
            let mut file = open(&self.path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(PLAINTEXT_AT as u64))?;
            let around = (PLAINTEXT_AT + COMMITMENT + CHECKSUM) as u64;
            Ok(BufReader::with_capacity(BUFFER, file.take(length.saturating_sub(around))))
        };
        let plaintext = read().cannot("read", &self.path)?;
        Reader::new(plaintext).map_err(manifest_error(&self.path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a state: a regular file, and through no link of its own name, which others may have made.
fn open(path: &Path) -> io::Result<File> {
    let (folder, name) = Directory::parent_and_name(path)?;
    folder.file(Path::new(&name))
}

/// The context and the commitment in a state whose checksum is right.
fn whole(file: &mut File) -> io::Result<Option<([u8; CONTEXT], Commitment)>> {
    let length = file.metadata()?.len();
    let Some(hashed) = length.checked_sub(CHECKSUM as u64) else { return Ok(None) };
    let Some(before) = hashed.checked_sub(COMMITMENT as u64) else { return Ok(None) };
    let Some(mut left) = before.checked_sub(PLAINTEXT_AT as u64) else { return Ok(None) };
    let (mut beginning, mut context) = ([0; BEGINNING.len()], [0; CONTEXT]);
    file.read_exact(&mut beginning)?;
    file.read_exact(&mut context)?;
    if beginning != *BEGINNING {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&beginning).update(&context);
    let mut buffer = vec![0; BUFFER];
    while left > 0 {
        let part = usize::try_from(left).unwrap_or(BUFFER).min(BUFFER);
        file.read_exact(&mut buffer[..part])?;
        hasher.update(&buffer[..part]);
        left -= part as u64;
    }
    let (mut commitment, mut checksum) = ([0; COMMITMENT], [0; CHECKSUM]);
    file.read_exact(&mut commitment)?;
    file.read_exact(&mut checksum)?;
    // A checksum, no tag: it is of no secret.
    let is_whole = *hasher.update(&commitment).finalize().as_bytes() == checksum;
    Ok(is_whole.then(|| (context, commitment_from_bytes(&commitment))))
}

/// A state that is being written.
pub(super) struct NewState {
    file: NewFile,
    output: BufWriter<Hashed>,
}

/// A file, and the hash of what has been written to it.
struct Hashed {
    file: File,
    hasher: blake3::Hasher,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl NewState {
    /// Begins the state at `path`, in the place of any other. It is for its owner alone.
    pub(super) fn create(
        path: &Path,
        context: Option<&Context>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let (folder, name) = Directory::parent_and_name(path).cannot("write", path)?;
        // Nothing else than a state is replaced.
        match folder.file(Path::new(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("write", path, error)),
            Ok(mut file) => {
                let mut beginning = [0; BEGINNING.len()];
                if file.read_exact(&mut beginning).is_err() || beginning != *BEGINNING {
                    return Err(Error::new(path, Problem::NotAState));
                }
            }
        }
        let place = Place::new(folder, name, path.to_owned());
        let file = NewFile::create_in(place, true, options.forbidden)?;
        let clone = file.file().try_clone().cannot("write", path)?;
        let hashed = Hashed { file: clone, hasher: blake3::Hasher::new() };
        let mut output = BufWriter::with_capacity(BUFFER, hashed);
        output.write_all(BEGINNING).cannot("write", path)?;
        output.write_all(&context_hash(context)).cannot("write", path)?;
        Ok(Self { file, output })
    }

    /// Lets it appear, for the encrypted manifest of this commitment.
    pub(super) fn commit(mut self, commitment: &Commitment) -> Result {
        let shown = self.file.shown().to_owned();
        let mut write = || {
            self.output.write_all(&commitment_bytes(commitment))?;
            self.output.flush()?;
            let Hashed { file, hasher } = self.output.get_mut();
            file.write_all(hasher.finalize().as_bytes())
        };
        write().cannot("write", &shown)?;
        self.file.sync()?;
        self.file.commit()
    }
}

impl Write for NewState {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
