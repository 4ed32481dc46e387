//! The vectors and the list of algorithms, as a program in C can read them without a parser.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use polyseal::flex::ConfigError;
use polyseal::hazmat::WideBlock;
use polyseal::registry::Algorithm;
use polyseal::{Error, Result};
use polyseal_c::algorithms::{RowKind, rows};
use serde_json::Value;

use super::compiler::folder;

/// A line for each algorithm that has functions: `AEAD(name in C, "name")`.
pub(crate) fn list() -> String {
    let mut text = String::new();
    for row in rows() {
        let kind = match row.kind {
            RowKind::Aead => "AEAD",
            RowKind::Segmented => "SEGMENTED",
            RowKind::Mac => "MAC",
        };
        writeln!(text, "{kind}({}, \"{}\")", row.c, row.name).unwrap();
    }
    text
}

/// The instance that a group of tests is about.
fn algorithm(file: &Value, group: &Value) -> Result<Algorithm> {
    let id = match (file["algorithm"].as_str().expect("algorithm"), &group["keySize"]) {
        ("AEGIS128L", _) => "aegis-128l",
        ("AEGIS256", _) => "aegis-256",
        ("AES-GCM", bits) => &format!("aes-{bits}-gcm"),
        (id, _) => id,
    };
    let mut algorithm: Algorithm = id.parse()?;
    if let Some(params) = group["params"].as_object() {
        for (name, value) in params.iter().filter(|(name, _)| *name != "setupAd") {
            let value = match value.as_str() {
                Some(text) => algorithm.value_of(name, text)?,
                None => value.as_u64().or(value.as_bool().map(u64::from)).expect(name),
            };
            algorithm = algorithm.with(name, value)?;
        }
    }
    for (name, field) in [("key", "keySize"), ("nonce", "ivSize"), ("tag", "tagSize")] {
        // A group without tags has them within the ciphertext: the nonce is hidden, or as Flex's
        // configuration says, and their length follows from the algorithm.
        if let Some(bits) = group[field].as_u64().filter(|bits| *bits > 0 || name != "tag") {
            algorithm = algorithm.with(name, bits / 8)?;
        }
    }
    Ok(algorithm)
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    match value[name].as_str() {
        None | Some("") => "-",
        Some(hex) => hex,
    }
}

/// Every vector that is about an algorithm of the registry, on a line: what, the name, whether it
/// is valid, and in hexadecimal the key, setup, nonce, associated data, message and all that is
/// sealed.
pub(crate) fn vectors() -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let mut files: Vec<_> = fs::read_dir(folder().join("../../vectors"))
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    for path in files {
        let file: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        for group in file["testGroups"].as_array().expect("groups") {
            for test in group["tests"].as_array().expect("tests") {
                let (kind, name) = match algorithm(&file, group) {
                    Ok(algorithm) if fits(&algorithm, test) => {
                        let is_mac = group["type"] == "MacTest";
                        (if is_mac { "mac" } else { "aead" }, algorithm.to_string())
                    }
                    Err(Error::Config(ConfigError::NotCommitting)) => ("wide", wide_block(group)),
                    // Profiles of the 64-bit level that commit are Rust's alone.
                    Ok(_)
                    | Err(Error::UnknownAlgorithm | Error::Config(_) | Error::Size { .. }) => {
                        continue;
                    }
                    Err(error) => panic!("{}: {error}", path.display()),
                };
                let valid = if test["result"] == "valid" { "valid" } else { "invalid" };
                let (ct, tag) = (field(test, "ct"), field(test, "tag"));
                let sealed = match (ct, tag) {
                    ("-", tag) => tag.to_owned(),
                    (ct, "-") => ct.to_owned(),
                    (ct, tag) => format!("{ct}{tag}"),
                };
                let [key, nonce, ad, message] =
                    ["key", "iv", "aad", "msg"].map(|name| field(test, name));
                let setup = field(&group["params"], "setupAd");
                writeln!(
                    text,
                    "{kind} {name} {valid} {key} {setup} {nonce} {ad} {message} {sealed}"
                )
                .unwrap();
                count += 1;
            }
        }
    }
    (text, count)
}

/// The name of a configuration that does not commit.
fn wide_block(group: &Value) -> String {
    match group["params"]["cfg"].as_str().expect("a configuration") {
        "03000110ffff0000" => WideBlock::ROBUST_NO_COMMITMENT.to_owned(),
        "03000100ffff0000" => WideBlock::LENGTH_PRESERVING_NO_AUTHENTICITY.to_owned(),
        cfg => {
            let stretches = &cfg[6..8] != "00";
            let name =
                if stretches { WideBlock::NO_COMMITMENT } else { WideBlock::NO_AUTHENTICITY };
            format!("{name}:cfg={cfg},allow-64-bit=1")
        }
    }
}

/// Whether key and nonce have the lengths that the name says.
fn fits(algorithm: &Algorithm, test: &Value) -> bool {
    let bytes = |name: &str| test[name].as_str().map_or(0, |hex| hex.len() / 2);
    bytes("key") == algorithm.key_bytes() && bytes("iv") == algorithm.nonce_bytes()
}

/// Every file of the format's kit, on a line: its outcome, the length of its plaintext, its key in
/// hexadecimal, its passphrase, its identity, its context, its name.
pub(crate) fn files() -> (String, usize) {
    let kit = folder().join("../../vectors/file-format");
    let index = fs::read(kit.join("index.json")).expect("the index");
    let index: Value = serde_json::from_slice(&index).expect("JSON");
    let repeated = |value: &Value| {
        let times = value["times"].as_u64().expect("times") as usize;
        value["hex"].as_str().expect("hex").repeat(times)
    };
    let (mut text, mut count) = (String::new(), 0);
    for test in index["tests"].as_array().expect("tests") {
        let mut given: BTreeMap<&str, String> = BTreeMap::new();
        let mut keys = 0;
        for name in test["keys"].as_array().expect("keys") {
            let key = &index["keys"][name.as_str().expect("a name")];
            let kind = key["kind"].as_str().expect("a kind");
            let value = match kind {
                "key-file" => key["hex"].as_str().expect("hex").to_owned(),
                "passphrase" => repeated(key),
                "age" => hex::encode(key["identity"].as_str().expect("an identity")),
                other => panic!("a key of kind {other}"),
            };
            given.insert(kind, value);
            keys += 1;
        }
        // C gives one key of a kind.
        if given.len() < keys {
            continue;
        }
        let context = match &test["context"] {
            Value::Null => "-".to_owned(),
            context => repeated(context),
        };
        let length = test["plaintextLength"]
            .as_u64()
            .or_else(|| test["plaintext"].as_str().map(|plaintext| plaintext.len() as u64 / 2));
        let of = |kind: &str| given.get(kind).map_or("-", |value| value.as_str());
        writeln!(
            text,
            "{} {} {} {} {} {context} {}",
            test["outcome"].as_str().expect("an outcome"),
            length.unwrap_or(0),
            of("key-file"),
            of("passphrase"),
            of("age"),
            kit.join(test["file"].as_str().expect("a file")).display(),
        )
        .unwrap();
        count += 1;
    }
    (text, count)
}
