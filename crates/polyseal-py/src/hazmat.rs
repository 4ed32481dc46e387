//! Ciphers that are no AEADs, for experts: `polyseal.hazmat`.

use polyseal::flex::{Config, NonceForm};
use polyseal::hazmat::WideBlock as Cipher;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aead::detached;
use crate::errors::message_error;
use crate::memory::Input;
use crate::secret::with_key;

/// A wide-block cipher under a key. **It does not commit**: anyone who knows two keys can make a
/// ciphertext that opens under both. The name says what else it does not give:
/// `wide-block-robust-no-commitment` is 16 bytes longer than the message and refuses altered
/// ciphertexts; with `wide-block-length-preserving-no-authenticity` every ciphertext opens, to
/// something. `wide-block-no-commitment:cfg=` and `wide-block-no-authenticity:cfg=` take any
/// configuration with and without a stretch, in 16 hexadecimal digits.
#[pyclass(frozen, module = "polyseal.hazmat")]
pub(crate) struct WideBlock {
    cipher: Cipher,
}

impl WideBlock {
    fn configured(&self) -> &Config {
        self.cipher.config()
    }

    fn opened<'py>(
        &self,
        py: Python<'py>,
        nonce: &[u8],
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (data, ad) =
            (Input::from_object(data)?.take(), Input::from_optional(associated_data)?.take());
        let opened = detached(py, data.len(), || self.cipher.decipher(nonce, &ad, &data));
        let opened = opened.map_err(message_error)?;
        Ok((PyBytes::new(py, &opened.nonce), PyBytes::new(py, &opened.message)))
    }
}

#[pymethods]
impl WideBlock {
    #[new]
    #[pyo3(signature = (key, name, setup_ad = None))]
    fn new(
        key: &Bound<'_, PyAny>,
        name: &str,
        setup_ad: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let setup_ad = Input::from_optional(setup_ad)?.take();
        let cipher =
            with_key(key, |key| Cipher::by_name(name, key, &setup_ad).map_err(message_error));
        Ok(Self { cipher: cipher? })
    }

    /// The eight bytes of the configuration.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.configured().to_bytes())
    }

    /// Whether the nonce is hidden in the ciphertext.
    #[getter]
    fn hides_nonce(&self) -> bool {
        matches!(self.configured().nonce(), NonceForm::Hidden(_))
    }

    /// The bytes that a ciphertext has beside the message's.
    #[getter]
    fn overhead_bytes(&self) -> usize {
        self.configured().overhead_bytes()
    }

    /// Enciphers `data`. Under one nonce and associated data, equal messages are seen to be equal.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn encipher<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad) =
            (Input::from_object(nonce)?.take(), Input::from_optional(associated_data)?.take());
        let data = Input::from_object(data)?.take();
        let enciphered = detached(py, data.len(), || self.cipher.encipher(&nonce, &ad, &data));
        Ok(PyBytes::new(py, &enciphered.map_err(message_error)?))
    }

    /// Deciphers a message of `encipher`. With a hidden nonce, the nonce is `b""`. Raises
    /// `InvalidTag` if the stretch is not zeros; without a stretch nothing is refused.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn decipher<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let nonce = Input::from_object(nonce)?.take();
        Ok(self.opened(py, &nonce, data, associated_data)?.1)
    }

    /// Deciphers a message of `encipher`, and returns the nonce that was hidden and the message.
    /// Raises `InvalidTag` as `decipher` does.
    #[pyo3(signature = (data, associated_data = None))]
    fn decipher_with_nonce<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        self.opened(py, b"", data, associated_data)
    }

    fn __repr__(&self) -> String {
        let digits = self.configured().to_bytes().map(|byte| format!("{byte:02x}")).concat();
        let name = match self.configured().stretch_bytes() {
            0 => Cipher::NO_AUTHENTICITY,
            _ => Cipher::NO_COMMITMENT,
        };
        let allowed = match self.configured().profile().tag_bytes() {
            16 => ",allow-64-bit=1",
            _ => "",
        };
        format!("<polyseal.hazmat.WideBlock: {name}:cfg={digits}{allowed}>")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds a key is not pickled or copied: send a KeyRef"))
    }
}
