//! Decrypt, compare, wipe: the only place where a plaintext becomes one that is released.

use aead::inout::InOutBuf;
use zeroize::Zeroize;

use super::Core;
use crate::ct;
use crate::error::Result;

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
    release(expected, tag, buffer.get_out())
}

/// Lets `output` be if the tags are equal, and wipes it otherwise.
#[inline]
pub(crate) fn release(expected: &mut [u8], tag: &[u8], output: &mut [u8]) -> Result<()> {
    let verdict = ct::verify(expected, tag);
    if verdict.is_err() {
        output.zeroize();
    }
    verdict
}
