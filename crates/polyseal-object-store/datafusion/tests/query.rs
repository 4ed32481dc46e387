//! DataFusion queries an encrypted Parquet file, and reads little more of it than the column that
//! the query needs.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::functions_aggregate::expr_fn::{max, sum};
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionContext, col, lit};
use futures_util::stream::BoxStream;
use polyseal_file::{Identities, Key, Recipients};
use polyseal_object_store::PolysealStore;

const COLUMNS: usize = 10;
const ROWS: i64 = 250_000;
/// An odd factor: products with it do not compress.
const MIX: i64 = 0x1e37_79b9_7f4a_7c15;

/// A store that counts what it gives.
#[derive(Debug, Default)]
struct Counting {
    inner: InMemory,
    bytes: AtomicU64,
    requests: AtomicU64,
}

impl Counting {
    fn since(&self) -> (u64, u64) {
        (self.bytes.swap(0, Ordering::Relaxed), self.requests.swap(0, Ordering::Relaxed))
    }
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(&self, to: &Path, what: PutPayload, how: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(to, what, how).await
    }

    async fn put_multipart_opts(
        &self,
        to: &Path,
        how: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(to, how).await
    }

    async fn get_opts(&self, from: &Path, how: GetOptions) -> Result<GetResult> {
        let head = how.head;
        let got = self.inner.get_opts(from, how).await?;
        let Range { start, end } = got.range;
        self.bytes.fetch_add(if head { 0 } else { end - start }, Ordering::Relaxed);
        self.requests.fetch_add(1, Ordering::Relaxed);
        Ok(got)
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, how: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, how).await
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

/// Ten columns of numbers that do not compress: and the bytes of one of them in the file.
fn parquet() -> (Vec<u8>, u64) {
    let column = |c: usize| -> ArrayRef {
        let numbers = (0..ROWS).map(|row| (row + c as i64).wrapping_mul(MIX));
        Arc::new(numbers.map(|n| n >> 8).collect::<Int64Array>())
    };
    let columns = (0..COLUMNS).map(|c| (format!("c{c}"), column(c)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    let metadata = writer.close().unwrap();
    let groups = metadata.row_groups().iter();
    let ideal = groups.map(|group| group.column(3).compressed_size() as u64).sum();
    (file, ideal)
}

/// Queries one column, and says how many bytes were read in how many requests.
async fn query(store: Arc<dyn ObjectStore>, inner: &Counting, hint: Option<usize>) -> (u64, u64) {
    let context = SessionContext::new();
    let url = ObjectStoreUrl::parse("polyseal://objects").unwrap();
    context.register_object_store(url.as_ref(), store);
    inner.since();
    let mut options = ParquetReadOptions::default();
    if let Some(hint) = hint {
        options = options.metadata_size_hint(Some(hint));
    }
    let table = context.read_parquet("polyseal://objects/tables/t.parquet", options).await.unwrap();
    let sums = vec![sum(col("c3") % lit(1000_i64)), max(col("c3"))];
    let found = table.aggregate(vec![], sums).unwrap().collect().await.unwrap();
    let numbers = || (0..ROWS).map(|row| (row + 3).wrapping_mul(MIX) >> 8);
    let expected = [numbers().map(|n| n % 1000).sum(), numbers().max().unwrap()];
    for (column, expected) in expected.into_iter().enumerate() {
        let column = found[0].column(column).as_any().downcast_ref::<Int64Array>().unwrap();
        assert_eq!(column.value(0), expected);
    }
    inner.since()
}

/// DataFusion reads 512 KiB at the end of a file unless it is told that its metadata are shorter.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_of_one_column_reads_little_more_than_that() {
    let (inner, key, path) =
        (Arc::new(Counting::default()), Key::generate().unwrap(), Path::from("tables/t.parquet"));
    let (file, ideal) = parquet();
    for hint in [None, Some(64 * 1024)] {
        inner.put(&path, file.clone().into()).await.unwrap();
        let plain = query(inner.clone(), &inner, hint).await;
        let store =
            PolysealStore::new(inner.clone(), Recipients::from(&key), Identities::from(&key));
        store.put(&path, file.clone().into()).await.unwrap();
        let sealed = query(Arc::new(store), &inner, hint).await;
        println!("metadata hint {hint:?}: a file of {} bytes, a column of {ideal}", file.len());
        for (what, (bytes, requests)) in [("plain", plain), ("sealed", sealed)] {
            let ratio = bytes as f64 / ideal as f64;
            println!("{what}: {bytes} bytes in {requests} requests, {ratio:.3} of the column");
        }
        // A header, a last segment, and a segment more at the column's end and at the metadata's.
        assert!(sealed.0 <= plain.0 + 4096 + 160 + 5 * 65_552, "{sealed:?} for {plain:?}");
        if hint.is_some() {
            assert!(sealed.0 * 10 <= ideal * 13, "{sealed:?} for {ideal}");
        }
    }
}
