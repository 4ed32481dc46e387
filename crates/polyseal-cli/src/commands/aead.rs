//! `aead`: one message with one algorithm, raw, for tests and protocols.
//!
//! `seal` writes the ciphertext and the tag and nothing else; without `--nonce` it draws a random
//! one and prints `nonce HEX` on standard error. `open` reverses it; where the nonce is hidden in
//! the ciphertext it needs none, and prints the one that it finds. `tag` and `verify` are the same
//! for MACs, with the tag in hexadecimal. The message is held in memory as a whole: `open` writes
//! nothing before all of it is authentic.

use polyseal::any::{AnyAead, AnyMac};
use polyseal::registry::{Algorithm, Kind, ParamKind};
use polyseal_local::FileId;
use polyseal_local::secrets::without_hexadecimal_keys;
use zeroize::Zeroizing;

#[cfg(feature = "flex")]
use super::raw::Nonce;
use super::raw::{
    self, associated_data, cipher_failure, finish, forbidden_outputs, given_nonce, nonce, setup_ad,
    unhex,
};
use super::{print, warn};
use crate::args::{AeadCommand, AlgorithmArgs, RawArgs, TagArgs, VerifyArgs};
use crate::error::{Failure, Result};
use crate::file_io::{InputFile, OutputFile, OutputKind};

pub(crate) fn aead(command: &AeadCommand) -> Result {
    match command {
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
    let nonce = nonce(&args.algorithm.input, algorithm.nonce_bytes())?;
    let (ad, ad_id) = associated_data(&args.context)?;
    let mut input = InputFile::open(args.algorithm.input.file.as_deref())?;
    let forbidden_outputs = forbidden_outputs(input.id(), key_id, ad_id);
    let output = OutputFile::open(&args.context.output, OutputKind::Binary, &forbidden_outputs)?;
    let message = Zeroizing::new(input.read_all()?);
    let sealed = aead.seal(&nonce.bytes, &ad, &message).map_err(cipher_failure)?;
    nonce.tell();
    finish(output, &sealed)
}

fn open(args: &RawArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Aead)?;
    let (key, key_id) = key(&args.algorithm, &algorithm)?;
    let aead = cipher(args, &algorithm, &key)?;
    let recovers = args.algorithm.input.nonce.is_none() && algorithm.head_bytes() > 0;
    let nonce = if recovers { Vec::new() } else { given_nonce(&args.algorithm.input)? };
    let (ad, ad_id) = associated_data(&args.context)?;
    let mut input = InputFile::open(args.algorithm.input.file.as_deref())?;
    let forbidden_outputs = forbidden_outputs(input.id(), key_id, ad_id);
    let output = OutputFile::open(&args.context.output, OutputKind::Unknown, &forbidden_outputs)?;
    let sealed = input.read_all()?;
    #[cfg(feature = "flex")]
    if recovers {
        let opened = aead.open_hidden_nonce(&ad, &sealed).map_err(cipher_failure)?;
        Nonce { bytes: opened.nonce, drawn: true }.tell();
        return finish(output, &opened.message);
    }
    let message = Zeroizing::new(aead.open(&nonce, &ad, &sealed).map_err(cipher_failure)?);
    finish(output, &message)
}

/// The cipher under its key and, if there is any, setup associated data.
fn cipher(args: &RawArgs, algorithm: &Algorithm, key: &[u8]) -> Result<AnyAead> {
    match setup_ad(&args.context)? {
        None => AnyAead::new(algorithm, key),
        Some(setup_ad) => AnyAead::with_setup_ad(algorithm, key, &setup_ad),
    }
    .map_err(cipher_failure)
}

fn tag(args: &TagArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Mac)?;
    let (key, _) = key(&args.algorithm, &algorithm)?;
    let mac = AnyMac::new(&algorithm, &key).map_err(cipher_failure)?;
    let nonce = nonce(&args.algorithm.input, algorithm.nonce_bytes())?;
    let message = InputFile::open(args.algorithm.input.file.as_deref())?.read_all()?;
    let tag = mac.mac(&nonce.bytes, &message).map_err(cipher_failure)?;
    nonce.tell();
    print(&format!("{}\n", hex::encode(tag)))
}

fn verify(args: &VerifyArgs) -> Result {
    let algorithm = algorithm(&args.algorithm, Kind::Mac)?;
    let (key, _) = key(&args.algorithm, &algorithm)?;
    let mac = AnyMac::new(&algorithm, &key).map_err(cipher_failure)?;
    let nonce = given_nonce(&args.algorithm.input)?;
    let tag = unhex("--tag", &args.tag)?;
    let message = InputFile::open(args.algorithm.input.file.as_deref())?.read_all()?;
    mac.verify(&nonce, &message, &tag).map_err(cipher_failure)
}

/// A failure of an option. A key belongs to another one, and may be here by mistake.
fn wrong(message: String) -> Failure {
    Failure::usage(without_hexadecimal_keys(&message))
}

fn is_permission(algorithm: &Algorithm, param: &str) -> bool {
    let name = param.split_once('=').map_or("", |(name, _)| name);
    let mut params = algorithm.family().sizes.params.iter();
    params.any(|param| param.name == name && param.kind == ParamKind::Permission)
}

/// The algorithm with every `--param`, if it is of the kind that the command is for.
fn algorithm(args: &AlgorithmArgs, kind: Kind) -> Result<Algorithm> {
    let listed = "`polyseal suites` lists the algorithms, their sizes and parameters";
    let mut algorithm: Algorithm = args
        .suite
        .parse()
        .map_err(|error| wrong(format!("--suite {}: {error}", args.suite)).hint(listed))?;
    // A permission comes before what it is for.
    let (permissions, others): (Vec<_>, Vec<_>) =
        args.param.iter().partition(|param| is_permission(&algorithm, param));
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
    match (algorithm.family().identity.kind, kind) {
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
    let others = match algorithm.family().sizes.key_bytes.count() {
        1 => "",
        _ => "; --param key=BYTES chooses another length",
    };
    raw::key(&args.input, algorithm.key_bytes(), algorithm, others)
}
