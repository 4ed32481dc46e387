//! AEADs whose sealed messages are in one piece: Flex with a hidden nonce, or in segments.
//!
//! Their classes are classes of AEADs like all others. What differs is where the parts of a sealed
//! message are: with a hidden nonce, a head of the tag stands before the ciphertext.

use polyseal::Error;
use polyseal::aead::inout::InOutBuf;
use polyseal::any::AnyAead;
use polyseal::registry::Algorithm;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};
use zeroize::Zeroizing;

use crate::aead::{Aead, Given, Item, algorithm_of, detached, new_bytes};
use crate::errors::message_error;
use crate::memory::Input;
use crate::secret::with_key;

type Result<T> = polyseal::Result<T>;

/// Whether the sealed messages of `algorithm` are in one piece.
pub(crate) fn is_in_one_piece(algorithm: &Algorithm) -> bool {
    algorithm.head_bytes() > 0 || algorithm.is_whole()
}

/// The base of their classes, which has one or the other of every method of `Aead`.
#[pyclass(frozen, subclass, extends = Aead, module = "polyseal", name = "_OnePieceAead")]
pub(crate) struct OnePieceAead {
    /// The bytes of the hidden nonce; 0 for segments.
    head: usize,
}

/// An AEAD under a key, and the bytes of its hidden nonce.
#[derive(Clone, Copy)]
struct Cipher<'a> {
    aead: &'a AnyAead,
    head: usize,
}

impl Cipher<'_> {
    /// Seals `data` into `out`, which has the length of the sealed message.
    fn seal(self, nonce: &[u8], ad: &[u8], data: &Input<'_>, out: &mut [u8]) -> Result<()> {
        if self.head == 0 {
            let mut copy = Zeroizing::default();
            out.copy_from_slice(&self.aead.seal(nonce, ad, slice(data, &mut copy))?);
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
        let mut tag = vec![0; head.len() + tail.len()];
        self.aead.seal_inout_detached(nonce, ad, body, &mut tag)?;
        head.copy_from_slice(&tag[..self.head]);
        tail.copy_from_slice(&tag[self.head..]);
        Ok(())
    }

    /// Opens `data` from offset `from` on into `out`, which has the length of the message.
    fn open(
        self,
        nonce: &[u8],
        ad: &[u8],
        data: &Input<'_>,
        from: usize,
        out: &mut [u8],
    ) -> Result<()> {
        if self.head == 0 {
            let mut copy = Zeroizing::default();
            let message = self.aead.open(nonce, ad, &slice(data, &mut copy)[from..])?;
            out.copy_from_slice(&Zeroizing::new(message));
            return Ok(());
        }
        let start = from + self.head;
        let end = start + out.len();
        let mut tag = vec![0; self.head + data.len() - end];
        let (head, tail) = tag.split_at_mut(self.head);
        data.copy_range(from..start, head);
        data.copy_range(end..data.len(), tail);
        let body = match data {
            Input::Bytes(data) => {
                InOutBuf::new(&data[start..end], out).map_err(|_| Error::WholeOnly)?
            }
            foreign @ Input::Foreign(_) => {
                foreign.copy_range(start..end, out);
                out.into()
            }
        };
        self.aead.open_inout_detached(nonce, ad, body, &tag)
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

#[pymethods]
impl OnePieceAead {
    #[new]
    #[classmethod]
    #[pyo3(text_signature = "(key)")]
    fn new(cls: &Bound<'_, PyType>, key: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let algorithm = algorithm_of(cls)?;
        let aead = with_key(key, |key| AnyAead::new(&algorithm, key).map_err(message_error))?;
        let this = Self { head: algorithm.head_bytes() };
        Ok(PyClassInitializer::from(Aead::made(aead)).add_subclass(this))
    }

    /// Encrypts `data` and authenticates it together with `associated_data`. The result is the
    /// sealed message. The nonce must be another one for every message under a key. Raises
    /// `ValueError` for a nonce of another length, and `LimitExceeded` for too long a message.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn encrypt<'py>(
        slf: &Bound<'py, Self>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (base, cipher) = parts(slf);
        base.encrypt_by(slf.py(), Given { nonce, data, associated_data }, |nonce, ad, data, out| {
            cipher.seal(nonce, ad, data, out)
        })
    }

    /// Decrypts what `encrypt` returned. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn decrypt<'py>(
        slf: &Bound<'py, Self>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (base, cipher) = parts(slf);
        base.decrypt_by(slf.py(), Given { nonce, data, associated_data }, |nonce, ad, data, out| {
            cipher.open(nonce, ad, data, 0, out)
        })
    }

    /// The same as `encrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written.
    fn encrypt_into<'py>(
        slf: &Bound<'py, Self>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let (base, cipher) = parts(slf);
        let given = Given { nonce, data, associated_data };
        base.encrypt_into_by(slf.py(), given, buf, |nonce, ad, data, out| {
            cipher.seal(nonce, ad, data, out)
        })
    }

    /// The same as `decrypt`, into `buf`, which may overlap with `data`. Returns how many bytes of
    /// it are written. If `InvalidTag` is raised, those are zeros.
    fn decrypt_into<'py>(
        slf: &Bound<'py, Self>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let (base, cipher) = parts(slf);
        let given = Given { nonce, data, associated_data };
        base.decrypt_into_by(slf.py(), given, buf, |nonce, ad, data, out| {
            cipher.open(nonce, ad, data, 0, out)
        })
    }

    /// Encrypts `data` under a random nonce. The result is all that `open` needs beside the key.
    #[pyo3(signature = (data, associated_data = None))]
    fn seal<'py>(
        slf: &Bound<'py, Self>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (base, cipher) = parts(slf);
        base.expect_random_nonces()?;
        let ad = Input::from_optional(associated_data)?.take();
        let data = Input::from_object(data)?;
        let sealed = base.sealed_bytes(data.len()).map_err(message_error)?;
        let front = cipher.nonce_in_front();
        new_bytes(slf.py(), front + sealed, data.len() + ad.len(), |out| {
            let mut nonce = vec![0; cipher.aead.algorithm().nonce_bytes()];
            getrandom::fill(&mut nonce).map_err(|_| Error::Random)?;
            let (sent, rest) = out.split_at_mut(front);
            sent.copy_from_slice(&nonce[..front]);
            cipher.seal(&nonce, &ad, &data, rest)
        })
    }

    /// Decrypts what `seal` returned. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (sealed, associated_data = None))]
    fn open<'py>(
        slf: &Bound<'py, Self>,
        sealed: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (py, (base, cipher)) = (slf.py(), parts(slf));
        let ad = Input::from_optional(associated_data)?.take();
        let data = Input::from_object(sealed)?;
        let front = cipher.nonce_in_front();
        let message = data.len().checked_sub(front).ok_or(Error::Unauthentic);
        let message =
            message.and_then(|sealed| base.message_bytes(sealed)).map_err(message_error)?;
        if cipher.head > 0 {
            let sealed = data.take();
            let opened = detached(py, sealed.len(), || cipher.aead.open_hidden_nonce(&ad, &sealed));
            return Ok(PyBytes::new(py, &opened.map_err(message_error)?.message));
        }
        new_bytes(py, message, data.len() + ad.len(), |out| {
            let mut nonce = vec![0; front];
            data.copy_range(0..front, &mut nonce);
            cipher.open(&nonce, &ad, &data, front, out)
        })
    }

    /// `seal` for each pair of data and associated data.
    fn seal_many<'py>(
        slf: &Bound<'py, Self>,
        items: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        parts(slf).0.expect_random_nonces()?;
        let items: Vec<Item<'py>> =
            items.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?;
        let sealed = items.iter().map(|(data, ad)| Self::seal(slf, data, ad.as_ref()));
        PyList::new(slf.py(), sealed.collect::<PyResult<Vec<_>>>()?)
    }
}

impl Cipher<'_> {
    /// The bytes of the nonce in front of a message that was sealed under a random one.
    fn nonce_in_front(self) -> usize {
        if self.head > 0 { 0 } else { self.aead.algorithm().nonce_bytes() }
    }
}

/// The base, and the cipher.
fn parts<'a>(slf: &'a Bound<'_, OnePieceAead>) -> (&'a Aead, Cipher<'a>) {
    let base = slf.as_super().get();
    (base, Cipher { aead: base.any(), head: slf.get().head })
}
