//! A server of one file: as plain as they are, or odd in one way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The oddities of a server.
#[allow(dead_code, reason = "not every test uses each")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ServerQuirk {
    /// Nothing: it knows ranges, and an ETag.
    #[default]
    No,
    /// Its ETag is a weak one, and `If-Match` compares strongly.
    WeakTag,
    /// It tells no ETag.
    NoTag,
    /// It gives the whole file, whatever is asked for.
    NoRanges,
    /// It knows no last bytes, and hangs up.
    NoSuffix,
    /// It says 200 where all of the file was asked for.
    WholeIs200,
    /// It breaks off in the middle of every second answer, and tells no ETag.
    BreaksOff,
}

#[derive(Default)]
pub(crate) struct Web {
    file: Vec<u8>,
    port: u16,
    odd: ServerQuirk,
    pub(crate) requests: AtomicU64,
    /// Requests that are being answered, and the most that were at once.
    now: AtomicU64,
    pub(crate) most: AtomicU64,
    /// Bytes of the file.
    pub(crate) sent: AtomicU64,
    /// It answers that it is not there.
    pub(crate) gone: AtomicBool,
}

impl Web {
    /// Serves `file` under any name, as long as the test runs.
    pub(crate) fn serve(file: Vec<u8>) -> Arc<Self> {
        Self::odd(file, ServerQuirk::No)
    }

    #[allow(dead_code, reason = "not every test uses it")]
    pub(crate) fn odd(file: Vec<u8>, odd: ServerQuirk) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let web = Arc::new(Self { file, port, odd, ..Self::default() });
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

    /// The requests since this was asked last, and how many of them were answered at once.
    #[allow(dead_code, reason = "not every test uses it")]
    pub(crate) fn counted(&self) -> (u64, u64) {
        (self.requests.swap(0, Ordering::Relaxed), self.most.swap(0, Ordering::Relaxed))
    }

    fn answer(&self, mut stream: TcpStream) {
        let (mut request, mut byte) = (Vec::new(), [0]);
        while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
            request.push(byte[0]);
        }
        if self.gone.load(Ordering::Relaxed) {
            return refuse(&mut stream, "403 Forbidden");
        }
        let request = String::from_utf8(request).unwrap().to_lowercase();
        let header = |name: &str| {
            let lines = request.lines();
            lines.filter_map(|line| line.split_once(": ")).find(|it| it.0 == name).map(|it| it.1)
        };
        let size = self.file.len();
        let tag = match self.odd {
            ServerQuirk::WeakTag => "ETag: W/\"1\"\r\n",
            ServerQuirk::NoTag | ServerQuirk::BreaksOff => "",
            _ => "ETag: \"1\"\r\n",
        };
        if header("if-match").is_some_and(|wanted| tag != format!("ETag: {wanted}\r\n")) {
            return refuse(&mut stream, "412 Precondition Failed");
        }
        let range = header("range").and_then(|range| range.strip_prefix("bytes="));
        let range = range.filter(|_| self.odd != ServerQuirk::NoRanges);
        let asked = range.map(|range| match range.split_once('-').unwrap() {
            ("", _) if self.odd == ServerQuirk::NoSuffix => None,
            ("", last) => Some((size.saturating_sub(last.parse().unwrap()), size)),
            (start, end) => {
                Some((start.parse().unwrap(), size.min(end.parse::<usize>().unwrap() + 1)))
            }
        });
        let requests = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let Some((start, end)) = asked.unwrap_or(Some((0, size))) else { return };
        let whole =
            asked.is_none() || self.odd == ServerQuirk::WholeIs200 && (start, end) == (0, size);
        let status = if whole {
            "200 OK\r\n".to_owned()
        } else {
            let last = end - 1;
            format!("206 Partial Content\r\nContent-Range: bytes {start}-{last}/{size}\r\n")
        };
        let head = format!(
            "HTTP/1.1 {status}Content-Length: {}\r\n{tag}Connection: close\r\n\
             Last-Modified: Tue, 24 Nov 2026 12:00:00 GMT\r\n\r\n",
            end - start
        );
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // So that two that are asked for at once are seen to be.
        thread::sleep(Duration::from_millis(30));
        self.now.fetch_sub(1, Ordering::SeqCst);
        let breaks = self.odd == ServerQuirk::BreaksOff && requests > 2 && requests % 2 == 1;
        let end = if breaks { start + (end - start) / 2 } else { end };
        self.sent.fetch_add((end - start) as u64, Ordering::Relaxed);
        // A client that has enough hangs up.
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&self.file[start..end]);
    }
}

fn refuse(stream: &mut TcpStream, status: &str) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}
