//! The options of signatures.

use std::path::PathBuf;

use super::{AskArgs, ContextArgs, OpenArgs};

pub(super) const SIGN_EXAMPLES: &str = "Examples:
  polyseal encrypt -k backup.key --sign ~/.ssh/id_ed25519 report.pdf -o report.polyseal
  polyseal sign -s ~/.ssh/id_ed25519 -k backup.key report.polyseal
  polyseal sign -s ~/.ssh/id_ed25519 -k backup.key --recursive sealed
  polyseal decrypt -k backup.key --signers allowed_signers report.polyseal -o report.pdf
  polyseal verify --signers allowed_signers --by alice@example.org report.polyseal";

// The signatures that are asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct SignerArgs {
    /// Refuse a file or a tree without a statement that one of these has signed: a list as
    /// ssh-keygen -Y verify reads it
    #[arg(long, value_name = "ALLOWED_SIGNERS", help_heading = "Signatures")]
    pub(crate) signers: Option<PathBuf>,
    /// Accept this signer of the list alone
    #[arg(long, value_name = "NAME", requires = "signers", help_heading = "Signatures")]
    pub(crate) by: Option<String>,
    /// Read the statement from this file [default: FILE.sig]
    #[arg(long, value_name = "FILE", requires = "signers", help_heading = "Signatures")]
    pub(crate) signature: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SignArgs {
    /// Sign with this private SSH key; with one that has a passphrase, or a public key whose
    /// private one an agent or a token has, ssh-keygen signs
    #[arg(short, long, value_name = "KEY")]
    pub(crate) sign: PathBuf,
    #[command(flatten)]
    pub(crate) open: OpenArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    /// Sign the encrypted tree in the directory or prefix FILE, with all of its files
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Write the statement to this file [default: FILE.sig]
    #[arg(long, value_name = "OUT")]
    pub(crate) signature: Option<PathBuf>,
    /// Replace a statement that is there
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Encrypted files. With a key that opens them, a statement stays valid when a file gets other
    /// recipients; without one, it is about this header alone
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}
