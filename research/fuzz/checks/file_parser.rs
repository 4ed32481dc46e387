//! Any bytes as an encrypted file, and any change to a real one: inspected and decrypted without a
//! panic, and nothing that was changed is accepted.

use std::sync::OnceLock;

use polyseal_file::{
    Decryptor, Encryptor, Header, Identities, Input, Inspection, Key, Output, Recipients,
    SegmentSize,
};

use super::input::Bytes;

/// The changes to a real file.
#[derive(Debug)]
pub(crate) enum File {
    /// It has nothing to do with one.
    Anything(Vec<u8>),
    /// The header is right as far as its magic bytes; then comes this.
    Begun(Vec<u8>),
    /// A stretch is replaced.
    Changed { at: u16, removed: u8, inserted: Vec<u8> },
}

impl File {
    pub(crate) fn from_input(input: &[u8]) -> Self {
        let mut input = Bytes(input);
        match input.byte() % 3 {
            0 => Self::Anything(input.rest().to_vec()),
            1 => Self::Begun(input.rest().to_vec()),
            _ => Self::Changed {
                at: input.number(),
                removed: input.byte(),
                inserted: input.rest().to_vec(),
            },
        }
    }
}

fn key() -> Key {
    Key::from_bytes(&[0x5e; 32])
}

/// A real file of three segments of the smallest size.
fn real() -> &'static [u8] {
    static REAL: OnceLock<Vec<u8>> = OnceLock::new();
    REAL.get_or_init(|| {
        let message = vec![0xa5; 10_000];
        let mut sealed = Vec::new();
        Encryptor::new(&Recipients::from(&key()))
            .segment_size(SegmentSize::new(4096).expect("the smallest size"))
            .encrypt(Input::Stream(&mut &message[..]), Output::Stream(&mut sealed))
            .expect("encryption into memory");
        // A header of 4096 bytes, and three tags of 16.
        assert_eq!(sealed.len(), 4096 + message.len() + 3 * 16);
        sealed
    })
}

pub(crate) fn check(file: File) {
    let bytes = match file {
        File::Anything(bytes) => bytes,
        File::Begun(bytes) => [&real()[..24], &bytes].concat(),
        File::Changed { at, removed, inserted } => {
            let mut bytes = real().to_vec();
            let at = usize::from(at) % (bytes.len() + 1);
            let end = bytes.len().min(at + usize::from(removed));
            bytes.splice(at..end, inserted);
            bytes
        }
    };
    if let Ok(header) = Header::parse(&bytes) {
        assert_eq!(header.as_bytes()[..], bytes[..header.as_bytes().len()]);
    }
    if let Err(error) = Inspection::read(&mut &bytes[..], Some(bytes.len() as u64)) {
        assert!(!error.to_string().is_empty());
    }
    let mut opened = Vec::new();
    let outcome = Decryptor::new(&Identities::from(&key()))
        .decrypt(Input::Stream(&mut &bytes[..]), Output::Stream(&mut opened));
    assert_eq!(outcome.is_ok(), bytes == real(), "{outcome:?}");
}
