//! C sources that no crate has, from a checkout that whoever builds has made: an environment
//! variable says where it is. Without one the peer is absent, and the report says so.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::{self, run};

/// The folder that the variable names.
pub(crate) fn folder(variable: &str) -> Option<PathBuf> {
    println!("cargo::rerun-if-env-changed={variable}");
    let folder = PathBuf::from(env::var_os(variable)?);
    assert!(folder.is_dir(), "{variable}: there is no folder {}", folder.display());
    Some(folder)
}

/// The commit that is checked out there, as short as it may be.
pub(crate) fn commit(folder: &Path) -> String {
    let mut git = Command::new("git");
    let commit = run(git.arg("-C").arg(folder).args(["rev-parse", "--short=12", "HEAD"]));
    format!("commit {}", commit.trim())
}

/// Compiles `library`, and links it with `prefix` before every symbol that it defines.
pub(crate) fn link(mut library: cc::Build, prefix: &str) {
    let name = format!("{prefix}unnamed");
    library.cargo_metadata(false).opt_level(3).warnings(false).compile(&name);
    archive::link_renamed(&archive::out_dir().join(format!("lib{name}.a")), prefix);
}
