//! The segments that a statement covers: each is compared before anything of it is given out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use subtle::ConstantTimeEq;

use super::hashes::{GROUP, HashLayout};
use super::{Problem, Statement};
use crate::commitment::{Commitment, ExpectedLeaves, Leaf, PayloadRoot, leaf, root};
use crate::error::{Error, Result, io};
use crate::header::Header;
use crate::key::Key;
use crate::layout::SegmentSize;
use crate::read_at::{ReadAt, fill};

/// The groups of hashes that are kept: of 32 segments each.
const KEPT: usize = 64;

/// Bytes of segments that are read together.
const TOGETHER: u64 = 512 * 1024;

/// A payload that is signed, for [`Decryptor::covered_by`](crate::Decryptor::covered_by). The
/// statement is authentic; the hashes need not be: they are compared with it.
pub struct Coverage {
    bound: Bound,
    /// The bytes of the stored payload.
    payload_bytes: u64,
    segment_size: SegmentSize,
    /// The bytes of a segment that is not the last, as it is stored.
    stored_segment_bytes: u64,
    root: Leaf,
    layout: HashLayout,
    /// None if somebody else fetches them.
    hashes: Option<Box<dyn ReadAt + Send + Sync>>,
    /// Where they begin in the stored statement.
    offset: u64,
    groups: Mutex<Groups>,
}

type Group = Arc<Vec<Leaf>>;

#[derive(Default)]
struct Groups {
    /// Those that were used last.
    recent: VecDeque<(u64, Group)>,
    /// Those that a [`HeldHashes`] has.
    held: BTreeMap<u64, Weak<Vec<Leaf>>>,
}

/// The hashes for a part of a plaintext. Segments that they cover can be opened as long as it is
/// there.
pub struct HeldHashes {
    coverage: Arc<Coverage>,
    groups: Vec<(u64, Group)>,
    missing: Range<u64>,
}

/// The value that says which file it is.
#[derive(Debug)]
enum Bound {
    Statement(Statement),
    Commitment(Commitment),
}

impl Coverage {
    /// `size` is that of the stored statement.
    pub(super) fn of_statement(
        statement: Statement,
        hashes: Option<Box<dyn ReadAt + Send + Sync>>,
        size: u64,
        offset: u64,
    ) -> Result<Self> {
        let unit = statement.stored_segment_bytes();
        let (bytes, root) = (statement.payload_bytes, statement.payload_root);
        let segment = (statement.segment_size, unit);
        Self::new(Bound::Statement(statement), bytes, segment, root, hashes, (offset, size))
    }

    /// That of a file of a tree whose statement was accepted. The commitment is that of its
    /// manifest or of its [list](super::FileList), the encrypted file has this header and so many
    /// bytes, and `hashes` are those that are kept for its file salt; none for one segment.
    ///
    /// # Errors
    /// [`Problem::OtherFile`], [`Problem::Hashes`], [`Error::Truncated`], and [`Error::Io`].
    pub fn of_commitment(
        commitment: &Commitment,
        header: &Header,
        file_bytes: u64,
        hashes: Box<dyn ReadAt + Send + Sync>,
    ) -> Result<Self> {
        let PayloadRoot::Tree(root) = commitment.payload_root else {
            return Err(Error::Statement(Problem::Hashes));
        };
        if commitment.file_salt != header.file_salt() {
            return Err(Error::Statement(Problem::OtherFile));
        }
        let bytes = file_bytes.checked_sub(header.payload_offset()).ok_or(Error::Truncated)?;
        let unit = u64::from(header.segment_size().bytes()) + header.suite().tag_bytes() as u64;
        let size = hashes.size().map_err(io("read the statement"))?;
        let segment = (header.segment_size(), unit);
        Self::new(Bound::Commitment(*commitment), bytes, segment, root, Some(hashes), (0, size))
    }

    fn new(
        bound: Bound,
        payload_bytes: u64,
        (segment_size, stored_segment_bytes): (SegmentSize, u64),
        root: Leaf,
        hashes: Option<Box<dyn ReadAt + Send + Sync>>,
        (offset, size): (u64, u64),
    ) -> Result<Self> {
        let layout = HashLayout::new(payload_bytes.div_ceil(stored_segment_bytes).max(1));
        if size.checked_sub(offset) != Some(layout.bytes()) {
            return Err(Error::Statement(Problem::Hashes));
        }
        let groups = Mutex::default();
        Ok(Self {
            bound,
            payload_bytes,
            segment_size,
            stored_segment_bytes,
            root,
            layout,
            hashes,
            offset,
            groups,
        })
    }

    /// The segment size of the file.
    #[must_use]
    pub fn segment_size(&self) -> SegmentSize {
        self.segment_size
    }

    /// Refuses a file with another header than the one that it is about, as far as that is known
    /// without a key.
    ///
    /// # Errors
    /// [`Error::Statement`].
    pub fn expect_header(&self, header: &Header) -> Result<()> {
        match &self.bound {
            Bound::Statement(statement) => statement.expect_header(header),
            Bound::Commitment(commitment) if commitment.file_salt == header.file_salt() => Ok(()),
            Bound::Commitment(_) => Err(Error::Statement(Problem::OtherFile)),
        }
    }

    /// The same of a header that opens with this key.
    pub(crate) fn expect_key(&self, header: &Header, file_key: &Key) -> Result<()> {
        let commitment = match &self.bound {
            Bound::Statement(statement) => return statement.expect_key(header, file_key),
            Bound::Commitment(commitment) => commitment,
        };
        if commitment.has_key(&header.file_salt(), &header.key_commitment(file_key)?) {
            Ok(())
        } else {
            Err(Error::Statement(Problem::OtherFile))
        }
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
        let header = Header::read_at(stored)?;
        self.expect_header(&header)?;
        let offset = header.payload_offset();
        let size = stored.size().map_err(io("examine the input"))?;
        match size.cmp(&offset.saturating_add(self.payload_bytes)) {
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
        let unit = self.stored_segment_bytes;
        let mut bytes = Vec::new();
        loop {
            let first = next.fetch_add(1, Relaxed).saturating_mul(GROUP);
            if first >= self.layout.segments() {
                return Ok(());
            }
            // Not more memory than one segment takes, or a small read.
            let together = (TOGETHER / unit).clamp(1, GROUP);
            let behind = self.layout.segments().min(first + GROUP);
            for at in (first..behind).step_by(together as usize) {
                let start = at * unit;
                let end = self.payload_bytes.min((at + together).min(behind) * unit);
                bytes.resize((end - start) as usize, 0);
                fill(stored, &mut bytes, offset + start)?;
                // An empty payload of a suite has a tag at least.
                let leaves: Vec<_> = bytes.chunks(unit as usize).map(leaf).collect();
                self.expect(at, &leaves, end == self.payload_bytes)?;
            }
        }
    }

    /// The hashes for a part of the plaintext, of which some may have to be fetched.
    #[must_use]
    pub fn hold(self: &Arc<Self>, plaintext: Range<u64>) -> HeldHashes {
        let together = u64::from(self.segment_size.bytes()) * GROUP;
        let all = if self.layout.bytes() == 0 { 0 } else { self.layout.groups() };
        let end = plaintext.end.max(plaintext.start).div_ceil(together).min(all);
        let wanted = (plaintext.start / together).min(end)..end;
        let mut locked = self.locked();
        let groups: Vec<_> =
            wanted.clone().filter_map(|group| Some((group, locked.get(group)?))).collect();
        let is_missing = |group: &u64| groups.binary_search_by_key(group, |(at, _)| *at).is_err();
        let first = wanted.clone().find(is_missing).unwrap_or(end);
        let last = wanted.rev().find(is_missing).map_or(end, |last| last + 1);
        locked.hold(&groups);
        drop(locked);
        HeldHashes { coverage: Arc::clone(self), groups, missing: first..last }
    }

    /// The leaves of a group, which belong to the root.
    fn group(&self, group: u64) -> Result<Group> {
        if let Some(leaves) = self.locked().get(group) {
            return Ok(leaves);
        }
        let hashes = self.hashes.as_ref().ok_or(Error::NotFetched)?;
        let range = self.layout.range(group);
        let mut stored = vec![0; (range.end - range.start) as usize];
        fill(hashes, &mut stored, self.offset + range.start)?;
        self.keep(group, &stored)
    }

    /// Keeps a group, if it belongs to the root.
    fn keep(&self, group: u64, stored: &[u8]) -> Result<Group> {
        let leaves = self.layout.open(group, stored, &self.root);
        let leaves = Arc::new(leaves.ok_or(Error::Statement(Problem::Hashes))?);
        let recent = &mut self.locked().recent;
        recent.push_front((group, Arc::clone(&leaves)));
        recent.truncate(KEPT);
        Ok(leaves)
    }

    fn locked(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Groups {
    fn get(&self, group: u64) -> Option<Group> {
        let recent = self.recent.iter().find(|(at, _)| *at == group);
        let recent = recent.map(|(_, leaves)| Arc::clone(leaves));
        recent.or_else(|| self.held.get(&group)?.upgrade())
    }

    fn hold(&mut self, groups: &[(u64, Group)]) {
        self.held.retain(|_, leaves| leaves.strong_count() > 0);
        self.held.extend(groups.iter().map(|(at, leaves)| (*at, Arc::downgrade(leaves))));
    }
}

impl HeldHashes {
    /// The bytes of the stored statement that are still missing.
    #[must_use]
    pub fn missing(&self) -> Option<Range<u64>> {
        let Range { start, end } = self.missing;
        let at = |group| {
            let Range { start, end } = self.coverage.layout.range(group);
            self.coverage.offset + start..self.coverage.offset + end
        };
        (start < end).then(|| at(start).start..at(end - 1).end)
    }

    /// Takes the bytes that are missing.
    ///
    /// # Errors
    /// [`Problem::Hashes`] if they are not the hashes of the payload.
    pub fn take(&mut self, stored: &[u8]) -> Result<()> {
        let Some(range) = self.missing() else { return Ok(()) };
        let expected = (range.end - range.start) as usize;
        if stored.len() != expected {
            let (expected, given) = (expected as u64, stored.len() as u64);
            return Err(Error::PartBytes { expected, given });
        }
        let coverage = Arc::clone(&self.coverage);
        let Range { start, end } = self.missing;
        let mut rest = stored;
        for group in start..end {
            let range = coverage.layout.range(group);
            let (hashes, behind) = rest.split_at((range.end - range.start) as usize);
            self.groups.push((group, coverage.keep(group, hashes)?));
            rest = behind;
        }
        coverage.locked().hold(&self.groups);
        self.missing = end..end;
        Ok(())
    }
}

impl ExpectedLeaves for Coverage {
    fn stated_bytes(&self) -> Option<u64> {
        match &self.bound {
            Bound::Statement(statement) => Some(statement.payload_bytes),
            // How long the last segment is, its leaf alone says.
            Bound::Commitment(_) => None,
        }
    }

    fn expect(&self, first: u64, leaves: &[Leaf], last: bool) -> Result<()> {
        let segments = self.layout.segments();
        if segments == 1 {
            let is_it = last
                && matches!(leaves, [leaf] if first == 0
                && bool::from(root(leaf, 1).ct_eq(&self.root)));
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

impl fmt::Debug for HeldHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldHashes").field("missing", &self.missing()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coverage").field("bound", &self.bound).finish_non_exhaustive()
    }
}
