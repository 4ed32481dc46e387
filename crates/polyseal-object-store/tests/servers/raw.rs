//! A server that answers by whatever bytes it is told to.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request, with its number among those of this server.
pub(crate) struct Request {
    pub(crate) number: usize,
    /// The request line and the headers.
    pub(crate) head: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &&str| line.to_ascii_lowercase().starts_with(&format!("{name}:"));
        let line = self.head.lines().find(named)?;
        line.split_once(':').map(|(_, value)| value.trim())
    }

    fn read(number: usize, from: &mut BufReader<TcpStream>) -> io::Result<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let request = Self { number, head };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        io::copy(&mut from.take(length.unwrap_or(0)), &mut io::sink())?;
        Ok(request)
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server whose connections have one request each. A failed write means that the
    /// client wanted no more.
    pub(crate) fn start(
        answer: impl Fn(&Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (answer, noted) = (Arc::new(answer), Arc::clone(&heads));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (answer, noted) = (Arc::clone(&answer), Arc::clone(&noted));
                thread::spawn(move || {
                    let mut connection = connection?;
                    let mut reader = BufReader::new(connection.try_clone()?);
                    let mut request = Request::read(0, &mut reader)?;
                    {
                        let mut heads = noted.lock().unwrap();
                        request.number = heads.len();
                        heads.push(request.head.clone());
                    }
                    answer(&request, &mut connection)
                });
            }
        });
        Self { port, heads }
    }

    /// One that says the same always.
    pub(crate) fn saying(head: &str, body: impl AsRef<[u8]>) -> Self {
        let answer = [head.as_bytes(), b"\r\nConnection: close\r\n\r\n", body.as_ref()].concat();
        Self::start(move |_, out| out.write_all(&answer))
    }

    /// The requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// The headers of an object's answer, beside its length and its range.
pub(crate) const OBJECT: &str = "ETag: \"1\"\r\nLast-Modified: Wed, 25 Nov 2026 10:00:00 GMT";

/// Writes zeros until nobody reads them, or for far too long, and says how many were written.
pub(crate) fn endless(out: &mut TcpStream, in_chunks: bool) -> usize {
    let mut piece = vec![0; 1 << 16];
    if in_chunks {
        piece = [&b"10000\r\n"[..], &piece, b"\r\n"].concat();
    }
    let mut written = 0;
    while written < 1 << 28 && out.write_all(&piece).is_ok() {
        written += piece.len();
    }
    written
}
