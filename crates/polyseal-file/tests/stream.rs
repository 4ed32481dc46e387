//! Files that are sealed until their end comes, against the tool's way to write them.

use polyseal_file::{
    Decryptor, Encryptor, Error, Identities, Input, Key, Outline, Output, Recipients, SegmentSize,
    StreamSealer, Suite,
};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, proptest};

const SEGMENT: usize = 4096;

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 % 251) as u8).collect()
}

fn sealer(suite: &str) -> (StreamSealer, Key) {
    let key = Key::from_bytes(&[5; 32]);
    let recipients = Recipients::from(&key);
    let encryptor = Encryptor::new(&recipients)
        .suite(suite.parse().unwrap())
        .segment_size(SegmentSize::new(SEGMENT as u64).unwrap());
    (encryptor.stream_sealer().unwrap(), key)
}

fn open(file: &[u8], key: &Key) -> Result<Vec<u8>, Error> {
    let (identities, mut opened) = (Identities::from(key), Vec::new());
    let output = Output::Stream(&mut opened);
    Decryptor::new(&identities).decrypt(Input::Stream(&mut &file[..]), output)?;
    Ok(opened)
}

#[test]
fn every_suite_and_length_opens_to_what_was_sealed() {
    for suite in Suite::allowed() {
        for bytes in [0, 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT, 3 * SEGMENT + 100] {
            let (message, (mut sealer, key)) = (message(bytes), sealer(suite));
            let mut file = sealer.header().as_bytes().to_vec();
            // The last segment is held back; the pieces are sealed from the end.
            let whole = bytes.saturating_sub(1) / SEGMENT;
            let pieces: Vec<_> = (0..whole).map(|_| sealer.take(1).unwrap()).collect();
            let mut sealed: Vec<_> = pieces
                .into_iter()
                .enumerate()
                .rev()
                .map(|(i, piece)| piece.seal(&[&message[i * SEGMENT..][..SEGMENT]]).unwrap())
                .collect();
            sealed.reverse();
            file.extend(sealed.concat());
            file.extend(sealer.finish(&[&message[whole * SEGMENT..]]).unwrap());
            assert!(open(&file, &key).unwrap() == message, "{suite}, {bytes} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// However the plaintext is cut into slices and pieces; with runs of more than 512 KiB.
    #[test]
    fn any_slices_and_pieces_make_a_file(
        slices in vec(0..300_000_usize, 1..8),
        pieces in vec(0..200_u64, 0..6),
    ) {
        let (mut sealer, key) = sealer("aegis-128x2");
        let slices: Vec<_> = slices.into_iter().map(message).collect();
        let message = slices.concat();
        let mut file = sealer.header().as_bytes().to_vec();
        let mut done = 0;
        for segments in pieces {
            let bytes = segments as usize * SEGMENT;
            if done + bytes >= message.len() {
                break;
            }
            let piece = sealer.take(segments).unwrap();
            let (text, cut) = (&message[done..][..bytes], bytes / 3);
            file.extend(piece.seal(&[&text[..cut], &[], &text[cut..]]).unwrap());
            done += bytes;
        }
        let rest = if done == 0 {
            sealer.finish(&slices)
        } else {
            sealer.finish(&[&message[done..]])
        };
        file.extend(rest.unwrap());
        assert!(open(&file, &key).unwrap() == message);
    }
}

#[test]
fn a_piece_of_another_length_and_an_empty_last_segment_are_refused() {
    let (mut sealer, _) = sealer("aes-256-gcm");
    let refused = sealer.take(2).unwrap().seal(&[&message(SEGMENT)]);
    assert!(matches!(refused, Err(Error::PartBytes { expected: 8192, given: 4096 })));
    assert!(sealer.take(0).unwrap().seal(&[] as &[&[u8]]).unwrap().is_empty());
    let refused = sealer.finish(&[] as &[&[u8]]);
    assert!(matches!(refused, Err(Error::PartBytes { expected: 1, given: 0 })));
}

#[test]
fn without_a_piece_or_the_end_it_is_no_file() {
    let (mut sealer, key) = sealer("aegis-256x2");
    let message = message(3 * SEGMENT);
    let header = sealer.header().as_bytes().to_vec();
    let mut piece = || sealer.take(1).unwrap();
    let (one, two) = (piece(), piece());
    let one = one.seal(&[&message[..SEGMENT]]).unwrap();
    let two = two.seal(&[&message[..SEGMENT]]).unwrap();
    let end = sealer.finish(&[&message[..10]]).unwrap();
    for parts in [vec![&one, &two], vec![&one, &end], vec![&two, &one, &end]] {
        let parts: Vec<_> = parts.into_iter().flatten().copied().collect();
        let refused = open(&[&header[..], &parts].concat(), &key);
        assert!(matches!(refused, Err(Error::Corrupt { .. })), "{refused:?}");
    }
    assert!(open(&[header, one, two, end].concat(), &key).is_ok());
}

#[test]
fn no_more_segments_than_a_suite_allows() {
    let (mut sealer, _) = sealer("aes-256-gcm");
    let most = (1 << 52) / (4096 + 16);
    assert!(matches!(sealer.take(most), Err(Error::TooLong)));
    assert!(matches!(sealer.take(u64::MAX), Err(Error::TooLong)));
    assert!(sealer.take(most - 1).is_ok());
    assert!(matches!(sealer.take(1), Err(Error::TooLong)));
    let full = message(SEGMENT + 1);
    assert!(matches!(sealer.finish(&[full]), Err(Error::TooLong)));
}

#[test]
fn an_outline_is_what_the_whole_header_says() {
    for suite in ["aegis-256x2", "kc-xaes-256-gcm"] {
        let (sealer, _) = sealer(suite);
        let header = sealer.header().clone();
        let outline = Outline::parse(&header.as_bytes()[..Outline::BYTES]).unwrap();
        assert_eq!(outline.suite(), header.suite());
        assert_eq!(outline.segment_size(), header.segment_size());
        assert_eq!(outline.header_bytes(), header.payload_offset());
        let short = Outline::parse(&header.as_bytes()[..Outline::BYTES - 1]);
        assert!(matches!(short, Err(Error::Truncated)));
    }
    assert!(matches!(Outline::parse(b""), Err(Error::NotAPolysealFile)));
    assert!(matches!(Outline::parse(&[7; 200]), Err(Error::NotAPolysealFile)));
}
