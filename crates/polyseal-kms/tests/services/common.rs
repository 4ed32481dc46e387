//! Servers that answer what a test says, and programs that answer as a service does.

use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use polyseal_kms::{Context, Error, Origin, Settings, Uri, WrappedKey};

/// A key in base64.
pub(crate) const KEY_TEXT: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

pub(crate) fn settings_of(variables: &[(&str, &str)]) -> Settings {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let variables: Vec<_> = variables.iter().map(owned).collect();
    Settings::from_variables(move |wanted| {
        let found = variables.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone())
    })
}

pub(crate) fn generate(
    key: &str,
    context: &[&str],
    settings: &Settings,
) -> Result<WrappedKey, Error> {
    let uri = Uri::parse(key, Origin::User).unwrap();
    let context = Context::parse(context.iter().copied()).unwrap();
    WrappedKey::generate(&uri, context, settings).map(|(wrapped, _)| wrapped)
}

pub(crate) fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// A field of the JSON of a request.
pub(crate) fn field(request: &str, name: &str) -> String {
    let body = request.split_once("\r\n\r\n").unwrap().1;
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    body[name].as_str().unwrap_or_default().to_owned()
}

/// Gives these answers by turns, the last again and again.
pub(crate) struct Server {
    pub(crate) endpoint: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(answers: Vec<String>) -> Self {
        Self::answering(move |number, _| answers.get(number).or(answers.last()).unwrap().clone())
    }

    /// Answers what the function makes of a request and of how many came before it.
    pub(crate) fn answering(answer: impl Fn(usize, &str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read(&mut stream);
                let mut requests = kept.lock().unwrap();
                let answer = answer(requests.len(), &request);
                requests.push(request);
                drop(requests);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { endpoint, requests }
    }

    /// All that were made.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> String {
    let mut request = String::new();
    let mut part = [0; 4096];
    loop {
        if let Some((head, body)) = request.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length: ").and_then(|text| text.parse().ok())
            });
            if body.len() >= length.unwrap_or(0) {
                return request;
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return request,
            Ok(length) => request.push_str(str::from_utf8(&part[..length]).unwrap()),
        }
    }
}

/// A program that answers as a service does, until the end of the test.
pub(crate) struct Peer {
    _data: tempfile::TempDir,
    process: Child,
    pub(crate) endpoint: String,
}

impl Peer {
    /// The program that `variable` names. `None`, said aloud, where it is not.
    pub(crate) fn start(
        variable: &str,
        set: impl FnOnce(&mut Command, &Path, u16),
    ) -> Option<Self> {
        let Ok(program) = env::var(variable) else {
            assert!(env::var_os("CI").is_none(), "{variable} is not set");
            eprintln!("not tested: {variable} is not set");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut process = Command::new(program);
        set(&mut process, data.path(), port);
        let process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "{variable} does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { _data: data, process, endpoint: format!("http://127.0.0.1:{port}") })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
