//! Reading secrets, which must not stay in memory: no buffer grows where it is, which would leave a
//! copy behind, and each is wiped when dropped.

use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::{Code, Failure, Result};
use crate::platform;
use crate::streams::expect_unread;
use polyseal_local::FileId;
use polyseal_local::secrets::{is_hexadecimal_key, is_secret};

/// The contents of a file of keys, called `what` in messages, and which regular file it was.
pub(crate) fn read(
    path: &Path,
    what: &str,
    limit: usize,
) -> Result<(Zeroizing<Vec<u8>>, Option<FileId>)> {
    let is_key = is_secret(path) || path.to_str().is_some_and(is_hexadecimal_key);
    if is_key && !path.exists() {
        let message = format!("a key was given where the name of the {what} belongs");
        return Err(Failure::usage(message)
            .hint("write it to a file; every user of this machine can see a command line"));
    }
    let failure = |error| Failure::io(&format!("read the {what}"), path, &error);
    let mut file = platform::open(path).map_err(failure)?;
    expect_unread(&file, path == Path::new("-"), format_args!("the {what} {}", path.display()))?;
    let id = platform::file_id(&file).map_err(failure)?;
    let said = file.metadata().map_or(0, |it| it.len());
    let Some(bytes) = read_at_most(limit, said, &mut file).map_err(failure)? else {
        let message = format!("the {what} {} is too long to be one", path.display());
        return Err(Failure::new(Code::Usage, message));
    };
    Ok((bytes, id))
}

/// All of a file that is said to have `said` bytes; nothing if it has more than `limit`.
fn read_at_most(
    limit: usize,
    said: u64,
    file: &mut impl Read,
) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    // A stream says nothing, and some give what they have to the first read alone.
    let said = if said == 0 { limit } else { usize::try_from(said).unwrap_or(limit).min(limit) };
    // A buffer for the longest takes longer to wipe than a small file to seal.
    let mut bytes = Zeroizing::new(vec![0; said + 1]);
    let mut length = 0;
    while length <= limit {
        if length == bytes.len() {
            // It has grown.
            let mut longer = Zeroizing::new(vec![0; limit + 1]);
            longer[..length].copy_from_slice(&bytes);
            bytes = longer;
        }
        match file.read(&mut bytes[length..]) {
            Ok(0) => {
                bytes.truncate(length);
                return Ok(Some(bytes));
            }
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whatever_it_is_said_to_have_and_refused_when_it_is_too_long() {
        let contents = [7; 20];
        for length in 0..=20 {
            for said in [0, 1, 5, 9, 10, 11, u64::MAX] {
                let read = read_at_most(10, said, &mut &contents[..length]).unwrap();
                let expected = (length <= 10).then_some(&contents[..length]);
                assert_eq!(read.as_deref().map(Vec::as_slice), expected, "{length}, said {said}");
            }
        }
    }
}
