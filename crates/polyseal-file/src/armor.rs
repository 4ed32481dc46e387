//! ASCII armour: a file as text, for where only text gets through.
//!
//! Source: `docs/spec/file-format.md`, section 9: Base64 in lines of 64 characters between two
//! lines that say what it is; for age's files c2sp.org/age, "ASCII armor", which is the same with
//! other words. It is read strictly: one file has one armour, but for the ends of lines and white
//! space around it. It hides and authenticates nothing, and costs a third more.

use std::io::{self, Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;

const POLYSEAL: ArmorLabels = ArmorLabels {
    begin: b"-----BEGIN POLYSEAL FILE-----",
    end: b"-----END POLYSEAL FILE-----",
    foreign: b"age-encryption.org/",
    lenient: false,
};
const AGE: ArmorLabels = ArmorLabels {
    begin: b"-----BEGIN AGE ENCRYPTED FILE-----",
    end: b"-----END AGE ENCRYPTED FILE-----",
    foreign: b"polyseal",
    lenient: true,
};

/// The text of the first and the last line, and the beginning of files that are not in this armour.
#[derive(Debug)]
struct ArmorLabels {
    begin: &'static [u8],
    end: &'static [u8],
    foreign: &'static [u8],
    /// Whether there may be nothing between them, and a CR alone is white space around them.
    lenient: bool,
}

/// The dashes that begin armour of any kind, and no other file.
const DASHES: &[u8] = b"-----BEGIN ";

const LINE: usize = 64;
const LINE_BYTES: usize = LINE / 4 * 3;
/// With the longest end of a line.
const LONGEST: usize = LINE + 2;
/// Lines that are worked on at a time.
const LINES: usize = 1024;

/// Whether a file that begins with `byte` is read as armour.
#[doc(hidden)]
#[must_use]
pub(crate) fn looks_armored(byte: u8) -> bool {
    matches!(byte, b'-' | b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether `bytes` are read as armour, and show that they are meant to be.
pub(crate) fn begins_armored(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| looks_armored(byte))
        && bytes.trim_ascii_start().starts_with(DASHES)
}

/// The length of the first line of `text`, without its end, if it is there and not too long.
fn line_length(text: &[u8]) -> Option<usize> {
    match text.get(..=LINE) {
        // Nearly all are so, and `contains` is faster than `position`.
        Some([line @ .., b'\n']) if !line.contains(&b'\n') => Some(LINE),
        _ => text.iter().take(LONGEST).position(|&b| b == b'\n'),
    }
}

/// Writes its input as armour. It is complete only after [`finish`](Self::finish).
#[derive(Debug)]
pub struct ArmorWriter<W: Write> {
    inner: W,
    words: &'static ArmorLabels,
    /// Less than a batch of bytes that wait for others.
    waiting: Vec<u8>,
    text: Vec<u8>,
    started: bool,
}

impl<W: Write> ArmorWriter<W> {
    /// Armour that goes to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, words: &POLYSEAL, waiting: Vec::new(), text: Vec::new(), started: false }
    }

    /// The armour of an age file.
    pub fn age(inner: W) -> Self {
        Self { words: &AGE, ..Self::new(inner) }
    }

    /// Writes the rest, and the last line.
    ///
    /// # Errors
    /// An error of writing.
    pub fn finish(mut self) -> io::Result<W> {
        let waiting = std::mem::take(&mut self.waiting);
        self.lines(&waiting);
        self.text.extend_from_slice(self.words.end);
        self.text.push(b'\n');
        self.inner.write_all(&self.text)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    /// Makes text of `bytes`.
    fn lines(&mut self, bytes: &[u8]) {
        self.text.clear();
        if !self.started {
            self.started = true;
            self.text.extend_from_slice(self.words.begin);
            self.text.push(b'\n');
        }
        for line in bytes.chunks(LINE_BYTES) {
            let mut text = [b'\n'; LINE + 1];
            // Cannot fail: a line has room for its text.
            let n = STANDARD.encode_slice(line, &mut text).unwrap_or_default();
            text[n] = b'\n';
            self.text.extend_from_slice(&text[..=n]);
        }
    }
}

impl<W: Write> Write for ArmorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let batch = LINES * LINE_BYTES;
        let n = bytes.len().min(batch - self.waiting.len());
        self.waiting.extend_from_slice(&bytes[..n]);
        if self.waiting.len() == batch {
            let mut waiting = std::mem::take(&mut self.waiting);
            self.lines(&waiting);
            self.inner.write_all(&self.text)?;
            waiting.clear();
            self.waiting = waiting;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// White space, then the first line.
    Before,
    /// The first line has been; there is at least one more before the last.
    Begun,
    /// Lines; the last one may already have been shorter.
    Inside { ended: bool },
    /// White space only.
    After,
    /// There was an error: nothing more is given.
    PartialFailure,
}

/// Reads the bytes in armour. Faulty armour is an error of kind [`io::ErrorKind::InvalidData`] that
/// holds an [`Error::Armor`], or [`Error::NotArmored`] if there is none.
#[derive(Debug)]
pub struct ArmorReader<R: Read> {
    inner: R,
    /// Text, of which `..used` has been dealt with and `filled..` is room.
    text: Vec<u8>,
    used: usize,
    filled: usize,
    /// Bytes, of which `..consumed` have been read.
    bytes: Vec<u8>,
    consumed: usize,
    state: State,
    /// The labels of the first line, once it has been read.
    words: &'static ArmorLabels,
    /// White space before the first line had a CR that is no half of an end of line.
    lone_cr: bool,
    /// Lines that have been dealt with.
    line: u64,
}

impl<R: Read> ArmorReader<R> {
    /// The file in the armour that `inner` has.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            text: Vec::new(),
            used: 0,
            filled: 0,
            bytes: Vec::new(),
            consumed: 0,
            state: State::Before,
            words: &POLYSEAL,
            lone_cr: false,
            line: 0,
        }
    }

    /// Reads more text; whether there was any. Less than a line is kept.
    fn more(&mut self) -> io::Result<bool> {
        self.text.resize(LONGEST + LINES * (LINE + 1), 0);
        self.text.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        let n = loop {
            match self.inner.read(&mut self.text[self.filled..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                n => break n?,
            }
        };
        self.filled += n;
        Ok(n > 0)
    }

    /// Decodes the lines that are there, until there are bytes or no more lines.
    fn decode(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.consumed = 0;
        while self.bytes.is_empty() {
            if let Err(error) = self.take_lines() {
                self.bytes.clear();
                self.state = State::PartialFailure;
                return Err(error);
            }
            if self.bytes.is_empty() && !self.more()? {
                return self.end();
            }
        }
        Ok(())
    }

    /// Takes the whole lines; the rest needs more text.
    fn take_lines(&mut self) -> io::Result<()> {
        loop {
            if matches!(self.state, State::Before | State::After) {
                self.skip_white_space();
            }
            let rest = &self.text[self.used..self.filled];
            match (self.state, rest) {
                // That CR may be half of an end of line.
                (_, []) | (State::After, b"\r") => return Ok(()),
                (State::After | State::PartialFailure, _) => return Err(self.bad()),
                (state, [b'-', ..]) if self.may_end(state) => {
                    let end = self.words.end;
                    if !rest.starts_with(end) {
                        return if end.starts_with(rest) { Ok(()) } else { Err(self.bad()) };
                    }
                    self.used += end.len();
                    self.state = State::After;
                }
                _ => {
                    let Some(n) = line_length(rest) else {
                        return if rest.len() < LONGEST { Ok(()) } else { Err(self.bad()) };
                    };
                    self.take_line(self.used..self.used + n)?;
                    self.used += n + 1;
                    self.line += 1;
                }
            }
        }
    }

    /// Whether the last line may come.
    fn may_end(&self, state: State) -> bool {
        matches!(state, State::Inside { .. }) || (state == State::Begun && self.words.lenient)
    }

    /// White space is let go of as it comes, so that there may be any amount of it.
    fn skip_white_space(&mut self) {
        let mut rest = &self.text[self.used..self.filled];
        loop {
            rest = match rest {
                [b' ' | b'\t', rest @ ..] => rest,
                [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => {
                    self.line += 1;
                    rest
                }
                // Before the first line, the kind of armour is not known.
                [b'\r', rest @ ..] if self.state == State::Before && !rest.is_empty() => {
                    self.lone_cr = true;
                    rest
                }
                [b'\r', rest @ ..] if self.state == State::After && self.words.lenient => rest,
                _ => break,
            };
        }
        self.used = self.filled - rest.len();
    }

    fn take_line(&mut self, line: std::ops::Range<usize>) -> io::Result<()> {
        let line = &self.text[line];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let first = self.state == State::Begun;
        match self.state {
            State::Before if line == POLYSEAL.begin && !self.lone_cr => {
                self.state = State::Begun;
            }
            State::Before if line == AGE.begin => {
                (self.state, self.words) = (State::Begun, &AGE);
            }
            State::Begun | State::Inside { ended: false } if (1..=LINE).contains(&line.len()) => {
                self.state = State::Inside { ended: line.len() < LINE || line[LINE - 1] == b'=' };
                let mut bytes = [0; LINE_BYTES];
                let n = STANDARD.decode_slice(line, &mut bytes).map_err(|_| self.bad())?;
                if first && bytes[..n].starts_with(self.words.foreign) {
                    return Err(self.bad());
                }
                self.bytes.extend_from_slice(&bytes[..n]);
            }
            _ => return Err(self.bad()),
        }
        Ok(())
    }

    /// The text is over.
    fn end(&mut self) -> io::Result<()> {
        let all = self.used == self.filled;
        if all && self.state == State::After {
            return Ok(());
        }
        // Behind the end of a line there is no other that could be wrong.
        self.line -= u64::from(all && self.line > 0);
        let error = self.bad();
        self.used = self.filled;
        self.state = State::PartialFailure;
        Err(error)
    }

    /// The line that is being dealt with is wrong.
    fn bad(&self) -> io::Error {
        let started =
            self.state != State::Before || self.text[self.used..self.filled].starts_with(DASHES);
        let error = if started { Error::Armor(self.line + 1) } else { Error::NotArmored };
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

impl<R: Read> Read for ArmorReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.consumed == self.bytes.len() {
            self.decode()?;
        }
        let n = buffer.len().min(self.bytes.len() - self.consumed);
        buffer[..n].copy_from_slice(&self.bytes[self.consumed..self.consumed + n]);
        self.consumed += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn armored(bytes: &[u8]) -> Vec<u8> {
        let mut writer = ArmorWriter::new(Vec::new());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn read(text: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        ArmorReader::new(text).read_to_end(&mut bytes).map(|_| bytes)
    }

    /// One byte at a time, as a slow pipe gives them.
    struct ByteByByte<'a>(&'a [u8]);

    impl Read for ByteByByte<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(1);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn every_length() {
        let message: Vec<u8> = (0..200_000_u32).map(|i| (i * 7 % 251) as u8).collect();
        let batch = LINES * LINE_BYTES;
        for n in (1..200).chain(batch - 3..batch + 50).chain(2 * batch - 1..2 * batch + 2) {
            let text = armored(&message[..n]);
            assert_eq!(read(&text).unwrap(), &message[..n], "{n}");
            let mut lines = text.split(|&b| b == b'\n');
            assert!(lines.all(|line| line.len() <= 64));
            let crlf = String::from_utf8(text).unwrap().replace('\n', "\r\n");
            assert_eq!(read(crlf.as_bytes()).unwrap(), &message[..n], "{n}");
        }
        let mut bytes = Vec::new();
        ArmorReader::new(ByteByByte(&armored(&message))).read_to_end(&mut bytes).unwrap();
        assert!(bytes == message);
    }

    /// As much white space as one likes, on one line, in small pieces: neither memory nor time.
    #[test]
    fn white_space_costs_nothing() {
        struct Pieces<'a>(&'a [u8], u64);

        impl Read for Pieces<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if !self.0.is_empty() {
                    return self.0.read(buffer);
                }
                let n = buffer.len().min(100).min(usize::try_from(self.1).unwrap());
                buffer[..n].fill(b' ');
                self.1 -= n as u64;
                Ok(n)
            }
        }

        const SPACES: u64 = 64 << 20;
        let text = armored(&[7; 100]);
        let before = Pieces(&[], SPACES).chain(&text[..]);
        let after = Pieces(text.trim_ascii_end(), SPACES).chain(&b"\n"[..]);
        let long_line = Pieces(b"x", SPACES);
        let age = Pieces(AGE.begin, SPACES);
        let mut bytes = Vec::new();
        let mut small = |reader: Box<dyn Read + '_>, good: bool| {
            let mut reader = ArmorReader::new(reader);
            bytes.clear();
            assert_eq!(reader.read_to_end(&mut bytes).is_ok(), good);
            assert!(reader.text.capacity() < 128 << 10, "{}", reader.text.capacity());
            bytes.clone()
        };
        assert_eq!(small(Box::new(before), true), [7; 100]);
        assert_eq!(small(Box::new(after), true), [7; 100]);
        small(Box::new(long_line), false);
        small(Box::new(age), false);
    }

    #[test]
    fn the_line_that_is_wrong() {
        let text = String::from_utf8(armored(&[7; 100])).unwrap();
        let line = |text: &str| match read(text.as_bytes()).unwrap_err().downcast() {
            Ok(Error::Armor(line)) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(line(" \n\n-----BEGIN POLYSEAL FILES-----\n"), 3);
        assert_eq!(line(&text.replace("Bw==", "Bw=")), 4);
        assert_eq!(line(&text.replace("-----END POLYSEAL FILE-----\n", "")), 4);
        assert_eq!(line(&text.replace("SEAL FILE-----\n", "")), 1);
        assert_eq!(line(&format!("{text}\nx")), 7);
    }

    /// Any file may begin with a dash or white space; nobody is told that its armour is bad.
    #[test]
    fn what_is_no_armour() {
        for text in ["", "-", " ", "\n", "\r", "\n\nx\n", "-----BEGIN", "- a list\n", " hello"] {
            let mut long = text.as_bytes().to_vec();
            long.extend([0xff; 5000]);
            for text in [text.as_bytes(), &long] {
                let error = read(text).unwrap_err().downcast().unwrap();
                assert!(matches!(error, Error::NotArmored), "{text:.20?}: {error:?}");
            }
        }
    }

    #[test]
    fn what_is_around_and_what_is_inside() {
        let text = String::from_utf8(armored(&[7; 100])).unwrap();
        let (begin, rest) = text.split_once('\n').unwrap();
        let accepted = [
            text.trim_end().to_owned(),
            format!("\n \t\r\n{text}"),
            format!("  {text}"),
            format!("{text}\n\n  \n"),
            format!("{text}  "),
            format!("{} \t \r\n \r\n", text.trim_end()),
            // The CR is the last byte that is read at once.
            format!(
                "{}{}\r\n",
                text.trim_end(),
                " ".repeat(LINES * (LINE + 1) + LONGEST - 1 - text.trim_end().len())
            ),
            format!("{}{text}", " \n".repeat(100_000)),
            format!("{}{text}", " ".repeat(200_000)),
            format!("{}{}\r\n", text.trim_end(), "\t".repeat(200_000)),
        ];
        for text in accepted {
            assert_eq!(read(text.as_bytes()).unwrap(), [7; 100], "{text:.40}");
            let mut bytes = Vec::new();
            ArmorReader::new(ByteByByte(text.as_bytes())).read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, [7; 100], "{text:.40}");
        }
        let refused = [
            String::new(),
            "\n\n".to_owned(),
            format!("{begin}\n-----END POLYSEAL FILE-----\n"),
            rest.to_owned(),
            text.replace("POLYSEAL", "AGE"),
            text.replace("-----END POLYSEAL FILE-----\n", ""),
            text.replace("END", "BEGIN"),
            format!("{begin}\n\n{rest}"),
            format!("hello\n{text}"),
            format!("{text}hello"),
            format!("{text}{text}"),
            text.replacen("Bwc", "Bw c", 1),
            text.replacen("BwcH", "BwcH\n", 1),
            text.replacen("BwcH", "Bwc=", 1),
            text.replacen("BwcH", "B", 1),
            text.replace("Bw==", "Bx=="),
            text.replace("Bw==", "Bw="),
            text.replace("Bw==", "Bw"),
            text.replace("Bw==\n", "Bw==\nBw==\n"),
            // White space that is neither a blank nor the end of a line.
            format!("\x0c{text}"),
            format!("\r{text}"),
            format!("{text}\x0c"),
            text.replace("FILE-----\n", "FILE-----\r"),
            format!("{}\r", text.trim_end()),
            "x".repeat(1_000_000),
            format!("\r\r\n{text}"),
            format!("{text}\r"),
            format!("{text}\x0c\n"),
            format!("{}\r\r\n", text.trim_end()),
            text.replacen('\n', " \n", 1),
            text.replacen('\n', "\r\r\n", 1),
            text.replace("Bw==\n", "Bw==\r\r\n"),
        ];
        for text in refused {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{text:.40}");
            let mut slow = ArmorReader::new(ByteByByte(text.as_bytes()));
            assert_eq!(slow.read_to_end(&mut Vec::new()).unwrap_err().kind(), error.kind());
            // And nothing comes after an error.
            assert!(slow.read(&mut [0; 9]).is_err(), "{text:.40}");
        }
        // A full last line that is padded is the last.
        let full = String::from_utf8(armored(&[7; 47])).unwrap();
        assert!(read(full.replace("-----END", "Bwc=\n-----END").as_bytes()).is_err());
    }
}
