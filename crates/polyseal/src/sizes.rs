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

impl Sizes {
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
