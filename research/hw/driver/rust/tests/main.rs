//! The tests of this crate, in one program: each module is one subject.

mod epochs;
mod model;
