//! Encrypting and decrypting in every shape of the pipeline.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;

use polyseal_file::{
    Decryptor, Encryptor, Error, Identities, Input, Key, Output, Recipients, RunOptions,
    SegmentSize,
};

/// Where input and output are: what decides how the pipeline works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IoSetup {
    pub(crate) file_in: bool,
    pub(crate) file_out: bool,
    pub(crate) threads: usize,
}

impl IoSetup {
    pub(crate) fn run<'a>(self) -> RunOptions<'a> {
        RunOptions::new().threads(NonZeroUsize::new(self.threads).unwrap())
    }
}

pub(crate) const STREAM: IoSetup = IoSetup { file_in: false, file_out: false, threads: 1 };
pub(crate) const FILE: IoSetup = IoSetup { file_in: true, file_out: true, threads: 2 };

pub(crate) fn shapes() -> impl Iterator<Item = IoSetup> {
    (1..=4).flat_map(|threads| {
        [(false, false), (true, true), (false, true), (true, false)]
            .map(|(file_in, file_out)| IoSetup { file_in, file_out, threads })
    })
}

pub(crate) fn key() -> Key {
    Key::from_bytes(&[0x5a; 32])
}

pub(crate) fn recipients() -> Recipients {
    Recipients::from(&key())
}

/// Bytes that differ from segment to segment.
pub(crate) fn message(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

pub(crate) fn encryptor(to: &Recipients, segment: u64, shape: IoSetup) -> Encryptor<'_> {
    Encryptor::new(to).segment_size(SegmentSize::new(segment).unwrap()).running(shape.run())
}

pub(crate) fn encrypt(key: &Key, segment: u64, shape: IoSetup, message: &[u8]) -> Vec<u8> {
    let recipients = Recipients::from(key);
    let encryptor = encryptor(&recipients, segment, shape);
    let (result, sealed) = carry(shape, message, |i, o| encryptor.encrypt(i, o));
    assert_eq!(result.unwrap().file_bytes, sealed.len() as u64);
    sealed
}

/// The result, and what was written.
pub(crate) fn decrypt(key: &Key, shape: IoSetup, sealed: &[u8]) -> (Result<(), Error>, Vec<u8>) {
    let identities = Identities::from(key);
    let decryptor = Decryptor::new(&identities).running(shape.run());
    let (result, opened) = carry(shape, sealed, |i, o| decryptor.decrypt(i, o));
    (result.map(|_| ()), opened)
}

pub(crate) fn carry<T>(
    shape: IoSetup,
    bytes: &[u8],
    work: impl FnOnce(Input<'_>, Output<'_>) -> T,
) -> (T, Vec<u8>) {
    let mut file_in = tempfile::tempfile().unwrap();
    let file_out = tempfile::tempfile().unwrap();
    let (mut stream_in, mut stream_out) = (bytes, Vec::new());
    let input = if shape.file_in {
        file_in.write_all(bytes).unwrap();
        Input::File(&file_in)
    } else {
        Input::Stream(&mut stream_in)
    };
    let output =
        if shape.file_out { Output::File(&file_out) } else { Output::Stream(&mut stream_out) };
    let result = work(input, output);
    if shape.file_out {
        stream_out = contents(&file_out);
    }
    (result, stream_out)
}

pub(crate) fn contents(mut file: &File) -> Vec<u8> {
    io::Seek::rewind(&mut file).unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

/// A reader and writer that takes and gives odd numbers of bytes, and is interrupted.
pub(crate) struct OddIo<T> {
    pub(crate) inner: T,
    pub(crate) sizes: Vec<usize>,
    pub(crate) at: usize,
}

impl<T> OddIo<T> {
    pub(crate) fn new(inner: T, sizes: &[usize]) -> Self {
        Self { inner, sizes: sizes.to_vec(), at: 0 }
    }

    fn size(&mut self) -> io::Result<usize> {
        self.at += 1;
        match self.sizes[self.at % self.sizes.len()] {
            0 => Err(io::ErrorKind::Interrupted.into()),
            n => Ok(n),
        }
    }
}

impl<T: Read> Read for OddIo<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.size()?.min(buffer.len());
        self.inner.read(&mut buffer[..n])
    }
}

impl<T: Write> Write for OddIo<T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let n = self.size()?.min(buffer.len());
        self.inner.write(&buffer[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
