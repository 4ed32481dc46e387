//! Programs that were compiled with an earlier version of a series run with each later one:
//! `header/interface.txt` has what they were compiled with.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, iter};

/// Macros that are no part of a compiled program.
const NOT_COMPILED: [&str; 2] = ["POLYSEAL_VERSION_STRING", "POLYSEAL_OPTIONS_INIT"];

fn without_comments(header: &str) -> String {
    let mut parts = header.split("/*");
    let mut text = parts.next().expect("a header").to_owned();
    for part in parts {
        text.push_str(part.split_once("*/").expect("the end of a comment").1);
    }
    text
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(")
}

/// A line for each function, for each constant, and for each structure, or for each of its fields
/// where programs say how long theirs is. An algorithm's functions and constants are one line.
pub(crate) fn interface(header: &str) -> BTreeSet<String> {
    let text = without_comments(header).replace("\\\n", " ");
    let (mut lines, mut constants, mut declaration) = (BTreeSet::new(), Vec::new(), String::new());
    for line in text.lines().map(words) {
        if let Some(macro_line) = line.strip_prefix("#define ") {
            let (name, value) = macro_line.split_once(' ').unwrap_or((macro_line, ""));
            if name.starts_with("polyseal_") {
                constants.push(value.to_owned());
            } else if !value.is_empty() && !NOT_COMPILED.contains(&name) {
                lines.insert(macro_line.to_owned());
            }
        } else if line.starts_with('#') || line.is_empty() || line.starts_with("extern") {
        } else if line.starts_with("POLYSEAL_") && line.ends_with(')') {
            lines.insert(format!("{line} {}", constants.join(" ")));
            constants.clear();
        } else {
            declaration = words(&format!("{declaration} {line}"));
            let open = declaration.matches('{').count() > declaration.matches('}').count();
            if declaration.ends_with(';') && !open {
                lines.extend(parts(&declaration));
                declaration.clear();
            }
        }
    }
    assert!(constants.is_empty(), "constants of no algorithm: {constants:?}");
    lines
}

fn parts(declaration: &str) -> Vec<String> {
    let Some((before, rest)) = declaration.split_once('{') else {
        return vec![declaration.to_owned()];
    };
    let (inside, _) = rest.rsplit_once('}').expect("a brace");
    let numbered = |separator| {
        let each = inside.split(separator).map(str::trim).filter(|part| !part.is_empty());
        each.enumerate().map(|(at, part)| format!("{}: {at}: {part}", before.trim())).collect()
    };
    if before.starts_with("enum") {
        inside.split(',').map(|part| format!("{}: {}", before.trim(), part.trim())).collect()
    } else if inside.trim().starts_with("size_t size;") {
        numbered(';')
    } else {
        vec![declaration.to_owned()]
    }
}

fn series(version: &str) -> &str {
    let mut dots = version.match_indices('.').map(|(at, _)| at);
    let end = if version.starts_with("0.") { dots.nth(1) } else { dots.next() };
    &version[..end.expect("a version")]
}

#[test]
fn programs_of_an_earlier_version_run_with_this_one() {
    let folder = super::folder();
    let header = fs::read_to_string(folder.join("include/polyseal.h")).expect("the header");
    let (now, series) = (interface(&header), series(env!("CARGO_PKG_VERSION")));
    assert!(now.len() > 150, "only {} lines: is the search broken?", now.len());
    let file = folder.join("header/interface.txt");
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface.txt");
    let text: Vec<&str> = iter::once(series).chain(now.iter().map(String::as_str)).collect();
    let text = format!("{}\n", text.join("\n"));
    fs::write(&new, &text).expect("the new list");
    let hint = format!("cp {} {}", new.display(), file.display());

    let earlier = fs::read_to_string(&file).expect(&hint);
    let (its_series, its) = earlier.split_once('\n').expect("a series");
    let gone: Vec<&str> = its.lines().filter(|line| !now.contains(*line)).collect();
    assert!(
        its_series != series || gone.is_empty(),
        "programs of {series} may need these; if they were in no release: {hint}\n{gone:#?}"
    );
    assert_eq!(earlier, text, "something is new: {hint}");
}

#[test]
fn a_change_that_breaks_programs_is_one_of_the_list() {
    const HEADER: &str = "#define A_MAX 1 /* a\n#define */\n#ifdef x\n\
        enum e {\n A = 0,\n B = 1\n};\n\
        typedef struct s { int a; } s;\ntypedef struct o { size_t size; int a;\n int b; } o;\n\
        #define polyseal_x_KEYBYTES 16U\nPOLYSEAL_AEAD_(x)\nint f(\n    s *a);\n";
    let all = interface(HEADER);
    let change = |from: &str, to: &str| {
        let changed = interface(&HEADER.replace(from, to));
        assert_ne!(all, changed, "{from}");
        all.difference(&changed).count()
    };
    assert_eq!(all.len(), 9, "{all:#?}");
    for (from, to) in [
        ("A_MAX 1", "A_MAX 2"),
        ("A = 0", "A = 2"),
        ("int a; } s", "int a; int b; } s"),
        ("int b", "long b"),
        ("16U", "32U"),
        ("s *a", "const s *a"),
    ] {
        assert_eq!(change(from, to), 1, "{from}");
    }
    for (from, to) in [
        ("int b; }", "int b; int c; }"),
        ("B = 1", "B = 1,\n C = 2"),
        ("int f(", "int g(void);\nint f("),
    ] {
        assert_eq!(change(from, to), 0, "{from}");
    }
    assert_eq!((series("0.1.0-rc.1"), series("0.2.13"), series("1.2.3")), ("0.1", "0.2", "1"));
}
