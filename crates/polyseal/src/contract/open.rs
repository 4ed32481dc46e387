//! Decrypt, compare, wipe: the only place where anything is found authentic.

use aead::inout::InOutBuf;
use subtle::Choice;
use zeroize::Zeroize;

use super::Core;
#[cfg(feature = "memcheck")]
use crate::backend::memcheck;
use crate::ct;
use crate::error::{Error, Result};

/// Opens a message of checked lengths.
#[inline]
pub(crate) fn open<C: Core>(
    core: &C,
    nonce: &[u8],
    ad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
    tag: &[u8],
) -> Result<()> {
    // CT: lengths are public. Where tags may be long, most have this length, and are not worth as
    // many zeros.
    if size_of::<C::Tag>() > 64 && tag.len() == 64 {
        return open_with(core, nonce, ad, buffer, tag, &mut [0; 64]);
    }
    let mut expected = C::Tag::default();
    let expected = expected.as_mut();
    // CT: lengths are public. Most tags have this one, which the compiler knows.
    if tag.len() == expected.len() {
        return open_with(core, nonce, ad, buffer, tag, expected);
    }
    open_with(core, nonce, ad, buffer, tag, &mut expected[..tag.len()])
}

/// The same with room for the tag that there should be.
#[inline(always)]
fn open_with<C: Core>(
    core: &C,
    nonce: &[u8],
    ad: &[u8],
    mut buffer: InOutBuf<'_, '_, u8>,
    tag: &[u8],
    expected: &mut [u8],
) -> Result<()> {
    core.decrypt(nonce, ad, buffer.reborrow(), tag, expected);
    if is_true(ct::equal(expected, tag)) {
        return Ok(());
    }
    let error = refuse(expected, &mut [buffer.get_out()]);
    core.wipe_workspace();
    Err(error)
}

/// Lets `outputs` be if the tags are equal, and wipes them otherwise.
#[inline(always)]
pub(crate) fn release<const N: usize>(
    expected: &mut [u8],
    tag: &[u8],
    mut outputs: [&mut [u8]; N],
) -> Result<()> {
    if is_true(ct::equal(expected, tag)) {
        return Ok(());
    }
    Err(refuse(expected, &mut outputs))
}

/// Accepts `tag` if it equals `expected`; the time depends on the lengths only.
#[inline]
pub(crate) fn verify(expected: &mut [u8], tag: &[u8]) -> Result<()> {
    release(expected, tag, [])
}

/// The verdict on what has been compared elsewhere.
#[cfg(feature = "fips")]
pub(crate) fn verdict(authentic: Choice) -> Result<()> {
    if is_true(authentic) { Ok(()) } else { Err(Error::Unauthentic) }
}

/// Whether `tag` is the expected one, for work that is done only on a forgery.
#[cfg(feature = "ctx")]
#[inline]
pub(crate) fn is_right(expected: &[u8], tag: &[u8]) -> bool {
    is_true(ct::equal(expected, tag))
}

#[inline]
fn is_true(authentic: Choice) -> bool {
    // CT: the verdict is public, and memcheck has to be told.
    #[cfg(feature = "memcheck")]
    let authentic = Choice::from(memcheck::public(authentic.unwrap_u8()));
    // CT: the verdict is public.
    bool::from(authentic)
}

/// Wipes unauthentic plaintext, and the tag that there should have been: to a forger, the right tag
/// of a forgery is as good as the key.
#[cold]
#[inline(never)]
fn refuse(expected: &mut [u8], outputs: &mut [&mut [u8]]) -> Error {
    expected.zeroize();
    for output in outputs {
        output.zeroize();
    }
    Error::Unauthentic
}
