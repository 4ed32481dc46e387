//! The self-test passes here, and has an answer for every algorithm of the registry.

use std::collections::BTreeSet;

use polyseal::registry::{Algorithm, Family, Listed, families};
use polyseal::selftest;
use polyseal::testing::Backend;

/// The instances of `family` that need an answer: all of them, or, where there are many lengths,
/// every choice of parameters with the lengths that go with it. Lengths that have a name are taken,
/// each under one rule.
fn needed(family: &'static Family) -> impl Iterator<Item = Algorithm> {
    let few = Algorithm::instances(family).count() <= 24;
    let is_length = |name| ["key", "nonce", "tag"].contains(&name);
    let both = move |a: &Algorithm| {
        let lengths = a.choices().filter(|(n, _)| is_length(n)).count();
        lengths > 0 && lengths < a.choices().count()
    };
    Algorithm::instances(family)
        .filter(move |a| family.sizes.listed == Listed::All || !both(a))
        .filter(move |a| few || !a.choices().any(|(n, _)| is_length(n)))
}

#[test]
fn passes_for_every_algorithm_on_every_back_end() {
    let outcomes = selftest::run();
    for outcome in &outcomes {
        assert!(outcome.passed, "{} on {}", outcome.algorithm, outcome.backend);
    }
    let answered: BTreeSet<_> = outcomes.iter().map(|o| (o.algorithm, o.backend)).collect();
    assert_eq!(answered.len(), outcomes.len(), "an answer twice");
    for algorithm in families().iter().flat_map(needed).map(|a| a.to_string()) {
        for backend in Backend::available().map(Backend::name) {
            assert!(answered.contains(&(&*algorithm, backend)), "{algorithm} on {backend}");
        }
    }
    selftest::check_all().expect("all passed");
}
