//! Prepared keys: an algorithm by its name, and its key, expanded once.
//!
//! A handle is read-only after it has been made, so that threads can share one. Here C says every
//! length, and each is checked: whose name is known only at run time has no fixed sizes.

use std::ffi::{c_char, c_int};

use polyseal::any::AnyAead;
use polyseal::registry::Algorithm;
use zeroize::{Zeroize, Zeroizing};

use crate::border::{
    Region, border, border_value, bytes, bytes_mut, expect_apart, expect_same_or_apart, hand_over,
    release, text, there, there_mut, transfer,
};
use crate::error::{Code, Failure, Outcome};
use crate::one_shot::{behind, without_tag};

/// A key, prepared for one algorithm.
#[derive(Debug)]
pub struct polyseal_aead {
    aead: AnyAead,
    sizes: Sizes,
}

/// What is asked of the algorithm for every message, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) nonce: usize,
    pub(crate) tag: usize,
    /// What of the tag stands before the ciphertext.
    head: usize,
    /// Whether there are no detached calls.
    whole: bool,
}

// Threads may share a handle.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<polyseal_aead>();
};

impl polyseal_aead {
    pub(crate) fn new(algorithm: &Algorithm, key: &[u8], setup: &[u8]) -> Outcome<Self> {
        let aead = match setup {
            [] => AnyAead::new(algorithm, key)?,
            _ => AnyAead::with_setup_ad(algorithm, key, setup)?,
        };
        let sizes = Sizes {
            nonce: algorithm.nonce_bytes(),
            tag: algorithm.tag_bytes(),
            head: algorithm.head_bytes(),
            whole: algorithm.is_whole(),
        };
        Ok(Self { aead, sizes })
    }

    pub(crate) fn any(&self) -> &AnyAead {
        &self.aead
    }

    pub(crate) fn sizes(&self) -> Sizes {
        self.sizes
    }

    pub(crate) fn sealed_bytes(&self, mlen: usize) -> Outcome<usize> {
        let sealed = self.aead.algorithm().ciphertext_bytes(mlen as u64);
        sealed.and_then(|n| n.try_into().ok()).ok_or_else(|| Failure::of(Code::TooLong))
    }

    pub(crate) fn message_bytes(&self, clen: usize) -> Outcome<usize> {
        let message = self.aead.algorithm().message_bytes(clen as u64);
        message.and_then(|n| n.try_into().ok()).ok_or_else(|| {
            Failure::new(Code::Length, format!("no sealed message has {clen} bytes"))
        })
    }

    /// How many bytes of nonce a message has in front that was sealed under a random one.
    fn nonce_in_front(&self) -> usize {
        if self.sizes.head > 0 { 0 } else { self.sizes.nonce }
    }

    /// # Safety
    /// `c` and `m` lead to as many bytes as are said.
    pub(crate) unsafe fn seal(
        &self,
        c: *mut u8,
        clen: usize,
        m: *const u8,
        mlen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Outcome {
        let output = Region::new(c, clen);
        expect_same_or_apart(output, Region::new(m, mlen))?;
        expect_apart(output, &[Region::of(ad), Region::of(nonce)])?;
        if self.sizes.head == 0 && !self.sizes.whole {
            if clen.checked_sub(self.sizes.tag) != Some(mlen) {
                expect_bytes("the output", self.sealed_bytes(mlen)?, clen)?;
            }
            // SAFETY: the caller's promise, and how everything lies has been checked.
            let (buffer, mac) =
                unsafe { (transfer(m, c, mlen)?, bytes_mut(behind(c, mlen)?, self.sizes.tag)?) };
            return Ok(self.aead.seal_inout_detached(nonce, ad, buffer, mac)?);
        }
        expect_bytes("the output", self.sealed_bytes(mlen)?, clen)?;
        // SAFETY: the caller's promise; of the message nothing is read once it is sealed.
        let sealed = self.aead.seal(nonce, ad, unsafe { bytes(m, mlen) }?)?;
        // SAFETY: the caller's promise.
        unsafe { bytes_mut(c, clen) }?.copy_from_slice(&sealed);
        Ok(())
    }

    /// # Safety
    /// `m` and `c` lead to as many bytes as are said.
    pub(crate) unsafe fn open(
        &self,
        m: *mut u8,
        mlen: usize,
        c: *const u8,
        clen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Outcome {
        expect_bytes("the output", self.message_bytes(clen)?, mlen)?;
        let hidden = self.sizes.head > 0;
        if !hidden && !self.sizes.whole {
            // SAFETY: the caller's promise; the tag behind the ciphertext is only read.
            return unsafe {
                self.open_detached(m, c, mlen, behind(c.cast_mut(), mlen)?, ad, nonce)
            };
        }
        let output = Region::new(m, mlen);
        expect_same_or_apart(output, Region::new(c, clen))?;
        expect_apart(output, &[Region::of(ad), Region::of(nonce)])?;
        let message = {
            // SAFETY: the caller's promise; of the ciphertext nothing is read once it is opened.
            let sealed = unsafe { bytes(c, clen) }?;
            if hidden && nonce.is_empty() {
                self.aead.open_hidden_nonce(ad, sealed).map(|opened| opened.message)
            } else {
                self.aead.open(nonce, ad, sealed).map(Zeroizing::new)
            }
        };
        // SAFETY: the caller's promise, and nothing reads the ciphertext any more.
        let output = unsafe { bytes_mut(m, mlen) }?;
        match message {
            Ok(message) => output.copy_from_slice(&message),
            Err(error) => {
                output.zeroize();
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// # Safety
    /// `c`, `mac` and `m` lead to as many bytes as are said, `mac` to those of a tag.
    pub(crate) unsafe fn seal_detached(
        &self,
        c: *mut u8,
        mac: *mut u8,
        m: *const u8,
        mlen: usize,
        ad: &[u8],
        nonce: &[u8],
    ) -> Outcome {
        let (text, tag) = (Region::new(c, mlen), Region::new(mac, self.sizes.tag));
        let inputs = [Region::of(ad), Region::of(nonce)];
        expect_apart(text, &inputs)?;
        expect_apart(tag, &inputs)?;
        expect_apart(tag, &[text, Region::new(m, mlen)])?;
        expect_same_or_apart(text, Region::new(m, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let (buffer, mac) = unsafe { (transfer(m, c, mlen)?, bytes_mut(mac, self.sizes.tag)?) };
        Ok(self.aead.seal_inout_detached(nonce, ad, buffer, mac)?)
    }

    /// # Safety
    /// As [`seal_detached`](Self::seal_detached).
    pub(crate) unsafe fn open_detached(
        &self,
        m: *mut u8,
        c: *const u8,
        mlen: usize,
        mac: *const u8,
        ad: &[u8],
        nonce: &[u8],
    ) -> Outcome {
        // SAFETY: the caller's promise.
        let mac = unsafe { bytes(mac, self.sizes.tag) }?;
        let text = Region::new(m, mlen);
        expect_apart(text, &[Region::of(ad), Region::of(nonce), Region::of(mac)])?;
        expect_same_or_apart(text, Region::new(c, mlen))?;
        // SAFETY: the caller's promise, and how everything lies has been checked.
        let buffer = unsafe { transfer(c, m, mlen) }?;
        Ok(self.aead.open_inout_detached(nonce, ad, buffer, mac)?)
    }
}

pub(crate) fn expect_bytes(what: &str, expected: usize, given: usize) -> Outcome {
    if expected == given {
        return Ok(());
    }
    let text = format!("{what} has {given} bytes where {expected} are needed");
    Err(Failure::new(Code::Length, text))
}

/// Prepares the key k, of klen bytes, for the algorithm of that name: a name of the list above,
/// with other sizes or parameters behind it if need be, as in
/// "omd-sha256:key=16,nonce=12,tag=16". Free it with polyseal_aead_free. Calls with a const handle
/// may come from several threads at once.
///
/// Errors: POLYSEAL_ERR_ALGORITHM; POLYSEAL_ERR_LENGTH for a key of another length;
/// POLYSEAL_ERR_UNSUPPORTED for a MAC. Then *aead is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_new(
    aead: *mut *mut polyseal_aead,
    name: *const c_char,
    k: *const u8,
    klen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(aead, || {
            polyseal_aead::new(&text(name, "the name")?.parse()?, bytes(k, klen)?, b"")
        })
    }
}

/// The same with setup associated data, which says what the key is for. Only Flex takes it: with
/// other algorithms, more than 0 bytes of it are POLYSEAL_ERR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_new_with_setup(
    aead: *mut *mut polyseal_aead,
    name: *const c_char,
    k: *const u8,
    klen: usize,
    setup: *const u8,
    setuplen: usize,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(aead, || {
            let (key, setup) = (bytes(k, klen)?, bytes(setup, setuplen)?);
            polyseal_aead::new(&text(name, "the name")?.parse()?, key, setup)
        })
    }
}

/// Wipes the key and frees the handle. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_free(aead: *mut polyseal_aead) {
    // SAFETY: what C promises.
    unsafe { release(aead) }
}

/// The length in bytes of what polyseal_aead_seal writes for a message of mlen bytes, in *clen:
/// mlen and a tag; with an algorithm that cuts into segments, a tag for each.
///
/// Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_sealedbytes(
    aead: *const polyseal_aead,
    mlen: usize,
    clen: *mut usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (aead, clen) = unsafe { (there(aead, "aead")?, there_mut(clen, "clen")?) };
        *clen = aead.sealed_bytes(mlen)?;
        Ok(())
    })
}

/// The length in bytes of the message in what polyseal_aead_seal wrote, clen bytes, in *mlen.
///
/// Errors: POLYSEAL_ERR_LENGTH if no message has that length once it is sealed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_openedbytes(
    aead: *const polyseal_aead,
    clen: usize,
    mlen: *mut usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (aead, mlen) = unsafe { (there(aead, "aead")?, there_mut(mlen, "mlen")?) };
        *mlen = aead.message_bytes(clen)?;
        Ok(())
    })
}

/// Seals m, of mlen bytes, into c, of clen bytes, which must be as many as
/// polyseal_aead_sealedbytes says. npub is the nonce: never twice under one key.
///
/// Errors: POLYSEAL_ERR_LENGTH for a nonce or an output of another length, POLYSEAL_ERR_TOO_LONG,
/// POLYSEAL_ERR_NULL, POLYSEAL_ERR_OVERLAP. Then nothing has been sealed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal(
    aead: *const polyseal_aead,
    c: *mut u8,
    clen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        unsafe {
            let (ad, nonce) = (bytes(ad, adlen)?, bytes(npub, npublen)?);
            there(aead, "aead")?.seal(c, clen, m, mlen, ad, nonce)
        }
    })
}

/// Opens c, of clen bytes, into m, of mlen bytes, which must be as many as
/// polyseal_aead_openedbytes says: clen without the tag. Where the algorithm hides the nonce,
/// npublen may be 0: it is in c.
///
/// Errors: POLYSEAL_ERR_UNAUTHENTIC: then m is zeros. POLYSEAL_ERR_LENGTH, POLYSEAL_ERR_TOO_LONG,
/// POLYSEAL_ERR_NULL and POLYSEAL_ERR_OVERLAP: then m has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open(
    aead: *const polyseal_aead,
    m: *mut u8,
    mlen: usize,
    c: *const u8,
    clen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        unsafe {
            let (ad, nonce) = (bytes(ad, adlen)?, bytes(npub, npublen)?);
            there(aead, "aead")?.open(m, mlen, c, clen, ad, nonce)
        }
    })
}

/// Seals m into c, of as many bytes, and writes the tag, of maclen bytes, to mac.
///
/// Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED where messages are cut into segments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal_detached(
    aead: *const polyseal_aead,
    c: *mut u8,
    mac: *mut u8,
    maclen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) =
                (there(aead, "aead")?, bytes(ad, adlen)?, bytes(npub, npublen)?);
            expect_bytes("the tag", aead.sizes.tag, maclen)?;
            aead.seal_detached(c, mac, m, mlen, ad, nonce)
        }
    })
}

/// Opens c, of clen bytes, into m, of as many, if mac is its tag.
///
/// Errors: as polyseal_aead_open; POLYSEAL_ERR_UNSUPPORTED where messages are cut into segments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open_detached(
    aead: *const polyseal_aead,
    m: *mut u8,
    c: *const u8,
    clen: usize,
    mac: *const u8,
    maclen: usize,
    ad: *const u8,
    adlen: usize,
    npub: *const u8,
    npublen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        unsafe {
            let (aead, ad, nonce) =
                (there(aead, "aead")?, bytes(ad, adlen)?, bytes(npub, npublen)?);
            expect_bytes("the tag", aead.sizes.tag, maclen)?;
            aead.open_detached(m, c, clen, mac, ad, nonce)
        }
    })
}

/// The length in bytes of what polyseal_aead_seal_random writes for a message of mlen bytes, in
/// *clen: a nonce more than polyseal_aead_sealedbytes, unless the algorithm hides it.
///
/// Errors: POLYSEAL_ERR_TOO_LONG above the algorithm's limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_randombytes(
    aead: *const polyseal_aead,
    mlen: usize,
    clen: *mut usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (aead, clen) = unsafe { (there(aead, "aead")?, there_mut(clen, "clen")?) };
        *clen = aead.sealed_bytes(mlen)? + aead.nonce_in_front();
        Ok(())
    })
}

/// Seals under a nonce drawn from the operating system, which is written to c in front of the rest:
/// there is no nonce to keep or to get wrong. clen is what polyseal_aead_randombytes says.
///
/// Errors: as polyseal_aead_seal; POLYSEAL_ERR_UNSUPPORTED for an algorithm with which a key could
/// have fewer than 2^48 messages so, such as AES-GCM; POLYSEAL_ERR_RANDOM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_seal_random(
    aead: *const polyseal_aead,
    c: *mut u8,
    clen: usize,
    m: *const u8,
    mlen: usize,
    ad: *const u8,
    adlen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (aead, ad) = unsafe { (there(aead, "aead")?, bytes(ad, adlen)?) };
        expect_bytes("the output", aead.sealed_bytes(mlen)? + aead.nonce_in_front(), clen)?;
        expect_same_or_apart(Region::new(c, clen), Region::new(m, mlen))?;
        expect_apart(Region::new(c, clen), &[Region::of(ad)])?;
        // SAFETY: what C promises; of the message nothing is read once it is sealed.
        let sealed = aead.aead.seal_random_nonce(ad, unsafe { bytes(m, mlen) }?)?;
        // SAFETY: what C promises.
        unsafe { bytes_mut(c, clen) }?.copy_from_slice(&sealed);
        Ok(())
    })
}

/// Opens what polyseal_aead_seal_random has written. mlen is as many bytes as the message has.
///
/// Errors: as polyseal_aead_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_open_random(
    aead: *const polyseal_aead,
    m: *mut u8,
    mlen: usize,
    c: *const u8,
    clen: usize,
    ad: *const u8,
    adlen: usize,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (aead, ad) = unsafe { (there(aead, "aead")?, bytes(ad, adlen)?) };
        let front = aead.nonce_in_front();
        let sealed = without_tag(clen, front)?;
        // SAFETY: what C promises: there are `clen` bytes, and `front` is not more.
        unsafe {
            let nonce = bytes(c, front)?;
            let message = Region::new(m, mlen);
            if message.start == c.addr() {
                // The nonce is where the message goes.
                let nonce = nonce.to_vec();
                let moved = bytes(c, clen)?[front..].to_vec();
                return aead.open(m, mlen, moved.as_ptr(), sealed, ad, &nonce);
            }
            aead.open(m, mlen, behind(c.cast_mut(), front)?, sealed, ad, nonce)
        }
    })
}

/// The length of its nonces in bytes; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_npubbytes(aead: *const polyseal_aead) -> usize {
    // SAFETY: what C promises.
    border_value(0, || Ok(unsafe { there(aead, "aead") }?.sizes.nonce))
}

/// The length of its tags in bytes; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_aead_abytes(aead: *const polyseal_aead) -> usize {
    // SAFETY: what C promises.
    border_value(0, || Ok(unsafe { there(aead, "aead") }?.sizes.tag))
}
