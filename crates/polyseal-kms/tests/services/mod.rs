//! Services over HTTPS that keep keys.

#![allow(clippy::unwrap_used)]

mod aws;
mod azure;
mod common;
mod gcp;
mod signature;
mod vault;
