//! SSH's data types: strings and numbers, each with its length before it.
//!
//! Source: RFC 4251, section 5. Numbers are those of keys: never negative, and in their one form.

/// Bytes that are read from their beginning to their end.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// So many bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// A number that is not negative, without the zero that says so.
    pub(super) fn number(&mut self) -> Option<&'a [u8]> {
        match self.string()? {
            [0, rest @ ..] if rest.first().is_some_and(|&first| first >= 0x80) => Some(rest),
            [0, ..] => None,
            [first, ..] if *first >= 0x80 => None,
            number => Some(number),
        }
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// `None` if something is left.
    pub(super) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Appends a string.
pub(super) fn put_string(to: &mut Vec<u8>, bytes: &[u8]) {
    // No truncation: a file with a key has 16 KiB.
    to.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    to.extend_from_slice(bytes);
}

/// Appends a number, from its bytes without zeros before them.
pub(super) fn put_number(to: &mut Vec<u8>, number: &[u8]) {
    let sign: &[u8] = if number.first().is_some_and(|&first| first >= 0x80) { &[0] } else { &[] };
    put_string(to, &[sign, number].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let read = |bytes: &[u8]| {
            let mut wire = Vec::new();
            put_string(&mut wire, bytes);
            Reader::new(&wire).number().map(<[u8]>::to_vec)
        };
        for (bytes, number) in [
            (&b""[..], Some(&b""[..])),
            (b"\x01", Some(b"\x01")),
            (b"\x7f\xff", Some(b"\x7f\xff")),
            (b"\x00\x80", Some(b"\x80")),
            (b"\x80", None),
            (b"\x00", None),
            (b"\x00\x7f", None),
            (b"\x00\x00\x80", None),
        ] {
            assert_eq!(read(bytes).as_deref(), number, "{bytes:?}");
            if let Some(number) = number {
                let mut wire = Vec::new();
                put_number(&mut wire, number);
                assert_eq!(wire[4..], *bytes);
            }
        }
        assert_eq!(Reader::new(b"\0\0\0\x05abcd").string(), None);
        assert_eq!(Reader::new(b"\0\0\0").u32(), None);
        assert_eq!(Reader::new(b"\xff\xff\xff\xff").string(), None);
    }
}
