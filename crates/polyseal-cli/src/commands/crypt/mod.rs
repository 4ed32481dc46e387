//! `encrypt`, `decrypt` and `verify`: one input, or several, each with an output of its own.

mod jobs;

use std::iter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use polyseal::needs::{CpuClass, Need, fastest};
use polyseal::registry::Family;
use polyseal_file::statement::{AcceptedSigner, Binding};
use polyseal_file::{
    ArmorWriter, DEFAULT_SUITE, Decryptor, Encryptor, Input, Output, PORTABLE_SUITE, Passphrase,
    Recipients, RunOptions, SegmentSize, Suite, Summary, age,
};

use self::jobs::{Job, Jobs};
use super::many::{self, FileSuccess};
use super::{print, trees};
use polyseal_local::{
    AGE_SUFFIX, FileId, FileTarget, Problem, SUFFIX, StatementSigner, with_suffix, without_suffix,
};

use crate::args::{
    DecryptArgs, EncryptArgs, Format, ManyArgs, OutputArgs, VerifyFilesArgs, WorkArgs,
};
use crate::error::{Failure, Result, shown};
use crate::file_io::{InputFile, OutputFile, OutputKind, write_error};
use crate::keys::{self, DecryptInputs, KeyInputs, NewPassphrase};
use crate::progress::{Bar, Progress};
use crate::statements::{self, Accepted, SignaturePolicy, SigningKey};
use crate::streams::is_standard_output;

pub(crate) fn encrypt(args: &EncryptArgs) -> Result {
    match args.format {
        Format::Polyseal => encrypt_polyseal(args),
        Format::Age => encrypt_age(args),
    }
}

fn encrypt_polyseal(args: &EncryptArgs) -> Result {
    let suite = match &args.suite {
        Some(suite) => suite.parse()?,
        None if args.portable => PORTABLE_SUITE.parse()?,
        None if args.need.is_empty() => DEFAULT_SUITE.parse()?,
        None => choose_suite(&args.need)?,
    };
    let segment = args.segment_size.map(SegmentSize::new).transpose()?.unwrap_or_default();
    let header_bytes = usize::try_from(args.header_size.unwrap_or_default())
        .ok()
        .filter(|&bytes| bytes <= polyseal_file::MAX_HEADER_BYTES)
        .ok_or_else(|| Failure::usage("--header-size: a header has at most 64KiB"))?;
    let context = args.context.get()?;
    let jobs = if args.many.recursive {
        if args.armor || args.header.is_some() {
            return Err(Failure::usage("--recursive goes with neither --armor nor --header"));
        }
        if args.signature.is_some() {
            return Err(
                Failure::usage("a tree has its statement in it").hint("leave out --signature")
            );
        }
        None
    } else {
        Some(Jobs::from_args(&args.files, &args.many, &args.output, |path| {
            Some(with_suffix(path, SUFFIX))
        })?)
    };
    let tree = args.many.recursive.then(|| trees::TreeEncryption::new(args)).transpose()?;
    let (recipients, sources, passphrase) = recipients(args)?;
    let run = run_options(&args.work, &args.many, jobs.as_ref());
    let mut encryptor = Encryptor::new(&recipients)
        .suite(suite)
        .segment_size(segment)
        .header_bytes(header_bytes)
        .running(run);
    if let Some(context) = &context {
        encryptor = encryptor.context(context);
    }
    let jobs = match (jobs, tree) {
        (Some(jobs), _) => jobs,
        (None, Some(tree)) => return tree.seal(args, encryptor, passphrase, &sources),
        (None, None) => return Ok(()),
    };
    if let Some(path) = &args.header {
        let Jobs::Alone(job) = &jobs else { return Err(one_header()) };
        return encrypt_detached(args, encryptor, job, path, &sources);
    }
    if let Some(key) = &args.sign {
        let Jobs::Alone(job) = &jobs else { return Err(one_statement()) };
        let key = SigningKey::read(key, &sources)?;
        return encrypt_signed(args, encryptor, job, &key, &sources);
    }
    encrypt_each(args, jobs, run, &sources, |input, output, run| {
        encryptor.running(run).encrypt(input, output)
    })
}

fn encrypt_age(args: &EncryptArgs) -> Result {
    let unfit = [
        ("--suite", args.suite.is_some()),
        ("--need", !args.need.is_empty()),
        ("--portable", args.portable),
        ("--segment-size", args.segment_size.is_some()),
        ("--header-size", args.header_size.is_some()),
        ("--context", args.context.context.is_some()),
        ("--key", !args.key.is_empty()),
        ("--header", args.header.is_some()),
        ("--recursive", args.many.recursive),
        ("--sign", args.sign.is_some()),
    ];
    if let Some((option, _)) = unfit.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("{option} does not go with --format age"))
            .hint("leave out one of them: an age file is for recipients, or a passphrase alone"));
    }
    let jobs = Jobs::from_args(&args.files, &args.many, &args.output, |path| {
        Some(with_suffix(path, AGE_SUFFIX))
    })?;
    let (recipients, sources, _) = recipients(args)?;
    let encryptor = age::v1::Encryptor::new(&recipients);
    let run = run_options(&args.work, &args.many, Some(&jobs));
    encrypt_each(args, jobs, run, &sources, |input, output, run| {
        encryptor.running(run).encrypt(input, output)
    })
}

fn recipients(args: &EncryptArgs) -> Result<(Recipients, KeyInputs, Option<Passphrase>)> {
    let sources = KeyInputs::new([args.passphrase_fd, None])?;
    let passphrase =
        NewPassphrase::new(&args.recipients, args.passphrase_fd, args.passphrase_file.as_deref());
    let (keys, identities) = (&args.key, &args.identity);
    let (recipients, passphrase) =
        keys::recipients_and_passphrase(&args.recipients, keys, identities, passphrase, &sources)?;
    Ok((recipients, sources, passphrase))
}

fn encrypt_each(
    args: &EncryptArgs,
    jobs: Jobs,
    run: RunOptions<'_>,
    sources: &KeyInputs,
    seal: impl Fn(Input<'_>, Output<'_>, RunOptions<'_>) -> polyseal_file::Result<Summary> + Sync,
) -> Result {
    let contents = if args.armor { OutputKind::Unknown } else { OutputKind::Binary };
    jobs.run_each(&args.many, run, sources, contents, "encrypted", |input, output, run| {
        let input = input.source();
        if !args.armor {
            let sealed = seal(input, output.sink(), run).map_err(Failure::sealing)?;
            return Ok(allowed(args, sealed));
        }
        let mut armor = match args.format {
            Format::Polyseal => ArmorWriter::new(output),
            Format::Age => ArmorWriter::age(output),
        };
        let sealed = seal(input, Output::Stream(&mut armor), run).map_err(Failure::sealing)?;
        armor.finish().map_err(write_error)?;
        Ok(allowed(args, sealed))
    })
}

/// The summary for [`carry`]: growth of the input is no failure if that is allowed.
fn allowed(args: &EncryptArgs, sealed: Summary) -> Summary {
    let mut sealed = sealed;
    sealed.grew &= !args.allow_changed;
    sealed
}

/// The run of each file: of one file, on as many threads as it likes.
fn run_options(work: &WorkArgs, many: &ManyArgs, jobs: Option<&Jobs>) -> RunOptions<'static> {
    match jobs {
        Some(Jobs::Alone(_)) => work.run(),
        _ => many.run_each(work),
    }
}

/// The header into a file of its own. It is on disk before the payload appears: a payload that
/// nobody can open is worse than a header without one.
fn encrypt_detached(
    args: &EncryptArgs,
    encryptor: Encryptor<'_>,
    job: &Job,
    path: &Path,
    sources: &KeyInputs,
) -> Result {
    let to = job.to();
    let same = match to {
        Some(to) if !is_standard_output(to) => {
            FileTarget::from_path(to) == FileTarget::from_path(path)
        }
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
    let forbidden_outputs = sources.forbidden_outputs();
    let to = OutputArgs { output: Some(path.to_owned()), force: false };
    let mut header_file = OutputFile::open(&to, OutputKind::Binary, &forbidden_outputs)?;
    let run = encryptor.run_options();
    carry(job, run, sources, OutputKind::Binary, None, |input, output, run| {
        let (input, output) = (input.source(), output.sink());
        let sealed = encryptor.running(run).encrypt_detached(input, output);
        let (header, sealed) = sealed.map_err(Failure::sealing)?;
        header_file.write_all(header.as_bytes())?;
        header_file.sync()?;
        header_file.commit()?;
        Ok(allowed(args, sealed))
    })
    .map(drop)
}

/// The statement into a file of its own. It appears before the file: a new one is never without
/// it.
fn encrypt_signed(
    args: &EncryptArgs,
    encryptor: Encryptor<'_>,
    job: &Job,
    key: &SigningKey,
    sources: &KeyInputs,
) -> Result {
    let to = job.to().filter(|to| !is_standard_output(to));
    let target = match (&args.signature, to) {
        (Some(signature), _) => signature.clone(),
        (None, Some(to)) => statements::target(None, to),
        (None, None) => {
            return Err(Failure::usage("a statement needs a file to go to")
                .hint("name it, --signature OUT, or the encrypted file, -o OUT"));
        }
    };
    if to.is_some_and(|to| FileTarget::from_path(to) == FileTarget::from_path(&target)) {
        return Err(Failure::usage("the file and its statement cannot go to one place")
            .hint("name a file for each: --signature OUT.sig -o OUT"));
    }
    let mut forbidden_outputs = sources.forbidden_outputs();
    let input = job.input.as_deref().and_then(|path| FileId::from_path(path).ok());
    forbidden_outputs.extend(input.map(|id| (id, "the input")));
    let mut beside = statements::create(&target, args.output.force, &forbidden_outputs)?;
    let run = encryptor.run_options();
    carry(job, run, sources, OutputKind::Binary, None, |input, output, run| {
        let (input, output) = (input.source(), output.sink());
        let sealed = encryptor.running(run).encrypt_stated(input, output, statements::now());
        let (sealed, statement, hashes) = sealed.map_err(Failure::sealing)?;
        beside.write_all(&key.sign(&statement, &hashes)?)?;
        beside.sync()?;
        beside.commit()?;
        Ok(allowed(args, sealed))
    })
    .map(drop)
}

fn one_statement() -> Failure {
    Failure::usage("--sign is for one file").hint("sign others later: polyseal sign")
}

fn one_header() -> Failure {
    Failure::usage("one header is for one payload").hint("give them one after the other")
}

pub(crate) fn decrypt(args: &DecryptArgs) -> Result {
    if args.many.recursive {
        return trees::decrypt(args);
    }
    let jobs = Jobs::from_args(&args.files, &args.many, &args.output, without_suffix)?;
    let run = run_options(&args.work, &args.many, Some(&jobs));
    let inputs = DecryptInputs::to_read(&args.read, run)?;
    let decryptor = inputs.decryptor();
    if inputs.header.is_some() && !matches!(jobs, Jobs::Alone(_)) {
        return Err(one_header());
    }
    let policy = SignaturePolicy::from_args(&args.read.signers)?;
    let (many, sources, contents) = (&args.many, &inputs.sources, OutputKind::Unknown);
    jobs.run_each(many, run, sources, contents, "decrypted", |input, output, run| {
        let name = input.name.clone();
        let accepted = policy.accept(&name)?;
        let decryptor = covered(decryptor.running(run), accepted.as_ref());
        let decrypted = decryptor.decrypt(input.source(), output.sink());
        decrypted.map_err(|error| inputs.explain_file(error, &name))
    })
}

pub(crate) fn verify(args: &VerifyFilesArgs) -> Result {
    if args.many.recursive {
        return trees::verify(args);
    }
    let many = &args.many;
    let excluded = many.excluded()?;
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { &args.files };
    let list = many.list()?;
    let alone = files.len() == 1 && list.is_none();
    let run = if alone { args.work.run() } else { many.run_each(&args.work) };
    let inputs = DecryptInputs::to_read(&args.read, run)?;
    let decryptor = inputs.decryptor();
    if inputs.header.is_some() && !alone {
        return Err(one_header());
    }
    let policy = SignaturePolicy::from_args(&args.read.signers)?;
    if policy.is_required() && !inputs.has_keys() && args.read.context.context.is_some() {
        return Err(Failure::usage("a context is compared when a file is opened")
            .hint("give a key, or leave out --context"));
    }
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = if alone { args.work.threads.unwrap_or(cores) } else { NonZeroUsize::MIN };
    let check = |path: &Path, bar: Option<&Bar>| {
        let accepted = policy.accept(path)?;
        if let Some(accepted) = accepted.as_ref().filter(|_| !inputs.has_keys()) {
            return verify_stored(path, accepted, threads);
        }
        let input = InputFile::open(Some(path));
        let tree = "the directory of a sealed tree takes --recursive";
        let mut input = input.map_err(|failure| failure.or_of_directory(tree))?;
        let own = bar.is_none().then(|| Bar::new(Progress::new(input.file_length(), false)));
        let bar = bar.or(own.as_ref());
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        let decryptor = covered(decryptor.running(run.progress(&add)), accepted.as_ref());
        let opened = decryptor.verify(input.source());
        let summary = opened.map_err(|error| inputs.explain_file(error, &input.name))?;
        let mut done = verified_file(path, summary.plaintext_bytes);
        if let Some(Accepted { signer, .. }) = &accepted {
            done.message = done.message.map(|message| with_signer(&message, signer));
        }
        Ok(done)
    };
    if let ([path], true, false) = (files, alone, many.json) {
        let done = check(path, None)?;
        if args.quiet {
            return Ok(());
        }
        return done.message.map_or(Ok(()), |message| print(&message));
    }
    let bar = Bar::new(match &list {
        Some(list) => many.progress(list)?,
        None => Progress::for_named(files.iter().map(PathBuf::as_path)),
    });
    let names: Box<dyn Iterator<Item = Result<PathBuf>> + Send> = match list {
        Some(list) => Box::new(list),
        None => Box::new(files.iter().cloned().map(Ok)),
    };
    let names = names.filter(|name| name.as_ref().map_or(true, |name| !excluded.matches(name)));
    let (telling, name) = (args.telling(), PathBuf::clone);
    many::for_each_file(many, telling, names, name, &bar, |path| check(&path, Some(&bar)))
}

/// With the statement that was accepted, if one was asked for.
fn covered<'a>(decryptor: Decryptor<'a>, accepted: Option<&'a Accepted>) -> Decryptor<'a> {
    match accepted {
        Some(accepted) => decryptor.covered_by(&accepted.coverage),
        None => decryptor,
    }
}

fn with_signer(message: &str, signer: &AcceptedSigner) -> String {
    format!("{}; {}\n", message.trim_end(), statements::signed_by(signer))
}

/// Without a key, the ciphertext is compared with its statement.
fn verify_stored(path: &Path, accepted: &Accepted, threads: NonZeroUsize) -> Result<FileSuccess> {
    let gone = || Failure::io("read", path, &std::io::ErrorKind::NotFound.into());
    let file = statements::at_offsets(path, "read")?.ok_or_else(gone)?;
    let verified = accepted.coverage.verify_stored(&file, threads);
    let bytes = verified.map_err(|error| statements::about(error, path))?;
    let name = shown(&path.display().to_string());
    let known = match accepted.binding {
        Binding::Header(_) => "as it was signed",
        Binding::Holder(_) => "contents as they were signed; the header needs a key",
    };
    let message = format!("{name}: {known}, {bytes} stored bytes\n");
    let message = Some(with_signer(&message, &accepted.signer));
    Ok(FileSuccess { outcome: "verified", bytes: Some(bytes), message })
}

/// The message of `verify` on a file that is whole.
pub(crate) fn verified_file(path: &Path, bytes: u64) -> FileSuccess {
    let name = shown(&path.display().to_string());
    let message = format!("{name}: whole and authentic, {bytes} bytes\n");
    FileSuccess { outcome: "verified", bytes: Some(bytes), message: Some(message) }
}

/// The fastest suite on this machine that meets the needs.
fn choose_suite(needs: &[Need]) -> Result<Suite> {
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

impl Jobs {
    /// Does `work` for each. `done` is the word for that.
    fn run_each(
        self,
        many: &ManyArgs,
        run: RunOptions<'_>,
        sources: &KeyInputs,
        contents: OutputKind,
        done: &'static str,
        work: impl Fn(&mut InputFile, &mut OutputFile, RunOptions<'_>) -> Result<Summary> + Sync,
    ) -> Result {
        let mut bar = None;
        let items: Box<dyn Iterator<Item = Result<Job>> + Send> = match self {
            Self::Alone(job) if !many.json => {
                return carry(&job, run, sources, contents, None, work).map(drop);
            }
            Self::Alone(job) => Box::new(iter::once(Ok(job))),
            Self::Several(jobs) => {
                bar = Progress::for_named(jobs.iter().filter_map(|job| job.input.as_deref()));
                Box::new(jobs.into_iter().map(Ok))
            }
            Self::ListOutputs(list) => {
                let (names, listed) = *list;
                let bar = Bar::new(many.progress(&names)?);
                let names = names.filter(|name| name.as_ref().map_or(true, |n| listed.matches(n)));
                let (telling, name) = (many.telling(), PathBuf::clone);
                return many::for_each_file(many, telling, names, name, &bar, |path| {
                    carry_one(&listed.job(&path)?, run, sources, contents, &bar, done, &work)
                });
            }
        };
        let bar = Bar::new(bar.or_else(|| Progress::for_files(None, None)));
        many::for_each_file(many, many.telling(), items, Job::name, &bar, |job| {
            carry_one(&job, run, sources, contents, &bar, done, &work)
        })
    }
}

/// One of many, whose bytes the bar of them all counts.
fn carry_one(
    job: &Job,
    run: RunOptions<'_>,
    sources: &KeyInputs,
    contents: OutputKind,
    bar: &Bar,
    outcome: &'static str,
    work: impl FnOnce(&mut InputFile, &mut OutputFile, RunOptions<'_>) -> Result<Summary>,
) -> Result<FileSuccess> {
    let Summary { plaintext_bytes: bytes, .. } =
        carry(job, run, sources, contents, Some(bar), work)?;
    Ok(FileSuccess { outcome, bytes: Some(bytes), message: None })
}

/// Opens the job's files, lets `work` carry the payload, and lets the output appear. The bytes are
/// counted by `bar`, or by one for this job alone.
fn carry(
    job: &Job,
    run: RunOptions<'_>,
    sources: &KeyInputs,
    contents: OutputKind,
    bar: Option<&Bar>,
    work: impl FnOnce(&mut InputFile, &mut OutputFile, RunOptions<'_>) -> Result<Summary>,
) -> Result<Summary> {
    let input = InputFile::open(job.input.as_deref());
    let tree = "a directory takes --recursive and -o OUT";
    let mut input = input.map_err(|failure| failure.or_of_directory(tree))?;
    let mut forbidden_outputs = sources.forbidden_outputs();
    forbidden_outputs.extend(input.id().map(|id| (id, "the input")));
    let mut output = job.open_output(contents, &forbidden_outputs)?;
    // In armour, which text may be, three bytes are four.
    let text = contents == OutputKind::Unknown;
    output.expect_bytes(
        input.size().map(|bytes| if text { bytes.saturating_add(bytes / 5 * 2) } else { bytes }),
    );
    let summary = {
        let length = input.file_length().filter(|&length| length > 0);
        let own = bar.is_none().then(|| Bar::new(Progress::new(length, output.is_terminal())));
        let bar = bar.or(own.as_ref());
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        work(&mut input, &mut output, run.progress(&add))?
    };
    output.commit()?;
    if summary.grew {
        // The output is there, with the input as it was at first.
        return Err(polyseal_local::Error::new(&input.name, Problem::Grew).into());
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};
    use crate::error::Code;

    /// [`fastest`] knows which families are for files, and not which of their instances are.
    #[test]
    fn what_is_chosen_for_any_needs_is_a_suite() {
        for bits in 0..1_u32 << Need::ALL.len() {
            let needs = Need::ALL.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let needs: Vec<_> = needs.map(|(_, need)| *need).collect();
            for machine in CpuClass::ALL {
                let suite = fastest(*machine, &needs, for_files);
                assert!(suite.is_none_or(|a| Suite::new(&a).is_ok()), "{needs:?}: {suite:?}");
            }
        }
    }

    /// A file that has grown gives an output, and a failure unless that is allowed.
    #[test]
    fn the_output_of_a_file_that_has_grown_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("log"), folder.path().join("log.polyseal"));
        let key = polyseal_file::Key::generate().unwrap();
        let recipients = Recipients::from(&key);
        let sources = KeyInputs::new([None, None]).unwrap();
        for allow in [false, true] {
            std::fs::write(&input, b"a line\n").unwrap();
            let grow = |_| {
                let mut log = std::fs::File::options().append(true).open(&input).unwrap();
                std::io::Write::write_all(&mut log, b"another\n").unwrap();
            };
            let to = output.to_str().unwrap();
            let line = ["polyseal", "encrypt", "-f", "-o", to, input.to_str().unwrap()];
            let line = line.into_iter().chain(allow.then_some("--allow-changed"));
            let Command::Encrypt(args) = Args::parse_from(line).command else { panic!("another") };
            let Jobs::Alone(job) =
                Jobs::from_args(&args.files, &args.many, &args.output, |_| None).unwrap()
            else {
                panic!("several")
            };
            let run = RunOptions::new().progress(&grow);
            let encryptor = Encryptor::new(&recipients).running(run);
            let done = carry(&job, run, &sources, OutputKind::Binary, None, |input, output, _| {
                let sealed = encryptor.encrypt(input.source(), output.sink())?;
                assert!(sealed.grew);
                Ok(allowed(&args, sealed))
            });
            assert_eq!(done.err().map(|failure| failure.code), (!allow).then_some(Code::Io));
            let sealed = std::fs::read(&output).unwrap();
            let opened = polyseal_file::decrypt(&(&key).into(), &sealed).unwrap();
            assert_eq!(opened, b"a line\n");
        }
    }

    #[test]
    fn a_need_for_commitment_is_met_by_the_suite() {
        for needs in [&[Need::Committing][..], &[Need::Committing, Need::Fips, Need::Key256]] {
            assert_eq!(choose_suite(needs).unwrap().to_string(), "kc-xaes-256-gcm");
        }
    }
}
