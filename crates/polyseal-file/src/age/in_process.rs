//! Plugins that run in this process, where age would start a program for each file.
//!
//! Source: c2sp.org/age-plugin for the text of identities, `AGE-PLUGIN-NAME-1…`.
//!
//! Security claim: a plugin is given only identities that name it, and only in their one spelling.
//! No program is started or looked for in its place.
//!
//! Limit: the meaning of an identity, and what it may do, is the plugin's affair.

use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::bech32::{self, Hrp};
use super::error::{KeyError, KeyProblem};
use super::{BoundedIdentity, BoxedIdentity, BoxedRecipient, Recipient};
use crate::SecretText;

/// The most bytes in an identity.
pub const MAX_IDENTITY_BYTES: usize = 4096;

const DAMAGED: KeyProblem = KeyProblem::Damaged("identity");

/// A plugin that understands the identities `AGE-PLUGIN-NAME-1…` of one name.
pub trait InProcessPlugin: Send + Sync {
    /// The name, in lower case, without `age-plugin-`.
    fn name(&self) -> &str;

    /// An identity that opens with these bytes, at most [`MAX_IDENTITY_BYTES`].
    ///
    /// # Errors
    /// [`KeyProblem::Refused`], if it is none.
    fn identity(&self, data: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError>;

    /// A recipient that encrypts to the identity that holds these bytes.
    ///
    /// # Errors
    /// As [`identity`](Self::identity).
    fn recipient(&self, data: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError>;

    /// That recipient as text, to give to others.
    ///
    /// # Errors
    /// As [`identity`](Self::identity); [`KeyProblem::RecipientNotTold`], if it has no text.
    fn recipient_text(&self, _data: &[u8]) -> Result<String, KeyError> {
        Err(KeyProblem::RecipientNotTold(self.name().to_owned()).into())
    }
}

impl fmt::Debug for dyn InProcessPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InProcessPlugin({})", self.name())
    }
}

/// The line of an identity file that holds these bytes for the plugin of this name.
///
/// # Errors
/// [`KeyProblem::Refused`], if nothing can have this name, or there are more than
/// [`MAX_IDENTITY_BYTES`].
pub fn to_line(name: &str, data: &[u8]) -> Result<SecretText, KeyError> {
    let refused = |why: &str| KeyProblem::Refused { plugin: name.to_owned(), why: why.to_owned() };
    if data.len() > MAX_IDENTITY_BYTES {
        return Err(refused("it is longer than 4096 bytes").into());
    }
    let hrp = hrp(name).ok_or_else(|| refused("no plugin can have this name"))?;
    Ok(bech32::encode_upper(hrp, data))
}

fn hrp(name: &str) -> Option<Hrp> {
    Hrp::parse(&format!("age-plugin-{name}-")).ok()
}

/// A line of an identity file, and the plugin that it is of.
pub(super) struct Identity {
    plugin: Arc<dyn InProcessPlugin>,
    data: Zeroizing<Vec<u8>>,
}

/// The plugin that a line names.
pub(super) fn find<'a>(
    line: &str,
    plugins: &'a [Arc<dyn InProcessPlugin>],
) -> Option<&'a Arc<dyn InProcessPlugin>> {
    // The data of Bech32 have no 1: what stands before the last is the name.
    let (prefix, _) = line.rsplit_once('1')?;
    let name = prefix.strip_prefix("AGE-PLUGIN-")?.strip_suffix('-')?;
    plugins.iter().find(|plugin| plugin.name().eq_ignore_ascii_case(name))
}

impl Identity {
    pub(super) fn read(plugin: &Arc<dyn InProcessPlugin>, line: &str) -> Result<Self, KeyProblem> {
        let mut data = Zeroizing::new(vec![0; line.len().min(MAX_IDENTITY_BYTES)]);
        let hrp = hrp(plugin.name()).ok_or(DAMAGED)?;
        let length = bech32::decode_into(hrp, line, &mut data).ok_or(DAMAGED)?;
        data.truncate(length);
        // Decoding takes padding that is not zero.
        let again = to_line(plugin.name(), &data).map_err(|_| DAMAGED)?;
        let same = bool::from(again.reveal().as_bytes().ct_eq(line.as_bytes()));
        if same { Ok(Self { plugin: Arc::clone(plugin), data }) } else { Err(DAMAGED) }
    }

    pub(super) fn usable(&self) -> Result<BoxedIdentity, KeyError> {
        self.plugin.identity(&self.data)
    }

    pub(super) fn to_recipient(&self) -> Result<BoxedRecipient, KeyError> {
        self.plugin.recipient(&self.data)
    }

    pub(super) fn recipient_text(&self) -> Result<String, KeyError> {
        self.plugin.recipient_text(&self.data)
    }
}

#[cfg(test)]
mod tests {
    use ::bech32::primitives::iter::{ByteIterExt, Fe32IterExt};
    use ::bech32::{Bech32, Fe32};

    use super::*;

    struct Nothing;

    impl InProcessPlugin for Nothing {
        fn name(&self) -> &str {
            "kept"
        }

        fn identity(&self, _: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError> {
            Err(KeyProblem::NoIdentities.into())
        }

        fn recipient(&self, _: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError> {
            Err(KeyProblem::NoIdentities.into())
        }
    }

    #[test]
    fn padding_that_is_not_zero() {
        let plugin: Arc<dyn InProcessPlugin> = Arc::new(Nothing);
        let hrp = Hrp::parse_unchecked("age-plugin-kept-");
        for padding in 0..8 {
            // Four bytes are seven characters, the last of which has two bits.
            let mut characters: Vec<Fe32> = b"mine".iter().copied().bytes_to_fes().collect();
            let last = characters.pop().unwrap().to_u8() | padding;
            characters.push(Fe32::try_from(last).unwrap());
            let line: String =
                characters.into_iter().with_checksum::<Bech32>(&hrp).chars().collect();
            let read = Identity::read(&plugin, &line.to_ascii_uppercase());
            assert_eq!(read.is_ok(), padding == 0, "{padding}");
        }
    }
}
