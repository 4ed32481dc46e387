//! The tool on an S3 server that does one thing as a real one does not, or that counts: `make
//! stores` runs them.

#![cfg(unix)]

use crate::common::{Outcome, TestDir, message};
use crate::fake::FakeS3;

const MIB: usize = 1 << 20;

fn run(room: &TestDir, server: &FakeS3, args: &[&str]) -> Outcome {
    Outcome(room.command(args).envs(server.environment()).output().unwrap())
}

/// Another program writes just before an object is replaced: a server that compares keeps that; one
/// that does not is reported.
#[test]
fn a_server_that_does_not_compare_versions_is_told_of() {
    let room = TestDir::new();
    room.run(["keygen", "-o", "k2"], b"").succeeds();
    let (short, long) = (room.seal(&message(1000)), room.seal(&message(12 * MIB)));
    let args = ["rekey", "-k", "k", "--to-key", "k2", "s3://bucket/c"];
    let cases = [(true, false), (true, true), (false, false), (false, true)];
    for ((compares, raced), sealed) in
        cases.iter().flat_map(|case| [(*case, &short), (*case, &long)])
    {
        let server = FakeS3::start(compares);
        server.put(sealed.clone());
        if raced {
            server.race(b"of another program".to_vec());
        }
        let done = run(&room, &server, &args);
        let told = done.errors().contains("does not compare versions");
        assert_eq!(told, !compares, "{}", done.errors());
        assert_eq!(done.0.status.success(), !(compares && raced), "{}", done.errors());
        if compares && raced {
            assert!(done.errors().contains("has been changed meanwhile"), "{}", done.errors());
            assert_eq!(server.object(), b"of another program");
        } else {
            assert!(server.object()[4096..] == sealed[4096..]);
            assert!(server.object() != *sealed);
        }
    }
}

#[test]
fn a_long_object_is_uploaded_in_parts_that_are_large_enough() {
    let (room, server) = (TestDir::new(), FakeS3::start(true));
    room.write("m", &message(40 * MIB));
    run(&room, &server, &["encrypt", "-k", "k", "m", "-o", "s3://bucket/c"]).succeeds();
    let parts = server.parts();
    assert_eq!(parts[..2], [16 * MIB; 2]);
    assert_eq!(parts.iter().sum::<usize>(), server.object().len());
    // From a pipe, whose length nobody knows.
    let mut command = room.command(["encrypt", "-k", "k", "-f", "-o", "s3://bucket/c"]);
    command.envs(server.environment()).stdin(std::fs::File::open(room.path("m")).unwrap());
    Outcome(command.output().unwrap()).succeeds();
    assert_eq!(server.parts()[..2], [16 * MIB; 2]);
    assert!(
        run(&room, &server, &["decrypt", "-k", "k", "s3://bucket/c"]).succeeds()
            == message(40 * MIB)
    );
}
