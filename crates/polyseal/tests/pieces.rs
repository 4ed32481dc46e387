//! In pieces is the same as at once, however the message is cut and on every back end; and a
//! decryptor releases nothing before the tag has been verified.

use aead::array::ArraySize;
use aead::consts::{U12, U16, U20, U32};
use aead::inout::InOutBuf;
use aead::{AeadInOut, Key, KeyInit, Tag};
use polyseal::aegis::{self, Aegis, Aegis128L, AegisMac, Variant, X128, X256};
use polyseal::gcm::{
    self, Aes, Aes128, Aes256Gcm, Gcm, KcXaes256Gcm, KcXaes256GcmNonce, NonceDerived, Scheme,
};
use polyseal::testing::Backend;
use polyseal::{Error, Result, aead};
use proptest::collection::vec;
use proptest::proptest;

use crate::common::{bytes, key, nonce, soft};

/// An AEAD that takes messages in pieces.
trait InPieces: AeadInOut + KeyInit {
    fn on(key: &Key<Self>, backend: Backend) -> Self;

    /// Encrypts pieces in turn.
    fn encrypt_pieces(&self, ad: &[u8], pieces: Vec<InOutBuf<'_, '_, u8>>) -> Tag<Self>;

    /// Decrypts pieces in turn, and says what came of each; then releases the message, or, without
    /// a tag, abandons it.
    fn decrypt_pieces<'a>(
        &self,
        ad: &[u8],
        room: &'a mut [u8],
        pieces: &[&[u8]],
        tag: Option<&Tag<Self>>,
    ) -> (Vec<Result<()>>, Option<Result<&'a mut [u8]>>);
}

macro_rules! in_pieces {
    ($([$($generics:tt)*] $cipher:ty;)*) => {$(
        impl<$($generics)*> InPieces for $cipher {
            fn on(key: &Key<Self>, backend: Backend) -> Self {
                Self::with_backend(key, backend)
            }

            fn encrypt_pieces(&self, ad: &[u8], pieces: Vec<InOutBuf<'_, '_, u8>>) -> Tag<Self> {
                let mut encryptor = self.encryptor(&nonce::<Self>(2), ad).expect("an encryptor");
                pieces.into_iter().for_each(|piece| encryptor.update(piece).expect("an update"));
                encryptor.finalize()
            }

            fn decrypt_pieces<'a>(
                &self,
                ad: &[u8],
                room: &'a mut [u8],
                pieces: &[&[u8]],
                tag: Option<&Tag<Self>>,
            ) -> (Vec<Result<()>>, Option<Result<&'a mut [u8]>>) {
                let decryptor = self.decryptor(&nonce::<Self>(2), ad, room);
                let mut decryptor = decryptor.expect("a decryptor");
                let taken = pieces.iter().map(|piece| decryptor.update(piece)).collect();
                (taken, tag.map(|tag| decryptor.finalize(tag)))
            }
        }
    )*};
}

in_pieces! {
    [V: Variant, T: aegis::TagBytes] Aegis<V, T>;
    [A: Aes, N: ArraySize, T: gcm::TagBytes] Gcm<A, N, T>;
    [S: Scheme] NonceDerived<S>;
}

/// A message, and how it is cut.
struct Cut {
    ad: Vec<u8>,
    message: Vec<u8>,
    cuts: Vec<usize>,
}

impl Cut {
    /// `bytes` in pieces as long as the cuts say (empty ones too), and the rest.
    fn pieces<'a>(&self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut rest = bytes;
        let cut = |cut: usize| {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            rest = after;
            piece
        };
        self.cuts.iter().copied().chain([usize::MAX]).map(cut).collect()
    }

    /// In pieces is as at once, there and back, on every back end.
    fn is_the_whole<C: InPieces>(&self) {
        let key = key::<C>(1);
        let mut ciphertext = self.message.clone();
        let tag = C::on(&key, soft())
            .encrypt_inout_detached(&nonce::<C>(2), &self.ad, ciphertext.as_mut_slice().into())
            .expect("sealing");
        for backend in Backend::available() {
            let cipher = C::on(&key, backend);
            // In place and out of place in turn.
            let pieces = self.pieces(&self.message);
            let (mut inputs, mut outputs): (Vec<_>, Vec<_>) =
                pieces.iter().map(|piece| (piece.to_vec(), vec![0xee; piece.len()])).unzip();
            let buffers = inputs.iter_mut().zip(&mut outputs).enumerate();
            let buffers = buffers.map(|(i, (input, output))| match i % 2 {
                0 => input.as_mut_slice().into(),
                _ => InOutBuf::new(input, output).expect("equal lengths"),
            });
            assert_eq!(cipher.encrypt_pieces(&self.ad, buffers.collect()), tag, "{backend:?}");
            let of_each = inputs.into_iter().zip(outputs).enumerate();
            let encrypted: Vec<_> = of_each
                .flat_map(|(i, (input, output))| if i % 2 == 0 { input } else { output })
                .collect();
            assert_eq!(encrypted, ciphertext, "{backend:?}");

            let mut room = vec![0xee; self.message.len() + 9];
            let pieces = self.pieces(&ciphertext);
            let (taken, message) = cipher.decrypt_pieces(&self.ad, &mut room, &pieces, Some(&tag));
            assert!(taken.iter().all(Result::is_ok), "{backend:?}: {taken:?}");
            let message = message.expect("a verdict");
            assert_eq!(message.as_deref(), Ok(&self.message[..]), "{backend:?}");
            assert_eq!(room[..self.message.len()], self.message, "released");
            assert_eq!(room[self.message.len()..], [0xee; 9], "beside the message");

            self.keeps_back(&cipher, &ciphertext, &tag);
        }
    }

    /// Nothing that was not verified can be seen: not with a wrong tag or commitment, not when it
    /// is abandoned.
    fn keeps_back<C: InPieces>(&self, cipher: &C, ciphertext: &[u8], tag: &Tag<C>) {
        let pieces = self.pieces(ciphertext);
        for at in [0, 11, tag.len() - 1] {
            let mut wrong = tag.clone();
            wrong[at] ^= 0x40;
            let mut room = vec![0xee; ciphertext.len() + 9];
            let (_, message) = cipher.decrypt_pieces(&self.ad, &mut room, &pieces, Some(&wrong));
            assert_eq!(message, Some(Err(Error::Unauthentic)), "byte {at}");
            let (written, beside) = room.split_at(ciphertext.len());
            assert!(written.iter().all(|&b| b == 0), "a wrong tag left {written:02x?}");
            assert_eq!(beside, [0xee; 9], "beside the message");
        }
        let mut room = vec![0xee; ciphertext.len() + 9];
        let begun = &pieces[..self.cuts.len()];
        let (_, message) = cipher.decrypt_pieces(&self.ad, &mut room, begun, None);
        assert_eq!(message, None);
        let (written, beside) = room.split_at(begun.iter().map(|piece| piece.len()).sum());
        assert!(written.iter().all(|&b| b == 0), "an abandoned decryptor left {written:02x?}");
        assert!(beside.iter().all(|&b| b == 0xee), "beside the message");
    }

    /// For the differences: AEGIS's degrees, which divide lanes otherwise, and tags; AES and its
    /// key, hashed nonces and short tags, derived keys and commitments.
    fn everywhere(&self) {
        self.is_the_whole::<Aegis<X128<1>, U32>>();
        self.is_the_whole::<Aegis<X128<2>, U32>>();
        self.is_the_whole::<Aegis<X128<4>, U16>>();
        self.is_the_whole::<Aegis<X256<2>, U32>>();
        self.is_the_whole::<Gcm<Aes128, U16, U12>>();
        self.is_the_whole::<Aes256Gcm>();
        self.is_the_whole::<KcXaes256GcmNonce<U20>>();
        for backend in Backend::available() {
            self.mac::<X128<2>, U16>(backend);
            self.mac::<X128<4>, U32>(backend);
            self.mac::<X256<1>, U32>(backend);
            self.mac::<X256<2>, U16>(backend);
        }
    }

    fn mac<V: Variant, T: aegis::TagBytes>(&self, backend: Backend) {
        let (key, nonce) = (key::<AegisMac<V, T>>(1), key::<AegisMac<V, T>>(2));
        let tag =
            AegisMac::<V, T>::with_backend(&key, soft()).mac(&nonce, &self.message).expect("a tag");
        let mac = AegisMac::<V, T>::with_backend(&key, backend);
        assert_eq!(mac.verify(&nonce, &self.message, &tag), Ok(()), "on {}", backend.name());
        let state = || {
            let mut state = mac.start(&nonce);
            self.pieces(&self.message)
                .into_iter()
                .for_each(|piece| state.update(piece).expect("an update"));
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
        message_bytes in 0..1800_usize,
        cuts in vec(0..600_usize, 0..12),
    ) {
        Cut { ad: bytes(3, ad_bytes), message: bytes(4, message_bytes), cuts }.everywhere();
    }
}

/// Every single cut around the edges of a block and of a group, which chance may miss.
#[test]
fn one_cut_at_every_place() {
    for at in (0..=150).chain([511, 512, 513, 527, 528, 529]) {
        Cut { ad: bytes(3, 5), message: bytes(4, 530), cuts: vec![at] }.everywhere();
    }
}

/// The message that a decryptor has begun with is not spoilt by a piece that did not fit.
#[test]
fn a_destination_too_short_takes_nothing() {
    takes_nothing::<Aegis128L>();
    takes_nothing::<KcXaes256Gcm>();
}

fn takes_nothing<C: InPieces>() {
    let cipher = C::on(&key::<C>(1), soft());
    let message = bytes(4, 50);
    let mut ciphertext = message.clone();
    let tag = cipher
        .encrypt_inout_detached(&nonce::<C>(2), b"", ciphertext.as_mut_slice().into())
        .expect("sealing");
    let refused = |expected, actual| Err(Error::Buffer { expected, actual });

    let mut room = vec![0xee; 50];
    // Nothing always fits.
    let pieces = [&ciphertext[..33], &[0; 18], &ciphertext[33..], &[0], &[]];
    let (taken, opened) = cipher.decrypt_pieces(b"", &mut room, &pieces, Some(&tag));
    assert_eq!(taken, [Ok(()), refused(18, 17), Ok(()), refused(1, 0), Ok(())]);
    assert_eq!(opened.expect("a verdict").as_deref(), Ok(&message[..]));

    // A piece that did not fit has not been written either.
    let mut room = vec![0xee; 50];
    let (taken, _) = cipher.decrypt_pieces(b"", &mut room, &[&[0; 51]], None);
    assert_eq!(taken, [refused(51, 50)]);
    assert_eq!(room, [0xee; 50]);
}
