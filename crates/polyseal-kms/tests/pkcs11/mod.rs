//! Key pairs in SoftHSM, used by Polyseal and, by way of the plugin, by age.

mod hsm;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass};
use cryptoki::session::{Session, UserType};
use hsm::{Hsm, PIN, alone};
use p256::elliptic_curve::sec1::ToSec1Point;
use polyseal_file::age::{
    BoundedIdentity, Callbacks, InProcessPlugin, KeyProblem, NoCallbacks, Recipient, in_process,
    parse_identities, parse_identities_with,
};
use polyseal_file::{
    Decryptor, Encryptor, Error as FileError, Identities, Input, Output, Recipients, SecretText,
};
use polyseal_kms::{
    Class, Context, KeyPair, Kms, Origin, Plugin, Problem, Settings, Uri, WrappedKey, connect,
};

const KEY: &str = "token=ops;object=restore";
const MESSAGE: &[u8] = b"what was backed up";
const FINAL_TRY: u64 = 0x0002_0000;
const LOCKED: u64 = 0x0004_0000;

fn make(hsm: &Hsm, names: &str) -> KeyPair {
    KeyPair::make(&hsm.uri(names), &hsm.settings(PIN)).unwrap()
}

fn problem<T>(result: Result<T, polyseal_kms::Error>) -> Problem {
    result.map(|_| ()).unwrap_err().problem().clone()
}

fn keeper(hsm: &Hsm, names: &str, settings: &Settings) -> Box<dyn Kms> {
    connect(&hsm.uri(names), settings).unwrap()
}

fn seal(pair: &KeyPair) -> Vec<u8> {
    let recipient: Box<dyn Recipient + Send + Sync> = Box::new(pair.recipient().clone());
    let (to, mut sealed) = (Recipients::new().age(vec![recipient]), Vec::new());
    Encryptor::new(&to)
        .encrypt(Input::Stream(&mut &MESSAGE[..]), Output::Stream(&mut sealed))
        .unwrap();
    sealed
}

fn open(
    identities: Vec<Box<dyn BoundedIdentity>>,
    mut sealed: &[u8],
) -> Result<Vec<u8>, FileError> {
    let (identities, mut opened) = (Identities::new().age(identities), Vec::new());
    Decryptor::new(&identities)
        .decrypt(Input::Stream(&mut sealed), Output::Stream(&mut opened))
        .map(|_| opened)
}

fn in_this_process(pair: &KeyPair, settings: &Settings) -> Vec<Box<dyn BoundedIdentity>> {
    let file = pair.to_identity_file(None).unwrap();
    let plugins: [Arc<dyn InProcessPlugin>; 1] = [Arc::new(Plugin::new(settings.clone()))];
    parse_identities_with(file.as_bytes(), None, &NoCallbacks, &plugins).unwrap()
}

#[test]
fn a_pair_is_made_once_and_cannot_be_taken_out() {
    alone("a_pair_is_made_once_and_cannot_be_taken_out", |hsm| {
        let pair = make(hsm, KEY);
        assert_eq!(make(hsm, KEY), pair);
        assert_ne!(make(hsm, "token=ops;object=other;type=private").recipient(), pair.recipient());
        assert_eq!(pair.uri().as_str(), format!("pkcs11:{KEY}"));
        // It is found with the PIN.
        let uri = Uri::parse(&format!("pkcs11:{KEY}"), Origin::File).unwrap();
        assert_eq!(KeyPair::find(&uri, &hsm.settings(PIN)).unwrap(), pair);
        let logins = hsm.count("login");
        assert_eq!(problem(KeyPair::find(&uri, &hsm.settings(None))), Problem::NoPin);
        assert_eq!(hsm.count("login"), logins);

        let module = Pkcs11::new(hsm.module()).unwrap();
        let slot = module.get_slots_with_initialized_token().unwrap()[0];
        let session = module.open_ro_session(slot).unwrap();
        session.login(UserType::User, Some(&PIN.into())).unwrap();
        let found = session.find_objects(&[Attribute::Class(ObjectClass::PRIVATE_KEY)]).unwrap();
        assert_eq!(found.len(), 2);
        let wanted = [
            AttributeType::Extractable,
            AttributeType::NeverExtractable,
            AttributeType::Sensitive,
            AttributeType::Value,
        ];
        let expected = [
            Attribute::Extractable(false),
            Attribute::NeverExtractable(true),
            Attribute::Sensitive(true),
        ];
        for object in found {
            // The value is left out.
            assert_eq!(session.get_attributes(object, &wanted).unwrap(), expected);
        }
    });
}

/// The results of each way to encrypt to the pair that a token has.
fn all_ways(hsm: &Hsm, settings: &Settings) -> Vec<Problem> {
    let uri = Uri::parse(&format!("pkcs11:{KEY}"), Origin::User).unwrap();
    let keeper = keeper(hsm, KEY, settings);
    vec![
        problem(KeyPair::find(&uri, settings)),
        problem(KeyPair::make(&uri, settings)),
        problem(WrappedKey::generate(&uri, Context::default(), settings)),
        problem(keeper.public_key()),
        problem(keeper.make_key_pair()),
    ]
}

/// Puts an object of the pair there, as somebody without the PIN can.
fn put(session: &Session, class: ObjectClass, more: &[Attribute]) {
    let common = [
        Attribute::Class(class),
        Attribute::KeyType(KeyType::EC),
        Attribute::Token(true),
        Attribute::Private(false),
        Attribute::Label("restore".into()),
        Attribute::EcParams(vec![0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]),
    ];
    session.create_object(&[&common[..], more].concat()).unwrap();
}

/// The public key of the number, as a token has it.
fn point(number: u8) -> Attribute {
    let secret = p256::SecretKey::from_slice(&[number; 32]).unwrap();
    let point = secret.public_key().to_sec1_point(false);
    Attribute::EcPoint([&[4, 65], point.as_bytes()].concat())
}

#[test]
fn a_public_key_that_was_put_in_the_place_of_another() {
    alone("a_public_key_that_was_put_in_the_place_of_another", |hsm| {
        make(hsm, KEY);
        let uri = Uri::parse(&format!("pkcs11:{KEY}"), Origin::User).unwrap();
        let made = WrappedKey::generate(&uri, Context::default(), &hsm.settings(PIN));
        let wrapped = made.unwrap().0;
        let module = Pkcs11::new(hsm.module()).unwrap();
        let slot = module.get_slots_with_initialized_token().unwrap()[0];
        // Without a PIN.
        let session = module.open_rw_session(slot).unwrap();
        let named = [Attribute::Class(ObjectClass::PUBLIC_KEY), Attribute::Label("restore".into())];
        let object = session.find_objects(&named).unwrap()[0];
        session.destroy_object(object).unwrap();
        put(&session, ObjectClass::PUBLIC_KEY, &[point(7)]);
        // As long as this session stays, a login counts for both.
        for unproved in all_ways(hsm, &hsm.settings(None)) {
            assert_eq!(unproved, Problem::NoPin);
        }
        for other in all_ways(hsm, &hsm.settings(PIN)) {
            assert_eq!(other, Problem::OtherPublicKey);
        }
        // A key that was sealed to the pair is sealed to it again.
        let again = wrapped.rewrap(&hsm.settings(PIN)).unwrap();
        assert_eq!(again.recipient(), wrapped.recipient());
        again.unwrap(&hsm.settings(PIN)).unwrap();
        let object = session.find_objects(&named).unwrap()[0];
        session.destroy_object(object).unwrap();
        for missing in all_ways(hsm, &hsm.settings(PIN)) {
            assert!(matches!(missing, Problem::NotFound(_)), "{missing}");
        }
    });
}

#[test]
fn no_way_to_a_public_key_tries_a_wrong_pin_again() {
    alone("no_way_to_a_public_key_tries_a_wrong_pin_again", |hsm| {
        make(hsm, KEY);
        let before = hsm.count("login");
        for refused in all_ways(hsm, &hsm.settings("wrong")) {
            assert_eq!(refused, Problem::Pin);
        }
        assert_eq!(hsm.count("login"), before + 1);
    });
}

#[test]
fn a_whole_pair_that_was_put_there_without_the_pin() {
    alone("a_whole_pair_that_was_put_there_without_the_pin", |hsm| {
        let module = Pkcs11::new(hsm.module()).unwrap();
        module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)).unwrap();
        let slot = module.get_slots_with_initialized_token().unwrap()[0];
        let session = module.open_rw_session(slot).unwrap();
        put(&session, ObjectClass::PUBLIC_KEY, &[point(7)]);
        let private = [Attribute::Derive(true), Attribute::Value(vec![7; 32])];
        put(&session, ObjectClass::PRIVATE_KEY, &private);
        for refused in all_ways(hsm, &hsm.settings(PIN)) {
            assert!(matches!(&refused, Problem::Token(why) if why.contains("without the PIN")));
        }
    });
}

#[test]
fn a_key_on_another_curve() {
    alone("a_key_on_another_curve", |hsm| {
        make(hsm, "token=ops;object=other");
        let module = Pkcs11::new(hsm.module()).unwrap();
        let slot = module.get_slots_with_initialized_token().unwrap()[0];
        let session = module.open_rw_session(slot).unwrap();
        session.login(UserType::User, Some(&PIN.into())).unwrap();
        // secp384r1, and secp256k1, whose points are as long.
        for (name, curve) in [
            ("p384", &[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22][..]),
            ("k256", &[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a]),
        ] {
            let label = Attribute::Label(name.into());
            let common = [Attribute::Token(true), label];
            let public = [&common[..], &[Attribute::EcParams(curve.to_vec())]].concat();
            let private = [&common[..], &[Attribute::Derive(true)]].concat();
            session.generate_key_pair(&Mechanism::EccKeyPairGen, &public, &private).unwrap();
            let names = format!("token=ops;object={name}");
            let refused = problem(keeper(hsm, &names, &hsm.settings(PIN)).make_key_pair());
            assert_eq!(refused, Problem::Unsupported("use a key that is not on P-256"), "{name}");
        }
    });
}

#[test]
fn many_files_and_threads_log_in_once_and_leave_nothing_behind() {
    alone("many_files_and_threads_log_in_once_and_leave_nothing_behind", |hsm| {
        let pair = make(hsm, KEY);
        let identities = in_this_process(&pair, &hsm.settings(PIN));
        let identities = Identities::new().age(identities);
        let sealed = seal(&pair);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let mut opened = Vec::new();
                        let (mut sealed, output) = (&sealed[..], Output::Stream(&mut opened));
                        let input = Input::Stream(&mut sealed);
                        Decryptor::new(&identities).decrypt(input, output).unwrap();
                        assert_eq!(opened, MESSAGE);
                    }
                });
            }
        });
        // One of each is of making the pair.
        let counts = ["login", "derive", "destroy", "loaded"].map(|what| hsm.count(what));
        assert_eq!(counts, [2, 21, 21, 1]);
        // A file for somebody else is not asked about.
        let other = seal(&make(hsm, "token=ops;object=other"));
        let refused = open(in_this_process(&pair, &hsm.settings(PIN)), &other);
        assert!(matches!(refused, Err(FileError::NoMatchingKey)));
        assert_eq!(hsm.count("derive"), 22);
    });
}

#[test]
fn a_wrong_pin_is_given_once() {
    alone("a_wrong_pin_is_given_once", |hsm| {
        hsm.make_token("maker");
        let sealed = seal(&make(hsm, "token=maker;object=restore"));
        let other = keeper(hsm, "token=maker;object=restore", &hsm.settings(PIN));
        let pair = KeyPair::new(&hsm.uri(KEY), other.public_key().unwrap());
        let before = hsm.count("login");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let identities = in_this_process(&pair, &hsm.settings("wrong"));
                    let Err(FileError::Keeper(error)) = open(identities, &sealed) else {
                        panic!("it was opened");
                    };
                    assert_eq!(error.class(), Class::KeyUnavailable);
                    let expected = format!("pkcs11:{KEY}: the PIN is wrong");
                    assert_eq!(error.message(), expected);
                    assert!(error.hint().unwrap().contains("lock"));
                });
            }
        });
        assert_eq!(hsm.count("login"), before + 1);
        // Nor another, though it is right, and by another way.
        let settings = hsm.settings(PIN);
        assert_eq!(problem(keeper(hsm, KEY, &settings).make_key_pair()), Problem::Pin);
        symlink(hsm.module(), hsm.path("alias.so")).unwrap();
        let alias = format!("pkcs11:{KEY}?module-path={}", hsm.path("alias.so").display());
        let alias = Uri::parse(&alias, Origin::User).unwrap();
        assert_eq!(problem(connect(&alias, &settings).unwrap().make_key_pair()), Problem::Pin);
        assert_eq!(hsm.count("login"), before + 1);
    });
}

#[test]
fn a_pin_that_is_missing_locked_or_at_its_last_try() {
    alone("a_pin_that_is_missing_locked_or_at_its_last_try", |hsm| {
        let make = |settings: &Settings| keeper(hsm, KEY, settings).make_key_pair();
        assert_eq!(problem(make(&hsm.settings(None))), Problem::NoPin);
        hsm.set("flags", LOCKED);
        assert_eq!(problem(make(&hsm.settings(PIN))), Problem::PinLocked);
        hsm.set("flags", FINAL_TRY);
        assert!(matches!(problem(make(&hsm.settings(PIN))), Problem::Token(_)));
        assert_eq!(hsm.count("login"), 0);
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let typed = hsm.settings(None).ask_with(move |what| {
            assert_eq!(what, "PIN of the token ops");
            counted.fetch_add(1, Ordering::Relaxed);
            Some(PIN.to_owned().into())
        });
        let keeper = keeper(hsm, KEY, &typed);
        let recipient = keeper.make_key_pair().unwrap().into_recipient();
        keeper.derive(&recipient.to_point()).unwrap();
        assert_eq!((hsm.count("login"), asked.load(Ordering::Relaxed)), (1, 1));
    });
}

#[test]
fn what_is_not_there_and_what_is_there_twice() {
    alone("what_is_not_there_and_what_is_there_twice", |hsm| {
        hsm.make_token("more");
        let public = |names: &str| keeper(hsm, names, &hsm.settings(PIN)).public_key();
        for names in ["token=none;object=restore", "serial=none;object=restore"] {
            assert!(matches!(problem(public(names)), Problem::Token(_)), "{names}");
        }
        assert!(matches!(problem(public(KEY)), Problem::NotFound(_)));
        // Two that differ by their numbers.
        for id in ["%01", "%a2"] {
            make(hsm, &format!("{KEY};id={id}"));
        }
        for result in [public(KEY), keeper(hsm, KEY, &hsm.settings(PIN)).make_key_pair()] {
            assert!(matches!(problem(result), Problem::Uri(why) if why.contains("several keys")));
        }
        assert!(public(&format!("{KEY};id=%a2")).is_ok());
        let several = problem(public("object=restore"));
        assert!(matches!(several, Problem::Uri(why) if why.contains("several tokens")));
        for names in ["token=ops", "token=ops;object=a;type=public", "object=a;colour=red"] {
            let refused = problem(connect(&hsm.uri(names), &hsm.settings(PIN)));
            assert!(matches!(refused, Problem::Uri(_)), "{names}");
        }
    });
}

#[test]
fn a_module_that_a_file_names_is_not_loaded() {
    alone("a_module_that_a_file_names_is_not_loaded", |hsm| {
        let recipient = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e";
        let recipient: polyseal_file::age::p256::Recipient = recipient.parse().unwrap();
        let uri = hsm.uri(KEY);
        let data = [&recipient.to_compressed()[..], uri.as_str().as_bytes()].concat();
        let line = in_process::to_line("polyseal-kms", &data).unwrap();
        let plugins: [Arc<dyn InProcessPlugin>; 1] = [Arc::new(Plugin::new(hsm.settings(PIN)))];
        let parsed = parse_identities_with(line.reveal().as_bytes(), None, &NoCallbacks, &plugins);
        let error = parsed.map(|_| ()).unwrap_err();
        assert!(matches!(error.problem(), KeyProblem::Refused { .. }), "{error}");
        assert!(error.to_string().contains("module-path"), "{error}");
        // Nor by the plugin.
        fs::write(hsm.path("identity"), line.reveal().as_bytes()).unwrap();
        fs::write(hsm.path("sealed"), seal_with_age(hsm, &recipient.to_string())).unwrap();
        let output = age(&["-d", "-i", "identity", "sealed"], hsm, None);
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("module-path"), "{said}");
        assert_eq!(hsm.count("loaded"), 0);
    });
}

#[test]
fn a_token_that_was_pulled_is_looked_for_once() {
    alone("a_token_that_was_pulled_is_looked_for_once", |hsm| {
        let pair = make(hsm, KEY);
        let settings = hsm.settings(PIN);
        let keeper = keeper(hsm, KEY, &settings);
        let point = pair.recipient().to_point();
        let first = keeper.derive(&point).unwrap();
        hsm.set("gone", 1);
        assert_eq!(*keeper.derive(&point).unwrap(), *first);
        let before = hsm.count("derive");
        hsm.set("gone", 9);
        assert!(matches!(problem(keeper.derive(&point)), Problem::Token(_)));
        assert_eq!(hsm.count("derive"), before + 2);
        hsm.set("gone", 0);
        assert_eq!(*keeper.derive(&point).unwrap(), *first);
    });
}

#[test]
fn a_fork_does_not_use_the_session_of_its_parent() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn _exit(status: i32) -> !;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }

    alone("a_fork_does_not_use_the_session_of_its_parent", |hsm| {
        let pair = make(hsm, KEY);
        let settings = hsm.settings(PIN);
        let held = keeper(hsm, KEY, &settings);
        let point = pair.recipient().to_point();
        let derive = |keeper: &dyn Kms| keeper.derive(&point).map(|_| ());
        derive(&*held).unwrap();
        let before = hsm.count("derive");
        // SAFETY: no other thread of this process holds a lock that the child takes.
        let child = unsafe { fork() };
        if child == 0 {
            let is_refused = |result: Result<(), polyseal_kms::Error>| match problem(result) {
                Problem::Token(why) => why.contains("forked"),
                _ => false,
            };
            let both =
                is_refused(derive(&*held)) && is_refused(derive(&*keeper(hsm, KEY, &settings)));
            drop(held);
            // SAFETY: it ends this process.
            unsafe { _exit(i32::from(!both)) }
        }
        let mut status = -1;
        // SAFETY: `status` is written to during the call.
        assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
        assert_eq!((status, hsm.count("derive")), (0, before));
        derive(&*held).unwrap();
    });
}

/// age 1.3 or later, from the PATH or where AGE says.
fn age(args: &[&str], hsm: &Hsm, pin: Option<&str>) -> std::process::Output {
    let mut age = Command::new(env::var_os("AGE").unwrap_or("age".into()));
    age.args(args).current_dir(hsm.path(""));
    age.envs(pin.map(|pin| ("PKCS11_PIN", pin))).output().unwrap()
}

fn seal_with_age(hsm: &Hsm, recipient: &str) -> Vec<u8> {
    fs::write(hsm.path("message"), MESSAGE).unwrap();
    let output = age(&["-r", recipient, "message"], hsm, None);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn age_and_this_workspace_open_each_others_files() {
    alone("age_and_this_workspace_open_each_others_files", |hsm| {
        let pair = make(hsm, KEY);
        let theirs = seal_with_age(hsm, &pair.recipient().to_string());
        let identities = in_this_process(&pair, &hsm.settings(PIN));
        assert_eq!(open(identities, &theirs).unwrap(), MESSAGE);

        // An age file of ours, for the recipient and for the identity.
        fs::write(hsm.path("identity"), pair.to_identity_file(None).unwrap()).unwrap();
        let recipient: Box<dyn Recipient + Send + Sync> = Box::new(pair.recipient().clone());
        let (to, mut ours) = (Recipients::new().age(vec![recipient]), Vec::new());
        polyseal_file::age::v1::Encryptor::new(&to)
            .encrypt(Input::Stream(&mut &MESSAGE[..]), Output::Stream(&mut ours))
            .unwrap();
        let by_plugin = age(&["-e", "-i", "identity", "message"], hsm, None);
        assert!(by_plugin.status.success(), "{}", String::from_utf8_lossy(&by_plugin.stderr));
        for sealed in [ours, by_plugin.stdout] {
            fs::write(hsm.path("sealed"), sealed).unwrap();
            let output = age(&["-d", "-i", "identity", "sealed"], hsm, Some(PIN));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((&output.stdout[..], &said[..]), (MESSAGE, ""));
            let output = age(&["-d", "-i", "identity", "sealed"], hsm, Some("wrong"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && said.contains("the PIN is wrong"), "{said}");
        }
    });
}

/// Gives the PIN.
#[derive(Clone)]
struct Pins(Option<&'static str>);

impl Callbacks for Pins {
    fn display_message(&self, _: &str) {}

    fn confirm(&self, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }

    fn request_public_string(&self, _: &str) -> Option<String> {
        None
    }

    fn request_passphrase(&self, what: &str) -> Option<SecretText> {
        assert_eq!(what, "PIN of the token ops");
        self.0.map(|pin| pin.to_owned().into())
    }
}

#[test]
fn the_plugin_asks_for_the_pin() {
    alone("the_plugin_asks_for_the_pin", |hsm| {
        let pair = make(hsm, KEY);
        let sealed = seal(&pair);
        let file = pair.to_identity_file(None).unwrap();
        let open =
            |pin| open(parse_identities(file.as_bytes(), None, &Pins(pin)).unwrap(), &sealed);
        assert_eq!(open(Some(PIN)).unwrap(), MESSAGE);
        let refused = open(None).unwrap_err().to_string();
        assert!(refused.contains("wants a PIN"), "{refused}");
    });
}
