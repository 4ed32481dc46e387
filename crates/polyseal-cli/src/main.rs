//! The tool `polyseal`: encrypts files at the speed of memory and refuses altered ones.
//!
//! `args` says what can be asked for, `commands` do it, `file_io` alone decides what is read,
//! written, refused and replaced, and `error` gives every failure its exit code: 0 done, 1 I/O,
//! 2 usage, 3 authentication or corruption, 4 no matching key.
//!
//! Security claim: that of the library; in addition, an output file appears complete and verified
//! or not at all, and no secret is printed.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

mod amount;
mod args;
mod commands;
mod environment;
mod error;
mod file_io;
mod keepers;
mod keys;
mod messages;
mod objects;
mod platform;
mod progress;
mod prompt;
mod secret;
mod statements;
mod streams;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Args, Command, not_built};
use crate::error::{Code, Result, shown};
use polyseal_local::secrets::{without_hexadecimal_keys, without_secrets};

fn main() -> ExitCode {
    platform::prepare();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return report_usage(&error),
    };
    let done = run(args.command);
    if let wider @ 1.. = polyseal_local::take_wider_modes() {
        messages::warn(&format!(
            "{wider} of the files and directories give others more rights than they should: their \
             file system does not change modes"
        ));
    }
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code.into()
        }
    }
}

fn run(mut command: Command) -> Result {
    environment::fill(&mut command)?;
    match command {
        Command::Encrypt(args) => commands::encrypt(&args),
        Command::Decrypt(args) => commands::decrypt(&args),
        Command::Verify(args) => commands::verify(&args),
        Command::Ls(args) => commands::ls(&args),
        Command::Cat(args) => commands::cat(&args),
        #[cfg(feature = "mount")]
        Command::Mount(args) => commands::mount(&args),
        Command::Rekey(args) => commands::rekey(&args),
        Command::Keygen(args) => commands::keygen(&args),
        Command::Kms(command) => commands::kms(&command),
        Command::Sign(args) => commands::sign(&args),
        Command::Inspect(args) => commands::inspect(&args),
        Command::Suites(args) => commands::suites(&args),
        Command::Limits(args) => commands::limits(&args),
        Command::Aead(command) => commands::aead(&command),
        #[cfg(feature = "flex")]
        Command::Hazmat(command) => commands::hazmat(&command),
        Command::Vectors(args) => commands::vectors(&args),
        Command::Selftest => commands::selftest(),
        #[cfg(feature = "bench")]
        Command::Bench(args) => commands::bench(args),
        Command::Completions(args) => commands::completions(&args),
        Command::Man(args) => commands::man(&args),
    }
}

/// Help and version go to standard output; a wrong command line is told as every other error.
fn report_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return if error.print().is_ok() { ExitCode::SUCCESS } else { Code::Io.into() };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return Code::Usage.into();
    }
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(missing) = not_built(name)
    {
        let _ = writeln!(io::stderr(), "polyseal: {missing}");
        return Code::Usage.into();
    }
    let mut text = error.render().to_string();
    // `--passphrase=…`, which takes none: whatever stands there is one.
    if let (Some(ContextValue::String(argument)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
        && argument.contains("passphrase")
    {
        text = text.replace(&format!("'{value}'"), "(withheld)");
    }
    // A key may have many lines.
    let text = without_secrets(text.strip_prefix("error: ").unwrap_or(&text));
    let text = without_hexadecimal_keys(&text);
    // A mistyped option is hardly ever meant as the name of a file.
    let lines = text.lines().filter(|line| !line.contains("tip: to pass '"));
    let text: Vec<_> = lines.map(shown).collect();
    let text = text.join("\n").replace("\n\n\n", "\n\n");
    let _ = writeln!(io::stderr(), "polyseal: {text}");
    Code::Usage.into()
}
