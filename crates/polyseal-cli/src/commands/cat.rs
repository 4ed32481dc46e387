//! `cat`: a part of a file, for the price of the segments that it lies in, and the last one.

use polyseal_file::{Decryptor, Error, ReadAt, RunOptions};
use polyseal_local::FileId;
use zeroize::Zeroizing;

use super::trees::file_in;
use crate::args::{CatArgs, RangeArg};
use crate::error::{Failure, Result};
use crate::file_io::{InputFile, OutputFile, OutputKind, Source};
use crate::keys::DecryptInputs;
use crate::messages::warn;
use crate::statements::SignaturePolicy;

/// Bytes that are decrypted and written at a time; all pieces but the first begin at a multiple, so
/// that in segments of up to this size none has a part of one.
const PIECE: usize = 256 * 1024;
/// The same where each takes a request.
const PIECE_OF_OBJECT: usize = 4 * 1024 * 1024;

pub(crate) fn cat(args: &CatArgs) -> Result {
    let inputs = DecryptInputs::to_read(&args.read, RunOptions::new())?;
    let mut decryptor = inputs.decryptor();
    if let Some(tree) = &args.tree {
        let policy = SignaturePolicy::of_tree(&args.read.signers)?;
        let file = file_in(tree, &args.file, &inputs, &policy)?;
        decryptor = file.coverage().apply(decryptor);
        if let Some(reason) = file.not_taken() {
            warn(&format!("it is as an earlier run has taken it: {reason}"));
        }
        let forbidden_outputs = inputs.sources.forbidden_outputs();
        return print(args, &inputs, decryptor, &file, PIECE, &forbidden_outputs);
    }
    let policy = SignaturePolicy::from_args(&args.read.signers)?;
    let accepted = policy.accept(&args.file)?;
    if let Some(accepted) = &accepted {
        decryptor = decryptor.covered_by(&accepted.coverage);
    }
    let input = InputFile::open(Some(&args.file))?;
    let mut forbidden_outputs = inputs.sources.forbidden_outputs();
    forbidden_outputs.extend(input.id().map(|id| (id, "the input")));
    match input.opened {
        Source::File { file, .. } => {
            print(args, &inputs, decryptor, &file, PIECE, &forbidden_outputs)
        }
        Source::Object(object) => {
            let object = object.pinned()?;
            print(args, &inputs, decryptor, &object, PIECE_OF_OBJECT, &forbidden_outputs)
        }
        Source::Stream { .. } => Err(Failure::usage("only a part of a regular file can be read")
            .hint("decrypt all of it: polyseal decrypt")),
    }
}

fn print(
    args: &CatArgs,
    inputs: &DecryptInputs,
    decryptor: Decryptor<'_>,
    source: &dyn ReadAt,
    pieces: usize,
    forbidden_outputs: &[(FileId, &'static str)],
) -> Result {
    let reader = decryptor.reader(source).map_err(|error| match error {
        Error::Armored => Failure::usage("no part of a file with ASCII armour can be read")
            .hint("decrypt all of it: polyseal decrypt"),
        other => inputs.explain_file(other, &args.file),
    })?;
    let (mut at, end) = bounds(args.range, reader.plaintext_bytes())?;
    let mut output = OutputFile::open(&args.output, OutputKind::Unknown, forbidden_outputs)?;
    let mut piece =
        Zeroizing::new(vec![0; pieces.min(usize::try_from(end - at).unwrap_or(pieces))]);
    while at < end {
        let room = pieces - (at % pieces as u64) as usize;
        let length = usize::try_from(end - at).unwrap_or(pieces).min(room);
        let n = reader.read_at(&mut piece[..length], at)?;
        output.write_all(&piece[..n])?;
        at += n as u64;
    }
    output.commit()
}

/// The first byte and the one after the last, of a plaintext of `bytes` bytes. As in HTTP, a range
/// may end behind the plaintext, but not begin there; all of it is also all of an empty one.
fn bounds(range: RangeArg, bytes: u64) -> Result<(u64, u64)> {
    match range {
        RangeArg::Last(n) => Ok((bytes.saturating_sub(n), bytes)),
        RangeArg::From(0, None) => Ok((0, bytes)),
        RangeArg::From(from, to) if from < bytes => {
            Ok((from, to.map_or(bytes, |to| bytes.min(to.saturating_add(1)))))
        }
        RangeArg::From(..) => {
            Err(Failure::usage(format!("the range begins after the end: there are {bytes} bytes")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_plaintext() {
        let of = |range, bytes| bounds(range, bytes).ok();
        assert_eq!(of(RangeArg::From(0, None), 0), Some((0, 0)));
        assert_eq!(of(RangeArg::From(0, Some(0)), 0), None);
        assert_eq!(of(RangeArg::From(0, Some(0)), 1), Some((0, 1)));
        assert_eq!(of(RangeArg::From(3, Some(9)), 5), Some((3, 5)));
        assert_eq!(of(RangeArg::From(3, Some(u64::MAX)), 5), Some((3, 5)));
        assert_eq!(of(RangeArg::From(5, None), 5), None);
        assert_eq!(of(RangeArg::Last(2), 5), Some((3, 5)));
        assert_eq!(of(RangeArg::Last(9), 5), Some((0, 5)));
        assert_eq!(of(RangeArg::Last(0), 5), Some((5, 5)));
    }
}
