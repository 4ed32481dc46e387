//! What tells one AEGIS algorithm from another: the state, the degree, the rule for contexts.

use core::fmt;
use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U16, U32};

use super::state::State;
use super::state128::State128;
use super::state256::State256;
use crate::backend::Lanes;

/// The largest degree.
pub(crate) const MAX_DEGREE: usize = 16;

mod sealed {
    pub trait Sealed {}
}

/// How lane `i` of `D` is told apart.
pub trait ContextRule: sealed::Sealed + Send + Sync + 'static {
    /// The context of lane `i`: two bytes, then zeros.
    #[doc(hidden)]
    fn context(i: u8, degree: u8) -> [u8; 2];
}

/// The IETF draft's rule: `Byte(i) ‖ Byte(D − 1)`.
#[derive(Clone, Copy, Debug)]
pub struct Ietf;

/// The rule of the paper's version 1.0: `Byte(i)` alone.
///
/// A lane does not know the degree, so one key and nonce under two degrees repeats key stream.
#[derive(Clone, Copy, Debug)]
pub struct V1;

impl sealed::Sealed for Ietf {}
impl ContextRule for Ietf {
    #[inline(always)]
    fn context(i: u8, degree: u8) -> [u8; 2] {
        [i, degree - 1]
    }
}

impl sealed::Sealed for V1 {}
impl ContextRule for V1 {
    #[inline(always)]
    fn context(i: u8, _: u8) -> [u8; 2] {
        [i, 0]
    }
}

/// An AEGIS algorithm up to the tag length. Implemented by [`X128`] and [`X256`].
pub trait Variant: VariantImpl {}

/// The 128-bit state of degree `D`: 16-byte keys and nonces.
pub struct X128<const D: usize, R = Ietf>(PhantomData<R>);

/// The 256-bit state of degree `D`: 32-byte keys and nonces.
pub struct X256<const D: usize, R = Ietf>(PhantomData<R>);

impl<const D: usize, R: ContextRule> Variant for X128<D, R> {}
impl<const D: usize, R: ContextRule> Variant for X256<D, R> {}

impl<const D: usize, R> fmt::Debug for X128<D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "X128<{D}>")
    }
}

impl<const D: usize, R> fmt::Debug for X256<D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "X256<{D}>")
    }
}

/// The implementation's side of [`Variant`]; it can be named nowhere else.
pub trait VariantImpl: Send + Sync + 'static {
    /// The key's and the nonce's length.
    type KeySize: ArraySize;
    /// The state over the lanes of `L`.
    type State<L: Lanes>: State<L>;
    /// The number of lanes.
    const DEGREE: usize;
    /// The bytes of one update.
    const RATE: usize;

    /// The context of lane `i`.
    fn context(i: usize) -> [u8; 2];
}

impl<const D: usize, R: ContextRule> VariantImpl for X128<D, R> {
    type KeySize = U16;
    type State<L: Lanes> = State128<L>;
    const DEGREE: usize = checked(D);
    const RATE: usize = 32 * D;

    #[inline(always)]
    fn context(i: usize) -> [u8; 2] {
        R::context(i as u8, D as u8)
    }
}

impl<const D: usize, R: ContextRule> VariantImpl for X256<D, R> {
    type KeySize = U32;
    type State<L: Lanes> = State256<L>;
    const DEGREE: usize = checked(D);
    const RATE: usize = 16 * D;

    #[inline(always)]
    fn context(i: usize) -> [u8; 2] {
        R::context(i as u8, D as u8)
    }
}

/// Refuses a degree that is not supported, when the algorithm is compiled.
const fn checked(degree: usize) -> usize {
    assert!(degree >= 1 && degree <= MAX_DEGREE, "the degree is 1 to 16");
    degree
}
