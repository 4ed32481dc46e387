//! Flex: against the reference's vectors, against itself on other back ends, and against forgers.

mod configuration;
mod lengths;
mod matrix;
mod prepared;
mod properties;
mod random_nonce;
mod separation;
mod stream;
mod tamper;
mod vectors;
mod wide_block;

use polyseal::flex::{Builder, Config, ConfigError, Flex, Mode, NonceForm, Profile};
use polyseal::hazmat::WideBlock;
use polyseal::testing::{Backend, flex_on, wide_block_on};
use polyseal::{Error, Result};

use crate::common::bytes;

const MODES: [Mode; 4] = [Mode::Och, Mode::Civ, Mode::Robust, Mode::RobustAe];
const NONCE_BYTES: u16 = 13;
const NONCES: [NonceForm; 2] = [NonceForm::Hidden(NONCE_BYTES), NonceForm::Public(NONCE_BYTES)];

fn key() -> Vec<u8> {
    bytes(1, 32)
}

/// A configuration of `mode` over `profile`, whatever its level.
fn config(mode: Mode, profile: Profile, nonce: NonceForm) -> Config {
    let builder = Config::builder(mode).profile(profile).nonce(nonce);
    builder.allow_64_bits().build().expect("a configuration")
}

/// The configuration of these eight bytes, whatever its level.
fn from_bytes(bytes: [u8; 8]) -> std::result::Result<Config, ConfigError> {
    Builder::from_bytes(bytes)?.allow_64_bits().build()
}

fn flex(backend: Backend, config: Config) -> Flex {
    flex_on(backend, config, &key(), b"").expect("a key")
}

/// The nonce that opening is given: empty, if it is hidden.
fn told<'n>(config: &Config, nonce: &'n [u8]) -> &'n [u8] {
    if config.hidden_bytes() > 0 { &[] } else { nonce }
}

/// Whether opening refuses, and for the one reason that it may give.
#[track_caller]
fn refuses(flex: &Flex, nonce: &[u8], ad: &[u8], ciphertext: &[u8]) -> bool {
    match flex.open(nonce, ad, ciphertext) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error, Error::Unauthentic);
            true
        }
    }
}

/// `bytes` with one bit of byte `at` flipped.
fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[at] ^= 1 << (at % 8);
    flipped
}

/// A key of any configuration, whether it commits or not.
enum Cipher {
    Aead(Flex),
    Wide(WideBlock),
}

impl Cipher {
    fn on(backend: Backend, config: [u8; 8], key: &[u8], setup_ad: &[u8]) -> Self {
        match from_bytes(config) {
            Err(ConfigError::NotCommitting) => {
                Self::Wide(wide_block_on(backend, config, key, setup_ad).expect("a key"))
            }
            config => Self::Aead(
                flex_on(backend, config.expect("a configuration"), key, setup_ad).expect("a key"),
            ),
        }
    }

    fn config(&self) -> &Config {
        match self {
            Self::Aead(flex) => flex.config(),
            Self::Wide(cipher) => cipher.config(),
        }
    }

    fn seal(&self, nonce: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Aead(flex) => flex.seal(nonce, ad, message),
            Self::Wide(cipher) => cipher.encipher(nonce, ad, message),
        }
    }

    /// The message, and the nonce that it was sealed with.
    fn open(&self, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        let told = told(self.config(), nonce);
        let opened = match self {
            Self::Aead(flex) => flex.open(told, ad, sealed),
            Self::Wide(cipher) => cipher.decipher(told, ad, sealed),
        };
        opened.map(|opened| (opened.message.to_vec(), opened.nonce))
    }

    /// Opening gives back what was sealed.
    #[track_caller]
    fn opens_to(&self, nonce: &[u8], ad: &[u8], sealed: &[u8], message: &[u8], name: &str) {
        let (opened, recovered) = self.open(nonce, ad, sealed).expect(name);
        assert!(opened == message, "another message: {name}");
        assert!(recovered == nonce, "another nonce: {name}");
    }
}
