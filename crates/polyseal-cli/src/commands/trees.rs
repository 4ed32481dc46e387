//! Whole trees: `encrypt`, `decrypt` and `verify --recursive`, and `ls`. [`polyseal_local`] does
//! the work; here are the commands' options and messages.

mod listing;

use std::path::{Path, PathBuf};

use polyseal_file::{Decryptor, Encryptor, Passphrase, RunOptions};
use polyseal_local::{
    Error, FileOutcome, KnownBy, NewTree, Options, PathChoice, Patterns, Problem, SealedTree,
    SignedTree, Total, TreeFile, TreeSealer, TreeUpdater, UpdateRules,
};

use self::listing::{Counts, json_line, line};
use super::many::{Telling, run_with_report};
use crate::args::{
    DecryptArgs, EncryptArgs, LsArgs, OutputArgs, ReadArgs, SignArgs, TreeArgs, VerifyFilesArgs,
};
use crate::error::{Failure, Result, shown};
use crate::file_io::forbidden;
use crate::keys::{DecryptInputs, KeyInputs, identities_to_update};
use crate::messages::{print, warn};
use crate::objects::{self, expect_file};
use crate::progress::{Bar, Progress};
use crate::statements::{SignaturePolicy, SigningKey};

/// The one directory that is worked on.
pub(super) fn only_one(files: &[PathBuf]) -> Result<&Path> {
    match files {
        [one] if one != Path::new("-") => Ok(one),
        _ => Err(Failure::usage("--recursive takes one directory")
            .hint("run once for each, with an OUT for each")),
    }
}

/// An encrypted tree, and the paths that are wanted of it.
fn tree_and_paths(files: &[PathBuf]) -> Result<(&Path, Option<PathChoice>)> {
    let (tree, paths) = match files {
        [tree, paths @ ..] if tree != Path::new("-") => (tree, paths),
        _ => {
            return Err(Failure::usage("--recursive needs the directory or prefix of a tree"));
        }
    };
    let paths = paths.iter().map(|path| {
        path.to_str().ok_or_else(|| {
            Failure::usage(format!("a path of a tree is UTF-8 here: {}", path.display()))
                .hint("use a pattern")
        })
    });
    let paths = paths.collect::<Result<Vec<_>>>()?;
    Ok((tree, (!paths.is_empty()).then(|| PathChoice::new(&paths))))
}

/// Refuses a run in which nothing was found for a path.
fn expect_met(tree: &Path, choice: Option<&PathChoice>) -> Result {
    match choice.and_then(|choice| choice.unmet().next()) {
        None => Ok(()),
        Some(path) => Err(Error::new(&tree.join(path), Problem::NotInTree).into()),
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
    how: TreeWork,
    excluded: Patterns,
}

enum TreeWork {
    Seal(TreeSealer),
    Update(TreeUpdater),
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
        let how = match objects::tree(to)? {
            Some(store) if args.update => {
                TreeUpdater::in_store(from, store, &options).map(TreeWork::Update)
            }
            Some(store) => {
                TreeSealer::to_store(from, store, args.output.force, &options).map(TreeWork::Seal)
            }
            None if args.update => TreeUpdater::new(from, to, &options).map(TreeWork::Update),
            None => TreeSealer::new(from, NewTree::new(to, args.output.force)?, &options)
                .map(TreeWork::Seal),
        };
        Ok(Self { how: how.map_err(Failure::with_path)?, excluded })
    }

    pub(super) fn seal(
        self,
        args: &EncryptArgs,
        encryptor: Encryptor<'_>,
        passphrase: Option<Passphrase>,
        sources: &KeyInputs,
    ) -> Result {
        let Self { how, excluded } = self;
        let identities = match how {
            TreeWork::Seal(_) => None,
            TreeWork::Update(_) => identities_to_update(args, passphrase, sources)?,
        };
        let bar = Bar::new(Progress::for_files(None, None));
        let leave_out = |path: &Path| excluded.matches_itself(path);
        let forbidden = forbidden(&sources.forbidden_outputs());
        let options = Options::new().progress(&bar).forbidden(&forbidden).exclude(&leave_out);
        let key = args.sign.as_deref().map(|key| SigningKey::read(key, sources)).transpose()?;
        let mut options = options.jobs(args.many.jobs());
        if let Some(key) = &key {
            options = options.signed_by(key);
        }
        let rules = UpdateRules {
            keep_deleted: args.keep_deleted,
            checksum: args.checksum,
            allow_empty: args.allow_empty,
        };
        let state = match (&how, &identities, &args.state) {
            (TreeWork::Update(_), None, Some(path)) => path.clone(),
            (TreeWork::Update(updater), None, None) => updater.default_state()?,
            _ => PathBuf::new(),
        };
        let mut total = None;
        let done = run_with_report(args.many.telling(), &bar, None, |tell| {
            let mut tell = |path: &Path, done| {
                let grew = matches!(done, Ok(FileOutcome::Encrypted { grew: true, .. }));
                let grew = grew && !args.allow_changed;
                tell(path, if grew { Err(Error::new(path, Problem::Grew)) } else { done })
            };
            let updater = match how {
                TreeWork::Seal(sealer) => return sealer.seal(encryptor, &options, &mut tell),
                TreeWork::Update(updater) => updater,
            };
            let decryptor = identities.as_ref().map(|identities| {
                let decryptor = Decryptor::new(identities);
                encryptor.bound_to().map_or(decryptor, |context| decryptor.context(context))
            });
            let known = decryptor.map_or(KnownBy::State(&state), KnownBy::Keys);
            let done = updater.update(known, encryptor, rules, &options, &mut tell)?;
            total = Some(done);
            Ok(done)
        });
        if let Some(total) = total
            && args.many.telling() == Telling::Files
        {
            print(&sentence(&total))?;
        }
        done
    }
}

/// The sentence on an update that has ended.
fn sentence(total: &Total) -> String {
    let Total { files, bytes, unchanged, deleted, .. } = total;
    format!("{files} encrypted, {bytes} bytes; {unchanged} unchanged, {deleted} deleted\n")
}

pub(super) fn verify(args: &VerifyFilesArgs) -> Result {
    let (path, choice) = tree_and_paths(&args.files)?;
    let policy = SignaturePolicy::of_tree(&args.read.signers)?;
    let inputs = inputs(&args.read, args.many.run_each(&args.work))?;
    let bar = Bar::new(Progress::for_files(None, None));
    let excluded = args.many.excluded()?;
    let leave_out = |path: &Path| excluded.matches_itself(path);
    let wanted = |path: &Path| choice.as_ref().is_none_or(|choice| choice.wants(path));
    let mut options = Options::new()
        .progress(&bar)
        .exclude(&leave_out)
        .jobs(args.many.jobs())
        .allow_unbound_contents(args.unbound.allow_unbound_contents);
    if choice.is_some() {
        options = options.choose(&wanted);
    }
    if let (SignaturePolicy::Required(signers), false) = (&policy, inputs.has_keys()) {
        let signed = match objects::tree(path)? {
            Some(store) => SignedTree::open_in(store, signers, &options),
            None => SignedTree::open(path, signers, &options),
        };
        let signed = signed.map_err(Failure::with_path)?;
        args.tree.at_least.map_or(Ok(()), |number| signed.expect_at_least(number))?;
        run_with_report(args.telling(), &bar, None, |tell| signed.verify(tell))?;
    } else {
        let options = policy.apply(options);
        let sealed = open(path, &args.tree, &inputs, &options)?;
        run_with_report(args.telling(), &bar, Some(&inputs), |tell| sealed.verify(tell))?;
    }
    expect_met(path, choice.as_ref())?;
    match policy.tree_signer() {
        Some(signer) if args.telling() == Telling::FilesAndTotal => {
            print(&format!("{}: {signer}\n", shown(&path.display().to_string())))
        }
        _ => Ok(()),
    }
}

pub(super) fn decrypt(args: &DecryptArgs) -> Result {
    let (path, choice) = tree_and_paths(&args.files)?;
    let to = out(&args.output)?;
    expect_file(to)?;
    let to = NewTree::new(to, args.output.force || args.resume)?;
    let policy = SignaturePolicy::of_tree(&args.read.signers)?;
    let inputs = inputs(&args.read, args.many.run_each(&args.work))?;
    let bar = Bar::new(Progress::for_files(None, None));
    let excluded = args.many.excluded()?;
    let leave_out = |path: &Path| excluded.matches_itself(path);
    let wanted = |path: &Path| choice.as_ref().is_none_or(|choice| choice.wants(path));
    let forbidden = forbidden(&inputs.sources.forbidden_outputs());
    let mut options = Options::new()
        .progress(&bar)
        .forbidden(&forbidden)
        .exclude(&leave_out)
        .jobs(args.many.jobs())
        .resume(args.resume)
        .deleted(args.deleted)
        .preserve_permissions(args.preserve_permissions)
        .allow_unbound_contents(args.unbound.allow_unbound_contents);
    if choice.is_some() {
        options = options.choose(&wanted);
    }
    let options = policy.apply(options);
    let sealed = open(path, &args.tree, &inputs, &options)?;
    run_with_report(args.many.telling(), &bar, Some(&inputs), |tell| sealed.decrypt(to, tell))?;
    expect_met(path, choice.as_ref())
}

/// Lists a tree.
pub(crate) fn ls(args: &LsArgs) -> Result {
    let sources = KeyInputs::new([args.open.passphrase_fd, None])?;
    let (ask, context) = (args.ask.passphrase, args.context.get()?);
    let inputs = DecryptInputs::new(&args.open, ask, context, RunOptions::new(), sources)?;
    let choice = (!args.paths.is_empty()).then(|| PathChoice::new(&args.paths));
    let wanted = |path: &Path| choice.as_ref().is_none_or(|choice| choice.wants(path));
    let policy = SignaturePolicy::of_tree(&args.signers)?;
    let options =
        Options::new().choose(&wanted).allow_unbound_contents(args.allow_unbound_contents);
    let options = policy.apply(options);
    let sealed = open(&args.tree, &TreeArgs { at_least: None }, &inputs, &options)?;
    let mut counts = Counts::default();
    let mut failed = Ok(());
    let listed = sealed.list(&mut |entry| {
        counts.add(entry);
        let line = if args.json { json_line(entry) } else { Ok(line(entry)) };
        failed = line.and_then(|line| print(&line));
        match &failed {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::new(&args.tree, Problem::Cancelled)),
        }
    });
    failed?;
    listed.map_err(|error| inputs.explain_with_path(error))?;
    expect_met(&args.tree, choice.as_ref())?;
    if sealed.is_interrupted() {
        warn("an update of it was interrupted: this is what it will have when that is finished");
    }
    if args.json {
        return Ok(());
    }
    print(&format!("number {}: {counts}\n", sealed.number()))
}

/// A file of a tree, for a part of it.
pub(crate) fn file_in(
    tree: &Path,
    path: &Path,
    inputs: &DecryptInputs,
    policy: &SignaturePolicy,
) -> Result<TreeFile> {
    let options = policy.apply(Options::new());
    let sealed = open(tree, &TreeArgs { at_least: None }, inputs, &options)?;
    if sealed.is_interrupted() {
        warn("an update of the tree was interrupted: the file may be the one of before");
    }
    sealed.file(path).map_err(|error| inputs.explain_with_path(error))
}

/// Signs a tree that is there.
pub(crate) fn sign(args: &SignArgs, inputs: &DecryptInputs, key: &SigningKey) -> Result {
    let path = only_one(&args.files)?;
    if args.signature.is_some() {
        return Err(Failure::usage("a tree has its statement in it").hint("leave out --signature"));
    }
    if !inputs.has_keys() {
        return Err(Failure::usage("a tree is signed by somebody who can open it")
            .hint("use -k KEYFILE or -i IDENTITY"));
    }
    let bar = Bar::new(Progress::for_files(None, None));
    let forbidden = forbidden(&inputs.sources.forbidden_outputs());
    let options = Options::new().progress(&bar).forbidden(&forbidden);
    let sealed = open(path, &TreeArgs { at_least: None }, inputs, &options)?;
    run_with_report(Telling::Nothing, &bar, Some(inputs), |tell| sealed.sign(key, tell))
}

fn inputs(args: &ReadArgs, run: RunOptions<'static>) -> Result<DecryptInputs> {
    if args.header.is_some() {
        return Err(Failure::usage("--recursive does not go with --header"));
    }
    DecryptInputs::to_read(args, run)
}

fn open<'a>(
    path: &Path,
    args: &TreeArgs,
    inputs: &'a DecryptInputs,
    options: &Options<'a>,
) -> Result<SealedTree<'a>> {
    let sealed = match objects::tree(path)? {
        Some(store) => SealedTree::open_in(store, inputs.decryptor(), options),
        None => SealedTree::open(path, inputs.decryptor(), options),
    };
    let sealed = sealed.map_err(|error| inputs.explain_with_path(error))?;
    if let Some(number) = args.at_least {
        sealed.expect_at_least(number)?;
    }
    Ok(sealed)
}
