//! The permutations, on every back end: published values, inverses, one state at a time against
//! many in the lanes, and another implementation of Keccak-p.

use polyseal::testing::{Backend, Direction, Permutation, Width};
use serde_json::Value;

use crate::common::{bytes, soft};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../vectors/internal/permutations.json")).expect("JSON")
}

fn hexadecimal(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a string")).expect("hexadecimal")
}

fn named(name: &str) -> Permutation {
    Permutation::ALL.into_iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The image of `blocks` under `permutation`.
fn image(
    permutation: Permutation,
    backend: Backend,
    direction: Direction,
    width: Width,
    blocks: &[u8],
) -> Vec<u8> {
    let mut blocks = blocks.to_vec();
    permutation.apply(backend, direction, width, &mut blocks);
    blocks
}

/// All tests of a permutation at once: so each is in another lane, next to another.
#[test]
fn published_values() {
    let vectors = vectors();
    let mut count = 0;
    for group in vectors["permutations"].as_array().expect("a list") {
        let permutation = named(group["name"].as_str().expect("a name"));
        let tests = group["tests"].as_array().expect("a list");
        let all =
            |key: &str| -> Vec<u8> { tests.iter().flat_map(|t| hexadecimal(&t[key])).collect() };
        let (input, output, inverse) = (all("in"), all("out"), all("inverse"));
        assert_eq!(input.len(), tests.len() * permutation.bytes, "{}", permutation.name);
        for backend in Backend::available() {
            for width in [Width::One, Width::Many] {
                let name = format!("{} on {}, {width:?}", permutation.name, backend.name());
                let on = |direction| image(permutation, backend, direction, width, &input);
                assert_eq!(on(Direction::Forward), output, "{name}");
                assert_eq!(on(Direction::Backward), inverse, "the inverse of {name}");
            }
        }
        count += tests.len();
    }
    assert_eq!(count as u64, vectors["numberOfTests"].as_u64().expect("a number"));
    assert_eq!(vectors["permutations"].as_array().map(Vec::len), Some(Permutation::ALL.len()));
}

/// Every number of blocks up to more than the widest group, on every back end as on the portable
/// one, there and back.
#[test]
fn back_ends_agree_and_inverses_invert() {
    for permutation in Permutation::ALL {
        for count in (0..=37).chain([64, 200]) {
            let blocks = bytes(count as u64, count * permutation.bytes);
            let forward = image(permutation, soft(), Direction::Forward, Width::One, &blocks);
            for backend in Backend::available() {
                for width in [Width::One, Width::Many] {
                    let name = format!("{}: {count} on {}", permutation.name, backend.name());
                    let on = |direction, x: &[u8]| image(permutation, backend, direction, width, x);
                    assert_eq!(on(Direction::Forward, &blocks), forward, "{name}");
                    assert_eq!(on(Direction::Backward, &forward), blocks, "back, {name}");
                }
            }
        }
    }
}

#[test]
fn keccak_is_that_of_another_implementation() {
    let ours = named("Keccak-p[1600, 12]");
    for seed in 0..200 {
        let block = bytes(seed, 200);
        let mut words = [0; 25];
        for (word, bytes) in words.iter_mut().zip(block.chunks(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
        keccak::p1600(&mut words, 12);
        let theirs: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(image(ours, soft(), Direction::Forward, Width::One, &block), theirs);
    }
}
