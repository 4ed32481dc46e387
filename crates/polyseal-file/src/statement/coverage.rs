//! The segments that a statement covers: each is compared before anything of it is given out.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use subtle::ConstantTimeEq;

use super::hashes::{GROUP, HashLayout};
use super::{Problem, Statement};
use crate::commitment::{ExpectedLeaves, Leaf, root};
use crate::error::{Error, Result, io};
use crate::read_at::{ReadAt, fill};

/// The groups of hashes that are kept: of 32 segments each.
const KEPT: usize = 64;

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
    fn expect(&self, first: u64, leaves: &[Leaf]) -> Result<()> {
        if self.statement.segments() == 1 {
            let is_it = matches!(leaves, [leaf] if first == 0
                && bool::from(root(leaf, 1).ct_eq(&self.statement.payload_root)));
            return if is_it { Ok(()) } else { Err(other(first)) };
        }
        for (segment, leaf) in (first..).zip(leaves) {
            if segment >= self.statement.segments() {
                return Err(other(segment));
            }
            let group = self.group(segment / GROUP)?;
            let expected = &group[(segment % GROUP) as usize];
            // CT: the verdict is public.
            if !bool::from(leaf.ct_eq(expected)) {
                return Err(other(segment));
            }
        }
        Ok(())
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
