//! The rooms of `src` and the arrows between them: api → families → parts → back end, none upward,
//! none between families; and `unsafe` in one room only.
//!
//! An arrow is a path that begins with `crate` or `super` and leads into another room. [`ROOMS`]
//! says which rooms each floor has. These arrows are allowed:
//!
//! - the api to every room: it puts together what the families bring;
//! - a family to parts and the back end, never to another family: what two of them share is a part;
//! - a part to parts and the back end; the back end to nothing else of the crate;
//! - every room to the ground, which knows nothing else.
//!
//! There are no exceptions.

use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [(&str, &[&str]); 5] = [
    (
        "api",
        &[
            "lib",
            "any",
            "batch",
            "ctx_rows",
            "fips",
            "hazmat",
            "limits",
            "needs",
            "random_nonce",
            "registry",
            "selftest",
            "testing",
        ],
    ),
    ("family", &["aegis", "gcm", "flex", "och", "omd", "commit"]),
    ("part", &["perm", "polyval", "hash", "contract", "ct", "random", "family", "inner_aead"]),
    ("back end", &["backend"]),
    ("ground", &["error", "sizes"]),
];

/// A source file: its module path and its text.
struct Source {
    module: Vec<String>,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
        Self { module: path.split('/').map(str::to_owned).collect(), text: text.to_owned() }
    }

    fn room(&self) -> &str {
        &self.module[0]
    }

    fn name(&self) -> String {
        self.module.join("::")
    }

    /// The text with comments, strings and characters blanked, line by line as it was.
    fn code(&self) -> String {
        let mut code = String::new();
        let mut rest = self.text.as_str();
        while let Some(next) = rest.chars().next() {
            let skipped = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with("r#\"") {
                rest.find("\"#").map_or(rest.len(), |end| end + 2)
            } else if next == '"' {
                end_of_literal(rest, '"')
            } else if next == '\'' && !is_lifetime(rest) {
                end_of_literal(rest, '\'')
            } else {
                code.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            };
            code.extend(rest[..skipped].chars().filter(|&c| c == '\n'));
            rest = &rest[skipped..];
        }
        code
    }

    /// Every path into the crate, from its root: `["registry", "Kind"]`.
    fn paths(&self) -> Vec<Vec<String>> {
        let code = self.code();
        let mut paths = Vec::new();
        // Inline modules: the brace depth outside each, and its name.
        let mut inline: Vec<(usize, String)> = Vec::new();
        let mut depth = 0;
        let tokens: Vec<&str> = tokens(&code);
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at] {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inline.retain(|(outside, _)| *outside < depth);
                }
                "mod" if tokens.get(at + 2) == Some(&"{") => {
                    inline.push((depth, tokens[at + 1].to_owned()));
                }
                "crate" | "super" | "self" if tokens.get(at + 1) == Some(&"::") => {
                    let here: Vec<_> = self
                        .module
                        .iter()
                        .filter(|m| *m != "lib")
                        .chain(inline.iter().map(|(_, name)| name))
                        .cloned()
                        .collect();
                    at = expand(&tokens, at, here, &mut paths);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        paths
    }
}

/// Identifiers, `::`, and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

/// Reads the path, or the tree of paths, at `at` within module `base`; returns where it ends.
fn expand(
    tokens: &[&str],
    mut at: usize,
    mut base: Vec<String>,
    paths: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        match tokens.get(at).copied().unwrap_or("") {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            "self" => {}
            "{" => {
                while tokens[at] != "}" {
                    at += 1;
                    if tokens[at] != "}" {
                        at = expand(tokens, at, base.clone(), paths);
                    }
                }
                return at + 1;
            }
            name => base.push(name.to_owned()),
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            // `Trait as Name`.
            at += if tokens.get(at) == Some(&"as") { 2 } else { 0 };
            paths.push(base);
            return at;
        }
        at += 1;
    }
}

fn is_lifetime(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.next() != Some('\'')
}

fn end_of_literal(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The layer of a room, from the top; the ground is the last.
fn layer(room: &str) -> Option<usize> {
    ROOMS.iter().position(|(_, rooms)| rooms.contains(&room))
}

/// Why `path` must not be named in `source`.
fn objection(source: &Source, path: &[String]) -> Option<String> {
    const FAMILY: usize = 1;
    const GROUND: usize = ROOMS.len() - 1;
    let (from, to) = (source.room(), path.first()?.as_str());
    // The items at the root itself: `crate::Error`, `crate::Result`, re-exported from the ground.
    let to = if ["Error", "Result"].contains(&to) { "error" } else { to };
    let item = path.join("::");
    let (Some(above), Some(below)) = (layer(from), layer(to)) else {
        return Some(format!("{}: {item} is in no room", source.name()));
    };
    let downward = if above == GROUND { below == GROUND } else { above <= below };
    let sideways = above == FAMILY && below == FAMILY && from != to;
    (!downward || sideways).then(|| {
        let (from, to) = (ROOMS[above].0, ROOMS[below].0);
        format!("{}: {item} (an arrow from {from} to {to})", source.name())
    })
}

fn objections(source: &Source) -> Vec<String> {
    source.paths().iter().filter_map(|path| objection(source, path)).collect()
}

/// Lines of `source` with the keyword `unsafe`, by number from 0.
fn unsafe_lines(source: &Source) -> Vec<usize> {
    let code = source.code();
    let has = |line: &str| tokens(line).contains(&"unsafe");
    code.lines().enumerate().filter(|(_, line)| has(line)).map(|(number, _)| number).collect()
}

/// Whether what stands at `line` says why it is sound: a comment that does, within the three lines
/// above, or, for a function, a section `# Safety` in its documentation.
fn is_argued(source: &Source, line: usize) -> bool {
    let lines: Vec<_> = source.text.lines().collect();
    if tokens(lines[line]).windows(2).any(|pair| pair == ["unsafe", "fn"]) {
        let is_header = |l: &&&str| l.trim().starts_with("///") || l.trim().starts_with("#[");
        return lines[..line].iter().rev().take_while(is_header).any(|l| l.contains("# Safety"));
    }
    lines[line.saturating_sub(3)..=line].iter().any(|l| l.contains("// SAFETY:"))
}

fn sources() -> Vec<Source> {
    sources_in("src")
}

/// All of a folder, which is named from this crate's.
fn sources_in(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let path = path.strip_prefix(&root).expect("below").to_str().expect("UTF-8");
                sources.push(Source::new(path, &text));
            }
        }
    }
    assert!(sources.len() > 12, "only {} source files were found", sources.len());
    sources
}

#[test]
fn no_arrow_points_upward_or_between_families() {
    let objections: Vec<_> = sources().iter().flat_map(objections).collect();
    assert!(objections.is_empty(), "{objections:#?}");
}

#[test]
fn unsafe_lives_in_the_back_ends_and_is_argued() {
    let mut count = 0;
    for source in sources() {
        for line in unsafe_lines(&source) {
            let name = format!("{}, line {}", source.name(), line + 1);
            assert_eq!(source.room(), "backend", "unsafe outside the back ends: {name}");
            assert!(is_argued(&source, line), "no SAFETY: {name}");
            count += 1;
        }
    }
    assert!(count > 20, "only {count} uses of unsafe were found: is the search broken?");
}

/// The Python crate has to touch memory that Python owns. One file of it does.
#[test]
fn at_the_border_of_python_unsafe_is_in_one_file_and_is_argued() {
    let mut count = 0;
    for source in sources_in("../polyseal-py/src") {
        for line in unsafe_lines(&source) {
            let name = format!("{}, line {}", source.name(), line + 1);
            assert_eq!(source.name(), "memory", "unsafe outside of memory.rs: {name}");
            assert!(is_argued(&source, line), "no SAFETY: {name}");
            count += 1;
        }
    }
    assert!(count > 5, "only {count} uses of unsafe were found: is the search broken?");
}

/// The files that compare tags, and that decide after that: the FIPS module compares its own.
#[test]
fn one_file_compares_tags() {
    let compares = |source: &Source| {
        let code = source.code();
        let by_hand = tokens(&code).iter().any(|word| word.starts_with("ct_") || *word == "subtle");
        by_hand || source.paths().iter().any(|path| path[0] == "ct")
    };
    let mut names: Vec<_> = sources().iter().filter(|s| compares(s)).map(Source::name).collect();
    names.sort();
    assert_eq!(names, ["contract::open", "ct", "fips"]);
}

/// The library's results depend on its inputs and the CPU, and its build on its source.
#[test]
fn nothing_reads_the_environment_and_nothing_runs_at_build_time() {
    for source in sources() {
        let code = source.code();
        for word in tokens(&code) {
            let reads = ["env", "option_env", "getenv"].contains(&word);
            assert!(!reads, "{} reads the environment", source.name());
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(!root.join("build.rs").exists(), "a build script");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("Cargo.toml");
    for line in manifest.lines().map(str::trim) {
        let builds = line.starts_with("build =") || line == "[build-dependencies]";
        assert!(!builds && !line.contains("proc-macro = true"), "{line}");
    }
}

/// The rule itself, on texts that keep and break it.
#[test]
fn violations_are_seen() {
    let fine = |path, text| {
        assert_eq!(objections(&Source::new(path, text)), Vec::<String>::new(), "{path}: {text}");
    };
    let broken = |path, text: &str| {
        assert_eq!(objections(&Source::new(path, text)).len(), 1, "{path}: {text}");
    };
    fine("any.rs", "use crate::aegis::Aegis; use crate::backend::Backend;");
    fine("aegis/mac.rs", "use super::cipher::{KeyOnBackend, TagBytes}; use crate::{Error, ct};");
    fine("aegis/mac.rs", "// crate::gcm is another family\nlet a = \"crate::gcm\"; b'\\'';");
    fine("aegis/names.rs", "use crate::family::{Family, Kind}; pub(crate) fn f() {}");
    fine("aegis/names.rs", "mod makers { use super::super::variant::V1; } use super::mac;");
    fine("perm/keccak.rs", "use crate::backend::{Isa, Lanes}; use crate::hash;");
    fine("backend/soft/mod.rs", "use super::super::backend::Isa; use super::cpu::Soft;");
    fine("error.rs", "use crate::sizes::Sizes;");
    broken("backend/mod.rs", "use crate::aegis::Aegis;");
    broken("backend/soft/mod.rs", "use super::super::registry;");
    broken("perm/keccak.rs", "fn f() { crate::aegis::g() }");
    broken("aegis/mac.rs", "use crate::{ct, gcm::Ghash};");
    broken("aegis/mod.rs", "use super::gcm;");
    broken("aegis/mac.rs", "use crate::registry::Family;");
    broken("aegis/names.rs", "use crate::registry::family;");
    broken("aegis/names.rs", "mod makers { use super::super::super::omd::Omd; }");
    broken("error.rs", "use crate::{family::Family, sizes::Sizes};");
    broken("family.rs", "use crate::registry::family;");
    broken("ct.rs", "use crate::aegis::Aegis;");
    broken("error.rs", "use crate::backend::Backend;");
    broken("utils.rs", "use crate::ct::equal;");
    broken("any.rs", "use crate::utils::swap;");

    let argued = |text| {
        let source = Source::new("backend/x.rs", text);
        let lines = unsafe_lines(&source);
        assert_eq!(lines.len(), 1, "{text}");
        is_argued(&source, lines[0])
    };
    assert!(argued("// SAFETY: it is fine.\nlet a = unsafe { b() };"));
    assert!(!argued("// It is fine.\nlet a = unsafe { b() };"));
    assert!(argued("/// # Safety\n/// Call it.\n#[inline]\nunsafe fn f() {}"));
    assert!(!argued("/// Calls it.\nunsafe fn f() {}"));
    assert!(unsafe_lines(&Source::new("any.rs", "// unsafe\n#![deny(unsafe_code)]")).is_empty());
}
