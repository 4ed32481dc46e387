//! AEADs: one class for all, of which [`classes`](crate::classes) makes one for each algorithm.
//! Those of Flex whose sealed messages are in one piece have a base of their own, `flex_aead.rs`.
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

use crate::errors::message_error;
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
    tag: usize,
    /// How many messages a key may have under random nonces, if that is too few.
    few: Option<u128>,
}

impl Aead {
    pub(crate) fn made(aead: AnyAead) -> Self {
        let algorithm = aead.algorithm();
        let few = Limits::for_algorithm(algorithm).random_nonce_messages;
        Self {
            nonce: algorithm.nonce_bytes(),
            tag: algorithm.tag_bytes(),
            few: few.filter(|&limit| limit < random_nonce::MIN_MESSAGES),
            aead,
        }
    }

    /// The length of a sealed message.
    #[inline]
    pub(crate) fn sealed_bytes(&self, message: usize) -> Result<usize> {
        let algorithm = self.aead.algorithm();
        let bytes = algorithm.ciphertext_bytes(message as u64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| self.too_long())
    }

    #[cold]
    fn too_long(&self) -> Error {
        let limit = Limits::for_algorithm(self.aead.algorithm()).message_bytes;
        Error::TooLong { what: "message", limit }
    }

    /// The length of the message in a sealed one; too short a one is not authentic.
    #[inline]
    pub(crate) fn message_bytes(&self, sealed: usize) -> Result<usize> {
        let bytes = self.aead.algorithm().message_bytes(sealed as u64);
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Error::Unauthentic)
    }

    /// Seals `data` into `out`, which has the length of the sealed message.
    #[inline]
    fn seal_to(&self, nonce: &[u8], ad: &[u8], data: &Input<'_>, out: &mut [u8]) -> Result<()> {
        let (body, tag) = out.split_at_mut(data.len());
        let body = match data {
            Input::Bytes(data) => InOutBuf::new(data, body).map_err(|_| Error::WholeOnly)?,
            foreign @ Input::Foreign(_) => {
                foreign.copy_range(0..body.len(), body);
                body.into()
            }
        };
        self.aead.seal_inout_detached(nonce, ad, body, tag)
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
        let end = from + out.len();
        match data {
            Input::Bytes(data) => {
                let body = InOutBuf::new(&data[from..end], out).map_err(|_| Error::WholeOnly)?;
                self.aead.open_inout_detached(nonce, ad, body, &data[end..])
            }
            foreign @ Input::Foreign(_) => {
                foreign.copy_range(from..end, out);
                with_room(self.tag, |tag| {
                    foreign.copy_range(end..data.len(), tag);
                    self.aead.open_inout_detached(nonce, ad, out.into(), tag)
                })
            }
        }
    }
}

/// Room for a nonce or a tag of so many bytes: on the stack, but for the longest of any algorithm.
#[inline]
fn with_room<T>(bytes: usize, work: impl FnOnce(&mut [u8]) -> T) -> T {
    match bytes {
        ..=16 => work(&mut [0; 16][..bytes]),
        17..=64 => work(&mut [0; 64][..bytes]),
        _ => work(&mut vec![0; bytes]),
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
    memory::new_bytes(py, bytes, |out| detached(py, load, || work(out)).map_err(message_error))
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
        with_key(key, |key| AnyAead::new(&algorithm, key).map_err(message_error)).map(Self::made)
    }

    /// A fresh random key of `key_bytes` bytes.
    #[classmethod]
    fn generate_key(cls: &Bound<'_, PyType>) -> PyResult<SecretKey> {
        SecretKey::random(algorithm_of(cls)?.key_bytes())
    }

    /// Encrypts `data` and authenticates it together with `associated_data`. The result is the
    /// ciphertext and the tag: `tag_bytes` more than `data`. The nonce, of `nonce_bytes` bytes,
    /// must be another one for every message under a key. Raises `ValueError` for a nonce of
    /// another length, and `LimitExceeded` for too long a message.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let message = Given { nonce, data, associated_data };
        self.encrypt_by(py, message, |nonce, ad, data, out| self.seal_to(nonce, ad, data, out))
    }

    /// Decrypts a message of `encrypt`, under the same nonce and associated data. Raises
    /// `InvalidTag` if anything of it has been altered, and `ValueError` for a nonce of another
    /// length.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let message = Given { nonce, data, associated_data };
        self.decrypt_by(py, message, |nonce, ad, data, out| self.open_to(nonce, ad, data, 0, out))
    }

    /// The same as `encrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written. Raises `ValueError` if it has too few.
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let message = Given { nonce, data, associated_data };
        self.encrypt_into_by(py, message, buf, |nonce, ad, data, out| {
            self.seal_to(nonce, ad, data, out)
        })
    }

    /// The same as `decrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written. If `InvalidTag` is raised, those are zeros. Raises `ValueError` if it has
    /// too few.
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let message = Given { nonce, data, associated_data };
        self.decrypt_into_by(py, message, buf, |nonce, ad, data, out| {
            self.open_to(nonce, ad, data, 0, out)
        })
    }

    /// Encrypts `data` under a random nonce. The result is all that `open` needs beside the key:
    /// nonce, ciphertext and tag, `nonce_bytes + tag_bytes` more than `data`. Raises
    /// `LimitExceeded` for an algorithm with which random nonces would soon repeat.
    #[pyo3(signature = (data, associated_data = None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.expect_random_nonces()?;
        let ad = Input::from_optional(associated_data)?.take();
        let data = Input::from_object(data)?;
        let sealed = self.sealed_bytes(data.len()).map_err(message_error)?;
        new_bytes(py, self.nonce + sealed, data.len() + ad.len(), |out| {
            let (nonce, rest) = out.split_at_mut(self.nonce);
            getrandom::fill(nonce).map_err(|_| Error::Random)?;
            self.seal_to(nonce, &ad, &data, rest)
        })
    }

    /// Decrypts a message of `seal`. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (sealed, associated_data = None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        sealed: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ad = Input::from_optional(associated_data)?.take();
        let data = Input::from_object(sealed)?;
        let message = data.len().checked_sub(self.nonce).ok_or(Error::Unauthentic);
        let message =
            message.and_then(|sealed| self.message_bytes(sealed)).map_err(message_error)?;
        new_bytes(py, message, data.len() + ad.len(), |out| {
            with_room(self.nonce, |nonce| {
                data.copy_range(0..self.nonce, nonce);
                self.open_to(nonce, &ad, &data, self.nonce, out)
            })
        })
    }

    /// `seal` for each pair of data and associated data, which may be `None`. Short messages go
    /// side by side, which takes less time on some CPUs. Raises what `seal` does.
    fn seal_many<'py>(
        &self,
        py: Python<'py>,
        items: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.expect_random_nonces()?;
        let items: Vec<Item<'py>> =
            items.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?;
        let mut spots = Vec::with_capacity(items.len());
        let mut total = 0;
        for (data, ad) in &items {
            let (data, ad) = (Input::from_object(data)?, Input::from_optional(ad.as_ref())?.take());
            self.sealed_bytes(data.len()).map_err(message_error)?;
            total += self.nonce + data.len() + self.tag;
            spots.push((data, ad));
        }
        let load = total + spots.iter().map(|(_, ad)| ad.len()).sum::<usize>();
        let mut memory = vec![0; total];
        detached(py, load, || self.seal_side_by_side(&spots, &mut memory))
            // It may have plaintext.
            .inspect_err(|_| wipe(&mut memory))
            .map_err(message_error)?;
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

pub(crate) type Item<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// The arguments of a call: a nonce, and what is sealed or opened under it.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a, 'py> {
    pub(crate) nonce: &'a Bound<'py, PyAny>,
    pub(crate) data: &'a Bound<'py, PyAny>,
    pub(crate) associated_data: Option<&'a Bound<'py, PyAny>>,
}

/// The calls, with `work` for the cryptography. It is given nonce, associated data, input and
/// output, which has the length that the algorithm says.
impl Aead {
    pub(crate) fn encrypt_by<'py>(
        &self,
        py: Python<'py>,
        given: Given<'_, 'py>,
        work: impl FnOnce(&[u8], &[u8], &Input<'_>, &mut [u8]) -> Result<()> + Send,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = Input::from_object(given.nonce)?.take();
        let ad = Input::from_optional(given.associated_data)?.take();
        let data = Input::from_object(given.data)?;
        let sealed = self.sealed_bytes(data.len()).map_err(message_error)?;
        new_bytes(py, sealed, data.len() + ad.len(), |out| work(&nonce, &ad, &data, out))
    }

    pub(crate) fn decrypt_by<'py>(
        &self,
        py: Python<'py>,
        given: Given<'_, 'py>,
        work: impl FnOnce(&[u8], &[u8], &Input<'_>, &mut [u8]) -> Result<()> + Send,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = Input::from_object(given.nonce)?.take();
        let ad = Input::from_optional(given.associated_data)?.take();
        let data = Input::from_object(given.data)?;
        self.expect_nonce(nonce.len())?;
        let message = self.message_bytes(data.len()).map_err(message_error)?;
        new_bytes(py, message, data.len() + ad.len(), |out| work(&nonce, &ad, &data, out))
    }

    pub(crate) fn encrypt_into_by<'py>(
        &self,
        py: Python<'py>,
        given: Given<'_, 'py>,
        buf: &Bound<'py, PyAny>,
        work: impl FnOnce(&[u8], &[u8], &Input<'_>, &mut [u8]) -> Result<()> + Send,
    ) -> PyResult<usize> {
        let nonce = Input::from_object(given.nonce)?.take();
        let ad = Input::from_optional(given.associated_data)?.take();
        let (data, output) = (Input::from_object(given.data)?, Output::from_object(buf)?);
        let sealed = self.sealed_bytes(data.len()).map_err(message_error)?;
        expect_room(&output, sealed)?;
        detached(py, data.len() + ad.len(), || {
            with_scratch(sealed, |out| {
                let result = work(&nonce, &ad, &data, out);
                match result {
                    Ok(()) => output.write(0, out),
                    // It may have been a copy of the plaintext.
                    Err(_) => wipe(out),
                }
                result
            })
        })
        .map_err(message_error)?;
        Ok(sealed)
    }

    pub(crate) fn decrypt_into_by<'py>(
        &self,
        py: Python<'py>,
        given: Given<'_, 'py>,
        buf: &Bound<'py, PyAny>,
        work: impl FnOnce(&[u8], &[u8], &Input<'_>, &mut [u8]) -> Result<()> + Send,
    ) -> PyResult<usize> {
        let nonce = Input::from_object(given.nonce)?.take();
        let ad = Input::from_optional(given.associated_data)?.take();
        let (data, output) = (Input::from_object(given.data)?, Output::from_object(buf)?);
        self.expect_nonce(nonce.len())?;
        let Ok(message) = self.message_bytes(data.len()) else {
            output.wipe(output.len().min(data.len()));
            return Err(message_error(Error::Unauthentic));
        };
        expect_room(&output, message)?;
        detached(py, data.len() + ad.len(), || {
            with_scratch(message, |out| {
                let result = work(&nonce, &ad, &data, out);
                match result {
                    Ok(()) => output.write(0, out),
                    Err(_) => output.wipe(message),
                }
                wipe(out);
                result
            })
        })
        .map_err(message_error)?;
        Ok(message)
    }

    /// The AEAD itself.
    #[cfg(feature = "flex")]
    pub(crate) fn any(&self) -> &AnyAead {
        &self.aead
    }

    fn expect_nonce(&self, actual: usize) -> PyResult<()> {
        if actual == self.nonce {
            return Ok(());
        }
        Err(message_error(Error::Length { what: "nonce", expected: self.nonce, actual }))
    }

    pub(crate) fn expect_random_nonces(&self) -> PyResult<()> {
        self.few.map_or(Ok(()), |limit| Err(message_error(Error::FewRandomNonces { limit })))
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
    name.extract::<String>()?.parse().map_err(message_error)
}
