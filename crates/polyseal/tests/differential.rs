//! Against another implementation, by other authors in another language: the `aegis` crate (C).
//!
//! All six variants of the draft, AEAD and MAC, both tag lengths, every back end.

use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on, mac_on};
use proptest::proptest;

use crate::common::{bytes, edges, instances, rate};

/// Calls `$with!(module, Aead, Mac)` for the peer's types of `$id`.
macro_rules! peer {
    ($id:expr, $with:ident) => {
        match $id {
            "aegis-128l" => $with!(aegis128l, Aegis128L, Aegis128LMac),
            "aegis-128x2" => $with!(aegis128x2, Aegis128X2, Aegis128X2Mac),
            "aegis-128x4" => $with!(aegis128x4, Aegis128X4, Aegis128X4Mac),
            "aegis-256" => $with!(aegis256, Aegis256, Aegis256Mac),
            "aegis-256x2" => $with!(aegis256x2, Aegis256X2, Aegis256X2Mac),
            "aegis-256x4" => $with!(aegis256x4, Aegis256X4, Aegis256X4Mac),
            id => panic!("the peer has no {id}"),
        }
    };
}

/// The peer's ciphertext, then its tag.
fn peer_seal(a: &Algorithm, key: &[u8], nonce: &[u8], ad: &[u8], message: &[u8]) -> Vec<u8> {
    macro_rules! seal {
        ($module:ident, $aead:ident, $mac:ident) => {{
            use aegis::$module::$aead;
            let key = key.try_into().expect("a key");
            let nonce = nonce.try_into().expect("a nonce");
            match a.tag_bytes() {
                16 => {
                    let (ciphertext, tag) = $aead::<16>::new(key, nonce).encrypt(message, ad);
                    [&ciphertext[..], &tag].concat()
                }
                _ => {
                    let (ciphertext, tag) = $aead::<32>::new(key, nonce).encrypt(message, ad);
                    [&ciphertext[..], &tag].concat()
                }
            }
        }};
    }
    peer!(a.family().identity.id, seal)
}

fn peer_mac(a: &Algorithm, key: &[u8], nonce: &[u8], data: &[u8]) -> Vec<u8> {
    macro_rules! mac {
        ($module:ident, $aead:ident, $mac:ident) => {{
            use aegis::$module::$mac;
            let key = key.try_into().expect("a key");
            let nonce = nonce.try_into().expect("a nonce");
            if a.tag_bytes() == 16 {
                let mut mac = $mac::<16>::new_with_nonce(key, nonce);
                mac.update(data);
                mac.finalize().to_vec()
            } else {
                let mut mac = $mac::<32>::new_with_nonce(key, nonce);
                mac.update(data);
                mac.finalize().to_vec()
            }
        }};
    }
    peer!(a.family().identity.id.trim_end_matches("-mac"), mac)
}

/// The algorithms that the draft defines and the peer has.
fn draft_algorithms(kind: Kind) -> Vec<Algorithm> {
    let all = instances(kind).into_iter().filter(|a| a.family().identity.id.starts_with("aegis-"));
    let (draft, v1): (Vec<_>, Vec<_>) = all.partition(|a| !a.family().identity.id.ends_with("-v1"));
    assert_eq!(draft.len(), 12, "six variants, two tags");
    assert!(v1.iter().all(|a| a.param("degree").is_some()));
    draft
}

fn aeads_agree(seed: u64, ad_bytes: usize, message_bytes: usize) {
    for a in draft_algorithms(Kind::Aead) {
        let (key, nonce) = (bytes(seed, a.key_bytes()), bytes(seed + 1, a.nonce_bytes()));
        let (ad, message) = (bytes(seed + 2, ad_bytes), bytes(seed + 3, message_bytes));
        let sealed = peer_seal(&a, &key, &nonce, &ad, &message);
        for backend in Backend::available() {
            let name = format!("{a} on {}, {message_bytes} with {ad_bytes}", backend.name());
            let aead = aead_on(&a, &key, backend).expect(&name);
            assert_eq!(aead.seal(&nonce, &ad, &message).as_ref(), Ok(&sealed), "{name}");
            assert_eq!(aead.open(&nonce, &ad, &sealed).as_ref(), Ok(&message), "{name}");
        }
    }
}

fn macs_agree(seed: u64, data_bytes: usize) {
    for a in draft_algorithms(Kind::Mac) {
        let (key, nonce) = (bytes(seed, a.key_bytes()), bytes(seed + 1, a.nonce_bytes()));
        let data = bytes(seed + 2, data_bytes);
        let tag = peer_mac(&a, &key, &nonce, &data);
        for backend in Backend::available() {
            let name = format!("{a} on {}, {data_bytes} bytes", backend.name());
            let mac = mac_on(&a, &key, backend).expect(&name);
            assert_eq!(mac.mac(&nonce, &data).as_ref(), Ok(&tag), "{name}");
            assert_eq!(mac.verify(&nonce, &data, &tag), Ok(()), "{name}");
        }
    }
}

#[test]
fn at_every_edge() {
    for a in draft_algorithms(Kind::Aead) {
        for length in edges(rate(&a)) {
            aeads_agree(1, length, 7);
            aeads_agree(1, 9, length);
        }
    }
    for a in draft_algorithms(Kind::Mac) {
        edges(rate(&a)).into_iter().for_each(|length| macs_agree(1, length));
    }
}

proptest! {
    #[test]
    fn on_any_message(seed: u32, ad_bytes in 0..500_usize, message_bytes in 0..3000_usize) {
        aeads_agree(seed.into(), ad_bytes, message_bytes);
    }

    #[test]
    fn on_any_mac(seed: u32, data_bytes in 0..3000_usize) {
        macs_agree(seed.into(), data_bytes);
    }
}
