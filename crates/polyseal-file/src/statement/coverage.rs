//! The segments that a statement covers: each is compared before anything of it is given out.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use subtle::ConstantTimeEq;

use super::hashes::{GROUP, HashLayout};
use super::{Problem, Statement};
use crate::commitment::{ExpectedLeaves, Leaf, leaf, root};
use crate::error::{Error, Result, io};
use crate::header::Header;
use crate::read_at::{ReadAt, fill};
use crate::whole_file::header_reader;

/// The groups of hashes that are kept: of 32 segments each.
const KEPT: usize = 64;

/// Bytes of segments that are read together.
const TOGETHER: u64 = 512 * 1024;

/// A payload that is signed, for [`Decryptor::covered_by`](crate::Decryptor::covered_by). The
/// statement is authentic; the hashes need not be: they are compared with it.
pub struct Coverage {
    statement: Statement,
    layout: HashLayout,
    hashes: Box<dyn ReadAt + Send + Sync>,
    /// Where they begin there.
    offset: u64,
    groups: Mutex<VecDeque<(u64, Arc<Vec<Leaf>>)>>,
}

impl Coverage {
    pub(super) fn new(
        statement: Statement,
        hashes: Box<dyn ReadAt + Send + Sync>,
        offset: u64,
    ) -> Result<Self> {
        let layout = HashLayout::new(statement.segments());
        let size = hashes.size().map_err(io("read the statement"))?;
        if size.checked_sub(offset) != Some(layout.bytes()) {
            return Err(Error::Statement(Problem::Hashes));
        }
        Ok(Self { statement, layout, hashes, offset, groups: Mutex::default() })
    }

    /// The statement.
    #[must_use]
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Compares a stored file with its statement, on so many threads; returns its bytes. No key is
    /// needed: whether the file opens, and to what, is not known then.
    ///
    /// # Errors
    /// [`Error::Statement`], [`Error::NotAsSigned`], [`Error::Truncated`] or [`Error::Extended`],
    /// and those of a header.
    pub fn verify_stored(
        &self,
        stored: &(impl ReadAt + Sync),
        threads: NonZeroUsize,
    ) -> Result<u64> {
        let header = Header::read(&mut header_reader(stored))?;
        self.statement.expect_header(&header)?;
        let offset = header.payload_offset();
        let size = stored.size().map_err(io("examine the input"))?;
        match size.cmp(&offset.saturating_add(self.statement.payload_bytes)) {
            Ordering::Less => return Err(Error::Truncated),
            Ordering::Greater => return Err(Error::Extended),
            Ordering::Equal => {}
        }
        let (next, failed) = (AtomicU64::new(0), Mutex::new(None));
        let work = || {
            let done = self.compare_groups(stored, offset, &next);
            if let Err(error) = done {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                next.store(u64::MAX / 2, Relaxed);
            }
        };
        thread::scope(|scope| {
            // A thread that cannot be started is a thread less.
            for _ in 1..threads.get() {
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(size), Err)
    }

    /// Takes one group of segments after the other, until there are no more.
    fn compare_groups(&self, stored: &impl ReadAt, offset: u64, next: &AtomicU64) -> Result<()> {
        let unit = self.statement.stored_segment_bytes();
        let mut bytes = Vec::new();
        loop {
            let first = next.fetch_add(1, Relaxed).saturating_mul(GROUP);
            if first >= self.statement.segments() {
                return Ok(());
            }
            // Not more memory than one segment takes, or a small read.
            let together = (TOGETHER / unit).clamp(1, GROUP);
            let behind = self.statement.segments().min(first + GROUP);
            for at in (first..behind).step_by(together as usize) {
                let start = at * unit;
                let end = self.statement.payload_bytes.min((at + together).min(behind) * unit);
                bytes.resize((end - start) as usize, 0);
                fill(stored, &mut bytes, offset + start)?;
                // An empty payload of a suite has a tag at least.
                let leaves: Vec<_> = bytes.chunks(unit as usize).map(leaf).collect();
                self.expect(at, &leaves, end == self.statement.payload_bytes)?;
            }
        }
    }

    /// The leaves of a group, which belong to the root.
    fn group(&self, group: u64) -> Result<Arc<Vec<Leaf>>> {
        let lock = || self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, leaves)) = lock().iter().find(|(at, _)| *at == group) {
            return Ok(Arc::clone(leaves));
        }
        let range = self.layout.range(group);
        let mut stored = vec![0; (range.end - range.start) as usize];
        fill(&self.hashes, &mut stored, self.offset + range.start)?;
        let leaves = self.layout.open(group, &stored, &self.statement.payload_root);
        let leaves = Arc::new(leaves.ok_or(Error::Statement(Problem::Hashes))?);
        let mut groups = lock();
        groups.push_front((group, Arc::clone(&leaves)));
        groups.truncate(KEPT);
        Ok(leaves)
    }
}

impl ExpectedLeaves for Coverage {
    fn expect(&self, first: u64, leaves: &[Leaf], last: bool) -> Result<()> {
        let segments = self.statement.segments();
        if segments == 1 {
            let is_it = last
                && matches!(leaves, [leaf] if first == 0
                && bool::from(root(leaf, 1).ct_eq(&self.statement.payload_root)));
            return if is_it { Ok(()) } else { Err(other(first)) };
        }
        for (segment, leaf) in (first..).zip(leaves) {
            if segment >= segments {
                return Err(other(segment));
            }
            let group = self.group(segment / GROUP)?;
            let expected = &group[(segment % GROUP) as usize];
            // CT: the verdict is public.
            if !bool::from(leaf.ct_eq(expected)) {
                return Err(other(segment));
            }
        }
        // Some suites have ciphertexts that open as the last segment and as another, to two texts.
        let end = first + leaves.len() as u64;
        if last == (end == segments) { Ok(()) } else { Err(other(end.saturating_sub(1))) }
    }
}

fn other(segment: u64) -> Error {
    Error::NotAsSigned { segment }
}

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coverage").field("statement", &self.statement).finish_non_exhaustive()
    }
}
