//! Mounts by the tool, on a real /dev/fuse.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use super::common::{TestDir, cannot, have};

/// A mounted directory or file, until it is dropped.
pub(crate) struct Mounted {
    pub(crate) child: Child,
    pub(crate) at: PathBuf,
    told: BufReader<ChildStderr>,
}

impl Mounted {
    /// Mounts `source` of the room on its directory `plain`; nothing where there is no FUSE.
    pub(crate) fn new(room: &TestDir, args: &[&str], source: &str) -> Option<Self> {
        let args = [&["mount"], args, &[source, "plain"]].concat();
        Self::by(room, room.command(args))
    }

    /// The same by a command, which mounts on that directory.
    pub(crate) fn by(room: &TestDir, mut command: Command) -> Option<Self> {
        let root = rustix::process::geteuid().is_root();
        if File::options().read(true).write(true).open("/dev/fuse").is_err()
            || !(root || have("fusermount3"))
        {
            cannot("there is no /dev/fuse, or no fusermount3");
            return None;
        }
        let at = room.path("plain");
        fs::create_dir(&at).unwrap();
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let told = BufReader::new(child.stderr.take().unwrap());
        let mut mounted = Self { child, at, told };
        let told = mounted.says();
        assert!(told.contains("is mounted"), "{told}");
        Some(mounted)
    }

    /// The next line that it writes to standard error.
    pub(crate) fn says(&mut self) -> String {
        let mut line = String::new();
        self.told.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.at.join(name)
    }

    /// Ends it by a signal; the tool must unmount, and succeed.
    pub(crate) fn end(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let mut told = String::new();
        let ended = self.child.wait().unwrap();
        self.told.read_to_string(&mut told).unwrap();
        assert!(ended.success(), "{told}");
        assert!(fs::read_dir(&self.at).unwrap().next().is_none(), "it is still mounted");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // After a failed test.
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = Command::new("umount").arg("-l").arg(&self.at).status();
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
