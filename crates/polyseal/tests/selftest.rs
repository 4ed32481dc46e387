//! The self-test passes here, and has an answer for every instance of the registry.

use std::collections::BTreeSet;

use polyseal::registry::{Algorithm, Family, families};
use polyseal::selftest;
use polyseal::testing::Backend;

/// Every choice of tag length and parameter, in textual form.
fn instances(family: &'static Family) -> Vec<String> {
    let mut instances = vec![Algorithm::new(family)];
    let tags = family.tag_bytes.allowed.iter().map(|&bytes| bytes as u64).collect();
    let params = family.params.iter().map(|param| (param.name, param.allowed.to_vec()));
    for (name, values) in params.chain([("tag", tags)]) {
        instances = instances
            .iter()
            .flat_map(|i| values.iter().map(|&value| i.with(name, value).expect("allowed")))
            .collect();
    }
    instances.iter().map(ToString::to_string).collect()
}

#[test]
fn passes_for_every_instance_on_every_back_end() {
    let outcomes = selftest::run();
    for outcome in &outcomes {
        assert!(outcome.passed, "{} on {}", outcome.algorithm, outcome.backend);
    }
    let answered: BTreeSet<_> =
        outcomes.iter().map(|o| (o.algorithm.to_owned(), o.backend)).collect();
    let expected: BTreeSet<_> = families()
        .iter()
        .flat_map(instances)
        .flat_map(|name| Backend::available().map(move |b| (name.clone(), b.name())))
        .collect();
    assert_eq!(answered, expected);
    selftest::check_all().expect("all passed");
}
