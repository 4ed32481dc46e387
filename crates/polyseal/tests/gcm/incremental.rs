//! In pieces is the same as at once, however the message is cut and on every back end; and a
//! decryptor releases nothing before the tag has been verified.

use aead::array::ArraySize;
use aead::consts::{U12, U16, U20};
use aead::inout::InOutBuf;
use aead::{AeadInOut, Key, Nonce, Tag};
use polyseal::gcm::{
    Aes, Aes128, Aes256, Aes256Gcm, Decryptor, Encryptor, Gcm, KcXaes256Gcm, KcXaes256GcmNonce,
    NonceDerived, Scheme, TagBytes,
};
use polyseal::testing::Backend;
use polyseal::{Error, Result, aead};
use proptest::collection::vec;
use proptest::proptest;

use crate::common::{bytes, soft};
use crate::{key, nonce};

/// A cipher that takes messages in pieces.
trait InPieces: AeadInOut + aead::KeyInit {
    type Block: Aes;
    fn on(key: &Key<Self>, backend: Backend) -> Self;
    fn encryptor(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
    ) -> Result<Encryptor<Self::Block, Self::TagSize>>;
    fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        room: &'a mut [u8],
    ) -> Result<Decryptor<'a, Self::Block, Self::TagSize>>;
}

impl<A: Aes, N: ArraySize, T: TagBytes> InPieces for Gcm<A, N, T> {
    type Block = A;

    fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self::with_backend(key, backend)
    }

    fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<A, T>> {
        self.encryptor(nonce, ad)
    }

    fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        room: &'a mut [u8],
    ) -> Result<Decryptor<'a, A, T>> {
        self.decryptor(nonce, ad, room)
    }
}

impl<S: Scheme> InPieces for NonceDerived<S> {
    type Block = Aes256;

    fn on(key: &Key<Self>, backend: Backend) -> Self {
        Self::with_backend(key, backend)
    }

    fn encryptor(&self, nonce: &Nonce<Self>, ad: &[u8]) -> Result<Encryptor<Aes256, S::TagSize>> {
        self.encryptor(nonce, ad)
    }

    fn decryptor<'a>(
        &self,
        nonce: &Nonce<Self>,
        ad: &[u8],
        room: &'a mut [u8],
    ) -> Result<Decryptor<'a, Aes256, S::TagSize>> {
        self.decryptor(nonce, ad, room)
    }
}

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

    /// In pieces is as at once, there and back, on every back end.
    fn is_the_whole<C: InPieces>(&self) {
        let (key, nonce) = (key::<C>(1), nonce::<C>(2));
        let mut ciphertext = self.message.clone();
        let tag = C::on(&key, soft())
            .encrypt_inout_detached(&nonce, &self.ad, ciphertext.as_mut_slice().into())
            .expect("sealing");
        for backend in Backend::available() {
            let cipher = C::on(&key, backend);
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

            self.keeps_back(&cipher, &ciphertext, &tag);
        }
    }

    /// Nothing that was not verified can be seen: not with a wrong tag or commitment, not when it
    /// is abandoned.
    fn keeps_back<C: InPieces>(&self, cipher: &C, ciphertext: &[u8], tag: &Tag<C>) {
        let nonce = nonce::<C>(2);
        for at in [0, 11, tag.len() - 1] {
            let mut wrong = tag.clone();
            wrong[at] ^= 0x40;
            let mut room = vec![0xee; ciphertext.len() + 9];
            let mut decryptor = cipher.decryptor(&nonce, &self.ad, &mut room).expect("a decryptor");
            for piece in self.pieces(ciphertext) {
                decryptor.update(piece).expect("an update");
            }
            assert_eq!(decryptor.finalize(&wrong), Err(Error::Unauthentic), "byte {at}");
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

    /// For what differs: AES and its key, hashed nonces and short tags, derived keys and
    /// commitments.
    fn everywhere(&self) {
        self.is_the_whole::<Gcm<Aes128, U16, U12>>();
        self.is_the_whole::<Aes256Gcm>();
        self.is_the_whole::<KcXaes256GcmNonce<U20>>();
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
    for at in (0..=66).chain([127, 128, 129, 511, 512, 513, 527, 528, 529]) {
        Cut { ad: bytes(3, 5), message: bytes(4, 530), cuts: vec![at] }.everywhere();
    }
}

/// Counters wrap within 32 bits however the message is cut.
#[test]
fn counters_wrap_between_pieces() {
    type Hashed = Gcm<Aes256, U16>;
    let file = include_str!("../../../../vectors/aes-256-gcm.json");
    let file: serde_json::Value = serde_json::from_str(file).expect("JSON");
    let groups = file["testGroups"].as_array().expect("groups");
    let wrapping: Vec<_> = groups
        .iter()
        .filter(|group| group["ivSize"] == 128)
        .flat_map(|group| group["tests"].as_array().expect("tests"))
        .filter(|test| test["flags"].as_array().is_some_and(|f| f.contains(&"CounterWrap".into())))
        .collect();
    assert!(wrapping.len() >= 14, "only {} messages wrap", wrapping.len());
    for test in wrapping {
        let bytes = |name| crate::field(test, name);
        let (key, nonce, ad) = (bytes("key"), bytes("iv"), bytes("aad"));
        let key: &Key<Hashed> = key[..].try_into().expect("a key");
        let nonce: &Nonce<Hashed> = nonce[..].try_into().expect("a nonce");
        for backend in Backend::available() {
            for piece_bytes in [1, 7, 16, 31, 33, 64, 240, 600] {
                let cipher = Hashed::with_backend(key, backend);
                let mut encryptor = cipher.encryptor(nonce, &ad).expect("an encryptor");
                let mut message = bytes("msg");
                for piece in message.chunks_mut(piece_bytes) {
                    encryptor.update(piece.into()).expect("an update");
                }
                let name = format!("{} on {}", test["comment"], backend.name());
                assert_eq!(message, bytes("ct"), "{name}");
                assert_eq!(encryptor.finalize()[..], bytes("tag"), "{name}");
            }
        }
    }
}

/// The message that a decryptor has begun with is not spoilt by a piece that did not fit.
#[test]
fn a_destination_too_short_takes_nothing() {
    type Cipher = KcXaes256Gcm;
    let cipher = Cipher::on(&key::<Cipher>(1), soft());
    let nonce = nonce::<Cipher>(2);
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
