//! AEADs: one class for all, of which [`classes`](crate::classes) makes one for each algorithm.
//!
//! Output is computed in memory that nobody else has: a new `bytes` object, or for `…_into` memory
//! of our own that is copied at the end. So no other thread sees a plaintext before it has proven
//! authentic. From [`DETACH`] bytes on the interpreter's lock is released meanwhile.

use polyseal::aead::inout::InOutBuf;
use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::limits::Limits;
use polyseal::registry::Algorithm;
use polyseal::{Error, random_nonce};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};
use zeroize::Zeroizing;

use crate::errors::of_message;
use crate::memory::{self, Input, Output};
use crate::scratch::{wipe, with_scratch};
use crate::secret::{SecretKey, with_key};

/// From so many bytes on, other threads of Python run meanwhile.
pub(crate) const DETACH: usize = 2048;

type Result<T> = polyseal::Result<T>;

/// An AEAD under a key: the base of all classes of AEADs. `aead()` makes one by its name.
#[pyclass(frozen, subclass, module = "polyseal")]
pub(crate) struct Aead {
    aead: AnyAead,
    nonce: usize,
    head: usize,
    tag: usize,
    whole: bool,
    /// How many messages a key may have under random nonces, if that is too few.
    few: Option<u128>,
}

impl Aead {
    fn made(aead: AnyAead) -> Self {
        let algorithm = aead.algorithm();
        let few = Limits::of(algorithm).random_nonce_messages;
        Self {
            nonce: algorithm.nonce_bytes(),
            head: algorithm.head_bytes(),
            tag: algorithm.tag_bytes(),
            whole: algorithm.is_whole(),
            few: few.filter(|&limit| limit < random_nonce::MIN_MESSAGES),
            aead,
        }
    }

    /// The length of a sealed message.
    #[inline]
    fn sealed_bytes(&self, message: usize) -> Result<usize> {
        let algorithm = self.aead.algorithm();
        let bytes = algorithm.ciphertext_bytes(message as u64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| self.too_long())
    }

    #[cold]
    fn too_long(&self) -> Error {
        let limit = Limits::of(self.aead.algorithm()).message_bytes;
        Error::TooLong { what: "message", limit }
    }

    /// The length of the message in a sealed one; too short a one is not authentic.
    #[inline]
    fn message_bytes(&self, sealed: usize) -> Result<usize> {
        let bytes = self.aead.algorithm().message_bytes(sealed as u64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Error::Unauthentic)
    }

    /// Seals `data` into `out`, which has the length of the sealed message.
    #[inline]
    fn seal_to(&self, nonce: &[u8], ad: &[u8], data: &Input<'_>, out: &mut [u8]) -> Result<()> {
        if self.whole {
            let mut copy = Zeroizing::default();
            let sealed = self.aead.seal(nonce, ad, slice(data, &mut copy))?;
            out.copy_from_slice(&sealed);
            return Ok(());
        }
        let (head, rest) = out.split_at_mut(self.head);
        let (body, tail) = rest.split_at_mut(data.len());
        let body = match data {
            Input::Bytes(data) => InOutBuf::new(data, body).map_err(|_| Error::WholeOnly)?,
            foreign @ Input::Foreign(_) => {
                foreign.copy_range(0..body.len(), body);
                body.into()
            }
        };
        if head.is_empty() {
            return self.aead.seal_inout_detached(nonce, ad, body, tail);
        }
        with_tag(self.tag, |tag| {
            self.aead.seal_inout_detached(nonce, ad, body, tag)?;
            head.copy_from_slice(&tag[..self.head]);
            tail.copy_from_slice(&tag[self.head..]);
            Ok(())
        })
    }

    /// Opens `data` from offset `from` on into `out`, which has the length of the message.
    #[inline]
    fn open_to(
        &self,
        nonce: &[u8],
        ad: &[u8],
        data: &Input<'_>,
        from: usize,
        out: &mut [u8],
    ) -> Result<()> {
        if self.whole {
            let mut copy = Zeroizing::default();
            let message = self.aead.open(nonce, ad, &slice(data, &mut copy)[from..])?;
            let message = Zeroizing::new(message);
            out.copy_from_slice(&message);
            return Ok(());
        }
        let start = from + self.head;
        let end = start + out.len();
        let body = match data {
            Input::Bytes(data) => {
                InOutBuf::new(&data[start..end], out).map_err(|_| Error::WholeOnly)?
            }
            foreign @ Input::Foreign(_) => {
                foreign.copy_range(start..end, out);
                out.into()
            }
        };
        if let (Input::Bytes(data), 0) = (data, self.head) {
            return self.aead.open_inout_detached(nonce, ad, body, &data[end..]);
        }
        with_tag(self.tag, |tag| {
            data.copy_range(from..start, &mut tag[..self.head]);
            data.copy_range(end..data.len(), &mut tag[self.head..]);
            self.aead.open_inout_detached(nonce, ad, body, tag)
        })
    }
}

/// Room for a tag of so many bytes: on the stack, but for the longest of Flex.
#[inline]
fn with_tag<T>(bytes: usize, work: impl FnOnce(&mut [u8]) -> T) -> T {
    match bytes {
        ..=16 => work(&mut [0; 16][..bytes]),
        17..=64 => work(&mut [0; 64][..bytes]),
        _ => work(&mut vec![0; bytes]),
    }
}

/// The bytes of `data`; those of foreign memory in `copy`.
fn slice<'a>(data: &'a Input<'_>, copy: &'a mut Zeroizing<Vec<u8>>) -> &'a [u8] {
    match data {
        Input::Bytes(bytes) => bytes,
        Input::Foreign(_) => {
            copy.resize(data.len(), 0);
            data.copy_range(0..data.len(), copy);
            copy
        }
    }
}

/// Runs `work`, while other threads of Python run if there are many `bytes`.
#[inline]
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if bytes < DETACH { work() } else { py.detach(work) }
}

/// A new `bytes` object of so many bytes, which `work` fills.
#[inline]
pub(crate) fn new_bytes<'py>(
    py: Python<'py>,
    bytes: usize,
    load: usize,
    work: impl FnOnce(&mut [u8]) -> Result<()> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    memory::new_bytes(py, bytes, |out| detached(py, load, || work(out)).map_err(of_message))
}

/// Whether there is room for an output.
fn expect_room(output: &Output, needed: usize) -> PyResult<()> {
    if output.len() >= needed {
        return Ok(());
    }
    let given = output.len();
    Err(PyValueError::new_err(format!("the buffer has {given} bytes, and {needed} are needed")))
}

#[pymethods]
impl Aead {
    #[new]
    #[classmethod]
    #[pyo3(text_signature = "(key)")]
    fn new(cls: &Bound<'_, PyType>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let algorithm = algorithm_of(cls)?;
        with_key(key, |key| AnyAead::new(&algorithm, key).map_err(of_message)).map(Self::made)
    }

    /// A fresh random key for this algorithm.
    #[classmethod]
    fn generate_key(cls: &Bound<'_, PyType>) -> PyResult<SecretKey> {
        SecretKey::random(algorithm_of(cls)?.key_bytes())
    }

    /// Encrypts `data` and authenticates it together with `associated_data`. The result is the
    /// ciphertext and the tag. The nonce must be another one for every message under a key.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad) = (Input::of(nonce)?.take(), Input::of_optional(associated_data)?.take());
        let data = Input::of(data)?;
        let sealed = self.sealed_bytes(data.len()).map_err(of_message)?;
        new_bytes(py, sealed, data.len() + ad.len(), |out| self.seal_to(&nonce, &ad, &data, out))
    }

    /// Decrypts what `encrypt` returned. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad) = (Input::of(nonce)?.take(), Input::of_optional(associated_data)?.take());
        let data = Input::of(data)?;
        self.expect_nonce(nonce.len())?;
        let message = self.message_bytes(data.len()).map_err(of_message)?;
        new_bytes(py, message, data.len() + ad.len(), |out| {
            self.open_to(&nonce, &ad, &data, 0, out)
        })
    }

    /// The same as `encrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written.
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let (nonce, ad) = (Input::of(nonce)?.take(), Input::of_optional(associated_data)?.take());
        let (data, output) = (Input::of(data)?, Output::of(buf)?);
        let sealed = self.sealed_bytes(data.len()).map_err(of_message)?;
        expect_room(&output, sealed)?;
        detached(py, data.len() + ad.len(), || {
            with_scratch(sealed, |out| {
                let result = self.seal_to(&nonce, &ad, &data, out);
                match result {
                    Ok(()) => output.write(0, out),
                    // It may have been a copy of the plaintext.
                    Err(_) => wipe(out),
                }
                result
            })
        })
        .map_err(of_message)?;
        Ok(sealed)
    }

    /// The same as `decrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written. If `InvalidTag` is raised, those are zeros.
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let (nonce, ad) = (Input::of(nonce)?.take(), Input::of_optional(associated_data)?.take());
        let (data, output) = (Input::of(data)?, Output::of(buf)?);
        self.expect_nonce(nonce.len())?;
        let Ok(message) = self.message_bytes(data.len()) else {
            output.wipe(output.len().min(data.len()));
            return Err(of_message(Error::Unauthentic));
        };
        expect_room(&output, message)?;
        detached(py, data.len() + ad.len(), || {
            with_scratch(message, |out| {
                let result = self.open_to(&nonce, &ad, &data, 0, out);
                match result {
                    Ok(()) => output.write(0, out),
                    Err(_) => output.wipe(message),
                }
                wipe(out);
                result
            })
        })
        .map_err(of_message)?;
        Ok(message)
    }

    /// Encrypts `data` under a random nonce. The result is all that `open` needs beside the key:
    /// nonce, ciphertext and tag. Raises `LimitExceeded` for an algorithm with which random nonces
    /// would soon repeat.
    #[pyo3(signature = (data, associated_data = None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.expect_random_nonces()?;
        let ad = Input::of_optional(associated_data)?.take();
        let data = Input::of(data)?;
        let front = self.front_bytes();
        let sealed = self.sealed_bytes(data.len()).map_err(of_message)?;
        new_bytes(py, front + sealed, data.len() + ad.len(), |out| {
            let mut hidden = [0; MAX_NONCE_BYTES];
            let (nonce, rest) = out.split_at_mut(front);
            let nonce = if front == 0 { &mut hidden[..self.nonce] } else { nonce };
            getrandom::fill(nonce).map_err(|_| Error::Random)?;
            self.seal_to(nonce, &ad, &data, rest)
        })
    }

    /// Decrypts what `seal` returned. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (sealed, associated_data = None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        sealed: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ad = Input::of_optional(associated_data)?.take();
        let data = Input::of(sealed)?;
        let front = self.front_bytes();
        if self.head > 0 {
            let sealed = data.take();
            return self.open_hidden(py, &ad, &sealed);
        }
        let message = data.len().checked_sub(front).ok_or(Error::Unauthentic);
        let message = message.and_then(|sealed| self.message_bytes(sealed)).map_err(of_message)?;
        new_bytes(py, message, data.len() + ad.len(), |out| {
            let mut nonce = [0; MAX_NONCE_BYTES];
            let nonce = &mut nonce[..front];
            data.copy_range(0..front, nonce);
            self.open_to(nonce, &ad, &data, front, out)
        })
    }

    /// `seal` for each pair of data and associated data. Short messages go side by side, which
    /// takes less time on some CPUs.
    fn seal_many<'py>(
        &self,
        py: Python<'py>,
        items: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.expect_random_nonces()?;
        let items: Vec<Item<'py>> =
            items.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?;
        if self.whole || self.head > 0 {
            let sealed = items.iter().map(|(data, ad)| self.seal(py, data, ad.as_ref()));
            return PyList::new(py, sealed.collect::<PyResult<Vec<_>>>()?);
        }
        let mut spots = Vec::with_capacity(items.len());
        let mut total = 0;
        for (data, ad) in &items {
            let (data, ad) = (Input::of(data)?, Input::of_optional(ad.as_ref())?.take());
            self.sealed_bytes(data.len()).map_err(of_message)?;
            total += self.nonce + data.len() + self.tag;
            spots.push((data, ad));
        }
        let load = total + spots.iter().map(|(_, ad)| ad.len()).sum::<usize>();
        let mut memory = vec![0; total];
        detached(py, load, || self.seal_side_by_side(&spots, &mut memory))
            // It may have plaintext.
            .inspect_err(|_| wipe(&mut memory))
            .map_err(of_message)?;
        let mut rest = &memory[..];
        let sealed = spots.iter().map(|(data, _)| {
            let (this, others) = rest.split_at(self.nonce + data.len() + self.tag);
            rest = others;
            PyBytes::new(py, this)
        });
        PyList::new(py, sealed.collect::<Vec<_>>())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<polyseal.{}: {}>", slf.get_type().name()?, slf.get().aead.algorithm()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds a key is not pickled or copied: send a KeyRef"))
    }
}

type Item<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// The longest nonce of the registry.
const MAX_NONCE_BYTES: usize = 1024;

impl Aead {
    fn expect_nonce(&self, actual: usize) -> PyResult<()> {
        if actual == self.nonce {
            return Ok(());
        }
        Err(of_message(Error::Length { what: "nonce", expected: self.nonce, actual }))
    }

    fn expect_random_nonces(&self) -> PyResult<()> {
        self.few.map_or(Ok(()), |limit| Err(of_message(Error::FewRandomNonces { limit })))
    }

    /// The length of the nonce in front of a sealed message.
    #[inline]
    fn front_bytes(&self) -> usize {
        if self.head > 0 { 0 } else { self.nonce }
    }

    fn open_hidden<'py>(
        &self,
        py: Python<'py>,
        ad: &[u8],
        sealed: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.message_bytes(sealed.len()).map_err(of_message)?;
        let opened = detached(py, sealed.len(), || self.aead.open_hidden_nonce(ad, sealed));
        Ok(PyBytes::new(py, &opened.map_err(of_message)?.message))
    }

    /// Nonce, ciphertext and tag of each, one after the other.
    fn seal_side_by_side(&self, spots: &[Spot<'_>], mut memory: &mut [u8]) -> Result<()> {
        let mut messages = Vec::with_capacity(spots.len());
        for (data, ad) in spots {
            let (nonce, rest) = memory.split_at_mut(self.nonce);
            let (buffer, rest) = rest.split_at_mut(data.len());
            let (tag, rest) = rest.split_at_mut(self.tag);
            getrandom::fill(nonce).map_err(|_| Error::Random)?;
            data.copy_range(0..data.len(), buffer);
            messages.push(Message::new(nonce, ad, buffer, tag));
            memory = rest;
        }
        self.aead.seal_batch(&mut messages)
    }
}

type Spot<'a> = (Input<'a>, memory::Taken<'a>);

/// The algorithm whose class this is.
pub(crate) fn algorithm_of(cls: &Bound<'_, PyType>) -> PyResult<Algorithm> {
    let name = cls.getattr("algorithm").map_err(|_| {
        PyTypeError::new_err("this is the base of many algorithms: take the class of one of them")
    })?;
    name.extract::<String>()?.parse().map_err(of_message)
}
