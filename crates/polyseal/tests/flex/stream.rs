//! Segments cannot be moved, dropped, doubled or spliced, and only the last one is the last.

use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::testing::{Backend, flex_on};

use crate::common::{bytes, soft};
use crate::{flipped, key, refuses};

const AD: &[u8] = b"associated data";
const NONCE: [u8; 24] = [7; 24];
const SEGMENT: usize = 256;

fn config(mode: Mode, profile: Profile) -> Config {
    let builder = Config::builder(mode).profile(profile).segments(8);
    builder.allow_64_bits().build().expect("a stream")
}

fn streams_on(backend: Backend) -> impl Iterator<Item = Flex> {
    let both = [Mode::Och, Mode::Civ].into_iter();
    both.flat_map(move |mode| {
        Profile::ALL.map(|profile| crate::flex(backend, config(mode, profile)))
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

/// Each segment is what its mode makes of it, under a key of its own: no two tags or texts are alike.
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
        let flex = crate::flex(Backend::detect(), config(mode, Profile::S512));
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
        let of = |log2| {
            let config = Config::builder(mode).segments(log2).build().expect("a stream");
            crate::flex(Backend::detect(), config)
        };
        let whole = crate::config(mode, Profile::S512, NonceForm::Public(24));
        let whole = crate::flex(Backend::detect(), whole);
        for length in [0, 100, SEGMENT, SEGMENT + 1] {
            let sealed = of(8).seal(&NONCE, AD, &bytes(1, length)).expect("sealing");
            for other in [&of(9), &of(24), &whole] {
                assert!(refuses(other, &NONCE, AD, &sealed), "{mode:?}: {length}");
            }
            let sealed = whole.seal(&NONCE, AD, &bytes(1, length)).expect("sealing");
            assert!(refuses(&of(8), &NONCE, AD, &sealed), "{mode:?}: {length}");
        }
    }
}
