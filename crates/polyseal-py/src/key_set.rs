//! The recipients of a file, and the identities that open it: one object for both, which
//! `polyseal/_key_set.py` makes of the keywords `key`, `identity`, `recipients`, `passphrase` and
//! `context`.

use polyseal_file::age::{NoCallbacks, RecipientList, parse_identities_with};
use polyseal_file::{Context, Decryptor, Identities, Passphrase, Recipients};
use polyseal_local::RekeyedCheck;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use zeroize::Zeroizing;

use crate::errors::{file_error, identity_error, key_error};
use crate::kms::plugins;
use crate::secret::SecretKey;

/// Keys, identities and recipients of age, a passphrase, and the context of a file.
#[pyclass(frozen, module = "polyseal._polyseal")]
pub(crate) struct KeySet {
    keys: Vec<Py<SecretKey>>,
    identities: Vec<(Zeroizing<Vec<u8>>, Option<String>)>,
    recipients: Vec<String>,
    passphrase: Option<Passphrase>,
    context: Option<Context>,
}

#[pymethods]
impl KeySet {
    #[new]
    fn new(
        keys: Vec<Py<SecretKey>>,
        identities: Vec<(Bound<'_, PyBytes>, Option<String>)>,
        recipients: Vec<String>,
        passphrase: Option<Bound<'_, PyBytes>>,
        context: Option<Bound<'_, PyBytes>>,
    ) -> PyResult<Self> {
        // No `Vec<u8>` of Python's: it would take a list of numbers.
        let own = |bytes: Bound<'_, PyBytes>| bytes.as_bytes().to_vec();
        let passphrase =
            passphrase.map(own).map(Passphrase::new).transpose().map_err(file_error)?;
        let context = context.map(own).map(Context::new).transpose().map_err(file_error)?;
        let identities =
            identities.into_iter().map(|(bytes, name)| (Zeroizing::new(own(bytes)), name));
        let identities = identities.collect();
        Ok(Self { keys, identities, recipients, passphrase, context })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds keys is not pickled or copied: send a KeyRef"))
    }
}

impl KeySet {
    /// The key set of keywords, for a file that is made.
    pub(crate) fn sealing<'py>(
        py: Python<'py>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let make = MAKE.import(py, "polyseal._key_set", "sealing_keys")?;
        Ok(make.call((), keywords)?.cast_into()?)
    }

    /// The same for one that is opened.
    pub(crate) fn opening<'py>(
        py: Python<'py>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let make = MAKE.import(py, "polyseal._key_set", "opening_keys")?;
        Ok(make.call((), keywords)?.cast_into()?)
    }

    /// The recipients of a file: those that are named, and those of the identities.
    pub(crate) fn recipients(&self) -> PyResult<Recipients> {
        let mut recipients = Recipients::new();
        for key in &self.keys {
            recipients = recipients.key(key.get().file_key()?);
        }
        if let Some(passphrase) = &self.passphrase {
            recipients = recipients.passphrase(passphrase.clone());
        }
        let mut list = RecipientList::new().with_plugins(plugins());
        for recipient in &self.recipients {
            list.add(recipient.trim()).map_err(|error| key_error(&error))?;
        }
        for (contents, name) in &self.identities {
            list.add_identities(contents, name.as_deref(), &NoCallbacks)
                .map_err(|error| identity_error(name.as_deref(), &error))?;
        }
        Ok(recipients.age(list.into_recipients(&NoCallbacks).map_err(|error| key_error(&error))?))
    }

    /// Whom a file is given to that is there already.
    pub(crate) fn new_recipients(&self) -> PyResult<Recipients> {
        if self.context.is_some() {
            let why = "a rekey keeps the context of a file: `to` has none";
            return Err(PyValueError::new_err(why));
        }
        self.recipients()
    }

    /// How to tell that one of many files has been given to them. If one key alone is added, it
    /// opens files that are done.
    pub(crate) fn rekeyed_check<'a>(
        &self,
        opens: &'a Identities<'a>,
        keep: bool,
    ) -> RekeyedCheck<'a> {
        let others = self.identities.len() + self.recipients.len();
        let one_is_added = keep && self.keys.len() == 1 && others == 0 && self.passphrase.is_none();
        if one_is_added { RekeyedCheck::OpensAdded(opens) } else { RekeyedCheck::Opens(opens) }
    }

    /// The identities that open a file.
    pub(crate) fn identities(&self) -> PyResult<Identities<'static>> {
        let mut identities = Identities::new();
        for key in &self.keys {
            identities = identities.key(key.get().file_key()?);
        }
        if let Some(passphrase) = self.passphrase.clone() {
            identities = identities.passphrase(move || Ok(passphrase.clone()));
        }
        for (contents, name) in &self.identities {
            let file = name.as_deref();
            let parsed = parse_identities_with(contents, file, &NoCallbacks, &plugins());
            let parsed = parsed.map_err(|error| identity_error(file, &error))?;
            identities = identities.age(parsed);
        }
        Ok(identities)
    }

    /// Whether anything is in it that opens a file, and not recipients alone.
    pub(crate) fn opens(&self) -> bool {
        !self.keys.is_empty() || !self.identities.is_empty() || self.passphrase.is_some()
    }

    pub(crate) fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// A decryptor with these identities, for the context.
    pub(crate) fn decryptor<'a>(&'a self, identities: &'a Identities<'a>) -> Decryptor<'a> {
        let decryptor = Decryptor::new(identities);
        match &self.context {
            Some(context) => decryptor.context(context),
            None => decryptor,
        }
    }
}
