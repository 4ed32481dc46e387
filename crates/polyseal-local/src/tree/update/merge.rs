//! The source and the tree that it was encrypted into before, side by side: both come in the order
//! of a manifest.

use std::cmp::Ordering;
use std::collections::hash_map::Entry as Entries;
use std::collections::{HashMap, HashSet, VecDeque};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind, Reason, State, compare};

use crate::error::Result;
use crate::platform::{EntryKind, folded, path_bytes};
use crate::tree::SUFFIX;
use crate::tree::join::{Pair, unread_error};
use crate::tree::source::{SourceName, reason};

/// The next thing to be done.
pub(super) enum Turn {
    /// An entry of what an interrupted update has left.
    Settled(Entry),
    /// A name of the source, and what the tree has by that name.
    Source(SourceName, Option<Pair>),
    /// The tree has it, and the source has not.
    Deleted(Pair),
    /// A directory of the source has to wait, because of the encrypted file of this path.
    Waits(Vec<u8>),
    /// A name of the source that is one with another where the tree is.
    Twin(PathBuf, PathBuf),
    /// The tree has it, and the source could not be listed there.
    Unread(Pair, Reason),
    /// The tree has it, and the source has something of another kind, which has to wait: one
    /// manifest has one entry for each path.
    InTheWay(Pair),
}

/// The names of the source.
type Names<'a> = Box<dyn Iterator<Item = Result<SourceName>> + Send + 'a>;
/// The entries and files of the tree.
type Pairs<'a> = Box<dyn Iterator<Item = Result<Pair>> + Send + 'a>;

pub(super) struct Merge<'a> {
    source: Peekable<Names<'a>>,
    tree: Pairs<'a>,
    /// Entries that have been looked at, as pairs.
    ahead: VecDeque<Pair>,
    /// A directory of the source that could not be listed, and why.
    unread: Option<(Vec<u8>, Reason)>,
    /// A directory of the source that has to wait.
    waiting: Option<Vec<u8>>,
    /// Where names may be one that differ in case alone: those of each directory on the way, by
    /// their keys.
    folded: Option<Vec<HashMap<String, PathBuf>>>,
    /// Files that are deleted in this run, whose encrypted names a directory may want.
    deleted: HashSet<Vec<u8>>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(source: Names<'a>, tree: Pairs<'a>, folds_names: bool) -> Self {
        let (source, ahead) = (source.peekable(), VecDeque::new());
        let folded = folds_names.then(Vec::new);
        let (unread, waiting, deleted) = (None, None, HashSet::new());
        Self { source, tree, ahead, unread, waiting, folded, deleted }
    }

    /// Another name of the source that is one with this, where the tree is.
    fn twin(&mut self, path: &Path) -> Option<PathBuf> {
        let directories = self.folded.as_mut()?;
        let depth = path.components().count();
        directories.truncate(depth);
        directories.resize_with(depth, HashMap::new);
        let key = folded(Path::new(path.file_name()?));
        match directories.last_mut()?.entry(key) {
            Entries::Occupied(other) => Some(other.get().clone()),
            Entries::Vacant(new) => {
                new.insert(path.to_owned());
                None
            }
        }
    }

    /// Has one more pair ahead, if there is one. Files that are not of the tree are passed over.
    fn look_ahead(&mut self) -> Result<bool> {
        for pair in self.tree.by_ref() {
            let pair = pair?;
            match &pair {
                Pair::File(_) | Pair::Plain(_) | Pair::Missing(_) | Pair::Gone(_) => {}
                Pair::Added(_) | Pair::AddedUnread(_) => continue,
                // Nobody knows which files are there: a manifest without them would be wrong.
                Pair::UnreadDirectory(path, error) => {
                    let again = std::io::Error::new(error.kind(), error.to_string());
                    return Err(unread_error(path, again));
                }
            }
            self.ahead.push_back(pair);
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether an encrypted file is there in the directory `path`, whose entry has been taken.
    fn has_files(&mut self, path: &[u8]) -> Result<bool> {
        let mut at = 0;
        loop {
            if at == self.ahead.len() && !self.look_ahead()? {
                return Ok(false);
            }
            match self.ahead.get(at) {
                Some(pair) if is_below(path_in(pair), path) => {
                    if matches!(pair, Pair::File(_)) {
                        return Ok(true);
                    }
                }
                _ => return Ok(false),
            }
            at += 1;
        }
    }

    /// Passes over all pairs in the directory `path`.
    fn skip_below(&mut self, path: &[u8]) -> Result {
        loop {
            if self.ahead.is_empty() && !self.look_ahead()? {
                return Ok(());
            }
            match self.ahead.front() {
                Some(pair) if is_below(path_in(pair), path) => self.ahead.pop_front(),
                _ => return Ok(()),
            };
        }
    }

    fn turn(&mut self) -> Result<Option<Turn>> {
        loop {
            if self.ahead.is_empty() {
                self.look_ahead()?;
            }
            let order = match (self.source.peek(), self.ahead.front()) {
                (None, None) => return Ok(None),
                (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(Ok(name)), Some(pair)) => {
                    compare(&path_bytes(&name.step.path), path_in(pair))
                }
            };
            let name = match order {
                Ordering::Less | Ordering::Equal => self.source.next().transpose()?,
                Ordering::Greater => None,
            };
            let pair = match order {
                Ordering::Equal | Ordering::Greater => self.ahead.pop_front(),
                Ordering::Less => None,
            };
            let turn = match (name, pair) {
                (Some(name), pair) => self.of_source(name, pair)?,
                (None, Some(pair)) => self.of_tree(pair)?,
                (None, None) => None,
            };
            if turn.is_some() {
                return Ok(turn);
            }
        }
    }

    fn of_source(&mut self, name: SourceName, pair: Option<Pair>) -> Result<Option<Turn>> {
        let path = path_bytes(&name.step.path);
        if self.waiting.as_ref().is_some_and(|waiting| is_below(&path, waiting)) {
            return Ok(None);
        }
        if name.step.kind == EntryKind::Directory
            && let Some(file) = path.strip_suffix(SUFFIX.as_bytes())
            && self.deleted.contains(file)
        {
            let file = file.to_vec();
            self.waiting = Some(path.into_owned());
            return Ok(Some(Turn::Waits(file)));
        }
        if let Some(other) = self.twin(&name.step.path) {
            // Nothing of the tree is in its place: what is there is the other's.
            if name.step.kind == EntryKind::Directory {
                self.waiting = Some(path.into_owned());
            }
            return Ok(Some(Turn::Twin(name.step.path, other)));
        }
        if let Err(error) = &name.begun {
            self.unread = Some((path.to_vec(), reason(error)));
        }
        let kind = name.step.kind;
        let pair = match pair {
            None => None,
            Some(Pair::File(entry)) if kind != EntryKind::File => {
                return Ok(Some(self.in_the_way(&path, kind, Pair::File(entry))));
            }
            // Nothing of it is left.
            Some(Pair::Missing(_) | Pair::Gone(_)) if kind != EntryKind::File => None,
            Some(Pair::Plain(entry))
                if entry.kind == Kind::Directory && kind != EntryKind::Directory =>
            {
                if entry.state != State::Deleted || self.has_files(&path)? {
                    return Ok(Some(self.in_the_way(&path, kind, Pair::Plain(entry))));
                }
                self.skip_below(&path)?;
                None
            }
            pair => pair,
        };
        Ok(Some(Turn::Source(name, pair)))
    }

    fn in_the_way(&mut self, path: &[u8], kind: EntryKind, pair: Pair) -> Turn {
        if kind == EntryKind::Directory {
            self.waiting = Some(path.to_vec());
        }
        Turn::InTheWay(pair)
    }

    fn of_tree(&mut self, pair: Pair) -> Result<Option<Turn>> {
        let path = path_in(&pair);
        if let Some((unread, reason)) = &self.unread
            && is_below(path, unread)
        {
            return Ok(Some(Turn::Unread(pair, *reason)));
        }
        // If it was deleted before, and nothing is there, it is no news.
        if matches!(pair, Pair::File(_)) {
            self.deleted.insert(path.to_vec());
        }
        let is_left = match &pair {
            Pair::Plain(Entry { state: State::Deleted, .. }) => self.has_files(path)?,
            Pair::Gone(_) => false,
            _ => true,
        };
        Ok(is_left.then_some(Turn::Deleted(pair)))
    }
}

/// The path of the entry of a pair that has one.
fn path_in(pair: &Pair) -> &[u8] {
    match pair {
        Pair::File(entry) | Pair::Plain(entry) | Pair::Missing(entry) | Pair::Gone(entry) => {
            &entry.path
        }
        Pair::Added(_) | Pair::AddedUnread(_) | Pair::UnreadDirectory(..) => b"",
    }
}

fn is_below(path: &[u8], directory: &[u8]) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
}

impl Iterator for Merge<'_> {
    type Item = Result<Turn>;

    fn next(&mut self) -> Option<Self::Item> {
        self.turn().transpose()
    }
}
