//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

mod algorithms;
mod c;
mod header;
