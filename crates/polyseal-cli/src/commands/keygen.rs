//! `keygen`: a fresh random key in a new file that only its owner can read.

use polyseal_file::Key;
use polyseal_file::age::{IdentityKind, generate};

use super::print;
use crate::args::{KeyKind, KeygenArgs, OutputArgs};
use crate::error::{Code, Failure, Result};
use crate::file_io::{OutputFile, OutputKind};

pub(crate) fn keygen(args: &KeygenArgs) -> Result {
    let (file, recipient) = match args.kind {
        KeyKind::KeyFile => (Key::generate()?.to_file(), None),
        KeyKind::X25519 => identity(IdentityKind::X25519)?,
        KeyKind::Hybrid => identity(IdentityKind::Hybrid)?,
    };
    // A key that is replaced takes every file encrypted with it along: there is no -f.
    let output = OutputArgs { output: Some(args.output.clone()), force: false };
    let mut output = OutputFile::open(&output, OutputKind::Unknown, &[]).map_err(no_force)?;
    output.write_all(file.as_bytes())?;
    output.sync()?;
    output.commit().map_err(no_force)?;
    if let Some(recipient) = recipient {
        // What others encrypt to, for whoever wants to keep or to send it.
        print(&format!("{recipient}\n"))?;
    }
    Ok(())
}

fn identity(kind: IdentityKind) -> Result<(zeroize::Zeroizing<String>, Option<String>)> {
    let identity = generate(kind, None)?;
    Ok((identity.file, Some(identity.recipient)))
}

fn no_force(failure: Failure) -> Failure {
    if failure.code == Code::Usage {
        return failure.hint("keygen never replaces a file: choose another name");
    }
    failure
}
