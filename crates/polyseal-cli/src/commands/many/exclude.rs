//! What `--exclude` leaves out: names and paths that match a pattern, and all that is in them.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::{Failure, Result};

pub(crate) struct Excluded(GlobSet);

impl Excluded {
    /// A pattern without `/` is for a name anywhere; one with it is for a path from the root, and
    /// its `*` does not go beyond a `/`.
    pub(crate) fn new(patterns: &[String]) -> Result<Self> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let failure = |error: globset::Error| {
                Failure::usage(format!("--exclude {pattern}: {}", error.kind()))
            };
            let whole = match pattern.trim_end_matches('/').trim_start_matches("./") {
                name if !name.contains('/') => format!("**/{name}"),
                path => path.trim_start_matches('/').to_owned(),
            };
            let glob = GlobBuilder::new(&whole).literal_separator(true).build().map_err(failure)?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| Failure::usage(format!("--exclude: {error}")))?;
        Ok(Self(set))
    }

    /// Whether `path` itself is left out.
    pub(crate) fn has_itself(&self, path: &Path) -> bool {
        !self.0.is_empty() && self.0.is_match(path)
    }

    /// Whether `path`, or a directory that it lies in, is left out.
    pub(crate) fn has(&self, path: &Path) -> bool {
        !self.0.is_empty() && path.ancestors().any(|path| self.0.is_match(path))
    }
}

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
            let excluded = Excluded::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(excluded.has(Path::new(path)), expected, "{pattern} {path}");
        }
        assert!(Excluded::new(&["[".to_owned()]).is_err());
        assert!(!Excluded::new(&[]).unwrap().has(Path::new("a")));
    }
}
