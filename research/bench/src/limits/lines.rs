//! The time of a loop by how many lines of 64 bytes its code lies across.
//!
//! On Zen 3, a core fetches a line a cycle, and while another thread runs on it the two take turns.
//! Then each further line costs two cycles a round, so that the same loop takes longer where it
//! begins at the end of a line. That is why `polyseal` begins a line before such a loop.

#![allow(unsafe_code)]

use core::arch::asm;

use serde::Serialize;

use crate::clock;
use crate::contest::Core;
use crate::sharing;
use crate::stats::Summary;
use crate::table::Table;

/// How often a loop runs: much longer than looking at the clock takes.
const TIMES: u32 = 40_000;
/// The bytes of its code.
const BYTES: usize = 86;
/// For each round, how many times the core may not be as asked for.
const TRIES: u32 = 20;

/// Cycles of one round of the loop, the median of some measurements; none where the core never was
/// as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Lines {
    /// The lines that its code lies across.
    lines: usize,
    /// On a core of its own.
    alone: Option<f64>,
    /// On a core that another thread uses as well.
    shared: Option<f64>,
}

/// Measures it across two lines and across three.
pub(super) fn measure(rounds: u32) -> Vec<Lines> {
    let kernels: [(usize, fn()); 2] = [(2, at::<16>), (3, at::<48>)];
    let on = |core| kernels.map(|(_, kernel)| cycles(kernel, core, rounds));
    let alone = on(Core::Alone);
    let shared = sharing::beside_busy_threads(|| on(Core::Shared));
    let figures = kernels.into_iter().zip(alone).zip(shared);
    figures.map(|(((lines, _), alone), shared)| Lines { lines, alone, shared }).collect()
}

/// The same to be read.
pub(super) fn table(figures: &[Lines]) -> Table {
    let title = format!("A loop of {BYTES} bytes of code, in cycles");
    let head = ["lines", "core of its own", "shared core"];
    let mut table = Table::new(title, head.map(String::from));
    let cell = |cycles: Option<f64>| cycles.map_or_else(|| "-".into(), |c| format!("{c:.1}"));
    for Lines { lines, alone, shared } in figures {
        table.row([lines.to_string(), cell(*alone), cell(*shared)]);
    }
    table
}

fn cycles(kernel: fn(), core: Core, rounds: u32) -> Option<f64> {
    let round = |_| {
        let before = core.is_as_asked();
        let hertz = clock::frequency();
        let cycles = clock::time(kernel) * hertz / f64::from(TIMES);
        (before && core.is_as_asked()).then_some(cycles)
    };
    let measured = (0..rounds * TRIES).filter_map(round).take(rounds as usize);
    Summary::from_values(measured).map(|summary| summary.median)
}

/// The loop, with `BEFORE` bytes of its first line before it: five operations that wait for each
/// other, five that do not, and 42 bytes of nothing.
fn at<const BEFORE: usize>() {
    // SAFETY: every register that changes is named, and memory is left alone.
    unsafe {
        asm!(
            ".p2align 6",
            ".nops {before}",
            "2:",
            "pxor xmm0, xmm1", "pxor xmm2, xmm1",
            "pxor xmm0, xmm1", "pxor xmm3, xmm1",
            "pxor xmm0, xmm1", "pxor xmm4, xmm1",
            "pxor xmm0, xmm1", "pxor xmm5, xmm1",
            "pxor xmm0, xmm1", "pxor xmm6, xmm1",
            ".nops 14", ".nops 14", ".nops 14",
            "dec ecx",
            "jnz 2b",
            before = const BEFORE,
            inout("ecx") TIMES => _,
            out("xmm0") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
            out("xmm6") _,
            options(nomem, nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_places_are_measured() {
        let figures = measure(3);
        assert_eq!(figures.iter().map(|figure| figure.lines).collect::<Vec<_>>(), [2, 3]);
        // Whether the core is as asked for, only the machine knows.
        let cycles = figures.iter().flat_map(|figure| [figure.alone, figure.shared]);
        assert!(cycles.flatten().all(|cycles| cycles > 0.0));
    }

    #[test]
    fn both_loops_take_time() {
        for kernel in [at::<16>, at::<48>] {
            assert!(clock::time(kernel) > 0.0);
        }
    }
}
