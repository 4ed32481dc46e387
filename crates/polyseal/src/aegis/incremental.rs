//! AEGIS in pieces: encryption as the message arrives, and decryption that releases nothing before
//! the tag is verified.
//!
//! Between calls the state is kept as bytes, independent of the back end; at most one update's
//! bytes wait for the rest of their block.

use core::fmt;
use core::marker::PhantomData;

use aead::inout::InOutBuf;
use aead::{Nonce, Tag};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::MAX_BYTES;
use super::cipher::{Aegis, Dispatch, Keyed, TagBytes, check_lengths};
use super::engine::{Engine, LaneTask};
use super::pass::{Decrypt, Encrypt, XorKeyStream};
use super::variant::{MAX_DEGREE, Variant, VariantImpl};
use crate::backend::Lanes;
use crate::ct;
use crate::error::{Error, Result};

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// A message on its way, between two calls. Wiped on drop.
pub(super) struct Ongoing<V: Variant> {
    dispatch: Dispatch<V>,
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
    pub(super) fn new(keyed: &Keyed<V>, nonce: &[u8], ad: &[u8]) -> Self {
        let mut ongoing = Self {
            dispatch: keyed.dispatch,
            registers: [[0; 16]; 8 * MAX_DEGREE],
            pending: [[0; 16]; 2 * MAX_DEGREE],
            key_stream: [[0; 16]; 2 * MAX_DEGREE],
            ad_bytes: ad.len() as u64,
            message_bytes: 0,
        };
        let registers = ongoing.registers.as_flattened_mut();
        keyed.run(Start { key: &keyed.key, nonce, ad, registers });
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
            self.dispatch.run(Absorb { registers: self.registers.as_flattened_mut(), data });
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
            self.dispatch.run(Absorb { registers: self.registers.as_flattened_mut(), data });
        }
    }

    fn transform(&mut self, buffer: InOutBuf<'_, '_, u8>, direction: Direction) -> Result<()> {
        let (head, whole) = self.cuts(buffer.len())?;
        let (rest, tail) = buffer.split_at(whole);
        let (head, whole) = rest.split_at(head);
        self.transform_part(head, direction);
        if !whole.is_empty() {
            self.message_bytes += whole.len() as u64;
            let registers = self.registers.as_flattened_mut();
            self.dispatch.run(Transform { registers, buffer: whole, direction });
        }
        self.transform_part(tail, direction);
        Ok(())
    }

    /// Takes bytes that stay within one update.
    fn transform_part(&mut self, mut buffer: InOutBuf<'_, '_, u8>, direction: Direction) {
        if buffer.is_empty() {
            return;
        }
        let at = self.pending_bytes();
        if at == 0 {
            let output = &mut self.key_stream.as_flattened_mut()[..V::RATE];
            output.fill(0);
            let registers = self.registers.as_flattened();
            self.dispatch.run(Peek { registers, output });
        }
        let mut message = [[0; 16]; 2 * MAX_DEGREE];
        let message = &mut message.as_flattened_mut()[..buffer.len()];
        let key_stream = &self.key_stream.as_flattened()[at..at + buffer.len()];
        match direction {
            Direction::Encrypt => {
                message.copy_from_slice(buffer.get_in());
                buffer.xor_in2out(key_stream);
            }
            Direction::Decrypt => {
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
        self.dispatch.run(Absorb { registers: self.registers.as_flattened_mut(), data });
    }

    fn tag(&mut self, tag: &mut [u8]) {
        self.flush();
        self.dispatch.run(Finalize {
            registers: self.registers.as_flattened(),
            ad_bytes: self.ad_bytes,
            message_bytes: self.message_bytes,
            tag,
        });
    }

    pub(super) fn mac_tag(&mut self, tag: &mut [u8]) {
        self.flush();
        self.dispatch.run(FinalizeMac {
            registers: self.registers.as_flattened(),
            message_bytes: self.message_bytes,
            tag,
        });
    }
}

impl<V: Variant> Drop for Ongoing<V> {
    fn drop(&mut self) {
        self.registers.as_flattened_mut().zeroize();
        self.pending.as_flattened_mut().zeroize();
        self.key_stream.as_flattened_mut().zeroize();
    }
}

/// Encrypts a message that arrives in pieces. The ciphertext of each piece is as long as the piece.
///
/// ```
/// use polyseal::aead::KeyInit;
/// use polyseal::aegis::Aegis128L;
///
/// let cipher = Aegis128L::new(&[1; 16].into());
/// let mut encryptor = cipher.encryptor(&[2; 16].into(), b"header")?;
/// let mut message = *b"two pieces";
/// let (first, second) = message.split_at_mut(3);
/// encryptor.update(first.into())?;
/// encryptor.update(second.into())?;
/// let tag = encryptor.finalize();
///
/// let mut buffer = [0; 16];
/// let mut decryptor = cipher.decryptor(&[2; 16].into(), b"header", &mut buffer)?;
/// decryptor.update(&message[..7])?;
/// decryptor.update(&message[7..])?;
/// assert_eq!(decryptor.finalize(&tag)?, b"two pieces");
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct Encryptor<V: Variant, T: TagBytes> {
    ongoing: Ongoing<V>,
    tag: PhantomData<T>,
}

impl<V: Variant, T: TagBytes> Encryptor<V, T> {
    /// Encrypts the next piece from `buffer`'s input to its output.
    ///
    /// # Errors
    /// [`Error::TooLong`] when the message grows above [`MAX_BYTES`].
    pub fn update(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        self.ongoing.transform(buffer, Direction::Encrypt)
    }

    /// The tag of the whole message.
    #[must_use]
    pub fn finalize(mut self) -> Tag<Aegis<V, T>> {
        let mut tag = Tag::<Aegis<V, T>>::default();
        self.ongoing.tag(&mut tag);
        tag
    }
}

/// Decrypts a message that arrives in pieces into a buffer that stays out of reach until the tag is
/// verified. If it is not, or if the decryptor is dropped before, what was written is wiped.
///
/// A decryptor must be finalised or dropped: one that is leaked ([`core::mem::forget`]) gives its
/// buffer back as it is, with what has been decrypted and not verified.
pub struct Decryptor<'a, V: Variant, T: TagBytes> {
    ongoing: Ongoing<V>,
    destination: &'a mut [u8],
    written: usize,
    tag: PhantomData<T>,
}

impl<'a, V: Variant, T: TagBytes> Decryptor<'a, V, T> {
    /// Decrypts the next piece behind the previous one.
    ///
    /// # Errors
    /// [`Error::Buffer`] if the destination is too short, [`Error::TooLong`] when the message grows
    /// above [`MAX_BYTES`]; then nothing of the piece has been taken.
    pub fn update(&mut self, ciphertext: &[u8]) -> Result<()> {
        let free = &mut self.destination[self.written..];
        let (expected, actual) = (ciphertext.len(), free.len());
        let Some(output) = free.get_mut(..expected) else {
            return Err(Error::Buffer { expected, actual });
        };
        let buffer =
            InOutBuf::new(ciphertext, output).map_err(|_| Error::Buffer { expected, actual })?;
        self.ongoing.transform(buffer, Direction::Decrypt)?;
        self.written += expected;
        Ok(())
    }

    /// Releases the message if `tag` is authentic.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not: what was written has been wiped.
    pub fn finalize(mut self, tag: &Tag<Aegis<V, T>>) -> Result<&'a mut [u8]> {
        let mut expected = Tag::<Aegis<V, T>>::default();
        self.ongoing.tag(&mut expected);
        // On failure, dropping `self` wipes the destination.
        ct::verify(&mut expected, tag)?;
        let written = core::mem::take(&mut self.written);
        Ok(&mut core::mem::take(&mut self.destination)[..written])
    }
}

impl<V: Variant, T: TagBytes> Drop for Decryptor<'_, V, T> {
    fn drop(&mut self) {
        self.destination[..self.written].zeroize();
    }
}

impl<V: Variant, T: TagBytes> Aegis<V, T> {
    /// Begins to encrypt a message that arrives in pieces.
    ///
    /// # Errors
    /// [`Error::TooLong`] for associated data above [`MAX_BYTES`].
    pub fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<V, T>> {
        check_lengths(ad.len(), 0)?;
        Ok(Encryptor { ongoing: Ongoing::new(&self.keyed, nonce, ad), tag: PhantomData })
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
        check_lengths(ad.len(), 0)?;
        let ongoing = Ongoing::new(&self.keyed, nonce, ad);
        Ok(Decryptor { ongoing, destination, written: 0, tag: PhantomData })
    }
}

impl<V: Variant, T: TagBytes> fmt::Debug for Encryptor<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl<V: Variant, T: TagBytes> fmt::Debug for Decryptor<'_, V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").finish_non_exhaustive()
    }
}

impl<V: Variant, T: TagBytes> ZeroizeOnDrop for Encryptor<V, T> {}
impl<V: Variant, T: TagBytes> ZeroizeOnDrop for Decryptor<'_, V, T> {}

struct Start<'a> {
    key: &'a [u8],
    nonce: &'a [u8],
    ad: &'a [u8],
    registers: &'a mut [u8],
}

impl<V: VariantImpl> LaneTask<V> for Start<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let mut engine = Engine::<V, L, K>::new(isa, self.key, self.nonce);
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
    direction: Direction,
}

impl<V: VariantImpl> LaneTask<V> for Transform<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        let mut engine = Engine::<V, L, K>::thaw(isa, self.registers);
        match self.direction {
            Direction::Encrypt => engine.take(Encrypt { buffer: self.buffer }),
            Direction::Decrypt => engine.take(Decrypt { buffer: self.buffer }),
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
