//! Versity's gateway over a folder of its own, on a free port of this machine.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

const USER: &str = "polyseal";
const SECRET: &str = "only-for-tests";

pub(crate) struct Server {
    process: Child,
    port: u16,
    objects: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let program = std::env::var("POLYSEAL_VERSITYGW").expect("see `make test-all ONLY=stores`");
        let objects = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // Metadata are extended attributes, which change together with the object. In a folder
        // beside it (`--sidecar`), readers get the ETag of one version and the bytes of another.
        let mut process = Command::new(program)
            .args(["--quiet", "--access", USER, "--secret", SECRET])
            .args(["--port", &format!("127.0.0.1:{port}")])
            .args(["posix"])
            .arg(objects.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Self { process, port, objects };
            }
            let ended = process.try_wait().unwrap().is_some();
            assert!(!ended, "the server does not run: are there extended attributes in TMPDIR?");
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not listen");
    }

    /// Its folder, in which buckets are folders and objects files.
    pub(crate) fn folder(&self) -> &Path {
        self.objects.path()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The variables that a program needs to use this server.
    pub(crate) fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", USER.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ]
    }

    pub(crate) fn bucket(&self, name: &str) {
        std::fs::create_dir(self.objects.path().join(name)).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
