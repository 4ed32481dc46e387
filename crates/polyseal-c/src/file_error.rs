//! Numbers for the errors of files.

use polyseal_file::{Class, KeyFileError};

use crate::error::{Code, Failure};

impl From<Class> for Code {
    fn from(class: Class) -> Self {
        match class {
            Class::Io
            | Class::NotADirectory
            | Class::NotOurs
            | Class::Incomplete
            | Class::Appeared
            | Class::PluginFailed
            | Class::KeeperFailed => Self::Io,
            Class::Exists | Class::Forbidden => Self::Exists,
            Class::Changed | Class::Busy | Class::Cancelled => Self::Changed,
            Class::Grew => Self::Grew,
            Class::Usage | Class::Unsuitable | Class::TooMuchWork => Self::Unsupported,
            Class::NotEncrypted | Class::Armored => Self::NotEncrypted,
            Class::Version => Self::Version,
            Class::Header => Self::Header,
            Class::Armor => Self::Armor,
            Class::NoMatchingKey | Class::TooManyTries => Self::NoMatchingKey,
            Class::BadPassphrase | Class::PassphraseNeeded | Class::WrongPassphrase => {
                Self::Passphrase
            }
            Class::BadContext | Class::Context => Self::Context,
            Class::Recipients => Self::Recipients,
            Class::Length => Self::Length,
            Class::Suite => Self::Suite,
            Class::KeyFile | Class::KeyRefused | Class::RecipientRefused | Class::KeyAltered => {
                Self::KeyFile
            }
            Class::KeyUnavailable => Self::Keeper,
            Class::Truncated => Self::Truncated,
            // Trees and statements have no functions here.
            Class::Corrupt
            | Class::Manifest
            | Class::UnboundManifest
            | Class::Missing
            | Class::Added
            | Class::OtherFile
            | Class::OtherContents
            | Class::NotSigned => Self::Corrupt,
            Class::TooLong => Self::TooLong,
            Class::Memory => Self::Memory,
            Class::Random => Self::Random,
            Class::Defect => Self::Defect,
        }
    }
}

impl From<polyseal_file::Error> for Failure {
    fn from(error: polyseal_file::Error) -> Self {
        Self::new(error.class().into(), error.to_string())
    }
}

impl From<polyseal_local::Error> for Failure {
    fn from(error: polyseal_local::Error) -> Self {
        let mut text = error.to_string();
        if matches!(error.problem(), polyseal_local::Problem::Interrupted) {
            text += ", which polyseal rekey --restore undoes";
        }
        Self::new(error.class().into(), text)
    }
}

impl From<KeyFileError> for Failure {
    fn from(error: KeyFileError) -> Self {
        Self::new(Code::KeyFile, error.to_string())
    }
}
