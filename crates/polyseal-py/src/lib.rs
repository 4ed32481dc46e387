//! The extension module `polyseal._polyseal`: what of the Python package is written in Rust.
//!
//! It is thin: lengths, limits and cryptography are those of `polyseal` and `polyseal-file`, and
//! the work on files by their names is `polyseal-local`'s. This is the border: memory that Python
//! owns ([`memory`]), the interpreter's lock, exceptions ([`errors`]), callbacks and Ctrl-C
//! ([`callbacks`]), and file objects ([`streams`]). The classes of algorithms are made from the
//! registry when the module is imported ([`classes`]).
//!
//! On a free-threaded interpreter there is no such lock, and the module asks for none: what it has
//! that changes is behind a mutex or atomic (tests/test_threads.py).
//!
//! `unsafe` stands in [`memory`] alone. The wheel is compiled with unwinding: a panic, which is a
//! defect, is an exception in Python and does not end the process.

#![deny(unsafe_code)]
#![allow(missing_docs, reason = "nobody links this; Python's documentation is in the stubs")]

mod aead;
mod callbacks;
mod classes;
mod errno;
mod errors;
mod files;
#[cfg(feature = "flex")]
mod flex;
#[cfg(feature = "flex")]
mod flex_aead;
#[cfg(feature = "flex")]
mod hazmat;
mod key_set;
mod kms;
mod mac;
mod memory;
mod new_file;
mod opener;
mod payload;
mod reader;
mod scratch;
mod sealer;
mod secret;
mod statements;
mod stream_sealer;
mod streams;
mod trees;

use pyo3::prelude::*;

/// The part of Polyseal for Python that is Rust. Import `polyseal` instead.
#[pymodule(name = "_polyseal", gil_used = false)]
fn polyseal_py(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // PEP 440's form of a candidate.
    module.add("__version__", env!("CARGO_PKG_VERSION").replace("-rc.", "rc"))?;
    module.add_class::<aead::Aead>()?;
    module.add_class::<mac::Mac>()?;
    #[cfg(feature = "flex")]
    module.add_class::<flex::Flex>()?;
    #[cfg(feature = "flex")]
    module.add_class::<hazmat::WideBlock>()?;
    module.add_class::<secret::SecretKey>()?;
    module.add_class::<key_set::KeySet>()?;
    module.add_class::<reader::Reader>()?;
    module.add_class::<stream_sealer::StreamSealer>()?;
    module.add_class::<opener::Version>()?;
    module.add_class::<opener::Opener>()?;
    module.add_class::<payload::PayloadHead>()?;
    module.add_class::<payload::Payload>()?;
    module.add_class::<payload::Outline>()?;
    module.add_class::<sealer::Sealer>()?;
    module.add_class::<statements::AllowedSigners>()?;
    module.add_class::<statements::SigningKey>()?;
    module.add_class::<statements::SignedStatement>()?;
    module.add_class::<statements::HeldHashes>()?;
    module.add_class::<new_file::NewFile>()?;
    module.add_class::<new_file::Directory>()?;
    module.add_function(wrap_pyfunction!(errors::has_secret, module)?)?;
    module.add_function(wrap_pyfunction!(errors::printable, module)?)?;
    classes::add(module)?;
    files::add(module)?;
    kms::add(module)?;
    trees::add(module)
}
