//! The tool on `gs:` and `az:`, with servers on this machine that speak as Google's and Azure's do:
//! `make test-all ONLY=stores` builds and names them (`POLYSEAL_FAKE_GCS`, `POLYSEAL_AZURITE`).
//!
//! Limits: `fake-gcs-server` does not take an object as `object_store` writes it, so there objects
//! are only read and listed. Azurite does all of it.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{Outcome, TestDir, message};
use crate::updates::{GRAIN, counts};

/// Makes a container, which the tool does not.
const CONTAINER: &str = include_str!("common/container.js");

struct Server {
    process: Child,
    port: u16,
    variables: Vec<(&'static str, String)>,
}

impl Server {
    fn start(command: &mut Command, port: u16, variables: Vec<(&'static str, String)>) -> Self {
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { process, port, variables };
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not listen");
    }

    fn azure() -> Self {
        let (program, port) = (program("POLYSEAL_AZURITE"), free_port());
        let variables = vec![
            ("AZURE_STORAGE_USE_EMULATOR", "true".to_owned()),
            ("AZURITE_BLOB_STORAGE_URL", format!("http://127.0.0.1:{port}")),
        ];
        let text = port.to_string();
        let options = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobPort"];
        let mut command = Command::new("node");
        command.arg(program).args(options).arg(&text);
        let server = Self::start(&mut command, port, variables);
        let made = Command::new("node").args(["-e", CONTAINER, &text]).status().unwrap();
        assert!(made.success());
        server
    }

    fn google() -> Self {
        let (program, port) = (program("POLYSEAL_FAKE_GCS"), free_port());
        let (text, url) = (port.to_string(), format!("http://127.0.0.1:{port}"));
        let account = format!(
            "{{\"gcs_base_url\":\"{url}\",\"disable_oauth\":true,\"client_email\":\"\",\
             \"private_key\":\"\",\"private_key_id\":\"\"}}"
        );
        let variables =
            vec![("GOOGLE_SERVICE_ACCOUNT_KEY", account), ("GOOGLE_ALLOW_HTTP", "true".to_owned())];
        let mut command = Command::new(program);
        command.args(["-scheme", "http", "-backend", "memory", "-host", "127.0.0.1"]);
        // By another host it means a bucket.
        command.args(["-port", &text, "-public-host", &url[7..]]);
        let server = Self::start(&mut command, port, variables);
        server.post("/storage/v1/b?project=p", b"{\"name\":\"bucket\"}");
        server
    }

    fn post(&self, path: &str, body: &[u8]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    }

    fn run(&self, room: &TestDir, args: &[&str]) -> Outcome {
        let mut command = room.command(args);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Outcome(command.output().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program(variable: &str) -> String {
    std::env::var(variable).expect("see `make test-all ONLY=stores`")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn objects_of_azure_are_written_read_and_rekeyed() {
    let (room, server) = (TestDir::new(), Server::azure());
    room.run(["keygen", "-o", "k2"], b"").succeeds();
    for (bytes, key) in [(0, "d/empty"), (1000, "a%20b #?x"), (40 << 20, "d/long")] {
        let (text, url) = (message(bytes), format!("az://bucket/{key}"));
        room.write("m", &text);
        let args = ["encrypt", "-k", "k", "m", "-o", &url];
        server.run(&room, &args).succeeds();
        server.run(&room, &args).fails(2, "already exists");
        assert!(server.run(&room, &["decrypt", "-k", "k", &url]).succeeds() == text);
        if bytes > 0 {
            let part = server.run(&room, &["cat", "-k", "k", &url, "--range", "7-99"]);
            assert!(part.succeeds() == text[7..100]);
        }
        let rekeyed = server.run(&room, &["rekey", "-k", "k", "--to-key", "k2", &url]);
        if bytes > 5 << 20 {
            rekeyed.fails(2, "its store copies no parts of objects");
        } else {
            assert!(rekeyed.0.status.success(), "{}", rekeyed.errors());
            assert!(server.run(&room, &["decrypt", "-k", "k2", &url]).succeeds() == text);
        }
    }
    server.run(&room, &["verify", "-k", "k", "az://bucket/none"]).fails(1, "no such object");
}

#[test]
fn a_tree_in_azure_is_updated() {
    let (room, server) = (TestDir::new(), Server::azure());
    fs::create_dir_all(room.path("d/a")).unwrap();
    for (name, bytes) in [("d/one", 3), ("d/a/long", 3 << 20), ("d/gone", 7)] {
        room.write(name, &message(bytes));
    }
    thread::sleep(GRAIN);
    let update = || {
        let update = ["encrypt", "-k", "k", "--recursive", "--update", "d", "-o", "az://bucket/s"];
        let mut command = room.command(update);
        command.envs(server.variables.iter().map(|(name, value)| (name, value)));
        command.env("XDG_STATE_HOME", room.path("state-home"));
        let told = Outcome(command.output().unwrap()).succeeds();
        counts(&String::from_utf8(told).unwrap())
    };
    assert_eq!((update(), update()), ([3, 0, 0], [0, 3, 0]));
    room.write("d/a/long", &message(4 << 20));
    fs::remove_file(room.path("d/gone")).unwrap();
    assert_eq!(update(), [1, 1, 1]);
    server.run(&room, &["verify", "-k", "k", "--recursive", "az://bucket/s"]).succeeds();
    let decrypt = ["decrypt", "-k", "k", "--recursive", "az://bucket/s", "-o", "out"];
    server.run(&room, &decrypt).succeeds();
    assert!(room.read("out/a/long") == message(4 << 20));
    assert!(!room.path("out/gone").exists());
}

#[test]
fn objects_of_google_are_read() {
    let (room, server) = (TestDir::new(), Server::google());
    for (bytes, key, name) in
        [(0, "d/empty", "d/empty"), (1000, "a%20b #?x", "a%2520b%20%23%3Fx"), (3_000_000, "l", "l")]
    {
        let (text, url) = (message(bytes), format!("gs://bucket/{key}"));
        let path = format!("/upload/storage/v1/b/bucket/o?uploadType=media&name={name}");
        server.post(&path, &room.seal(&text));
        assert!(server.run(&room, &["decrypt", "-k", "k", &url]).succeeds() == text);
        if bytes > 0 {
            let part = server.run(&room, &["cat", "-k", "k", &url, "--range", "7-99"]);
            assert!(part.succeeds() == text[7..100]);
        }
    }
    server.run(&room, &["verify", "-k", "k", "gs://bucket/none"]).fails(1, "no such object");
}
