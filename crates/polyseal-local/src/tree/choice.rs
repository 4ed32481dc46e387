//! Some entries of a tree, and the directories that they lie in. Nobody looks which other files are
//! there.

use std::collections::VecDeque;
use std::path::Path;

use polyseal_file::manifest::{Entry, Kind};

use super::join::{Pair, path_of};
use crate::error::Result;

pub(super) struct Chosen<'a, M> {
    manifest: M,
    wanted: &'a (dyn Fn(&Path) -> bool + Sync),
    exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    /// The directories above the last entry that have not been given out, the outermost first.
    above: Vec<Entry>,
    /// Entries to be given out before the next is read.
    ready: VecDeque<Entry>,
}

impl<'a, M: Iterator<Item = Result<Entry>>> Chosen<'a, M> {
    pub(super) fn new(
        manifest: M,
        wanted: &'a (dyn Fn(&Path) -> bool + Sync),
        exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    ) -> Self {
        Self { manifest, wanted, exclude, above: Vec::new(), ready: VecDeque::new() }
    }

    fn read(&mut self) -> Result<bool> {
        let Some(entry) = self.manifest.next().transpose()? else { return Ok(false) };
        let path = path_of(&entry);
        self.above.retain(|directory| path.starts_with(path_of(directory)));
        if path.ancestors().any(|path| (self.exclude)(path)) {
            return Ok(true);
        }
        if (self.wanted)(&path) {
            self.ready.extend(self.above.drain(..));
            self.ready.push_back(entry);
        } else if entry.kind == Kind::Directory {
            // It is given out for what is in it.
            self.above.push(entry);
        }
        Ok(true)
    }
}

impl<M: Iterator<Item = Result<Entry>>> Iterator for Chosen<'_, M> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.read() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(|entry| Ok(Pair::unseen(entry)))
    }
}
