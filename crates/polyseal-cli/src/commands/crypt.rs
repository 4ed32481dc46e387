//! `encrypt`, `decrypt` and `verify`: one input, or several, each with an output of its own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use polyseal::needs::{CpuClass, Need, fastest};
use polyseal::registry::Family;
use polyseal_file::{
    ArmorReader, ArmorWriter, DEFAULT_SUITE, Encryptor, Input, Output, Recipients, SegmentSize,
    Suite, Summary, age,
};

use super::print;
use crate::args::{DecryptArgs, EncryptArgs, Format, OutputArgs, VerifyFilesArgs};
use crate::error::{Failure, Result, shown};
use crate::file_io::{Contents, FileId, InputFile, OutputFile};
use crate::keys::{self, NewPassphrase, Opening, Sources};
use crate::progress::Progress;
use crate::streams::{descriptor, is_standard_input, is_standard_output};

/// Shorter files are read as streams: it is as fast, and files whose length the system does not
/// tell, such as those in /proc, are read to their end.
const READ_AT_OFFSETS: u64 = 1024 * 1024;

/// What is added to the name of a file that is encrypted beside others.
const SUFFIX: &str = "polyseal";
const AGE_SUFFIX: &str = "age";

type Report<'a> = Option<&'a (dyn Fn(u64) + Sync)>;

pub(crate) fn encrypt(args: &EncryptArgs) -> Result {
    match args.format {
        Format::Polyseal => encrypt_polyseal(args),
        Format::Age => encrypt_age(args),
    }
}

fn encrypt_polyseal(args: &EncryptArgs) -> Result {
    let suite = match &args.suite {
        Some(suite) => suite.parse()?,
        None if args.need.is_empty() => DEFAULT_SUITE.parse()?,
        None => chosen(&args.need)?,
    };
    let segment = args.segment_size.map(SegmentSize::new).transpose()?.unwrap_or_default();
    let header_bytes = usize::try_from(args.header_size.unwrap_or_default())
        .ok()
        .filter(|&bytes| bytes <= polyseal_file::MAX_HEADER_BYTES)
        .ok_or_else(|| Failure::usage("--header-size: a header has at most 64KiB"))?;
    let context = args.context.get()?;
    let jobs = jobs(&args.files, &args.output, &|path| Some(with_suffix(path, SUFFIX)))?;
    let (recipients, sources) = recipients(args)?;
    let mut encryptor =
        Encryptor::new(&recipients).suite(suite).segment_size(segment).header_bytes(header_bytes);
    if let Some(context) = &context {
        encryptor = encryptor.context(context);
    }
    if let Some(threads) = args.work.threads {
        encryptor = encryptor.threads(threads);
    }
    if let Some(path) = &args.header {
        let [job] = &jobs[..] else { return Err(one_header()) };
        return encrypt_detached(encryptor, job, path, &sources);
    }
    encrypt_each(args, &jobs, &sources, |input, output, report| {
        report.map_or(encryptor, |report| encryptor.progress(report)).encrypt(input, output)
    })
}

fn encrypt_age(args: &EncryptArgs) -> Result {
    let unfit = [
        ("--suite", args.suite.is_some()),
        ("--need", !args.need.is_empty()),
        ("--segment-size", args.segment_size.is_some()),
        ("--header-size", args.header_size.is_some()),
        ("--context", args.context.context.is_some()),
        ("--key", !args.key.is_empty()),
        ("--header", args.header.is_some()),
    ];
    if let Some((option, _)) = unfit.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("{option} does not go with --format age"))
            .hint("leave out one of them: an age file is for recipients, or a passphrase alone"));
    }
    let jobs = jobs(&args.files, &args.output, &|path| Some(with_suffix(path, AGE_SUFFIX)))?;
    let (recipients, sources) = recipients(args)?;
    let mut encryptor = age::v1::Encryptor::new(&recipients);
    if let Some(threads) = args.work.threads {
        encryptor = encryptor.threads(threads);
    }
    encrypt_each(args, &jobs, &sources, |input, output, report| {
        report.map_or(encryptor, |report| encryptor.progress(report)).encrypt(input, output)
    })
}

fn recipients(args: &EncryptArgs) -> Result<(Recipients, Sources)> {
    let mut sources = Sources::new([args.passphrase_fd, None])?;
    let passphrase = NewPassphrase::of(&args.recipients, args.passphrase_fd);
    let recipients =
        keys::recipients(&args.recipients, &args.key, &args.identity, passphrase, &mut sources)?;
    Ok((recipients, sources))
}

fn encrypt_each(
    args: &EncryptArgs,
    jobs: &[Job],
    sources: &Sources,
    seal: impl Fn(Input<'_>, Output<'_>, Report<'_>) -> polyseal_file::Result<Summary>,
) -> Result {
    let contents = if args.armor { Contents::Unknown } else { Contents::Binary };
    for_each(jobs, |job| {
        carry(job, sources, contents, |input, output, report| {
            let input = input.source();
            if !args.armor {
                seal(input, output.sink(), report).map_err(Failure::sealing)?;
                return Ok(());
            }
            let mut armor = match args.format {
                Format::Polyseal => ArmorWriter::new(output),
                Format::Age => ArmorWriter::age(output),
            };
            seal(input, Output::Stream(&mut armor), report).map_err(Failure::sealing)?;
            armor.finish().map_err(write_error)?;
            Ok(())
        })
    })
}

/// The header into a file of its own. It is on disk before the payload appears: a payload that
/// nobody can open is worse than a header without one.
fn encrypt_detached(encryptor: Encryptor<'_>, job: &Job, path: &Path, sources: &Sources) -> Result {
    let to = job.output.output.as_deref();
    let same = match to {
        Some(to) if !is_standard_output(to) => place(to) == place(path),
        _ => is_standard_output(path),
    };
    if same {
        return Err(Failure::usage("the header and the payload cannot go to one place")
            .hint("name a file for each: --header FILE -o OUT"));
    }
    if path.is_file() && !is_standard_output(path) {
        let message = format!("{} already exists", path.display());
        return Err(Failure::usage(message)
            .hint("no header is replaced: it may be all that opens another payload"));
    }
    let taken: Vec<_> = sources.taken().collect();
    let args = OutputArgs { output: Some(path.to_owned()), force: false };
    let mut header_file = OutputFile::open(&args, Contents::Binary, &taken)?;
    carry(job, sources, Contents::Binary, |input, output, report| {
        let encryptor = report.map_or(encryptor, |report| encryptor.progress(report));
        let (input, output) = (input.source(), output.sink());
        let (header, _) = encryptor.encrypt_detached(input, output).map_err(Failure::sealing)?;
        header_file.write_all(header.as_bytes())?;
        header_file.sync()?;
        header_file.commit()
    })
}

fn one_header() -> Failure {
    Failure::usage("one header is for one payload").hint("give them one after the other")
}

pub(crate) fn decrypt(args: &DecryptArgs) -> Result {
    let opening = Opening::to_read(&args.read, args.work.threads)?;
    let decryptor = opening.decryptor();
    let jobs = jobs(&args.files, &args.output, &without_suffix)?;
    if opening.header.is_some() && jobs.len() > 1 {
        return Err(one_header());
    }
    for_each(&jobs, |job| {
        carry(job, &opening.sources, Contents::Unknown, |input, output, report| {
            let decryptor = report.map_or(decryptor, |report| decryptor.progress(report));
            input.unarmored(&opening, |input| decryptor.decrypt(input, output.sink()))?;
            Ok(())
        })
    })
}

pub(crate) fn verify(args: &VerifyFilesArgs) -> Result {
    let opening = Opening::to_read(&args.read, args.work.threads)?;
    let decryptor = opening.decryptor();
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { &args.files };
    if opening.header.is_some() && files.len() > 1 {
        return Err(one_header());
    }
    for_each(files, |path| {
        let mut input = InputFile::open(Some(path))?;
        let bar = Progress::new(input.length, false);
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        let decryptor = if bar.is_some() { decryptor.progress(&add) } else { decryptor };
        let summary = input.unarmored(&opening, |input| decryptor.verify(input))?;
        drop(bar);
        let name = shown(&path.display().to_string());
        print(&format!("{name}: whole and authentic, {} bytes\n", summary.plaintext_bytes))
    })
}

/// The fastest suite on this machine that has what is needed.
fn chosen(needs: &[Need]) -> Result<Suite> {
    let Some(algorithm) = fastest(CpuClass::here(), needs, for_files) else {
        let names: Vec<_> = needs.iter().map(|need| need.name()).collect();
        return Err(Failure::usage(format!("no suite for files is {}", names.join(" and ")))
            .hint("`polyseal suites --need …` shows what has a property"));
    };
    let suite = Suite::new(&algorithm)?;
    super::note(&format!("the suite is {suite}"));
    Ok(suite)
}

fn for_files(family: &Family) -> bool {
    super::suites_of(family).next().is_some()
}

/// An input and its output.
struct Job {
    input: Option<PathBuf>,
    output: OutputArgs,
}

/// One input goes where it is told to, or to standard output. Of several, each has a file of its
/// own, beside it or in the directory that is told; and that there is a name for each, and none
/// twice, is known before the first is begun.
fn jobs(
    files: &[PathBuf],
    output: &OutputArgs,
    name: &dyn Fn(&Path) -> Option<PathBuf>,
) -> Result<Vec<Job>> {
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
                return Err(crate::file_io::already_exists(path));
            }
        }
        let output = OutputArgs { output: output.output.clone(), force: output.force };
        return Ok(vec![Job { input: files.first().cloned(), output }]);
    }
    if let Some(directory) = output.output.as_deref().filter(|path| !path.is_dir()) {
        let message = format!("{} is not a directory", directory.display());
        return Err(Failure::usage(message).hint("of several inputs, each has a file of its own"));
    }
    let inputs: Vec<_> = files.iter().filter_map(|path| id(path)).collect();
    let mut seen = BTreeSet::new();
    let job = |path: &PathBuf| {
        let failure = |what: &str| Failure::usage(format!("{} {what}", path.display()));
        if is_standard_input(path) {
            return Err(failure("cannot be one of several inputs"));
        }
        let to = name(path).ok_or_else(|| {
            failure("has no name that ends in .polyseal or .age")
                .hint("decrypt it alone, with -o FILE")
        })?;
        let to = match (&output.output, to.file_name()) {
            (None, _) => to,
            (Some(directory), Some(name)) => directory.join(name),
            (Some(_), None) => return Err(failure("has no name")),
        };
        if id(&to).is_some_and(|to| inputs.contains(&to)) {
            return Err(failure("would replace another input").hint("write to another directory"));
        }
        if !output.force && to.exists() {
            return Err(crate::file_io::already_exists(&to));
        }
        if !seen.insert(place(&to)) {
            return Err(failure("would have the output of another input")
                .hint("give them one after the other"));
        }
        let output = OutputArgs { output: Some(to), force: output.force };
        Ok(Job { input: Some(path.clone()), output })
    };
    files.iter().map(job).collect()
}

fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|metadata| FileId::of(&metadata))
}

/// The file at `path`, or where it would come to be: by whatever name, the same.
fn place(path: &Path) -> (Option<FileId>, PathBuf) {
    if let Some(id) = id(path) {
        return (Some(id), PathBuf::new());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")));
    let place = directory.ok().and_then(|directory| Some(directory.join(path.file_name()?)));
    (None, place.unwrap_or_else(|| path.to_owned()))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

fn without_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes();
    let name = name.strip_suffix(SUFFIX.as_bytes()).or(name.strip_suffix(AGE_SUFFIX.as_bytes()))?;
    let name = name.strip_suffix(b".")?;
    let is_name = !matches!(name, b"" | b"." | b"..");
    is_name.then(|| path.with_file_name(OsStr::from_bytes(name)))
}

/// Does `work` for each: one that fails does not keep the others from being done. The exit code is
/// that of the first that failed.
fn for_each<T: Named>(all: &[T], mut work: impl FnMut(&T) -> Result) -> Result {
    if let [one] = all {
        return work(one);
    }
    let mut codes = Vec::new();
    for one in all {
        if let Err(failure) = work(one) {
            let failure = match one.name() {
                Some(name) => failure.about(name),
                None => failure,
            };
            failure.tell();
            codes.push(failure.code);
        }
    }
    match codes.first() {
        None => Ok(()),
        Some(&code) => {
            Err(Failure::new(code, format!("{} of {} files failed", codes.len(), all.len())))
        }
    }
}

trait Named {
    fn name(&self) -> Option<&Path>;
}

impl Named for Job {
    fn name(&self) -> Option<&Path> {
        self.input.as_deref()
    }
}

impl Named for PathBuf {
    fn name(&self) -> Option<&Path> {
        Some(self)
    }
}

/// Opens what the job names, lets `work` carry the payload, and lets the output appear.
fn carry(
    job: &Job,
    sources: &Sources,
    contents: Contents,
    work: impl FnOnce(&mut InputFile, &mut OutputFile, Report<'_>) -> Result,
) -> Result {
    let mut input = InputFile::open(job.input.as_deref())?;
    let taken: Vec<_> = [(input.id, "the input")].into_iter().chain(sources.taken()).collect();
    let mut output = OutputFile::open(&job.output, contents, &taken)?;
    let bar = Progress::new(input.length.filter(|&length| length > 0), output.is_terminal());
    let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
    let report: Report<'_> = if bar.is_some() { Some(&add) } else { None };
    work(&mut input, &mut output, report)?;
    output.commit()
}

fn write_error(source: io::Error) -> Failure {
    polyseal_file::Error::Io { what: "write the output", source }.into()
}

impl InputFile {
    fn source(&mut self) -> Input<'_> {
        if self.length.is_some_and(|length| length >= READ_AT_OFFSETS) {
            Input::File(&self.file)
        } else {
            Input::Stream(self)
        }
    }

    /// Lets `work` have the file without its armour, if it has one.
    fn unarmored<T>(
        &mut self,
        opening: &Opening,
        work: impl FnOnce(Input<'_>) -> polyseal_file::Result<T>,
    ) -> Result<T> {
        // A payload alone begins with any byte.
        let first = if opening.header.is_none() { self.first_byte()? } else { None };
        let name = self.name.clone();
        if first.is_some_and(polyseal_file::looks_armored) {
            let mut reader = ArmorReader::new(self);
            return work(Input::Stream(&mut reader)).map_err(|error| opening.refused(error, &name));
        }
        if self.length.is_some_and(|length| length >= READ_AT_OFFSETS) {
            return work(Input::File(&self.file)).map_err(|error| opening.refused(error, &name));
        }
        work(Input::Stream(self)).map_err(|error| opening.refused(error, &name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`fastest`] knows which families are for files, and not which of their instances are.
    #[test]
    fn what_is_chosen_for_any_needs_is_a_suite() {
        for bits in 0..1_u32 << Need::ALL.len() {
            let wanted = |(i, need): (usize, &Need)| (bits >> i & 1 == 1).then_some(*need);
            let needs: Vec<_> = Need::ALL.iter().enumerate().filter_map(wanted).collect();
            for machine in CpuClass::ALL {
                let chosen = fastest(*machine, &needs, for_files);
                assert!(chosen.is_none_or(|a| Suite::new(&a).is_ok()), "{needs:?}: {chosen:?}");
            }
        }
    }

    #[test]
    fn a_need_for_commitment_is_met_by_the_suite() {
        for needs in [&[Need::Committing][..], &[Need::Committing, Need::Fips, Need::Key256]] {
            assert_eq!(chosen(needs).unwrap().to_string(), "kc-xaes-256-gcm");
        }
    }
}
