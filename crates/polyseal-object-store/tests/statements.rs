//! Statements beside objects: what they cost, what is refused, and in which order they are written.

use std::sync::Arc;

use bytes::Bytes;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
};
use polyseal_file::statement::{AllowedSigners, RequiredSigner, SignaturePolicy, Signer};
use polyseal_file::{Class, Key, SegmentSize};
use polyseal_object_store::{PolysealStore, file_error};

use crate::common::Request::{Complete, Get, Part, Put};
use crate::common::{Counting, message, over};

const ALICE: &str = include_str!("../../polyseal-file/tests/statements/alice");
const SIGNERS: &str = include_str!("../../polyseal-file/tests/statements/allowed_signers");
const HEADER: u64 = 4096;

fn key() -> Key {
    Key::from_bytes(&[3; 32])
}

fn alice() -> RequiredSigner {
    RequiredSigner::any_of(AllowedSigners::parse(SIGNERS).unwrap()).by("alice@example.org")
}

fn wanting(inner: Arc<dyn ObjectStore>, signer: RequiredSigner) -> PolysealStore {
    over(inner, &key()).with_signatures(SignaturePolicy::Required(signer))
}

/// A store that signs what is written, in the smallest segments.
fn signing(inner: Arc<dyn ObjectStore>) -> PolysealStore {
    let store = over(inner, &key()).with_segment_size(SegmentSize::new(4096).unwrap());
    store.with_signer(Signer::from_openssh(ALICE).unwrap())
}

fn class(error: &Error) -> Option<Class> {
    file_error(error).map(polyseal_file::Error::class)
}

#[tokio::test]
async fn a_range_takes_two_requests_more_and_two_kib_of_hashes() {
    let (inner, path, text) = (Arc::new(Counting::new()), Path::from("a"), message(8 << 20));
    signing(inner.clone()).put(&path, text.clone().into()).await.unwrap();
    inner.requests();
    let part = 5_000_000..5_004_096;
    let expected = &text[part.start as usize..part.end as usize];

    let unsigned = over(inner.clone(), &key());
    assert!(unsigned.get_range(&path, part.clone()).await.unwrap() == expected);
    let unsigned = inner.requests().len();
    let store = wanting(inner.clone(), alice());
    assert!(store.get_range(&path, part.clone()).await.unwrap() == expected);
    let first = inner.requests();
    assert!(first.len() <= unsigned + 2, "{first:?}");
    let [Get(statement), Get(header), Get(hashes), Get(segments)] = &first[..] else {
        panic!("{first:?}");
    };
    assert_eq!((statement, header), (&(0..4096), &(0..HEADER)));
    assert!(hashes.end - hashes.start <= 2048, "{hashes:?}");
    assert_eq!(segments.end - segments.start, 2 * (4096 + 16));

    // Known by now: the hashes alone are more, and those beside them come with them.
    let near = part.start + 10_000..part.end + 10_000;
    let far = 1_000_000..1_004_096;
    store.get_range(&path, near).await.unwrap();
    assert_eq!(inner.requests().len(), 1);
    store.get_range(&path, far.clone()).await.unwrap();
    let requests = inner.requests();
    assert_eq!(requests.len(), 2);
    assert!(matches!(&requests[0], Get(hashes) if hashes.end - hashes.start <= 2048));
    let parts = store.get_ranges(&path, &[far.clone(), 7 << 20..(7 << 20) + 9]).await.unwrap();
    assert!(parts[0] == text[far.start as usize..far.end as usize]);
    assert!(parts[1] == text[7 << 20..(7 << 20) + 9]);
    assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == text);
}

#[tokio::test]
async fn objects_of_every_length_are_read() {
    let inner = Arc::new(InMemory::new());
    for bytes in [0, 1, 4096, 4097, 4096 * 32, 4096 * 32 + 1, 600_000] {
        let (path, text) = (Path::from("a"), message(bytes));
        signing(inner.clone()).put(&path, text.clone().into()).await.unwrap();
        let store = wanting(inner.clone(), alice());
        for _ in 0..2 {
            assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == text, "{bytes}");
        }
        let all = 0..bytes as u64;
        let parts = store.get_ranges(&path, &[all.clone(), all]).await;
        assert!(bytes == 0 || parts.unwrap() == [text.clone(), text], "{bytes}");
    }
}

#[tokio::test]
async fn without_an_accepted_statement_nothing_is_given_out() {
    let inner = Arc::new(InMemory::new());
    let (path, beside) = (Path::from("a"), Path::from("a.sig"));
    signing(inner.clone()).put(&path, message(9000).into()).await.unwrap();
    let refusal = |signer: RequiredSigner| {
        let store = wanting(inner.clone(), signer);
        async move { store.get_range(&Path::from("a"), 0..5).await.unwrap_err() }
    };
    let nobody = RequiredSigner::any_of(AllowedSigners::parse("").unwrap());
    assert_eq!(class(&refusal(nobody).await), Some(Class::NotSigned));
    assert_eq!(class(&refusal(alice().by("bob")).await), Some(Class::NotSigned));
    // Another object of this name, as a writer leaves it that signs nothing.
    over(inner.clone(), &key()).put(&path, message(9000).into()).await.unwrap();
    assert_eq!(class(&refusal(alice()).await), Some(Class::OtherContents));
    inner.put(&beside, "".into()).await.unwrap();
    assert_eq!(class(&refusal(alice()).await), Some(Class::NotSigned));
    inner.delete(&beside).await.unwrap();
    let missing = refusal(alice()).await;
    assert_eq!(class(&missing), Some(Class::NotSigned));
    assert_eq!(missing.to_string(), "Generic Polyseal error: a: it has no statement");
    inner.delete(&path).await.unwrap();
    assert!(matches!(refusal(alice()).await, Error::NotFound { .. }));
}

#[tokio::test]
async fn a_statement_follows_its_object() {
    let (inner, text) = (Arc::new(InMemory::new()), message(9000));
    let (a, b, c) = (Path::from("a"), Path::from("b"), Path::from("c"));
    let writer = signing(inner.clone());
    writer.put(&a, text.clone().into()).await.unwrap();
    writer.copy(&a, &b).await.unwrap();
    writer.rename(&a, &c).await.unwrap();
    assert!(inner.head(&Path::from("a.sig")).await.is_err());
    let reader = wanting(inner.clone(), alice());
    for path in [&b, &c] {
        assert!(reader.get(path).await.unwrap().bytes().await.unwrap() == text);
    }
}

#[tokio::test]
async fn an_object_that_may_be_replaced_appears_behind_its_statement() {
    let (inner, path) = (Arc::new(Counting::new()), Path::from("a"));
    let store = signing(inner.clone());
    let text = || PutPayload::from(message(9000));
    let sizes = |requests: Vec<crate::common::Request>| -> Vec<bool> {
        // Whether each is a statement: the object is longer than one.
        let put = |request| match request {
            Put(bytes) => bytes < 4096,
            other => panic!("{other:?}"),
        };
        requests.into_iter().map(put).collect()
    };
    store.put(&path, text()).await.unwrap();
    assert_eq!(sizes(inner.requests()), [true, false]);
    let create = || PutOptions { mode: PutMode::Create, ..PutOptions::default() };
    let before = inner.stored(&Path::from("a.sig")).await;
    let refused = store.put_opts(&path, text(), create()).await.unwrap_err();
    assert!(matches!(refused, Error::AlreadyExists { .. }));
    assert_eq!(sizes(inner.requests()), [false]);
    assert!(inner.stored(&Path::from("a.sig")).await == before);
    store.put_opts(&Path::from("b"), text(), create()).await.unwrap();
    assert_eq!(sizes(inner.requests()), [false, true]);

    let mut upload = store.put_multipart(&path).await.unwrap();
    for _ in 0..3 {
        upload.put_part(message(6 << 20).into()).await.unwrap();
    }
    upload.complete().await.unwrap();
    let requests = inner.requests();
    assert!(matches!(requests[..], [Part(_), Part(_), Part(_), Put(_), Complete]), "{requests:?}");
    let read = wanting(inner.clone(), alice()).get(&path).await.unwrap().bytes().await.unwrap();
    assert!(read.chunks(6 << 20).all(|part| part == message(6 << 20)));
    assert_eq!(read.len(), 18 << 20);
}

#[tokio::test]
async fn another_statement_or_object_meanwhile_is_noticed() {
    let (inner, text) = (Arc::new(Counting::new()), message(600_000));
    let (path, beside) = (Path::from("a"), Path::from("a.sig"));
    let writer = signing(inner.clone());
    writer.put(&path, text.clone().into()).await.unwrap();
    let old = Bytes::from(inner.stored(&beside).await);
    let reader = wanting(inner.clone(), alice());
    let part = |at: u64| at..at + 9;
    reader.get_range(&path, part(0)).await.unwrap();
    // Signed once more: what was read of the other statement is begun anew.
    inner.replace_before(0, &beside, old);
    assert!(reader.get_range(&path, part(300_000)).await.unwrap() == text[300_000..300_009]);
    // Both are other ones.
    let other: Bytes = text.iter().map(|byte| !byte).collect();
    writer.put(&path, other.clone().into()).await.unwrap();
    assert!(reader.get_range(&path, part(300_000)).await.unwrap() == other[300_000..300_009]);
}

/// A bit of the object, of the text, the signature or the hashes, in several hundred places.
#[tokio::test]
async fn no_changed_byte_is_given_out() {
    let (inner, text) = (Arc::new(InMemory::new()), message(200_000));
    let (path, beside) = (Path::from("a"), Path::from("a.sig"));
    signing(inner.clone()).put(&path, text.clone().into()).await.unwrap();
    let get = async |path: &Path| inner.get(path).await.unwrap().bytes().await.unwrap().to_vec();
    let (mut refused, mut whole) = (0, 0);
    for changed in [&path, &beside] {
        let stored = get(changed).await;
        let step = if changed == &path { stored.len() / 150 } else { stored.len() / 250 };
        for at in (0..stored.len()).step_by(step) {
            let mut other = stored.clone();
            other[at] ^= 1 << (at % 8);
            inner.put(changed, other.into()).await.unwrap();
            let reader = wanting(inner.clone(), alice());
            let ranges = [0..9, 100_000..150_000, 199_990..200_000];
            for range in ranges {
                let options = GetOptions::new().with_range(Some(range.clone()));
                let part = match reader.get_opts(&path, options).await {
                    Ok(got) => got.bytes().await,
                    Err(error) => Err(error),
                };
                match part {
                    Ok(part) => {
                        whole += 1;
                        assert!(part == text[range.start as usize..range.end as usize], "{at}");
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(file_error(&error).is_some(), "{error}");
                    }
                }
            }
        }
        inner.put(changed, stored.into()).await.unwrap();
    }
    // A range in other segments, or with other hashes, may be whole.
    assert!(refused > 400 && whole > 200, "{refused} refused, {whole} whole");
}
