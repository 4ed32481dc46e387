//! The encrypted manifest of a tree: which version it is of, and its entries.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{
    Error as ManifestError, Lineage, Problem as ManifestProblem, Reader, context,
    context_of_version_2,
};
use polyseal_file::{Commitment, Context, Decryptor, Error as FileError, Header, Input, ReadAt};

use super::signed::ManifestSignature;
use super::store::ManifestFile;
use crate::error::{Error, Problem, Result, file, manifest_error};
use crate::options::Options;

/// The reader of a manifest's plaintext.
type Plaintext<M> = BufReader<polyseal_file::Reader<M>>;
pub(super) type Entries<M> = Reader<Plaintext<M>>;

/// Which version the manifest is of.
enum ManifestVersion {
    /// Version 1, which is bound to the context of the files, and was asked for.
    Version1,
    /// A later version, and the context that it is bound to.
    Bound(Context),
}

/// A manifest that is there, and is one.
pub(super) struct SealedManifest {
    pub(super) file: ManifestFile,
    /// As it was before the rest was read: replacing the manifest compares it.
    pub(super) header: Header,
    /// Its path, for messages.
    pub(super) shown: PathBuf,
    version: ManifestVersion,
    signature: ManifestSignature,
    /// None before version 3, and before it has been read to its end.
    pub(super) lineage: Option<Lineage>,
}

impl SealedManifest {
    /// Opens an encrypted manifest. Since version 2 it is bound to a context that no file has, so
    /// that no file is taken for one, and to another in each version.
    pub(super) fn open(
        manifest: ManifestFile,
        shown: PathBuf,
        signature: ManifestSignature,
        decryptor: &Decryptor<'_>,
        options: &Options<'_>,
    ) -> Result<Self> {
        let header = manifest.header().map_err(file(&shown))?;
        let covering = signature.covering(*decryptor);
        let version = ManifestVersion::read(&manifest, &covering, options, &shown)?;
        Ok(Self { file: manifest, header, shown, version, signature, lineage: None })
    }

    /// One that is coming: of version 3, whatever it says of itself.
    pub(super) fn open_coming(
        manifest: ManifestFile,
        shown: PathBuf,
        signature: ManifestSignature,
        decryptor: &Decryptor<'_>,
    ) -> Result<Self> {
        let header = manifest.header().map_err(file(&shown))?;
        let own = context(decryptor.bound_to()).map_err(file(&shown))?;
        let version = ManifestVersion::Bound(own);
        Ok(Self { file: manifest, header, shown, version, signature, lineage: None })
    }

    /// Its number: one more with each update. 0 before version 3.
    pub(super) fn number(&self) -> u64 {
        self.lineage.map_or(0, |lineage| lineage.number)
    }

    /// The context that it is bound to; `None` for the context of the files.
    pub(super) fn context(&self) -> Option<&Context> {
        self.version.context()
    }

    /// Refuses another number than that of its statement.
    pub(super) fn expect_signed_number(&self) -> Result {
        self.signature.expect_number(self.number(), &self.shown)
    }

    pub(super) fn entries(&self, decryptor: Decryptor<'_>) -> Result<Entries<&ManifestFile>> {
        self.version.entries(self.signature.covering(decryptor), &self.file, &self.shown)
    }

    /// The same of a manifest that is needed no longer.
    pub(super) fn into_entries(self, decryptor: Decryptor<'_>) -> Result<Entries<ManifestFile>> {
        self.version.entries(self.signature.covering(decryptor), self.file, &self.shown)
    }

    /// The commitment to it, for which all of it is read.
    pub(super) fn commitment(&self, decryptor: Decryptor<'_>) -> Result<Commitment> {
        let decryptor = self.signature.covering(decryptor);
        let decryptor = match self.context() {
            None => decryptor,
            Some(own) => decryptor.context(own),
        };
        let mut input = ManifestBytes { file: &self.file, at: 0 };
        let input = Input::Stream(&mut input);
        let run = decryptor.run_options().progress(&|_| ());
        let verified = decryptor.running(run).committing().verify(input);
        let summary = verified.map_err(file(&self.shown))?;
        summary.commitment.ok_or_else(|| Error::new(&self.shown, Problem::OtherFile))
    }
}

/// The bytes of an encrypted manifest, one after the other.
pub(super) struct ManifestBytes<'a> {
    pub(super) file: &'a ManifestFile,
    pub(super) at: u64,
}

impl Read for ManifestBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn entries<M: ReadAt>(
    decryptor: Decryptor<'_>,
    manifest: M,
    shown: &Path,
    read: impl Fn(Plaintext<M>) -> std::result::Result<Entries<M>, ManifestError>,
) -> Result<Entries<M>> {
    let reader = decryptor.reader(manifest).map_err(file(shown))?;
    read(BufReader::with_capacity(1 << 16, reader)).map_err(manifest_error(shown))
}

impl ManifestVersion {
    fn read(
        manifest: &ManifestFile,
        decryptor: &Decryptor<'_>,
        options: &Options<'_>,
        shown: &Path,
    ) -> Result<Self> {
        let own = context(decryptor.bound_to()).map_err(file(shown))?;
        let refused = match Self::bound_to(own, 3, manifest, decryptor, shown)? {
            Ok(bound) => return Ok(bound),
            Err(refused) => refused,
        };
        let second = context_of_version_2(decryptor.bound_to()).map_err(file(shown))?;
        if let Ok(bound) = Self::bound_to(second, 2, manifest, decryptor, shown)? {
            return Ok(bound);
        }
        let old = entries(*decryptor, manifest, shown, Reader::with_unbound_contents)?;
        match (old.binds_contents(), options.unbound_contents) {
            // A file with the contents of a manifest.
            (true, _) => Err(file(shown)(refused)),
            (false, true) => Ok(Self::Version1),
            (false, false) => {
                Err(Error::new(shown, Problem::Manifest(ManifestProblem::UnboundContents)))
            }
        }
    }

    /// A manifest that is bound to this context has to be of this version. The inner error is that
    /// it is bound to another, or to none.
    fn bound_to(
        own: Context,
        version: u16,
        manifest: &ManifestFile,
        decryptor: &Decryptor<'_>,
        shown: &Path,
    ) -> Result<std::result::Result<Self, FileError>> {
        match decryptor.context(&own).reader(manifest) {
            Ok(_) => {}
            Err(
                error @ (FileError::ContextMissing
                | FileError::ContextDiffers
                | FileError::ContextUnexpected),
            ) => return Ok(Err(error)),
            Err(error) => return Err(file(shown)(error)),
        }
        let found = entries(decryptor.context(&own), manifest, shown, Reader::new)?.version();
        if found == version {
            return Ok(Ok(Self::Bound(own)));
        }
        Err(Error::new(shown, Problem::Manifest(ManifestProblem::Version(found))))
    }

    /// The context that it is bound to; `None` for the context of the files.
    fn context(&self) -> Option<&Context> {
        match self {
            Self::Version1 => None,
            Self::Bound(context) => Some(context),
        }
    }

    /// The entries of a manifest of this version.
    fn entries<M: ReadAt>(
        &self,
        decryptor: Decryptor<'_>,
        manifest: M,
        shown: &Path,
    ) -> Result<Entries<M>> {
        match self.context() {
            None => entries(decryptor, manifest, shown, Reader::with_unbound_contents),
            Some(own) => entries(decryptor.context(own), manifest, shown, Reader::new),
        }
    }
}
