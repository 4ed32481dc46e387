//! `rekey`: other recipients for files and trees. [`polyseal_local`] does the work; here are the
//! command's options and messages.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use polyseal_file::{
    Encryptor, ExistingRecipients, Identities, Passphrase, Recipients, RunOptions,
};
use polyseal_local::{
    DetachedHeader, FileOutcome, NewRecipients, OnFile, Options, Patterns, Problem, Rekey,
    RekeyMode, RekeyPlan, RekeyTarget, RekeyedCheck, RekeyedFile, SealedTree, Total, Trust,
    expect_not_interrupted,
};

use super::many::{Names, describe, for_each_file, run_with_report};
use super::note;
use super::trees::only_one;
use crate::args::{OutputArgs, RekeyArgs};
use crate::error::{Failure, Result};
use crate::file_io::{InputFile, OutputFile, OutputKind, Source, forbidden};
use crate::keys::{self, DecryptInputs, KeyInputs, NewPassphrase};
use crate::objects::{self, expect_file, expect_supported, is_object, replaceable};
use crate::progress::{Bar, Progress};
use crate::streams::is_standard_input;

pub(crate) fn rekey(args: &RekeyArgs) -> Result {
    if let Some(header) = &args.header {
        expect_named(args)?;
        return rekey_detached(args, header);
    }
    let list = args.many.list()?;
    let path = match &args.file[..] {
        [path] if list.is_none() && !args.many.recursive && !args.many.json => path,
        files => return rekey_many(args, files, list),
    };
    if is_object(path) {
        return rekey_object(args, path);
    }
    if args.restore {
        let inputs = to_restore(args)?;
        let trust = trust(inputs.as_ref());
        let bar = Bar::none();
        let options = Options::new().progress(&bar);
        Rekey::restore(RekeyTarget::File(path), trust).options(&options).run()?;
        return Ok(());
    }
    expect_named(args)?;
    if is_standard_input(path) {
        return Err(polyseal_local::Error::new(path, Problem::NotRekeyable).into());
    }
    if args.output.is_none() {
        expect_not_interrupted(path)?;
    }
    rekey_one(args, path)?;
    note_kept_keys(args, NEW_KEY);
    Ok(())
}

fn rekey_one(args: &RekeyArgs, path: &Path) -> Result {
    let run = RekeyJob::new(args, args.work.run())?;
    let plan = run.plan(RekeyedCheck::Unknown);
    let bar = Bar::new(Progress::new(None, false));
    let explain = |error| run.inputs.explain(error);
    let Some(other) = &args.output else {
        let forbidden = forbidden(&run.inputs.sources.forbidden_outputs());
        let options = Options::new().progress(&bar).forbidden(&forbidden);
        let rekey = Rekey::new(RekeyTarget::File(path), &plan).options(&options);
        return rekey.run().map(drop).map_err(explain);
    };
    let ready = RekeyedFile::open(path, &plan).map_err(explain)?;
    // Its copy is of a header of the same file, perhaps, and would undo this one.
    expect_not_interrupted(other)?;
    let mut forbidden_outputs = run.inputs.sources.forbidden_outputs();
    forbidden_outputs.push((ready.input()?, "the input; leave out -o to replace it"));
    let output = OutputArgs { output: Some(other.clone()), force: args.force };
    let mut output = OutputFile::open(&output, OutputKind::Binary, &forbidden_outputs)?;
    let options = Options::new().progress(&bar);
    ready.write(output.sink(), other, &options).map_err(explain)?;
    output.commit()
}

/// Other recipients for a payload whose header is kept in a file of its own: that file is replaced,
/// in one step and under the same lock as any. The payload is not needed, and never written to.
fn rekey_detached(args: &RekeyArgs, path: &Path) -> Result {
    let context = args.context.get()?;
    let sources = KeyInputs::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let mut inputs =
        DecryptInputs::new(&args.open, false, context.clone(), args.work.run(), sources)?;
    let destination = match &args.output {
        None if is_standard_input(path) => {
            return Err(polyseal_local::Error::new(path, Problem::NotAFile).into());
        }
        None => HeaderDestination::Replaced(DetachedHeader::read(path)?),
        Some(other) => HeaderDestination::Elsewhere(inputs.sources.header(path)?, other),
    };
    let old = match &destination {
        HeaderDestination::Replaced(header) => header.header().clone(),
        HeaderDestination::Elsewhere(header, _) => header.clone(),
    };
    let refused = |error| inputs.explain_file(error, path);
    let authentic = old.authenticate(&inputs.identities).map_err(refused)?;
    if context.is_some() {
        authentic.expect_context(context.as_ref()).map_err(refused)?;
    }
    let payload = match &args.file[..] {
        [] => None,
        [path] => Some(InputFile::open(Some(path))?),
        _ => return Err(Failure::usage("one header is for one payload")),
    };
    let mut forbidden_outputs = inputs.sources.forbidden_outputs();
    if let Some(payload) = &payload {
        inputs.header = Some(old.clone());
        expect_together(&inputs, payload)?;
        forbidden_outputs.extend(payload.id().map(|id| (id, "the payload")));
    }
    let passphrase = NewPassphrase::new(&args.recipients, args.new_passphrase_fd, None);
    let recipients =
        keys::recipients(&args.recipients, &args.to_key, &[], passphrase, &inputs.sources)?;
    let existing = if args.keep { ExistingRecipients::Keep } else { ExistingRecipients::Remove };
    let new = authentic.rekey(&recipients, existing).map_err(Failure::sealing)?;
    match destination {
        HeaderDestination::Replaced(header) => {
            let (bar, forbidden) = (Bar::none(), forbidden(&forbidden_outputs));
            header.replace(&new, &Options::new().progress(&bar).forbidden(&forbidden))?;
        }
        HeaderDestination::Elsewhere(_, other) => {
            let to = OutputArgs { output: Some(other.to_owned()), force: args.force };
            let mut output = OutputFile::open(&to, OutputKind::Binary, &forbidden_outputs)?;
            output.write_all(new.as_bytes())?;
            output.commit()?;
        }
    }
    if !args.keep {
        note(
            "note: anyone who could open the payload before may have kept its key, or the old \
             header",
        );
    }
    Ok(())
}

/// Where the new header goes.
enum HeaderDestination<'a> {
    Replaced(DetachedHeader),
    Elsewhere(polyseal_file::Header, &'a Path),
}

/// Opens the end of the payload with the header, to see whether they belong together.
fn expect_together(inputs: &DecryptInputs, payload: &InputFile) -> Result {
    let Source::File { file, .. } = &payload.opened else {
        return Err(Failure::usage("the payload must be a regular file")
            .hint("leave it out: the header alone is enough"));
    };
    let reader = inputs.decryptor().reader(file);
    reader.map(|_| ()).map_err(|error| inputs.explain_file(error, &payload.name))
}

/// Several files, those of a list, or a tree.
fn rekey_many(args: &RekeyArgs, files: &[PathBuf], list: Option<Names>) -> Result {
    if args.output.is_some() && !(args.many.recursive && args.new_key) {
        return Err(Failure::usage("-o is for one file: each of several is replaced")
            .hint("leave it out, or rekey copies"));
    }
    let excluded = args.many.excluded()?;
    if args.many.recursive {
        return rekey_tree(args, only_one(files)?, &excluded);
    }
    if files.iter().any(|file| is_object(file)) && !files.iter().all(|file| is_object(file)) {
        return Err(Failure::usage("files and objects are not rekeyed in one run")
            .hint("give them one after the other"));
    }
    let bar = Bar::new(match &list {
        Some(list) if !args.restore => args.many.progress(list)?,
        Some(_) => None,
        None => Progress::for_named(files.iter().map(PathBuf::as_path)),
    });
    let names: Box<dyn Iterator<Item = Result<PathBuf>> + Send> = match list {
        Some(list) => Box::new(list),
        None => Box::new(files.iter().cloned().map(Ok)),
    };
    let names = names.filter(|name| name.as_ref().map_or(true, |name| !excluded.matches(name)));
    let mut names = names.peekable();
    if let Some(Ok(first)) = names.peek()
        && is_object(first)
    {
        expect_supported(first)?;
        return rekey_objects(args, names, &bar);
    }
    let names = names.map(|name| {
        name.and_then(|name| expect_file(&name).map(|()| name)).map_err(Failure::into_local)
    });
    if args.restore {
        let inputs = to_restore(args)?;
        let options = Options::new().progress(&bar).jobs(args.many.jobs());
        return run_with_report(args.many.telling(), &bar, inputs.as_ref(), |tell| {
            let target = RekeyTarget::Files(Box::new(names));
            Rekey::restore(target, trust(inputs.as_ref())).options(&options).on_file(tell).run()
        });
    }
    let run = RekeyJob::new(args, args.many.run_each(&args.work))?;
    let new = run.read_now()?;
    let plan = run.plan(run.rekeyed_check(&new));
    let forbidden = forbidden(&run.inputs.sources.forbidden_outputs());
    let options = Options::new().progress(&bar).forbidden(&forbidden).jobs(args.many.jobs());
    run_with_report(args.many.telling(), &bar, Some(&run.inputs), |tell| {
        let target = RekeyTarget::Files(Box::new(names));
        Rekey::new(target, &plan).options(&options).on_file(tell).run()
    })?;
    note_kept_keys(args, NEW_KEY);
    Ok(())
}

fn rekey_tree(args: &RekeyArgs, path: &Path, excluded: &Patterns) -> Result {
    if !args.restore && !args.many.exclude.is_empty() {
        return Err(Failure::usage("--exclude does not go with rekey --recursive")
            .hint("the manifest is for all of the tree"));
    }
    let store = objects::tree(path)?;
    let lasting = if store.is_some() { ANEW } else { NEW_KEY };
    if store.is_some() {
        expect_by_header(args)?;
    }
    let bar = Bar::new(Progress::for_files(None, None));
    let leave_out = |path: &Path| excluded.matches_itself(path);
    if args.restore {
        let inputs = to_restore(args)?;
        let options = Options::new().progress(&bar).exclude(&leave_out).jobs(args.many.jobs());
        return run_with_report(args.many.telling(), &bar, inputs.as_ref(), |tell| {
            let target = RekeyTarget::Tree(path);
            Rekey::restore(target, trust(inputs.as_ref())).options(&options).on_file(tell).run()
        });
    }
    let output = OutputArgs { output: args.output.clone(), force: args.force };
    let to_tree = args.new_key.then(|| super::trees::destination(&output)).transpose()?;
    if let Some(to) = &to_tree {
        to.expect_outside(path)?;
    }
    let run = RekeyJob::new(args, args.many.run_each(&args.work))?;
    let new = run.read_now()?;
    let forbidden = forbidden(&run.inputs.sources.forbidden_outputs());
    let options = Options::new().progress(&bar).forbidden(&forbidden).exclude(&leave_out);
    let options = options.jobs(args.many.jobs());
    let unbound = args.unbound.allow_unbound_contents || args.bind_contents;
    let options = options.allow_unbound_contents(unbound);
    if let Some(to) = to_tree {
        return rewrite_tree(&run, path, &bar, &options, |from, encryptor, tell| {
            from.reencrypt(to, encryptor, tell)
        });
    }
    if args.bind_contents {
        return rewrite_tree(&run, path, &bar, &options, |from, encryptor, tell| {
            from.bind_contents(encryptor, tell)
        });
    }
    let plan = run.plan(run.rekeyed_check(&new));
    let target = store.map_or(RekeyTarget::Tree(path), RekeyTarget::StoredTree);
    run_with_report(args.many.telling(), &bar, Some(&run.inputs), |tell| {
        Rekey::new(target, &plan).options(&options).on_file(tell).run()
    })?;
    note_kept_keys(args, lasting);
    Ok(())
}

/// Refuses operations that are not possible on objects.
fn expect_by_header(args: &RekeyArgs) -> Result {
    if args.output.is_some() || args.in_place || args.restore || args.new_key || args.bind_contents
    {
        return Err(Failure::usage("an object is rekeyed where it is, by its header alone")
            .hint("decrypt it and encrypt it anew for another key or another place"));
    }
    Ok(())
}

/// Another header before the payload of an object, which does not leave the store.
fn rekey_object(args: &RekeyArgs, path: &Path) -> Result {
    expect_supported(path)?;
    expect_named(args)?;
    expect_by_header(args)?;
    let object = replaceable(path)?;
    let run = RekeyJob::new(args, args.work.run())?;
    let (plan, bar) = (run.plan(RekeyedCheck::Unknown), Bar::none());
    let target = RekeyTarget::StoredFile { version: object.as_ref(), shown: path };
    let done = Rekey::new(target, &plan).options(&Options::new().progress(&bar)).run();
    done.map_err(|error| run.inputs.explain(error))?;
    note_kept_keys(args, ANEW);
    Ok(())
}

/// The same of several.
fn rekey_objects(
    args: &RekeyArgs,
    names: impl Iterator<Item = Result<PathBuf>> + Send,
    bar: &Bar,
) -> Result {
    expect_by_header(args)?;
    let run = RekeyJob::new(args, args.work.run())?;
    let new = run.read_now()?;
    let plan = run.plan(run.rekeyed_check(&new));
    let options = Options::new().progress(bar);
    for_each_file(&args.many, args.many.telling(), names, PathBuf::clone, bar, |path| {
        if !is_object(&path) {
            return Err(
                Failure::usage("it is a file, among objects").hint("give them one after the other")
            );
        }
        let (version, mut outcome) = (replaceable(&path)?, FileOutcome::Rekeyed);
        let mut tell = |_: &Path, done: polyseal_local::Result<FileOutcome>| {
            outcome = done?;
            Ok(())
        };
        let target = RekeyTarget::StoredFile { version: version.as_ref(), shown: &path };
        let done = Rekey::new(target, &plan).options(&options).on_file(&mut tell).run();
        done.map_err(|error| run.inputs.explain(error))?;
        Ok(describe(&path, outcome))
    })?;
    note_kept_keys(args, ANEW);
    Ok(())
}

/// Rewrites more than headers: the contents, too, in a new tree, or the manifest.
fn rewrite_tree(
    run: &RekeyJob<'_>,
    path: &Path,
    bar: &Bar,
    options: &Options<'_>,
    work: impl FnOnce(&SealedTree<'_>, Encryptor<'_>, OnFile<'_>) -> polyseal_local::Result<Total>,
) -> Result {
    let args = run.args;
    let context = args.context.get()?;
    let mut encryptor = Encryptor::new(run.get()?).running(args.many.run_each(&args.work));
    if let Some(context) = &context {
        encryptor = encryptor.context(context);
    }
    let from = SealedTree::open(path, run.inputs.decryptor(), options)
        .map_err(|error| run.inputs.explain_with_path(error))?;
    run_with_report(args.many.telling(), bar, Some(&run.inputs), |tell| {
        work(&from, encryptor, tell)
    })
}

/// The keys that tell whether a copy is authentic; `None` if none are given.
fn to_restore(args: &RekeyArgs) -> Result<Option<DecryptInputs>> {
    let given = &args.open;
    let none = given.key.is_empty() && given.identity.is_empty();
    if none && given.passphrase_fd.is_none() && given.passphrase_file.is_none() {
        return Ok(None);
    }
    let sources = KeyInputs::new([given.passphrase_fd, None])?;
    DecryptInputs::new(given, false, None, RunOptions::new(), sources).map(Some)
}

fn trust(inputs: Option<&DecryptInputs>) -> Trust<'_> {
    inputs.map_or(Trust::SamePayload, |inputs| Trust::Authentic(&inputs.identities))
}

/// The inputs of a run: the identities that open files, and the new recipients. The latter are
/// read, and a passphrase is asked for, when the first file has opened.
struct RekeyJob<'a> {
    args: &'a RekeyArgs,
    inputs: DecryptInputs,
    context: Option<polyseal_file::Context>,
    run: RunOptions<'static>,
    recipients: OnceLock<Recipients>,
}

impl<'a> RekeyJob<'a> {
    fn new(args: &'a RekeyArgs, run: RunOptions<'static>) -> Result<Self> {
        expect_named(args)?;
        let context = args.context.get()?;
        let sources = KeyInputs::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
        let inputs = DecryptInputs::new(&args.open, false, context.clone(), run, sources)?;
        Ok(Self { args, inputs, context, run, recipients: OnceLock::new() })
    }

    fn plan<'b>(&'b self, already: RekeyedCheck<'b>) -> RekeyPlan<'b> {
        let others =
            if self.args.keep { ExistingRecipients::Keep } else { ExistingRecipients::Remove };
        let how = match (self.args.in_place, self.args.new_key) {
            (true, _) => RekeyMode::InPlace,
            (_, true) => RekeyMode::NewKey,
            _ => RekeyMode::Header,
        };
        let mut plan = RekeyPlan::new(&self.inputs.identities, self, others, how)
            .rekeyed_check(already)
            .running(self.run);
        if let Some(context) = &self.context {
            plan = plan.context(context);
        }
        plan
    }

    /// Everyone who is named, and how to tell that a file is theirs already.
    fn named_recipients(&self) -> Result<(Recipients, Option<Passphrase>)> {
        let passphrase =
            NewPassphrase::new(&self.args.recipients, self.args.new_passphrase_fd, None);
        let (to, keys) = (&self.args.recipients, &self.args.to_key);
        keys::recipients_and_passphrase(to, keys, &[], passphrase, &self.inputs.sources)
    }

    /// Reads and asks for everything now: several files at a time must not ask for one passphrase
    /// each. Returns the identities that open files which are done already.
    fn read_now(&self) -> Result<Identities<'static>> {
        let (recipients, passphrase) = self.named_recipients()?;
        self.recipients.get_or_init(|| recipients);
        keys::identities_of(&self.args.to_key, passphrase, &self.inputs.sources)
    }

    /// How it is seen that a file is done. Where one key file alone is added, it opens files that
    /// are done. For recipients of age that cannot be seen, because a header does not say who they
    /// are: such a file fails, unless one of their identities is given to open it with, too. Then
    /// it is rekeyed again.
    fn rekeyed_check<'b>(&self, new: &'b Identities<'b>) -> RekeyedCheck<'b> {
        let Self { args, .. } = self;
        let to = &args.recipients;
        let one_is_added = args.keep
            && args.to_key.len() == 1
            && to.recipient.is_empty()
            && to.recipients_file.is_empty();
        if one_is_added { RekeyedCheck::OpensAdded(new) } else { RekeyedCheck::Opens(new) }
    }
}

impl NewRecipients for RekeyJob<'_> {
    fn get(&self) -> polyseal_local::Result<&Recipients> {
        if let Some(recipients) = self.recipients.get() {
            return Ok(recipients);
        }
        let (recipients, _) = self.named_recipients().map_err(Failure::into_local)?;
        Ok(self.recipients.get_or_init(|| recipients))
    }
}

fn expect_named(args: &RekeyArgs) -> Result {
    let to = &args.recipients;
    let named = to.recipient.len() + to.recipients_file.len() + args.to_key.len();
    if named == 0 && !to.passphrase && args.new_passphrase_fd.is_none() && !args.restore {
        return Err(Failure::usage("nobody was named to open the file from now on")
            .hint("use -r, -R, -p or --to-key (-k and -i open it here); --keep keeps the others"));
    }
    Ok(())
}

/// The advice on how to lock out the holders of old keys.
const NEW_KEY: &str = "--new-key locks them out";
const ANEW: &str =
    "encrypt it anew to lock them out, and remove the old versions that a store may keep";

fn note_kept_keys(args: &RekeyArgs, what: &str) {
    if !args.keep && !args.new_key {
        note(&format!("note: anyone who could open the file before may have kept its key: {what}"));
    }
}
