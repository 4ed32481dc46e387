//! Reads an input's values, from its beginning on, and zeros after its end.

#![allow(dead_code, reason = "each target takes what it needs")]

pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// At most `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let (mut array, bytes) = ([0; N], self.bytes(N));
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    pub(crate) fn number(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.bytes(usize::MAX)
    }
}
