//! A directory, and a bucket of a real S3 server.

use std::path::PathBuf;
use std::process::Command;

use crate::common::{Outcome, TestDir};
use crate::server::Server;

pub(crate) struct BucketFixture {
    pub(crate) room: TestDir,
    pub(crate) server: Server,
}

impl BucketFixture {
    pub(crate) fn new() -> Self {
        let (room, server) = (TestDir::new(), Server::start());
        server.bucket("bucket");
        Self { room, server }
    }

    /// The tool, which uses that server.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.room.command(args);
        command.envs(self.server.environment());
        // No test has another's state.
        command.env("XDG_STATE_HOME", self.room.path("state-home"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome(self.command(args).output().unwrap())
    }

    /// The server's file for `key`, or its folder.
    pub(crate) fn stored(&self, key: &str) -> PathBuf {
        self.server.folder().join("bucket").join(key)
    }
}
