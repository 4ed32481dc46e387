//! The manifest that an update finds, and how it is known.

use std::iter;

use polyseal_file::Commitment;
use polyseal_file::manifest::{Kind, Lineage, State};

use crate::error::Result;
use crate::tree::open::{BoxedEntries, SealedTree};
use crate::tree::settled::{Settled, Staged};
use crate::tree::state::TreeState;
use crate::tree::store::TreeStorage;

/// The manifest that is there, as the update knows it.
pub(super) enum Before<'a> {
    Sealed(Box<SealedTree<'a>>),
    State {
        newest: Box<TreeState>,
        /// That of the tree's own manifest, if the newest one is coming.
        earlier: Option<Box<TreeState>>,
    },
    /// It is not known, except which file it is.
    Unknown(Commitment),
}

impl Before<'_> {
    pub(super) fn of_state(newest: TreeState) -> Self {
        Self::State { newest: Box::new(newest), earlier: None }
    }

    /// Which the next one is.
    pub(super) fn next(&self) -> Result<Lineage> {
        Ok(match self {
            Self::Sealed(sealed) => sealed.next_lineage()?,
            Self::State { newest, earlier } => {
                let own = earlier.as_ref().unwrap_or(newest);
                Lineage::after(own.lineage.number, own.commitment)
            }
            Self::Unknown(previous) => Lineage::after(0, *previous),
        })
    }

    /// Whether the tree's own manifest is an earlier one.
    pub(super) fn is_interrupted(&self) -> bool {
        match self {
            Self::Sealed(sealed) => sealed.is_interrupted(),
            Self::State { earlier, .. } => earlier.is_some(),
            Self::Unknown(_) => false,
        }
    }

    /// The entries of the newest manifest.
    pub(super) fn entries(&self) -> Result<BoxedEntries<'_>> {
        Ok(match self {
            Self::Sealed(sealed) => sealed.newest_entries()?,
            Self::State { newest, .. } => Box::new(newest.entries()?),
            Self::Unknown(_) => Box::new(iter::empty()),
        })
    }

    /// The entries of the files that are there, by their names.
    pub(super) fn entries_now<'b>(&'b self, tree: &'b TreeStorage) -> Result<BoxedEntries<'b>> {
        match self {
            Self::Sealed(sealed) => sealed.entries_settled(Staged::DoNot),
            Self::State { newest, earlier: Some(earlier) } => {
                let (newest, earlier) = (newest.entries()?, earlier.entries()?);
                Ok(Box::new(Settled::new(newest, earlier, tree, Staged::DoNot)))
            }
            _ => self.entries(),
        }
    }

    pub(super) fn has_files(&self) -> Result<bool> {
        for entry in self.entries()? {
            let entry = entry?;
            if matches!(entry.kind, Kind::File { .. }) && entry.state != State::Deleted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
