//! The claims of a file's header, without a key and so without any proof.

use std::ffi::{c_char, c_int};
use std::io::{self, Read};

use polyseal_file::{
    AnyInspection, ArmorReader, Error, FormatInspection, Inspection, PayloadInfo, StanzaInfo, age,
};

use crate::error::Result;
use crate::ffi::{bytes, catch_panic, non_null_mut};

const POLYSEAL: c_int = 1;
const AGE: c_int = 2;

/// The claims of a file's header, for readers without a key. None of them has been checked: anyone
/// who stores a file can make it claim something else.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct polyseal_inspection {
    /// POLYSEAL_FORMAT_POLYSEAL or POLYSEAL_FORMAT_AGE.
    pub format: c_int,
    /// The version of that format, 1.
    pub version: c_int,
    /// 1 if the file is in ASCII armour; the lengths below are then those of the file inside.
    pub armored: c_int,
    /// 1 if the file is bound to a context, which who decrypts must give.
    pub context: c_int,
    /// The algorithm's name, such as "aegis-256x2"; "" for a file of age, whose algorithm is always
    /// ChaCha20-Poly1305.
    pub suite: [c_char; 65],
    /// How many bytes of plaintext are sealed together.
    pub segment_bytes: usize,
    /// The length of the tag of each such segment.
    pub abytes: usize,
    /// The length of the header, behind which the payload begins.
    pub header_bytes: usize,
    /// How many bytes of the header are free for more recipients.
    pub spare_bytes: usize,
    /// How many keys, as in key files, the file is for.
    pub keys: usize,
    /// How many passphrases: 0 or 1.
    pub passphrases: usize,
    /// How many recipients of age.
    pub age_recipients: usize,
    /// How many others, of kinds that this library does not know.
    pub others: usize,
    /// The kinds of the recipients of age, each once, with spaces between: "X25519 ssh-ed25519".
    /// Kinds without room are left out.
    pub age_kinds: [c_char; 256],
    /// The length of the payload; 0 if the length of the file is not known.
    pub payload_bytes: u64,
    /// The length of the plaintext; 0 if complete is.
    pub plaintext_bytes: u64,
    /// 1 if a whole file may have this length; 0 if none has, as after an interrupted copy, or if
    /// the length is not known.
    pub complete: c_int,
}

/// A text, cut to what has room with a null byte.
fn put<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (to, byte) in array[..N - 1].iter_mut().zip(text.bytes()) {
        *to = byte as c_char;
    }
    array
}

/// Each once, as many as have room.
fn kinds<const N: usize>(recipients: &[String]) -> [c_char; N] {
    let mut text = String::new();
    for (i, kind) in recipients.iter().enumerate() {
        if !recipients[..i].contains(kind) && text.len() + kind.len() + 1 < N {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(kind);
        }
    }
    put(&text)
}

impl polyseal_inspection {
    fn from_inspection(file: &Inspection, armored: bool) -> Self {
        let mut age = Vec::new();
        let [mut keys, mut passphrases, mut others] = [0; 3];
        for stanza in &file.stanzas {
            match stanza {
                StanzaInfo::KeyFile { .. } => keys += 1,
                StanzaInfo::Passphrase { .. } => passphrases += 1,
                StanzaInfo::Age { recipients, .. } => age.extend_from_slice(recipients),
                _ => others += 1,
            }
        }
        Self {
            format: POLYSEAL,
            version: file.version.into(),
            armored: armored.into(),
            context: file.context.into(),
            suite: put(&file.suite),
            segment_bytes: file.segment_bytes as usize,
            abytes: file.tag_bytes,
            header_bytes: file.payload_offset as usize,
            spare_bytes: file.spare_bytes,
            keys,
            passphrases,
            age_recipients: age.len(),
            others,
            age_kinds: kinds(&age),
            payload_bytes: 0,
            plaintext_bytes: 0,
            complete: 0,
        }
        .with_payload(file.payload)
    }

    fn from_age(file: &age::v1::Inspection, armored: bool) -> Self {
        let by_passphrase = |kind: &&String| *kind == "scrypt";
        let passphrases = file.recipients.iter().filter(by_passphrase).count();
        let others: Vec<_> =
            file.recipients.iter().filter(|kind| !by_passphrase(kind)).cloned().collect();
        Self {
            format: AGE,
            version: file.version.into(),
            armored: armored.into(),
            context: 0,
            suite: put(""),
            segment_bytes: age::v1::CHUNK_BYTES as usize,
            abytes: 16,
            header_bytes: file.payload_offset as usize,
            spare_bytes: 0,
            keys: 0,
            passphrases,
            age_recipients: others.len(),
            others: 0,
            age_kinds: kinds(&others),
            payload_bytes: 0,
            plaintext_bytes: 0,
            complete: 0,
        }
        .with_payload(file.payload)
    }

    fn with_payload(mut self, payload: Option<PayloadInfo>) -> Self {
        if let Some(payload) = payload {
            self.payload_bytes = payload.bytes;
            self.plaintext_bytes = payload.plaintext_bytes.unwrap_or(0);
            self.complete = payload.plaintext_bytes.is_some().into();
        }
        self
    }
}

/// Takes a defect of armour out of an error of reading.
fn io(source: io::Error) -> Error {
    source.downcast().unwrap_or_else(|source| Error::Io { what: "read the input", source })
}

/// Describes what `open` opens at its beginning, again if need be, of `length` bytes; `whole` says
/// whether all of them are there.
fn describe<R: Read>(
    mut open: impl FnMut() -> io::Result<R>,
    length: Option<u64>,
    whole: bool,
) -> Result<polyseal_inspection> {
    let mut found = AnyInspection::read(&mut open().map_err(io)?, length)?;
    if found.armored && whole {
        // How long it is, only its end tells.
        let mut inside = ArmorReader::new(open().map_err(io)?);
        found = found.with_length(io::copy(&mut inside, &mut io::sink()).map_err(io)?);
    }
    Ok(match &found.file {
        FormatInspection::Polyseal(file) => {
            polyseal_inspection::from_inspection(file, found.armored)
        }
        FormatInspection::Age(file) => polyseal_inspection::from_age(file, found.armored),
    })
}

/// Writes to *inspection the claims of the header of the file called path: one of Polyseal or of
/// age, which may be in armour, which is then read to its end. No key is needed, and nothing is
/// checked.
///
/// Errors: POLYSEAL_ERR_IO, POLYSEAL_ERR_NOT_ENCRYPTED, POLYSEAL_ERR_VERSION, POLYSEAL_ERR_HEADER,
/// POLYSEAL_ERR_TRUNCATED, POLYSEAL_ERR_ARMOR.
#[cfg(any(unix, windows))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_inspect_file(
    inspection: *mut polyseal_inspection,
    path: *const c_char,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (inspection, file) =
            unsafe { (non_null_mut(inspection, "inspection")?, crate::input::open_input(path)?) };
        let length = file.metadata().map_err(io)?.len();
        let open = || {
            io::Seek::rewind(&mut &file)?;
            Ok(&file)
        };
        *inspection = describe(open, Some(length), true)?;
        Ok(())
    })
}

/// The same for the beginning of a file, of len bytes: POLYSEAL_FILE_HEADERBYTES_MAX of it are
/// enough, or all of it if it is shorter. file_bytes is the length of the file; 0 if it is not
/// known. The length of a file in armour is known only if all of it is there.
///
/// Errors: as polyseal_inspect_file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_inspect(
    inspection: *mut polyseal_inspection,
    beginning: *const u8,
    len: usize,
    file_bytes: u64,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (inspection, beginning) =
            unsafe { (non_null_mut(inspection, "inspection")?, bytes(beginning, len)?) };
        let length = (file_bytes > 0).then_some(file_bytes);
        *inspection = describe(|| Ok(beginning), length, file_bytes == len as u64)?;
        Ok(())
    })
}
