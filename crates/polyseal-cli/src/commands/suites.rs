//! `suites`: the registry, every field of it.

use std::fmt::{Display, Write};

use polyseal::needs::{Machine, fastest};
use polyseal::registry::{Algorithm, Family, Kind, Sizes, families};
use serde_json::{Value, json};

use super::{print, print_json};
use crate::args::SuitesArgs;
use crate::error::{Code, Failure, Result};

pub(crate) fn suites(args: &SuitesArgs) -> Result {
    let has = |family: &&'static Family| {
        let default = Algorithm::new(family);
        // Or one of its other sizes.
        args.need.iter().all(|need| need.met_by(&default))
            || fastest(Machine::here(), &args.need, |one| one.id == family.id).is_some()
    };
    let families: Vec<_> = families().iter().filter(has).collect();
    if args.json {
        return print_json(&families.iter().map(|family| json_of(family)).collect::<Vec<_>>());
    }
    if families.is_empty() {
        return Err(Failure::new(Code::Usage, "no algorithm has all of this"));
    }
    print(&families.iter().map(|family| text_of(family)).collect::<Vec<_>>().join("\n"))
}

fn for_files(family: &Family) -> bool {
    polyseal_file::Suite::allowed().contains(&family.id)
}

fn kind(family: &Family) -> &'static str {
    match family.kind {
        Kind::Aead => "aead",
        _ => "mac",
    }
}

fn json_of(family: &Family) -> Value {
    let sizes = |sizes: &Sizes| json!({ "default": sizes.default, "allowed": sizes.allowed });
    let params = family.params.iter().map(
        |param| json!({ "name": param.name, "default": param.default, "allowed": param.allowed }),
    );
    let commitment = family.commitment.iter().map(|claim| {
        json!({
            "level": claim.level.name(),
            "tag_bytes": claim.tag_bytes,
            "bits": claim.bits,
            "condition": claim.condition,
        })
    });
    json!({
        "id": family.id,
        "name": family.name,
        "kind": kind(family),
        "key_bytes": sizes(&family.key_bytes),
        "nonce_bytes": sizes(&family.nonce_bytes),
        "tag_bytes": sizes(&family.tag_bytes),
        "params": params.collect::<Vec<_>>(),
        "max_message_bytes": family.max_message_bytes,
        "max_ad_bytes": family.max_ad_bytes,
        "random_nonce_messages_log2": family.random_nonce_messages_log2,
        "commitment": commitment.collect::<Vec<_>>(),
        "misuse": family.misuse.name(),
        "nonce_hiding": family.nonce_hiding,
        "parallel": family.parallel,
        "online": family.online,
        "properties": family.properties,
        "specification": {
            "title": family.specification.title,
            "section": family.specification.section,
        },
        "files": for_files(family),
    })
}

fn text_of(family: &Family) -> String {
    let mut text = format!("{} ({}, {})\n", family.id, family.name, kind(family));
    let mut line = |name: &str, value: &dyn Display| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {value}");
    };
    let yes = |b: bool| if b { "yes" } else { "no" };
    let sizes = |sizes: &Sizes| format!("{sizes} bytes{}", default_of(sizes));
    line("key", &sizes(&family.key_bytes));
    line("nonce", &sizes(&family.nonce_bytes));
    line("tag", &sizes(&family.tag_bytes));
    for param in family.params {
        let allowed: Vec<_> = param.allowed.iter().map(ToString::to_string).collect();
        line(param.name, &format!("{} (default {})", allowed.join(", "), param.default));
    }
    line("message", &format!("at most {} bytes", family.max_message_bytes));
    line("ad", &format!("at most {} bytes", family.max_ad_bytes));
    line(
        "random nonces",
        &family.random_nonce_messages_log2.map_or_else(
            || "no practical limit".to_owned(),
            |log2| format!("at most 2^{log2} messages a key"),
        ),
    );
    for claim in family.commitment {
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
    if family.commitment.is_empty() {
        line("commitment", &"none claimed");
    }
    line("nonce reuse", &family.misuse.name());
    line("nonce hiding", &yes(family.nonce_hiding));
    line("parallel", &yes(family.parallel));
    line("online", &yes(family.online));
    line("properties", &family.properties.join(", "));
    line(
        "specification",
        &format!("{}, {}", family.specification.title, family.specification.section),
    );
    line("for files", &yes(for_files(family)));
    text
}

fn default_of(sizes: &Sizes) -> String {
    if sizes.allowed.len() > 1 { format!(" (default {})", sizes.default) } else { String::new() }
}
