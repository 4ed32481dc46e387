//! Polyseal's own ciphers as contenders.
//!
//! AEGIS with its usual tag, AES-GCM, XAES, KC-XAES and most of Flex are measured through their
//! types, as a program that knows its algorithm would use them; whatever else the registry lists
//! through [`AnyAead`] or [`AnyMac`].

use aead::inout::InOutBuf;
use aead::{AeadInOut, Key, KeySizeUser};
use polyseal::aegis::{Aegis, AegisMac, V1, Variant, X128, X256};
use polyseal::any::{AnyAead, AnyMac};
use polyseal::flex::{FlexCivPublic, FlexOchPublic, FlexOchTransport, FlexRobust, FlexRobustAe};
use polyseal::gcm::{Aes, Aes128, Aes256, Aes256GcmSiv, Gcm, KcXaes256Gcm, Xaes256Gcm};
use polyseal::och::OchAreionP;
use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on, mac_on};

use crate::contender::{self, Contender, Operation};
use crate::ring::{self, Nonce, Tag, first, first_mut};

const KEY: ring::Key = [7; 64];

/// `algorithm` on `backend`, or `None` where it does not do `operation`, or not apart from its tag.
#[must_use]
pub fn contender(
    algorithm: &Algorithm,
    operation: Operation,
    backend: Backend,
) -> Option<Contender> {
    let is_mac = algorithm.family().identity.kind == Kind::Mac;
    if is_mac != (operation == Operation::Mac) {
        return None;
    }
    match (algorithm.family().identity.id, algorithm.nonce_bytes(), algorithm.tag_bytes()) {
        ("aes-128-gcm", 12, 16) => return gcm::<Aes128>(operation, backend),
        ("aes-256-gcm", 12, 16) => return gcm::<Aes256>(operation, backend),
        ("aes-256-gcm-siv", ..) => {
            return typed(operation, backend, move |key| {
                Aes256GcmSiv::with_backend(first(key), backend)
            });
        }
        ("xaes-256-gcm", ..) => {
            return typed(operation, backend, move |key| {
                Xaes256Gcm::with_backend(first(key), backend)
            });
        }
        ("kc-xaes-256-gcm", 24, _) => {
            return typed(operation, backend, move |key| {
                KcXaes256Gcm::with_backend(first(key), backend)
            });
        }
        _ => {}
    }
    match (algorithm.family().identity.id, algorithm.key_bytes(), algorithm.nonce_bytes()) {
        ("flex-och-public", 32, _) => return flex(operation, backend, FlexOchPublic::with_backend),
        ("flex-och-transport", 32, _) => {
            return flex(operation, backend, FlexOchTransport::with_backend);
        }
        ("flex-civ-public", 32, 24) => {
            return flex(operation, backend, FlexCivPublic::with_backend);
        }
        ("flex-robust", 32, 24) => return flex(operation, backend, FlexRobust::with_backend),
        ("och-areion-p", ..) => return flex(operation, backend, OchAreionP::with_backend),
        ("flex-robust-ae", 32, 24) => return flex(operation, backend, FlexRobustAe::with_backend),
        _ => {}
    }
    if algorithm.tag_bytes() != 16 {
        return by_name(algorithm, operation, backend);
    }
    let make = match (algorithm.family().identity.id, algorithm.param("degree")) {
        ("aegis-128l", _) => aead::<X128<1>>,
        ("aegis-128x2", _) => aead::<X128<2>>,
        ("aegis-128x4", _) => aead::<X128<4>>,
        ("aegis-256", _) => aead::<X256<1>>,
        ("aegis-256x2", _) => aead::<X256<2>>,
        ("aegis-256x4", _) => aead::<X256<4>>,
        ("aegis-128x-v1", Some(8)) => aead::<X128<8, V1>>,
        ("aegis-256x-v1", Some(8)) => aead::<X256<8, V1>>,
        ("aegis-128l-mac", _) => mac::<X128<1>>,
        ("aegis-128x2-mac", _) => mac::<X128<2>>,
        ("aegis-128x4-mac", _) => mac::<X128<4>>,
        ("aegis-256-mac", _) => mac::<X256<1>>,
        ("aegis-256x2-mac", _) => mac::<X256<2>>,
        ("aegis-256x4-mac", _) => mac::<X256<4>>,
        _ => return by_name(algorithm, operation, backend),
    };
    make(operation, backend)
}

fn aead<V: Variant>(operation: Operation, backend: Backend) -> Option<Contender> {
    typed(operation, backend, move |key| Aegis::<V>::with_backend(first(key), backend))
}

/// A cipher that `make` makes of a key.
fn typed<C: AeadInOut + 'static>(
    operation: Operation,
    backend: Backend,
    make: impl Fn(&ring::Key) -> C + 'static,
) -> Option<Contender> {
    Contender::aead(backend.name(), operation, TypedAead { cipher: make(&KEY), make })
}

fn flex<C: AeadInOut + KeySizeUser + 'static>(
    operation: Operation,
    backend: Backend,
    make: impl Fn(&Key<C>, Backend) -> C + 'static,
) -> Option<Contender> {
    typed(operation, backend, move |key| make(first(key), backend))
}

fn gcm<A: Aes>(operation: Operation, backend: Backend) -> Option<Contender> {
    let make = move |key: &ring::Key| Gcm::<A>::with_backend(first(key), backend);
    let uses_best = backend == Backend::detect();
    let once = matches!(operation, Operation::InitSeal | Operation::InitOpen);
    if once && uses_best {
        return Contender::aead(
            backend.name(),
            operation,
            OneUseKey(TypedAead { cipher: make(&KEY), make }),
        );
    }
    typed(operation, backend, make)
}

/// A MAC has one operation.
fn mac<V: Variant>(_: Operation, backend: Backend) -> Option<Contender> {
    let mac = AegisMac::<V>::with_backend(first(&KEY), backend);
    Some(Contender::mac(backend.name(), TypedMac(mac)))
}

/// Inlined into the loop that is timed, as every contender is: the compiler must not choose one way
/// for one library and another way for another.
struct TypedAead<C, M> {
    cipher: C,
    make: M,
}

impl<C: AeadInOut, M: Fn(&ring::Key) -> C> contender::Aead for TypedAead<C, M> {
    #[inline(always)]
    fn rekey(&mut self, key: &ring::Key) {
        self.cipher = (self.make)(key);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let sealed = self.cipher.encrypt_inout_detached(first(nonce), ad, message.into());
        *first_mut(tag) = sealed.expect("the message is not too long");
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let buffer = InOutBuf::new(sealed, message).expect("both have one length");
        self.cipher.decrypt_inout_detached(first(nonce), ad, buffer, first(tag)).is_ok()
    }
}

/// AEGIS sealing by another strategy than the measured one.
#[cfg(feature = "peers")]
#[must_use]
pub fn sealing_by<V: Variant, const STRATEGY: usize>(backend: Backend) -> Option<Contender> {
    let cipher = Aegis::<V>::with_backend(first(&KEY), backend);
    Contender::aead(backend.name(), Operation::Seal, ByStrategy::<V, STRATEGY> { cipher, backend })
}

#[cfg(feature = "peers")]
struct ByStrategy<V: Variant, const STRATEGY: usize> {
    cipher: Aegis<V>,
    backend: Backend,
}

#[cfg(feature = "peers")]
impl<V: Variant, const STRATEGY: usize> contender::Aead for ByStrategy<V, STRATEGY> {
    fn rekey(&mut self, key: &ring::Key) {
        self.cipher = Aegis::with_backend(first(key), self.backend);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        *first_mut(tag) = self.cipher.seal_by::<STRATEGY>(first(nonce), ad, message.into());
    }

    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let buffer = InOutBuf::new(sealed, message).expect("both have one length");
        self.cipher.decrypt_by::<STRATEGY>(first(nonce), ad, buffer) == *first(tag)
    }
}

/// AES-GCM with the functions for keys that are used once.
struct OneUseKey<C>(C);

impl<A: Aes, M: Fn(&ring::Key) -> Gcm<A>> contender::Aead for OneUseKey<TypedAead<Gcm<A>, M>> {
    fn rekey(&mut self, key: &ring::Key) {
        self.0.rekey(key);
    }

    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.0.seal(nonce, ad, message, tag);
    }

    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.0.open(nonce, ad, sealed, tag, message)
    }

    #[inline(always)]
    fn seal_once(
        &mut self,
        key: &ring::Key,
        nonce: &Nonce,
        ad: &[u8],
        message: &mut [u8],
        tag: &mut Tag,
    ) {
        let sealed = Gcm::<A>::encrypt_once(first(key), first(nonce), ad, message.into());
        *first_mut(tag) = sealed.expect("the message is not too long");
    }

    #[inline(always)]
    fn open_once(
        &mut self,
        key: &ring::Key,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let buffer = InOutBuf::new(sealed, message).expect("both have one length");
        Gcm::<A>::decrypt_once(first(key), first(nonce), ad, buffer, first(tag)).is_ok()
    }
}

struct TypedMac<V: Variant>(AegisMac<V>);

impl<V: Variant> contender::Mac for TypedMac<V> {
    #[inline(always)]
    fn mac(&mut self, nonce: &Nonce, data: &[u8], tag: &mut Tag) {
        *first_mut(tag) = self.0.mac(first(nonce), data).expect("the data is not too long");
    }
}

fn by_name(algorithm: &Algorithm, operation: Operation, backend: Backend) -> Option<Contender> {
    let key = KEY.get(..algorithm.key_bytes())?;
    let fits =
        algorithm.nonce_bytes() <= size_of::<Nonce>() && algorithm.tag_bytes() <= size_of::<Tag>();
    if !fits || algorithm.is_whole() {
        return None;
    }
    match algorithm.family().identity.kind {
        Kind::Aead => {
            let cipher = aead_on(algorithm, key, backend).ok()?;
            Contender::aead(backend.name(), operation, NamedAead { cipher, backend })
        }
        _ => Some(Contender::mac(backend.name(), mac_on(algorithm, key, backend).ok()?)),
    }
}

struct NamedAead {
    cipher: AnyAead,
    backend: Backend,
}

impl contender::Aead for NamedAead {
    fn rekey(&mut self, key: &ring::Key) {
        let algorithm = self.cipher.algorithm();
        let cipher = aead_on(algorithm, &key[..algorithm.key_bytes()], self.backend);
        self.cipher = cipher.expect("the length is the algorithm's");
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let (nonce_bytes, tag_bytes) =
            (self.cipher.algorithm().nonce_bytes(), self.cipher.algorithm().tag_bytes());
        let tag = &mut tag[..tag_bytes];
        self.cipher
            .seal_inout_detached(&nonce[..nonce_bytes], ad, message.into(), tag)
            .expect("the lengths are the algorithm's");
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let (nonce_bytes, tag_bytes) =
            (self.cipher.algorithm().nonce_bytes(), self.cipher.algorithm().tag_bytes());
        let buffer = InOutBuf::new(sealed, message).expect("both have one length");
        self.cipher
            .open_inout_detached(&nonce[..nonce_bytes], ad, buffer, &tag[..tag_bytes])
            .is_ok()
    }
}

/// Returns its tag in a vector, so that here an allocation is measured too.
impl contender::Mac for AnyMac {
    fn mac(&mut self, nonce: &Nonce, data: &[u8], tag: &mut Tag) {
        let nonce = &nonce[..self.algorithm().nonce_bytes()];
        let computed = Self::mac(self, nonce, data).expect("the lengths are the algorithm's");
        tag[..computed.len()].copy_from_slice(&computed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::{Lengths, Ring};

    /// Whatever the registry lists can be measured, for the operations that it has and no others;
    /// opening checks itself.
    #[test]
    fn every_algorithm_is_a_contender_on_every_back_end() {
        for family in polyseal::registry::families() {
            for backend in Backend::available() {
                for operation in [
                    Operation::Seal,
                    Operation::Open,
                    Operation::Mac,
                    Operation::Init,
                    Operation::InitSeal,
                    Operation::InitOpen,
                ] {
                    let algorithm = Algorithm::new(family);
                    let is_mac = operation == Operation::Mac;
                    let made = contender(&algorithm, operation, backend);
                    let can =
                        is_mac == (family.identity.kind == Kind::Mac) && !algorithm.is_whole();
                    assert_eq!(made.is_some(), can, "{algorithm}");
                    let Some(mut contender) = made else { continue };
                    let mut ring = Ring::new(Lengths { message: 100, ad: 16 });
                    contender.prepare(&mut ring);
                    contender.run(&mut ring, 3);
                }
            }
        }
    }

    /// The typed and the named way are the same algorithm.
    #[test]
    fn a_type_computes_what_its_name_says() {
        fn compare(name: &str, mut typed: impl contender::Aead) {
            use contender::Aead;
            let backend = Backend::detect();
            let algorithm: Algorithm = name.parse().unwrap();
            let key = &KEY[..algorithm.key_bytes()];
            let mut named =
                NamedAead { cipher: aead_on(&algorithm, key, backend).unwrap(), backend };
            let (nonce, mut message, mut tag) = ([9; 32], [1; 50], [0; 64]);
            named.seal(&nonce, b"", &mut message, &mut tag);

            let mut opened = [0; 50];
            assert!(typed.open(&nonce, b"", &message, &tag, &mut opened), "{name}");
            assert_eq!(opened, [1; 50]);
            assert!(typed.open_once(&KEY, &nonce, b"", &message, &tag, &mut opened), "{name}");
            let mut again = [0; 64];
            typed.seal_once(&KEY, &nonce, b"", &mut opened, &mut again);
            assert_eq!((opened, again), (message, tag), "{name}");
            tag[0] ^= 1;
            assert!(!typed.open(&nonce, b"", &message, &tag, &mut opened));
        }
        fn typed<C: AeadInOut + aead::KeyInit>() -> TypedAead<C, impl Fn(&ring::Key) -> C> {
            let make = |key: &ring::Key| C::new(first(key));
            TypedAead { cipher: make(&KEY), make }
        }
        compare("aegis-256x2", typed::<Aegis<X256<2>>>());
        compare("aes-128-gcm", OneUseKey(typed::<Gcm<Aes128>>()));
        compare("aes-256-gcm", OneUseKey(typed::<Gcm<Aes256>>()));
        compare("xaes-256-gcm", typed::<Xaes256Gcm>());
        compare("kc-xaes-256-gcm", typed::<KcXaes256Gcm>());
        compare("flex-och-public", typed::<FlexOchPublic>());
        compare("flex-och-transport", typed::<FlexOchTransport>());
        compare("flex-civ-public", typed::<FlexCivPublic>());
        compare("flex-robust", typed::<FlexRobust>());
        compare("och-areion-p", typed::<OchAreionP>());
        compare("flex-robust-ae", typed::<FlexRobustAe>());
    }
}
