//! A secret key, as Python has it: shown only when asked, wiped at the end.

use polyseal_file::{KEY_BYTES, Key};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::errors::{PolysealError, file_error};
use crate::memory::Input;

/// A secret key. Its bytes are wiped when it is no longer used, its `repr` does not show them, and
/// it cannot be pickled: send a `KeyRef` instead.
///
/// >>> key = SecretKey.generate()
/// >>> key
/// SecretKey(32 bytes)
/// >>> key == SecretKey(key.reveal())
/// True
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct SecretKey(Zeroizing<Vec<u8>>);

impl SecretKey {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key of a file.
    pub(crate) fn from_key(key: &Key) -> Self {
        Self(Zeroizing::new(key.reveal().to_vec()))
    }

    pub(crate) fn random(bytes: usize) -> PyResult<Self> {
        let mut key = Zeroizing::new(vec![0; bytes]);
        getrandom::fill(&mut key)
            .map_err(|_| PolysealError::new_err("the operating system gave no random bytes"))?;
        Ok(Self(key))
    }

    /// The key for files with these bytes.
    pub(crate) fn file_key(&self) -> PyResult<Key> {
        let bytes: &[u8; KEY_BYTES] = self.0[..].try_into().map_err(|_| {
            let given = self.0.len();
            PyValueError::new_err(format!("a key for files has {KEY_BYTES} bytes, not {given}"))
        })?;
        Ok(Key::from_bytes(bytes))
    }
}

#[pymethods]
impl SecretKey {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let key = Input::from_secret(key)?;
        let mut own = Zeroizing::new(vec![0; key.len()]);
        key.copy_range(0..key.len(), &mut own);
        Ok(Self(own))
    }

    /// A fresh random key of `length` bytes, from the operating system.
    #[staticmethod]
    #[pyo3(signature = (length = 32))]
    fn generate(length: usize) -> PyResult<Self> {
        Self::random(length)
    }

    /// The key in the contents of a key file: one line `polyseal-key-1-…` among comments, or its 32
    /// bytes. Raises `ValueError` if there is none.
    #[staticmethod]
    fn from_key_file(contents: &Bound<'_, PyAny>) -> PyResult<Self> {
        let contents = Input::from_secret(contents)?.take();
        Ok(Self::from_key(&Key::parse(&contents).map_err(file_error)?))
    }

    /// The contents of a key file with this key, for the tool and for `KeyRef("file:…")`. Raises
    /// `ValueError` if the key has not 32 bytes.
    fn to_key_file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, self.file_key()?.to_file().reveal()))
    }

    /// The bytes of the key. Python wipes no bytes: the copy stays in memory until it is reused.
    fn reveal<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({} bytes)", self.0.len())
    }

    /// In constant time, for keys of one length.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>().map(|other| other.get());
        other.is_ok_and(|other| bool::from(self.0.ct_eq(&other.0)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a secret key is not pickled or copied: use a KeyRef"))
    }
}

/// The bytes of a key that was given as a `SecretKey` or as bytes.
pub(crate) fn with_key<R>(
    key: &Bound<'_, PyAny>,
    work: impl FnOnce(&[u8]) -> PyResult<R>,
) -> PyResult<R> {
    if let Ok(key) = key.cast::<SecretKey>() {
        return work(key.get().bytes());
    }
    // A `KeyRef` is no secret before it is resolved.
    if let Ok(resolve) = key.getattr("resolve") {
        let key = resolve.call0()?.cast_into::<SecretKey>()?;
        return work(key.get().bytes());
    }
    work(&Input::from_secret(key)?.take())
}
