//! Static archives under other names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where the build puts its results.
pub(crate) fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// Copies `archive` with `prefix` before every symbol it defines, and links the copy.
pub(crate) fn link_renamed(archive: &Path, prefix: &str) {
    let listing = run(Command::new("nm").args(["--defined-only", "--extern-only"]).arg(archive));
    let mut symbols: Vec<&str> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        // Compiler-generated duplicates that the linker merges.
        .filter(|name| !name.starts_with("__x86.") && !name.starts_with("DW.ref."))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let map: String = symbols.iter().map(|name| format!("{name} {prefix}{name}\n")).collect();
    let map_file = out_dir().join(format!("{prefix}symbols"));
    fs::write(&map_file, map).expect("the build directory is writable");

    let library = format!("polyseal_bench_{}", prefix.trim_end_matches('_'));
    let renamed = out_dir().join(format!("lib{library}.a"));
    run(Command::new("objcopy").arg("--redefine-syms").arg(map_file).arg(archive).arg(renamed));
    println!("cargo::rustc-link-search=native={}", out_dir().display());
    println!("cargo::rustc-link-lib=static={library}");
}

/// The output of `command`, which must succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
