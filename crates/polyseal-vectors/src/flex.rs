//! Groups of Flex in any configuration, also those that have to be allowed: vectors are no secrets.
//!
//! `cfg` and `setupAd`, in hexadecimal, select the instance. All of a ciphertext is in `ct`.

use std::collections::BTreeMap;

use polyseal::flex::{Builder, Config, ConfigError, Flex};
use polyseal::hazmat::WideBlock;
use serde_json::Value;

use crate::check::OpenResult;
use crate::schema::Test;

/// The name of such an algorithm in a file.
pub(crate) const NAME: &str = "flex";

/// A configuration, and the setup associated data.
#[derive(Debug)]
pub(crate) struct Instance {
    config: [u8; 8],
    setup_ad: Vec<u8>,
}

impl Instance {
    /// Reads the parameters of a group whose sizes (key, nonce, tag) are in bits.
    pub(crate) fn read(
        params: &BTreeMap<String, Value>,
        tests: &[Test],
        [key, iv, tag]: [u64; 3],
    ) -> Result<Self, String> {
        if let Some(name) = params.keys().find(|name| !["cfg", "setupAd"].contains(&name.as_str()))
        {
            return Err(format!("unknown parameter {name}"));
        }
        let config = parameter(params, "cfg")?.ok_or("missing parameter `cfg`")?;
        let config = config.try_into().map_err(|_| "cfg has not 8 bytes")?;
        let setup_ad = parameter(params, "setupAd")?.unwrap_or_default();
        if tag != 0 {
            return Err("a tag of Flex is in `ct`, and `tagSize` is 0".to_owned());
        }
        let bits = |bytes: &[u8]| 8 * bytes.len() as u64;
        let other = |test: &&Test| bits(&test.key) != key || bits(&test.iv) != iv;
        if let Some(test) = tests.iter().find(other) {
            return Err(format!("tcId {}: not of the group's sizes", test.id));
        }
        match Builder::from_bytes(config).and_then(|builder| builder.allow_64_bits().build()) {
            Ok(_) | Err(ConfigError::NotCommitting) => Ok(Self { config, setup_ad }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The AEAD or, if the configuration does not commit, the wide-block cipher.
    fn cipher(&self, key: &[u8]) -> polyseal::Result<Cipher> {
        match Builder::from_bytes(self.config)?.allow_64_bits().build() {
            Ok(config) => Flex::init(config, key, &self.setup_ad).map(Cipher::Aead),
            Err(_) => {
                let builder = Builder::from_bytes(self.config)?.allow_64_bits();
                WideBlock::init(builder, key, &self.setup_ad).map(Cipher::WideBlock)
            }
        }
    }

    /// Opens without the nonce where it is hidden: then it must come out.
    pub(crate) fn open(&self, test: &Test) -> OpenResult {
        let opened = self.cipher(&test.key).and_then(|cipher| {
            let nonce = if cipher.config().hidden_bytes() > 0 { &[][..] } else { &test.iv };
            match &cipher {
                Cipher::Aead(flex) => flex.open(nonce, &test.aad, &test.ct),
                Cipher::WideBlock(cipher) => cipher.decipher(nonce, &test.aad, &test.ct),
            }
        });
        match opened {
            Err(_) => OpenResult::Refused,
            Ok(opened) if opened.nonce != test.iv || *opened.message != test.msg => {
                OpenResult::Other
            }
            Ok(_) if test.tag.is_empty() => OpenResult::Message,
            Ok(_) => OpenResult::Other,
        }
    }

    /// Whether sealing gives the ciphertext.
    pub(crate) fn seals(&self, test: &Test) -> bool {
        let sealed = self.cipher(&test.key).and_then(|cipher| match &cipher {
            Cipher::Aead(flex) => flex.seal(&test.iv, &test.aad, &test.msg),
            Cipher::WideBlock(cipher) => cipher.encipher(&test.iv, &test.aad, &test.msg),
        });
        test.tag.is_empty() && sealed.is_ok_and(|ct| ct == test.ct)
    }
}

enum Cipher {
    Aead(Flex),
    WideBlock(WideBlock),
}

impl Cipher {
    fn config(&self) -> &Config {
        match self {
            Self::Aead(flex) => flex.config(),
            Self::WideBlock(cipher) => cipher.config(),
        }
    }
}

/// The bytes of a parameter in hexadecimal.
fn parameter(params: &BTreeMap<String, Value>, name: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(value) = params.get(name) else { return Ok(None) };
    let digits = value.as_str().and_then(|digits| hex::decode(digits).ok());
    digits.map(Some).ok_or_else(|| format!("parameter {name} is not hexadecimal"))
}
