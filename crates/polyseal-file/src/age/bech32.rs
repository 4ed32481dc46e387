//! Bech32 for keys as text: without its limit on the length, and only in one spelling.
//!
//! Source: BIP 173 for the alphabet and the checksum, c2sp.org/age for the rest. Decoding takes
//! either case and any padding, so callers encode again and compare.
//!
//! Limit: text is encoded and decoded by way of tables.

use std::fmt;

use ::bech32::primitives::decode::CheckedHrpstring;
use ::bech32::{Bech32, Checksum, encode_lower_to_fmt};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub(super) use ::bech32::Hrp;

use crate::SecretText;

/// The checksum of Bech32 for text of any length.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = u32;
    const CODE_LENGTH: usize = usize::MAX;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [u32; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = Bech32::TARGET_RESIDUE;
}

/// Writes the text in lower case.
pub(super) fn write(to: &mut impl fmt::Write, hrp: Hrp, bytes: &[u8]) -> fmt::Result {
    encode_lower_to_fmt::<LongBech32, _>(to, hrp, bytes).map_err(|_| fmt::Error)
}

/// The text in upper case, as secrets have it, in a string that never moved.
pub(super) fn encode_upper(hrp: Hrp, bytes: &[u8]) -> SecretText {
    let length = hrp.len() + 1 + (8 * bytes.len()).div_ceil(5) + LongBech32::CHECKSUM_LENGTH;
    let mut text = Zeroizing::new(String::with_capacity(length));
    // Cannot fail: a string takes whatever is written.
    let _ = write(&mut *text, hrp, bytes);
    text.make_ascii_uppercase();
    text.into()
}

/// The part before the last `1`, in the case that it has; `None` if the text is not well-formed.
#[cfg(feature = "plugin")]
pub(super) fn hrp(text: &str) -> Option<&str> {
    CheckedHrpstring::new::<LongBech32>(text).ok()?;
    text.rsplit_once('1').map(|(hrp, _)| hrp)
}

/// The bytes of a text, of which there must be `N`.
pub(super) fn decode<const N: usize>(expected: Hrp, text: &str) -> Option<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    (decode_into(expected, text, bytes.as_mut_slice())? == N).then_some(bytes)
}

/// The bytes of a text in upper case, of which there must be `N`, in the text's one spelling.
pub(super) fn decode_upper<const N: usize>(hrp: Hrp, text: &str) -> Option<Zeroizing<[u8; N]>> {
    let bytes = decode::<N>(hrp, text)?;
    let again = encode_upper(hrp, bytes.as_slice());
    bool::from(again.reveal().as_bytes().ct_eq(text.as_bytes())).then_some(bytes)
}

/// Decodes into `bytes`, and says how many there were; `None` also if there is no room for them.
pub(super) fn decode_into(expected: Hrp, text: &str, bytes: &mut [u8]) -> Option<usize> {
    let parsed = CheckedHrpstring::new::<LongBech32>(text).ok()?;
    if parsed.hrp() != expected {
        return None;
    }
    let mut length = 0;
    for byte in parsed.byte_iter() {
        *bytes.get_mut(length)? = byte;
        length += 1;
    }
    Some(length)
}
