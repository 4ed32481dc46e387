//! One token, its session, and its key pair.

use std::mem;
use std::process;

use cryptoki::context::Pkcs11;
use cryptoki::error::{Error as ModuleError, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::mechanism::elliptic_curve::{EcKdf, Ecdh1DeriveParams};
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, SessionState, UserType};
use cryptoki::slot::{Slot, TokenInfo};
use cryptoki::types::AuthPin;
use polyseal_file::age::p256::Recipient;
use zeroize::Zeroizing;

use super::pin::{Attempt, Pin};
use super::{Names, Point};
use crate::{Error, Problem, ShownKey};

/// `prime256v1`, in DER: the parameters of P-256.
const P256: [u8; 10] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
/// The start of an octet string of 65 bytes, in DER.
const OCTET_STRING: [u8; 2] = [0x04, 65];
const SECRET_BYTES: usize = 32;
const NEW_ID_BYTES: u32 = 16;
/// The reason why a private key may not have been put there by the token's user.
const NOT_PRIVATE: &str = "its private key of this name could be put there without the PIN \
                      (CKA_PRIVATE is false): make another pair";

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// A failure, and whether the session or the token is gone.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) is_gone: bool,
}

impl Failure {
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self.error.problem(), Problem::NotFound(_))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, is_gone: false }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Error::new(problem).into()
    }
}

impl From<ModuleError> for Failure {
    fn from(error: ModuleError) -> Self {
        use RvError as Rv;

        // Not the crate's own words, which are whole paragraphs of the standard.
        let ModuleError::Pkcs11(code, function) = error else {
            return Problem::Service(error.to_string()).into();
        };
        let said = format!("{function:?}: {code:?}");
        let is_gone = matches!(
            code,
            Rv::DeviceError
                | Rv::DeviceRemoved
                | Rv::KeyHandleInvalid
                | Rv::ObjectHandleInvalid
                | Rv::SessionClosed
                | Rv::SessionHandleInvalid
                | Rv::SlotIdInvalid
                | Rv::TokenNotPresent
                | Rv::UserNotLoggedIn
        );
        let problem = match code {
            Rv::PinIncorrect | Rv::PinInvalid | Rv::PinLenRange => Problem::Pin,
            Rv::PinLocked => Problem::PinLocked,
            Rv::KeyFunctionNotPermitted | Rv::FunctionRejected => Problem::Denied(said),
            Rv::MechanismInvalid | Rv::FunctionNotSupported | Rv::CurveNotSupported => {
                Problem::Unsupported("do ECDH on P-256")
            }
            _ if is_gone => Problem::Token(said),
            _ => Problem::Service(said),
        };
        Self { error: problem.into(), is_gone }
    }
}

pub(super) struct Token {
    module: Pkcs11,
    slot: Slot,
    /// `None` only while it is dropped.
    session: Option<Session>,
    /// As the user is told of it.
    label: String,
    /// Tells this token from others, by whatever way it was found.
    identifier: String,
    process: u32,
}

impl Drop for Token {
    fn drop(&mut self) {
        // The session is the parent's.
        if self.is_forked() {
            mem::forget(self.session.take());
        }
    }
}

impl Token {
    /// The one token that has these names.
    pub(super) fn open(module: Pkcs11, names: &Names) -> Result<Self> {
        let (slot, info) = find(&module, names)?;
        let session = module.open_rw_session(slot).or_else(|error| match error {
            ModuleError::Pkcs11(RvError::TokenWriteProtected, _) => module.open_ro_session(slot),
            error => Err(error),
        })?;
        // Not by the module's path or the slot: the same token has others, too.
        let identifier =
            [info.manufacturer_id(), info.model(), info.serial_number(), info.label()].join("\n");
        let label = info.label().escape_debug().to_string();
        let process = process::id();
        Ok(Self { module, slot, session: Some(session), label, identifier, process })
    }

    pub(super) fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    fn session(&self) -> Result<&Session> {
        self.session.as_ref().ok_or_else(|| Problem::Token("it is closed".to_owned()).into())
    }

    /// Logs in, unless this process is. `pin` is asked for the PIN with words that name it.
    pub(super) fn log_in(
        &self,
        pin: impl FnOnce(&str) -> std::result::Result<Pin, Error>,
    ) -> Result<()> {
        let session = self.session()?;
        let attempt = Attempt::new(&self.identifier);
        let state = session.get_session_info()?.session_state();
        if matches!(state, SessionState::RoUser | SessionState::RwUser) {
            return Ok(());
        }
        let info = self.module.get_token_info(self.slot)?;
        if !info.login_required() {
            return Ok(());
        }
        if info.user_pin_locked() {
            return Err(Problem::PinLocked.into());
        }
        if attempt.is_refused() {
            return Err(Problem::Pin.into());
        }
        if !info.user_pin_initialized() {
            return Err(Problem::Token("it has no PIN yet".to_owned()).into());
        }
        let given = match info.protected_authentication_path() {
            // It is typed at the token.
            true => None,
            false => {
                let pin = pin(&format!("PIN of the token {}", self.label))?;
                if info.user_pin_final_try() && !pin.was_typed {
                    let why = "one more wrong PIN locks it: the PIN must be typed for that";
                    return Err(Problem::Token(why.to_owned()).into());
                }
                // A copy of the exact length, which is wiped, too.
                Some(AuthPin::from(pin.text.reveal()))
            }
        };
        match session.login(UserType::User, given.as_ref()) {
            Ok(()) | Err(ModuleError::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
            Err(error) => {
                let failure = Failure::from(error);
                if matches!(failure.error.problem(), Problem::Pin) {
                    attempt.refuse();
                }
                Err(failure)
            }
        }
    }

    /// Whether there is a private key of the name, one only, and one that only the token's user
    /// can have put there.
    pub(super) fn has_key_pair(&self, names: &Names) -> Result<bool> {
        let private = match self.object(ObjectClass::PRIVATE_KEY, names) {
            Ok(private) => private,
            Err(failure) if failure.is_not_found() => return Ok(false),
            Err(failure) => return Err(failure),
        };
        match self.session()?.get_attributes(private, &[AttributeType::Private])?[..] {
            [Attribute::Private(true)] => Ok(true),
            _ => Err(Problem::Token(NOT_PRIVATE.to_owned()).into()),
        }
    }

    pub(super) fn make_key_pair(&self, names: &Names) -> Result<()> {
        let Some(object) = &names.object else {
            return Err(Problem::NotFound("a new one needs a name, object=NAME".to_owned()).into());
        };
        let session = self.session()?;
        let id = match &names.id {
            Some(id) => id.clone(),
            None => session.generate_random_vec(NEW_ID_BYTES)?,
        };
        let named = |others: &[Attribute]| {
            let label = Attribute::Label(object.clone().into_bytes());
            let common = [Attribute::Token(true), label, Attribute::Id(id.clone())];
            [&common[..], others].concat()
        };
        let public = named(&[Attribute::Private(false), Attribute::EcParams(P256.to_vec())]);
        let private = named(&[
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
            Attribute::Derive(true),
        ]);
        session.generate_key_pair(&Mechanism::EccKeyPairGen, &public, &private)?;
        Ok(())
    }

    pub(super) fn public_key(&self, names: &Names) -> Result<ShownKey> {
        let object = self.object(ObjectClass::PUBLIC_KEY, names)?;
        let wanted = [AttributeType::EcPoint, AttributeType::EcParams];
        let (mut point, mut is_p256) = (None, true);
        for attribute in self.session()?.get_attributes(object, &wanted)? {
            match attribute {
                Attribute::EcPoint(bytes) => point = Point::try_from(raw(&bytes)).ok(),
                Attribute::EcParams(bytes) => is_p256 = bytes == P256,
                _ => {}
            }
        }
        let point = point.filter(|point| is_p256 && Recipient::from_point(point).is_ok());
        let other = || Problem::Unsupported("use a key that is not on P-256").into();
        point.map(ShownKey::new).ok_or_else(other)
    }

    pub(super) fn derive(&self, names: &Names, point: &Point) -> Result<Zeroizing<[u8; 32]>> {
        let private = self.object(ObjectClass::PRIVATE_KEY, names)?;
        let session = self.session()?;
        let derivation = Mechanism::Ecdh1Derive(Ecdh1DeriveParams::new(EcKdf::null(), point));
        let template = [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::GENERIC_SECRET),
            Attribute::ValueLen(SECRET_BYTES.try_into()?),
            Attribute::Token(false),
            Attribute::Sensitive(false),
            Attribute::Extractable(true),
        ];
        let derived = session.derive_key(&derivation, private, &template)?;
        let value = session.get_attributes(derived, &[AttributeType::Value]);
        // Also when its value is not given.
        let destroyed = session.destroy_object(derived);
        let mut secret = Zeroizing::new([0; SECRET_BYTES]);
        match value?.pop() {
            Some(Attribute::Value(bytes)) if bytes.len() == SECRET_BYTES => {
                secret.copy_from_slice(&Zeroizing::new(bytes));
            }
            _ => {
                let why = "the token does not give out what it derived";
                return Err(Problem::Service(why.to_owned()).into());
            }
        }
        destroyed?;
        Ok(secret)
    }

    /// The one object of this class that has the names.
    fn object(&self, class: ObjectClass, names: &Names) -> Result<ObjectHandle> {
        let mut template = vec![Attribute::Class(class), Attribute::KeyType(KeyType::EC)];
        let label = names.object.as_ref().map(|name| name.clone().into_bytes());
        template.extend(label.map(Attribute::Label));
        template.extend(names.id.clone().map(Attribute::Id));
        let objects = self.session()?.iter_objects(&template)?;
        let found = objects.take(2).collect::<std::result::Result<Vec<_>, _>>()?;
        let none = |why: &str| Err(Problem::NotFound(why.to_owned()).into());
        match found[..] {
            [object] => Ok(object),
            [] => none("the token has none of this name"),
            _ => Err(Problem::Uri("several keys have this name: add id=BYTES".to_owned()).into()),
        }
    }
}

/// A point of an attribute: some tokens leave out that it is an octet string.
fn raw(bytes: &[u8]) -> &[u8] {
    match bytes.strip_prefix(&OCTET_STRING) {
        Some(point) if point.len() == 65 => point,
        _ => bytes,
    }
}

fn find(module: &Pkcs11, names: &Names) -> Result<(Slot, TokenInfo)> {
    let mut found = None;
    for slot in module.get_slots_with_initialized_token()? {
        let info = match module.get_token_info(slot) {
            // Pulled since it was listed.
            Err(ModuleError::Pkcs11(RvError::TokenNotPresent | RvError::DeviceRemoved, _)) => {
                continue;
            }
            info => info?,
        };
        let is = |said: &Option<String>, other: &str| said.as_ref().is_none_or(|one| one == other);
        let same = is(&names.token, info.label())
            && is(&names.serial, info.serial_number())
            && is(&names.manufacturer, info.manufacturer_id())
            && is(&names.model, info.model())
            && names.slot.is_none_or(|id| id == slot.id());
        if same && found.replace((slot, info)).is_some() {
            let why = "several tokens have this name: add serial=NUMBER";
            return Err(Problem::Uri(why.to_owned()).into());
        }
    }
    found.ok_or_else(|| Problem::Token("none that has this name is there".to_owned()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_an_octet_string_or_stands_alone() {
        let point = [[4; 1].as_slice(), &[7; 64]].concat();
        assert_eq!(raw(&[&OCTET_STRING[..], &point].concat()), point);
        assert_eq!(raw(&point), point);
        // A point whose first coordinate begins as the octet string does.
        let alone = [&OCTET_STRING[..], &[7; 63]].concat();
        assert_eq!(raw(&alone), alone);
        for other in [&[][..], &OCTET_STRING] {
            assert_eq!(raw(other), other);
        }
    }

    #[test]
    fn what_a_module_says_is_short() {
        let function = cryptoki::context::Function::DeriveKey;
        let failure = |code| Failure::from(ModuleError::Pkcs11(code, function));
        let gone = failure(RvError::DeviceRemoved);
        assert!(gone.is_gone);
        let said = gone.error.to_string();
        assert_eq!(said, "the token cannot be used: DeriveKey: DeviceRemoved");
        let failed = failure(RvError::GeneralError);
        assert!(!failed.is_gone && matches!(failed.error.problem(), Problem::Service(_)));
    }
}
