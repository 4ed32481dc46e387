//! Statements without the feature `sign`: none is required, and none is made.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{Extensions, GetOptions, ObjectStore, PutPayload, Result};
use polyseal_file::{Decryptor, Encryptor, StreamSealer};

pub(crate) type HeldHashes = Infallible;
pub(crate) type PendingStatement = Infallible;

#[derive(Default)]
pub(crate) struct Statements;

pub(crate) enum Stated {}

impl Statements {
    pub(crate) fn are_kept(&self) -> bool {
        false
    }

    pub(crate) async fn fetch(
        &self,
        _: &dyn ObjectStore,
        _: &Path,
        _: &GetOptions,
    ) -> Result<Option<Arc<Stated>>> {
        Ok(None)
    }

    pub(crate) fn sealer(
        &self,
        encryptor: Encryptor<'_>,
    ) -> polyseal_file::Result<(StreamSealer, Option<PendingStatement>)> {
        Ok((encryptor.stream_sealer()?, None))
    }

    pub(crate) async fn sign(
        &self,
        _: &Path,
        _: Option<PendingStatement>,
    ) -> Result<Option<PutPayload>> {
        Ok(None)
    }
}

impl Stated {
    pub(crate) fn covered<'a>(&'a self, _: Decryptor<'a>) -> Decryptor<'a> {
        match *self {}
    }

    pub(crate) async fn cover(
        &self,
        _: &dyn ObjectStore,
        _: &Path,
        _: Range<u64>,
    ) -> Result<HeldHashes> {
        match *self {}
    }

    pub(crate) fn window(&self, _: &Range<u64>) -> Range<u64> {
        match *self {}
    }
}

pub(crate) async fn put(
    _: &dyn ObjectStore,
    _: &Path,
    _: Option<PutPayload>,
    _: &Extensions,
) -> Result<()> {
    Ok(())
}

pub(crate) async fn follow<F>(_: &Path, _: &Path, _: impl FnOnce(Path, Path) -> F) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    Ok(())
}
