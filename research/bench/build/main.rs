//! With feature `peers`: builds what the peers' own crates do not give.
//!
//! Two builds of libaegis and two libraries with OpenSSL's interface must live in one program, so
//! that they can be measured in one interleaved run. One of each pair is renamed: its archive is
//! copied with a prefix on every symbol that it defines.

#[cfg(feature = "peers")]
mod archive;
#[cfg(feature = "peers")]
mod checkout;
#[cfg(feature = "peers")]
mod google_hctr2;
#[cfg(feature = "peers")]
mod ipsec_mb;
#[cfg(feature = "peers")]
mod libaegis;
#[cfg(feature = "peers")]
mod libhiae;
#[cfg(feature = "peers")]
mod openssl;

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!(
        "cargo::rustc-check-cfg=cfg(google_hctr2, ipsec_mb, libaegis_native, libhiae, rust_native)"
    );
    #[cfg(feature = "peers")]
    {
        google_hctr2::build();
        ipsec_mb::build();
        libaegis::build();
        libhiae::build();
        openssl::build();
        // Whether the peers in Rust are compiled for this very CPU.
        let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        if flags.contains("target-cpu=native") {
            println!("cargo::rustc-cfg=rust_native");
        }
    }
}
