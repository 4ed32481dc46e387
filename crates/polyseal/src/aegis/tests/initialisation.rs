//! The registers after initialisation, with every way to lay lanes into registers. That compiles
//! each kernel for every back end, so it is part of `make test-all` alone.

use super::super::engine::Engine;
use super::*;

/// The registers after initialisation.
struct Init<'a> {
    key: &'a [u8],
    nonce: &'a [u8],
}

impl<V: VariantImpl> LaneTask<V> for Init<'_> {
    type Output = Vec<u8>;

    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) -> Vec<u8> {
        let mut registers = alloc::vec![0; 16 * V::REGISTERS * V::DEGREE];
        Engine::<V, L, K>::new(isa, self.key, self.nonce).freeze(&mut registers);
        registers
    }
}

fn init<V: VariantImpl>(key: &[u8], nonce: &[u8], backend: Backend) -> [Vec<u8>; 3] {
    [
        backend.run(OnLanes::<V, _, MEASURED>::new(Init { key, nonce })),
        backend.run(OnLanes::<V, _, LANE_BY_LANE>::new(Init { key, nonce })),
        backend.run(OnLanes::<V, _, WIDE>::new(Init { key, nonce })),
    ]
}

#[test]
fn initialisation() {
    for test in states()["init"].as_array().expect("a list") {
        let (key, nonce, expected) =
            (bytes(&test["key"]), bytes(&test["nonce"]), bytes(&test["V"]));
        let init = match test["algorithm"].as_str() {
            Some("aegis-128x2") => init::<X128<2>>,
            Some("aegis-128x4") => init::<X128<4>>,
            Some("aegis-256x2") => init::<X256<2>>,
            Some("aegis-256x4") => init::<X256<4>>,
            other => panic!("{other:?}"),
        };
        for backend in Backend::available() {
            for registers in init(&key, &nonce, backend) {
                assert_eq!(registers, expected, "{}", backend.name());
            }
        }
    }
}
