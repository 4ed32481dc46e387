//! The inside of the states against the values that the draft prints, on every back end.

#[cfg(feature = "long-tests")]
mod initialisation;

use alloc::vec::Vec;

use serde_json::Value;

use super::engine::{LANE_BY_LANE, LaneTask, MEASURED, OnLanes, WIDE};
use super::state::State;
use super::state128::State128;
use super::state256::State256;
use super::variant::{V1, VariantImpl, X128, X256};
use crate::backend::{Backend, Isa, Lanes, Task};

fn states() -> Value {
    serde_json::from_str(include_str!("../../vectors/aegis-states.json")).expect("JSON")
}

/// The bytes of hexadecimal strings, nested in any way, one after the other.
fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => hex::decode(text).expect("hexadecimal"),
        Value::Array(values) => values.iter().flat_map(bytes).collect(),
        _ => panic!("neither a string nor a list: {value}"),
    }
}

struct AesRound<'a> {
    x: &'a [u8],
    key: &'a [u8],
}

impl Task for AesRound<'_> {
    type Output = [u8; 64];

    fn run<I: Isa>(self, isa: I) -> [u8; 64] {
        let mut out = [0; 64];
        let x = <I::X4 as Lanes>::broadcast(isa, self.x);
        let key = <I::X4 as Lanes>::broadcast(isa, self.key);
        Lanes::aes_rounds([x], [key])[0].store(&mut out);
        out
    }
}

#[test]
fn aes_round() {
    for test in states()["aesRound"].as_array().expect("a list") {
        let (x, key, out) = (bytes(&test["in"]), bytes(&test["rk"]), bytes(&test["out"]));
        for backend in Backend::available() {
            let lanes = backend.run(AesRound { x: &x, key: &key });
            assert_eq!(lanes.as_slice(), out.repeat(4), "{}", backend.name());
        }
    }
}

/// One update of the state of a single lane.
struct Update<'a> {
    state: &'a [u8],
    message: &'a [u8],
    wide: bool,
}

impl Update<'_> {
    fn on<L: Lanes, S: State<L>>(self, isa: L::Isa) -> Vec<u8> {
        let mut state = S::filled(L::broadcast(isa, &[0; 16]));
        for (register, block) in state.registers_mut().iter_mut().zip(self.state.chunks(16)) {
            *register = L::broadcast(isa, block);
        }
        let mut words = S::words(L::broadcast(isa, &[0; 16]));
        for (word, block) in words.as_mut().iter_mut().zip(self.message.chunks(16)) {
            *word = L::broadcast(isa, block);
        }
        state.absorb(words);
        let mut out = alloc::vec![0; L::BYTES * state.registers().len()];
        for (register, block) in state.registers().iter().zip(out.chunks_mut(L::BYTES)) {
            register.store(block);
        }
        // The same block stands in every lane.
        out.chunks(L::BYTES).flat_map(|lanes| lanes[..16].to_vec()).collect()
    }
}

impl Task for Update<'_> {
    type Output = Vec<u8>;

    fn run<I: Isa>(self, isa: I) -> Vec<u8> {
        match (self.state.len() / 16, self.wide) {
            (8, false) => self.on::<I::X1, State128<I::X1>>(isa),
            (8, true) => self.on::<I::X4, State128<I::X4>>(isa),
            (_, false) => self.on::<I::X1, State256<I::X1>>(isa),
            (_, true) => self.on::<I::X4, State256<I::X4>>(isa),
        }
    }
}

#[test]
fn update() {
    for test in states()["update"].as_array().expect("a list") {
        let message = match test["M"].as_str() {
            Some(_) => bytes(&test["M"]),
            None => [bytes(&test["M0"]), bytes(&test["M1"])].concat(),
        };
        let (state, expected) = (bytes(&test["S"]), bytes(&test["S'"]));
        for backend in Backend::available() {
            for wide in [false, true] {
                let update = Update { state: &state, message: &message, wide };
                assert_eq!(backend.run(update), expected, "{}", backend.name());
            }
        }
    }
}

/// How many lanes an engine would have.
struct CountLanes;

impl<V: VariantImpl> LaneTask<V> for CountLanes {
    type Output = usize;

    fn run<L: Lanes, const K: usize>(self, _: L::Isa) -> usize {
        K * L::BLOCKS
    }
}

#[test]
fn every_degree_is_divided_into_all_of_its_lanes() {
    fn check<const D: usize>() {
        for backend in Backend::available() {
            let lanes = [
                backend.run(OnLanes::<X128<D>, _, MEASURED>::new(CountLanes)),
                backend.run(OnLanes::<X128<D>, _, LANE_BY_LANE>::new(CountLanes)),
                backend.run(OnLanes::<X128<D>, _, WIDE>::new(CountLanes)),
                backend.run(OnLanes::<X256<D>, _, MEASURED>::new(CountLanes)),
            ];
            assert_eq!(lanes, [D; 4], "on {}", backend.name());
        }
    }
    macro_rules! degrees {
        ($($degree:literal)+) => {$(check::<$degree>();)+};
    }
    degrees!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}

#[test]
fn contexts_of_the_two_rules() {
    assert_eq!(X128::<4>::CONTEXTS[2][..3], [2, 3, 0]);
    assert_eq!(X256::<2>::CONTEXTS[1][..3], [1, 1, 0]);
    assert_eq!(X128::<4, V1>::CONTEXTS[2][..3], [2, 0, 0]);
}
