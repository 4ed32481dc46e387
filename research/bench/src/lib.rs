#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod clock;
pub mod compare;
pub mod contender;
pub mod contest;
mod dice;
pub mod layout;
pub mod leaks;
pub mod limits;
pub mod machine;
pub mod options;
pub mod ours;
pub mod papers;
pub mod peer_limit;
pub mod peers;
pub mod ring;
pub mod sharing;
pub mod stats;
pub mod survey;
pub mod table;

pub use options::Options;
pub use survey::run;
