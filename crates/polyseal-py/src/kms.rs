//! Keys that live elsewhere, by way of `polyseal_kms`: what `polyseal/kms.py` and
//! `polyseal/keys.py` call. The interpreter's lock is not held while a keeper is asked.
//!
//! Where a keeper is and how it is spoken to says the environment. Nobody is asked for a PIN.

use std::sync::Arc;

use polyseal_file::Key;
use polyseal_file::age::InProcessPlugin;
use polyseal_kms::{
    Context, Error, KeyError, KeyPair, Origin, Plugin, Settings, Uri, WrappedKey, key_from_file,
    unwrap_once,
};
use polyseal_local::shown;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{exception, file_error};
use crate::memory::Input;
use crate::secret::SecretKey;

/// The URI, the context, what the keeper said of its key, and the recipient of its key pair.
type Fields = (String, Vec<(String, String)>, Option<String>, Option<String>);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(key_of_file, module)?)?;
    module.add_function(wrap_pyfunction!(unwrap_key, module)?)?;
    module.add_function(wrap_pyfunction!(make_wrapped_key, module)?)?;
    module.add_function(wrap_pyfunction!(rewrap_key, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_wrapped_key, module)?)?;
    module.add_function(wrap_pyfunction!(make_key_pair, module)?)?;
    module.add_function(wrap_pyfunction!(identity_of_uri, module)?)?;
    module.add_function(wrap_pyfunction!(forget_keys, module)?)
}

/// The plugins that read the identities of key pairs in this process.
pub(crate) fn plugins() -> Vec<Arc<dyn InProcessPlugin>> {
    vec![Arc::new(Plugin::new(Settings::from_environment()))]
}

/// The key in the contents of a key file, plain or wrapped.
#[pyfunction]
fn key_of_file(py: Python<'_>, contents: &Bound<'_, PyAny>) -> PyResult<SecretKey> {
    let contents = Input::from_object(contents)?.take();
    let key = py.detach(|| key_from_file(&contents, &Settings::from_environment()));
    Ok(SecretKey::from_key(&key.map_err(|error| match error {
        KeyError::File(error) => file_error(error),
        KeyError::Kms(error) => kms_error(&error),
        error => PyValueError::new_err(error.to_string()),
    })?))
}

/// The key in the contents of a wrapped key file: anew from its keeper, or as this process has it.
#[pyfunction]
#[pyo3(signature = (contents, anew = false))]
fn unwrap_key(py: Python<'_>, contents: &Bound<'_, PyAny>, anew: bool) -> PyResult<SecretKey> {
    let contents = Input::from_object(contents)?.take();
    let settings = Settings::from_environment();
    let unwrap = || match anew {
        true => WrappedKey::parse(&contents)?.unwrap(&settings),
        false => unwrap_once(&contents, &settings),
    };
    keep(py, unwrap).map(|key: Key| SecretKey::from_key(&key))
}

/// A fresh key, and the contents of its wrapped key file. The URI is the caller's own, and may name
/// a module.
#[pyfunction]
fn make_wrapped_key(
    py: Python<'_>,
    uri: &str,
    context: Vec<(String, String)>,
) -> PyResult<(String, SecretKey)> {
    let make = || {
        let mut pairs = Context::default();
        for (name, value) in &context {
            pairs.add(name, value)?;
        }
        WrappedKey::generate(&Uri::parse(uri, Origin::User)?, pairs, &Settings::from_environment())
    };
    keep(py, make).map(|(wrapped, key)| (wrapped.to_file(), SecretKey::from_key(&key)))
}

/// The contents of a wrapped key file with the same key, wrapped again.
#[pyfunction]
fn rewrap_key(py: Python<'_>, contents: &Bound<'_, PyAny>) -> PyResult<String> {
    let contents = Input::from_object(contents)?.take();
    keep(py, || WrappedKey::parse(&contents)?.rewrap(&Settings::from_environment()))
        .map(|wrapped| wrapped.to_file())
}

/// The fields of a wrapped key file. Nobody is asked.
#[pyfunction]
fn inspect_wrapped_key(contents: &Bound<'_, PyAny>) -> PyResult<Fields> {
    let wrapped =
        WrappedKey::parse(&Input::from_object(contents)?.take()).map_err(|e| kms_error(&e))?;
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Ok((
        wrapped.uri().to_string(),
        wrapped.context().pairs().map(own).collect(),
        wrapped.key_id().map(str::to_owned),
        wrapped.recipient(),
    ))
}

/// The contents of an identity file, and the recipient, of the key pair with this URI, which is
/// made if it does not exist.
#[pyfunction]
fn make_key_pair(py: Python<'_>, uri: &str) -> PyResult<(String, String)> {
    keep(py, || {
        let settings = Settings::from_environment();
        let pair = KeyPair::make(&Uri::parse(uri, Origin::User)?, &settings)?;
        Ok((pair.to_identity_file(None)?, pair.recipient().to_string()))
    })
}

/// The contents of an identity file for the key pair that a reference names.
#[pyfunction]
fn identity_of_uri(py: Python<'_>, uri: &str) -> PyResult<String> {
    keep(py, || {
        let uri = Uri::parse(uri, Origin::File)?;
        KeyPair::find(&uri, &Settings::from_environment())?.to_identity_file(None)
    })
}

/// Wipes the keys that this process has of wrapped key files.
#[pyfunction]
fn forget_keys() {
    polyseal_kms::forget_keys();
}

fn keep<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    py.detach(work).map_err(|error| kms_error(&error))
}

#[cold]
fn kms_error(error: &Error) -> PyErr {
    let text = shown(&error.to_string());
    let text = match error.hint() {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    };
    exception(error.class(), text)
}
