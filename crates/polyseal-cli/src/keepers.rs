//! Keys that live elsewhere, as this tool speaks to their keepers: with the environment, and a PIN
//! that is asked for at the terminal.

use std::sync::Arc;

use polyseal_file::age::{InProcessPlugin, KeeperError};
use polyseal_kms::{Error, KeyError, Plugin, Settings};

use crate::error::{Code, Failure, keeper_failure};
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
        keeper_failure(&KeeperError::from(&error))
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::File(error) => error.into(),
            KeyError::Kms(error) => error.into(),
            other => Self::new(Code::Content, other.to_string()),
        }
    }
}
