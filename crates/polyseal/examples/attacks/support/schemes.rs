//! The schemes that are GCM inside, by the registry's names.

use polyseal::registry::Algorithm;

/// Without a commitment.
pub(crate) const OPEN: [&str; 6] = [
    "aes-128-gcm",
    "aes-256-gcm",
    "xaes-256-gcm",
    "h-aes-256-gcm",
    "dndk-gcm:version=1,kc=0",
    "dndk-gcm:version=2,kc=0",
];

/// With one.
pub(crate) const COMMITTING: [&str; 17] = [
    "kc-xaes-256-gcm",
    "kc-xaes-256-gcm:nonce=20",
    "kc-xaes-256-gcm:nonce=21",
    "kc-xaes-256-gcm:nonce=22",
    "kc-xaes-256-gcm:nonce=23",
    "h-kc-aes-256-gcm",
    "hkdf-committed-aes-256-gcm",
    "dndk-gcm:version=1,kc=1",
    "dndk-gcm:version=2,kc=1",
    "padding-fix-aes-256-gcm",
    "ctx-aes-256-gcm",
    "padding-fix-xaes-256-gcm",
    "kc-c3-xaes-256-gcm",
    "f-com-h-aes-256-gcm",
    "f-com-hkdf-aes-256-gcm",
    "f-com-dndk-gcm:version=1",
    "f-com-dndk-gcm:version=2",
];

/// The algorithm of that name.
pub(crate) fn algorithm(name: &str) -> Algorithm {
    name.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Where GCM's T is seen: in the scheme itself, or in the GCM below; and how many zeros the scheme
/// puts before the message.
pub(crate) fn inner(name: &str) -> (Algorithm, usize) {
    match name {
        "padding-fix-aes-256-gcm" => (algorithm("aes-256-gcm"), 32),
        "padding-fix-xaes-256-gcm" => (algorithm("xaes-256-gcm"), 32),
        "ctx-aes-256-gcm" => (algorithm("aes-256-gcm"), 0),
        _ => (algorithm(name), 0),
    }
}
