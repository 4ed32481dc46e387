//! `vectors`: checks files of test vectors in the Wycheproof AEAD schema.
//!
//! `polyseal-vectors` reads and decides them; this prints each outcome.

use std::io::{self, Write};
use std::path::Path;

use polyseal_vectors::Skipped;

use super::print;
use crate::args::VectorsArgs;
use crate::error::{Code, Failure, Result, shown};

/// How many tests of a file went which way.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    passed: u64,
    failed: u64,
    skipped: usize,
    /// The reason why the last of them was: a file is of one algorithm.
    why: Option<Skipped>,
}

pub(crate) fn vectors(args: &VectorsArgs) -> Result {
    let mut total = Count::default();
    let mut worst = None;
    for path in &args.files {
        let name = shown(&path.display().to_string());
        match file(path) {
            Ok(count) => {
                let Count { passed, failed, skipped, why } = count;
                if let Some(why) = why {
                    print(&format!("{name}: {skipped} skipped: {why}\n"))?;
                }
                print(&format!("{name}: {passed} passed, {failed} failed\n"))?;
                total.passed += passed;
                total.failed += failed;
            }
            Err(failure) => {
                print(&format!("{name}: error\n"))?;
                let _ = writeln!(io::stderr(), "{failure}");
                worst = worst.or(Some(failure.code));
            }
        }
    }
    print(&format!("{} passed, {} failed\n", total.passed, total.failed))?;
    match worst {
        Some(code) => Err(Failure::new(code, "not every file of vectors could be checked")),
        None if total.failed > 0 => {
            Err(Failure::new(Code::Content, format!("{} test vectors failed", total.failed)))
        }
        None => Ok(()),
    }
}

fn file(path: &Path) -> Result<Count> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io("read", path, &error))?;
    let name = shown(&path.display().to_string());
    let groups = polyseal_vectors::read(&text)
        .map_err(|error| Failure::new(Code::Content, format!("{name}: {error}")))?;
    let mut count = Count::default();
    for group in &groups {
        if let Some(why) = group.skipped() {
            count.skipped += group.tests().len();
            count.why = Some(why);
            continue;
        }
        for test in group.tests() {
            match group.check(test) {
                Ok(()) => count.passed += 1,
                Err(why) => {
                    count.failed += 1;
                    let id = test.id();
                    let _ = writeln!(io::stderr(), "{name}: tcId {id}: {}", shown(why));
                }
            }
        }
    }
    Ok(count)
}
