//! Whole trees: `encrypt`, `decrypt` and `verify --recursive`. [`polyseal_local`] does the work;
//! here are the commands' options and messages.

use std::path::{Path, PathBuf};

use polyseal_file::{Encryptor, RunOptions};
use polyseal_local::{
    Error, FileOutcome, NewTree, Options, Patterns, Problem, SealedTree, TreeSealer,
};

use super::many::run_with_report;
use crate::args::{DecryptArgs, EncryptArgs, OutputArgs, ReadArgs, VerifyFilesArgs};
use crate::error::{Failure, Result};
use crate::file_io::forbidden;
use crate::keys::{DecryptInputs, KeyInputs};
use crate::objects::{self, expect_file};
use crate::progress::{Bar, Progress};

/// The one directory that is worked on.
pub(super) fn only_one(files: &[PathBuf]) -> Result<&Path> {
    match files {
        [one] if one != Path::new("-") => Ok(one),
        _ => Err(Failure::usage("--recursive takes one directory")
            .hint("run once for each, with an OUT for each")),
    }
}

/// Where a tree goes.
fn out(output: &OutputArgs) -> Result<&Path> {
    output.output.as_deref().filter(|path| *path != Path::new("-")).ok_or_else(|| {
        Failure::usage("--recursive needs a directory to write to").hint("name a new one: -o OUT")
    })
}

/// The directory that a tree goes to.
pub(super) fn destination(output: &OutputArgs) -> Result<NewTree> {
    let to = out(output)?;
    expect_file(to)?;
    Ok(NewTree::new(to, output.force)?)
}

/// A tree that is to be encrypted.
pub(super) struct TreeEncryption {
    sealer: TreeSealer,
    excluded: Patterns,
}

impl TreeEncryption {
    /// Looked at before anything is asked for.
    pub(super) fn new(args: &EncryptArgs) -> Result<Self> {
        let from = only_one(&args.files)?;
        let excluded = args.many.excluded()?;
        expect_file(from)?;
        let to = out(&args.output)?;
        let leave_out = |path: &Path| excluded.matches_itself(path);
        let options = Options::new().exclude(&leave_out);
        let sealer = match objects::tree(to)? {
            Some(store) => TreeSealer::to_store(from, store, args.output.force, &options),
            None => TreeSealer::new(from, NewTree::new(to, args.output.force)?, &options),
        };
        Ok(Self { sealer: sealer.map_err(Failure::with_path)?, excluded })
    }

    pub(super) fn seal(
        self,
        args: &EncryptArgs,
        encryptor: Encryptor<'_>,
        sources: &KeyInputs,
    ) -> Result {
        let bar = Bar::new(Progress::for_files(None, None));
        let leave_out = |path: &Path| self.excluded.matches_itself(path);
        let forbidden = forbidden(&sources.forbidden_outputs());
        let options = Options::new().progress(&bar).forbidden(&forbidden).exclude(&leave_out);
        let options = options.jobs(args.many.jobs());
        run_with_report(args.many.telling(), &bar, None, |tell| {
            self.sealer.seal(encryptor, &options, &mut |path, done| {
                let grew = matches!(done, Ok(FileOutcome::Encrypted { grew: true, .. }));
                let grew = grew && !args.allow_changed;
                tell(path, if grew { Err(Error::new(path, Problem::Grew)) } else { done })
            })
        })
    }
}

pub(super) fn verify(args: &VerifyFilesArgs) -> Result {
    let path = only_one(&args.files)?;
    let inputs = inputs(&args.read, args.many.run_each(&args.work))?;
    let bar = Bar::new(Progress::for_files(None, None));
    let excluded = args.many.excluded()?;
    let leave_out = |path: &Path| excluded.matches_itself(path);
    let options = Options::new()
        .progress(&bar)
        .exclude(&leave_out)
        .jobs(args.many.jobs())
        .allow_unbound_contents(args.unbound.allow_unbound_contents);
    let sealed = open(path, &inputs, &options)?;
    run_with_report(args.telling(), &bar, Some(&inputs), |tell| sealed.verify(tell))
}

pub(super) fn decrypt(args: &DecryptArgs) -> Result {
    let path = only_one(&args.files)?;
    let to = destination(&args.output)?;
    let inputs = inputs(&args.read, args.many.run_each(&args.work))?;
    let bar = Bar::new(Progress::for_files(None, None));
    let excluded = args.many.excluded()?;
    let leave_out = |path: &Path| excluded.matches_itself(path);
    let forbidden = forbidden(&inputs.sources.forbidden_outputs());
    let options = Options::new()
        .progress(&bar)
        .forbidden(&forbidden)
        .exclude(&leave_out)
        .jobs(args.many.jobs())
        .preserve_permissions(args.preserve_permissions)
        .allow_unbound_contents(args.unbound.allow_unbound_contents);
    let sealed = open(path, &inputs, &options)?;
    run_with_report(args.many.telling(), &bar, Some(&inputs), |tell| sealed.decrypt(to, tell))
}

fn inputs(args: &ReadArgs, run: RunOptions<'static>) -> Result<DecryptInputs> {
    if args.header.is_some() {
        return Err(Failure::usage("--recursive does not go with --header"));
    }
    DecryptInputs::to_read(args, run)
}

fn open<'a>(
    path: &Path,
    inputs: &'a DecryptInputs,
    options: &Options<'a>,
) -> Result<SealedTree<'a>> {
    let sealed = match objects::tree(path)? {
        Some(store) => SealedTree::open_in(store, inputs.decryptor(), options),
        None => SealedTree::open(path, inputs.decryptor(), options),
    };
    sealed.map_err(|error| inputs.explain_with_path(error))
}
