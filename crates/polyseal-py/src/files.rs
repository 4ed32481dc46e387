//! Whole files: encrypted, decrypted, verified, described, and given other headers.
//!
//! `polyseal-local` works on regular files that are given by their names, at offsets and on all
//! cores. A file object, or a pipe by its name, is read from its present position to its end.

use std::fs;
use std::io::{self, IoSliceMut, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use polyseal_file::statement::{SegmentHashes, Statement};
use polyseal_file::{
    Encryptor, ExistingRecipients, Header, Input, Inspection, RunOptions, SegmentSize, Suite,
    Summary as FileOutcome,
};
use polyseal_local::{
    Error, Forbidden, NewFile, Options, Problem, Progress, Rekey, RekeyMode, RekeyPlan,
    RekeyTarget, StatementSigner,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::callbacks::{Callbacks, ProgressKind};
use crate::errors::{file_error, local_error, named_error, system_error};
use crate::key_set::KeySet;
use crate::memory::Input as Buffer;
use crate::statements::{
    Accepted, SignerNames, SigningKey, Wanted, WantedParts, beside, covered, now,
};
use crate::streams::{self, Stream};

/// Plaintext bytes, stored bytes, the salt of the file, and who signed it.
type Summary<'py> = (u64, u64, Option<Bound<'py, PyBytes>>, Option<SignerNames>);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encrypt_file, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt_file, module)?)?;
    module.add_function(wrap_pyfunction!(verify_file, module)?)?;
    module.add_function(wrap_pyfunction!(verify_signature, module)?)?;
    module.add_function(wrap_pyfunction!(sign_file, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_header, module)?)?;
    module.add_function(wrap_pyfunction!(rekey_header, module)?)?;
    module.add_function(wrap_pyfunction!(rekey_file, module)?)
}

/// The options of an encryptor that [`KeySet`] does not have.
#[derive(Clone, Copy)]
pub(crate) struct FormatOptions {
    suite: Option<Suite>,
    segment: SegmentSize,
    header_bytes: usize,
}

impl FormatOptions {
    pub(crate) fn new(
        suite: Option<&str>,
        segment_size: Option<u64>,
        header_size: usize,
    ) -> PyResult<Self> {
        let suite = suite.map(str::parse).transpose().map_err(file_error)?;
        let segment = segment_size.map(SegmentSize::new).transpose().map_err(file_error)?;
        Ok(Self { suite, segment: segment.unwrap_or_default(), header_bytes: header_size })
    }

    pub(crate) fn encryptor<'a>(
        &self,
        recipients: &'a polyseal_file::Recipients,
        key_set: &'a KeySet,
    ) -> Encryptor<'a> {
        let mut encryptor =
            Encryptor::new(recipients).segment_size(self.segment).header_bytes(self.header_bytes);
        if let Some(suite) = self.suite {
            encryptor = encryptor.suite(suite);
        }
        match key_set.context() {
            Some(context) => encryptor.context(context),
            None => encryptor,
        }
    }
}

/// A number of threads.
pub(crate) fn some_threads(threads: usize) -> PyResult<NonZeroUsize> {
    NonZeroUsize::new(threads).ok_or_else(|| PyValueError::new_err("threads must be at least 1"))
}

fn run_options(threads: Option<usize>) -> PyResult<RunOptions<'static>> {
    Ok(RunOptions::new().threads(threads.map(some_threads).transpose()?))
}

/// An input: a file by its name, or a stream without offsets.
enum FileInput {
    Named(PathBuf),
    Stream(streams::Input, Option<PathBuf>),
}

impl FileInput {
    fn new(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(path) = file.extract::<PathBuf>() else {
            return Ok(Self::Stream(streams::Input::open(file)?, None));
        };
        // A file that is not a regular one may be a pipe.
        let is_pipe = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        if fs::metadata(&path).is_ok_and(is_pipe) {
            return Ok(Self::Stream(streams::Input::open(file)?, Some(path)));
        }
        Ok(Self::Named(path))
    }
}

/// Where it goes: a file that appears when it is complete, or a file object.
enum FileOutput {
    Named(PathBuf),
    Object(Stream),
}

impl FileOutput {
    fn new(file: &Bound<'_, PyAny>) -> Self {
        match file.extract() {
            Ok(path) => Self::Named(path),
            Err(_) => Self::Object(Stream::new(file)),
        }
    }

    /// Lets `work` write to it.
    fn take(
        self,
        overwrite: bool,
        callbacks: &Callbacks,
        work: impl FnOnce(polyseal_file::Output<'_>) -> PyResult<FileOutcome>,
    ) -> PyResult<FileOutcome> {
        let path = match self {
            Self::Named(path) => path,
            Self::Object(mut stream) => return work(polyseal_file::Output::Stream(&mut stream)),
        };
        let mut new =
            NewFile::create_at(&path, overwrite, &Forbidden::NOTHING).map_err(local_error)?;
        let done = work(polyseal_file::Output::File(new.file()))?;
        if callbacks.cancelled() {
            return Err(local_error(Error::new(&path, Problem::Cancelled)));
        }
        new.sync().and_then(|()| new.commit()).map_err(local_error)?;
        Ok(done)
    }
}

/// A stream that reports its reads, and ends when it is cancelled.
struct WatchedInput<'a>(streams::Input, &'a Callbacks);

impl WatchedInput<'_> {
    fn new(input: streams::Input, callbacks: &Callbacks) -> WatchedInput<'_> {
        if let Some(bytes) = input.known_bytes() {
            callbacks.expect(1, bytes);
        }
        WatchedInput(input, callbacks)
    }

    fn read_with(
        &mut self,
        read: impl FnOnce(&mut streams::Input) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.1.cancelled() {
            return Err(io::Error::other("interrupted"));
        }
        let n = read(&mut self.0)?;
        self.1.bytes(n as u64);
        Ok(n)
    }
}

impl Read for WatchedInput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_with(|input| input.read(buffer))
    }

    fn read_vectored(&mut self, places: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.read_with(|input| input.read_vectored(places))
    }
}

fn finish<'py>(
    py: Python<'py>,
    callbacks: &Callbacks,
    done: PyResult<FileOutcome>,
    signer: Option<SignerNames>,
) -> PyResult<Summary<'py>> {
    let done = callbacks.finish_with(py, done)?;
    let salt = done.file_salt.map(|salt| PyBytes::new(py, &salt));
    Ok((done.plaintext_bytes, done.file_bytes, salt, signer))
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn encrypt_file<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    dst: &Bound<'py, PyAny>,
    key_set: &Bound<'py, KeySet>,
    overwrite: bool,
    suite: Option<&str>,
    segment_size: Option<u64>,
    header_size: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    sign: Option<(Bound<'py, SigningKey>, Option<PathBuf>)>,
) -> PyResult<Summary<'py>> {
    let key_set = key_set.get();
    let format = FormatOptions::new(suite, segment_size, header_size)?;
    let run = run_options(threads)?;
    let recipients = key_set.recipients()?;
    let (from, to, callbacks) =
        (FileInput::new(src)?, FileOutput::new(dst), Callbacks::new(ProgressKind::File, progress));
    let signing = sign.map(|(key, path)| Signing::new(key, path, &to)).transpose()?;
    let done = py.detach(|| {
        let encryptor = format.encryptor(&recipients, key_set).running(run);
        if let Some(signing) = signing {
            let (input, name) = stream(from)?;
            let mut input = WatchedInput::new(input, &callbacks);
            let statement = signing.create(overwrite)?;
            return to.take(overwrite, &callbacks, |to| {
                let done = encryptor.encrypt_stated(Input::Stream(&mut input), to, now());
                let named = |error| named_error(name.as_deref(), error);
                let (done, stated, hashes) = done.map_err(named)?;
                if !callbacks.cancelled() {
                    // Before the file: a new one is never without it.
                    signing.write(statement, &stated, &hashes)?;
                }
                Ok(done)
            });
        }
        match (from, to) {
            (FileInput::Named(from), FileOutput::Named(to)) => {
                let options = Options::new().overwrite(overwrite).synced(true).progress(&callbacks);
                let done = polyseal_local::encrypt_file(&from, &to, encryptor, &options);
                let done = done.map_err(local_error)?;
                if done.grew {
                    callbacks.warn(Error::new(&from, Problem::Grew).to_string());
                }
                Ok(done)
            }
            (from, to) => {
                let (input, name) = stream(from)?;
                let mut input = WatchedInput::new(input, &callbacks);
                to.take(overwrite, &callbacks, |to| {
                    let done = encryptor.encrypt(Input::Stream(&mut input), to);
                    done.map_err(|error| named_error(name.as_deref(), error))
                })
            }
        }
    });
    finish(py, &callbacks, done, None)
}

/// Where the statement about a new file goes.
struct Signing {
    key: Py<SigningKey>,
    path: PathBuf,
}

impl Signing {
    fn new(key: Bound<'_, SigningKey>, path: Option<PathBuf>, file: &FileOutput) -> PyResult<Self> {
        let path = match (path, file) {
            (Some(path), _) => path,
            (None, FileOutput::Named(file)) => beside(file),
            (None, FileOutput::Object(_)) => {
                return Err(PyValueError::new_err(
                    "a statement needs a file to go to: name one, signature=…",
                ));
            }
        };
        if let FileOutput::Named(file) = file
            && *file == path
        {
            return Err(PyValueError::new_err("a file and its statement cannot go to one place"));
        }
        Ok(Self { key: key.unbind(), path })
    }

    fn create(&self, overwrite: bool) -> PyResult<NewFile> {
        NewFile::create_at(&self.path, overwrite, &Forbidden::NOTHING).map_err(local_error)
    }

    /// Gives the statement its name.
    fn write(
        &self,
        mut new: NewFile,
        statement: &Statement,
        hashes: &SegmentHashes,
    ) -> PyResult<()> {
        let bytes = self.key.get().sign(statement, hashes).map_err(file_error)?;
        let written = new.file().write_all(&bytes);
        written.map_err(|error| local_error(Error::io("write", &self.path, error)))?;
        new.sync().and_then(|()| new.commit()).map_err(local_error)
    }
}

/// Signs a file that is there: one that these keys open is bound to its key, another to its header.
#[pyfunction]
fn sign_file(
    py: Python<'_>,
    path: PathBuf,
    key: &Bound<'_, SigningKey>,
    key_set: Option<&Bound<'_, KeySet>>,
    signature: Option<PathBuf>,
    overwrite: bool,
) -> PyResult<()> {
    let identities = key_set.map(|key_set| key_set.get().identities()).transpose()?;
    let to = FileOutput::Named(path.clone());
    let signing = Signing::new(key.clone(), signature, &to)?;
    py.detach(|| {
        let new = signing.create(overwrite)?;
        let mut input = fs::File::open(&path).map_err(|error| system_error(&path, error))?;
        let stated = match &identities {
            None => Statement::of_stored(&mut input, now()),
            Some(identities) => Header::read(&mut input).and_then(|header| {
                let opened = header.authenticate(identities)?;
                Statement::of_opened(&opened, &mut input, now())
            }),
        };
        let (statement, hashes) = stated.map_err(|error| named_error(Some(&path), error))?;
        signing.write(new, &statement, &hashes)
    })
}

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by the package alone")]
fn decrypt_file<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    dst: &Bound<'py, PyAny>,
    key_set: &Bound<'py, KeySet>,
    overwrite: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    wanted: Option<WantedParts<'py>>,
) -> PyResult<Summary<'py>> {
    open_all(py, src, Some(FileOutput::new(dst)), key_set, overwrite, threads, progress, wanted)
}

#[pyfunction]
fn verify_file<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    key_set: &Bound<'py, KeySet>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    wanted: Option<WantedParts<'py>>,
) -> PyResult<Summary<'py>> {
    open_all(py, src, None, key_set, false, threads, progress, wanted)
}

/// Compares a stored file with its statement, without a key.
#[pyfunction]
fn verify_signature<'py>(
    py: Python<'py>,
    path: PathBuf,
    threads: Option<usize>,
    wanted: WantedParts<'py>,
) -> PyResult<Summary<'py>> {
    let threads = threads.map(some_threads).transpose()?;
    let threads = threads.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let accepted = Wanted::new(wanted).accept(Some(&path))?;
    let compared = py.detach(|| {
        let file = fs::File::open(&path).map_err(|error| system_error(&path, error))?;
        let read = || {
            let bytes = accepted.coverage.verify_stored(&file, threads)?;
            let header = Header::read(&mut &file)?;
            let payload = Some(accepted.statement.payload_bytes);
            let payload = Inspection::from_header(&header, payload).payload;
            Ok((bytes, payload.and_then(|it| it.plaintext_bytes)))
        };
        read().map_err(|error| named_error(Some(&path), error))
    });
    let (stored, plaintext) = compared?;
    let salt = PyBytes::new(py, &accepted.statement.file_salt);
    Ok((plaintext.unwrap_or_default(), stored, Some(salt), Some(accepted.names())))
}

#[expect(clippy::too_many_arguments, reason = "two functions of the package in one")]
fn open_all<'py>(
    py: Python<'py>,
    src: &Bound<'py, PyAny>,
    to: Option<FileOutput>,
    key_set: &Bound<'py, KeySet>,
    overwrite: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    wanted: Option<WantedParts<'py>>,
) -> PyResult<Summary<'py>> {
    let key_set = key_set.get();
    let run = run_options(threads)?;
    let path = src.extract::<PathBuf>().ok();
    let accepted = wanted.map(|it| Wanted::new(it).accept(path.as_deref())).transpose()?;
    let identities = key_set.identities()?;
    let (from, callbacks) = (FileInput::new(src)?, Callbacks::new(ProgressKind::File, progress));
    let done = py.detach(|| {
        let decryptor = covered(key_set.decryptor(&identities).running(run), accepted.as_ref());
        let options = Options::new().overwrite(overwrite).synced(true).progress(&callbacks);
        match (from, to) {
            (FileInput::Named(from), Some(FileOutput::Named(to))) => {
                polyseal_local::decrypt_file(&from, &to, decryptor, &options).map_err(local_error)
            }
            (FileInput::Named(from), None) => {
                polyseal_local::verify_file(&from, decryptor, &options).map_err(local_error)
            }
            (from, to) => {
                let (input, name) = stream(from)?;
                let mut input = WatchedInput::new(input, &callbacks);
                let named = |error| named_error(name.as_deref(), error);
                let input = Input::Stream(&mut input);
                match to {
                    Some(to) => to.take(overwrite, &callbacks, |to| {
                        decryptor.decrypt(input, to).map_err(named)
                    }),
                    None => decryptor.verify(input).map_err(named),
                }
            }
        }
    });
    finish(py, &callbacks, done, accepted.map(Accepted::names))
}

/// The input to be read from its beginning to its end, and its name if it has one.
fn stream(from: FileInput) -> PyResult<(streams::Input, Option<PathBuf>)> {
    Ok(match from {
        FileInput::Stream(input, name) => (input, name),
        FileInput::Named(path) => (streams::Input::named(&path)?, Some(path)),
    })
}

/// Describes a file by its header, as JSON.
#[pyfunction]
fn inspect(py: Python<'_>, src: &Bound<'_, PyAny>) -> PyResult<String> {
    let (mut input, name) = (streams::Input::open(src)?, src.extract::<PathBuf>().ok());
    let bytes = input.known_bytes();
    let inspection = py.detach(|| Inspection::read(&mut input, bytes));
    json(&inspection.map_err(|error| named_error(name.as_deref(), error))?)
}

/// Describes a file by its header, of which so many bytes are stored, as JSON.
#[pyfunction]
fn inspect_header(header: &Bound<'_, PyAny>, stored_size: Option<u64>) -> PyResult<String> {
    let header = Header::parse(&Buffer::from_object(header)?.take()).map_err(file_error)?;
    let payload = stored_size.map(|bytes| bytes.saturating_sub(header.payload_offset()));
    json(&Inspection::from_header(&header, payload))
}

fn json(inspection: &Inspection) -> PyResult<String> {
    serde_json::to_string(inspection).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Whether those who can open a file now still can, when others can, too.
pub(crate) fn existing(keep: bool) -> ExistingRecipients {
    if keep { ExistingRecipients::Keep } else { ExistingRecipients::Remove }
}

/// The header, of the same length, for other recipients.
#[pyfunction]
fn rekey_header<'py>(
    py: Python<'py>,
    header: &Bound<'py, PyAny>,
    key_set: &Bound<'py, KeySet>,
    new: &Bound<'py, KeySet>,
    keep: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let header = Header::parse(&Buffer::from_object(header)?.take()).map_err(file_error)?;
    let key_set = key_set.get();
    let (identities, recipients) = (key_set.identities()?, new.get().new_recipients()?);
    let rekeyed = py.detach(|| {
        let open = header.authenticate(&identities)?;
        if key_set.context().is_some() {
            open.expect_context(key_set.context())?;
        }
        open.rekey(&recipients, existing(keep))
    });
    Ok(PyBytes::new(py, rekeyed.map_err(file_error)?.as_bytes()))
}

/// Other recipients for a file, by a new file that takes its place.
#[pyfunction]
fn rekey_file(
    py: Python<'_>,
    path: PathBuf,
    key_set: &Bound<'_, KeySet>,
    new: &Bound<'_, KeySet>,
    keep: bool,
    new_key: bool,
) -> PyResult<()> {
    let key_set = key_set.get();
    let (identities, recipients) = (key_set.identities()?, new.get().new_recipients()?);
    let callbacks = Callbacks::new(ProgressKind::File, None);
    let how = if new_key { RekeyMode::NewKey } else { RekeyMode::Header };
    let mut plan = RekeyPlan::new(&identities, &recipients, existing(keep), how);
    if let Some(context) = key_set.context() {
        plan = plan.context(context);
    }
    let path: &Path = &path;
    let options = Options::new().progress(&callbacks);
    let done =
        py.detach(|| Rekey::new(RekeyTarget::File(path), &plan).options(&options).run().map(drop));
    callbacks.finish(py, done)
}
