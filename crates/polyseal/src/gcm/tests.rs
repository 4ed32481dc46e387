//! Counters that wrap, at every place of a message, and the subkeys that NIST prints.

use alloc::vec::Vec;
use core::marker::PhantomData;

use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
use aead::inout::InOutBuf;
use serde_json::Value;

use super::aes::{Aes, Aes128, Aes256};
use super::blockcipher_root::double;
use super::cipher::{ExpandedKey, UnderOneKey};
use super::engine::{Opening, Sealing};
use super::incremental::Ongoing;
use crate::backend::Backend;

/// Counter mode by another implementation of AES: 32 bits count, and carry nothing beyond.
fn counter_mode<C: BlockCipherEncrypt + KeyInit>(
    key: &[u8],
    first: [u8; 16],
    message: &[u8],
) -> Vec<u8> {
    let cipher = C::new_from_slice(key).expect("a key");
    let (nonce, count) = first.split_at(12);
    let mut count = u32::from_be_bytes(count.try_into().expect("4 bytes"));
    let mut output = message.to_vec();
    for piece in output.chunks_mut(16) {
        count = count.wrapping_add(1);
        let block = [nonce, &count.to_be_bytes()].concat();
        let mut block = block[..].try_into().expect("a block");
        cipher.encrypt_block(&mut block);
        piece.iter_mut().zip(&block).for_each(|(byte, z)| *byte ^= z);
    }
    output
}

/// A message of two groups of any back end and more, whose counter wraps behind each of its blocks
/// in turn.
fn wraps<A: Aes, C: BlockCipherEncrypt + KeyInit>(key: &[u8], bytes: u32) {
    let message: Vec<u8> = (0..bytes).map(|i| (i * 7 % 251) as u8).collect();
    for behind in 0..=70_u32 {
        let mut first = [0xff; 16];
        first[12..].copy_from_slice(&0_u32.wrapping_sub(behind).to_be_bytes());
        let ciphertext = counter_mode::<C>(key, first, &message);
        let mut expected = None;
        for backend in Backend::available() {
            let (expanded, name) = (ExpandedKey::<A>::new(key, backend), backend.name());
            let once = |buffer: InOutBuf<'_, '_, u8>, opens, tag: &mut [u8; 16]| match opens {
                false => {
                    backend.run_sequence(UnderOneKey::<A, Sealing> {
                        key,
                        first: &first,
                        ad: b"ad",
                        buffer,
                        tag,
                        kind: PhantomData,
                    });
                }
                true => {
                    backend.run_sequence(UnderOneKey::<A, Opening> {
                        key,
                        first: &first,
                        ad: b"ad",
                        buffer,
                        tag,
                        kind: PhantomData,
                    });
                }
            };
            let (mut buffer, mut tag) = (message.clone(), [0; 16]);
            once(buffer.as_mut_slice().into(), false, &mut tag);
            assert_eq!(buffer, ciphertext, "{behind} blocks on {name}");
            assert_eq!(tag, *expected.get_or_insert(tag), "{behind} blocks on {name}");

            let mut again = [0; 16];
            once(buffer.as_mut_slice().into(), true, &mut again);
            assert_eq!((&buffer, again), (&message, tag), "{behind} blocks on {name}");

            for pieces in [48, 250] {
                let mut ongoing = Ongoing::<A>::blank(backend, expanded.keys.clone());
                ongoing.first = first;
                ongoing.absorb(b"ad");
                let (mut buffer, mut again) = (message.clone(), [0; 16]);
                for piece in buffer.chunks_mut(pieces) {
                    ongoing.transform::<Sealing>(piece.into()).expect("a piece");
                }
                ongoing.tag(&mut again);
                assert_eq!((&buffer, again), (&ciphertext, tag), "{behind} blocks on {name}");
            }
        }
    }
}

#[test]
fn counters_wrap_at_every_block() {
    // The longest that goes the way of the medium ones on some back end, and longer ones.
    for bytes in [100, 250, 500, 760, 1000, 1111, 1500, 3000] {
        wraps::<Aes128, ::aes::Aes128>(&[7; 16], bytes);
        wraps::<Aes256, ::aes::Aes256>(&[7; 32], bytes);
    }
}

#[test]
fn subkeys_are_those_of_sp_800_38b() {
    let file: Value = serde_json::from_str(include_str!("../../vectors/cmac.json")).expect("JSON");
    let subkeys = file["subkeys"].as_array().expect("subkeys");
    assert_eq!(subkeys.len(), 2);
    for test in subkeys {
        let field = |name: &str| hex::decode(test[name].as_str().expect(name)).expect(name);
        let key = field("key");
        let l = match key.len() {
            16 => encrypt_zeros::<::aes::Aes128>(&key),
            _ => encrypt_zeros::<::aes::Aes256>(&key),
        };
        assert_eq!(double(l)[..], field("K1"));
        assert_eq!(double(double(l))[..], field("K2"));
    }
}

/// AES of a block of zeros: the counter wraps to it.
fn encrypt_zeros<C: BlockCipherEncrypt + KeyInit>(key: &[u8]) -> [u8; 16] {
    let first = core::array::from_fn(|i| if i < 12 { 0 } else { 0xff });
    let zeros = counter_mode::<C>(key, first, &[0; 16]);
    zeros[..].try_into().expect("a block")
}

/// Every length of a message that goes the way of the medium ones, and some beyond, with associated
/// data of every length that does: as under an expanded key.
#[test]
fn one_message_is_as_any() {
    fn compare<A: Aes>(key: &[u8], ad: &[u8], bytes: usize) {
        let mut first = [9; 16];
        first[12..].copy_from_slice(&[0, 0, 0, 1]);
        let message: Vec<u8> = (0..bytes).map(|i| (i * 7 % 251) as u8).collect();
        for backend in Backend::available() {
            let name = backend.name();
            let (mut sealed, mut tag) = (message.clone(), [0; 16]);
            let buffer = sealed.as_mut_slice().into();
            ExpandedKey::<A>::new(key, backend).crypt::<Sealing>(
                &first[..12],
                ad,
                buffer,
                &mut tag,
            );

            let (mut output, mut again) = (alloc::vec![0; bytes], [0; 16]);
            let buffer = InOutBuf::new(&message, &mut output).expect("one length");
            backend.run_sequence(UnderOneKey::<A, Sealing> {
                key,
                first: &first,
                ad,
                buffer,
                tag: &mut again,
                kind: PhantomData,
            });
            assert_eq!((&output, again), (&sealed, tag), "{bytes} bytes on {name}");

            again = [0; 16];
            let buffer = output.as_mut_slice().into();
            backend.run_sequence(UnderOneKey::<A, Opening> {
                key,
                first: &first,
                ad,
                buffer,
                tag: &mut again,
                kind: PhantomData,
            });
            assert_eq!((&output, again), (&message, tag), "{bytes} bytes on {name}");
        }
    }
    let ad = [5; 80];
    for bytes in (0..=3200).filter(|bytes| {
        *bytes < 140 || bytes % 64 < 2 || (*bytes < 1000 && bytes % 16 < 2) || bytes % 64 == 63
    }) {
        compare::<Aes256>(&[7; 32], &ad[..bytes % 66], bytes);
        compare::<Aes128>(&[7; 16], &ad[..bytes % 17], bytes);
    }
    for ad_bytes in 0..=80 {
        compare::<Aes256>(&[7; 32], &ad[..ad_bytes], 3);
        compare::<Aes256>(&[7; 32], &ad[..ad_bytes], 700);
    }
}
