//! What eprint 2025/758 describes and does not choose, put together from what the library has, and
//! compared with the reference's vectors: the padding fix under the derived key (C.1), a commitment
//! to 15 bytes of the nonce (C.3), and F_com over other derivations. They are in no registry.

use hkdf::Hkdf;
use polyseal::gcm::{Aes256, Cmac, Counter, kbkdf};
use polyseal::registry::Algorithm;
use polyseal::testing::aead_on;
use serde_json::Value;
use sha2::Sha512;

use crate::common::soft;
use crate::{experimental, field};

/// A message, and how it is sealed.
struct Case {
    key: Vec<u8>,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    message: Vec<u8>,
}

impl Case {
    fn seal(&self, id: &str, key: &[u8], nonce: &[u8], message: &[u8]) -> Vec<u8> {
        let algorithm: Algorithm = id.parse().expect(id);
        let aead = aead_on(&algorithm, key, soft()).expect(id);
        aead.seal(nonce, &self.ad, message).expect(id)
    }

    fn kbkdf(&self, counter: Counter, fixed: &[u8]) -> [u8; 32] {
        let key = self.key[..].try_into().expect("a key");
        let prf = Cmac::<Aes256>::with_backend(key, soft());
        let mut output = [0; 32];
        kbkdf(&prf, counter, fixed, &mut output).expect("32 bytes");
        output
    }

    /// Ciphertext and T of a scheme, and F_com of the nonce.
    fn f_com_over(&self, id: &str) -> Vec<u8> {
        self.committed(self.seal(id, &self.key, &self.nonce, &self.message))
    }

    fn committed(&self, sealed: Vec<u8>) -> Vec<u8> {
        let fixed = [b"XCMT", &self.nonce[..], &[0, 1, 0]].concat();
        [sealed, self.kbkdf(Counter::Behind(1), &fixed).to_vec()].concat()
    }
}

fn sealed(name: &str, case: &Case) -> Vec<u8> {
    match name {
        "kc-c3-xaes-256-gcm" => {
            let sealed = case.seal("xaes-256-gcm", &case.key, &case.nonce, &case.message);
            let k_c = case.kbkdf(Counter::Before(1), &case.nonce[..15]);
            [sealed, k_c.to_vec()].concat()
        }
        "padding-fix-xaes-256-gcm" => {
            let padded = [&[0; 32][..], &case.message].concat();
            let whole = case.seal("xaes-256-gcm", &case.key, &case.nonce, &padded);
            let (c0, rest) = whole.split_at(32);
            [rest, c0].concat()
        }
        "f-com-h-aes-256-gcm" => case.f_com_over("h-aes-256-gcm"),
        "f-com-dndk-v1-gcm" => case.f_com_over("dndk-gcm:version=1,kc=0,nonce=24"),
        "f-com-dndk-v2-gcm" => case.f_com_over("dndk-gcm:version=2,kc=0,nonce=24"),
        "f-com-hkdf-aes-256-gcm" => {
            let (hkdf, mut key) = (Hkdf::<Sha512>::new(Some(&case.nonce), &case.key), [0; 32]);
            hkdf.expand(b"\x04\x78DERIVEKEY", &mut key).expect("a key");
            case.committed(case.seal("aes-256-gcm", &key, &[0; 12], &case.message))
        }
        _ => panic!("{name} is not known"),
    }
}

#[test]
fn what_the_paper_does_not_choose_is_composed_as_the_reference_has_it() {
    for name in [
        "kc-c3-xaes-256-gcm",
        "padding-fix-xaes-256-gcm",
        "f-com-h-aes-256-gcm",
        "f-com-hkdf-aes-256-gcm",
        "f-com-dndk-v1-gcm",
        "f-com-dndk-v2-gcm",
    ] {
        let file = experimental(name);
        let groups = file["testGroups"].as_array().expect("groups");
        let tests = groups.iter().flat_map(|group| group["tests"].as_array().expect("tests"));
        let valid: Vec<&Value> = tests.filter(|test| test["result"] == "valid").collect();
        assert!(!valid.is_empty());
        for test in valid {
            let [key, nonce, ad, message] = ["key", "iv", "aad", "msg"].map(|f| field(test, f));
            let expected = [field(test, "ct"), field(test, "tag")].concat();
            let case = Case { key, nonce, ad, message };
            assert_eq!(sealed(name, &case), expected, "{name}: {}", test["comment"]);
        }
        assert!(name.parse::<Algorithm>().is_err(), "{name} is in the registry");
    }
}
