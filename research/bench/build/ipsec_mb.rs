//! Intel's library, if the system has its header and the library itself: it is no crate, and only
//! for x86-64.

pub(crate) fn build() {
    let mut table = cc::Build::new();
    table.file("build/ipsec_mb.c").cargo_warnings(false);
    if table.try_compile("polyseal_bench_ipsec_mb_table").is_ok() {
        println!("cargo::rustc-link-lib=dylib=IPSec_MB");
        println!("cargo::rustc-cfg=ipsec_mb");
    }
}
