//! The tables behind `research/papers/och.md`: the authors' OCH, mended, beside Flex's OCH and what
//! does the same work elsewhere, in one contest.

use std::io::{self, Write};

use super::log::Log;
use super::mode::{self, Mode};
use crate::options::Options;
use crate::peers::Peer;

/// Areion-256: three instructions in each of its ten rounds.
const AREION_256: (u32, u32) = (30, 32);

const MODE: Mode = Mode {
    paper: "och",
    name: "OCH",
    suites: &[
        "och-areion-p",
        "och-areion-s",
        "flex-och-public",
        "flex-och",
        "ctx-aes-256-gcm",
        "aes-256-gcm",
        "aegis-128x2",
        "aegis-128l",
    ],
    rivals: &[
        ("aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl]),
        ("ocb3", &[Peer::Openssl]),
        ("ctx-aes-256-gcm", &[Peer::AwsLc, Peer::Boringssl, Peer::Openssl]),
    ],
    passes: 1,
    permutation: AREION_256,
};

/// Everyone above.
pub(super) const PEERS: [Peer; 3] = [Peer::AwsLc, Peer::Boringssl, Peer::Openssl];

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let options = mode::with_defaults(options);
    let (instructions, bytes) = AREION_256;
    writeln!(
        out,
        "Cycles per byte, and ratios with quartiles: their time divided by that of och-areion-p, \
         above 1 it is faster. {} interleaved rounds; {}. The limit is that of the AES \
         instructions of Areion-256, {instructions} for {bytes} bytes. Opening CTX needs a tag \
         that no library gives out: it is handed to them.\n",
        options.rounds,
        options.describe()
    )?;
    mode::tables(&[MODE], &options, log, out)
}

#[cfg(test)]
mod tests {
    use polyseal::testing::Backend;

    use super::*;

    #[test]
    fn the_versions_of_every_peer_are_told() {
        assert!(MODE.rivals.iter().flat_map(|(_, peers)| *peers).all(|peer| PEERS.contains(peer)));
    }

    /// Everyone that the page is about stands in both tables.
    #[test]
    fn all_are_in_one_contest() {
        let (rounds, slice, patience) = (1, 0, 0);
        let sizes = vec![300];
        let options = Options { sizes, rounds, slice, patience, ..Options::default() };
        let mut out = Vec::new();
        tables(&options, &mut Log::None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("16 bytes of associated data"), "{text}");
        for operation in ["seal", "open"] {
            let on = Backend::detect().name();
            let title = format!("**OCH, {operation} on {on}: cycles per byte**");
            let (_, table) = text.split_once(&title).expect(operation);
            let heads = table.trim_start().lines().next().unwrap();
            assert!(MODE.suites.iter().all(|suite| heads.contains(suite)), "{heads}");
            let theirs = ["ocb3 openssl", "aes-256-gcm boringssl", "ctx-aes-256-gcm aws-lc"];
            let there = theirs.iter().all(|name| heads.contains(name));
            assert_eq!(there, cfg!(feature = "peers"), "{heads}");
        }
    }
}
