//! The commitment to a whole encrypted file: its file salt, a commitment to its file key, and a
//! hash over its stored payload. A [`manifest`](crate::manifest) has one for each file of a tree.
//!
//! Source: `docs/spec/manifest.md`, sections 5, 6 and 9. The hash is BLAKE3: each stored segment is
//! a leaf. The root is over a tree of them, in the shape of RFC 6962, and their number; that of
//! version 2 is over all leaves in order. Threads hash leaves in any order, while the segments are
//! in the cache anyway. Both roots are computed: next to a segment, a leaf is nothing.
//!
//! Security claim: nobody, the file's readers included, finds two files with one commitment that
//! open to two texts; that would be a collision of HKDF-SHA-256 or of BLAKE3 (2^128).
//!
//! Limits: leaves are not stored, so that a part of a file cannot be checked by itself. Leaves that
//! come before their turn are kept, 32 bytes for each segment, and one node for each level.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{LazyLock, Mutex, PoisonError};

use blake3::Hasher;
use subtle::ConstantTimeEq;

use crate::error::{Result, io};
use crate::header::Header;

/// The bytes of a file salt, a key commitment and a payload root each.
pub const COMMITMENT_BYTES: usize = 32;

const LEAF_CONTEXT: &str = "polyseal-manifest/2 leaf";
const NODE_CONTEXT: &str = "polyseal-manifest/3 node";
const ROOT_CONTEXT: &str = "polyseal-manifest/3 root";
const LIST_CONTEXT: &str = "polyseal-manifest/2 root";

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
    pub payload_root: PayloadRoot,
}

/// The hash over a stored payload, of 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadRoot {
    /// The root of a tree over the segments: a part can be shown to belong to it. Every
    /// [`Summary`](crate::Summary) has this one.
    Tree([u8; COMMITMENT_BYTES]),
    /// The hash over the list of them, as manifests of version 2 have it.
    List([u8; COMMITMENT_BYTES]),
}

impl PayloadRoot {
    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; COMMITMENT_BYTES] {
        match self {
            Self::Tree(root) | Self::List(root) => root,
        }
    }
}

/// The same payload's roots, of each shape.
#[derive(Clone, Copy)]
pub(crate) struct Roots {
    tree: [u8; COMMITMENT_BYTES],
    list: [u8; COMMITMENT_BYTES],
}

impl Roots {
    pub(crate) fn payload_root(&self) -> PayloadRoot {
        PayloadRoot::Tree(self.tree)
    }
}

impl Commitment {
    /// Whether it is of the same file key and header fields.
    pub(crate) fn has_key(&self, file_salt: &[u8], key: &[u8]) -> bool {
        (self.file_salt.ct_eq(file_salt) & self.key.ct_eq(key)).into()
    }

    /// Whether it is that of a file with this salt, key and payload, compared in constant time.
    pub(crate) fn matches(&self, file_salt: &[u8], key: &[u8], roots: &Roots) -> bool {
        let same_root = match &self.payload_root {
            PayloadRoot::Tree(root) => root.ct_eq(&roots.tree),
            PayloadRoot::List(root) => root.ct_eq(&roots.list),
        };
        self.has_key(file_salt, key) && same_root.into()
    }
}

pub(crate) type Leaf = [u8; COMMITMENT_BYTES];

/// Something that stored segments are compared with before anything of them is given out.
pub(crate) trait ExpectedLeaves: Send + Sync {
    /// How many bytes the stored payload has, if that is known before its last segment is opened.
    fn stated_bytes(&self) -> Option<u64>;

    /// Refuses the leaves of segments that are not those from `first` on, or that end the payload,
    /// as `last` says, where it does not end.
    fn expect(&self, first: u64, leaves: &[Leaf], last: bool) -> Result<()>;
}

// To derive the key from the context takes as long as to hash a small segment.
static LEAF: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(LEAF_CONTEXT));
static NODE: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(NODE_CONTEXT));
static ROOT: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(ROOT_CONTEXT));
static LIST: LazyLock<Hasher> = LazyLock::new(|| Hasher::new_derive_key(LIST_CONTEXT));

/// The leaf of a stored segment: ciphertext and tag.
pub(crate) fn leaf(stored: &[u8]) -> Leaf {
    *LEAF.clone().update(stored).finalize().as_bytes()
}

/// The file salt and the payload root of an encrypted file as it is stored: no key is needed. It is
/// read to its end.
///
/// # Errors
/// Those of [`Header::read`], and [`Error::Io`](crate::Error::Io).
pub fn stored_payload(input: &mut impl Read) -> Result<([u8; COMMITMENT_BYTES], PayloadRoot)> {
    let header = Header::read(input)?;
    let mut segment = Vec::new();
    let stored = u64::from(header.segment_size().bytes()) + header.suite().tag_bytes() as u64;
    let (leaves, mut count) = (Leaves::new(), 0);
    loop {
        segment.clear();
        let read = input.by_ref().take(stored).read_to_end(&mut segment).map_err(io("read"))?;
        if read == 0 && count > 0 {
            return Ok((header.file_salt(), leaves.roots().payload_root()));
        }
        leaves.add(count, vec![leaf(&segment)]);
        count += 1;
    }
}

pub(crate) fn node(left: &Leaf, right: &Leaf) -> Leaf {
    *NODE.clone().update(left).update(right).finalize().as_bytes()
}

/// The root of a payload of so many segments, by the tree over their leaves.
pub(crate) fn root(tree: &Leaf, segments: u64) -> Leaf {
    *ROOT.clone().update(tree).update(&segments.to_le_bytes()).finalize().as_bytes()
}

/// The leaves of a payload, as threads come to have them.
pub(crate) struct Leaves(Mutex<OrderedLeaves>);

struct OrderedLeaves {
    list: Hasher,
    /// Whole trees over the leaves so far, from the largest on: one for each bit of their number
    /// that is 1.
    trees: Vec<Leaf>,
    /// How many there are without a gap.
    count: u64,
    /// By the number of the first.
    early: BTreeMap<u64, Vec<Leaf>>,
    /// All of them, if they are kept.
    kept: Option<Vec<Leaf>>,
}

impl OrderedLeaves {
    fn push(&mut self, mut hash: Leaf) {
        if let Some(kept) = &mut self.kept {
            kept.push(hash);
        }
        // As many trees are as large as the one that ends here, one after the other.
        for _ in 0..self.count.trailing_ones() {
            if let Some(left) = self.trees.pop() {
                hash = node(&left, &hash);
            }
        }
        self.trees.push(hash);
        self.count += 1;
    }
}

impl Leaves {
    pub(crate) fn new() -> Self {
        Self::with(None)
    }

    /// The same, which are kept: 32 bytes for each segment.
    pub(crate) fn keeping() -> Self {
        Self::with(Some(Vec::new()))
    }

    fn with(kept: Option<Vec<Leaf>>) -> Self {
        let (list, early) = (LIST.clone(), BTreeMap::new());
        Self(Mutex::new(OrderedLeaves { list, trees: Vec::new(), count: 0, early, kept }))
    }

    /// The leaves that were kept, in their order.
    pub(crate) fn into_kept(self) -> Vec<Leaf> {
        let leaves = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        leaves.kept.unwrap_or_default()
    }

    /// Adds the leaves of the segments from `first` on.
    pub(crate) fn add(&self, first: u64, leaves: Vec<Leaf>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first != state.count {
            state.early.insert(first, leaves);
            return;
        }
        let mut next = Some(leaves);
        while let Some(leaves) = next {
            state.list.update(leaves.as_flattened());
            leaves.into_iter().for_each(|leaf| state.push(leaf));
            let count = state.count;
            next = state.early.remove(&count);
        }
    }

    /// The roots of a payload whose leaves are all there.
    pub(crate) fn roots(self) -> Roots {
        let OrderedLeaves { mut list, trees, count, early, kept: _ } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        debug_assert!(early.is_empty());
        let tree = trees.into_iter().rev().reduce(|right, left| node(&left, &right));
        // A payload has at least one segment.
        let tree = root(&tree.unwrap_or_default(), count);
        Roots { tree, list: *list.update(&count.to_le_bytes()).finalize().as_bytes() }
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
            let Roots { tree, list } = tree.roots();
            (tree, list)
        };
        let whole = root(&[(0, &leaves)]);
        assert_eq!(root(&[(4, &leaves[4..]), (2, &leaves[2..4]), (0, &leaves[..2])]), whole);
        let mut swapped = leaves.clone();
        swapped.swap(1, 2);
        // A payload of one segment that is a list of leaves is another.
        for other in [&leaves[..5], &swapped, &[leaf(leaves.as_flattened())]] {
            let (tree, list) = root(&[(0, other)]);
            assert!(tree != whole.0 && list != whole.1);
        }
    }
}
