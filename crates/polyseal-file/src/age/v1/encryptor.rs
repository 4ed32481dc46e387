//! Encrypting whole files in age's format.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use super::{ChunkCipher, Header};
use crate::error::Result;
use crate::payload_cipher::PayloadCipher;
use crate::pipeline::{Input, Output, Pipeline};
use crate::recipients::Recipients;
use crate::segment::Direction;
use crate::whole_file::{OnProgress, Summary, seal};

/// Encrypts files in age's format: for age's recipients, or a passphrase alone.
#[derive(Clone, Copy)]
pub struct Encryptor<'a> {
    recipients: &'a Recipients,
    threads: Option<NonZeroUsize>,
    progress: OnProgress<'a>,
    cancel: Option<&'a AtomicBool>,
}

impl<'a> Encryptor<'a> {
    /// On all cores.
    #[must_use]
    pub fn new(recipients: &'a Recipients) -> Self {
        Self { recipients, threads: None, progress: None, cancel: None }
    }

    /// With at most this many threads, the calling one included.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// With `progress` told of bytes as they are read.
    #[must_use]
    pub fn progress(mut self, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Ends the work soon after `cancel` has become true, with
    /// [`Cancelled`](crate::Error::Cancelled).
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &'a AtomicBool) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Encrypts all of `input`.
    ///
    /// # Errors
    /// Those of [`Recipients`] that cannot be encrypted for, before anything is written, among them
    /// [`Error::AgeKeyFile`](crate::Error::AgeKeyFile) and
    /// [`Error::AgePassphrase`](crate::Error::AgePassphrase); and those of
    /// [`Encryptor::encrypt`](crate::Encryptor::encrypt).
    pub fn encrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        let (header, payload_key) = Header::create(self.recipients)?;
        let cipher = PayloadCipher::Age(ChunkCipher::new(&payload_key, Direction::Seal));
        let run = Pipeline {
            cipher,
            threads: self.threads,
            progress: self.progress,
            leaves: None,
            cancel: self.cancel,
        };
        seal(&run, header.as_bytes(), input, output)
    }
}

impl fmt::Debug for Encryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").field("threads", &self.threads).finish_non_exhaustive()
    }
}
