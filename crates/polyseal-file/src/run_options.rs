//! Threads, progress and cancelling: how the work on a whole file is run, whatever the work is.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// How the work on a whole file is run: on how many threads, who is told of it, and who may end it.
/// It changes nothing in the result. A [`Reader`](crate::Reader) or a [`Sealer`](crate::Sealer)
/// takes no notice of it.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// use polyseal_file::{Encryptor, Error, Input, Key, Output, Recipients, RunOptions};
///
/// let (read, cancel) = (AtomicU64::new(0), AtomicBool::new(false));
/// let count = |bytes| {
///     read.fetch_add(bytes, Ordering::Relaxed);
/// };
/// let two = NonZeroUsize::new(2);
/// let run = RunOptions::new().threads(two).progress(&count).cancelled_by(&cancel);
///
/// let (recipients, message) = (Recipients::from(&Key::generate()?), vec![7_u8; 1_000_000]);
/// let encrypt = || {
///     let encryptor = Encryptor::new(&recipients).running(run);
///     let mut sealed = Vec::new();
///     encryptor.encrypt(Input::Stream(&mut &message[..]), Output::Stream(&mut sealed))
/// };
/// encrypt()?;
/// assert_eq!(read.load(Ordering::Relaxed), 1_000_000);
///
/// cancel.store(true, Ordering::Relaxed);
/// assert!(matches!(encrypt(), Err(Error::Cancelled)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// At most; without it, one for each core.
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Where the caller says that no more is wanted, if it can.
    pub(crate) cancel: Option<&'a AtomicBool>,
}

impl<'a> RunOptions<'a> {
    /// On all cores; nobody is told, and nobody ends it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With at most this many threads, the calling one included; with `None`, one for each core.
    /// Each has a buffer of about 512 KiB, or of a segment if that is larger; so that these take no
    /// more than 32 MiB together, there may be fewer threads.
    #[must_use]
    pub fn threads(mut self, threads: impl Into<Option<NonZeroUsize>>) -> Self {
        self.threads = threads.into();
        self
    }

    /// With `progress` told of bytes as they are read: how many more, about 512 KiB or a segment at
    /// a time, from any of the threads. Encrypting, they are of plaintext; decrypting, of the
    /// stored payload, with its tags.
    #[must_use]
    pub fn progress(mut self, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Ends the work soon after `cancel` has become true, with
    /// [`Error::Cancelled`](crate::Error::Cancelled): each thread looks at it whenever it has read
    /// about 512 KiB, or a segment.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &'a AtomicBool) -> Self {
        self.cancel = Some(cancel);
        self
    }
}

impl fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions").field("threads", &self.threads).finish_non_exhaustive()
    }
}
