//! Messages under a key: from nonce and associated data to the context, from the parts of a message
//! to the parts of a ciphertext.
//!
//! A ciphertext is `head ‖ body ‖ tail`: the hidden nonce, if it is; as many bytes as the message
//! has; and the stretch with the tag. Head and tail have the configuration's lengths. A stream is
//! many of those, each without a head.

use aead::inout::InOutBuf;

use super::config::{Config, NonceForm};
use super::engine::{Context, Engine, is_short};
use super::hash::{Chaining, Domain};
use super::text::Text;
use crate::backend::wipe;
use crate::ct;
use crate::error::{Error, Result};

/// The longest associated data, and setup associated data, in bytes.
pub(super) const MAX_AD_BYTES: u64 = 1 << 60;

/// A configuration and its key.
#[derive(Clone, Copy)]
pub(super) struct Session<'e, E: ?Sized> {
    pub(super) config: &'e Config,
    pub(super) engine: &'e E,
}

impl<E: Engine + ?Sized> Session<'_, E> {
    /// Checks what sealing is given.
    pub(super) fn check(&self, nonce: &[u8], ad: &[u8], message: usize) -> Result<()> {
        self.check_nonce(nonce)?;
        check_ad(ad)?;
        self.check_message(message)
    }

    pub(super) fn check_message(&self, bytes: usize) -> Result<()> {
        let limit = self.config.max_message_bytes();
        match bytes as u64 > limit {
            true => Err(Error::TooLong { what: "message", limit }),
            false => Ok(()),
        }
    }

    pub(super) fn check_nonce(&self, nonce: &[u8]) -> Result<()> {
        if self.config.takes_nonce_of(nonce.len()) {
            return Ok(());
        }
        let (what, actual) = ("nonce", nonce.len());
        Err(match self.config.nonce() {
            NonceForm::Hidden(expected) | NonceForm::Public(expected) => {
                Error::Length { what, expected: expected.into(), actual }
            }
            NonceForm::AnyPublic => {
                let (shortest, longest) = self.config.nonce_range();
                Error::Range { what, shortest, longest, actual }
            }
        })
    }

    /// K1' for a nonce, which is not looked at if it is hidden, and associated data.
    #[inline]
    pub(super) fn with_context<R>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        work: impl FnOnce(Context<'_>) -> R,
    ) -> R {
        let from = self.engine.key();
        let length = (nonce.len() as u16).to_le_bytes();
        let (domain, pieces) = match self.config.nonce() {
            NonceForm::Hidden(_) => (Domain::Ad, [ad, &[], &[]]),
            NonceForm::Public(_) => (Domain::NonceAndAd, [ad, nonce, &[]]),
            NonceForm::AnyPublic => (Domain::NonceAndAd, [ad, nonce, &length]),
        };
        // CT: lengths are public.
        if domain == Domain::Ad && ad.is_empty() {
            return work(Context::Known(from));
        }
        if is_short(&pieces) {
            return work(Context::Hash { from, domain, pieces: &pieces });
        }
        let mut key = self.engine.hash(from, domain, &pieces);
        let result = work(Context::Known(&key));
        wipe(&mut key);
        result
    }

    /// Seals a message in one piece, whose lengths have been checked.
    #[inline]
    pub(super) fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        head: &mut [u8],
        body: InOutBuf<'_, '_, u8>,
        tail: &mut [u8],
    ) {
        if !head.is_empty() {
            head.copy_from_slice(nonce);
        }
        let mode = self.config.mode();
        self.with_context(nonce, ad, |context| {
            self.engine.seal(mode, context, Text { nonce: head, message: body }, tail);
        });
    }

    /// Opens what [`seal`](Self::seal) made; `head` becomes the nonce. What is not authentic is
    /// wiped.
    #[inline]
    pub(super) fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        head: &mut [u8],
        mut body: InOutBuf<'_, '_, u8>,
        tail: &[u8],
    ) -> Result<()> {
        let mode = self.config.mode();
        let opened = self.with_context(nonce, ad, |context| {
            let text = Text { nonce: head, message: body.reborrow() };
            self.engine.open(mode, context, text, tail)
        });
        if opened.is_err() {
            wipe(head);
            wipe(body.get_out());
            self.engine.wipe_stack();
        }
        opened
    }

    /// Seals the message in the middle of `ciphertext` with ROBUST, in place.
    pub(super) fn seal_robust(&self, nonce: &[u8], ad: &[u8], ciphertext: &mut [u8]) {
        let config = self.config;
        let (x, tag) = ciphertext.split_at_mut(ciphertext.len() - config.tag_bytes());
        x[..config.hidden_bytes()].copy_from_slice(&nonce[..config.hidden_bytes()]);
        let stretch = x.len() - config.stretch_bytes();
        x[stretch..].fill(0);
        self.seal_robust_body(nonce, ad, x, tag);
    }

    /// The same of `x` as it is, and the tag apart: all of it where neither a nonce nor zeros are
    /// enciphered.
    pub(super) fn seal_robust_body(&self, nonce: &[u8], ad: &[u8], x: &mut [u8], tag: &mut [u8]) {
        self.with_context(nonce, ad, |context| {
            let computed = self.engine.robust(context, x, false);
            tag.copy_from_slice(&computed[..tag.len()]);
        });
    }

    /// Opens `ciphertext`, in place. What is not authentic is wiped.
    pub(super) fn open_robust(&self, nonce: &[u8], ad: &[u8], ciphertext: &mut [u8]) -> Result<()> {
        let (x, tag) = ciphertext.split_at_mut(ciphertext.len() - self.config.tag_bytes());
        self.open_robust_body(nonce, ad, x, tag)
    }

    /// The same with the tag apart.
    pub(super) fn open_robust_body(
        &self,
        nonce: &[u8],
        ad: &[u8],
        x: &mut [u8],
        tag: &[u8],
    ) -> Result<()> {
        let computed = self.with_context(nonce, ad, |context| self.engine.robust(context, x, true));
        // Zeros and tag together, so that neither is known by itself.
        let (mut expected, mut actual) = ([0; 255 + 32], [0; 255 + 32]);
        let zeros = self.config.stretch_bytes();
        let bytes = zeros + tag.len();
        expected[zeros..bytes].copy_from_slice(&computed[..tag.len()]);
        actual[..zeros].copy_from_slice(&x[x.len() - zeros..]);
        actual[zeros..bytes].copy_from_slice(tag);
        let verified = ct::verify(&mut expected[..bytes], &actual[..bytes]);
        if verified.is_err() {
            wipe(&mut actual);
            wipe(x);
            self.engine.wipe_stack();
        }
        verified
    }

    /// Ks, from which the segments' keys are made.
    pub(super) fn stream_key(&self, nonce: &[u8], ad: &[u8]) -> Chaining {
        let length = (nonce.len() as u16).to_le_bytes();
        let length = &length[..if self.config.nonce() == NonceForm::AnyPublic { 2 } else { 0 }];
        self.engine.hash(self.engine.key(), Domain::NonceAndAd, &[ad, nonce, length])
    }

    /// Seals segment `index` of a stream.
    pub(super) fn seal_segment(
        &self,
        stream: &Chaining,
        (index, last): (u64, bool),
        segment: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let (index, last) = (index.to_le_bytes(), [u8::from(last)]);
        let pieces: [&[u8]; 2] = [&index, &last];
        let context = Context::Hash { from: stream, domain: Domain::Segment, pieces: &pieces };
        let text = Text { nonce: &mut [], message: segment };
        self.engine.seal(self.config.mode(), context, text, tag);
    }

    /// Opens segment `index` of a stream. What is not authentic is wiped.
    pub(super) fn open_segment(
        &self,
        stream: &Chaining,
        (index, last): (u64, bool),
        mut segment: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<()> {
        let (index, last) = (index.to_le_bytes(), [u8::from(last)]);
        let pieces: [&[u8]; 2] = [&index, &last];
        let context = Context::Hash { from: stream, domain: Domain::Segment, pieces: &pieces };
        let text = Text { nonce: &mut [], message: segment.reborrow() };
        let opened = self.engine.open(self.config.mode(), context, text, tag);
        if opened.is_err() {
            wipe(segment.get_out());
            self.engine.wipe_stack();
        }
        opened
    }
}

pub(super) fn check_ad(ad: &[u8]) -> Result<()> {
    let (what, limit) = ("associated data", MAX_AD_BYTES);
    if ad.len() as u64 > limit { Err(Error::TooLong { what, limit }) } else { Ok(()) }
}
