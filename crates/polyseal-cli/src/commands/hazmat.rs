//! `hazmat`: one message with a cipher that is no AEAD.
//!
//! The names of the ciphers say which guarantees are missing. Key, nonce and associated data are as
//! `aead` takes them. A stretch that is refused writes nothing.

use polyseal::flex::NonceForm;
use polyseal::hazmat::WideBlock;
use polyseal_local::FileId;
use polyseal_local::secrets::without_hexadecimal_keys;
use zeroize::Zeroizing;

use super::raw::{
    self, Nonce, associated_data, cipher_failure, finish, forbidden_outputs, given_nonce, nonce,
    setup_ad,
};
use crate::args::{HazmatCommand, WideBlockArgs};
use crate::error::{Failure, Result};
use crate::file_io::{InputFile, OutputFile, OutputKind};

/// The length of a random nonce where any will do.
const USUAL_NONCE_BYTES: usize = 24;

pub(crate) fn hazmat(command: &HazmatCommand) -> Result {
    match command {
        HazmatCommand::Encipher(args) => encipher(args),
        HazmatCommand::Decipher(args) => decipher(args),
    }
}

fn encipher(args: &WideBlockArgs) -> Result {
    let (cipher, key_id) = cipher(args)?;
    let nonce_bytes = match cipher.config().nonce() {
        NonceForm::AnyPublic => USUAL_NONCE_BYTES,
        _ => *cipher.config().nonce_range().start(),
    };
    let nonce = nonce(&args.input, nonce_bytes)?;
    let (ad, ad_id) = associated_data(&args.context)?;
    let mut input = InputFile::open(args.input.file.as_deref())?;
    let forbidden_outputs = forbidden_outputs(input.id(), key_id, ad_id);
    let output = OutputFile::open(&args.context.output, OutputKind::Binary, &forbidden_outputs)?;
    let message = Zeroizing::new(input.read_all()?);
    let enciphered = cipher.encipher(&nonce.bytes, &ad, &message).map_err(cipher_failure)?;
    nonce.tell();
    finish(output, &enciphered)
}

fn decipher(args: &WideBlockArgs) -> Result {
    let (cipher, key_id) = cipher(args)?;
    let hides = cipher.config().hidden_bytes() > 0;
    let nonce = match (hides, &args.input.nonce) {
        (false, _) => given_nonce(&args.input)?,
        (true, None) => Vec::new(),
        (true, Some(_)) => {
            return Err(Failure::usage("the nonce is hidden in the ciphertext: give none"));
        }
    };
    let (ad, ad_id) = associated_data(&args.context)?;
    let mut input = InputFile::open(args.input.file.as_deref())?;
    let forbidden_outputs = forbidden_outputs(input.id(), key_id, ad_id);
    let output = OutputFile::open(&args.context.output, OutputKind::Unknown, &forbidden_outputs)?;
    let opened = cipher.decipher(&nonce, &ad, &input.read_all()?).map_err(cipher_failure)?;
    Nonce { bytes: opened.nonce, drawn: hides }.tell();
    finish(output, &opened.message)
}

/// The cipher under its key, and which file the key came from.
fn cipher(args: &WideBlockArgs) -> Result<(WideBlock, Option<FileId>)> {
    let others = "; --key-bytes chooses another length";
    let (key, id) = raw::key(&args.input, args.key_bytes.into(), &"this cipher", others)?;
    let setup_ad = setup_ad(&args.context)?.unwrap_or_default();
    let cipher =
        WideBlock::by_name(&args.cipher, &key, &setup_ad).map_err(|error| match error {
            polyseal::Error::Range { .. } => cipher_failure(error),
            _ => {
                let message = format!("--cipher {}: {error}", args.cipher);
                Failure::usage(without_hexadecimal_keys(&message))
                    .hint("`polyseal hazmat encipher --help` lists the ciphers")
            }
        })?;
    Ok((cipher, id))
}
