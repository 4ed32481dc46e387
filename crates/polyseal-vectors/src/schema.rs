//! The schema: JSON in, groups of tests with their algorithm out.
//!
//! `algorithm` is a registry id or Wycheproof's own name. The sizes of a group, in bits, and its
//! `params` select the instance; those of `flex`, `cfg` and `setupAd`, are in hexadecimal. Fields
//! that say nothing about the outcome are not looked at. Wycheproof's files for AES have keys of
//! 192 bits, which this library does not: those groups are read like all others, and then skipped.

use std::collections::BTreeMap;
use std::fmt;

use polyseal::registry::{Algorithm, Kind, ParamKind, family, feature_of};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::check::{Verdict, check};

type Result<T> = std::result::Result<T, String>;

/// Wycheproof's names of algorithms that the registry has, and those that `contrib/wycheproof`
/// proposes to it.
const WYCHEPROOF: [(&str, &str); 8] = [
    ("AEGIS128L", "aegis-128l"),
    ("AEGIS128X2", "aegis-128x2"),
    ("AEGIS128X4", "aegis-128x4"),
    ("AEGIS256", "aegis-256"),
    ("AEGIS256X2", "aegis-256x2"),
    ("AEGIS256X4", "aegis-256x4"),
    ("KC-XAES-256-GCM", "kc-xaes-256-gcm"),
    ("XAES-256-GCM", "xaes-256-gcm"),
];

/// Wycheproof's name of AES-GCM with keys of every length.
const AES_GCM: &str = "AES-GCM";

/// CMAC takes no nonce, and is not in the registry.
const AES_CMAC: &str = "AES-CMAC";

/// Tests that share an algorithm, sizes and parameters.
#[derive(Debug)]
pub struct Group {
    instance: Instance,
    tests: Vec<Test>,
}

impl Group {
    /// The tests, in the order of the file.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// The reason why nothing here can run them, if nothing can.
    #[must_use]
    pub fn skipped(&self) -> Option<Skipped> {
        match self.instance {
            Instance::Skipped(why) => Some(why),
            _ => None,
        }
    }

    /// Runs one of its tests: it seals, opens and compares.
    ///
    /// # Errors
    /// The difference from what the test says.
    pub fn check(&self, test: &Test) -> Verdict {
        check(&self.instance, test)
    }
}

/// The reason why a group is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// Polyseal has no AES with keys of 192 bits.
    Aes192,
    /// This build was made without the algorithm.
    LeftOut {
        /// The feature of this crate that brings it: `"flex"`, `"omd"` or `"papers"`.
        feature: &'static str,
    },
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aes192 => f.write_str("there is no AES-192 here"),
            Self::LeftOut { feature } => {
                write!(f, "left out of this build: the feature `{feature}` brings it")
            }
        }
    }
}

#[derive(Debug)]
pub(crate) enum Instance {
    Aead(Algorithm),
    Mac(Algorithm),
    #[cfg(feature = "flex")]
    Flex(crate::flex::Instance),
    Cmac {
        key_bytes: usize,
        tag_bytes: usize,
    },
    /// No algorithm has these sizes, and the tests are all invalid.
    None,
    Skipped(Skipped),
}

/// One test of a group.
#[derive(Debug)]
pub struct Test {
    pub(crate) id: u64,
    pub(crate) key: Vec<u8>,
    pub(crate) iv: Vec<u8>,
    pub(crate) aad: Vec<u8>,
    pub(crate) msg: Vec<u8>,
    pub(crate) ct: Vec<u8>,
    pub(crate) tag: Vec<u8>,
    pub(crate) result: Expected,
}

impl Test {
    /// Its number in the file (`tcId`).
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
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
    iv_size: Option<u64>,
    tag_size: u64,
    #[serde(default)]
    params: Params,
    tests: Vec<RawTest>,
}

/// The parameters of a group, each named once: of two values for one name, one would be passed
/// over.
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
    iv: Option<String>,
    aad: Option<String>,
    msg: String,
    ct: Option<String>,
    tag: String,
    result: Expected,
}

/// Reads a whole file, JSON, before anything is checked.
///
/// # Errors
/// The part that is not of the schema, or stands for nothing that is known, in English.
pub fn read(text: &str) -> std::result::Result<Vec<Group>, crate::Error> {
    groups(text).map_err(crate::Error)
}

fn groups(text: &str) -> Result<Vec<Group>> {
    let file: RawFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let name = file.algorithm.as_str();
    // Unknown even if no group asks for it.
    base(name, 0)?;
    let groups: Vec<_> =
        file.test_groups.into_iter().map(|raw| group(name, raw)).collect::<Result<_>>()?;
    let mut with_tests = groups.iter().filter(|group| !group.tests.is_empty()).peekable();
    if with_tests.peek().is_none() {
        return Err("there are no tests".to_owned());
    }
    if with_tests.all(|group| matches!(group.instance, Instance::Skipped(Skipped::Aes192))) {
        return Err("all tests are of AES-192, which is not here".to_owned());
    }
    Ok(groups)
}

fn group(name: &str, raw: RawGroup) -> Result<Group> {
    let kind = match raw.kind.as_str() {
        "AeadTest" => Kind::Aead,
        "MacTest" => Kind::Mac,
        other => return Err(format!("unknown type of group {other}")),
    };
    if let Some(feature) = feature_of(name).filter(|_| family(name).is_none()) {
        let shape = GroupFields { nonce: true, ad: kind == Kind::Aead };
        let tests = raw.tests.into_iter().map(|raw| test(&shape, raw)).collect::<Result<_>>()?;
        return Ok(Group { instance: Instance::Skipped(Skipped::LeftOut { feature }), tests });
    }
    let base = base(name, raw.key_size)?;
    if kind != base.map_or(Kind::Mac, |base| base.family().identity.kind) {
        let name = base.map_or(name, |base| base.family().identity.id);
        return Err(format!("a group of type {} for {name}", raw.kind));
    }
    let nonce = base.is_some();
    let shape = GroupFields { nonce, ad: kind == Kind::Aead };
    let tests: Vec<_> =
        raw.tests.into_iter().map(|raw| test(&shape, raw)).collect::<Result<_>>()?;
    let iv_size = match (nonce, raw.iv_size) {
        (true, None) => return Err("missing field `ivSize`".to_owned()),
        (false, Some(_)) => return Err(format!("{name} has no `ivSize`")),
        (_, iv_size) => iv_size.unwrap_or(0),
    };
    let instance = match (base, raw.params.0.keys().next()) {
        #[cfg(feature = "flex")]
        _ if name == crate::flex::NAME => crate::flex::Instance::read(
            &raw.params.0,
            &tests,
            [raw.key_size, iv_size, raw.tag_size],
        )
        .map(Instance::Flex),
        (Some(base), _) => {
            let base = with_params(base, &raw.params.0)?;
            with_sizes(base, raw.key_size, iv_size, raw.tag_size).map(|algorithm| match kind {
                Kind::Aead => Instance::Aead(algorithm),
                _ => Instance::Mac(algorithm),
            })
        }
        (None, None) => cmac(raw.key_size, raw.tag_size),
        (None, Some(param)) => return Err(format!("unknown parameter {param}")),
    };
    if matches!(name, AES_GCM | AES_CMAC) && raw.key_size == 192 {
        return Ok(Group { instance: Instance::Skipped(Skipped::Aes192), tests });
    }
    // A length that does not exist is refused, and that is all that an invalid test asks for.
    let instance = match instance {
        Err(why) if tests.iter().any(|test| test.result != Expected::Invalid) => {
            return Err(format!("a group that is not all invalid: {why}"));
        }
        instance => instance.unwrap_or(Instance::None),
    };
    Ok(Group { instance, tests })
}

/// The algorithm before sizes and parameters are chosen; none for CMAC.
fn base(name: &str, key_bits: u64) -> Result<Option<Algorithm>> {
    let own = WYCHEPROOF.iter().find(|(own, _)| *own == name);
    let id = match (name, key_bits) {
        (AES_CMAC, _) => return Ok(None),
        (AES_GCM, 128) => "aes-128-gcm",
        (AES_GCM, _) => "aes-256-gcm",
        _ => own.map_or(name, |(_, id)| id),
    };
    let family = family(id).ok_or_else(|| format!("unknown algorithm {name}"))?;
    Ok(Some(Algorithm::new(family)))
}

fn cmac(key_bits: u64, tag_bits: u64) -> Result<Instance> {
    let key_bytes = match key_bits {
        128 => 16,
        256 => 32,
        _ => return Err(format!("a key of {key_bits} bits does not exist here")),
    };
    let tag_bytes = (1..=16).find(|bytes| 8 * bytes == tag_bits);
    let tag_bytes =
        tag_bytes.ok_or_else(|| format!("a tag of {tag_bits} bits does not exist here"))?;
    Ok(Instance::Cmac { key_bytes, tag_bytes: tag_bytes as usize })
}

fn with_params(base: Algorithm, params: &BTreeMap<String, Value>) -> Result<Algorithm> {
    params.iter().try_fold(base, |algorithm, (name, value)| {
        let unknown = || format!("unknown parameter {name}: {value}");
        // `Algorithm::with` knows the sizes, too, but those are not the group's parameters.
        let mut params = algorithm.family().sizes.params.iter();
        let param = params.find(|param| param.name == name).ok_or_else(unknown)?;
        let value = match value {
            Value::Bool(yes) if param.allowed == [0, 1] => u64::from(*yes),
            Value::String(text) if matches!(param.kind, ParamKind::Name(_)) => {
                algorithm.value_of(name, text).map_err(|_| unknown())?
            }
            value => value.as_u64().ok_or_else(unknown)?,
        };
        algorithm.with(name, value).map_err(|error| match error {
            polyseal::Error::Parameter => unknown(),
            // Known, and not beside what else is chosen.
            other => format!("parameter {name}: {other}"),
        })
    })
}

fn with_sizes(base: Algorithm, key: u64, iv: u64, tag: u64) -> Result<Algorithm> {
    [("key", key), ("nonce", iv), ("tag", tag)].into_iter().try_fold(
        base,
        |algorithm, (name, bits)| {
            if bits % 8 != 0 {
                return Err(format!("a {name} of {bits} bits does not exist here"));
            }
            if name == "tag" && bits == 0 && algorithm.head_bytes() > 0 {
                // It is in the ciphertext, as is the nonce.
                return Ok(algorithm);
            }
            algorithm.with(name, bits / 8).map_err(|error| error.to_string())
        },
    )
}

/// Which fields the tests of a group have, beside those that all have.
struct GroupFields {
    nonce: bool,
    ad: bool,
}

fn test(shape: &GroupFields, raw: RawTest) -> Result<Test> {
    let id = raw.tc_id;
    let bytes = |name: &str, digits: &str| {
        hex::decode(digits).map_err(|_| format!("tcId {id}: {name} is not hexadecimal"))
    };
    // All or nothing: what is not looked at would be checked without it.
    let if_any = |any: bool, name: &str, digits: Option<String>| match (any, digits) {
        (true, Some(digits)) => bytes(name, &digits),
        (true, None) => Err(format!("tcId {id}: missing field `{name}`")),
        (false, Some(_)) if name == "iv" => Err(format!("tcId {id}: CMAC has no `iv`")),
        (false, Some(_)) => Err(format!("tcId {id}: a MAC has no `{name}`")),
        (false, None) => Ok(Vec::new()),
    };
    Ok(Test {
        id,
        key: bytes("key", &raw.key)?,
        iv: if_any(shape.nonce, "iv", raw.iv)?,
        aad: if_any(shape.ad, "aad", raw.aad)?,
        msg: bytes("msg", &raw.msg)?,
        ct: if_any(shape.ad, "ct", raw.ct)?,
        tag: bytes("tag", &raw.tag)?,
        result: raw.result,
    })
}
