//! The machine that the numbers were measured on.

use std::fs;

use polyseal::testing::Backend;
use serde::Serialize;

use crate::{clock, sharing};

/// The machine and the code that it selects.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The CPU's name, or the architecture's where the system does not tell.
    pub cpu: String,
    /// The core's frequency when the report began.
    pub gigahertz: f64,
    /// How many independent operations the core starts in a cycle, the most that was seen.
    pub operations_per_cycle: f64,
    /// Every back end that it can run.
    pub backends: Vec<&'static str>,
    /// The one that is used by default.
    pub selected: &'static str,
}

impl Machine {
    /// This machine.
    #[must_use]
    pub fn detect() -> Self {
        // A core that slept takes a moment to reach its frequency.
        let gigahertz = (0..50).map(|_| clock::frequency()).fold(0.0, f64::max) / 1e9;
        let operations_per_cycle = (0..50).map(|_| sharing::width()).fold(0.0, f64::max);
        Self {
            cpu: fs::read_to_string("/proc/cpuinfo")
                .ok()
                .and_then(|cpuinfo| cpu_name(&cpuinfo))
                .unwrap_or_else(|| String::from(std::env::consts::ARCH)),
            gigahertz,
            operations_per_cycle,
            backends: Backend::available().map(Backend::name).collect(),
            selected: Backend::detect().name(),
        }
    }

    /// A line for the top of a report.
    #[must_use]
    pub fn line(&self) -> String {
        let backends = self.backends.join(", ");
        format!(
            "{}, {:.2} GHz and {:.1} operations a cycle measured; back ends {backends}",
            self.cpu, self.gigahertz, self.operations_per_cycle
        )
    }

    /// `backend`, marked if it is the default.
    #[must_use]
    pub fn mark(&self, backend: &str) -> String {
        let mark = if backend == self.selected { " (selected)" } else { "" };
        format!("{backend}{mark}")
    }
}

/// The model and, because cloud machines call everything by one name, its numbers.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim())
        })
    };
    let name = field("model name")?;
    Some(match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => String::from(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_read_from_the_first_core() {
        let cpuinfo = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 97\nmodel name\t: Fast 9\n\n\
                       processor\t: 1\nmodel name\t: Slow 1\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("Fast 9 (family 25, model 97)"));
        assert_eq!(cpu_name("processor : 0\n"), None);
    }

    #[test]
    fn one_back_end_is_selected() {
        let machine = Machine::detect();
        assert!(machine.backends.contains(&machine.selected));
        assert_eq!(machine.mark("abacus"), "abacus");
        assert!(machine.mark(machine.selected).ends_with("(selected)"));
    }
}
