//! Which inputs there are, and where the output of each goes.
//!
//! One input goes to the given output, or to standard output. Of several on the command line, each
//! has a file of its own, beside it or in the given directory; and that there is a name for each,
//! and none twice, is known before the first is begun. Those of a list are looked at one by one:
//! beside its input, or at the same path beneath the given directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_local::{Error, FileTarget, Outputs, Patterns, Place, Problem, Written, beneath};

use crate::args::{ManyArgs, OutputArgs};
use crate::commands::many::Names;
use crate::error::{Failure, Result};
use crate::file_io::{ForbiddenOutputs, OutputFile, OutputKind};
use crate::objects::{below, is_object, is_prefix};
use crate::platform::descriptor;
use crate::streams::{is_standard_input, is_standard_output};

/// The name of the output, from that of the input.
pub(super) type OutputName = fn(&Path) -> Option<PathBuf>;

/// An input and its output.
pub(super) struct Job {
    pub(super) input: Option<PathBuf>,
    output: Target,
    /// The outputs of the run, if it has others.
    run: Option<Arc<Written>>,
}

enum Target {
    Named(OutputArgs),
    In { place: Place, force: bool },
}

pub(super) enum Jobs {
    Alone(Job),
    Several(Vec<Job>),
    ListOutputs(Box<(Names, ListOutputs)>),
}

impl Jobs {
    pub(super) fn from_args(
        files: &[PathBuf],
        many: &ManyArgs,
        output: &OutputArgs,
        rename: OutputName,
    ) -> Result<Self> {
        let excluded = many.excluded()?;
        if let Some(names) = many.list()? {
            let listed = ListOutputs::new(output, excluded, rename)?;
            return Ok(Self::ListOutputs(Box::new((names, listed))));
        }
        let jobs = if many.exclude.is_empty() {
            on_command_line(files, output, rename)?
        } else {
            let files: Vec<_> =
                files.iter().filter(|file| !excluded.matches(file)).cloned().collect();
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
    /// The input's name; `-` for standard input.
    pub(super) fn name(&self) -> PathBuf {
        self.input.clone().unwrap_or_else(|| "-".into())
    }

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
        contents: OutputKind,
        forbidden_outputs: &ForbiddenOutputs,
    ) -> Result<OutputFile> {
        if let (Some(run), Some(path)) = (&self.run, self.to())
            && !is_object(path)
        {
            run.expect_free(path)?;
        }
        let output = match &self.output {
            Target::Named(args) => OutputFile::open(args, contents, forbidden_outputs)?,
            Target::In { place, force } => {
                OutputFile::open_at(place.clone(), *force, forbidden_outputs)?
            }
        };
        match &self.run {
            Some(run) => output.in_run(run),
            None => Ok(output),
        }
    }
}

fn on_command_line(files: &[PathBuf], output: &OutputArgs, rename: OutputName) -> Result<Jobs> {
    let directory = output.output.as_deref().is_some_and(is_directory);
    let alone = match files {
        [] => true,
        [one] => !directory || is_standard_input(one),
        _ => false,
    };
    if alone {
        if let Some(path) =
            output.output.as_deref().filter(|path| !is_object(path) && path.is_file())
        {
            // Known before anything is asked for.
            if !output.force && descriptor(path).is_none() {
                return Err(crate::error::already_exists(path));
            }
        }
        let output = OutputArgs { output: output.output.clone(), force: output.force };
        return Ok(Jobs::Alone(Job {
            input: files.first().cloned(),
            output: Target::Named(output),
            run: None,
        }));
    }
    let directory = out_directory(output)?;
    let inputs: Vec<_> = files.iter().map(|path| meant(path)).collect();
    let mut seen = BTreeSet::new();
    // Without -f, nothing is where an output goes: that is looked at below.
    let run = if output.force { Written::new() } else { Written::where_nothing_is() };
    let job = |path: &PathBuf| {
        let failure = |what: &str| Failure::usage(format!("{} {what}", path.display()));
        if is_standard_input(path) {
            return Err(failure("cannot be one of several inputs"));
        }
        let to = output_path(path, rename)?;
        let to = match (directory, to.file_name()) {
            (None, _) => to,
            (Some(prefix), Some(name)) if is_object(prefix) => below(prefix, name.as_ref())?,
            (Some(directory), Some(name)) => directory.join(name),
            (Some(_), None) => return Err(failure("has no name")),
        };
        let meant = meant(&to);
        let may_be_input = is_object(&to) || matches!(meant, FileTarget::File(_));
        if may_be_input && inputs.contains(&meant) {
            return Err(failure("would replace another input").hint("write to another directory"));
        }
        // For an object, that is asked when it is begun.
        if !output.force && !is_object(&to) && to.exists() {
            return Err(crate::error::already_exists(&to));
        }
        if !seen.insert(meant) {
            return Err(same_output(path));
        }
        let output = OutputArgs { output: Some(to), force: output.force };
        let run = Some(Arc::clone(&run));
        Ok(Job { input: Some(path.clone()), output: Target::Named(output), run })
    };
    Ok(Jobs::Several(files.iter().map(job).collect::<Result<_>>()?))
}

/// The target that a name means; an object is known by its name alone.
fn meant(path: &Path) -> FileTarget {
    if is_object(path) { FileTarget::Nothing(path.to_owned()) } else { FileTarget::from_path(path) }
}

fn is_directory(path: &Path) -> bool {
    if is_object(path) { is_prefix(path) } else { path.is_dir() }
}

/// The directory or prefix that the outputs of several inputs go to, if one is named.
fn out_directory(output: &OutputArgs) -> Result<Option<&Path>> {
    match output.output.as_deref() {
        Some(path) if is_object(path) && !is_prefix(path) => {
            let message = format!("{} is one object", path.display());
            Err(Failure::usage(message).hint("a prefix, for several, ends in /"))
        }
        Some(path) if !is_directory(path) => {
            let message = format!("{} is not a directory", path.display());
            Err(Failure::usage(message).hint("several inputs need an output file each"))
        }
        directory => Ok(directory),
    }
}

fn output_path(path: &Path, rename: OutputName) -> Result<PathBuf> {
    rename(path).ok_or_else(|| {
        Failure::usage(format!("{} has no name that ends in .polyseal or .age", path.display()))
            .hint("decrypt it alone, with -o FILE")
    })
}

/// The outputs of the inputs in a list.
pub(super) struct ListOutputs {
    outputs: Outputs,
    directory: Option<PathBuf>,
    force: bool,
    excluded: Patterns,
    rename: OutputName,
    run: Arc<Written>,
}

impl ListOutputs {
    fn new(output: &OutputArgs, excluded: Patterns, rename: OutputName) -> Result<Self> {
        let directory = out_directory(output)?;
        let outputs = match directory {
            Some(directory) if !is_object(directory) => Outputs::beneath(directory)?,
            _ => Outputs::beside_inputs(),
        };
        let directory = directory.map(Path::to_owned);
        let (force, run) = (output.force, Written::new());
        Ok(Self { outputs, directory, force, excluded, rename, run })
    }

    pub(super) fn matches(&self, path: &Path) -> bool {
        !self.excluded.matches(path)
    }

    pub(super) fn job(&self, path: &Path) -> Result<Job> {
        let name = output_path(path, self.rename)?;
        if let Some(to) = self.object(path, &name)? {
            if self.force && !self.outputs.begin_named(&to) {
                return Err(same_output(path));
            }
            let output = OutputArgs { output: Some(to), force: self.force };
            let (input, output) = (Some(path.to_owned()), Target::Named(output));
            return Ok(Job { input, output, run: None });
        }
        let place = self.outputs.place(path, &name)?;
        if self.force && !self.outputs.begin(&place) {
            return Err(same_output(path));
        }
        let output = Target::In { place, force: self.force };
        Ok(Job { input: Some(path.to_owned()), output, run: Some(Arc::clone(&self.run)) })
    }

    /// The object that is the output of `path`; `None` for a file beside its input or beneath a
    /// directory.
    fn object(&self, path: &Path, name: &Path) -> Result<Option<PathBuf>> {
        match &self.directory {
            None => Ok(is_object(path).then(|| name.to_owned())),
            // A key is no path from here.
            Some(_) if is_object(path) => Err(Error::new(path, Problem::LeadsOut).into()),
            Some(prefix) if is_object(prefix) => {
                let name = beneath(name).ok_or_else(|| Error::new(path, Problem::LeadsOut))?;
                below(prefix, &name).map(Some)
            }
            Some(_) => Ok(None),
        }
    }
}

fn same_output(path: &Path) -> Failure {
    Failure::usage(format!("{} would have the output of another input", path.display()))
        .hint("give them one after the other")
}
