//! The kernel's requests, answered from stored files.
//!
//! The size of a file that nobody has opened is computed from its header, of which nothing is
//! authenticated until it is opened; one that is altered shows another size, and does not open.
//!
//! The kernel keeps size and contents by number (inode), for all who have it open. So a number
//! stands for one [`FileVersion`] of a stored file. It has one size, and one reader while it is
//! open. A file put in its place gets another number: it cannot cut short the reading of the first,
//! nor be mixed with it.
//!
//! A number is kept while the kernel knows it, a reader while its file is open.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner,
    OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, Request,
};
use polyseal_file::Reader;
use zeroize::Zeroizing;

use super::Event;
use super::source::{EncryptedFile, FileVersion, MountSource};

/// The most files that are remembered after a look: some KiB each.
const LOOKED_AT: usize = 64;

/// The number of entries that are only listed.
const UNKNOWN: INodeNo = INodeNo(0xffff_ffff);

pub(super) struct PlaintextFs {
    place: Box<dyn MountSource>,
    events: Mutex<Sender<Event>>,
    numbers: Mutex<InodeTable>,
    readers: Mutex<Readers>,
    looked_at: Mutex<VecDeque<(u64, Instant, FileAttr, EncryptedFile)>>,
}

/// The numbers that the kernel knows, the stored entry of each, and how often it was told.
struct InodeTable {
    stored: HashMap<u64, (StoredEntry, u64)>,
    numbers: HashMap<StoredEntry, u64>,
    next: u64,
}

/// A directory at a path, or one version of a file.
#[derive(Clone, PartialEq, Eq, Hash)]
struct StoredEntry {
    path: PathBuf,
    version: Option<FileVersion>,
}

/// Those that are open, by number.
type Readers = HashMap<u64, OpenFile>;

struct OpenFile {
    reader: Arc<Reader<EncryptedFile>>,
    attributes: FileAttr,
    handles: u64,
}

impl PlaintextFs {
    pub(super) fn new(place: Box<dyn MountSource>, events: Sender<Event>) -> Self {
        let root = StoredEntry { path: PathBuf::new(), version: None };
        let numbers = InodeTable {
            stored: [(INodeNo::ROOT.0, (root.clone(), 1))].into(),
            numbers: [(root, INodeNo::ROOT.0)].into(),
            next: INodeNo::ROOT.0 + 1,
        };
        Self {
            place,
            events: Mutex::new(events),
            numbers: Mutex::new(numbers),
            readers: Mutex::default(),
            looked_at: Mutex::default(),
        }
    }

    fn path(&self, number: INodeNo) -> Result<PathBuf, Errno> {
        let numbers = locked(&self.numbers);
        numbers.stored.get(&number.0).map(|(it, _)| it.path.clone()).ok_or(Errno::ESTALE)
    }

    /// Finds the entry that is stored at `path` now.
    fn find(&self, path: PathBuf) -> Result<(FileAttr, Option<EncryptedFile>, StoredEntry), Errno> {
        let found = self.place.find(&path).map_err(errno)?;
        let (version, source) = found.file.unzip();
        Ok((found.attributes, source, StoredEntry { path, version }))
    }

    /// The entry with this number, if it is still stored. If not, the kernel looks its name up
    /// anew.
    fn numbered(&self, number: INodeNo) -> Result<(Option<EncryptedFile>, FileAttr), Errno> {
        let (attributes, source, stored) = self.find(self.path(number)?)?;
        if locked(&self.numbers).numbers.get(&stored) != Some(&number.0) {
            return Err(Errno::ESTALE);
        }
        Ok((source, FileAttr { ino: number, ..attributes }))
    }

    fn attributes(&self, number: INodeNo) -> Result<FileAttr, Errno> {
        let open = locked(&self.readers).get(&number.0).map(|open| open.attributes);
        open.map_or_else(|| Ok(self.numbered(number)?.1), Ok)
    }

    fn entry(&self, parent: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        let parent = self.path(parent)?;
        let entries = self.place.entries(&parent).map_err(errno)?;
        let entry = entries.get(name).ok_or(Errno::ENOENT)?;
        let (attributes, source, stored) = self.find(parent.join(&entry.stored))?;
        let number = locked(&self.numbers).number(stored);
        let attributes = FileAttr { ino: number, ..attributes };
        if let Some(source) = source.filter(|_| self.place.keeps()) {
            let mut looked_at = locked(&self.looked_at);
            looked_at.push_back((number.0, Instant::now(), attributes, source));
            if looked_at.len() > LOOKED_AT {
                looked_at.pop_front();
            }
        }
        Ok(attributes)
    }

    /// The file, if it was looked at not long ago, and not opened since.
    fn looked_at(&self, number: INodeNo) -> Option<(EncryptedFile, FileAttr)> {
        let mut looked_at = locked(&self.looked_at);
        let valid = self.place.valid();
        looked_at.retain(|(_, when, ..)| when.elapsed() < valid);
        let found = looked_at.iter().rposition(|it| it.0 == number.0)?;
        looked_at.remove(found).map(|(_, _, attributes, source)| (source, attributes))
    }

    fn open_reader(&self, number: INodeNo) -> Result<FileHandle, Errno> {
        if let Some((source, attributes)) = self.looked_at(number)
            && let Ok(handle) = self.open_source(number, source, attributes)
        {
            return Ok(handle);
        }
        let (source, attributes) = self.numbered(number)?;
        self.open_source(number, source.ok_or(Errno::EISDIR)?, attributes)
    }

    fn open_source(
        &self,
        number: INodeNo,
        source: EncryptedFile,
        attributes: FileAttr,
    ) -> Result<FileHandle, Errno> {
        let (answer, opened) = sync_channel(1);
        let event = Event::Open(source, self.path(number)?, answer);
        locked(&self.events).send(event).map_err(|_| Errno::EIO)?;
        let reader = opened.recv().map_err(|_| Errno::EIO)?;
        let reader = reader.map_err(|error| Errno::from_i32(error.raw_os_error()))?;
        // It has been altered since its size was told.
        if reader.plaintext_bytes() != attributes.size {
            return Err(Errno::ESTALE);
        }
        let reader = Arc::new(reader);
        let mut readers = locked(&self.readers);
        readers.entry(number.0).or_insert(OpenFile { reader, attributes, handles: 0 }).handles += 1;
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

impl InodeTable {
    /// The number of a stored entry, which the kernel now knows once more.
    fn number(&mut self, stored: StoredEntry) -> INodeNo {
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

impl Filesystem for PlaintextFs {
    fn destroy(&mut self) {
        let _ = locked(&self.events).send(Event::Unmounted);
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.entry(parent, name) {
            Ok(attributes) => reply.entry(&self.place.valid(), &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn forget(&self, _: &Request, number: INodeNo, times: u64) {
        locked(&self.numbers).forget(number, times);
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(number) {
            Ok(attributes) => reply.attr(&self.place.valid(), &attributes),
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
        let entries = self.path(number).and_then(|path| self.place.entries(&path).map_err(errno));
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
            // An entry that is looked up gets a number.
            if reply.add(UNKNOWN, i, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}

fn errno(error: io::Error) -> Errno {
    match error.kind() {
        io::ErrorKind::NotFound => Errno::ENOENT,
        _ => error.raw_os_error().map_or(Errno::EIO, Errno::from_i32),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
