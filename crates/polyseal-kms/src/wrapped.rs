//! The wrapped key file: a 32-byte key that only its keeper can unwrap, in a text that is no
//! secret.
//!
//! Source: `docs/spec/wrapped-key.md`.
//!
//! Security claim: a file gives the key that it was made with, or an error. The check value is
//! HMAC-SHA256, under a key that is derived from the wrapped one, of all fields before it: it finds
//! another key's blob and an altered field, also where the keeper knows nothing of the context.
//!
//! Limits: anyone who can write the file can make another, around a key that they know. Comments
//! are not checked.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use polyseal_file::age::p256::{Recipient, open_key, seal_key};
use polyseal_file::age::{Keeper, KeeperError};
use polyseal_file::{Key, key_file_lines};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{Context, Error, Kms, Origin, Point, Problem, Result, Settings, Uri, connect};

/// The first line that is no comment.
const MAGIC: &str = "polyseal-wrapped-key-1";

/// The label of the check key.
const CHECK_INFO: &[u8] = b"polyseal-wrapped-key-1 check";
/// The label for sealing a key to a key pair.
const SEAL_INFO: &[u8] = b"polyseal-wrapped-key-1 sealed";

const CHECK_BYTES: usize = 32;
const MAX_BLOB_BYTES: usize = 8192;
const MAX_KEY_ID_BYTES: usize = 2048;

/// A key that its keeper wrapped, and all that it takes to unwrap it but the right to.
#[derive(Clone, PartialEq, Eq)]
pub struct WrappedKey {
    fields: Fields,
    check: [u8; CHECK_BYTES],
}

/// The fields that the check value covers.
#[derive(Clone, PartialEq, Eq)]
struct Fields {
    uri: Uri,
    context: Context,
    key_id: Option<String>,
    form: Form,
}

/// How the key is kept.
#[derive(Clone, PartialEq, Eq)]
enum Form {
    /// The keeper wrapped it.
    Wrapped(Vec<u8>),
    /// It is sealed to the keeper's key pair.
    SealedTo(Box<Recipient>, Vec<u8>),
}

impl WrappedKey {
    /// The longest file, in bytes: 64 KiB.
    pub const MAX_FILE_BYTES: usize = 64 * 1024;

    /// A fresh key of the keeper, and its file.
    ///
    /// # Errors
    /// The keeper's refusal, or a missing setting.
    pub fn generate(uri: &Uri, context: Context, settings: &Settings) -> Result<(Self, Key)> {
        let keeper = connect(uri, settings)?;
        let made = if uri.scheme().is_of_key_pairs() {
            generate_pair(keeper.as_ref())
        } else {
            generate_wrapped(keeper.as_ref(), &context)
        };
        let (key, key_id, form) = made.map_err(|error| error.with_uri(&uri.to_string()))?;
        let wrapped = Self::new(Fields { uri: uri.for_file(), context, key_id, form }, &key)?;
        Ok((wrapped, key))
    }

    /// The file's contents, read. Nothing is spoken to.
    ///
    /// # Errors
    /// [`Problem::File`], or [`Problem::NotFromFile`].
    pub fn parse(file: &[u8]) -> Result<Self> {
        parse(file)
    }

    /// The key, from its keeper.
    ///
    /// # Errors
    /// The keeper's refusal; [`Problem::Check`] if it is another key, or a field was altered.
    pub fn unwrap(&self, settings: &Settings) -> Result<Key> {
        let uri = &self.fields.uri;
        let key = connect(uri, settings).and_then(|keeper| self.unwrap_with(keeper.as_ref()));
        key.map_err(|error| error.with_uri(&uri.to_string()))
    }

    /// The same key, wrapped again with the newest version of the keeper's key.
    ///
    /// # Errors
    /// As [`unwrap`](Self::unwrap), and the keeper's refusal.
    pub fn rewrap(&self, settings: &Settings) -> Result<Self> {
        let fields = &self.fields;
        let again = connect(&fields.uri, settings).and_then(|k| self.rewrap_with(k.as_ref()));
        again.map_err(|error| error.with_uri(&fields.uri.to_string()))
    }

    fn rewrap_with(&self, keeper: &dyn Kms) -> Result<Self> {
        let fields = &self.fields;
        let key = self.unwrap_with(keeper)?;
        let again = match &fields.form {
            Form::Wrapped(_) => {
                let blob = keeper.wrap(&key, &fields.context).map_err(wrapping_error)?;
                Fields { key_id: blob.key_id, form: Form::Wrapped(blob.bytes), ..fields.clone() }
            }
            // The check value says that this is its key pair; the keeper may show another.
            Form::SealedTo(recipient, _) => {
                Fields { form: seal(recipient.as_ref().clone(), &key)?, ..fields.clone() }
            }
        };
        let again = Self::new(again, &key)?;
        // It takes the place of the only file that opens.
        again.unwrap_with(keeper)?;
        Ok(again)
    }

    /// The hash of the checked fields, and of the check value.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::new_with_prefix(self.fields.text()).chain_update(self.check).finalize().into()
    }

    fn unwrap_with(&self, keeper: &dyn Kms) -> Result<Key> {
        let key = match &self.fields.form {
            Form::Wrapped(blob) => keeper.unwrap(blob, &self.fields.context)?,
            Form::SealedTo(recipient, sealed) => open(keeper, recipient, sealed)?,
        };
        let same = check(&key, &self.fields.text())?.ct_eq(&self.check);
        if bool::from(same) { Ok(key) } else { Err(Problem::Check.into()) }
    }

    /// Which key wraps it.
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.fields.uri
    }

    /// The context that it is bound to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.fields.context
    }

    /// Which of its keys or versions the keeper said it used.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.fields.key_id.as_deref()
    }

    /// The recipient of the key pair that it is sealed to, if it is.
    #[must_use]
    pub fn recipient(&self) -> Option<String> {
        match &self.fields.form {
            Form::Wrapped(_) => None,
            Form::SealedTo(recipient, _) => Some(recipient.to_string()),
        }
    }

    /// The contents of the file.
    #[must_use]
    pub fn to_file(&self) -> String {
        let check: String = self.check.iter().map(|byte| format!("{byte:02x}")).collect();
        format!(
            "# A key of Polyseal that only its keeper can unwrap. This file is no secret.\n\
             # Keep a copy of it: without it the keeper's key opens nothing.\n\
             {}check: {check}\n",
            self.fields.text()
        )
    }

    fn new(fields: Fields, key: &Key) -> Result<Self> {
        let wrapped = Self { check: check(key, &fields.text())?, fields };
        // A keeper's answer may not fit into a file, which must be known before it is written.
        if parse(wrapped.to_file().as_bytes())? == wrapped {
            Ok(wrapped)
        } else {
            Err(Problem::Service("its answer does not fit into a file".to_owned()).into())
        }
    }
}

impl fmt::Debug for WrappedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WrappedKey({})", self.fields.uri)
    }
}

impl Fields {
    /// The one spelling, each line with its end.
    fn text(&self) -> String {
        let mut text = format!("{MAGIC}\nkms: {}\n", self.uri.as_str());
        for line in self.context.lines() {
            text.push_str(&format!("context: {line}\n"));
        }
        if let Some(key_id) = &self.key_id {
            text.push_str(&format!("key-id: {key_id}\n"));
        }
        let (name, bytes) = match &self.form {
            Form::Wrapped(blob) => ("wrapped", blob),
            Form::SealedTo(recipient, sealed) => {
                text.push_str(&format!("recipient: {recipient}\n"));
                ("sealed", sealed)
            }
        };
        text.push_str(&format!("{name}: {}\n", BASE64_STANDARD.encode(bytes)));
        text
    }
}

/// A fresh key that is sealed to a fresh key pair of the keeper.
fn generate_pair(keeper: &dyn Kms) -> Result<(Key, Option<String>, Form)> {
    let key = Key::generate().map_err(|_| Problem::Random)?;
    let form = seal(keeper.make_key_pair()?.into_recipient(), &key)?;
    Ok((key, None, form))
}

/// A fresh key that the keeper wraps, and the keeper's name for its own key.
fn generate_wrapped(keeper: &dyn Kms, context: &Context) -> Result<(Key, Option<String>, Form)> {
    let (key, blob) = keeper.generate(context).map_err(wrapping_error)?;
    Ok((key, blob.key_id, Form::Wrapped(blob.bytes)))
}

fn seal(recipient: Recipient, key: &Key) -> Result<Form> {
    let sealed = seal_key(&recipient, SEAL_INFO, key).map_err(|_| Problem::Random)?;
    Ok(Form::SealedTo(Box::new(recipient), sealed.to_vec()))
}

/// Where nothing was wrapped before, nothing of it can be wrong.
fn wrapping_error(error: Error) -> Error {
    match error.problem() {
        Problem::Refused(says) => Problem::Service(says.clone()).into(),
        _ => error,
    }
}

fn open(keeper: &dyn Kms, recipient: &Recipient, sealed: &[u8]) -> Result<Key> {
    let refused = || Problem::Refused("what is sealed does not open".to_owned());
    let sealed = sealed.try_into().map_err(|_| refused())?;
    let asked = Asked { keeper, said: Mutex::new(None) };
    open_key(recipient, &asked, SEAL_INFO, sealed).map_err(|_| {
        let said = asked.said.into_inner().unwrap_or_else(PoisonError::into_inner);
        said.unwrap_or_else(|| refused().into())
    })
}

/// A keeper whose own error is kept.
struct Asked<'a> {
    keeper: &'a dyn Kms,
    said: Mutex<Option<Error>>,
}

impl Keeper for Asked<'_> {
    fn derive(&self, point: &Point) -> std::result::Result<Zeroizing<[u8; 32]>, KeeperError> {
        self.keeper.derive(point).map_err(|error| {
            let for_caller = KeeperError::from(&error);
            *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            for_caller
        })
    }
}

/// The check value of `text`.
fn check(key: &Key, text: &str) -> Result<[u8; CHECK_BYTES]> {
    let mut check_key = Zeroizing::new([0; 32]);
    // Neither can fail: HKDF gives 8160 bytes, and HMAC takes keys of every length.
    let impossible = || Problem::Service("HKDF or HMAC failed".to_owned());
    Hkdf::<Sha256>::new(None, key.reveal())
        .expand(CHECK_INFO, check_key.as_mut_slice())
        .map_err(|_| impossible())?;
    let mac = Hmac::<Sha256>::new_from_slice(check_key.as_slice()).map_err(|_| impossible())?;
    Ok(mac.chain_update(text).finalize().into_bytes().into())
}

fn parse(file: &[u8]) -> Result<WrappedKey> {
    let bad = |why: String| Error::new(Problem::File(why));
    if file.len() > WrappedKey::MAX_FILE_BYTES {
        return Err(bad("it is longer than 65536 bytes".to_owned()));
    }
    let mut fields = Vec::new();
    for (number, line) in key_file_lines(file) {
        let text = str::from_utf8(line).ok().filter(|text| text.bytes().all(is_printable));
        let text = text.ok_or_else(|| bad(format!("line {number} is not printable ASCII")))?;
        fields.push((number, text));
    }
    let mut fields = fields.into_iter().peekable();
    match fields.next() {
        Some((_, MAGIC)) => {}
        Some((_, text)) if text.starts_with("polyseal-wrapped-key-") => {
            return Err(bad("this program reads version 1 alone".to_owned()));
        }
        _ => return Err(bad(format!("its first line is {MAGIC}"))),
    }
    let mut take = |name: &str| {
        let value = fields.peek().and_then(|(_, text)| text.strip_prefix(name)?.strip_prefix(": "));
        if value.is_some() {
            fields.next();
        }
        value
    };
    let missing = |name: &str| bad(format!("it has no line {name}, or not in its place"));
    let uri = Uri::parse(take("kms").ok_or_else(|| missing("kms"))?, Origin::File)?;
    let mut context = Context::default();
    let mut context_lines = Vec::new();
    while let Some(line) = take("context") {
        context.add_line(line)?;
        context_lines.push(line);
    }
    if !context.lines().eq(context_lines.iter().copied()) {
        return Err(bad("the lines of its context are not in order".to_owned()));
    }
    let key_id = take("key-id").map(str::to_owned);
    if key_id.as_ref().is_some_and(|key_id| key_id.len() > MAX_KEY_ID_BYTES) {
        return Err(bad("its key-id is longer than 2048 bytes".to_owned()));
    }
    let form = match take("recipient") {
        None => Form::Wrapped(blob(take("wrapped").ok_or_else(|| missing("wrapped"))?)?),
        Some(text) => {
            let recipient: Recipient =
                text.parse().map_err(|_| bad("its recipient is damaged".to_owned()))?;
            let sealed = take("sealed").ok_or_else(|| missing("sealed"))?;
            Form::SealedTo(Box::new(recipient), blob(sealed)?)
        }
    };
    let check = take("check").ok_or_else(|| missing("check"))?;
    let check = check_value(check).ok_or_else(|| bad("its check is not 64 digits".to_owned()))?;
    if let Some((number, _)) = fields.next() {
        return Err(bad(format!("line {number} is one too many")));
    }
    Ok(WrappedKey { fields: Fields { uri, context, key_id, form }, check })
}

fn is_printable(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_graphic()
}

fn blob(text: &str) -> Result<Vec<u8>> {
    let bytes = BASE64_STANDARD.decode(text).ok();
    let bytes = bytes.filter(|bytes| (1..=MAX_BLOB_BYTES).contains(&bytes.len()));
    bytes.ok_or_else(|| {
        Problem::File("what is wrapped is not 1 to 8192 bytes in Base64".to_owned()).into()
    })
}

/// 64 digits in lower case. They are no secret.
fn check_value(text: &str) -> Option<[u8; CHECK_BYTES]> {
    let mut bytes = [0; CHECK_BYTES];
    if text.len() != 2 * CHECK_BYTES || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
