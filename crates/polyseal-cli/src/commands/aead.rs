//! `aead`: one message with one algorithm, raw, for tests and protocols.
//!
//! `seal` writes the ciphertext and the tag and nothing else; without `--nonce` it draws a random
//! one and prints `nonce HEX` on standard error. `open` reverses it; where the nonce is hidden in
//! the ciphertext it needs none, and prints the one that it finds. `tag` and `verify` are the same
//! for MACs, with the tag in hexadecimal. The message is held in memory as a whole: `open` writes
//! nothing before all of it is authentic.

use std::io::{self, Write};
use std::path::Path;

use polyseal::any::{AnyAead, AnyMac};
use polyseal::registry::{Algorithm, Kind, ParamKind};
use zeroize::Zeroizing;

use super::{print, warn, warn_of_weak};
use crate::args::{AeadArgs, AeadCommand, AlgorithmArgs, RawArgs, TagArgs, VerifyArgs};
use crate::error::{Code, Failure, Result};
use crate::file_io::{Contents, InputFile, OutputFile};
use crate::secret;
use polyseal_local::FileId;
use polyseal_local::secrets::without_hexadecimal_keys;

/// No algorithm's key is longer, in hexadecimal and with ends of line: Flex's has 1024 bytes.
const MAX_KEY_FILE_BYTES: usize = 2 * 1024 + 16;

pub(crate) fn aead(args: &AeadArgs) -> Result {
    match &args.command {
        AeadCommand::Seal(args) => seal(args),
        AeadCommand::Open(args) => open(args),
        AeadCommand::Tag(args) => tag(args),
        AeadCommand::Verify(args) => verify(args),
    }
}

fn seal(args: &RawArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Aead)?;
    let (key, key_id) = key(&args.algorithm, &algorithm)?;
    let aead = cipher(args, &algorithm, &key)?;
    let nonce = nonce(&args.algorithm, &algorithm)?;
    let (ad, ad_id) = associated_data(args)?;
    let mut input = InputFile::open(args.algorithm.file.as_deref())?;
    let taken = taken(input.id, key_id, ad_id);
    let output = OutputFile::open(&args.output, Contents::Binary, &taken)?;
    let message = Zeroizing::new(input.read_all()?);
    let sealed = aead.seal(&nonce.bytes, &ad, &message).map_err(refused)?;
    nonce.tell();
    finish(output, &sealed)
}

/// Files that the output must not be.
fn taken(
    input: Option<FileId>,
    key: Option<FileId>,
    ad: Option<FileId>,
) -> Vec<(FileId, &'static str)> {
    let named = [(input, "the input"), (key, "the key file"), (ad, "the associated data")];
    named.into_iter().filter_map(|(file, what)| Some((file?, what))).collect()
}

fn open(args: &RawArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Aead)?;
    let (key, key_id) = key(&args.algorithm, &algorithm)?;
    let aead = cipher(args, &algorithm, &key)?;
    let recovers = args.algorithm.nonce.is_none() && algorithm.head_bytes() > 0;
    let nonce = if recovers { Vec::new() } else { given_nonce(&args.algorithm)? };
    let (ad, ad_id) = associated_data(args)?;
    let mut input = InputFile::open(args.algorithm.file.as_deref())?;
    let taken = taken(input.id, key_id, ad_id);
    let output = OutputFile::open(&args.output, Contents::Unknown, &taken)?;
    let sealed = input.read_all()?;
    if recovers {
        let opened = aead.open_hidden_nonce(&ad, &sealed).map_err(refused)?;
        Nonce { bytes: opened.nonce, drawn: true }.tell();
        return finish(output, &opened.message);
    }
    let message = Zeroizing::new(aead.open(&nonce, &ad, &sealed).map_err(refused)?);
    finish(output, &message)
}

/// The cipher under its key and, if there is any, setup associated data.
fn cipher(args: &RawArgs, algorithm: &Algorithm, key: &[u8]) -> Result<AnyAead> {
    match &args.setup_ad {
        None => AnyAead::new(algorithm, key),
        Some(digits) => AnyAead::with_setup_ad(algorithm, key, &unhex("--setup-ad", digits)?),
    }
    .map_err(refused)
}

fn tag(args: &TagArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Mac)?;
    let (key, _) = key(&args.algorithm, &algorithm)?;
    let mac = AnyMac::new(&algorithm, &key).map_err(refused)?;
    let nonce = nonce(&args.algorithm, &algorithm)?;
    let message = InputFile::open(args.algorithm.file.as_deref())?.read_all()?;
    let tag = mac.mac(&nonce.bytes, &message).map_err(refused)?;
    nonce.tell();
    print(&format!("{}\n", hex::encode(tag)))
}

fn verify(args: &VerifyArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Mac)?;
    let (key, _) = key(&args.algorithm, &algorithm)?;
    let mac = AnyMac::new(&algorithm, &key).map_err(refused)?;
    let nonce = given_nonce(&args.algorithm)?;
    let tag = unhex("--tag", &args.tag)?;
    let message = InputFile::open(args.algorithm.file.as_deref())?.read_all()?;
    mac.verify(&nonce, &message, &tag).map_err(refused)
}

fn finish(mut output: OutputFile, bytes: &[u8]) -> Result {
    output.write_all(bytes)?;
    output.commit()
}

/// The algorithm with every `--param`, if it is of the kind that the command is for.
fn algorithm(args: &AlgorithmArgs, kind: Kind) -> Result<Algorithm> {
    let listed = "`polyseal suites` lists the algorithms, their sizes and parameters";
    // A key belongs to another option, and may be here by mistake.
    let wrong = |message: String| Failure::usage(without_hexadecimal_keys(&message));
    let mut algorithm: Algorithm = args
        .suite
        .parse()
        .map_err(|error| wrong(format!("--suite {}: {error}", args.suite)).hint(listed))?;
    // A permission comes before what it is for.
    let is_permission = |param: &&String| {
        let name = param.split_once('=').map_or("", |(name, _)| name);
        let mut params = algorithm.family().params.iter();
        params.any(|param| param.name == name && param.kind == ParamKind::Permission)
    };
    let (permissions, others): (Vec<_>, Vec<_>) = args.param.iter().partition(is_permission);
    for param in permissions.into_iter().chain(others) {
        let chosen = param.split_once('=').and_then(|(name, value)| {
            Some(algorithm.with(name, algorithm.value_of(name, value).ok()?))
        });
        algorithm = chosen
            .ok_or_else(|| wrong(format!("--param {param} is not of the form NAME=VALUE")))?
            .map_err(|error| wrong(format!("--param {param}: {error}")).hint(listed))?;
    }
    if algorithm.is_forgeable() {
        warn(&format!("{algorithm} is forgeable: for old data and comparison only"));
    }
    match (algorithm.family().kind, kind) {
        (Kind::Mac, Kind::Aead) => Err(Failure::usage(format!("{algorithm} is a MAC"))
            .hint("use `polyseal aead tag` and `polyseal aead verify`")),
        (Kind::Aead, Kind::Mac) => Err(Failure::usage(format!("{algorithm} is not a MAC"))
            .hint("use `polyseal aead seal` and `polyseal aead open`")),
        _ => Ok(algorithm),
    }
}

/// The key, and which file it came from.
fn key(
    args: &AlgorithmArgs,
    algorithm: &Algorithm,
) -> Result<(Zeroizing<Vec<u8>>, Option<FileId>)> {
    if let Some(digits) = &args.key {
        warn("everyone on this machine can see a key on the command line; use --key-file");
        return Ok((Zeroizing::new(unhex("--key", digits)?), None));
    }
    let path = args.key_file.as_deref().ok_or_else(|| Failure::usage("there is no key"))?;
    let (key, id) = key_from(path, algorithm)?;
    if !polyseal_file::looks_random(&key) {
        warn_of_weak(path);
    }
    Ok((key, Some(id)))
}

fn key_from(path: &Path, algorithm: &Algorithm) -> Result<(Zeroizing<Vec<u8>>, FileId)> {
    let (mut bytes, id) = secret::read(path, "key file", MAX_KEY_FILE_BYTES)?;
    if bytes.len() == algorithm.key_bytes() {
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
    let mut key = Zeroizing::new(vec![0; algorithm.key_bytes()]);
    hex::decode_to_slice(&bytes, &mut key).map_err(|_| {
        let message = format!("{} is not a key for {algorithm}", path.display());
        let bytes = algorithm.key_bytes();
        let others = match algorithm.family().key_bytes.count() {
            1 => "",
            _ => "; --param key=BYTES chooses another length",
        };
        Failure::usage(message).hint(format!(
            "it must hold exactly {bytes} bytes, or one line of {} hexadecimal digits{others}",
            2 * bytes
        ))
    })?;
    Ok((key, id))
}

/// A nonce, and whether the user has yet to be told of it.
struct Nonce {
    bytes: Vec<u8>,
    drawn: bool,
}

impl Nonce {
    fn tell(&self) {
        if self.drawn {
            let _ = writeln!(io::stderr(), "nonce {}", hex::encode(&self.bytes));
        }
    }
}

fn nonce(args: &AlgorithmArgs, algorithm: &Algorithm) -> Result<Nonce> {
    if args.nonce.is_some() {
        return Ok(Nonce { bytes: given_nonce(args)?, drawn: false });
    }
    let mut bytes = vec![0; algorithm.nonce_bytes()];
    getrandom::fill(&mut bytes).map_err(|_| polyseal_file::Error::Random)?;
    Ok(Nonce { bytes, drawn: true })
}

fn given_nonce(args: &AlgorithmArgs) -> Result<Vec<u8>> {
    let digits = args.nonce.as_deref().ok_or_else(|| {
        Failure::usage("there is no nonce").hint("give the one it was sealed with: --nonce HEX")
    })?;
    unhex("--nonce", digits)
}

/// The associated data, and which file it came from.
fn associated_data(args: &RawArgs) -> Result<(Vec<u8>, Option<FileId>)> {
    match (&args.ad, &args.ad_file) {
        (Some(digits), _) => Ok((unhex("--ad", digits)?, None)),
        (None, Some(path)) => {
            let mut file = InputFile::open(Some(path))?;
            Ok((file.read_all()?, file.id))
        }
        (None, None) => Ok((Vec::new(), None)),
    }
}

fn unhex(option: &str, digits: &str) -> Result<Vec<u8>> {
    hex::decode(digits).map_err(|_| {
        Failure::usage(format!("{option} is not an even number of hexadecimal digits"))
    })
}

/// What the library refuses: a forgery, or a length that the user can correct.
fn refused(error: polyseal::Error) -> Failure {
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
