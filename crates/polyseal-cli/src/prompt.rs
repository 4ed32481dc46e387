//! Questions to the user, at the terminal, whatever standard input and output are.
//!
//! A passphrase comes from a terminal or from a file descriptor (`--passphrase-fd`), never from the
//! command line or the environment, which others can read.

use std::fs::File;
use std::io::{self, Read, Write};

use polyseal_file::age::Callbacks;
use polyseal_file::{Passphrase, SecretText};
use zeroize::Zeroizing;

use crate::error::{Code, Failure, Result, shown};
use crate::platform::{self, QuietTerminal, Terminal};
use crate::streams::expect_unread;

/// Characters that are not mistaken for each other: five bits each.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS: usize = 5;
const GROUP: usize = 4;

/// The passphrase of a file that is to be opened.
pub(crate) fn passphrase() -> polyseal_file::Result<Passphrase> {
    match ask("Passphrase: ")? {
        Asked::Typed(typed) => Passphrase::new(typed),
        Asked::NoTerminal => Err(polyseal_file::Error::PassphraseNeeded),
        Asked::Ended => Err(refused(Code::NoKey, "no passphrase was typed")),
    }
}

/// The answer to a question about a new file's passphrase.
fn typed_for(question: &str) -> Result<SecretText> {
    match ask(question)? {
        Asked::Typed(typed) => Ok(typed),
        Asked::Ended => Err(Failure::usage("no passphrase was typed").hint("nothing was written")),
        Asked::NoTerminal => Err(Failure::usage("there is no terminal to ask for a passphrase")
            .hint("give it with --passphrase-fd")),
    }
}

/// The passphrase for a new file, typed twice or made here.
pub(crate) fn new_passphrase() -> Result<Passphrase> {
    let first = typed_for("New passphrase (leave empty to have one made): ")?;
    if first.reveal().is_empty() {
        let made = random_passphrase()?;
        tell("The new passphrase is ", made.reveal())?;
        return Ok(Passphrase::new(made)?);
    }
    let second = typed_for("Repeat the new passphrase: ")?;
    if first.reveal() != second.reveal() {
        return Err(Failure::usage("the two passphrases differ").hint("nothing was written"));
    }
    Ok(Passphrase::new(first)?)
}

pub(crate) fn descriptor_failure(fd: u32, error: &io::Error) -> Failure {
    Failure::io("read the passphrase from", format!("file descriptor {fd}").as_ref(), error)
}

/// Nobody has given the descriptor.
pub(crate) fn not_given(fd: u32) -> Failure {
    descriptor_failure(fd, &platform::not_given())
}

/// The input of the file descriptor `fd`, from its present position.
pub(crate) fn descriptor(fd: u32) -> Result<File> {
    let file = platform::given(fd).map_err(|error| descriptor_failure(fd, &error))?;
    expect_unread(&file, fd == 0, format_args!("the passphrase from file descriptor {fd}"))?;
    Ok(file)
}

/// The next line of `file`, which the file descriptor `fd` is; and not a byte more is taken.
pub(crate) fn passphrase_from(fd: u32, file: &mut File) -> Result<Passphrase> {
    let line = next_line(file).map_err(|error| descriptor_failure(fd, &error))?;
    Ok(Passphrase::new(line)?)
}

/// The next line, without its end; too long a one is cut where it is seen to be.
pub(crate) fn next_line(file: &mut File) -> io::Result<Zeroizing<Vec<u8>>> {
    // As long as any passphrase, an end of line, and a byte to see that it is too long.
    let mut line = Zeroizing::new(vec![0; Passphrase::MAX_BYTES + 3]);
    let (mut length, mut ended) = (0, false);
    while length < line.len() {
        match file.read(&mut line[length..=length]) {
            Ok(0) => break,
            Ok(_) if line[length] == b'\n' => {
                ended = true;
                break;
            }
            Ok(_) => length += 1,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    line.truncate(length);
    // Alone, it is a character like others.
    if ended && line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(line)
}

/// Asks for a secret of a keeper of keys, by its name `what`.
pub(crate) fn secret(what: &str) -> Option<SecretText> {
    ask(&format!("{}: ", shown(what))).ok().and_then(Asked::typed)
}

/// 100 random bits, in groups that can be copied by hand.
fn random_passphrase() -> Result<SecretText> {
    let mut bits = Zeroizing::new([0; GROUPS * GROUP]);
    getrandom::fill(&mut bits[..]).map_err(|_| polyseal_file::Error::Random)?;
    let mut made = Zeroizing::new(String::with_capacity(GROUPS * (GROUP + 1)));
    for group in bits.chunks(GROUP) {
        if !made.is_empty() {
            made.push('-');
        }
        made.extend(group.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])));
    }
    Ok(made.into())
}

/// The outcome of a question.
enum Asked {
    /// A line, which may be empty.
    Typed(SecretText),
    /// The end of the file, Ctrl-D, or a terminal that went away.
    Ended,
    /// Nobody to ask.
    NoTerminal,
}

impl Asked {
    fn typed(self) -> Option<SecretText> {
        match self {
            Self::Typed(typed) => Some(typed),
            Self::Ended | Self::NoTerminal => None,
        }
    }
}

/// Asks for a line, which is not shown while it is typed.
fn ask(question: &str) -> polyseal_file::Result<Asked> {
    let Some(mut terminal) = QuietTerminal::new() else { return Ok(Asked::NoTerminal) };
    let line = terminal.write_all(question.as_bytes()).and_then(|()| line(&mut terminal));
    // The terminal has not shown the end of the line, either.
    let _ = terminal.write_all(b"\n");
    line.ok().flatten().map_or(Ok(Asked::Ended), |line| text(&line).map(Asked::Typed))
}

/// A refused answer, to pass through the library.
fn refused(code: Code, why: &str) -> polyseal_file::Error {
    let failure = Failure::new(code, why).hint("type it again, or give it with --passphrase-fd");
    polyseal_file::Error::Io { what: "read the passphrase", source: io::Error::other(failure) }
}

/// One byte more than a passphrase may have, so that a longer one is seen to be too long.
const LONGEST: usize = Passphrase::MAX_BYTES + 1;
const END_OF_FILE: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const ERASE_WORD: u8 = 0x17;
const ERASE_LINE: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// The typed line, as it was edited; `None` at the end of the file. The buffer has its final size
/// from the start: growing would leave copies behind.
fn line(mut terminal: impl Read) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut byte = Zeroizing::new([0]);
    loop {
        match terminal.read(&mut byte[..]) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        }
        match byte[0] {
            b'\n' | b'\r' => return Ok(Some(line)),
            END_OF_FILE if line.is_empty() => return Ok(None),
            END_OF_FILE => {}
            ERASE_LINE => line.clear(),
            _ if line.len() == LONGEST => {}
            // The continuation bytes of a character go with its first byte.
            BACKSPACE | DELETE => while line.pop().is_some_and(|b| b & 0xc0 == 0x80) {},
            ERASE_WORD => {
                let word = line.trim_ascii_end();
                let start = word.iter().rposition(|&b| b == b' ').map_or(0, |at| at + 1);
                line.truncate(start);
            }
            byte => line.push(byte),
        }
    }
}

/// The line as text, such as every terminal sends it: with characters that only one sends, another
/// could not open the file.
fn text(line: &[u8]) -> polyseal_file::Result<SecretText> {
    if line.len() == LONGEST {
        return Err(polyseal_file::Error::Passphrase);
    }
    let typed = std::str::from_utf8(line)
        .map_err(|_| refused(Code::Usage, "the terminal does not send UTF-8"))?;
    if typed.contains(char::is_control) {
        return Err(refused(Code::Usage, "the input has a control character"));
    }
    Ok(typed.to_owned().into())
}

/// Without a copy that stays behind.
fn tell(what: &str, secret: &str) -> Result {
    let failure = |error| Failure::io("write to", "the terminal".as_ref(), &error);
    let mut terminal = Terminal::open().map_err(failure)?;
    let parts = [what, secret, "\n"];
    parts.iter().try_for_each(|part| terminal.write_all(part.as_bytes())).map_err(failure)
}

/// The questions and messages of age's plugins and encrypted identities.
#[derive(Clone, Debug)]
pub(crate) struct TerminalCallbacks;

impl Callbacks for TerminalCallbacks {
    fn display_message(&self, message: &str) {
        let _ = writeln!(io::stderr(), "polyseal: {}", shown(message));
    }

    fn confirm(&self, message: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let no = no.map(|no| format!(", 2: {no}")).unwrap_or_default();
        let question = format!("{} [1: {}{}] ", shown(message), shown(yes), shown(&no));
        match self.request_public_string(&question)?.trim() {
            "1" => Some(true),
            "2" => Some(false),
            _ => None,
        }
    }

    fn request_public_string(&self, description: &str) -> Option<String> {
        let mut terminal = Terminal::open().ok()?;
        write!(terminal, "{} ", shown(description)).ok()?;
        terminal.line().ok()
    }

    fn request_passphrase(&self, description: &str) -> Option<SecretText> {
        match ask(&format!("{}: ", shown(description))) {
            Ok(asked) => asked.typed(),
            Err(error) => {
                Failure::from(error).tell();
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed() {
        let typed = |bytes: &[u8]| line(bytes).unwrap().map(|line| text(&line).ok());
        let is = |bytes: &[u8], text: &str| {
            assert_eq!(typed(bytes).unwrap().unwrap().reveal(), text, "{bytes:x?}");
        };
        is(b"attack at dawn\nmore", "attack at dawn");
        is(b"\r", "");
        is("gr\u{fc}\u{df}\u{5bc6}e\n".as_bytes(), "gr\u{fc}\u{df}\u{5bc6}e");
        is("gr\u{fc}\u{5bc6}\x7f\x08\x04\n".as_bytes(), "gr");
        is(b"\x7f\x7fx\x15attack  at  dawn \x17\n", "attack  at  ");
        is(b"attack\x17\n", "");
        is(b"\x1b\x7fx\n", "x");
        let full = [b'x'; Passphrase::MAX_BYTES];
        assert_eq!(
            typed(&[&full[..], b"\n"].concat()).unwrap().unwrap().reveal().len(),
            full.len()
        );
        for nothing in [&b""[..], b"\x04", b"x"] {
            assert!(typed(nothing).is_none(), "{nothing:x?}");
        }
        let long = [&full[..], b"xx\x7f\x7f\x7f\n"].concat();
        for refused in [&b"\xff\n"[..], b"\xe2\x82\n", b"\x1b[A\n", b"\t\n", b"\xc2\x9b\n", &long] {
            assert!(typed(refused).unwrap().is_none(), "{refused:x?}");
        }
    }

    #[test]
    fn made_passphrases_differ_and_can_be_copied() {
        let [a, b] = [(); 2].map(|()| random_passphrase().unwrap());
        let [a, b] = [a.reveal(), b.reveal()];
        assert_ne!(a, b);
        assert_eq!(a.split('-').map(str::len).collect::<Vec<_>>(), [GROUP; GROUPS]);
        assert!(a.bytes().all(|b| b == b'-' || ALPHABET.contains(&b)));
    }
}
