//! Which segments have been sealed, so that none is sealed again with another plaintext.
//!
//! Tags are compared: under one key and nonce, another plaintext has the same tag with a
//! probability that is that of a forgery, 2^-128 or about that. 16 bytes of each tag's SHA-256 are
//! kept.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

const BYTES: usize = 16;

#[derive(Default)]
pub(crate) struct Sealed(Mutex<BTreeMap<u64, [u8; BYTES]>>);

impl Sealed {
    /// Remembers the tags of the segments from `first` on, and refuses one that differs from the
    /// tag that its segment had before. If two threads seal one segment, the first one counts.
    pub(crate) fn expect_same<'a>(
        &self,
        first: u64,
        tags: impl Iterator<Item = &'a [u8]>,
    ) -> Result<()> {
        let mut sealed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (segment, tag) in (first..).zip(tags) {
            let mut mark = [0; BYTES];
            mark.copy_from_slice(&Sha256::digest(tag)[..BYTES]);
            match sealed.entry(segment) {
                Entry::Vacant(entry) => {
                    entry.insert(mark);
                }
                Entry::Occupied(entry) if *entry.get() == mark => {}
                Entry::Occupied(_) => return Err(Error::SealedOtherwise { segment }),
            }
        }
        Ok(())
    }
}
