//! Any bytes as a file of age, with age's own test vectors to begin from: what is taken for a
//! header stays within its bounds, has one spelling, describes itself, and opens for no key it is
//! not for.

use std::io::sink;
use std::sync::OnceLock;

use polyseal_file::age::v1::{Header, Inspection, MAX_HEADER_BYTES};
use polyseal_file::age::{IdentityKind, NoCallbacks, generate, parse_identities};
use polyseal_file::{Decryptor, Identities, Input, Output};

/// Identities of both kinds that age has built in. None of them is the vectors' own.
fn identities() -> &'static Identities<'static> {
    static KEYS: OnceLock<Identities<'static>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let kinds = [IdentityKind::X25519, IdentityKind::Hybrid];
        let file =
            kinds.map(|kind| generate(kind, None).expect("random bytes").file.reveal().to_owned());
        let keys = parse_identities(file.concat().as_bytes(), None, &NoCallbacks);
        Identities::new().age(keys.expect("identities that were made here"))
    })
}

pub(crate) fn check(bytes: &[u8]) {
    let decryptor = Decryptor::new(identities());
    let decrypted = decryptor.decrypt(Input::Stream(&mut &*bytes), Output::Stream(&mut sink()));
    assert!(decrypted.is_err() && decryptor.reader(bytes).is_err(), "opened by another key");
    let described = Inspection::read(&mut &*bytes, Some(bytes.len() as u64));
    let header = match Header::read(&mut &*bytes) {
        Ok(header) => header,
        Err(error) => {
            assert!(described.is_err() && !error.to_string().is_empty());
            return;
        }
    };
    let length = header.as_bytes().len();
    assert_eq!(header.as_bytes(), &bytes[..length]);
    assert!(length <= MAX_HEADER_BYTES + 16);
    let described = described.expect("what is parsed is described");
    assert_eq!(described.payload_offset, length as u64);
    assert_eq!(described.recipients, header.recipients().collect::<Vec<_>>());
    assert!(!described.recipients.is_empty());
    assert!(header.authenticate(identities()).is_err(), "opened by a key it is not for");
}
