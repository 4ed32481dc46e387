//! Runs the checks of the fuzz targets (`research/fuzz/checks`) on the inputs that they have found
//! (`research/fuzz/corpus`), and on others drawn by chance: a first look within seconds. `make
//! fuzz` looks for longer, and sees what a change has reached.

#[path = "../../../research/fuzz/checks/aead_differential.rs"]
mod aead_differential;
#[path = "../../../research/fuzz/checks/algorithm_name.rs"]
mod algorithm_name;
#[path = "../../../research/fuzz/checks/corpus.rs"]
mod corpus;
#[path = "../../../research/fuzz/checks/flex_configuration.rs"]
mod flex_configuration;
#[path = "../../../research/fuzz/checks/input.rs"]
mod input;

use polyseal::registry::{Algorithm, families};
use proptest::array::uniform32;
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::proptest;
use proptest::sample::{Index, select};

use aead_differential::Message;
use flex_configuration::Case;

fn any_message() -> impl Strategy<Value = Message> {
    let choices = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u16>());
    let bytes = || vec(any::<u8>(), 0..600);
    let inputs = ([uniform32(any::<u8>()), uniform32(any::<u8>())], uniform32(any::<u8>()));
    (choices, inputs, bytes(), bytes(), vec(any::<u8>(), 0..8)).prop_map(
        |((family, tag, parameter, flip), (halves, nonce), ad, message, cuts)| {
            let key = halves.as_flattened().try_into().expect("64 bytes");
            Message { family, tag, parameter, key, nonce, ad, message, cuts, flip }
        },
    )
}

/// The name of an instance, whole or with a few characters of names put somewhere into it.
fn any_name() -> impl Strategy<Value = String> {
    let all = families().iter().flat_map(Algorithm::instances);
    let names: Vec<_> = all.map(|algorithm| algorithm.to_string()).step_by(7).collect();
    (select(names), any::<Index>(), 0..4_usize, "[a-z0-9:=,-]{0,4}").prop_map(
        |(mut name, at, removed, put_in)| {
            let at = at.index(name.len());
            let to = name.len().min(at + removed);
            name.replace_range(at..to, &put_in);
            name
        },
    )
}

fn any_case() -> impl Strategy<Value = Case> {
    let config = (any::<[u8; 8]>(), weighted(0.1));
    (config, any::<[u16; 5]>(), any::<u8>(), any::<u16>()).prop_map(
        |((config, as_they_are), lengths, seed, flip)| Case {
            config,
            as_they_are,
            lengths,
            seed,
            flip,
        },
    )
}

#[test]
fn every_input_of_the_corpus() {
    for (_, input) in corpus::inputs("aead_differential") {
        aead_differential::check(&Message::from_input(&input));
    }
    for (_, input) in corpus::inputs("flex_configuration") {
        flex_configuration::check(&Case::from_input(&input));
    }
    for (_, input) in corpus::inputs("algorithm_name") {
        str::from_utf8(&input).iter().for_each(|name| algorithm_name::check(name));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn configurations(case in any_case()) {
        flex_configuration::check(&case);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn messages(message in any_message()) {
        aead_differential::check(&message);
    }

    #[test]
    fn names(name in prop_oneof![any_name(), any::<String>()]) {
        algorithm_name::check(&name);
    }
}
