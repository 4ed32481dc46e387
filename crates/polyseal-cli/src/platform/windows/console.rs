//! The console of this process, whatever its standard streams are.
//!
//! Input comes as keys, not by the code page of the console, which has few characters.

use std::fs::File;
use std::io::{self, Read, Write};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use zeroize::Zeroizing;

use super::signals;

const OUTPUT: &str = "CONOUT$";

/// The console, which shows the input.
#[derive(Debug)]
pub(crate) struct Terminal(File);

impl Terminal {
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(File::options().read(true).write(true).open(OUTPUT)?))
    }

    /// The next line, without its end.
    pub(crate) fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        let _quiet = RawMode::begin()?;
        loop {
            match next_key()? {
                Key::End => break,
                Key::Character(it) => {
                    line.push(it);
                    write!(self, "{it}")?;
                }
                Key::Control(0x08) => {
                    if line.pop().is_some() {
                        self.write_all(b"\x08 \x08")?;
                    }
                }
                Key::Control(_) => {}
            }
        }
        self.write_all(b"\r\n")?;
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

/// That keys come one by one, and are not shown.
#[derive(Debug)]
struct RawMode;

impl RawMode {
    fn begin() -> io::Result<Self> {
        enable_raw_mode()?;
        Ok(Self)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}

enum Key {
    End,
    Character(char),
    /// By the number that a terminal of Unix sends for it.
    Control(u8),
}

/// Control-C ends the process.
fn next_key() -> io::Result<Key> {
    loop {
        let Event::Key(KeyEvent { code, modifiers, kind, .. }) = event::read()? else { continue };
        if kind == KeyEventKind::Release {
            continue;
        }
        // With both, it is a character of some keyboards.
        let is_control =
            modifiers.contains(KeyModifiers::CONTROL) && !modifiers.contains(KeyModifiers::ALT);
        match code {
            KeyCode::Char('c' | 'C') if is_control => {
                let _ = disable_raw_mode();
                signals::end();
            }
            KeyCode::Char(it) if is_control => {
                let number = u8::try_from(it.to_ascii_lowercase()).unwrap_or_default() & 0x1f;
                // Control-Z ends a file here.
                return Ok(Key::Control(if number == 0x1a { 0x04 } else { number }));
            }
            KeyCode::Char(it) => return Ok(Key::Character(it)),
            KeyCode::Enter => return Ok(Key::End),
            KeyCode::Backspace => return Ok(Key::Control(0x08)),
            _ => {}
        }
    }
}

/// The console, while it does not show the input and gives it as it comes.
#[derive(Debug)]
pub(crate) struct QuietTerminal {
    output: Terminal,
    /// Unread bytes of the last character.
    left: Zeroizing<Vec<u8>>,
    _raw: RawMode,
}

impl QuietTerminal {
    /// Nothing where there is no console.
    pub(crate) fn new() -> Option<Self> {
        let output = Terminal::open().ok()?;
        Some(Self {
            output,
            left: Zeroizing::new(Vec::with_capacity(4)),
            _raw: RawMode::begin().ok()?,
        })
    }
}

impl Read for QuietTerminal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() && !buffer.is_empty() {
            let mut encoded = Zeroizing::new([0; 4]);
            match next_key()? {
                Key::End => self.left.push(b'\n'),
                Key::Control(number) => self.left.push(number),
                Key::Character(it) => {
                    self.left.extend(it.encode_utf8(&mut encoded[..]).bytes().rev());
                }
            }
        }
        let mut taken = 0;
        while let (Some(place), Some(byte)) = (buffer.get_mut(taken), self.left.pop()) {
            *place = byte;
            taken += 1;
        }
        Ok(taken)
    }
}

impl Write for QuietTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
