//! Refused objects: altered, foreign and swapped ones, and objects that are replaced while they are
//! read. Nothing of them is given out.

#![allow(
    clippy::single_range_in_vec_init,
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

use std::sync::Arc;

use crate::common::{message, over, store};
use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use polyseal_file::{Context, Error as FileError, Identities, Key, Recipients};
use polyseal_object_store::{Binding, ObjectError, PolysealStore, Replaced, file_error};

fn replaced(error: &Error) -> bool {
    matches!(error, Error::Precondition { source, .. } if source.is::<Replaced>())
}

#[tokio::test]
async fn an_altered_segment_is_refused_once_with_the_name_of_the_object() {
    let (writer, inner, key) = store();
    let (path, text) = (Path::from("d/a"), message(300_000));
    writer.put(&path, text.clone().into()).await.unwrap();
    let stored = inner.stored(&path).await;
    // A byte of each segment's text, and one of a tag.
    for (at, segment) in [(4096, 0), (4096 + 65_536, 0), (4096 + 65_552 * 2 + 9, 2)] {
        let mut altered = stored.clone();
        altered[at] ^= 1;
        inner.inner.put(&path, altered.into()).await.unwrap();
        let store = over(inner.clone(), &key);
        inner.requests();
        let start = segment * 65_536;
        let refused = store.get_range(&path, start..start + 10).await.unwrap_err();
        let found = file_error(&refused);
        let expected =
            matches!(found, Some(FileError::Corrupt { segment: s, .. }) if *s == segment);
        assert!(expected, "{refused}");
        assert!(refused.to_string().contains("d/a: segment"), "{refused}");
        // Nothing tries again what would give the same.
        assert_eq!(inner.requests().len(), 3);
        let refused = store.get_ranges(&path, &[start..start + 10, 299_000..300_000]).await;
        assert!(file_error(&refused.unwrap_err()).is_some());
        // The others open.
        let part = store.get_range(&path, 70_000..70_005).await.unwrap();
        assert!(part == text[70_000..70_005]);
    }
}

#[tokio::test]
async fn a_stream_ends_before_the_altered_segment() {
    let (writer, inner, key) = store();
    let (path, text) = (Path::from("a"), message(4 << 20));
    writer.put(&path, text.clone().into()).await.unwrap();
    let mut stored = inner.stored(&path).await;
    stored[4096 + 65_552 * 33] ^= 1;
    inner.inner.put(&path, stored.into()).await.unwrap();
    let mut stream = over(inner, &key).get(&path).await.unwrap().into_stream();
    let mut got = Vec::new();
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(bytes) => got.extend_from_slice(&bytes),
            Err(error) => break error,
        }
    };
    assert!(matches!(file_error(&error), Some(FileError::Corrupt { segment: 33, .. })), "{error}");
    assert!(got == text[..2 << 20]);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn cut_short_extended_foreign_and_empty_objects_are_refused() {
    let (writer, inner, key) = store();
    let path = Path::from("a");
    writer.put(&path, message(200_000).into()).await.unwrap();
    let stored = inner.stored(&path).await;
    let cut = |bytes: usize| stored[..bytes].to_vec();
    let mut extended = stored.clone();
    extended.extend([0; 100]);
    for (object, whole) in [
        (cut(stored.len() - 1), false),
        (cut(4096 + 65_552), false),
        (cut(4096 + 65_552 + 5), false),
        (cut(100), false),
        (extended, false),
        (Vec::new(), false),
        (message(10_000).to_vec(), false),
        (message(10).to_vec(), false),
        (stored.clone(), true),
    ] {
        let bytes = object.len();
        inner.inner.put(&path, object.into()).await.unwrap();
        let store = over(inner.clone(), &key);
        let got = store.get_range(&path, 0..1).await;
        assert_eq!(got.is_ok(), whole, "{bytes} bytes");
        if let Err(error) = got {
            assert!(file_error(&error).is_some(), "{bytes} bytes: {error}");
            assert!(error.to_string().contains("a: "), "{error}");
        }
    }
}

#[tokio::test]
async fn another_key_opens_nothing_but_sees_the_size() {
    let (writer, inner, _) = store();
    let path = Path::from("a");
    writer.put(&path, message(10).into()).await.unwrap();
    let store = over(inner, &Key::from_bytes(&[9; 32]));
    let refused = store.get(&path).await.unwrap_err();
    assert!(matches!(file_error(&refused), Some(FileError::NoMatchingKey)), "{refused}");
    assert_eq!(store.head(&path).await.unwrap().size, 10);
}

#[tokio::test]
async fn an_object_that_is_replaced_while_it_is_read_is_never_mixed() {
    let (writer, inner, key) = store();
    let path = Path::from("a");
    let [old, new] = [7, 8].map(|byte| Bytes::from(vec![byte; 6 << 20]));
    writer.put(&path, new.clone().into()).await.unwrap();
    let new_stored = Bytes::from(inner.stored(&path).await);
    writer.put(&path, old.clone().into()).await.unwrap();
    let old_stored = Bytes::from(inner.stored(&path).await);

    // Before each request of a first read of two ranges far apart.
    for request in 0..6 {
        inner.inner.put(&path, old_stored.clone().into()).await.unwrap();
        let store = over(inner.clone(), &key);
        inner.replace_before(request, &path, new_stored.clone());
        match store.get_ranges(&path, &[0..9, 4 << 20..(4 << 20) + 9]).await {
            Ok(parts) => {
                let first = parts[0][0];
                assert!(parts.concat().iter().all(|byte| *byte == first), "{request}");
                // Found out while opening, it was begun anew.
                assert_eq!(first, if request < 2 { 8 } else { 7 }, "{request}");
            }
            Err(error) => {
                assert!(replaced(&error), "{error}");
                assert!((2..4).contains(&request), "{request}");
            }
        }
        inner.replace_before(0, &path, new_stored.clone());
        inner.inner.put(&path, new_stored.clone().into()).await.unwrap();
        let _ = over(inner.clone(), &key).head(&path).await.unwrap();
        // Known: replaced before it is read again, it is opened anew.
        inner.inner.put(&path, old_stored.clone().into()).await.unwrap();
        assert_eq!(store.get_range(&path, 0..2).await.unwrap(), [7; 2][..]);
        inner.replace_before(0, &path, new_stored.clone());
        assert_eq!(store.get_range(&path, 0..2).await.unwrap(), [8; 2][..]);
        assert_eq!(store.get_ranges(&path, &[0..2]).await.unwrap()[0], [8; 2][..]);
    }
}

#[tokio::test]
async fn objects_that_are_bound_to_their_paths_cannot_be_swapped() {
    let (_, inner, key) = store();
    let bound = || over(inner.clone(), &key).with_binding(Binding::Path);
    let [a, b] = ["salaries/a", "salaries/b"].map(Path::from);
    bound().put(&a, message(10).into()).await.unwrap();
    bound().put_multipart(&b).await.unwrap().complete().await.unwrap();
    assert_eq!(bound().get(&a).await.unwrap().bytes().await.unwrap(), message(10));
    assert!(bound().get(&b).await.unwrap().bytes().await.unwrap().is_empty());
    inner.inner.copy(&a, &b).await.unwrap();
    let refused = bound().get(&b).await.unwrap_err();
    assert!(matches!(file_error(&refused), Some(FileError::ContextDiffers)), "{refused}");
    let unbound = over(inner.clone(), &key).get(&a).await.unwrap_err();
    assert!(matches!(file_error(&unbound), Some(FileError::ContextMissing)), "{unbound}");
    let context = Binding::Context(Context::new("salaries/a").unwrap());
    assert!(over(inner.clone(), &key).with_binding(context).get(&b).await.is_ok());
}

#[tokio::test]
async fn nobody_to_seal_for_and_nothing_to_open_with_are_said() {
    let (_, inner, key) = store();
    let path = Path::from("a");
    let reader = PolysealStore::new(inner.clone(), Recipients::new(), Identities::from(&key));
    let refused = reader.put(&path, message(1).into()).await.unwrap_err();
    assert!(matches!(file_error(&refused), Some(FileError::NoRecipients)), "{refused}");
    assert!(reader.put_multipart(&path).await.is_err());
    assert!(inner.requests().is_empty());
    let writer = PolysealStore::new(inner, Recipients::from(&key), Identities::new());
    writer.put(&path, message(1).into()).await.unwrap();
    assert!(writer.get(&path).await.is_err());
    assert!(reader.get(&path).await.is_ok());
}

#[test]
fn stores_and_errors_go_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<PolysealStore>();
    check::<Arc<dyn ObjectStore>>();
    check::<ObjectError>();
}
