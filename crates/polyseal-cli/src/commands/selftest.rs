//! `selftest`: known answers on every algorithm and back end of this machine.

use std::fmt::Write;

use super::print;
use crate::error::{Code, Failure, Result};

pub(crate) fn selftest() -> Result {
    let outcomes = polyseal::selftest::run();
    let mut text = String::new();
    for outcome in &outcomes {
        let verdict = if outcome.passed { "ok" } else { "FAILED" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<41} {:<8} {verdict}",
            outcome.algorithm.to_string(),
            outcome.backend
        );
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
    let _ = writeln!(text, "{} passed, {failed} failed", outcomes.len() - failed);
    print(&text)?;
    if failed == 0 && !outcomes.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Code::Content, "the self-test failed")
        .hint("do not use this build on this machine"))
}
