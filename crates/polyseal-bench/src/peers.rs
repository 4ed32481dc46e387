//! The libraries to measure against.
//!
//! The list stands here whether or not they were compiled in, so that a report can name the ones
//! it lacks.

#[cfg(feature = "peers")]
mod aws_lc;
#[cfg(feature = "peers")]
mod boringssl;
#[cfg(feature = "peers")]
mod libaegis;
#[cfg(feature = "peers")]
mod openssl;

use core::fmt;

use clap::ValueEnum;

use crate::contender::{Contender, Operation};

/// A library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    /// The reference implementation of AEGIS, in C; every build of it.
    Libaegis,
    /// Amazon's fork of BoringSSL.
    AwsLc,
    /// Google's fork of OpenSSL.
    Boringssl,
    /// OpenSSL, series 3.
    Openssl,
}

/// The algorithms that rivals have beside AEGIS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gcm {
    /// AES-GCM with 16-byte keys.
    Aes128,
    /// AES-GCM with 32-byte keys.
    Aes256,
}

impl Gcm {
    /// The one with keys of this length.
    #[must_use]
    pub const fn with_key_bytes(key_bytes: usize) -> Self {
        if key_bytes > 16 { Self::Aes256 } else { Self::Aes128 }
    }

    /// The key's length.
    #[must_use]
    pub const fn key_bytes(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::Aes256 => 32,
        }
    }
}

impl fmt::Display for Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "aes-{}-gcm", self.key_bytes() * 8)
    }
}

impl Peer {
    /// Every peer.
    pub const ALL: [Self; 4] = [Self::Libaegis, Self::AwsLc, Self::Boringssl, Self::Openssl];

    /// The name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Libaegis => "libaegis",
            Self::AwsLc => "aws-lc",
            Self::Boringssl => "boringssl",
            Self::Openssl => "openssl",
        }
    }

    /// What of this peer is in this program, version by version or build by build.
    #[must_use]
    pub fn versions(self) -> Vec<String> {
        #[cfg(feature = "peers")]
        return match self {
            Self::Libaegis => libaegis::versions(),
            Self::AwsLc => vec![aws_lc::version()],
            Self::Boringssl => vec![boringssl::version()],
            Self::Openssl => vec![openssl::version()],
        };
        #[cfg(not(feature = "peers"))]
        Vec::new()
    }

    /// Why a part of this peer is missing from this program, if one is.
    #[must_use]
    pub const fn absence(self) -> Option<&'static str> {
        if cfg!(not(feature = "peers")) {
            return Some("built without the feature `peers`");
        }
        match self {
            Self::Libaegis if cfg!(not(libaegis_native)) => {
                Some("no clang was found for the build with -march=native")
            }
            _ => None,
        }
    }

    /// This peer's implementations of the AEGIS variant `id` (without `-mac`) for `operation`.
    #[must_use]
    pub fn aegis(self, id: &str, operation: Operation) -> Vec<Contender> {
        #[cfg(feature = "peers")]
        if self == Self::Libaegis {
            return libaegis::contenders(id, operation);
        }
        let _ = (id, operation);
        Vec::new()
    }

    /// This peer's AES-GCM for `operation`.
    #[must_use]
    pub fn gcm(self, gcm: Gcm, operation: Operation) -> Option<Contender> {
        #[cfg(feature = "peers")]
        {
            let name = format!("{gcm} {}", self.name());
            match self {
                Self::Libaegis => None,
                Self::AwsLc => Contender::aead(name, operation, aws_lc::Key::new(gcm)),
                Self::Boringssl => Contender::aead(name, operation, boringssl::Key::new(gcm)),
                Self::Openssl => Contender::aead(name, operation, openssl::Key::new(gcm)),
            }
        }
        #[cfg(not(feature = "peers"))]
        {
            let _ = (gcm, operation);
            None
        }
    }
}

/// The key of every peer.
#[cfg(feature = "peers")]
const KEY: [u8; 32] = [7; 32];

#[cfg(all(test, feature = "peers"))]
mod tests {
    use super::*;
    use crate::contender::Aead;

    /// All libraries must do the same work; and each notices a flipped bit.
    fn seal(aead: &mut impl Aead, operation: &str) -> (Vec<u8>, [u8; 16]) {
        let (nonce, mut message, mut tag) = ([9; 32], vec![1; 100], [0; 32]);
        aead.seal(&nonce, &mut message, &mut tag);
        let mut opened = vec![0; 100];
        assert!(aead.open(&nonce, &message, &tag, &mut opened), "{operation}");
        assert_eq!(opened, [1; 100], "{operation}");
        let mut wrong = tag;
        wrong[15] ^= 1;
        assert!(!aead.open(&nonce, &message, &wrong, &mut opened), "{operation}");
        // A failed opening must not spoil the next message.
        assert!(aead.open(&nonce, &message, &tag, &mut opened), "{operation}");
        (message, core::array::from_fn(|i| tag[i]))
    }

    #[test]
    fn three_libraries_compute_the_same_gcm() {
        for gcm in [Gcm::Aes128, Gcm::Aes256] {
            let expected = seal(&mut aws_lc::Key::new(gcm), "aws-lc");
            assert_eq!(seal(&mut boringssl::Key::new(gcm), "boringssl"), expected, "{gcm}");
            assert_eq!(seal(&mut openssl::Key::new(gcm), "openssl"), expected, "{gcm}");
        }
    }

    #[test]
    fn both_builds_of_libaegis_agree_with_the_crate() {
        let expected =
            aegis::aegis128l::Aegis128L::<16>::new(&[7; 16], &[9; 16]).encrypt(&[1; 100], &[]);
        for library in libaegis::builds() {
            assert_eq!(seal(&mut library.key("aegis-128l").unwrap(), library.name), expected);
        }
    }

    #[test]
    fn every_version_is_known() {
        for peer in Peer::ALL {
            let versions = peer.versions();
            assert!(!versions.is_empty());
            assert!(
                versions.iter().all(|v| v.contains(|c: char| c.is_ascii_digit())),
                "{versions:?}"
            );
        }
    }
}
