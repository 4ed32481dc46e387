//! The same on a real S3 server, Versity's gateway on this machine: `make test-all ONLY=stores`
//! builds and names it (`POLYSEAL_VERSITYGW`).

#![allow(
    clippy::single_range_in_vec_init,
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

use std::sync::Arc;

use crate::common::{message, over};
use crate::server::Server;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion, WriteMultipart,
    integration,
};
use polyseal_file::{Decryptor, Identities, Input, Key, Output};

/// A new bucket.
fn bucket(server: &Server, name: &str) -> AmazonS3 {
    server.bucket(name);
    let options = server.environment();
    let options = options.into_iter().map(|(key, value)| (key.to_ascii_lowercase(), value));
    let builder = options.fold(AmazonS3Builder::new(), |builder, (key, value)| {
        builder.with_config(key.parse().unwrap(), value)
    });
    builder.with_bucket_name(name).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tests_of_object_store_pass_on_s3() {
    let server = Server::start();
    let store = over(Arc::new(bucket(&server, "integration")), &Key::generate().unwrap());
    integration::put_get_delete_list(&store).await;
    integration::list_with_offset_exclusivity(&store).await;
    // Not `get_opts`, which this server fails by itself: it compares `If-Unmodified-Since` with
    // times that are finer than the seconds that it tells. The rest of it is below.
    integration::list_uses_directories_correctly(&store).await;
    integration::list_with_delimiter(&store).await;
    integration::rename_and_copy(&store).await;
    integration::stream_get(&store).await;
    integration::multipart_race_condition(&store, true).await;
    integration::multipart_out_of_order(&store).await;
    integration::put_get_attributes(&store).await;
    integration::put_opts(&store, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_on_s3_is_a_file_and_replacing_it_is_noticed() {
    let server = Server::start();
    let (inner, key) = (Arc::new(bucket(&server, "files")), Key::generate().unwrap());
    let (store, path) = (over(inner.clone(), &key), Path::from("d/object"));
    let text = message(20 << 20);
    let mut write = WriteMultipart::new(store.put_multipart(&path).await.unwrap());
    write.put(text.clone());
    write.finish().await.unwrap();
    assert_eq!(store.head(&path).await.unwrap().size, text.len() as u64);
    let ranges = [0..9, 5_000_000..5_000_100, 20_971_510..20_971_520];
    for (range, part) in ranges.iter().zip(store.get_ranges(&path, &ranges).await.unwrap()) {
        assert!(part == text[range.start as usize..range.end as usize]);
    }

    let (stored, mut opened) = (inner.get(&path).await.unwrap().bytes().await.unwrap(), Vec::new());
    let identities = Identities::from(&key);
    let output = Output::Stream(&mut opened);
    Decryptor::new(&identities).decrypt(Input::Stream(&mut &stored[..]), output).unwrap();
    assert!(opened == text);

    let tag = store.head(&path).await.unwrap().e_tag;
    let same = GetOptions::new().with_if_none_match(tag.clone());
    let refused = store.get_opts(&path, same).await.unwrap_err();
    assert!(matches!(refused, Error::NotModified { .. }), "{refused}");
    let same = GetOptions::new().with_if_match(tag).with_range(Some(7..9));
    assert!(store.get_opts(&path, same).await.unwrap().bytes().await.unwrap() == text[7..9]);
    let other = GetOptions::new().with_if_match(Some("\"other\""));
    let refused = store.get_opts(&path, other).await.unwrap_err();
    assert!(matches!(refused, Error::Precondition { .. }), "{refused}");

    // Another writer: what was known of the object is not used.
    over(inner.clone(), &key).put(&path, message(100_000).into()).await.unwrap();
    assert_eq!(store.get_range(&path, 0..9).await.unwrap(), message(9));
    let gone = store.get_range(&path, 5_000_000..5_000_100).await;
    assert!(gone.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_racing_writers_on_s3_wins() {
    let server = Server::start();
    let store = Arc::new(over(Arc::new(bucket(&server, "races")), &Key::generate().unwrap()));
    let path = Path::from("object");
    let first = store.put_opts(&path, "0".into(), PutMode::Create.into()).await.unwrap();
    let version = UpdateVersion::from(first);
    let tasks: Vec<_> = (0..6)
        .map(|i: u8| {
            let (store, path, version) = (store.clone(), path.clone(), version.clone());
            tokio::spawn(async move {
                let mode = PutMode::Update(version);
                store.put_opts(&path, vec![i; 50_000].into(), mode.into()).await
            })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(Error::Precondition { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won, 1);
    let text = store.get(&path).await.unwrap().bytes().await.unwrap();
    assert!(text.len() == 50_000 && text.iter().all(|byte| *byte == text[0]));
}
