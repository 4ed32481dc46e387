//! Other recipients for several files, for those of a list, or for a whole tree.
//!
//! A run that was interrupted is run again: a file that the old keys do not open any more, but one
//! of the new key files does, is done already. For recipients of age, and for a passphrase, that
//! cannot be seen, and such a file fails. Of a tree, the manifest comes last, and only when all
//! else is done: so it opens with the old keys until then.

use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind};
use polyseal_file::{Existing, Header, Identities};

use super::lock::{changed, lock};
use super::{To, copy, expect_named, note_kept_keys, one, restore};
use crate::args::RekeyArgs;
use crate::commands::many::{self, Done, Excluded, Names};
use crate::commands::trees::{Sealed, Tree, manifest_name, only_one, path_of, sealed, stranger};
use crate::error::{Code, Failure, Result, shown};
use crate::file_io::{FileId, InputFile, OutputFile};
use crate::keys::{self, Opening, Sources};

pub(super) fn rekey(args: &RekeyArgs, files: &[PathBuf], list: Option<Names>) -> Result {
    if args.output.is_some() {
        return Err(Failure::usage("-o is for one file: each of several is replaced")
            .hint("leave it out, or rekey copies"));
    }
    let tree = args.many.recursive.then(|| tree(args, files)).transpose()?;
    let excluded = Excluded::new(&args.many.exclude)?;
    let names: Box<dyn Iterator<Item = Result<PathBuf>> + Send> = match list {
        Some(list) => Box::new(list),
        None => Box::new(files.iter().cloned().map(Ok)),
    };
    let names = names.filter(|name| name.as_ref().map_or(true, |name| !excluded.has(name)));
    if args.restore {
        return many::each(&args.many, names, PathBuf::clone, None, |path| {
            restore(args, &path)?;
            Ok(done(&path, "restored", "the old header has been put back"))
        });
    }
    expect_named(args)?;
    let context = args.context.get()?;
    let threads = args.work.threads.or(args.many.threads_each());
    let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let opening = Opening::new(&args.open, false, context, threads, sources)?;
    let to = To::new(args);
    // Several files at a time must not ask for one passphrase each.
    to.recipients(&opening.sources)?;
    let new = keys::identities_of(&args.to_key, &opening.sources)?;
    if let Some(tree) = tree {
        whole_tree(args, tree, &opening, &to, &new)?;
    } else {
        many::each(&args.many, names, PathBuf::clone, None, |path| {
            if one_is_added(args) && opens(&new, &path) {
                return Ok(already(&path));
            }
            match one(args, &path, &opening, &to) {
                Ok(()) => Ok(rekeyed(&path)),
                Err(failure) if failure.code == Code::NoKey && opens(&new, &path) => {
                    Ok(already(&path))
                }
                Err(failure) => Err(failure),
            }
        })?;
    }
    if !args.keep && !args.new_key {
        note_kept_keys();
    }
    Ok(())
}

/// Whether one key file is added and nobody else: then it, too, opens what is done already.
fn one_is_added(args: &RekeyArgs) -> bool {
    let to = &args.recipients;
    args.keep && args.to_key.len() == 1 && to.recipient.is_empty() && to.recipients_file.is_empty()
}

fn rekeyed(path: &Path) -> Done {
    done(path, "rekeyed", "rekeyed")
}

fn already(path: &Path) -> Done {
    done(path, "already", "a new key opens it already")
}

fn done(path: &Path, outcome: &'static str, what: &str) -> Done {
    let said = format!("{}: {what}\n", shown(&path.display().to_string()));
    Done { outcome, bytes: None, said: Some(said) }
}

fn opens(keys: &Identities<'_>, path: &Path) -> bool {
    let header = InputFile::open(Some(path)).ok().and_then(|mut file| Header::read(&mut file).ok());
    header.is_some_and(|header| header.authenticate(keys).is_ok())
}

/// The tree, if everything else that is asked for goes with one.
fn tree(args: &RekeyArgs, files: &[PathBuf]) -> Result<Tree> {
    let unfit = [
        ("--in-place", args.in_place, "leave it out: each file is replaced in one step"),
        ("--new-key", args.new_key, "decrypt the tree, and encrypt it into a new directory"),
        ("--restore", args.restore, "name the files: find DIR … | polyseal rekey --restore …"),
        ("--exclude", !args.many.exclude.is_empty(), "the manifest is for all of the tree"),
        (
            "--context",
            args.context.context.is_some(),
            "leave it out: the contents stay bound to it",
        ),
    ];
    if let Some((option, _, hint)) = unfit.iter().find(|(_, given, _)| *given) {
        let message = format!("{option} does not go with rekey --recursive");
        return Err(Failure::usage(message).hint(*hint));
    }
    Tree::open(only_one(files)?)
}

fn whole_tree(
    args: &RekeyArgs,
    tree: Tree,
    opening: &Opening,
    to: &To<'_>,
    new: &Identities<'_>,
) -> Result {
    let name = PathBuf::from(manifest_name());
    let shown = tree.shown(&name);
    let sealed_tree = match Sealed::open(tree, opening, &args.many) {
        Err(failure) if failure.code == Code::NoKey && opens(new, &shown) => {
            let done = already(&shown);
            return many::each(&args.many, [Ok(done)].into_iter(), |_| shown.clone(), None, Ok);
        }
        opened => opened?,
    };
    let file = |path: &Path, entry: Option<&Entry>| {
        in_tree(args, sealed_tree.tree(), path, entry, opening, to, new)
    };
    let nothing = |_: &_| Ok(None);
    sealed_tree.each(
        &args.many,
        |_| Ok(()),
        |_, _| Ok(()),
        nothing,
        |entry, _| file(&sealed(&path_of(entry)), Some(entry)),
    )?;
    file(&name, None).map(drop).map_err(|failure| failure.about(&shown))
}

/// One file of a tree, which must be that of its entry.
fn in_tree(
    args: &RekeyArgs,
    tree: &Tree,
    path: &Path,
    entry: Option<&Entry>,
    opening: &Opening,
    to: &To<'_>,
    new: &Identities<'_>,
) -> Result<Done> {
    let shown = tree.shown(path);
    let unread = |error| Failure::io("read", &shown, &error);
    let mut file = tree.root().file(path).map_err(unread)?;
    let old = Header::read(&mut file).map_err(|error| opening.refused(error, &shown))?;
    if let Some(Entry { kind: Kind::File { file_salt, .. }, .. }) = entry
        && old.file_salt() != file_salt
    {
        return Err(stranger("it is not the file that the manifest has there")
            .hint("it has been renamed, or is an older or a newer one: use a backup"));
    }
    let authentic = match old.authenticate(&opening.identities) {
        Ok(_) if one_is_added(args) && old.authenticate(new).is_ok() => {
            return Ok(already(&shown));
        }
        Err(polyseal_file::Error::NoMatchingKey) if old.authenticate(new).is_ok() => {
            return Ok(already(&shown));
        }
        other => other.map_err(|error| opening.refused(error, &shown))?,
    };
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let recipients = to.recipients(&opening.sources)?;
    let header = authentic.rekey(recipients, existing).map_err(Failure::sealing)?;
    lock(&shown, &file)?;
    let (parent, name) = tree.root().of_beneath(path).map_err(unread)?;
    let taken: Vec<_> = opening.sources.taken().collect();
    let mut output = OutputFile::inside(parent.clone(), name.clone(), &shown, true, &taken)?;
    copy(&mut file, &header, &mut output)
        .map_err(|source| polyseal_file::Error::Io { what: "copy the file", source })?;
    // Locked, it must still be the file, with the header, that was read.
    let mut there = vec![0; old.as_bytes().len()];
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut there, 0).map_err(unread)?;
    let named = FileId::of_stat(&parent.stat(&name).map_err(unread)?);
    if there != old.as_bytes() || FileId::of_descriptor(&file) != Some(named) {
        return Err(changed(&shown));
    }
    output.commit()?;
    Ok(rekeyed(&shown))
}
