//! Mutants of the files in which a mistake costs most: are they noticed by the tests?
//!
//! All of them are compiled at once, in a copy of the workspace: in each place a switch chooses
//! between the original and the changed code. First every test runs by itself, to see how long it
//! takes and which places it comes by. Then for each mutant those tests run that come by it, the
//! quickest first, until one fails. A mutant that no test notices has to be explained in
//! `survivors.md`; otherwise this fails.
//!
//!     cargo run [WORD…]    only mutants whose description has all these words; nothing is compared
//!     then

mod find;
mod run;
mod switch;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, fs, io};

use switch::Numbered;

/// The packages, and what of them is changed: files, and folders with all that is in them.
const CRITICAL: &[(&str, &[&str])] = &[
    ("polyseal", &["src/limits.rs", "src/limits"]),
    (
        "polyseal-file",
        &[
            "src/commitment.rs",
            "src/whole_file.rs",
            "src/header.rs",
            "src/layout.rs",
            "src/manifest",
            "src/reader.rs",
            "src/recipients.rs",
            "src/segment.rs",
            "src/stanza",
        ],
    ),
    ("polyseal-local", &["src"]),
];

/// The tests that look at them: target, and words of which a test's name has at least one. (Not
/// those whose inputs are drawn by chance, for their findings change from one run to the next.)
pub(crate) const TESTS: &[(&str, &str, &[&str])] = &[
    ("polyseal", "lib", &["limits"]),
    ("polyseal-file", "lib", &[""]),
    (
        "polyseal-file",
        "tests",
        &[
            "age_keys::",
            "choices::",
            "conformance::",
            "fuzzed::every",
            "fuzzed::the_reference",
            "header::",
            "holes::",
            "input_files::",
            "manifest::each",
            "manifest::links",
            "manifest::no_",
            "manipulation::",
            "panics::",
            "parts::",
            "round_trip::",
        ],
    ),
    ("polyseal-local", "lib", &[""]),
    ("polyseal-local", "tests", &["contents::", "promises::"]),
    ("polyseal-cli", "killed", &["step"]),
    ("polyseal-cli", "tests", &["many::", "outputs::", "rekey::", "sync::", "trees::"]),
];

/// One change.
pub(crate) struct Mutant {
    pub(crate) number: usize,
    /// The first one in its place, whose number says that a test came by.
    pub(crate) first: usize,
    /// File, function, what stands there and what would.
    pub(crate) description: String,
}

/// A file with its sites.
struct Source {
    path: String,
    text: String,
    sites: Vec<Numbered>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The files under `path`, but for those of tests.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut all: Vec<_> = fs::read_dir(path)
        .expect("a folder")
        .flat_map(|entry| files(&entry.expect("an entry").path()))
        .filter(|path| !path.ends_with("tests.rs"))
        .collect();
    all.sort();
    all
}

fn sources(root: &Path) -> Vec<Source> {
    let (mut sources, mut next) = (Vec::new(), 1);
    for (package, paths) in CRITICAL {
        let package = root.join("crates").join(package);
        for path in paths.iter().flat_map(|path| files(&package.join(path))) {
            let text = fs::read_to_string(&path).expect("a file");
            let number = |site: find::Site| {
                let first = next;
                next += site.replacements.len();
                Numbered { first, site }
            };
            let sites = find::sites(&text).into_iter().map(number).collect();
            let path = path.strip_prefix(root).expect("in the repository").to_str().expect("UTF-8");
            sources.push(Source { path: path.to_owned(), text, sites });
        }
    }
    sources
}

/// The line that a byte is in.
fn line(text: &str, at: usize) -> &str {
    let begin = text[..at].rfind('\n').map_or(0, |before| before + 1);
    text[begin..].lines().next().unwrap_or_default()
}

fn mutants(sources: &[Source], out: &BTreeSet<usize>) -> Vec<Mutant> {
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut mutants = Vec::new();
    for source in sources {
        for Numbered { first, site } in &source.sites {
            for (i, with) in site.replacements.iter().enumerate() {
                let (path, function) = (&source.path, &site.function);
                let (before, with) = (in_one_line(&site.original), in_one_line(with));
                // Short code stands in many places.
                let place = match before.contains(' ') || site.kind == find::Kind::Body {
                    true => String::new(),
                    false => format!(" in `{}`", in_one_line(line(&source.text, site.range.start))),
                };
                let description = format!("`{path}` `{function}`: `{before}` → `{with}`{place}");
                mutants.push(Mutant { number: first + i, first: *first, description });
            }
        }
    }
    mutants.retain(|mutant| !out.contains(&mutant.number));
    mutants
}

/// A copy of the workspace in `target/mutants`: its crates, and links to everything else.
fn copy(root: &Path) -> PathBuf {
    let copy = root.join("target/mutants");
    fs::create_dir_all(&copy).expect("a folder");
    for entry in fs::read_dir(root).expect("the repository").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name();
        if ["target", ".git", "crates"].iter().any(|other| name == *other) {
            continue;
        }
        let link = copy.join(&name);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(entry.path(), link).expect("a link");
    }
    copy_folder(&root.join("crates"), &copy.join("crates"), &switched(root));
    copy
}

/// The files that are not copied as they are.
fn switched(root: &Path) -> BTreeSet<PathBuf> {
    let of = |(package, paths): &(&str, &[&str])| {
        let package = root.join("crates").join(package);
        let files: Vec<_> = paths.iter().flat_map(|path| files(&package.join(path))).collect();
        [vec![package.join("src/lib.rs")], files].concat()
    };
    CRITICAL.iter().flat_map(of).collect()
}

/// Files that are the same already are left alone: what is newer is compiled anew.
fn copy_folder(from: &Path, to: &Path, but: &BTreeSet<PathBuf>) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy_folder(&from, &to, but),
            false if but.contains(&from) => {}
            false => write(&to, &fs::read(&from).expect("a file")),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(bytes) {
        fs::write(path, bytes).expect("a file is written");
    }
}

/// Writes the mutants into the copy.
fn switch_all(copy: &Path, sources: &[Source], out: &BTreeSet<usize>) {
    let last = sources.iter().flat_map(|source| &source.sites).last().expect("a mutant");
    let count = last.first + last.site.replacements.len();
    for source in sources {
        let text = switch::switched(&source.text, &source.sites, out);
        write(&copy.join(&source.path), text.as_bytes());
    }
    for (package, _) in CRITICAL {
        let path = Path::new("crates").join(package).join("src/lib.rs");
        let text = fs::read_to_string(root().join(&path)).expect("a file");
        let (head, rest) = text.split_at(text.find("#![").expect("attributes"));
        let module = switch::MODULE.replace("COUNT", &count.to_string());
        let all = format!(
            "{head}#![allow(warnings, clippy::all, unconditional_panic, arithmetic_overflow)]\n\
             {rest}{module}"
        );
        write(&copy.join(path), all.as_bytes());
    }
}

/// Whether the tests of a package compile, and cargo's messages.
fn build_package(copy: &Path, package: &str) -> (bool, Vec<serde_json::Value>) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--locked", "--no-run", "--message-format=json", "-p", package]);
    for (_, target, _) in TESTS.iter().filter(|(of, _, _)| *of == package) {
        match *target {
            "lib" => cargo.arg("--lib"),
            target => cargo.args(["--test", target]),
        };
    }
    // Not where the workspace itself is built: to cargo, crates in the same place of a workspace
    // are the same.
    cargo.current_dir(copy).env("CARGO_TARGET_DIR", copy.join("target")).stderr(Stdio::inherit());
    let output = cargo.output().expect("cargo runs");
    let lines = output.stdout.split(|&b| b == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    (output.status.success(), messages)
}

/// Builds the tests, without what does not compile; their executables by package and target.
fn build(copy: &Path, sources: &[Source], out: &mut BTreeSet<usize>) -> run::Executables {
    loop {
        switch_all(copy, sources, out);
        let (mut messages, mut success) = (Vec::new(), true);
        // Some tests run the tool, which has the mutants of the crates it is made of.
        for package in TESTS.iter().map(|(package, ..)| *package).collect::<BTreeSet<_>>() {
            let (built, said) = build_package(copy, package);
            success &= built;
            messages.extend(said);
        }
        if success {
            return run::executables(&messages);
        }
        let before = out.len();
        for message in messages.iter().map(|message| &message["message"]) {
            if message["level"] != "error" {
                continue;
            }
            let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
            let faults = spans.iter().filter_map(|span| {
                let path = span["file_name"].as_str()?;
                let source = sources.iter().find(|source| path.ends_with(&source.path))?;
                let text = fs::read_to_string(copy.join(&source.path)).ok()?;
                let at = usize::try_from(span["byte_start"].as_u64()?).ok()?;
                let (number, one) = switch::at_fault(&text, at)?;
                Some((source, number, one))
            });
            let faults: Vec<_> = faults.collect();
            // A fault of one mutant, if that is said; otherwise of all in a place.
            let some_one = faults.iter().any(|(_, _, one)| *one);
            for (source, number, one) in faults {
                if one {
                    out.insert(number);
                } else if !some_one {
                    let site = source.sites.iter().find(|n| n.first == number).expect("a place");
                    out.extend((0..site.site.replacements.len()).map(|i| number + i));
                }
            }
            if out.len() == before {
                eprintln!("{}", message["rendered"].as_str().unwrap_or_default());
            }
        }
        assert!(out.len() > before, "the mutants do not compile, and it does not show why");
        eprintln!("mutants: {} do not compile; again without them", out.len());
    }
}

/// The lines of `survivors.md` that name a mutant.
fn explained(root: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(root.join("research/mutants/survivors.md")).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.strip_prefix("- `"))
        .map(|line| format!("`{line}"))
        .collect()
}

fn main() -> ExitCode {
    let (root, begun, words) = (root(), Instant::now(), env::args().skip(1).collect::<Vec<_>>());
    let copy = copy(&root);
    let sources = sources(&root);
    // Mutants that did not compile the last time are left out from the start.
    let remembered = copy.join("uncompilable");
    let known = fs::read_to_string(&remembered).unwrap_or_default();
    let known: BTreeSet<_> = known.lines().collect();
    let all = mutants(&sources, &BTreeSet::new());
    let is_known = |mutant: &&Mutant| known.contains(mutant.description.as_str());
    let mut out: BTreeSet<_> = all.iter().filter(is_known).map(|mutant| mutant.number).collect();
    let executables = build(&copy, &sources, &mut out);
    let left_out = all.iter().filter(|mutant| out.contains(&mutant.number));
    let lines: String = left_out.map(|mutant| format!("{}\n", mutant.description)).collect();
    fs::write(&remembered, lines).expect("a file is written");
    let mut mutants = mutants(&sources, &out);
    mutants.retain(|mutant| words.iter().all(|word| mutant.description.contains(word)));
    println!(
        "mutants: {} compiled in {} s, {} do not compile",
        mutants.len(),
        begun.elapsed().as_secs(),
        out.len()
    );

    let tests = run::tests(&executables, &copy);
    let slowest: f64 = tests.iter().map(|test| test.time.as_secs_f64()).sum();
    println!("mutants: {} tests take {slowest:.1} s one after the other", tests.len());

    let (next, missed) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(reached) = run::survives(mutant, &tests) {
                        let mut missed = missed.lock().expect("no panic");
                        missed.insert(mutant.number, (mutant.description.clone(), reached));
                    }
                }
            });
        }
    });
    let missed = missed.into_inner().expect("no panic");
    report(&mutants, &missed, &explained(&root), begun, words.is_empty())
}

fn report(
    mutants: &[Mutant],
    missed: &BTreeMap<usize, (String, usize)>,
    explained: &BTreeSet<String>,
    begun: Instant,
    compare: bool,
) -> ExitCode {
    let unexplained: Vec<_> =
        missed.values().filter(|(description, _)| !explained.contains(description)).collect();
    for (description, reached) in &unexplained {
        println!("- {description} ({reached} tests come by)");
    }
    let all: BTreeSet<_> = mutants.iter().map(|mutant| &mutant.description).collect();
    let survivors: BTreeSet<_> = missed.values().map(|(description, _)| description).collect();
    let mut stale = 0;
    for line in explained.iter().filter(|line| compare && !survivors.contains(line)) {
        let what = if all.contains(line) { "is noticed" } else { "does not exist" };
        println!("{what}, though survivors.md has it: {line}");
        stale += 1;
    }
    let (total, survived) = (mutants.len(), missed.len());
    println!(
        "mutants: {total}, of which {} are noticed and {survived} are not, {} of them not \
         explained; {} s",
        total - survived,
        unexplained.len(),
        begun.elapsed().as_secs()
    );
    let _ = io::Write::flush(&mut io::stdout());
    if unexplained.is_empty() && stale == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
