//! Flex, with a configuration that is chosen at run time.

use polyseal::flex::{Config, Flex as Cipher, Mode, NonceForm, Profile};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aead::detached;
use crate::errors::message_error;
use crate::memory::Input;
use crate::secret::with_key;

/// Flex under a key, with a configuration of your own and setup associated data, which say together
/// what the key is for. The named configurations have classes, such as `FlexOch`.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct Flex {
    cipher: Cipher,
}

/// A configuration by its name, or its eight bytes.
fn config(object: &Bound<'_, PyAny>) -> PyResult<Config> {
    if let Ok(name) = object.extract::<String>() {
        let named = Config::NAMED.iter().find(|(_, known, _)| *known == name);
        let names: Vec<_> = Config::NAMED.iter().map(|(_, known, _)| *known).collect();
        return named.map(|(_, _, config)| *config).ok_or_else(|| {
            PyValueError::new_err(format!("a configuration has 8 bytes, or is one of {names:?}"))
        });
    }
    let bytes = Input::from_object(object)?.take();
    let bytes: [u8; 8] = bytes[..].try_into().map_err(|_| {
        PyValueError::new_err(format!("a configuration has 8 bytes, not {}", bytes.len()))
    })?;
    Config::from_bytes(bytes).map_err(|error| message_error(error.into()))
}

#[pymethods]
impl Flex {
    #[new]
    #[pyo3(signature = (key, config, setup_ad = None))]
    fn new(
        key: &Bound<'_, PyAny>,
        config: &Bound<'_, PyAny>,
        setup_ad: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let config = self::config(config)?;
        let setup_ad = Input::from_optional(setup_ad)?.take();
        let cipher =
            with_key(key, |key| Cipher::init(config, key, &setup_ad).map_err(message_error))?;
        Ok(Self { cipher })
    }

    /// The eight bytes of a configuration. Defaults are those of `Config::builder` in Rust: the
    /// profile S512, its longest tag, a hidden nonce of 32 bytes (or the longest that can be
    /// hidden). Raises `ValueError` naming the rule that is broken.
    #[staticmethod]
    #[pyo3(signature = (mode, *, profile = "S512", hidden_nonce = None, public_nonce = None,
        any_public_nonce = false, tag = None, stretch = None, segment = None,
        prehash_setup_ad = false, allow_64_bits = false))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn configuration<'py>(
        py: Python<'py>,
        mode: &str,
        profile: &str,
        hidden_nonce: Option<u16>,
        public_nonce: Option<u16>,
        any_public_nonce: bool,
        tag: Option<usize>,
        stretch: Option<usize>,
        segment: Option<usize>,
        prehash_setup_ad: bool,
        allow_64_bits: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mode = match mode {
            "och" => Mode::Och,
            "civ" => Mode::Civ,
            "robust" => Mode::Robust,
            "robust-ae" => Mode::RobustAe,
            _ => {
                let modes = "the modes are 'och', 'civ', 'robust' and 'robust-ae'";
                return Err(PyValueError::new_err(modes));
            }
        };
        let known = Profile::ALL.into_iter().find(|known| known.name() == profile);
        let profile = known.ok_or_else(|| {
            let names = Profile::ALL.map(Profile::name);
            PyValueError::new_err(format!("the profiles are {}", names.join(", ")))
        })?;
        let mut builder = Config::builder(mode).profile(profile);
        let forms = [
            hidden_nonce.map(NonceForm::Hidden),
            public_nonce.map(NonceForm::Public),
            any_public_nonce.then_some(NonceForm::AnyPublic),
        ];
        let mut forms = forms.into_iter().flatten();
        if let Some(form) = forms.next() {
            builder = builder.nonce(form);
        }
        if forms.next().is_some() {
            return Err(PyValueError::new_err("a nonce has one form: hidden or public"));
        }
        if let Some(bytes) = tag {
            builder = builder.tag_bytes(bytes);
        }
        if let Some(bytes) = stretch {
            builder = builder.stretch_bytes(bytes);
        }
        if let Some(bytes) = segment {
            builder = builder.segment_bytes(bytes);
        }
        if prehash_setup_ad {
            builder = builder.prehash_setup_ad();
        }
        if allow_64_bits {
            builder = builder.allow_64_bits();
        }
        let config = builder.build().map_err(|error| message_error(error.into()))?;
        Ok(PyBytes::new(py, &config.to_bytes()))
    }

    /// The eight bytes of the configuration.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.cipher.config().to_bytes())
    }

    /// Whether the nonce is hidden in the ciphertext.
    #[getter]
    fn hides_nonce(&self) -> bool {
        matches!(self.cipher.config().nonce(), NonceForm::Hidden(_))
    }

    /// The bytes that a ciphertext has beside the message's, if it is in one piece.
    #[getter]
    fn overhead_bytes(&self) -> usize {
        self.cipher.config().overhead_bytes()
    }

    /// Encrypts `data` and authenticates it together with `associated_data`. The result has
    /// `overhead_bytes` more than `data`. Raises `ValueError` for a nonce that the configuration
    /// does not allow.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (nonce, ad) =
            (Input::from_object(nonce)?.take(), Input::from_optional(associated_data)?.take());
        let data = Input::from_object(data)?.take();
        let sealed = detached(py, data.len(), || self.cipher.seal(&nonce, &ad, &data));
        Ok(PyBytes::new(py, &sealed.map_err(message_error)?))
    }

    /// Decrypts a message of `encrypt`. With a hidden nonce, the nonce is `b""`. Raises
    /// `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (nonce, data, associated_data = None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(self.opened(py, nonce, data, associated_data)?.1)
    }

    /// Decrypts a message of `encrypt`, and returns the nonce that was hidden and the message.
    /// Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (data, associated_data = None))]
    fn decrypt_with_nonce<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        self.opened(py, PyBytes::new(py, b"").as_any(), data, associated_data)
    }

    /// Encrypts `data` under a random nonce. The result is all that `open` needs beside the key.
    #[pyo3(signature = (data, associated_data = None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (data, ad) =
            (Input::from_object(data)?.take(), Input::from_optional(associated_data)?.take());
        let sealed = detached(py, data.len(), || self.cipher.seal_random_nonce(&ad, &data));
        Ok(PyBytes::new(py, &sealed.map_err(message_error)?))
    }

    /// Decrypts a message of `seal`. Raises `InvalidTag` if anything of it has been altered.
    #[pyo3(signature = (sealed, associated_data = None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        sealed: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (data, ad) =
            (Input::from_object(sealed)?.take(), Input::from_optional(associated_data)?.take());
        let opened = detached(py, data.len(), || self.cipher.open_random_nonce(&ad, &data));
        Ok(PyBytes::new(py, &opened.map_err(short_error)?.message))
    }

    fn __repr__(&self) -> String {
        let digits = self.cipher.config().to_bytes().map(|byte| format!("{byte:02x}")).concat();
        format!("<polyseal.Flex: flex:cfg={digits}>")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds a key is not pickled or copied: send a KeyRef"))
    }
}

impl Flex {
    fn opened<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (nonce, ad) =
            (Input::from_object(nonce)?.take(), Input::from_optional(associated_data)?.take());
        let data = Input::from_object(data)?.take();
        let opened = detached(py, data.len(), || self.cipher.open(&nonce, &ad, &data));
        let opened = opened.map_err(short_error)?;
        Ok((PyBytes::new(py, &opened.nonce), PyBytes::new(py, &opened.message)))
    }
}

/// An input that is too short for a ciphertext is not authentic.
fn short_error(error: polyseal::Error) -> PyErr {
    match error {
        polyseal::Error::Buffer { .. } => message_error(polyseal::Error::Unauthentic),
        other => message_error(other),
    }
}
