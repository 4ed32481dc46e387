//! Many independent messages under one key at once.
//!
//! A short message is bound by latency: most of the CPU waits for the last round. Here messages lie
//! side by side in the lanes of a vector, four at a time, and what one waits for the others use.
//! The lengths may be mixed; a message too long to gain is sealed by itself. Results are those of
//! sealing one at a time.
//!
//! OMD gains most, for its messages are sequential: as many go side by side as a register has words
//! (with instructions made for SHA-256 or SHA-512: two), whatever their lengths. In files, segments
//! of less than 512 KiB do.
//!
//! The others are for CPUs with VAES, and there for XAES, KC-XAES and AEGIS-256: messages of up to
//! 64 bytes take up to 40 % less time (AEGIS-256 with 256-bit registers: up to 32 bytes).
//! AEGIS-128L gains a little, with AVX-512 and up to 32 bytes. All else goes one at a time: the
//! parallel AEGIS, the other schemes, and everything where a register holds one AES block, for
//! there the CPU overlaps single messages just as well.
//!
//! ```
//! use polyseal::aead::KeyInit;
//! use polyseal::batch::{Batch, Message};
//! use polyseal::gcm::KcXaes256Gcm;
//!
//! let cipher = KcXaes256Gcm::new(&[1; 32].into());
//! // Fresh nonces for every message in earnest: a repeated one is not refused.
//! let (mut first, mut second) = (*b"one", *b"another");
//! let mut tags = [[0; 48]; 2];
//! let [first_tag, second_tag] = &mut tags;
//! cipher.seal_batch(&mut [
//!     Message::new(&[1; 24], b"", &mut first, first_tag),
//!     Message::new(&[2; 24], b"header", &mut second, second_tag),
//! ])?;
//!
//! second_tag[0] ^= 1;
//! let mut messages = [
//!     Message::new(&[1; 24], b"", &mut first, first_tag),
//!     Message::new(&[2; 24], b"header", &mut second, second_tag),
//! ];
//! assert_eq!(cipher.open_batch(&mut messages), Err(polyseal::Error::Unauthentic));
//! assert_eq!(messages[0].outcome, Ok(()));
//! assert_eq!(messages[1].outcome, Err(polyseal::Error::Unauthentic));
//! assert_eq!((&first, &second), (b"one", &[0; 7]));
//! # Ok::<(), polyseal::Error>(())
//! ```

pub use crate::contract::batch::{Batch, Message};
