//! The interface of keepers of keys, and the keepers that are spoken to: one a file.

use polyseal_file::Key;
use zeroize::Zeroizing;

use crate::{Context, Error, Problem, Result, Scheme, Settings, ShownKey, Uri};

#[cfg(feature = "aws")]
mod aws;
#[cfg(feature = "azure")]
mod azure;
#[cfg(feature = "gcp")]
mod gcp;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod json;
#[cfg(feature = "pkcs11")]
mod pkcs11;
#[cfg(any(feature = "tpm", feature = "secret-service"))]
mod programs;
#[cfg(feature = "secret-service")]
mod secret_service;
#[cfg(feature = "tpm")]
mod tpm;
#[cfg(feature = "vault")]
mod vault;

/// A point of the curve P-256, uncompressed: `04`, then both coordinates.
pub type Point = [u8; 65];

/// A key as its keeper wrapped it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The wrapped key, which only the keeper can unwrap: 1 to 8192 bytes.
    pub bytes: Vec<u8>,
    /// Which of its keys or versions the keeper says it used, on one line.
    pub key_id: Option<String>,
}

/// A key that stays where it is kept, and its operations there. A keeper wraps keys, or it has a
/// key pair, or both.
pub trait Kms: Send + Sync {
    /// Wraps a key.
    ///
    /// # Errors
    /// The keeper's refusal, or that it wraps no keys.
    fn wrap(&self, _key: &Key, _context: &Context) -> Result<Blob> {
        Err(Problem::Unsupported("wrap keys").into())
    }

    /// Makes a key and wraps it.
    ///
    /// # Errors
    /// As [`wrap`](Self::wrap).
    fn generate(&self, context: &Context) -> Result<(Key, Blob)> {
        let key = Key::generate().map_err(|_| Problem::Random)?;
        let blob = self.wrap(&key, context)?;
        Ok((key, blob))
    }

    /// The key that was wrapped.
    ///
    /// # Errors
    /// The keeper's refusal.
    fn unwrap(&self, _wrapped: &[u8], _context: &Context) -> Result<Key> {
        Err(Problem::Unsupported("unwrap keys").into())
    }

    /// Makes a key pair on P-256 that cannot be taken out, if the name has none yet, and shows the
    /// public key.
    ///
    /// # Errors
    /// The keeper's refusal, or that it has no key pairs.
    fn create_key_pair(&self) -> Result<ShownKey> {
        self.shown_key()
    }

    /// The public key of the key pair as the keeper shows it: [`PublicKey`](crate::PublicKey) is
    /// the one to encrypt to.
    ///
    /// # Errors
    /// The keeper's refusal, or that it has no key pairs.
    fn shown_key(&self) -> Result<ShownKey> {
        Err(Problem::Unsupported("hold a key pair").into())
    }

    /// The secret that the private key shares with `point`: the first coordinate of the product.
    ///
    /// # Errors
    /// The keeper's refusal, or that it has no key pairs.
    fn derive(&self, _point: &Point) -> Result<Zeroizing<[u8; 32]>> {
        Err(Problem::Unsupported("derive secrets").into())
    }
}

/// The keeper of the key with this URI. Nothing is spoken to yet.
///
/// # Errors
/// [`Problem::NotBuilt`], or that something is not configured.
pub fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let scheme: Scheme = uri.scheme();
    let keeper: Result<Box<dyn Kms>> = match scheme {
        #[cfg(feature = "aws")]
        Scheme::Aws => aws::connect(uri, settings),
        #[cfg(feature = "gcp")]
        Scheme::Gcp => gcp::connect(uri, settings),
        #[cfg(feature = "azure")]
        Scheme::Azure => azure::connect(uri, settings),
        #[cfg(feature = "vault")]
        Scheme::Vault => vault::connect(uri, settings),
        #[cfg(feature = "pkcs11")]
        Scheme::Pkcs11 => pkcs11::connect(uri, settings),
        #[cfg(feature = "tpm")]
        Scheme::Tpm => tpm::connect(uri, settings),
        #[cfg(feature = "secret-service")]
        Scheme::SecretService => secret_service::connect(uri, settings),
        #[allow(unreachable_patterns)]
        _ => {
            let _ = settings;
            Err(Problem::NotBuilt(scheme.feature()).into())
        }
    };
    keeper.map_err(|error: Error| error.with_uri(&uri.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    #[test]
    fn what_was_not_built_is_named() {
        for (uri, feature, built) in [
            ("aws-kms://alias/a", "aws", cfg!(feature = "aws")),
            ("gcp-kms://a", "gcp", cfg!(feature = "gcp")),
            ("azure-kv://a", "azure", cfg!(feature = "azure")),
            ("hcvault://a", "vault", cfg!(feature = "vault")),
            ("pkcs11:object=a", "pkcs11", cfg!(feature = "pkcs11")),
            ("tpm:object=a", "tpm", cfg!(feature = "tpm")),
            ("secret-service:object=a", "secret-service", cfg!(feature = "secret-service")),
        ] {
            let uri = Uri::parse(uri, Origin::User).unwrap();
            let came = connect(&uri, &Settings::from_variables(|_| None));
            let absent = came.err().is_some_and(|e| *e.problem() == Problem::NotBuilt(feature));
            assert_eq!(absent, !built, "{uri}");
        }
    }
}
