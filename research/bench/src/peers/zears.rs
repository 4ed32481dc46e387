//! AEZ of the crate `zears`, which works in place: it enciphers, and with no zeros to check it
//! neither lengthens a message nor refuses one.

use zears::Aez;

use super::KEY;
use crate::contender::{Aead, Contender, Operation};
use crate::ring::{Key, Nonce, Tag};

pub(super) fn version() -> String {
    let build = if cfg!(rust_native) { "-Ctarget-cpu=native" } else { "for any CPU" };
    format!("zears (0.2.1, AEZ v5, enciphers only; {build})")
}

pub(super) fn contender(id: &str, operation: Operation) -> Option<Contender> {
    (id == "aez").then(|| Contender::aead(id, operation, Zears::new()))?
}

pub(super) struct Zears(Aez);

/// Keys of another length would be hashed.
const KEY_BYTES: usize = 48;
/// A block, AEZ's usual.
const NONCE_BYTES: usize = 16;

impl Zears {
    pub(super) fn new() -> Self {
        Self(Aez::new(&KEY[..KEY_BYTES]))
    }
}

impl Aead for Zears {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.0 = Aez::new(&key[..KEY_BYTES]);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], _: &mut Tag) {
        self.0.encrypt_inplace(&nonce[..NONCE_BYTES], &[ad], 0, message);
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
        message.copy_from_slice(sealed);
        self.0.decrypt_inplace(&nonce[..NONCE_BYTES], &[ad], 0, message).is_some()
    }
}
