//! Files are encrypted with the back end of this CPU: the dependency on the library must have
//! detection at run time, or users of this crate get the slow one and nothing says so.

#![cfg(target_arch = "x86_64")]

// With `-p polyseal-file`: another package of the workspace may ask for the feature, too.
#[test]
fn the_cpu_is_looked_at() {
    let has =
        std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("avx");
    let fast = polyseal::selftest::run().iter().any(|outcome| outcome.backend != "soft");
    assert_eq!(fast, has);
}
