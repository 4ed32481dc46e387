//! The libraries to measure against.
//!
//! The list stands here whether or not they were compiled in, so that a report can name the ones
//! it lacks.

#[cfg(feature = "aez")]
mod aez;
#[cfg(feature = "peers")]
mod ascon_aead;
#[cfg(feature = "peers")]
mod aws_lc;
#[cfg(feature = "peers")]
mod boringssl;
#[cfg(feature = "peers")]
mod ctx;
#[cfg(all(feature = "peers", google_hctr2))]
mod google_hctr2;
#[cfg(feature = "peers")]
mod graviola;
#[cfg(feature = "peers")]
mod hctr2;
#[cfg(feature = "peers")]
mod hctr2_rs;
#[cfg(feature = "peers")]
mod hiae;
#[cfg(all(feature = "peers", ipsec_mb))]
mod ipsec_mb;
#[cfg(feature = "peers")]
mod libaegis;
#[cfg(all(feature = "peers", libhiae))]
mod libhiae;
#[cfg(feature = "peers")]
mod nonce_derived;
#[cfg(feature = "peers")]
mod openssl;
#[cfg(feature = "peers")]
mod ring;
#[cfg(feature = "peers")]
mod rustcrypto;
#[cfg(feature = "peers")]
mod zears;

use clap::ValueEnum;

use crate::contender::{Contender, Operation};
use crate::peer_limit::PeerLimit;

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
    /// Intel's library for many packets at once, one by one.
    IpsecMb,
    /// BoringSSL's algorithms in Rust and assembly.
    Ring,
    /// Rust with verified assembly.
    Graviola,
    /// The Rust crates of that name: AES-GCM, XAES, OCB3 and AES-GCM-SIV; HCTR2 from its parts.
    Rustcrypto,
    /// HCTR2 in Rust.
    Hctr2Rs,
    /// HCTR2 of its authors, in C and assembly.
    GoogleHctr2,
    /// AEZ in Rust.
    Zears,
    /// AEZ in C.
    Aez,
    /// Ascon in Rust.
    AsconAead,
    /// HiAE in Rust.
    Hiae,
    /// HiAE of its authors, in C.
    Libhiae,
}

/// XAES with the commitment of appendix C.3, which is composed for the paper's tables.
pub(crate) const KC_C3: &str = "kc-c3-xaes-256-gcm";

/// Our suites that other libraries have too, or that can be put together from their parts.
const SHARED: [&str; 8] = [
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-256-gcm-siv",
    "ctx-aes-256-gcm",
    "xaes-256-gcm",
    "kc-xaes-256-gcm",
    "h-aes-256-gcm",
    "h-kc-aes-256-gcm",
];

/// The modes of Flex and OCH, of which nobody else has any, and what does the same work.
const MODES: [(&str, &[&str]); 4] = [
    ("flex-och", &["aes-256-gcm", "ocb3", "ctx-aes-256-gcm"]),
    ("flex-civ", &["aes-256-gcm-siv"]),
    ("flex-robust", &["hctr2", "aez"]),
    ("och-areion", &["aes-256-gcm", "ocb3", "ctx-aes-256-gcm"]),
];

/// The algorithms that are to be measured beside the suite `id`: itself, or what does the same
/// work, and AES-GCM under a key of the same length where hardly any library has it. Beside AEGIS
/// stands whichever of Ascon and HiAE has a key of the same length.
#[must_use]
pub fn rivals(id: &str, key_bytes: usize) -> Vec<&str> {
    let id = id.strip_suffix("-mac").unwrap_or(id);
    if let Some((_, rivals)) = MODES.iter().find(|(mode, _)| id.starts_with(mode)) {
        return rivals.to_vec();
    }
    if SHARED.contains(&id) {
        return vec![id];
    }
    let (gcm, other) =
        if key_bytes > 16 { ("aes-256-gcm", "hiae") } else { ("aes-128-gcm", "ascon-aead128") };
    let mut rivals = vec![id, gcm];
    if id.starts_with("aegis") {
        rivals.push(other);
    }
    rivals
}

impl Peer {
    /// Every peer.
    pub const ALL: [Self; 15] = [
        Self::Libaegis,
        Self::AwsLc,
        Self::Boringssl,
        Self::Openssl,
        Self::IpsecMb,
        Self::Ring,
        Self::Graviola,
        Self::Rustcrypto,
        Self::Hctr2Rs,
        Self::GoogleHctr2,
        Self::Zears,
        Self::Aez,
        Self::AsconAead,
        Self::Hiae,
        Self::Libhiae,
    ];

    /// The name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Libaegis => "libaegis",
            Self::AwsLc => "aws-lc",
            Self::Boringssl => "boringssl",
            Self::Openssl => "openssl",
            Self::IpsecMb => "ipsec-mb",
            Self::Ring => "ring",
            Self::Graviola => "graviola",
            Self::Rustcrypto => "rustcrypto",
            Self::Hctr2Rs => "hctr2-rs",
            Self::GoogleHctr2 => "google-hctr2",
            Self::Zears => "zears",
            Self::Aez => "aez",
            Self::AsconAead => "ascon-aead",
            Self::Hiae => "hiae",
            Self::Libhiae => "libhiae",
        }
    }

    /// The versions or builds of this peer in this program.
    #[must_use]
    pub fn versions(self) -> Vec<String> {
        #[cfg(feature = "peers")]
        return match self {
            Self::Libaegis => libaegis::versions(),
            Self::AwsLc => vec![aws_lc::version()],
            Self::Boringssl => vec![boringssl::version()],
            Self::Openssl => vec![openssl::version()],
            #[cfg(ipsec_mb)]
            Self::IpsecMb => vec![ipsec_mb::version()],
            #[cfg(not(ipsec_mb))]
            Self::IpsecMb => Vec::new(),
            Self::Ring => vec![ring::version()],
            Self::Graviola => vec![graviola::version()],
            Self::Rustcrypto => vec![rustcrypto::version()],
            Self::Hctr2Rs => vec![hctr2_rs::version()],
            #[cfg(google_hctr2)]
            Self::GoogleHctr2 => vec![google_hctr2::version()],
            #[cfg(not(google_hctr2))]
            Self::GoogleHctr2 => Vec::new(),
            Self::Zears => vec![zears::version()],
            #[cfg(feature = "aez")]
            Self::Aez => vec![aez::version()],
            #[cfg(not(feature = "aez"))]
            Self::Aez => Vec::new(),
            Self::AsconAead => vec![ascon_aead::version()],
            Self::Hiae => vec![hiae::version()],
            #[cfg(libhiae)]
            Self::Libhiae => vec![libhiae::version()],
            #[cfg(not(libhiae))]
            Self::Libhiae => Vec::new(),
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
            Self::IpsecMb if cfg!(not(ipsec_mb)) => {
                Some("intel-ipsec-mb.h of version 1 was not found")
            }
            Self::Aez if cfg!(not(feature = "aez")) => {
                Some("built without the feature `aez`, because the package's licence is the AGPL")
            }
            Self::GoogleHctr2 if cfg!(not(google_hctr2)) => {
                Some("POLYSEAL_HCTR2 named no checkout of github.com/google/hctr2 at build time")
            }
            Self::Libhiae if cfg!(not(libhiae)) => Some(
                "POLYSEAL_LIBHIAE named no checkout of github.com/hiae-aead/libhiae at build time",
            ),
            Self::Rustcrypto | Self::Hctr2Rs | Self::Zears | Self::Hiae
                if cfg!(not(rust_native)) =>
            {
                Some("the build for this very CPU; RUSTFLAGS=-Ctarget-cpu=native makes that one")
            }
            _ => None,
        }
    }

    /// This peer's implementations of the algorithm `id` for `operation`.
    #[must_use]
    pub fn contenders(
        self,
        id: &str,
        operation: Operation,
        peer_limit: PeerLimit,
    ) -> Vec<Contender> {
        #[cfg(feature = "peers")]
        {
            let contender = match self {
                Self::Libaegis => return libaegis::contenders(id, operation, peer_limit),
                Self::AwsLc => aws_lc::contender(id, operation),
                Self::Boringssl => boringssl::contender(id, operation),
                Self::Openssl => openssl::contender(id, operation),
                #[cfg(ipsec_mb)]
                Self::IpsecMb => ipsec_mb::contender(id, operation),
                #[cfg(not(ipsec_mb))]
                Self::IpsecMb => None,
                Self::Ring => ring::contender(id, operation),
                Self::Graviola => graviola::contender(id, operation),
                Self::Rustcrypto => rustcrypto::contender(id, operation),
                Self::Hctr2Rs => hctr2_rs::contender(id, operation),
                #[cfg(google_hctr2)]
                Self::GoogleHctr2 => google_hctr2::contender(id, operation),
                #[cfg(not(google_hctr2))]
                Self::GoogleHctr2 => None,
                Self::Zears => zears::contender(id, operation),
                #[cfg(feature = "aez")]
                Self::Aez => aez::contender(id, operation),
                #[cfg(not(feature = "aez"))]
                Self::Aez => None,
                Self::AsconAead => ascon_aead::contender(id, operation),
                Self::Hiae => hiae::contender(id, operation),
                #[cfg(libhiae)]
                Self::Libhiae => libhiae::contender(id, operation),
                #[cfg(not(libhiae))]
                Self::Libhiae => None,
            };
            contender.map(|c| c.named(format!("{id} {}", self.name()))).into_iter().collect()
        }
        #[cfg(not(feature = "peers"))]
        {
            let _ = (id, operation, peer_limit);
            Vec::new()
        }
    }

    /// This peer's compression function of `digest`, taking in `times` as many bytes as a message
    /// has.
    #[must_use]
    pub fn compression(self, digest: Digest, times: u64) -> Option<Contender> {
        #[cfg(feature = "peers")]
        {
            let name = format!("{} {}", digest.name(), self.name());
            match self {
                Self::AwsLc => aws_lc::compression(name, digest, times),
                Self::Openssl => Some(openssl::compression(name, digest, times)),
                Self::Rustcrypto => Some(rustcrypto::compression(name, digest, times)),
                _ => None,
            }
        }
        #[cfg(not(feature = "peers"))]
        {
            let _ = (digest, times);
            None
        }
    }
}

/// The digest that has the compression function of one of our suites, in the names of the
/// libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
    /// BLAKE2b with 64 bytes of digest.
    Blake2b,
}

impl Digest {
    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
            Self::Blake2b => "blake2b",
        }
    }
}

/// The first key of every peer.
#[cfg(feature = "peers")]
const KEY: crate::ring::Key = [7; 64];

#[cfg(test)]
mod pairing {
    use super::*;

    #[test]
    fn what_others_have_meets_only_itself() {
        for id in SHARED {
            assert_eq!(rivals(id, 32), [id]);
        }
    }

    #[test]
    fn what_few_have_meets_aes_gcm_too() {
        assert_eq!(rivals("aegis-128x2", 16), ["aegis-128x2", "aes-128-gcm", "ascon-aead128"]);
        assert_eq!(rivals("aegis-256-mac", 32), ["aegis-256", "aes-256-gcm", "hiae"]);
        assert_eq!(rivals("dndk-gcm", 32), ["dndk-gcm", "aes-256-gcm"]);
    }

    #[test]
    fn modes_meet_what_does_the_same_work() {
        assert_eq!(rivals("flex-och", 32), ["aes-256-gcm", "ocb3", "ctx-aes-256-gcm"]);
        assert_eq!(rivals("flex-och-public", 32), rivals("flex-och", 32));
        assert_eq!(rivals("flex-civ-public", 32), ["aes-256-gcm-siv"]);
        assert_eq!(rivals("flex-robust", 32), ["hctr2", "aez"]);
        assert_eq!(rivals("och-areion-s", 32), rivals("flex-och", 32));
        assert_eq!(rivals("flex-robust-ae", 32), rivals("flex-robust", 32));
    }

    #[cfg(feature = "peers")]
    #[test]
    fn who_has_what() {
        let names = |id: &str| -> Vec<String> {
            let have = |peer: &Peer| {
                !peer.contenders(id, Operation::Seal, PeerLimit::Unlimited).is_empty()
            };
            let names = Peer::ALL.iter().filter(|peer| **peer != Peer::IpsecMb);
            names.filter(|peer| have(peer)).map(|peer| peer.name().to_owned()).collect()
        };
        let gcm = ["aws-lc", "boringssl", "openssl", "ring", "graviola", "rustcrypto"];
        assert_eq!(names("aes-128-gcm"), gcm);
        assert_eq!(names("aes-256-gcm"), gcm);
        assert_eq!(names("xaes-256-gcm"), ["aws-lc", "boringssl", "openssl", "rustcrypto"]);
        assert_eq!(names("kc-xaes-256-gcm"), ["aws-lc", "boringssl", "openssl"]);
        assert_eq!(names("h-aes-256-gcm"), ["aws-lc"]);
        assert_eq!(names("h-kc-aes-256-gcm"), ["aws-lc"]);
        assert_eq!(names("ctx-aes-256-gcm"), ["aws-lc", "boringssl", "openssl", "ring"]);
        assert_eq!(names("ocb3"), ["openssl", "rustcrypto"]);
        let gcm_siv = ["aws-lc", "boringssl", "openssl", "rustcrypto"];
        assert_eq!(names("aes-256-gcm-siv"), gcm_siv);
        let google: &[&str] = if cfg!(google_hctr2) { &["google-hctr2"] } else { &[] };
        assert_eq!(names("hctr2"), [&["rustcrypto", "hctr2-rs"], google].concat());
        assert_eq!(names("ascon-aead128"), ["ascon-aead"]);
        let libhiae: &[&str] = if cfg!(libhiae) { &["libhiae"] } else { &[] };
        assert_eq!(names("hiae"), [&["hiae"], libhiae].concat());
        let aez: &[&str] = if cfg!(feature = "aez") { &["zears", "aez"] } else { &["zears"] };
        assert_eq!(names("aez"), aez);
        assert_eq!(names("aegis-256x4"), ["libaegis"]);
        assert_eq!(names(KC_C3), ["aws-lc"]);
        assert!(names("dndk-gcm").is_empty());
    }

    #[cfg(feature = "peers")]
    #[test]
    fn who_has_which_digest() {
        let names = |digest: Digest| -> Vec<String> {
            let have = Peer::ALL.iter().filter_map(|peer| peer.compression(digest, 2));
            have.map(|contender| contender.name).collect()
        };
        assert_eq!(names(Digest::Sha256), ["sha256 aws-lc", "sha256 openssl", "sha256 rustcrypto"]);
        assert_eq!(names(Digest::Sha512), ["sha512 aws-lc", "sha512 openssl", "sha512 rustcrypto"]);
        // AWS-LC has none that `aws-lc-rs` gives out.
        assert_eq!(names(Digest::Blake2b), ["blake2b openssl", "blake2b rustcrypto"]);
    }
}

#[cfg(all(test, feature = "peers"))]
mod tests;
