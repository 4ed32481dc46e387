//! CMAC and KBKDF: the vectors of NIST, and pieces against the whole.

use polyseal::Error;
use polyseal::aead::KeyInit;
use polyseal::gcm::{Aes, Aes128, Aes256, Cmac, Counter, kbkdf};
use polyseal::testing::Backend;
use proptest::collection::vec;
use proptest::proptest;

use super::{field, internal, key};
use crate::common::{bytes, soft};

fn cmac<A: Aes>(key: &[u8], backend: Backend) -> Cmac<A> {
    Cmac::with_backend(key.try_into().expect("a key"), backend)
}

#[test]
fn cmac_is_that_of_sp_800_38b() {
    let file = internal("cmac.json");
    let tests = file["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 8);
    for test in tests {
        let (key, message) = (field(test, "key"), field(test, "msg"));
        for backend in Backend::available() {
            let tag = match key.len() {
                16 => cmac::<Aes128>(&key, backend).mac(&message),
                _ => cmac::<Aes256>(&key, backend).mac(&message),
            };
            assert_eq!(tag[..], field(test, "tag"), "on {}", backend.name());
        }
    }
}

fn in_pieces<A: Aes>(message: &[u8], cuts: &[usize]) {
    let key = key::<Cmac<A>>(1);
    let tag = Cmac::<A>::with_backend(&key, soft()).mac(message);
    for backend in Backend::available() {
        let cmac = Cmac::<A>::with_backend(&key, backend);
        assert_eq!(cmac.mac(message), tag, "on {}", backend.name());
        let mut state = cmac.start();
        let mut rest = message;
        for &cut in cuts {
            let (piece, behind) = rest.split_at(cut.min(rest.len()));
            state.update(piece);
            rest = behind;
        }
        state.update(rest);
        assert_eq!(state.finalize(), tag, "on {}: {cuts:?}", backend.name());
        for at in 0..16 {
            let mut wrong = tag;
            wrong[at] ^= 1 << (at % 8);
            assert_eq!(cmac.verify(message, &wrong), Err(Error::Unauthentic), "byte {at}");
        }
        assert_eq!(cmac.verify(message, &tag), Ok(()), "on {}", backend.name());
    }
}

proptest! {
    #[test]
    fn cmac_in_pieces_is_the_whole(length in 0..200_usize, cuts in vec(0..40_usize, 0..8)) {
        in_pieces::<Aes128>(&bytes(2, length), &cuts);
        in_pieces::<Aes256>(&bytes(2, length), &cuts);
    }
}

#[test]
fn cmac_is_cut_at_every_place() {
    for length in [0, 1, 15, 16, 17, 32, 33, 48] {
        for at in 0..=length {
            in_pieces::<Aes256>(&bytes(2, length), &[at]);
        }
    }
}

#[test]
fn kbkdf_is_that_of_nist() {
    let file = internal("kbkdf-ctr-cmac.json");
    let mut count = 0;
    for group in file["groups"].as_array().expect("groups") {
        let counter_bytes = group["counterLength"].as_u64().expect("bits") as u32 / 8;
        let counter = match group["counterLocation"].as_str() {
            Some("before") => Counter::Before(counter_bytes),
            Some("after") => Counter::Behind(counter_bytes),
            other => panic!("a counter {other:?}"),
        };
        for test in group["tests"].as_array().expect("tests") {
            let expected = field(test, "K_O");
            for backend in Backend::available() {
                let prf = cmac::<Aes256>(&field(test, "key"), backend);
                let mut output = vec![0; expected.len()];
                kbkdf(&prf, counter, &field(test, "fixedData"), &mut output).expect("a key");
                assert_eq!(output, expected, "{counter:?} on {}", backend.name());
            }
            count += 1;
        }
    }
    assert_eq!(count, 320);
}

#[test]
fn kbkdf_refuses_counters_that_would_not_do() {
    let prf = Cmac::<Aes128>::new(&[1; 16].into());
    for counter in [Counter::Before(0), Counter::Behind(0), Counter::Before(5), Counter::Behind(9)]
    {
        assert_eq!(kbkdf(&prf, counter, b"", &mut [0; 16]), Err(Error::Parameter), "{counter:?}");
    }
    let most = 255 * 16;
    for counter in [Counter::Before(1), Counter::Behind(1)] {
        let mut output = vec![0x55; most + 1];
        assert_eq!(kbkdf(&prf, counter, b"fixed", &mut output[..most]), Ok(()));
        let last = output[most - 16..most].to_vec();
        let input = match counter {
            Counter::Before(_) => [&[255][..], b"fixed"].concat(),
            Counter::Behind(_) => [b"fixed", &[255][..]].concat(),
        };
        assert_eq!(last, prf.mac(&input), "the last block that can be counted");
        output.fill(0x55);
        let refused = kbkdf(&prf, counter, b"fixed", &mut output);
        assert_eq!(refused, Err(Error::TooLong { what: "output", limit: most as u64 }));
        assert!(output.iter().all(|&byte| byte == 0x55), "written in spite of it");
    }
    assert_eq!(kbkdf(&prf, Counter::Before(2), b"", &mut []), Ok(()));
}
