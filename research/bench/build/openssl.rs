//! The newest OpenSSL of series 3, whose AES-GCM has code paths that distributions' older ones
//! lack. Renamed, because BoringSSL defines the same names.

use std::fs;

use crate::archive;

/// The prefix; the names stand in `src/peers/openssl.rs`.
const PREFIX: &str = "openssl_";

pub(crate) fn build() {
    // Minutes of work that nothing in this directory can change once it is done.
    let done = archive::out_dir().join(openssl_src::version());
    if !done.exists() {
        let artifacts = openssl_src::Build::new().build();
        fs::rename(artifacts.lib_dir().join("libcrypto.a"), &done).expect("it is writable");
    }
    archive::link_renamed(&done, PREFIX);
}
