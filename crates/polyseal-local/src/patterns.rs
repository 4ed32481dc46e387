//! Names and paths that match a pattern, as a shell has them, and all that is in them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};

use crate::platform::NAMES_MAY_BE_ONE;

/// Patterns of names and paths, such as those that a run leaves out.
///
/// ```
/// use std::path::Path;
///
/// use polyseal_local::{Options, Patterns};
///
/// let patterns = Patterns::new(&["*.o", "/target"])?;
/// assert!(patterns.matches(Path::new("src/a.o")) && !patterns.matches(Path::new("src/target")));
/// let excluded = |path: &Path| patterns.matches_itself(path);
/// let options = Options::new().exclude(&excluded);
/// # Ok::<(), polyseal_local::BadPattern>(())
/// ```
#[derive(Debug)]
pub struct Patterns(GlobSet);

/// Paths of a tree that somebody has named, by patterns from its root or to the letter, and all
/// that is in them.
///
/// ```
/// use std::path::Path;
///
/// use polyseal_local::PathChoice;
///
/// let choice = PathChoice::new(&["docs/report.odt", "photos/2026/**", "a[1].txt"]);
/// assert!(choice.wants(Path::new("photos/2026/05/x.jpg")) && choice.wants(Path::new("a[1].txt")));
/// assert!(!choice.wants(Path::new("docs")));
/// assert_eq!(choice.unmet().collect::<Vec<_>>(), ["docs/report.odt"]);
/// ```
#[derive(Debug)]
pub struct PathChoice(Vec<ChosenPath>);

#[derive(Debug)]
struct ChosenPath {
    text: String,
    path: PathBuf,
    glob: Option<GlobMatcher>,
    is_met: AtomicBool,
}

impl PathChoice {
    /// The choice of all these.
    #[must_use]
    pub fn new(paths: &[impl AsRef<str>]) -> Self {
        let chosen = paths.iter().map(|text| {
            let text = text.as_ref().to_owned();
            let trimmed = text.trim_end_matches('/').trim_start_matches("./");
            let mut glob = GlobBuilder::new(trimmed);
            glob.literal_separator(true).case_insensitive(NAMES_MAY_BE_ONE);
            let glob = glob.build().ok().map(|glob| glob.compile_matcher());
            let path = PathBuf::from(trimmed);
            ChosenPath { text, path, glob, is_met: AtomicBool::new(false) }
        });
        Self(chosen.collect())
    }

    /// Whether `path`, or a directory that it lies in, is one of them.
    #[must_use]
    pub fn wants(&self, path: &Path) -> bool {
        let mut wanted = false;
        for chosen in &self.0 {
            let is_glob = |path: &Path| chosen.glob.as_ref().is_some_and(|it| it.is_match(path));
            if path.ancestors().any(|path| path == chosen.path || is_glob(path)) {
                chosen.is_met.store(true, Ordering::Relaxed);
                wanted = true;
            }
        }
        wanted
    }

    /// Those for which no path was wanted so far.
    pub fn unmet(&self) -> impl Iterator<Item = &str> {
        let unmet = self.0.iter().filter(|chosen| !chosen.is_met.load(Ordering::Relaxed));
        unmet.map(|chosen| &chosen.text[..])
    }
}

/// An invalid pattern; displayed, it says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern(String);

impl Patterns {
    /// A pattern without `/` is for a name anywhere; one with it is for a path from the root, and
    /// its `*` does not go beyond a `/`.
    ///
    /// # Errors
    /// If one is no pattern.
    pub fn new(patterns: &[impl AsRef<str>]) -> Result<Self, BadPattern> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let failure =
                |error: globset::Error| BadPattern(format!("{pattern}: {}", error.kind()));
            let whole = match pattern.trim_end_matches('/').trim_start_matches("./") {
                name if !name.contains('/') => format!("**/{name}"),
                path => path.trim_start_matches('/').to_owned(),
            };
            let mut glob = GlobBuilder::new(&whole);
            glob.literal_separator(true).case_insensitive(NAMES_MAY_BE_ONE);
            let glob = glob.build().map_err(failure)?;
            set.add(glob);
        }
        set.build().map(Self).map_err(|error| BadPattern(error.to_string()))
    }

    /// Whether `path` itself is left out.
    #[must_use]
    pub fn matches_itself(&self, path: &Path) -> bool {
        !self.0.is_empty() && self.0.is_match(path)
    }

    /// Whether `path`, or a directory that it lies in, is left out.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        !self.0.is_empty() && path.ancestors().any(|path| self.0.is_match(path))
    }
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadPattern {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("*.o", "a/b.o", true),
            ("*.o", "b.o", true),
            ("*.o", "b.c", false),
            ("target", "a/target/b/c", true),
            ("target/", "target", true),
            ("a/*.o", "a/b.o", true),
            ("a/*.o", "a/b/c.o", false),
            ("a/*.o", "b/a/c.o", false),
            ("a/**/*.o", "a/b/c.o", true),
            ("/a", "a/b", true),
            ("./a/b", "a/b", true),
            ("{a,b}c", "x/bc", true),
            ("[!a]", "b", true),
        ] {
            let patterns = Patterns::new(&[pattern]).unwrap();
            assert_eq!(patterns.matches(Path::new(path)), expected, "{pattern} {path}");
        }
        assert!(Patterns::new(&["["]).is_err());
        assert!(!Patterns::new(&[] as &[&str]).unwrap().matches(Path::new("a")));
    }
}
