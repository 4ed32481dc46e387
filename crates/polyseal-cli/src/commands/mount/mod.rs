//! `mount`: encrypted files shown decrypted, read-only, until they are unmounted.
//!
//! `source` says by which names stored files are shown, `local_source` and `bucket_source` find
//! them, in a directory and in a store; `fs` answers the kernel. Keys stay on the thread that the
//! command began on, which opens files for the threads that read: identities of age cannot be
//! handed from one thread to another.
//!
//! Every byte that is read has been verified; a segment that was altered is an I/O error (EIO). The
//! kernel caches the bytes, as those of any file.
//!
//! A signal unmounts it. Files that are open then are served until they are closed: if this ended
//! before, the directory would be a mount without a process behind it.

#[cfg_attr(not(feature = "stores"), path = "no_bucket_source.rs")]
mod bucket_source;
mod fs;
mod local_source;
mod signed;
mod source;
mod unmount;

use std::fs::canonicalize;
use std::io;
use std::mem;
use std::path::{Path, PathBuf, absolute};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::thread;

use fuser::{Config, MountOption, Session};
use polyseal_file::{Reader, RunOptions, reason};
use polyseal_local::ShownPlaintexts;
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::fs::PlaintextFs;
use self::local_source::VALID;
use self::signed::MountSignatures;
use self::source::{EncryptedFile, MountSource};
use self::unmount::UnmountResult;
use super::note;
use crate::args::MountArgs;
use crate::error::{Code, Failure, Result, shown as printable};
use crate::keys::{DecryptInputs, KeyInputs};
use crate::objects::{expect_supported, is_object};
use crate::statements::SignaturePolicy;

/// A request to the command's own thread.
pub(crate) enum Event {
    /// A stored file is to be opened, which has this path below the source.
    Open(EncryptedFile, PathBuf, SyncSender<std::result::Result<Reader<EncryptedFile>, Errno>>),
    /// A signal has come.
    Stop,
    /// Somebody has unmounted it.
    Unmounted,
}

pub(crate) fn mount(args: &MountArgs) -> Result {
    let mountpoint = expect_apart(&args.source, &args.mountpoint)?;
    let sources = KeyInputs::new([args.open.passphrase_fd, None])?;
    let context = args.context.get()?;
    let (ask, run) = (args.ask.passphrase, RunOptions::new());
    let inputs = DecryptInputs::new(&args.open, ask, context, run, sources)?;
    let policy = SignaturePolicy::of_mount(&args.signers)?;
    let signatures = MountSignatures::new(&policy, &args.source)?;
    let place = place(&args.source)?;
    let (sender, events) = channel();
    stop_on_signals(sender.clone()).map_err(|error| {
        Failure::new(Code::Io, format!("cannot wait for signals: {}", reason(&error)))
    })?;
    // The system shows it to everybody.
    let source = printable(&args.source.display().to_string());
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::RO,
        MountOption::NoSuid,
        MountOption::NoDev,
        MountOption::DefaultPermissions,
        // Commas would begin other options.
        MountOption::FSName(source.replace(|c: char| c == ',' || c.is_control(), "_")),
        MountOption::Subtype("polyseal".to_owned()),
    ];
    config.n_threads = Some(place.readers());
    let failure = |error: io::Error| {
        Failure::io("mount on", &args.mountpoint, &error)
            .also("mounting takes /dev/fuse and, for anyone but root, the program fusermount3")
    };
    let session = Session::new(PlaintextFs::new(place, sender), &args.mountpoint, &config)
        .and_then(Session::spawn)
        .map_err(failure)?;
    note(&format!(
        "{} is mounted; to end it: umount {}, or Ctrl-C",
        source,
        printable(&args.mountpoint.display().to_string())
    ));
    policy.tree_signer().iter().for_each(|signer| note(signer));
    signatures.limit().into_iter().for_each(note);
    // Returned on a second stop.
    let mut leaving = None;
    for event in events {
        match event {
            Event::Open(file, name, answer) => {
                // The asking process may have been interrupted.
                let _ = answer.send(open(file, &name, &inputs, &signatures));
            }
            Event::Unmounted => return session.join().map_err(failure),
            Event::Stop => {
                if let Some(failure) = leaving {
                    // It would unmount another mount that may be there since.
                    mem::forget(session);
                    return Err(failure);
                }
                leaving = Some(leave(&mountpoint));
            }
        }
    }
    session.join().map_err(failure)
}

/// Unmounts it. Returns the failure to end with if open files are not to be waited for.
fn leave(mountpoint: &Path) -> Failure {
    let at = mountpoint.display();
    match unmount::unmount(mountpoint) {
        Ok(left) => {
            if let UnmountResult::Open = left {
                let at = printable(&at.to_string());
                note(&format!(
                    "{at} is unmounted; what is open in it can be read until it is closed, or \
                     until another signal"
                ));
            }
            let message = format!("{at} was in use when this ended: who reads on gets an error");
            Failure::new(Code::Io, message)
        }
        Err(error) => {
            let failure = || {
                let hint = format!(
                    "close the programs that use it, then run: {}",
                    unmount::command(mountpoint)
                );
                Failure::io("unmount", mountpoint, &error).also(&hint)
            };
            failure().tell();
            failure()
        }
    }
}

/// The source: files, or objects.
fn place(source: &Path) -> Result<Box<dyn MountSource>> {
    if is_object(source) {
        return bucket_source::open(source);
    }
    let shown = ShownPlaintexts::open(source, VALID).map_err(|error| unreadable(source, &error))?;
    Ok(Box::new(shown))
}

fn open(
    file: EncryptedFile,
    name: &Path,
    inputs: &DecryptInputs,
    signatures: &MountSignatures<'_>,
) -> std::result::Result<Reader<EncryptedFile>, Errno> {
    let told = |failure: Failure| {
        let failure = failure.about(name);
        failure.tell();
        errno(failure.code)
    };
    let coverage = signatures.of(name, &file).map_err(told)?;
    let decryptor = coverage.apply(inputs.decryptor());
    decryptor.reader(file).map_err(|error| told(inputs.explain_file(error, name)))
}

/// As which error the system tells of a failure.
fn errno(code: Code) -> Errno {
    match code {
        Code::NoKey | Code::Usage => Errno::ACCESS,
        Code::Io | Code::Content | Code::NotSigned | Code::Foreign => Errno::IO,
    }
}

/// The mount point, which must not be among the files that are mounted: reading it would wait for
/// itself.
fn expect_apart(source: &Path, mountpoint: &Path) -> Result<PathBuf> {
    expect_supported(source)?;
    // An object is in no directory.
    let source = if is_object(source) { PathBuf::new() } else { find(source)? };
    let found = find(mountpoint)?;
    let metadata = found.metadata().map_err(|error| unreadable(&found, &error))?;
    if !metadata.is_dir() {
        let message = format!("{} is not a directory", found.display());
        return Err(Failure::usage(message).hint("mount on an empty directory"));
    }
    if source.is_dir() && (found.starts_with(&source) || source.starts_with(&found)) {
        let message = format!("{} and {} are in one another", source.display(), found.display());
        return Err(Failure::usage(message).hint("mount on a directory elsewhere"));
    }
    Ok(found)
}

fn find(path: &Path) -> Result<PathBuf> {
    canonicalize(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    if error.raw_os_error() != Some(Errno::NOTCONN.raw_os_error()) {
        return Failure::io("read", path, error);
    }
    let message = format!("{} is still mounted by a program that has ended", path.display());
    let command = unmount::command(&absolute(path).unwrap_or_else(|_| path.to_owned()));
    Failure::new(Code::Io, message).hint(format!("free it with: {command}"))
}

fn stop_on_signals(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let waiting = thread::Builder::new().spawn(move || {
        signals.forever().take_while(|_| events.send(Event::Stop).is_ok()).for_each(drop);
    });
    waiting.map(drop)
}
