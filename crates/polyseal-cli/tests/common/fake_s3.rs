//! An S3 server of one object, whatever its key, that counts parts; it compares versions at the end
//! of an upload, or does not. It checks no signatures.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) struct FakeS3 {
    port: u16,
    /// Whether it heeds `If-Match` when an object is put or completed.
    compares: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    object: Vec<u8>,
    version: u64,
    parts: BTreeMap<usize, Vec<u8>>,
    /// The bytes of each part that came.
    sent: Vec<usize>,
    /// The bytes that another program writes just before an object is put or completed.
    raced_by: Option<Vec<u8>>,
}

struct Request {
    method: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
        let (method, rest) = line.split_once(' ')?;
        let query = rest.split_once(' ')?.0.split_once('?').map_or("", |it| it.1).to_owned();
        let (method, mut headers) = (method.to_owned(), Vec::new());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
                None => break,
            }
        }
        let mut request = Self { method, query, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |text| text.parse().unwrap());
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0 == name).map(|it| &it.1[..])
    }

    /// The value of a part of the query.
    fn asks(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').map(|it| it.split_once('=').unwrap_or((it, "")));
        pairs.into_iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

/// The first byte and the one behind the last.
fn range(text: &str, size: usize) -> (usize, usize) {
    match text.strip_prefix("bytes=").unwrap().split_once('-').unwrap() {
        ("", last) => (size.saturating_sub(last.parse().unwrap()), size),
        (start, end) => (start.parse().unwrap(), size.min(end.parse::<usize>().unwrap() + 1)),
    }
}

impl FakeS3 {
    pub(crate) fn start(compares: bool) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Arc::new(Self { port, compares, state: Mutex::default() });
        let served = Arc::clone(&server);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let server = Arc::clone(&served);
                thread::spawn(move || server.answer(&mut stream.unwrap()));
            }
        });
        server
    }

    pub(crate) fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "a".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "b".to_owned()),
        ]
    }

    pub(crate) fn put(&self, object: Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        state.object = object;
        state.version += 1;
    }

    pub(crate) fn object(&self) -> Vec<u8> {
        self.state.lock().unwrap().object.clone()
    }

    pub(crate) fn race(&self, object: Vec<u8>) {
        self.state.lock().unwrap().raced_by = Some(object);
    }

    /// The bytes of the parts that came since this was asked last, the longest first.
    pub(crate) fn parts(&self) -> Vec<usize> {
        let mut parts = std::mem::take(&mut self.state.lock().unwrap().sent);
        parts.sort_by_key(|&bytes| std::cmp::Reverse(bytes));
        parts
    }

    fn answer(&self, stream: &mut TcpStream) {
        let Some(request) = Request::read(stream) else { return };
        let (status, headers, body) = self.answered(&request);
        let length = match request.method.as_str() {
            "HEAD" => self.object().len(),
            _ => body.len(),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\
             Last-Modified: Tue, 24 Nov 2026 12:00:00 GMT\r\n{headers}\r\n"
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(if request.method == "HEAD" { b"" } else { &body });
    }

    fn answered(&self, request: &Request) -> (&'static str, String, Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        let tag = |version: u64| format!("\"{version}\"");
        let told = |version| format!("ETag: {}\r\n", tag(version));
        match (&request.method[..], request.asks("uploadId"), request.asks("partNumber")) {
            ("GET" | "HEAD", ..) if state.version == 0 => {
                ("404 Not Found", String::new(), Vec::new())
            }
            ("HEAD", ..) => ("200 OK", told(state.version), Vec::new()),
            ("GET", ..) => {
                if request.header("if-match").is_some_and(|it| it != tag(state.version)) {
                    return ("412 Precondition Failed", String::new(), Vec::new());
                }
                let size = state.object.len();
                let (start, end) = request.header("range").map_or((0, size), |it| range(it, size));
                let headers = format!(
                    "Content-Range: bytes {start}-{}/{size}\r\n{}",
                    end - 1,
                    told(state.version)
                );
                ("206 Partial Content", headers, state.object[start..end].to_vec())
            }
            ("POST", None, _) => {
                state.parts.clear();
                let answer = "<InitiateMultipartUploadResult><UploadId>u</UploadId>\
                              </InitiateMultipartUploadResult>";
                ("200 OK", String::new(), answer.into())
            }
            ("PUT", Some(_), Some(number)) => {
                let copied = request.header("x-amz-copy-source-range");
                let part = match copied {
                    Some(text) => {
                        let (start, end) = range(text, state.object.len());
                        state.object[start..end].to_vec()
                    }
                    None => {
                        state.sent.push(request.body.len());
                        request.body.clone()
                    }
                };
                state.parts.insert(number.parse().unwrap(), part);
                let answer = "<CopyPartResult><ETag>&quot;p&quot;</ETag></CopyPartResult>";
                ("200 OK", "ETag: \"p\"\r\n".to_owned(), answer.into())
            }
            ("POST", Some(_), _) => {
                if let Some(other) = state.raced_by.take() {
                    state.object = other;
                    state.version += 1;
                }
                let matches = request.header("if-match").is_none_or(|it| it == tag(state.version));
                if self.compares && !matches {
                    return ("412 Precondition Failed", String::new(), Vec::new());
                }
                state.object = std::mem::take(&mut state.parts).into_values().flatten().collect();
                state.version += 1;
                let answer = "<CompleteMultipartUploadResult><ETag>\"c\"</ETag>\
                              </CompleteMultipartUploadResult>";
                ("200 OK", String::new(), answer.into())
            }
            ("PUT", None, _) => {
                if let Some(other) = state.raced_by.take() {
                    state.object = other;
                    state.version += 1;
                }
                let matches = request.header("if-match").is_none_or(|it| it == tag(state.version));
                if self.compares && !matches {
                    return ("412 Precondition Failed", String::new(), Vec::new());
                }
                state.object = request.body.clone();
                state.version += 1;
                ("200 OK", told(state.version), Vec::new())
            }
            _ => ("204 No Content", String::new(), Vec::new()),
        }
    }
}
