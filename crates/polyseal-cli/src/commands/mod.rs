//! The commands, one file each: arguments in, a [`Failure`](crate::error::Failure) or nothing out.

mod aead;
#[cfg(feature = "bench")]
mod bench;
mod cat;
mod completions;
mod crypt;
#[cfg(feature = "flex")]
mod hazmat;
mod inspect;
mod keygen;
mod kms;
mod limits;
mod man;
mod many;
#[cfg(feature = "mount")]
mod mount;
mod raw;
mod rekey;
mod selftest;
mod sign;
mod suites;
mod trees;
mod vectors;

pub(crate) use aead::aead;
#[cfg(feature = "bench")]
pub(crate) use bench::bench;
pub(crate) use cat::cat;
pub(crate) use completions::completions;
pub(crate) use crypt::{decrypt, encrypt, verify};
#[cfg(feature = "flex")]
pub(crate) use hazmat::hazmat;
pub(crate) use inspect::inspect;
pub(crate) use keygen::keygen;
pub(crate) use kms::kms;
pub(crate) use limits::limits;
pub(crate) use man::man;
#[cfg(feature = "mount")]
pub(crate) use mount::mount;
pub(crate) use rekey::rekey;
pub(crate) use selftest::selftest;
pub(crate) use sign::sign;
pub(crate) use suites::suites;
pub(crate) use trees::ls;
pub(crate) use vectors::vectors;

use polyseal::registry::Family;

use crate::messages::{note, print, print_bytes, print_json, warn, warn_of_weak};

/// The suites for files that are instances of `family`.
fn suites_of(family: &Family) -> impl Iterator<Item = &'static str> {
    let allowed = polyseal_file::Suite::allowed().iter().copied();
    allowed.filter(|name| name.split(':').next() == Some(family.identity.id))
}
