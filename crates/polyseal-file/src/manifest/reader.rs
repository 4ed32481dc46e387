//! Manifests that are read.

use std::io::{self, Read};

use super::order::EntryOrder;
use super::{
    ABSENT, DIRECTORY, END, Entry, Error, FILE, FileBinding, Kind, LINK, LISTED_VERSION, Lineage,
    MAGIC, NO_FIELDS, NO_STAMP, Problem, Reason, State, Timestamp, UNBOUND_VERSION, VERSION,
    commitment_from_bytes,
};
use crate::commitment::{COMMITMENT_BYTES, Commitment, PayloadRoot};

/// Reads a manifest, and yields its entries. After an error it yields nothing more; after the last
/// entry, the end has been seen to be one.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    version: u16,
    lineage: Option<Lineage>,
    order: EntryOrder,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read: best from something buffered.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not begin as a manifest of version 2 or 3; those of the input.
    pub fn new(input: R) -> Result<Self, Error> {
        let reader = Self::with_unbound_contents(input)?;
        if reader.binds_contents() {
            Ok(reader)
        } else {
            Err(Error::Invalid(Problem::UnboundContents))
        }
    }

    /// The same, and also of version 1. An old manifest of that version stays authentic for ever
    /// and has the salts of today's files: anyone who can put it in the place of a newer one, and
    /// can open a file, can put other contents there. So a user should have to ask for it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not begin as a manifest; those of the input.
    pub fn with_unbound_contents(mut input: R) -> Result<Self, Error> {
        let mut magic = [0; MAGIC.len()];
        input.read_exact(&mut magic).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Invalid(Problem::NotAManifest),
            _ => Error::Io(error),
        })?;
        if magic != *MAGIC {
            return Err(Error::Invalid(Problem::NotAManifest));
        }
        let version = u16::from_le_bytes(take(&mut input)?);
        let lineage = match version {
            VERSION => Some(lineage(&mut input)?),
            LISTED_VERSION | UNBOUND_VERSION => None,
            other => return Err(Error::Invalid(Problem::Version(other))),
        };
        Ok(Self { input, version, lineage, order: EntryOrder::default(), ended: false })
    }

    /// Whether its entries bind the contents of files.
    #[must_use]
    pub fn binds_contents(&self) -> bool {
        self.version != UNBOUND_VERSION
    }

    /// Its version: 1, 2 or 3.
    #[must_use]
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Which manifest of the tree it is; `None` before version 3.
    #[must_use]
    pub fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_ref()
    }

    fn entry(&mut self) -> Result<Option<Entry>, Error> {
        let version = self.version;
        let input = &mut self.input;
        let [kind] = take(input)?;
        if kind == END {
            if u64::from_le_bytes(take(input)?) != self.order.entries {
                return Err(Error::Invalid(Problem::Count));
            }
            if version == VERSION && u64::from_le_bytes(take(input)?) != self.order.failed {
                return Err(Error::Invalid(Problem::Count));
            }
            let behind = io::copy(&mut input.take(1), &mut io::sink())?;
            return if behind == 0 { Ok(None) } else { Err(Error::Invalid(Problem::Length)) };
        }
        if !matches!(kind, FILE | DIRECTORY | LINK) && (kind != ABSENT || version != VERSION) {
            return Err(Error::Invalid(Problem::Type));
        }
        let path = string(input)?;
        // A wrong length is said first: the entry may be of another version.
        let state = if version == VERSION { take(input)? } else { [0, 0] };
        let mode = u16::from_le_bytes(take(input)?);
        let modified = Timestamp {
            seconds: i64::from_le_bytes(take(input)?),
            nanoseconds: u32::from_le_bytes(take(input)?),
        };
        let kind = match kind {
            FILE => {
                let plaintext_bytes = u64::from_le_bytes(take(input)?);
                let file_salt = take(input)?;
                let bound = if version == UNBOUND_VERSION {
                    FileBinding::Salt(file_salt)
                } else {
                    let (key, root) = (take(input)?, take(input)?);
                    let root =
                        if version == VERSION { PayloadRoot::Tree } else { PayloadRoot::List }(
                            root,
                        );
                    FileBinding::Contents(Commitment { file_salt, key, payload_root: root })
                };
                let stamp = if version == VERSION { take(input)? } else { NO_STAMP };
                Kind::File { plaintext_bytes, bound, stamp }
            }
            DIRECTORY => Kind::Directory,
            ABSENT => Kind::Absent,
            _ => Kind::Link { target: string(input)? },
        };
        let state = match state {
            [0, 0] => State::New,
            [1, 0] => State::Unchanged,
            [2, reason] if reason != 0 => State::Failed(Reason::from_number(reason)),
            [3, 0] => State::Deleted,
            _ => return Err(Error::Invalid(Problem::State)),
        };
        let entry = Entry { path, state, mode, modified, kind };
        self.order.expect(&entry)?;
        Ok(Some(entry))
    }
}

fn lineage(input: &mut impl Read) -> Result<Lineage, Error> {
    let number = u64::from_le_bytes(take(input)?);
    let previous: [u8; 3 * COMMITMENT_BYTES] = take(input)?;
    if number == 0 {
        return Err(Error::Invalid(Problem::Number));
    }
    let previous = (previous != NO_FIELDS).then(|| commitment_from_bytes(&previous));
    Ok(Lineage { number, previous })
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = self.entry();
        self.ended = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}

fn take<const N: usize>(input: &mut impl Read) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn string(input: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; usize::from(u16::from_le_bytes(take(input)?))];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}
