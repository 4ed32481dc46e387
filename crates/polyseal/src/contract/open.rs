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
    mut buffer: InOutBuf<'_, '_, u8>,
    tag: &[u8],
) -> Result<()> {
    let mut expected = C::Tag::default();
    let expected = &mut expected.as_mut()[..tag.len()];
    core.decrypt(nonce, ad, buffer.reborrow(), tag, expected);
    release(expected, tag, [buffer.get_out()]).inspect_err(|_| core.wipe_workspace())
}

/// Lets `outputs` be if the tags are equal, and wipes them otherwise.
#[inline]
pub(crate) fn release<const N: usize>(
    expected: &mut [u8],
    tag: &[u8],
    outputs: [&mut [u8]; N],
) -> Result<()> {
    verify(expected, tag).inspect_err(|_| outputs.into_iter().for_each(Zeroize::zeroize))
}

/// Accepts `tag` if it equals `expected`; the time depends on the lengths only.
///
/// Wipes `expected` otherwise: to a forger, the right tag of a forgery is as good as the key.
#[inline]
pub(crate) fn verify(expected: &mut [u8], tag: &[u8]) -> Result<()> {
    verdict(ct::equal(expected, tag)).inspect_err(|_| expected.zeroize())
}

/// The verdict on what is authentic or not.
#[inline]
pub(crate) fn verdict(authentic: Choice) -> Result<()> {
    // CT: the verdict is public, and memcheck has to be told.
    #[cfg(feature = "memcheck")]
    let authentic = Choice::from(memcheck::public(authentic.unwrap_u8()));
    // CT: the verdict is public.
    if bool::from(authentic) { Ok(()) } else { Err(Error::Unauthentic) }
}
