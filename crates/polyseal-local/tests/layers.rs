//! All that is of one system stands in one folder, and only the borders to Windows are unsafe.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(of).collect()
}

#[test]
fn another_system_is_one_more_folder() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (platform, rest): (Vec<_>, Vec<_>) =
        sources(&source).into_iter().partition(|path| path.starts_with(source.join("platform")));
    assert!(platform.len() > 3 && rest.len() > 15);
    for path in rest {
        let text = fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        for word in
            ["std::os::", "rustix::", "windows_sys::", "target_os", "cfg(unix", "cfg(windows"]
        {
            assert!(!product.contains(word), "{} has {word}", path.display());
        }
    }
}

/// Only one place compares a named file with the contents that were read, so no code compares only
/// half of it.
#[test]
fn what_was_read_is_compared_in_one_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let compares = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let product: String = code.take_while(|line| !line.contains("#[cfg(test)]")).collect();
        product.contains("Problem::Changed)") || product.contains("Problem::Changed.into")
    };
    let found: Vec<_> = sources(&source).into_iter().filter(compares).collect();
    assert_eq!(found, [source.join("locked.rs")]);
}

#[test]
fn unsafe_stands_at_the_border_to_windows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let border = ["security.rs", "sys.rs"].map(|name| source.join("platform/windows").join(name));
    let has = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("allow(unsafe_code");
    let mut found: Vec<_> = sources(&source).into_iter().filter(has).collect();
    found.sort();
    assert_eq!(found, border);
}
