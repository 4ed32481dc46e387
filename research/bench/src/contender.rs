//! The contenders: each an implementation of one algorithm, bound to one operation.

mod batch;
mod compression;

pub use compression::Compress;

use core::fmt;
use core::hint::black_box;

use clap::ValueEnum;
use serde::Serialize;

use crate::ring::{Key, Nonce, Ring, Tag};

/// The operation on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Encrypt and authenticate, in place.
    Seal,
    /// Verify and decrypt, out of place.
    Open,
    /// Authenticate only.
    Mac,
    /// Take another key, and do nothing with it.
    Init,
    /// Take the message's own key, then seal.
    InitSeal,
    /// Take the message's own key, then open.
    InitOpen,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Seal => "seal",
            Self::Open => "open",
            Self::Mac => "mac",
            Self::Init => "init",
            Self::InitSeal => "init-seal",
            Self::InitOpen => "init-open",
        })
    }
}

/// An AEAD with a key.
pub trait Aead {
    /// Goes over to another key, as long as the algorithm wants it.
    fn rekey(&mut self, key: &Key);

    /// Seals `message` in place and writes the tag.
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag);

    /// Opens `sealed` into `message`; false if it is not authentic.
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool;

    /// Seals with a key of the message's own.
    #[inline]
    fn seal_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        message: &mut [u8],
        tag: &mut Tag,
    ) {
        self.rekey(key);
        self.seal(nonce, ad, message, tag);
    }

    /// Opens with a key of the message's own.
    #[inline]
    fn open_once(
        &mut self,
        key: &Key,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        self.rekey(key);
        self.open(nonce, ad, sealed, tag, message)
    }
}

/// A MAC under a fixed key.
pub trait Mac {
    /// Writes the tag of `data`.
    fn mac(&mut self, nonce: &Nonce, data: &[u8], tag: &mut Tag);
}

/// A name, and the work that is timed.
pub struct Contender {
    /// The name in tables.
    pub name: String,
    work: Box<dyn Work>,
}

/// One indirect call for a whole slice; inside, everything is monomorphic.
trait Work {
    fn prepare(&mut self, _ring: &mut Ring) {}
    fn run(&mut self, ring: &mut Ring, messages: u32);
}

impl Contender {
    /// `aead` at work; `None` for [`Operation::Mac`].
    pub fn aead(
        name: impl Into<String>,
        operation: Operation,
        aead: impl Aead + 'static,
    ) -> Option<Self> {
        let work: Box<dyn Work> = match operation {
            Operation::Seal => Box::new(Sealing(aead)),
            Operation::Open => Box::new(Opening(aead)),
            Operation::Mac => return None,
            Operation::Init => Box::new(Rekeying(aead)),
            Operation::InitSeal => Box::new(SealingOnce(aead)),
            Operation::InitOpen => Box::new(OpeningOnce(aead)),
        };
        Some(Self { name: name.into(), work })
    }

    /// `mac` authenticating.
    pub fn mac(name: impl Into<String>, mac: impl Mac + 'static) -> Self {
        Self { name: name.into(), work: Box::new(Tagging(mac)) }
    }

    /// The same under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Prepares a slice; this is not timed.
    pub fn prepare(&mut self, ring: &mut Ring) {
        self.work.prepare(ring);
    }

    /// The timed work on `messages` messages.
    pub fn run(&mut self, ring: &mut Ring, messages: u32) {
        self.work.run(ring, messages);
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Contender({})", self.name)
    }
}

struct Sealing<A>(A);

impl<A: Aead> Work for Sealing<A> {
    fn run(&mut self, ring: &mut Ring, messages: u32) {
        ring.seal(messages, |_, nonce, ad, message, tag| {
            self.0.seal(black_box(nonce), black_box(ad), black_box(message), tag);
            black_box(tag);
        });
    }
}

struct Opening<A>(A);

impl<A: Aead> Work for Opening<A> {
    fn prepare(&mut self, ring: &mut Ring) {
        ring.fill(|_, nonce, ad, message, tag| self.0.seal(nonce, ad, message, tag));
    }

    fn run(&mut self, ring: &mut Ring, messages: u32) {
        let mut authentic = true;
        ring.open(messages, |_, nonce, ad, sealed, tag, message| {
            let (nonce, ad, tag) = (black_box(nonce), black_box(ad), black_box(tag));
            authentic &= self.0.open(nonce, ad, black_box(sealed), tag, message);
            black_box(message);
        });
        assert!(authentic, "{REFUSED}");
    }
}

struct Rekeying<A>(A);

impl<A: Aead> Work for Rekeying<A> {
    fn run(&mut self, ring: &mut Ring, messages: u32) {
        ring.seal(messages, |key, _, _, _, _| {
            self.0.rekey(black_box(key));
            black_box(&mut self.0);
        });
    }
}

struct SealingOnce<A>(A);

impl<A: Aead> Work for SealingOnce<A> {
    fn run(&mut self, ring: &mut Ring, messages: u32) {
        ring.seal(messages, |key, nonce, ad, message, tag| {
            let (key, nonce, ad) = (black_box(key), black_box(nonce), black_box(ad));
            self.0.seal_once(key, nonce, ad, black_box(message), tag);
            black_box(tag);
        });
    }
}

struct OpeningOnce<A>(A);

impl<A: Aead> Work for OpeningOnce<A> {
    fn prepare(&mut self, ring: &mut Ring) {
        ring.fill(|key, nonce, ad, message, tag| self.0.seal_once(key, nonce, ad, message, tag));
    }

    fn run(&mut self, ring: &mut Ring, messages: u32) {
        let mut authentic = true;
        ring.open(messages, |key, nonce, ad, sealed, tag, message| {
            let (key, nonce, tag) = (black_box(key), black_box(nonce), black_box(tag));
            let (ad, sealed) = (black_box(ad), black_box(sealed));
            authentic &= self.0.open_once(key, nonce, ad, sealed, tag, message);
            black_box(message);
        });
        assert!(authentic, "{REFUSED}");
    }
}

const REFUSED: &str = "a message that was just sealed does not open";

struct Tagging<M>(M);

impl<M: Mac> Work for Tagging<M> {
    fn run(&mut self, ring: &mut Ring, messages: u32) {
        ring.seal(messages, |_, nonce, _, data, tag| {
            self.0.mac(black_box(nonce), black_box(data), tag);
            black_box(tag);
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ring::Lengths;

    /// Seals by adding the nonce's counter; its tag is the message's first byte, the key's, and the
    /// length of the associated data.
    pub(crate) struct ToyAead {
        honest: bool,
        key: u8,
        ad_bytes: usize,
    }

    impl ToyAead {
        pub(crate) const HONEST: Self = Self { honest: true, key: 0, ad_bytes: 0 };
        const BROKEN: Self = Self { honest: false, key: 0, ad_bytes: 0 };
    }

    impl Aead for ToyAead {
        fn rekey(&mut self, key: &Key) {
            self.key = key[0];
        }

        fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
            message.iter_mut().for_each(|byte| *byte = byte.wrapping_add(nonce[0]));
            self.ad_bytes = ad.len();
            tag[..3].copy_from_slice(&[message[0], self.key, ad.len() as u8]);
        }

        fn open(
            &mut self,
            nonce: &Nonce,
            ad: &[u8],
            sealed: &[u8],
            tag: &Tag,
            message: &mut [u8],
        ) -> bool {
            for (byte, sealed) in message.iter_mut().zip(sealed) {
                *byte = sealed.wrapping_sub(nonce[0]);
            }
            self.honest && [sealed[0], self.key, ad.len() as u8] == tag[..3]
        }
    }

    #[test]
    fn an_aead_is_no_mac() {
        assert!(Contender::aead("toy", Operation::Mac, ToyAead::HONEST).is_none());
    }

    #[test]
    fn opening_opens_what_it_sealed() {
        for operation in [Operation::Open, Operation::InitOpen] {
            let mut ring = Ring::new(Lengths { message: 100, ad: 20 });
            let mut toy = Contender::aead("toy", operation, ToyAead::HONEST).unwrap();
            toy.prepare(&mut ring);
            toy.run(&mut ring, 1000);
        }
    }

    /// One that kept its old key would be faster, and open all the same.
    #[test]
    fn every_message_has_its_own_key() {
        let mut ring = Ring::new(Lengths::message(100));
        ring.seal(1000, |_, _, _, _, _| {});
        let mut toy = SealingOnce(ToyAead::HONEST);
        toy.run(&mut ring, 1);
        let first = toy.0.key;
        toy.run(&mut ring, 2);
        assert_ne!(toy.0.key, first);
    }

    #[test]
    fn associated_data_reaches_every_message() {
        let mut ring = Ring::new(Lengths { message: 100, ad: 20 });
        let (mut under_one_key, mut once) =
            (Sealing(ToyAead::HONEST), SealingOnce(ToyAead::HONEST));
        under_one_key.run(&mut ring, 1);
        once.run(&mut ring, 1);
        assert_eq!((under_one_key.0.ad_bytes, once.0.ad_bytes), (20, 20));
    }

    #[test]
    #[should_panic(expected = "does not open")]
    fn a_broken_contender_is_not_measured() {
        let mut ring = Ring::new(Lengths::message(100));
        let mut toy = Contender::aead("toy", Operation::Open, ToyAead::BROKEN).unwrap();
        toy.prepare(&mut ring);
        toy.run(&mut ring, 1);
    }
}
