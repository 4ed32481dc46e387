//! Uploads: in parts of any size, aborted, broken, and raced against each other.

use crate::common::Request::{Abort, Complete, Part};
use crate::common::{Counting, message, store, store_over};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, Error, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion,
    WriteMultipart,
};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn parts_go_out_in_one_size_and_the_last_is_what_is_left() {
    let (store, inner, _) = store();
    let (path, text) = (Path::from("a"), message(21 * MIB + 5));
    let mut upload = store.put_multipart(&path).await.unwrap();
    for part in [0..5 * MIB, 5 * MIB..5 * MIB + 3, 5 * MIB + 3..21 * MIB + 5] {
        upload.put_part(text.slice(part).into()).await.unwrap();
    }
    upload.complete().await.unwrap();
    let stored = 4096 + text.len() + text.len().div_ceil(65_536) * 16;
    let expected = [Part(8 * MIB), Part(8 * MIB), Part(stored - 16 * MIB), Complete];
    assert_eq!(inner.requests(), expected);
    assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == text);

    // Larger first parts give larger parts.
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(text.slice(..10 * MIB).into()).await.unwrap();
    upload.put_part(text.slice(10 * MIB..).into()).await.unwrap();
    upload.complete().await.unwrap();
    inner.requests();
    assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == text);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Parts of any sizes, waited for in any order.
    #[test]
    fn any_parts_in_any_order_make_the_object(
        parts in vec(0..3 * MIB, 0..10),
        order in any::<u64>(),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
        runtime.unwrap().block_on(async {
            let (store, _, _) = store();
            let (path, text) = (Path::from("a"), message(parts.iter().sum()));
            let mut upload = store.put_multipart(&path).await.unwrap();
            let (mut futures, mut at) = (Vec::new(), 0);
            for bytes in parts {
                futures.push(upload.put_part(text.slice(at..at + bytes).into()));
                at += bytes;
            }
            let mut order = order;
            while !futures.is_empty() {
                let next = futures.swap_remove((order % futures.len() as u64) as usize);
                order = order.rotate_right(5);
                next.await.unwrap();
            }
            upload.complete().await.unwrap();
            assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == text);
        });
    }
}

#[tokio::test]
async fn an_aborted_upload_leaves_nothing() {
    let (store, inner, _) = store();
    let path = Path::from("a");
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(message(20 * MIB).into()).await.unwrap();
    upload.abort().await.unwrap();
    assert!(inner.requests().contains(&Abort));
    assert!(matches!(store.get(&path).await, Err(Error::NotFound { .. })));
    assert!(upload.put_part(message(1).into()).await.is_err());
    assert!(upload.complete().await.is_err());
    assert!(!inner.requests().contains(&Complete));
}

#[tokio::test]
async fn an_upload_with_a_lost_part_is_not_completed() {
    for failing in [0, 1] {
        let (store, inner, _) = store_over(Counting::failing(failing));
        let path = Path::from("a");
        let mut upload = store.put_multipart(&path).await.unwrap();
        let parts = [0, 1, 2].map(|_| upload.put_part(message(10 * MIB).into()));
        let mut failed = 0;
        for part in parts {
            failed += usize::from(part.await.is_err());
        }
        assert_eq!(failed, 1);
        assert!(upload.complete().await.is_err());
        assert!(!inner.requests().contains(&Complete));
        assert!(matches!(store.get(&path).await, Err(Error::NotFound { .. })));
    }
    // One that was dropped, and never sealed.
    let (store, inner, _) = store();
    let mut upload = store.put_multipart(&Path::from("a")).await.unwrap();
    drop(upload.put_part(message(MIB).into()));
    assert!(upload.complete().await.is_err());
    assert!(!inner.requests().contains(&Complete));
}

#[tokio::test]
async fn what_was_there_stays_until_an_upload_is_complete() {
    let (store, _, _) = store();
    let path = Path::from("a");
    store.put(&path, "old".into()).await.unwrap();
    let mut write = WriteMultipart::new(store.put_multipart(&path).await.unwrap());
    let new = Bytes::from(vec![9; 12 * MIB]);
    write.put(new.clone());
    write.wait_for_capacity(1).await.unwrap();
    assert_eq!(store.get(&path).await.unwrap().bytes().await.unwrap(), "old");
    write.finish().await.unwrap();
    assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == new);
}

#[tokio::test]
async fn one_of_racing_conditional_puts_wins() {
    let (store, inner, _) = store();
    let (store, path) = (std::sync::Arc::new(store), Path::from("a"));
    let race = async |mode: PutMode| {
        let tasks: Vec<_> = (0..8_u8)
            .map(|i| {
                let (store, path, mode) = (store.clone(), path.clone(), mode.clone());
                tokio::spawn(async move {
                    let text = Bytes::from(vec![i; 100_000]);
                    store.put_opts(&path, text.into(), mode.into()).await.map(|put| (i, put))
                })
            })
            .collect();
        let mut won = Vec::new();
        for task in tasks {
            match task.await.unwrap() {
                Ok(winner) => won.push(winner),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(won.len(), 1);
        let (winner, put) = won.remove(0);
        let text = store.get(&path).await.unwrap().bytes().await.unwrap();
        assert!(text.len() == 100_000 && text.iter().all(|byte| *byte == winner));
        UpdateVersion::from(put)
    };
    let created = race(PutMode::Create).await;
    let updated = race(PutMode::Update(created.clone())).await;
    let late = store.put_opts(&path, "late".into(), PutMode::Update(created).into()).await;
    assert!(matches!(late, Err(Error::Precondition { .. })), "{late:?}");
    store.put_opts(&path, "new".into(), PutMode::Update(updated).into()).await.unwrap();
    assert!(!inner.requests().is_empty());
}

#[tokio::test]
async fn every_object_has_a_key_of_its_own() {
    let (store, inner, _) = store();
    let path = Path::from("a");
    let mut salts = std::collections::BTreeSet::new();
    for _ in 0..10 {
        store.put(&path, message(100).into()).await.unwrap();
        let stored = inner.stored(&path).await;
        assert!(salts.insert(stored[32..64].to_vec()));
        assert!(!stored.windows(50).any(|window| window == &message(100)[..50]));
    }
}

#[tokio::test]
async fn a_content_type_is_kept() {
    let (store, inner, _) = store();
    let path = Path::from("a");
    let attributes = Attributes::from_iter([(Attribute::ContentType, "text/csv")]);
    store.put_opts(&path, "1,2".into(), attributes.clone().into()).await.unwrap();
    // Newly opened, and known.
    for _ in 0..2 {
        assert_eq!(store.get(&path).await.unwrap().attributes, attributes);
    }
    assert_eq!(inner.inner.get(&path).await.unwrap().attributes, attributes);
}
