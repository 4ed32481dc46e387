//! Which inputs there are, and where the output of each goes.
//!
//! One input goes where it is told to, or to standard output. Of several on the command line, each
//! has a file of its own, beside it or in the directory that is told; and that there is a name for
//! each, and none twice, is known before the first is begun. Those of a list are looked at one by
//! one: beside its input, or at the same path beneath the directory that is told.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use polyseal_local::{Directory, FileId, Place, beneath};

use crate::args::{ManyArgs, OutputArgs};
use crate::commands::many::{Excluded, Names};
use crate::error::{Failure, Result};
use crate::file_io::{Contents, ForbiddenOutputs, OutputFile};
use crate::streams::{descriptor, is_standard_input, is_standard_output};

/// What is added to the name of a file that is encrypted beside others.
pub(crate) const SUFFIX: &str = "polyseal";
pub(super) const AGE_SUFFIX: &str = "age";

/// The name of the output, from that of the input.
pub(super) type Rename = fn(&Path) -> Option<PathBuf>;

/// An input and its output.
pub(super) struct Job {
    pub(super) input: Option<PathBuf>,
    output: Target,
}

enum Target {
    Named(OutputArgs),
    In { place: Place, force: bool },
}

pub(super) enum Jobs {
    Alone(Job),
    Several(Vec<Job>),
    Listed(Box<(Names, Listed)>),
}

impl Jobs {
    pub(super) fn of(
        files: &[PathBuf],
        many: &ManyArgs,
        output: &OutputArgs,
        rename: Rename,
    ) -> Result<Self> {
        let excluded = Excluded::new(&many.exclude)?;
        if let Some(names) = many.list()? {
            let listed = Listed::new(output, excluded, rename)?;
            return Ok(Self::Listed(Box::new((names, listed))));
        }
        let jobs = if many.exclude.is_empty() {
            on_command_line(files, output, rename)?
        } else {
            let files: Vec<_> = files.iter().filter(|file| !excluded.has(file)).cloned().collect();
            if files.is_empty() {
                return Ok(Self::Several(Vec::new()));
            }
            on_command_line(&files, output, rename)?
        };
        if let (Self::Alone(job), true) = (&jobs, many.json)
            && job.is_to_standard_output()
        {
            return Err(Failure::usage(
                "--json and the contents cannot both go to standard output",
            )
            .hint("write the contents to a file: -o OUT"));
        }
        Ok(jobs)
    }
}

impl Job {
    fn is_to_standard_output(&self) -> bool {
        match &self.output {
            Target::Named(args) => args.output.as_deref().is_none_or(is_standard_output),
            Target::In { .. } => false,
        }
    }

    /// Where the output shall be, if it has a name.
    pub(super) fn to(&self) -> Option<&Path> {
        match &self.output {
            Target::Named(args) => args.output.as_deref(),
            Target::In { place, .. } => Some(place.shown()),
        }
    }

    pub(super) fn open_output(
        &self,
        contents: Contents,
        taken: &ForbiddenOutputs,
    ) -> Result<OutputFile> {
        match &self.output {
            Target::Named(args) => OutputFile::open(args, contents, taken),
            Target::In { place, force } => OutputFile::inside(place.clone(), *force, taken),
        }
    }
}

fn on_command_line(files: &[PathBuf], output: &OutputArgs, rename: Rename) -> Result<Jobs> {
    let directory = output.output.as_deref().is_some_and(Path::is_dir);
    let alone = match files {
        [] => true,
        [one] => !directory || is_standard_input(one),
        _ => false,
    };
    if alone {
        if let Some(path) = output.output.as_deref().filter(|path| path.is_file()) {
            // Known before anything is asked for.
            if !output.force && descriptor(path).is_none() {
                return Err(crate::error::already_exists(path));
            }
        }
        let output = OutputArgs { output: output.output.clone(), force: output.force };
        return Ok(Jobs::Alone(Job {
            input: files.first().cloned(),
            output: Target::Named(output),
        }));
    }
    let directory = out_directory(output)?;
    let inputs: Vec<_> = files.iter().filter_map(|path| id(path)).collect();
    let mut seen = BTreeSet::new();
    let job = |path: &PathBuf| {
        let failure = |what: &str| Failure::usage(format!("{} {what}", path.display()));
        if is_standard_input(path) {
            return Err(failure("cannot be one of several inputs"));
        }
        let to = renamed(path, rename)?;
        let to = match (directory, to.file_name()) {
            (None, _) => to,
            (Some(directory), Some(name)) => directory.join(name),
            (Some(_), None) => return Err(failure("has no name")),
        };
        if id(&to).is_some_and(|to| inputs.contains(&to)) {
            return Err(failure("would replace another input").hint("write to another directory"));
        }
        if !output.force && to.exists() {
            return Err(crate::error::already_exists(&to));
        }
        if !seen.insert(place(&to)) {
            return Err(failure("would have the output of another input")
                .hint("give them one after the other"));
        }
        let output = OutputArgs { output: Some(to), force: output.force };
        Ok(Job { input: Some(path.clone()), output: Target::Named(output) })
    };
    Ok(Jobs::Several(files.iter().map(job).collect::<Result<_>>()?))
}

/// The directory that the outputs of several inputs go to, if one is named.
fn out_directory(output: &OutputArgs) -> Result<Option<&Path>> {
    match output.output.as_deref() {
        Some(path) if !path.is_dir() => {
            let message = format!("{} is not a directory", path.display());
            Err(Failure::usage(message).hint("of several inputs, each has a file of its own"))
        }
        directory => Ok(directory),
    }
}

fn renamed(path: &Path, rename: Rename) -> Result<PathBuf> {
    rename(path).ok_or_else(|| {
        Failure::usage(format!("{} has no name that ends in .polyseal or .age", path.display()))
            .hint("decrypt it alone, with -o FILE")
    })
}

/// The outputs of the inputs in a list.
pub(super) struct Listed {
    directory: Option<(Directory, PathBuf)>,
    force: bool,
    excluded: Excluded,
    rename: Rename,
    /// With `-f`, the outputs that have been begun, by two hashes each: what one input gave must
    /// not be replaced by what another gives.
    begun: Mutex<HashSet<(u64, u64)>>,
    hashers: [RandomState; 2],
}

impl Listed {
    fn new(output: &OutputArgs, excluded: Excluded, rename: Rename) -> Result<Self> {
        let open = |path: &Path| match Directory::open(path) {
            Ok(opened) => Ok((opened, path.to_owned())),
            Err(error) => Err(Failure::io("write", path, &error)),
        };
        Ok(Self {
            directory: out_directory(output)?.map(open).transpose()?,
            force: output.force,
            excluded,
            rename,
            begun: Mutex::default(),
            hashers: [RandomState::new(), RandomState::new()],
        })
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        !self.excluded.has(path)
    }

    pub(super) fn job(&self, path: &Path) -> Result<Job> {
        let to = renamed(path, self.rename)?;
        let (opened, shown) = match &self.directory {
            None => (Directory::of(&to), to),
            Some((directory, root)) => {
                let to = beneath(&to).ok_or_else(|| {
                    let message = format!("{} leads out of this directory", path.display());
                    Failure::usage(message).hint("with -o, name files by their paths from here")
                })?;
                (directory.make_way_to(&to), root.join(to))
            }
        };
        let (directory, name) = opened.map_err(|error| Failure::io("write", &shown, &error))?;
        if self.force && !self.begin(&directory, &name) {
            let message = format!("{} would have the output of another input", path.display());
            return Err(Failure::usage(message).hint("give them one after the other"));
        }
        let output = Target::In { place: Place::inside(directory, name, shown), force: self.force };
        Ok(Job { input: Some(path.to_owned()), output })
    }

    /// Whether it is the first with this output.
    fn begin(&self, directory: &Directory, name: &OsStr) -> bool {
        let place = (FileId::of_open(directory), name);
        let [one, other] = self.hashers.each_ref().map(|hasher| hasher.hash_one(place));
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert((one, other))
    }
}

fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|metadata| FileId::of(&metadata))
}

/// The file at `path`, or where it would come to be: by whatever name, the same.
pub(super) fn place(path: &Path) -> (Option<FileId>, PathBuf) {
    if let Some(id) = id(path) {
        return (Some(id), PathBuf::new());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")));
    let place = directory.ok().and_then(|directory| Some(directory.join(path.file_name()?)));
    (None, place.unwrap_or_else(|| path.to_owned()))
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

pub(super) fn without_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes();
    let name = name.strip_suffix(SUFFIX.as_bytes()).or(name.strip_suffix(AGE_SUFFIX.as_bytes()))?;
    let name = name.strip_suffix(b".")?;
    let is_name = !matches!(name, b"" | b"." | b"..");
    is_name.then(|| path.with_file_name(OsStr::from_bytes(name)))
}
