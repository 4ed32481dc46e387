//! How likely it is that the use of a key goes wrong: each bound as a function of numbers.
//!
//! `birthday`, `gcm`, `derived`, `siv`, `chained` and `commitment` hold formulas, each with its
//! source, as `flex` has section 11 of Flex's specification; a test for each holds the numbers that
//! its source gives. [`assess`] says which of them apply to an algorithm and adds them up, each
//! [`Event`] once. Where they come from, and what they do not count, is
//! told in `docs/limits.md` of the repository.
//!
//! Limits: every figure takes AES, HMAC and AEGIS for ideal. A bound is the most that an adversary
//! can have, not the advantage of a known attack.
//!
//! ```
//! use polyseal::limits::Nonces;
//! use polyseal::limits::bounds::{Amount, Load, assess};
//! use polyseal::registry::Algorithm;
//!
//! let algorithm: Algorithm = "aegis-128l".parse()?;
//! let load = Load { messages: Amount::power_of_two(40.0), ..Load::one_message(1 << 16, 0) };
//! assert_eq!(load.nonces, Nonces::Random);
//! let assessment = assess(&algorithm, &load);
//! assert_eq!(assessment.binding().map(|bound| bound.name), Some("repeated nonce"));
//! assert_eq!(assessment.total().to_string(), "2^-49.0");
//! # Ok::<(), polyseal::Error>(())
//! ```

mod amount;
mod assessment;
pub mod birthday;
pub mod chained;
pub mod commitment;
pub mod derived;
mod event;
#[cfg(feature = "flex")]
mod flex;
pub mod gcm;
mod offline;
mod parse;
pub mod siv;
mod usage;

pub use amount::{Amount, Probability};
pub use assessment::{Assessment, Bound, Load, assess, messages_within};
pub use event::Event;
pub use parse::ParseAmountError;

#[cfg(test)]
mod tests;
