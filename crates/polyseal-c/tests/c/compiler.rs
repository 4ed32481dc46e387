//! Compiling and running programs in C.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy)]
pub(crate) enum Language {
    C99,
    Cpp11,
}

/// With which library.
#[derive(Clone, Copy)]
pub(crate) enum Linked {
    Static,
    Shared,
}

pub(crate) struct Program(PathBuf);

pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder for a test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a folder");
    place
}

/// Where cargo has put the libraries that it made for this test: beside it.
fn libraries() -> PathBuf {
    let test = env::current_exe().expect("this test");
    test.parent().expect("its folder").to_owned()
}

fn words(variable: &str) -> Vec<String> {
    let text = env::var(variable).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

impl Program {
    pub(crate) fn compile(
        file: &Path,
        language: Language,
        linked: Linked,
        place: &Path,
        includes: &[&Path],
    ) -> Self {
        let (variable, otherwise, flags) = match language {
            Language::C99 => ("CC", "cc", &["-std=c99", "-Wstrict-prototypes"][..]),
            Language::Cpp11 => ("CXX", "c++", &["-std=c++11", "-x", "c++"][..]),
        };
        let program = place.join(file.file_stem().expect("a name"));
        let libraries = libraries();
        let mut command = Command::new(env::var(variable).unwrap_or_else(|_| otherwise.to_owned()));
        command
            .args([
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Wshadow",
                "-Wconversion",
                "-Werror",
                "-O1",
                "-g",
            ])
            .args(words("CFLAGS"))
            .args(flags)
            .arg("-I")
            .arg(folder().join("include"));
        for include in includes {
            command.arg("-I").arg(include);
        }
        command.arg(file).args(["-x", "none", "-o"]).arg(&program);
        match linked {
            Linked::Static => command.arg(libraries.join("libpolyseal_c.a")),
            Linked::Shared => command
                .arg("-L")
                .arg(&libraries)
                .arg(format!("-Wl,-rpath,{}", libraries.display()))
                .arg("-lpolyseal_c"),
        };
        command.args(["-lpthread", "-ldl", "-lm"]);
        let output = command.output().expect("a compiler of C");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{errors}");
        Self(program)
    }

    /// Runs it, and returns its output; it must succeed.
    pub(crate) fn run(&self, arguments: &[&str], place: &Path) -> String {
        let runner = words("POLYSEAL_C_RUNNER");
        let mut command = match runner.split_first() {
            Some((runner, its)) => {
                let mut command = Command::new(runner);
                command.args(its).arg(&self.0);
                command
            }
            None => Command::new(&self.0),
        };
        // Cargo's tests find libraries that this one must not.
        command.args(arguments).current_dir(place).env_remove("LD_LIBRARY_PATH");
        let output = command.output().expect("the program");
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command:?}: {}\n{text}{errors}", output.status);
        text.into_owned()
    }
}
