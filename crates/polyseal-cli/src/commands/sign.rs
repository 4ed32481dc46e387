//! `sign`: a statement about an encrypted file, beside it.

use std::fs::File;
use std::path::Path;

use polyseal_file::statement::Statement;
use polyseal_file::{Header, RunOptions};
use polyseal_local::StatementSigner;

use crate::args::SignArgs;
use crate::error::{Failure, Result};
use crate::keys::{DecryptInputs, KeyInputs};
use crate::objects::expect_file;
use crate::platform::file_id;
use crate::statements::{self, SigningKey};

use super::trees;

pub(crate) fn sign(args: &SignArgs) -> Result {
    if args.context.context.is_some() && !args.recursive {
        return Err(Failure::usage("--context is for trees: a single file is not opened")
            .hint("leave it out"));
    }
    if args.files.len() > 1 && args.signature.is_some() {
        return Err(Failure::usage("one statement is about one file")
            .hint("leave out --signature: each statement is beside its file"));
    }
    let sources = KeyInputs::new([args.open.passphrase_fd, None])?;
    let inputs = DecryptInputs::new(
        &args.open,
        args.ask.passphrase,
        args.context.get()?,
        RunOptions::new(),
        sources,
    )?;
    let key = SigningKey::read(&args.sign, &inputs.sources)?;
    if args.recursive {
        return trees::sign(args, &inputs, &key);
    }
    args.files.iter().try_for_each(|file| sign_one(args, &inputs, &key, file))
}

fn sign_one(args: &SignArgs, inputs: &DecryptInputs, key: &SigningKey, file: &Path) -> Result {
    expect_file(file)?;
    let mut input = File::open(file).map_err(|error| Failure::io("read", file, &error))?;
    let id = file_id(&input).map_err(|error| Failure::io("read", file, &error))?;
    let explain = |error| inputs.explain_file(error, file);
    let time = statements::now();
    let (statement, hashes) = if inputs.has_keys() {
        let header = Header::read(&mut input).map_err(explain)?;
        let opened = header.authenticate(&inputs.identities).map_err(explain)?;
        Statement::of_opened(&opened, &mut input, time)
    } else {
        Statement::of_stored(&mut input, time)
    }
    .map_err(explain)?;
    let bytes = key.sign(&statement, &hashes)?;
    let target = statements::target(args.signature.as_deref(), file);
    let mut forbidden_outputs = inputs.sources.forbidden_outputs();
    forbidden_outputs.extend(id.map(|id| (id, "the input")));
    let mut output = statements::create(&target, args.force, &forbidden_outputs)?;
    output.write_all(&bytes)?;
    output.commit()
}
