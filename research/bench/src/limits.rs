//! How fast AEGIS and AES-GCM could be on this CPU.
//!
//! For AES-GCM the bound is the time of its AES rounds and multiplications together, measured.
//!
//! For AEGIS: an update is one step of every lane's state, and each block of the new state waits
//! for a block of the old one: an AES round, then an exclusive or with the message. So an update
//! takes no less than that latency, and no less than its AES rounds take to start. This is the
//! bound of the natural schedule, in which one update follows the other; what it leaves out (loads,
//! stores, the key stream) runs beside it on other ports. It is no law of nature: a MAC that gives
//! the message to the AES instruction as part of its key saves the exclusive or, and goes below it.

#[cfg(target_arch = "x86_64")]
mod aesenc;
#[cfg(target_arch = "x86_64")]
mod aesgcm;
#[cfg(target_arch = "x86_64")]
mod lines;
mod stores;

use core::fmt;
use std::io::{self, Write};

use polyseal::testing::Backend;
use serde::Serialize;

use crate::contest;
use crate::machine::Machine;
use crate::options::Options;
use crate::ours;
use crate::table::{Style, Table};

/// How many AES blocks an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// One block.
    Xmm,
    /// Two blocks.
    Ymm,
    /// Four blocks.
    Zmm,
}

impl Width {
    /// The number of blocks.
    #[must_use]
    pub const fn blocks(self) -> u64 {
        match self {
            Self::Xmm => 1,
            Self::Ymm => 2,
            Self::Zmm => 4,
        }
    }

    /// The widest that the back end of this name has.
    #[must_use]
    pub fn for_backend(backend: &str) -> Option<Self> {
        match backend {
            "aesni" => Some(Self::Xmm),
            "vaes256" => Some(Self::Ymm),
            "vaes512" => Some(Self::Zmm),
            _ => None,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Xmm => "xmm",
            Self::Ymm => "ymm",
            Self::Zmm => "zmm",
        })
    }
}

/// The speed of the AES instruction of one width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The width.
    pub width: Width,
    /// Cycles until a result can be used.
    pub latency: f64,
    /// Instructions that start in a cycle.
    pub per_cycle: f64,
}

/// The time of the instructions of AES-GCM at one width, in cycles a byte of a long message.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bulk {
    /// The width.
    pub width: Width,
    /// For AES-128-GCM.
    pub aes_128: f64,
    /// For AES-256-GCM, and the schemes that seal a message with it.
    pub aes_256: f64,
}

impl Bulk {
    /// The bound of the algorithm with this id, as far as it is made of AES-GCM.
    #[must_use]
    pub fn bound(id: &str, bulk: &[Self], widest: Width) -> Option<f64> {
        let fitting = |bulk: &&Self| bulk.width.blocks() <= widest.blocks();
        let bulk = bulk.iter().filter(fitting).max_by_key(|bulk| bulk.width.blocks())?;
        match id.strip_suffix("-gcm")? {
            "aes-128" => Some(bulk.aes_128),
            _ => Some(bulk.aes_256),
        }
    }
}

/// Measures AES-GCM's instructions together, at every width that this CPU has; none on other
/// architectures than x86-64.
#[must_use]
pub fn measure_gcm(rounds: u32) -> Vec<Bulk> {
    #[cfg(target_arch = "x86_64")]
    return aesgcm::measure(rounds);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = rounds;
        Vec::new()
    }
}

/// Measures every width that this CPU has; none on other architectures than x86-64.
#[must_use]
pub fn measure(rounds: u32) -> Vec<Figures> {
    #[cfg(target_arch = "x86_64")]
    return aesenc::measure(rounds);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = rounds;
        Vec::new()
    }
}

/// The size of an AEGIS variant, as far as the bound depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AegisShape {
    /// AES rounds a lane and update: 8 or 6.
    pub rounds: u64,
    /// Message bytes a lane and update: 32 or 16.
    pub bytes: u64,
    /// Lanes.
    pub degree: u64,
}

impl AegisShape {
    /// The shape of the algorithm with this id; a degree that is a parameter is given beside it.
    #[must_use]
    pub fn for_suite(id: &str, degree: Option<u64>) -> Option<Self> {
        let variant = id.strip_prefix("aegis-")?;
        let variant = variant.strip_suffix("-mac").unwrap_or(variant);
        let (rounds, bytes, rest) = match (variant.strip_prefix("128"), variant.strip_prefix("256"))
        {
            (Some(rest), _) => (8, 32, rest),
            (_, Some(rest)) => (6, 16, rest),
            _ => return None,
        };
        let degree = match rest {
            "" | "l" => 1,
            "x2" => 2,
            "x4" => 4,
            "x-v1" => degree?,
            _ => return None,
        };
        Some(Self { rounds, bytes, degree })
    }

    /// The natural schedule's bound, in cycles a byte: [the latency of an AES round and one
    /// exclusive or, or the time in which all rounds start], whichever is longer, for one update.
    #[must_use]
    pub fn bound(self, figures: &[Figures], widest: Width) -> Option<f64> {
        let fitting =
            |f: &&Figures| f.width.blocks() <= self.degree && f.width.blocks() <= widest.blocks();
        let figures = figures.iter().filter(fitting).max_by_key(|f| f.width.blocks())?;
        let instructions = self.rounds * self.degree.div_ceil(figures.width.blocks());
        let update = (figures.latency + 1.0).max(instructions as f64 / figures.per_cycle);
        Some(update / (self.bytes * self.degree) as f64)
    }
}

/// A message that is in the first-level cache, and whose beginning and end weigh little.
const BULK_BYTES: usize = 16 << 10;

/// Measures the instructions, derives the bounds, and says how far from them this code is.
///
/// # Errors
/// As `out` has them.
pub fn run(options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let machine = Machine::detect();
    let (figures, bulk) = (measure(options.rounds), measure_gcm(options.rounds));
    let places = stores::measure(options.rounds);
    #[cfg(target_arch = "x86_64")]
    let lines = lines::measure(options.rounds);
    #[cfg(not(target_arch = "x86_64"))]
    let lines: [(); 0] = [];
    if options.json {
        serde_json::to_writer_pretty(&mut *out, &(&machine, &figures, &bulk, &places, &lines))?;
        return writeln!(out);
    }
    writeln!(out, "{}\n", machine.line())?;
    stores::table(&places).write(out, Style::Plain)?;
    #[cfg(target_arch = "x86_64")]
    lines::table(&lines).write(out, Style::Plain)?;
    if figures.is_empty() {
        return writeln!(out, "No AES instructions that are known here: no limits.");
    }
    let head = ["aesenc", "latency", "a cycle", "blocks a cycle"];
    let mut table = Table::new("The AES instruction", head.map(String::from));
    for f in &figures {
        table.row([
            f.width.to_string(),
            format!("{:.2}", f.latency),
            format!("{:.2}", f.per_cycle),
            format!("{:.2}", f.per_cycle * f.width.blocks() as f64),
        ]);
    }
    table.write(out, Style::Plain)?;
    let head = ["registers", "AES-128-GCM c/B", "AES-256-GCM c/B"];
    let mut table = Table::new(
        "The AES instruction and carry-less multiplication together, as AES-GCM needs them",
        head.map(String::from),
    );
    for b in &bulk {
        let cells = [b.width.to_string(), format!("{:.4}", b.aes_128), format!("{:.4}", b.aes_256)];
        table.row(cells);
    }
    table.write(out, Style::Plain)?;
    distances(options, &figures, &bulk).write(out, Style::Plain)
}

/// Every algorithm that has a bound, on every back end that has AES instructions.
fn distances(options: &Options, figures: &[Figures], bulk: &[Bulk]) -> Table {
    let head = ["algorithm", "operation", "back end", "limit c/B", "measured c/B", "distance"];
    let title = format!("The limits, and messages of {BULK_BYTES} bytes");
    let mut table = Table::new(title, head.map(String::from));
    for suite in options.suites() {
        let id = suite.family().identity.id;
        let shape = AegisShape::for_suite(id, suite.param("degree"));
        for operation in options.operations() {
            let runner = |backend: Backend| {
                let width = Width::for_backend(backend.name())?;
                let natural = shape.and_then(|shape| shape.bound(figures, width));
                let bound = natural.or_else(|| Bulk::bound(id, bulk, width))?;
                Some((ours::contender(&suite, operation, backend)?, bound))
            };
            let runners = options.backends().into_iter().filter_map(runner);
            let (mut contenders, bounds): (Vec<_>, Vec<_>) = runners.unzip();
            let timings =
                contest::run(&mut contenders, options.lengths(BULK_BYTES), options.effort());
            for ((contender, bound), timing) in contenders.iter().zip(bounds).zip(timings) {
                let cycles = timing.summary().cycles_per_message.median / BULK_BYTES as f64;
                table.row([
                    suite.to_string(),
                    operation.to_string(),
                    contender.name.clone(),
                    format!("{bound:.4}"),
                    format!("{cycles:.4}"),
                    format!("{:+.1} %", (cycles / bound - 1.0) * 100.0),
                ]);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zen 4: xmm and ymm two a cycle, zmm one, latency 4.
    const ZEN4: [Figures; 3] = [
        Figures { width: Width::Xmm, latency: 4.0, per_cycle: 2.0 },
        Figures { width: Width::Ymm, latency: 4.0, per_cycle: 2.0 },
        Figures { width: Width::Zmm, latency: 4.0, per_cycle: 1.0 },
    ];

    fn bound(id: &str, widest: Width) -> f64 {
        let bound = AegisShape::for_suite(id, Some(8)).and_then(|shape| shape.bound(&ZEN4, widest));
        (bound.unwrap() * 1e4).round() / 1e4
    }

    #[test]
    fn bounds_of_a_cpu_with_avx512() {
        assert_eq!(bound("aegis-128l", Width::Zmm), 0.1563); // 5 cycles: latency
        assert_eq!(bound("aegis-128x2", Width::Zmm), 0.0781);
        assert_eq!(bound("aegis-128x4", Width::Zmm), 0.0625); // 8 rounds, one a cycle
        assert_eq!(bound("aegis-256", Width::Zmm), 0.3125);
        assert_eq!(bound("aegis-256x4", Width::Zmm), 0.0938);
    }

    #[test]
    fn narrow_registers_need_more_instructions() {
        assert_eq!(bound("aegis-128x4", Width::Ymm), 0.0625); // 16 rounds, two a cycle
        assert_eq!(bound("aegis-128x4", Width::Xmm), 0.125); // 32 rounds, two a cycle
        assert_eq!(bound("aegis-128x-v1", Width::Zmm), 0.0625);
        assert_eq!(bound("aegis-128l-mac", Width::Xmm), 0.1563);
    }

    #[test]
    fn what_seals_with_aes_gcm_has_its_bound() {
        let bulk = |width, aes_256| Bulk { width, aes_128: aes_256 / 2.0, aes_256 };
        let bulk = [bulk(Width::Xmm, 0.5), bulk(Width::Zmm, 0.25)];
        let bound = |id, widest| Bulk::bound(id, &bulk, widest);
        assert_eq!(bound("aes-256-gcm", Width::Zmm), Some(0.25));
        assert_eq!(bound("aes-128-gcm", Width::Zmm), Some(0.125));
        assert_eq!(bound("kc-xaes-256-gcm", Width::Ymm), Some(0.5));
        assert_eq!(bound("aegis-128l", Width::Zmm), None);
    }

    #[test]
    fn other_algorithms_have_no_bound_here() {
        assert_eq!(AegisShape::for_suite("xaes-256-gcm", None), None);
        assert_eq!(AegisShape::for_suite("aegis-128x-v1", None), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_is_detected_is_measured() {
        let figures = measure(3);
        assert_eq!(figures.is_empty(), !is_x86_feature_detected!("aes"));
        assert!(figures.iter().all(|f| f.latency > 0.0 && f.per_cycle > 0.0));
        let bulk = measure_gcm(3);
        assert_eq!(bulk.is_empty(), !is_x86_feature_detected!("pclmulqdq"));
        assert!(bulk.iter().all(|b| b.aes_128 > 0.0 && b.aes_256 > 0.0));
    }
}
