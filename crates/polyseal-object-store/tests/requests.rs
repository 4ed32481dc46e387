//! The cost of operations: every request that reaches the inner store, and every byte.

#![allow(
    clippy::single_range_in_vec_init,
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

use std::sync::Arc;

use crate::common::Request::{Get, Head, List, Put};
use crate::common::{Counting, message, over, store, store_over};
use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use polyseal_file::SegmentSize;
use polyseal_object_store::ListedSizes;

const HEADER: u64 = 4096;
/// A segment and its tag.
const UNIT: u64 = 65_536 + 16;

#[tokio::test]
async fn a_first_read_is_one_round_of_two_requests_and_the_range() {
    let (writer, inner, key) = store();
    let (path, message) = (Path::from("a"), message(1_000_000));
    writer.put(&path, message.clone().into()).await.unwrap();
    let stored = HEADER + 1_000_000 + 16 * 16;
    assert_eq!(inner.requests(), [Put(stored as usize)]);

    let store = over(inner.clone(), &key);
    let part = store.get_range(&path, 100_000..200_000).await.unwrap();
    assert!(part == message[100_000..200_000]);
    let suffix = stored - 65_536 - 64..stored;
    let segments = HEADER + UNIT..HEADER + 4 * UNIT;
    assert_eq!(inner.requests(), [Get(0..HEADER), Get(suffix), Get(segments.clone())]);

    // It is known now: one request, of the segments alone.
    assert!(store.get_range(&path, 100_000..200_000).await.unwrap() == message[100_000..200_000]);
    assert_eq!(inner.requests(), [Get(segments)]);
}

#[tokio::test]
async fn what_lies_in_the_last_segment_comes_with_opening() {
    let (writer, inner, key) = store();
    let path = Path::from("a");
    for bytes in [1, 1000, 65_536, 65_537, 300_000] {
        let message = message(bytes);
        writer.put(&path, message.clone().into()).await.unwrap();
        inner.requests();
        let options = GetOptions::new().with_range(Some(GetRange::Suffix(1)));
        let got = over(inner.clone(), &key).get_opts(&path, options).await.unwrap();
        assert_eq!(got.range, bytes as u64 - 1..bytes as u64);
        assert!(got.bytes().await.unwrap() == message[bytes - 1..]);
        assert_eq!(inner.requests().len(), 2, "{bytes} bytes");
    }
}

#[tokio::test]
async fn ranges_of_neighbouring_segments_are_one_request() {
    let (store, inner, _) = store();
    let (path, message) = (Path::from("a"), message(8 << 20));
    store.put(&path, message.clone().into()).await.unwrap();
    store.get_range(&path, 0..1).await.unwrap();
    inner.requests();
    let ranges = [100..200, 5 << 20..(5 << 20) + 10, 100_000..100_010, 300..400];
    let parts = store.get_ranges(&path, &ranges).await.unwrap();
    for (range, part) in ranges.iter().zip(parts) {
        assert!(part == message[range.start as usize..range.end as usize], "{range:?}");
    }
    let segment = |first, end| Get(HEADER + first * UNIT..HEADER + end * UNIT);
    assert_eq!(inner.requests(), [segment(0, 2), segment(80, 81)]);
    assert!(store.get_ranges(&path, &[]).await.unwrap().is_empty());
    assert!(inner.requests().is_empty());
}

#[tokio::test]
async fn a_first_read_of_ranges_in_the_last_segment_needs_no_more() {
    let (writer, inner, key) = store();
    let (path, message) = (Path::from("a"), message(200_000));
    writer.put(&path, message.clone().into()).await.unwrap();
    inner.requests();
    let parts = over(inner.clone(), &key).get_ranges(&path, &[199_000..199_500]).await.unwrap();
    assert!(parts[0] == message[199_000..199_500]);
    assert_eq!(inner.requests().len(), 2);
}

#[tokio::test]
async fn ranges_that_are_wrong_and_ranges_of_what_has_grown() {
    let (store, inner, key) = store();
    let path = Path::from("a");
    store.put(&path, message(1000).into()).await.unwrap();
    store.get_range(&path, 0..1000).await.unwrap();
    assert!(store.get_ranges(&path, &[1000..1001]).await.is_err());
    #[allow(clippy::reversed_empty_ranges, reason = "as a caller may")]
    for range in [0..0, 7..3] {
        assert!(store.get_ranges(&path, &[range]).await.is_err());
    }
    // Another writer.
    let message = message(2000);
    over(inner, &key).put(&path, message.clone().into()).await.unwrap();
    let grown = store.get_ranges(&path, &[1500..1600]).await.unwrap();
    assert!(grown[0] == message[1500..1600]);
    assert!(store.get_range(&path, 1500..1600).await.unwrap() == message[1500..1600]);
}

#[tokio::test]
async fn a_head_is_one_request_of_160_bytes() {
    let (store, inner, _) = store();
    let path = Path::from("a");
    store.put(&path, message(70_000).into()).await.unwrap();
    inner.requests();
    assert_eq!(store.head(&path).await.unwrap().size, 70_000);
    assert_eq!(inner.requests(), [Get(0..160)]);
}

#[tokio::test]
async fn a_list_costs_a_small_request_for_each_new_object() {
    let (store, inner, _) = store();
    for i in 0..40_usize {
        store.put(&Path::from(format!("d/{i:02}")), message(i * 5000).into()).await.unwrap();
    }
    // No encrypted files: they keep their size, and one is too short to be looked at.
    inner.inner.put(&Path::from("d/_SUCCESS"), Bytes::new().into()).await.unwrap();
    inner.inner.put(&Path::from("d/plain"), message(5000).into()).await.unwrap();
    inner.requests();
    let list = async || store.list(None).try_collect::<Vec<_>>().await.unwrap();
    let sizes = list().await.iter().map(|meta| meta.size).collect::<Vec<_>>();
    let expected = (0..40).map(|i| i * 5000).chain([0, 5000]).collect::<Vec<_>>();
    assert_eq!(sizes, expected);
    let requests = inner.requests();
    assert_eq!(requests.len(), 42);
    assert!(requests[1..].iter().all(|request| *request == Get(0..160)));

    assert_eq!(list().await.iter().map(|meta| meta.size).collect::<Vec<_>>(), expected);
    let listed = store.list_with_delimiter(Some(&Path::from("d"))).await.unwrap();
    assert_eq!(listed.objects.iter().map(|meta| meta.size).collect::<Vec<_>>(), expected);
    assert_eq!(inner.requests(), [List, List]);

    store.put(&Path::from("d/07"), message(9).into()).await.unwrap();
    inner.requests();
    assert_eq!(list().await[7].size, 9);
    assert_eq!(inner.requests(), [List, Get(0..160)]);
}

#[tokio::test]
async fn stored_sizes_cost_nothing() {
    let (store, inner, _) = store();
    let store = store.with_listed_sizes(ListedSizes::Stored);
    store.put(&Path::from("a"), message(10).into()).await.unwrap();
    inner.requests();
    let listed: Vec<_> = store.list(None).try_collect().await.unwrap();
    assert_eq!(listed[0].size, 4096 + 10 + 16);
    assert_eq!(inner.requests(), [List]);
}

#[tokio::test]
async fn a_store_without_suffixes_is_asked_for_the_last_segment_by_its_place() {
    let (writer, inner, key) = store_over(Counting::without_suffixes());
    let (path, message) = (Path::from("a"), message(200_000));
    writer.put(&path, message.clone().into()).await.unwrap();
    let store = over(inner.clone(), &key);
    for _ in 0..2 {
        inner.requests();
        assert!(store.get(&path).await.unwrap().bytes().await.unwrap() == message);
    }
    let other = Path::from("b");
    writer.put(&other, message.clone().into()).await.unwrap();
    inner.requests();
    assert!(store.get_range(&other, 0..5).await.unwrap() == message[..5]);
    let end = HEADER + 3 * UNIT;
    let stored = end + 200_000 - 3 * 65_536 + 16;
    assert_eq!(inner.requests(), [Get(0..HEADER), Get(end..stored), Get(HEADER..HEADER + UNIT)]);
}

#[tokio::test]
async fn a_longer_last_segment_than_this_store_writes_is_fetched_in_full() {
    let (writer, inner, key) = store();
    let writer = writer.with_segment_size(SegmentSize::new(1 << 20).unwrap());
    let (path, message) = (Path::from("a"), message(3_000_000));
    writer.put(&path, message.clone().into()).await.unwrap();
    inner.requests();
    assert!(over(inner.clone(), &key).get(&path).await.unwrap().bytes().await.unwrap() == message);
    assert_eq!(inner.requests().len(), 4);
}

#[tokio::test]
async fn eight_tasks_read_at_once() {
    let (store, _, _) = store();
    let (store, path, message) = (Arc::new(store), Path::from("a"), message(2_000_000));
    store.put(&path, message.clone().into()).await.unwrap();
    let tasks: Vec<_> = (0..8_usize)
        .map(|task| {
            let (store, path, message) = (Arc::clone(&store), path.clone(), message.clone());
            tokio::spawn(async move {
                for i in 0..50_usize {
                    let start = (task * 7919 + i * 104_729) % 1_900_000;
                    let end = start + 1 + (i * 977) % 99_000;
                    let part = store.get_range(&path, start as u64..end as u64).await.unwrap();
                    assert!(part == message[start..end]);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn preconditions_are_those_of_the_store() {
    let (store, inner, _) = store();
    let path = Path::from("a");
    let written = store.put(&path, message(10).into()).await.unwrap();
    store.get(&path).await.unwrap();
    let tag = written.e_tag.unwrap();
    let options = GetOptions::new().with_if_none_match(Some(tag.clone()));
    let same = store.get_opts(&path, options).await.unwrap_err();
    assert!(matches!(same, Error::NotModified { .. }), "{same}");
    let options = GetOptions::new().with_if_match(Some("other"));
    let other = store.get_opts(&path, options.clone()).await.unwrap_err();
    assert!(matches!(other, Error::Precondition { .. }), "{other}");
    let other = store.get_opts(&path, options.with_head(true)).await.unwrap_err();
    assert!(matches!(other, Error::Precondition { .. }), "{other}");
    inner.requests();
    let options = GetOptions::new().with_if_match(Some(tag)).with_head(true);
    assert_eq!(store.get_opts(&path, options).await.unwrap().meta.size, 10);
    assert!(!inner.requests().contains(&Head));
}
