//! Many messages at once are what they are one at a time.

use polyseal::Error;
use polyseal::batch::{Batch, Message};
use polyseal::testing::Backend;

use super::{IDS, bytes, keyed};

/// Lengths of message and associated data number `i`.
fn lengths(i: u64) -> (usize, usize) {
    const EDGES: [usize; 12] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 500, 1500];
    (EDGES[(5 * i + 3) as usize % 12], EDGES[(7 * i + i / 12) as usize % 11])
}

#[test]
fn one_to_thirty_three_mixed_messages() {
    for id in IDS {
        for backend in Backend::available() {
            for count in 1..=33 {
                check(id, backend, count);
            }
        }
    }
}

fn check(id: &str, backend: Backend, count: u64) {
    let aead = keyed(id, 9, backend);
    let (nonce_bytes, tag_bytes) = (aead.algorithm().nonce_bytes(), aead.algorithm().tag_bytes());
    let nonces: Vec<_> = (0..count).map(|i| bytes(100 + i, nonce_bytes)).collect();
    let ads: Vec<_> = (0..count).map(|i| bytes(200 + i, lengths(i + count).1)).collect();
    let plain: Vec<_> = (0..count).map(|i| bytes(300 + i, lengths(i + count).0)).collect();
    let (mut buffers, mut tags) = (plain.clone(), vec![vec![0; tag_bytes]; count as usize]);

    let mut messages = gather(&nonces, &ads, &mut buffers, &mut tags);
    assert_eq!(aead.seal_batch(&mut messages), Ok(()));
    assert!(messages.iter().all(|message| message.outcome == Ok(())));
    for i in 0..count as usize {
        let alone = aead.seal(&nonces[i], &ads[i], &plain[i]).expect(id);
        assert_eq!([&buffers[i][..], &tags[i]].concat(), alone, "{id}: {i} of {count}");
    }

    // Each third is forged in another place.
    for i in (0..count as usize).filter(|i| i % 3 == 1) {
        match (i % 2, buffers[i].first_mut()) {
            (0, Some(byte)) => *byte ^= 0x40,
            _ => tags[i][tag_bytes - 1] ^= 1,
        }
    }
    let mut messages = gather(&nonces, &ads, &mut buffers, &mut tags);
    let verdict = if count > 1 { Err(Error::Unauthentic) } else { Ok(()) };
    assert_eq!(aead.open_batch(&mut messages), verdict);
    for (i, message) in messages.iter().enumerate() {
        let (outcome, buffer) = if i % 3 == 1 {
            (Err(Error::Unauthentic), vec![0; plain[i].len()])
        } else {
            (Ok(()), plain[i].clone())
        };
        assert_eq!((message.outcome, &*message.buffer), (outcome, &buffer[..]), "{id}: {i}");
    }
}

fn gather<'a>(
    nonces: &'a [Vec<u8>],
    ads: &'a [Vec<u8>],
    buffers: &'a mut [Vec<u8>],
    tags: &'a mut [Vec<u8>],
) -> Vec<Message<'a>> {
    let inputs = nonces.iter().zip(ads).zip(buffers).zip(tags);
    inputs.map(|(((nonce, ad), buffer), tag)| Message::new(nonce, ad, buffer, tag)).collect()
}

#[test]
fn a_wrong_length_stops_all() {
    let aead = keyed("omd-blake2b", 1, Backend::detect());
    let nonces = [vec![1; 32], vec![2; 31]];
    let ads = [Vec::new(), Vec::new()];
    let (mut buffers, mut tags) = ([vec![5; 9], vec![5; 9]], [vec![0; 64], vec![0; 64]]);
    let mut messages = gather(&nonces, &ads, &mut buffers, &mut tags);
    let refused = Error::Length { what: "nonce", expected: 32, actual: 31 };
    assert_eq!(aead.seal_batch(&mut messages), Err(refused));
    assert!(messages.iter().all(|m| m.outcome.is_err() && *m.buffer == [5; 9]));
    assert_eq!(aead.seal_batch(&mut []), Ok(()));
}
