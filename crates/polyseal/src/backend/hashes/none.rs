//! Instructions that an architecture does not have.

/// There is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {}

impl Unit {
    #[inline(always)]
    pub(crate) fn compress<W, const B: usize, const N: usize>(
        self,
        _k: &[W],
        _key: &[W; 8],
        _sums: &[W; 8],
        _chains: [&mut [u8; B]; N],
        _blocks: [&[u8; B]; N],
    ) {
        match self {}
    }
}
