//! A list of names, one on a line or ended by NUL, as they come.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use crate::platform::name_from_bytes;

/// More bytes than any system takes for a name.
const MOST: u64 = 65_536;

/// The names in a list, without empty ones. After an error there are no more.
#[derive(Debug)]
pub struct NameList<R> {
    input: R,
    end: u8,
    ended: bool,
}

impl<R: BufRead> NameList<R> {
    /// Each name ends with the byte `end`, or the last with the input.
    #[must_use]
    pub fn new(input: R, end: u8) -> Self {
        Self { input, end, ended: false }
    }

    /// The input.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    fn name(&mut self) -> io::Result<Option<PathBuf>> {
        loop {
            let mut name = Vec::new();
            (&mut self.input).take(MOST).read_until(self.end, &mut name)?;
            if name.is_empty() {
                return Ok(None);
            }
            if name.last() == Some(&self.end) {
                name.pop();
            } else if name.len() as u64 == MOST {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            if !name.is_empty() {
                return Ok(Some(PathBuf::from(&*name_from_bytes(&name))));
            }
        }
    }
}

impl<R: BufRead> Iterator for NameList<R> {
    /// The error is that of the input, or `InvalidFilename` for a name that is too long.
    type Item = io::Result<PathBuf>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let name = self.name();
        self.ended = !matches!(name, Ok(Some(_)));
        name.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_none_and_the_last_needs_no_end() {
        let names = |list: &'static [u8], end| NameList::new(list, end).map(Result::unwrap);
        let expected = [PathBuf::from("a\nb"), PathBuf::from("c")];
        assert!(names(b"\0a\nb\0\0c", 0).eq(expected.clone()));
        assert!(names(b"\n\nc\n", b'\n').eq([expected[1].clone()]));
        let long = vec![b'x'; MOST as usize];
        let mut names = NameList::new(&long[..], b'\n');
        assert_eq!(names.next().unwrap().unwrap_err().kind(), io::ErrorKind::InvalidFilename);
        assert!(names.next().is_none());
    }
}
