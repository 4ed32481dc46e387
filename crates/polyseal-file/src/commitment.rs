//! The commitment to a whole encrypted file: its file salt, a commitment to its file key, and a
//! hash over its stored payload. A [`manifest`](crate::manifest) has one for each file of a tree.
//!
//! Source: `docs/spec/manifest.md`, sections 5 and 6. The hash is BLAKE3: each stored segment is a
//! leaf, and the root is the hash of all leaves, in order, and their number. Threads hash leaves in
//! any order, while the segments are in the cache anyway.
//!
//! Security claim: nobody, the file's readers included, finds two files with one commitment that
//! open to two texts; that would be a collision of HKDF-SHA-256 or of BLAKE3 (2^128).
//!
//! Limits: leaves are not stored, so that a part of a file cannot be checked by itself. Leaves that
//! come before their turn are kept, 32 bytes for each segment.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use blake3::Hasher;
use subtle::ConstantTimeEq;

/// The bytes of a file salt, a key commitment and a payload root each.
pub const COMMITMENT_BYTES: usize = 32;

const LEAF_CONTEXT: &str = "polyseal-manifest/2 leaf";
const ROOT_CONTEXT: &str = "polyseal-manifest/2 root";

/// A commitment to one encrypted file, independent of its recipients: it stays when the header is
/// replaced, and no two files have the same.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Error, Identities, Input, Key, Output, Recipients};
///
/// let key = Key::generate()?;
/// let recipients = Recipients::from(&key);
/// let encryptor = Encryptor::new(&recipients).committing();
/// let mut one = Vec::new();
/// let sealed = encryptor.encrypt(Input::Stream(&mut &b"pay 10"[..]), Output::Stream(&mut one))?;
/// let commitment = sealed.commitment.ok_or("it was asked for")?;
///
/// let identities = Identities::from(&key);
/// let expecting = Decryptor::new(&identities).expecting(&commitment);
/// expecting.verify(Input::Stream(&mut &one[..]))?;
///
/// let mut other = Vec::new();
/// encryptor.encrypt(Input::Stream(&mut &b"pay 99"[..]), Output::Stream(&mut other))?;
/// let refused = expecting.verify(Input::Stream(&mut &other[..]));
/// assert!(matches!(refused, Err(Error::OtherFile)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commitment {
    /// The file salt in the header.
    pub file_salt: [u8; COMMITMENT_BYTES],
    /// A value derived from the file key and the header's fixed fields. It tells nothing of the
    /// key.
    pub key: [u8; COMMITMENT_BYTES],
    /// The root over the stored payload.
    pub payload_root: [u8; COMMITMENT_BYTES],
}

impl Commitment {
    /// Whether it is of the same file key and header fields.
    pub(crate) fn has_key(&self, file_salt: &[u8], key: &[u8]) -> bool {
        (self.file_salt.ct_eq(file_salt) & self.key.ct_eq(key)).into()
    }

    /// Whether it is that of the same file, compared in constant time.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        let same_root = self.payload_root.ct_eq(&other.payload_root).into();
        self.has_key(&other.file_salt, &other.key) && same_root
    }
}

pub(crate) type Leaf = [u8; COMMITMENT_BYTES];

// To derive the key from the context takes as long as to hash a small segment.
static LEAF: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(LEAF_CONTEXT));
static ROOT: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(ROOT_CONTEXT));

/// The leaf of a stored segment: ciphertext and tag.
pub(crate) fn leaf(stored: &[u8]) -> Leaf {
    *LEAF.clone().update(stored).finalize().as_bytes()
}

/// The leaves of a payload, as threads come to have them.
pub(crate) struct Leaves(Mutex<OrderedRoot>);

struct OrderedRoot {
    root: Hasher,
    /// How many there are without a gap.
    count: u64,
    /// By the number of the first.
    early: BTreeMap<u64, Vec<Leaf>>,
}

impl Leaves {
    pub(crate) fn new() -> Self {
        let root = ROOT.clone();
        Self(Mutex::new(OrderedRoot { root, count: 0, early: BTreeMap::new() }))
    }

    /// Adds the leaves of the segments from `first` on.
    pub(crate) fn add(&self, first: u64, leaves: Vec<Leaf>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let OrderedRoot { root, count, early } = &mut *state;
        if first != *count {
            early.insert(first, leaves);
            return;
        }
        let mut next = Some(leaves);
        while let Some(leaves) = next {
            root.update(leaves.as_flattened());
            *count += leaves.len() as u64;
            next = early.remove(count);
        }
    }

    /// The root of a payload whose leaves are all there.
    pub(crate) fn root(self) -> [u8; COMMITMENT_BYTES] {
        let OrderedRoot { mut root, count, early } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        debug_assert!(early.is_empty());
        *root.update(&count.to_le_bytes()).finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_come_in_any_order_and_each_place_and_their_number_count() {
        let leaves: Vec<Leaf> = (0..6_u8).map(|i| leaf(&[i; 20])).collect();
        let root = |parts: &[(u64, &[Leaf])]| {
            let tree = Leaves::new();
            parts.iter().for_each(|(first, leaves)| tree.add(*first, leaves.to_vec()));
            tree.root()
        };
        let whole = root(&[(0, &leaves)]);
        assert_eq!(root(&[(4, &leaves[4..]), (2, &leaves[2..4]), (0, &leaves[..2])]), whole);
        assert_ne!(root(&[(0, &leaves[..5])]), whole);
        let mut swapped = leaves.clone();
        swapped.swap(1, 2);
        assert_ne!(root(&[(0, &swapped)]), whole);
        // A payload of one segment that is a list of leaves is another.
        assert_ne!(root(&[(0, &[leaf(leaves.as_flattened())])]), whole);
    }
}
