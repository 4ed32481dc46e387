//! The examples in Rust of the repository's pages. There is nothing here but their tests: a crate
//! that is published cannot read what lies outside of it.

#![cfg(doctest)]

#[doc = include_str!("../../../README.md")]
struct Readme;
