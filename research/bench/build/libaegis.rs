//! libaegis again: by clang, for this very CPU; and without the instructions of better CPUs.
//!
//! The `aegis` crate compiles the library with whatever compiler it finds, for any CPU of the
//! architecture. Its author recommends clang and `-march=native`, so a comparison that left that
//! build out would be unfair. Beside our lesser back ends stand builds that have no better
//! instructions than they. All are linked, with renamed symbols but for the first.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::archive::{self, run};

/// The prefix; the names stand in `src/peers/libaegis.rs`.
const PREFIX: &str = "native_";

/// The builds that are held to fewer instructions, with the symbols that they must not look for.
const WITHOUT: [(&str, &str); 2] =
    [("aesni_", "HAVE_VAESINTRIN_H"), ("vaes256_", "HAVE_AVX512FINTRIN_H")];

const TABLE: &str = "build/libaegis.c";

pub(crate) fn build() {
    let sources = sources();
    let include = sources.join("include");
    let mut table = cc::Build::new();
    table.include(&include).file(TABLE).compile("polyseal_bench_libaegis");

    println!("cargo::rerun-if-env-changed=PATH");
    let clang = newest_clang();
    let by = match &clang {
        Some((_, version)) => format!("clang {version}"),
        None => String::from("the default C compiler"),
    };
    println!("cargo::rustc-env=LIBAEGIS_HELD={by}, -O3, without better instructions");
    for (prefix, without) in WITHOUT {
        build_without(&sources, prefix, without, clang.as_ref().map(|(clang, _)| clang));
    }
    let Some((clang, version)) = clang else { return };
    let mut library = cc::Build::new();
    library
        .cargo_metadata(false)
        .compiler(clang)
        .opt_level(3)
        .flag("-march=native")
        .flag_if_supported("-Wno-unknown-pragmas")
        .warnings(false)
        .include(&include)
        .files(c_files(&sources))
        .file(TABLE)
        .compile("libaegis_native_unnamed");
    archive::link_renamed(&archive::out_dir().join("liblibaegis_native_unnamed.a"), PREFIX);
    println!("cargo::rustc-cfg=libaegis_native");
    println!("cargo::rustc-env=LIBAEGIS_NATIVE=clang {version}, -O3 -march=native");
}

/// The library as on a CPU that lacks some instructions: it forgets how to look for them.
fn build_without(sources: &Path, prefix: &str, without: &str, compiler: Option<&String>) {
    let header = archive::out_dir().join(format!("{prefix}common.h"));
    fs::write(&header, format!("#include \"common/common.h\"\n#undef {without}\n"))
        .expect("the build directory is writable");
    let mut library = cc::Build::new();
    if let Some(compiler) = compiler {
        library.compiler(compiler);
    }
    let name = format!("libaegis_{prefix}unnamed");
    library
        .cargo_metadata(false)
        .opt_level(3)
        .flag_if_supported("-Wno-unknown-pragmas")
        .flag("-include")
        .flag(&header)
        .warnings(false)
        .include(sources)
        .include(sources.join("include"))
        .files(c_files(sources))
        .file(TABLE)
        .compile(&name);
    archive::link_renamed(&archive::out_dir().join(format!("lib{name}.a")), prefix);
}

/// The C sources inside the `aegis` package, which cargo has unpacked somewhere.
fn sources() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo sets CARGO");
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let metadata = run(Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--features=peers"])
        // Cargo looks at packages, not only at manifests: without those of other targets.
        .args(["--filter-platform", &target]));
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let manifest = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "aegis")
        .and_then(|package| package["manifest_path"].as_str())
        .expect("the package `aegis` is a dependency");
    Path::new(manifest).with_file_name("src").join("c/libaegis/src")
}

/// Every source file except those of the encrypted-file layer, which nothing here calls.
fn c_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the sources of libaegis are readable");
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("raf") {
            files.extend(c_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "c")
            && !path.ends_with("keccak.c")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The newest clang on the path, and its version.
fn newest_clang() -> Option<(String, String)> {
    let names = (14..40).rev().map(|version| format!("clang-{version}"));
    names.chain([String::from("clang")]).find_map(|name| {
        let output = Command::new(&name).arg("-dumpversion").output().ok()?;
        let version = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| (name, String::from(version.trim())))
    })
}
