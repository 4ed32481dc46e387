//! Driver of `omd_link`, the hardware in `hw/` that seals Ethernet frames with OMD.
//!
//! A [`Link`] has a [`Bus`] to the registers of one end: [`MappedBus`] where they are mapped into
//! memory, [`StreamBus`] to a [`Simulator`], or your own. Its session begins in three steps, and
//! each gives what the other end must be told, in clear, by any way that there is:
//!
//! ```
//! use polyseal_omd_link::{Bus, EpochFile, Link, Role};
//!
//! # trait Peer { fn exchange<const N: usize>(&mut self, mine: &[u8; N]) -> [u8; N]; }
//! fn start(
//!     bus: impl Bus<Error: std::error::Error + 'static>,
//!     master_key: &[u8],
//!     epochs: &mut EpochFile,
//!     peer: &mut impl Peer,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut link = Link::new(bus)?;
//!     link.set_master_key(master_key)?;
//!     link.set_addresses([2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1])?;
//!     let offer = link.offer(Role::A, epochs.take()?)?; // draws an identifier
//!     let peers_identifier = peer.exchange(offer.identifier());
//!     let derived = offer.derive(&peers_identifier)?;
//!     let peers_confirmation = peer.exchange(derived.confirmation());
//!     derived.enable(&peers_confirmation)?; // from here on frames are sealed and opened
//!     Ok(())
//! }
//! ```
//!
//! Source: `research/hw/docs/packet-format.md`, section 3, and `research/hw/docs/registers.md`. The
//! driver draws 16 bytes of every identifier anew from the operating system's randomness; the
//! hardware computes all keys, and lets none be read. The crate needs neither `std` nor an
//! allocator; where there is no operating system, the crate `getrandom` has to be given a source of
//! randomness. Limits: the caller brings identifiers and confirmations from one end to the other.
//! The other end's can be replayed to an end whose randomness repeats, after a restored snapshot
//! for example. The [`Epoch`] of each session, from an `EpochFile` or another counter that never
//! goes back, keeps its keys new. With [`Epoch::NoStore`] such an end repeats its key stream;
//! [`Status::no_own_epoch`] and [`Status::no_peer_epoch`] tell.

#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

mod epoch;
#[cfg(all(feature = "std", unix))]
mod epoch_file;
mod error;
mod link;
mod mapped;
pub mod registers;
#[cfg(feature = "std")]
mod stream;

pub use epoch::Epoch;
#[cfg(all(feature = "std", unix))]
pub use epoch_file::{EpochError, EpochFile};
pub use error::{Error, Fault};
pub use link::{Bus, Capabilities, DerivedSession, Events, Link, Offer, Role, Status};
pub use mapped::MappedBus;
#[cfg(feature = "std")]
pub use stream::{Simulator, StreamBus, StreamError};
