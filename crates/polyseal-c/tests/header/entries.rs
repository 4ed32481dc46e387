//! The lists in the header: errors and algorithms.

use std::fmt::Write;

use polyseal::limits::Limits;
use polyseal::registry::{Algorithm, Level, Misuse};
use polyseal_c::algorithms::{Row, RowKind, rows as all};
use polyseal_c::error::CODES;

use super::rust::comment;

pub(crate) fn errors() -> String {
    let mut text = "enum polyseal_error {\n    POLYSEAL_OK = 0,\n".to_owned();
    for (name, value, meaning) in CODES {
        writeln!(
            text,
            "{}    POLYSEAL_ERR_{name} = {value},",
            comment(&[(*meaning).to_owned()], "    ")
        )
        .unwrap();
    }
    let text = text.trim_end().trim_end_matches(',');
    format!("{text}\n}};\n")
}

pub(crate) fn rows(kind: RowKind) -> String {
    let mut text = String::new();
    let mut guard = None;
    for row in all().filter(|row| row.kind == kind) {
        let needed = left_out_by(row);
        if guard != needed {
            end(&mut text, guard);
            if let Some(name) = needed {
                writeln!(text, "#ifndef {name}\n").unwrap();
            }
            guard = needed;
        }
        let (c, [key, nonce, tag]) = (row.c, row.sizes);
        let declare = match kind {
            RowKind::Aead => "AEAD",
            RowKind::Segmented => "SEGMENTED",
            RowKind::Mac => "MAC",
        };
        text.push_str(&comment(&[about(row)], ""));
        write!(
            text,
            "#define polyseal_{c}_KEYBYTES {key}U\n\
             #define polyseal_{c}_NPUBBYTES {nonce}U\n\
             #define polyseal_{c}_ABYTES {tag}U\n"
        )
        .unwrap();
        if kind != RowKind::Mac {
            let longest = row.name.parse::<Algorithm>().expect(row.name).max_message_bytes();
            writeln!(
                text,
                "#define polyseal_{c}_MESSAGEBYTES_MAX \\\n    POLYSEAL_SIZE_(0x{longest:x}ULL)"
            )
            .unwrap();
        }
        write!(text, "POLYSEAL_{declare}_({c})\n\n").unwrap();
    }
    end(&mut text, guard);
    text
}

/// The macro of a library that is built without this algorithm's functions.
fn left_out_by(row: &Row) -> Option<&'static str> {
    match row.name.split('-').next() {
        Some("flex") => Some("POLYSEAL_NO_FLEX"),
        Some("omd") => Some("POLYSEAL_NO_OMD"),
        _ => None,
    }
}

fn end(text: &mut String, guard: Option<&str>) {
    if let Some(name) = guard {
        write!(text, "#endif /* {name} */\n\n").unwrap();
    }
}

/// The text of an entry: the registry's name, the specification, and notes.
fn about(row: &Row) -> String {
    let algorithm: Algorithm = row.name.parse().expect(row.name);
    let family = algorithm.family();
    let mut text = format!("\"{}\": {}", row.name, family.identity.name);
    for (name, value) in algorithm.choices() {
        match name {
            "tag" => write!(text, ", with a tag of {value} bytes").unwrap(),
            "kc" => text.push_str(", with key commitment"),
            other => panic!("what is {other}?"),
        }
    }
    write!(text, ". {}.", family.identity.specification.title.replace(['ț', 'ă'], "?")).unwrap();
    if row.kind == RowKind::Mac {
        return text;
    }
    match Limits::for_algorithm(&algorithm).random_nonce_messages {
        Some(limit) if limit.is_power_of_two() => {
            write!(text, " Random nonces: 2^{} messages.", limit.ilog2()).unwrap();
        }
        Some(limit) => write!(text, " Random nonces: {limit} messages.").unwrap(),
        None => text.push_str(" Random nonces: any number."),
    }
    text.push_str(match family.claims.misuse {
        Misuse::Breaks => " A repeated nonce breaks it.",
        Misuse::Resistant => " A repeated nonce shows which messages are equal.",
        _ => "",
    });
    if family.claims.nonce_hiding {
        text.push_str(" The nonce is hidden.");
    }
    if let Some(claim) = algorithm.commitment() {
        let what = match claim.level {
            Level::KeyFixedAd => "keys, where ad cannot be chosen",
            Level::ForKc | Level::Cmt1 => "keys",
            Level::Cmt2 => "keys and nonces",
            Level::Cmt4 => "keys, nonces, ad and messages",
            _ => panic!("a new level"),
        };
        write!(text, " Commits: {what}; 2^{}.", claim.bits).unwrap();
    }
    text
}
