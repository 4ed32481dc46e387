//! A key pair whose private key stays where it is kept, as an identity file of age that says where.
//!
//! Source: c2sp.org/age-plugin for the identity `AGE-PLUGIN-POLYSEAL-KMS-1…`. It holds the
//! compressed public key, 33 bytes, and the URI of the key, and nothing secret.
//!
//! Security claim: an identity file is data of somebody else: its URI chooses no code to load and
//! no place to read a PIN from. The keeper is spoken to when a file is for the key, and not before.
//!
//! Limit: anyone who can write an identity file chooses whose files it opens.

use std::fmt;
use std::sync::OnceLock;

use polyseal_file::age::{
    BoundedIdentity, InProcessPlugin, Keeper, KeeperError, KeyError, KeyProblem, Recipient,
    in_process, p256,
};
use zeroize::Zeroizing;

use crate::{Error, Kms, Origin, Point, Problem, PublicKey, Result, Settings, Uri, connect};

/// The name of the plugin: the program is `age-plugin-polyseal-kms`.
const NAME: &str = "polyseal-kms";
const POINT_BYTES: usize = 33;

/// The public key and the place of the private one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPair {
    uri: Uri,
    recipient: p256::Recipient,
}

impl KeyPair {
    /// The key pair with this URI and this public key.
    #[must_use]
    pub fn new(uri: &Uri, key: PublicKey) -> Self {
        Self { uri: uri.for_file(), recipient: key.into_recipient() }
    }

    /// The key pair with this URI, which is there.
    ///
    /// # Errors
    /// The keeper's refusal.
    pub fn find(uri: &Uri, settings: &Settings) -> Result<Self> {
        Self::from_keeper(uri, settings, |keeper| keeper.public_key())
    }

    /// The key pair with this URI, which is made if it does not exist.
    ///
    /// # Errors
    /// The keeper's refusal.
    pub fn make(uri: &Uri, settings: &Settings) -> Result<Self> {
        Self::from_keeper(uri, settings, |keeper| keeper.make_key_pair())
    }

    fn from_keeper(
        uri: &Uri,
        settings: &Settings,
        key: impl FnOnce(&dyn Kms) -> Result<PublicKey>,
    ) -> Result<Self> {
        let key = connect(uri, settings).and_then(|keeper| key(keeper.as_ref()));
        key.map(|key| Self::new(uri, key)).map_err(|error| error.with_uri(&uri.to_string()))
    }

    /// Where the private key is, without the parts that only a user may set.
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The recipient to encrypt to, `age1tag1…`.
    #[must_use]
    pub fn recipient(&self) -> &p256::Recipient {
        &self.recipient
    }

    /// The identity that opens its files, by way of the keeper.
    #[must_use]
    pub fn identity(&self, settings: &Settings) -> p256::Identity<LazyKeeper> {
        let (uri, settings) = (self.uri.clone(), settings.clone());
        let keeper = LazyKeeper { uri, settings, connected: OnceLock::new() };
        p256::Identity::new(self.recipient.clone(), keeper)
    }

    /// The contents of an identity file, which is not secret. `created` is a time, on one line.
    ///
    /// # Errors
    /// [`Problem::Uri`] if the URI is too long for an identity.
    pub fn to_identity_file(&self, created: Option<&str>) -> Result<String> {
        let data = [&self.recipient.to_compressed()[..], self.uri.as_str().as_bytes()].concat();
        let line = in_process::to_line(NAME, &data);
        let line = line.map_err(|error| Problem::Uri(error.to_string()))?;
        let created = created.map_or_else(String::new, |time| format!("# created: {time}\n"));
        let (recipient, uri) = (&self.recipient, &self.uri);
        Ok(format!("{created}# public key: {recipient}\n# private key: {uri}\n{}\n", line.reveal()))
    }

    /// The key pair in an identity.
    ///
    /// # Errors
    /// An invalid identity, or one that names something that only a user may.
    pub fn from_identity(data: &[u8]) -> Result<Self> {
        let bad = || Error::new(Problem::Uri("it is damaged".to_owned()));
        let (point, uri) = data.split_at_checked(POINT_BYTES).ok_or_else(bad)?;
        let point = <&[u8; POINT_BYTES]>::try_from(point).map_err(|_| bad())?;
        let recipient = p256::Recipient::from_compressed(point).map_err(|_| bad())?;
        let uri = Uri::parse(str::from_utf8(uri).map_err(|_| bad())?, Origin::File)?;
        Ok(Self { uri, recipient })
    }
}

/// A keeper that is spoken to when a file is opened.
pub struct LazyKeeper {
    uri: Uri,
    settings: Settings,
    connected: OnceLock<Result<Box<dyn Kms>>>,
}

impl Keeper for LazyKeeper {
    fn derive(&self, point: &Point) -> std::result::Result<Zeroizing<[u8; 32]>, KeeperError> {
        let connected = self.connected.get_or_init(|| connect(&self.uri, &self.settings));
        let keeper = connected.as_ref().map_err(Clone::clone);
        let derived = keeper.and_then(|keeper| keeper.derive(point));
        derived.map_err(|error| KeeperError::from(&error.with_uri(&self.uri.to_string())))
    }
}

impl fmt::Debug for LazyKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LazyKeeper({})", self.uri)
    }
}

/// The plugin that reads identities of key pairs in this process.
#[derive(Clone, Debug)]
pub struct Plugin {
    settings: Settings,
}

impl Plugin {
    /// A plugin with the user's settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    fn read(data: &[u8]) -> std::result::Result<KeyPair, KeyError> {
        KeyPair::from_identity(data).map_err(|error| {
            let (plugin, why) = (NAME.to_owned(), error.to_string());
            KeyProblem::Refused { plugin, why }.into()
        })
    }
}

impl InProcessPlugin for Plugin {
    fn name(&self) -> &str {
        NAME
    }

    fn identity(&self, data: &[u8]) -> std::result::Result<Box<dyn BoundedIdentity>, KeyError> {
        Ok(Box::new(Self::read(data)?.identity(&self.settings)))
    }

    fn recipient(
        &self,
        data: &[u8],
    ) -> std::result::Result<Box<dyn Recipient + Send + Sync>, KeyError> {
        Ok(Box::new(Self::read(data)?.recipient))
    }

    fn recipient_text(&self, data: &[u8]) -> std::result::Result<String, KeyError> {
        Ok(Self::read(data)?.recipient.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use polyseal_file::age::{NoCallbacks, parse_identities_with};

    use super::*;

    /// The generator of P-256, compressed.
    const GENERATOR: &str = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";

    fn recipient() -> p256::Recipient {
        let byte = |at| u8::from_str_radix(&GENERATOR[2 * at..2 * at + 2], 16).unwrap();
        let point: Vec<u8> = (0..POINT_BYTES).map(byte).collect();
        p256::Recipient::from_compressed(point.as_slice().try_into().unwrap()).unwrap()
    }

    fn read(file: &str) -> std::result::Result<(), KeyProblem> {
        let settings = Settings::from_variables(|_| None);
        let plugins: [Arc<dyn InProcessPlugin>; 1] = [Arc::new(Plugin::new(settings))];
        let parsed = parse_identities_with(file.as_bytes(), None, &NoCallbacks, &plugins);
        parsed.map(|_| ()).map_err(|error| error.problem().clone())
    }

    #[test]
    fn an_identity_file_holds_the_public_key_and_what_may_stand_in_a_file() {
        let said = "pkcs11:token=ops;object=restore?module-path=/x.so&pin-value=1234";
        let uri = Uri::parse(said, Origin::User).unwrap();
        let pair = KeyPair { uri: uri.for_file(), recipient: recipient() };
        let file = pair.to_identity_file(Some("today")).unwrap();
        assert!(file.starts_with("# created: today\n# public key: age1tag1"), "{file}");
        assert!(!file.contains("1234") && !file.contains("x.so"), "{file}");
        assert_eq!(read(&file), Ok(()));
        let data = [&recipient().to_compressed()[..], b"pkcs11:token=ops;object=restore"].concat();
        assert_eq!(KeyPair::from_identity(&data).unwrap(), pair);
    }

    #[test]
    fn what_is_no_identity() {
        let line = |uri: &str| {
            let data = [&recipient().to_compressed()[..], uri.as_bytes()].concat();
            in_process::to_line(NAME, &data).unwrap().reveal().to_owned()
        };
        assert_eq!(read(&line("tpm:")), Ok(()));
        for (uri, expected) in [
            ("pkcs11:token=a?module-path=/x.so", "module-path"),
            ("pkcs11:token=a?pin-source=/etc/passwd", "pin-source"),
            ("file:///x", "begins with"),
        ] {
            let Err(KeyProblem::Refused { why, .. }) = read(&line(uri)) else { panic!("{uri}") };
            assert!(why.contains(expected), "{why}");
        }
        for data in [&b""[..], &[2; 33], &[0xff; 40]] {
            let line = in_process::to_line(NAME, data).unwrap();
            assert!(matches!(read(line.reveal()), Err(KeyProblem::Refused { .. })), "{data:?}");
        }
    }
}
