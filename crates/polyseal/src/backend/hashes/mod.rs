//! The instruction sets for hash functions' compression functions: vectors of words, and
//! instructions made for one of them.
//!
//! The sets differ from those of [`Backend`]: a CPU may have the SHA instructions without AVX2 and
//! AVX2 without VAES. So there is a choice of its own, [`HashBackend`], which follows [`Backend`]
//! where a test has chosen one.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod contract;
#[cfg(not(target_arch = "aarch64"))]
mod no_instructions;
#[cfg(target_arch = "x86_64")]
mod sha512_asm;
#[cfg(target_arch = "x86_64")]
mod sha512_pairs;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
#[cfg(target_arch = "x86_64")]
mod x86_words;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Words64 as Row;
pub(crate) use contract::{Enter, EnteredTask, HashWords, Integer, Lanewise, OneWord, Proof, Unit};
#[cfg(target_arch = "x86_64")]
pub(crate) use sha512_asm::{MessageSchedule, rounds};
#[cfg(target_arch = "x86_64")]
pub(crate) use sha512_pairs::{Pair, pin};

use super::{Backend, cpu};

/// The vectors of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vectors {
    /// None: one word.
    Soft(cpu::Soft),
    #[cfg(target_arch = "x86_64")]
    Avx2(cpu::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(cpu::Avx512),
}

#[cfg(target_arch = "x86_64")]
type Sha256Unit = cpu::ShaNi;
#[cfg(target_arch = "aarch64")]
type Sha256Unit = cpu::ArmSha256;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Sha256Unit = no_instructions::Unit<u32>;
#[cfg(target_arch = "aarch64")]
type Sha512Unit = cpu::ArmSha512;
#[cfg(not(target_arch = "aarch64"))]
type Sha512Unit = no_instructions::Unit<u64>;

/// The instructions that compression functions are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashBackend {
    vectors: Vectors,
    /// Instructions made for SHA-256.
    sha256: Option<Sha256Unit>,
    /// Instructions made for SHA-512.
    sha512: Option<Sha512Unit>,
}

impl HashBackend {
    /// One word at a time.
    pub(crate) const SOFT: Self =
        Self { vectors: Vectors::Soft(cpu::Soft), sha256: None, sha512: None };

    /// Everything that this CPU has.
    pub(crate) fn detect() -> Self {
        let vectors = Self::all_vectors().last().unwrap_or(Vectors::Soft(cpu::Soft));
        Self { vectors, sha256: units::sha256(), sha512: units::sha512() }
    }

    /// Every combination that this CPU can run.
    #[cfg(test)]
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let units = [(None, None), (units::sha256(), units::sha512())];
        Self::all_vectors().flat_map(move |vectors| {
            units.into_iter().map(move |(sha256, sha512)| Self { vectors, sha256, sha512 })
        })
    }

    /// The choice that goes with `backend`: everything with the fastest, and otherwise no wider
    /// vectors.
    pub(crate) fn for_backend(backend: Backend) -> Self {
        let all = Self::detect();
        if backend == Backend::detect() && !matches!(backend, Backend::Soft(_)) {
            return all;
        }
        match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::AesNi(_) => Self { vectors: Self::SOFT.vectors, ..all },
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes256(_) => Self {
                vectors: cpu::Avx2::check().map_or(Self::SOFT.vectors, Vectors::Avx2),
                ..all
            },
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes512(_) => all,
            #[cfg(target_arch = "aarch64")]
            Backend::Neon(_) => all,
            #[cfg(target_arch = "x86_64")]
            Backend::Ssse3(_) => Self::SOFT,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Backend::Simd128(_) => Self::SOFT,
            Backend::Soft(_) => Self::SOFT,
        }
    }

    /// Every set of vectors of this CPU, narrowest first.
    fn all_vectors() -> impl Iterator<Item = Vectors> {
        [
            Some(Vectors::Soft(cpu::Soft)),
            #[cfg(target_arch = "x86_64")]
            cpu::Avx2::check().map(Vectors::Avx2),
            #[cfg(target_arch = "x86_64")]
            cpu::Avx512::check().map(Vectors::Avx512),
        ]
        .into_iter()
        .flatten()
    }

    /// Instructions made for SHA-256.
    #[inline]
    pub(crate) fn sha256(self) -> Option<Sha256Unit> {
        self.sha256
    }

    /// Instructions made for SHA-512.
    #[inline]
    pub(crate) fn sha512(self) -> Option<Sha512Unit> {
        self.sha512
    }

    /// AVX2, if there is.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn avx2(self) -> Option<cpu::Avx2> {
        match self.vectors {
            Vectors::Soft(_) => None,
            Vectors::Avx2(proof) => Some(proof),
            Vectors::Avx512(proof) => Some(proof.into()),
        }
    }

    /// AVX2, if it is the widest that there is.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn avx2_without_avx512(self) -> Option<cpu::Avx2> {
        match self.vectors {
            Vectors::Avx2(proof) => Some(proof),
            Vectors::Soft(_) | Vectors::Avx512(_) => None,
        }
    }

    /// Runs `task` in the vectors that there are.
    #[inline]
    pub(crate) fn run<T: WordTask>(self, task: T) -> T::Output {
        match self.vectors {
            Vectors::Soft(proof) => task.run(proof),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2(proof) => task.run(proof),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512(proof) => task.run(proof),
        }
    }
}

/// Detection of instructions made for one function.
mod units {
    use super::{Sha256Unit, Sha512Unit};

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) fn sha256() -> Option<Sha256Unit> {
        Sha256Unit::check()
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) fn sha256() -> Option<Sha256Unit> {
        None
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn sha512() -> Option<Sha512Unit> {
        Sha512Unit::check()
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn sha512() -> Option<Sha512Unit> {
        None
    }
}

/// A computation in the vectors that there are.
pub(crate) trait WordTask {
    /// The result.
    type Output;

    /// The computation; what is to be compiled for the vectors goes through [`Enter::enter`].
    fn run<P: Proof>(self, proof: P) -> Self::Output;
}
