//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

#[cfg(feature = "stores-tests")]
#[path = "common/bucket.rs"]
mod bucket;
mod common;
#[cfg(feature = "stores-tests")]
#[path = "common/fake_s3.rs"]
mod fake;
#[cfg(feature = "mount")]
#[path = "common/mounted.rs"]
mod mounted;
#[cfg(feature = "stores-tests")]
#[path = "../../polyseal-object-store/tests/server/mod.rs"]
mod server;
#[cfg(feature = "stores-tests")]
#[path = "common/web.rs"]
mod web;

#[cfg(feature = "bench")]
mod bench;
mod environment;
#[cfg(feature = "stores-tests")]
mod fake_s3;
mod full_disk;
mod interop;
#[cfg(feature = "keyring")]
mod kms;
#[cfg(feature = "kms-tests")]
mod kms_calls;
#[cfg(feature = "long-tests")]
mod large;
mod layers;
mod many;
mod memory;
#[cfg(feature = "mount")]
mod mount;
#[cfg(all(feature = "mount", feature = "stores-tests"))]
mod mounted_objects;
mod named_once;
#[cfg(feature = "stores-tests")]
mod other_stores;
mod outputs;
mod pages;
mod passphrases;
mod plugins;
mod rekey;
mod secrets;
mod shell;
mod signed_trees;
mod statements;
#[cfg(feature = "stores-tests")]
mod stored_trees;
#[cfg(feature = "stores-tests")]
mod stored_updates;
#[cfg(feature = "stores-tests")]
mod stores;
mod streams;
mod sync;
mod terminal;
mod transcripts;
mod trees;
mod updates;
mod vectors;
#[cfg(feature = "stores-tests")]
mod web_servers;
mod windows;
