//! Numbers too large to be written out: 1000000, 10^6, 2^20; and bytes with KiB to TiB.

use polyseal::limits::bounds::Amount;

/// More than any formula is made for, and far from what a logarithm can hold.
const MAX_LOG2: f64 = 1000.0;

/// A number that may be 0.
pub(crate) fn count(text: &str) -> Result<Amount, String> {
    let amount = match text.split_once('^') {
        None => Amount::from(digits(text)?),
        Some((base, exponent)) => {
            let base = match base {
                "2" => 1.0,
                "10" => 10_f64.log2(),
                _ => return Err("only powers of 2 and 10 are known".to_owned()),
            };
            let exponent = decimal(exponent).ok_or(FORM)?;
            Amount::power_of_two(base * exponent)
        }
    };
    if amount.log2() > MAX_LOG2 {
        return Err(format!("more than 2^{MAX_LOG2} is too much"));
    }
    Ok(amount)
}

/// A number of which there is at least one.
pub(crate) fn count_from_one(text: &str) -> Result<Amount, String> {
    let amount = count(text)?;
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
    let too_large = || "no message is so long".to_owned();
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

const FORM: &str = "use a number such as 1000, 10^6 or 2^32";

fn digits(text: &str) -> Result<u128, String> {
    // Of its own accord, parse takes a sign.
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(FORM.to_owned());
    }
    text.parse().map_err(|_| "write a number so large as 2^N or 10^N".to_owned())
}

fn decimal(text: &str) -> Option<f64> {
    let (whole, tenths) = text.split_once('.').unwrap_or((text, "0"));
    digits(whole).and_then(|_| digits(tenths)).ok()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (text, log2) in
            [("1", 0.0), ("4096", 12.0), ("2^64", 64.0), ("2^32.5", 32.5), ("2^1000", 1000.0)]
        {
            assert_eq!(count(text), Ok(Amount::power_of_two(log2)), "{text}");
        }
        assert_eq!(count("0"), Ok(Amount::ZERO));
        assert!((count("10^6").unwrap().log2() - 1e6_f64.log2()).abs() < 1e-9);
        let bad = ["", "-1", "+1", "1e6", "2^", "^2", "3^4", "2^-1", "2^1.", "2^.5", "2^1.5.5"];
        let worse = ["2^2000", "10^302", "2^inf", "2^nan", "1 000", "0x10", "64KiB"];
        for text in bad.into_iter().chain(worse).chain([&*"9".repeat(40)]) {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(count_from_one("0").is_err());
        assert_eq!(count_from_one("1"), Ok(Amount::ONE));
    }

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
