//! The figures of `docs/limits.md` for random nonces are those that the library keeps to.

use polyseal::limits::Limits;
use polyseal::limits::bounds::{Load, Probability, messages_within};
use polyseal::registry::Algorithm;

use super::read;

const PAGE: &str = "docs/limits.md";

/// The logarithm of the most messages that `limits` names for `algorithm`.
fn most(algorithm: &str) -> u32 {
    let algorithm: Algorithm = algorithm.parse().unwrap();
    Limits::for_algorithm(&algorithm).random_nonce_messages.expect("a limit").ilog2()
}

/// The logarithm of the messages of 64 KiB that leave 2^-32, rounded down.
fn most_of_64_kib(algorithm: &str) -> f64 {
    let load = Load::one_message(1 << 16, 0);
    let risk = Probability::power_of_two(-32.0);
    let most = messages_within(&algorithm.parse().unwrap(), &load, risk);
    most.expect("some").log2().floor()
}

#[test]
fn random_nonces_of_the_page() {
    let page = read(PAGE);
    let row = |bytes: u32| {
        let begin = format!("  | {bytes} | ");
        let row = page.lines().find_map(|line| line.strip_prefix(&begin));
        row.unwrap_or_else(|| panic!("{bytes} bytes")).trim_end_matches(" |").to_owned()
    };
    assert_eq!(row(12), format!("2^{}", most("aes-256-gcm")));
    assert_eq!(row(16), format!("2^{}", most("aegis-128l")));
    assert_eq!(row(20), format!("2^{}", most("kc-xaes-256-gcm:nonce=20")));
    for id in ["xaes-256-gcm", "kc-xaes-256-gcm"] {
        let (short, long) = (most(id), most_of_64_kib(id));
        let figures = format!("2^{short} short ones, 2^{long} of 64 KiB; fewer with many keys");
        assert_eq!(row(24), figures, "{id}");
    }
    for id in ["flex-och", "flex-civ"] {
        let (short, long) = (most(id), most_of_64_kib(id));
        assert_eq!(row(32), format!("2^{short}; Flex 2^{long} of 64 KiB"), "{id}");
    }
    for id in ["kc-c3-xaes-256-gcm", "dndk-gcm:kc=1"] {
        let said = format!("commitments repeat after 2^{} messages", most(id));
        assert!(page.contains(&format!("`{id}`")) && page.contains(&said), "{id}: {said}");
    }
}
