//! `keygen`: a fresh random key in a new file that only its owner can read.

use polyseal_file::Key;

use crate::args::{KeygenArgs, OutputArgs};
use crate::error::{Code, Failure, Result};
use crate::file_io::{Contents, OutputFile};

pub(crate) fn keygen(args: &KeygenArgs) -> Result {
    // A key that is replaced takes every file encrypted with it along: there is no -f.
    let output = OutputArgs { output: Some(args.output.clone()), force: false };
    let mut output = OutputFile::open(&output, Contents::Unknown, &[]).map_err(no_force)?;
    output.write_all(Key::generate()?.to_file().as_bytes())?;
    output.sync()?;
    output.commit().map_err(no_force)
}

fn no_force(failure: Failure) -> Failure {
    if failure.code == Code::Usage {
        return failure.hint("keygen never replaces a file: choose another name");
    }
    failure
}
