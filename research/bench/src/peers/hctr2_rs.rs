//! HCTR2 with AES-256 of the crate `hctr2-rs`: it enciphers, and neither lengthens a message nor
//! refuses one. The tweak is the nonce and the associated data. It has no call for work in place,
//! so that a message that is sealed is copied first.

use hctr2_rs::Hctr2_256;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

pub(super) fn version() -> String {
    let build = if cfg!(rust_native) { "-Ctarget-cpu=native" } else { "for any CPU" };
    format!("hctr2-rs (0.10.0, AES-256, enciphers only; {build})")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "hctr2").then(|| Contender::aead(id, operation, Hctr2::new()))?
}

pub(super) struct Hctr2 {
    cipher: Hctr2_256,
    tweak: Vec<u8>,
    message: Vec<u8>,
}

const NONCE_BYTES: usize = 12;

impl Hctr2 {
    pub(super) fn new() -> Self {
        Self { cipher: Hctr2_256::new(&KEY[..32]), tweak: Vec::new(), message: Vec::new() }
    }

    #[inline]
    fn tweak(&mut self, nonce: &Nonce, ad: &[u8]) {
        self.tweak.clear();
        self.tweak.extend_from_slice(&nonce[..NONCE_BYTES]);
        self.tweak.extend_from_slice(ad);
    }
}

const SHORT: &str = "HCTR2 begins at a block";

impl Aead for Hctr2 {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.cipher = Hctr2_256::new(&key[..32]);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], _: &mut Tag) {
        self.tweak(nonce, ad);
        self.message.clear();
        self.message.extend_from_slice(message);
        self.cipher.encrypt(&self.message, &self.tweak, message).expect(SHORT);
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        _: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.tweak(nonce, ad);
        self.cipher.decrypt(sealed, &self.tweak, message).is_ok()
    }
}
