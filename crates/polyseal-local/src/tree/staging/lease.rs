//! The lease of an update on a tree in a store, where nothing can be locked: the object
//! `.polyseal-update/lock` says which program has it, and is written again as long as that lives.
//!
//! It is taken from a program that has not written it for [`STALE`], and at once from one that ran
//! on this host and has died: a lock file in the user's folder says so. Limits: a store that does
//! not compare when it writes gives it to two programs that ask at the same moment.

use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use super::lock_file::LockFile;
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::platform::Directory;
use crate::testing::step;
use crate::tree::UPDATE;
use crate::tree::state::state_file;
use crate::tree::store::{NewStoredFile, OverwriteRule, Store};

/// The name of the object, beside the coming manifest.
pub(super) const LOCK: &str = "lock";
/// How often it is written again.
const AGAIN: Duration = Duration::from_secs(5 * 60);
/// After this time without that, its program is dead. The clocks of a host and of a store differ by
/// less than 15 minutes: a store refuses the requests of others.
const STALE: Duration = Duration::from_secs(45 * 60);
const ID_BYTES: usize = 16;
/// The text of one that nobody has, though an update is not done.
const NOBODY: &[u8] = b"interrupted\n";

fn path() -> PathBuf {
    Path::new(UPDATE).join(LOCK)
}

/// Whether there is one, of any program.
pub(super) fn is_there(store: &dyn Store) -> Result<bool> {
    Ok(store.modified(&path())?.is_some())
}

/// The lease, until it is dropped.
pub(super) struct Lease {
    store: Arc<dyn Store>,
    id: Vec<u8>,
    stays: bool,
    /// Ends the thread that writes it again when it is dropped.
    again: Option<(Sender<()>, JoinHandle<()>)>,
    on_this_host: Option<LockFile>,
}

impl Lease {
    /// Takes it.
    ///
    /// # Errors
    /// [`Problem::BusyTree`], or an error of the store.
    pub(super) fn take(store: &Arc<dyn Store>) -> Result<Self> {
        let shown = store.shown(Path::new(""));
        let (id, on_this_host) = match on_this_host(store.as_ref(), &shown)? {
            // Another program for each run: there are hosts that have been cloned.
            Some((id, file)) => ([id, new_id(&shown)?].concat(), Some(file)),
            None => (new_id(&shown)?, None),
        };
        let busy = || Error::new(&shown, Problem::BusyTree);
        // Begun before it is read: no other one is replaced.
        let file = store.create(&path(), OverwriteRule::AsSeen, Some(id.len() as u64))?;
        if let Some(holder) = holder(store.as_ref())?
            && !may_be_taken(
                store.as_ref(),
                &holder,
                on_this_host.as_ref().map(|_| &id[..2 * ID_BYTES]),
            )?
        {
            return Err(busy());
        }
        let taken = write(store.as_ref(), file, &id);
        taken.map_err(|error| match error.problem() {
            Problem::Exists | Problem::Changed => busy(),
            _ => error,
        })?;
        step();
        let again = write_again(Arc::clone(store), id.clone());
        let mut lease = Self { store: Arc::clone(store), id, stays: false, again, on_this_host };
        // A store that does not compare may have given it to another one meanwhile.
        match lease.expect() {
            Ok(()) => Ok(lease),
            Err(error) => {
                lease.stays = true;
                Err(error)
            }
        }
    }

    /// Refuses to go on if another program has taken it.
    pub(super) fn expect(&self) -> Result {
        if holder(self.store.as_ref())?.as_deref() == Some(&self.id) {
            return Ok(());
        }
        Err(Error::new(&self.store.shown(Path::new("")), Problem::BusyTree))
    }

    /// Gives it back, and leaves the object: an update has begun there, and is not done.
    pub(super) fn leave(mut self) {
        self.stays = true;
        self.stop();
        let _ = replace(self.store.as_ref(), &self.id, NOBODY);
    }

    fn stop(&mut self) {
        if let Some((end, thread)) = self.again.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop();
        if self.stays || self.expect().is_err() {
            return;
        }
        step();
        let deleted = self.store.delete(&path());
        step();
        // With leave to add objects alone, one stays.
        let given_back =
            deleted.or_else(|_| replace(self.store.as_ref(), &self.id, NOBODY).map(drop));
        if let (Ok(()), Some(lock)) = (given_back, &self.on_this_host) {
            lock.remove();
        }
    }
}

/// Writes it in a file that was begun before the present one was read.
fn write(store: &dyn Store, mut file: Box<dyn NewStoredFile>, id: &[u8]) -> Result {
    file.write_all(id).cannot("write", &store.shown(&path()))?;
    file.commit()
}

/// Writes it in the place of that of `id`; whether it was.
fn replace(store: &dyn Store, id: &[u8], by: &[u8]) -> Result<bool> {
    let file = store.create(&path(), OverwriteRule::AsSeen, Some(by.len() as u64))?;
    if holder(store)?.as_deref() != Some(id) {
        return Ok(false);
    }
    write(store, file, by).map(|()| true)
}

/// The program that has it; `None` if there is none.
fn holder(store: &dyn Store) -> Result<Option<Vec<u8>>> {
    let mut found = match store.stream(&path()) {
        Err(error) if error.is_not_found() => return Ok(None),
        found => found?.take(4 * ID_BYTES as u64 + 1),
    };
    let mut id = Vec::new();
    found.read_to_end(&mut id).cannot("read", &store.shown(&path()))?;
    Ok(Some(id))
}

fn may_be_taken(store: &dyn Store, holder: &[u8], host: Option<&[u8]>) -> Result<bool> {
    if host.is_some_and(|host| holder.starts_with(host)) || holder == NOBODY {
        return Ok(true);
    }
    let Some(modified) = store.modified(&path())? else { return Ok(true) };
    Ok(SystemTime::now().duration_since(modified).is_ok_and(|age| age > STALE))
}

fn new_id(shown: &Path) -> Result<Vec<u8>> {
    let mut random = [0; ID_BYTES];
    getrandom::fill(&mut random).map_err(std::io::Error::other).cannot("read", shown)?;
    Ok(random.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect())
}

/// The name of this host for this tree, and the lock of the file that has it, if there is a folder
/// for that: as long as a program has it, no other of this host is alive.
fn on_this_host(store: &dyn Store, shown: &Path) -> Result<Option<(Vec<u8>, LockFile)>> {
    let Ok(path) = state_file(&store.id(), "lock") else { return Ok(None) };
    let (folder, name) = Directory::parent_and_name(&path).cannot("write", &path)?;
    let mut lock = match LockFile::lock(&folder, &name, &path, shown) {
        // Nothing can be kept there: then the lease is that of one run.
        Err(error) if !matches!(error.problem(), Problem::BusyTree) => return Ok(None),
        lock => lock?,
    };
    if !lock.is_locked {
        return Ok(None);
    }
    let mut id = Vec::new();
    (&lock.file).take(2 * ID_BYTES as u64 + 1).read_to_end(&mut id).cannot("read", &path)?;
    if id.len() != 2 * ID_BYTES {
        id = new_id(shown)?;
        let mut write = || {
            lock.file.set_len(0)?;
            lock.file.rewind()?;
            lock.file.write_all(&id)?;
            lock.file.sync_all()
        };
        write().cannot("write", &path)?;
    }
    Ok(Some((id, lock)))
}

/// Begins the thread that writes it again. Without one, a long update may lose it.
fn write_again(store: Arc<dyn Store>, id: Vec<u8>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (end, ended) = channel();
    let work = move || {
        while ended.recv_timeout(AGAIN) == Err(RecvTimeoutError::Timeout) {
            // If that fails, the next time is early enough.
            if replace(store.as_ref(), &id, &id).is_ok_and(|is_ours| !is_ours) {
                return;
            }
        }
    };
    let thread = thread::Builder::new().spawn(work).ok()?;
    Some((end, thread))
}
