//! The self-test passes here, and covers every family and back end.

use std::collections::HashSet;

use polyseal::registry::families;
use polyseal::selftest;
use polyseal::testing::Backend;

#[test]
fn passes_on_every_back_end() {
    let outcomes = selftest::run();
    for outcome in &outcomes {
        assert!(outcome.passed, "{} on {}", outcome.algorithm, outcome.backend);
    }
    let covered: HashSet<_> =
        outcomes.iter().map(|o| (o.algorithm.family().id, o.backend)).collect();
    for family in families() {
        for backend in Backend::available() {
            assert!(covered.contains(&(family.id, backend.name())), "{}", family.id);
        }
    }
    selftest::assert().expect("all passed");
}
