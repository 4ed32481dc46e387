//! Encrypting whole files in age's format.

use std::fmt;

use super::{ChunkCipher, Header};
use crate::error::Result;
use crate::payload_cipher::PayloadCipher;
use crate::pipeline::{Input, Output, Pipeline};
use crate::recipients::Recipients;
use crate::run_options::RunOptions;
use crate::segment::Direction;
use crate::whole_file::{Summary, seal};

/// Encrypts files in age's format: for age's recipients, or a passphrase alone.
#[derive(Clone, Copy)]
pub struct Encryptor<'a> {
    recipients: &'a Recipients,
    run: RunOptions<'a>,
}

impl<'a> Encryptor<'a> {
    /// On all cores.
    #[must_use]
    pub fn new(recipients: &'a Recipients) -> Self {
        Self { recipients, run: RunOptions::new() }
    }

    /// With these options for the run, in place of all that were set before.
    #[must_use]
    pub fn running(mut self, run: RunOptions<'a>) -> Self {
        self.run = run;
        self
    }

    /// The options that it was given for the run.
    #[must_use]
    pub fn run_options(&self) -> RunOptions<'a> {
        self.run
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
        let pipeline = Pipeline { cipher, run: self.run, leaves: None, expected: None };
        seal(&pipeline, header.as_bytes(), input, output)
    }
}

impl fmt::Debug for Encryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").field("run", &self.run).finish_non_exhaustive()
    }
}
