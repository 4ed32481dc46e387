//! The lengths in bytes that an algorithm's inputs may have.

use core::fmt;

/// The lengths in bytes that an input may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// The length when nothing else is said.
    pub default: usize,
    /// Every accepted length, ascending.
    pub allowed: &'static [usize],
}

/// Every length of a name up to 1024 bytes.
static LENGTHS: [usize; 1025] = {
    let mut lengths = [0; 1025];
    let mut i = 0;
    while i < lengths.len() {
        lengths[i] = i;
        i += 1;
    }
    lengths
};

impl Sizes {
    /// Every length from `first` to `last`, which is at most [`LONGEST`](Self::LONGEST).
    pub(crate) const fn range(first: usize, last: usize, default: usize) -> Self {
        Self { default, allowed: LENGTHS.split_at(last + 1).0.split_at(first).1 }
    }

    /// The longest length of a range.
    pub(crate) const LONGEST: usize = LENGTHS.len() - 1;

    pub(crate) const fn one(size: &'static [usize; 1]) -> Self {
        Self { default: size[0], allowed: size }
    }

    /// Whether `bytes` is an accepted length.
    #[must_use]
    pub fn accepts(&self, bytes: usize) -> bool {
        self.allowed.contains(&bytes)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A long run is "1 to 512" rather than all its members.
        let run = |from: &usize, to: &usize| (*from..=*to).eq(self.allowed.iter().copied());
        if let [first, _, _, _, .., last] = self.allowed
            && run(first, last)
        {
            return write!(f, "{first} to {last}");
        }
        for (i, size) in self.allowed.iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.allowed.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{size}")?;
        }
        Ok(())
    }
}
