//! The files for `kms.c`: wrapped key files of a keyring, for which a script stands, and the
//! identity of a key pair in a token that is not there.

use std::fs;
use std::path::Path;
use std::process::Command;

use polyseal_kms::{Context, KeyPair, Origin, Settings, Uri, WrappedKey};

/// The generator of P-256, compressed: a public key as good as any where no file is opened.
const POINT: &str = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";

/// An entry is a file with the name of its last attribute. Each call is written down.
const SECRET_TOOL: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
echo "$1" >> calls
for id; do :; done
case $1 in
store) exec cat > "$id" ;;
lookup) test -e "$id" && exec cat "$id" ;;
search) exit 0 ;;
esac
"#;

/// Writes all that into an empty folder.
pub(super) fn prepare(place: &Path) {
    let folder = place.join("bin");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("secret-tool"), SECRET_TOOL).unwrap();
    let mode = Command::new("chmod").arg("755").arg(folder.join("secret-tool")).status();
    assert!(mode.unwrap().success());

    let path = format!("{}:/usr/bin:/bin", folder.display());
    let settings = Settings::from_variables(move |name| (name == "PATH").then(|| path.clone()));
    let uri = Uri::parse("secret-service:service=tests", Origin::User).unwrap();
    let wrap = |name: &str| {
        let (wrapped, key) = WrappedKey::generate(&uri, Context::default(), &settings).unwrap();
        let file = wrapped.to_file();
        fs::write(place.join(name), &file).unwrap();
        (file, key)
    };
    let (file, key) = wrap("team.wrapped");
    fs::write(place.join("team.key"), key.to_file().reveal().as_bytes()).unwrap();
    fs::write(place.join("altered.wrapped"), file.replace("service=tests", "service=other"))
        .unwrap();
    let host = file.replace("secret-service:", "secret-service:module=%2Fx;");
    fs::write(place.join("other.wrapped"), host.replace("tests", "tests?module-path=/x.so"))
        .unwrap();
    let entries = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let before: Vec<_> = entries().collect();
    wrap("lost.wrapped");
    let entry = entries().find(|entry| !before.contains(entry)).unwrap();
    fs::remove_file(entry).unwrap();

    let point = hex::decode(POINT).unwrap();
    let identity = [&point[..], b"pkcs11:token=none;object=none"].concat();
    let pair = KeyPair::from_identity(&identity).unwrap();
    fs::write(place.join("restore.identity"), pair.to_identity_file(None).unwrap()).unwrap();
    fs::write(place.join("restore.recipient"), pair.recipient().to_string()).unwrap();
}

/// How often the keyring was asked for an entry.
pub(super) fn lookups(place: &Path) -> usize {
    let calls = fs::read_to_string(place.join("bin/calls")).unwrap();
    calls.lines().filter(|&call| call == "lookup").count()
}
