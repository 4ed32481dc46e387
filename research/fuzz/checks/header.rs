//! Any bytes as a file, with the files of the format's rules to begin from: what is taken for a
//! header stays within its bounds, has one spelling, describes itself, and opens or is refused.

use std::sync::OnceLock;

use polyseal_file::age::{IdentityKind, NoCallbacks, generate, parse_identities};
use polyseal_file::{
    Decryptor, Header, Identities, Inspection, Key, MAX_HEADER_BYTES, MAX_RECIPIENTS,
    MIN_HEADER_BYTES,
};

/// Identities of both kinds that age has built in. None of them is the rules' own.
fn identity_file() -> &'static str {
    static FILE: OnceLock<String> = OnceLock::new();
    FILE.get_or_init(|| {
        let kinds = [IdentityKind::X25519, IdentityKind::Hybrid];
        kinds
            .map(|kind| generate(kind, None).expect("random bytes").file.reveal().to_owned())
            .concat()
    })
}

/// `bytes`, and zeros as far as they say that the header goes: so that an input can be short.
fn filled(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = u64::from_le_bytes(*bytes.get(16..)?.first_chunk()?);
    let length = usize::try_from(length).ok().filter(|&length| length <= MAX_HEADER_BYTES)?;
    let mut filled = bytes.to_vec();
    filled.resize(length.max(bytes.len()), 0);
    Some(filled)
}

pub(crate) fn check(bytes: &[u8]) {
    check_all(bytes);
    filled(bytes).iter().for_each(|bytes| check_all(bytes));
}

fn check_all(bytes: &[u8]) {
    let described = Inspection::read(&mut &bytes[..], Some(bytes.len() as u64));
    let header = match Header::parse(bytes) {
        Ok(header) => header,
        Err(error) => {
            assert!(described.is_err() && !error.to_string().is_empty());
            return;
        }
    };
    let length = header.as_bytes().len();
    assert_eq!(header.as_bytes(), &bytes[..length]);
    assert!((MIN_HEADER_BYTES..=MAX_HEADER_BYTES).contains(&length));
    let described = described.expect("what is parsed is described");
    assert!((1..=MAX_RECIPIENTS).contains(&described.stanzas.len()));
    assert_eq!(described.payload_offset, length as u64);

    let identities = parse_identities(identity_file().as_bytes(), None, &NoCallbacks);
    let identities = Identities::new()
        .key(Key::from_bytes(&[0x5e; 32]))
        .age(identities.expect("identities that were made here"));
    assert!(Decryptor::new(&identities).reader(bytes).is_err(), "opened by a key it is not for");
}
