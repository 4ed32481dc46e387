//! Peers held to the instructions of one of our back ends.
//!
//! A ratio on a lesser back end says something only if the others have no better instructions
//! either. The libraries with OpenSSL's interface read which of them they may use from
//! `OPENSSL_ia32cap`, as the program starts: so `compare` and `papers` start themselves again with
//! it. libaegis has a build without the better ones. All others choose for themselves, and are left
//! out.

use std::env;
use std::process::Command;

use polyseal::testing::Backend;

use crate::peers::Peer;

/// The variable: words of CPUID bits, of which `~` takes some away.
const VARIABLE: &str = "OPENSSL_ia32cap";

/// AVX-512 in CPUID's leaf 7: F, DQ, IFMA, PF, ER, CD, BW and VL in EBX, the low half; VBMI, VBMI2,
/// VNNI, BITALG and VPOPCNTDQ in ECX.
const AVX512: u64 = 0x5842_dc23_0000;
/// VAES and VPCLMULQDQ in ECX.
const VECTOR_AES: u64 = 0x600 << 32;

/// The instructions that the peers may use beside a back end of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerLimit {
    /// Everything: ours is the best that this CPU has.
    Unlimited,
    /// No more than a back end of this name.
    BackEnd(&'static str),
}

impl PeerLimit {
    /// The peers beside `backend`.
    #[must_use]
    pub fn for_backend(backend: Backend) -> Self {
        match backend == Backend::detect() {
            true => Self::Unlimited,
            false => Self::BackEnd(backend.name()),
        }
    }

    /// The variable's value for that; `None` if nothing can hold the peers there.
    fn value(self) -> Option<String> {
        let without = match self {
            Self::BackEnd("vaes256") => AVX512,
            Self::BackEnd("aesni") => AVX512 | VECTOR_AES,
            _ => return None,
        };
        Some(format!("~0x0:~{without:#x}"))
    }

    /// This program again with its peers held, unless they are, or cannot be.
    #[must_use]
    pub fn restart(self) -> Option<Command> {
        let value = self.value()?;
        if env::var(VARIABLE).is_ok_and(|now| now == value) {
            return None;
        }
        let mut command = Command::new(env::current_exe().ok()?);
        command.args(env::args_os().skip(1)).env(VARIABLE, value);
        Some(command)
    }

    /// Whether a ratio to `peer` says something.
    #[must_use]
    pub fn holds(self, peer: Peer) -> bool {
        match (self, peer) {
            (Self::Unlimited, _) => true,
            (_, Peer::Libaegis) => self.value().is_some(),
            (_, Peer::AwsLc | Peer::Boringssl | Peer::Openssl) => {
                self.value().is_some_and(|value| env::var(VARIABLE).is_ok_and(|now| now == value))
            }
            _ => false,
        }
    }

    /// A line for the top of a report.
    #[must_use]
    pub fn line(self) -> Option<String> {
        let Self::BackEnd(backend) = self else { return None };
        Some(match self.value() {
            Some(value) => format!(
                "The peers are held to the instructions of {backend} ({VARIABLE}={value}, a build \
                 of libaegis without better ones); those that cannot be are left out."
            ),
            None => format!("No peer can be held to {backend}: there are no ratios."),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_best_back_end_all_are_free() {
        let peer_limit = PeerLimit::for_backend(Backend::detect());
        assert_eq!(peer_limit, PeerLimit::Unlimited);
        assert!(peer_limit.restart().is_none());
        assert!(Peer::ALL.iter().all(|peer| peer_limit.holds(*peer)));
    }

    #[test]
    fn nobody_is_compared_who_is_not_held() {
        // These tests run with no such variable.
        for backend in ["aesni", "vaes256"] {
            let peer_limit = PeerLimit::BackEnd(backend);
            assert!(!peer_limit.holds(Peer::Openssl), "it is not set");
            assert!(!peer_limit.holds(Peer::Ring), "it reads no such variable");
            assert!(peer_limit.restart().is_some());
        }
        assert!(!PeerLimit::BackEnd("soft").holds(Peer::Libaegis));
        assert!(PeerLimit::BackEnd("soft").restart().is_none());
    }
}
