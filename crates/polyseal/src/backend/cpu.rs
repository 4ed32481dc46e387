//! Proofs that this CPU has an instruction set: zero-sized values that only detection can make.
//!
//! On x86-64 the CPU is asked at run time, with the feature `std` or without. On aarch64, where it
//! is the operating system that knows, run time is for `std`: without it, a set counts as present
//! only if the whole build was compiled for it. So it always is with WebAssembly.
//!
//! A build with `--cfg polyseal_portable` in `RUSTFLAGS` finds nothing on either.

#[cfg(target_arch = "x86_64")]
use super::cpuid::{Feature, has};

/// Whether the build leaves instruction sets alone, to show what portable code takes: no CPU has
/// any then.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const PORTABLE: bool = cfg!(polyseal_portable);

/// Whether all of the named target features are present.
#[cfg(target_arch = "aarch64")]
macro_rules! has {
    ($($feature:tt),+) => {{
        #[cfg(feature = "std")]
        let present = $(std::arch::is_aarch64_feature_detected!($feature))&&+;
        #[cfg(not(feature = "std"))]
        let present = $(cfg!(target_feature = $feature))&&+;
        present && !PORTABLE
    }};
}

/// The portable back end needs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soft;

/// This build is for WebAssembly with vectors.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd128;

/// This CPU has SSSE3.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ssse3(());

#[cfg(target_arch = "x86_64")]
impl Ssse3 {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Ssse3]).then_some(Self(()))
    }
}

/// This CPU has AES-NI, PCLMULQDQ and AVX.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AesNi(());

#[cfg(target_arch = "x86_64")]
impl AesNi {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Aes, Feature::Pclmulqdq, Feature::Avx]).then_some(Self(()))
    }
}

/// This CPU has VAES, VPCLMULQDQ and AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vaes256(());

#[cfg(target_arch = "x86_64")]
impl Vaes256 {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Aes, Feature::Pclmulqdq, Feature::Avx2, Feature::Vaes, Feature::Vpclmulqdq])
            .then_some(Self(()))
    }
}

/// This CPU has VAES, VPCLMULQDQ and AVX-512 (F, BW, VL) with BMI2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vaes512(());

#[cfg(target_arch = "x86_64")]
impl Vaes512 {
    pub(super) fn check() -> Option<Self> {
        has([
            Feature::Aes,
            Feature::Pclmulqdq,
            Feature::Avx2,
            Feature::Bmi2,
            Feature::Vaes,
            Feature::Vpclmulqdq,
            Feature::Avx512f,
            Feature::Avx512bw,
            Feature::Avx512vl,
        ])
        .then_some(Self(()))
    }
}

/// This CPU has AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Avx2, Feature::Bmi2]).then_some(Self(()))
    }
}

/// This CPU has AVX-512 (F, BW, VL), and AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Avx2, Feature::Bmi2, Feature::Avx512f, Feature::Avx512bw, Feature::Avx512vl])
            .then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl From<Avx512> for Avx2 {
    fn from(_: Avx512) -> Self {
        Self(())
    }
}

/// This CPU has the SHA instructions of x86-64, for SHA-256, and SSE4.1.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaNi(());

#[cfg(target_arch = "x86_64")]
impl ShaNi {
    pub(super) fn check() -> Option<Self> {
        has([Feature::Sha, Feature::Ssse3, Feature::Sse41]).then_some(Self(()))
    }
}

/// This CPU has the SHA-256 instructions of aarch64.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArmSha256(());

#[cfg(target_arch = "aarch64")]
impl ArmSha256 {
    pub(super) fn check() -> Option<Self> {
        has!("neon", "sha2").then_some(Self(()))
    }
}

/// This CPU has the SHA-512 instructions of aarch64, which Rust calls `sha3`.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArmSha512(());

#[cfg(target_arch = "aarch64")]
impl ArmSha512 {
    pub(super) fn check() -> Option<Self> {
        has!("neon", "sha3").then_some(Self(()))
    }
}

/// This CPU has Advanced SIMD and the AES instructions, PMULL among them.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

#[cfg(target_arch = "aarch64")]
impl Neon {
    pub(super) fn check() -> Option<Self> {
        has!("neon", "aes").then_some(Self(()))
    }
}
