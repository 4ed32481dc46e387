//! Objects, as they are mounted, without the feature `stores`: refused.

use std::path::Path;

use super::source::MountSource;
use crate::error::Result;
use crate::objects::refused;

pub(super) fn open(path: &Path) -> Result<Box<dyn MountSource>> {
    Err(refused(path))
}
