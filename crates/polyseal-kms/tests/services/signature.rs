//! Requests to AWS are signed: each signature is computed anew of what came over the wire.
//!
//! Source: Signature Version 4 of AWS, for a POST to `/` without a query.

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::common::{KEY_TEXT, Server, answer, generate, settings_of};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

/// The value of a header.
fn header<'a>(request: &'a str, name: &str) -> &'a str {
    let named =
        |line: &'a str| line.split_once(':').filter(|(it, _)| it.eq_ignore_ascii_case(name));
    request.lines().find_map(named).unwrap_or_else(|| panic!("{name}: {request}")).1.trim()
}

/// A part of the header `authorization`.
fn part<'a>(request: &'a str, name: &str) -> &'a str {
    let parts = header(request, "authorization").strip_prefix("AWS4-HMAC-SHA256 ").unwrap();
    parts.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

/// The signature that a request must have.
fn expected(request: &str, secret: &str) -> String {
    let body = request.split_once("\r\n\r\n").unwrap().1;
    let signed = part(request, "SignedHeaders");
    let lines: String =
        signed.split(';').map(|name| format!("{name}:{}\n", header(request, name))).collect();
    let hash = hexadecimal(&Sha256::digest(body));
    let canonical = hexadecimal(&Sha256::digest(format!("POST\n/\n\n{lines}\n{signed}\n{hash}")));
    let (_, scope) = part(request, "Credential").split_once('/').unwrap();
    let time = header(request, "x-amz-date");
    let key = scope.split('/').fold(format!("AWS4{secret}").into_bytes(), |key, it| mac(&key, it));
    assert_eq!(scope.split('/').next(), time.split('T').next());
    hexadecimal(&mac(&key, &format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{canonical}")))
}

/// The example `post-x-www-form-urlencoded` of AWS's test suite.
#[test]
fn the_published_signature() {
    let request = "POST / HTTP/1.1\r\n\
        Content-Type: application/x-www-form-urlencoded\r\n\
        Host: example.amazonaws.com\r\n\
        X-Amz-Date: 20150830T123600Z\r\n\
        Authorization: AWS4-HMAC-SHA256 \
        Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
        SignedHeaders=content-type;host;x-amz-date, \
        Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a\r\n\r\n\
        Param1=value1";
    assert_eq!(expected(request, SECRET), part(request, "Signature"));
    let altered = request.replace("value1", "value2");
    assert_ne!(expected(&altered, SECRET), part(&altered, "Signature"));
}

#[test]
fn what_is_sent_is_signed() {
    let body = format!(r#"{{"KeyId":"k","CiphertextBlob":"AAAA","Plaintext":"{KEY_TEXT}"}}"#);
    // A second try is signed anew.
    let server = Server::start(vec![answer(503, ""), answer(200, &body)]);
    let always = [
        ("AWS_ENDPOINT_URL_KMS", server.endpoint.as_str()),
        ("AWS_REGION", "eu-west-2"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    let token = ("AWS_SESSION_TOKEN", "a token");
    for (more, names) in [
        (&[][..], "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target"),
        (
            &[token][..],
            "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target",
        ),
    ] {
        let settings = settings_of(&[&always, more].concat());
        generate("aws-kms://alias/testing", &["app=a b"], &settings).unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!(part(&request, "SignedHeaders"), names);
        assert_eq!(header(&request, "x-amz-target"), "TrentService.GenerateDataKey");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        let (id, scope) = part(&request, "Credential").split_once('/').unwrap();
        assert_eq!((id, &scope[8..]), ("AKIDEXAMPLE", "/eu-west-2/kms/aws4_request"));
        assert_eq!(expected(&request, SECRET), part(&request, "Signature"), "{request}");
        assert!(!request.contains(SECRET));
    }
}

/// `object_store` would end the process.
#[test]
fn what_no_header_has_is_not_signed_with() {
    let server = Server::start(vec![answer(200, "{}")]);
    for (id, token) in [("AKID\nEXAMPLE", "t"), ("AKIDEXAMPLE", "t\r\nx: y")] {
        let settings = settings_of(&[
            ("AWS_ENDPOINT_URL_KMS", server.endpoint.as_str()),
            ("AWS_REGION", "eu-west-2"),
            ("AWS_ACCESS_KEY_ID", id),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
            ("AWS_SESSION_TOKEN", token),
        ]);
        let error = generate("aws-kms://alias/testing", &[], &settings).unwrap_err();
        assert!(error.to_string().contains("no header"), "{error}");
    }
    assert!(server.requests().is_empty());
}
