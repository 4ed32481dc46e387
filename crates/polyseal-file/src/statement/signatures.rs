//! Statements with their signatures, as they are stored: the text, the signatures in armour, then
//! the hashes.

use std::fmt;
use std::ops::Range;

use ssh_key::private::Ed25519Keypair;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, SshSig};
use zeroize::Zeroizing;

use super::signers::{AcceptedSigner, AllowedSigners};
use super::{Coverage, NAMESPACE, Problem, SegmentHashes, Statement, Subject, TreeVersion};
use crate::error::{Error, Result, io};
use crate::read_at::ReadAt;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "-----END SSH SIGNATURE-----\n";
/// A statement and its signatures have no more bytes.
const MAX_BYTES: u64 = 64 << 10;
/// Most have no more.
const USUAL_BYTES: u64 = 4 << 10;

/// A private key that signs.
pub struct Signer(PrivateKey);

impl Signer {
    /// The key in a private key file of OpenSSH, without a passphrase.
    ///
    /// # Errors
    /// [`Problem::Key`], also for one of RSA, with a passphrase or of a token: `ssh-keygen -Y sign`
    /// signs with that, and [`SignedStatement::with_signatures`] takes the result.
    pub fn from_openssh(text: &str) -> Result<Self> {
        let key = PrivateKey::from_openssh(text).map_err(|_| Error::Statement(Problem::Key))?;
        // CT: the RSA of these crates does not take one time for all keys.
        if key.is_encrypted() || matches!(key.algorithm(), Algorithm::Rsa { .. }) {
            return Err(Error::Statement(Problem::Key));
        }
        Ok(Self(key))
    }

    /// A new key, of Ed25519.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn generate() -> Result<Self> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|_| Error::Random)?;
        Ok(Self(PrivateKey::from(Ed25519Keypair::from_seed(&seed))))
    }

    /// The private key file.
    ///
    /// # Errors
    /// [`Problem::Key`].
    pub fn to_openssh(&self) -> Result<Zeroizing<String>> {
        self.0.to_openssh(LineEnding::LF).map_err(|_| Error::Statement(Problem::Key))
    }

    /// The public key, as a list of allowed signers has it.
    ///
    /// # Errors
    /// [`Problem::Key`].
    pub fn public_key(&self) -> Result<String> {
        let public = self.0.public_key().to_openssh();
        public.map_err(|_| Error::Statement(Problem::Key))
    }

    /// The signature of a statement, in armour.
    ///
    /// # Errors
    /// [`Problem::Key`].
    pub fn sign(&self, statement: &Statement) -> Result<String> {
        let text = statement.to_string();
        let signed = self.0.sign(NAMESPACE, HashAlg::Sha512, text.as_bytes());
        let armored = signed.and_then(|signature| signature.to_pem(LineEnding::LF));
        armored.map_err(|_| Error::Statement(Problem::Key))
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("public", self.0.public_key()).finish_non_exhaustive()
    }
}

/// A statement, and signatures of it that nobody has looked at.
#[derive(Clone, Debug)]
pub struct SignedStatement {
    statement: Statement,
    text: String,
    signatures: Vec<SshSig>,
    /// Where the hashes begin.
    end: u64,
}

impl SignedStatement {
    /// The bytes of a statement with these signatures, in armour, and its hashes.
    ///
    /// # Errors
    /// [`Problem::Signature`] if one is none, or not of this statement.
    pub fn with_signatures(
        statement: &Statement,
        signatures: &[String],
        hashes: &SegmentHashes,
    ) -> Result<Vec<u8>> {
        let mut text = statement.to_string();
        for signature in signatures {
            text.push_str(signature.trim_end());
            text.push('\n');
        }
        let parsed = Self::parse(text.as_bytes())?;
        for signature in &parsed.signatures {
            verify(signature, statement)?;
        }
        let mut bytes = text.into_bytes();
        hashes.write(&mut bytes).map_err(io("write the statement"))?;
        Ok(bytes)
    }

    /// Reads a statement and its signatures.
    ///
    /// # Errors
    /// [`Error::Statement`], and [`Error::Io`].
    pub fn read(from: &impl ReadAt) -> Result<Self> {
        let size = from.size().map_err(io("read the statement"))?;
        let mut bytes = Vec::new();
        loop {
            let wanted = Self::wanted(&bytes, size);
            if wanted.is_empty() {
                return Self::parse(&bytes);
            }
            bytes.resize(wanted.end as usize, 0);
            crate::read_at::fill(from, &mut bytes[wanted.start as usize..], wanted.start)?;
        }
    }

    /// The bytes to fetch of a stored statement of `size` bytes, whose first bytes are there: for
    /// most all at once, and for others the rest of what may be text or signatures. When it is
    /// empty, [`read`](Self::read) takes these bytes.
    #[must_use]
    pub fn wanted(beginning: &[u8], size: u64) -> Range<u64> {
        let have = beginning.len() as u64;
        if have == 0 {
            return 0..size.min(USUAL_BYTES);
        }
        // Another signature would be seen.
        let is_whole = |it: Self| it.end + BEGIN.len() as u64 <= have;
        let end = size.min(MAX_BYTES).max(have);
        if Self::parse(beginning).is_ok_and(is_whole) { have..have } else { have..end }
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let bad = Error::Statement;
        let at = find(bytes, BEGIN).ok_or(bad(Problem::Signature))?;
        let text = std::str::from_utf8(&bytes[..at]).map_err(|_| bad(Problem::Text))?.to_owned();
        let statement: Statement = text.parse().map_err(bad)?;
        let (mut signatures, mut end) = (Vec::new(), at);
        while bytes[end..].starts_with(BEGIN.as_bytes()) {
            let length = find(&bytes[end..], END).ok_or(bad(Problem::Signature))? + END.len();
            let armored = &bytes[end..end + length];
            signatures.push(SshSig::from_pem(armored).map_err(|_| bad(Problem::Signature))?);
            end += length;
        }
        Ok(Self { statement, text, signatures, end: end as u64 })
    }

    /// The statement, which nobody has to have signed.
    #[must_use]
    pub fn unverified(&self) -> &Statement {
        &self.statement
    }

    /// The signer of it who is allowed, at a time in seconds since 1970; with `by`, the one of that
    /// name.
    ///
    /// # Errors
    /// [`Problem::NotAccepted`].
    pub fn accepted(
        &self,
        signers: &AllowedSigners,
        by: Option<&str>,
        at: u64,
    ) -> Result<AcceptedSigner> {
        let mut authentic =
            self.signatures.iter().filter(|signature| verify(signature, &self.statement).is_ok());
        let accepted = authentic.find_map(|it| signers.accept(it.public_key(), by, at));
        accepted.ok_or(Error::Statement(Problem::NotAccepted))
    }

    /// The payload that the statement covers, by the hashes behind the signatures in the bytes that
    /// it was [read](Self::read) from. Call [`accepted`](Self::accepted) before.
    ///
    /// # Errors
    /// [`Problem::OtherFile`] if it is about a tree, [`Problem::Hashes`], and [`Error::Io`].
    pub fn coverage(&self, bytes: Box<dyn ReadAt + Send + Sync>) -> Result<Coverage> {
        let size = bytes.size().map_err(io("read the statement"))?;
        self.expect_of_file()?;
        Coverage::of_statement(self.statement.clone(), Some(bytes), size, self.end)
    }

    /// The same where somebody else fetches the hashes, of a stored statement of `size` bytes. Only
    /// what is covered by hashes that are [held](Coverage::hold) can be opened.
    ///
    /// # Errors
    /// [`Problem::OtherFile`] if it is about a tree, and [`Problem::Hashes`].
    pub fn coverage_in_parts(&self, size: u64) -> Result<Coverage> {
        self.expect_of_file()?;
        Coverage::of_statement(self.statement.clone(), None, size, self.end)
    }

    fn expect_of_file(&self) -> Result<()> {
        match self.statement.subject {
            Subject::File => Ok(()),
            Subject::Tree(_) => Err(Error::Statement(Problem::OtherFile)),
        }
    }

    /// The same of the manifest of a tree, and the version of that tree.
    ///
    /// # Errors
    /// [`Problem::OtherFile`] if it is about one file, [`Problem::Hashes`], and [`Error::Io`].
    pub fn tree_coverage(
        &self,
        bytes: Box<dyn ReadAt + Send + Sync>,
    ) -> Result<(Coverage, TreeVersion)> {
        let Subject::Tree(version) = self.statement.subject else {
            return Err(Error::Statement(Problem::OtherFile));
        };
        let size = bytes.size().map_err(io("read the statement"))?;
        let coverage = Coverage::of_statement(self.statement.clone(), Some(bytes), size, self.end)?;
        Ok((coverage, version))
    }

    /// The text that is signed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn verify(signature: &SshSig, statement: &Statement) -> Result<()> {
    let public = ssh_key::PublicKey::from(signature.public_key().clone());
    let verified = public.verify(NAMESPACE, statement.to_string().as_bytes(), signature);
    verified.map_err(|_| Error::Statement(Problem::Signature))
}

fn find(bytes: &[u8], wanted: &str) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted.as_bytes())
}
