//! Keys that live elsewhere, as this tool speaks to their keepers: with the environment, and a PIN
//! that is asked for at the terminal.

use std::sync::Arc;

use polyseal_file::age::InProcessPlugin;
use polyseal_kms::{Error, KeyError, Plugin, Settings};

use crate::error::Failure;
use crate::prompt;

pub(crate) fn settings() -> Settings {
    Settings::from_environment().ask_with(prompt::secret)
}

/// The plugins that run in this process: age would start a program for each file.
pub(crate) fn plugins() -> Vec<Arc<dyn InProcessPlugin>> {
    vec![Arc::new(Plugin::new(settings()))]
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from_library(error.class(), error.to_string(), error.hint())
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::from_library(error.class(), error.to_string(), error.hint())
    }
}
