//! Plugins that run in this process, where age would start a program for each file.
//!
//! Source: c2sp.org/age-plugin for the text of identities, `AGE-PLUGIN-NAME-1…`.
//!
//! Security claim: a plugin is given only identities that name it, and only in their one spelling.
//! No program is started or looked for in its place.
//!
//! Limit: what an identity means, and what it may do, is the plugin's affair.

use std::fmt;
use std::sync::Arc;

use age_core::primitives::{bech32_decode, bech32_encode_to_fmt};
use bech32::Hrp;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::error::{KeyError, KeyProblem};
use super::{BoundedIdentity, BoxedIdentity, BoxedRecipient, Recipient};

/// The most bytes in an identity.
pub const MAX_IDENTITY_BYTES: usize = 4096;

const DAMAGED: KeyProblem = KeyProblem::Damaged("identity");

/// What understands the identities `AGE-PLUGIN-NAME-1…` of one name.
pub trait InProcessPlugin: Send + Sync {
    /// The name, in lower case, without `age-plugin-`.
    fn name(&self) -> &str;

    /// What opens with the identity that holds these bytes, at most [`MAX_IDENTITY_BYTES`].
    ///
    /// # Errors
    /// [`KeyProblem::Refused`], if it is none.
    fn identity(&self, data: &[u8]) -> Result<Box<dyn BoundedIdentity>, KeyError>;

    /// What encrypts to the identity that holds these bytes.
    ///
    /// # Errors
    /// As [`identity`](Self::identity).
    fn recipient(&self, data: &[u8]) -> Result<Box<dyn Recipient + Send + Sync>, KeyError>;
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
pub fn to_line(name: &str, data: &[u8]) -> Result<Zeroizing<String>, KeyError> {
    let refused = |why: &str| KeyProblem::Refused { plugin: name.to_owned(), why: why.to_owned() };
    if data.len() > MAX_IDENTITY_BYTES {
        return Err(refused("it is longer than 4096 bytes").into());
    }
    let prefix = format!("age-plugin-{name}-");
    let hrp = Hrp::parse(&prefix).map_err(|_| refused("no plugin can have this name"))?;
    // With all the room at once it never moves, which would leave a copy behind.
    let length = prefix.len() + 1 + (8 * data.len()).div_ceil(5) + 6;
    let mut text = Zeroizing::new(String::with_capacity(length));
    // Cannot fail: a string takes whatever is written.
    let _ = bech32_encode_to_fmt(&mut *text, hrp, data);
    text.make_ascii_uppercase();
    Ok(text)
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
        let mut data = Zeroizing::new(Vec::with_capacity(line.len().min(MAX_IDENTITY_BYTES)));
        bech32_decode(
            line,
            |_| (),
            |_| Ok(()),
            |_, decoded| {
                for byte in decoded {
                    if data.len() == data.capacity() {
                        return Err(());
                    }
                    data.push(byte);
                }
                Ok(())
            },
        )
        .map_err(|()| DAMAGED)?;
        // Decoding takes padding that is not zero.
        let again = to_line(plugin.name(), &data).map_err(|_| DAMAGED)?;
        let same = bool::from(again.as_bytes().ct_eq(line.as_bytes()));
        if same { Ok(Self { plugin: Arc::clone(plugin), data }) } else { Err(DAMAGED) }
    }

    pub(super) fn usable(&self) -> Result<BoxedIdentity, KeyError> {
        self.plugin.identity(&self.data)
    }

    pub(super) fn to_recipient(&self) -> Result<BoxedRecipient, KeyError> {
        self.plugin.recipient(&self.data)
    }
}

#[cfg(test)]
mod tests {
    use bech32::primitives::iter::{ByteIterExt, Fe32IterExt};
    use bech32::{Bech32, Fe32};

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
