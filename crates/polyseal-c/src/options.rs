//! The options of files: recipients, the keys that open them, and how they are made.
//!
//! A structure of C that may grow: its first field is its size, so that a program that was compiled
//! with an older header gives the fields that it knows. A size that this library does not know is
//! refused.

use std::ffi::{c_char, c_int};
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;

use polyseal_file::age::{NoCallbacks, RecipientList, parse_identities_with};
use polyseal_file::{
    Context, Identities, Key, Passphrase, Recipients, RunOptions, SegmentSize, Suite, reason,
};
use zeroize::Zeroizing;

use crate::error::{Code, Failure, Result};
use crate::ffi::{bytes, null, text};
use crate::input::{open, path};
use crate::kms;

/// The recipients of a file, and how it is made or read. Begin with POLYSEAL_OPTIONS_INIT, and set
/// what you need: fields that are NULL or 0 are not used.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct polyseal_options {
    /// sizeof(polyseal_options), which POLYSEAL_OPTIONS_INIT sets.
    pub size: usize,
    /// A key of POLYSEAL_FILE_KEYBYTES bytes.
    pub key: *const u8,
    /// The name of a key file, as `polyseal keygen` makes it, which is a regular file: a key
    /// beside, or instead of, the one above. If the library was built with kms, it may be a wrapped
    /// key file: then the first call of a process asks the keeper of the key, which is found by the
    /// environment, and waits for the answer. The key stays in memory until the process ends.
    pub key_file: *const c_char,
    /// To encrypt: recipients of age, one on a line, such as "age1…". To decrypt it is not used.
    pub age_recipients: *const c_char,
    /// To decrypt: the contents of an identity file of age, such as "AGE-SECRET-KEY-1…", or of a
    /// private SSH key. It must not be encrypted itself. If the library was built with kms, it may
    /// be that of a key pair in a token, which is asked for each file. To encrypt it is not used.
    pub age_identities: *const c_char,
    /// A passphrase, which is for itself: a file that has one has no other key.
    pub passphrase: *const u8,
    /// How many bytes it has, from 1 to 4096.
    pub passphrase_bytes: usize,
    /// Bytes that the file is bound to, such as a name: decrypting needs the same.
    pub context: *const u8,
    /// How many bytes it has, up to 65535.
    pub context_bytes: usize,
    /// To encrypt: the algorithm, such as "aegis-128x2"; NULL for the default, "aegis-256x2".
    pub suite: *const c_char,
    /// To encrypt: how many bytes of the file are sealed together, a power of two from 4096 to
    /// 16777216; 0 for the default, 65536.
    pub segment_bytes: usize,
    /// The most threads, the calling one included; 0 for one on each core.
    pub threads: usize,
    /// 1 to replace an output that exists; 0 to refuse it.
    pub overwrite: c_int,
    /// To encrypt: 1 for ASCII armour, a file that is text and a third longer; 0 for none. A file
    /// in armour is decrypted whole, and not in parts.
    pub armor: c_int,
}

/// The options, read: missing ones are `None`.
pub(crate) struct Options<'a> {
    keys: Vec<Key>,
    recipients: Option<&'a str>,
    identities: Option<&'a str>,
    passphrase: Option<Passphrase>,
    pub(crate) context: Option<Context>,
    pub(crate) suite: Option<Suite>,
    pub(crate) segment: SegmentSize,
    pub(crate) run: RunOptions<'static>,
    pub(crate) overwrite: bool,
    pub(crate) armor: bool,
}

/// A text that may be absent.
///
/// # Safety
/// As [`text`].
unsafe fn optional<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { text(pointer, what) }.map(Some)
}

/// Bytes that may be absent: then the pointer is null, and not the length 0.
///
/// # Safety
/// As [`bytes`].
unsafe fn given_bytes<'a>(pointer: *const u8, len: usize) -> Result<Option<&'a [u8]>> {
    if pointer.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { bytes(pointer, len) }.map(Some)
}

fn wrong_field(error: impl ToString) -> Failure {
    Failure::new(Code::Options, error.to_string())
}

impl<'a> Options<'a> {
    /// # Safety
    /// `options` is null or leads to options whose pointers lead to what they say during `'a`.
    pub(crate) unsafe fn read(options: *const polyseal_options) -> Result<Self> {
        if options.is_null() {
            return Err(null("options"));
        }
        // SAFETY: the caller's promise: there is at least the size.
        let size = unsafe { (&raw const (*options).size).read() };
        if size != size_of::<polyseal_options>() {
            let text = "the options do not begin with POLYSEAL_OPTIONS_INIT of this version";
            return Err(Failure::new(Code::Options, text));
        }
        // SAFETY: the caller's promise, and they have the size of this version's.
        let given = unsafe { *options };
        // SAFETY: the caller's promise, for each.
        unsafe {
            let mut keys = Vec::new();
            if !given.key.is_null() {
                let key = bytes(given.key, polyseal_file::KEY_BYTES)?;
                let key = key.try_into().map_err(|_| Failure::from_code(Code::Defect))?;
                keys.push(Key::from_bytes(key));
            }
            if !given.key_file.is_null() {
                keys.push(key_file(path(given.key_file)?)?);
            }
            let passphrase = given_bytes(given.passphrase, given.passphrase_bytes)?;
            let passphrase = passphrase.map(|passphrase| Passphrase::new(passphrase.to_vec()));
            let context = given_bytes(given.context, given.context_bytes)?.map(Context::new);
            let suite = optional(given.suite, "suite")?;
            Ok(Self {
                keys,
                recipients: optional(given.age_recipients, "age_recipients")?,
                identities: optional(given.age_identities, "age_identities")?,
                passphrase: passphrase.transpose().map_err(wrong_field)?,
                context: context.transpose()?,
                suite: suite.map(str::parse).transpose()?,
                segment: match given.segment_bytes {
                    0 => SegmentSize::default(),
                    bytes => SegmentSize::new(bytes as u64)?,
                },
                run: RunOptions::new().threads(NonZeroUsize::new(given.threads)),
                overwrite: given.overwrite != 0,
                armor: given.armor != 0,
            })
        }
    }

    /// Whom to encrypt for.
    pub(crate) fn recipients(&self) -> Result<Recipients> {
        let mut recipients = Recipients::new();
        for key in &self.keys {
            recipients = recipients.key(key.clone());
        }
        if let Some(passphrase) = &self.passphrase {
            recipients = recipients.passphrase(passphrase.clone());
        }
        if let Some(lines) = self.recipients {
            let mut list = RecipientList::new();
            list.add_file(lines.as_bytes(), None).map_err(key_failure)?;
            recipients = recipients.age(list.into_recipients(&NoCallbacks).map_err(key_failure)?);
        }
        Ok(recipients)
    }

    /// How files are worked on.
    pub(crate) fn local(&self) -> polyseal_local::Options<'static> {
        polyseal_local::Options::new().overwrite(self.overwrite).synced(true)
    }

    /// The identities to decrypt with.
    pub(crate) fn identities(&self) -> Result<Identities<'static>> {
        let mut identities = Identities::new();
        for key in &self.keys {
            identities = identities.key(key.clone());
        }
        if let Some(passphrase) = self.passphrase.clone() {
            identities = identities.passphrase(move || Ok(passphrase.clone()));
        }
        if let Some(contents) = self.identities {
            let plugins = kms::plugins();
            let parsed = parse_identities_with(contents.as_bytes(), None, &NoCallbacks, &plugins);
            identities = identities.age(parsed.map_err(key_failure)?);
        }
        Ok(identities)
    }
}

fn key_failure(error: impl ToString) -> Failure {
    Failure::new(Code::KeyFile, error.to_string())
}

fn key_file(path: &Path) -> Result<Key> {
    let file = open(path, "the key file")?;
    // One byte more than a key file may have shows that there are more.
    let room = kms::MAX_KEY_FILE_BYTES + 1;
    let mut contents = Zeroizing::new(Vec::with_capacity(room));
    file.take(room as u64).read_to_end(&mut contents).map_err(|error| {
        Failure::new(Code::Io, format!("cannot read the key file: {}", reason(&error)))
    })?;
    kms::key(&contents)
}
