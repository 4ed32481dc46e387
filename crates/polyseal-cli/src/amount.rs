//! Numbers too large to be written out: 1000000, 10^6, 2^20; and bytes with KiB to TiB.

use polyseal::limits::bounds::{Amount, ParseAmountError};

/// A number of which there is at least one.
pub(crate) fn count_from_one(text: &str) -> Result<Amount, String> {
    let amount: Amount = text.parse().map_err(|error: ParseAmountError| error.to_string())?;
    if amount < Amount::ONE { Err("there must be at least one".to_owned()) } else { Ok(amount) }
}

/// A number of bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[number.len()..] {
        "" | "B" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "T" | "TiB" => 1 << 40,
        _ => return Err("the units are B, KiB, MiB, GiB and TiB".to_owned()),
    };
    let number = match number.split_once('^') {
        None => u64::try_from(digits(number)?).map_err(|_| too_large())?,
        Some((base, exponent)) => {
            let base: u64 = match base {
                "2" => 2,
                "10" => 10,
                _ => return Err("only powers of 2 and 10 are known".to_owned()),
            };
            let exponent = u32::try_from(digits(exponent)?).map_err(|_| too_large())?;
            base.checked_pow(exponent).ok_or_else(too_large)?
        }
    };
    number.checked_mul(unit).ok_or_else(too_large)
}

fn too_large() -> String {
    "no message is so long".to_owned()
}

fn digits(text: &str) -> Result<u128, String> {
    // parse alone would take a sign.
    let digits = Some(text).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| "use a number such as 1000, 10^6 or 2^32".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", 0),
            ("1500", 1500),
            ("1500B", 1500),
            ("64KiB", 1 << 16),
            ("1M", 1 << 20),
            ("3GiB", 3 << 30),
            ("2TiB", 2 << 40),
            ("2^36", 1 << 36),
            ("10^3KiB", 1_024_000),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        let bad = ["", "KiB", "64kb", "64 KiB", "-1", "1.5MiB", "2^64", "2^32T", "10^20", "1PiB"];
        for text in bad {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
