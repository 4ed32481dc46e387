//! Every algorithm on every back end: the report behind `polyseal bench`.

use std::io::{self, Write};

use serde::Serialize;

use crate::contender::Operation;
use crate::contest::{self, Core, Figures};
use crate::machine::Machine;
use crate::options::Options;
use crate::ours;
use crate::table::{self, Style, Table};

/// A measurement.
#[derive(Clone, Debug, Serialize)]
struct Record {
    suite: String,
    operation: Operation,
    backend: String,
    selected: bool,
    #[serde(flatten)]
    figures: Figures,
    /// Core cycles a message in each layout.
    layouts: Vec<f64>,
}

#[derive(Serialize)]
struct Report {
    machine: Machine,
    rounds: u32,
    ad_bytes: usize,
    core: Core,
    records: Vec<Record>,
}

/// Measures what `options` ask for and writes the report to `out`: tables as they are finished, or
/// one JSON document at the end.
///
/// # Errors
/// As `out` has them.
pub fn run(options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let machine = Machine::detect();
    if !options.json {
        writeln!(out, "{}", machine.line())?;
        writeln!(
            out,
            "Median of {} interleaved rounds; {}.\n",
            options.rounds,
            options.describe()
        )?;
    }
    let mut records = Vec::new();
    for suite in options.suites() {
        for operation in options.operations() {
            let mut contenders: Vec<_> = options
                .backends()
                .into_iter()
                .filter_map(|backend| ours::contender(&suite, operation, backend))
                .collect();
            if contenders.is_empty() {
                continue;
            }
            let head = contenders.iter().map(|contender| machine.mark(&contender.name));
            let head = core::iter::once(operation.to_string()).chain(head);
            let mut table = Table::new(suite.to_string(), head);
            for bytes in options.sizes() {
                let timings =
                    contest::run(&mut contenders, options.lengths(bytes), options.effort());
                let figures: Vec<Figures> = timings.iter().map(contest::Timing::summary).collect();
                let cells = figures.iter().map(speed);
                table.row(core::iter::once(table::bytes(bytes)).chain(cells));
                let measured = contenders.iter().zip(&timings).zip(figures);
                records.extend(measured.map(|((contender, timing), figures)| Record {
                    suite: suite.to_string(),
                    operation,
                    backend: contender.name.clone(),
                    selected: contender.name == machine.selected,
                    figures,
                    layouts: timing.layouts(),
                }));
            }
            if !options.json {
                table.write(out, Style::Plain)?;
                out.flush()?;
            }
        }
    }
    if options.json {
        let report = Report {
            machine,
            rounds: options.rounds,
            ad_bytes: options.lengths(0).ad,
            core: options.core(),
            records,
        };
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Cycles and throughput in a cell.
pub(crate) fn speed(figures: &Figures) -> String {
    format!("{}  {:6.2} GB/s", cost(figures), figures.gigabytes_per_second)
}

/// Below this many bytes, what a message costs says more than what a byte costs.
const SHORT: usize = 1024;

/// Cycles a message or a byte; the slowest layout's if it is slower; a mark if the core was not as
/// asked for.
pub(crate) fn cost(figures: &Figures) -> String {
    let (median, worst) = (figures.cycles_per_message.median, figures.worst_cycles);
    let (scale, digits, unit) = match figures.bytes {
        bytes if bytes >= SHORT => (1.0 / bytes as f64, 3, "c/B"),
        _ => (1.0, 0, "cycles"),
    };
    let number = |cycles: f64| format!("{:.digits$}", cycles * scale);
    let mark = if figures.not_as_asked > 0.5 { "~" } else { "" };
    let slowest = if number(worst) == number(median) || worst < median {
        String::new()
    } else {
        format!(" ≤{}", number(worst))
    };
    format!("{mark}{}{slowest} {unit}", number(median))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(json: bool) -> String {
        let options = Options {
            suites: vec!["aegis-128l".parse().unwrap(), "aegis-256-mac".parse().unwrap()],
            sizes: vec![16, 1024],
            rounds: 2,
            slice: 0,
            patience: 0,
            json,
            ..Options::default()
        };
        let mut out = Vec::new();
        run(&options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn tables_name_the_selected_back_end_once_each() {
        let report = report(false);
        // Two operations of the AEAD, one of the MAC.
        assert_eq!(report.matches("(selected)").count(), 3, "{report}");
        assert_eq!(report.matches("1 KiB").count(), 3, "{report}");
        assert!(report.contains("GB/s"));
    }

    #[test]
    fn json_has_a_record_for_every_measurement() {
        let report: serde_json::Value = serde_json::from_str(&report(true)).unwrap();
        let backends = report["machine"]["backends"].as_array().unwrap().len();
        let records = report["records"].as_array().unwrap();
        assert_eq!(records.len(), backends * 2 * 3);
        assert_eq!(report["ad_bytes"], 0);
        for record in records {
            assert!(record["cycles_per_message"]["median"].as_f64().unwrap() > 0.0);
            assert!(record["suite"].as_str().unwrap().starts_with("aegis-"));
        }
    }

    #[test]
    fn a_cell_has_the_slowest_layout_and_a_mark() {
        let figures = |bytes, cycles: &[f64], not_as_asked| {
            let cycles = cycles.to_vec();
            contest::Timing {
                seconds: cycles.clone(),
                cycles,
                not_as_asked,
                ..contest::Timing::new(bytes)
            }
            .summary()
        };
        assert_eq!(cost(&figures(16, &[100.0, 120.0, 101.0], 0)), "101 ≤120 cycles");
        assert_eq!(cost(&figures(16, &[100.0], 1)), "~100 cycles");
        assert_eq!(cost(&figures(2000, &[1000.0, 1000.0, 1500.0], 1)), "0.500 ≤0.750 c/B");
    }
}
