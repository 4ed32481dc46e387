//! Many messages under one key at once, each in place.
//!
//! Outputs must be one message's alone: two messages of a batch that share a byte are refused, as
//! is a text that lies where another's nonce or associated data does.

use std::ffi::c_int;
use std::ptr;

use polyseal::batch::{Batch, Message};

use crate::error::{Code, Failure, Result};
use crate::ffi::{Region, bytes, bytes_mut, catch_panic, non_null, null};
use crate::prepared::polyseal_aead;

/// One of many messages.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct polyseal_message {
    /// The nonce, polyseal_aead_npubbytes of them.
    pub npub: *const u8,
    /// The associated data.
    pub ad: *const u8,
    /// How many bytes of it.
    pub adlen: usize,
    /// The message, which is sealed in place, or the ciphertext, which is opened in place.
    pub text: *mut u8,
    /// How many bytes of it.
    pub textlen: usize,
    /// The tag, polyseal_aead_abytes of it: written by sealing, read by opening.
    pub mac: *mut u8,
    /// Set by the call: 0 once the message has been sealed, or opened and found authentic;
    /// otherwise POLYSEAL_ERR_UNAUTHENTIC.
    pub outcome: c_int,
}

/// Seals count messages, each with its nonce: in less time than one after the other, where the
/// algorithm and the CPU can have several under way.
///
/// Errors: as polyseal_aead_seal_detached, for any of them: then none has been sealed.
/// POLYSEAL_ERR_OVERLAP if anything that is written to overlaps anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal_batch(
    aead: *const polyseal_aead,
    messages: *mut polyseal_message,
    count: usize,
) -> c_int {
    // SAFETY: what C promises.
    catch_panic(|| unsafe { process(aead, messages, count, true) })
}

/// Opens count messages. One that is not authentic is wiped, and says nothing about the others:
/// those are opened all the same. Each message's outcome tells which.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC if any is not authentic. As polyseal_aead_open_detached, for
/// any of them, and POLYSEAL_ERR_OVERLAP: then none has been opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open_batch(
    aead: *const polyseal_aead,
    messages: *mut polyseal_message,
    count: usize,
) -> c_int {
    // SAFETY: what C promises.
    catch_panic(|| unsafe { process(aead, messages, count, false) })
}

/// # Safety
/// `aead` is a live handle or null, and `messages` leads to `count` messages, whose pointers lead
/// to as many bytes as are said.
unsafe fn process(
    aead: *const polyseal_aead,
    messages: *mut polyseal_message,
    count: usize,
    seals: bool,
) -> Result {
    // SAFETY: the caller's promise.
    let aead = unsafe { non_null(aead, "aead") }?;
    if count == 0 {
        return Ok(());
    }
    if messages.is_null() {
        return Err(null("messages"));
    }
    if count > isize::MAX as usize / size_of::<polyseal_message>() {
        return Err(Failure::from_code(Code::TooLong));
    }
    // SAFETY: the caller's promise, and both have been checked.
    let given = unsafe { std::slice::from_raw_parts_mut(messages, count) };
    for message in &mut *given {
        message.outcome = Code::Unauthentic as c_int;
    }
    let sizes = aead.sizes();
    expect_disjoint(given, sizes.nonce, sizes.tag, seals)?;
    let mut tags = if seals { Vec::new() } else { vec![0; given.len() * sizes.tag] };
    let mut copies = tags.chunks_exact_mut(sizes.tag.max(1));
    let mut batch = Vec::with_capacity(given.len());
    for message in &*given {
        let &polyseal_message { npub, ad, adlen, text, textlen, mac, .. } = message;
        // SAFETY: the caller's promise, and that nothing is written to twice has been checked.
        let (nonce, ad, text) =
            unsafe { (bytes(npub, sizes.nonce)?, bytes(ad, adlen)?, bytes_mut(text, textlen)?) };
        let tag = if let Some(copy) = copies.next() {
            // Where a tag is only read, messages may share it.
            // SAFETY: the caller's promise.
            copy.copy_from_slice(unsafe { bytes(mac, sizes.tag) }?);
            copy
        } else {
            // SAFETY: as for the text.
            unsafe { bytes_mut(mac, sizes.tag) }?
        };
        batch.push(Message::new(nonce, ad, text, tag));
    }
    let done = match seals {
        true => aead.any().seal_batch(&mut batch),
        false => aead.any().open_batch(&mut batch),
    };
    let outcomes: Vec<bool> = batch.iter().map(|message| message.outcome.is_ok()).collect();
    for (message, ok) in given.iter_mut().zip(outcomes) {
        message.outcome = if ok { 0 } else { Code::Unauthentic as c_int };
    }
    Ok(done?)
}

/// Refuses messages whose outputs overlap anything.
fn expect_disjoint(messages: &[polyseal_message], nonce: usize, tag: usize, seals: bool) -> Result {
    let mut regions: Vec<(Region, bool)> = Vec::with_capacity(4 * messages.len() + 1);
    regions.push((Region::new(ptr::from_ref(messages).cast(), size_of_val(messages)), true));
    for message in messages {
        regions.push((Region::new(message.npub, nonce), false));
        regions.push((Region::new(message.ad, message.adlen), false));
        regions.push((Region::new(message.text, message.textlen), true));
        regions.push((Region::new(message.mac, tag), seals));
    }
    regions.retain(|(region, _)| region.start < region.end);
    regions.sort_unstable_by_key(|(region, _)| region.start);
    // How far what has begun reaches: anything, and what is written to.
    let (mut any, mut written) = (0, 0);
    for (Region { start, end }, writes) in regions {
        if start < written || (writes && start < any) {
            return Err(Failure::from_code(Code::Overlap));
        }
        any = any.max(end);
        if writes {
            written = written.max(end);
        }
    }
    Ok(())
}
