//! Amounts as they are typed: 1000, 10^6, 2^32.5.

use core::f64::consts::LOG2_10;
use core::fmt;
use core::str::FromStr;

use super::Amount;

/// Beyond the range of every formula, and far from the largest logarithm.
const MAX_LOG2: f64 = 1000.0;

/// Why a text is no [`Amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseAmountError {
    /// It is not of the form of 1000, 10^6 or 2^32.5.
    Form,
    /// A power of something else than 2 or 10.
    Base,
    /// More digits than a number of 128 bits has.
    Digits,
    /// More than 2^1000.
    TooMuch,
}

/// A number in decimal digits; or a power of 2 or 10, whose exponent may have a fraction.
///
/// ```
/// use polyseal::limits::bounds::Amount;
///
/// assert_eq!("2^32".parse(), Ok(Amount::power_of_two(32.0)));
/// assert_eq!("4096".parse(), Ok(Amount::power_of_two(12.0)));
/// assert!("1e6".parse::<Amount>().is_err());
/// ```
impl FromStr for Amount {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Self, ParseAmountError> {
        let amount = match text.split_once('^') {
            None => Self::from(digits(text)?),
            Some(("2", exponent)) => Self::power_of_two(decimal(exponent)?),
            Some(("10", exponent)) => Self::power_of_two(LOG2_10 * decimal(exponent)?),
            Some(_) => return Err(ParseAmountError::Base),
        };
        if amount.log2() > MAX_LOG2 { Err(ParseAmountError::TooMuch) } else { Ok(amount) }
    }
}

fn digits(text: &str) -> Result<u128, ParseAmountError> {
    // parse alone would take a sign.
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseAmountError::Form);
    }
    text.parse().map_err(|_| ParseAmountError::Digits)
}

fn decimal(text: &str) -> Result<f64, ParseAmountError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let number = digits(whole).and_then(|_| digits(fraction)).ok().and_then(|_| text.parse().ok());
    number.ok_or(ParseAmountError::Form)
}

impl fmt::Display for ParseAmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("use a number such as 1000, 10^6 or 2^32"),
            Self::Base => f.write_str("only powers of 2 and 10 are known"),
            Self::Digits => f.write_str("write a number so large as 2^N or 10^N"),
            Self::TooMuch => write!(f, "more than 2^{MAX_LOG2} is too much"),
        }
    }
}

impl core::error::Error for ParseAmountError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_as_they_are_typed() {
        use ParseAmountError::{Base, Digits, Form, TooMuch};

        let parse = |text: &str| text.parse::<Amount>();
        for (text, log2) in
            [("1", 0.0), ("4096", 12.0), ("2^64", 64.0), ("2^32.5", 32.5), ("2^1000", 1000.0)]
        {
            assert_eq!(parse(text), Ok(Amount::power_of_two(log2)), "{text}");
        }
        assert_eq!(parse("0"), Ok(Amount::ZERO));
        assert!((parse("10^6").map_or(0.0, Amount::log2) - 1e6_f64.log2()).abs() < 1e-9);
        let of_no_form = ["", "-1", "+1", "1e6", "2^", "2^-1", "2^1.", "2^.5", "2^1.5.5", "2^inf"];
        for text in of_no_form.into_iter().chain(["2^nan", "1 000", "0x10", "64KiB"]) {
            assert_eq!(parse(text), Err(Form), "{text}");
        }
        let digits = "9".repeat(40);
        let others = [("^2", Base), ("3^4", Base), ("2^2000", TooMuch), ("10^302", TooMuch)];
        for (text, error) in others.into_iter().chain([(&*digits, Digits)]) {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}
