//! Questions to the user, at the terminal, whatever standard input and output are.
//!
//! A passphrase comes from a terminal or from a file descriptor (`--passphrase-fd`), never from the
//! command line or the environment, which others can read.

use std::fs::File;
use std::io::{self, Read, Write};

use polyseal_file::Passphrase;
use polyseal_file::age::Callbacks;
use polyseal_file::age::secrecy::SecretString;
use signal_hook::consts::SIGINT;
use zeroize::Zeroizing;

use crate::error::{Failure, Result, shown};
use crate::signals::{self, TerminalKept};

/// Characters that are not mistaken for each other: five bits each.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS: usize = 5;
const GROUP: usize = 4;

/// The passphrase of a file that is to be opened.
pub(crate) fn passphrase() -> polyseal_file::Result<Passphrase> {
    let typed = ask("Passphrase: ").ok_or(polyseal_file::Error::PassphraseNeeded)?;
    Passphrase::new(typed.into_bytes())
}

/// The passphrase for a new file, typed twice or made here.
pub(crate) fn new_passphrase() -> Result<Passphrase> {
    let no_terminal = || {
        Failure::usage("there is no terminal to ask for a passphrase")
            .hint("give it with --passphrase-fd")
    };
    let first = ask("New passphrase (nothing: have one made): ").ok_or_else(no_terminal)?;
    if first.is_empty() {
        let made = random_passphrase()?;
        tell(&format!("The new passphrase is {}", *made))?;
        return Ok(Passphrase::new(made.as_bytes().to_vec())?);
    }
    let second = ask("The new passphrase again: ").ok_or_else(no_terminal)?;
    if *first != *second {
        return Err(Failure::usage("the two passphrases differ").hint("nothing was written"));
    }
    Ok(Passphrase::new(first.into_bytes())?)
}

/// The first line of what the file descriptor `fd` gives.
pub(crate) fn passphrase_from(fd: u32) -> Result<Passphrase> {
    let failure = |error: io::Error| {
        let path = format!("file descriptor {fd}");
        Failure::io("read the passphrase from", path.as_ref(), &error)
    };
    let file = File::open(format!("/dev/fd/{fd}")).map_err(failure)?;
    // As long as any passphrase, an end of line, and a byte to see that it is too long.
    let mut line = Zeroizing::new(vec![0; Passphrase::MAX_BYTES + 3]);
    let mut length = 0;
    let mut file = io::BufReader::with_capacity(1, file);
    while length < line.len() {
        match file.read(&mut line[length..=length]) {
            Ok(0) => break,
            Ok(_) if line[length] == b'\n' => break,
            Ok(_) => length += 1,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failure(e)),
        }
    }
    line.truncate(length);
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Passphrase::new(line)?)
}

/// 100 random bits, in groups that can be copied by hand.
fn random_passphrase() -> Result<Zeroizing<String>> {
    let mut bits = Zeroizing::new([0; GROUPS * GROUP]);
    getrandom::fill(&mut bits[..]).map_err(|_| polyseal_file::Error::Random)?;
    let mut made = Zeroizing::new(String::with_capacity(GROUPS * (GROUP + 1)));
    for group in bits.chunks(GROUP) {
        if !made.is_empty() {
            made.push('-');
        }
        made.extend(group.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])));
    }
    Ok(made)
}

/// What is typed, without showing it; nothing where there is no terminal.
fn ask(question: &str) -> Option<Zeroizing<String>> {
    let kept = TerminalKept::new();
    let typed = rpassword::prompt_password(question).map(Zeroizing::new);
    if typed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
        // Control-C, of which rpassword would die before it has put the terminal right.
        signals::end(SIGINT);
    }
    drop(kept);
    typed.ok()
}

fn tell(text: &str) -> Result {
    let failure = |error| Failure::io("write to", "/dev/tty".as_ref(), &error);
    let mut terminal = File::options().write(true).open("/dev/tty").map_err(failure)?;
    writeln!(terminal, "{text}").map_err(failure)
}

trait IntoBytes {
    fn into_bytes(self) -> Zeroizing<Vec<u8>>;
}

impl IntoBytes for Zeroizing<String> {
    /// Without a copy that stays behind.
    fn into_bytes(mut self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(std::mem::take(&mut *self).into_bytes())
    }
}

/// What age's plugins and encrypted identities ask and say.
#[derive(Clone, Debug)]
pub(crate) struct Terminal;

impl Callbacks for Terminal {
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
        let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        write!(terminal, "{} ", shown(description)).ok()?;
        let mut line = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(terminal), &mut line).ok()?;
        Some(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    fn request_passphrase(&self, description: &str) -> Option<SecretString> {
        let mut typed = ask(&format!("{}: ", shown(description)))?;
        Some(SecretString::from(std::mem::take(&mut *typed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_passphrases_differ_and_can_be_copied() {
        let [a, b] = [(); 2].map(|()| random_passphrase().unwrap());
        assert_ne!(*a, *b);
        assert_eq!(a.split('-').map(str::len).collect::<Vec<_>>(), [GROUP; GROUPS]);
        assert!(a.bytes().all(|b| b == b'-' || ALPHABET.contains(&b)));
    }
}
