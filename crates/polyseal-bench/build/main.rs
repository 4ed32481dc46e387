//! With feature `peers`: builds what the peers' own crates do not give.
//!
//! Two builds of libaegis and two libraries with OpenSSL's interface must live in one program, so
//! that they can be measured in one interleaved run. One of each pair is renamed: its archive is
//! copied with a prefix on every symbol that it defines.

#[cfg(feature = "peers")]
mod archive;
#[cfg(feature = "peers")]
mod libaegis;
#[cfg(feature = "peers")]
mod openssl;

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-check-cfg=cfg(libaegis_native)");
    #[cfg(feature = "peers")]
    {
        libaegis::build();
        openssl::build();
    }
}
