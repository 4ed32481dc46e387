//! The encryption of private keys of OpenSSH.
//!
//! Source: OpenSSH's PROTOCOL.key; bcrypt_pbkdf for the passphrase; RFC 4344 for AES-CTR,
//! RFC 4253 for AES-CBC, OpenSSH's PROTOCOL for AES-GCM.
//!
//! Limits: only AES-GCM authenticates. How much work the passphrase takes is not limited.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};
use polyseal::aead::AeadInOut;
use polyseal::gcm::Aes256Gcm;
use zeroize::Zeroizing;

use super::wire::Reader;

const BLOCK_BYTES: usize = 16;
const GCM_NONCE_BYTES: usize = 12;
const GCM_TAG_BYTES: usize = 16;

/// A cipher that OpenSSH encrypts private keys with.
#[derive(Clone, Copy)]
pub(super) enum Cipher {
    Aes256Cbc,
    Aes128Ctr,
    Aes192Ctr,
    Aes256Ctr,
    Aes256Gcm,
}

impl Cipher {
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"aes256-cbc" => Self::Aes256Cbc,
            b"aes128-ctr" => Self::Aes128Ctr,
            b"aes192-ctr" => Self::Aes192Ctr,
            b"aes256-ctr" => Self::Aes256Ctr,
            b"aes256-gcm@openssh.com" => Self::Aes256Gcm,
            _ => return None,
        })
    }

    /// The bytes of the tag, which stands behind the ciphertext.
    pub(super) fn tag_bytes(self) -> usize {
        if matches!(self, Self::Aes256Gcm) { GCM_TAG_BYTES } else { 0 }
    }

    fn key_bytes(self) -> usize {
        match self {
            Self::Aes128Ctr => 16,
            Self::Aes192Ctr => 24,
            Self::Aes256Cbc | Self::Aes256Ctr | Self::Aes256Gcm => 32,
        }
    }

    fn iv_bytes(self) -> usize {
        if matches!(self, Self::Aes256Gcm) { GCM_NONCE_BYTES } else { BLOCK_BYTES }
    }

    /// The plaintext of a ciphertext with its tag. Whether it is the right one shows in it, but for
    /// AES-GCM, which gives `None`.
    pub(super) fn decrypt(
        self,
        stretching: &Stretching,
        passphrase: &str,
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let mut material = Zeroizing::new(vec![0; self.key_bytes() + self.iv_bytes()]);
        let Stretching { salt, rounds } = stretching;
        bcrypt_pbkdf::bcrypt_pbkdf(passphrase, salt, *rounds, &mut material).ok()?;
        let (key, iv) = material.split_at(self.key_bytes());
        let mut text = Zeroizing::new(sealed.to_vec());
        match self {
            Self::Aes256Cbc => cbc(key, iv, &mut text)?,
            Self::Aes128Ctr => ctr(&Aes128::new_from_slice(key).ok()?, iv, &mut text)?,
            Self::Aes192Ctr => ctr(&Aes192::new_from_slice(key).ok()?, iv, &mut text)?,
            Self::Aes256Ctr => ctr(&Aes256::new_from_slice(key).ok()?, iv, &mut text)?,
            Self::Aes256Gcm => gcm(key, iv, &mut text)?,
        }
        Some(text)
    }
}

/// The most rounds of bcrypt_pbkdf. ssh-keygen writes 16 or 24 of its own accord.
const MAX_ROUNDS: u32 = 4096;

/// How a passphrase becomes a key: bcrypt_pbkdf, so many times.
pub(super) struct Stretching {
    salt: Vec<u8>,
    rounds: u32,
}

impl Stretching {
    /// From the options of the `kdf`; `None` if it is another, or takes too long.
    pub(super) fn read(kdf: &[u8], options: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(options);
        let (salt, rounds) = (reader.string()?, reader.u32()?);
        reader.end()?;
        let known = kdf == b"bcrypt" && !salt.is_empty() && (1..=MAX_ROUNDS).contains(&rounds);
        known.then(|| Self { salt: salt.to_vec(), rounds })
    }
}

fn cbc(key: &[u8], iv: &[u8], text: &mut [u8]) -> Option<()> {
    let cipher = Aes256::new_from_slice(key).ok()?;
    let mut before = Block::try_from(iv).ok()?;
    let (blocks, rest) = text.as_chunks_mut::<BLOCK_BYTES>();
    for block in blocks {
        let sealed = Block::from(*block);
        let mut opened = sealed;
        cipher.decrypt_block(&mut opened);
        for ((to, opened), before) in block.iter_mut().zip(opened).zip(before) {
            *to = opened ^ before;
        }
        before = sealed;
    }
    rest.is_empty().then_some(())
}

fn ctr(
    cipher: &impl BlockCipherEncrypt<BlockSize = aes::cipher::consts::U16>,
    iv: &[u8],
    text: &mut [u8],
) -> Option<()> {
    let mut counter = u128::from_be_bytes(iv.try_into().ok()?);
    for piece in text.chunks_mut(BLOCK_BYTES) {
        let mut pad = Block::from(counter.to_be_bytes());
        cipher.encrypt_block(&mut pad);
        for (to, pad) in piece.iter_mut().zip(pad) {
            *to ^= pad;
        }
        counter = counter.wrapping_add(1);
    }
    Some(())
}

fn gcm(key: &[u8], nonce: &[u8], text: &mut Vec<u8>) -> Option<()> {
    let at = text.len().checked_sub(GCM_TAG_BYTES)?;
    let tag = text.split_off(at);
    let cipher = Aes256Gcm::new_from_slice(key).ok()?;
    let (nonce, tag) = (nonce.try_into().ok()?, tag.as_slice().try_into().ok()?);
    cipher.decrypt_inout_detached(&nonce, b"", text.as_mut_slice().into(), &tag).ok()
}

#[cfg(test)]
mod tests {
    use super::super::wire::put_string;
    use super::*;

    #[test]
    fn stretching_that_takes_too_long_is_refused() {
        for (rounds, known) in [(0, false), (1, true), (MAX_ROUNDS, true), (MAX_ROUNDS + 1, false)]
        {
            let mut options = Vec::new();
            put_string(&mut options, b"salt");
            options.extend_from_slice(&rounds.to_be_bytes());
            assert_eq!(Stretching::read(b"bcrypt", &options).is_some(), known, "{rounds}");
        }
    }
}
