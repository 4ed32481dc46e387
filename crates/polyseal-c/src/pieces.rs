//! Messages in pieces, behind a pointer: what the core has as types only, found by name.

use std::mem::MaybeUninit;

use polyseal::aead::array::ArraySize;
use polyseal::aead::common::KeySizeUser;
use polyseal::aead::inout::InOutBuf;
use polyseal::aead::{AeadCore, Key, KeyInit, Nonce};
use polyseal::aegis::{self, MacState, TagBytes, Variant};
use polyseal::gcm::{self, Aes};
use polyseal::registry::Algorithm;
use polyseal::{aegis as a, gcm as g};
use zeroize::Zeroize;

use crate::error::{Code, Failure, Result};
use crate::prepared::expect_bytes;

/// A message that is sealed in pieces.
pub(crate) trait PieceSealer: Send {
    fn update(&mut self, buffer: InOutBuf<'_, '_, u8>) -> polyseal::Result<()>;
    fn finish(self: Box<Self>, tag: &mut [u8]) -> Result;
}

/// A message that is opened in pieces, into a buffer of its own.
pub(crate) trait PieceOpener: Send {
    fn update(&mut self, ciphertext: &[u8]) -> polyseal::Result<()>;
    fn finish(self: Box<Self>, tag: &[u8]) -> Result<&'static mut [u8]>;
}

/// A MAC of a message that comes in pieces.
pub(crate) trait PieceHasher: Send {
    fn update(&mut self, data: &[u8]) -> polyseal::Result<()>;
    fn finish(self: Box<Self>, tag: &mut [u8]) -> Result;
    fn verify(self: Box<Self>, tag: &[u8]) -> Result;
}

/// The state out of its box. A move leaves a copy of the key in the memory that is given back: that
/// is wiped.
fn unboxed<T>(state: Box<T>) -> T {
    moved_out(state).0
}

fn moved_out<T>(state: Box<T>) -> (T, Box<MaybeUninit<T>>) {
    let memory = Box::into_raw(state);
    // SAFETY: it is that of a box, whose value is moved out once: from here on it is taken for
    // memory without one.
    let (state, mut memory) =
        unsafe { (memory.read(), Box::from_raw(memory.cast::<MaybeUninit<T>>())) };
    memory.zeroize();
    (state, memory)
}

macro_rules! pieces {
    ($([$($generics:tt)*] $module:ident, $first:ident, $tag:ident;)*) => {$(
        impl<$($generics)*> PieceSealer for $module::Encryptor<$first, $tag>
        where
            Self: Send,
        {
            fn update(&mut self, buffer: InOutBuf<'_, '_, u8>) -> polyseal::Result<()> {
                Self::update(self, buffer)
            }

            fn finish(self: Box<Self>, tag: &mut [u8]) -> Result {
                expect_bytes("the tag", $tag::USIZE, tag.len())?;
                tag.copy_from_slice(&unboxed(self).finalize());
                Ok(())
            }
        }

        impl<$($generics)*> PieceOpener for $module::Decryptor<'static, $first, $tag>
        where
            Self: Send,
        {
            fn update(&mut self, ciphertext: &[u8]) -> polyseal::Result<()> {
                Self::update(self, ciphertext)
            }

            fn finish(self: Box<Self>, tag: &[u8]) -> Result<&'static mut [u8]> {
                expect_bytes("the tag", $tag::USIZE, tag.len())?;
                let tag = tag.try_into().map_err(|_| Failure::from_code(Code::Defect))?;
                Ok(unboxed(self).finalize(tag)?)
            }
        }
    )*};
}

pieces! {
    [V: Variant, T: TagBytes] aegis, V, T;
    [A: Aes, T: ArraySize] gcm, A, T;
}

impl<V: Variant, T: TagBytes> PieceHasher for MacState<V, T>
where
    Self: Send,
{
    fn update(&mut self, data: &[u8]) -> polyseal::Result<()> {
        Self::update(self, data)
    }

    fn finish(self: Box<Self>, tag: &mut [u8]) -> Result {
        expect_bytes("the tag", T::USIZE, tag.len())?;
        tag.copy_from_slice(&unboxed(self).finalize());
        Ok(())
    }

    fn verify(self: Box<Self>, tag: &[u8]) -> Result {
        expect_bytes("the tag", T::USIZE, tag.len())?;
        let tag = tag.try_into().map_err(|_| Failure::from_code(Code::Defect))?;
        Ok(unboxed(self).verify(tag)?)
    }
}

/// The inputs that begin a message.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) nonce: &'a [u8],
    pub(crate) ad: &'a [u8],
}

type Seal = fn(Start<'_>) -> Result<Box<dyn PieceSealer>>;
type Open = fn(Start<'_>, &'static mut [u8]) -> Result<Box<dyn PieceOpener>>;
type Hash = fn(Start<'_>) -> Result<Box<dyn PieceHasher>>;

fn cipher_and_nonce<A: KeyInit + AeadCore>(start: Start<'_>) -> Result<(A, Nonce<A>)> {
    expect_bytes("the key", A::key_size(), start.key.len())?;
    expect_bytes("the nonce", Nonce::<A>::default().len(), start.nonce.len())?;
    match (<&Key<A>>::try_from(start.key), <&Nonce<A>>::try_from(start.nonce)) {
        (Ok(key), Ok(nonce)) => Ok((A::new(key), nonce.clone())),
        _ => Err(Failure::from_code(Code::Defect)),
    }
}

macro_rules! aeads {
    ($($name:literal $cipher:ty;)*) => {
        const AEADS: &[(&str, Seal, Open)] = &[$((
            $name,
            |start| {
                let (cipher, nonce) = cipher_and_nonce::<$cipher>(start)?;
                Ok(Box::new(cipher.encryptor(&nonce, start.ad)?))
            },
            |start, destination| {
                let (cipher, nonce) = cipher_and_nonce::<$cipher>(start)?;
                Ok(Box::new(cipher.decryptor(&nonce, start.ad, destination)?))
            },
        ),)*];
    };
}

aeads! {
    "aegis-128l" a::Aegis128L;
    "aegis-128l:tag=32" a::Aegis128LTag32;
    "aegis-128x2" a::Aegis128X2;
    "aegis-128x2:tag=32" a::Aegis128X2Tag32;
    "aegis-128x4" a::Aegis128X4;
    "aegis-128x4:tag=32" a::Aegis128X4Tag32;
    "aegis-256" a::Aegis256;
    "aegis-256:tag=32" a::Aegis256Tag32;
    "aegis-256x2" a::Aegis256X2;
    "aegis-256x2:tag=32" a::Aegis256X2Tag32;
    "aegis-256x4" a::Aegis256X4;
    "aegis-256x4:tag=32" a::Aegis256X4Tag32;
    "aes-128-gcm" g::Aes128Gcm;
    "aes-256-gcm" g::Aes256Gcm;
    "xaes-256-gcm" g::Xaes256Gcm;
    "kc-xaes-256-gcm" g::KcXaes256Gcm;
    "dndk-gcm" g::DndkGcm;
    "dndk-gcm:kc=1" g::DndkKcGcm;
    "h-aes-256-gcm" g::HAes256Gcm;
    "h-kc-aes-256-gcm" g::HKcAes256Gcm;
    "hkdf-committed-aes-256-gcm" g::HkdfCommittedAes256Gcm;
}

macro_rules! macs {
    ($($name:literal $mac:ty;)*) => {
        const MACS: &[(&str, Hash)] = &[$((
            $name,
            |start| {
                expect_bytes("the key", <$mac>::key_size(), start.key.len())?;
                expect_bytes("the nonce", <$mac>::key_size(), start.nonce.len())?;
                match (<&Key<$mac>>::try_from(start.key), start.nonce.try_into()) {
                    (Ok(key), Ok(nonce)) => Ok(Box::new(<$mac>::new(key).start(nonce))),
                    _ => Err(Failure::from_code(Code::Defect)),
                }
            },
        ),)*];
    };
}

macs! {
    "aegis-128l-mac" a::AegisMac128L;
    "aegis-128l-mac:tag=32" a::AegisMac128LTag32;
    "aegis-128x2-mac" a::AegisMac128X2;
    "aegis-128x2-mac:tag=32" a::AegisMac128X2Tag32;
    "aegis-128x4-mac" a::AegisMac128X4;
    "aegis-128x4-mac:tag=32" a::AegisMac128X4Tag32;
    "aegis-256-mac" a::AegisMac256;
    "aegis-256-mac:tag=32" a::AegisMac256Tag32;
    "aegis-256x2-mac" a::AegisMac256X2;
    "aegis-256x2-mac:tag=32" a::AegisMac256X2Tag32;
    "aegis-256x4-mac" a::AegisMac256X4;
    "aegis-256x4-mac:tag=32" a::AegisMac256X4Tag32;
}

/// Whether there is an algorithm of that name here.
pub(crate) fn has(algorithm: &Algorithm) -> bool {
    let name = algorithm.to_string();
    AEADS.iter().any(|(n, ..)| *n == name) || MACS.iter().any(|(n, _)| *n == name)
}

fn not_in_pieces(name: &str) -> Failure {
    Failure::new(Code::Unsupported, format!("{name} takes its messages in one piece"))
}

/// Begins to seal.
pub(crate) fn seal(name: &str, start: Start<'_>) -> Result<Box<dyn PieceSealer>> {
    let name = name.parse::<Algorithm>()?.to_string();
    let row = AEADS.iter().find(|(n, ..)| *n == name).ok_or_else(|| not_in_pieces(&name))?;
    (row.1)(start)
}

/// Begins to open.
pub(crate) fn open(
    name: &str,
    start: Start<'_>,
    destination: &'static mut [u8],
) -> Result<Box<dyn PieceOpener>> {
    let name = name.parse::<Algorithm>()?.to_string();
    let row = AEADS.iter().find(|(n, ..)| *n == name).ok_or_else(|| not_in_pieces(&name))?;
    (row.2)(start, destination)
}

/// Begins a MAC.
pub(crate) fn hash(name: &str, start: Start<'_>) -> Result<Box<dyn PieceHasher>> {
    let name = name.parse::<Algorithm>()?.to_string();
    let row = MACS.iter().find(|(n, _)| *n == name).ok_or_else(|| not_in_pieces(&name))?;
    (row.1)(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_the_algorithms_own_and_the_type_is_that_algorithms() {
        for (name, seal, _) in AEADS {
            let algorithm: Algorithm = name.parse().unwrap();
            assert_eq!(algorithm.to_string(), *name);
            let (key, nonce) = (vec![1; algorithm.key_bytes()], vec![2; algorithm.nonce_bytes()]);
            let aead = polyseal::any::AnyAead::new(&algorithm, &key).unwrap();
            let sealed = aead.seal(&nonce, b"header", b"").unwrap();
            let mut tag = vec![0; algorithm.tag_bytes()];
            let start = Start { key: &key, nonce: &nonce, ad: b"header" };
            seal(start).unwrap().finish(&mut tag).unwrap();
            assert_eq!(tag, sealed, "{name}");
        }
        for (name, hash) in MACS {
            let algorithm: Algorithm = name.parse().unwrap();
            assert_eq!(algorithm.to_string(), *name);
            let key = vec![1; algorithm.key_bytes()];
            let mac = polyseal::any::AnyMac::new(&algorithm, &key).unwrap();
            let mut tag = vec![0; algorithm.tag_bytes()];
            let start = Start { key: &key, nonce: &key, ad: b"" };
            hash(start).unwrap().finish(&mut tag).unwrap();
            assert_eq!(Ok(tag), mac.mac(&key, b""), "{name}");
        }
    }

    #[test]
    fn nothing_is_left_where_a_state_was() {
        let (state, memory) = moved_out(Box::new([0xa5_u8; 512]));
        assert_eq!(state, [0xa5; 512]);
        // SAFETY: all of it has been written: a wiped array is one of zeros.
        assert_eq!(*unsafe { memory.assume_init() }, [0; 512]);
    }
}
