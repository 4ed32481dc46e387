//! Nothing but a test: `tests/query.rs`.
