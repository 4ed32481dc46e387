//! The default features: AEGIS, GCM and CTX, without Flex, OMD and the algorithms that are there
//! for the papers.

use polyseal::Error;
use polyseal::any::{AnyAead, AnyMac};
use polyseal::registry::{Algorithm, Family, Kind, families};

#[test]
fn the_list_is_short() {
    for Family { identity, .. } in families() {
        let known = [
            "aegis-",
            "ctx-",
            "aes-",
            "xaes-",
            "kc-xaes-",
            "dndk-",
            "h-",
            "hkdf-",
            "padding-fix-aes-",
        ];
        assert!(known.iter().any(|prefix| identity.id.starts_with(prefix)), "{}", identity.id);
        assert!(!identity.papers_only, "{}", identity.id);
    }
    for (name, feature) in [
        ("flex:cfg=0100012018000000", "flex"),
        ("flex-och", "flex"),
        ("omd-sha256:version=1", "omd"),
        ("aegis-128x-v1", "papers"),
        ("kc-c3-xaes-256-gcm", "papers"),
        ("och-areion-p", "papers"),
    ] {
        assert_eq!(name.parse::<Algorithm>(), Err(Error::LeftOut { feature }), "{name}");
    }
    for name in ["flexible", "omd-sha3", "aegis-512"] {
        assert_eq!(name.parse::<Algorithm>(), Err(Error::UnknownAlgorithm), "{name}");
    }
}

#[test]
fn known_answers_are_right() {
    assert_eq!(polyseal::selftest::check_all(), Ok(()));
}

/// Sealed and opened, refused once altered, and lengths that are not the algorithm's.
#[test]
fn messages_are_opened_and_forgeries_refused() {
    let nonce = [9; 512];
    let usual = |a: &Algorithm| [12, 16, 24, 32].contains(&a.nonce_bytes());
    for algorithm in families().iter().flat_map(Algorithm::instances).filter(usual) {
        let (key, nonce) = (vec![7; algorithm.key_bytes()], &nonce[..algorithm.nonce_bytes()]);
        if algorithm.family().identity.kind == Kind::Mac {
            let mac = AnyMac::new(&algorithm, &key).expect("a MAC");
            let mut tag = mac.mac(nonce, b"message").expect("a tag");
            assert_eq!(mac.verify(nonce, b"message", &tag), Ok(()), "{algorithm}");
            tag[0] ^= 1;
            assert_eq!(mac.verify(nonce, b"message", &tag), Err(Error::Unauthentic), "{algorithm}");
            continue;
        }
        let aead = AnyAead::new(&algorithm, &key).expect("an AEAD");
        for length in [0, 40, 600] {
            let message = vec![0x5a; length];
            let mut sealed = aead.seal(nonce, b"header", &message).expect("sealing");
            assert_eq!(sealed.len(), length + algorithm.tag_bytes(), "{algorithm}");
            assert_eq!(algorithm.message_bytes(sealed.len() as u64), Some(length as u64));
            assert_eq!(aead.open(nonce, b"header", &sealed), Ok(message), "{algorithm}");
            assert_eq!(aead.open(nonce, b"other", &sealed), Err(Error::Unauthentic), "{algorithm}");
            *sealed.last_mut().expect("a tag") ^= 1;
            assert_eq!(
                aead.open(nonce, b"header", &sealed),
                Err(Error::Unauthentic),
                "{algorithm}"
            );
        }
        let short = &nonce[1..];
        assert!(matches!(aead.seal(short, b"", b""), Err(Error::Length { what: "nonce", .. })));
        assert!(matches!(aead.open(nonce, b"", &key[..3]), Err(Error::Buffer { .. })));
        assert!(matches!(AnyAead::new(&algorithm, &key[1..]), Err(Error::Length { .. })));
    }
}
