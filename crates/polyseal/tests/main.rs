//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

mod common;

mod acvp;
mod aegis;
mod algorithm_names;
mod attacks;
mod batch;
mod collisions;
mod conformance;
mod differential;
mod flex;
mod flex_names;
mod fuzzed;
mod gcm;
mod layers;
mod och;
mod omd;
mod perm;
mod pieces;
mod selftest;
mod vectors;
