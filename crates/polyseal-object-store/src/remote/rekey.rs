//! Another header before the same payload, which does not leave the store.
//!
//! A file that fits into one part is read, and put again with its new header. Only the first 5 MiB
//! of a longer object are: the store itself copies the rest, which S3 and its like can. Every step
//! is bound to the ETag that was read: an object that another program has written meanwhile stays
//! as it is. Whether a store compares is found out by a first try with a tag that no object has:
//! once for a bucket into which objects are put, and once for each object that is completed of
//! parts.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use object_store::{Error as StoreError, ObjectStore, PutMode, PutOptions, UpdateVersion};
use polyseal_file::ReadAt;

use super::error::{Error, Problem};
use super::reader::PinnedObject;
use super::runtime::wait;
use super::s3::NO_TAG;
pub use super::s3::VersionCheck;
use crate::fetch::version;

/// The smallest part that S3 takes before others: the bytes of a long object that are sent.
const FIRST_BYTES: u64 = 5 * 1024 * 1024;

/// Asserts that the header of this object can be replaced, before anybody is asked for keys.
///
/// # Errors
/// [`Problem::ReadOnly`], [`Problem::NoTag`], and [`Problem::NoCopies`] for a long object of
/// another store than S3.
pub fn expect_replaceable(object: &PinnedObject) -> Result<(), Error> {
    object.object().expect_writable()?;
    let failed = |problem| Err(Error::new(object.object().url().to_string(), problem));
    if object.version().if_match().is_none() {
        return failed(Problem::NoTag);
    }
    if object.meta().size > FIRST_BYTES && object.object().bucket.s3.is_none() {
        return failed(Problem::NoCopies);
    }
    Ok(())
}

/// Replaces the header of the version of an object that was opened. `header` is as long as the one
/// that is there.
///
/// # Errors
/// As [`expect_replaceable`]; [`Problem::Replaced`] if another version is there by now; the store's
/// error.
pub fn replace_header(object: &PinnedObject, header: &[u8]) -> Result<VersionCheck, Error> {
    expect_replaceable(object)?;
    let (named, meta) = (object.object(), object.meta());
    let mut first = vec![0; meta.size.min(FIRST_BYTES) as usize];
    let mut read = 0;
    while read < first.len() {
        match object.read_at(&mut first[read..], read as u64) {
            Ok(0) => break,
            Ok(bytes) => read += bytes,
            Err(error) => return Err(Error::io(named.url(), error)),
        }
    }
    if read != first.len() || read < header.len() {
        let changed = Problem::File(polyseal_file::Error::InputChanged);
        return Err(Error::new(named.url().to_string(), changed));
    }
    first[..header.len()].copy_from_slice(header);
    let s3 = named.bucket.s3.as_ref().filter(|_| meta.size > FIRST_BYTES);
    if let Some(s3) = s3 {
        return named.wait(s3.replace_beginning(meta, object.attributes(), first.into()));
    }
    let first = Bytes::from(first);
    let put = |version| {
        let (mode, attributes) = (PutMode::Update(version), object.attributes().clone());
        let options = PutOptions { mode, attributes, ..PutOptions::default() };
        async { named.bucket.store.put_opts(&named.path, first.clone().into(), options).await }
    };
    let seen = UpdateVersion { e_tag: meta.e_tag.clone(), version: meta.version.clone() };
    if !named.bucket.compares.load(Ordering::Relaxed) {
        // Just before, for the sake of servers that do not compare.
        if named.meta()?.is_none_or(|now| !version(&now).is_same(&object.version())) {
            return Err(Error::new(named.url().to_string(), Problem::Replaced));
        }
        let none = seen.version.as_ref().map(|_| "1".to_owned());
        let tried = UpdateVersion { e_tag: Some(NO_TAG.to_owned()), version: none };
        let tried = wait(put(tried)).map_err(|error| Error::io(named.url(), error))?;
        let compares = matches!(tried, Err(StoreError::Precondition { .. }));
        if !compares {
            return tried.map(|_| VersionCheck::No).map_err(|error| named.failed(&error));
        }
        named.bucket.compares.store(true, Ordering::Relaxed);
    }
    named.wait(put(seen))?;
    Ok(VersionCheck::Yes)
}
