//! The tables behind `research/papers/kc-xaes.md`: what deriving a key from the nonce costs on top
//! of AES-256-GCM, and what the commitment costs on top of that.

use std::io::{self, Write};

use super::log::{ContestId, Log};
use super::{backends, head, many, peer_contenders, row};
use crate::compare::ratio;
use crate::contender::Operation;
use crate::contest::Timing;
use crate::options::Options;
use crate::peer_limit::PeerLimit;
use crate::peers::{KC_C3, Peer};
use crate::stats::Summary;
use crate::table::{Style, Table};

/// The library whose parts the same schemes are composed from, as in the paper.
pub(super) const PEER: Peer = Peer::AwsLc;

/// The columns and the suites; the others' cost is given relative to the first one's. One of them
/// is composed of the peer's parts only, and DNDK, version 2, is ours only: the paper compares it
/// by its calls.
const SCHEMES: [(&str, &str); 8] = [
    ("GCM", "aes-256-gcm"),
    ("XAES", "xaes-256-gcm"),
    ("KC-XAES", "kc-xaes-256-gcm"),
    ("KC-C.3", KC_C3),
    ("H-AES", "h-aes-256-gcm"),
    ("H-KC-AES", "h-kc-aes-256-gcm"),
    ("DNDK", "dndk-gcm"),
    ("KC-DNDK", "dndk-gcm:kc=1"),
];

/// The paper's.
const SIZES: [usize; 7] = [32, 128, 256, 512, 1024, 16384, 1_048_576];

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "Cycles a message, and how much more that is than AES-256-GCM under one key takes; ratios \
         with quartiles; {} interleaved rounds; {}.\n",
        options.rounds,
        options.describe()
    )?;
    let sizes = if options.sizes.is_empty() { SIZES.to_vec() } else { options.sizes.clone() };
    for backend in backends(options) {
        for (title, operation) in [
            ("A cipher from a key", Operation::Init),
            ("Sealing", Operation::Seal),
            ("Opening", Operation::Open),
        ] {
            // Without a message, so that its length does not matter.
            let sizes = if operation == Operation::Init { &[0][..] } else { &sizes };
            let place = ContestId { paper: "kc-xaes", table: title, backend, operation };
            table(place, sizes, options, log, out)?;
        }
    }
    Ok(())
}

/// Ours, the peer's, and one against the other, all measured together.
fn table(
    place: ContestId<'_>,
    sizes: &[usize],
    options: &Options,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ContestId { table: title, backend, operation, .. } = place;
    let (peer, peer_limit) = (PEER.name(), PeerLimit::for_backend(backend));
    let suites = SCHEMES.map(|(_, id)| id);
    let mut contenders = many(&suites, operation, backend);
    contenders
        .extend(suites.iter().flat_map(|id| peer_contenders(&[PEER], id, operation, peer_limit)));
    let names = suites.map(|id| format!("{id} {peer}"));
    let both = SCHEMES.iter().skip(1).flat_map(|(scheme, _)| [scheme, "overhead"]);
    let both: Vec<&str> = [SCHEMES[0].0].into_iter().chain(both).collect();
    let mut costs = [
        Table::new(format!("{title}: polyseal on {}", backend.name()), head(both.iter().copied())),
        Table::new(format!("{title}: {peer}"), head(both)),
    ];
    let mut gains = Table::new(
        format!("{title}: {peer}'s time divided by polyseal's"),
        head(SCHEMES.map(|(scheme, _)| scheme)),
    );
    for bytes in sizes {
        let timings = log.contest(place, &mut contenders, options, *bytes)?;
        let find = |name: &str| timings.get(contenders.iter().position(|c| c.name == name)?);
        let ours = suites.map(&find);
        let peer_contenders = names.each_ref().map(|name| find(name));
        for (table, timings) in costs.iter_mut().zip([ours, peer_contenders]) {
            table.row(row(*bytes, overheads(timings)));
        }
        let gain = |at: usize| {
            let (ours, peer_contenders) = ours[at].zip(peer_contenders[at])?;
            Summary::from_ratios(&peer_contenders.seconds, &ours.seconds)
        };
        gains.row(row(
            *bytes,
            (0..SCHEMES.len()).map(|at| gain(at).map_or_else(String::new, ratio)),
        ));
    }
    let [ours, peer_contenders] = &costs;
    let tables =
        if peer_limit.holds(PEER) { vec![ours, peer_contenders, &gains] } else { vec![ours] };
    for table in tables {
        table.write(out, Style::Markdown)?;
    }
    Ok(())
}

/// The time of each scheme, and from the second on, how much more that is than the first one's.
fn overheads(timings: [Option<&Timing>; SCHEMES.len()]) -> Vec<String> {
    let mut cells = Vec::new();
    for (at, timing) in timings.iter().enumerate() {
        let cycles = timing.map(|t| t.summary().cycles_per_message.median);
        cells.push(cycles.map_or_else(String::new, |cycles| format!("{cycles:.0}")));
        if at > 0 {
            cells.push(overhead(*timing, timings[0]).unwrap_or_default());
        }
    }
    cells
}

fn overhead(timing: Option<&Timing>, plain: Option<&Timing>) -> Option<String> {
    let times = Summary::from_ratios(&timing?.seconds, &plain?.seconds)?;
    Some(format!("{:+.1} %", (times.median - 1.0) * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overhead_is_relative_to_gcm() {
        let timing = |seconds| Timing::once(32, seconds * 100.0, seconds);
        let (gcm, xaes) = (timing(2.0), timing(3.0));
        let cells = overheads([Some(&gcm), Some(&xaes), None, Some(&gcm), None, None, None, None]);
        assert_eq!(cells[..7], ["200", "300", "+50.0 %", "", "", "200", "+0.0 %"]);
        assert!(cells[7..].iter().all(String::is_empty));
    }

    #[test]
    fn every_operation_has_its_tables() {
        let options = Options {
            sizes: vec![32, 100],
            rounds: 1,
            slice: 0,
            patience: 0,
            ..Options::default()
        };
        let mut out = Vec::new();
        tables(&options, &mut Log::None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for title in ["A cipher from a key", "Sealing", "Opening"] {
            assert!(text.contains(&format!("**{title}: aws-lc**")), "{text}");
        }
        assert_eq!(text.matches(" 32 B |").count(), 6, "{text}");
    }
}
