//! The plan of a rekey: who opens the files, who shall, and how that is done.

use std::fmt;

use polyseal_file::{
    Context, Decryptor, ExistingRecipients, Header, Identities, Recipients, RunOptions,
};

use super::ExpectedFile;
use super::backup::BackupRule;
use crate::error::Result;
use crate::place::Place;

/// How a file gets its other recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RekeyMode {
    /// A new file, with another header and the same payload, takes the place of the old one.
    Header,
    /// The header is rewritten in the file itself.
    InPlace,
    /// A new file, with another key and so another payload, takes the place of the old one.
    NewKey,
}

/// Where the recipients come from: they are asked for once the first file has opened.
pub trait NewRecipients: Sync {
    /// The recipients, the same each time.
    ///
    /// # Errors
    /// Any, which is that of the file.
    fn get(&self) -> Result<&Recipients>;
}

impl NewRecipients for Recipients {
    fn get(&self) -> Result<&Recipients> {
        Ok(self)
    }
}

/// The identities that open files, and the recipients that the files get.
#[derive(Clone, Copy)]
pub struct RekeyPlan<'a> {
    pub(crate) identities: &'a Identities<'a>,
    pub(crate) to: &'a dyn NewRecipients,
    pub(crate) others: ExistingRecipients,
    pub(crate) how: RekeyMode,
    pub(crate) context: Option<&'a Context>,
    pub(crate) run: RunOptions<'a>,
    pub(crate) done: RekeyedCheck<'a>,
}

/// How to tell that one of many files has its new recipients already.
#[derive(Clone, Copy, Debug)]
pub enum RekeyedCheck<'a> {
    /// Nothing does: files that the old keys open are rekeyed, perhaps once more.
    Unknown,
    /// That these open it, and the old keys do not.
    Opens(&'a Identities<'a>),
    /// That these open it: they are of the one key that is added.
    OpensAdded(&'a Identities<'a>),
}

impl<'a> RekeyPlan<'a> {
    /// Gives files that `identities` open the recipients of `to`. `others` says whether those whom
    /// a file is for now still open it; with [`RekeyMode::NewKey`] they do not, whatever it says.
    #[must_use]
    pub fn new(
        identities: &'a Identities<'a>,
        to: &'a dyn NewRecipients,
        others: ExistingRecipients,
        how: RekeyMode,
    ) -> Self {
        let (context, run, done) = (None, RunOptions::new(), RekeyedCheck::Unknown);
        Self { identities, to, others, how, context, run, done }
    }

    /// The context that the files are bound to. A header does not know it: that the contents are
    /// bound to it is looked at, and with [`RekeyMode::NewKey`] they stay so.
    #[must_use]
    pub fn context(mut self, context: &'a Context) -> Self {
        self.context = Some(context);
        self
    }

    /// With these options for the run of each file; [`Options::progress`](crate::Options::progress)
    /// takes the place of those on progress and cancelling.
    #[must_use]
    pub fn running(mut self, run: RunOptions<'a>) -> Self {
        self.run = run;
        self
    }

    /// Sets how to tell that one of many files is done.
    #[must_use]
    pub fn rekeyed_check(mut self, done: RekeyedCheck<'a>) -> Self {
        self.done = done;
        self
    }

    pub(super) fn decryptor(&self) -> Decryptor<'a> {
        self.decryptor_of(self.identities)
    }

    fn decryptor_of(&self, identities: &'a Identities<'a>) -> Decryptor<'a> {
        let mut decryptor = Decryptor::new(identities).running(self.run);
        if let Some(context) = self.context {
            decryptor = decryptor.context(context);
        }
        decryptor
    }

    /// The same by what is new, for a file that has it already.
    pub(super) fn decryptor_when_done(&self) -> Decryptor<'a> {
        match self.done {
            RekeyedCheck::Unknown => self.decryptor(),
            RekeyedCheck::Opens(new) | RekeyedCheck::OpensAdded(new) => self.decryptor_of(new),
        }
    }

    /// Whether what is new opens a file with this header, and it is the one that it has to be.
    pub(super) fn opens_header(&self, header: &Header, which: ExpectedFile<'_>) -> bool {
        match self.done {
            RekeyedCheck::Unknown => false,
            RekeyedCheck::Opens(new) | RekeyedCheck::OpensAdded(new) => {
                header.authenticate(new).is_ok_and(|authentic| match which {
                    ExpectedFile::Any | ExpectedFile::BoundTo(_) => true,
                    ExpectedFile::Of(commitment) => authentic.expect(commitment).is_ok(),
                })
            }
        }
    }

    /// Whether what is new opens the file at `place`.
    pub(super) fn opens(&self, place: &Place) -> bool {
        let header = place.file().ok().and_then(|mut file| Header::read(&mut file).ok());
        header.is_some_and(|header| self.opens_header(&header, ExpectedFile::Any))
    }

    pub(super) fn one_is_added(&self) -> bool {
        matches!(self.done, RekeyedCheck::OpensAdded(_))
    }

    /// Which files beside a file keep it from being rekeyed.
    pub(super) fn strict(&self) -> BackupRule {
        if self.how == RekeyMode::InPlace { BackupRule::Anything } else { BackupRule::Copies }
    }
}

impl fmt::Debug for RekeyPlan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RekeyPlan")
            .field("others", &self.others)
            .field("how", &self.how)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
