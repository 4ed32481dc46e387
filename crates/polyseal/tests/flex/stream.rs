//! Segments cannot be moved, dropped, doubled or spliced, and only the last one is the last.

use polyseal::Error;
use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::testing::{Backend, flex_on};

use super::{flipped, key, refuses};
use crate::common::{bytes, soft};

const AD: &[u8] = b"associated data";
const NONCE: [u8; 24] = [7; 24];
const SEGMENT: usize = 256;

fn config(mode: Mode, profile: Profile) -> Config {
    let builder = Config::builder(mode).profile(profile).segment_bytes(SEGMENT);
    builder.allow_64_bits().build().expect("a stream")
}

fn streams_on(backend: Backend) -> impl Iterator<Item = Flex> {
    let both = [Mode::Och, Mode::Civ].into_iter();
    both.flat_map(move |mode| {
        Profile::ALL.map(|profile| super::flex(backend, config(mode, profile)))
    })
}

fn streams() -> impl Iterator<Item = Flex> {
    streams_on(Backend::detect())
}

/// The segments with their tags.
fn pieces<'s>(flex: &Flex, sealed: &'s [u8]) -> Vec<&'s [u8]> {
    sealed.chunks(SEGMENT + flex.config().tag_bytes()).collect()
}

#[test]
fn every_length_around_a_segment() {
    for (flex, portable) in streams().zip(streams_on(soft())) {
        let tag = flex.config().tag_bytes();
        for segments in 0..4 {
            for length in [0, 1, 63, 64, 65, 254, 255].map(|more| segments * SEGMENT + more) {
                let message = bytes(1, length);
                let sealed = flex.seal(&NONCE, AD, &message).expect("sealing");
                let name = format!("{:?}, {length} bytes", flex.config());
                assert_eq!(sealed.len(), length + tag * length.div_ceil(SEGMENT).max(1), "{name}");
                for flex in [&flex, &portable] {
                    let opened = flex.open(&NONCE, AD, &sealed).expect(&name);
                    assert!(*opened.message == message && opened.nonce == NONCE, "{name}");
                }
            }
        }
    }
}

/// Each segment is what its mode makes of it, under a key of its own: no two tags or texts are
/// alike.
#[test]
fn equal_segments_differ() {
    for flex in streams() {
        let sealed = flex.seal(&NONCE, AD, &[0; 5 * SEGMENT]).expect("sealing");
        let mut parts: Vec<_> = sealed.chunks_exact(16).collect();
        parts.sort_unstable();
        assert!(parts.windows(2).all(|two| two[0] != two[1]), "{:?}", flex.config());
    }
}

#[test]
fn any_other_order_is_refused() {
    for flex in streams() {
        let sealed = flex.seal(&NONCE, AD, &bytes(1, 3 * SEGMENT + 100)).expect("sealing");
        let pieces = pieces(&flex, &sealed);
        assert_eq!(pieces.len(), 4);
        // All sequences of up to five of the four.
        for count in 0..=5_u32 {
            for number in 0..4_usize.pow(count) {
                let order: Vec<_> =
                    (0..count).map(|place| number / 4_usize.pow(place) % 4).collect();
                let joined: Vec<_> = order.iter().flat_map(|&i| pieces[i]).copied().collect();
                let refused = refuses(&flex, &NONCE, AD, &joined);
                assert_eq!(refused, order != [0, 1, 2, 3], "{:?}: {order:?}", flex.config());
            }
        }
    }
}

#[test]
fn every_cut_and_continuation_is_refused() {
    for flex in streams() {
        let tag = flex.config().tag_bytes();
        for length in [0, 1, SEGMENT, 2 * SEGMENT, 2 * SEGMENT + 9] {
            let sealed = flex.seal(&NONCE, AD, &bytes(1, length)).expect("sealing");
            let name = format!("{:?}, {length} bytes", flex.config());
            for kept in 0..sealed.len() {
                assert!(refuses(&flex, &NONCE, AD, &sealed[..kept]), "{name}: {kept}");
            }
            for added in [1, tag - 1, tag, tag + 1, SEGMENT + tag] {
                let zeros = [&sealed[..], &vec![0; added]].concat();
                assert!(refuses(&flex, &NONCE, AD, &zeros), "{name}: {added} zeros");
                let again = [&sealed[..], &sealed[..added.min(sealed.len())]].concat();
                assert!(refuses(&flex, &NONCE, AD, &again), "{name}: {added} again");
            }
        }
    }
}

#[test]
fn every_byte_is_authenticated() {
    for mode in [Mode::Och, Mode::Civ] {
        let flex = super::flex(Backend::detect(), config(mode, Profile::S512));
        let sealed = flex.seal(&NONCE, AD, &bytes(1, 2 * SEGMENT + 9)).expect("sealing");
        for at in 0..sealed.len() {
            assert!(refuses(&flex, &NONCE, AD, &flipped(&sealed, at)), "{mode:?}: {at}");
        }
    }
}

#[test]
fn segments_of_other_streams_are_refused() {
    for flex in streams() {
        let message = bytes(1, 3 * SEGMENT + 100);
        let sealed = flex.seal(&NONCE, AD, &message).expect("sealing");
        let other_key = flex_on(Backend::detect(), *flex.config(), &flipped(&key(), 0), b"");
        let others = [
            flex.seal(&[8; 24], AD, &message),
            flex.seal(&NONCE, b"", &message),
            other_key.and_then(|flex| flex.seal(&NONCE, AD, &message)),
        ];
        for other in others.map(|other| other.expect("sealing")) {
            for spliced in 0..4 {
                let mut mixed = pieces(&flex, &sealed);
                mixed[spliced] = pieces(&flex, &other)[spliced];
                let name = format!("{:?}: {spliced}", flex.config());
                assert!(refuses(&flex, &NONCE, AD, &mixed.concat()), "{name}");
            }
        }
    }
}

/// A whole segment that is the last one, and one that is not, are under different keys; so are the
/// first of many and the only one.
#[test]
fn the_last_segment_is_marked() {
    for flex in streams() {
        let message = bytes(1, 2 * SEGMENT);
        let seal = |count: usize| flex.seal(&NONCE, AD, &message[..count * SEGMENT]);
        let (one, two) = (seal(1).expect("sealing"), seal(2).expect("sealing"));
        let unit = one.len();
        assert_ne!(one, two[..unit], "{:?}", flex.config());
        assert!(refuses(&flex, &NONCE, AD, &two[..unit]));
        assert!(refuses(&flex, &NONCE, AD, &[&one[..], &two[unit..]].concat()));
    }
}

/// The size of segments is a part of the configuration, and a stream is no single message.
#[test]
fn another_size_of_segments_is_refused() {
    for mode in [Mode::Och, Mode::Civ] {
        let of = |bytes| {
            let config = Config::builder(mode).segment_bytes(bytes).build().expect("a stream");
            super::flex(Backend::detect(), config)
        };
        let whole = super::config(mode, Profile::S512, NonceForm::Public(24));
        let whole = super::flex(Backend::detect(), whole);
        for length in [0, 100, SEGMENT, SEGMENT + 1] {
            let sealed = of(1 << 8).seal(&NONCE, AD, &bytes(1, length)).expect("sealing");
            for other in [&of(1 << 9), &of(1 << 24), &whole] {
                assert!(refuses(other, &NONCE, AD, &sealed), "{mode:?}: {length}");
            }
            let sealed = whole.seal(&NONCE, AD, &bytes(1, length)).expect("sealing");
            assert!(refuses(&of(1 << 8), &NONCE, AD, &sealed), "{mode:?}: {length}");
        }
    }
}

/// Seals segment by segment; every other one into the caller's buffer.
fn seal_by_segments(flex: &Flex, message: &[u8]) -> Vec<u8> {
    let mut sealer = flex.seal_segments(&NONCE, AD).expect("a stream");
    let tag = flex.config().tag_bytes();
    let last_at = message.len().saturating_sub(1) / SEGMENT * SEGMENT;
    let (others, last) = message.split_at(last_at);
    let mut sealed = vec![];
    for (index, segment) in others.chunks(SEGMENT).enumerate() {
        let mut buffer = vec![0xaa; SEGMENT + tag];
        match index % 2 {
            0 => sealer.next_into(segment, &mut buffer).expect("sealing"),
            _ => buffer = sealer.next(segment).expect("sealing"),
        }
        sealed.extend(buffer);
    }
    let mut buffer = vec![0xaa; last.len() + tag];
    match last.len() % 2 {
        0 => sealer.last_into(last, &mut buffer).expect("sealing"),
        _ => buffer = sealer.last(last).expect("sealing"),
    }
    sealed.extend(buffer);
    sealed
}

#[test]
fn joined_segments_are_the_whole() {
    for flex in streams() {
        for length in [0, 1, 255, 256, 257, 512, 700, 1024] {
            let (message, name) = (bytes(1, length), format!("{:?}, {length}", flex.config()));
            let whole = flex.seal(&NONCE, AD, &message).expect("sealing");
            assert!(seal_by_segments(&flex, &message) == whole, "{name}");

            let mut opener = flex.open_segments(&NONCE, AD).expect("a stream");
            let pieces = pieces(&flex, &whole);
            let (last, others) = pieces.split_last().expect("a segment");
            let mut opened = vec![];
            for (index, piece) in others.iter().enumerate() {
                let mut segment = vec![0xaa; SEGMENT];
                match index % 2 {
                    0 => opener.next_into(piece, &mut segment).expect(&name),
                    _ => segment = opener.next(piece).expect(&name).to_vec(),
                }
                opened.extend(segment);
            }
            let mut segment = vec![0xaa; message.len() - opened.len()];
            match length % 2 {
                0 => opener.last_into(last, &mut segment).expect(&name),
                _ => segment = opener.last(last).expect(&name).to_vec(),
            }
            opened.extend(segment);
            assert!(opened == message, "{name}");
        }
    }
}

/// Every segment opens in its place, whatever was opened before, and nowhere else.
#[test]
fn a_segment_opens_in_its_place_only() {
    for flex in streams() {
        let message = bytes(1, 3 * SEGMENT + 100);
        let sealed = flex.seal(&NONCE, AD, &message).expect("sealing");
        let other = flex.seal(&[8; 24], AD, &message).expect("sealing");
        let (pieces, others) = (pieces(&flex, &sealed), pieces(&flex, &other));
        let opener = flex.open_segments(&NONCE, AD).expect("a stream");
        for index in [3, 0, 2, 1, 0, 3] {
            for place in [0, 1, 2, 3, 4, 256, 1 << 32, 1 << 63, u64::MAX - 2] {
                for last in [true, false] {
                    let right = (place, last) == (index, index == 3);
                    let at = index as usize;
                    let segment = &message[at * SEGMENT..message.len().min((at + 1) * SEGMENT)];
                    let opened = opener.open(place, last, pieces[at]);
                    let name = format!("{:?}: {index} as {place}, {last}", flex.config());
                    match right {
                        true => assert!(*opened.expect(&name) == segment, "{name}"),
                        false => assert_eq!(opened.err(), Some(Error::Unauthentic), "{name}"),
                    }
                    let mut buffer = vec![0xaa; segment.len()];
                    let opened = opener.open_into(place, last, pieces[at], &mut buffer);
                    assert_eq!(opened.is_ok(), right, "{name}");
                    assert!(right || buffer.iter().all(|&byte| byte == 0), "{name}: left behind");
                    let foreign = opener.open(place, last, others[at]);
                    assert_eq!(
                        foreign.err(),
                        Some(Error::Unauthentic),
                        "{name}, of another stream"
                    );
                }
            }
        }
    }
}

/// A refused segment is not skipped.
#[test]
fn an_opener_stays_where_it_is() {
    let flex = super::flex(Backend::detect(), config(Mode::Och, Profile::S512));
    let message = bytes(1, 2 * SEGMENT);
    let sealed = flex.seal(&NONCE, AD, &message).expect("sealing");
    let pieces = pieces(&flex, &sealed);
    let mut opener = flex.open_segments(&NONCE, AD).expect("a stream");
    let mut buffer = vec![0; SEGMENT];
    for forged in [flipped(pieces[0], 5), pieces[1].to_vec(), vec![], sealed.clone()] {
        assert_eq!(opener.next(&forged).err(), Some(Error::Unauthentic));
        assert_eq!(opener.next_into(&forged, &mut buffer), Err(Error::Unauthentic));
    }
    assert_eq!(opener.next(pieces[0]).expect("the first")[..], message[..SEGMENT]);
    assert_eq!(opener.next(pieces[0]).err(), Some(Error::Unauthentic), "again");
    assert_eq!(opener.last(pieces[1]).expect("the last")[..], message[SEGMENT..]);
}

#[test]
fn each_wrong_segment_has_its_error() {
    let what = "segment";
    for flex in streams() {
        let tag = flex.config().tag_bytes();
        let sealer = || flex.seal_segments(&NONCE, AD).expect("a stream");
        // The last may be empty if it is the only one.
        for actual in [0, 1, SEGMENT - 1, SEGMENT + 1] {
            let error = Error::Length { what, expected: SEGMENT, actual };
            let (segment, mut sealed) = (vec![1; actual], vec![0xaa; actual + tag]);
            assert_eq!(sealer().next(&segment), Err(error));
            assert_eq!(sealer().next_into(&segment, &mut sealed), Err(error));
            assert!(sealed.iter().all(|&byte| byte == 0xaa), "something was written");
        }
        let too_long = |shortest| {
            let actual = SEGMENT + 1;
            Err(Error::Range { what, shortest, longest: SEGMENT, actual })
        };
        assert_eq!(sealer().last(&[1; SEGMENT + 1]), too_long(0));
        let mut second = sealer();
        let error = Error::Length { what, expected: SEGMENT, actual: 5 };
        assert_eq!(second.next(&[1; 5]), Err(error));
        let first = second.next(&[1; SEGMENT]).expect("the first, still");
        assert_eq!(first, pieces(&flex, &flex.seal(&NONCE, AD, &[1; 600]).expect("sealing"))[0]);
        let empty = Error::Range { what, shortest: 1, longest: SEGMENT, actual: 0 };
        assert_eq!(second.last(&[]), Err(empty));
        let mut second = sealer();
        second.next(&[1; SEGMENT]).expect("the first");
        assert_eq!(second.last(&[1; SEGMENT + 1]), too_long(1));

        for actual in [0, 7 + tag - 1, 7 + tag + 1] {
            let error = Err(Error::Buffer { expected: 7 + tag, actual });
            assert_eq!(sealer().last_into(&[1; 7], &mut vec![0; actual]), error);
        }
        let opener = flex.open_segments(&NONCE, AD).expect("a stream");
        let sealed = flex.seal(&NONCE, AD, &[1; 7]).expect("sealing");
        for actual in [0, 6, 8] {
            let error = Err(Error::Buffer { expected: 7, actual });
            assert_eq!(opener.open_into(0, true, &sealed, &mut vec![0; actual]), error);
        }
        for length in [0, tag - 1, SEGMENT + tag + 1] {
            for (index, last) in [(0, true), (0, false), (1, true), (1, false)] {
                let refused = opener.open(index, last, &vec![0; length]).err();
                assert_eq!(refused, Some(Error::Unauthentic), "{length}: {index}, {last}");
            }
        }
    }
}

#[test]
fn there_are_fewer_than_2_64_segments() {
    let flex = super::flex(Backend::detect(), config(Mode::Civ, Profile::S512));
    let opener = flex.open_segments(&NONCE, AD).expect("a stream");
    let sealed = [0; SEGMENT + 32];
    for (index, last, error) in [
        (u64::MAX, true, Error::TooManySegments),
        (u64::MAX, false, Error::TooManySegments),
        (u64::MAX - 1, true, Error::Unauthentic),
        // There would be no last one behind it.
        (u64::MAX - 1, false, Error::TooManySegments),
        (u64::MAX - 2, false, Error::Unauthentic),
    ] {
        assert_eq!(opener.open(index, last, &sealed).err(), Some(error), "{index}, {last}");
    }
    assert_eq!(Error::TooManySegments.to_string(), "a stream has fewer than 2^64 segments");
}

#[test]
fn only_streams_have_segments() {
    for config in [Config::OCH, Config::OCH_PUBLIC, Config::CIV_PUBLIC, Config::ROBUST] {
        let flex = super::flex(Backend::detect(), config);
        assert_eq!(flex.seal_segments(&NONCE, AD).err(), Some(Error::NoSegments));
        assert_eq!(flex.open_segments(&NONCE, AD).err(), Some(Error::NoSegments));
    }
    assert_eq!(Error::NoSegments.to_string(), "the configuration has no segments");
    let flex = super::flex(Backend::detect(), Config::OCH_STREAM);
    let error = Error::Length { what: "nonce", expected: 24, actual: 23 };
    assert_eq!(flex.seal_segments(&NONCE[1..], AD).err(), Some(error));
    assert_eq!(flex.open_segments(&NONCE[1..], AD).err(), Some(error));
}

/// The index is the sealer's own, and ends where a stream does.
#[test]
fn a_sealer_ends_with_the_stream() {
    let config = Config::builder(Mode::Och).segment_bytes(256).build().expect("a stream");
    let flex = Flex::init(config, &[7; 32], b"").expect("a key");
    let behind = |index| flex.seal_segments(&[1; 24], b"").expect("a stream").behind(index);
    let opener = flex.open_segments(&[1; 24], b"").expect("a stream");
    let segment = [5; 256];
    let mut sealer = behind(u64::MAX - 2);
    let sealed = sealer.next(&segment).expect("the last but one");
    assert!(*opener.open(u64::MAX - 2, false, &sealed).expect("opening") == segment);
    assert_eq!(sealer.next(&segment), Err(Error::TooManySegments));
    let sealed = sealer.last(&segment).expect("the last");
    assert!(*opener.open(u64::MAX - 1, true, &sealed).expect("opening") == segment);
    let mut beyond = behind(u64::MAX);
    assert_eq!(beyond.next(&segment), Err(Error::TooManySegments));
    assert_eq!(beyond.last(&segment), Err(Error::TooManySegments));
}
