//! The public key of a pair that a keeper has, which is good for encryption only after the private
//! half has answered.
//!
//! Source: `docs/keys.md`. One key is sealed to what the keeper shows, and the keeper derives once:
//! DHKEM(P-256), as for files.
//!
//! Security claim: in some tokens, anyone who reaches them can put a public key of their own in the
//! place of another, without the PIN. [`PublicKey`] is had only once the private half has answered,
//! so no caller encrypts to such a key.
//!
//! Limit: the keeper says whose private key it is that answers.

use polyseal_file::Key;
use polyseal_file::age::p256::{Recipient, open_key, seal_key};
use polyseal_file::age::{Keeper, KeeperError};
use zeroize::Zeroizing;

use crate::{Kms, Point, Problem, Result};

const INFO: &[u8] = b"polyseal-kms/1 public key";

/// A public key as a keeper shows it, which anybody may have put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownKey(Point);

impl ShownKey {
    /// The point that was read from the keeper.
    #[must_use]
    pub fn new(point: Point) -> Self {
        Self(point)
    }

    /// The key, once the private half has derived from it.
    fn proved_by(self, keeper: &dyn Kms) -> Result<PublicKey> {
        let other = |_| Problem::OtherPublicKey;
        let recipient = Recipient::from_point(&self.0).map_err(other)?;
        let key = Key::generate().map_err(|_| Problem::Random)?;
        let sealed = seal_key(&recipient, INFO, &key).map_err(|_| Problem::Random)?;
        let enc = sealed.first_chunk().ok_or(Problem::OtherPublicKey)?;
        let derived = Derived(keeper.derive(enc)?);
        open_key(&recipient, &derived, INFO, &sealed).map_err(|_| Problem::OtherPublicKey)?;
        Ok(PublicKey(recipient))
    }
}

/// A public key whose private half has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(Recipient);

impl PublicKey {
    /// The recipient to encrypt to.
    #[must_use]
    pub fn into_recipient(self) -> Recipient {
        self.0
    }
}

impl dyn Kms + '_ {
    /// The public key of the key pair. The private one is used once, which may take a PIN.
    ///
    /// # Errors
    /// The keeper's refusal; [`Problem::OtherPublicKey`] if it shows another pair's.
    pub fn public_key(&self) -> Result<PublicKey> {
        self.shown_key()?.proved_by(self)
    }

    /// The public key of the key pair, which is made if the name has none yet.
    ///
    /// # Errors
    /// As `public_key`.
    pub fn make_key_pair(&self) -> Result<PublicKey> {
        self.create_key_pair()?.proved_by(self)
    }
}

/// A secret that a keeper derived.
struct Derived(Zeroizing<[u8; 32]>);

impl Keeper for Derived {
    fn derive(&self, _: &Point) -> std::result::Result<Zeroizing<[u8; 32]>, KeeperError> {
        Ok(self.0.clone())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ::p256::elliptic_curve::sec1::ToSec1Point;
    use ::p256::{SecretKey, ecdh};

    use super::*;
    use crate::Error;

    /// A keeper that shows one key and derives with another, as where somebody has put theirs.
    pub(crate) struct Software {
        pub(crate) shows: SecretKey,
        pub(crate) has: SecretKey,
    }

    impl Software {
        /// With the pair of the number, and no other.
        pub(crate) fn pair(number: u8) -> Self {
            let secret = SecretKey::from_slice(&[number; 32]).unwrap();
            Self { shows: secret.clone(), has: secret }
        }

        fn shown(&self) -> Point {
            self.shows.public_key().to_sec1_point(false).as_bytes().try_into().unwrap()
        }
    }

    impl Kms for Software {
        fn shown_key(&self) -> Result<ShownKey> {
            Ok(ShownKey::new(self.shown()))
        }

        fn derive(&self, point: &Point) -> Result<Zeroizing<[u8; 32]>> {
            let point = ::p256::PublicKey::from_sec1_bytes(point).unwrap();
            let shared = ecdh::diffie_hellman(self.has.to_nonzero_scalar(), point.as_affine());
            Ok(Zeroizing::new((*shared.raw_secret_bytes()).into()))
        }
    }

    /// Both ways to a public key, and so every caller that encrypts.
    fn both(keeper: &dyn Kms) -> [Result<Recipient>; 2] {
        [keeper.public_key(), keeper.make_key_pair()].map(|key| key.map(PublicKey::into_recipient))
    }

    #[test]
    fn a_public_key_is_given_only_after_its_private_half_has_answered() {
        let own = Software::pair(7);
        for key in both(&own) {
            assert_eq!(key.unwrap().to_point(), own.shown());
        }
        let replaced = Software { shows: Software::pair(8).shows, ..own };
        for key in both(&replaced) {
            assert_eq!(*key.unwrap_err().problem(), Problem::OtherPublicKey);
        }
    }

    struct Broken(Point, Problem);

    impl Kms for Broken {
        fn shown_key(&self) -> Result<ShownKey> {
            Ok(ShownKey::new(self.0))
        }

        fn derive(&self, _: &Point) -> Result<Zeroizing<[u8; 32]>> {
            Err(Error::new(self.1.clone()))
        }
    }

    #[test]
    fn what_the_keeper_refuses_is_told_and_nothing_is_given() {
        for key in both(&Broken(Software::pair(7).shown(), Problem::NoPin)) {
            assert_eq!(*key.unwrap_err().problem(), Problem::NoPin);
        }
        for key in both(&Broken([4; 65], Problem::Pin)) {
            assert_eq!(*key.unwrap_err().problem(), Problem::OtherPublicKey);
        }
    }
}
