//! Plaintext is gone from memory once the pipeline or a reader is, and so is what a plugin is told.
//!
//! The global allocator of this test looks at every block that is given back. The message is made
//! of one mark: what the test itself holds is given back when nobody looks any more.

#![allow(clippy::std_instead_of_core, clippy::unwrap_used, reason = "a test, with std")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, sink};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use polyseal_file::{
    Decryptor, Encryptor, Error, Header, Identities, Input, Key, Output, Recipients, RunOptions,
    SegmentSize, SourceVersion, StoredLength, decrypt, encrypt,
};
use zeroize::{Zeroize, Zeroizing};

/// The bytes that the message repeats. No other memory holds them.
const MARK: [u8; 16] = *b"\x9b\x1e\xd4\x73\x06\xaf\x58\xc2\x3d\xe7\x81\x4a\xf9\x20\xb6\x65";

static WATCHING: AtomicBool = AtomicBool::new(false);
static SEEN: AtomicUsize = AtomicUsize::new(0);
static MARKED: AtomicUsize = AtomicUsize::new(0);
/// The tests take turns: the allocator is one.
static TURN: Mutex<()> = Mutex::new(());

struct WatchingAllocator;

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for WatchingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    // Buffers come zeroed from the system, and most of them are never touched.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if WATCHING.load(Ordering::Relaxed) && layout.size() >= 1024 {
            SEEN.fetch_add(1, Ordering::Relaxed);
            let mut equal = 0;
            for at in 0..layout.size() {
                // SAFETY: within the block, which is still allocated; volatile, because it may hold
                // bytes that were never written.
                let byte = unsafe { block.add(at).read_volatile() };
                // The mark's bytes all differ: a run begins again with its first one.
                equal = if byte == MARK[equal] { equal + 1 } else { usize::from(byte == MARK[0]) };
                if equal == MARK.len() {
                    MARKED.fetch_add(1, Ordering::Relaxed);
                    // Once is enough: whoever gets this memory next may not write all of it.
                    // SAFETY: as above.
                    unsafe { block.write_bytes(0, layout.size()) };
                    break;
                }
            }
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: WatchingAllocator = WatchingAllocator;

/// Asserts that blocks are given back while `work` is done, and that they do not have the mark.
fn leaves_nothing(what: &str, work: impl FnOnce()) {
    MARKED.store(0, Ordering::Relaxed);
    SEEN.store(0, Ordering::Relaxed);
    WATCHING.store(true, Ordering::Relaxed);
    work();
    WATCHING.store(false, Ordering::Relaxed);
    assert!(SEEN.load(Ordering::Relaxed) > 0, "{what}: nothing was given back");
    assert_eq!(MARKED.load(Ordering::Relaxed), 0, "{what}: a secret is left");
}

/// The message, wiped when it is dropped: the allocator gives its memory out again as it is, and a
/// block that was never written would seem to have the mark.
fn message() -> Zeroizing<Vec<u8>> {
    Zeroizing::new(MARK.repeat(200_000))
}

fn run(threads: usize) -> RunOptions<'static> {
    RunOptions::new().threads(NonZeroUsize::new(threads).unwrap())
}

fn seal(recipients: &Recipients, threads: usize, message: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::new();
    Encryptor::new(recipients)
        .segment_size(SegmentSize::new(4096).unwrap())
        .running(run(threads))
        .encrypt(Input::Stream(&mut &message[..]), Output::Stream(&mut sealed))
        .unwrap();
    sealed
}

#[test]
fn the_watch_sees_what_is_left() {
    let _turn = TURN.lock();
    let left =
        std::panic::catch_unwind(|| leaves_nothing("a vector", || drop(MARK.repeat(200_000))));
    WATCHING.store(false, Ordering::Relaxed);
    assert!(left.is_err());
}

#[test]
fn nothing_is_left_of_what_is_carried() {
    let _turn = TURN.lock();
    let (key, message) = (Key::generate().unwrap(), message());
    let recipients = Recipients::new().key(key.clone());
    let identities = Identities::new().key(key);
    let file = tempfile::tempfile().unwrap();
    for threads in [1, 2] {
        let encryptor = Encryptor::new(&recipients).running(run(threads));
        leaves_nothing("sealing a stream", || {
            let input = Input::Stream(&mut &message[..]);
            encryptor.encrypt(input, Output::Stream(&mut sink())).unwrap();
        });
        let sealed = seal(&recipients, threads, &message);
        let decryptor = Decryptor::new(&identities).running(run(threads));
        leaves_nothing("opening a stream", || {
            let input = Input::Stream(&mut &sealed[..]);
            decryptor.decrypt(input, Output::Stream(&mut sink())).unwrap();
        });
        // The segments before an altered one have been opened.
        let mut altered = sealed.clone();
        let at = altered.len() - 1000;
        altered[at] ^= 1;
        leaves_nothing("refusing a stream", || {
            let input = Input::Stream(&mut &altered[..]);
            decryptor.decrypt(input, Output::Stream(&mut sink())).unwrap_err();
        });
        leaves_nothing("opening a stream into a file", || {
            file.set_len(0).unwrap();
            decryptor.decrypt(Input::Stream(&mut &sealed[..]), Output::File(&file)).unwrap();
        });
        leaves_nothing("sealing a file", || {
            encryptor.encrypt(Input::File(&file), Output::Stream(&mut sink())).unwrap();
        });
    }
}

/// The result is the caller's to wipe; plaintext that was opened before an error is not returned.
#[test]
fn nothing_is_left_of_bytes() {
    let _turn = TURN.lock();
    let (key, message) = (Key::generate().unwrap(), message());
    let recipients = Recipients::new().key(key.clone());
    let identities = Identities::new().key(key);
    let mut sealed = Vec::new();
    leaves_nothing("sealing bytes", || sealed = encrypt(&recipients, &message).unwrap());
    leaves_nothing("opening bytes", || {
        let mut opened = decrypt(&identities, &sealed).unwrap();
        assert!(opened == *message);
        opened.zeroize();
    });
    let at = sealed.len() - 1000;
    sealed[at] ^= 1;
    leaves_nothing("refusing bytes", || {
        let refused = decrypt(&identities, &sealed);
        assert!(matches!(refused, Err(Error::Corrupt { last: true, .. })));
    });
}

#[test]
fn nothing_is_left_of_what_is_read() {
    let _turn = TURN.lock();
    let (key, message) = (Key::generate().unwrap(), message());
    let recipients = Recipients::new().key(key.clone());
    let identities = Identities::new().key(key);
    let sealed = seal(&recipients, 1, &message);
    leaves_nothing("a reader", || {
        let mut reader = Decryptor::new(&identities).reader(&sealed[..]).unwrap();
        let mut part = [0; 100];
        for _ in 0..100 {
            reader.read_exact(&mut part).unwrap();
        }
    });
    // From several threads, in and across segments, in many reads and in one.
    leaves_nothing("a reader that threads share", || {
        let reader = Decryptor::new(&identities).reader(&sealed[..]).unwrap();
        thread::scope(|scope| {
            for thread in 0..4 {
                let reader = &reader;
                scope.spawn(move || {
                    let mut part = Zeroizing::new(vec![0; 3_000_000]);
                    for i in 0..40 {
                        let from = (i * 7919 + thread * 104_729) % 200_000;
                        for bytes in [10, 5000, 100_000] {
                            reader.read_at(&mut part[..bytes], from).unwrap();
                        }
                    }
                    reader.read_at(&mut part, 0).unwrap();
                });
            }
        });
    });
    let mut altered = sealed.clone();
    let at = altered.len() - 100_000;
    altered[at] ^= 1;
    leaves_nothing("a reader that refuses", || {
        let reader = Decryptor::new(&identities).reader(&altered[..]).unwrap();
        // The caller does not wipe it: nothing of the plaintext is in there.
        let mut part = vec![0; 3_150_000];
        reader.read_at(&mut part, 10).unwrap_err();
        reader.read_at(&mut part[..2000], 10).unwrap();
        part.zeroize();
    });
    leaves_nothing("a payload", || {
        let header = Header::parse(&sealed).unwrap();
        let stored = StoredLength::File(sealed.len() as u64);
        let head = Decryptor::new(&identities).payload_head(&header, stored).unwrap();
        let last = head.last_range();
        let payload = head.certain(&sealed[last.start as usize..last.end as usize]).unwrap();
        for range in [5..100, 4000..9000, 10..3_150_000] {
            let stored = payload.stored_range(range.clone());
            let stored = &sealed[stored.start as usize..stored.end as usize];
            payload.open_range(range, stored).unwrap();
        }
    });
}

#[test]
fn nothing_is_left_of_what_is_sealed_in_parts() {
    let _turn = TURN.lock();
    let recipients = Recipients::new().key(Key::generate().unwrap());
    let (mut message, version) = (message(), SourceVersion::new("1").unwrap());
    let bytes = message.len() as u64;
    let sealer = Encryptor::new(&recipients).sealer(bytes, &version).unwrap();
    leaves_nothing("a sealer", || {
        for part in sealer.parts(NonZeroU64::new(1_000_000).unwrap()) {
            let needed = sealer.plaintext_range(part.clone());
            let plaintext = &message[needed.start as usize..needed.end as usize];
            sealer.seal_stored(part, &version, plaintext).unwrap();
        }
    });
    message.rotate_left(1);
    leaves_nothing("a sealer that refuses", || {
        let all = sealer.seal_stored(0..u64::MAX, &version, &message);
        assert!(matches!(all, Err(Error::SealedOtherwise { segment: 0 })));
    });
}

/// The answer to a plugin's question is a secret, also one that is no text, or no stanza.
#[cfg(feature = "plugin")]
#[test]
fn nothing_is_left_of_what_a_plugin_is_told() {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD_NO_PAD;
    use polyseal_file::age::plugin_program::Conversation;

    let _turn = TURN.lock();
    let digits = BASE64_STANDARD_NO_PAD.encode(message());
    let lines: Vec<_> = digits.as_bytes()[..64_000].chunks(64).collect();
    let answers = [
        ("an answer", [b"-> ok\n", &lines.join(&b'\n')[..], b"\n\n"].concat()),
        ("what is no stanza", [b"-> ok ", &message()[..64_000], b"\n\n"].concat()),
    ];
    for (what, answer) in answers {
        // The pipe's own bytes are never given back.
        let conversation = Conversation::new(&*answer.leak(), sink());
        leaves_nothing(what, || assert!(conversation.request_secret("PIN").is_none()));
    }
}
