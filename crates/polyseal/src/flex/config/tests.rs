//! Lengths that no message in a test can have.

use super::*;
use crate::error::Error;

/// An error is told before anything is refused: of a ciphertext that is too long, whatever the
/// nonce.
#[test]
fn too_long_is_an_error_first() {
    for (config, limit) in
        [(Config::OCH, 1 << 50), (Config::CIV_PUBLIC, 1 << 50), (Config::ROBUST, 1 << 40)]
    {
        let longest = limit + config.overhead_bytes() as u64;
        let too_long = Err(Error::TooLong { what: "message", limit });
        for nonce in [0, 24] {
            assert_eq!(config.check_opening(nonce, 0, longest + 1), too_long, "{config:?}");
            assert_eq!(config.check_opening(nonce, 0, u64::MAX), too_long, "{config:?}");
            let beyond = config.check_opening(nonce, MAX_AD_BYTES + 1, 0);
            let too_long = Error::TooLong { what: "associated data", limit: MAX_AD_BYTES };
            assert_eq!(beyond, Err(too_long), "{config:?}");
        }
        // Where memory ends before, there is no such ciphertext.
        let opened = usize::try_from(limit).map_err(|_| Error::Unauthentic);
        assert_eq!(config.check_opening(0, MAX_AD_BYTES, longest), opened);
    }
    assert_eq!(Config::OCH.check_opening(24, 0, 100), Err(Error::Unauthentic));
    let length = Error::Length { what: "nonce", expected: 24, actual: 3 };
    assert_eq!(Config::OCH_PUBLIC.check_opening(3, 0, u64::MAX), Err(length));
}
