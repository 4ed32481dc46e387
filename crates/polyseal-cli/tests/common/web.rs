//! A server of one file, as plain as they are: it knows ranges, and an ETag.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

#[derive(Default)]
pub(crate) struct Web {
    file: Vec<u8>,
    port: u16,
    pub(crate) requests: AtomicU64,
    /// Bytes of the file.
    pub(crate) sent: AtomicU64,
    /// It answers that it is not there.
    pub(crate) gone: AtomicBool,
}

impl Web {
    /// Serves `file` under any name, as long as the test runs.
    pub(crate) fn serve(file: Vec<u8>) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let web = Arc::new(Self { file, port, ..Self::default() });
        let served = Arc::clone(&web);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let web = Arc::clone(&served);
                thread::spawn(move || web.answer(stream.unwrap()));
            }
        });
        web
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn answer(&self, mut stream: TcpStream) {
        let (mut request, mut byte) = (Vec::new(), [0]);
        while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
            request.push(byte[0]);
        }
        if self.gone.load(Ordering::Relaxed) {
            let _ = stream.write_all(
                b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
            return;
        }
        let request = String::from_utf8(request).unwrap().to_lowercase();
        let range = request.split("range: bytes=").nth(1).unwrap().lines().next().unwrap();
        let (start, end) = match range.split_once('-').unwrap() {
            ("", last) => {
                let last: usize = last.parse().unwrap();
                (self.file.len().saturating_sub(last), self.file.len())
            }
            (start, end) => {
                let end = end.parse::<usize>().unwrap() + 1;
                (start.parse().unwrap(), self.file.len().min(end))
            }
        };
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{}/{}\r\n\
             Content-Length: {}\r\nETag: \"1\"\r\nConnection: close\r\n\
             Last-Modified: Tue, 24 Nov 2026 12:00:00 GMT\r\n\r\n",
            end - 1,
            self.file.len(),
            end - start
        );
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add((end - start) as u64, Ordering::Relaxed);
        // Whoever has heard enough hangs up.
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&self.file[start..end]);
    }
}
