//! The schema: JSON in, groups of tests with their algorithm out.
//!
//! `algorithm` is a registry id or Wycheproof's own name. The sizes of a group, in bits, and its
//! `params` select the instance. Fields that say nothing about the outcome are not looked at.

use std::collections::BTreeMap;
use std::fmt;

use polyseal::registry::{Algorithm, Kind, family};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

type Result<T> = std::result::Result<T, String>;

/// Wycheproof's names of algorithms that the registry has.
const WYCHEPROOF: [(&str, &str); 2] = [("AEGIS128L", "aegis-128l"), ("AEGIS256", "aegis-256")];

/// Tests that share an instance.
#[derive(Debug)]
pub(super) struct Group {
    /// The instance, or why there is none of these sizes.
    pub(super) algorithm: std::result::Result<Algorithm, String>,
    pub(super) kind: Kind,
    pub(super) tests: Vec<Test>,
}

#[derive(Debug)]
pub(super) struct Test {
    pub(super) id: u64,
    pub(super) key: Vec<u8>,
    pub(super) iv: Vec<u8>,
    pub(super) aad: Vec<u8>,
    pub(super) msg: Vec<u8>,
    pub(super) ct: Vec<u8>,
    pub(super) tag: Vec<u8>,
    pub(super) result: Expected,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Expected {
    Valid,
    Invalid,
    Acceptable,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawFile {
    algorithm: String,
    test_groups: Vec<RawGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawGroup {
    #[serde(rename = "type")]
    kind: String,
    key_size: u64,
    iv_size: u64,
    tag_size: u64,
    #[serde(default)]
    params: Params,
    tests: Vec<RawTest>,
}

/// The parameters of a group, each named once: of two values for one name, one would be passed over.
#[derive(Default)]
struct Params(BTreeMap<String, Value>);

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(Params::default())
    }
}

impl<'de> Visitor<'de> for Params {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of parameters")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> std::result::Result<Self, A::Error> {
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if self.0.contains_key(&name) {
                return Err(Error::custom(format!("duplicate parameter {name}")));
            }
            self.0.insert(name, value);
        }
        Ok(self)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawTest {
    tc_id: u64,
    key: String,
    iv: String,
    aad: Option<String>,
    msg: String,
    ct: Option<String>,
    tag: String,
    result: Expected,
}

/// Reads a whole file before anything is checked.
pub(super) fn read(text: &str) -> Result<Vec<Group>> {
    let file: RawFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let own = WYCHEPROOF.iter().find(|(name, _)| *name == file.algorithm);
    let id = own.map_or(file.algorithm.as_str(), |(_, id)| id);
    let family = family(id).ok_or_else(|| format!("unknown algorithm {}", file.algorithm))?;
    let base = Algorithm::new(family);
    let groups: Vec<_> =
        file.test_groups.into_iter().map(|raw| group(base, raw)).collect::<Result<_>>()?;
    if groups.iter().all(|group| group.tests.is_empty()) {
        return Err("there are no tests".to_owned());
    }
    Ok(groups)
}

fn group(base: Algorithm, raw: RawGroup) -> Result<Group> {
    let kind = match raw.kind.as_str() {
        "AeadTest" => Kind::Aead,
        "MacTest" => Kind::Mac,
        other => return Err(format!("unknown type of group {other}")),
    };
    if kind != base.family().kind {
        return Err(format!("a group of type {} for {}", raw.kind, base.family().id));
    }
    let base = with_params(base, &raw.params.0)?;
    let tests: Vec<_> = raw.tests.into_iter().map(|raw| test(kind, raw)).collect::<Result<_>>()?;
    let algorithm = with_sizes(base, raw.key_size, raw.iv_size, raw.tag_size);
    // A length that does not exist is refused, and that is all that an invalid test asks for.
    if let Err(why) = &algorithm
        && tests.iter().any(|test| test.result != Expected::Invalid)
    {
        return Err(format!("a group that is not all invalid: {why}"));
    }
    Ok(Group { algorithm, kind, tests })
}

fn with_params(base: Algorithm, params: &BTreeMap<String, Value>) -> Result<Algorithm> {
    params.iter().try_fold(base, |algorithm, (name, value)| {
        let unknown = || format!("unknown parameter {name}: {value}");
        // `Algorithm::with` knows the sizes, too, but those are not the group's parameters.
        let known = algorithm.family().params.iter().any(|param| param.name == name);
        let value = value.as_u64().filter(|_| known).ok_or_else(unknown)?;
        algorithm.with(name, value).map_err(|_| unknown())
    })
}

fn with_sizes(base: Algorithm, key: u64, iv: u64, tag: u64) -> Result<Algorithm> {
    [("key", key), ("nonce", iv), ("tag", tag)].into_iter().try_fold(
        base,
        |algorithm, (name, bits)| {
            if bits % 8 != 0 {
                return Err(format!("a {name} of {bits} bits does not exist here"));
            }
            algorithm.with(name, bits / 8).map_err(|error| error.to_string())
        },
    )
}

fn test(kind: Kind, raw: RawTest) -> Result<Test> {
    let id = raw.tc_id;
    let bytes = |name: &str, digits: &str| {
        hex::decode(digits).map_err(|_| format!("tcId {id}: {name} is not hexadecimal"))
    };
    // Only an AEAD has these two, and it has both. A MAC would be checked without them.
    let aead_only = |name: &str, digits: Option<String>| match (kind, digits) {
        (Kind::Aead, Some(digits)) => bytes(name, &digits),
        (Kind::Aead, None) => Err(format!("tcId {id}: missing field `{name}`")),
        (_, Some(_)) => Err(format!("tcId {id}: a MAC has no `{name}`")),
        (_, None) => Ok(Vec::new()),
    };
    Ok(Test {
        id,
        key: bytes("key", &raw.key)?,
        iv: bytes("iv", &raw.iv)?,
        aad: aead_only("aad", raw.aad)?,
        msg: bytes("msg", &raw.msg)?,
        ct: aead_only("ct", raw.ct)?,
        tag: bytes("tag", &raw.tag)?,
        result: raw.result,
    })
}
