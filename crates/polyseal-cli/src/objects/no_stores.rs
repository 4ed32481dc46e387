//! Objects without the feature `stores`: refused, with its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_local::{Store, StoredFile};

use super::{ObjectInput, ObjectOutput, refused};
use crate::error::Result;

pub(super) fn below(prefix: &Path, _: &Path) -> Result<PathBuf> {
    Err(refused(prefix))
}

pub(super) fn tree(path: &Path) -> Result<Arc<dyn Store>> {
    Err(refused(path))
}

pub(super) fn open(path: &Path) -> Result<Box<dyn ObjectInput>> {
    Err(refused(path))
}

pub(super) fn write(path: &Path, _: bool) -> Result<Box<dyn ObjectOutput>> {
    Err(refused(path))
}

pub(super) fn replaceable(path: &Path) -> Result<Box<dyn StoredFile>> {
    Err(refused(path))
}

pub(super) fn at_offsets(path: &Path) -> Result<Option<Box<dyn StoredFile>>> {
    Err(refused(path))
}

#[cfg(test)]
mod tests {
    use super::super::{at_offsets, below, expect_supported, open, replaceable, tree, write};
    use super::*;

    #[test]
    fn are_refused_with_the_features_name() {
        let object = Path::new("s3://bucket/key");
        for refused in [
            expect_supported(object),
            below(object, Path::new("name")).map(drop),
            tree(object).map(drop),
            open(object).map(drop),
            write(object, true).map(drop),
            replaceable(object).map(drop),
            at_offsets(object).map(drop),
        ] {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("s3://bucket/key is an object in a store"), "{text}");
            assert!(text.contains("built without the feature `stores`"), "{text}");
        }
    }
}
