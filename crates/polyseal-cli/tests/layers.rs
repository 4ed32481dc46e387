//! The tool's modules use only what is below them: no arrow goes up, so that none goes in a circle.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the tool, from the ground up: each may use those before it.
const TOOL: [&str; 16] = [
    "error", "messages", "amount", "args", "signals", "streams", "progress", "secret", "objects",
    "prompt", "file_io", "keepers", "keys", "commands", "main", "",
];

/// The commands that others use. No command uses any other.
const COMMANDS: [&str; 5] = ["many", "trees", "crypt", "rekey", ""];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(of).collect()
}

/// The names behind `prefix` in the code of a file, also in braces: `crate::{a, b::c}`.
fn used(text: &str, prefix: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let behind = code.match_indices(prefix).map(|(at, _)| &code[at + prefix.len()..]);
    behind
        .flat_map(|rest| match rest.strip_prefix('{') {
            None => vec![name(rest)],
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                list.split(',').map(|one| name(one.trim())).collect()
            }
        })
        .collect()
}

/// The name of the module that a file is, or belongs to, in `folder`.
fn module(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap();
    let first = Path::new(path.components().next().unwrap().as_os_str());
    first.with_extension("").to_str().unwrap().to_owned()
}

#[test]
fn no_arrow_goes_up() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut arrows = 0;
    for (folder, order, prefixes) in [
        (folder.clone(), &TOOL[..], &["crate::"][..]),
        (folder.join("commands"), &COMMANDS[..], &["crate::commands::", "super::"][..]),
    ] {
        let floor = |name: &str| order.iter().position(|other| *other == name);
        let top = order.len();
        for file in sources(&folder) {
            let (from, text) = (module(&folder, &file), fs::read_to_string(&file).unwrap());
            // `super` means another thing in a folder of a command.
            let is_deep = file.parent() != Some(&folder) && folder.ends_with("commands");
            let prefixes = prefixes.iter().filter(|prefix| !is_deep || **prefix != "super::");
            for to in prefixes.flat_map(|prefix| used(&text, prefix)) {
                let Some(to_floor) = floor(&to) else { continue };
                let from_floor = floor(&from).unwrap_or(top);
                assert!(from == to || to_floor < from_floor, "{} uses {to}", file.display());
                arrows += usize::from(from != to);
            }
        }
    }
    assert!(arrows > 60, "{arrows}");
}
