//! The one list of algorithms.
//!
//! A [`Family`] is a row of the table: what is fixed by its specification, and which sizes and
//! parameters may be chosen. An [`Algorithm`] is a family with every choice made; it has a textual
//! form, `id[:name=value,…]`, that the file format, the command line and the test vectors share.
//! Everything that names algorithms (command line, vectors, self-test, benchmarks, documentation)
//! reads this table.
//!
//! ```
//! use polyseal::registry::Algorithm;
//!
//! let a: Algorithm = "dndk-gcm:kc=1,nonce=20".parse()?;
//! assert_eq!((a.key_bytes(), a.nonce_bytes(), a.tag_bytes()), (32, 20, 48));
//! assert_eq!(a.param("kc"), Some(1));
//! assert_eq!(a.to_string(), "dndk-gcm:kc=1,nonce=20");
//! # Ok::<(), polyseal::Error>(())
//! ```

use core::cmp::Reverse;
use core::str::FromStr;

use crate::error::{Error, Result};
pub use crate::family::{
    Algorithm, Claims, Commitment, Cost, Family, FamilyLimits, FamilySizes, Identity, Kind, Level,
    Listed, Misuse, Param, ParamKind, Specification,
};
pub use crate::sizes::Sizes;

/// Every family, in the order in which tables show them.
#[must_use]
pub fn families() -> &'static [Family] {
    const LISTS: &[&[Family]] = &[
        #[cfg(feature = "aegis")]
        crate::aegis::names::FAMILIES,
        #[cfg(feature = "gcm")]
        crate::gcm::names::FAMILIES,
        #[cfg(all(feature = "ctx", any(feature = "aegis", feature = "gcm")))]
        crate::ctx_rows::FAMILIES,
        #[cfg(feature = "flex")]
        crate::flex::names::FAMILIES,
        #[cfg(all(feature = "flex", feature = "papers"))]
        crate::och::names::FAMILIES,
        #[cfg(feature = "omd")]
        crate::omd::names::FAMILIES,
    ];
    const COUNT: usize = {
        let (mut count, mut list) = (0, 0);
        while list < LISTS.len() {
            (count, list) = (count + LISTS[list].len(), list + 1);
        }
        count
    };
    static ALL: [Family; COUNT] = {
        let mut all = [LISTS[0][0]; COUNT];
        let (mut list, mut at) = (0, 0);
        while list < LISTS.len() {
            let mut i = 0;
            while i < LISTS[list].len() {
                all[at] = LISTS[list][i];
                (i, at) = (i + 1, at + 1);
            }
            list += 1;
        }
        all
    };
    &ALL
}

/// The family with this id.
#[must_use]
pub fn family(id: &str) -> Option<&'static Family> {
    families().iter().find(|f| f.identity.id == id)
}

/// The one of `names` that is most like `text`, for a message to ask whether that was meant; `None`
/// if none is like it, in whatever case. Of several, the longest, and the last in order.
///
/// ```
/// use polyseal::registry::{families, nearest};
///
/// let names = || families().iter().map(|family| family.identity.id);
/// assert_eq!(nearest("aegis-256-x2", names()), Some("aegis-256x2"));
/// assert_eq!(nearest("AES-GCM", names()), Some("aes-256-gcm"));
/// assert_eq!(nearest("rot13", names()), None);
/// ```
#[must_use]
pub fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let edits = names.into_iter().map(|name| (edits(text, name), name));
    let near = edits.filter(|(edits, name)| 2 * edits <= name.len().min(text.len() + 1));
    near.min_by_key(|(edits, name)| (*edits, Reverse((name.len(), *name)))).map(|(_, name)| name)
}

/// How many bytes must be added, removed or replaced to make `b` of `a`: Levenshtein's distance.
/// A name has at most 64; of longer ones the rest counts whole.
fn edits(a: &str, b: &str) -> usize {
    const MOST: usize = 64;
    let (a, rest_a) = a.as_bytes().split_at(a.len().min(MOST));
    let (b, rest_b) = b.as_bytes().split_at(b.len().min(MOST));
    // From a's beginnings to the beginning of b that is looked at.
    let mut row = [0; MOST + 1];
    for (i, edits) in row.iter_mut().enumerate() {
        *edits = i;
    }
    for (j, y) in b.iter().enumerate() {
        let mut before = row[0];
        row[0] = j + 1;
        for (i, x) in a.iter().enumerate() {
            let replaced = before + usize::from(!x.eq_ignore_ascii_case(y));
            before = row[i + 1];
            row[i + 1] = replaced.min(row[i] + 1).min(before + 1);
        }
    }
    row[a.len()] + rest_a.len() + rest_b.len()
}

/// The ids of all families, whether or not this build has them, by the features that it takes to
/// have them.
const BROUGHT_BY: &[(&[&str], &[&str])] = &[
    (
        &["aegis"],
        &[
            "aegis-128l",
            "aegis-128x2",
            "aegis-128x4",
            "aegis-256",
            "aegis-256x2",
            "aegis-256x4",
            "aegis-128l-mac",
            "aegis-128x2-mac",
            "aegis-128x4-mac",
            "aegis-256-mac",
            "aegis-256x2-mac",
            "aegis-256x4-mac",
        ],
    ),
    (
        &["gcm"],
        &[
            "aes-128-gcm",
            "aes-256-gcm",
            "aes-256-gcm-siv",
            "xaes-256-gcm",
            "kc-xaes-256-gcm",
            "dndk-gcm",
            "h-aes-256-gcm",
            "h-kc-aes-256-gcm",
            "hkdf-committed-aes-256-gcm",
            "padding-fix-aes-256-gcm",
        ],
    ),
    (&["ctx", "gcm"], &["ctx-aes-256-gcm"]),
    (
        &["ctx", "aegis"],
        &[
            "ctx-aegis-128l",
            "ctx-aegis-128x2",
            "ctx-aegis-128x4",
            "ctx-aegis-256",
            "ctx-aegis-256x2",
            "ctx-aegis-256x4",
        ],
    ),
    (
        &["flex"],
        &[
            "flex",
            "flex-och",
            "flex-och-public",
            "flex-och-transport",
            "flex-och-stream",
            "flex-civ",
            "flex-civ-public",
            "flex-civ-stream",
            "flex-robust",
            "flex-robust-ae",
        ],
    ),
    (&["omd"], &["omd-sha256", "omd-sha512", "omd-blake2b"]),
    (&["papers", "aegis"], &["aegis-128x-v1", "aegis-256x-v1"]),
    (
        &["papers", "gcm"],
        &[
            "padding-fix-xaes-256-gcm",
            "kc-c3-xaes-256-gcm",
            "f-com-h-aes-256-gcm",
            "f-com-hkdf-aes-256-gcm",
            "f-com-dndk-gcm",
        ],
    ),
    (&["papers", "flex"], &["och-areion-p", "och-areion-s"]),
];

/// Whether this build has a feature that brings families.
fn is_built(feature: &str) -> bool {
    match feature {
        "aegis" => cfg!(feature = "aegis"),
        "gcm" => cfg!(feature = "gcm"),
        "ctx" => cfg!(feature = "ctx"),
        "flex" => cfg!(feature = "flex"),
        "omd" => cfg!(feature = "omd"),
        _ => cfg!(feature = "papers"),
    }
}

/// The feature of this crate that brings the family `id`: of two that it takes, the one that this
/// build is without. `None` for an id that no feature brings.
///
/// It knows families that this build was made without: see [`Error::LeftOut`].
///
/// ```
/// use polyseal::registry::feature_of;
///
/// assert_eq!(feature_of("aes-256-gcm"), Some("gcm"));
/// assert_eq!(feature_of("flex-och"), Some("flex"));
/// assert_eq!(feature_of("aes-512-gcm"), None);
/// ```
#[must_use]
pub fn feature_of(id: &str) -> Option<&'static str> {
    let (features, _) = BROUGHT_BY.iter().find(|(_, ids)| ids.contains(&id))?;
    Some(features.iter().find(|feature| !is_built(feature)).unwrap_or(&features[0]))
}

/// The error for an id that this build has no family of.
fn missing(id: &str) -> Error {
    feature_of(id).map_or(Error::UnknownAlgorithm, |feature| Error::LeftOut { feature })
}

impl FromStr for Algorithm {
    type Err = Error;

    /// Reads `id[:name=value,…]`; each name at most once, values as [`Param::text`] writes them,
    /// lengths in decimal.
    fn from_str(text: &str) -> Result<Self> {
        let (id, choices) = text.split_once(':').map_or((text, None), |(id, c)| (id, Some(c)));
        let mut algorithm = Self::new(family(id).ok_or_else(|| missing(id))?);
        let Some(choices) = choices else { return Ok(algorithm) };
        for (i, choice) in choices.split(',').enumerate() {
            let (name, value) = choice.split_once('=').ok_or(Error::Parameter)?;
            let repeated = choices.split(',').take(i).any(|c| c.split('=').next() == Some(name));
            if repeated {
                return Err(Error::Parameter);
            }
            algorithm.value_of(name, value)?;
        }
        let named = choices.split(',').filter_map(|choice| choice.split_once('='));
        let params = named.filter(|(name, _)| algorithm.param(name).is_some()).count();
        if algorithm.family().sizes.one_param && params > 1 {
            return Err(Error::ExclusiveParameters);
        }
        // Parameters first, in the family's order and whatever the text's: lengths depend on them,
        // and a permission comes before what it is for.
        for step in 0..=algorithm.family().sizes.params.len() {
            for (name, value) in choices.split(',').filter_map(|choice| choice.split_once('=')) {
                if algorithm.step_of(name) == step {
                    algorithm = algorithm.with(name, algorithm.value_of(name, value)?)?;
                }
            }
        }
        Ok(algorithm)
    }
}
