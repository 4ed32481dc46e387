//! `object_store`'s own tests, for memory and for files: this store keeps the contract of the
//! stores that it wraps.

use std::sync::Arc;

use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, integration};
use polyseal_file::{Identities, Key, Recipients, SegmentSize};
use polyseal_object_store::{Binding, PolysealStore};

fn sealed(inner: impl ObjectStore) -> PolysealStore {
    let key = Key::generate().unwrap();
    PolysealStore::new(Arc::new(inner), Recipients::from(&key), Identities::from(&key))
}

async fn everything(store: &PolysealStore) {
    integration::put_get_delete_list(store).await;
    integration::list_with_offset_exclusivity(store).await;
    integration::get_opts(store).await;
    integration::list_uses_directories_correctly(store).await;
    integration::list_with_delimiter(store).await;
    integration::rename_and_copy(store).await;
    integration::copy_if_not_exists(store).await;
    integration::copy_rename_nonexistent_object(store).await;
    integration::stream_get(store).await;
    integration::multipart_race_condition(store, true).await;
    integration::multipart_out_of_order(store).await;
    let missing = integration::get_nonexistent_object(store, None).await.unwrap_err();
    assert!(matches!(missing, object_store::Error::NotFound { .. }), "{missing}");
}

#[tokio::test]
async fn the_tests_of_object_store_pass_in_memory() {
    let store = sealed(InMemory::new());
    everything(&store).await;
    integration::put_opts(&store, true).await;
    integration::put_get_attributes(&store).await;
}

#[tokio::test]
async fn the_tests_of_object_store_pass_on_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = sealed(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    everything(&store).await;
    integration::put_opts(&store, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tests_of_object_store_pass_with_small_segments_nothing_kept_and_several_threads() {
    let store = sealed(InMemory::new())
        .with_segment_size(SegmentSize::new(4096).unwrap())
        .with_suite("kc-xaes-256-gcm".parse().unwrap())
        .with_cached_objects(0)
        .with_cached_sizes(0);
    everything(&store).await;
    integration::put_opts(&store, true).await;
}

#[tokio::test]
async fn all_but_copies_passes_bound_to_paths() {
    let store = sealed(InMemory::new()).with_binding(Binding::Path);
    integration::get_opts(&store).await;
    integration::put_opts(&store, true).await;
    integration::list_with_delimiter(&store).await;
    integration::stream_get(&store).await;
    integration::multipart_out_of_order(&store).await;
    let [from, to] = ["a", "b"].map(Path::from);
    for refused in [
        object_store::ObjectStoreExt::copy(&store, &from, &to).await,
        object_store::ObjectStoreExt::rename(&store, &from, &to).await,
    ] {
        assert!(matches!(refused, Err(object_store::Error::NotSupported { .. })), "{refused:?}");
    }
}
