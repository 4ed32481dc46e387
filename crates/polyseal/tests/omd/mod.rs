//! OMD: what the vectors and the tests of all algorithms do not show.

mod batch;
mod forgery;
mod inputs;

use aead::KeyInit;
use polyseal::aead;
use polyseal::any::AnyAead;
use polyseal::omd::{OmdBlake2b, OmdSha256, OmdSha512};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use crate::common::bytes;

/// The families.
const IDS: [&str; 3] = ["omd-sha256", "omd-sha512", "omd-blake2b"];

fn named(text: &str) -> Algorithm {
    text.parse().expect(text)
}

/// `text` under a key that depends on `seed`.
fn keyed(text: &str, seed: u64, backend: Backend) -> AnyAead {
    let algorithm = named(text);
    aead_on(&algorithm, &bytes(seed, algorithm.key_bytes()), backend).expect(text)
}

/// The types are what the names are.
#[test]
fn types_are_names() {
    fn same<C: KeyInit + aead::AeadInOut>(id: &str) {
        let any = keyed(id, 1, Backend::detect());
        let algorithm = any.algorithm();
        let cipher = C::new_from_slice(&bytes(1, algorithm.key_bytes())).expect(id);
        let nonce = bytes(2, algorithm.nonce_bytes());
        let sealed = any.seal(&nonce, b"ad", &bytes(3, 200)).expect(id);
        let mut buffer = bytes(3, 200);
        let nonce = nonce.as_slice().try_into().expect(id);
        let tag =
            cipher.encrypt_inout_detached(nonce, b"ad", buffer.as_mut_slice().into()).expect(id);
        buffer.extend_from_slice(&tag);
        assert_eq!(buffer, sealed, "{id}");
    }
    same::<OmdSha256>("omd-sha256");
    same::<OmdSha512>("omd-sha512");
    same::<OmdBlake2b>("omd-blake2b");
    same::<polyseal::omd::OmdSha256K128N96Tau64>("omd-sha256:key=16,nonce=12,tag=8");
    same::<polyseal::omd::OmdSha512K128N128Tau128>("omd-sha512:key=16,nonce=16,tag=16");
    same::<polyseal::omd::OmdBlake2bK256N256Tau256>("omd-blake2b:key=32,tag=32");
    same::<polyseal::omd::legacy::OmdSha512Reference>("omd-sha512:rule=reference");
    same::<polyseal::omd::legacy::OmdSha256V1>("omd-sha256:version=1");
}
