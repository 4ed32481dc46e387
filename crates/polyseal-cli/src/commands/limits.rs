//! `limits`: every bound under a load, which one binds, and how many messages a key may seal.
//!
//! The formulas are the library's; here they are printed, and said in plain words. A load that is
//! too much is an answer like another, with exit code 0: only a question that makes no sense fails.

use polyseal::Error;
use polyseal::limits::Nonces;
use polyseal::limits::bounds::{Amount, Assessment, Bound, Load, Probability};
use polyseal::limits::bounds::{assess, messages_within};
use polyseal::registry::Algorithm;
use serde_json::{Map, Value, json};

use super::{print, print_json};
use crate::args::{LimitsArgs, NonceKind};
use crate::error::{Failure, Result};

/// The risks that are asked about, as exponents of 2: NIST's own in SP 800-38D, section 8, and the
/// example of draft-irtf-cfrg-aead-limits.
const RISKS: [i32; 2] = [-32, -50];

pub(crate) fn limits(args: &LimitsArgs) -> Result {
    let algorithm: Algorithm = args.suite.parse().map_err(|error| {
        Failure::usage(format!("{}: {error}", args.suite))
            .hint("`polyseal suites` lists the algorithms, their sizes and parameters")
    })?;
    let load = Load {
        keys: args.keys,
        messages: args.messages,
        message_bytes: args.size,
        ad_bytes: args.ad,
        nonces: match args.nonces {
            NonceKind::Random => Nonces::Random,
            NonceKind::Counted => Nonces::Counted,
            NonceKind::CountedFirst => Nonces::CountedFirst,
        },
        forgeries: args.forgeries,
        work: args.work,
    };
    let answer = LimitsReport::new(algorithm, load);
    if args.json { print_json(&answer.json()) } else { print(&answer.text()) }
}

struct LimitsReport {
    algorithm: Algorithm,
    load: Load,
    assessment: Assessment,
    /// Messages for each of [`RISKS`].
    messages: [Option<Amount>; 2],
}

impl LimitsReport {
    fn new(algorithm: Algorithm, load: Load) -> Self {
        let assessment = assess(&algorithm, &load);
        let messages = RISKS.map(|log2| messages_within(&algorithm, &load, risk(log2)));
        Self { algorithm, load, assessment, messages }
    }

    /// Whether the load keeps to each of [`RISKS`] and to every limit.
    fn within_limits(&self) -> [bool; 2] {
        let total = self.assessment.total();
        let kept = self.assessment.crossed.is_empty();
        RISKS.map(|log2| kept && total.is_within(risk(log2)))
    }

    fn binding(&self) -> &'static str {
        self.assessment.binding().map_or("", |bound| bound.name)
    }

    fn nonces(&self) -> &'static str {
        match self.load.nonces {
            Nonces::Random => "random",
            Nonces::Counted => "counted",
            Nonces::CountedFirst => "counted-first",
        }
    }

    fn text(&self) -> String {
        let Assessment { usage, offline, not_counted, .. } = &self.assessment;
        let mut text = self.question();
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        line("\n\nWhat may happen, and how likely it is at most:");
        for bound in usage {
            let binds = if Some(bound) == self.assessment.binding() { " <- binds" } else { "" };
            line(&format!("{}{binds}", row(bound)));
        }
        line(&format!("  {:<26} {:>8}", "any of these", self.assessment.total().to_string()));

        line(&format!("\nWhat {} calls of the primitive find, whatever the use:", self.load.work));
        offline.iter().for_each(|bound| line(&row(bound)));
        if !not_counted.is_empty() {
            line("\nNot counted, because it harms no message:");
            not_counted.iter().for_each(|bound| line(&row(bound)));
        }

        line("\nHow many messages of this size each key may seal:");
        for (risk, messages) in RISKS.iter().zip(self.messages) {
            let messages = messages.map_or_else(|| "none".to_owned(), |n| n.to_string());
            line(&format!("  {:<26} {messages:>8}", format!("at a risk of 2^{risk}")));
        }
        line(&format!("\n{}", self.advice()));
        text
    }

    fn question(&self) -> String {
        let Load { keys, messages, message_bytes, ad_bytes, forgeries, .. } = self.load;
        let keys =
            if keys == Amount::ONE { "one key".into() } else { format!("each of {keys} keys") };
        let ad = if ad_bytes == 0 { String::new() } else { format!(" and {ad_bytes} of AD") };
        format!(
            "{}, {} nonces\n{keys}: messages {messages}, bytes {message_bytes}{ad}, \
             forgeries {forgeries}",
            self.algorithm,
            self.nonces()
        )
    }

    fn json(&self) -> Value {
        let Load { keys, messages, message_bytes, ad_bytes, forgeries, work, .. } = self.load;
        let crossed: Vec<_> = self.assessment.crossed.iter().map(ToString::to_string).collect();
        json!({
            "suite": self.algorithm.to_string(),
            "load": {
                "keys_log2": number(keys.log2()),
                "messages_log2": number(messages.log2()),
                "message_bytes": message_bytes,
                "ad_bytes": ad_bytes,
                "nonces": self.nonces(),
                "forgeries_log2": number(forgeries.log2()),
                "work_log2": number(work.log2()),
            },
            "bounds": json_bounds(&self.assessment.usage),
            "binding": self.binding(),
            "total_log2": number(self.assessment.total().log2_rounded()),
            "offline": json_bounds(&self.assessment.offline),
            "not_counted": json_bounds(&self.assessment.not_counted),
            "crossed": crossed,
            "messages_log2": Value::Object(by_risk(self.messages.map(|messages| {
                messages.map_or(Value::Null, |amount| number(floor(amount)))
            }))),
            "within": Value::Object(by_risk(self.within_limits().map(Value::Bool))),
            "advice": self.advice(),
        })
    }

    fn advice(&self) -> String {
        let [nist, strict] = self.messages;
        let crossed = &self.assessment.crossed;
        let tolerable = self.assessment.total().is_within(risk(RISKS[0]));
        let use_of_keys = match (self.within_limits(), nist, strict) {
            ([_, true], _, Some(most)) => {
                format!("Fine: a key bears {most} such messages even at a risk of 2^-50.")
            }
            ([true, _], _, Some(most)) => {
                format!("Fine at NIST's risk of 2^-32; at 2^-50, rekey after {most} messages.")
            }
            ([true, _], ..) => "Fine at NIST's risk of 2^-32, but not at 2^-50.".to_owned(),
            _ if matches!(crossed[..], [Error::TooLong { .. }, ..]) => {
                format!("Too long: {}.", crossed[0])
            }
            (_, Some(most), _) if tolerable => {
                format!("Too much: {}, after {most} messages.", crossed[0])
            }
            (_, Some(most), _) => {
                let alternative =
                    self.alternative().map(|alternative| format!(", or {alternative}"));
                format!("Too much: rekey after {most} messages{}.", alternative.unwrap_or_default())
            }
            _ => {
                let alternative = self.alternative().map(|alternative| format!(": {alternative}"));
                format!("Too much even for one message{}.", alternative.unwrap_or_default())
            }
        };
        let found = self.assessment.offline.iter().find(|bound| bound.name == "key search");
        match found.map(Bound::probability) {
            Some(found) if !found.is_within(risk(RISKS[0])) => {
                format!("{use_of_keys}\nA key search is likelier than 2^-32: use longer keys.")
            }
            _ => use_of_keys,
        }
    }

    /// Other ways, each of which bears the whole load.
    fn alternative(&self) -> Option<String> {
        let nonces = |nonces| bears(&self.algorithm, &Load { nonces, ..self.load });
        let ways = match self.binding() {
            "repeated nonce" | "commitment repeats" => {
                let other = LONG_NONCES
                    .iter()
                    .filter_map(|id| id.parse().ok())
                    .filter(|a: &Algorithm| a.nonce_bytes() > self.algorithm.nonce_bytes())
                    .find(|a| bears(a, &self.load));
                [
                    nonces(Nonces::Counted).then(|| "count the nonces".to_owned()),
                    other.map(|id| format!("use {id} (a longer nonce)")),
                ]
            }
            "forgery" => {
                let none = Load { forgeries: Amount::ZERO, ..self.load };
                let fewer = bears(&self.algorithm, &none);
                let tag = self.algorithm.family().sizes.tag_bytes.default;
                let longer =
                    self.algorithm.with("tag", tag as u64).ok().filter(|a| {
                        a.tag_bytes() > self.algorithm.tag_bytes() && bears(a, &self.load)
                    });
                [
                    fewer.then(|| "stop after fewer forgeries".to_owned()),
                    match self.algorithm.is_forgeable() {
                        true => {
                            let id = self.algorithm.family().identity.id;
                            Some(format!("use {id} (this one is for old data only)"))
                        }
                        false => longer.map(|_| "use a longer tag".to_owned()),
                    },
                ]
            }
            _ => {
                let counted = self.load.nonces == Nonces::Counted;
                let way = if counted && nonces(Nonces::CountedFirst) {
                    Some("count in the nonce's first bytes".to_owned())
                } else {
                    nonces(Nonces::Random).then(|| "draw the nonces at random".to_owned())
                };
                let empty = Load { message_bytes: 0, ad_bytes: 0, ..self.load };
                let shorter = bears(&self.algorithm, &empty);
                [way, shorter.then(|| "let messages be shorter".to_owned())]
            }
        };
        let ways: Vec<_> = ways.into_iter().flatten().collect();
        (!ways.is_empty()).then(|| ways.join(", or "))
    }
}

/// The recommendation where a nonce is too short.
const LONG_NONCES: [&str; 2] = ["kc-xaes-256-gcm", "aegis-256x2"];

/// Whether the load keeps to NIST's risk and to every limit.
fn bears(algorithm: &Algorithm, load: &Load) -> bool {
    let assessment = assess(algorithm, load);
    assessment.crossed.is_empty() && assessment.total().is_within(risk(RISKS[0]))
}

fn risk(log2: i32) -> Probability {
    Probability::power_of_two(log2.into())
}

fn row(bound: &Bound) -> String {
    let probability = bound.probability().to_string();
    format!("  {:<26} {probability:>8}  {}  [{}]", bound.name, bound.formula, bound.source)
}

fn json_bounds(bounds: &[Bound]) -> Vec<Value> {
    bounds.iter().map(json_of).collect()
}

/// The values by risk.
fn by_risk(values: [Value; 2]) -> Map<String, Value> {
    RISKS.iter().zip(values).map(|(risk, value)| (format!("2^{risk}"), value)).collect()
}

fn json_of(bound: &Bound) -> Value {
    json!({
        "name": bound.name,
        "log2": number(bound.probability().log2_rounded()),
        "formula": bound.formula,
        "source": bound.source,
    })
}

/// JSON has no infinity: the logarithm of 0 is `null`.
fn number(log2: f64) -> Value {
    if log2.is_finite() { json!((log2 * 1e6).round() / 1e6) } else { Value::Null }
}

/// To a tenth, and never more than it is.
fn floor(amount: Amount) -> f64 {
    (amount.log2() * 10.0 + 1e-6).floor() / 10.0
}
