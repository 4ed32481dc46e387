//! Tokens behind a module of PKCS #11: SoftHSM, YubiKey, Nitrokey, CloudHSM.
//!
//! Source: PKCS #11 2.40 (OASIS), `CKM_ECDH1_DERIVE` with `CKD_NULL`; RFC 7512 for the URIs.
//!
//! Security claim: the private key is made in the token, and does not leave it. A module is loaded
//! only from where the user says. A pair whose private key others could have written, without the
//! PIN, does not count: its public key is not shown. A PIN that was wrong is not given to that
//! token again by this process, by whatever thread and way and for whatever file; nor one that was
//! not typed, where one more wrong PIN locks it.
//!
//! Limits: the module is code in this process and is trusted. After a fork the child is refused:
//! its copy of the module's state is not one that can be used. Two programs that make a pair of the
//! same name at the same time may make two, which are then refused. A key that wants its PIN before
//! every use (`CKA_ALWAYS_AUTHENTICATE`) is not served. The crate `cryptoki` does not wipe its own
//! copy of a derived secret.

mod module;
mod pin;
mod token;

use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use self::token::Token;
use super::{Kms, Point};
use crate::{Error, Problem, Result, Settings, ShownKey, Uri};

/// The names of a token and of its key pair, by RFC 7512. Those that are left out are not compared.
pub(super) struct Names {
    pub(super) token: Option<String>,
    pub(super) serial: Option<String>,
    pub(super) manufacturer: Option<String>,
    pub(super) model: Option<String>,
    pub(super) slot: Option<u64>,
    pub(super) object: Option<String>,
    pub(super) id: Option<Vec<u8>>,
}

impl Names {
    fn from_uri(uri: &Uri) -> Result<Self> {
        const KNOWN: [&str; 8] =
            ["token", "serial", "manufacturer", "model", "slot-id", "object", "id", "type"];
        let bad = |why: String| Error::new(Problem::Uri(why));
        if let Some(name) = uri.attribute_names().find(|name| !KNOWN.contains(name)) {
            return Err(bad(format!("it has an unknown attribute {name}")));
        }
        if uri.attribute("type").is_some_and(|kind| kind != "private") {
            return Err(bad("its type is private, or is left out".to_owned()));
        }
        let slot = uri.attribute("slot-id").map(str::parse).transpose();
        let text = |name| uri.attribute(name).map(str::to_owned);
        let names = Self {
            token: text("token"),
            serial: text("serial"),
            manufacturer: text("manufacturer"),
            model: text("model"),
            slot: slot.map_err(|_| bad("its slot-id is not a number".to_owned()))?,
            object: text("object"),
            id: uri.id().map(<[u8]>::to_vec),
        };
        if names.object.is_none() && names.id.is_none() {
            return Err(bad("it names no key: object=NAME or id=BYTES does".to_owned()));
        }
        Ok(names)
    }
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    Ok(Box::new(Pkcs11 {
        names: Names::from_uri(uri)?,
        module: module::path(uri, settings)?,
        uri: uri.clone(),
        settings: settings.clone(),
        token: Mutex::new(None),
        process: process::id(),
    }))
}

struct Pkcs11 {
    names: Names,
    module: PathBuf,
    uri: Uri,
    settings: Settings,
    /// One session for all threads.
    token: Mutex<Option<Token>>,
    /// The one that has the session.
    process: u32,
}

impl Pkcs11 {
    /// Does something with the token, and once more if it was pulled and is there again.
    fn with_token<T>(&self, act: impl Fn(&mut Token) -> token::Result<T>) -> Result<T> {
        // Before the lock, which another thread of the other process may have held for ever.
        if self.process != process::id() {
            return Err(module::forked());
        }
        let mut held = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let was_open = held.is_some();
        let first = act(self.opened(&mut held)?);
        let result = match first {
            Err(failure) if was_open && failure.is_gone => {
                *held = None;
                act(self.opened(&mut held)?)
            }
            result => result,
        };
        if result.as_ref().is_err_and(|failure| failure.is_gone) {
            *held = None;
        }
        result.map_err(|failure| failure.error)
    }

    fn opened<'a>(&self, held: &'a mut Option<Token>) -> Result<&'a mut Token> {
        match held {
            Some(token) => Ok(token),
            None => {
                let module = module::load(&self.module)?;
                let token = Token::open(module, &self.names).map_err(|failure| failure.error)?;
                Ok(held.insert(token))
            }
        }
    }

    fn log_in(&self, token: &mut Token) -> token::Result<()> {
        token.log_in(|what| pin::find(&self.uri, &self.settings, what))
    }
}

impl Kms for Pkcs11 {
    fn create_key_pair(&self) -> Result<ShownKey> {
        self.with_token(|token| {
            self.log_in(token)?;
            if !token.has_key_pair(&self.names)? {
                token.make_key_pair(&self.names)?;
            }
            token.public_key(&self.names)
        })
    }

    fn shown_key(&self) -> Result<ShownKey> {
        self.with_token(|token| {
            self.log_in(token)?;
            match token.has_key_pair(&self.names)? {
                true => token.public_key(&self.names),
                false => {
                    Err(Problem::NotFound("it has no private key of this name".to_owned()).into())
                }
            }
        })
    }

    fn derive(&self, point: &Point) -> Result<Zeroizing<[u8; 32]>> {
        self.with_token(|token| {
            self.log_in(token)?;
            token.derive(&self.names, point)
        })
    }
}
