//! `encrypt` and `decrypt`.

use std::fs::File;

use polyseal_file::{Decryptor, Encryptor, Input, Key, Output, SegmentSize};

use crate::args::{DecryptArgs, EncryptArgs, FileArgs};
use crate::error::Result;
use crate::file_io::{Contents, InputFile, OutputFile};
use crate::progress::Progress;
use crate::secret;

/// Shorter files are read as streams: it is as fast, and files whose length the system does not
/// tell, such as those in /proc, are read to their end.
const READ_AT_OFFSETS: u64 = 1024 * 1024;

pub(crate) fn encrypt(args: &EncryptArgs) -> Result {
    let suite = args.suite.parse()?;
    let segment = SegmentSize::new(args.segment_size)?;
    carry(&args.common, Contents::Binary, |key, input, output, progress| {
        let mut encryptor = Encryptor::new(key).suite(suite).segment_size(segment);
        if let Some(threads) = args.common.threads {
            encryptor = encryptor.threads(threads);
        }
        if let Some(progress) = progress {
            encryptor = encryptor.progress(progress);
        }
        encryptor.encrypt(input, output).map(|_| ())
    })
}

pub(crate) fn decrypt(args: &DecryptArgs) -> Result {
    carry(&args.common, Contents::Unknown, |key, input, output, progress| {
        let mut decryptor = Decryptor::new(key);
        if let Some(threads) = args.common.threads {
            decryptor = decryptor.threads(threads);
        }
        if let Some(progress) = progress {
            decryptor = decryptor.progress(progress);
        }
        decryptor.decrypt(input, output).map(|_| ())
    })
}

/// Opens what `args` name, lets `work` carry the payload, and lets the output appear.
fn carry(
    args: &FileArgs,
    contents: Contents,
    work: impl FnOnce(
        &Key,
        Input<'_>,
        Output<'_>,
        Option<&(dyn Fn(u64) + Sync)>,
    ) -> polyseal_file::Result<()>,
) -> Result {
    let (key, key_file) = secret::read(&args.key, Key::MAX_FILE_BYTES)?;
    let key = Key::parse(&key)?;
    let mut input = InputFile::open(args.file.as_deref())?;
    let taken = [(input.id, "the input"), (Some(key_file), "the key file")];
    let mut output = OutputFile::open(&args.output, contents, &taken)?;

    let bar = Progress::new(input.length.filter(|&length| length > 0), output.is_terminal());
    let add = |bytes| {
        if let Some(bar) = &bar {
            bar.add(bytes);
        }
    };
    let progress: Option<&(dyn Fn(u64) + Sync)> = if bar.is_some() { Some(&add) } else { None };
    let to = match &mut output {
        OutputFile::Direct(direct) => Output::Stream(direct),
        OutputFile::Staged { staged, .. } => Output::File(staged.file()),
    };
    work(&key, source(&mut input), to, progress)?;
    output.commit()
}

fn source(input: &mut InputFile) -> Input<'_> {
    let file: &mut File = &mut input.file;
    if input.length.is_some_and(|length| length >= READ_AT_OFFSETS) {
        Input::File(file)
    } else {
        Input::Stream(file)
    }
}
