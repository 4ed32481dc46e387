//! `suites`: the registry, a line for each algorithm, or every field of some.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use polyseal::limits::Limits;
use polyseal::needs::{CpuClass, Need, fastest};
use polyseal::registry::{
    Algorithm, Cost, Family, Kind, Misuse, Param, ParamKind, Sizes, families,
};
use serde_json::{Value, json};

use super::{print, print_json, suites_of};
use crate::args::SuitesArgs;
use crate::error::{Code, Failure, Result};

pub(crate) fn suites(args: &SuitesArgs) -> Result {
    let named = args.names.iter().map(|name| named(name)).collect::<Result<Vec<_>>>()?;
    let listed = || families().iter().filter(|family| args.all || !family.identity.papers_only);
    let listed = if named.is_empty() { listed().collect() } else { named };
    let mut families: Vec<_> =
        listed.into_iter().filter(|family| meets(family, &args.need)).collect();
    if args.json {
        return print_json(&families.iter().map(|family| json_of(family)).collect::<Vec<_>>());
    }
    if families.is_empty() {
        return Err(Failure::new(Code::Usage, "no algorithm has all of this"));
    }
    if !args.names.is_empty() {
        let texts = families.iter().map(|family| text_of(family));
        return print(&texts.collect::<Vec<_>>().join("\n"));
    }
    families.sort_by_key(|family| rank(family));
    let rows = families.iter().map(|family| row_of(family)).collect::<String>();
    print(&format!("{HEAD}\n{rows}"))
}

/// The family of the algorithm `name`.
fn named(name: &str) -> Result<&'static Family> {
    let algorithm = name.parse::<Algorithm>().map_err(|error| {
        Failure::new(Code::Usage, format!("{name}: {error}"))
            .hint("`polyseal suites --all` lists the algorithms")
    })?;
    Ok(algorithm.family())
}

/// Whether `family` has all of `needs`, by default or in one of its other sizes.
fn meets(family: &'static Family, needs: &[Need]) -> bool {
    let default = Algorithm::new(family);
    needs.iter().all(|need| need.met_by(&default))
        || fastest(CpuClass::here(), needs, |f| f.identity.id == family.identity.id).is_some()
}

/// Those that are chosen for new data come first, and MACs last.
fn rank(family: &Family) -> u8 {
    match (family.identity.kind, family.cost, family.claims.reviewed) {
        (Kind::Aead, Some(_), true) => 0,
        (Kind::Aead, Some(_), false) => 1,
        (Kind::Aead, None, _) if !family.identity.papers_only => 2,
        (Kind::Aead, ..) => 4,
        _ => 3,
    }
}

/// The head of the table: bytes of key, nonce and tag; cycles a byte on CPUs of this class; the
/// commitment, if it is to the key at least; what a repeated nonce does; whether files can have it.
const HEAD: &str =
    "algorithm                   key/nonce/tag  cycles/B  commits  reuse    files  purpose";

/// A family as a row of the table.
fn row_of(family: &'static Family) -> String {
    let algorithm = Algorithm::new(family);
    let id = family.identity.id;
    let [key, nonce, tag] = [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()];
    let sizes = format!("{key}/{nonce}/{tag}");
    let cost = family.cost.and_then(|cost| {
        let class = CpuClass::here().name();
        let (_, cost) = by_back_end(&cost).into_iter().find(|(name, _)| *name == class)?;
        Some(format!("{:.2}", f64::from(cost) / 1000.0))
    });
    let cost = cost.unwrap_or_else(|| "-".into());
    let commits = match algorithm.commitment() {
        Some(claim) if Need::Committing.met_by(&algorithm) => claim.level.name(),
        _ => "no",
    };
    let reuse = match family.claims.misuse {
        Misuse::Breaks => "breaks",
        Misuse::Resistant => "resists",
        _ => "-",
    };
    let files = if suites_of(family).next().is_some() { "yes" } else { "-" };
    let purpose = family.identity.purpose;
    format!("{id:<28}{sizes:<13}{cost:>10}  {commits:<9}{reuse:<9}{files:<7}{purpose}\n")
}

fn kind(family: &Family) -> &'static str {
    match family.identity.kind {
        Kind::Aead => "aead",
        _ => "mac",
    }
}

fn json_sizes(sizes: &Sizes) -> Value {
    match sizes.long_range() {
        Some(range) => {
            let (shortest, longest) = range.into_inner();
            json!({ "default": sizes.default, "shortest": shortest, "longest": longest })
        }
        None => json!({ "default": sizes.default, "allowed": sizes.iter().collect::<Vec<_>>() }),
    }
}

fn json_of(family: &'static Family) -> Value {
    let params = family.sizes.params.iter().map(|param| {
        let value = |value| match param.kind {
            ParamKind::Configuration | ParamKind::Name(_) => json!(param.text(value).to_string()),
            _ => json!(value),
        };
        let allowed: Vec<_> = param.allowed.iter().map(|&allowed| value(allowed)).collect();
        json!({ "name": param.name, "default": value(param.default), "allowed": allowed })
    });
    let commitment = family.claims.commitment.iter().map(|claim| {
        json!({
            "level": claim.level.name(),
            "tag_bytes": claim.tag_bytes,
            "bits": claim.bits,
            "condition": claim.condition,
        })
    });
    let cost = family.cost.map(|cost| {
        BTreeMap::from(by_back_end(&cost).map(|(name, cost)| (name, f64::from(cost) / 1000.0)))
    });
    json!({
        "id": family.identity.id,
        "purpose": family.identity.purpose,
        "papers_only": family.identity.papers_only,
        "name": family.identity.name,
        "kind": kind(family),
        "key_bytes": json_sizes(&family.sizes.key_bytes),
        "nonce_bytes": json_sizes(&family.sizes.nonce_bytes),
        "tag_bytes": json_sizes(&family.sizes.tag_bytes),
        "head_bytes": Algorithm::new(family).head_bytes(),
        "params": params.collect::<Vec<_>>(),
        "max_message_bytes": family.limits.max_message_bytes,
        "max_ad_bytes": family.limits.max_ad_bytes,
        "random_nonce_messages_log2": random_nonces_log2(&Algorithm::new(family)),
        "random_nonce_messages_log2_with": other_random_nonces_log2(family),
        "counted_nonce_messages_log2": family.limits.counted_nonce_messages_log2,
        "counted_other_nonce_messages_log2": family.limits.counted_other_nonce_messages_log2,
        "total_bytes_log2": family.limits.total_bytes_log2,
        "counted_total_bytes_log2": counted_total_log2(family),
        "forgery_bits": family.limits.forgery_bits,
        "forgery_loss_bits": family.limits.forgery_loss_bits,
        "commitment": commitment.collect::<Vec<_>>(),
        "misuse": family.claims.misuse.name(),
        "nonce_hiding": family.claims.nonce_hiding,
        "parallel": family.claims.parallel,
        "online": family.claims.online,
        "fips": family.claims.fips,
        "reviewed": family.claims.reviewed,
        "cycles_per_byte": cost,
        "properties": family.claims.properties,
        "specification": {
            "title": family.identity.specification.title,
            "section": family.identity.specification.section,
        },
        "files": suites_of(family).collect::<Vec<_>>(),
    })
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

fn text_sizes(sizes: &Sizes) -> String {
    format!("{sizes} bytes{}", default_of(sizes))
}

const NO_LIMIT: &str = "no practical limit";

/// A limit of a key; `none` if there is none.
fn at_most(log2: Option<u32>, what: &str, none: &str) -> String {
    log2.map_or_else(|| none.to_owned(), |log2| format!("at most 2^{log2} {what} a key"))
}

/// The messages under random nonces, by the limits that `polyseal limits` keeps to, too.
fn random_nonces_log2(algorithm: &Algorithm) -> Option<u32> {
    Limits::for_algorithm(algorithm).random_nonce_messages.map(u128::ilog2)
}

/// The same for each value of a parameter that changes it.
fn other_random_nonces_log2(family: &'static Family) -> BTreeMap<String, u32> {
    let algorithm = Algorithm::new(family);
    let most = random_nonces_log2(&algorithm);
    let numbers = family.sizes.params.iter().filter(|p| matches!(p.kind, ParamKind::Number));
    let values = numbers.flat_map(|param| param.allowed.iter().map(|&value| (param.name, value)));
    let figures = values.filter_map(|(name, value)| {
        let log2 = random_nonces_log2(&algorithm.with(name, value).ok()?)?;
        (Some(log2) != most).then(|| (format!("{name}={value}"), log2))
    });
    figures.collect()
}

fn random_nonces(family: &'static Family) -> String {
    let mut text = at_most(random_nonces_log2(&Algorithm::new(family)), "messages", NO_LIMIT);
    for (choice, log2) in other_random_nonces_log2(family) {
        let _ = write!(text, ", 2^{log2} with {choice}");
    }
    text
}

fn text_of(family: &'static Family) -> String {
    let mut text = format!("{} ({}, {})\n", family.identity.id, family.identity.name, kind(family));
    let mut line = |name: &str, value: &dyn Display| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {value}");
    };
    line("purpose", &family.identity.purpose);
    line("key", &text_sizes(&family.sizes.key_bytes));
    line("nonce", &text_sizes(&family.sizes.nonce_bytes));
    let head = match Algorithm::new(family).head_bytes() {
        0 => String::new(),
        head => format!(", {head} of them the encrypted nonce"),
    };
    line("tag", &format!("{}{head}", text_sizes(&family.sizes.tag_bytes)));
    for param in family.sizes.params {
        line(param.name, &values_of(family, param));
    }
    if family.sizes.one_param {
        line("", &"one of these two at most");
    }
    line("message", &format!("at most {} bytes", family.limits.max_message_bytes));
    line("ad", &format!("at most {} bytes", family.limits.max_ad_bytes));
    line("random nonces", &random_nonces(family));
    let counted = "as many messages as nonces";
    let mut counted = at_most(family.limits.counted_nonce_messages_log2, "messages", counted);
    if let Some(log2) = family.limits.counted_other_nonce_messages_log2
        && family.sizes.nonce_bytes.count() > 1
    {
        let default = family.sizes.nonce_bytes.default;
        let _ = write!(counted, " of {default} bytes, at most 2^{log2} with others");
    }
    line("counted nonces", &counted);
    line("total", &at_most(family.limits.total_bytes_log2, "bytes", NO_LIMIT));
    if let Some(log2) = counted_total_log2(family)
        && family.limits.total_bytes_log2 != Some(log2)
    {
        let unless = "where nonces are counted, but not in their first bytes";
        line("", &format!("at most 2^{log2} bytes a key {unless}"));
    }
    for claim in family.claims.commitment {
        line(
            "commitment",
            &format!(
                "{}, 2^{} with a tag of {} bytes: {}",
                claim.level.name(),
                claim.bits,
                claim.tag_bytes,
                claim.condition
            ),
        );
    }
    if family.claims.commitment.is_empty() {
        line("commitment", &"none claimed");
    }
    line("nonce reuse", &family.claims.misuse.name());
    line("nonce hiding", &yes(family.claims.nonce_hiding));
    line("parallel", &yes(family.claims.parallel));
    line("online", &yes(family.claims.online));
    line(
        "fips",
        &if family.claims.fips { "made of parts that a validation can approve" } else { "no" },
    );
    if !family.claims.reviewed {
        line("reviewed", &"not by third parties: chosen only where nothing else will do");
    }
    if let Some(cost) = &family.cost {
        let each = by_back_end(cost)
            .map(|(name, cost)| format!("{} {name}", f64::from(cost) / 1000.0))
            .join(", ");
        line("cycles a byte", &each);
    }
    line("properties", &family.claims.properties.join(", "));
    let specification =
        [family.identity.specification.title, family.identity.specification.section];
    line("specification", &specification.join(", ").trim_end_matches(", "));
    let suites: Vec<_> = suites_of(family).collect();
    line("for files", &if suites.is_empty() { "no".to_owned() } else { suites.join(", ") });
    text
}

/// The limit on bytes under nonces that are counted anywhere, as a power of two.
fn counted_total_log2(family: &'static Family) -> Option<u32> {
    Limits::for_algorithm(&Algorithm::new(family)).counted_total_bytes.limit.map(u128::ilog2)
}

/// A parameter's values, and the tag that goes with those that change it.
fn values_of(family: &'static Family, param: &Param) -> String {
    let default = Algorithm::new(family);
    let values = match param.kind {
        ParamKind::Configuration => "any that commits, in hexadecimal".to_owned(),
        ParamKind::Permission => "1 allows profiles of the 64-bit level".to_owned(),
        _ => {
            let values = param.allowed.iter().map(|&value| {
                let with = default.with(param.name, value).ok();
                let tag = with.map_or(0, |with| with.tag_bytes());
                let value = param.text(value);
                if with.is_some_and(|with| with.is_forgeable()) {
                    format!("{value} (forgeable: for old data only)")
                } else if tag == default.tag_bytes() {
                    value.to_string()
                } else {
                    format!("{value} with a tag of {tag} bytes")
                }
            });
            values.collect::<Vec<_>>().join(", ")
        }
    };
    format!("{values} (default {})", param.text(param.default))
}

/// Thousandths of a cycle for a byte, where they were measured: not on NEON.
fn by_back_end(cost: &Cost) -> [(&'static str, u32); 6] {
    [
        ("soft", cost.soft),
        ("ssse3", cost.ssse3),
        ("aesni", cost.aesni),
        ("vaes256", cost.vaes256),
        ("vaes512", cost.vaes512),
        ("simd128", cost.simd128),
    ]
}

fn default_of(sizes: &Sizes) -> String {
    if sizes.count() > 1 { format!(" (default {})", sizes.default) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use polyseal::Error;
    use polyseal::limits::bounds::{Amount, Load, assess};
    use polyseal::registry::{Algorithm, Kind, families};

    use super::{json_of, text_of};

    /// Whether `polyseal limits` refuses 2^`log2` empty messages with random nonces.
    fn refused(algorithm: &Algorithm, log2: f64) -> bool {
        let messages = Amount::power_of_two(log2);
        let load = Load { messages, ..Load::one_message(0, 0) };
        let random = |error: &Error| {
            matches!(error, Error::Limit { what: "messages with random nonces", .. })
        };
        assess(algorithm, &load).crossed.iter().any(random)
    }

    /// Each figure is that at which `polyseal limits` begins to refuse, in every row.
    #[test]
    fn as_many_random_nonces_as_limits_allows() {
        for family in families() {
            let algorithm = Algorithm::new(family);
            let text = text_of(family);
            let line = text.lines().find_map(|line| line.strip_prefix("  random nonces "));
            let line = line.expect("a line on random nonces").trim();
            let json = &json_of(family)["random_nonce_messages_log2"];
            if line == "no practical limit" {
                assert!(json.is_null() && !refused(&algorithm, 127.0), "{algorithm}");
                continue;
            }
            let (most, others) = line.split_once(" messages a key").expect(line);
            let figure = |text: &str| text.parse::<u32>().expect(line);
            let most = figure(most.strip_prefix("at most 2^").expect(line));
            assert_eq!(json.as_u64(), Some(most.into()), "{algorithm}");
            let mut figures = vec![(algorithm, most)];
            for other in others.split(", ").filter(|other| !other.is_empty()) {
                let other = other.strip_prefix("2^").and_then(|other| other.split_once(" with "));
                let (most, choice) = other.expect(line);
                let name = format!("{}:{choice}", family.identity.id);
                figures.push((name.parse().expect(line), figure(most)));
                let json = &json_of(family)["random_nonce_messages_log2_with"][choice];
                assert_eq!(json.as_u64(), figures.last().map(|&(_, most)| most.into()), "{line}");
            }
            for (algorithm, most) in figures {
                let most = f64::from(most);
                let found = [refused(&algorithm, most), refused(&algorithm, most + 0.1)];
                assert_eq!(found, [false, true], "{algorithm}: {line}");
            }
        }
    }

    #[test]
    fn what_a_parameter_changes_is_said() {
        for (name, expected) in [
            ("kc-c3-xaes-256-gcm", "at most 2^44 messages a key\n"),
            ("dndk-gcm", "at most 2^80 messages a key, 2^44 with kc=1\n"),
            ("kc-xaes-256-gcm", "at most 2^80 messages a key\n"),
            ("flex-och", "at most 2^112 messages a key\n"),
        ] {
            let algorithm: Algorithm = name.parse().expect(name);
            assert_eq!(algorithm.family().identity.kind, Kind::Aead);
            let text = text_of(algorithm.family());
            assert!(text.contains(&format!("random nonces  {expected}")), "{text}");
        }
    }
}
