//! The command line. Nothing is opened or decided here.

mod keys;
mod sign;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Parser, Subcommand};
use polyseal::limits::bounds::Amount;
use polyseal::needs::Need;

use self::keys::KEYGEN_EXAMPLES;
pub(crate) use self::keys::{KeyKind, KeygenArgs, KeygenKmsArgs, KmsCommand, KmsFiles};
use self::sign::SIGN_EXAMPLES;
pub(crate) use self::sign::{SignArgs, SignerArgs};
use crate::amount::{self, count_from_one};

/// Encrypt files at the speed of memory, and refuse altered ones.
#[derive(Debug, Parser)]
#[command(name = "polyseal", bin_name = "polyseal", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 I/O error, 2 wrong usage, 3 not authentic or \
                        damaged, 4 no matching key, passphrase or context, 6 a file is in a tree \
                        and not of it. If several files fail, the first of 3, 4, 6, 1, 2 that \
                        occurred.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
// To build the options of every command takes longer than to seal a small file. So they come last,
// and a `///` on a struct of options would be the command's help.
#[command(defer = true)]
pub(crate) enum Command {
    /// Encrypt files or standard input
    #[command(short_flag = 'e', after_help = ENCRYPT_EXAMPLES)]
    #[command(override_usage = "polyseal encrypt [OPTIONS] [FILE]...")]
    Encrypt(EncryptArgs),
    /// Decrypt files or standard input, of Polyseal or age
    #[command(short_flag = 'd', after_help = DECRYPT_EXAMPLES)]
    #[command(override_usage = "polyseal decrypt [OPTIONS] [FILE]...")]
    Decrypt(DecryptArgs),
    /// Check that files are whole and authentic, and write nothing
    Verify(VerifyFilesArgs),
    /// List an encrypted tree
    #[command(after_help = LS_EXAMPLES)]
    Ls(LsArgs),
    /// Print a part of a file without decrypting the rest
    Cat(CatArgs),
    /// Show encrypted files decrypted, in a directory, until you unmount it
    #[cfg(feature = "mount")]
    #[command(after_help = MOUNT_EXAMPLES)]
    Mount(MountArgs),
    /// Change who can open a file
    #[command(after_help = REKEY_EXAMPLES)]
    Rekey(RekeyArgs),
    /// Make a key file, or an age identity and print its recipient
    #[command(after_help = KEYGEN_EXAMPLES)]
    Keygen(KeygenArgs),
    /// Check or renew keys that a KMS, a token, a TPM or a keyring keeps
    #[command(subcommand)]
    Kms(KmsCommand),
    /// Sign encrypted files: a statement beside each says that it is yours
    #[command(after_help = SIGN_EXAMPLES)]
    Sign(SignArgs),
    /// Show an encrypted file's header, without a key
    Inspect(InspectArgs),
    /// List the algorithms
    Suites(SuitesArgs),
    /// Print how likely an accident is, and how many messages a key may seal
    #[command(after_help = LIMITS_EXAMPLES)]
    Limits(LimitsArgs),
    /// Seal, open or authenticate one raw message, for tests and protocols
    #[command(subcommand)]
    Aead(AeadCommand),
    /// Encipher or decipher without authenticated encryption, for experts
    #[cfg(feature = "flex")]
    #[command(subcommand)]
    Hazmat(HazmatCommand),
    /// Check test vectors in the Wycheproof AEAD schema
    Vectors(VectorsArgs),
    /// Run known answers on every algorithm and back end
    Selftest,
    /// Measure the algorithms on this machine
    #[cfg(feature = "bench")]
    Bench(BenchArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Show the manual page of a command, or write those of all
    Man(ManArgs),
}

/// Measure the algorithms on this machine
#[cfg(feature = "bench")]
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) options: polyseal_bench::Options,
    /// Measure what the papers claim, on every back end, into DIR/measured.jsonl: some ten minutes
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["suites", "operations", "backends", "json"]
    )]
    pub(crate) report: Option<PathBuf>,
    /// For a report: fewer and shorter rounds, for a first look
    #[arg(long, conflicts_with_all = ["rounds", "slice"])]
    pub(crate) quick: bool,
    /// One back end of a report
    #[arg(long = "paper", value_enum, hide = true)]
    pub(crate) papers: Vec<polyseal_bench::papers::Paper>,
}

const ENCRYPT_EXAMPLES: &str = "Examples:
  polyseal encrypt -p -o notes.polyseal notes.txt            with a passphrase
  polyseal encrypt -r age1… -o notes.polyseal notes.txt      for the owner of that identity
  polyseal encrypt -k backup.key photos.tar notes.txt        photos.tar.polyseal, notes.txt.polyseal
  tar c photos | polyseal encrypt -k backup.key -o photos.tar.polyseal
  polyseal encrypt -k backup.key --recursive -o sealed photos        the whole tree
  polyseal encrypt -k backup.key --recursive --update -o sealed photos    what has changed since
  find . -name '*.txt' -print0 | polyseal encrypt -k backup.key -0 --files-from - -o sealed
  polyseal encrypt --format age -r age1… -o notes.age notes.txt      for whoever has age";

const DECRYPT_EXAMPLES: &str = "Examples:
  polyseal decrypt -o notes.txt notes.polyseal               asks for the passphrase, if it has one
  polyseal decrypt -i my.identity -o notes.txt notes.polyseal
  polyseal decrypt -k backup.key photos.tar.polyseal | tar x
  polyseal decrypt -k backup.key --recursive -o photos sealed        the whole tree
  polyseal decrypt -k backup.key --recursive -o photos sealed 2026/05 'raw/**'    some of it
  polyseal decrypt -i my.identity -o notes.txt notes.age";

const LS_EXAMPLES: &str = "Examples:
  polyseal ls -k backup.key sealed                           every entry: mode, size, time, path
  polyseal ls -k backup.key sealed docs 'photos/2026/**'     some of them
  polyseal ls -k backup.key --json s3://backups/album        a line of JSON for each";

const LIMITS_EXAMPLES: &str =
    "Numbers are 1000, 10^6 or 2^32; bytes may have B, KiB, MiB, GiB or TiB. Formulas have u keys,
q messages of L blocks of 16 bytes (s in all), v forgeries, B blocks under one key, o calls.
The exit code is 0 for every answer: \"within\" in the JSON says whether it is too much.

Examples:
  polyseal limits aegis-256x2 --messages 2^64 --size 64KiB
  polyseal limits kc-xaes-256-gcm --messages 2^64 --size 64KiB --keys 2^20
  polyseal limits aegis-128l --messages 10^9 --size 1500 --keys 10^6 --nonces counted";

#[cfg(feature = "mount")]
const MOUNT_EXAMPLES: &str = "Examples:
  polyseal mount -k backup.key sealed/ /mnt/plain            every file below, when it is read
  polyseal mount -p disk.img.polyseal /mnt/plain             /mnt/plain/disk.img
  polyseal mount -k backup.key s3://backups/2026/ /mnt/plain the objects of a prefix";

const REKEY_EXAMPLES: &str =
    "Each file is replaced in one step. If a run was interrupted, run it again: files that the new
key file or passphrase already opens are reported and skipped. With age recipients the tool cannot
see that, unless you also give one of their identities, with -i.

Examples:
  polyseal rekey --keep -k backup.key -r age1… FILE          one more person can open it
  polyseal rekey -k old.key --to-key new.key FILE            replace who can open it
  polyseal rekey --new-key -k old.key --to-key new.key FILE  and shut out the others for good
  polyseal rekey -k old.key --to-key new.key --recursive DIR  a whole sealed tree
  polyseal rekey -k old.key --to-key new.key --recursive --in-place DIR  the same, without copying
  polyseal rekey --new-key -k old.key --to-key new.key --recursive -o OUT DIR  into a new tree
  polyseal rekey --restore --recursive DIR  undo an interrupted --in-place
  find DIR -name '*.polyseal' | polyseal rekey -k old.key --to-key new.key --files-from -";

// Where the result goes.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to OUT; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace OUT if it exists, in one step, after everything has succeeded
    #[arg(short, long)]
    pub(crate) force: bool,
}

// The options with which a file is opened.
#[derive(Debug, clap::Args)]
pub(crate) struct OpenArgs {
    /// Open with this key file; can be repeated [env: POLYSEAL_KEY_FILE]
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: Vec<PathBuf>,
    /// Open with the age identities or the private SSH key in this file; can be repeated [env:
    /// POLYSEAL_IDENTITY_FILE]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) identity: Vec<PathBuf>,
    /// Read the passphrase from this file descriptor: one line [env: POLYSEAL_PASSPHRASE_FILE,
    /// which names a file]
    #[arg(long, value_name = "FD")]
    pub(crate) passphrase_fd: Option<u32>,
    /// Its first line is the passphrase. Only a variable names it.
    #[arg(skip)]
    pub(crate) passphrase_file: Option<PathBuf>,
}

// The options that say who can open a file.
#[derive(Debug, clap::Args)]
pub(crate) struct RecipientArgs {
    /// Encrypt to this recipient: age1…, ssh-ed25519 … or ssh-rsa …; can be repeated
    #[arg(short, long, value_name = "RECIPIENT")]
    pub(crate) recipient: Vec<String>,
    /// Encrypt to the recipients in this file, one per line; can be repeated. An SSH key of an
    /// unsupported kind is an error, unless you give --skip-unsupported
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) recipients_file: Vec<PathBuf>,
    /// Skip SSH keys of unsupported kinds, such as ecdsa and sk, and warn of each; for lists such
    /// as https://github.com/NAME.keys
    #[arg(long, requires = "recipients_file")]
    pub(crate) skip_unsupported: bool,
    /// Encrypt with a passphrase; the tool asks for it
    #[arg(short, long)]
    pub(crate) passphrase: bool,
}

// A passphrase that is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct AskArgs {
    /// Ask for the passphrase. By default the tool asks if a file has one and you give no key
    #[arg(short, long, conflicts_with = "passphrase_fd")]
    pub(crate) passphrase: bool,
}

// The context of a file.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    /// Bind the file to this text, such as its name. It is not secret; opening needs the same text
    #[arg(long, value_name = "TEXT")]
    pub(crate) context: Option<String>,
}

// The options with which the contents of a file are read.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) open: OpenArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    /// Read the header from this file; FILE then has the payload alone
    #[arg(long, value_name = "FILE", conflicts_with = "signers")]
    pub(crate) header: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) signers: SignerArgs,
}

// The options on threads.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// Use at most this many threads
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

// Many files in one run.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Many files")]
pub(crate) struct ManyArgs {
    /// Process a whole directory tree, or all objects under a prefix
    #[arg(long, conflicts_with = "files_from")]
    pub(crate) recursive: bool,
    /// Process the files listed in this file, one per line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Names in the list end with NUL, as from find -print0
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// Skip names (or, with a slash, paths) that match GLOB, and everything below them; can be
    /// repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Process N files at a time. With a passphrase each needs 64 MiB [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Print a line of JSON for each file
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UnboundArgs {
    /// Accept a tree whose manifest is of version 1. It does not bind the contents of files:
    /// anyone who can open a file may have replaced its contents
    #[arg(long, requires = "recursive")]
    pub(crate) allow_unbound_contents: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    pub(crate) recipients: RecipientArgs,
    /// Encrypt with this key file; can be repeated [env: POLYSEAL_KEY_FILE]
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: Vec<PathBuf>,
    /// Encrypt to the recipients of the identities in this file; can be repeated [env:
    /// POLYSEAL_IDENTITY_FILE]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) identity: Vec<PathBuf>,
    /// Read the passphrase from this file descriptor: one line [env: POLYSEAL_PASSPHRASE_FILE,
    /// which names a file]
    #[arg(long, value_name = "FD", conflicts_with = "passphrase")]
    pub(crate) passphrase_fd: Option<u32>,
    /// Its first line is the passphrase. Only a variable names it.
    #[arg(skip)]
    pub(crate) passphrase_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    /// Sign the encrypted file with this private SSH key; the statement goes to OUT.sig, that of
    /// a tree into the tree
    #[arg(long, value_name = "KEY", conflicts_with_all = ["header", "armor"])]
    pub(crate) sign: Option<PathBuf>,
    /// Write the statement to this file
    #[arg(long, value_name = "OUT", requires = "sign")]
    pub(crate) signature: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Write ASCII armour
    #[arg(short, long)]
    pub(crate) armor: bool,
    /// Write the header to this new file, and the payload alone to OUT. Opening needs both
    #[arg(long, value_name = "FILE", conflicts_with = "armor")]
    pub(crate) header: Option<PathBuf>,
    /// Write this format. `age` takes recipients or a passphrase, and no other option under this
    /// heading
    #[arg(long, help_heading = "Format", value_name = "FORMAT", default_value = "polyseal")]
    pub(crate) format: Format,
    #[arg(short, long, help_heading = "Format")]
    #[arg(help = default("Encrypt with this suite", polyseal_file::DEFAULT_SUITE))]
    pub(crate) suite: Option<String>,
    /// Encrypt with the fastest suite, on this machine, that meets all of these needs
    #[arg(long, help_heading = "Format", conflicts_with = "suite")]
    #[arg(value_name = "NEED,…", value_delimiter = ',', value_parser = need())]
    pub(crate) need: Vec<Need>,
    #[arg(long, help_heading = "Format", conflicts_with_all = ["suite", "need"])]
    #[arg(help = format!(
        "Encrypt for whatever reads Polyseal's files, a browser too: with {}",
        polyseal_file::PORTABLE_SUITE,
    ))]
    pub(crate) portable: bool,
    #[arg(long, help_heading = "Format", value_name = "BYTES", value_parser = amount::bytes)]
    #[arg(help = default("Segment size: a power of two from 4KiB to 16MiB", "64KiB"))]
    pub(crate) segment_size: Option<u64>,
    #[arg(long, help_heading = "Format", value_name = "BYTES", value_parser = amount::bytes)]
    #[arg(help = default(
        "Reserve this much for the header, 4KiB to 64KiB, so that rekey can add recipients \
         later",
        "4KiB",
    ))]
    pub(crate) header_size: Option<u64>,
    /// Encrypt only what has changed since the last run, and delete from OUT what is gone here. The
    /// first run encrypts everything, and a run that was interrupted is finished by the next. With
    /// recipients alone, a state file remembers the last run
    #[arg(long, requires = "recursive", conflicts_with = "force", help_heading = "Updates")]
    pub(crate) update: bool,
    /// Remember the last run in this file. If it is lost, everything is encrypted anew [default: a
    /// file for each OUT in $XDG_STATE_HOME/polyseal or ~/.local/state/polyseal]
    #[arg(long, requires = "update", value_name = "FILE", help_heading = "Updates")]
    pub(crate) state: Option<PathBuf>,
    /// Keep in OUT what has been deleted here: decrypt --deleted restores it
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) keep_deleted: bool,
    /// Compare contents, instead of sizes and times. This takes a key or an identity that opens OUT
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) checksum: bool,
    /// Accept a source that has no file at all. Without this option it is refused, because it may
    /// just not be mounted
    #[arg(long, requires = "update", help_heading = "Updates")]
    pub(crate) allow_empty: bool,
    /// Accept that a file grows while it is read, as a log does: its first length is encrypted.
    /// Without this option such a file is an error, and the output is kept
    #[arg(long)]
    pub(crate) allow_changed: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Files to encrypt; `-` or none: standard input. One file goes to OUT or standard output;
    /// several go to FILE.polyseal (or FILE.age) each, in OUT if that is a directory or a prefix
    /// such as s3://bucket/prefix/
    #[arg(value_name = "FILE", conflicts_with = "files_from")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Polyseal,
    Age,
}

/// Help that names a default which can be told from the same value given.
fn default(help: &str, value: &str) -> String {
    format!("{help} [default: {value}]")
}

#[derive(Debug, clap::Args)]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Restore the permissions that the files of a tree had, whatever the umask says
    #[arg(long, requires = "recursive")]
    pub(crate) preserve_permissions: bool,
    /// Go on with an interrupted run: files in OUT whose contents are right stay, and all others
    /// are replaced
    #[arg(long, requires = "recursive")]
    pub(crate) resume: bool,
    /// Also restore what has been deleted, as far as encrypt --keep-deleted has kept it
    #[arg(long, requires = "recursive")]
    pub(crate) deleted: bool,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    #[command(flatten)]
    pub(crate) unbound: UnboundArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Files to decrypt; `-` or none: standard input. One file goes to OUT or standard output;
    /// several go to their names without .polyseal or .age, in OUT if that is a directory or a
    /// prefix. With --recursive: a tree, and the paths or patterns in it to restore; none: all
    #[arg(value_name = "FILE", conflicts_with = "files_from")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyFilesArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    #[command(flatten)]
    pub(crate) unbound: UnboundArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Print failures only
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Files to check; `-` or none: standard input. With --recursive: a tree, and the paths or
    /// patterns in it to check; none: all
    #[arg(value_name = "FILE", conflicts_with = "files_from")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
}

// The options of reading a tree.
#[derive(Debug, clap::Args)]
pub(crate) struct TreeArgs {
    /// Refuse a tree with a smaller number: an older one that somebody has put back. `polyseal ls`
    /// prints the number of a tree
    #[arg(long, requires = "recursive", value_name = "NUMBER")]
    pub(crate) at_least: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LsArgs {
    #[command(flatten)]
    pub(crate) open: OpenArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    #[command(flatten)]
    pub(crate) signers: SignerArgs,
    /// Accept a tree whose manifest is of version 1
    #[arg(long)]
    pub(crate) allow_unbound_contents: bool,
    /// Print a line of JSON for each entry
    #[arg(long)]
    pub(crate) json: bool,
    /// The directory or prefix of the tree
    pub(crate) tree: PathBuf,
    /// Paths of files and directories to list, or patterns such as 'photos/**'; none: all
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CatArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print bytes A to B, inclusive, counted from 0; `A-`: from A to the end; `-N`: the last N
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, default_value = "0-")]
    pub(crate) range: RangeArg,
    /// FILE is a path in this encrypted tree, and must be the file that the tree's manifest names
    #[arg(long = "in", value_name = "TREE", conflicts_with = "header")]
    pub(crate) tree: Option<PathBuf>,
    /// The encrypted file. It must be a regular file or an object, because its end is read first
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("how").args(["output", "in_place", "restore"]))]
pub(crate) struct RekeyArgs {
    #[command(flatten)]
    pub(crate) open: OpenArgs,
    #[command(flatten)]
    pub(crate) recipients: RecipientArgs,
    /// Let this key file open the file from now on; can be repeated
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) to_key: Vec<PathBuf>,
    /// Read the new passphrase from this file descriptor
    #[arg(long, value_name = "FD", conflicts_with = "passphrase")]
    pub(crate) new_passphrase_fd: Option<u32>,
    /// Keep everyone who can open the file now
    #[arg(long, conflicts_with = "new_key")]
    pub(crate) keep: bool,
    /// Encrypt the contents again, under a new key: nobody who could open the old file can open the
    /// new one
    #[arg(long, conflicts_with_all = ["in_place", "keep"])]
    pub(crate) new_key: bool,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    #[command(flatten)]
    pub(crate) unbound: UnboundArgs,
    /// Read every file of a tree, and write a manifest that binds their contents, for the
    /// recipients you name. The files do not change
    #[arg(long, requires = "recursive", conflicts_with_all = [
        "keep", "new_key", "in_place", "restore", "header", "output",
    ])]
    pub(crate) bind_contents: bool,
    /// Overwrite the header inside the file, after saving a copy of the old one
    #[arg(long, conflicts_with = "header")]
    pub(crate) in_place: bool,
    /// Put back the saved header, FILE.header-backup, of an interrupted --in-place
    #[arg(long, conflicts_with_all = [
        "recipient", "recipients_file", "passphrase", "to_key", "new_passphrase_fd", "keep",
        "new_key", "context", "threads", "header",
    ])]
    pub(crate) restore: bool,
    /// Replace the header in HEADER, a file of its own. FILE, the payload, is optional: the tool
    /// only checks that it belongs to the header, and never writes to it
    #[arg(long, value_name = "HEADER", conflicts_with = "new_key")]
    pub(crate) header: Option<PathBuf>,
    /// Write to OUT and keep FILE, or HEADER; with --new-key --recursive OUT is a new directory
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// The encrypted files; with --recursive, the directory or prefix of a sealed tree
    #[arg(required_unless_present_any = ["header", "files_from"], conflicts_with = "files_from")]
    pub(crate) file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
}

#[cfg(feature = "mount")]
#[derive(Debug, clap::Args)]
pub(crate) struct MountArgs {
    #[command(flatten)]
    pub(crate) open: OpenArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) context: ContextArgs,
    #[command(flatten)]
    pub(crate) signers: SignerArgs,
    /// An encrypted file or a directory of them; an object or a prefix
    pub(crate) source: PathBuf,
    /// An empty directory
    pub(crate) mountpoint: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the header in this file of its own; FILE is then optional
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Option<PathBuf>,
    /// The file; `-` is standard input
    #[arg(required_unless_present = "header")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SuitesArgs {
    /// Print everything about these algorithms
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Also list what is here for comparison with the papers only
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// List only algorithms that meet all of these needs
    #[arg(long, value_name = "NEED,…", value_delimiter = ',', value_parser = need())]
    pub(crate) need: Vec<Need>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LimitsArgs {
    /// The algorithm, as `polyseal suites` lists it, such as aegis-128l or aegis-128l:tag=32
    #[arg(value_name = "ID")]
    pub(crate) suite: String,
    /// Messages that each key seals
    #[arg(long, value_name = "NUMBER", value_parser = count_from_one, allow_hyphen_values = true)]
    pub(crate) messages: Amount,
    /// Bytes in each message
    #[arg(long, value_name = "BYTES", value_parser = amount::bytes, allow_hyphen_values = true)]
    pub(crate) size: u64,
    /// Bytes of associated data with each message
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    #[arg(value_name = "BYTES", value_parser = amount::bytes)]
    pub(crate) ad: u64,
    /// Number of keys used like this
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    #[arg(value_name = "NUMBER", value_parser = count_from_one)]
    pub(crate) keys: Amount,
    /// How the nonces are made
    #[arg(long, value_name = "HOW", default_value = "random")]
    pub(crate) nonces: NonceKind,
    /// Forgeries that each key refuses
    #[arg(long, default_value = "2^32", allow_hyphen_values = true)]
    #[arg(value_name = "NUMBER", value_parser = str::parse::<Amount>)]
    pub(crate) forgeries: Amount,
    /// Block cipher calls that an adversary can afford
    #[arg(long, default_value = "2^80", allow_hyphen_values = true)]
    #[arg(value_name = "NUMBER", value_parser = str::parse::<Amount>)]
    pub(crate) work: Amount,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How nonces are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NonceKind {
    /// Drawn at random, so that two may be the same
    Random,
    /// Never the same, as from a counter, in whatever bytes it stands
    Counted,
    /// Never the same, and the counter is in the bytes that a key is derived from, in front
    CountedFirst,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// A shell that completions can be made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The page of this command; without one, the page of them all
    #[arg(conflicts_with = "output")]
    pub(crate) command: Vec<String>,
    /// Write a page for every command into this directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace pages that exist
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum AeadCommand {
    /// Encrypt a message: the output is the ciphertext, then the tag
    Seal(RawArgs),
    /// Decrypt the output of `seal`; writes nothing unless all of it is authentic
    Open(RawArgs),
    /// Print the tag of a message, in hexadecimal, with a MAC
    Tag(TagArgs),
    /// Accept or refuse the tag of a message
    Verify(VerifyArgs),
}

// The algorithm and its key.
#[derive(Debug, clap::Args)]
pub(crate) struct AlgorithmArgs {
    /// The algorithm, as `polyseal suites` lists it, such as aegis-128l or aegis-128l:tag=32
    #[arg(short, long, value_name = "ID")]
    pub(crate) suite: String,
    /// Choose a size in bytes or a parameter: tag=32, degree=8, cfg=0100012018000000
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    #[command(flatten)]
    pub(crate) input: RawInputArgs,
}

// A key, a nonce and a message.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("key_source").required(true))]
pub(crate) struct RawInputArgs {
    /// Read the key from this file: exactly its bytes, or one line of hexadecimal digits
    #[arg(long, value_name = "FILE", group = "key_source")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key in hexadecimal. Every user of this machine can see it
    #[arg(long, value_name = "HEX", group = "key_source")]
    pub(crate) key: Option<String>,
    /// The nonce in hexadecimal. Without it, encryption draws a random one and prints it on
    /// standard error; decryption prints the one that is hidden in the ciphertext
    #[arg(long, value_name = "HEX")]
    pub(crate) nonce: Option<String>,
    /// Read the message from this file; `-` or nothing is standard input
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RawArgs {
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,
    #[command(flatten)]
    pub(crate) context: RawContextArgs,
}

// The context of a raw message, and where the result goes.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("ad_source"))]
pub(crate) struct RawContextArgs {
    /// The associated data in hexadecimal
    #[arg(long, value_name = "HEX", group = "ad_source")]
    pub(crate) ad: Option<String>,
    /// Read the associated data from this file
    #[arg(long, value_name = "FILE", group = "ad_source")]
    pub(crate) ad_file: Option<PathBuf>,
    /// The setup associated data in hexadecimal, with Flex: what the key is for
    #[arg(long, value_name = "HEX")]
    pub(crate) setup_ad: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TagArgs {
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,
    /// The tag in hexadecimal
    #[arg(long, value_name = "HEX")]
    pub(crate) tag: String,
}

#[cfg(feature = "flex")]
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum HazmatCommand {
    /// Encipher a message with a wide-block cipher
    #[command(after_help = WIDE_BLOCKS)]
    Encipher(WideBlockArgs),
    /// Decipher what `encipher` gave
    #[command(after_help = WIDE_BLOCKS)]
    Decipher(WideBlockArgs),
}

/// The guarantees that the ciphers do not give.
#[cfg(feature = "flex")]
const WIDE_BLOCKS: &str = "\
Ciphers:
  wide-block-robust-no-commitment
          16 bytes longer than the message. No commitment: whoever knows two keys can make a
          ciphertext that opens under both
  wide-block-length-preserving-no-authenticity
          As long as the message. No authenticity: every ciphertext opens, to something. No
          commitment
  wide-block-no-commitment:cfg=HEX, wide-block-no-authenticity:cfg=HEX
          Any other configuration of Flex's ROBUST without its tag, in 16 hexadecimal digits, with
          and without a stretch. With a stretch of N bytes, one of 2^(8 N) altered ciphertexts is
          accepted. Behind it `,allow-64-bit=1` allows profiles of the 64-bit level";

#[cfg(feature = "flex")]
#[derive(Debug, clap::Args)]
pub(crate) struct WideBlockArgs {
    /// The cipher, by its name, which says what it does not give
    #[arg(short, long, value_name = "NAME")]
    pub(crate) cipher: String,
    /// The length of the key in a key file, 16 to 1024 bytes
    #[arg(long, value_name = "BYTES", default_value_t = 32)]
    #[arg(value_parser = clap::value_parser!(u16).range(16..=1024))]
    pub(crate) key_bytes: u16,
    #[command(flatten)]
    pub(crate) input: RawInputArgs,
    #[command(flatten)]
    pub(crate) context: RawContextArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VectorsArgs {
    /// JSON files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Some bytes of a plaintext, as they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeArg {
    /// From the first to the last, included; or to the end.
    From(u64, Option<u64>),
    /// So many at the end.
    Last(u64),
}

impl FromStr for RangeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').ok_or("use A-B, A- or -N")?;
        // parse alone would take a sign.
        if !from.bytes().chain(to.bytes()).all(|b| b.is_ascii_digit()) {
            return Err("use A-B, A- or -N, with numbers of bytes".to_owned());
        }
        match (from, to) {
            ("", "") => Err("use A-B, A- or -N".to_owned()),
            ("", last) => Ok(Self::Last(bytes(last)?)),
            (from, "") => Ok(Self::From(bytes(from)?, None)),
            (from, to) => match (bytes(from)?, bytes(to)?) {
                (from, to) if from <= to => Ok(Self::From(from, Some(to))),
                _ => Err("it ends before it begins".to_owned()),
            },
        }
    }
}

fn bytes(digits: &str) -> Result<u64, String> {
    digits.parse().map_err(|_| "too large".to_owned())
}

/// A need by its name; help lists them all.
fn need() -> impl TypedValueParser<Value = Need> {
    let values = Need::ALL.iter().map(|n| PossibleValue::new(n.name()).help(n.description()));
    // A need that no AEAD meets has an answer of its own.
    let no_aead = PossibleValue::new("length-preserving").hide(true);
    // clap refuses other values before.
    PossibleValuesParser::new(values.chain([no_aead])).try_map(|name| name.parse::<Need>())
}

/// The commands that come with a feature of this crate.
const WITH_FEATURES: [(&str, bool); 3] = [
    ("bench", cfg!(feature = "bench")),
    ("hazmat", cfg!(feature = "flex")),
    ("mount", cfg!(feature = "mount")),
];

/// The message on a command that this tool was built without.
pub(crate) fn not_built(command: &str) -> Option<String> {
    let (name, _) = WITH_FEATURES.iter().find(|(its, built)| *its == command && !built)?;
    let feature = if *name == "hazmat" { "flex" } else { name };
    Some(format!("this tool was built without {name} (hint: build it with --features {feature})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn the_options_of_a_command_do_not_change_what_is_said_of_it() {
        fn compare(listed: &clap::Command, built: &clap::Command) {
            let said = |it: &clap::Command| it.get_about().unwrap().to_string();
            assert_eq!(said(built), said(listed));
            for listed in listed.get_subcommands() {
                let built = built.find_subcommand(listed.get_name()).unwrap();
                assert!(built.get_long_about().is_none(), "{}", listed.get_name());
                compare(listed, built);
            }
        }
        let command = <Args as clap::CommandFactory>::command();
        let mut built = command.clone();
        built.build();
        compare(&command, &built);
    }

    #[test]
    fn ranges() {
        let range = |text: &str| text.parse::<RangeArg>();
        assert_eq!(range("0-0"), Ok(RangeArg::From(0, Some(0))));
        assert_eq!(range("5-"), Ok(RangeArg::From(5, None)));
        assert_eq!(range("-5"), Ok(RangeArg::Last(5)));
        for bad in ["", "-", "5", "5-4", "a-b", "1-2-3", "--5", "+1-2", "18446744073709551616-"] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
