//! The repository's pages: their commands and code do what they say, their figures are the
//! library's, and their links lead somewhere. (`scripts/words` keeps them short.)

#![cfg(unix)]

mod architecture;
mod backup;
mod code;
pub(crate) mod commands;
mod figures;
mod links;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of a file, named from the root.
fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The blocks of code of a page that are not marked as not run (`scripts/pages`): the language of
/// each fence, and its lines.
fn all_blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let (mut inside, mut wanted, mut before) = (false, false, "");
    for line in text.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            inside = !inside;
            wanted = inside && !before.starts_with("<!-- not run: ");
            if wanted {
                blocks.push((fence, Vec::new()));
            }
        } else if wanted {
            blocks.last_mut().unwrap().1.push(line);
        }
        before = line;
    }
    blocks
}

/// The lines of each such block whose fence says `language`.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<Vec<&'t str>> {
    let blocks = all_blocks(text).into_iter().filter(|(fence, _)| *fence == language);
    blocks.map(|(_, lines)| lines).collect()
}
