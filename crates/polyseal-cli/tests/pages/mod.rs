//! The repository's pages: their commands and code do what they say, their figures are the
//! library's, and their links lead somewhere. (`scripts/words` keeps them short.)

#![cfg(unix)]

mod architecture;
mod code;
mod commands;
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

/// The lines of each block of code whose fence says `language`.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<Vec<&'t str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let (mut inside, mut wanted) = (false, false);
    for line in text.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            inside = !inside;
            wanted = inside && fence == language;
            if wanted {
                blocks.push(Vec::new());
            }
        } else if wanted {
            blocks.last_mut().unwrap().push(line);
        }
    }
    blocks
}
