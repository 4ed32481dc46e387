//! A bus to a simulator: lines of text, one out, one back.
//!
//! `w ADDRESS DATA` writes and is answered by `RESPONSE`, `r ADDRESS` reads and is answered by
//! `DATA RESPONSE`; numbers are hexadecimal, the response is AXI4-Lite's (0, or 2 for a refusal). A
//! prefix says which of several buses is meant. `research/hw/tb/link_live.vhd` is the other side.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufRead, Write};

use crate::error::Fault;
use crate::link::Bus;

/// A simulator at the other end of a stream of bytes each way: a socket, or a pair of pipes.
#[derive(Debug)]
pub struct Simulator<R, W> {
    streams: RefCell<(R, W)>,
}

/// One of the buses that a [`Simulator`] has.
#[derive(Debug)]
pub struct StreamBus<'a, R, W> {
    simulator: &'a Simulator<R, W>,
    prefix: String,
}

/// Why a [`StreamBus`] failed.
#[derive(Debug)]
pub enum StreamError {
    /// Reading or writing the stream.
    Io(io::Error),
    /// A line that is no answer.
    Answer(String),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Answer(line) => write!(f, "no answer of a simulator: {line:?}"),
        }
    }
}

impl std::error::Error for StreamError {}

impl<R: BufRead, W: Write> Simulator<R, W> {
    /// A simulator that answers on `from` what is asked on `to`.
    pub fn new(from: R, to: W) -> Self {
        Self { streams: RefCell::new((from, to)) }
    }

    /// One of its buses: `prefix` stands before each address, to tell it from the others.
    pub fn bus(&self, prefix: &str) -> StreamBus<'_, R, W> {
        StreamBus { simulator: self, prefix: prefix.to_owned() }
    }

    fn ask(&self, question: &str) -> Result<String, StreamError> {
        let (from, to) = &mut *self.streams.borrow_mut();
        writeln!(to, "{question}").and_then(|()| to.flush()).map_err(StreamError::Io)?;
        let mut line = String::new();
        if from.read_line(&mut line).map_err(StreamError::Io)? == 0 {
            return Err(StreamError::Io(io::ErrorKind::UnexpectedEof.into()));
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

/// The word before it, if the response is one.
fn answer<T>(line: &str, response: Option<&str>, word: Option<T>) -> Result<T, Fault<StreamError>> {
    match (response, word) {
        (Some("0"), Some(word)) => Ok(word),
        (Some("2"), _) => Err(Fault::Refused),
        _ => Err(Fault::Bus(StreamError::Answer(line.to_owned()))),
    }
}

impl<R: BufRead, W: Write> Bus for StreamBus<'_, R, W> {
    type Error = StreamError;

    fn read(&mut self, offset: u16) -> Result<u32, Fault<StreamError>> {
        let question = format!("r {}{offset:03x}", self.prefix);
        let line = self.simulator.ask(&question).map_err(Fault::Bus)?;
        let mut parts = line.split(' ');
        let word = parts.next().and_then(|digits| u32::from_str_radix(digits, 16).ok());
        answer(&line, parts.next(), word)
    }

    fn write(&mut self, offset: u16, word: u32) -> Result<(), Fault<StreamError>> {
        let question = format!("w {}{offset:03x} {word:08x}", self.prefix);
        let line = self.simulator.ask(&question).map_err(Fault::Bus)?;
        answer(&line, Some(&line), Some(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_out_and_back() {
        let mut said = Vec::new();
        let simulator = Simulator::new(&b"0123abcd 0\n0\n2\n00000000 2\n"[..], &mut said);
        let mut bus = simulator.bus("1 ");
        assert_eq!(bus.read(0x100).expect("an answer"), 0x0123_abcd);
        bus.write(0x10, 4).expect("an answer");
        assert!(matches!(bus.write(0x10, 1), Err(Fault::Refused)));
        assert!(matches!(bus.read(0xffc), Err(Fault::Refused)));
        assert!(matches!(bus.read(0), Err(Fault::Bus(StreamError::Io(_)))), "the stream has ended");
        assert_eq!(said, b"r 1 100\nw 1 010 00000004\nw 1 010 00000001\nr 1 ffc\nr 1 000\n");
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for line in ["\n", "zz 0\n", "0\n", "00000000 1\n", "00000000\n"] {
            let simulator = Simulator::new(line.as_bytes(), Vec::new());
            let mut bus = simulator.bus("");
            assert!(matches!(bus.read(0), Err(Fault::Bus(StreamError::Answer(_)))), "{line:?}");
        }
        for line in ["\n", "1\n", "0 0\n"] {
            let simulator = Simulator::new(line.as_bytes(), Vec::new());
            let mut bus = simulator.bus("");
            assert!(matches!(bus.write(0, 0), Err(Fault::Bus(StreamError::Answer(_)))), "{line:?}");
        }
    }
}
