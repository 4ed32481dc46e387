//! In pieces is the same as at once, however the message is cut and on every back end; and a
//! decryptor releases nothing before the tag has been verified.

use aead::consts::{U16, U32};
use aead::inout::InOutBuf;
use aead::{AeadInOut, KeyInit, Tag};
use polyseal::aegis::{Aegis, Aegis128L, AegisMac, TagBytes, Variant, X128, X256};
use polyseal::testing::Backend;
use polyseal::{Error, aead};
use proptest::collection::vec;
use proptest::proptest;

use crate::array;
use crate::common::{bytes, soft};

/// A message, and how it is cut.
struct Cut {
    ad: Vec<u8>,
    message: Vec<u8>,
    cuts: Vec<usize>,
}

impl Cut {
    /// `bytes` in pieces as long as the cuts say (empty ones too), and the rest.
    fn pieces<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + 'a {
        let mut rest = bytes;
        self.cuts.iter().copied().chain([usize::MAX]).map(move |cut| {
            let (piece, behind) = rest.split_at(cut.min(rest.len()));
            rest = behind;
            piece
        })
    }

    /// In pieces is as at once, there and back, on `backend`.
    fn one_shot<V: Variant, T: TagBytes>(&self, backend: Backend) {
        let (key, nonce) = (array::<Aegis<V, T>>(1), array::<Aegis<V, T>>(2));
        let mut ciphertext = self.message.clone();
        let tag = Aegis::<V, T>::with_backend(&key, soft())
            .encrypt_inout_detached(&nonce, &self.ad, ciphertext.as_mut_slice().into())
            .expect("sealing");

        let cipher = Aegis::<V, T>::with_backend(&key, backend);
        let mut encryptor = cipher.encryptor(&nonce, &self.ad).expect("an encryptor");
        let mut encrypted = Vec::new();
        for (i, piece) in self.pieces(&self.message).enumerate() {
            // In place and out of place in turn.
            let mut output = if i % 2 == 0 { piece.to_vec() } else { vec![0xee; piece.len()] };
            let buffer = match i % 2 {
                0 => output.as_mut_slice().into(),
                _ => InOutBuf::new(piece, &mut output).expect("equal lengths"),
            };
            encryptor.update(buffer).expect("an update");
            encrypted.extend_from_slice(&output);
        }
        assert_eq!(encrypted, ciphertext, "on {}", backend.name());
        assert_eq!(encryptor.finalize(), tag, "on {}", backend.name());

        let mut room = vec![0xee; self.message.len() + 9];
        let mut decryptor = cipher.decryptor(&nonce, &self.ad, &mut room).expect("a decryptor");
        for piece in self.pieces(&ciphertext) {
            decryptor.update(piece).expect("an update");
        }
        let message = decryptor.finalize(&tag);
        assert_eq!(message.as_deref(), Ok(&self.message[..]), "on {}", backend.name());
        assert_eq!(room[..self.message.len()], self.message, "released");
        assert_eq!(room[self.message.len()..], [0xee; 9], "beside the message");

        self.keeps_back(&cipher, &ciphertext, tag);
    }

    /// Nothing that was not verified can be seen: not with a wrong tag, not when it is abandoned.
    fn keeps_back<V, T>(&self, cipher: &Aegis<V, T>, ciphertext: &[u8], tag: Tag<Aegis<V, T>>)
    where
        V: Variant,
        T: TagBytes,
    {
        let nonce = array::<Aegis<V, T>>(2);
        for at in [0, tag.len() - 1] {
            let mut wrong = tag.clone();
            wrong[at] ^= 0x40;
            let mut room = vec![0xee; ciphertext.len() + 9];
            let mut decryptor = cipher.decryptor(&nonce, &self.ad, &mut room).expect("a decryptor");
            for piece in self.pieces(ciphertext) {
                decryptor.update(piece).expect("an update");
            }
            assert_eq!(decryptor.finalize(&wrong), Err(Error::Unauthentic));
            let (written, beside) = room.split_at(ciphertext.len());
            assert!(written.iter().all(|&b| b == 0), "a wrong tag left {written:02x?}");
            assert_eq!(beside, [0xee; 9], "beside the message");
        }
        let mut room = vec![0xee; ciphertext.len() + 9];
        let mut decryptor = cipher.decryptor(&nonce, &self.ad, &mut room).expect("a decryptor");
        let mut taken = 0;
        for piece in self.pieces(ciphertext).take(self.cuts.len()) {
            decryptor.update(piece).expect("an update");
            taken += piece.len();
        }
        drop(decryptor);
        let (written, beside) = room.split_at(taken);
        assert!(written.iter().all(|&b| b == 0), "an abandoned decryptor left {written:02x?}");
        assert!(beside.iter().all(|&b| b == 0xee), "beside the message");
    }

    fn mac<V: Variant, T: TagBytes>(&self, backend: Backend) {
        let (key, nonce) = (array::<AegisMac<V, T>>(1), array::<AegisMac<V, T>>(2));
        let tag =
            AegisMac::<V, T>::with_backend(&key, soft()).mac(&nonce, &self.message).expect("a tag");
        let mac = AegisMac::<V, T>::with_backend(&key, backend);
        assert_eq!(mac.verify(&nonce, &self.message, &tag), Ok(()), "on {}", backend.name());
        let state = || {
            let mut state = mac.start(&nonce);
            self.pieces(&self.message).for_each(|piece| state.update(piece).expect("an update"));
            state
        };
        assert_eq!(state().finalize(), tag, "on {}", backend.name());
        assert_eq!(state().verify(&tag), Ok(()), "on {}", backend.name());
        let mut wrong = tag;
        wrong[T::USIZE / 2] ^= 1;
        assert_eq!(state().verify(&wrong), Err(Error::Unauthentic), "on {}", backend.name());
        let refused = mac.verify(&nonce, &self.message, &wrong);
        assert_eq!(refused, Err(Error::Unauthentic), "on {}", backend.name());
    }
}

proptest! {
    #[test]
    fn pieces_are_the_whole(
        ad_bytes in 0..200_usize,
        message_bytes in 0..900_usize,
        cuts in vec(0..300_usize, 0..12),
    ) {
        let cut = Cut { ad: bytes(3, ad_bytes), message: bytes(4, message_bytes), cuts };
        for backend in Backend::available() {
            cut.one_shot::<X128<1>, U16>(backend);
            cut.one_shot::<X128<2>, U32>(backend);
            cut.one_shot::<X128<4>, U16>(backend);
            cut.one_shot::<X256<2>, U32>(backend);
            cut.mac::<X128<2>, U16>(backend);
            cut.mac::<X128<4>, U32>(backend);
            cut.mac::<X256<1>, U32>(backend);
            cut.mac::<X256<2>, U16>(backend);
        }
    }
}

/// Every single cut around the edges of an update, which chance may miss.
#[test]
fn one_cut_at_every_place() {
    for at in 0..=150 {
        let cut = Cut { ad: bytes(3, 5), message: bytes(4, 150), cuts: vec![at] };
        for backend in Backend::available() {
            cut.one_shot::<X128<1>, U32>(backend);
            cut.one_shot::<X256<2>, U32>(backend);
            cut.mac::<X128<2>, U16>(backend);
        }
    }
}

/// The message that a decryptor has begun with is not spoilt by a piece that did not fit.
#[test]
fn a_destination_too_short_takes_nothing() {
    let cipher = Aegis128L::new(&[1; 16].into());
    let nonce = [2; 16].into();
    let message = bytes(4, 50);
    let mut ciphertext = message.clone();
    let tag = cipher
        .encrypt_inout_detached(&nonce, b"", ciphertext.as_mut_slice().into())
        .expect("sealing");

    let mut room = vec![0xee; 50];
    let mut decryptor = cipher.decryptor(&nonce, b"", &mut room).expect("a decryptor");
    decryptor.update(&ciphertext[..33]).expect("an update");
    let too_much = decryptor.update(&[0; 18]);
    assert_eq!(too_much, Err(Error::Buffer { expected: 18, actual: 17 }));
    decryptor.update(&ciphertext[33..]).expect("an update");
    assert_eq!(decryptor.update(&[0]), Err(Error::Buffer { expected: 1, actual: 0 }));
    decryptor.update(&[]).expect("nothing always fits");
    assert_eq!(decryptor.finalize(&tag).as_deref(), Ok(&message[..]));

    // A piece that did not fit has not been written either.
    let mut room = vec![0xee; 50];
    let mut decryptor = cipher.decryptor(&nonce, b"", &mut room).expect("a decryptor");
    assert_eq!(decryptor.update(&[0; 51]), Err(Error::Buffer { expected: 51, actual: 50 }));
    drop(decryptor);
    assert_eq!(room, [0xee; 50]);
}
