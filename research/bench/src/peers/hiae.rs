//! HiAE of the crate `hiae`, by one of its authors. It chooses its instructions when compiled: for
//! any CPU of x86-64 it has tables in the place of AES instructions. It has no call for work in
//! place, so that a message that is sealed is copied first.

use hiae::{decrypt_into, encrypt_into};

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

pub(super) fn version() -> String {
    let build =
        if cfg!(rust_native) { "-Ctarget-cpu=native" } else { "for any CPU, by tables on x86-64" };
    format!("hiae (0.3.0; {build})")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "hiae").then(|| Contender::aead(id, operation, Hiae::new()))?
}

pub(super) struct Hiae {
    key: [u8; KEY_BYTES],
    message: Vec<u8>,
}

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 16;
const TAG_BYTES: usize = 16;

impl Hiae {
    pub(super) fn new() -> Self {
        Self { key: begin(&KEY), message: Vec::new() }
    }
}

/// The beginning of a key, a nonce or a tag.
fn begin<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("nothing is longer than the longest")
}

impl Aead for Hiae {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.key = begin(key);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.message.clear();
        self.message.extend_from_slice(message);
        let nonce: [u8; NONCE_BYTES] = begin(nonce);
        let made = encrypt_into(&self.message, ad, &self.key, &nonce, message);
        tag[..TAG_BYTES].copy_from_slice(&made.expect("both have one length"));
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let (nonce, tag): ([u8; NONCE_BYTES], [u8; TAG_BYTES]) = (begin(nonce), begin(tag));
        decrypt_into(sealed, &tag, ad, &self.key, &nonce, message).is_ok()
    }
}
