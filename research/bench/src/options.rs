//! The selection of measurements, and its options on a command line.

use core::time::Duration;

use clap::Args;
use polyseal::registry::{self, Algorithm};
use polyseal::testing::Backend;

use crate::contender::Operation;
use crate::contest::{Core, Effort};
use crate::ring::{Key, Lengths, Nonce, Tag};

/// The selection of measurements. An empty list means everything, except that no message has its
/// own key.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Algorithms of the registry, as `id[:name=value,…]`
    #[arg(short, long = "suite", value_name = "SUITE", value_parser = parse_suite, num_args = 1..)]
    pub suites: Vec<Algorithm>,

    /// Message sizes in bytes; k, KiB, M and MiB are understood
    #[arg(long = "size", value_name = "BYTES", value_parser = parse_size, value_delimiter = ',')]
    pub sizes: Vec<usize>,

    /// Bytes of associated data beside each message, as far as it has any; without this none, and
    /// in `papers` what the paper has
    #[arg(long = "ad", value_name = "BYTES", value_parser = parse_size)]
    pub ad: Option<usize>,

    /// Back ends, as far as this CPU has them
    #[arg(long = "backend", value_name = "BACKEND", value_parser = parse_backend,
          value_delimiter = ',')]
    pub backends: Vec<Backend>,

    /// The operation on a message; under one key (seal, open, mac) unless something is named
    #[arg(long = "op", value_name = "OPERATION", value_enum, value_delimiter = ',')]
    pub operations: Vec<Operation>,

    /// Rounds of every measurement; the result is their median
    #[arg(long, default_value_t = Effort::default().rounds)]
    pub rounds: u32,

    /// How long each contender runs in a round, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2)]
    pub slice: u64,

    /// Places of messages, keys, nonces, tags and the stack in memory: 1 is the one where all begin
    /// at a line. The result is the median over all; `≤` has the slowest
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub layouts: u32,

    /// Measure on a core that another hardware thread uses as well, as is common in virtual
    /// machines: all other CPUs are kept busy
    #[arg(long)]
    pub busy: bool,

    /// How much longer a measurement may take, in milliseconds, to repeat rounds beside which
    /// another hardware thread ran on the same core, or with `--busy` none; `~` marks one with more
    /// than half of such rounds. 0: they are not looked for
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    pub patience: u64,

    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// From one AES block to what no first-level cache holds.
pub const SIZES: [usize; 14] =
    [16, 32, 48, 64, 128, 256, 512, 1024, 1500, 4096, 16384, 65536, 262_144, 1_048_576];

impl Default for Options {
    fn default() -> Self {
        Self {
            suites: Vec::new(),
            sizes: Vec::new(),
            ad: None,
            backends: Vec::new(),
            operations: Vec::new(),
            rounds: Effort::default().rounds,
            slice: 2,
            layouts: 1,
            busy: false,
            patience: 1000,
            json: false,
        }
    }
}

impl Options {
    /// The algorithms: every family with its defaults, unless some were named.
    #[must_use]
    pub fn suites(&self) -> Vec<Algorithm> {
        if self.suites.is_empty() {
            registry::families().iter().map(Algorithm::new).collect()
        } else {
            self.suites.clone()
        }
    }

    /// The message sizes.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        if self.sizes.is_empty() { SIZES.to_vec() } else { self.sizes.clone() }
    }

    /// The lengths of a message of `message` bytes: no associated data unless some was asked for.
    #[must_use]
    pub fn lengths(&self, message: usize) -> Lengths {
        Lengths { message, ad: self.ad.unwrap_or(0) }
    }

    /// The associated data and the core in words, for the top of a report.
    #[must_use]
    pub fn describe(&self) -> String {
        let ad = match self.ad {
            None | Some(0) => String::from("no associated data"),
            Some(1) => String::from("1 byte of associated data"),
            Some(bytes) => format!("{bytes} bytes of associated data"),
        };
        if self.busy { ad + "; beside another thread on the core" } else { ad }
    }

    /// The core to measure on.
    #[must_use]
    pub fn core(&self) -> Core {
        if self.busy { Core::Shared } else { Core::Alone }
    }

    /// The back ends: all that this CPU has, unless some were named.
    #[must_use]
    pub fn backends(&self) -> Vec<Backend> {
        if self.backends.is_empty() {
            Backend::available().collect()
        } else {
            self.backends.clone()
        }
    }

    /// The operations: those under one key, unless some were named.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        if self.operations.is_empty() {
            vec![Operation::Seal, Operation::Open, Operation::Mac]
        } else {
            self.operations.clone()
        }
    }

    /// How long to measure.
    #[must_use]
    pub fn effort(&self) -> Effort {
        Effort {
            rounds: self.rounds,
            slice: Duration::from_millis(self.slice),
            layouts: self.layouts,
            core: self.core(),
            patience: Duration::from_millis(self.patience),
        }
    }
}

pub(crate) fn parse_suite(text: &str) -> Result<Algorithm, String> {
    let suite: Algorithm = text.parse().map_err(|error| {
        let ids: Vec<&str> = registry::families().iter().map(|family| family.identity.id).collect();
        format!("{error}; there are {}", ids.join(", "))
    })?;
    if suite.is_whole() {
        return Err(format!("{suite} is not measured: its tags are within the ciphertext"));
    }
    let lengths = [
        ("key", suite.key_bytes(), size_of::<Key>()),
        ("nonce", suite.nonce_bytes(), size_of::<Nonce>()),
        ("tag", suite.tag_bytes(), size_of::<Tag>()),
    ];
    match lengths.into_iter().find(|(_, bytes, most)| bytes > most) {
        Some((what, _, most)) => Err(format!("a {what} of more than {most} bytes is not measured")),
        None => Ok(suite),
    }
}

pub(crate) fn parse_backend(text: &str) -> Result<Backend, String> {
    Backend::available().find(|backend| backend.name() == text).ok_or_else(|| {
        let names: Vec<&str> = Backend::available().map(Backend::name).collect();
        format!("this CPU has {}", names.join(", "))
    })
}

/// Longer messages would measure the memory, and the buffers would not fit in it twice.
const MAX_SIZE: usize = 1 << 30;

fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        other => return Err(format!("unknown unit `{other}`; k, KiB, M and MiB are known")),
    };
    let number: usize = digits.parse().map_err(|_| String::from("a size is a number of bytes"))?;
    let size = number.checked_mul(unit).filter(|size| *size <= MAX_SIZE);
    size.ok_or_else(|| String::from("a message here has at most 1 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    fn parse(line: &str) -> Result<Options, clap::Error> {
        let words = core::iter::once("bench").chain(line.split_whitespace());
        Command::try_parse_from(words).map(|command| command.options)
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("0"), Ok(0));
        assert_eq!(parse_size("1500"), Ok(1500));
        assert_eq!(parse_size("16k"), Ok(16 << 10));
        assert_eq!(parse_size("64KiB"), Ok(64 << 10));
        assert_eq!(parse_size("1MiB"), Ok(1 << 20));
        for wrong in ["", "k", "-1", "1.5k", "3GB", "1k6", "2000M", "99999999999999999999"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lists_are_read_in_order() {
        let options =
            parse("--suite aegis-256:tag=32 aegis-128l --size 64,1k --op open,seal").unwrap();
        let suites: Vec<String> = options.suites().iter().map(ToString::to_string).collect();
        assert_eq!(suites, ["aegis-256:tag=32", "aegis-128l"]);
        assert_eq!(options.sizes(), [64, 1024]);
        assert_eq!(options.operations(), [Operation::Open, Operation::Seal]);
    }

    #[test]
    fn what_has_no_room_is_refused() {
        for suite in ["flex-civ-public:key=128", "flex-civ-public:nonce=64", "flex-och-stream"] {
            assert!(parse(&format!("--suite {suite}")).is_err(), "{suite}");
        }
    }

    #[test]
    fn nothing_said_is_everything() {
        let options = parse("").unwrap();
        assert_eq!(options.suites().len(), registry::families().len());
        assert_eq!(options.sizes(), SIZES);
        assert_eq!(options.backends().len(), Backend::available().count());
        assert_eq!(options.operations().len(), 3);
        assert_eq!(options.effort(), Effort::default());
        assert_eq!(options.effort(), Options::default().effort());
    }

    #[test]
    fn associated_data_stands_beside_every_size() {
        let options = parse("--ad 1k").unwrap();
        assert_eq!(options.lengths(64), Lengths { message: 64, ad: 1024 });
        assert_eq!(options.describe(), "1024 bytes of associated data");
        let options = parse("").unwrap();
        assert_eq!(options.lengths(64), Lengths::message(64));
        assert_eq!(options.describe(), "no associated data");
    }

    #[test]
    fn a_busy_core_is_said() {
        let options = parse("--busy").unwrap();
        assert_eq!(options.effort().core, Core::Shared);
        assert_eq!(options.describe(), "no associated data; beside another thread on the core");
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |line| parse(line).map(|_| ()).unwrap_err().to_string();
        assert!(message("--suite aegis-512").contains("aegis-128x2"));
        assert!(message("--suite flex-och-stream").contains("not measured"));
        assert!(message("--backend mmx").contains("soft"));
        assert!(message("--size 1q").contains("unit"));
        assert!(message("--op bake").contains("seal"));
    }
}
