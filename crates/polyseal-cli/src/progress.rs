//! A progress bar with throughput, on standard error, only if that is a terminal and only for
//! work that takes long enough to be watched.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use polyseal_local::Notice;

use crate::error::shown;
use crate::messages::note;

/// Below this, the bar would only flash.
const WORTH_SHOWING: u64 = 64 * 1024 * 1024;
/// Or below so many files.
const FILES_WORTH_SHOWING: u64 = 1000;

const KNOWN: &str =
    "{msg}{wide_bar} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta}";
const UNKNOWN: &str = "{spinner} {msg}{binary_bytes}  {binary_bytes_per_sec}";

pub(crate) struct Progress {
    bar: ProgressBar,
    shown: AtomicBool,
    files: AtomicU64,
    all: Totals,
}

/// How much there is to be done.
#[derive(Clone)]
struct Totals {
    bar: ProgressBar,
    /// So many files; 0 as long as that is not known.
    files: Arc<AtomicU64>,
    /// Nothing is left to be done.
    finished: Arc<AtomicBool>,
}

impl Progress {
    /// A bar for `total` bytes, if it is of use. `busy` says that the terminal is the output's.
    pub(crate) fn new(total: Option<u64>, busy: bool) -> Option<Self> {
        if busy || !io::stderr().is_terminal() || total.is_some_and(|t| t < WORTH_SHOWING) {
            return None;
        }
        Some(Self::start(total, None))
    }

    /// A bar for many files, so many if that is known, with so many bytes.
    pub(crate) fn for_files(files: Option<u64>, total: Option<u64>) -> Option<Self> {
        let few = total.is_some_and(|t| t < WORTH_SHOWING)
            && files.is_some_and(|files| files < FILES_WORTH_SHOWING);
        (io::stderr().is_terminal() && !few).then(|| Self::start(total, files))
    }

    fn start(total: Option<u64>, files: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() { KNOWN } else { UNKNOWN };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let of = Arc::new(AtomicU64::new(files.unwrap_or(0)));
        let all = Totals { bar: bar.clone(), files: of, finished: Arc::default() };
        Self { bar, shown: AtomicBool::new(false), files: AtomicU64::new(0), all }
    }

    /// How many files there are, and bytes, is known now: so is the remaining time.
    pub(crate) fn expect(&self, files: u64, bytes: u64) {
        self.all.expect(files, bytes);
    }

    /// The same for files that have been named, if there is a bar.
    pub(crate) fn for_named<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> Option<Self> {
        let bar = Self::for_files(None, None)?;
        bar.expect(paths.clone().count() as u64, paths.map(length).sum());
        Some(bar)
    }

    /// The same for the names of a list, which are counted while the work goes on.
    pub(crate) fn for_list(names: impl Iterator<Item = PathBuf> + Send + 'static) -> Option<Self> {
        let bar = Self::for_files(None, None)?;
        let all = bar.all.clone();
        // Without the thread the bar does not know how much there is.
        let _ = thread::Builder::new().spawn(move || {
            let (mut files, mut bytes) = (0, 0);
            for name in names {
                if all.finished.load(Ordering::Relaxed) {
                    return;
                }
                files += 1;
                bytes += length(&name);
            }
            all.expect(files, bytes);
        });
        Some(bar)
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
        let files = self.files.load(Ordering::Relaxed);
        let worth = self.bar.length().is_some_and(|bytes| bytes >= WORTH_SHOWING)
            || self.all.files.load(Ordering::Relaxed) >= FILES_WORTH_SHOWING
            || self.bar.position() >= WORTH_SHOWING
            || files >= FILES_WORTH_SHOWING;
        if worth && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }

    /// One more file is done.
    pub(crate) fn file(&self) {
        let files = self.files.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown.load(Ordering::Relaxed) {
            let of = match self.all.files.load(Ordering::Relaxed) {
                0 => String::new(),
                of => format!(" of {of}"),
            };
            self.bar.set_message(format!("{files}{of} files  "));
        }
        self.add(0);
    }

    /// Lets `tell` write lines, which the bar would otherwise write over.
    pub(crate) fn suspend(&self, tell: impl FnOnce()) {
        self.bar.suspend(tell);
    }
}

impl Totals {
    fn expect(&self, files: u64, bytes: u64) {
        self.files.store(files, Ordering::Relaxed);
        self.bar.set_length(bytes);
        if let Ok(style) = ProgressStyle::with_template(KNOWN) {
            self.bar.set_style(style);
        }
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |it| it.len())
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.all.finished.store(true, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}

/// The bar of a run, if there is one.
pub(crate) struct Bar(Option<Progress>);

impl Bar {
    pub(crate) fn new(bar: Option<Progress>) -> Self {
        Self(bar)
    }

    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.0.iter().for_each(|bar| bar.add(bytes));
    }

    /// One more file is done.
    pub(crate) fn file(&self) {
        self.0.iter().for_each(Progress::file);
    }

    /// Lets `tell` write lines, which a bar would otherwise write over.
    pub(crate) fn suspend(&self, tell: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
    }
}

impl polyseal_local::Progress for Bar {
    fn wants_total(&self) -> bool {
        self.0.is_some()
    }

    fn expect(&self, files: u64, bytes: u64) {
        self.0.iter().for_each(|bar| bar.expect(files, bytes));
    }

    fn bytes(&self, more: u64) {
        self.add(more);
    }

    fn file(&self) {
        Self::file(self);
    }

    fn notice(&self, notice: Notice<'_>) {
        let (path, what) = match notice {
            Notice::NotLocked(path) => {
                (path, "cannot be locked where it is: let no other program rekey it now")
            }
            Notice::StatementEnds(path) => {
                (path, "does not fit the rekeyed file any more: to sign it anew, use polyseal sign")
            }
            Notice::NoLongerSigned(path) => {
                (path, "was signed, and is not any more: to sign it, use --sign KEY")
            }
            Notice::AllAnew(path, why) => {
                let path = shown(&path.display().to_string());
                self.suspend(|| note(&format!("{path}: everything is encrypted anew: {why}")));
                return;
            }
            Notice::NotCompared(path) => (
                path,
                "is in a store that does not compare versions when an object is completed: what \
                 another program has written to it in the last moments is lost",
            ),
            Notice::BadBackup(path) => (path, "is no copy of a header, and was left as it is"),
            _ => return,
        };
        let path = shown(&path.display().to_string());
        self.suspend(|| note(&format!("note: {path} {what}")));
    }
}
