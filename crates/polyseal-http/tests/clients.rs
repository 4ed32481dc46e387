//! Every place in the workspace where a client is made that could send a request. A new one belongs
//! into this crate, whose `builders.rs` gives its stores a connector.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

/// How clients are made, by reqwest, by `object_store` and by hand.
const MAKERS: [&str; 14] = [
    "Client::builder",
    "ClientBuilder",
    "Client::new",
    "reqwest::get",
    "reqwest::blocking",
    "AmazonS3Builder::",
    "GoogleCloudStorageBuilder::",
    "MicrosoftAzureBuilder::",
    "HttpBuilder::",
    "parse_url",
    "ReqwestConnector",
    "TcpStream::connect",
    "TlsStream",
    "ureq::",
];

/// Where each is made, and how often.
const MADE: [(&str, &str, usize); 6] = [
    ("polyseal-http/src/cloud/builders.rs", "AmazonS3Builder::", 1),
    ("polyseal-http/src/cloud/builders.rs", "GoogleCloudStorageBuilder::", 1),
    ("polyseal-http/src/cloud/builders.rs", "HttpBuilder::", 1),
    ("polyseal-http/src/cloud/builders.rs", "MicrosoftAzureBuilder::", 1),
    // `object_store`'s name for the code that bounds the answers of this crate's client.
    ("polyseal-http/src/cloud/connector.rs", "Client::new", 1),
    ("polyseal-http/src/lib.rs", "Client::builder", 1),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(of).collect()
}

/// The code of a file without its comments and its unit tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_client_is_made_where_its_rules_are() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut made = Vec::new();
    for krate in fs::read_dir(crates).unwrap() {
        let folder = krate.unwrap().path().join("src");
        if !folder.is_dir() {
            continue;
        }
        for file in
            sources(&folder).iter().filter(|file| file.extension().is_some_and(|it| it == "rs"))
        {
            let code = code(file);
            let name = file.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
            let counted = MAKERS.map(|maker| (maker, code.matches(maker).count()));
            made.extend(
                counted.into_iter().filter(|it| it.1 > 0).map(|it| (name.clone(), it.0, it.1)),
            );
        }
    }
    made.sort();
    let expected: Vec<_> =
        MADE.iter().map(|&(file, maker, count)| (file.to_owned(), maker, count)).collect();
    assert_eq!(made, expected);
}

/// A builder without a connector would bring `object_store`'s own client, which follows redirects.
#[test]
fn every_store_has_a_connector() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let code = code(&crates.join("polyseal-http/src/cloud/builders.rs"));
    let made = code.matches("Builder::new()").count();
    assert_eq!((made, code.matches(".with_http_connector(connector)").count()), (4, 4));
}
