//! Servers that give no parts, and objects that have none.

use std::fmt::Display;

use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStoreExt};
use polyseal_object_store::remote::{EmptyObject, NoRanges, find};

use super::clients::{Log, all, found};
use super::raw::{OBJECT, Server};

fn ranged(range: impl Into<GetRange>) -> GetOptions {
    GetOptions { range: Some(range.into()), ..GetOptions::default() }
}

/// By Azure.
fn is_unsupported(store: &impl Display, range: &GetRange) -> bool {
    matches!(range, GetRange::Suffix(_)) && store.to_string().contains("Azure")
}

#[tokio::test]
async fn a_whole_object_is_taken_for_a_part_that_it_is() {
    let head = format!("HTTP/1.1 200 x\r\n{OBJECT}\r\nContent-Length: 10");
    let server = Server::saying(&head, "0123456789");
    let key = Path::from("k");
    for store in all(&server.origin(), &Log::default()) {
        for range in [GetRange::from(0..10), (0..4096).into(), (0..).into(), GetRange::Suffix(10)] {
            if is_unsupported(&store, &range) {
                continue;
            }
            let got = store.get_opts(&key, ranged(range.clone())).await.unwrap();
            assert_eq!((got.meta.size, got.range.clone()), (10, 0..10), "{range:?}");
            assert_eq!(got.meta.e_tag.as_deref(), Some("\"1\""));
            assert_eq!(got.bytes().await.unwrap(), "0123456789");
        }
    }
}

#[tokio::test]
async fn a_whole_object_that_is_more_than_a_part_is_not_read() {
    let key = Path::from("k");
    for (length, size) in [("Content-Length: 1099511627776", Some(1 << 40)), ("x: y", None)] {
        let server = Server::saying(&format!("HTTP/1.1 200 x\r\n{OBJECT}\r\n{length}"), "0123");
        for store in all(&server.origin(), &Log::default()) {
            for range in [GetRange::from(0..10), (5..10).into(), GetRange::Suffix(10)] {
                if is_unsupported(&store, &range) {
                    continue;
                }
                let before = server.heads().len();
                let error = store.get_opts(&key, ranged(range)).await.unwrap_err();
                assert_eq!(found::<NoRanges>(&error), NoRanges { size });
                assert_eq!(server.heads().len(), before + 1, "it is not asked again");
            }
        }
    }
}

#[tokio::test]
async fn a_part_of_an_empty_object_is_known_by_one_request() {
    let says = [
        ("HTTP/1.1 200 x\r\nContent-Length: 0", ""),
        ("HTTP/1.1 416 x\r\nContent-Range: bytes */0\r\nContent-Length: 0", ""),
        (
            "HTTP/1.1 416 x",
            "<Error><Code>InvalidRange</Code><ActualObjectSize>0</ActualObjectSize>",
        ),
    ];
    for (head, body) in says {
        let server = Server::saying(&format!("{head}\r\n{OBJECT}"), body);
        for (n, store) in all(&server.origin(), &Log::default()).iter().enumerate() {
            let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
            assert_eq!(found::<EmptyObject>(&error).e_tag.as_deref(), Some("\"1\""), "{head}");
            assert_eq!(server.heads().len(), n + 1);
        }
    }
    // That a range is beyond the end says nothing of the object.
    let head =
        format!("HTTP/1.1 416 x\r\n{OBJECT}\r\nContent-Range: bytes */70\r\nContent-Length: 0");
    let server = Server::saying(&head, "");
    for store in all(&server.origin(), &Log::default()) {
        let error = store.get_range(&Path::from("k"), 70..80).await.unwrap_err();
        assert!(find::<EmptyObject>(&error).is_none(), "{error}");
    }
}
