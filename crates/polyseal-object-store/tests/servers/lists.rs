//! A key that cannot be a path is left out of a list and reported; a page that is not a list is an
//! error.

use futures_util::{StreamExt, TryStreamExt};
use object_store::ObjectStore;
use polyseal_object_store::remote::BadList;

use super::clients::{Log, found, stores};
use super::raw::Server;

/// A key as it stands in XML, its size, and what becomes of it.
const KEYS: [(&str, u64, Fate); 22] = [
    ("plain", 1, Fate::Kept("plain")),
    ("a b/c+d%20?#", 1, Fate::Kept("a b/c+d%20?#")),
    ("a&amp;b&#x3c;", 1, Fate::Kept("a&b<")),
    ("<![CDATA[c&d]]>", 1, Fate::Kept("c&d")),
    ("a<!-- x -->z", 1, Fate::Kept("az")),
    ("ümläut/\u{1f600}", 1, Fate::Kept("ümläut/\u{1f600}")),
    ("empty", 0, Fate::Kept("empty")),
    (" blanks ", 1, Fate::Kept(" blanks ")),
    ("dir/", 0, Fate::Marker),
    ("dir/", 5, Fate::Reported("dir/")),
    ("dir//", 0, Fate::Reported("dir//")),
    ("/lead", 1, Fate::Reported("/lead")),
    ("a//b", 1, Fate::Reported("a//b")),
    ("./y", 1, Fate::Reported("./y")),
    ("a/../b", 1, Fate::Reported("a/../b")),
    ("tab&#9;", 1, Fate::Reported("tab\t")),
    ("one&#x1;", 1, Fate::Reported("one\u{1}")),
    ("<![CDATA[line\nend]]>", 1, Fate::Reported("line\nend")),
    // Line ends to XML 1.1, and so to what reads this.
    ("nel\u{85}", 1, Fate::Reported("nel\u{85}")),
    ("separator\u{2028}x", 1, Fate::Reported("separator\u{2028}x")),
    ("/", 0, Fate::Reported("/")),
    ("", 1, Fate::Reported("")),
];

const PREFIXES: [(&str, Fate); 8] = [
    ("p/", Fate::Kept("p")),
    ("a&amp;p/", Fate::Kept("a&p")),
    ("a/b/", Fate::Kept("a/b")),
    ("/", Fate::Reported("/")),
    ("//", Fate::Reported("//")),
    ("a//", Fate::Reported("a//")),
    ("../", Fate::Reported("../")),
    ("&#1;/", Fate::Reported("\u{1}/")),
];

#[derive(Clone, Copy)]
enum Fate {
    Kept(&'static str),
    Marker,
    Reported(&'static str),
}

fn kept(fates: impl Iterator<Item = Fate>) -> Vec<String> {
    let kept = fates.filter_map(|fate| if let Fate::Kept(key) = fate { Some(key) } else { None });
    sorted(kept.map(str::to_owned))
}

fn told(fates: impl Iterator<Item = Fate>) -> Vec<String> {
    let told =
        fates.filter_map(|fate| if let Fate::Reported(key) = fate { Some(key) } else { None });
    sorted(told.map(str::to_owned))
}

fn sorted(keys: impl Iterator<Item = String>) -> Vec<String> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort();
    keys
}

/// The same list in the words of S3 and in those of Azure: keys, prefixes, and what else there is.
fn list(keys: &[(&str, u64)], prefixes: &[&str], more: &str) -> (String, String) {
    let s3_object = |(key, size): &(&str, u64)| {
        let date = "<LastModified>2026-11-25T10:00:00.000Z</LastModified>";
        format!(
            "<Contents><Key>{key}</Key>{date}<ETag>\"1\"</ETag><Size>{size}</Size></Contents>\n"
        )
    };
    let az_object = |(key, size): &(&str, u64)| {
        let date = "<Last-Modified>Wed, 25 Nov 2026 10:00:00 GMT</Last-Modified>";
        let length = format!("<Content-Length>{size}</Content-Length>");
        let properties = format!("{date}{length}<Content-Type>x</Content-Type>");
        format!("<Blob><Name>{key}</Name><Properties>{properties}</Properties></Blob>\n")
    };
    let s3_prefix = |p: &&str| format!("<CommonPrefixes><Prefix>{p}</Prefix></CommonPrefixes>\n");
    let az_prefix = |p: &&str| format!("<BlobPrefix><Name>{p}</Name></BlobPrefix>\n");
    let s3: String = keys.iter().map(s3_object).chain(prefixes.iter().map(s3_prefix)).collect();
    let az: String = keys.iter().map(az_object).chain(prefixes.iter().map(az_prefix)).collect();
    let xml = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let name = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";
    (
        format!("{xml}<ListBucketResult {name}><Prefix>//</Prefix>{s3}{more}</ListBucketResult>"),
        format!("{xml}<EnumerationResults><Blobs>{az}</Blobs>{more}</EnumerationResults>"),
    )
}

fn server(list: (String, String)) -> Server {
    Server::start(move |request, out| {
        let body = if request.head.contains("comp=list") { &list.1 } else { &list.0 };
        let head = format!("HTTP/1.1 200 x\r\nContent-Length: {}\r\nConnection: close", body.len());
        std::io::Write::write_all(out, format!("{head}\r\n\r\n{body}").as_bytes())
    })
}

async fn listed(store: &dyn ObjectStore) -> object_store::Result<Vec<String>> {
    // A list without end fails the test, and does not keep it.
    let objects: Vec<_> = store.list(None).take(1000).try_collect().await?;
    Ok(sorted(objects.iter().map(|object| object.location.to_string())))
}

#[tokio::test]
async fn a_strange_key_is_left_out_and_told() {
    let keys = KEYS.map(|(key, size, _)| (key, size));
    let prefixes = PREFIXES.map(|(prefix, _)| prefix);
    let server = server(list(&keys, &prefixes, ""));
    let objects = || KEYS.iter().map(|(_, _, fate)| *fate);
    let fates = || objects().chain(PREFIXES.iter().map(|(_, fate)| *fate));
    let log = Log::default();
    for store in stores(&server.origin(), &log) {
        assert_eq!(listed(&store).await.unwrap(), kept(objects()));
        assert_eq!(sorted(log.skipped().into_iter()), told(fates()));

        let found = store.list_with_delimiter(None).await.unwrap();
        let names = sorted(found.common_prefixes.iter().map(ToString::to_string));
        assert_eq!(names, kept(PREFIXES.iter().map(|(_, fate)| *fate)));
        let names = sorted(found.objects.iter().map(|object| object.location.to_string()));
        assert_eq!(names, kept(objects()));
        assert_eq!(sorted(log.skipped().into_iter()), told(fates()));
    }
    assert!(objects().any(|fate| matches!(fate, Fate::Marker)));
}

#[tokio::test]
async fn a_name_in_another_encoding_is_told() {
    let (s3, az) = list(&[("plain", 1), ("x%EF%BF%BF", 1)], &[], "");
    let az = az.replace("<Name>x", "<Name Encoded=\"true\">x");
    let server = server((s3, az));
    let log = Log::default();
    let [_, _, azure] = stores(&server.origin(), &log);
    assert_eq!(listed(&azure).await.unwrap(), ["plain"]);
    assert_eq!(log.skipped(), ["x%EF%BF%BF"]);
}

#[tokio::test]
async fn what_is_no_list_is_an_error() {
    let (s3, az) = list(&[("plain", 1)], &[], "");
    let cut = |text: &str, at: &str| text.split_once(at).unwrap().0.to_owned();
    let both = |text: &str| (text.to_owned(), text.to_owned());
    let answers = [
        both(""),
        both("plain text"),
        both("<html><body>Please log in</body></html>"),
        both("<ListBucketResult/><ListBucketResult/>"),
        both("<ListBucketResult><Contents></ListBucketResult>"),
        both("<ListBucketResult>&unknown;</ListBucketResult>"),
        (cut(&s3, "</Contents>"), cut(&az, "</Blob>")),
        (cut(&s3, "</ListBucketResult>"), cut(&az, "</EnumerationResults>")),
        // There is more, and no way to get it: what servers of the first version say.
        list(&[("plain", 1)], &[], "<IsTruncated>true</IsTruncated>"),
        list(&[("plain", 1)], &[], "<IsTruncated>true</IsTruncated><NextMarker/>"),
    ];
    for answer in answers {
        let server = server(answer.clone());
        for store in stores(&server.origin(), &Log::default()) {
            found::<BadList>(&listed(&store).await.unwrap_err());
        }
        assert_eq!(server.heads().len(), 3, "it is not asked again");
    }
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    let next =
        "<NextContinuationToken>a+b/c=</NextContinuationToken><NextMarker>a+b/c=</NextMarker>";
    let server = server(list(&[("plain", 1)], &[], next));
    for (n, store) in stores(&server.origin(), &Log::default()).iter().enumerate() {
        let error = found::<BadList>(&listed(store).await.unwrap_err());
        assert_eq!(error.to_string(), "the server sent no valid list of objects: it has no end");
        assert_eq!(server.heads().len(), 2 * (n + 1));
    }
}
