//! For tests and benchmarks only: back ends and evaluation strategies of the caller's choice.
//! Nothing here changes a result.

#[cfg(feature = "aegis")]
pub use crate::aegis::{LANE_BY_LANE, WIDE};
pub use crate::backend::Backend;
#[cfg(feature = "memcheck")]
pub use crate::backend::memcheck;
#[cfg(feature = "flex")]
pub use crate::perm::testing::{Direction, Permutation, Width};

#[cfg(feature = "alloc")]
use crate::any::{AnyAead, AnyMac};
#[cfg(feature = "alloc")]
use crate::error::Result;
#[cfg(all(feature = "flex", feature = "alloc"))]
use crate::flex::{Builder, Config, Flex};
#[cfg(all(feature = "flex", feature = "alloc"))]
use crate::hazmat::WideBlock;
#[cfg(feature = "alloc")]
use crate::registry::Algorithm;

/// [`AnyAead::new`] on `backend`.
///
/// # Errors
/// As [`AnyAead::new`].
#[cfg(feature = "alloc")]
pub fn aead_on(algorithm: &Algorithm, key: &[u8], backend: Backend) -> Result<AnyAead> {
    AnyAead::on(algorithm, key, backend)
}

/// [`AnyMac::new`] on `backend`.
///
/// # Errors
/// As [`AnyMac::new`].
#[cfg(feature = "alloc")]
pub fn mac_on(algorithm: &Algorithm, key: &[u8], backend: Backend) -> Result<AnyMac> {
    AnyMac::on(algorithm, key, backend)
}

/// [`Flex::init`] on `backend`.
///
/// # Errors
/// As [`Flex::init`].
#[cfg(all(feature = "flex", feature = "alloc"))]
pub fn flex_on(backend: Backend, config: Config, key: &[u8], setup_ad: &[u8]) -> Result<Flex> {
    Flex::on(backend, config, key, setup_ad)
}

/// [`WideBlock::from_bytes`] on `backend`, of the 64-bit level as well.
///
/// # Errors
/// As [`WideBlock::from_bytes`].
#[cfg(all(feature = "flex", feature = "alloc"))]
pub fn wide_block_on(
    backend: Backend,
    config: [u8; 8],
    key: &[u8],
    setup_ad: &[u8],
) -> Result<WideBlock> {
    WideBlock::on(backend, Builder::from_bytes(config)?.allow_64_bits(), key, setup_ad)
}
