//! From a passphrase to a wrapping key: Argon2id (RFC 9106, version 0x13).
//!
//! A header says how much memory and time that takes, so its bounds are checked when it is parsed:
//! a hostile one costs at most 256 MiB, and seconds.
//!
//! Security claim: a guess costs what the parameters say. A short passphrase is still guessed.

#[cfg(feature = "passphrase")]
use argon2::{Algorithm, Argon2, Params, Version};
#[cfg(feature = "passphrase")]
use zeroize::Zeroizing;

use crate::error::{Error, HeaderError, Result};
#[cfg(feature = "passphrase")]
use crate::key::KEY_BYTES;
#[cfg(feature = "passphrase")]
use crate::passphrase::Passphrase;

const MAX_KIBIBYTES: u32 = 256 * 1024;
const MAX_PASSES: u32 = 10;
const MAX_LANES: u32 = 16;

/// The cost of stretching a passphrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// m: the memory in KiB.
    pub(crate) kibibytes: u32,
    /// t: the passes over it.
    pub(crate) passes: u32,
    /// p: the lanes.
    pub(crate) lanes: u32,
}

impl Cost {
    /// The second recommended option of RFC 9106, section 4: 64 MiB.
    pub(crate) const RECOMMENDED: Self = Self { kibibytes: 64 * 1024, passes: 3, lanes: 4 };

    pub(crate) const BYTES: usize = 12;

    pub(crate) fn parse(specific: &[u8]) -> std::result::Result<Self, HeaderError> {
        let bytes: &[u8; Self::BYTES] = specific.try_into().map_err(|_| HeaderError::Stanzas)?;
        let field = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let cost = Self { kibibytes: field(0), passes: field(4), lanes: field(8) };
        let bounded = (1..=MAX_LANES).contains(&cost.lanes)
            && (1..=MAX_PASSES).contains(&cost.passes)
            && (8 * cost.lanes..=MAX_KIBIBYTES).contains(&cost.kibibytes);
        if bounded { Ok(cost) } else { Err(HeaderError::PassphraseCost) }
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (field, value) in
            bytes.chunks_exact_mut(4).zip([self.kibibytes, self.passes, self.lanes])
        {
            field.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// The wrapping key of a passphrase.
    #[cfg(feature = "passphrase")]
    pub(crate) fn stretch(
        self,
        passphrase: &Passphrase,
        salt: &[u8],
    ) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        let params = Params::new(self.kibibytes, self.passes, self.lanes, Some(KEY_BYTES));
        params
            .and_then(|params| {
                Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into(
                    passphrase.bytes(),
                    salt,
                    key.as_mut(),
                )
            })
            .map_err(|_| Error::Stretch)?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        let parse = |kibibytes, passes, lanes| {
            Cost::parse(&Cost { kibibytes, passes, lanes }.to_bytes()).is_ok()
        };
        assert!(parse(8, 1, 1) && parse(262_144, 10, 16) && parse(128, 1, 16));
        for (m, t, p) in [
            (7, 1, 1),
            (262_145, 1, 1),
            (127, 1, 16),
            (64, 0, 1),
            (64, 11, 1),
            (64, 1, 0),
            (1024, 1, 17),
            (u32::MAX, u32::MAX, u32::MAX),
        ] {
            assert!(!parse(m, t, p), "{m} {t} {p}");
        }
        assert_eq!(Cost::parse(&[0; 11]), Err(HeaderError::Stanzas));
    }
}
