//! The terminal of this process, whatever its standard streams are.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use super::signals;

const TERMINAL: &str = "/dev/tty";
/// The value that turns a special character off.
const NO_CHARACTER: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// The terminal, which shows the input.
#[derive(Debug)]
pub(crate) struct Terminal(File);

impl Terminal {
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(File::options().read(true).write(true).open(TERMINAL)?))
    }

    /// The next line, without its end.
    pub(crate) fn line(&self) -> io::Result<String> {
        let mut line = String::new();
        BufReader::new(&self.0).read_line(&mut line)?;
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// How a terminal was before it was quiet.
pub(super) struct SavedTerminal {
    terminal: File,
    modes: Termios,
}

impl SavedTerminal {
    pub(super) fn put_right(&self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.modes);
    }
}

/// The terminal, while it does not show the input and gives it as it comes. It gets its modes back
/// when this is dropped, and if a signal ends the process.
#[derive(Debug)]
pub(crate) struct QuietTerminal(File);

impl QuietTerminal {
    /// Nothing where there is no terminal.
    pub(crate) fn new() -> Option<Self> {
        let Terminal(terminal) = Terminal::open().ok()?;
        let kept = terminal.try_clone().ok()?;
        let modes = tcgetattr(&terminal).ok()?;
        let mut quiet = modes.clone();
        // Not by lines: the system cuts them at 4095 bytes, and says nothing.
        quiet.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::IEXTEN;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Control-C ends it, but nothing stops it: later input might be shown.
        quiet.special_codes[SpecialCodeIndex::VSUSP] = NO_CHARACTER;
        let set = signals::undo_later(SavedTerminal { terminal: kept, modes }, || {
            tcsetattr(&terminal, OptionalActions::Now, &quiet)
        });
        let quiet = Self(terminal);
        set.is_ok().then_some(quiet)
    }
}

impl Read for QuietTerminal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for QuietTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for QuietTerminal {
    fn drop(&mut self) {
        signals::undo_now();
    }
}
