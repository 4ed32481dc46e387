//! The command line: what can be asked for. Nothing is opened or decided here.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand};

/// Encrypt files at the speed of memory, and refuse altered ones.
#[derive(Debug, Parser)]
#[command(name = "polyseal", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 I/O, 2 usage, 3 authentication or corruption, \
                        4 no matching key.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Encrypt a file or standard input
    Encrypt(EncryptArgs),
    /// Decrypt a file or standard input
    Decrypt(DecryptArgs),
    /// Make a key file
    Keygen(KeygenArgs),
    /// Show what an encrypted file says of itself, without a key
    Inspect(InspectArgs),
    /// List the algorithms
    Suites(SuitesArgs),
    /// Seal, open or authenticate one raw message, for tests and protocols
    Aead(AeadArgs),
    /// Check test vectors in the Wycheproof AEAD schema
    Vectors(VectorsArgs),
    /// Run known answers on every algorithm and back end
    Selftest,
    /// Measure the algorithms on this machine
    Bench(polyseal_bench::Options),
}

/// Where the result goes.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write here; `-` is standard output, also if it is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace OUT if it exists, in one step and only when all is done
    #[arg(short, long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// The key file
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Use at most this many threads
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Read this file; `-` or nothing is standard input
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    pub(crate) common: FileArgs,
    /// Encrypt with this suite
    #[arg(short, long, default_value = polyseal_file::DEFAULT_SUITE)]
    pub(crate) suite: String,
    /// Bytes in a segment: a power of two from 4KiB to 16MiB
    #[arg(long, value_name = "BYTES", default_value = "64KiB", value_parser = bytes)]
    pub(crate) segment_size: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    pub(crate) common: FileArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct KeygenArgs {
    /// Write the key here; `-` is standard output. An existing file is never replaced
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SuitesArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AeadArgs {
    #[command(subcommand)]
    pub(crate) command: AeadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AeadCommand {
    /// Encrypt a message: the output is the ciphertext, then the tag
    Seal(RawArgs),
    /// Decrypt what `seal` gave; nothing is written unless all of it is authentic
    Open(RawArgs),
    /// Print the tag of a message, in hexadecimal, with a MAC
    Tag(TagArgs),
    /// Accept or refuse the tag of a message
    Verify(VerifyArgs),
}

/// The algorithm and its key.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("key_source").required(true))]
pub(crate) struct AlgorithmArgs {
    /// The algorithm, as `polyseal suites` lists it, such as aegis-128l or aegis-128l:tag=32
    #[arg(short, long, value_name = "ID")]
    pub(crate) suite: String,
    /// Choose a size in bytes or a parameter: tag=32, degree=8
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    /// Read the key from this file: exactly its bytes, or one line of hexadecimal digits
    #[arg(long, value_name = "FILE", group = "key_source")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key in hexadecimal: everyone on this machine can see it
    #[arg(long, value_name = "HEX", group = "key_source")]
    pub(crate) key: Option<String>,
    /// The nonce in hexadecimal. To seal without one draws a random one and prints it on
    /// standard error
    #[arg(long, value_name = "HEX")]
    pub(crate) nonce: Option<String>,
    /// Read the message from this file; `-` or nothing is standard input
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("ad_source"))]
pub(crate) struct RawArgs {
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,
    /// The associated data in hexadecimal
    #[arg(long, value_name = "HEX", group = "ad_source")]
    pub(crate) ad: Option<String>,
    /// Read the associated data from this file
    #[arg(long, value_name = "FILE", group = "ad_source")]
    pub(crate) ad_file: Option<PathBuf>,
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

#[derive(Debug, clap::Args)]
pub(crate) struct VectorsArgs {
    /// JSON files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// A number of bytes, with `K`, `KiB`, `M` or `MiB` for 1024 and 1024².
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        _ => return Err("use a number of bytes, or one with KiB or MiB".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(
            (bytes("4096"), bytes("64KiB"), bytes("1M")),
            (Ok(4096), Ok(65536), Ok(1 << 20))
        );
        for bad in ["", "KiB", "64 KiB", "-1", "64kb", "1G", "18446744073709551615M"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
