//! `keygen`: a fresh random key in a new file that only its owner can read, or a key that is kept
//! elsewhere and a file that says where.

use std::path::{Path, PathBuf};

use polyseal_file::age::{
    IdentityKind, MAX_KEYS_FILE_BYTES, RecipientList, generate, recipient_texts,
};
use polyseal_file::{Key, Recipients, SecretText, encrypt};
use polyseal_kms::{Context, KeyPair, Origin, Uri, WrappedKey};

use super::{note, print};
use crate::args::{KeyKind, KeygenArgs, KeygenKmsArgs, OutputArgs};
use crate::error::{Code, Failure, Result};
use crate::file_io::{OutputFile, OutputKind};
use crate::keepers;
use crate::prompt::TerminalCallbacks;
use crate::secret;
use crate::streams::is_standard_output;

pub(crate) fn keygen(args: &KeygenArgs) -> Result {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    if let Some(identity) = &args.identity {
        return recipients_of(identity, output);
    }
    if let Some(uri) = &args.kms.uri {
        return keygen_elsewhere(args, output, &Uri::parse(uri, Origin::User)?);
    }
    let (file, recipient) = match args.kind.unwrap_or(KeyKind::KeyFile) {
        KeyKind::KeyFile => (Key::generate()?.to_file(), None),
        KeyKind::X25519 => identity(IdentityKind::X25519)?,
        KeyKind::Hybrid => identity(IdentityKind::Hybrid)?,
        KeyKind::KeyPair => {
            return Err(Failure::usage("a key pair is kept elsewhere: where, is missing")
                .hint("give --kms URI; identities that are files are x25519 and hybrid"));
        }
    };
    write(new_file(output)?, file.reveal().as_bytes())?;
    match recipient {
        // It would be in one file with the identity, which nothing could read.
        Some(recipient) if is_standard_output(output) => note(&recipient),
        // To which others encrypt, to be kept or sent.
        Some(recipient) => print(&format!("{recipient}\n"))?,
        None => {}
    }
    Ok(())
}

/// Writes what others encrypt to, so that it is for whoever has `identity`.
fn recipients_of(identity: &Path, output: &Path) -> Result {
    let (contents, _) = secret::read(identity, "identity file", MAX_KEYS_FILE_BYTES)?;
    let plugins = keepers::plugins();
    let mut lines =
        recipient_texts(&contents, identity.to_str(), &TerminalCallbacks, &plugins)?.join("\n");
    lines.push('\n');
    write(new_file(output)?, lines.as_bytes())
}

fn keygen_elsewhere(args: &KeygenArgs, output: &Path, uri: &Uri) -> Result {
    if args.kms.also.is_empty() && !args.kms.only {
        return Err(Failure::usage("what only a keeper can open is lost with its key")
            .hint("give a second recipient with --also, or say --only"));
    }
    let of_pairs = uri.scheme().is_of_key_pairs();
    match args.kind.unwrap_or(if of_pairs { KeyKind::KeyPair } else { KeyKind::KeyFile }) {
        KeyKind::KeyFile => wrapped_key(output, uri, &args.kms),
        KeyKind::KeyPair => key_pair(output, uri, &args.kms),
        KeyKind::X25519 | KeyKind::Hybrid => {
            Err(Failure::usage("a keeper has wrapped keys and key pairs on P-256")
                .hint("use -t key-file or -t key-pair with --kms"))
        }
    }
}

/// The keeper is called when all else is known to be right: a key of it may stay.
fn wrapped_key(path: &Path, uri: &Uri, args: &KeygenKmsArgs) -> Result {
    let context = Context::parse(args.context.iter().map(String::as_str))?;
    let also = recipients(&args.also)?;
    let output = new_file(path)?;
    let backup = match also.is_empty() {
        true => None,
        false if path == Path::new("-") => {
            return Err(Failure::usage("--also writes a second file, named after the first")
                .hint("give the wrapped key a name, with -o"));
        }
        false => Some(new_file(&backup_of(path))?),
    };
    let (wrapped, key) = WrappedKey::generate(uri, context, &keepers::settings())?;
    if let Some(backup) = backup {
        let also = Recipients::new().age(also.into_recipients(&TerminalCallbacks)?);
        let sealed = encrypt(&also, key.to_file().reveal().as_bytes()).map_err(Failure::sealing)?;
        write(backup, &sealed)?;
    }
    write(output, wrapped.to_file().as_bytes())
}

fn key_pair(path: &Path, uri: &Uri, args: &KeygenKmsArgs) -> Result {
    if !args.context.is_empty() {
        return Err(Failure::usage("a key pair has no context")
            .hint("leave --kms-context out, or use -t key-file"));
    }
    recipients(&args.also)?;
    let output = new_file(path)?;
    let pair = KeyPair::make(uri, &keepers::settings())?;
    write(output, pair.to_identity_file(None)?.as_bytes())?;
    let mut lines = format!("{}\n", pair.recipient());
    for also in &args.also {
        lines.push_str(also.trim());
        lines.push('\n');
    }
    print(&lines)
}

fn recipients(texts: &[String]) -> Result<RecipientList> {
    let mut list = RecipientList::new().with_plugins(keepers::plugins());
    for text in texts {
        list.add(text.trim())?;
    }
    Ok(list)
}

fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".backup");
    name.into()
}

fn identity(kind: IdentityKind) -> Result<(SecretText, Option<String>)> {
    let identity = generate(kind, None)?;
    Ok((identity.file, Some(identity.recipient)))
}

/// A key that is replaced takes every file encrypted with it along: there is no -f.
fn new_file(path: &Path) -> Result<OutputFile> {
    let output = OutputArgs { output: Some(path.to_owned()), force: false };
    OutputFile::open(&output, OutputKind::Unknown, &[]).map_err(no_force)
}

fn write(mut output: OutputFile, bytes: &[u8]) -> Result {
    output.write_all(bytes)?;
    output.sync()?;
    output.commit().map_err(no_force)
}

fn no_force(failure: Failure) -> Failure {
    if failure.code == Code::Usage {
        return failure.hint("keygen never replaces a file: choose another name");
    }
    failure
}
