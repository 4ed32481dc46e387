//! The lengths and parameters that an algorithm comes in.

use core::fmt;

use super::Algorithm;
#[cfg(feature = "flex")]
use super::LayoutOf;
use crate::sizes::Sizes;

/// The lengths and parameters that a family comes in.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FamilySizes {
    /// Key lengths.
    pub key_bytes: Sizes,
    /// Nonce lengths.
    pub nonce_bytes: Sizes,
    /// Tag lengths: all that a sealed message has beside its ciphertext.
    pub tag_bytes: Sizes,
    /// Which of these lengths [`Algorithm::instances`] goes through.
    pub listed: Listed,
    /// Other parameters.
    pub params: &'static [Param],
    /// Whether at most one parameter may be named.
    pub one_param: bool,
    /// Where nonce and tag lengths depend on parameters: which go with them. The two above are then
    /// what they are by default, and all that there is.
    pub(crate) lengths: Option<Lengths>,
    /// The same for the layout of a sealed message, and for the limits of one key.
    #[cfg(feature = "flex")]
    pub(crate) layout: Option<LayoutOf>,
}

/// A parameter beside the sizes: its name, the values it takes, and the one it has by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// The name in the algorithm's textual form and in the vectors' `params`.
    pub name: &'static str,
    /// Every accepted value; of configurations, those that have a name of their own.
    pub allowed: &'static [u64],
    /// The value when nothing else is said.
    pub default: u64,
    /// The kind of values.
    pub kind: ParamKind,
}

/// The kinds of values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamKind {
    /// Numbers, in decimal.
    Number,
    /// 1 for leave to have another parameter's value that gives less than the family promises,
    /// otherwise 0. It changes nothing else.
    Permission,
    /// Names: the value is the place of the name in this list.
    Name(&'static [&'static str]),
    /// Configurations of Flex, their eight bytes in 16 hexadecimal digits. Every one is accepted
    /// that the specification allows.
    Configuration,
}

impl Param {
    pub(crate) const fn number(name: &'static str, allowed: &'static [u64], default: u64) -> Self {
        Self { name, allowed, default, kind: ParamKind::Number }
    }

    /// `value` as it is written in an algorithm's textual form.
    #[must_use]
    pub fn text(&self, value: u64) -> impl fmt::Display {
        struct Text(ParamKind, u64);

        impl fmt::Display for Text {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    ParamKind::Configuration => write!(f, "{:016x}", self.1),
                    ParamKind::Name(names) => {
                        let name = usize::try_from(self.1).ok().and_then(|at| names.get(at));
                        f.write_str(name.unwrap_or(&"?"))
                    }
                    ParamKind::Number | ParamKind::Permission => self.1.fmt(f),
                }
            }
        }

        Text(self.kind, value)
    }

    /// Whether there is `value`. Which configurations there are, their rules say.
    pub(super) fn accepts(&self, value: u64) -> bool {
        self.kind == ParamKind::Configuration || self.allowed.contains(&value)
    }

    /// The values that tell instances apart.
    pub(super) fn values(&self) -> &'static [u64] {
        if self.kind == ParamKind::Permission { &[0] } else { self.allowed }
    }
}

/// Which lengths of key, nonce and tag make an instance of their own in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// Every combination.
    All,
    /// Those that go together under a name.
    Named(&'static [[usize; 3]]),
    /// Those when nothing else is said: there are too many others.
    #[cfg(feature = "flex")]
    Usual,
}

/// The nonce and tag lengths that go with an algorithm's parameters.
pub(crate) type Lengths = fn(&Algorithm) -> (Sizes, Sizes);
