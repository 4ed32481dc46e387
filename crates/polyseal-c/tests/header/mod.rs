//! `include/polyseal.h` is what `header/polyseal.h.in`, the sources' documentation and the list of
//! algorithms make; and every function catches its panics.
//!
//! A line of the template that begins with `@` is replaced: by the functions of a module, by a
//! structure, or by a part of the list.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

mod entries;
mod interface;
mod rust;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use polyseal_c::algorithms::RowKind;
use rust::Source;

const MODULES: [&str; 13] = [
    "aead",
    "algorithms",
    "batch",
    "decryptor",
    "encryptor",
    "error",
    "files",
    "hazmat",
    "inspect",
    "library",
    "mac",
    "reader",
    "rekey",
];

/// Functions that nothing can go wrong in.
const SAFE: [&str; 4] =
    ["polyseal_last_error", "polyseal_last_error_text", "polyseal_strerror", "polyseal_version"];

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(module: &str) -> Source {
    let file = folder().join("src").join(module).with_extension("rs");
    Source::parse(&fs::read_to_string(file).expect(module))
}

/// The header, and the names of its parts.
fn header() -> (String, BTreeSet<String>) {
    let template = fs::read_to_string(folder().join("header/polyseal.h.in")).expect("the template");
    let (mut header, mut used) = (String::new(), BTreeSet::new());
    for line in template.lines() {
        let Some(directive) = line.strip_prefix('@') else {
            header.push_str(&line.replace("@version", env!("CARGO_PKG_VERSION")));
            header.push('\n');
            continue;
        };
        assert!(used.insert(directive.to_owned()), "{directive} is there twice");
        header.push_str(
            match directive.split_once(' ').unwrap_or((directive, "")) {
                ("errors", "") => entries::errors(),
                ("aeads", "") => entries::rows(RowKind::Aead),
                ("segmented", "") => entries::rows(RowKind::Segmented),
                ("macs", "") => entries::rows(RowKind::Mac),
                ("options_init", "") => source("options").initialiser("polyseal_options"),
                ("functions", module) => source(module).prototypes(),
                ("struct", name) => {
                    let modules = ["algorithms", "batch", "inspect", "options", "reader"];
                    let text = modules.iter().find_map(|module| source(module).structure(name));
                    text.expect(name)
                }
                _ => panic!("an unknown directive: {directive}"),
            }
            .trim_end(),
        );
        header.push('\n');
    }
    (header, used)
}

#[test]
fn the_header_is_made_of_the_sources() {
    let (header, used) = header();
    for module in MODULES {
        assert!(used.contains(&format!("functions {module}")), "{module} is not in the header");
    }
    for line in header.lines() {
        assert!(line.chars().count() <= 79, "a line of more than 79 columns: {line}");
    }
    let file = folder().join("include/polyseal.h");
    if fs::read_to_string(&file).ok().as_ref() != Some(&header) {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("polyseal.h");
        fs::write(&new, header).expect("the new header");
        panic!("the header is not up to date: cp {} {}", new.display(), file.display());
    }
}

#[test]
fn each_source_with_functions_for_c_is_a_part_of_the_header() {
    let all = fs::read_dir(folder().join("src")).expect("the sources");
    let mut count = 0;
    for file in all.map(|file| file.expect("a file").path()) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let functions = source(&name).functions().len();
        assert_eq!(functions > 0, MODULES.contains(&&*name), "{name}");
        count += functions;
    }
    assert!(count > 40, "only {count} functions were found: is the search broken?");
}

#[test]
fn every_function_catches_its_panics() {
    let mut safe = 0;
    for module in MODULES {
        for (name, body) in source(module).functions() {
            if SAFE.contains(&&*name) {
                safe += 1;
                continue;
            }
            assert!(rust::begins_with_catch_panic(&body), "{name} does not begin with catch_panic");
        }
        for body in source(module).macro_functions() {
            assert!(
                ["catch_panic (", "catch_panic_or ("].iter().any(|call| body.contains(call))
                    || body.trim().starts_with("{ $"),
                "a function of a macro in {module} does not begin with catch_panic: {body}"
            );
        }
    }
    assert_eq!(safe, SAFE.len());
    let begins = |text: &str| rust::begins_with_catch_panic(&syn::parse_str(text).expect(text));
    assert!(begins("{ unsafe { release(a) } }"));
    assert!(begins("{ const A: u8 = 1; catch_panic(|| b()) }"));
    assert!(!begins("{ a.unwrap(); catch_panic(|| b()) }"));
    assert!(!begins("{ a() }"));
}
