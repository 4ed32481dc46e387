//! The class of each error of a file by its name, and what to do about it.

use std::io;
use std::path::Path;

use polyseal_file::manifest::Problem as ManifestProblem;
use polyseal_file::{Class, io_hint};

use crate::error::{BackupProblem, Error, Problem};

impl Error {
    /// The class of the error. A callback's error is of the class [`Io`](Class::Io) here: its
    /// caller knows better.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.problem() {
            Problem::File(error) => error.class(),
            Problem::Sealing(error) => error.class().while_sealing(),
            Problem::Store { class, .. } => *class,
            Problem::Exists
            | Problem::DanglingLink
            | Problem::Interrupted
            | Problem::BackupNameTaken(_)
            | Problem::NotEmpty
            | Problem::Occupied(_) => Class::Exists,
            Problem::NotAFile | Problem::Forbidden(_) => Class::Forbidden,
            Problem::NoSuchDirectory | Problem::NotADirectory => Class::NotADirectory,
            Problem::NotOurs => Class::NotOurs,
            Problem::NotRekeyable | Problem::MoreThanHeader => Class::Unsuitable,
            Problem::NotWithAge(_)
            | Problem::LinkLeadsOut(_)
            | Problem::LeadsOut
            | Problem::Nested(_)
            | Problem::InAStore
            | Problem::ReservedName
            | Problem::SameName(_)
            | Problem::OneFile(_)
            | Problem::EmptySource
            | Problem::ChecksumNeedsKey
            | Problem::NotInTree
            | Problem::NoStateFolder
            | Problem::NotAState
            | Problem::TreeIsGone(_)
            | Problem::Special => Class::Usage,
            Problem::Changed | Problem::ChangedLength => Class::Changed,
            Problem::Grew => Class::Grew,
            Problem::Busy | Problem::BusyTree => Class::Busy,
            Problem::NotTaken { .. } | Problem::InterruptedUpdate => Class::Incomplete,
            Problem::UpdatedMeanwhile => Class::Changed,
            Problem::Appeared => Class::Appeared,
            Problem::Cancelled => Class::Cancelled,
            Problem::BadBackup(BackupProblem::NoHeader(_)) => Class::Header,
            Problem::BadBackup(BackupProblem::Unread(_)) => Class::Io,
            Problem::BadBackup(_) => Class::Unsuitable,
            Problem::Manifest(ManifestProblem::UnboundContents) => Class::UnboundManifest,
            Problem::NoManifest | Problem::Manifest(_) => Class::Manifest,
            Problem::NotSigned => Class::NotSigned,
            Problem::Missing => Class::Missing,
            Problem::Added | Problem::AddedCopy => Class::Added,
            Problem::OtherFile | Problem::OlderTree(_) => Class::OtherFile,
            Problem::OtherContents => Class::OtherContents,
            Problem::Io { .. }
            | Problem::Torn(_)
            | Problem::ImpossibleName(_)
            | Problem::Caller(_) => Class::Io,
        }
    }

    /// Advice, if there is any, for whoever runs the tool `polyseal`: options
    /// are the tool's.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(match self.problem() {
            Problem::Io { what, source } => return path_hint(what, self.path(), source),
            Problem::File(error) | Problem::Sealing(error) => return error.hint(),
            Problem::Store { hint, .. } => return *hint,
            Problem::Exists => "use -f to replace it, or write elsewhere with -o",
            Problem::DanglingLink => "name the file itself",
            Problem::NoSuchDirectory => "make it first, or leave out the / at the end of the name",
            Problem::NotAFile => "look at it first, or use -o with a new name",
            Problem::NotRekeyable => "decrypt it and encrypt it anew",
            Problem::NotWithAge(_) => {
                "leave it out; to get a Polyseal file, decrypt it and encrypt it anew"
            }
            Problem::MoreThanHeader => "leave out --header for a file that begins with its header",
            Problem::Forbidden(_) => "write to another file",
            Problem::Changed => {
                "nothing was done to it: see who can write there and who can open it now, and run \
                 it again"
            }
            Problem::ChangedLength => "run it again when nothing writes to the file",
            Problem::Grew => {
                "run it again when nothing writes to the input, or let that pass: --allow-changed"
            }
            Problem::Torn(_) => "put it back: polyseal rekey --restore FILE",
            Problem::Busy | Problem::BusyTree => "run it again when that is done",
            Problem::NotTaken { .. } => {
                "when that is mended: polyseal encrypt --recursive --update"
            }
            Problem::InterruptedUpdate => "run it again: polyseal encrypt --recursive --update",
            Problem::UpdatedMeanwhile => "run it again",
            Problem::OlderTree(_) => "somebody may have put it back: use the newest backup",
            Problem::NotSigned => "ask who made it: polyseal sign --recursive",
            Problem::NotAState => "name another file, or move it away",
            Problem::TreeIsGone(_) => {
                "see whether it is mounted; to make it anew, remove the state first"
            }
            Problem::NoStateFolder => "name a file for it: --state FILE; or set HOME",
            Problem::NotInTree => "polyseal ls lists what it has",
            Problem::ChecksumNeedsKey => "give -k KEYFILE or -i IDENTITY, or leave out --checksum",
            Problem::EmptySource => {
                "see whether it is mounted; if it is to be empty: --allow-empty"
            }
            Problem::Interrupted => "put it back first: polyseal rekey --restore FILE",
            Problem::BadBackup(_) => {
                "if the file opens, remove the copy; if it is damaged, keep both"
            }
            Problem::BackupNameTaken(_) => {
                "rekey --in-place keeps a copy under that name; see what this is and who has put \
                 it there, then move it away"
            }
            Problem::NoManifest => "name single files, or a list of them: --files-from",
            Problem::Manifest(ManifestProblem::UnboundContents) => {
                "--allow-unbound-contents takes it all the same; rekey --recursive --bind-contents \
                 writes one that binds them"
            }
            Problem::Manifest(_) => "use a backup, or a newer polyseal",
            Problem::Missing => "use a backup",
            Problem::Added => "if you know it, open it by itself; if not, remove it",
            Problem::AddedCopy => {
                "put the headers back first: polyseal rekey --restore --recursive DIR"
            }
            Problem::OtherContents => "ask who can open it, and use a backup",
            Problem::OtherFile => {
                "it has been renamed, or is an older or a newer one: use a backup"
            }
            Problem::LinkLeadsOut(_) => "it was not made: make it yourself if you mean it",
            Problem::Nested(_) => "write to a directory outside of it",
            Problem::NotEmpty => {
                "name a new directory, or use -f to replace files of the same names"
            }
            Problem::Occupied(_) => {
                "name another prefix, or use -f to replace objects of the same names"
            }
            Problem::InAStore => "download it for that; or encrypt it anew",
            Problem::NotOurs => {
                "name a new directory, or use -f: then only you can read the new files"
            }
            Problem::Appeared => {
                "somebody else may have put it there: write to a folder of your own"
            }
            Problem::ReservedName => "rename it",
            Problem::SameName(_) => "rename one of them, or leave it out: --exclude",
            Problem::OneFile(_) => "rename one of them, or leave it out: nothing was replaced",
            Problem::LeadsOut => "with -o, name files by their paths from here",
            Problem::Special => "leave it out: --exclude",
            Problem::NotADirectory
            | Problem::ImpossibleName(_)
            | Problem::Caller(_)
            | Problem::Cancelled => return None,
        })
    }
}

/// The longest name of a file, in bytes, nearly everywhere.
const MAX_NAME_BYTES: usize = 255;
const _: () = assert!(MAX_NAME_BYTES - crate::SUFFIX.len() == 246);

/// Advice, if there is any, where the system refused to do `what`, a verb, to the file at `path`.
#[must_use]
pub fn path_hint(what: &str, path: &Path, error: &io::Error) -> Option<&'static str> {
    if path.file_name().is_some_and(|name| name.len() > MAX_NAME_BYTES) {
        return Some("a name has at most 255 bytes, 246 before .polyseal");
    }
    match error.kind() {
        io::ErrorKind::InvalidFilename => {
            Some("name it from a folder that is nearer to it: its path is too long")
        }
        io::ErrorKind::NotFound if what.starts_with("read") => Some("check the path"),
        _ => io_hint(error),
    }
}
