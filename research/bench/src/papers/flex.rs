//! The tables behind `research/papers/flex.md`: each mode of Flex against what does the
//! same work.

use std::io::{self, Write};

use super::log::Log;
use super::mode::{self, Mode};
use crate::options::Options;
use crate::peers::Peer;

/// Simpira v2 with b = 4.
const S512: (u32, u32) = (60, 64);

const MODES: [Mode; 3] = [
    Mode {
        paper: "flex",
        name: "OCH",
        suites: &["flex-och", "flex-och-public", "aes-256-gcm", "ctx-aes-256-gcm"],
        rivals: &[
            ("aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Ring]),
            ("ocb3", &[Peer::Openssl, Peer::Rustcrypto]),
            ("ctx-aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Ring]),
        ],
        passes: 1,
        permutation: S512,
    },
    Mode {
        paper: "flex",
        name: "CIV",
        suites: &["flex-civ", "flex-civ-public", "aes-256-gcm"],
        rivals: &[(
            "aes-256-gcm-siv",
            &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl, Peer::Rustcrypto],
        )],
        passes: 2,
        permutation: S512,
    },
    Mode {
        paper: "flex",
        name: "ROBUST",
        suites: &["flex-robust", "flex-robust-ae", "aes-256-gcm"],
        rivals: &[
            ("hctr2", &[Peer::Rustcrypto, Peer::Hctr2Rs, Peer::GoogleHctr2]),
            ("aez", &[Peer::Zears, Peer::Aez]),
        ],
        passes: 2,
        permutation: S512,
    },
];

/// Everyone above.
pub(super) const PEERS: [Peer; 9] = [
    Peer::AwsLc,
    Peer::Boringssl,
    Peer::Openssl,
    Peer::Ring,
    Peer::Rustcrypto,
    Peer::Hctr2Rs,
    Peer::GoogleHctr2,
    Peer::Zears,
    Peer::Aez,
];

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let options = mode::with_defaults(options);
    let (instructions, bytes) = S512;
    writeln!(
        out,
        "Cycles per byte, and ratios with quartiles: their time divided by that of the mode, above \
         1 it is faster. {} interleaved rounds; {}. The limit is that of the AES instructions of \
         the permutation S512, {instructions} for {bytes} bytes, once for OCH and twice for CIV \
         and ROBUST. Opening CTX needs a tag that no library gives out: it is handed to them. \
         HCTR2 and AEZ only encipher and decipher; they have no tags, and opening refuses \
         nothing.\n",
        options.rounds,
        options.describe()
    )?;
    mode::tables(&MODES, &options, log, out)
}

#[cfg(test)]
mod tests;
