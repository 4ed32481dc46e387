//! An identity file that age encrypted with a passphrase, in armour or not.
//!
//! Security claim: the passphrase is asked for once, when an identity is first needed, and not if
//! it would take more than 2^20 units of scrypt. Nothing of the file is used before all of it has
//! proven authentic.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use super::error::{DecryptError, KeyError, KeyProblem};
use super::identities::{IdentityLine, read_lines, usable, without_blanks_before};
use super::in_process::InProcessPlugin;
use super::scrypt::ScryptStanza;
use super::v1::Header;
use super::work::BoundedIdentity;
use super::{BoxedIdentity, Callbacks, FileKey, Identity, MAX_WORK_FACTOR, Stanza};
use crate::SecretText;
use crate::armor::ArmorReader;

/// The first line of an armoured file of age.
const ARMOR: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
const BARE: &[u8] = b"age-encryption.org/";

/// Whether the contents of a file, after what may stand before them, begin as one of age does.
pub(super) fn begins(contents: &[u8]) -> bool {
    contents.starts_with(ARMOR) || contents.starts_with(BARE)
}

/// Refuses a file that is damaged as far as that shows without a passphrase, or not for one.
pub(super) fn check(contents: &[u8]) -> Result<(), KeyError> {
    open(contents).map(|_| ())
}

/// An identity file that is encrypted with a passphrase, opened when it is first used.
pub(super) struct EncryptedFile<C> {
    contents: Vec<u8>,
    file: Option<String>,
    callbacks: C,
    plugins: Vec<Arc<dyn InProcessPlugin>>,
    opened: OnceLock<Result<Vec<BoxedIdentity>, KeyError>>,
}

impl<C: Callbacks> EncryptedFile<C> {
    pub(super) fn new(
        contents: &[u8],
        file: Option<&str>,
        callbacks: &C,
        plugins: &[Arc<dyn InProcessPlugin>],
    ) -> Self {
        Self {
            contents: contents.to_vec(),
            file: file.map(str::to_owned),
            callbacks: callbacks.clone(),
            plugins: plugins.to_vec(),
            opened: OnceLock::new(),
        }
    }

    /// The identities in it. The passphrase is asked for once.
    fn identities(&self) -> Result<&[BoxedIdentity], &KeyError> {
        let open = || {
            decrypt(&self.contents, self.file.as_deref(), &self.callbacks, &self.plugins)
                .and_then(|identities| usable(identities, &self.callbacks))
                .map_err(|error| error.in_file(self.file.as_deref()))
        };
        self.opened.get_or_init(open).as_deref()
    }

    fn first<T>(
        &self,
        opens: impl Fn(&dyn BoundedIdentity) -> Option<Result<T, DecryptError>>,
    ) -> Option<Result<T, DecryptError>> {
        let identities = match self.identities() {
            Ok(identities) => identities,
            Err(error) => return Some(Err(DecryptError::Key(error.clone()))),
        };
        // As in a plain file: what one of them refuses matters only if no other opens it.
        let mut refused = None;
        for identity in identities {
            match opens(identity.as_ref()) {
                None => {}
                Some(Err(error)) => refused = Some(Err(error)),
                opened => return opened,
            }
        }
        refused
    }
}

impl<C: Callbacks> Identity for EncryptedFile<C> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.first(|identity| identity.unwrap_stanza(stanza))
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        self.first(|identity| identity.unwrap_stanzas(stanzas))
    }
}

impl<C: Callbacks> BoundedIdentity for EncryptedFile<C> {
    fn work(&self, stanza: &Stanza) -> u32 {
        let identities = self.identities().unwrap_or_default().iter();
        identities.map(|identity| identity.work(stanza)).fold(0, u32::saturating_add)
    }
}

/// The identities in a file, whose passphrase is asked for.
pub(super) fn decrypt<C: Callbacks>(
    contents: &[u8],
    file: Option<&str>,
    callbacks: &C,
    plugins: &[Arc<dyn InProcessPlugin>],
) -> Result<Vec<IdentityLine>, KeyError> {
    const DAMAGED: KeyProblem = KeyProblem::EncryptedDamaged;
    let (header, payload) = open(contents)?;
    let stanza = header.passphrase_stanza().and_then(ScryptStanza::parse).ok_or(DAMAGED)?;
    let (required, limit) = (stanza.work_factor(), MAX_WORK_FACTOR);
    if required > limit {
        return Err(KeyProblem::WorkFactor { required, limit }.into());
    }
    let passphrase = ask(callbacks, "identity file", file)?;
    let file_key =
        stanza.unwrap(passphrase.reveal().as_bytes()).ok_or(KeyProblem::WrongPassphrase)?;
    let header = header.authenticate_with(file_key).map_err(|_| DAMAGED)?;
    let text = header.decrypt(payload).map_err(|_| DAMAGED)?;
    read_lines(&text, plugins)
}

/// The header of a file for a passphrase, and the payload.
fn open(contents: &[u8]) -> Result<(Header, Vec<u8>), KeyError> {
    const DAMAGED: KeyProblem = KeyProblem::EncryptedDamaged;
    let contents = without_blanks_before(contents);
    let mut file = Vec::new();
    if contents.starts_with(ARMOR) {
        ArmorReader::new(contents).read_to_end(&mut file).map_err(|_| DAMAGED)?;
    } else {
        file.extend_from_slice(contents);
    }
    let mut rest = file.as_slice();
    let header = Header::read(&mut rest).map_err(|_| DAMAGED)?;
    let payload = rest.to_vec();
    match header.passphrase_stanza() {
        Some(_) => Ok((header, payload)),
        None => Err(KeyProblem::NotForPassphrase.into()),
    }
}

/// Asks for the passphrase of an identity.
pub(super) fn ask<C: Callbacks>(
    callbacks: &C,
    what: &str,
    file: Option<&str>,
) -> Result<SecretText, KeyError> {
    let question = match file {
        Some(file) => format!("Passphrase of the {what} {file}"),
        None => format!("Passphrase of the {what}"),
    };
    callbacks.request_passphrase(&question).ok_or_else(|| KeyProblem::NoPassphrase.into())
}
