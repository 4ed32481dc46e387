//! Ascon-AEAD128 (NIST SP 800-232) of the crate `ascon-aead`, through the traits of the crate
//! `aead`. There are no instructions for it: any build of it is for any CPU.

use aead::KeyInit;
use ascon_aead::AsconAead128;

use super::KEY;
use super::rustcrypto::Cipher;
use crate::contender::{Contender, Operation};
use crate::ring::first;

pub(super) fn version() -> String {
    String::from("ascon-aead (0.6.0)")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "ascon-aead128").then(|| Contender::aead(id, operation, ascon_aead128()))?
}

pub(super) fn ascon_aead128() -> Cipher<AsconAead128> {
    Cipher(AsconAead128::new(first(&KEY)))
}
