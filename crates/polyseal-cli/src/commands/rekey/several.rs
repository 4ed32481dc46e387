//! Other recipients for several files, or for those of a list.
//!
//! A run that was interrupted is run again. It puts back every copy of a header that the first has
//! left. A file that the old keys do not open any more, but a new key file or the new passphrase
//! does, is done already. For recipients of age that cannot be seen, because a header does not say
//! who they are: such a file fails, unless one of their identities is given to open it with, too.
//! Then it is rekeyed again.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use polyseal_file::{Header, Identities};

use super::backup::{self, Place};
use super::batch::{self, Change};
use super::{To, expect_named, note_kept_keys, prepare, saved, to_restore, tree};
use crate::args::RekeyArgs;
use crate::commands::many::{self, Done, Excluded, Item, Names, Prepared};
use crate::error::{Code, Failure, Result, shown};
use crate::file_io::{FileId, InputFile};
use crate::keys::{Opening, Sources};
use crate::progress::Progress;

pub(super) fn rekey(args: &RekeyArgs, files: &[PathBuf], list: Option<Names>) -> Result {
    if args.output.is_some() && !(args.many.recursive && args.new_key) {
        return Err(Failure::usage("-o is for one file: each of several is replaced")
            .hint("leave it out, or rekey copies"));
    }
    if args.many.recursive {
        return tree::rekey(args, files);
    }
    let excluded = Excluded::new(&args.many.exclude)?;
    let bar = match &list {
        Some(list) if !args.restore => args.many.progress(list)?,
        Some(_) => None,
        None => Progress::of_named(files.iter().map(PathBuf::as_path)),
    };
    let names: Box<dyn Iterator<Item = Result<PathBuf>> + Send> = match list {
        Some(list) => Box::new(list),
        None => Box::new(files.iter().cloned().map(Ok)),
    };
    let names = names.filter(|name| name.as_ref().map_or(true, |name| !excluded.has(name)));
    if args.restore {
        let opening = to_restore(args)?;
        let items =
            names.map(|name| name.map(|it| Item { name: it.clone(), bytes: 0, id: None, it }));
        let prepare = |path: PathBuf| {
            let change = saved(&Place::of(&path)?, opening.as_ref())?;
            Ok(Some(Prepared::Change(change, restored(&path))))
        };
        return many::in_batches(&args.many, items, None, |_| (), prepare, batch::make);
    }
    let run = Run::new(args)?;
    let items = names.map(|name| {
        let name = name?;
        let seen = fs::metadata(&name).ok();
        let (bytes, id) = (seen.as_ref().map_or(0, Metadata::len), seen.as_ref().map(FileId::of));
        Ok(Item { bytes, id, it: name.clone(), name })
    });
    let before =
        |files: &[Item<PathBuf>]| run.recover(files.iter().filter_map(|f| Place::of(&f.it).ok()));
    let prepare = |path: PathBuf| run.one(&path).map(Some);
    many::in_batches(&args.many, items, bar.as_ref(), before, prepare, batch::make)?;
    run.end();
    Ok(())
}

/// What the work on each file takes.
pub(super) struct Run<'a> {
    pub(super) args: &'a RekeyArgs,
    pub(super) opening: Opening,
    pub(super) to: To<'a>,
    /// What opens files that are done already.
    new: Identities<'static>,
}

impl<'a> Run<'a> {
    pub(super) fn new(args: &'a RekeyArgs) -> Result<Self> {
        expect_named(args)?;
        let context = args.context.get()?;
        let threads = args.work.threads.or(args.many.threads_each());
        let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
        let opening = Opening::new(&args.open, false, context, threads, sources)?;
        let to = To::new(args);
        let new = to.at_once(&opening.sources)?;
        Ok(Self { args, opening, to, new })
    }

    fn one(&self, path: &Path) -> Result<Prepared<Change>> {
        if let Ok(place) = Place::of(path) {
            self.expect_recovered(&place)?;
        }
        if self.one_is_added() && self.opens(path) {
            return Ok(Prepared::Done(already(path)));
        }
        match prepare(self.args, path, &self.opening, &self.to) {
            Ok(change) => Ok(Prepared::Change(change, rekeyed(path))),
            Err(failure) if failure.code == Code::NoKey && self.opens(path) => {
                Ok(Prepared::Done(already(path)))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Puts back what an earlier run has left beside these files. Where that cannot be done it is
    /// told in its turn.
    pub(super) fn recover(&self, places: impl Iterator<Item = Place>) {
        let left = |place: Place| backup::left(&place, &self.opening.identities).ok().flatten();
        batch::make(places.filter_map(left).map(Change::Restore).collect());
    }

    pub(super) fn expect_recovered(&self, place: &Place) -> Result {
        let left = backup::left(place, &self.opening.identities)?;
        batch::make(left.into_iter().map(Change::Restore).collect()).into_iter().collect()
    }

    /// Whether one key file is added and nobody else: then it, too, opens what is done already.
    fn one_is_added(&self) -> bool {
        let Self { args, .. } = self;
        let to = &args.recipients;
        args.keep
            && args.to_key.len() == 1
            && to.recipient.is_empty()
            && to.recipients_file.is_empty()
    }

    /// Whether what is new opens the file at `path`.
    pub(super) fn opens(&self, path: &Path) -> bool {
        let file = InputFile::open(Some(path)).ok();
        file.and_then(|mut file| Header::read(&mut file).ok())
            .is_some_and(|header| header.authenticate(&self.new).is_ok())
    }

    /// Whether a file with this header is done, if the old keys open it or not.
    pub(super) fn is_done(&self, header: &Header, opens: bool) -> bool {
        (!opens || self.one_is_added()) && header.authenticate(&self.new).is_ok()
    }

    pub(super) fn end(&self) {
        if !self.args.keep && !self.args.new_key {
            note_kept_keys();
        }
    }
}

pub(super) fn rekeyed(path: &Path) -> Done {
    done(path, "rekeyed", "rekeyed")
}

pub(super) fn already(path: &Path) -> Done {
    done(path, "already", "a new key opens it already")
}

pub(super) fn restored(path: &Path) -> Done {
    done(path, "restored", "the old header has been put back")
}

pub(super) fn done(path: &Path, outcome: &'static str, what: &str) -> Done {
    let said = format!("{}: {what}\n", shown(&path.display().to_string()));
    Done { outcome, bytes: None, said: Some(said) }
}
