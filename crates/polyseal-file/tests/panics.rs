//! A caller's code that panics in a worker ends the whole call, with its own message: nobody waits
//! for a turn that never comes. And the enums that callers name may grow.

#![deny(unreachable_patterns, reason = "a wildcard is unreachable unless an enum may grow")]

use std::io::{self, IoSlice, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::common::{IoSetup, STREAM, encryptor, recipients};
use polyseal_file::{Input, Output};

/// A reader without end and a writer without bottom, which panics at its third call.
struct PanicAtThirdCall(u32);

impl PanicAtThirdCall {
    fn called(&mut self) {
        self.0 += 1;
        assert_ne!(self.0, 3, "the third call");
    }
}

impl Read for PanicAtThirdCall {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(buffer.len())
    }
}

impl Write for PanicAtThirdCall {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.called();
        Ok(buffer.len())
    }

    /// Whole batches: the first is the caller's alone, the second is any worker's.
    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.called();
        Ok(parts.iter().map(|part| part.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs `call`, which panics and must do so soon.
#[track_caller]
fn panics(call: impl FnOnce() + Send + 'static) {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(catch_unwind(AssertUnwindSafe(call))));
    let panic = result.recv_timeout(Duration::from_secs(60)).expect("it hangs").unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("the third call"), "{message}");
}

#[test]
fn a_writer_that_panics() {
    for threads in [1, 2, 4, 4, 4, 4] {
        panics(move || {
            let (to, shape) = (recipients(), IoSetup { threads, ..STREAM });
            let _ = encryptor(&to, 4096, shape).encrypt(
                Input::Stream(&mut PanicAtThirdCall(0)),
                Output::Stream(&mut PanicAtThirdCall(0)),
            );
        });
    }
}

/// To a file, too, the others must notice: the input has no end.
#[test]
fn a_progress_that_panics() {
    for file_out in [false, true] {
        panics(move || {
            let (to, calls) = (recipients(), AtomicU32::new(0));
            let progress = |_| {
                let before = calls.fetch_add(1, Ordering::Relaxed);
                assert_ne!(before, 2, "the third call");
            };
            #[cfg(unix)]
            let file = std::fs::File::options().write(true).open("/dev/null").unwrap();
            #[cfg(windows)]
            let file = tempfile::tempfile().unwrap();
            let mut sink = io::sink();
            let output = if file_out { Output::File(&file) } else { Output::Stream(&mut sink) };
            let shape = IoSetup { threads: 4, ..STREAM };
            let _ = encryptor(&to, 4096, shape)
                .running(shape.run().progress(&progress))
                .encrypt(Input::Stream(&mut PanicAtThirdCall(0)), output);
        });
    }
}

#[test]
fn what_to_read_and_write_may_grow() {
    let mut none = io::empty();
    match Input::Stream(&mut none) {
        Input::Stream(_) | Input::File(_) => {}
        _ => panic!("another input"),
    }
    match Output::Stream(&mut none) {
        Output::Stream(_) | Output::File(_) => {}
        _ => panic!("another output"),
    }
}

/// Bindings keep these in objects that any thread may use.
#[test]
fn everything_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<polyseal_file::Recipients>();
    check::<polyseal_file::Identities<'_>>();
    check::<polyseal_file::Encryptor<'_>>();
    check::<polyseal_file::Decryptor<'_>>();
    check::<polyseal_file::Reader<&[u8]>>();
    check::<polyseal_file::Header>();
    check::<polyseal_file::Error>();
}
