//! Bodies of answers, of which no more is taken into memory than was asked for. How long one is,
//! the other side says, and it may not keep to it.

use futures_util::TryStreamExt;
use object_store::{GetResult, Result};

use crate::error::generic;

/// The bytes of an answer, at most so many.
pub(crate) async fn bounded(got: GetResult, most: u64) -> Result<Vec<u8>> {
    let location = got.meta.location.clone();
    let mut stream = got.into_stream();
    // Not set aside before they come: the other side has said how many there are.
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.try_next().await? {
        if (bytes.len() + chunk.len()) as u64 > most {
            return Err(generic(format!("{location}: the store sent more than was asked for")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
