//! The differences between AEGIS algorithms: the state, the degree, the rule for contexts.

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
    /// Whether a context has the degree as its second byte.
    #[doc(hidden)]
    const WITH_DEGREE: bool;
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
    const WITH_DEGREE: bool = true;
}

impl sealed::Sealed for V1 {}
impl ContextRule for V1 {
    const WITH_DEGREE: bool = false;
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
    /// The registers of the state of a lane.
    const REGISTERS: usize;
    /// The contexts of the lanes.
    const CONTEXTS: [[u8; 16]; MAX_DEGREE];
}

impl<const D: usize, R: ContextRule> VariantImpl for X128<D, R> {
    type KeySize = U16;
    type State<L: Lanes> = State128<L>;
    const DEGREE: usize = checked(D);
    const RATE: usize = 32 * D;
    const REGISTERS: usize = 8;
    const CONTEXTS: [[u8; 16]; MAX_DEGREE] = contexts(R::WITH_DEGREE, D);
}

impl<const D: usize, R: ContextRule> VariantImpl for X256<D, R> {
    type KeySize = U32;
    type State<L: Lanes> = State256<L>;
    const DEGREE: usize = checked(D);
    const RATE: usize = 16 * D;
    const REGISTERS: usize = 6;
    const CONTEXTS: [[u8; 16]; MAX_DEGREE] = contexts(R::WITH_DEGREE, D);
}

/// Refuses a degree that is not supported, when the algorithm is compiled.
const fn checked(degree: usize) -> usize {
    assert!(degree >= 1 && degree <= MAX_DEGREE, "the degree is 1 to 16");
    degree
}

/// `Byte(i)`, with the degree `Byte(D − 1)`, then zeros, for each lane `i`.
const fn contexts(with_degree: bool, degree: usize) -> [[u8; 16]; MAX_DEGREE] {
    let mut contexts = [[0; 16]; MAX_DEGREE];
    let mut i = 0;
    while i < degree {
        contexts[i][0] = i as u8;
        contexts[i][1] = if with_degree { (degree - 1) as u8 } else { 0 };
        i += 1;
    }
    contexts
}
