//! The tables behind `research/papers/aegis.md`: what parallel lanes are worth on each back end.

use std::io::{self, Write};

#[cfg(feature = "peers")]
use polyseal::aegis::{V1, X128, X256};
use polyseal::testing::Backend;
#[cfg(feature = "peers")]
use polyseal::testing::{LANE_BY_LANE, WIDE};

use super::log::{ContestId, Log};
use super::{head, many, peer_contenders, row};
use crate::compare::ratio;
use crate::contender::{Contender, Operation};
use crate::contest::Timing;
use crate::options::Options;
#[cfg(feature = "peers")]
use crate::ours;
use crate::peer_limit::PeerLimit;
use crate::peers::Peer;
use crate::stats::Summary;
use crate::table::{Style, Table};

/// The libraries whose AES-GCM stands beside AEGIS: those that most programs have.
pub(super) const PEERS: [Peer; 4] = [Peer::Libaegis, Peer::AwsLc, Peer::Boringssl, Peer::Openssl];

const SEALING: [&str; 7] = [
    "aegis-128l",
    "aegis-128x2",
    "aegis-128x4",
    "aegis-128x-v1:degree=8",
    "aegis-256",
    "aegis-256x2",
    "aegis-256x4",
];

const TAGGING: [&str; 6] = [
    "aegis-128l-mac",
    "aegis-128x2-mac",
    "aegis-128x4-mac",
    "aegis-256-mac",
    "aegis-256x2-mac",
    "aegis-256x4-mac",
];

/// Writes every table.
pub(super) fn tables(options: &Options, log: &mut Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "GB/s, and ratios with quartiles; {} interleaved rounds; {}.\n",
        options.rounds,
        options.describe()
    )?;
    for backend in options.backends() {
        sealing(options, backend, log, out)?;
        tagging(options, backend, log, out)?;
        #[cfg(feature = "peers")]
        strategies(options, backend, log, out)?;
        short(options, backend, log, out)?;
    }
    Ok(())
}

const fn place(table: &str, backend: Backend, operation: Operation) -> ContestId<'_> {
    ContestId { paper: "aegis", table, backend, operation }
}

/// Lanes against one lane, and against AES-GCM.
fn sealing(
    options: &Options,
    backend: Backend,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut contenders = many(&SEALING, Operation::Seal, backend);
    let peer_limit = PeerLimit::for_backend(backend);
    let rivals: Vec<Contender> = ["aes-128-gcm", "aes-256-gcm"]
        .iter()
        .flat_map(|gcm| peer_contenders(&PEERS, gcm, Operation::Seal, peer_limit))
        .collect();
    contenders.extend(rivals);
    let lanes: &[Quotient] = &[
        ("128X2 / 128L", "aegis-128l", "aegis-128x2"),
        ("128X4 / 128L", "aegis-128l", "aegis-128x4"),
        ("128X8 v1 / 128L", "aegis-128l", "aegis-128x-v1:degree=8"),
        ("256X2 / 256", "aegis-256", "aegis-256x2"),
        ("256X4 / 256", "aegis-256", "aegis-256x4"),
    ];
    let mut speeds = Table::new(
        format!("Sealing on {}", backend.name()),
        head(contenders.iter().map(|contender| contender.name.as_str())),
    );
    let mut gains = Table::new(
        format!("Sealing on {}: more lanes against one", backend.name()),
        head(lanes.iter().map(|quotient| quotient.0)),
    );
    let gcm = contenders[SEALING.len()..].iter().map(|contender| contender.name.clone());
    let gcm: Vec<String> = gcm.collect();
    let titles = gcm.iter().flat_map(|name| {
        let family = if name.starts_with("aes-128") { "128" } else { "256" };
        ["2", "4"].map(|degree| format!("{family}X{degree} / {name}"))
    });
    let titles: Vec<String> = titles.collect();
    let mut rivals = Table::new(
        format!("Sealing on {}: against AES-GCM", backend.name()),
        head(titles.iter().map(String::as_str)),
    );
    let place = place("sealing", backend, Operation::Seal);
    for bytes in options.sizes() {
        let timings = log.contest(place, &mut contenders, options, bytes)?;
        let find = |name: &str| contenders.iter().position(|c| c.name == name);
        let quotient = |slow: &str, fast: &str| {
            let (slow, fast) = find(slow).zip(find(fast))?;
            Summary::from_ratios(&timings[slow].seconds, &timings[fast].seconds)
        };
        let cell = |slow: &str, fast: &str| quotient(slow, fast).map_or_else(String::new, ratio);
        speeds.row(row(bytes, timings.iter().map(throughput)));
        gains.row(row(bytes, lanes.iter().map(|(_, slow, fast)| cell(slow, fast))));
        let against = gcm.iter().flat_map(|name| {
            let family = if name.starts_with("aes-128") { "aegis-128" } else { "aegis-256" };
            ["x2", "x4"].map(|lanes| cell(name, &format!("{family}{lanes}")))
        });
        rivals.row(row(bytes, against));
    }
    speeds.write(out, Style::Markdown)?;
    gains.write(out, Style::Markdown)?;
    if gcm.is_empty() { Ok(()) } else { rivals.write(out, Style::Markdown) }
}

/// A ratio's title, its slower side and its faster side.
type Quotient = (&'static str, &'static str, &'static str);

fn tagging(
    options: &Options,
    backend: Backend,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut contenders = many(&TAGGING, Operation::Mac, backend);
    let mut table = Table::new(format!("AEGISMAC on {}", backend.name()), head(TAGGING));
    let place = place("tagging", backend, Operation::Mac);
    for bytes in options.sizes() {
        let timings = log.contest(place, &mut contenders, options, bytes)?;
        table.row(row(bytes, timings.iter().map(throughput)));
    }
    table.write(out, Style::Markdown)
}

/// Degrees wider than a register: all lanes at once, or lane after lane. Not in the tool, for which
/// the strategy that is not taken would have to be compiled.
#[cfg(feature = "peers")]
fn strategies(
    options: &Options,
    backend: Backend,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    const SUITES: [&str; 5] =
        ["aegis-128x2", "aegis-128x4", "aegis-128x-v1:degree=8", "aegis-256x2", "aegis-256x4"];
    fn in_order<const STRATEGY: usize>(backend: Backend) -> [Option<Contender>; SUITES.len()] {
        [
            ours::sealing_by::<X128<2>, STRATEGY>(backend),
            ours::sealing_by::<X128<4>, STRATEGY>(backend),
            ours::sealing_by::<X128<8, V1>, STRATEGY>(backend),
            ours::sealing_by::<X256<2>, STRATEGY>(backend),
            ours::sealing_by::<X256<4>, STRATEGY>(backend),
        ]
    }
    let strategies = [
        ("all at once", in_order::<WIDE>(backend)),
        ("lane by lane", in_order::<LANE_BY_LANE>(backend)),
    ];
    let named = |(strategy, contenders): (&'static str, [Option<Contender>; SUITES.len()])| {
        let named = move |(c, suite): (Contender, _)| c.named(format!("{suite}, {strategy}"));
        contenders.into_iter().flatten().zip(SUITES).map(named)
    };
    let mut contenders: Vec<Contender> = strategies.into_iter().flat_map(named).collect();
    let mut table = Table::new(
        format!("{}: how much faster is lane by lane than all lanes at once", backend.name()),
        head(SUITES),
    );
    let place = place("strategies", backend, Operation::Seal);
    for bytes in options.sizes().into_iter().filter(|bytes| *bytes >= 1024) {
        let timings = log.contest(place, &mut contenders, options, bytes)?;
        let (wide, by_lane) = timings.split_at(SUITES.len());
        let cells = wide.iter().zip(by_lane).map(|(wide, by_lane)| {
            Summary::from_ratios(&wide.seconds, &by_lane.seconds).map_or_else(String::new, ratio)
        });
        table.row(row(bytes, cells));
    }
    table.write(out, Style::Markdown)
}

/// Up to a rate or two, byte by byte: where do lanes begin to help?
fn short(
    options: &Options,
    backend: Backend,
    log: &mut Log<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    const SUITES: [&str; 4] = ["aegis-128l", "aegis-128x2", "aegis-256", "aegis-256x2"];
    let mut contenders = many(&SUITES, Operation::Seal, backend);
    let title = format!("Cycles for a short message on {}", backend.name());
    let titles = ["128L", "128X2", "128X2 / 128L", "256", "256X2", "256X2 / 256"];
    let mut table = Table::new(title, head(titles));
    let place = place("short", backend, Operation::Seal);
    for bytes in 0..=64 {
        let timings = log.contest(place, &mut contenders, options, bytes)?;
        let cycles = |at: usize| format!("{:.0}", timings[at].summary().cycles_per_message.median);
        let quotient = |one: usize, two: usize| {
            Summary::from_ratios(&timings[one].seconds, &timings[two].seconds)
                .map_or_else(String::new, ratio)
        };
        let cells = [cycles(0), cycles(1), quotient(0, 1), cycles(2), cycles(3), quotient(2, 3)];
        table.row(row(bytes, cells));
    }
    table.write(out, Style::Markdown)
}

fn throughput(timing: &Timing) -> String {
    format!("{:.2}", timing.summary().gigabytes_per_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_exists() {
        let backend = Backend::detect();
        let sealing = many(&SEALING, Operation::Seal, backend);
        let tagging = many(&TAGGING, Operation::Mac, backend);
        let names = |contenders: &[Contender]| -> Vec<String> {
            contenders.iter().map(|contender| contender.name.clone()).collect()
        };
        assert_eq!(names(&sealing), SEALING);
        assert_eq!(names(&tagging), TAGGING);
    }

    #[test]
    fn every_back_end_has_its_tables() {
        let options =
            Options { sizes: vec![1024], rounds: 1, slice: 0, patience: 0, ..Options::default() };
        let mut out = Vec::new();
        tables(&options, &mut Log::None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for backend in Backend::available().map(Backend::name) {
            assert!(text.contains(&format!("**Sealing on {backend}**")), "{text}");
            assert!(text.contains(&format!("**AEGISMAC on {backend}**")), "{text}");
        }
        assert!(text.contains("|    64 B |"), "{text}");
    }
}
