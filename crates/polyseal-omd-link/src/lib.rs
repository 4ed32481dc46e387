//! Driver of `omd_link`, the hardware in `hw/` that seals Ethernet frames with OMD.
//!
//! A [`Link`] has a [`Bus`] to the registers of one end: [`MappedBus`] where they are mapped into
//! memory, [`StreamBus`] to a [`Simulator`], or your own. Its session begins in three steps, and
//! each gives what the other end must be told, in clear, by any way that there is:
//!
//! ```
//! use polyseal_omd_link::{Bus, Error, Link, Role};
//!
//! # trait Peer { fn exchange(&mut self, mine: &[u8; 16]) -> [u8; 16]; }
//! fn start<B: Bus>(
//!     bus: B,
//!     master_key: &[u8],
//!     peer: &mut impl Peer,
//! ) -> Result<(), Error<B::Error>> {
//!     let mut link = Link::new(bus)?;
//!     link.set_master_key(master_key)?;
//!     link.set_addresses([2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1])?;
//!     let offer = link.offer(Role::A)?; // draws an identifier
//!     let peers_identifier = peer.exchange(offer.identifier());
//!     let derived = offer.derive(&peers_identifier)?;
//!     let peers_confirmation = peer.exchange(derived.confirmation());
//!     derived.enable(&peers_confirmation) // from here on frames are sealed and opened
//! }
//! ```
//!
//! Source: `hw/docs/packet-format.md`, section 3, and `hw/docs/registers.md`. The driver draws
//! every identifier from the operating system's randomness, never twice the same; the hardware
//! computes all keys, and lets none be read. The crate needs neither `std` nor an allocator; where
//! there is no operating system, the crate `getrandom` has to be given a source of randomness.
//! Limits: what carries identifiers and confirmations between both ends is the caller's.
//! An end whose operating system repeats its randomness, a restored snapshot for example, repeats
//! its key stream: the other end's identifier and confirmation can be replayed to it.

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
pub use link::{Bus, Capabilities, Derived, Events, Link, Offer, Role, Status};
pub use mapped::MappedBus;
#[cfg(feature = "std")]
pub use stream::{Simulator, StreamBus, StreamError};
