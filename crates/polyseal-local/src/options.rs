//! Options of the work on files. Recipients and identities are given by the file format's own
//! [`Encryptor`](polyseal_file::Encryptor) and [`Decryptor`](polyseal_file::Decryptor).

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;

use polyseal_file::RunOptions;

use crate::forbidden::Forbidden;
use crate::progress::Progress;
use crate::tree::{SignatureRule, Signing, StatementAcceptor, StatementSigner};

/// Which entries of a sealed tree are worked on.
#[derive(Clone, Copy)]
pub(crate) enum Choice<'a> {
    /// All, and files that are not of the tree are told of.
    All,
    /// Those for which this returns true.
    Only(&'a (dyn Fn(&Path) -> bool + Sync)),
}

/// How files and trees are worked on.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub(crate) overwrite: bool,
    pub(crate) preserve_permissions: bool,
    pub(crate) unbound_contents: bool,
    pub(crate) armor: bool,
    pub(crate) synced: bool,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) exclude: &'a (dyn Fn(&Path) -> bool + Sync),
    pub(crate) choice: Choice<'a>,
    pub(crate) deleted: bool,
    pub(crate) resume: bool,
    pub(crate) signing: Signing<'a>,
    pub(crate) signature: SignatureRule<'a>,
    pub(crate) forbidden: &'a Forbidden,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> Options<'a> {
    /// Nothing is replaced, as many files at a time as there are cores, and nobody is told.
    #[must_use]
    pub fn new() -> Self {
        static NOTHING: Forbidden = Forbidden::NOTHING;
        Self {
            overwrite: false,
            preserve_permissions: false,
            unbound_contents: false,
            armor: false,
            synced: false,
            jobs: cores(),
            exclude: &|_| false,
            choice: Choice::All,
            deleted: false,
            resume: false,
            signing: Signing::Unsigned,
            signature: SignatureRule::NotAsked,
            forbidden: &NOTHING,
            progress: &(),
        }
    }

    /// Whether an output that is there is replaced. A tree's directory need then not be empty, nor
    /// be out of the reach of others; in one that is not, new files are for their owner alone.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether the files of a decrypted tree get just the permissions that they had, as by
    /// `tar -p`. Otherwise they get those that the umask leaves of them, and nobody but their owner
    /// can write to them.
    #[must_use]
    pub fn preserve_permissions(mut self, preserve: bool) -> Self {
        self.preserve_permissions = preserve;
        self
    }

    /// Whether to accept a tree whose manifest is of version 1, which binds names to files, and not
    /// to their contents: anyone who can open one file of the tree may have put other contents
    /// there. [`SealedTree::bind_contents`](crate::SealedTree::bind_contents) makes a manifest of
    /// version 2.
    #[must_use]
    pub fn allow_unbound_contents(mut self, allow: bool) -> Self {
        self.unbound_contents = allow;
        self
    }

    /// Whether [`encrypt_file`](crate::encrypt_file) writes ASCII armour: text, and a third longer.
    #[must_use]
    pub fn armor(mut self, armor: bool) -> Self {
        self.armor = armor;
        self
    }

    /// Whether a new file is on disk, with its name, before it is reported as done. A file that
    /// replaces another always is. Otherwise a new file may be lost in a power failure shortly
    /// after, as a copy made by `cp` may be.
    #[must_use]
    pub fn synced(mut self, synced: bool) -> Self {
        self.synced = synced;
        self
    }

    /// Works on so many files at a time.
    #[must_use]
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Leaves out the paths for which `exclude` returns true, and all that is in them. Paths are
    /// relative to the tree.
    #[must_use]
    pub fn exclude(mut self, exclude: &'a (dyn Fn(&Path) -> bool + Sync)) -> Self {
        self.exclude = exclude;
        self
    }

    /// Only the paths of a sealed tree for which `wanted` returns true, and the directories that
    /// they lie in. Nobody looks whether other files are there that are not of the tree.
    #[must_use]
    pub fn choose(mut self, wanted: &'a (dyn Fn(&Path) -> bool + Sync)) -> Self {
        self.choice = Choice::Only(wanted);
        self
    }

    /// Whether a decrypted tree also has what has been deleted since, as far as its encrypted files
    /// are there.
    #[must_use]
    pub fn deleted(mut self, deleted: bool) -> Self {
        self.deleted = deleted;
        self
    }

    /// Whether a tree is decrypted over what an earlier run has left: a file stays that has the
    /// contents which it is to have.
    #[must_use]
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// A tree that is encrypted or updated is signed, with the hashes by which a part of a file is
    /// shown to be the signed one. Each segment of a file that is being encrypted takes 32 bytes of
    /// memory, and each file of the tree about 300.
    #[must_use]
    pub fn signed_by(mut self, signer: &'a dyn StatementSigner) -> Self {
        self.signing = Signing::By(signer);
        self
    }

    /// A sealed tree is taken if its statement is accepted, and no other.
    #[must_use]
    pub fn accepting(mut self, acceptor: &'a dyn StatementAcceptor) -> Self {
        self.signature = SignatureRule::Accepted(acceptor);
        self
    }

    /// No output replaces one of these files.
    #[must_use]
    pub fn forbidden(mut self, forbidden: &'a Forbidden) -> Self {
        self.forbidden = forbidden;
        self
    }

    /// Tells `progress`, rather than that of an encryptor's or decryptor's own [`RunOptions`].
    #[must_use]
    pub fn progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// The run of each file, unless the caller says so: on all threads that the others leave.
    #[must_use]
    pub fn run_each(&self) -> RunOptions<'static> {
        let threads = cores().get() / self.jobs.get();
        RunOptions::new().threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("overwrite", &self.overwrite)
            .field("preserve_permissions", &self.preserve_permissions)
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}

/// How many threads the system lets this process run at once; one if it does not say.
#[must_use]
pub fn cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
