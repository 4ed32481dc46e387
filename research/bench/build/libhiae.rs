//! HiAE by its authors, from a checkout of github.com/hiae-aead/libhiae (MIT).

use crate::checkout;

const VARIABLE: &str = "POLYSEAL_LIBHIAE";
/// The names stand in `src/peers/libhiae.rs`.
const PREFIX: &str = "libhiae_";
/// HiAE itself, as its makefile has it: without the variants that are wider.
const FILES: [&str; 6] = [
    "HiAE.c",
    "HiAE_software.c",
    "HiAE_aesni.c",
    "HiAE_vaes_avx512.c",
    "HiAE_arm.c",
    "HiAE_arm_sha3.c",
];

pub(crate) fn build() {
    let Some(folder) = checkout::folder(VARIABLE) else { return };
    let sources = folder.join("src/hiae");
    let mut library = cc::Build::new();
    library.include(folder.join("include")).include(&sources);
    library.flag_if_supported("-mtune=native");
    library.files(FILES.map(|file| sources.join(file)));
    checkout::link(library, PREFIX);
    println!("cargo::rustc-cfg=libhiae");
    println!("cargo::rustc-env=LIBHIAE={}", checkout::commit(&folder));
}
