//! Whole trees, which `polyseal-local` works on; `polyseal/trees.py` gives the arguments.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use polyseal_file::Encryptor;
use polyseal_local::{
    Error, FileOutcome, NewTree, OnFile, Options, Problem, Progress, Rekey, RekeyMode, RekeyPlan,
    RekeyTarget, Result, SealedTree, Total, TreeSealer,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::callbacks::{Callbacks, ProgressKind};
use crate::errors::local_error;
use crate::files::{FormatOptions, existing};
use crate::key_set::KeySet;

/// Files, directories, links, and bytes of plaintext.
type Summary = (u64, u64, u64, u64);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encrypt_tree, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt_tree, module)?)?;
    module.add_function(wrap_pyfunction!(verify_tree, module)?)?;
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
                Ok(FileOutcome::Recorded { .. } | FileOutcome::Linked { .. } | FileOutcome::Left)
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
        Ok((total.files, total.directories, total.links, total.bytes))
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
        let all = total.files + total.directories + total.links + total.failed;
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
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let format = FormatOptions::new(suite, segment_size, header_size)?;
    let recipients = key_set.recipients()?;
    let run = TreeRun::new([&source, &target], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let options = options.overwrite(overwrite);
        let to = NewTree::new(&target, overwrite)?;
        let sealer = TreeSealer::new(&source, to, &options)?;
        run.expect_wanted(&source)?;
        let encryptor = format.encryptor(&recipients, key_set).running(options.run_each());
        sealer.seal(encryptor, &options, tell)
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
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let identities = key_set.identities()?;
    let run = TreeRun::new([&source, &target], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let options = options
            .overwrite(overwrite)
            .preserve_permissions(preserve_permissions)
            .allow_unbound_contents(allow_unbound_contents);
        let to = NewTree::new(&target, overwrite)?;
        to.expect_outside(&source)?;
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        let sealed = SealedTree::open(&source, decryptor, &options)?;
        run.expect_wanted(&source)?;
        sealed.decrypt(to, tell)
    })
}

#[pyfunction]
fn verify_tree(
    py: Python<'_>,
    source: PathBuf,
    key_set: &Bound<'_, KeySet>,
    allow_unbound_contents: bool,
    jobs: Option<usize>,
    exclude: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Summary> {
    let key_set = key_set.get();
    let identities = key_set.identities()?;
    let run = TreeRun::new([&source, &source], jobs, exclude, progress)?;
    run.work(py, |options, tell| {
        let decryptor = key_set.decryptor(&identities).running(options.run_each());
        let options = options.allow_unbound_contents(allow_unbound_contents);
        SealedTree::open(&source, decryptor, &options)?.verify(tell)
    })
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
