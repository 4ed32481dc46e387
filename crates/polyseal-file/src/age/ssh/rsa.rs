//! Keys of type `ssh-rsa`.
//!
//! Source: c2sp.org/age, "The ssh-rsa recipient type": RSAES-OAEP (RFC 8017) with SHA-256 and the
//! label below.
//!
//! Security claim: that of RSA of the key's size. The operations are those of the crate `rsa`, with
//! blinding.
//!
//! Limit: what the crate `rsa` copies of a private key on its way is not wiped.

use ::rsa::rand_core::TryCryptoRng;
use ::rsa::{BoxedUint, Oaep, PrivateKey, PublicKey};
use getrandom::SysRng;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::public_key::tag;
use super::wire::{Reader, put_number, put_string};
use crate::age::error::{DecryptError, EncryptError, KeyProblem};
use crate::age::{FileKey, Stanza};

/// The type of the key, and of its stanzas.
pub(super) const TYPE: &str = "ssh-rsa";
const LABEL: &[u8] = b"age-encryption.org/v1/ssh-rsa";

/// The bits of a key that is encrypted to.
const BITS: std::ops::RangeInclusive<usize> = 2048..=4096;
/// The bits of a key that opens.
const PRIVATE_BITS: std::ops::RangeInclusive<usize> = 1024..=8192;

/// The work for a stanza of a key that has 4096 bits.
const WORK: u32 = 256;
/// The same of one that has 8192.
const LONG_WORK: u32 = 8 * WORK;

/// A public key.
pub(super) struct Public(PublicKey);

impl Public {
    /// Reads what follows the type.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, KeyProblem> {
        const DAMAGED: KeyProblem = KeyProblem::Damaged("SSH key");
        let (e, n) = (reader.number().ok_or(DAMAGED)?, reader.number().ok_or(DAMAGED)?);
        // Before anything is computed with it.
        if !BITS.contains(&bits(n)) {
            return Err(KeyProblem::SshRsaSize);
        }
        let key = PublicKey::new_with_size_limits(number(n), number(e), BITS);
        key.map(Self).map_err(|_| DAMAGED)
    }

    /// A stanza for the key with these bytes.
    pub(super) fn wrap(&self, public: &[u8], file_key: &FileKey) -> Result<Stanza, EncryptError> {
        let body = self.0.encrypt(&mut SysRng, padding(), file_key.expose_secret());
        let body = body.map_err(|_| EncryptError::Failed(crate::Error::Random))?;
        Ok(Stanza { tag: TYPE.to_owned(), args: vec![tag(public)], body })
    }
}

/// A private key, wiped when dropped.
pub(super) struct Private(Box<PrivateKey>);

/// The numbers of a private key, without zeros before them.
pub(super) struct Numbers<'a> {
    pub(super) n: &'a [u8],
    pub(super) e: &'a [u8],
    pub(super) d: &'a [u8],
    pub(super) p: &'a [u8],
    pub(super) q: &'a [u8],
}

impl Private {
    /// Reads what follows the type.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<(Self, Vec<u8>), KeyProblem> {
        const DAMAGED: KeyProblem = KeyProblem::SshFormat;
        let mut next = || reader.number().ok_or(DAMAGED);
        let (n, e, d) = (next()?, next()?, next()?);
        let (_inverse_of_q, p, q) = (next()?, next()?, next()?);
        Self::from_numbers(&Numbers { n, e, d, p, q })
    }

    /// The key, and the bytes of its public key.
    pub(super) fn from_numbers(numbers: &Numbers<'_>) -> Result<(Self, Vec<u8>), KeyProblem> {
        let Numbers { n, e, d, p, q } = *numbers;
        if !PRIVATE_BITS.contains(&bits(n)) {
            return Err(KeyProblem::SshRsaSize);
        }
        // The room for each number depends on the public one alone.
        let room = u32::try_from(8 * n.len()).map_err(|_| KeyProblem::SshRsaSize)?;
        let secret = |bytes| BoxedUint::from_be_slice(bytes, room);
        let read = || Some((secret(d).ok()?, vec![secret(p).ok()?, secret(q).ok()?]));
        let (d, primes) = read().ok_or(KeyProblem::SshFormat)?;
        let key = PrivateKey::from_components(number(n), number(e), d, primes);
        let key = key.map_err(|_| KeyProblem::SshFormat)?;
        let mut public = Vec::new();
        put_string(&mut public, TYPE.as_bytes());
        put_number(&mut public, e);
        put_number(&mut public, n);
        Ok((Self(Box::new(key)), public))
    }

    /// The file key in a stanza that has the tag of this key.
    pub(super) fn unwrap(&self, stanza: &Stanza) -> Result<FileKey, DecryptError> {
        self.unwrap_blinded(&mut SysRng, stanza)
    }

    /// The same, with random numbers from `rng` for the blinding.
    fn unwrap_blinded(
        &self,
        rng: &mut impl TryCryptoRng,
        stanza: &Stanza,
    ) -> Result<FileKey, DecryptError> {
        if stanza.args.len() != 1 {
            return Err(DecryptError::InvalidHeader);
        }
        let opened = self.0.decrypt_blinded(rng, padding(), &stanza.body);
        let opened = opened.map(Zeroizing::new).map_err(|_| DecryptError::DecryptionFailed)?;
        FileKey::from_slice(&opened).ok_or(DecryptError::DecryptionFailed)
    }
}

/// The work for a stanza of the key with these bytes.
pub(super) fn work(public: &[u8]) -> u32 {
    let mut reader = Reader::new(public);
    let n = reader.string().and_then(|_| reader.number()).and_then(|_| reader.number());
    if n.is_some_and(|n| bits(n) <= *BITS.end()) { WORK } else { LONG_WORK }
}

fn padding() -> Oaep<Sha256> {
    Oaep::new_with_label(LABEL)
}

/// A public number.
fn number(bytes: &[u8]) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(bytes)
}

/// The bits of a number without zeros before it.
fn bits(number: &[u8]) -> usize {
    let unused = number.first().map_or(0, |first| first.leading_zeros() as usize);
    8 * number.len() - unused
}

#[cfg(test)]
mod tests {
    use ::rsa::rand_core::TryRng;
    use getrandom::Error;

    use super::*;

    /// The system's random bytes, counted; or none.
    struct CountedRng {
        drawn: usize,
        gives: bool,
    }

    impl TryRng for CountedRng {
        type Error = Error;

        fn try_next_u32(&mut self) -> Result<u32, Error> {
            let mut bytes = [0; 4];
            self.try_fill_bytes(&mut bytes).map(|()| u32::from_ne_bytes(bytes))
        }

        fn try_next_u64(&mut self) -> Result<u64, Error> {
            let mut bytes = [0; 8];
            self.try_fill_bytes(&mut bytes).map(|()| u64::from_ne_bytes(bytes))
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
            self.drawn += bytes.len();
            if self.gives { getrandom::fill(bytes) } else { Err(Error::UNSUPPORTED) }
        }
    }

    impl TryCryptoRng for CountedRng {}

    /// A number as long as the key's, anew for each stanza; and without one nothing is computed.
    #[test]
    fn every_rsa_decryption_is_blinded() {
        let private = Private(Box::new(PrivateKey::new(&mut SysRng, 1024).unwrap()));
        let file_key = FileKey::new(Box::new([7; 16]));
        let stanza = Public(private.0.to_public_key()).wrap(b"public", &file_key).unwrap();
        let mut rng = CountedRng { drawn: 0, gives: true };
        for times in 1..=3 {
            assert!(private.unwrap_blinded(&mut rng, &stanza).unwrap() == file_key);
            assert!(rng.drawn >= times * 1024 / 8, "{} bytes", rng.drawn);
        }
        let mut none = CountedRng { drawn: 0, gives: false };
        assert!(private.unwrap_blinded(&mut none, &stanza).is_err() && none.drawn > 0);
    }
}
