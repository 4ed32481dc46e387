//! A payload without I/O, and readers that threads share: ranges are slices of the plaintext, what
//! is fetched is what is needed and no more, and after an error nothing of it is in the buffer.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use crate::common::{FILE, STREAM, contents, decrypt, encrypt, key, message};
use polyseal_file::{
    Context, Decryptor, Encryptor, Error, Header, Identities, Input, Output, Payload, PayloadHead,
    ReadAt, Reader, Recipients, Sealer, SegmentSize, StoredLength, Suite,
};
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;
use proptest::sample::{Index, select};

const SEGMENT: usize = 4096;

fn seal(suite: &str, segment: usize, detached: bool, message: &[u8]) -> (Header, Vec<u8>) {
    let (recipients, mut stored) = (Recipients::from(&key()), Vec::new());
    let encryptor = Encryptor::new(&recipients)
        .suite(suite.parse().unwrap())
        .segment_size(SegmentSize::new(segment as u64).unwrap());
    let (mut input, output) = (message, Output::Stream(&mut stored));
    let input = Input::Stream(&mut input);
    let header = if detached {
        encryptor.encrypt_detached(input, output).unwrap().0
    } else {
        encryptor.encrypt(input, output).unwrap();
        Header::parse(&stored).unwrap()
    };
    (header, stored)
}

fn head(header: &Header, stored: StoredLength) -> Result<PayloadHead, Error> {
    Decryptor::new(&Identities::from(&key())).payload_head(header, stored)
}

fn how(detached: bool, bytes: usize) -> StoredLength {
    if detached { StoredLength::Payload(bytes as u64) } else { StoredLength::File(bytes as u64) }
}

fn slice(bytes: &[u8], range: Range<u64>) -> &[u8] {
    &bytes[range.start as usize..range.end as usize]
}

fn open(header: &Header, stored: &[u8], detached: bool) -> Payload {
    let head = head(header, how(detached, stored.len())).unwrap();
    let last = head.last_range();
    head.certain(slice(stored, last)).unwrap()
}

#[test]
fn what_threads_share_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Payload>();
    shared::<PayloadHead>();
    shared::<Sealer>();
    shared::<Reader<Vec<u8>>>();
    shared::<Reader<std::fs::File>>();
}

#[test]
fn every_range_around_every_edge_of_every_suite() {
    for suite in Suite::allowed() {
        for bytes in [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT] {
            let (message, detached) = (message(bytes), bytes % 2 == 0);
            let (header, stored) = seal(suite, SEGMENT, detached, &message);
            let payload = open(&header, &stored, detached);
            assert_eq!(payload.plaintext_bytes(), bytes as u64);
            let edges = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, bytes, bytes + 9];
            for (start, stop) in edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))) {
                let range = start as u64..stop as u64;
                let needed = payload.stored_range(range.clone());
                let found = payload.open_range(range, slice(&stored, needed.clone())).unwrap();
                let stop = stop.min(bytes);
                let expected = message.get(start.min(stop)..stop).unwrap();
                assert!(*found == expected, "{suite}, {start}..{stop} of {bytes}");
                assert_eq!(needed.is_empty(), expected.is_empty());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ranges_are_slices(
        bytes in 1..3_000_000_usize,
        suite in select(&["aegis-256x2", "aes-256-gcm", "kc-xaes-256-gcm"][..]),
        segment in select(&[4096, 65536, 1 << 20][..]),
        detached in any::<bool>(),
        a in any::<Index>(),
        b in any::<Index>(),
    ) {
        let message = message(bytes);
        let (header, stored) = seal(suite, segment, detached, &message);
        let payload = open(&header, &stored, detached);
        let [a, b] = [a, b].map(|index| index.index(bytes + 1));
        let range = a.min(b)..a.max(b);
        let plain = range.start as u64..range.end as u64;
        let needed = payload.stored_range(plain.clone());
        // In whole segments, and not one too many.
        let unit = (segment + header.suite().tag_bytes()) as u64;
        assert!(needed.end - needed.start <= (range.len() as u64 / segment as u64 + 2) * unit);
        let mut buffer = vec![0xee; range.len() + 5];
        let n = payload
            .open_range_into(plain, slice(&stored, needed), &mut buffer)
            .unwrap();
        assert!(n == range.len() && buffer[..n] == message[range.clone()]);
        assert_eq!(&buffer[n..], &[0xee; 5], "written behind the end");
        // And by way of a reader.
        let identities = Identities::from(&key());
        let mut decryptor = Decryptor::new(&identities);
        if detached {
            decryptor = decryptor.detached_header(&header);
        }
        let reader = decryptor.reader(&stored[..]).unwrap();
        let n = reader.read_at(&mut buffer, range.start as u64).unwrap();
        assert!(buffer[..n] == message[range.start..][..n]);
        assert_eq!(n, buffer.len().min(bytes - range.start));
    }
}

#[test]
fn no_payload_without_its_end() {
    let message = message(3 * SEGMENT + 10);
    let (header, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    let unit = SEGMENT + 16;
    let certain = |stored: &[u8]| {
        let head = head(&header, how(false, stored.len()))?;
        let last = head.last_range();
        head.certain(slice(stored, last)).map(|_| ())
    };
    assert!(certain(&stored).is_ok());
    // Cut at the edge of a segment, within one, in a tag; extended.
    let cut = certain(&stored[..4096 + 3 * unit]);
    assert!(matches!(cut, Err(Error::Corrupt { segment: 2, last: true })), "{cut:?}");
    let cut = certain(&stored[..4096 + 3 * unit + 20]);
    assert!(matches!(cut, Err(Error::Corrupt { segment: 3, last: true })), "{cut:?}");
    assert!(matches!(certain(&stored[..4096 + 3 * unit + 16]), Err(Error::Truncated)));
    let extended = [&stored[..], &[0; 5]].concat();
    assert!(matches!(certain(&extended), Err(Error::Corrupt { segment: 3, last: true })));
    // Shorter than its header, and than any payload.
    for bytes in [0, 4095, 4096, 4111] {
        assert!(
            matches!(head(&header, StoredLength::File(bytes)), Err(Error::Truncated)),
            "{bytes}"
        );
    }
    let whole = head(&header, how(false, stored.len())).unwrap();
    let short = whole.certain(&stored[stored.len() - 25..]);
    assert!(matches!(short, Err(Error::PartBytes { expected: 26, given: 25 })), "{short:?}");
    // A file with its header is not a payload.
    let detached = [&stored[..], &[0; 40]].concat();
    let whole = head(&header, how(true, detached.len())).unwrap();
    let last = whole.last_range();
    assert!(matches!(whole.certain(slice(&detached, last)), Err(Error::Corrupt { .. })));
}

#[test]
fn after_an_error_the_buffer_has_nothing() {
    let message = message(300 * SEGMENT);
    let (header, stored) = seal("aegis-128l", SEGMENT, true, &message);
    let payload = open(&header, &stored, true);
    let range = 100..message.len() as u64 - 100;
    let needed = slice(&stored, payload.stored_range(range.clone()));
    for segment in [0, 1, 150, 298, 299] {
        let mut altered = needed.to_vec();
        altered[segment * (SEGMENT + 16) + 7] ^= 1;
        let mut buffer = vec![0xee; message.len()];
        let failed = payload.open_range_into(range.clone(), &altered, &mut buffer);
        let Err(Error::Corrupt { segment: found, last }) = failed else { panic!("{failed:?}") };
        assert_eq!((found, last), (segment as u64, segment == 299));
        assert!(buffer[..message.len() - 200].iter().all(|&b| b == 0), "segment {segment}");
        assert!(payload.open_range(range.clone(), &altered).is_err());
    }
    let mut buffer = vec![0xee; 100];
    let short = payload.open_range_into(range.clone(), needed, &mut buffer);
    assert!(matches!(short, Err(Error::BufferBytes { given: 100, .. })), "{short:?}");
    assert_eq!(buffer, [0xee; 100]);
    for bad in [&needed[1..], &[needed, &[0]].concat()] {
        let failed = payload.open_range(range.clone(), bad);
        assert!(matches!(failed, Err(Error::PartBytes { .. })), "{failed:?}");
    }
    // The same segments in another order.
    let swapped = [&needed[SEGMENT + 16..2 * (SEGMENT + 16)], &needed[..SEGMENT + 16]].concat();
    let failed = payload.open_range(0..2 * SEGMENT as u64, &swapped);
    assert!(matches!(failed, Err(Error::Corrupt { segment: 0, last: false })), "{failed:?}");
}

/// Counts how often it is read, and can end early or have an altered byte.
#[derive(Default)]
struct Object {
    bytes: Vec<u8>,
    reads: Mutex<Vec<Range<u64>>>,
    left: AtomicUsize,
}

impl Object {
    fn new(bytes: Vec<u8>) -> Self {
        let left = AtomicUsize::new(bytes.len());
        Self { bytes, reads: Mutex::default(), left }
    }

    fn reads(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.reads.lock().unwrap())
    }
}

impl ReadAt for Object {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.reads.lock().unwrap().push(offset..offset + buffer.len() as u64);
        self.bytes[..self.left.load(Ordering::Relaxed)].read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.bytes.size()
    }
}

fn reader(object: &Arc<Object>) -> Reader<Arc<Object>> {
    Decryptor::new(&Identities::from(&key())).reader(object.clone()).unwrap()
}

#[test]
fn what_lies_together_is_read_at_once() {
    const MIB: usize = 1 << 20;
    let message = message(12 * MIB);
    for segment in [SEGMENT, 65536, MIB] {
        let (_, stored) = seal("aegis-256x2", segment, false, &message);
        let object = Arc::new(Object::new(stored));
        let reader = reader(&object);
        // The header and the last segment.
        assert_eq!(object.reads().len(), 2);
        let mut buffer = vec![0; MIB];
        for from in [0, 5 * MIB + 100] {
            assert_eq!(reader.read_at(&mut buffer, from as u64).unwrap(), MIB);
            assert!(buffer == message[from..from + MIB]);
            assert_eq!(object.reads().len(), 1, "{from}");
        }
        for from in [3 * MIB + 7, 4 * MIB - 2000] {
            assert_eq!(reader.read_at(&mut buffer[..4096], from as u64).unwrap(), 4096);
            assert!(buffer[..4096] == message[from..from + 4096]);
            assert_eq!(object.reads().len(), 1, "{from}");
        }
        // Small reads that follow each other: one for each segment.
        reader.read_at(&mut [0], (9 * MIB) as u64).unwrap();
        object.reads();
        for from in (8 * MIB..9 * MIB).step_by(1000) {
            reader.read_at(&mut buffer[..1000], from as u64).unwrap();
        }
        assert!(object.reads().len() <= MIB / segment + 1);
        // Large ones go in pieces of at most 4 MiB.
        let mut all = vec![0; 12 * MIB];
        assert_eq!(reader.read_at(&mut all, 0).unwrap(), 12 * MIB);
        assert!(all == message);
        let reads = object.reads();
        assert!((3..=4).contains(&reads.len()), "{reads:?}");
        assert!(reads.iter().all(|read| read.end - read.start <= 4 << 20), "{reads:?}");
    }
}

#[test]
fn eight_threads_and_one_reader() {
    let message = message(200 * SEGMENT + 77);
    let (_, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    let object = Arc::new(Object::new(stored));
    let (reader, ready) = (reader(&object), Barrier::new(8));
    thread::scope(|scope| {
        for seed in 0..8_u64 {
            let (reader, ready, message) = (&reader, &ready, &message);
            scope.spawn(move || {
                ready.wait();
                let mut random = seed + 1;
                let mut buffer = vec![0; 40_000];
                for _ in 0..400 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let from = (random >> 33) as usize % message.len();
                    let length = [1, 100, 4096, 40_000][(random >> 60) as usize % 4];
                    let n = reader.read_at(&mut buffer[..length], from as u64).unwrap();
                    assert_eq!(n, length.min(message.len() - from));
                    assert!(buffer[..n] == message[from..from + n], "{length} from {from}");
                }
            });
        }
    });
    assert!(object.reads().len() > 1000);
}

/// Whichever segment it is, and whatever was verified before it.
#[test]
fn wherever_a_segment_is_altered_the_buffer_has_nothing() {
    let message = message(140 * SEGMENT + 5);
    let (_, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    for segment in 0..140 {
        let mut altered = stored.clone();
        altered[4096 + segment * (SEGMENT + 16) + 7] ^= 1;
        let reader = reader(&Arc::new(Object::new(altered)));
        // Twice: the second time some of it is at hand.
        for _ in 0..2 {
            let mut buffer = vec![0xee; message.len()];
            let failed = reader.read_at(&mut buffer, 3);
            assert!(
                matches!(failed, Err(Error::Corrupt { segment: s, .. }) if s == segment as u64)
            );
            assert!(buffer[..message.len() - 3].iter().all(|&b| b == 0), "segment {segment}");
            assert_eq!(buffer[message.len() - 3..], [0xee; 3]);
        }
    }
}

#[test]
fn a_source_that_fails_leaves_nothing_in_the_buffer() {
    let message = message(3 << 20);
    let (_, mut stored) = seal("aegis-256x2", 65536, false, &message);
    let damaged = 4096 + 20 * (65536 + 16);
    stored[damaged + 5] ^= 1;
    let object = Arc::new(Object::new(stored));
    let reader = reader(&object);
    let all = |expected: &dyn Fn(&Error) -> bool| {
        for (from, length) in [(0, 3 << 20), (19 * 65536 + 5, 65536 + 100), (20 * 65536, 9)] {
            let mut buffer = vec![0xee; length];
            let error = reader.read_at(&mut buffer, from).unwrap_err();
            assert!(expected(&error), "{error:?}");
            assert!(buffer.iter().all(|&b| b == 0), "{length} from {from}");
        }
    };
    all(&|error| matches!(error, Error::Corrupt { segment: 20, last: false }));
    // It is made shorter meanwhile: also where a part of the range is still there.
    object.left.store(damaged, Ordering::Relaxed);
    all(&|error| matches!(error, Error::InputChanged));
    let mut buffer = [0; 100];
    assert_eq!(reader.read_at(&mut buffer, 5).unwrap(), 100, "what is there is read");
    assert!(buffer == message[5..105]);
}

/// Threads do not wait for one that waits for its source.
#[test]
fn a_slow_read_holds_up_nobody() {
    /// Waits at the first segment, once when it is asked for and once before it is given.
    struct SlowSource<'a>(&'a [u8], &'a Barrier);

    impl ReadAt for SlowSource<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            if offset == 4096 {
                self.1.wait();
                self.1.wait();
            }
            self.0.read_at(buffer, offset)
        }

        fn size(&self) -> io::Result<u64> {
            self.0.size()
        }
    }

    let message = message(20 * SEGMENT);
    let (_, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    let barrier = Barrier::new(2);
    let identities = Identities::from(&key());
    let reader = &Decryptor::new(&identities).reader(SlowSource(&stored, &barrier)).unwrap();
    for (slow_bytes, bytes) in [(10, 10), (10, 2 * SEGMENT), (SEGMENT, 10)] {
        thread::scope(|scope| {
            let (sender, done) = mpsc::channel();
            let slow = scope.spawn(move || {
                let mut buffer = vec![0; slow_bytes];
                reader.read_at(&mut buffer, 0).unwrap();
                buffer
            });
            barrier.wait();
            scope.spawn(move || {
                let mut buffer = vec![0; bytes];
                reader.read_at(&mut buffer, SEGMENT as u64).unwrap();
                sender.send(buffer).unwrap();
            });
            let read = done.recv_timeout(Duration::from_secs(60));
            barrier.wait();
            assert!(read.expect("it waited") == message[SEGMENT..][..bytes]);
            assert!(slow.join().unwrap() == message[..slow_bytes]);
            // Others are at hand.
            (4..20).for_each(|i| _ = reader.read_at(&mut [0], i * SEGMENT as u64).unwrap());
        });
    }
}

#[test]
fn reads_that_follow_each_other_read_nothing_twice() {
    let message = message(100 * SEGMENT + 5);
    let (_, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    for bytes in [100, SEGMENT, SEGMENT + 1, 3 * SEGMENT / 2, 7 * SEGMENT + 9] {
        let object = Arc::new(Object::new(stored.clone()));
        let mut reader = reader(&object);
        reader.read_at(&mut [0], 50 * SEGMENT as u64).unwrap();
        object.reads();
        let (mut whole, mut piece) = (Vec::new(), vec![0; bytes]);
        while let n @ 1.. = reader.read(&mut piece).unwrap() {
            whole.extend_from_slice(&piece[..n]);
        }
        assert!(whole == message);
        let read: u64 = object.reads().iter().map(|read| read.end - read.start).sum();
        assert!(read <= stored.len() as u64 - 4096, "{read} for pieces of {bytes}");
    }
}

/// From the end to the beginning, and in several places by turns: pieces that neither begin nor end
/// with a segment.
#[test]
fn what_is_left_of_segments_is_not_read_again() {
    let message = message(560 * SEGMENT + 5);
    let (_, stored) = seal("aegis-256x2", SEGMENT, false, &message);
    for (piece, places) in [(7 * SEGMENT, 7), (7 * SEGMENT, 1), (3 * SEGMENT / 2, 4), (1000, 5)] {
        let object = Arc::new(Object::new(stored.clone()));
        let reader = reader(&object);
        object.reads();
        let all: Vec<_> = (0..message.len() - 100).step_by(piece).map(|at| at + 100).collect();
        // Each place is a run of pieces; the pieces of all are read by turns.
        let runs: Vec<_> = all.chunks(all.len().div_ceil(places)).collect();
        let forward = (0..runs[0].len()).flat_map(|i| runs.iter().filter_map(move |r| r.get(i)));
        let orders = [all.iter().rev().collect::<Vec<_>>(), forward.collect()];
        for order in orders {
            let mut buffer = vec![0; piece];
            for &&from in &order {
                let n = reader.read_at(&mut buffer, from as u64).unwrap();
                assert!(buffer[..n] == message[from..from + n]);
            }
            let reads = object.reads();
            let read: u64 = reads.iter().map(|read| read.end - read.start).sum();
            // Where two places meet, and where the first order has ended.
            let most = stored.len() - 4096 + places * (SEGMENT + 16);
            assert!(read <= most as u64, "{read} of {most} for pieces of {piece} in {places}");
            assert!(reads.len() <= all.len(), "{} reads for {}", reads.len(), all.len());
        }
    }
}

#[test]
fn header_and_payload_apart_are_the_file_cut_in_two() {
    let identities = Identities::from(&key());
    for bytes in [0, 1, SEGMENT, 500_000] {
        let message = message(bytes);
        // A file that is cut opens as two, and two together open as one.
        let stored = encrypt(&key(), SEGMENT as u64, STREAM, &message);
        let header = Header::parse(&stored).unwrap();
        let payload = &stored[4096..];
        let decryptor = Decryptor::new(&identities).detached_header(&header);
        let mut opened = Vec::new();
        let output = Output::Stream(&mut opened);
        let summary = decryptor.decrypt(Input::Stream(&mut &payload[..]), output).unwrap();
        assert_eq!(summary.file_bytes, payload.len() as u64);
        assert!(opened == message);

        let (made, alone) = seal("aegis-256x2", SEGMENT, true, &message);
        let together = [made.as_bytes(), &alone].concat();
        for shape in [STREAM, FILE] {
            let (result, opened) = decrypt(&key(), shape, &together);
            assert!(result.is_ok() && opened == message, "{shape:?}");
        }
        let file = tempfile::tempfile().unwrap();
        let made = {
            let (recipients, mut input) = (Recipients::from(&key()), &message[..]);
            let encryptor = Encryptor::new(&recipients);
            let output = Output::File(&file);
            encryptor.encrypt_detached(Input::Stream(&mut input), output).unwrap().0
        };
        assert!(!contents(&file).starts_with(b"polyseal"), "a payload has no magic");
        let decryptor = Decryptor::new(&identities).detached_header(&made);
        let verified = decryptor.verify(Input::File(&file)).unwrap();
        assert_eq!(verified.plaintext_bytes, bytes as u64);
        // The header of another file, and a payload without one.
        let other = Decryptor::new(&identities).detached_header(&header);
        let refused = other.verify(Input::File(&file));
        assert!(matches!(refused, Err(Error::Corrupt { .. })), "{refused:?}");
        let refused = Decryptor::new(&identities).verify(Input::File(&file));
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::NotAPolysealFile | Error::NotArmored), "{refused:?}");
    }
}

/// A payload alone begins with any byte, also with one that armour begins with.
#[test]
fn a_payload_alone_is_never_armour() {
    let identities = Identities::from(&key());
    let mut found = (0..10_000).map(|_| seal("aegis-256x2", SEGMENT, true, b"message"));
    let (header, payload) = found.find(|(_, it)| b"- \t\r\n".contains(&it[0])).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&payload).unwrap();
    let decryptor = Decryptor::new(&identities).detached_header(&header);
    decryptor.verify(Input::Stream(&mut &payload[..])).unwrap();
    decryptor.verify(Input::File(&file)).unwrap();
    decryptor.reader(&payload[..]).unwrap();
}

#[test]
fn an_authentic_header_knows_its_context() {
    let (recipients, identities) = (Recipients::from(&key()), Identities::from(&key()));
    let [one, other] = ["one", "other"].map(|text| Context::new(text).unwrap());
    let header = |context: Option<&Context>| {
        let encryptor = Encryptor::new(&recipients);
        let encryptor = context.map_or(encryptor, |context| encryptor.context(context));
        let (mut input, mut output) = (&b""[..], Vec::new());
        let output = Output::Stream(&mut output);
        encryptor.encrypt_detached(Input::Stream(&mut input), output).unwrap().0
    };
    let (bound, unbound) = (header(Some(&one)), header(None));
    let bound = bound.authenticate(&identities).unwrap();
    assert!(bound.expect_context(Some(&one)).is_ok());
    assert!(matches!(bound.expect_context(Some(&other)), Err(Error::ContextDiffers)));
    assert!(matches!(bound.expect_context(None), Err(Error::ContextMissing)));
    let unbound = unbound.authenticate(&identities).unwrap();
    assert!(unbound.expect_context(None).is_ok());
    assert!(matches!(unbound.expect_context(Some(&one)), Err(Error::ContextUnexpected)));
}

#[test]
fn what_points_to_a_source_is_one() {
    let (message, identities) = (message(10_000), Identities::from(&key()));
    let stored = encrypt(&key(), SEGMENT as u64, STREAM, &message);
    let decryptor = Decryptor::new(&identities);
    let check = |source: &dyn ReadAt| {
        let mut part = [0; 10];
        assert_eq!(decryptor.reader(source).unwrap().read_at(&mut part, 5).unwrap(), 10);
        assert!(part == message[5..15]);
    };
    check(&stored);
    check(&&stored[..]);
    check(&Arc::new(stored.clone()));
    check(&Box::new(stored.clone()));
    let boxed: Box<dyn ReadAt> = Box::new(stored);
    check(&boxed);
}
