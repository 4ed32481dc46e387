//! `bench`: how fast the algorithms are on this machine, without other libraries.

use std::io;
use std::path::Path;

use crate::error::{Failure, Result};

pub(crate) fn bench(options: &polyseal_bench::Options) -> Result {
    polyseal_bench::run(options, &mut io::stdout().lock())
        .map_err(|error| Failure::io("write", Path::new("standard output"), &error))
}
