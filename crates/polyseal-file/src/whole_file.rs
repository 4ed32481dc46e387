//! Encrypting and decrypting whole files: the header, then the pipeline.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

#[cfg(feature = "age")]
use crate::age::{
    self,
    v1::{ChunkCipher, is_header_start},
};
use crate::armor::{ArmorReader, looks_armored};
use crate::commitment::{COMMITMENT_BYTES, Commitment, ExpectedLeaves, Leaves, PayloadRoot, Roots};
use crate::error::{Error, Result, io};
use crate::header::{Header, MAX_HEADER_BYTES, MIN_HEADER_BYTES, PayloadKey};
#[cfg(any(unix, windows))]
use crate::input_file::InputFile;
use crate::key::Key;
use crate::layout::SegmentSize;
use crate::passphrase::Context;
use crate::payload::{Expected, PayloadHead, StoredLength};
use crate::payload_cipher::PayloadCipher;
use crate::pipeline::{Input, Output, Pipeline, Sink, Source, Totals};
use crate::read_at::ReadAt;
use crate::reader::Reader;
use crate::recipients::{Identities, Recipients};
use crate::run_options::RunOptions;
use crate::sealer::SealedLeaves;
use crate::sealer::{Sealer, SourceVersion, StreamSealer};
use crate::segment::{Direction, SegmentCipher};
use crate::statement::PendingStatement;
use crate::statement::{Binding, Coverage, SegmentHashes, Statement};
use crate::suite::{DEFAULT_SUITE, Suite};

/// The result of an operation on a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The bytes of plaintext.
    pub plaintext_bytes: u64,
    /// The bytes of the encrypted file; without those of a header that is kept elsewhere, and of
    /// armour.
    pub file_bytes: u64,
    /// The file salt in its header, which no other file has and which another header for the same
    /// payload keeps; none in a file of age.
    pub file_salt: Option<[u8; COMMITMENT_BYTES]>,
    /// Whether an [`Input::File`] that was encrypted has become longer meanwhile: the added bytes
    /// are not encrypted. The output is whole without it.
    pub grew: bool,
    /// The commitment to the file, if that was asked for; `None` for a file of age.
    pub commitment: Option<Commitment>,
}

/// Where the payload begins, the file salt, and the commitment to the file key if it was asked for.
struct UnlockedHeader {
    offset: u64,
    file_salt: Option<[u8; COMMITMENT_BYTES]>,
    key_commitment: Option<[u8; COMMITMENT_BYTES]>,
}

impl UnlockedHeader {
    fn commitment(&self, roots: &Roots) -> Option<Commitment> {
        let (file_salt, key) = (self.file_salt?, self.key_commitment?);
        Some(Commitment { file_salt, key, payload_root: roots.payload_root() })
    }

    fn summary(&self, totals: Totals) -> Summary {
        Summary {
            plaintext_bytes: totals.output,
            file_bytes: self.offset + totals.input,
            file_salt: self.file_salt,
            grew: false,
            commitment: None,
        }
    }
}

/// Encrypts files.
///
/// ```no_run
/// use std::fs::File;
///
/// use polyseal_file::{Context, Encryptor, Input, Key, Output, Recipients};
///
/// let key = Key::parse(&std::fs::read("backup.key")?)?;
/// let (recipients, context) = (Recipients::from(&key), Context::new("notes of 2026")?);
/// let (notes, sealed) = (File::open("notes.txt")?, File::create_new("notes.txt.polyseal")?);
/// let encryptor = Encryptor::new(&recipients).context(&context);
/// encryptor.encrypt(Input::File(&notes), Output::File(&sealed))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Encryptor<'a> {
    recipients: &'a Recipients,
    suite: Option<Suite>,
    segment: SegmentSize,
    context: Option<&'a Context>,
    header_bytes: usize,
    run: RunOptions<'a>,
    commits: bool,
}

/// Decrypts files, wholly or in parts; with the feature `age` also those of age.
#[derive(Clone, Copy)]
pub struct Decryptor<'a> {
    identities: &'a Identities<'a>,
    context: Option<&'a Context>,
    detached: Option<&'a Header>,
    run: RunOptions<'a>,
    commits: CommitmentMode<'a>,
    coverage: Option<&'a Arc<Coverage>>,
}

/// How the contents are checked or reported when a file is decrypted.
#[derive(Clone, Copy)]
enum CommitmentMode<'a> {
    Ignore,
    Compute,
    Expect(&'a Commitment),
}

impl<'a> Encryptor<'a> {
    /// The default suite and segment size, on all cores.
    #[must_use]
    pub fn new(recipients: &'a Recipients) -> Self {
        Self {
            recipients,
            suite: None,
            segment: SegmentSize::default(),
            context: None,
            header_bytes: 0,
            run: RunOptions::new(),
            commits: false,
        }
    }

    /// With [`Summary::commitment`], which takes one more pass over bytes in the cache.
    #[must_use]
    pub fn committing(mut self) -> Self {
        self.commits = true;
        self
    }

    /// With another suite.
    #[must_use]
    pub fn suite(mut self, suite: Suite) -> Self {
        self.suite = Some(suite);
        self
    }

    /// With another segment size.
    #[must_use]
    pub fn segment_size(mut self, segment: SegmentSize) -> Self {
        self.segment = segment;
        self
    }

    /// Binds the file to a context: decrypting needs the same one.
    #[must_use]
    pub fn context(mut self, context: &'a Context) -> Self {
        self.context = Some(context);
        self
    }

    /// The context that it was given.
    #[must_use]
    pub fn bound_to(&self) -> Option<&'a Context> {
        self.context
    }

    /// With a header of at least this many bytes, so that more recipients fit into it later; of
    /// more than 65536, which no header has, it is that long.
    #[must_use]
    pub fn header_bytes(mut self, bytes: usize) -> Self {
        self.header_bytes = bytes.min(MAX_HEADER_BYTES);
        self
    }

    /// With these options for the run, in place of all that were set before.
    #[must_use]
    pub fn running(mut self, run: RunOptions<'a>) -> Self {
        self.run = run;
        self
    }

    /// The options that it was given for the run.
    #[must_use]
    pub fn run_options(&self) -> RunOptions<'a> {
        self.run
    }

    /// Encrypts all of `input`.
    ///
    /// # Errors
    /// The error of [`Recipients`] that cannot be encrypted for, before anything is written;
    /// [`Error::Io`], [`Error::InputChanged`], [`Error::OutputNotEmpty`], [`Error::TooLong`] or
    /// [`Error::Random`].
    pub fn encrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        let (header, file_key) = self.header()?;
        self.carry(&header, &file_key, input, output, header.as_bytes())
    }

    /// Encrypts all of `input`, with the payload alone as output: the header is returned, to be
    /// kept elsewhere. **Without it nobody can open the payload**: keep it before anything relies
    /// on that. [`Decryptor::detached_header`] opens the two.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn encrypt_detached(
        &self,
        input: Input<'_>,
        output: Output<'_>,
    ) -> Result<(Header, Summary)> {
        let (header, file_key) = self.header()?;
        let summary = self.carry(&header, &file_key, input, output, &[])?;
        Ok((header, summary))
    }

    /// A [`Sealer`] for a plaintext of `plaintext_bytes` bytes in parts, in any order, here and in
    /// other processes; they are parts of `source`. The file that they make is one like any other.
    ///
    /// # Errors
    /// The error of [`Recipients`] that cannot be encrypted for; [`Error::TooLong`] or
    /// [`Error::Random`].
    pub fn sealer(&self, plaintext_bytes: u64, source: &SourceVersion) -> Result<Sealer> {
        let (header, file_key) = self.header()?;
        Sealer::new(header, file_key, self.context, plaintext_bytes, source, false)
    }

    /// The same for a payload alone, whose [header](Sealer::header) is kept elsewhere.
    ///
    /// # Errors
    /// As [`sealer`](Self::sealer).
    pub fn sealer_detached(&self, plaintext_bytes: u64, source: &SourceVersion) -> Result<Sealer> {
        let (header, file_key) = self.header()?;
        Sealer::new(header, file_key, self.context, plaintext_bytes, source, true)
    }

    /// A [`StreamSealer`] for a plaintext of a length that is not known yet, from its beginning to
    /// its end.
    ///
    /// # Errors
    /// The error of [`Recipients`] that cannot be encrypted for, or [`Error::Random`].
    pub fn stream_sealer(&self) -> Result<StreamSealer> {
        let (header, file_key) = self.header()?;
        StreamSealer::new(header, &file_key, self.context)
    }

    /// The same with a statement about the file, once it is sealed. Each segment takes 32 bytes of
    /// memory.
    ///
    /// ```
    /// use polyseal_file::{Encryptor, Key, Recipients};
    ///
    /// let recipients = Recipients::from(&Key::generate()?);
    /// let (sealer, pending) = Encryptor::new(&recipients).stated_stream_sealer()?;
    /// sealer.finish(&[b"attack at dawn"])?;
    /// let (statement, _) = pending.finish(1_796_000_000)?;
    /// assert_eq!(statement.payload_bytes, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`stream_sealer`](Self::stream_sealer).
    pub fn stated_stream_sealer(&self) -> Result<(StreamSealer, PendingStatement)> {
        let (header, file_key) = self.header()?;
        let leaves = Arc::new(SealedLeaves::new());
        let binding = Binding::Holder(header.holder(&file_key)?);
        let pending = PendingStatement::new(header.clone(), binding, Arc::clone(&leaves));
        let sealer = StreamSealer::new(header, &file_key, self.context)?;
        Ok((sealer.with_leaves(leaves), pending))
    }

    /// The header of a new file, and its key.
    fn header(&self) -> Result<(Header, Key)> {
        let suite = self.suite.map_or_else(|| DEFAULT_SUITE.parse(), Ok)?;
        Header::create(self.recipients, suite, self.segment, self.context, self.header_bytes)
    }

    /// Writes the bytes `before` the payload, and the payload.
    pub(crate) fn carry(
        &self,
        header: &Header,
        file_key: &Key,
        input: Input<'_>,
        output: Output<'_>,
        before: &[u8],
    ) -> Result<Summary> {
        let leaves = self.commits.then(Leaves::new);
        let sealed = self.seal(header, file_key, input, output, before, leaves.as_ref())?;
        let file_salt = header.file_salt();
        let commitment = match leaves {
            Some(leaves) => {
                let key = header.key_commitment(file_key)?;
                Some(Commitment { file_salt, key, payload_root: leaves.roots().payload_root() })
            }
            None => None,
        };
        Ok(Summary { file_salt: Some(file_salt), commitment, ..sealed })
    }
}

impl Encryptor<'_> {
    fn seal(
        &self,
        header: &Header,
        file_key: &Key,
        input: Input<'_>,
        output: Output<'_>,
        before: &[u8],
        leaves: Option<&Leaves>,
    ) -> Result<Summary> {
        let payload_key = header.payload_key(file_key, self.context)?;
        let cipher = cipher(header, &payload_key, Direction::Seal)?;
        seal(&Pipeline { cipher, run: self.run, leaves, expected: None }, before, input, output)
    }

    /// Encrypts all of `input`, and states it: the statement is to be signed, and kept with its
    /// hashes beside the file. `time` is in seconds since 1970. Each segment takes 32 bytes of
    /// memory.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn encrypt_stated(
        &self,
        input: Input<'_>,
        output: Output<'_>,
        time: u64,
    ) -> Result<(Summary, Statement, SegmentHashes)> {
        let (header, file_key) = self.header()?;
        let leaves = Leaves::keeping();
        let before = header.as_bytes();
        let sealed = self.seal(&header, &file_key, input, output, before, Some(&leaves))?;
        let payload_bytes = sealed.file_bytes - header.payload_offset();
        let hashes = SegmentHashes::new(leaves.into_kept(), payload_bytes);
        let binding = Binding::Holder(header.holder(&file_key)?);
        let statement = Statement::new(&header, &hashes, binding, time);
        let file_salt = header.file_salt();
        let key = self.commits.then(|| header.key_commitment(&file_key)).transpose()?;
        let payload_root = PayloadRoot::Tree(hashes.root());
        let commitment = key.map(|key| Commitment { file_salt, key, payload_root });
        Ok((Summary { file_salt: Some(file_salt), commitment, ..sealed }, statement, hashes))
    }
}

fn cipher(header: &Header, key: &PayloadKey, direction: Direction) -> Result<PayloadCipher> {
    let segment = header.segment_size().bytes();
    Ok(PayloadCipher::Polyseal(SegmentCipher::new(header.suite(), key, segment, direction)?))
}

/// Encrypts all of `input`, behind this header.
pub(crate) fn seal(
    pipeline: &Pipeline<'_>,
    header: &[u8],
    input: Input<'_>,
    output: Output<'_>,
) -> Result<Summary> {
    let offset = header.len() as u64;
    let sink = match output {
        Output::Stream(writer) => Sink::stream(writer, header),
        #[cfg(any(unix, windows))]
        Output::File(file) => {
            expect_empty(file)?;
            Sink::file(file, header)
        }
    };
    let (totals, grew) = match input {
        Input::Stream(reader) => (pipeline.carry(&Source::stream(reader, None), sink)?, false),
        #[cfg(any(unix, windows))]
        Input::File(file) => {
            let input = InputFile::new(file)?;
            let totals = match input.long() {
                Some(total) => pipeline.carry(&Source::file(file, 0, total), sink)?,
                None => {
                    pipeline.carry(&Source::stream(&mut input.stream(), input.length()), sink)?
                }
            };
            (totals, input.has_grown()?)
        }
    };
    let (plaintext_bytes, file_bytes) = (totals.input, offset + totals.output);
    Ok(Summary { plaintext_bytes, file_bytes, file_salt: None, grew, commitment: None })
}

impl<'a> Decryptor<'a> {
    /// On all cores.
    #[must_use]
    pub fn new(identities: &'a Identities<'a>) -> Self {
        Self {
            identities,
            context: None,
            detached: None,
            run: RunOptions::new(),
            commits: CommitmentMode::Ignore,
            coverage: None,
        }
    }

    /// For one file alone: that of a statement whose signer has been
    /// [accepted](crate::statement::SignedStatement::accepted). Nothing of a segment that is not
    /// the signed one is given out.
    #[must_use]
    pub fn covered_by(mut self, coverage: &'a Arc<Coverage>) -> Self {
        self.coverage = Some(coverage);
        self
    }

    fn expected(&self) -> Expected {
        self.coverage.map(|it| Arc::clone(it) as Arc<dyn ExpectedLeaves>)
    }

    fn expected_leaves(&self) -> Option<&dyn ExpectedLeaves> {
        self.coverage.map(|it| it.as_ref() as &dyn ExpectedLeaves)
    }

    /// Computes [`Summary::commitment`] when a file is decrypted or verified, unless it is a file
    /// of age.
    #[must_use]
    pub fn committing(mut self) -> Self {
        self.commits = CommitmentMode::Compute;
        self
    }

    /// For one file alone: decrypting or verifying any other than the file of this commitment fails
    /// with [`Error::OtherFile`], or at the end with [`Error::OtherContents`]. On an error, discard
    /// the output: give it a name only after success.
    #[must_use]
    pub fn expecting(mut self, commitment: &'a Commitment) -> Self {
        self.commits = CommitmentMode::Expect(commitment);
        self
    }

    /// For files that are bound to this context.
    #[must_use]
    pub fn context(mut self, context: &'a Context) -> Self {
        self.context = Some(context);
        self
    }

    /// The context that it was given.
    #[must_use]
    pub fn bound_to(&self) -> Option<&'a Context> {
        self.context
    }

    /// The identities that it opens with.
    #[must_use]
    pub fn identities(&self) -> &'a Identities<'a> {
        self.identities
    }

    /// For the payload of this header, which is kept elsewhere: only the payload is decrypted,
    /// verified and read.
    ///
    /// ```
    /// use polyseal_file::{Decryptor, Encryptor, Header, Identities, Input, Key, Output};
    ///
    /// let key = Key::generate()?;
    /// let (mut message, mut payload) = (&b"attack at dawn"[..], Vec::new());
    /// let (header, _) = Encryptor::new(&(&key).into())
    ///     .encrypt_detached(Input::Stream(&mut message), Output::Stream(&mut payload))?;
    /// let kept: Vec<u8> = header.as_bytes().to_vec(); // in a database, say
    ///
    /// let header = Header::parse(&kept)?;
    /// let identities = Identities::from(&key);
    /// let decryptor = Decryptor::new(&identities).detached_header(&header);
    /// let mut opened = Vec::new();
    /// decryptor.decrypt(Input::Stream(&mut &payload[..]), Output::Stream(&mut opened))?;
    /// assert_eq!(opened, b"attack at dawn");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn detached_header(mut self, header: &'a Header) -> Self {
        self.detached = Some(header);
        self
    }

    /// With these options for the run, in place of all that were set before.
    #[must_use]
    pub fn running(mut self, run: RunOptions<'a>) -> Self {
        self.run = run;
        self
    }

    /// The options that it was given for the run.
    #[must_use]
    pub fn run_options(&self) -> RunOptions<'a> {
        self.run
    }

    /// Decrypts all of `input`, which may be in ASCII armour unless its header is kept elsewhere.
    /// Nothing is written before the header has proven authentic; a segment only after it has.
    ///
    /// # Errors
    /// Every [`Error`] that says what is wrong with a file, [`Error::OutputNotEmpty`] and
    /// [`Error::Io`].
    pub fn decrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        let leaves = match self.commits {
            CommitmentMode::Ignore => None,
            CommitmentMode::Compute | CommitmentMode::Expect(_) => Some(Leaves::new()),
        };
        let (opened, totals) = self.open_all(leaves.as_ref(), input, output)?;
        let roots = leaves.map(Leaves::roots);
        let commitment = roots.and_then(|roots| opened.commitment(&roots));
        if let CommitmentMode::Expect(expected) = self.commits {
            let same = commitment.zip(roots).is_some_and(|(found, roots)| {
                expected.matches(&found.file_salt, &found.key, &roots)
            });
            // CT: the verdict is public.
            if !same {
                return Err(Error::OtherContents);
            }
        }
        Ok(Summary { commitment, ..opened.summary(totals) })
    }

    fn open_all(
        &self,
        leaves: Option<&Leaves>,
        input: Input<'_>,
        output: Output<'_>,
    ) -> Result<(UnlockedHeader, Totals)> {
        let sink = match output {
            Output::Stream(writer) => Sink::stream(writer, &[]),
            #[cfg(any(unix, windows))]
            Output::File(file) => {
                let regular = expect_empty(file)?;
                if regular { Sink::sparse_file(file) } else { Sink::file(file, &[]) }
            }
        };
        match input {
            Input::Stream(reader) => self.decrypt_stream(leaves, reader, None, sink),
            #[cfg(any(unix, windows))]
            Input::File(file) => self.decrypt_file(leaves, file, sink),
        }
    }

    /// Decrypts the file from `reader`, in armour or not: at most so many bytes, if that is known.
    fn decrypt_stream(
        &self,
        leaves: Option<&Leaves>,
        reader: &mut (dyn Read + Send),
        most: Option<u64>,
        sink: Sink<'_>,
    ) -> Result<(UnlockedHeader, Totals)> {
        // One call reads all of a small file.
        let mut reader = BufReader::with_capacity(2 * MIN_HEADER_BYTES, reader);
        if self.is_armored(&mut reader)? {
            let inside = ArmorReader::new(reader);
            let inside = BufReader::with_capacity(MIN_HEADER_BYTES, inside);
            return self.carry(leaves, inside, most, sink);
        }
        self.carry(leaves, reader, most, sink)
    }

    fn carry(
        &self,
        leaves: Option<&Leaves>,
        mut input: impl BufRead + Send,
        most: Option<u64>,
        sink: Sink<'_>,
    ) -> Result<(UnlockedHeader, Totals)> {
        let (opened, pipeline) = self.pipeline(leaves, &mut input)?;
        let totals = pipeline.carry(&Source::stream(&mut input, most), sink)?;
        Ok((opened, totals))
    }

    #[cfg(any(unix, windows))]
    fn decrypt_file(
        &self,
        leaves: Option<&Leaves>,
        file: &std::fs::File,
        sink: Sink<'_>,
    ) -> Result<(UnlockedHeader, Totals)> {
        let input = InputFile::new(file)?;
        let mut start = header_reader(file);
        let opened = match input.long() {
            Some(total) if !self.is_armored(&mut start)? => {
                let (opened, pipeline) = self.pipeline(leaves, &mut start)?;
                // The header was read, so the file is at least as long.
                let wire = total.checked_sub(opened.offset).ok_or(Error::InputChanged)?;
                pipeline.cipher.plaintext_bytes(wire)?;
                let totals = pipeline.carry(&Source::file(file, opened.offset, wire), sink)?;
                (opened, totals)
            }
            _ => self.decrypt_stream(leaves, &mut input.stream(), input.length(), sink)?,
        };
        input.expect_same()?;
        Ok(opened)
    }

    /// Opens all of `input` and keeps nothing of it.
    ///
    /// # Errors
    /// As [`decrypt`](Self::decrypt).
    pub fn verify(&self, input: Input<'_>) -> Result<Summary> {
        self.decrypt(input, Output::Stream(&mut std::io::sink()))
    }

    /// Opens a file to read parts of it. Its last segment is opened right away, unless a statement
    /// tells where the file ends.
    ///
    /// # Errors
    /// As [`decrypt`](Self::decrypt), and [`Error::Armored`]: where a part of the payload is in
    /// armour, nothing tells.
    pub fn reader<S: ReadAt>(&self, source: S) -> Result<Reader<S>> {
        self.expect_no_more_than_parts()?;
        let mut opener = source.opener().map_err(io("examine the input"))?;
        let mut start = header_reader(&source);
        if self.detached.is_some() || is_age(&mut start)? {
            let size = source.size().map_err(io("examine the input"))?;
            let (UnlockedHeader { offset, .. }, cipher) = self.open(&mut start)?;
            // The header was read, so the file is at least as long.
            if size < offset {
                return Err(Error::InputChanged);
            }
            return Reader::new(source, PayloadHead::new(cipher, offset, size, self.expected())?);
        }
        let head = opener.read(&source, start.buffer(), self)?;
        if head.is_stated() {
            return Reader::new(source, head);
        }
        let last = opener.bytes_from(head.last_range().start).ok_or(Error::NotFetched)?;
        Reader::with_head(source, head, last)
    }

    /// Opens `header` to read parts of its payload, of which so many bytes are
    /// [stored](StoredLength), and which the caller fetches. This header is used, whether there is
    /// a [detached one](Self::detached_header) or not.
    ///
    /// # Errors
    /// Every [`Error`] that says what is wrong with a header or what it was opened with;
    /// [`Error::Truncated`] if no payload has that length, and [`Error::TooLong`].
    pub fn payload_head(&self, header: &Header, stored: StoredLength) -> Result<PayloadHead> {
        self.expect_no_more_than_parts()?;
        let (_, cipher) = self.cipher(header, 0)?;
        PayloadHead::new(cipher, stored.offset(header), stored.bytes(), self.expected())
    }

    fn expect_no_more_than_parts(&self) -> Result<()> {
        match self.commits {
            CommitmentMode::Expect(_) => Err(Error::ExpectedInParts),
            CommitmentMode::Ignore | CommitmentMode::Compute => Ok(()),
        }
    }

    /// Whether `input` is in armour. A payload alone may begin with any byte.
    fn is_armored(&self, input: &mut impl BufRead) -> Result<bool> {
        Ok(self.detached.is_none() && first_byte(input)?.is_some_and(looks_armored))
    }

    fn pipeline<'b>(
        &'b self,
        leaves: Option<&'b Leaves>,
        input: &mut impl BufRead,
    ) -> Result<(UnlockedHeader, Pipeline<'b>)> {
        let (opened, cipher) = self.open(input)?;
        let expected = self.expected_leaves();
        Ok((opened, Pipeline { cipher, run: self.run, leaves, expected }))
    }

    /// Reads a header, of whichever format, unless it is kept elsewhere. Returns the facts known
    /// then, and the payload's cipher.
    fn open(&self, input: &mut impl BufRead) -> Result<(UnlockedHeader, PayloadCipher)> {
        if let Some(header) = self.detached {
            return self.cipher(header, 0);
        }
        #[cfg(feature = "age")]
        if is_age(input)? {
            if matches!(self.commits, CommitmentMode::Expect(_)) || self.expected_leaves().is_some()
            {
                return Err(Error::OtherFile);
            }
            let header = age::v1::Header::read(input)?;
            let payload_key = header.authenticate(self.identities)?.payload_key()?;
            if self.context.is_some() {
                return Err(Error::ContextUnexpected);
            }
            let cipher = ChunkCipher::new(&payload_key, Direction::Open);
            let opened = UnlockedHeader {
                offset: header.payload_offset(),
                file_salt: None,
                key_commitment: None,
            };
            return Ok((opened, PayloadCipher::Age(cipher)));
        }
        let header = Header::read(input)?;
        self.cipher(&header, header.payload_offset())
    }

    /// The cipher for the payload of `header`, which begins at `offset`.
    fn cipher(&self, header: &Header, offset: u64) -> Result<(UnlockedHeader, PayloadCipher)> {
        let file_key = header.unlock(self.identities)?;
        if let Some(coverage) = self.coverage {
            coverage.expect_key(header, &file_key)?;
        }
        let payload_key = header.open_payload(&file_key, self.context)?;
        let key_commitment = match self.commits {
            CommitmentMode::Ignore => None,
            CommitmentMode::Compute | CommitmentMode::Expect(_) => {
                Some(header.key_commitment(&file_key)?)
            }
        };
        if let (CommitmentMode::Expect(expected), Some(key)) = (self.commits, &key_commitment)
            && !expected.has_key(&header.file_salt(), key)
        {
            return Err(Error::OtherFile);
        }
        let opened = UnlockedHeader { offset, file_salt: Some(header.file_salt()), key_commitment };
        Ok((opened, cipher(header, &payload_key, Direction::Open)?))
    }
}

/// Writing at offsets would leave the old end behind a shorter output: a file that does not open.
/// Whether it is a regular file, which has zeros where nothing is written; a disk has what it had.
#[cfg(any(unix, windows))]
fn expect_empty(file: &std::fs::File) -> Result<bool> {
    let metadata = file.metadata().map_err(io("examine the output"))?;
    // In append mode the system ignores the offsets.
    #[cfg(unix)]
    let appends = rustix::fs::fcntl_getfl(file)
        .map_err(|e| io("examine the output")(e.into()))?
        .contains(rustix::fs::OFlags::APPEND);
    // Windows does not tell; but a handle that only appends may not set the length, not even to the
    // same.
    #[cfg(windows)]
    let appends = metadata.is_file() && metadata.len() == 0 && file.set_len(0).is_err();
    if metadata.len() > 0 || appends {
        return Err(Error::OutputNotEmpty);
    }
    Ok(metadata.is_file())
}

/// The first byte, which is still read in its turn.
pub(crate) fn first_byte(input: &mut impl BufRead) -> Result<Option<u8>> {
    loop {
        match input.fill_buf() {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            buffer => return Ok(buffer.map_err(io("read the input"))?.first().copied()),
        }
    }
}

/// Whether it begins as a file of age does.
#[cfg(feature = "age")]
fn is_age(input: &mut impl BufRead) -> Result<bool> {
    Ok(first_byte(input)?.is_some_and(is_header_start))
}

/// Without age, none is read as one.
#[cfg(not(feature = "age"))]
fn is_age(input: &mut impl BufRead) -> Result<bool> {
    first_byte(input).map(|_| false)
}

/// The beginning of a file.
pub(crate) fn header_reader<S: ReadAt>(source: &S) -> BufReader<OffsetReader<'_, S>> {
    BufReader::with_capacity(MIN_HEADER_BYTES, OffsetReader(source, 0))
}

/// Reads at offsets, so that a file's own position does not matter.
pub(crate) struct OffsetReader<'a, S>(&'a S, u64);

impl<S: ReadAt> Read for OffsetReader<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read_at(buffer, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

impl fmt::Debug for Encryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").field("suite", &self.suite).finish_non_exhaustive()
    }
}

impl fmt::Debug for Decryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").field("run", &self.run).finish_non_exhaustive()
    }
}
