//! HCTR2 by its authors, from a checkout of github.com/google/hctr2, for x86-64. Its own code is
//! under the MIT licence; its AES is Linux's, under the GPL: such a program stays on its machine.

use std::fs;

use crate::{archive, checkout};

const VARIABLE: &str = "POLYSEAL_HCTR2";
/// The names stand in `src/peers/google_hctr2.rs`.
const PREFIX: &str = "google_";
/// Beside `hctr2.c`, whose functions are its own alone: `build/google_hctr2.c` includes it.
const FILES: [&str; 9] = [
    "benchmark/src/aes.c",
    "benchmark/src/polyval.c",
    "benchmark/src/xctr.c",
    "benchmark/src/x86_64/polyval-clmulni_asm.S",
    "third_party/linux-kernel/aes_ti.c",
    "third_party/linux-kernel/gf128.c",
    "third_party/linux-kernel/x86_64/aes_ctrby8_avx-x86_64.S",
    "third_party/linux-kernel/x86_64/aesni-intel_asm.S",
    "test_vectors/converted/cstruct/hctr2_testvecs.c",
];
const INCLUDES: [&str; 4] =
    ["benchmark", "benchmark/src", "test_vectors/converted/cstruct", "third_party/linux-kernel"];
const FLAGS: [&str; 3] = ["-Wno-pointer-sign", "-fno-strict-aliasing", "-fwrapv"];

pub(crate) fn build() {
    let Some(folder) = checkout::folder(VARIABLE) else { return };
    let out = archive::out_dir();
    // Its build system writes this one.
    fs::write(out.join("cbconfig.h"), "#define SYMBOLS_HAVE_UNDERSCORE_PREFIX 0\n")
        .expect("the build directory is writable");
    let mut library = cc::Build::new();
    library.include(&out).includes(INCLUDES.map(|path| folder.join(path)));
    for flag in FLAGS {
        library.flag(flag);
    }
    library.file("build/google_hctr2.c").files(FILES.map(|file| folder.join(file)));
    checkout::link(library, PREFIX);
    println!("cargo::rustc-cfg=google_hctr2");
    println!("cargo::rustc-env=GOOGLE_HCTR2={}", checkout::commit(&folder));
}
