//! The rules that are forgeable: for old data and for comparison, never for new messages.
//!
//! Where the associated data is empty, their Tag_a is 0; where the message is empty, their Tag_e is
//! H_0, which is the key stream of the first block. One known message under empty associated data
//! gives that key stream away, and with it the tag of an empty message under the same nonce:
//!
//! ```
//! use polyseal::aead::{AeadInOut, KeyInit};
//! use polyseal::omd::{OmdSha256, legacy};
//!
//! let (key, nonce) = ([7; 32].into(), [1; 31].into());
//! let cipher = legacy::OmdSha256Reference::new(&key);
//! let message = [0x5a; 32]; // known to the forger
//! let mut ciphertext = message;
//! cipher.encrypt_inout_detached(&nonce, b"", ciphertext.as_mut_slice().into())?;
//!
//! // What nobody has sealed: the empty message, with the first bytes of C ⊕ M for a tag.
//! let forged: [u8; 32] = std::array::from_fn(|i| ciphertext[i] ^ message[i]);
//! let nothing = || [].as_mut_slice().into();
//! assert!(cipher.decrypt_inout_detached(&nonce, b"", nothing(), &forged.into()).is_ok());
//!
//! // The rule that is not legacy has another tag there.
//! let cipher = OmdSha256::new(&key);
//! let mut ciphertext = message;
//! cipher.encrypt_inout_detached(&nonce, b"", ciphertext.as_mut_slice().into())?;
//! let forged: [u8; 32] = std::array::from_fn(|i| ciphertext[i] ^ message[i]);
//! assert!(cipher.decrypt_inout_detached(&nonce, b"", nothing(), &forged.into()).is_err());
//! # Ok::<(), polyseal::aead::Error>(())
//! ```
//!
//! [`Reference`] gives the same bytes as what is not legacy where neither input is empty;
//! [`Version1`] never does, as its L* is another.

use aead::consts::{U31, U32, U64};

use super::Omd;
pub use super::rule::{Reference, Version1};
use crate::hash;

/// OMD-SHA-256, version 2, as its reference code has it. Forgeable.
pub type OmdSha256Reference = Omd<hash::Sha256, U32, U31, U32, Reference>;
/// OMD-SHA-512, version 2, as its reference code has it. Forgeable.
pub type OmdSha512Reference = Omd<hash::Sha512, U64, U32, U64, Reference>;
/// OMD-BLAKE2b with the rule of the reference code. Forgeable.
pub type OmdBlake2bReference = Omd<hash::Blake2b, U64, U32, U64, Reference>;
/// OMD-SHA-256, version 1. Forgeable.
pub type OmdSha256V1 = Omd<hash::Sha256, U32, U31, U32, Version1>;
/// OMD-SHA-512, version 1. Forgeable.
pub type OmdSha512V1 = Omd<hash::Sha512, U64, U32, U64, Version1>;
/// OMD-BLAKE2b with version 1's L*. Forgeable.
pub type OmdBlake2bV1 = Omd<hash::Blake2b, U64, U32, U64, Version1>;
