//! Google Cloud KMS: exchanges as its REST reference has them. There is no peer on this machine.

use std::fs;
use std::process::Command;

use polyseal_kms::{Class, Problem, Settings};

use super::common::{Server, answer, field, generate, settings_of};

const KEY: &str = "gcp-kms://projects/p/locations/global/keyRings/r/cryptoKeys/k";

/// A service account, whose key signs a token without anybody being asked.
fn account() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key.pem");
    let made = Command::new("openssl")
        .args(["genpkey", "-quiet", "-algorithm", "RSA", "-out"])
        .arg(&key)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let account = serde_json::json!({
        "type": "service_account",
        "private_key": fs::read_to_string(&key).unwrap(),
        "private_key_id": "1",
        "client_email": "a@p.iam.gserviceaccount.com",
    });
    let file = folder.path().join("account.json");
    fs::write(&file, account.to_string()).unwrap();
    let name = file.to_str().unwrap().to_owned();
    (folder, name)
}

fn settings(server: &Server, account: &str) -> Settings {
    settings_of(&[
        ("CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS", &format!("{}/", server.endpoint)),
        ("GOOGLE_APPLICATION_CREDENTIALS", account),
    ])
}

#[test]
fn the_exchange() {
    let (_folder, account) = account();
    let version = format!("{}/cryptoKeyVersions/3", &KEY["gcp-kms://".len()..]);
    // It wraps a key as itself.
    let name = version.clone();
    let server = Server::answering(move |number, request| {
        let body = match number {
            0 => {
                let sent = field(request, "plaintext");
                format!(r#"{{"name":"{name}","ciphertext":"{sent}"}}"#)
            }
            _ => format!(r#"{{"plaintext":"{}"}}"#, field(request, "ciphertext")),
        };
        answer(200, &body)
    });
    let settings = settings(&server, &account);
    let wrapped = generate(KEY, &["a=b c"], &settings).unwrap();
    assert_eq!(wrapped.key_id(), Some(version.as_str()));
    wrapped.unwrap(&settings).unwrap();
    let [encrypt, decrypt] = &server.requests()[..] else { panic!() };
    let place = "POST /v1/projects/p/locations/global/keyRings/r/cryptoKeys/k:encrypt ";
    assert!(encrypt.starts_with(place), "{encrypt}");
    assert!(encrypt.contains("authorization: Bearer eyJ"), "{encrypt}");
    assert!(decrypt.starts_with(&place.replace("encrypt", "decrypt")), "{decrypt}");
    // a=b%20c
    for request in [encrypt, decrypt] {
        assert_eq!(field(request, "additionalAuthenticatedData"), "YT1iJTIwYw==");
    }
}

#[test]
fn what_the_service_refuses() {
    let (_folder, account) = account();
    for (status, kind, class, tries) in [
        (400, "FAILED_PRECONDITION", Class::KeyUnavailable, 1),
        // Nothing was wrapped yet that could be wrong.
        (400, "INVALID_ARGUMENT", Class::KeeperFailed, 1),
        (401, "UNAUTHENTICATED", Class::KeyUnavailable, 1),
        (403, "PERMISSION_DENIED", Class::KeyUnavailable, 1),
        (404, "NOT_FOUND", Class::KeyUnavailable, 1),
        (429, "RESOURCE_EXHAUSTED", Class::KeeperFailed, 5),
        (503, "UNAVAILABLE", Class::KeeperFailed, 5),
    ] {
        let body = format!(r#"{{"error":{{"code":{status},"message":"no","status":"{kind}"}}}}"#);
        let server = Server::start(vec![answer(status, &body)]);
        let error = generate(KEY, &[], &settings(&server, &account)).unwrap_err();
        let tried = server.requests().len();
        assert_eq!((error.class(), tried), (class, tries), "{kind}: {error}");
    }
    let server = Server::start(vec![answer(200, "{}")]);
    let none = settings_of(&[("CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS", &server.endpoint)]);
    let error = generate(KEY, &[], &none).unwrap_err();
    assert!(matches!(error.problem(), Problem::Credentials(_)), "{error}");
    assert!(server.requests().is_empty());
}
