//! The list of algorithms in C against the registry.

#![allow(clippy::expect_used, reason = "a test")]

use polyseal::registry::{Algorithm, Kind, families};
use polyseal_c::algorithms::{RowKind, rows};

/// The rule for names: hyphens become underscores, but for those before a number, and before `gcm`
/// and `siv` behind one.
fn name_in_c(name: &str) -> String {
    let (id, choices) = name.split_once(':').unwrap_or((name, ""));
    let mut c = String::new();
    for part in id.split('-') {
        let joins = part.starts_with(|first: char| first.is_ascii_digit())
            || ["gcm", "siv"].contains(&part);
        if !c.is_empty() && !joins {
            c.push('_');
        }
        c.push_str(part);
    }
    match choices.split_once('=') {
        None => c,
        Some((parameter, "1")) => format!("{c}_{parameter}"),
        Some((parameter, value)) => format!("{c}_{parameter}{value}"),
    }
}

#[test]
fn every_row_of_the_registry_has_functions_in_c() {
    for family in families().iter().filter(|family| !family.identity.papers_only) {
        let found = rows().any(|row| row.name == family.identity.id);
        assert!(found, "{} has no functions in C: see src/algorithms.rs", family.identity.id);
    }
}

#[test]
fn what_the_list_says_is_what_the_registry_says() {
    let mut names: Vec<&str> = Vec::new();
    for row in rows() {
        let algorithm: Algorithm = row.name.parse().expect(row.name);
        assert_eq!(algorithm.to_string(), row.name, "another spelling");
        assert_eq!(name_in_c(row.name), row.c);
        let sizes = [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()];
        assert_eq!(sizes, row.sizes, "{}", row.name);
        let kind = match (algorithm.family().identity.kind, algorithm.is_whole()) {
            (Kind::Mac, _) => RowKind::Mac,
            (_, true) => RowKind::Segmented,
            _ => RowKind::Aead,
        };
        assert_eq!(kind, row.kind, "{}", row.name);
        assert!(!names.contains(&row.name), "{} is there twice", row.name);
        names.push(row.name);
    }
}

#[test]
fn both_tags_of_aegis_have_functions_in_c() {
    for row in rows().filter(|row| row.name.starts_with("aegis")) {
        let other = match row.name.strip_suffix(":tag=32") {
            Some(id) => id.to_owned(),
            None => format!("{}:tag=32", row.name),
        };
        assert!(rows().any(|row| row.name == other), "{other} has no functions in C");
    }
}
