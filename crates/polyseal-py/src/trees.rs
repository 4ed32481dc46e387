//! Whole trees, which `polyseal-local` works on; `polyseal/trees.py` gives the arguments.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use polyseal_file::manifest::{Entry, Kind, State, Timestamp};
use polyseal_file::{COMMITMENT_BYTES, Decryptor, Encryptor};
use polyseal_local::{
    Error, FileOutcome, KnownBy, NewTree, OnFile, Options, PathChoice, Problem, Progress, Rekey,
    RekeyMode, RekeyPlan, RekeyTarget, Result, SealedTree, SignedTree, Total, TreeSealer,
    TreeUpdater, UpdateRules,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::callbacks::{Callbacks, ProgressKind};
use crate::errors::local_error;
use crate::files::{FormatOptions, existing};
use crate::key_set::KeySet;
use crate::statements::{SigningKey, TreeSigners, WantedParts};

/// Files, directories, links, and bytes of plaintext; unchanged files, and deleted ones.
type Summary = (u64, u64, u64, u64, u64, u64);

/// The state file of an update, and whether it keeps what was deleted, compares contents and takes
/// an empty source.
type Update = (Option<PathBuf>, bool, bool, bool);

/// Path, kind, state, reason, permissions, nanoseconds since 1970, and bytes of plaintext.
type Listed = (PathBuf, &'static str, &'static str, Option<String>, u16, i128, Option<u64>);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encrypt_tree, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt_tree, module)?)?;
    module.add_function(wrap_pyfunction!(verify_tree, module)?)?;
    module.add_function(wrap_pyfunction!(list_tree, module)?)?;
    module.add_class::<TreeEntries>()?;
    module.add_function(wrap_pyfunction!(sign_tree, module)?)?;
    module.add_function(wrap_pyfunction!(verify_signed_tree, module)?)?;
    module.add_function(wrap_pyfunction!(bind_tree, module)?)?;
    module.add_function(wrap_pyfunction!(rekey_tree, module)?)
}

/// How a tree is worked on.
struct TreeRun<'a> {
    callbacks: Callbacks,
    exclude: Option<Py<PyAny>>,
    jobs: Option<NonZeroUsize>,
    /// The directories whose paths failures begin with.
    roots: [&'a Path; 2],
}

impl<'a> TreeRun<'a> {
    fn new(
        roots: [&'a Path; 2],
        jobs: Option<usize>,
        exclude: Option<Py<PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let few = || PyValueError::new_err("jobs must be at least 1");
        let jobs = jobs.map(|jobs| NonZeroUsize::new(jobs).ok_or_else(few)).transpose()?;
        Ok(Self { callbacks: Callbacks::new(ProgressKind::Tree, progress), exclude, jobs, roots })
    }

    /// The answer of `exclude` for a path, in whatever thread.
    fn excludes(&self, path: &Path) -> bool {
        let Some(exclude) = &self.exclude else { return false };
        if self.callbacks.stopped() {
            return true;
        }
        let said = Python::attach(|py| exclude.bind(py).call1((path.as_os_str(),))?.is_truthy());
        said.unwrap_or_else(|raised| {
            self.callbacks.stop(raised);
            true
        })
    }

    fn work(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Options<'_>, OnFile<'_>) -> Result<Total> + Send,
    ) -> PyResult<Summary> {
        let exclude = |path: &Path| self.excludes(path);
        let mut options = Options::new().exclude(&exclude).progress(&self.callbacks);
        if let Some(jobs) = self.jobs {
            options = options.jobs(jobs);
        }
        let mut failures = Vec::new();
        let mut tell = |path: &Path, done: Result<FileOutcome>| {
            if !matches!(
                done,
                Ok(FileOutcome::Recorded { .. }
                    | FileOutcome::Linked { .. }
                    | FileOutcome::Left
                    | FileOutcome::Deleted)
            ) {
                self.callbacks.done();
            }
            failures.extend(done.err().map(|error| (path.to_owned(), error)));
            Ok(())
        };
        let total = py.detach(|| work(&options, &mut tell));
        if let Ok(Total { grew: grew @ 1.., .. }) = &total {
            let what = "has grown while it was read: the tree has what was there at first";
            self.callbacks
                .warn(format!("{}: of the files in it, {grew} {what}", self.roots[0].display()));
        }
        let total = self.callbacks.finish(py, total)?;
        if !failures.is_empty() {
            return Err(self.failed(py, &total, failures)?);
        }
        let Total { files, directories, links, bytes, unchanged, deleted, .. } = total;
        Ok((files, directories, links, bytes, unchanged, deleted))
    }

    /// The exception for the failures.
    fn failed(
        &self,
        py: Python<'_>,
        total: &Total,
        failures: Vec<(PathBuf, Error)>,
    ) -> PyResult<PyErr> {
        static FAILURE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let failure = FAILURE.import(py, "polyseal.errors", "TreeFailure")?;
        let all = total.files + total.unchanged + total.directories + total.links + total.failed;
        let text = format!("{} of {all} paths failed", failures.len());
        let failures = failures.into_iter().map(|(path, error)| {
            let short = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
            failure.call1((short.unwrap_or(&path), local_error(error).into_value(py)))
        });
        let failures = failures.collect::<PyResult<Vec<_>>>()?;
        let error = ERROR.import(py, "polyseal.errors", "TreeError")?.call1((text, failures))?;
        Ok(PyErr::from_value(error))
    }

    /// Ends the work if something was raised meanwhile.
    fn expect_wanted(&self, path: &Path) -> Result {
        if self.callbacks.cancelled() {
            return Err(Error::new(path, Problem::Cancelled));
        }
        Ok(())
    }
}

/// Refuses a run in which nothing was found for a path that was asked for.
fn expect_met(tree: &Path, choice: Option<&PathChoice>) -> Result {
    match choice.and_then(|choice| choice.unmet().next()) {
        None => Ok(()),
        Some(path) => Err(Error::new(&tree.join(path), Problem::NotInTree)),
    }
}

/// Works on the sealed tree at `path`, or on what is wanted of it, if it is not older.
fn with_tree<'a>(
    path: &Path,
    decryptor: Decryptor<'a>,
    options: &Options<'a>,
    choice: Option<&PathChoice>,
    at_least: Option<u64>,
    work: impl FnOnce(&SealedTree<'_>) -> Result<Total>,
) -> Result<Total> {
    let wanted = |path: &Path| choice.is_none_or(|choice| choice.wants(path));
    let options = if choice.is_some() { options.choose(&wanted) } else { *options };
    let sealed = SealedTree::open(path, decryptor, &options)?;
    at_least.map_or(Ok(()), |number| sealed.expect_at_least(number))?;
    let total = work(&sealed)?;
    if total.failed == 0 {
        expect_met(path, choice)?;
    }
    Ok(total)
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn encrypt_tree(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    key_set: &Bound<'_, KeySet>,
    overwrite: bool,
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    suite: Option<&str>,
    segment_size: Option<u64>,
    header_size: usize,
    update: Option<Update>,
    progress: Option<Py<PyAny>>,
    sign: Option<Bound<'_, SigningKey>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let sign = sign.as_ref().map(Bound::get);
    let format = FormatOptions::new(suite, segment_size, header_size)?;
    let recipients = key_set.recipients()?;
    let run = TreeRun::new([&source, &target], jobs, exclude, progress)?;
    let Some((state, keep_deleted, checksum, allow_empty)) = update else {
        return run.work(py, |options, tell| {
            let options = signing(options.overwrite(overwrite), sign);
            let to = NewTree::new(&target, overwrite)?;
            let sealer = TreeSealer::new(&source, to, &options)?;
            run.expect_wanted(&source)?;
            let encryptor = format.encryptor(&recipients, key_set).running(options.run_each());
            sealer.seal(encryptor, &options, tell)
        });
    };
    let rules = UpdateRules { keep_deleted, checksum, allow_empty };
    let identities = key_set.opens().then(|| key_set.identities()).transpose()?;
    run.work(py, |options, tell| {
        let options = &signing(*options, sign);
        let updater = TreeUpdater::new(&source, &target, options)?;
        run.expect_wanted(&source)?;
        let run_each = options.run_each();
        let encryptor = format.encryptor(&recipients, key_set).running(run_each);
        let state = match (&identities, state) {
            (Some(_), _) => PathBuf::new(),
            (None, Some(state)) => state,
            (None, None) => updater.default_state()?,
        };
        let known = match &identities {
            Some(identities) => KnownBy::Keys(key_set.decryptor(identities).running(run_each)),
            None => KnownBy::State(&state),
        };
        updater.update(known, encryptor, rules, options, tell)
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn decrypt_tree(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    key_set: &Bound<'_, KeySet>,
    overwrite: bool,
    preserve_permissions: bool,
    allow_unbound_contents: bool,
    paths: Option<Vec<String>>,
    resume: bool,
    deleted: bool,
    at_least: Option<u64>,
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    signers: Option<WantedParts<'_>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let identities = key_set.identities()?;
    let choice = paths.map(|paths| PathChoice::new(&paths));
    let signers = TreeSigners::new(signers);
    let run = TreeRun::new([&source, &target], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let options = signers
            .apply(*options)
            .preserve_permissions(preserve_permissions)
            .allow_unbound_contents(allow_unbound_contents)
            .resume(resume)
            .deleted(deleted);
        let to = NewTree::new(&target, overwrite || resume)?;
        to.expect_outside(&source)?;
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        with_tree(&source, decryptor, &options, choice.as_ref(), at_least, |sealed| {
            run.expect_wanted(&source)?;
            sealed.decrypt(to, tell)
        })
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn verify_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    allow_unbound_contents: bool,
    paths: Option<Vec<String>>,
    at_least: Option<u64>,
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    signers: Option<WantedParts<'_>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let identities = key_set.identities()?;
    let choice = paths.map(|paths| PathChoice::new(&paths));
    let signers = TreeSigners::new(signers);
    let run = TreeRun::new([&source, &source], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        let options = signers.apply(*options).allow_unbound_contents(allow_unbound_contents);
        with_tree(&source, decryptor, &options, choice.as_ref(), at_least, |sealed| {
            sealed.verify(tell)
        })
    })
}

fn signing<'a>(options: Options<'a>, key: Option<&'a SigningKey>) -> Options<'a> {
    match key {
        Some(key) => options.signed_by(key),
        None => options,
    }
}

/// Signs a sealed tree as it is.
#[pyfunction]
fn sign_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    sign: &Bound<'_, SigningKey>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let (key_set, sign) = (key_set.get(), sign.get());
    let identities = key_set.identities()?;
    let run = TreeRun::new([&source, &source], jobs, None, progress)?;
    run.work(py, |options, tell| {
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        SealedTree::open(&source, decryptor, options)?.sign(sign, tell)
    })
}

/// Compares the stored files of a sealed tree with what was signed.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn verify_signed_tree(
    py: Python<'_>,
    source: PathBuf,
    signers: WantedParts<'_>,
    paths: Option<Vec<String>>,
    at_least: Option<u64>,
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let signers = TreeSigners::new(Some(signers));
    let choice = paths.map(|paths| PathChoice::new(&paths));
    let run = TreeRun::new([&source, &source], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let wanted = |path: &Path| choice.as_ref().is_none_or(|choice| choice.wants(path));
        let options = if choice.is_some() { options.choose(&wanted) } else { *options };
        let signed = SignedTree::open(&source, &signers, &options)?;
        at_least.map_or(Ok(()), |number| signed.expect_at_least(number))?;
        let total = signed.verify(tell)?;
        if total.failed == 0 {
            expect_met(&source, choice.as_ref())?;
        }
        Ok(total)
    })
}

type Entries = Box<dyn Iterator<Item = Result<(PathBuf, Entry)>> + Send>;

/// The entries of a sealed tree, one after the other.
#[pyclass(frozen, module = "polyseal._polyseal")]
struct TreeEntries {
    source: PathBuf,
    /// The number of its manifest: one more with each update.
    #[pyo3(get)]
    number: u64,
    /// The file salt of its manifest.
    manifest: [u8; COMMITMENT_BYTES],
    choice: Option<PathChoice>,
    /// None at the end.
    entries: Mutex<Option<Entries>>,
}

impl TreeEntries {
    /// The next entry that is wanted.
    fn next(&self) -> Result<Option<(PathBuf, Entry)>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = &mut *entries else { return Ok(None) };
        let choice = self.choice.as_ref();
        let wanted = |path: &Path| choice.is_none_or(|choice| choice.wants(path));
        let found = left.find(|found| found.as_ref().map_or(true, |(path, _)| wanted(path)));
        if let Some(Ok(found)) = found {
            return Ok(Some(found));
        }
        *entries = None;
        match found {
            Some(Err(error)) => Err(error),
            _ => expect_met(&self.source, choice).map(|()| None),
        }
    }
}

#[pymethods]
impl TreeEntries {
    /// The file salt of its manifest.
    #[getter]
    fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Listed>> {
        let found = py.detach(|| self.next()).map_err(local_error)?;
        Ok(found.map(|(path, entry)| listed(path, &entry)))
    }
}

fn listed(path: PathBuf, entry: &Entry) -> Listed {
    let (kind, bytes) = match entry.kind {
        Kind::File { plaintext_bytes, .. } => ("file", Some(plaintext_bytes)),
        Kind::Directory => ("directory", None),
        Kind::Link { .. } => ("link", None),
        Kind::Absent => ("absent", None),
    };
    let (state, reason) = match entry.state {
        State::New => ("new", None),
        State::Unchanged => ("unchanged", None),
        State::Failed(reason) => ("failed", Some(reason.to_string())),
        State::Deleted => ("deleted", None),
    };
    let Timestamp { seconds, nanoseconds } = entry.modified;
    let modified = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    (path, kind, state, reason, entry.mode, modified, bytes)
}

#[pyfunction]
fn list_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    allow_unbound_contents: bool,
    paths: Option<Vec<String>>,
    at_least: Option<u64>,
    signers: Option<WantedParts<'_>>,
) -> PyResult<TreeEntries> {
    let key_set = key_set.get();
    let signers = TreeSigners::new(signers);
    let identities = key_set.identities()?;
    let callbacks = Callbacks::new(ProgressKind::Tree, None);
    let opened = py.detach(|| {
        let options = signers.apply(Options::new().progress(&callbacks));
        let options = options.allow_unbound_contents(allow_unbound_contents);
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        let sealed = SealedTree::open(&source, decryptor, &options)?;
        at_least.map_or(Ok(()), |number| sealed.expect_at_least(number))?;
        Ok((sealed.number(), sealed.manifest_salt(), sealed.into_entries()?))
    });
    let (number, manifest, entries) = callbacks.finish(py, opened)?;
    let entries = Mutex::new(Some(Box::new(entries) as Entries));
    let choice = paths.map(|paths| PathChoice::new(&paths));
    Ok(TreeEntries { source, number, manifest, choice, entries })
}

#[pyfunction]
fn bind_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    new: &Bound<'_, KeySet>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let (key_set, new) = (key_set.get(), new.get());
    let (identities, recipients) = (key_set.identities()?, new.new_recipients()?);
    let run = TreeRun::new([&source, &source], jobs, None, progress)?;
    run.work(py, |options, tell| {
        let options = options.allow_unbound_contents(true);
        let run = options.run_each();
        let decryptor = key_set.decryptor(&identities).running(run);
        let mut encryptor = Encryptor::new(&recipients).running(run);
        if let Some(context) = key_set.context() {
            encryptor = encryptor.context(context);
        }
        SealedTree::open(&source, decryptor, &options)?.bind_contents(encryptor, tell)
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn rekey_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    new: &Bound<'_, KeySet>,
    keep: bool,
    allow_unbound_contents: bool,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let (key_set, new) = (key_set.get(), new.get());
    let (identities, recipients) = (key_set.identities()?, new.new_recipients()?);
    let opens = new.identities()?;
    let already = new.rekeyed_check(&opens, keep);
    let run = TreeRun::new([&source, &source], jobs, None, progress)?;
    run.work(py, |options, tell| {
        let mut plan = RekeyPlan::new(&identities, &recipients, existing(keep), RekeyMode::Header)
            .rekeyed_check(already)
            .running(options.run_each());
        if let Some(context) = key_set.context() {
            plan = plan.context(context);
        }
        let options = options.allow_unbound_contents(allow_unbound_contents);
        Rekey::new(RekeyTarget::Tree(&source), &plan).options(&options).on_file(tell).run()
    })
}
