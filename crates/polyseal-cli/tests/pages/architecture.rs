//! `docs/ARCHITECTURE.md` names the rooms that there are, on their floors, and files that exist.

use std::collections::BTreeSet;

use super::{read, root};

const PAGE: &str = "docs/ARCHITECTURE.md";

/// The parts of a text that stand between `quote` and `quote`.
fn quoted(text: &str, quote: char) -> impl Iterator<Item = &str> {
    text.split(quote).skip(1).step_by(2)
}

#[test]
fn the_floors_are_those_that_are_tested() {
    let layers = read("crates/polyseal/tests/layers.rs");
    let (_, floors) = layers.split_once("const ROOMS").unwrap();
    let (floors, _) = floors.split_once("];").unwrap();
    let tested: Vec<BTreeSet<_>> = floors
        .split("&[")
        .skip(2)
        .map(|floor| {
            quoted(floor.split_once(']').unwrap().0, '"').filter(|r| *r != "lib").collect()
        })
        .collect();

    let page = read(PAGE);
    let (_, table) = page.split_once("| floor | rooms |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let shown: Vec<BTreeSet<_>> = table
        .lines()
        .skip(2)
        .map(|row| quoted(row.split('|').nth(2).unwrap(), '`').collect())
        .collect();
    assert_eq!(shown, tested);
    assert_eq!(shown.len(), 5);
}

#[test]
fn every_file_that_it_names_exists() {
    let page = read(PAGE);
    let names = page.lines().flat_map(|line| quoted(line, '`'));
    // A path, of which no part is to be chosen.
    let is_path = |name: &&str| {
        let ends = [".rs", ".py", ".md", ".toml", "/"].iter().any(|end| name.ends_with(end));
        let chosen = ["NAME", "FAMILY", "*"].iter().any(|part| name.contains(part));
        ends && !chosen && !name.contains(' ')
    };
    let paths: Vec<_> = names.filter(is_path).collect();
    assert!(paths.len() > 30, "{paths:?}");
    // Rows name the crate once.
    let folders = [
        "",
        "crates/polyseal",
        "crates/polyseal/src",
        "crates/polyseal/src/backend",
        "crates/polyseal/src/backend/vaes256",
        "crates/polyseal-file/src",
    ];
    for path in paths {
        let exists = folders.iter().any(|folder| root().join(folder).join(path).exists());
        assert!(exists, "{PAGE} names {path}");
    }
}
