//! A file with all of its mutants in it, one of which is chosen when it runs.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::find::{Kind, Site};

/// The module that every crate with mutants also gets. `POLYSEAL_MUTANT` is the number of the one
/// that is chosen; the numbers of those that were come by are put down in the file that
/// `POLYSEAL_MUTANT_REACHED` names.
pub(crate) const MODULE: &str = r##"
#[allow(warnings, clippy::all)]
#[doc(hidden)]
pub mod mutant_switch {
    extern crate std;
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, OnceLock};

    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

    struct Chosen {
        number: u32,
        reached: Option<Mutex<std::fs::File>>,
    }

    /// The number of the chosen mutant, in a place whose mutants begin with `first`.
    pub fn at(first: u32) -> u32 {
        static CHOSEN: OnceLock<Chosen> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(|| Chosen {
            number: std::env::var("POLYSEAL_MUTANT").map_or(0, |number| number.parse().unwrap()),
            reached: std::env::var_os("POLYSEAL_MUTANT_REACHED").map(|path| {
                let mut options = std::fs::OpenOptions::new();
                Mutex::new(options.append(true).create(true).open(path).unwrap())
            }),
        });
        if let Some(file) = &chosen.reached {
            if !REACHED[first as usize].swap(true, Ordering::Relaxed) {
                file.lock().unwrap().write_all(std::format!("{first}\n").as_bytes()).unwrap();
            }
        }
        chosen.number
    }
}
"##;

/// A site with the number of its first mutant; the others follow.
#[derive(Debug)]
pub(crate) struct Numbered {
    pub(crate) first: usize,
    pub(crate) site: Site,
}

/// `source` with every mutant of `sites` but those that are `out`. Comments say where each begins
/// and ends.
pub(crate) fn switched(source: &str, sites: &[Numbered], out: &BTreeSet<usize>) -> String {
    let mut order: Vec<&Numbered> = sites.iter().collect();
    // If two places have one extent, the one that was found first is the outer one.
    order.sort_by_key(|n| (n.site.range.start, std::cmp::Reverse(n.site.range.end)));
    render(source, 0..source.len(), &order, out)
}

fn render(source: &str, range: Range<usize>, sites: &[&Numbered], out: &BTreeSet<usize>) -> String {
    let (mut text, mut at, mut i) = (String::new(), range.start, 0);
    while let Some(numbered) = sites.get(i) {
        let Range { start, end } = numbered.site.range;
        let inside = sites[i + 1..].iter().take_while(|n| n.site.range.start < end).count();
        text += &source[at..start];
        let inner = render(source, start..end, &sites[i + 1..i + 1 + inside], out);
        text += &site(numbered, &inner, out);
        at = end;
        i += 1 + inside;
    }
    text + &source[at..range.end]
}

fn site(numbered: &Numbered, inner: &str, out: &BTreeSet<usize>) -> String {
    let Numbered { first, site } = numbered;
    let arms: Vec<String> = site
        .replacements
        .iter()
        .enumerate()
        .map(|(i, with)| (first + i, with))
        .filter(|(number, _)| !out.contains(number))
        .map(|(number, with)| {
            let with = match site.kind {
                Kind::Body => format!("return {with}"),
                _ => with.clone(),
            };
            format!("{number} => {{ /*<{number}*/{with}/*{number}>*/ }}")
        })
        .collect();
    if arms.is_empty() {
        return inner.to_owned();
    }
    let arms = arms.join(", ");
    let chosen = format!("match crate::mutant_switch::at({first})");
    match site.kind {
        Kind::Expression => {
            format!("/*[{first}*/({chosen} {{ {arms}, _ => {inner} }})/*{first}]*/")
        }
        Kind::Statement => {
            format!("/*[{first}*/{chosen} {{ {arms}, _ => {{ {inner} }} }}/*{first}]*/")
        }
        Kind::Body => format!("/*[{first}*/{chosen} {{ {arms}, _ => {{}} }}/*{first}]*/ {inner}"),
    }
}

/// The mutants that an error at `at` of a switched file is about: one, or all of its place.
pub(crate) fn at_fault(switched: &str, at: usize) -> Option<(usize, bool)> {
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut rest = 0;
    while let Some(comment) = switched[rest..at].find("/*") {
        let begin = rest + comment + 2;
        let Some(length) = switched[begin..].find("*/") else { break };
        let mark = &switched[begin..begin + length];
        rest = begin + length + 2;
        let number = |text: &str| text.parse::<usize>().ok();
        if let Some(first) = mark.strip_prefix('[').and_then(number) {
            open.push((first, false));
        } else if let Some(one) = mark.strip_prefix('<').and_then(number) {
            open.push((one, true));
        } else if mark.strip_suffix(['>', ']']).and_then(number).is_some() {
            open.pop();
        }
        if rest > at {
            break;
        }
    }
    open.pop()
}
