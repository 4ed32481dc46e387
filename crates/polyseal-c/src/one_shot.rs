//! One call that takes a key's bytes, and seals or opens one message.
//!
//! [`ByType`] is for the types of the core: the cipher is made on the stack and wiped there.
//! [`ByName`] is for the rest, which is found by its name.

use std::marker::PhantomData;

use polyseal::aead::array::typenum::Unsigned;
use polyseal::aead::common::KeySizeUser;
use polyseal::aead::{AeadCore, AeadInOut, Key, KeyInit, Nonce, Tag};
use polyseal::registry::Algorithm;

use crate::error::{Code, Failure, Result};
use crate::ffi::{Region, bytes, bytes_mut, expect_apart, expect_same_or_apart, null, transfer};
use crate::prepared::polyseal_aead;

/// The arguments of a call beside the message.
#[derive(Clone, Copy)]
pub(crate) struct CallInputs {
    pub(crate) ad: *const u8,
    pub(crate) adlen: usize,
    pub(crate) npub: *const u8,
    pub(crate) k: *const u8,
}

/// Where a message is on its way from and to, and how long the input is; without its tag, where
/// that is apart.
#[derive(Clone, Copy)]
pub(crate) struct Buffers {
    pub(crate) output: *mut u8,
    pub(crate) input: *const u8,
    pub(crate) len: usize,
}

/// An algorithm with fixed sizes.
pub(crate) trait OneShot {
    /// Seals the text; the tag goes to `mac`.
    ///
    /// # Safety
    /// The pointers lead to as many bytes as are said, or as the algorithm needs.
    unsafe fn seal(name: &str, text: Buffers, mac: *mut u8, given: CallInputs) -> Result;

    /// Opens the text, if the tag at `mac` is authentic.
    ///
    /// # Safety
    /// As [`seal`](Self::seal).
    unsafe fn open(name: &str, text: Buffers, mac: *const u8, given: CallInputs) -> Result;

    /// Seals the text to ciphertext and tag, in the algorithm's own order.
    ///
    /// # Safety
    /// As [`seal`](Self::seal).
    unsafe fn seal_whole(name: &str, text: Buffers, given: CallInputs) -> Result;

    /// Opens ciphertext and tag.
    ///
    /// # Safety
    /// As [`seal`](Self::seal).
    unsafe fn open_whole(name: &str, text: Buffers, given: CallInputs) -> Result;
}

/// A type of the core.
pub(crate) struct ByType<A>(PhantomData<A>);

/// An algorithm that is found by its name.
pub(crate) struct ByName;

/// The bytes behind the message.
///
/// # Safety
/// There are `len` bytes at `start`, and more.
#[inline]
pub(crate) unsafe fn end_of(start: *mut u8, len: usize) -> Result<*mut u8> {
    if start.is_null() {
        return Err(null("the output"));
    }
    if len > isize::MAX as usize {
        return Err(Failure::from_code(Code::TooLong));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { start.add(len) })
}

/// How long the message in a sealed one of `clen` bytes is.
#[inline]
pub(crate) fn message_len(clen: usize, tag: usize) -> Result<usize> {
    clen.checked_sub(tag).ok_or_else(|| {
        Failure::new(Code::Length, format!("{clen} bytes are shorter than a tag, {tag} bytes"))
    })
}

/// The public inputs and the key, as the type wants them.
struct TypedInputs<'a, A: AeadCore + KeySizeUser> {
    ad: &'a [u8],
    nonce: &'a Nonce<A>,
    key: &'a Key<A>,
}

impl<A: AeadCore + KeySizeUser> TypedInputs<'_, A> {
    /// # Safety
    /// As [`OneShot::seal`].
    #[inline(always)]
    unsafe fn read(given: CallInputs) -> Result<Self> {
        let CallInputs { ad, adlen, npub, k } = given;
        // SAFETY: the caller's promise.
        let (ad, nonce, key) = unsafe {
            (bytes(ad, adlen)?, bytes(npub, A::NonceSize::USIZE)?, bytes(k, A::key_size())?)
        };
        match (nonce.try_into(), key.try_into()) {
            (Ok(nonce), Ok(key)) => Ok(Self { ad, nonce, key }),
            _ => Err(Failure::from_code(Code::Defect)),
        }
    }

    #[inline]
    fn regions(&self) -> [Region; 3] {
        [Region::from_slice(self.ad), Region::from_slice(self.nonce), Region::from_slice(self.key)]
    }
}

impl<A: KeyInit + AeadInOut> ByType<A> {
    /// Seals once it is known that nothing overlaps what it must not.
    ///
    /// # Safety
    /// As [`OneShot::seal`]; the output is the input or apart from it, and nothing else overlaps an
    /// output.
    #[inline(always)]
    unsafe fn seal_apart(
        name: &str,
        Buffers { output: c, input: m, len: mlen }: Buffers,
        mac: *mut u8,
        inputs: &TypedInputs<'_, A>,
    ) -> Result {
        // SAFETY: the caller's promise.
        let (buffer, mac) = unsafe { (transfer(m, c, mlen)?, bytes_mut(mac, A::TagSize::USIZE)?) };
        let sealed = A::new(inputs.key).encrypt_inout_detached(inputs.nonce, inputs.ad, buffer);
        mac.copy_from_slice(&sealed.map_err(|_| failure(name, mlen, Code::Defect))?);
        Ok(())
    }
}

impl<A: KeyInit + AeadInOut> OneShot for ByType<A> {
    #[inline]
    unsafe fn seal(name: &str, text: Buffers, mac: *mut u8, given: CallInputs) -> Result {
        let Buffers { output: c, input: m, len: mlen } = text;
        // SAFETY: the caller's promise.
        let inputs = unsafe { TypedInputs::<A>::read(given) }?;
        let (output, tag) = (Region::new(c, mlen), Region::new(mac, A::TagSize::USIZE));
        let message = Region::new(m, mlen);
        expect_apart(output, &inputs.regions())?;
        expect_apart(tag, &inputs.regions())?;
        expect_apart(tag, &[output, message])?;
        expect_same_or_apart(output, message)?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        unsafe { Self::seal_apart(name, text, mac, &inputs) }
    }

    #[inline]
    unsafe fn open(name: &str, text: Buffers, mac: *const u8, given: CallInputs) -> Result {
        let Buffers { output: m, input: c, len: mlen } = text;
        // SAFETY: the caller's promise.
        let (inputs, mac) =
            unsafe { (TypedInputs::<A>::read(given)?, bytes(mac, A::TagSize::USIZE)?) };
        let output = Region::new(m, mlen);
        let [ad, nonce, key] = inputs.regions();
        expect_apart(output, &[ad, nonce, key, Region::from_slice(mac)])?;
        expect_same_or_apart(output, Region::new(c, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let buffer = unsafe { transfer(c, m, mlen) }?;
        let tag = <&Tag<A>>::try_from(mac).map_err(|_| Failure::from_code(Code::Defect))?;
        A::new(inputs.key)
            .decrypt_inout_detached(inputs.nonce, inputs.ad, buffer, tag)
            .map_err(|_| failure(name, mlen, Code::Unauthentic))
    }

    #[inline]
    unsafe fn seal_whole(name: &str, text: Buffers, given: CallInputs) -> Result {
        let Buffers { output: c, input: m, len: mlen } = text;
        // SAFETY: the caller's promise.
        let (inputs, mac) = unsafe { (TypedInputs::<A>::read(given)?, end_of(c, mlen)?) };
        let output = Region::new(c, mlen + A::TagSize::USIZE);
        expect_apart(output, &inputs.regions())?;
        expect_same_or_apart(output, Region::new(m, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        unsafe { Self::seal_apart(name, text, mac, &inputs) }
    }

    #[inline]
    unsafe fn open_whole(name: &str, text: Buffers, given: CallInputs) -> Result {
        let Buffers { output: m, input: c, len: clen } = text;
        let mlen = message_len(clen, A::TagSize::USIZE)?;
        // SAFETY: the caller's promise; `mac` is written to by nobody.
        let mac = unsafe { end_of(c.cast_mut(), mlen) }?;
        // SAFETY: the same.
        unsafe { Self::open(name, Buffers { output: m, input: c, len: mlen }, mac, given) }
    }
}

/// RustCrypto's traits do not say why: only a length can be the reason, beside `otherwise`.
#[cold]
fn failure(name: &str, mlen: usize, otherwise: Code) -> Failure {
    match name.parse::<Algorithm>() {
        Ok(algorithm) if algorithm.ciphertext_bytes(mlen as u64).is_some() => {
            Failure::from_code(otherwise)
        }
        _ => Failure::from_code(Code::TooLong),
    }
}

impl OneShot for ByName {
    unsafe fn seal(name: &str, text: Buffers, mac: *mut u8, given: CallInputs) -> Result {
        let Buffers { output: c, input: m, len: mlen } = text;
        // SAFETY: the caller's promise.
        unsafe {
            let (aead, [ad, nonce, key]) = prepare(name, given)?;
            let outputs = [Region::new(c, mlen), Region::new(mac, aead.sizes().tag)];
            for output in outputs {
                expect_apart(output, &[Region::from_slice(key)])?;
            }
            aead.seal_detached(c, mac, m, mlen, ad, nonce)
        }
    }

    unsafe fn open(name: &str, text: Buffers, mac: *const u8, given: CallInputs) -> Result {
        let Buffers { output: m, input: c, len: mlen } = text;
        // SAFETY: the caller's promise.
        unsafe {
            let (aead, [ad, nonce, key]) = prepare(name, given)?;
            expect_apart(Region::new(m, mlen), &[Region::from_slice(key)])?;
            aead.open_detached(m, c, mlen, mac, ad, nonce)
        }
    }

    unsafe fn seal_whole(name: &str, text: Buffers, given: CallInputs) -> Result {
        let Buffers { output: c, input: m, len: mlen } = text;
        // SAFETY: the caller's promise.
        unsafe {
            let (aead, [ad, nonce, key]) = prepare(name, given)?;
            let clen = aead.sealed_bytes(mlen)?;
            expect_apart(Region::new(c, clen), &[Region::from_slice(key)])?;
            aead.seal(c, clen, m, mlen, ad, nonce)
        }
    }

    unsafe fn open_whole(name: &str, text: Buffers, given: CallInputs) -> Result {
        let Buffers { output: m, input: c, len: clen } = text;
        // SAFETY: the caller's promise.
        unsafe {
            let (aead, [ad, nonce, key]) = prepare(name, given)?;
            let mlen = aead.message_bytes(clen)?;
            expect_apart(Region::new(m, mlen), &[Region::from_slice(key)])?;
            aead.open(m, mlen, c, clen, ad, nonce)
        }
    }
}

/// The algorithm with its key, and the associated data, the nonce and the key.
///
/// # Safety
/// As [`OneShot::seal`].
pub(crate) unsafe fn prepare<'a>(
    name: &str,
    given: CallInputs,
) -> Result<(polyseal_aead, [&'a [u8]; 3])> {
    let algorithm: Algorithm = name.parse()?;
    let CallInputs { ad, adlen, npub, k } = given;
    // SAFETY: the caller's promise.
    let (ad, nonce, key) = unsafe {
        (bytes(ad, adlen)?, bytes(npub, algorithm.nonce_bytes())?, bytes(k, algorithm.key_bytes())?)
    };
    Ok((polyseal_aead::new(&algorithm, key, b"")?, [ad, nonce, key]))
}
