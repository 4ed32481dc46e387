//! AEGIS in pieces: encryption as the message arrives, and decryption that releases nothing before
//! the tag is verified.
//!
//! Between calls the state is kept as bytes, independent of the back end; at most one update's
//! bytes wait for the rest of their block.

use core::fmt;
use core::marker::PhantomData;

use aead::Nonce;
use aead::inout::InOutBuf;
use zeroize::Zeroize;

use super::MAX_BYTES;
use super::cipher::{Aegis, KeyOnBackend, LONGEST, TagBytes};
use super::engine::{Engine, LaneTask, MEASURED, MessageTask, OnLanes};
use super::pass::{Decrypt, Encrypt, XorKeyStream};
use super::variant::{MAX_DEGREE, Variant, VariantImpl};
use crate::backend::{Backend, Lanes};
use crate::contract::pieces;
use crate::error::{Error, Result};

/// A message on its way, between two calls. Wiped on drop.
pub struct Ongoing<V: Variant> {
    backend: Backend,
    variant: PhantomData<V>,
    /// The state: register by register, lane by lane.
    registers: [[u8; 16]; 8 * MAX_DEGREE],
    /// The message (not the ciphertext) of the update under way.
    pending: [[u8; 16]; 2 * MAX_DEGREE],
    /// The key stream of the update under way.
    key_stream: [[u8; 16]; 2 * MAX_DEGREE],
    ad_bytes: u64,
    message_bytes: u64,
}

impl<V: Variant> Ongoing<V> {
    pub(super) fn new(key: &KeyOnBackend<V::KeySize>, nonce: &[u8], ad: &[u8]) -> Self {
        let mut ongoing = Self {
            backend: key.backend,
            variant: PhantomData,
            registers: [[0; 16]; 8 * MAX_DEGREE],
            pending: [[0; 16]; 2 * MAX_DEGREE],
            key_stream: [[0; 16]; 2 * MAX_DEGREE],
            ad_bytes: ad.len() as u64,
            message_bytes: 0,
        };
        let registers = ongoing.registers.as_flattened_mut();
        key.run::<V, _, MEASURED>(nonce, Start { ad, registers });
        ongoing
    }

    /// How many bytes the update under way has.
    fn pending_bytes(&self) -> usize {
        (self.message_bytes % V::RATE as u64) as usize
    }

    /// Where to cut the next `bytes` bytes: the end of the update under way, then of the last whole
    /// update.
    fn cuts(&self, bytes: usize) -> Result<(usize, usize)> {
        if bytes as u64 > MAX_BYTES - self.message_bytes {
            return Err(Error::TooLong { what: "message", limit: MAX_BYTES });
        }
        let pending = self.pending_bytes();
        let head = if pending == 0 { 0 } else { bytes.min(V::RATE - pending) };
        Ok((head, head + (bytes - head) / V::RATE * V::RATE))
    }

    /// Absorbs `data` as message, without encrypting it.
    pub(super) fn absorb(&mut self, data: &[u8]) -> Result<()> {
        let (head, whole) = self.cuts(data.len())?;
        self.hold(&data[..head]);
        self.absorb_updates(&data[head..whole]);
        self.hold(&data[whole..]);
        Ok(())
    }

    fn absorb_updates(&mut self, data: &[u8]) {
        if !data.is_empty() {
            self.backend.run(OnLanes::<V, _, MEASURED>::new(Absorb {
                registers: self.registers.as_flattened_mut(),
                data,
            }));
            self.message_bytes += data.len() as u64;
        }
    }

    /// Adds message that stays within one update, and absorbs it if that makes it whole.
    fn hold(&mut self, message: &[u8]) {
        let at = self.pending_bytes();
        self.pending.as_flattened_mut()[at..at + message.len()].copy_from_slice(message);
        self.message_bytes += message.len() as u64;
        if !message.is_empty() && self.pending_bytes() == 0 {
            let data = &self.pending.as_flattened()[..V::RATE];
            self.backend.run(OnLanes::<V, _, MEASURED>::new(Absorb {
                registers: self.registers.as_flattened_mut(),
                data,
            }));
        }
    }

    fn take(&mut self, buffer: InOutBuf<'_, '_, u8>, seals: bool) -> Result<()> {
        let (head, whole) = self.cuts(buffer.len())?;
        let (rest, tail) = buffer.split_at(whole);
        let (head, whole) = rest.split_at(head);
        self.transform_part(head, seals);
        if !whole.is_empty() {
            self.message_bytes += whole.len() as u64;
            let registers = self.registers.as_flattened_mut();
            self.backend.run(OnLanes::<V, _, MEASURED>::new(Transform {
                registers,
                buffer: whole,
                seals,
            }));
        }
        self.transform_part(tail, seals);
        Ok(())
    }

    /// Takes bytes that stay within one update.
    fn transform_part(&mut self, mut buffer: InOutBuf<'_, '_, u8>, seals: bool) {
        if buffer.is_empty() {
            return;
        }
        let at = self.pending_bytes();
        if at == 0 {
            let output = &mut self.key_stream.as_flattened_mut()[..V::RATE];
            output.fill(0);
            let registers = self.registers.as_flattened();
            self.backend.run(OnLanes::<V, _, MEASURED>::new(Peek { registers, output }));
        }
        let mut message = [[0; 16]; 2 * MAX_DEGREE];
        let message = &mut message.as_flattened_mut()[..buffer.len()];
        let key_stream = &self.key_stream.as_flattened()[at..at + buffer.len()];
        match seals {
            true => {
                message.copy_from_slice(buffer.get_in());
                buffer.xor_in2out(key_stream);
            }
            false => {
                buffer.xor_in2out(key_stream);
                message.copy_from_slice(buffer.get_out());
            }
        }
        self.hold(message);
        message.zeroize();
    }

    /// Absorbs what is pending.
    fn flush(&mut self) {
        let data = &self.pending.as_flattened()[..self.pending_bytes()];
        self.backend.run(OnLanes::<V, _, MEASURED>::new(Absorb {
            registers: self.registers.as_flattened_mut(),
            data,
        }));
    }

    pub(super) fn mac_tag(&mut self, tag: &mut [u8]) {
        self.flush();
        self.backend.run(OnLanes::<V, _, MEASURED>::new(FinalizeMac {
            registers: self.registers.as_flattened(),
            message_bytes: self.message_bytes,
            tag,
        }));
    }
}

impl<V: Variant> fmt::Debug for Ongoing<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ongoing").finish_non_exhaustive()
    }
}

impl<V: Variant> Drop for Ongoing<V> {
    fn drop(&mut self) {
        self.registers.as_flattened_mut().zeroize();
        self.pending.as_flattened_mut().zeroize();
        self.key_stream.as_flattened_mut().zeroize();
    }
}

/// Encrypts a message that arrives in pieces.
pub type Encryptor<V, T> = pieces::Encryptor<Ongoing<V>, T>;
/// Decrypts a message that arrives in pieces.
pub type Decryptor<'a, V, T> = pieces::Decryptor<'a, Ongoing<V>, T>;

impl<V: Variant> pieces::Ongoing for Ongoing<V> {
    fn transform<const SEALS: bool>(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        self.take(buffer, SEALS)
    }

    fn tag(&mut self, tag: &mut [u8]) {
        self.flush();
        self.backend.run(OnLanes::<V, _, MEASURED>::new(Finalize {
            registers: self.registers.as_flattened(),
            ad_bytes: self.ad_bytes,
            message_bytes: self.message_bytes,
            tag,
        }));
    }
}

impl<V: Variant, T: TagBytes> Aegis<V, T> {
    /// Begins to encrypt a message that arrives in pieces.
    ///
    /// # Errors
    /// [`Error::TooLong`] for associated data above [`MAX_BYTES`].
    pub fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<V, T>> {
        LONGEST.check(ad.len(), 0)?;
        Ok(Encryptor::new(Ongoing::new(&self.key, nonce, ad)))
    }

    /// Begins to decrypt a message that arrives in pieces into `destination`, which must be at
    /// least as long as the message.
    ///
    /// # Errors
    /// [`Error::TooLong`] for associated data above [`MAX_BYTES`].
    pub fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        destination: &'a mut [u8],
    ) -> Result<Decryptor<'a, V, T>> {
        LONGEST.check(ad.len(), 0)?;
        Ok(Decryptor::new(Ongoing::new(&self.key, nonce, ad), destination))
    }
}

struct Start<'a> {
    ad: &'a [u8],
    registers: &'a mut [u8],
}

impl<V: VariantImpl> MessageTask<V> for Start<'_> {
    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, mut engine: Engine<V, L, K>) {
        engine.absorb(self.ad);
        engine.freeze(self.registers);
    }
}

struct Absorb<'a> {
    registers: &'a mut [u8],
    data: &'a [u8],
}

impl<V: VariantImpl> LaneTask<V> for Absorb<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let mut engine = Engine::<V, L, K>::thaw(isa, self.registers);
        engine.absorb(self.data);
        engine.freeze(self.registers);
    }
}

/// Encrypts or decrypts whole updates.
struct Transform<'a, 'i, 'o> {
    registers: &'a mut [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    seals: bool,
}

impl<V: VariantImpl> LaneTask<V> for Transform<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let mut engine = Engine::<V, L, K>::thaw(isa, self.registers);
        match self.seals {
            true => engine.take(Encrypt { buffer: self.buffer }),
            false => engine.take(Decrypt { buffer: self.buffer }),
        }
        engine.freeze(self.registers);
    }
}

/// Exclusive-ors the key stream of the next update into `output`, leaving the state as it is.
struct Peek<'a> {
    registers: &'a [u8],
    output: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for Peek<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let buffer = self.output.into();
        Engine::<V, L, K>::thaw(isa, self.registers).take(XorKeyStream { buffer });
    }
}

struct Finalize<'a> {
    registers: &'a [u8],
    ad_bytes: u64,
    message_bytes: u64,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for Finalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let engine = Engine::<V, L, K>::thaw(isa, self.registers);
        engine.finalize(self.ad_bytes, self.message_bytes, self.tag);
    }
}

struct FinalizeMac<'a> {
    registers: &'a [u8],
    message_bytes: u64,
    tag: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for FinalizeMac<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let engine = Engine::<V, L, K>::thaw(isa, self.registers);
        engine.finalize_mac(self.message_bytes, self.tag);
    }
}
