//! The back ends that this CPU should have are the ones that run.
//!
//! Every other test runs on "every available back end", which would be an empty promise if
//! detection failed: here the CPU is asked in another way.

use std::collections::HashSet;

use polyseal::testing::Backend;

fn names() -> Vec<&'static str> {
    Backend::available().map(Backend::name).collect()
}

#[test]
fn the_portable_one_comes_first_and_the_fastest_last() {
    let names = names();
    assert_eq!(names[0], "soft");
    assert_eq!(names.last(), Some(&Backend::detect().name()));
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "one of them twice");
}

#[cfg(polyseal_portable)]
#[test]
fn a_portable_build_has_no_other() {
    assert_eq!(names(), ["soft"]);
}

/// The kernel's list of the CPU's features, one word each.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(polyseal_portable)))]
fn cpu_flags() -> HashSet<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo");
    let line = info
        .lines()
        .find(|line| line.starts_with("flags") || line.starts_with("Features"))
        .expect("a list of features");
    let (_, flags) = line.split_once(':').expect("a list of features");
    flags.split_whitespace().map(str::to_owned).collect()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(polyseal_portable)))]
#[test]
fn x86_64_has_what_the_kernel_says() {
    let flags = cpu_flags();
    let has = |needed: &[&str]| needed.iter().all(|&flag| flags.contains(flag));
    let mut expected = vec!["soft"];
    if has(&["ssse3"]) {
        expected.push("ssse3");
    }
    if has(&["aes", "avx"]) {
        expected.push("aesni");
    }
    if has(&["aes", "avx2", "vaes"]) {
        expected.push("vaes256");
    }
    if has(&["aes", "avx2", "bmi2", "vaes", "avx512f", "avx512bw", "avx512vl"]) {
        expected.push("vaes512");
    }
    assert_eq!(names(), expected);
}

/// Every aarch64 that these tests are run on has the AES instructions, an emulated one too: were
/// they missing, the neon back end would be untested and nobody would know.
#[cfg(all(target_arch = "aarch64", not(polyseal_portable)))]
#[test]
fn aarch64_runs_neon() {
    assert_eq!(names(), ["soft", "neon"]);
}

/// With WebAssembly, the build decides.
#[cfg(target_arch = "wasm32")]
#[test]
fn wasm_runs_vectors_where_it_was_built_with_them() {
    let with_vectors = cfg!(target_feature = "simd128");
    assert_eq!(names(), if with_vectors { &["soft", "simd128"][..] } else { &["soft"] });
}
