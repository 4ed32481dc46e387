//! MACs with a nonce: one class for all, of which [`classes`](crate::classes) makes one for each.

use polyseal::any::AnyMac;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::aead::{algorithm_of, detached};
use crate::errors::message_error;
use crate::memory::Input;
use crate::secret::{SecretKey, with_key};

/// A MAC under a key: the base of all classes of MACs. `mac()` makes one by its name.
#[pyclass(frozen, subclass, module = "polyseal")]
pub(crate) struct Mac(AnyMac);

#[pymethods]
impl Mac {
    #[new]
    #[classmethod]
    #[pyo3(text_signature = "(key)")]
    fn new(cls: &Bound<'_, PyType>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let algorithm = algorithm_of(cls)?;
        with_key(key, |key| AnyMac::new(&algorithm, key).map_err(message_error)).map(Self)
    }

    /// A fresh random key of `key_bytes` bytes.
    #[classmethod]
    fn generate_key(cls: &Bound<'_, PyType>) -> PyResult<SecretKey> {
        SecretKey::random(algorithm_of(cls)?.key_bytes())
    }

    /// The tag of `data`, of `tag_bytes` bytes, under a nonce of `nonce_bytes` bytes. The class
    /// says whether a nonce may be repeated. Raises `ValueError` for a nonce of another length.
    fn sign<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, data) = (Input::from_object(nonce)?.take(), Input::from_object(data)?.take());
        let tag = detached(py, data.len(), || self.0.mac(&nonce, &data)).map_err(message_error)?;
        Ok(PyBytes::new(py, &tag))
    }

    /// Returns if `tag` is that of `data`, and raises `InvalidTag` otherwise. The tags are compared
    /// in constant time. Raises `ValueError` for a nonce of another length.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (nonce, data) = (Input::from_object(nonce)?.take(), Input::from_object(data)?.take());
        let tag = Input::from_object(tag)?.take();
        detached(py, data.len(), || self.0.verify(&nonce, &data, &tag)).map_err(message_error)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<polyseal.{}: {}>", slf.get_type().name()?, slf.get().0.algorithm()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds a key is not pickled or copied: send a KeyRef"))
    }
}
