//! A class for each algorithm of the registry, made when the module is imported.
//!
//! A class is named as the type in Rust is, which follows from the registry's id: `aegis-128x2` is
//! `Aegis128X2`, `aegis-256-mac` is `AegisMac256`. Other lengths and parameters are subclasses,
//! which are made when somebody asks for them by name.

use polyseal::limits::Limits;
use polyseal::registry::{Algorithm, Family, Identity, Kind, Level, Misuse, families, nearest};
use polyseal::{Error, random_nonce};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::aead::Aead;
use crate::errors::message_error;
use crate::mac::Mac;

/// Adds the classes, and the functions that find them.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let names = families().iter().filter(|family| !family.identity.papers_only).map(|family| {
        let algorithm = Algorithm::new(family);
        let base = base_of(py, &algorithm);
        let name = class_name(family.identity.id);
        module.add(name.as_str(), class(&base, &name, &algorithm)?)?;
        Ok((family.identity.id, name))
    });
    let names: Vec<_> = names.collect::<PyResult<_>>()?;
    module.add("ALGORITHMS", names.into_iter().collect::<std::collections::BTreeMap<_, _>>())?;
    module.add_function(wrap_pyfunction!(algorithm_class, module)?)?;
    module.add_function(wrap_pyfunction!(suites, module)?)
}

/// The class that has the methods of `algorithm`.
fn base_of<'py>(py: Python<'py>, algorithm: &Algorithm) -> Bound<'py, PyType> {
    match algorithm.family().identity.kind {
        Kind::Mac => py.get_type::<Mac>(),
        #[cfg(feature = "flex")]
        _ if crate::flex_aead::is_in_one_piece(algorithm) => {
            py.get_type::<crate::flex_aead::OnePieceAead>()
        }
        _ => py.get_type::<Aead>(),
    }
}

/// The name of the class, and of the type in Rust, of the family `id`. `flex` is the one of which
/// configurations are parameters: `Flex` itself has an interface of its own.
fn class_name(id: &str) -> String {
    if id == "flex" {
        return "FlexAead".into();
    }
    let word = |word: &str| match word.as_bytes() {
        [b'0'..=b'9', ..] => word.to_uppercase(),
        _ => word[..1].to_uppercase() + &word[1..],
    };
    let mut words: Vec<_> = id.split('-').map(word).collect();
    if words.last().is_some_and(|last| last == "Mac") {
        words.rotate_right(1);
        words.swap(0, 1);
    }
    words.concat()
}

fn class<'py>(
    base: &Bound<'py, PyType>,
    name: &str,
    algorithm: &Algorithm,
) -> PyResult<Bound<'py, PyType>> {
    let py = base.py();
    let contents = PyDict::new(py);
    contents.set_item("__slots__", PyTuple::empty(py))?;
    contents.set_item("__module__", "polyseal")?;
    contents.set_item("__doc__", documentation(algorithm))?;
    contents.set_item("algorithm", algorithm.to_string())?;
    contents.set_item("key_bytes", algorithm.key_bytes())?;
    contents.set_item("nonce_bytes", algorithm.nonce_bytes())?;
    contents.set_item("tag_bytes", algorithm.tag_bytes())?;
    let class = py.get_type::<PyType>().call1((name, (base,), contents))?;
    Ok(class.cast_into()?)
}

/// The documentation, from the registry.
fn documentation(algorithm: &Algorithm) -> String {
    let Family { identity, claims, .. } = algorithm.family();
    let Identity { name, specification, kind, .. } = identity;
    let section = match specification.section {
        "" => String::new(),
        number if number.starts_with(|first: char| first.is_ascii_digit()) => {
            format!(", section {number}")
        }
        other => format!(", {other}"),
    };
    let few = Limits::for_algorithm(algorithm).random_nonce_messages;
    let random = match few.filter(|&limit| limit < random_nonce::MIN_MESSAGES) {
        _ if *kind == Kind::Mac => "",
        None => " `seal` draws nonces at random.",
        Some(_) => " Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.",
    };
    format!(
        "{name}, under a key.\n\n\
         Sizes: key {} bytes, nonce {} bytes, tag {} bytes.\n\
         Nonces: a repeated one {}.{random}\n\
         Commitment: {}.\n\
         Specification: {}{section}.",
        algorithm.key_bytes(),
        algorithm.nonce_bytes(),
        algorithm.tag_bytes(),
        match claims.misuse {
            Misuse::Breaks => "breaks confidentiality and authenticity",
            Misuse::Resistant => "shows whether messages are equal, and nothing else",
            _ => "does no harm",
        },
        match algorithm.commitment().map_or(Level::None, |claim| claim.level) {
            Level::None => "none".to_owned(),
            Level::KeyFixedAd => "to the key, for fixed associated data".to_owned(),
            Level::ForKc => "to the key, for one nonce (FOR-KC)".to_owned(),
            level @ Level::Cmt1 => format!("to the key ({})", level.name()),
            level @ Level::Cmt2 => format!("to key and nonce ({})", level.name()),
            level => format!("to key, nonce, associated data and message ({})", level.name()),
        },
        specification.title,
    )
}

/// The class of the algorithm with this registry name, such as `aegis-128l:tag=32`.
#[pyfunction]
#[pyo3(pass_module)]
fn algorithm_class<'py>(module: &Bound<'py, PyModule>, name: &str) -> PyResult<Bound<'py, PyType>> {
    let algorithm: Algorithm = name.parse().map_err(|error| unknown(name, error))?;
    if algorithm.family().identity.papers_only {
        return Err(unknown(name, Error::UnknownAlgorithm));
    }
    let class_name = class_name(algorithm.family().identity.id);
    let base = module.getattr(class_name.as_str())?.cast_into::<PyType>()?;
    if algorithm == Algorithm::new(algorithm.family()) {
        return Ok(base);
    }
    class(&base, &class_name, &algorithm)
}

/// The error, and for a name that nothing has the one that was perhaps meant.
fn unknown(name: &str, error: Error) -> PyErr {
    if error != Error::UnknownAlgorithm {
        return message_error(error);
    }
    let id = name.split(':').next().unwrap_or_default();
    let families = families().iter().filter(|family| !family.identity.papers_only);
    let meant = match nearest(id, families.map(|family| family.identity.id)) {
        Some(meant) => format!("; did you mean {meant:?}?"),
        None => String::new(),
    };
    PyValueError::new_err(format!("unknown algorithm {name:?}{meant}"))
}

/// The names of all suites: the algorithms that files are encrypted with.
#[pyfunction]
fn suites() -> Vec<&'static str> {
    polyseal_file::Suite::allowed().to_vec()
}
