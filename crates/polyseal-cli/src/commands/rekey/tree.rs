//! Other recipients for a whole tree.
//!
//! The manifest comes last, and only when all else is done: so it opens with the old keys until
//! then. A file that the manifest does not have is told and left as it is: whoever put it there
//! must not be able to keep the tree from being rekeyed.

use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind};
use polyseal_file::{Encryptor, Error, Existing, Header};

use super::backup::{self, Place};
use super::batch::{self, Change, Replacement};
use super::copy;
use super::in_place::Rewrite;
use super::lock::Lock;
use super::several::{Run, already, done, rekeyed, restored};
use super::{saved, to_restore};
use crate::args::{OutputArgs, RekeyArgs};
use crate::commands::many::{self, Excluded, Item, Prepared};
use crate::commands::trees::{
    Anew, Pair, Sealed, Tree, manifest_name, missing, only_one, stranger,
};
use crate::error::{Code, Failure, Result};

pub(super) fn rekey(args: &RekeyArgs, files: &[PathBuf]) -> Result {
    let tree = tree(args, files)?;
    if args.restore {
        return restore(args, &tree);
    }
    let output = OutputArgs { output: args.output.clone(), force: args.force };
    let anew = args.new_key.then(|| Anew::new(files, &output)).transpose()?;
    let run = Run::new(args)?;
    if let Some(anew) = anew {
        return encrypt_anew(&run, tree, &anew);
    }
    let name = PathBuf::from(manifest_name());
    let shown = tree.shown(&name);
    let manifest = place(&tree, &name)?;
    if manifest.id().is_ok() {
        run.expect_recovered(&manifest)?;
    }
    let sealed = match Sealed::open(tree, &run.opening, &args.many) {
        Err(failure) if failure.code == Code::NoKey && run.opens(&shown) => {
            let item = Item { name: shown.clone(), bytes: 0, id: None, it: () };
            let prepared = |()| Ok(Some(Prepared::<Change>::Done(already(&shown))));
            let item = [Ok(item)].into_iter();
            many::in_batches(&args.many, item, None, |_| (), prepared, batch::make)?;
            run.end();
            return Ok(());
        }
        opened => opened?,
    };
    let tree = sealed.tree();
    let bar = sealed.progress();
    let items = sealed.pairs()?.map(|pair| {
        let pair = pair?;
        let bytes = match &pair {
            Pair::File(Entry { kind: Kind::File { plaintext_bytes, .. }, .. }) => *plaintext_bytes,
            _ => 0,
        };
        let id = match &pair {
            Pair::File(_) => place(tree, &pair.path()).ok().and_then(|place| place.id().ok()),
            _ => None,
        };
        Ok(Item { name: tree.shown(&pair.path()), bytes, id, it: pair })
    });
    let prepare = |pair: Pair| match pair {
        Pair::File(ref entry) => one(&run, tree, &pair.path(), Some(entry)).map(Some),
        Pair::Plain(_) => Ok(None),
        Pair::Missing(_) => Err(missing()),
        Pair::Added(path) => Ok(left(tree, &path).map(Prepared::Done)),
        Pair::Unread(_, failure) => Err(failure),
    };
    let before = |files: &[Item<Pair>]| {
        run.recover(files.iter().filter_map(|file| match &file.it {
            pair @ Pair::File(_) => place(tree, &pair.path()).ok(),
            _ => None,
        }));
    };
    many::in_batches(&args.many, items, bar.as_ref(), before, prepare, batch::make)?;
    drop(bar);
    if let Prepared::Change(change, _) =
        one(&run, tree, &name, None).map_err(|failure| failure.about(&shown))?
    {
        let made = batch::make(vec![change]).into_iter().collect::<Result>();
        made.map_err(|failure| failure.about(&shown))?;
    }
    run.end();
    Ok(())
}

/// The tree, if everything else that is asked for goes with one.
fn tree(args: &RekeyArgs, files: &[PathBuf]) -> Result<Tree> {
    let unfit = [
        (
            "--exclude",
            !args.restore && !args.many.exclude.is_empty(),
            "the manifest is for all of the tree",
        ),
        (
            "--context",
            !args.new_key && args.context.context.is_some(),
            "leave it out: the contents stay bound to it",
        ),
    ];
    if let Some((option, _, hint)) = unfit.iter().find(|(_, given, _)| *given) {
        let message = format!("{option} does not go with rekey --recursive");
        return Err(Failure::usage(message).hint(*hint));
    }
    Tree::open(only_one(files)?)
}

/// The contents, too, into a new tree.
fn encrypt_anew(run: &Run<'_>, tree: Tree, anew: &Anew<'_>) -> Result {
    let context = run.args.context.get()?;
    let mut encryptor = Encryptor::new(run.to.recipients(&run.opening.sources)?);
    if let Some(context) = &context {
        encryptor = encryptor.context(context);
    }
    if let Some(threads) = run.args.work.threads.or(run.args.many.threads_each()) {
        encryptor = encryptor.threads(threads);
    }
    let many = &run.args.many;
    let from = Sealed::open(tree, &run.opening, many)?;
    anew.seal(&from, many, encryptor, &run.opening.sources)
}

/// Puts back every copy of a header that is in the tree, whatever the manifest says.
fn restore(args: &RekeyArgs, tree: &Tree) -> Result {
    let opening = to_restore(args)?;
    let excluded = Excluded::new(&args.many.exclude)?;
    let items = tree.paths(&excluded).filter_map(|path| match path {
        Ok(path) => {
            let it = backup::file_of(&path)?;
            Some(Ok(Item { name: tree.shown(&it), bytes: 0, id: None, it }))
        }
        Err(failure) => Some(Err(failure)),
    });
    let prepare = |path: PathBuf| {
        let place = place(tree, &path)?;
        let change = saved(&place, opening.as_ref())?;
        Ok(Some(Prepared::Change(change, restored(&place.shown))))
    };
    many::in_batches(&args.many, items, None, |_| (), prepare, batch::make)
}

fn place(tree: &Tree, path: &Path) -> Result<Place> {
    let shown = tree.shown(path);
    let (directory, name) =
        tree.place(path).map_err(|error| Failure::io("read", &shown, &error))?;
    Ok(Place { directory, name, shown, link_in: None })
}

/// What is told of a file that is not of the tree: nothing of a copy of a header, which has been
/// put back.
fn left(tree: &Tree, path: &Path) -> Option<many::Done> {
    if let Some(file) = backup::file_of(path)
        && let Ok(place) = place(tree, &file)
        && (place.directory.stat(place.backup()).is_err() || place.id().is_ok())
    {
        return None;
    }
    let shown = tree.shown(path);
    Some(done(&shown, "left", "it is not of this tree, and was left as it is"))
}

/// One file of a tree, which must be that of its entry.
fn one(run: &Run<'_>, tree: &Tree, path: &Path, entry: Option<&Entry>) -> Result<Prepared<Change>> {
    let place = place(tree, path)?;
    let shown = place.shown.clone();
    let unread = |error| Failure::io("read", &shown, &error);
    let refused = |error| run.opening.refused(error, &shown);
    run.expect_recovered(&place)?;
    let mut file = place.file().map_err(unread)?;
    let old = Header::read(&mut file).map_err(refused)?;
    if let Some(Entry { kind: Kind::File { file_salt, .. }, .. }) = entry
        && old.file_salt() != file_salt
    {
        return Err(stranger("it is not the file that the manifest has there")
            .hint("it has been renamed, or is an older or a newer one: use a backup"));
    }
    let authentic = match old.authenticate(&run.opening.identities) {
        Ok(_) if run.is_done(&old, true) => return Ok(Prepared::Done(already(&shown))),
        Err(Error::NoMatchingKey | Error::WrongPassphrase | Error::PassphraseNeeded)
            if run.is_done(&old, false) =>
        {
            return Ok(Prepared::Done(already(&shown)));
        }
        other => other.map_err(refused)?,
    };
    let existing = if run.args.keep { Existing::Keep } else { Existing::Remove };
    let recipients = run.to.recipients(&run.opening.sources)?;
    let new = authentic.rekey(recipients, existing).map_err(Failure::sealing)?;
    let lock = Lock::take(&place, &file, old.as_bytes())?;
    let change = if run.args.in_place {
        Change::Header(Box::new(Rewrite::prepare(lock, old, new)?))
    } else {
        let taken: Vec<_> = run.opening.sources.taken().collect();
        let mut replacement = Replacement::new(lock, &taken)?;
        copy(&file, &new, replacement.output())
            .map_err(|source| Error::Io { what: "copy the file", source })?;
        Change::Replace(replacement)
    };
    Ok(Prepared::Change(change, rekeyed(&shown)))
}
