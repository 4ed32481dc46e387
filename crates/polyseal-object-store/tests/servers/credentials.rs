//! Services that give credentials are servers like others: for a store and for a key.

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use object_store::ObjectStoreExt;
use object_store::aws::AmazonS3ConfigKey;
use object_store::path::Path;
use polyseal_http::cloud::credentials::{self, AwsCredentials};
use polyseal_object_store::remote::{
    ExcessBytes, Redirected, Server as Kind, SetupError, UnusableCredential,
};
use tempfile::TempDir;

use super::clients::{Log, found, retry, s3_builder};
use super::raw::{Server, endless};

/// The credentials of a container, from the server at `url`, for a key.
fn credentials_for_key(url: &str, token: &str) -> Result<AwsCredentials, SetupError> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, token).unwrap();
    credentials::aws(&|name| match name {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI" => Some(url.to_owned()),
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE" => file.to_str().map(str::to_owned),
        _ => None,
    })
}

/// How a store that has them from there fails.
async fn store_error(url: &str) -> object_store::Error {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "token").unwrap();
    let builder = s3_builder("https://localhost:1")
        .with_config(AmazonS3ConfigKey::ContainerCredentialsFullUri, url)
        .with_config(AmazonS3ConfigKey::ContainerAuthorizationTokenFile, file.to_str().unwrap())
        .with_http_connector(Log::default().connector(Kind::Store))
        .with_retry(retry());
    builder.build().unwrap().get_range(&Path::from("k"), 0..10).await.unwrap_err()
}

/// An answer with these texts as secrets.
fn answer(id: &str, token: &str) -> Server {
    let body = format!(
        r#"{{"AccessKeyId":"{id}","SecretAccessKey":"s","Token":"{token}",
            "Expiration":"2100-01-01T00:00:00Z"}}"#
    );
    Server::saying(&format!("HTTP/1.1 200 x\r\nContent-Length: {}", body.len()), body)
}

#[tokio::test]
async fn whoever_gives_credentials_does_not_decide_how_much_memory_is_taken() {
    let written = Arc::new(AtomicUsize::new(0));
    for in_chunks in [true, false] {
        let noted = Arc::clone(&written);
        let server = Server::start(move |_, out| {
            let framing = if in_chunks { "\r\nTransfer-Encoding: chunked" } else { "" };
            write!(out, "HTTP/1.1 200 x{framing}\r\nConnection: close\r\n\r\n")?;
            noted.fetch_add(endless(out, in_chunks), Ordering::Relaxed);
            Ok(())
        });
        let problem = credentials_for_key(&server.origin(), "token").unwrap_err();
        assert!(problem.to_string().contains("more than the 1048576 bytes"), "{problem}");
        let error = store_error(&server.origin()).await;
        assert_eq!(found::<ExcessBytes>(&error), ExcessBytes { asked: 1 << 20 });
        assert_eq!(server.heads().len(), 2, "it is not asked again");
    }
    assert!(written.load(Ordering::Relaxed) < 4 * (17 << 20));
}

#[tokio::test]
async fn whoever_gives_credentials_is_followed_nowhere() {
    let other = answer("id", "token");
    let head = format!("HTTP/1.1 307 x\r\nLocation: {}/x\r\nContent-Length: 0", other.origin());
    let server = Server::saying(&head, "");
    let problem = credentials_for_key(&server.origin(), "token").unwrap_err();
    assert!(problem.to_string().contains("is not followed"), "{problem}");
    let to = Some(other.origin());
    assert_eq!(
        found::<Redirected>(&store_error(&server.origin()).await),
        Redirected { to, region: None }
    );
    assert_eq!(other.heads(), [""; 0]);
}

#[test]
fn what_makes_no_header_is_an_error() {
    let server = answer("id", "token");
    let found = credentials_for_key(&server.origin(), "token").unwrap();
    let url = "https://h/".parse().unwrap();
    let signed = found.sign_post(&url, ("s3", "r"), http::HeaderMap::new(), &[0; 32]).unwrap();
    assert_eq!(signed["x-amz-security-token"], "token");
    let authorization = signed["authorization"].to_str().unwrap();
    assert!(authorization.starts_with("AWS4-HMAC-SHA256 Credential=id/"), "{authorization}");
    for token in ["token\n", "token\r\n", "to\nken"] {
        let problem = credentials_for_key(&server.origin(), token).unwrap_err();
        assert!(
            matches!(&problem, SetupError::Setting(why) if why.contains("line end")),
            "{problem}"
        );
    }
    assert_eq!(server.heads().len(), 1, "nothing is sent");
    for (id, token) in [("id", r"token\n"), (r"i\u0000d", "token")] {
        let problem = credentials_for_key(&answer(id, token).origin(), "token").unwrap_err();
        assert!(matches!(problem, SetupError::Setting(_)), "{problem}");
    }
}

/// `object_store` makes its next request of them, and ends the process if it cannot.
#[tokio::test]
async fn what_a_machine_answers_makes_no_request_if_it_cannot() {
    for (token, role) in [("a\nb", "role"), ("token", "a b"), ("token", "a\nb"), ("token", "../x")]
    {
        let server = Server::start(move |request, out| {
            let body = if request.head.starts_with("PUT") { token } else { role };
            let length = body.len();
            write!(
                out,
                "HTTP/1.1 200 x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        });
        let store = s3_builder("https://localhost:1")
            .with_metadata_endpoint(server.origin())
            .with_http_connector(Log::default().connector(Kind::Store))
            .with_retry(retry())
            .build()
            .unwrap();
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        found::<UnusableCredential>(&error);
    }
}
