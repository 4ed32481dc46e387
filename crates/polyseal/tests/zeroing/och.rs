//! Keys and messages of OCH leave nothing on the stack of the key, of what is derived from it, or
//! of a nonce's offset.

use polyseal::Error;
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use super::{KEY, SECRET, leaves};

const NONCE: [u8; 32] = [9; 32];

/// KE, the two keys of H, L*, R of the nonce, and PRF's state with the key: by
/// `research/reference/och.py`.
const DERIVED: [&str; 6] = [
    "663b5c0a90e2bf5d4ccda975f464e714843722e9e7f2dcf681b85b28cf424b64",
    "39e4d0eb7733602263b4fd6d4dd490234ffd3afbbb117a0cbed7a137c1f5bf7c",
    "f24ae7792aa08e51526fe7efc921de91d7911329d2997a03d66c93c4989f0e07",
    "7f923772ffe0bc3010c9181aeb1697520d2e07eb3b5720ff00dce9937fe93a36",
    "b8434372beb6c56a72f60a72ebf44207896d763c2611120e6b2a33dead2f876d",
    "6b1053fba2151eed705dd7cbeecf4481178d4ae48190bb08becccbdb9691d8e3",
];

#[test]
fn keys_of_och_are_wiped() {
    let derived = DERIVED.map(|hex| hex::decode(hex).expect("hexadecimal"));
    let halves = derived.iter().flat_map(|block| block.chunks(16));
    let secrets: Vec<&[u8]> = halves.chain([&SECRET[..]]).collect();
    for id in ["och-areion-p", "och-areion-s"] {
        let algorithm: Algorithm = id.parse().expect(id);
        for backend in Backend::available() {
            let name = format!("{id} on {}", backend.name());
            let mut cipher = None;
            let make = || cipher = Some(aead_on(&algorithm, &KEY, backend).expect("a key"));
            assert!(!leaves(&secrets, make), "the key of {name}");
            let cipher = cipher.expect("it has been made");
            for length in [0, 20, 32, 75, 600, 2000] {
                let mut message = vec![0x5a; length];
                let mut tag = vec![0; algorithm.tag_bytes()];
                let seal = || {
                    let buffer = message.as_mut_slice().into();
                    cipher.seal_inout_detached(&NONCE, b"ad", buffer, &mut tag).expect("sealing");
                };
                assert!(!leaves(&secrets, seal), "sealing {length} bytes: {name}");
                let open = || {
                    let buffer = message.as_mut_slice().into();
                    cipher.open_inout_detached(&NONCE, b"ad", buffer, &tag).expect("opening");
                };
                assert!(!leaves(&secrets, open), "opening {length} bytes: {name}");
                let refuse = || {
                    let buffer = message.as_mut_slice().into();
                    let verdict = cipher.open_inout_detached(&NONCE, b"ad", buffer, &tag);
                    assert_eq!(verdict, Err(Error::Unauthentic));
                };
                // The buffer holds the plaintext, which is no ciphertext, unless it is empty.
                if length > 0 {
                    assert!(!leaves(&secrets, refuse), "refusing {length} bytes: {name}");
                }
            }
        }
    }
}
