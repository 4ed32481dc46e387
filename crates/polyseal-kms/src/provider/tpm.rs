//! The TPM 2.0 of this machine, through the programs of tpm2-tools.
//!
//! Source: TPM 2.0 Library, part 1, "Protected Storage"; the template of the parent is that of the
//! TCG's "TPM v2.0 Provisioning Guidance", 7.5.1, on P-256. `tpm:` wraps by a parent that is made
//! anew each time from the seed of the owner hierarchy; `tpm:handle=0x81000001` by one that is
//! there.
//!
//! A wrapped key is the version 1 (a byte), then the public and the private part of the sealed
//! object, each as tpm2-tools writes it after its length in bytes (two bytes, big-endian).
//!
//! Security claim: the key goes to the programs and comes from them by pipes. The files that they
//! write are in a directory that only the user can enter, hold what is public or wrapped, and are
//! removed. Only the TPM that wrapped a key unwraps it, until its owner hierarchy is cleared.
//!
//! Limits: every program that may use the TPM can unwrap: no PCR and no password is asked for. On
//! the bus between the processor and the TPM the key is in the clear. The encryption context is
//! bound to the key by the file's check value alone. Without a resource manager (`/dev/tpmrm0`)
//! only one program at a time may use the TPM.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use polyseal_file::Key;
use tempfile::TempDir;
use zeroize::Zeroizing;

use super::programs::{Ended, Program};
use super::{Blob, Kms};
use crate::{Context, Problem, Result, Settings, Uri};

const LIMIT: Duration = Duration::from_secs(30);

/// How the programs find the TPM.
const VARIABLES: [&str; 1] = ["TPM2TOOLS_TCTI"];

/// How what is wrapped begins.
const VERSION: u8 = 1;

/// The longest part of a sealed object, in bytes: such a one has less than 300.
const MAX_PART_BYTES: usize = 2048;

/// The parent, by the seed and this alone: with one word changed, it is another.
const PARENT: [&str; 8] = [
    "-C",
    "o",
    "-g",
    "sha256",
    "-G",
    "ecc256:null:aes128cfb",
    "-a",
    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt",
];

/// The attributes of the sealed object: it can only be unsealed, here.
const SEALED: &str = "fixedtpm|fixedparent|userwithauth|noda";

type Meaning = fn(String) -> Problem;

/// The messages of failed programs: of which program, a part of the message, and its meaning. They
/// are those of the response codes of TPM 2.0 Library, part 2.
const ANSWERS: [(&str, &str, Meaning); 8] = [
    ("tpm2_", "Could not load tcti", Problem::Unreachable),
    ("tpm2_", "out of memory for object contexts", Problem::Unreachable),
    ("tpm2_", "the handle is not correct for the use", Problem::NotFound),
    ("tpm2_", "authorization failure", Problem::Denied),
    ("tpm2_", "DA lockout mode", Problem::Denied),
    // The TPM finds a fault in the object; the next two: tpm2-tools do.
    ("tpm2_load", "tpm:parameter(", Problem::Refused),
    ("tpm2_load", "mu:", Problem::Refused),
    ("tpm2_load", " data structure", Problem::Refused),
];

struct Tpm {
    parent: Option<String>,
    programs: Vec<(&'static str, Program)>,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    if let Some(name) = uri.attribute_names().find(|&name| name != "handle") {
        return Err(Problem::Uri(format!("it has {name}, and a TPM's has only handle")).into());
    }
    let parent = uri.attribute("handle").map(handle).transpose()?;
    let names = [
        "tpm2_create",
        "tpm2_createprimary",
        "tpm2_flushcontext",
        "tpm2_getcap",
        "tpm2_load",
        "tpm2_unseal",
    ];
    let find = |name| Ok((name, Program::find(name, "tpm2-tools", &VARIABLES, LIMIT, settings)?));
    let programs = names.into_iter().map(find).collect::<Result<_>>()?;
    Ok(Box::new(Tpm { parent, programs }))
}

/// A handle of a persistent object.
fn handle(text: &str) -> Result<String> {
    let digits = text.strip_prefix("0x81").unwrap_or_default();
    match digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(text.to_owned()),
        false => Err(Problem::Uri("handle is 0x81 and six hexadecimal digits".to_owned()).into()),
    }
}

impl Kms for Tpm {
    fn wrap(&self, key: &Key, _: &Context) -> Result<Blob> {
        let work = Work::start(self)?;
        let parent = work.parent()?;
        let create = ["-Q", "-C", parent, "-g", "sha256", "-a", SEALED, "-i", "-"];
        let create = [&create[..], &["-u", "public", "-r", "private"]].concat();
        work.run("tpm2_create", &create, key.reveal())?;
        let mut bytes = vec![VERSION];
        for name in ["public", "private"] {
            let part = work.part(name)?;
            let length = u16::try_from(part.len()).map_err(|_| nonsense())?;
            bytes.extend(length.to_be_bytes());
            bytes.extend(part);
        }
        Ok(Blob { bytes, key_id: None })
    }

    fn unwrap(&self, wrapped: &[u8], _: &Context) -> Result<Key> {
        let [public, private] = parts(wrapped)
            .ok_or_else(|| Problem::Refused("it is no object of a TPM".to_owned()))?;
        let work = Work::start(self)?;
        work.put("public", public)?;
        work.put("private", private)?;
        let parent = work.parent()?;
        let load = ["-Q", "-C", parent, "-u", "public", "-r", "private", "-c", "object"];
        work.run("tpm2_load", &load, b"")?;
        let key = work.run("tpm2_unseal", &["-c", "object"], b"")?;
        let key = <&[u8; 32]>::try_from(&key[..]).map_err(|_| nonsense())?;
        Ok(Key::from_bytes(key))
    }
}

/// One use of the TPM: its files, and the objects in the TPM before.
struct Work<'a> {
    tpm: &'a Tpm,
    directory: TempDir,
    before: Vec<String>,
}

impl<'a> Work<'a> {
    fn start(tpm: &'a Tpm) -> Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let directory = builder.prefix("polyseal-tpm-").tempdir().map_err(no_file)?;
        let mut work = Self { tpm, directory, before: Vec::new() };
        work.before = work.loaded()?;
        Ok(work)
    }

    /// The argument that stands for the parent.
    fn parent(&self) -> Result<&'a str> {
        match &self.tpm.parent {
            Some(handle) => Ok(handle),
            None => {
                let create = [&["-Q"][..], &PARENT, &["-c", "parent"]].concat();
                self.run("tpm2_createprimary", &create, b"")?;
                Ok("parent")
            }
        }
    }

    /// Runs a program, then removes from the TPM the objects that it left there: it has room for
    /// three. Those that are still needed are in a file, wrapped.
    fn run(&self, name: &str, args: &[&str], input: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let ended = self.end(name, args, input);
        let flushed = self.flush();
        let out = good(name, ended?)?;
        flushed.map(|()| out)
    }

    fn end(&self, name: &str, args: &[&str], input: &[u8]) -> Result<Ended> {
        let found = self.tpm.programs.iter().find(|(other, _)| *other == name);
        let (_, program) = found.ok_or_else(nonsense)?;
        program.run(self.directory.path(), args, input)
    }

    fn flush(&self) -> Result<()> {
        for handle in self.loaded()?.iter().filter(|handle| !self.before.contains(handle)) {
            let name = "tpm2_flushcontext";
            good(name, self.end(name, &[handle], b"")?)?;
        }
        Ok(())
    }

    /// The objects that are in the TPM. A resource manager shows none of other programs.
    fn loaded(&self) -> Result<Vec<String>> {
        let name = "tpm2_getcap";
        let out = good(name, self.end(name, &["handles-transient"], b"")?)?;
        let text = String::from_utf8_lossy(&out);
        let handles = text.lines().filter_map(|line| line.trim().strip_prefix("- "));
        Ok(handles.filter(|handle| handle.starts_with("0x80")).map(str::to_owned).collect())
    }

    fn path(&self, name: &str) -> impl AsRef<Path> {
        self.directory.path().join(name)
    }

    fn part(&self, name: &str) -> Result<Vec<u8>> {
        let mut part = Vec::new();
        let mut file = fs::File::open(self.path(name)).map_err(no_file)?;
        let limit = MAX_PART_BYTES as u64 + 1;
        file.by_ref().take(limit).read_to_end(&mut part).map_err(no_file)?;
        match part.len() {
            1..=MAX_PART_BYTES => Ok(part),
            _ => Err(nonsense().into()),
        }
    }

    fn put(&self, name: &str, part: &[u8]) -> Result<()> {
        fs::write(self.path(name), part).map_err(|error| no_file(error).into())
    }
}

/// The public and the private part.
fn parts(wrapped: &[u8]) -> Option<[&[u8]; 2]> {
    let (&VERSION, rest) = wrapped.split_first()? else { return None };
    let (public, rest) = part(rest)?;
    let (private, rest) = part(rest)?;
    rest.is_empty().then_some([public, private])
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let good = (1..=MAX_PART_BYTES).contains(&length);
    good.then(|| rest.split_at_checked(length)).flatten()
}

/// The output of a program, if it succeeded.
fn good(program: &str, ended: Ended) -> Result<Zeroizing<Vec<u8>>> {
    if ended.good {
        return Ok(ended.out);
    }
    let is_said = |(of, marker, _): &&(&str, &str, _)| {
        program.starts_with(of) && ended.words.contains(marker)
    };
    let known = ANSWERS.iter().find(is_said).map(|&(_, marker, problem)| (marker, problem));
    let (marker, problem) = known.unwrap_or(("tpm:", Problem::Service));
    Err(problem(ended.said(marker)).into())
}

fn nonsense() -> Problem {
    Problem::Service("tpm2-tools gave what is no sealed key".to_owned())
}

#[allow(clippy::needless_pass_by_value)]
fn no_file(error: std::io::Error) -> Problem {
    Problem::Service(format!("a temporary file: {}", polyseal_file::reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame() {
        let whole = [1, 0, 2, 7, 8, 0, 1, 9];
        assert_eq!(parts(&whole), Some([&[7, 8][..], &[9]]));
        for end in 0..whole.len() {
            assert_eq!(parts(&whole[..end]), None, "{end}");
        }
        for other in [&[2, 0, 1, 7, 0, 1, 9][..], &[1, 0, 1, 7, 0, 1, 9, 9], &[1, 0, 0, 0, 1, 9]] {
            assert_eq!(parts(other), None, "{other:?}");
        }
        let mut long = vec![1, 8, 1];
        long.resize(3 + 2049, 0);
        long.extend([0, 1, 9]);
        assert_eq!(parts(&long), None);
    }

    #[test]
    fn handles() {
        assert_eq!(handle("0x8100aF01").unwrap(), "0x8100aF01");
        for text in ["", "0x81", "0x81000001 ", "0x80000001", "81000001", "0x8100000g", "-C"] {
            assert!(handle(text).is_err(), "{text}");
        }
    }
}
