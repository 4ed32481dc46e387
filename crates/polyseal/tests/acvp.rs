//! The registration of XAES and KC-XAES that a laboratory would file with NIST's Automated
//! Cryptographic Validation Protocol, and a test that the schemes are made of exactly that.
//!
//! Names and values are those of the protocol's specifications for KDF (SP 800-108), MAC and
//! symmetric ciphers. The same tables are in `docs/fips.md`. The described functions are computed
//! here from another library's AES, and must give the published vectors.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use aes::Aes256;
use aes::cipher::BlockCipherEncrypt;
use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce};
use polyseal::gcm::Aes256Gcm;
use serde_json::Value;

struct Kdf {
    prerequisites: &'static str,
    kdf_mode: &'static str,
    mac_mode: &'static str,
    fixed_data_order: &'static str,
    counter_length: usize,
    supported_lengths: usize,
    supports_empty_iv: bool,
}

const K_U: Kdf = Kdf {
    prerequisites: "AES, CMAC",
    kdf_mode: "counter",
    mac_mode: "CMAC-AES256",
    fixed_data_order: "before fixed data",
    counter_length: 16,
    supported_lengths: 256,
    supports_empty_iv: false,
};

const K_C: Kdf = Kdf { fixed_data_order: "after fixed data", counter_length: 8, ..K_U };

struct Cmac {
    prerequisites: &'static str,
    direction: &'static str,
    key_len: usize,
    msg_len: [usize; 2],
    mac_len: usize,
}

const CMAC: Cmac = Cmac {
    prerequisites: "AES",
    direction: "gen",
    key_len: 256,
    msg_len: [128, 256],
    mac_len: 128,
};

struct Gcm {
    prerequisites: &'static str,
    direction: &'static str,
    key_len: usize,
    iv_len: usize,
    iv_gen: &'static str,
    iv_gen_mode: &'static str,
    tag_len: usize,
    payload_len: &'static str,
    aad_len: &'static str,
}

const SEALING: Gcm = Gcm {
    prerequisites: "AES, DRBG",
    direction: "encrypt",
    key_len: 256,
    iv_len: 96,
    iv_gen: "internal",
    iv_gen_mode: "8.2.2",
    tag_len: 128,
    payload_len: "0 to 65536, increment 8",
    aad_len: "0 to 65536, increment 8",
};

const OPENING: Gcm = Gcm {
    prerequisites: "AES",
    direction: "decrypt",
    iv_gen: "external",
    iv_gen_mode: "–",
    ..SEALING
};

/// A Markdown table: a property's name, then its value in each registration.
fn table(head: &[&str], rows: &[(&str, Vec<String>)]) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for (name, values) in rows {
        writeln!(table, "| {name} | {} |", values.join(" | ")).expect("a string");
    }
    table
}

fn kdf_table() -> String {
    let of = |f: fn(&Kdf) -> String| [&K_U, &K_C].map(f).to_vec();
    table(
        &["KDF, revision 1.0", "K_U", "K_C"],
        &[
            ("prereqVals", of(|k| k.prerequisites.to_owned())),
            ("kdfMode", of(|k| k.kdf_mode.to_owned())),
            ("macMode", of(|k| k.mac_mode.to_owned())),
            ("fixedDataOrder", of(|k| k.fixed_data_order.to_owned())),
            ("counterLength", of(|k| k.counter_length.to_string())),
            ("supportedLengths", of(|k| k.supported_lengths.to_string())),
            ("supportsEmptyIv", of(|k| k.supports_empty_iv.to_string())),
        ],
    )
}

fn cmac_table() -> String {
    table(
        &["CMAC-AES, revision 1.0", "K_U and K_C"],
        &[
            ("prereqVals", vec![CMAC.prerequisites.to_owned()]),
            ("direction", vec![CMAC.direction.to_owned()]),
            ("keyLen", vec![CMAC.key_len.to_string()]),
            ("msgLen", vec![CMAC.msg_len.map(|l| l.to_string()).join(", ")]),
            ("macLen", vec![CMAC.mac_len.to_string()]),
        ],
    )
}

fn gcm_table() -> String {
    let of = |f: fn(&Gcm) -> String| [&SEALING, &OPENING].map(f).to_vec();
    table(
        &["ACVP-AES-GCM, revision 1.0", "sealing", "opening"],
        &[
            ("prereqVals", of(|g| g.prerequisites.to_owned())),
            ("direction", of(|g| g.direction.to_owned())),
            ("keyLen", of(|g| g.key_len.to_string())),
            ("ivLen", of(|g| g.iv_len.to_string())),
            ("ivGen", of(|g| g.iv_gen.to_owned())),
            ("ivGenMode", of(|g| g.iv_gen_mode.to_owned())),
            ("tagLen", of(|g| g.tag_len.to_string())),
            ("payloadLen", of(|g| g.payload_len.to_owned())),
            ("aadLen", of(|g| g.aad_len.to_owned())),
        ],
    )
}

#[test]
fn the_page_has_the_tables() {
    let page = fs::read_to_string(root().join("docs/fips.md")).expect("the page");
    for table in [kdf_table(), cmac_table(), gcm_table()] {
        assert!(page.contains(&table), "docs/fips.md has not:\n{table}");
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&fs::read(root().join(path)).expect(path)).expect("JSON")
}

fn field(test: &Value, name: &str) -> Vec<u8> {
    hex::decode(test[name].as_str().expect(name)).expect(name)
}

/// CMAC (SP 800-38B, 6.2) with AES-256.
fn cmac(key: &[u8], message: &[u8]) -> [u8; 16] {
    let aes = Aes256::new_from_slice(key).expect("32 bytes");
    let encrypt = |block: u128| {
        let mut block = block.to_be_bytes().into();
        aes.encrypt_block(&mut block);
        u128::from_be_bytes(block.into())
    };
    let double = |x: u128| (x << 1) ^ ((x >> 127) * 0x87);
    let k1 = double(encrypt(0));
    let blocks = message.len().div_ceil(16).max(1);
    let mut state = 0;
    for number in 1..=blocks {
        let rest = &message[16 * (number - 1)..];
        let length = rest.len().min(16);
        let mut block = [0; 16];
        block[..length].copy_from_slice(&rest[..length]);
        if length < 16 {
            block[length] = 0x80;
        }
        state ^= u128::from_be_bytes(block);
        if number == blocks {
            state ^= if length < 16 { double(k1) } else { k1 };
        }
        state = encrypt(state);
    }
    state.to_be_bytes()
}

/// KBKDF in counter mode (SP 800-108r1, 4.1), with nothing but the registered parameters. Notes the
/// lengths in bits of its inputs to CMAC.
fn derive(kdf: &Kdf, key: &[u8], fixed_data: &[u8], cmacs: &mut BTreeSet<usize>) -> Vec<u8> {
    assert_eq!((kdf.kdf_mode, kdf.mac_mode), ("counter", "CMAC-AES256"));
    let mut output = Vec::new();
    for i in 1_u32.. {
        if output.len() * 8 >= kdf.supported_lengths {
            break;
        }
        let counter = &i.to_be_bytes()[4 - kdf.counter_length / 8..];
        let message = match kdf.fixed_data_order {
            "before fixed data" => [counter, fixed_data].concat(),
            "after fixed data" => [fixed_data, counter].concat(),
            order => panic!("{order}"),
        };
        cmacs.insert(message.len() * 8);
        output.extend_from_slice(&cmac(key, &message));
    }
    output.truncate(kdf.supported_lengths / 8);
    output
}

fn fixed_data_of_k_u(nonce: &[u8]) -> Vec<u8> {
    [&[0x58, 0], &nonce[..12]].concat()
}

fn fixed_data_of_k_c(nonce: &[u8]) -> Vec<u8> {
    let (u, v) = (&nonce[..12], &nonce[nonce.len() - 12..]);
    [b"XCMT", u, v, &[24 - nonce.len() as u8, 1, 0]].concat()
}

/// The KDF of these tests is NIST's, with the counter on either side and of any length.
#[test]
fn the_kdf_is_that_of_sp_800_108() {
    let mut count = 0;
    for group in json("vectors/internal/kbkdf-ctr-cmac.json")["groups"].as_array().expect("groups")
    {
        for test in group["tests"].as_array().expect("tests") {
            let kdf = Kdf {
                fixed_data_order: match group["counterLocation"].as_str() {
                    Some("before") => "before fixed data",
                    Some("after") => "after fixed data",
                    location => panic!("{location:?}"),
                },
                counter_length: group["counterLength"].as_u64().expect("bits") as usize,
                supported_lengths: test["L"].as_u64().expect("bits") as usize,
                ..K_U
            };
            let (key, fixed_data) = (field(test, "key"), field(test, "fixedData"));
            let derived = derive(&kdf, &key, &fixed_data, &mut BTreeSet::new());
            assert_eq!(derived, field(test, "K_O"), "{group}");
            count += 1;
        }
    }
    assert_eq!(count, 320);
}

#[test]
fn the_registered_parameters_give_k_u_and_k_c() {
    let mut cmacs = BTreeSet::new();
    let (mut keys, mut commitments) = (0, 0);
    for test in json("vectors/internal/kc-xaes-derivation.json")["tests"].as_array().expect("tests")
    {
        let (key, nonce) = (field(test, "key"), field(test, "nonce"));
        let k_u = derive(&K_U, &key, &fixed_data_of_k_u(&nonce), &mut cmacs);
        assert_eq!(k_u, field(test, "K_U"), "{test}");
        keys += 1;
        if test.get("K_C").is_some() {
            let k_c = derive(&K_C, &key, &fixed_data_of_k_c(&nonce), &mut cmacs);
            assert_eq!(k_c, field(test, "K_C"), "{test}");
            commitments += 1;
        }
    }
    assert_eq!((keys, commitments), (36, 33));
    assert_eq!(cmacs, BTreeSet::from(CMAC.msg_len), "the lengths that CMAC is registered for");
    assert_eq!((CMAC.key_len, CMAC.mac_len), (256, 8 * cmac(&[0; 32], &[]).len()));
}

/// KC-XAES is made of the registered parts and nothing else.
#[test]
fn the_registered_parts_give_the_published_vectors() {
    let file = json("vectors/kc-xaes-256-gcm.json");
    let mut count = 0;
    for group in file["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            if test["result"] != "valid" {
                continue;
            }
            let (key, nonce) = (field(test, "key"), field(test, "iv"));
            let mut cmacs = BTreeSet::new();
            let k_u = derive(&K_U, &key, &fixed_data_of_k_u(&nonce), &mut cmacs);
            let k_c = derive(&K_C, &key, &fixed_data_of_k_c(&nonce), &mut cmacs);
            let iv = &nonce[nonce.len() - SEALING.iv_len / 8..];

            assert_eq!(k_u.len() * 8, SEALING.key_len);
            let gcm = Aes256Gcm::new(&Key::<Aes256Gcm>::try_from(&k_u[..]).expect("a key"));
            let iv = Nonce::<Aes256Gcm>::try_from(iv).expect("an IV");
            let mut sealed = field(test, "msg");
            let ciphertext = sealed.len();
            gcm.encrypt_in_place(&iv, &field(test, "aad"), &mut sealed).expect("sealing");
            assert_eq!((sealed.len() - ciphertext) * 8, SEALING.tag_len);
            sealed.extend_from_slice(&k_c);
            assert_eq!(sealed, [field(test, "ct"), field(test, "tag")].concat(), "{test}");
            count += 1;
        }
    }
    assert!(count > 200, "only {count} tests were found");
}
