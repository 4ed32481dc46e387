//! The parts that `aead` and `hazmat` share: one raw message with its key, nonce and associated
//! data.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use polyseal_local::FileId;
use zeroize::Zeroizing;

use super::{warn, warn_of_weak};
use crate::args::{RawContextArgs, RawInputArgs};
use crate::error::{Code, Failure, Result};
use crate::file_io::{InputFile, OutputFile};
use crate::secret;

/// No algorithm's key is longer, in hexadecimal and with ends of line: Flex's has 1024 bytes.
const MAX_KEY_FILE_BYTES: usize = 2 * 1024 + 16;

/// The key for `cipher`, and which file it came from. A file has a key of `bytes` bytes; `others`
/// says how to choose another length.
pub(super) fn key(
    args: &RawInputArgs,
    bytes: usize,
    cipher: &dyn Display,
    others: &str,
) -> Result<(Zeroizing<Vec<u8>>, Option<FileId>)> {
    if let Some(digits) = &args.key {
        warn("everyone on this machine can see a key on the command line; use --key-file");
        return Ok((Zeroizing::new(unhex("--key", digits)?), None));
    }
    let path = args.key_file.as_deref().ok_or_else(|| Failure::usage("there is no key"))?;
    let (key, id) = key_from(path, bytes, cipher, others)?;
    if !polyseal_file::looks_random(&key) {
        warn_of_weak(path);
    }
    Ok((key, id))
}

fn key_from(
    path: &Path,
    key_bytes: usize,
    cipher: &dyn Display,
    others: &str,
) -> Result<(Zeroizing<Vec<u8>>, Option<FileId>)> {
    let (mut bytes, id) = secret::read(path, "key file", MAX_KEY_FILE_BYTES)?;
    if bytes.len() == key_bytes {
        // Digits of half a key, or a sentence: 32 random bytes are never all of them printable.
        if bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
            let message =
                format!("{} is text, and no key of {} bytes", path.display(), bytes.len());
            return Err(Failure::usage(message).hint(format!(
                "a key has {} hexadecimal digits, or bytes that were drawn at random",
                2 * bytes.len()
            )));
        }
        return Ok((bytes, id));
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    let mut key = Zeroizing::new(vec![0; key_bytes]);
    hex::decode_to_slice(&bytes, &mut key).map_err(|_| {
        let message = format!("{} is not a key for {cipher}", path.display());
        Failure::usage(message).hint(format!(
            "it must hold exactly {key_bytes} bytes, or one line of {} hexadecimal digits{others}",
            2 * key_bytes
        ))
    })?;
    Ok((key, id))
}

/// A nonce, and whether the user has yet to be told of it.
pub(super) struct Nonce {
    pub(super) bytes: Vec<u8>,
    pub(super) drawn: bool,
}

impl Nonce {
    pub(super) fn tell(&self) {
        if self.drawn {
            let _ = writeln!(io::stderr(), "nonce {}", hex::encode(&self.bytes));
        }
    }
}

/// The nonce that is given, or a random one of `bytes` bytes.
pub(super) fn nonce(args: &RawInputArgs, bytes: usize) -> Result<Nonce> {
    if args.nonce.is_some() {
        return Ok(Nonce { bytes: given_nonce(args)?, drawn: false });
    }
    let mut bytes = vec![0; bytes];
    getrandom::fill(&mut bytes).map_err(|_| polyseal_file::Error::Random)?;
    Ok(Nonce { bytes, drawn: true })
}

pub(super) fn given_nonce(args: &RawInputArgs) -> Result<Vec<u8>> {
    let digits = args.nonce.as_deref().ok_or_else(|| {
        Failure::usage("there is no nonce").hint("give the one it was sealed with: --nonce HEX")
    })?;
    unhex("--nonce", digits)
}

/// The associated data, and which file it came from.
pub(super) fn associated_data(args: &RawContextArgs) -> Result<(Vec<u8>, Option<FileId>)> {
    match (&args.ad, &args.ad_file) {
        (Some(digits), _) => Ok((unhex("--ad", digits)?, None)),
        (None, Some(path)) => {
            let mut file = InputFile::open(Some(path))?;
            Ok((file.read_all()?, file.id()))
        }
        (None, None) => Ok((Vec::new(), None)),
    }
}

/// The setup associated data, if there is any.
pub(super) fn setup_ad(args: &RawContextArgs) -> Result<Option<Vec<u8>>> {
    args.setup_ad.as_deref().map(|digits| unhex("--setup-ad", digits)).transpose()
}

pub(super) fn unhex(option: &str, digits: &str) -> Result<Vec<u8>> {
    hex::decode(digits).map_err(|_| {
        Failure::usage(format!("{option} is not an even number of hexadecimal digits"))
    })
}

/// The failure for an error of the library: a forgery, or a length that the user can correct.
pub(super) fn cipher_failure(error: polyseal::Error) -> Failure {
    match error {
        polyseal::Error::Unauthentic => Failure::new(Code::Content, error.to_string())
            .hint("nothing was written; check key, nonce, associated data and input"),
        // An input shorter than a tag is no sealed message.
        polyseal::Error::Buffer { .. } => {
            Failure::new(Code::Content, "the input is shorter than a tag")
                .hint("open takes what `polyseal aead seal` wrote")
        }
        _ => Failure::usage(error.to_string()),
    }
}

/// Files that the output must not be.
pub(super) fn forbidden_outputs(
    input: Option<FileId>,
    key: Option<FileId>,
    ad: Option<FileId>,
) -> Vec<(FileId, &'static str)> {
    let named = [(input, "the input"), (key, "the key file"), (ad, "the associated data")];
    named.into_iter().filter_map(|(file, what)| Some((file?, what))).collect()
}

/// Writes the result.
pub(super) fn finish(mut output: OutputFile, bytes: &[u8]) -> Result {
    output.write_all(bytes)?;
    output.commit()
}
