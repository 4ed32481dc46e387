//! The rules for empty associated data or an empty message, and for L*.

/// The rule of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An empty input is one padded block.
    Secure,
    /// Empty associated data have the tag 0, and an empty message the tag H. Forgeable.
    Reference,
    /// The same with version 1's L*, which does not depend on the length of the tag. Forgeable.
    Version1,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Secure {}
    impl Sealed for super::Reference {}
    impl Sealed for super::Version1 {}
}

/// A rule as a type: [`Secure`], or one of those in [`legacy`](super::legacy).
pub trait EmptyInputs: sealed::Sealed + Send + Sync + 'static {
    /// The rule.
    #[doc(hidden)]
    const RULE: Rule;
}

/// An empty input is one padded block.
#[derive(Clone, Copy, Debug)]
pub enum Secure {}

/// Version 2 as its reference code has it. [Forgeable](super::legacy).
#[derive(Clone, Copy, Debug)]
pub enum Reference {}

/// Version 1. [Forgeable](super::legacy).
#[derive(Clone, Copy, Debug)]
pub enum Version1 {}

impl EmptyInputs for Secure {
    const RULE: Rule = Rule::Secure;
}

impl EmptyInputs for Reference {
    const RULE: Rule = Rule::Reference;
}

impl EmptyInputs for Version1 {
    const RULE: Rule = Rule::Version1;
}
