//! AES-GCM and the schemes built on it.

mod aes;
mod cipher;
mod cmac;
mod dndk;
mod engine;
mod ghash;
mod hashed;
mod incremental;
mod kbkdf;
mod many;
pub(crate) mod names;
mod nonce_derived;
mod padding_fix;
mod short;
mod xaes;

pub use aes::{Aes, Aes128, Aes256};
pub use cipher::{Gcm, TagBytes};
pub use cmac::{Cmac, CmacState};
pub use dndk::{Dndk, DndkV1};
pub use hashed::{HkdfDerived, HmacDerived};
pub use incremental::{Decryptor, Encryptor};
pub use kbkdf::{Counter, kbkdf};
pub use names::{
    Aes128Gcm, Aes256Gcm, Aes256GcmTag12, Aes256GcmTag13, Aes256GcmTag14, Aes256GcmTag15, DndkGcm,
    DndkKcGcm, DndkV1Gcm, DndkV1KcGcm, HAes256Gcm, HKcAes256Gcm, HkdfCommittedAes256Gcm,
    KcXaes256Gcm, Xaes256Gcm,
};
pub use nonce_derived::{Committable, Committing, NonceDerived, Scheme};
pub use padding_fix::PaddingFixAes256Gcm;
pub use xaes::{NonceBytes, Xaes};

/// The longest message in bytes: `2^36 − 32`.
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;

/// The longest associated data in bytes: `2^61 − 1`.
pub const MAX_AD_BYTES: u64 = (1 << 61) - 1;
