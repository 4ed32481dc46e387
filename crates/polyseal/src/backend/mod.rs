//! Back ends: everything that depends on the instruction set, and all of the crate's `unsafe`.
//!
//! An algorithm is written once, as a [`Task`] generic over an [`Isa`]. [`Backend::run`] is the
//! only dispatch, with [`Backend::run_sequence`] for several tasks: one `match` per message, then a
//! wrapper compiled with the instruction set's target features into which the whole generic body is
//! inlined. Which back ends exist is decided by detection at run time; an [`Isa`] value is the
//! proof that detection succeeded (see [`safety`]).
//!
//! # Another instruction set
//!
//! It takes a module with its vectors ([`Lanes`], [`Clmul`], [`StateLanes`], [`Words`]), a proof in
//! [`cpu`], and a row in the list of back ends. AVX10 needs nothing: it has the instructions of
//! `vaes512`, and its CPUs report them. This is known (November 2026) of two more, which nobody has
//! written:
//!
//! - **RISC-V with Zvkned and Zvbc.** `vaesem.vv` and `vaesef.vv` are what `aesenc` and
//!   `aesenclast` are, on every 128 bits of a vector; `vclmul` and `vclmulh` give the two halves of
//!   a carry-less product. Zvkt must be there, too: it promises that times do not depend on data. A
//!   register would be one, two or four blocks, as the CPU's `vlenb` says. What is missing is Rust:
//!   it has no vector intrinsics for RISC-V, and `asm!` takes no vector operands there. So one
//!   operation could not be a function, as the traits here want it. Each kernel would be assembly
//!   as a whole, with its state in memory.
//! - **aarch64 with SVE2's AES and PMULL128.** The instructions are those of `neon`, on every 128
//!   bits of a longer vector. There is something to win only where vectors are longer. Neoverse V1
//!   has 256 bits and SVE without the AES instructions; Neoverse N2 and V2 have these and 128 bits.
//!   Rust has scalable vectors on its nightly channel alone.

#![allow(unsafe_code)]
// Vectors hold secrets, and nothing outside can name them.
#![allow(missing_debug_implementations)]
// Public with the feature `testing`, which hands out `Backend` and what it is made of.
#![cfg_attr(not(feature = "testing"), allow(unreachable_pub))]

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "x86_64")]
mod code;
#[allow(unreachable_pub)] // Some are for hash functions alone, which no test names.
pub(crate) mod cpu;
#[cfg(target_arch = "x86_64")]
mod cpuid;
#[allow(unreachable_pub)]
pub(crate) mod hashes;
mod lanes;
#[cfg(feature = "memcheck")]
pub mod memcheck;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod partial;
mod planes;
mod safety;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod soft;
#[cfg(target_arch = "x86_64")]
mod ssse3;
mod state_lanes;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod vector_permute;
mod wipe;
mod words;

pub(crate) use lanes::{Clmul, Isa, Lanes, Outlined};
pub(crate) use state_lanes::StateLanes;
pub(crate) use wipe::{StackBytes, StackUse, wipe, wipe_stack};
pub(crate) use words::{Word, Words};

/// A computation that can run on any back end.
///
/// Implementations mark `run` `#[inline(always)]`, as they do every generic function below it:
/// only then does the body take on the wrapper's target features.
pub trait Task {
    /// The result.
    type Output;

    /// The computation, with `isa`'s instructions.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// A [`Task`] whose key and nonce are passed separately, of at most two words each: they are in
/// registers, all else in memory. So a message's first instruction waits for one load less, which
/// takes 8 cycles on Zen 3.
pub trait KeyedTask<K, N> {
    /// The result.
    type Output;

    /// The computation, with `isa`'s instructions.
    fn run_keyed<I: Isa>(self, isa: I, key: K, nonce: N) -> Self::Output;
}

impl<T: Task> KeyedTask<(), ()> for T {
    type Output = T::Output;

    #[inline(always)]
    fn run_keyed<I: Isa>(self, isa: I, (): (), (): ()) -> T::Output {
        self.run(isa)
    }
}

/// Tasks that follow one another on one back end.
pub(crate) trait Sequence {
    /// The tasks. Implementations mark it `#[inline(always)]`, or the functions that it calls in
    /// rare cases.
    fn run<I: Isa>(self, calls: Calls<I>);
}

/// Calls tasks of a [`Sequence`], each in a function of its own.
///
/// Only a sequence has it, and none is compiled with target features: so nothing of a task can be
/// inlined into it, and what a task leaves on the stack lies below its frame. `#[inline(never)]`
/// would not do: the compiler takes no notice of it on a function that has target features. A
/// program that is compiled for one CPU alone (`-C target-cpu`) may still inline them.
#[derive(Clone, Copy)]
pub(crate) struct Calls<I>(I);

impl<I: Isa> Calls<I> {
    /// Runs `task` with the back end's instructions.
    #[inline(always)]
    pub(crate) fn call<T: Task>(self, task: T) -> T::Output {
        self.call_keyed((), (), task)
    }

    /// The same of a task whose key and nonce are passed separately.
    #[inline(always)]
    pub(crate) fn call_keyed<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        self.0.enter(key, nonce, task)
    }

    /// Overwrites what the tasks so far have left on the stack.
    #[inline(always)]
    pub(crate) fn wipe<U: StackBytes>(self) {
        U::wipe::<I>();
    }
}

/// An implementation of the cryptographic kernels for one instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// Portable Rust: bitsliced, constant-time, on every CPU.
    Soft(cpu::Soft),
    /// x86-64 with SSSE3: AES by shuffles of bytes, one block in a register.
    #[cfg(target_arch = "x86_64")]
    Ssse3(cpu::Ssse3),
    /// x86-64 with AES-NI, PCLMULQDQ and AVX: one AES block in a register.
    #[cfg(target_arch = "x86_64")]
    AesNi(cpu::AesNi),
    /// x86-64 with VAES, VPCLMULQDQ and AVX2: two AES blocks in a register.
    #[cfg(target_arch = "x86_64")]
    Vaes256(cpu::Vaes256),
    /// x86-64 with VAES, VPCLMULQDQ and AVX-512: four AES blocks in a register.
    #[cfg(target_arch = "x86_64")]
    Vaes512(cpu::Vaes512),
    /// aarch64 with the AES instructions: one AES block in a register.
    #[cfg(target_arch = "aarch64")]
    Neon(cpu::Neon),
    /// WebAssembly with vectors: AES by shuffles of bytes, one block in a register.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(cpu::Simd128),
}

impl Backend {
    /// Every back end that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [
            Some(Self::Soft(cpu::Soft)),
            #[cfg(target_arch = "x86_64")]
            cpu::Ssse3::check().map(Self::Ssse3),
            #[cfg(target_arch = "x86_64")]
            cpu::AesNi::check().map(Self::AesNi),
            #[cfg(target_arch = "x86_64")]
            cpu::Vaes256::check().map(Self::Vaes256),
            #[cfg(target_arch = "x86_64")]
            cpu::Vaes512::check().map(Self::Vaes512),
            #[cfg(target_arch = "aarch64")]
            cpu::Neon::check().map(Self::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Some(Self::Simd128(cpu::Simd128)),
        ]
        .into_iter()
        .flatten()
    }

    /// The fastest back end of this CPU.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Soft(cpu::Soft))
    }

    /// The name in tables and on the command line.
    #[must_use]
    #[cfg_attr(not(feature = "alloc"), allow(dead_code))]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft(_) => "soft",
            #[cfg(target_arch = "x86_64")]
            Self::Ssse3(_) => "ssse3",
            #[cfg(target_arch = "x86_64")]
            Self::AesNi(_) => "aesni",
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(_) => "vaes256",
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(_) => "vaes512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128(_) => "simd128",
        }
    }

    /// Runs `task` with this back end's instructions.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        self.run_keyed((), (), task)
    }

    /// The same of a task whose key and nonce are passed separately.
    #[inline]
    pub(crate) fn run_keyed<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        match self {
            Self::Soft(isa) => soft::entry(isa, key, nonce, task),
            // SAFETY: an `Isa` value exists only where detection found its target features.
            #[cfg(target_arch = "x86_64")]
            Self::Ssse3(isa) => unsafe { ssse3::entry(isa, key, nonce, task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::AesNi(isa) => unsafe { aesni::entry(isa, key, nonce, task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(isa) => unsafe { vaes256::entry(isa, key, nonce, task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(isa) => unsafe { vaes512::entry(isa, key, nonce, task) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Self::Neon(isa) => unsafe { neon::entry(isa, key, nonce, task) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128(isa) => simd128::entry(isa, key, nonce, task),
        }
    }

    /// Runs `sequence` on this back end.
    #[inline]
    pub(crate) fn run_sequence<S: Sequence>(self, sequence: S) {
        match self {
            Self::Soft(isa) => sequence.run(Calls(isa)),
            #[cfg(target_arch = "x86_64")]
            Self::Ssse3(isa) => sequence.run(Calls(isa)),
            #[cfg(target_arch = "x86_64")]
            Self::AesNi(isa) => sequence.run(Calls(isa)),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(isa) => sequence.run(Calls(isa)),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(isa) => sequence.run(Calls(isa)),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(isa) => sequence.run(Calls(isa)),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128(isa) => sequence.run(Calls(isa)),
        }
    }
}
