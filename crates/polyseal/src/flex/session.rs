//! Messages under a key: from nonce and associated data to the context, from the parts of a message
//! to the parts of a ciphertext.
//!
//! A ciphertext is `head ‖ body ‖ tail`: the hidden nonce, if it is; as many bytes as the message
//! has; and the stretch with the tag. Head and tail have the configuration's lengths. A stream is
//! many of those, each without a head.
//!
//! ROBUST and ROBUST-AE encipher head, body and stretch as one string, in place: where there is
//! more than the body, the parts are joined first. Lengths have been checked.

#[cfg(feature = "alloc")]
use alloc::vec;

use aead::inout::InOutBuf;
#[cfg(feature = "alloc")]
use zeroize::Zeroizing;

use super::config::{Config, Mode, NonceForm};
use super::engine::{AnyProfile, Context, is_short};
use super::hash::{Chaining, Domain};
use super::plaintext::Plaintext;
use crate::backend::wipe;
use crate::contract::of_one_length;
#[cfg(feature = "alloc")]
use crate::contract::release;
#[cfg(feature = "alloc")]
use crate::error::Result;

/// The longest tag in bytes.
#[cfg(feature = "alloc")]
const MAX_TAG_BYTES: usize = 32;

/// The longest stretch with a tag.
#[cfg(feature = "alloc")]
pub(super) const MAX_TAIL_BYTES: usize = 255 + MAX_TAG_BYTES;

/// A configuration and its key.
#[derive(Clone, Copy)]
pub(super) struct Session<'e, E: ?Sized> {
    pub(super) config: &'e Config,
    pub(super) engine: &'e E,
}

/// Associated data, and with a public nonce the nonce: what K1' is of.
#[derive(Clone, Copy)]
pub(super) enum Ad<'a> {
    Given(&'a [u8]),
    /// K1' itself, where the nonce is hidden.
    Hashed(&'a Chaining),
}

impl Ad<'_> {
    /// The same in another place in memory.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn again(self) -> Self {
        match self {
            Self::Given(ad) => Self::Given(ad),
            Self::Hashed(key) => Self::Hashed(key),
        }
    }

    /// How many bytes are to be hashed.
    #[inline]
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Given(ad) => ad.len() as u64,
            Self::Hashed(_) => 0,
        }
    }
}

impl<E: AnyProfile + ?Sized> Session<'_, E> {
    /// The same in another place in memory: for a call that is not inlined, so that this one stays
    /// in registers.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn again(&self) -> Self {
        Self { config: self.config, engine: self.engine }
    }

    /// K1' for a nonce, which is not looked at if it is hidden, and associated data.
    #[inline(always)]
    fn with_context<R>(&self, nonce: &[u8], ad: Ad<'_>, work: impl FnOnce(&Context<'_>) -> R) -> R {
        let (ad, from) = match ad {
            Ad::Given(ad) => (ad, None),
            Ad::Hashed(key) => return work(&Context::Known(Some(key))),
        };
        // CT: lengths are public.
        let one = match self.config.nonce() {
            NonceForm::Hidden(_) if ad.is_empty() => return work(&Context::Known(from)),
            NonceForm::Hidden(_) => Some((Domain::Ad, ad)),
            NonceForm::Public(_) if ad.is_empty() => Some((Domain::NonceAndAd, nonce)),
            _ => None,
        };
        if let Some((domain, input)) = one
            && is_short(&[input])
        {
            return work(&Context::HashOne { from, domain, input });
        }
        let length = (nonce.len() as u16).to_le_bytes();
        let pieces = [ad, nonce, &length];
        let (domain, pieces) = match self.config.nonce() {
            NonceForm::Hidden(_) => (Domain::Ad, &pieces[..1]),
            NonceForm::Public(_) => (Domain::NonceAndAd, &pieces[..2]),
            NonceForm::AnyPublic => (Domain::NonceAndAd, &pieces[..]),
        };
        if is_short(pieces) {
            return work(&Context::Hash { from, domain, pieces });
        }
        let mut key = self.engine.hash(from, domain, pieces);
        let result = work(&Context::Known(Some(&key)));
        wipe(&mut key);
        result
    }

    /// K1' itself; of a stream it is Ks, from which the segments' keys are made.
    pub(super) fn context_key(&self, nonce: &[u8], ad: Ad<'_>, key: &mut Chaining) {
        self.with_context(nonce, ad, |context| match *context {
            Context::Known(known) => *key = *known.unwrap_or_else(|| self.engine.key()),
            Context::HashOne { from, domain, input } => {
                *key = self.engine.hash(from, domain, &[input]);
            }
            Context::Hash { from, domain, pieces } => {
                *key = self.engine.hash(from, domain, pieces);
            }
        });
    }

    /// Seals a message in parts: writes `head`, the output of `body`, and `tail`.
    #[inline(always)]
    pub(super) fn seal(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        head: &mut [u8],
        body: InOutBuf<'_, '_, u8>,
        tail: &mut [u8],
    ) {
        let head = match head.is_empty() {
            true => head.into(),
            false => of_one_length(nonce, head),
        };
        let mut text = Plaintext { nonce: head, message: body };
        #[cfg(feature = "alloc")]
        if self.joins() {
            return self.again().seal_apart(nonce, ad.again(), &mut text, tail);
        }
        self.with_context(nonce, ad, |context| self.encrypt(context, &mut text, tail));
    }

    /// Decrypts what [`seal`](Self::seal) made, `head` to the nonce. Writes to `expected` what
    /// `tail` is if all of it is authentic, and what it is not otherwise.
    ///
    /// Zeros and tag are one string, so that neither is known by itself: what bits are set where
    /// zeros should be are turned in the stretch.
    #[inline(always)]
    pub(super) fn decrypt(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        head: InOutBuf<'_, '_, u8>,
        body: InOutBuf<'_, '_, u8>,
        tail: &[u8],
        expected: &mut [u8],
    ) {
        let mut text = Plaintext { nonce: head, message: body };
        #[cfg(feature = "alloc")]
        if self.joins() {
            return self.again().decrypt_apart(nonce, ad.again(), &mut text, tail, expected);
        }
        self.with_context(nonce, ad, |context| {
            self.decrypt_text(context, &mut text, tail, expected);
        });
    }

    /// Opens the output of [`seal`](Self::seal), `head` to the nonce. If it is not authentic, both
    /// are wiped.
    #[cfg(feature = "alloc")]
    pub(super) fn open(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        mut head: InOutBuf<'_, '_, u8>,
        mut body: InOutBuf<'_, '_, u8>,
        tail: &[u8],
    ) -> Result<()> {
        let mut expected = [0; MAX_TAIL_BYTES];
        let expected = &mut expected[..tail.len()];
        self.decrypt(nonce, ad, head.reborrow(), body.reborrow(), tail, expected);
        release(expected, tail, [head.get_out(), body.get_out()])
            .inspect_err(|_| self.engine.wipe_stack())
    }

    /// Whether what is enciphered is in one piece, and more than the message.
    #[cfg(feature = "alloc")]
    #[inline]
    fn joins(&self) -> bool {
        let more = self.config.hidden_bytes() + self.config.stretch_bytes() > 0;
        more && matches!(self.config.mode(), Mode::Robust | Mode::RobustAe)
    }

    /// [`seal`](Self::seal) of a joined nonce and message. These lines stand apart so as not to
    /// slow down the usual case.
    #[cfg(feature = "alloc")]
    #[cold]
    #[inline(never)]
    fn seal_apart(&self, nonce: &[u8], ad: Ad<'_>, text: &mut Plaintext<'_, '_>, tail: &mut [u8]) {
        let Plaintext { nonce: head, message: body } = text.reborrow();
        let (head, body) = (head.into_out(), body.into_out_with_copied_in());
        let mut whole = vec![0; head.len() + body.len() + tail.len()];
        whole[head.len()..][..body.len()].copy_from_slice(body);
        self.seal_joined(nonce, ad, &mut whole);
        let (front, rest) = whole.split_at(head.len());
        let (middle, end) = rest.split_at(body.len());
        head.copy_from_slice(front);
        body.copy_from_slice(middle);
        tail.copy_from_slice(end);
    }

    /// [`decrypt`](Self::decrypt) of a joined nonce and message.
    #[cfg(feature = "alloc")]
    #[cold]
    #[inline(never)]
    fn decrypt_apart(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        text: &mut Plaintext<'_, '_>,
        tail: &[u8],
        expected: &mut [u8],
    ) {
        let Plaintext { nonce: head, message: body } = text.reborrow();
        let mut whole = Zeroizing::new([head.get_in(), body.get_in(), tail].concat());
        let tag_at = whole.len() - self.config.tag_bytes();
        let (x, tag) = whole.split_at_mut(tag_at);
        let (stretch, expected) = expected.split_at_mut(self.config.stretch_bytes());
        let mut text = Plaintext::new(x.into());
        self.with_context(nonce, ad, |context| {
            self.decrypt_text(context, &mut text, tag, expected);
        });
        let (head, body) = (head.into_out(), body.into_out());
        let (front, rest) = x.split_at(head.len());
        let (middle, zeros) = rest.split_at(body.len());
        head.copy_from_slice(front);
        body.copy_from_slice(middle);
        for (i, byte) in stretch.iter_mut().enumerate() {
            *byte = tail[i] ^ zeros[i];
        }
    }

    /// Seals `message` into `ciphertext`.
    #[cfg(feature = "alloc")]
    pub(super) fn seal_whole(
        &self,
        nonce: &[u8],
        ad: Ad<'_>,
        message: &[u8],
        ciphertext: &mut [u8],
    ) {
        let (head, rest) = ciphertext.split_at_mut(self.config.hidden_bytes());
        let (body, tail) = rest.split_at_mut(message.len());
        if self.joins() {
            body.copy_from_slice(message);
            return self.seal_joined(nonce, ad, ciphertext);
        }
        self.seal(nonce, ad, head, of_one_length(message, body), tail);
    }

    /// Seals the message that is in the middle of `ciphertext`, in place.
    #[cfg(feature = "alloc")]
    fn seal_joined(&self, nonce: &[u8], ad: Ad<'_>, ciphertext: &mut [u8]) {
        let hidden = self.config.hidden_bytes();
        let (x, tag) = ciphertext.split_at_mut(ciphertext.len() - self.config.tag_bytes());
        x[..hidden].copy_from_slice(&nonce[..hidden]);
        let stretch_at = x.len() - self.config.stretch_bytes();
        x[stretch_at..].fill(0);
        let mut text = Plaintext::new(x.into());
        self.with_context(nonce, ad, |context| self.encrypt(context, &mut text, tag));
    }

    /// Seals segment `index` of a stream.
    #[cfg(feature = "alloc")]
    pub(super) fn seal_segment(
        &self,
        stream: &Chaining,
        (index, last): (u64, bool),
        segment: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let (index, last) = (index.to_le_bytes(), [u8::from(last)]);
        let pieces: [&[u8]; 2] = [&index, &last];
        let context =
            Context::Hash { from: Some(stream), domain: Domain::Segment, pieces: &pieces };
        self.encrypt(&context, &mut Plaintext::new(segment), tag);
    }

    /// Opens segment `index` of a stream. If it is not authentic, the output is wiped.
    #[cfg(feature = "alloc")]
    pub(super) fn open_segment(
        &self,
        stream: &Chaining,
        (index, last): (u64, bool),
        mut segment: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        let (index, last) = (index.to_le_bytes(), [u8::from(last)]);
        let pieces: [&[u8]; 2] = [&index, &last];
        let context =
            Context::Hash { from: Some(stream), domain: Domain::Segment, pieces: &pieces };
        let mut expected = [0; MAX_TAG_BYTES];
        let expected = &mut expected[..tag.len()];
        self.decrypt_text(&context, &mut Plaintext::new(segment.reborrow()), tag, expected);
        release(expected, tag, [segment.get_out()]).inspect_err(|_| self.engine.wipe_stack())
    }

    #[inline]
    fn encrypt(&self, context: &Context<'_>, text: &mut Plaintext<'_, '_>, tag: &mut [u8]) {
        self.engine.seal(self.config.mode(), context, text, tag);
    }

    #[inline]
    fn decrypt_text(
        &self,
        context: &Context<'_>,
        text: &mut Plaintext<'_, '_>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        self.engine.open(self.config.mode(), context, text, tag, expected);
    }
}
