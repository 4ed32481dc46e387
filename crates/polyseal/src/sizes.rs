//! The lengths in bytes that an algorithm's inputs may have.

use core::fmt;
use core::ops::RangeInclusive;

/// The lengths in bytes that an input may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// The length when nothing else is said.
    pub default: usize,
    allowed: Allowed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    These(&'static [usize]),
    Range { first: usize, last: usize },
}

impl Sizes {
    /// These lengths, ascending: several, and not all between two.
    pub(crate) const fn these(allowed: &'static [usize], default: usize) -> Self {
        Self { default, allowed: Allowed::These(allowed) }
    }

    /// Every length from `first` to `last`.
    pub(crate) const fn range(first: usize, last: usize, default: usize) -> Self {
        Self { default, allowed: Allowed::Range { first, last } }
    }

    pub(crate) const fn one(size: usize) -> Self {
        Self::range(size, size, size)
    }

    /// Whether `bytes` is an accepted length.
    #[must_use]
    pub fn accepts(&self, bytes: usize) -> bool {
        match self.allowed {
            Allowed::These(these) => these.contains(&bytes),
            Allowed::Range { first, last } => (first..=last).contains(&bytes),
        }
    }

    /// How many lengths are accepted.
    #[must_use]
    pub fn count(&self) -> usize {
        match self.allowed {
            Allowed::These(these) => these.len(),
            Allowed::Range { first, last } => last - first + 1,
        }
    }

    /// Every accepted length, ascending.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> + Clone + use<> {
        let sizes = *self;
        (0..self.count()).map(move |index| sizes.at(index))
    }

    /// The length that is preceded by `index` others.
    pub(crate) fn at(&self, index: usize) -> usize {
        match self.allowed {
            Allowed::These(these) => these[index],
            Allowed::Range { first, .. } => first + index,
        }
    }

    /// The shortest and the longest, if there are more than four lengths and every one between
    /// these two is accepted.
    #[must_use]
    pub fn long_range(&self) -> Option<RangeInclusive<usize>> {
        match self.allowed {
            Allowed::Range { first, last } if last - first >= 4 => Some(first..=last),
            _ => None,
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(range) = self.long_range() {
            return write!(f, "{} to {}", range.start(), range.end());
        }
        for (i, size) in self.iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.count() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{size}")?;
        }
        Ok(())
    }
}
