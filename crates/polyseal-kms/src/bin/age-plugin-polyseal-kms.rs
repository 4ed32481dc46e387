//! The plugin of age for key pairs that are kept elsewhere: opens `age1tag1…` by way of the keeper,
//! and encrypts to the recipient of an identity.
//!
//! Source: c2sp.org/age-plugin. `docs/keys.md` says how to use it.
//!
//! Limit: age starts it for every file, so that a wrong PIN from the environment is given once for
//! each; but not where that would lock the token.

use std::env;
use std::io::{self, BufReader};
use std::process::ExitCode;
use std::sync::Arc;

use polyseal_file::age::plugin_program::{Conversation, run};
use polyseal_kms::{Plugin, Settings};

fn main() -> ExitCode {
    let machine = env::args().find_map(|arg| arg.strip_prefix("--age-plugin=").map(str::to_owned));
    let Some(machine) = machine else {
        eprintln!("age starts this program; polyseal keygen --kms URI makes identities for it");
        return ExitCode::from(2);
    };
    let conversation = Conversation::new(BufReader::new(io::stdin()), io::stdout());
    let user = conversation.clone();
    let settings =
        Settings::from_environment().ask_with(move |question| user.request_secret(question));
    match run(&machine, Arc::new(Plugin::new(settings)), &conversation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("age-plugin-polyseal-kms: {error}");
            ExitCode::FAILURE
        }
    }
}
