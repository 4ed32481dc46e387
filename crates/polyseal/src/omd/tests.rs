//! The blocks in the middle, whose chaining values stay in registers, against block by block.

use alloc::vec;
use alloc::vec::Vec;

use aead::inout::InOutBuf;

use super::masks::KEPT;
use super::mode::{ExpandedKey, Run};
use super::rule::Rule;
use super::{Blake2b, Sha256, Sha512};
use crate::backend::hashes::HashBackend;
use crate::contract::Core;
use crate::contract::batch::Message;
use crate::hash::{Compression, MAX_LANES};

/// Bytes that differ from each other.
fn bytes(seed: usize, count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 37 + i / 251 + 101 * seed) as u8).collect()
}

/// A key of as many bytes as a chaining value has, and tags as long.
fn expanded<C: Compression>(on: HashBackend) -> ExpandedKey<C> {
    let n = size_of::<C::Block>();
    ExpandedKey::new(&bytes(1, n), n, Rule::Secure, on)
}

/// A message with its tag, one call of F at a time.
fn block_by_block<C: Compression>(expanded: &ExpandedKey<C>, seals: bool, input: &[u8]) -> Vec<u8> {
    let mut output = input.to_vec();
    let (mut chain, mut block) = (C::ZERO, C::ZERO);
    let mut run = Run::new(expanded, seals, &[9; 12], b"ad", output.as_mut_slice().into());
    while run.next(&mut chain, &mut block) {
        expanded.call(&mut chain, &block);
    }
    let mut tag = vec![0; size_of::<C::Block>()];
    run.write_tag(&mut tag);
    drop(run);
    [output, tag].concat()
}

/// In place, and from one buffer into another.
fn agrees<C: Compression>(expanded: &ExpandedKey<C>, expected: &ExpandedKey<C>, length: usize) {
    for seals in [true, false] {
        let input = bytes(3, length);
        let expected = block_by_block(expected, seals, &input);
        let mut tag = vec![0; size_of::<C::Block>()];
        let mut output = input.clone();
        expanded.crypt(seals, &[9; 12], b"ad", output.as_mut_slice().into(), &mut tag);
        assert_eq!([&output[..], &tag].concat(), expected, "{length} in place");
        let mut output = vec![0xee; length];
        let buffer = InOutBuf::new(&input, &mut output).expect("as long");
        expanded.crypt(seals, &[9; 12], b"ad", buffer, &mut tag);
        assert_eq!([&output[..], &tag].concat(), expected, "{length} apart");
    }
}

fn every_kernel_agrees<C: Compression>() {
    let n = size_of::<C::Block>();
    let mut seen = 0;
    for on in HashBackend::available() {
        let (expanded, expected) = (expanded::<C>(on), expanded::<C>(HashBackend::SOFT));
        for blocks in 0..=20 {
            for odd in [0, 1, n / 2 + 3, n - 1] {
                agrees(&expanded, &expected, n * blocks + odd);
            }
        }
        seen += 1;
    }
    assert!(seen >= 2);
}

#[test]
fn blocks_in_the_middle_are_those_one_by_one() {
    every_kernel_agrees::<Sha256>();
    every_kernel_agrees::<Sha512>();
    every_kernel_agrees::<Blake2b>();
}

/// Where a mask is beyond the table, the run of blocks ends and another begins.
#[test]
fn the_end_of_the_table_is_no_end_of_a_message() {
    let expanded = expanded::<Sha256>(HashBackend::detect());
    for blocks in [(1 << KEPT) - 2, (1 << KEPT) - 1, 1 << KEPT, (1 << KEPT) + 1] {
        agrees(&expanded, &expanded, 32 * blocks + 5);
    }
}

/// Lanes that begin and end at different blocks, and lanes without a message.
#[test]
fn lanes_are_messages_one_by_one() {
    fn lanes<C: Compression>() {
        let n = size_of::<C::Block>();
        for on in HashBackend::available() {
            let (expanded, expected) = (expanded::<C>(on), expanded::<C>(HashBackend::SOFT));
            for count in 1..=MAX_LANES + 3 {
                for seals in [true, false] {
                    let inputs: Vec<Vec<u8>> =
                        (0..count).map(|i| bytes(i, n * (i * 5 % 13) + i)).collect();
                    let expected: Vec<Vec<u8>> =
                        inputs.iter().map(|i| block_by_block(&expected, seals, i)).collect();
                    let mut outputs = inputs.clone();
                    // Opening compares with the tags that belong there.
                    let mut tags: Vec<Vec<u8>> = expected
                        .iter()
                        .map(
                            |whole| {
                                if seals { vec![0; n] } else { whole[whole.len() - n..].into() }
                            },
                        )
                        .collect();
                    let mut messages: Vec<_> = outputs
                        .iter_mut()
                        .zip(&mut tags)
                        .map(|(buffer, tag)| Message::new(&[9; 12], b"ad", buffer, tag))
                        .collect();
                    expanded.process_batch(seals, &mut messages);
                    assert!(messages.iter().all(|message| message.outcome.is_ok()));
                    drop(messages);
                    for i in 0..count {
                        let whole = [&outputs[i][..], &tags[i]].concat();
                        assert_eq!(whole, expected[i], "{on:?}: message {i} of {count}");
                    }
                }
            }
        }
    }
    lanes::<Sha256>();
    lanes::<Sha512>();
    lanes::<Blake2b>();
}
