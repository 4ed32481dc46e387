use super::*;
use crate::public_key::tests::Software;

/// A keeper that hides nothing: it wraps a key as itself, and knows no context.
struct Open;

impl Kms for Open {
    fn wrap(&self, key: &Key, _: &Context) -> Result<crate::Blob> {
        Ok(crate::Blob { bytes: key.reveal().to_vec(), key_id: Some("version 1".to_owned()) })
    }
}

fn uri() -> Uri {
    Uri::parse("tpm:", Origin::File).unwrap()
}

fn wrapped(key: &Key, context: &[&str]) -> WrappedKey {
    let context = Context::parse(context.iter().copied()).unwrap();
    let blob = Open.wrap(key, &context).unwrap();
    let form = Form::Wrapped(blob.bytes);
    WrappedKey::new(Fields { uri: uri(), context, key_id: blob.key_id, form }, key).unwrap()
}

/// A keeper that unwraps everything as one key.
struct Gives<'a>(&'a Key);

impl Kms for Gives<'_> {
    fn unwrap(&self, _: &[u8], _: &Context) -> Result<Key> {
        Ok(self.0.clone())
    }
}

/// Whether `file` gives `key`, as far as it is not the keeper that decides.
fn gives(file: &str, key: &Key) -> bool {
    let came = WrappedKey::parse(file.as_bytes()).unwrap().unwrap_with(&Gives(key));
    assert!(came.as_ref().err().is_none_or(|error| *error.problem() == Problem::Check));
    came.is_ok()
}

#[test]
fn what_is_written_is_read() {
    let key = Key::generate().unwrap();
    let file = wrapped(&key, &["b=2", "a=1 2"]).to_file();
    let read = WrappedKey::parse(file.as_bytes()).unwrap();
    assert_eq!(read, wrapped(&key, &["a=1 2", "b=2"]));
    assert_eq!(read.to_file(), file);
    assert_eq!((read.key_id(), read.recipient()), (Some("version 1"), None));
    let from_an_editor = format!("\u{feff}# mine\n\n{}", file.replace('\n', " \r\n"));
    assert_eq!(WrappedKey::parse(from_an_editor.as_bytes()).unwrap(), read);
    assert!(gives(&file, &key));
}

#[test]
fn every_field_is_checked() {
    let key = Key::generate().unwrap();
    let file = wrapped(&key, &["a=1", "b=2"]).to_file();
    for (from, to) in [
        ("kms: tpm:", "kms: tpm:handle=0x81000001"),
        ("context: a=1\n", ""),
        ("context: a=1", "context: a=2"),
        ("key-id: version 1", "key-id: version 2"),
        ("key-id: version 1\n", ""),
    ] {
        let altered = file.replacen(from, to, 1);
        assert_ne!(altered, file);
        assert!(!gives(&altered, &key), "{from}");
    }
    // Another key's blob: it is unwrapped to that key, of which the check value is not.
    assert!(!gives(&file, &Key::generate().unwrap()));
}

#[test]
fn what_is_no_wrapped_key_file() {
    let key = Key::generate().unwrap();
    let file = wrapped(&key, &["a=1", "b=2"]).to_file();
    for (from, to) in [
        ("wrapped-key-1", "wrapped-key-2"),
        ("polyseal-wrapped-key-1\n", ""),
        ("kms: tpm:", "kms: pkcs11:token=a?module-path=/x.so"),
        ("kms: tpm:", "kms:tpm:"),
        ("kms: tpm:", "kms: file:///etc/passwd"),
        ("context: a=1\ncontext: b=2\n", "context: b=2\ncontext: a=1\n"),
        ("context: a=1\n", "context: a=1\ncontext: a=1\n"),
        ("context: a=1\n", "context: %61=1\n"),
        ("key-id: version", "key-id: v\u{e9}rsion"),
        ("wrapped: ", "wrapped: %"),
        ("check: ", "check: 0"),
        ("check: ", "more: 1\ncheck: "),
    ] {
        let altered = file.replacen(from, to, 1);
        assert_ne!(altered, file);
        assert!(WrappedKey::parse(altered.as_bytes()).is_err(), "{from} {to}");
    }
    let lines: Vec<_> = file.lines().filter(|line| !line.starts_with('#')).collect();
    for left_out in [0, 1, 5, 6] {
        let mut lines = lines.clone();
        lines.remove(left_out);
        assert!(WrappedKey::parse(lines.join("\n").as_bytes()).is_err(), "{left_out}");
    }
    let upper = file.split_once("check: ").unwrap();
    let upper = format!("{}check: {}", upper.0, upper.1.to_uppercase());
    for text in [&file, &format!("{file}more: 1\n"), &upper, &"a".repeat(70_000)][1..].iter() {
        assert!(WrappedKey::parse(text.as_bytes()).is_err());
    }
}

#[test]
fn sealed_to_a_key_pair() {
    let secret = Software::pair(7);
    let key = Key::generate().unwrap();
    let keeper: &dyn Kms = &secret;
    let form = seal(keeper.public_key().unwrap().into_recipient(), &key).unwrap();
    let fields = Fields { uri: uri(), context: Context::default(), key_id: None, form };
    let wrapped = WrappedKey::new(fields, &key).unwrap();
    let read = WrappedKey::parse(wrapped.to_file().as_bytes()).unwrap();
    assert!(read.recipient().unwrap().starts_with("age1tag1"));
    let Form::SealedTo(recipient, sealed) = &read.fields.form else { panic!() };
    assert_eq!(open(&secret, recipient, sealed).unwrap().reveal(), key.reveal());
    let mut altered = sealed.clone();
    altered[70] ^= 1;
    let error = open(&secret, recipient, &altered).unwrap_err();
    assert!(matches!(error.problem(), Problem::Refused(_)), "{error}");
    assert_eq!(read.unwrap_with(&secret).unwrap().reveal(), key.reveal());
    let file = read.to_file().replace("kms: tpm:", "kms: tpm:handle=0x81000001");
    let error = WrappedKey::parse(file.as_bytes()).unwrap().unwrap_with(&secret).unwrap_err();
    assert_eq!(*error.problem(), Problem::Check);
    let error = open(&Pulled, recipient, sealed).unwrap_err();
    assert!(matches!(error.problem(), Problem::Token(_)), "{error}");
    let no_pair = open(&Open, recipient, sealed).unwrap_err();
    assert!(matches!(no_pair.problem(), Problem::Unsupported(_)), "{no_pair}");
}

struct Pulled;

impl Kms for Pulled {
    fn derive(&self, _: &Point) -> Result<Zeroizing<[u8; 32]>> {
        Err(Problem::Token("it was pulled".to_owned()).into())
    }
}

#[test]
fn the_vectors() {
    let text = include_str!("../../vectors/files.json");
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    let digits = document["key"].as_str().unwrap();
    let byte = |at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    let key = Key::from_bytes(&std::array::from_fn(byte));
    let files = document["files"].as_array().unwrap();
    for case in files {
        let file = case["file"].as_str().unwrap();
        let verdict = match WrappedKey::parse(file.as_bytes()) {
            Err(_) => "refused",
            Ok(_) if gives(file, &key) => "good",
            Ok(_) => "check",
        };
        assert_eq!(verdict, case["verdict"], "{}", case["name"]);
    }
    assert!(files.len() > 30);
}
