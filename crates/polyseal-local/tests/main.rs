//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

mod contents;
mod layers;
mod promises;
mod store;
mod windows;
