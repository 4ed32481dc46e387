//! What the kernel asks, answered from stored files.
//!
//! The size of a file that nobody has opened is computed from its header, of which nothing is
//! authenticated until it is opened; one that is altered shows another size, and does not open.
//!
//! The kernel keeps size and contents by number (inode), for all who have it open. So a number
//! stands for one [`Version`] of what is stored. It has one size, and one reader while it is open.
//! What is put in its place gets another number: it cannot cut short what is being read, nor be
//! mixed with it.
//!
//! A number is kept while the kernel knows it, a reader while its file is open.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, Request,
};
use polyseal_file::{Inspection, Reader, age};
use zeroize::Zeroizing;

use super::Event;
use super::shown::{Shown, below, rights};
use crate::file_io::FileId;

/// For how long the kernel may rely on an answer: what is stored may be replaced.
pub(super) const VALID: Duration = Duration::from_secs(1);

/// The number of what is only listed.
const UNKNOWN: INodeNo = INodeNo(0xffff_ffff);

pub(super) struct Plaintexts {
    shown: Shown,
    events: Mutex<Sender<Event>>,
    numbers: Mutex<Numbers>,
    readers: Mutex<Readers>,
}

/// The numbers that the kernel knows, what is stored there, and how often it was told.
struct Numbers {
    stored: HashMap<u64, (Stored, u64)>,
    numbers: HashMap<Stored, u64>,
    next: u64,
}

/// A directory at a path, or one version of a file.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Stored {
    path: PathBuf,
    version: Option<Version>,
}

/// Which file it is, and as of when; after a change it is another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Version {
    id: FileId,
    changed: (i64, i64),
    bytes: u64,
    /// As its header says.
    plaintext_bytes: u64,
}

/// Those that are open, by number.
type Readers = HashMap<u64, Open>;

struct Open {
    reader: Arc<Reader<File>>,
    attributes: FileAttr,
    handles: u64,
}

impl Plaintexts {
    pub(super) fn new(shown: Shown, events: Sender<Event>) -> Self {
        let root = Stored { path: PathBuf::new(), version: None };
        let numbers = Numbers {
            stored: [(INodeNo::ROOT.0, (root.clone(), 1))].into(),
            numbers: [(root, INodeNo::ROOT.0)].into(),
            next: INodeNo::ROOT.0 + 1,
        };
        Self {
            shown,
            events: Mutex::new(events),
            numbers: Mutex::new(numbers),
            readers: Mutex::default(),
        }
    }

    fn path(&self, number: INodeNo) -> Result<PathBuf, Errno> {
        let numbers = locked(&self.numbers);
        numbers.stored.get(&number.0).map(|(it, _)| it.path.clone()).ok_or(Errno::ESTALE)
    }

    /// What is stored at `path` now.
    fn look(&self, path: PathBuf) -> Result<(File, Metadata, Stored), Errno> {
        let file = self.shown.stored(&path).map_err(errno)?;
        let metadata = file.metadata().map_err(errno)?;
        // The one file that was named is shown in a directory of its own.
        let is_directory = path == Path::new("") || metadata.is_dir();
        let version = (!is_directory).then(|| Version {
            id: FileId::of(&metadata),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            bytes: metadata.len(),
            plaintext_bytes: plaintext_bytes(&file, &metadata),
        });
        Ok((file, metadata, Stored { path, version }))
    }

    /// What has the number, if it is still stored. If not, the kernel looks its name up anew.
    fn numbered(&self, number: INodeNo) -> Result<(File, FileAttr), Errno> {
        let (file, metadata, stored) = self.look(self.path(number)?)?;
        if locked(&self.numbers).numbers.get(&stored) != Some(&number.0) {
            return Err(Errno::ESTALE);
        }
        Ok((file, attributes(number, &metadata, &stored)))
    }

    fn attributes(&self, number: INodeNo) -> Result<FileAttr, Errno> {
        let open = locked(&self.readers).get(&number.0).map(|open| open.attributes);
        open.map_or_else(|| Ok(self.numbered(number)?.1), Ok)
    }

    fn entry(&self, parent: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        let parent = self.path(parent)?;
        let entries = self.shown.entries(&parent).map_err(errno)?;
        let entry = entries.get(name).ok_or(Errno::ENOENT)?;
        let (_, metadata, stored) = self.look(below(&parent, &entry.stored))?;
        let number = locked(&self.numbers).number(stored.clone());
        Ok(attributes(number, &metadata, &stored))
    }

    fn open_reader(&self, number: INodeNo) -> Result<FileHandle, Errno> {
        let (file, attributes) = self.numbered(number)?;
        let (answer, opened) = sync_channel(1);
        let event = Event::Open(file, self.path(number)?.display().to_string(), answer);
        locked(&self.events).send(event).map_err(|_| Errno::EIO)?;
        let reader = opened.recv().map_err(|_| Errno::EIO)?;
        let reader = reader.map_err(|error| Errno::from_i32(error.raw_os_error()))?;
        // It has been altered since its size was told.
        if reader.plaintext_bytes() != attributes.size {
            return Err(Errno::ESTALE);
        }
        let reader = Arc::new(reader);
        let mut readers = locked(&self.readers);
        readers.entry(number.0).or_insert(Open { reader, attributes, handles: 0 }).handles += 1;
        Ok(FileHandle(number.0))
    }

    fn close(&self, handle: FileHandle) {
        let mut readers = locked(&self.readers);
        let Some(open) = readers.get_mut(&handle.0) else { return };
        open.handles -= 1;
        if open.handles == 0 {
            readers.remove(&handle.0);
        }
    }

    fn part(&self, handle: FileHandle, at: u64, size: u32) -> Result<Zeroizing<Vec<u8>>, Errno> {
        let reader = locked(&self.readers).get(&handle.0).map(|open| Arc::clone(&open.reader));
        let reader = reader.ok_or(Errno::EBADF)?;
        let rest = reader.plaintext_bytes().saturating_sub(at);
        let length = rest.min(size.into()) as usize;
        let mut part = Zeroizing::new(vec![0; length]);
        // Which error does not matter to the kernel: nothing of it is shown.
        let n = reader.read_at(&mut part, at).map_err(|_| Errno::EIO)?;
        part.truncate(n);
        Ok(part)
    }
}

impl Numbers {
    /// The number of what is stored, which the kernel now knows once more.
    fn number(&mut self, stored: Stored) -> INodeNo {
        let number = *self.numbers.entry(stored.clone()).or_insert_with(|| {
            self.next += 1;
            self.next
        });
        self.stored.entry(number).or_insert((stored, 0)).1 += 1;
        INodeNo(number)
    }

    fn forget(&mut self, number: INodeNo, times: u64) {
        let Some((stored, known)) = self.stored.get_mut(&number.0) else { return };
        *known = known.saturating_sub(times);
        if *known == 0 && number != INodeNo::ROOT {
            self.numbers.remove(stored);
            self.stored.remove(&number.0);
        }
    }
}

impl Filesystem for Plaintexts {
    fn destroy(&mut self) {
        let _ = locked(&self.events).send(Event::Unmounted);
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.entry(parent, name) {
            Ok(attributes) => reply.entry(&VALID, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn forget(&self, _: &Request, number: INodeNo, times: u64) {
        locked(&self.numbers).forget(number, times);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(number) {
            Ok(attributes) => reply.attr(&VALID, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _: &Request, number: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.open_reader(number) {
            Ok(handle) => reply.opened(handle, FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.part(handle, offset, size) {
            Ok(part) => reply.data(&part),
            Err(error) => reply.error(error),
        }
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.close(handle);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = self.path(number).and_then(|path| self.shown.entries(&path).map_err(errno));
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return reply.error(error),
        };
        let dots = [".", ".."].map(|name| (OsStr::new(name), FileType::Directory));
        let shown = entries.iter().map(|(name, entry)| {
            let kind = if entry.is_directory { FileType::Directory } else { FileType::RegularFile };
            (name.as_os_str(), kind)
        });
        for (i, (name, kind)) in (1..).zip(dots.into_iter().chain(shown)).skip(offset as usize) {
            // A number is given to what is looked up.
            if reply.add(UNKNOWN, i, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}

/// By the header alone, of either format; none of it is authenticated here.
fn plaintext_bytes(file: &File, metadata: &Metadata) -> u64 {
    let mut input = io::BufReader::new(At(file, 0));
    let first = io::BufRead::fill_buf(&mut input).ok().and_then(|bytes| bytes.first().copied());
    let payload = if first == Some(b'a') {
        age::v1::Inspection::read(&mut input, Some(metadata.len())).ok().and_then(|i| i.payload)
    } else {
        Inspection::read(&mut input, Some(metadata.len())).ok().and_then(|i| i.payload)
    };
    payload.and_then(|payload| payload.plaintext_bytes).unwrap_or(0)
}

/// From an offset on, whatever the position of the file is.
struct At<'a>(&'a File, u64);

impl io::Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read_at(buffer, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

fn attributes(number: INodeNo, stored: &Metadata, it: &Stored) -> FileAttr {
    const BLOCK: u64 = 512;
    let is_directory = it.version.is_none();
    let size = it.version.as_ref().map_or(0, |version| version.plaintext_bytes);
    let perm = rights(stored);
    FileAttr {
        ino: number,
        size,
        blocks: size.div_ceil(BLOCK),
        atime: stored.accessed().unwrap_or(UNIX_EPOCH),
        mtime: stored.modified().unwrap_or(UNIX_EPOCH),
        ctime: changed(stored),
        crtime: UNIX_EPOCH,
        kind: if is_directory { FileType::Directory } else { FileType::RegularFile },
        // Whoever may read the one file may enter its directory.
        perm: if is_directory { perm | (perm & 0o444) >> 2 } else { perm },
        nlink: 1,
        uid: stored.uid(),
        gid: stored.gid(),
        rdev: 0,
        blksize: 1 << 16,
        flags: BsdFileFlags::empty().bits(),
    }
}

fn changed(stored: &Metadata) -> SystemTime {
    u64::try_from(stored.ctime()).map_or(UNIX_EPOCH, |s| UNIX_EPOCH + Duration::from_secs(s))
}

fn errno(error: io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_i32)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
