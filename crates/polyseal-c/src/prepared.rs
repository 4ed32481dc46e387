//! A key that has been prepared for an algorithm: what sealing and opening do with C's pointers.
//!
//! Here it is checked how inputs and outputs lie, before anything is written: an input is the
//! output or apart from it, all else is apart from every output.

use polyseal::any::AnyAead;
use polyseal::registry::Algorithm;

use crate::error::{Code, Failure, Result};
use crate::ffi::{Region, bytes, bytes_mut, expect_apart, expect_same_or_apart, transfer};
use crate::one_shot::end_of;

#[cfg(feature = "flex")]
#[path = "prepared_flex.rs"]
mod flex;

/// A key, prepared for one algorithm.
#[derive(Debug)]
pub struct polyseal_aead {
    aead: AnyAead,
    sizes: Sizes,
    layout: Layout,
}

/// The lengths that every message is checked against, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) nonce: usize,
    pub(crate) tag: usize,
}

/// The places of a sealed message's parts.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// The ciphertext, as long as the message, and the tag behind it.
    TagBehind,
    /// One piece, of Flex: with a hidden nonce, or in segments.
    #[cfg(feature = "flex")]
    OnePiece { hides_nonce: bool },
}

// Threads may share a handle.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<polyseal_aead>();
};

impl polyseal_aead {
    pub(crate) fn new(algorithm: &Algorithm, key: &[u8], setup: &[u8]) -> Result<Self> {
        let aead = match setup {
            [] => AnyAead::new(algorithm, key)?,
            _ => AnyAead::with_setup_ad(algorithm, key, setup)?,
        };
        let sizes = Sizes { nonce: algorithm.nonce_bytes(), tag: algorithm.tag_bytes() };
        #[cfg(not(feature = "flex"))]
        let layout = Layout::TagBehind;
        #[cfg(feature = "flex")]
        let layout = match algorithm.head_bytes() {
            0 if !algorithm.is_whole() => Layout::TagBehind,
            head => Layout::OnePiece { hides_nonce: head > 0 },
        };
        Ok(Self { aead, sizes, layout })
    }

    pub(crate) fn any(&self) -> &AnyAead {
        &self.aead
    }

    pub(crate) fn sizes(&self) -> Sizes {
        self.sizes
    }

    pub(crate) fn sealed_bytes(&self, mlen: usize) -> Result<usize> {
        let sealed = self.aead.algorithm().ciphertext_bytes(mlen as u64);
        sealed.and_then(|n| n.try_into().ok()).ok_or_else(|| Failure::from_code(Code::TooLong))
    }

    pub(crate) fn message_bytes(&self, clen: usize) -> Result<usize> {
        let message = self.aead.algorithm().message_bytes(clen as u64);
        message.and_then(|n| n.try_into().ok()).ok_or_else(|| {
            Failure::new(Code::Length, format!("no sealed message has {clen} bytes"))
        })
    }

    /// How many bytes of nonce a message has in front that was sealed under a random one.
    pub(crate) fn nonce_in_front(&self) -> usize {
        match self.layout {
            #[cfg(feature = "flex")]
            Layout::OnePiece { hides_nonce: true } => 0,
            _ => self.sizes.nonce,
        }
    }

    /// # Safety
    /// `c` and `m` lead to as many bytes as are said.
    #[inline(always)]
    pub(crate) unsafe fn seal(
        &self,
        c: *mut u8,
        clen: usize,
        m: *const u8,
        mlen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Result {
        let output = Region::new(c, clen);
        expect_same_or_apart(output, Region::new(m, mlen))?;
        expect_apart(output, &[Region::from_slice(ad), Region::from_slice(nonce)])?;
        #[cfg(feature = "flex")]
        if let Layout::OnePiece { .. } = self.layout {
            // SAFETY: the caller's promise, and how everything lies has been checked.
            return unsafe { self.seal_in_one_piece(c, clen, m, mlen, ad, nonce) };
        }
        if clen.checked_sub(self.sizes.tag) != Some(mlen) {
            expect_bytes("the output", self.sealed_bytes(mlen)?, clen)?;
        }
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let (buffer, mac) =
            unsafe { (transfer(m, c, mlen)?, bytes_mut(end_of(c, mlen)?, self.sizes.tag)?) };
        Ok(self.aead.seal_inout_detached(nonce, ad, buffer, mac)?)
    }

    /// # Safety
    /// `m` and `c` lead to as many bytes as are said.
    pub(crate) unsafe fn open(
        &self,
        m: *mut u8,
        mlen: usize,
        c: *const u8,
        clen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Result {
        expect_bytes("the output", self.message_bytes(clen)?, mlen)?;
        #[cfg(feature = "flex")]
        if let Layout::OnePiece { hides_nonce } = self.layout {
            // SAFETY: the caller's promise.
            return unsafe { self.open_in_one_piece(m, mlen, c, clen, ad, nonce, hides_nonce) };
        }
        // SAFETY: the caller's promise; the tag behind the ciphertext is only read.
        unsafe { self.open_detached(m, c, mlen, end_of(c.cast_mut(), mlen)?, ad, nonce) }
    }

    /// # Safety
    /// `c`, `mac` and `m` lead to as many bytes as are said, `mac` to those of a tag.
    pub(crate) unsafe fn seal_detached(
        &self,
        c: *mut u8,
        mac: *mut u8,
        m: *const u8,
        mlen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Result {
        let (text, tag) = (Region::new(c, mlen), Region::new(mac, self.sizes.tag));
        let inputs = [Region::from_slice(ad), Region::from_slice(nonce)];
        expect_apart(text, &inputs)?;
        expect_apart(tag, &inputs)?;
        expect_apart(tag, &[text, Region::new(m, mlen)])?;
        expect_same_or_apart(text, Region::new(m, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let (buffer, mac) = unsafe { (transfer(m, c, mlen)?, bytes_mut(mac, self.sizes.tag)?) };
        Ok(self.aead.seal_inout_detached(nonce, ad, buffer, mac)?)
    }

    /// # Safety
    /// As [`seal_detached`](Self::seal_detached).
    pub(crate) unsafe fn open_detached(
        &self,
        m: *mut u8,
        c: *const u8,
        mlen: usize,
        mac: *const u8,
        ad: &[u8],
        nonce: &[u8],
    ) -> Result {
        // SAFETY: the caller's promise.
        let mac = unsafe { bytes(mac, self.sizes.tag) }?;
        let text = Region::new(m, mlen);
        expect_apart(
            text,
            &[Region::from_slice(ad), Region::from_slice(nonce), Region::from_slice(mac)],
        )?;
        expect_same_or_apart(text, Region::new(c, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let buffer = unsafe { transfer(c, m, mlen) }?;
        Ok(self.aead.open_inout_detached(nonce, ad, buffer, mac)?)
    }
}

#[inline(always)]
pub(crate) fn expect_bytes(what: &str, expected: usize, given: usize) -> Result {
    if expected == given { Ok(()) } else { Err(other_length(what, expected, given)) }
}

#[cold]
#[inline(never)]
fn other_length(what: &str, expected: usize, given: usize) -> Failure {
    let text = format!("{what} has {given} bytes where {expected} are needed");
    Failure::new(Code::Length, text)
}
