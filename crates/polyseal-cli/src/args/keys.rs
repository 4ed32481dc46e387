//! Arguments of the commands that make keys, or manage those that live elsewhere.

use std::path::PathBuf;

use clap::Subcommand;

pub(super) const KEYGEN_EXAMPLES: &str = "Examples:
  polyseal keygen -o backup.key
  polyseal keygen -t hybrid -o alice.identity > alice.recipient
  polyseal keygen -y alice.identity                          the recipient of an identity
  polyseal keygen --kms aws-kms://alias/backup --also age1… -o team.wrapped
  polyseal keygen --kms 'pkcs11:token=ops;object=restore' --only -o ops.identity > ops.recipient";

#[derive(Debug, clap::Args)]
pub(crate) struct KeygenArgs {
    /// Write the key to this file; `-` is standard output. An existing file is never replaced
    #[arg(short, long, value_name = "KEYFILE", required_unless_present = "identity")]
    pub(crate) output: Option<PathBuf>,
    /// Make nothing, and print the recipients of the identities in this file: those of age, or a
    /// private SSH key
    #[arg(short = 'y', long = "recipient-of", value_name = "IDENTITY")]
    #[arg(conflicts_with_all = ["kind", "uri"])]
    pub(crate) identity: Option<PathBuf>,
    /// Make a key file, which encrypts and decrypts; or an age identity, to whose recipient others
    /// encrypt: X25519, or a hybrid with the post-quantum ML-KEM-768; or with --kms an identity
    /// whose private key the keeper has. The default is key-file, or key-pair for a token
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<KeyKind>,
    #[command(flatten)]
    pub(crate) kms: KeygenKmsArgs,
}

// A key that is kept elsewhere.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Keys that live elsewhere")]
pub(crate) struct KeygenKmsArgs {
    /// Let this key wrap the new one, or be the new one: aws-kms://, gcp-kms://, azure-kv://,
    /// hcvault://, pkcs11:, tpm: or secret-service:
    #[arg(long = "kms", value_name = "URI")]
    pub(crate) uri: Option<String>,
    /// Bind the wrapped key to this pair, which is no secret; several are bound together
    #[arg(long = "kms-context", value_name = "NAME=VALUE", requires = "uri")]
    pub(crate) context: Vec<String>,
    /// A second recipient, if the keeper loses its key: the wrapped key is also encrypted to it,
    /// into KEYFILE.backup; or it is printed beside the key pair's
    #[arg(long, value_name = "RECIPIENT", requires = "uri", conflicts_with = "only")]
    pub(crate) also: Vec<String>,
    /// Nobody but the keeper: what is encrypted is lost with its key
    #[arg(long, requires = "uri")]
    pub(crate) only: bool,
}

// Commands on keys that live elsewhere.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum KmsCommand {
    /// See whether the keeper still unwraps or derives, with one call for a file
    Check(KmsFiles),
    /// Wrap keys again with the newest version of their keepers' keys; no encrypted file is read
    Rewrap(KmsFiles),
}

#[derive(Debug, clap::Args)]
pub(crate) struct KmsFiles {
    /// Wrapped key files; to check, also identity files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// The kinds of keys that `keygen` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum KeyKind {
    KeyFile,
    X25519,
    #[value(alias = "pq")]
    Hybrid,
    KeyPair,
}
