//! Reading what must not stay in memory: the buffer has its final size from the start, so that
//! growing leaves no copy behind, and is wiped when dropped.

use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::{Code, Failure, Result};
use crate::platform;
use crate::streams::expect_unread;
use polyseal_local::FileId;
use polyseal_local::secrets::{is_hexadecimal_key, is_secret};

/// The contents of a file of keys, which is said to be `what`, and which regular file it was.
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
    expect_unread(&file, path == Path::new("-"), &format!("the {what} {}", path.display()))?;
    let id = platform::file_id(&file).map_err(failure)?;
    let mut bytes = Zeroizing::new(vec![0; limit + 1]);
    let mut length = 0;
    while length < bytes.len() {
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failure(e)),
        }
    }
    if length > limit {
        let message = format!("the {what} {} is too long to be one", path.display());
        return Err(Failure::new(Code::Usage, message));
    }
    bytes.truncate(length);
    Ok((bytes, id))
}
