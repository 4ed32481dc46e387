//! The permutations that Flex works over (section 2).

/// A permutation and its security level.
///
/// Sealing and opening take up to 24 KiB of stack; with [`S1024`](Self::S1024) up to
/// 48 KiB, with [`K1600`](Self::K1600) up to 92 KiB. (A [`FlexAead`](super::super::FlexAead) holds
/// its key in itself, so that making one takes up to 48 KiB.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Simpira v2 on 64 bytes: the default.
    S512,
    /// Simpira v2 on 32 bytes, of the 64-bit level.
    S256,
    /// Simpira v2 on 128 bytes.
    S1024,
    /// Simpira v2 on 48 bytes: experimental.
    S384,
    /// Areion on 64 bytes: the lowest latency, for short messages.
    A512,
    /// Areion on 32 bytes, of the 64-bit level.
    A256,
    /// Keccak-p with 12 rounds, on 200 bytes: for CPUs without AES instructions.
    K1600,
    /// Ascon-p with 12 rounds, on 40 bytes: for small hardware, of the 64-bit level.
    As320,
}

impl Profile {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::S512,
        Self::S256,
        Self::S1024,
        Self::S384,
        Self::A512,
        Self::A256,
        Self::K1600,
        Self::As320,
    ];

    /// The name in the specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::S512 => "S512",
            Self::S256 => "S256",
            Self::S1024 => "S1024",
            Self::S384 => "S384",
            Self::A512 => "A512",
            Self::A256 => "A256",
            Self::K1600 => "K1600",
            Self::As320 => "AS320",
        }
    }

    /// B, the bytes of a block.
    #[must_use]
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::S256 | Self::A256 => 32,
            Self::As320 => 40,
            Self::S384 => 48,
            Self::S512 | Self::A512 => 64,
            Self::S1024 => 128,
            Self::K1600 => 200,
        }
    }

    /// t, the longest tag in bytes. A commitment has half as many bits of security.
    #[must_use]
    pub const fn tag_bytes(self) -> usize {
        match self {
            Self::S256 | Self::A256 | Self::As320 => 16,
            _ => 32,
        }
    }

    /// Whether it is of the 64-bit level.
    pub(super) const fn has_64_bits(self) -> bool {
        self.tag_bytes() == 16
    }

    /// The number in a configuration's bytes.
    pub(super) const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The one that has this number.
    pub(super) const fn from_number(number: u8) -> Option<Self> {
        match number {
            1..=8 => Some(Self::ALL[number as usize - 1]),
            _ => None,
        }
    }
}
