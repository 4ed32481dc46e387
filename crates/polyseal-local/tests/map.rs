//! A store of objects that is a map of bytes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use polyseal_file::{Header, ReadAt};
use polyseal_local::{
    Error, NewStoredFile, OverwriteRule, Problem, Result, Store, StoredFile, VersionCheck,
    stored_name,
};

type Version = (u64, Vec<u8>);

/// Files, each with the number of its version, and what was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    pub(crate) files: Arc<Mutex<BTreeMap<String, Version>>>,
    asked: Arc<Mutex<Vec<String>>>,
    /// How many more changes are made. Then it does not answer any more.
    left: Arc<Mutex<Option<u64>>>,
    /// How old all files are.
    pub(crate) age: Arc<Mutex<Duration>>,
    /// The host that it is used on.
    pub(crate) host: u32,
    /// Whether nothing may be deleted.
    pub(crate) keeps_all: Arc<Mutex<bool>>,
    /// A file whose bytes cannot be read now, but for its header.
    pub(crate) unread: Arc<Mutex<Option<String>>>,
    /// Done once, before this is asked for.
    pub(crate) before: Arc<Mutex<Option<(String, Meanwhile)>>>,
}

/// Something that another program does.
pub(crate) struct Meanwhile(Box<dyn FnOnce() + Send>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meanwhile")
    }
}

impl Map {
    pub(crate) fn ask(&self, what: &str, path: &str) {
        let asked = format!("{what} {path}");
        let meanwhile = self.before.lock().unwrap().take_if(|(of, _)| *of == asked);
        if let Some((_, Meanwhile(work))) = meanwhile {
            work();
        }
        self.asked.lock().unwrap().push(asked);
    }

    /// Lets another program do this before a program asks for that.
    pub(crate) fn meanwhile(&self, before: &str, work: impl FnOnce() + Send + 'static) {
        *self.before.lock().unwrap() = Some((before.to_owned(), Meanwhile(Box::new(work))));
    }

    /// Ends the connection of whoever works on it after so many changes.
    pub(crate) fn end_after(&self, changes: Option<u64>) {
        *self.left.lock().unwrap() = changes;
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.left.lock().unwrap() == Some(0)
    }

    /// Refuses a change if there is no connection.
    fn change(&self, path: &str) -> Result {
        let mut left = self.left.lock().unwrap();
        match &mut *left {
            Some(0) => Err(Error::new(&self.shown(Path::new(path)), Problem::Special)),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(crate) fn version(&self, path: &str) -> Option<u64> {
        self.files.lock().unwrap().get(path).map(|(version, _)| *version)
    }

    pub(crate) fn put(&self, path: &str, bytes: Vec<u8>) {
        let version = self.version(path).unwrap_or_default() + 1;
        self.files.lock().unwrap().insert(path.to_owned(), (version, bytes));
    }

    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        self.files.lock().unwrap()[path].1.clone()
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Store for Map {
    fn shown(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() {
            // No test has the lock of another's tree.
            return format!("map:{:p}/", Arc::as_ptr(&self.files)).into();
        }
        PathBuf::from(format!("map:/{}", stored_name(path).unwrap()))
    }

    fn id(&self) -> OsString {
        format!("map:{:p}/ {}", Arc::as_ptr(&self.files), self.host).into()
    }

    fn expect_name(&self, path: &Path) -> Result {
        match path.to_str() {
            Some(_) => Ok(()),
            None => Err(Error::new(&self.shown(path), Problem::Special)),
        }
    }

    fn any(&self) -> Result<Option<PathBuf>> {
        Ok(self.files.lock().unwrap().keys().next().map(PathBuf::from))
    }

    fn list(&self) -> Result<Vec<String>> {
        Ok(self.files.lock().unwrap().keys().rev().cloned().collect())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn StoredFile>> {
        let name = stored_name(path).unwrap();
        let Some((version, bytes)) = self.files.lock().unwrap().get(&name).cloned() else {
            return Err(Error::new(&self.shown(path), Problem::Missing));
        };
        Ok(Box::new(OpenVersion { map: self.clone(), name, version, bytes }))
    }

    fn stream(&self, path: &Path) -> Result<Box<dyn Read + Send>> {
        self.open(path)?;
        Ok(Box::new(Cursor::new(self.get(&stored_name(path).unwrap()))))
    }

    fn delete(&self, path: &Path) -> Result {
        let name = stored_name(path).unwrap();
        self.ask("delete", &name);
        if *self.keeps_all.lock().unwrap() {
            return Err(Error::new(&self.shown(path), Problem::Special));
        }
        self.change(&name)?;
        self.files.lock().unwrap().remove(&name);
        Ok(())
    }

    fn modified(&self, path: &Path) -> Result<Option<SystemTime>> {
        let name = stored_name(path).unwrap();
        let age = *self.age.lock().unwrap();
        Ok(self.version(&name).map(|_| SystemTime::now() - age))
    }

    fn create(
        &self,
        path: &Path,
        overwrite: OverwriteRule,
        _: Option<u64>,
    ) -> Result<Box<dyn NewStoredFile>> {
        let name = stored_name(path).unwrap();
        self.ask("create", &name);
        let seen = self.version(&name);
        Ok(Box::new(NewVersion { map: self.clone(), name, overwrite, seen, bytes: Vec::new() }))
    }
}

#[derive(Debug)]
struct OpenVersion {
    map: Map,
    name: String,
    version: u64,
    bytes: Vec<u8>,
}

impl ReadAt for OpenVersion {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.map.unread.lock().unwrap().as_ref() == Some(&self.name) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.bytes.size()
    }
}

impl StoredFile for OpenVersion {
    fn header(&self) -> polyseal_file::Result<Header> {
        Header::read(&mut &self.bytes[..])
    }

    fn replace_header(&self, header: &Header) -> Result<VersionCheck> {
        self.map.ask("rekey", &self.name);
        if self.map.version(&self.name) != Some(self.version) {
            return Err(Error::new(&self.map.shown(Path::new(&self.name)), Problem::Changed));
        }
        let mut bytes = self.bytes.clone();
        bytes[..header.as_bytes().len()].copy_from_slice(header.as_bytes());
        self.map.put(&self.name, bytes);
        Ok(VersionCheck::Yes)
    }
}

struct NewVersion {
    map: Map,
    name: String,
    overwrite: OverwriteRule,
    seen: Option<u64>,
    bytes: Vec<u8>,
}

impl Write for NewVersion {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewStoredFile for NewVersion {
    fn commit(self: Box<Self>) -> Result {
        self.map.ask("commit", &self.name);
        self.map.change(&self.name)?;
        let now = self.map.version(&self.name);
        let problem = match self.overwrite {
            OverwriteRule::Nothing if now.is_some() => Problem::Exists,
            OverwriteRule::AsSeen if now != self.seen => Problem::Changed,
            _ => {
                self.map.put(&self.name, self.bytes);
                return Ok(());
            }
        };
        Err(Error::new(&self.map.shown(Path::new(&self.name)), problem))
    }
}
