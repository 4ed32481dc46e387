//! The features that CPUID reports: asked once, with `std` or without.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (CPUID, XGETBV)
//! and volume 1, 13.3 (which registers the operating system saves). Features that the whole build
//! is compiled for count as there, as with `std::is_x86_feature_detected`.
//!
//! Code that is compiled without SSE2, as kernels are, must leave vector registers alone whatever
//! the CPU has: there, nothing is found. In an SGX enclave CPUID is not allowed.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::cpu::PORTABLE;

/// Everything that decides which features there are.
#[derive(Clone, Copy)]
struct Asked {
    ecx1: u32,
    ebx7: u32,
    ecx7: u32,
    /// Which registers' contents survive a change of tasks (XCR0).
    saved: u64,
}

/// Registers, as bits of XCR0.
const XMM: u64 = 0;
const YMM: u64 = 0x06;
const ZMM: u64 = 0xe6;

macro_rules! features {
    ($($name:ident, $text:tt, $register:ident, $bit:literal, $registers:ident;)+) => {
        /// A feature; the names are Rust's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Feature {
            $($name,)+
        }

        /// The features that the whole build is compiled for.
        const COMPILED: u32 =
            0 $(| (cfg!(target_feature = $text) as u32) << Feature::$name as u32)+;

        impl Asked {
            /// A bit for each feature.
            fn features(self) -> u32 {
                let usable = |registers| self.saved & registers == registers;
                0 $(|
                    u32::from(self.$register >> $bit & 1 != 0 && usable($registers))
                        << Feature::$name as u32
                )+
            }
        }

        /// Each feature, its name and what the standard library says of it.
        #[cfg(all(test, feature = "std"))]
        fn standard_library_features() -> impl Iterator<Item = (Feature, &'static str, bool)> {
            [$((Feature::$name, $text, std::is_x86_feature_detected!($text)),)+].into_iter()
        }
    };
}

features! {
    Pclmulqdq, "pclmulqdq", ecx1, 1, XMM;
    Ssse3, "ssse3", ecx1, 9, XMM;
    Sse41, "sse4.1", ecx1, 19, XMM;
    Aes, "aes", ecx1, 25, XMM;
    Avx, "avx", ecx1, 28, YMM;
    Avx2, "avx2", ebx7, 5, YMM;
    Bmi2, "bmi2", ebx7, 8, XMM;
    Avx512f, "avx512f", ebx7, 16, ZMM;
    Sha, "sha", ebx7, 29, XMM;
    Avx512bw, "avx512bw", ebx7, 30, ZMM;
    Avx512vl, "avx512vl", ebx7, 31, ZMM;
    Vaes, "vaes", ecx7, 9, YMM;
    Vpclmulqdq, "vpclmulqdq", ecx7, 10, YMM;
}

/// Set once CPUID has been asked.
const KNOWN: u32 = 1 << 31;

static FEATURES: AtomicU32 = AtomicU32::new(0);

/// Whether this CPU has all of `wanted`.
#[inline]
pub(super) fn has<const N: usize>(wanted: [Feature; N]) -> bool {
    let mut bits = 0;
    for feature in wanted {
        bits |= 1 << feature as u32;
    }
    !PORTABLE && (bits & !COMPILED == 0 || features() & bits == bits)
}

#[inline]
fn features() -> u32 {
    match FEATURES.load(Relaxed) {
        0 => ask(),
        features => features,
    }
}

/// Several threads may come here at once: they all find the same.
#[cold]
fn ask() -> u32 {
    let may = cfg!(all(target_feature = "sse2", not(target_env = "sgx")));
    let found = if may { Asked::now().features() } else { 0 };
    let features = KNOWN | COMPILED | found;
    FEATURES.store(features, Relaxed);
    features
}

impl Asked {
    #[allow(unused_unsafe)] // CPUID has become a safe function.
    fn now() -> Self {
        const OSXSAVE: u32 = 1 << 27;
        // SAFETY: every CPU for x86-64 has CPUID; see `ask` for where it is forbidden.
        let (most, one) = unsafe { (__cpuid(0).eax, __cpuid(1)) };
        let (ebx7, ecx7) = if most >= 7 {
            // SAFETY: as above.
            let seven = unsafe { __cpuid_count(7, 0) };
            (seven.ebx, seven.ecx)
        } else {
            (0, 0)
        };
        let saved = if one.ecx & OSXSAVE != 0 {
            // SAFETY: the operating system has enabled XGETBV.
            unsafe { saved_registers() }
        } else {
            0
        };
        Self { ecx1: one.ecx, ebx7, ecx7, saved }
    }
}

/// # Safety
/// XGETBV must be enabled.
#[target_feature(enable = "xsave")]
unsafe fn saved_registers() -> u64 {
    // SAFETY: XCR0 is there wherever XGETBV is enabled, for which the caller vouches.
    unsafe { _xgetbv(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "std")]
    #[test]
    fn the_standard_library_finds_the_same() {
        for (feature, name, expected) in standard_library_features() {
            assert_eq!(has([feature]), expected, "{name}");
        }
    }

    #[test]
    fn what_the_operating_system_does_not_save_is_not_used() {
        let all = Asked { ecx1: !0, ebx7: !0, ecx7: !0, saved: 0xe7 };
        let found = |saved, feature| Asked { saved, ..all }.features() & 1 << feature as u32 != 0;
        for feature in [Feature::Ssse3, Feature::Aes, Feature::Pclmulqdq, Feature::Sha] {
            assert!(found(0, feature), "{feature:?}");
        }
        for feature in [Feature::Avx, Feature::Avx2, Feature::Vaes, Feature::Vpclmulqdq] {
            assert!(!found(0, feature) && !found(3, feature), "{feature:?}");
            assert!(found(7, feature), "{feature:?}");
        }
        for feature in [Feature::Avx512f, Feature::Avx512bw, Feature::Avx512vl] {
            assert!(!found(7, feature) && !found(0x67, feature), "{feature:?}");
            assert!(found(0xe7, feature), "{feature:?}");
        }
    }

    #[test]
    fn every_one_of_several_features_has_to_be_there() {
        let nothing = Asked { ecx1: 0, ebx7: 0, ecx7: 0, saved: 0xe7 };
        assert_eq!(nothing.features(), 0);
        let without_avx = Asked { ecx1: !(1 << 28), ebx7: !0, ecx7: !0, saved: 0xe7 };
        assert_eq!(without_avx.features() >> Feature::Avx as u32 & 1, 0);
        assert_eq!(without_avx.features() >> Feature::Aes as u32 & 1, 1);
    }
}
