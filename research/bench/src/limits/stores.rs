//! The time of a load and a store, by where they lie: in a line of the cache, across two lines, or
//! across two pages.
//!
//! A store across pages takes as long as a quarter of a short message does. So much more does the
//! opening of a message take that lies there, in anybody's code.

use core::hint::black_box;
use core::sync::atomic::{Ordering, compiler_fence};

use serde::Serialize;

use crate::clock;
use crate::layout::{LINE_BYTES, PAGE_BYTES};
use crate::stats::Summary;
use crate::table::Table;

/// The bytes of each.
const BYTES: usize = 16;
/// How many one behind the other; some microseconds.
const TIMES: u32 = 4000;

/// A place's figures: cycles of a load or a store and its loop, the median of some rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Place {
    /// Where its bytes lie.
    name: &'static str,
    /// Cycles of a load.
    load: f64,
    /// Cycles of a store.
    store: f64,
}

/// Measures each place.
pub(super) fn measure(rounds: u32) -> Vec<Place> {
    let mut memory = vec![0; 4 * PAGE_BYTES];
    let page = PAGE_BYTES + memory.as_ptr().align_offset(PAGE_BYTES);
    // Not by halves, which would be accesses of eight bytes on either side.
    let places = [
        ("in a line", page),
        ("across lines", page + LINE_BYTES - 5),
        ("across pages", page + PAGE_BYTES - 5),
    ];
    let mut measured = Vec::new();
    for (name, at) in places {
        let Some((place, _)) = memory[at..].split_first_chunk_mut::<BYTES>() else { continue };
        let place = black_box(place);
        let load = cycles(rounds, || {
            let mut sum = [0; BYTES];
            for _ in 0..TIMES {
                for (sum, byte) in sum.iter_mut().zip(*place) {
                    *sum ^= byte;
                }
                compiler_fence(Ordering::SeqCst);
            }
            black_box(sum);
        });
        let value = black_box([1; BYTES]);
        let store = cycles(rounds, || {
            for _ in 0..TIMES {
                *place = value;
                compiler_fence(Ordering::SeqCst);
            }
        });
        if let (Some(load), Some(store)) = (load, store) {
            measured.push(Place { name, load, store });
        }
    }
    measured
}

/// The same to be read.
pub(super) fn table(places: &[Place]) -> Table {
    let title = format!("{BYTES} bytes of memory, in cycles");
    let mut table = Table::new(title, ["place", "load", "store"].map(String::from));
    for Place { name, load, store } in places {
        table.row([(*name).to_owned(), format!("{load:.1}"), format!("{store:.1}")]);
    }
    table
}

fn cycles(rounds: u32, mut work: impl FnMut()) -> Option<f64> {
    let round = |_| {
        let hertz = clock::frequency();
        clock::time(&mut work) * hertz / f64::from(TIMES)
    };
    Summary::from_values((0..rounds).map(round)).map(|summary| summary.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_measured() {
        let places = measure(3);
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place.load > 0.0 && place.store > 0.0));
    }
}
