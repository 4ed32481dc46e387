//! Files of families that a program has left out, Flex and OMD or all but AEGIS: they are
//! described, measured and given to other keys, and refused by the name of their suite, once a key
//! has opened the header.

use std::fs;
use std::path::PathBuf;

use polyseal_file::{
    DEFAULT_SUITE, Decryptor, Encryptor, Error, ExistingRecipients, Header, Identities, Input,
    Inspection, Key, Outline, Output, Recipients, StoredLength, Suite,
};

/// Each suite that is left out, the feature that brings it, and its tag's length in bytes.
const LEFT_OUT: &[(&str, &str, u64)] = &[
    #[cfg(not(feature = "default"))]
    ("aes-128-gcm", "gcm", 16),
    #[cfg(not(feature = "default"))]
    ("aes-256-gcm", "gcm", 16),
    #[cfg(not(feature = "default"))]
    ("kc-xaes-256-gcm", "gcm", 48),
    #[cfg(not(feature = "default"))]
    ("dndk-gcm:kc=1", "gcm", 48),
    #[cfg(not(feature = "default"))]
    ("ctx-aes-256-gcm", "ctx", 32),
    #[cfg(not(feature = "default"))]
    ("ctx-aegis-256x2", "ctx", 32),
    ("flex-och", "flex", 64),
    ("flex-och-public", "flex", 32),
    ("flex-och-transport", "flex", 16),
    ("flex-civ", "flex", 64),
    ("flex-civ-public", "flex", 32),
    ("flex-robust", "flex", 32),
    ("omd-sha256", "omd", 32),
    ("omd-sha512", "omd", 64),
    ("omd-blake2b", "omd", 64),
];

/// An empty file of `suite`, from the kit.
fn sealed(suite: &str) -> Vec<u8> {
    let suite = suite.replace(":kc=1", "-kc");
    let kit = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../vectors/file-format");
    fs::read(kit.join(format!("suite-{suite}-empty.polyseal"))).expect("a file of the kit")
}

/// The kit's `key-file-1`.
fn key() -> Key {
    Key::from_bytes(&[
        0xfe, 0x6f, 0x9e, 0x28, 0x19, 0x7e, 0x76, 0x14, 0x68, 0x93, 0xef, 0xf8, 0x1d, 0x94, 0x5d,
        0x12, 0x36, 0xe7, 0xfa, 0xa8, 0x43, 0x5f, 0xfb, 0xb0, 0x59, 0x22, 0x54, 0x17, 0x95, 0xfc,
        0x74, 0x6e,
    ])
}

fn decrypt(file: &[u8], key: Key) -> (Result<u64, Error>, Vec<u8>) {
    let (identities, mut opened) = (Identities::new().key(key), Vec::new());
    let result = Decryptor::new(&identities)
        .decrypt(Input::Stream(&mut &file[..]), Output::Stream(&mut opened))
        .map(|summary| summary.plaintext_bytes);
    (result, opened)
}

#[test]
fn a_suite_that_is_left_out_is_named_once_a_key_has_opened_the_header() {
    for &(suite, feature, _) in LEFT_OUT {
        let file = sealed(suite);
        let (refused, written) = decrypt(&file, key());
        let Err(Error::SuiteLeftOut { suite: named, feature: brought }) = refused else {
            panic!("{suite}: {refused:?}");
        };
        assert_eq!((named, brought), (suite, feature));
        assert!(written.is_empty());
        let (refused, _) = decrypt(&file, Key::from_bytes(&[1; 32]));
        assert!(matches!(refused, Err(Error::NoMatchingKey)), "{suite}: to another key");
    }
}

#[test]
fn its_files_are_described_measured_and_given_to_other_keys() {
    for &(suite, _, tag_bytes) in LEFT_OUT {
        let file = sealed(suite);
        let header = Header::read(&mut &file[..]).expect("a header");
        assert_eq!(header.suite().to_string(), suite);
        assert_eq!(header.suite().tag_bytes() as u64, tag_bytes);
        let outline = Outline::parse(&file).expect("an outline");
        let length = StoredLength::File(file.len() as u64);
        assert_eq!(outline.plaintext_bytes(length), Some(0), "{suite}");
        assert!(Inspection::read(&mut &file[..], None).is_ok(), "{suite}");

        let other = Key::from_bytes(&[2; 32]);
        let identities = Identities::new().key(key());
        let authentic = header.authenticate(&identities).expect("the key");
        let recipients = Recipients::new().key(other.clone());
        let rekeyed = authentic.rekey(&recipients, ExistingRecipients::Remove).expect("a header");
        assert!(rekeyed.authenticate(&Identities::new().key(other)).is_ok());
        assert!(rekeyed.authenticate(&identities).is_err());
    }
}

#[test]
fn nothing_is_sealed_with_it() {
    for &(name, expected, _) in LEFT_OUT {
        let suite: Suite = name.parse().expect("a suite of the format");
        let (recipients, mut sealed) = (Recipients::new().key(key()), Vec::new());
        let refused = Encryptor::new(&recipients)
            .suite(suite)
            .encrypt(Input::Stream(&mut &b"text"[..]), Output::Stream(&mut sealed));
        assert!(
            matches!(refused, Err(Error::SuiteLeftOut { feature, .. }) if feature == expected),
            "{name}"
        );
        assert!(sealed.is_empty(), "{name}");
    }
}

#[test]
fn the_others_are_opened_and_one_of_them_is_the_default() {
    assert_eq!(DEFAULT_SUITE, "aegis-256x2");
    for suite in Suite::allowed() {
        let built = suite.parse::<Suite>().expect("a suite").algorithm().is_ok();
        let left_out = LEFT_OUT.iter().any(|(name, ..)| name == suite);
        assert!(!(built && left_out), "{suite}");
    }
    for suite in ["aegis-128l", DEFAULT_SUITE] {
        assert!(matches!(decrypt(&sealed(suite), key()), (Ok(0), _)), "{suite}");
    }
}
