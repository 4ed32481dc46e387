//! Keys that variables name, for containers and units, where a command line is the same for all.
//!
//! Each variable has the name of a file, and never a secret: others can read a process's
//! environment. They count where the command line names no key at all, so that none opens or seals
//! a file that was meant for another.
//!
//! Security claim: a value that names no file is not shown. It may be a secret, in any encoding.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::args::{Command, EncryptArgs, Format, OpenArgs, ReadArgs, RekeyArgs};
use crate::error::{Failure, Result};
use crate::messages::note;

const KEY: &str = "POLYSEAL_KEY_FILE";
const IDENTITY: &str = "POLYSEAL_IDENTITY_FILE";
const PASSPHRASE: &str = "POLYSEAL_PASSPHRASE_FILE";

/// For the manual. Those of stores and key services are theirs.
pub(crate) const VARIABLES: [(&str, &str); 6] = [
    (KEY, "The key file, where no option names a key, identity, passphrase or recipient."),
    (IDENTITY, "The same, for a file of identities."),
    (
        PASSPHRASE,
        "The same, for a file whose first line is the passphrase. Of several of these variables, \
         all are tried to decrypt; to encrypt, this one counts where neither of the others is set.",
    ),
    ("AWS_…, AZURE_…, GOOGLE_…, VAULT_…", "Credentials and endpoints of stores and key services."),
    ("HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE", "Proxies, and the certificates that are trusted."),
    ("PATH", "Where plugins of age are looked for: age-plugin-NAME."),
];

/// Lets `command` have the keys that variables name, if it names none.
pub(crate) fn fill(command: &mut Command) -> Result {
    match command {
        Command::Encrypt(args) => encrypt(args),
        Command::Decrypt(args) => read(&mut args.read),
        Command::Verify(args) => read(&mut args.read),
        Command::Cat(args) => read(&mut args.read),
        Command::Ls(args) => open(&mut args.open, args.ask.passphrase),
        #[cfg(feature = "mount")]
        Command::Mount(args) => open(&mut args.open, args.ask.passphrase),
        // To put headers back takes no key.
        Command::Rekey(RekeyArgs { open: args, restore: false, .. }) => open(args, false),
        _ => Ok(()),
    }
}

fn read(args: &mut ReadArgs) -> Result {
    open(&mut args.open, args.ask.passphrase)
}

fn open(args: &mut OpenArgs, ask: bool) -> Result {
    let given = !args.key.is_empty() || !args.identity.is_empty();
    if given || args.passphrase_fd.is_some() || ask {
        return Ok(());
    }
    args.key.extend(file(KEY)?);
    args.identity.extend(file(IDENTITY)?);
    args.passphrase_file = file(PASSPHRASE)?;
    Ok(())
}

fn encrypt(args: &mut EncryptArgs) -> Result {
    let to = &args.recipients;
    let named = to.recipient.len() + to.recipients_file.len() + args.key.len();
    let given = named + args.identity.len() > 0 || to.passphrase;
    if given || args.passphrase_fd.is_some() {
        return Ok(());
    }
    let key = file(KEY)?;
    // An age file is for identities, or a passphrase.
    let unfit = args.format == Format::Age && key.is_some();
    if !unfit {
        args.key.extend(key);
    }
    args.identity.extend(file(IDENTITY)?);
    if args.key.is_empty() && args.identity.is_empty() {
        args.passphrase_file = file(PASSPHRASE)?;
    }
    let none = args.identity.is_empty() && args.passphrase_file.is_none();
    if unfit && none {
        return Err(Failure::usage(format!(
            "{KEY} names a key file, and an age file is for others"
        ))
        .hint(format!("give recipients, with -r or -R; or set {IDENTITY} or {PASSPHRASE}")));
    }
    let named = [
        (KEY, !args.key.is_empty()),
        (IDENTITY, !args.identity.is_empty()),
        (PASSPHRASE, args.passphrase_file.is_some()),
    ];
    // Whoever has forgotten a recipient sees for whom the file is. A job would only be mailed it.
    if io::stderr().is_terminal() {
        for (variable, _) in named.iter().filter(|(_, used)| *used) {
            note(&format!("note: encrypting for {variable}"));
        }
    }
    Ok(())
}

/// The file that a variable names. An empty one is as none.
fn file(variable: &str) -> Result<Option<PathBuf>> {
    let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let path = PathBuf::from(value);
    if path.exists() {
        return Ok(Some(path));
    }
    Err(Failure::usage(format!("{variable} does not have the name of a file that is there")).hint(
        "the value is not shown, for it may be a secret: it belongs in a file, and its name here",
    ))
}
