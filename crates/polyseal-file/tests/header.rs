//! Every field of the header has its bounds, every byte of it is authenticated, and a wrong key is
//! told from a damaged file.

use std::io::Write;

use crate::common::{STREAM, decrypt, encrypt, key, message};
use polyseal_file::{
    AnyInspection, ArmorWriter, Decryptor, Error, Header, HeaderError, Identities, Input,
    Inspection, Key, MIN_HEADER_BYTES as HEADER_BYTES, Output, Recipients, age,
};

fn file() -> Vec<u8> {
    encrypt(&key(), 4096, STREAM, &message(100))
}

fn parse_error(file: &[u8], at: usize, field: &[u8]) -> Error {
    let mut altered = file.to_vec();
    altered[at..at + field.len()].copy_from_slice(field);
    Header::parse(&altered).err().unwrap_or_else(|| panic!("accepted {field:?} at {at}"))
}

#[track_caller]
fn header_error(at: usize, field: &[u8], expected: HeaderError) {
    match parse_error(&file(), at, field) {
        Error::Header(error) if error == expected => {}
        other => panic!("{other:?} for {field:?} at {at}"),
    }
}

fn padded(suite: &str) -> [u8; 64] {
    let mut field = [0; 64];
    field[..suite.len()].copy_from_slice(suite.as_bytes());
    field
}

/// Types that nobody knows are refused as that, whatever length they say that they have.
#[test]
fn types_that_there_are_not() {
    for code in [0, 4, 5, 0x7fff_u16] {
        let [c0, c1] = code.to_le_bytes();
        for length in [0, 104, 0xffff_u16] {
            let [l0, l1] = length.to_le_bytes();
            header_error(160, &[c0, c1, l0, l1], HeaderError::StanzaType);
        }
    }
    for code in [1, 2, 3, 0x8000_u16] {
        let [c0, c1] = code.to_le_bytes();
        header_error(160, &[c0, c1, 0xff, 0xff], HeaderError::Stanzas);
    }
}

#[test]
fn every_bit_of_the_header_counts() {
    let mut file = file();
    for at in 0..HEADER_BYTES {
        for bit in 0..8 {
            file[at] ^= 1 << bit;
            let (result, written) = decrypt(&key(), STREAM, &file);
            let error = result.err().unwrap_or_else(|| panic!("byte {at}, bit {bit}"));
            assert!(written.is_empty(), "output before the header was authentic");
            let as_expected = match (at, &error) {
                (0..8, Error::NotAPolysealFile) | (8..10, Error::UnsupportedVersion(_)) => true,
                // Another payload offset that exists, behind the end of the file.
                (16..24, Error::Truncated) => true,
                (10..32, Error::Header(_)) => true,
                // Another segment size, suite or tag length that exists.
                (12..16 | 64..128, Error::Header(_) | Error::HeaderNotAuthentic) => true,
                // The file's salt, and the context tag.
                (32..64 | 128..160, Error::HeaderNotAuthentic) => true,
                // A type that is passed over.
                (161, Error::NoMatchingKey) if bit == 7 => true,
                (160..164, Error::Header(_)) => true,
                // Salt and id of the stanza: it no longer is for this key.
                (164..204, Error::NoMatchingKey) => true,
                (204..268, Error::HeaderNotAuthentic) => true,
                (268..4064, Error::Header(HeaderError::Padding)) => true,
                (4064..4096, Error::HeaderNotAuthentic) => true,
                _ => false,
            };
            assert!(as_expected, "byte {at}, bit {bit}: {error:?}");
            file[at] ^= 1 << bit;
        }
    }
    decrypt(&key(), STREAM, &file).0.unwrap();
}

#[test]
fn what_is_no_polyseal_file() {
    let file = file();
    assert!(matches!(Header::parse(b"age-encryption.org/v1\n"), Err(Error::AgeFile)));
    for bytes in [&b""[..], b"p0", b"age-encryption\n", &[0; 5000], &file[1..]] {
        assert!(matches!(Header::parse(bytes), Err(Error::NotAPolysealFile)));
    }
    for length in 1..HEADER_BYTES {
        assert!(matches!(Header::parse(&file[..length]), Err(Error::Truncated)), "{length}");
    }
}

/// A reader of a header is told which other kind of file it is; of all that begins as armour, that
/// it is armour.
#[test]
fn what_is_in_armour() {
    let mut armor = ArmorWriter::new(Vec::new());
    armor.write_all(&file()).unwrap();
    let armor = armor.finish().unwrap();
    let blank = [b" \r\n\t", &armor[..]].concat();
    for text in [&armor, &blank, &b"-----BEGIN AGE ENCRYPTED FILE-----\n"[..], b"-----BEGIN "] {
        assert!(matches!(Header::parse(text), Err(Error::Armored)));
        assert!(matches!(Header::read(&mut &*text), Err(Error::Armored)));
        assert!(matches!(Inspection::read(&mut &*text, None), Err(Error::Armored)));
        let refused = Decryptor::new(&Identities::new()).reader(text);
        assert!(matches!(refused, Err(Error::Armored)));
    }
    assert!(matches!(age::v1::Header::read(&mut &armor[..]), Err(Error::Armored)));
    for text in [&b" "[..], b"-----BEGIN", b"- a list", b"\x0c-----BEGIN ", b" \n", &[b' '; 5000]] {
        assert!(matches!(Header::parse(text), Err(Error::NotAPolysealFile)), "{text:?}");
        assert!(matches!(Header::read(&mut &*text), Err(Error::NotAPolysealFile)), "{text:?}");
    }
}

#[test]
fn what_a_file_of_either_format_says() {
    let polyseal = file();
    let recipients =
        age::to_recipients(include_bytes!("age/x25519.txt"), None, &age::NoCallbacks).unwrap();
    let recipients = Recipients::new().age(recipients);
    let (mut input, mut of_age) = (&b"attack at dawn"[..], Vec::new());
    let output = Output::Stream(&mut of_age);
    age::v1::Encryptor::new(&recipients).encrypt(Input::Stream(&mut input), output).unwrap();
    for (file, format, writer) in [
        (&polyseal, "polyseal", ArmorWriter::new as fn(_) -> _),
        (&of_age, "age", ArmorWriter::age),
    ] {
        let mut armor: ArmorWriter<Vec<u8>> = writer(b"\n".to_vec());
        armor.write_all(file).unwrap();
        let (armor, bytes) = (armor.finish().unwrap(), file.len() as u64);
        let found = AnyInspection::read(&mut &file[..], Some(bytes)).unwrap();
        let inside = AnyInspection::read(&mut &armor[..], Some(armor.len() as u64)).unwrap();
        assert_eq!((found.armored, inside.armored), (false, true));
        let json = |found: &AnyInspection| serde_json::to_value(&found.file).unwrap();
        assert_eq!(json(&inside)["payload"], serde_json::Value::Null);
        assert_eq!(json(&inside.with_length(bytes)), json(&found));
        assert_eq!(json(&found)["format"], format);
        assert!(json(&found)["payload"]["plaintext_bytes"].as_u64().is_some_and(|n| n > 0));
    }
    for (text, expected) in [("- a list", "not a Polyseal file"), ("x", "not a Polyseal file")] {
        let refused = AnyInspection::read(&mut text.as_bytes(), None).unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
    let bad = AnyInspection::read(&mut &b"-----BEGIN POLYSEAL FILE-----\n-"[..], None);
    assert!(matches!(bad, Err(Error::Armor(2))), "{bad:?}");
}

#[test]
fn versions() {
    let file = file();
    for version in [0_u16, 2, 0x101, u16::MAX] {
        let error = parse_error(&file, 8, &version.to_le_bytes());
        assert!(matches!(error, Error::UnsupportedVersion(v) if v == version));
    }
}

#[test]
fn fields_out_of_bounds() {
    for size in [0_u32, 1, 2048, 4095, 4097, 65537, 1 << 25, u32::MAX] {
        header_error(12, &size.to_le_bytes(), HeaderError::SegmentSize);
    }
    for offset in [0_u64, 4095, 4097, 69632, 1 << 40, u64::MAX] {
        header_error(16, &offset.to_le_bytes(), HeaderError::PayloadOffset);
    }
    for count in [0_u16, 129, u16::MAX] {
        header_error(10, &count.to_le_bytes(), HeaderError::Stanzas);
    }
    // A second stanza is announced and there are only zeros.
    header_error(10, &2_u16.to_le_bytes(), HeaderError::StanzaType);
    header_error(160, &0_u16.to_le_bytes(), HeaderError::StanzaType);
    header_error(160, &4_u16.to_le_bytes(), HeaderError::StanzaType);
    for length in [0_u16, 103, 105, u16::MAX] {
        header_error(162, &length.to_le_bytes(), HeaderError::Stanzas);
    }
    header_error(24, &[1], HeaderError::Padding);
    header_error(300, &[1], HeaderError::Padding);
    header_error(4063, &[1], HeaderError::Padding);
}

#[test]
fn suites_that_are_not_for_files() {
    for suite in [
        "",
        "aegis",
        "AEGIS-256X2",
        "aegis-256x2 ",
        "aegis-128l-mac",
        "aegis-256x2-mac",
        "aegis-128x-v1",
        "aegis-256x-v1:degree=4",
        "aegis-256x2:tag=8",
        // Not in their one spelling.
        "aegis-256x2:tag=16",
        "aegis-256x2:tag=032",
        "aegis-256x2:",
        "flex",
        "flex-och-stream",
        "flex:cfg=0100012018000000",
    ] {
        header_error(64, &padded(suite), HeaderError::Suite);
    }
    let mut behind = padded("aegis-256x2");
    behind[63] = b'x';
    header_error(64, &behind, HeaderError::Padding);
    header_error(64, &[0xff; 64], HeaderError::Suite);
}

#[test]
fn a_wrong_key_is_told_from_a_damaged_file() {
    let file = file();
    let wrong = Key::from_bytes(&[1; 32]);
    assert!(matches!(decrypt(&wrong, STREAM, &file).0, Err(Error::NoMatchingKey)));
    let mut damaged = file.clone();
    damaged[210] ^= 1;
    assert!(matches!(decrypt(&key(), STREAM, &damaged).0, Err(Error::HeaderNotAuthentic)));
    // The wrong key does not even learn that it is damaged.
    assert!(matches!(decrypt(&wrong, STREAM, &damaged).0, Err(Error::NoMatchingKey)));
}

#[test]
fn inspection_reads_the_header_and_nothing_more() {
    let file = encrypt(&key(), 4096, STREAM, &message(10_000));
    let mut reader = &file[..];
    let seen = Inspection::read(&mut reader, Some(file.len() as u64)).unwrap();
    assert_eq!(reader.len(), file.len() - HEADER_BYTES);
    assert_eq!(
        (seen.suite.as_str(), seen.segment_bytes, seen.tag_bytes),
        ("aegis-256x2", 4096, 16)
    );
    let payload = seen.payload.unwrap();
    assert_eq!((payload.segments, payload.plaintext_bytes), (3, Some(10_000)));
    assert_eq!(payload.bytes, 10_048);
    let cut = Inspection::read(&mut &file[..], Some(HEADER_BYTES as u64 + 4113)).unwrap();
    assert_eq!(cut.payload.unwrap().plaintext_bytes, None);
    assert!(Inspection::read(&mut &file[..], None).unwrap().payload.is_none());
}
