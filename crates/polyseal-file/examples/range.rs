//! Prints a part of an encrypted file, of which only that part is read and verified.
//!
//!     cargo run -p polyseal-file --example range -- KEYFILE FILE.polyseal 1000 80

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};

use polyseal_file::{Decryptor, Identities, Key};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    let [key, file, from, bytes] = &args[..] else {
        return Err("usage: range KEYFILE FILE FROM BYTES".into());
    };
    let identities = Identities::from(&Key::parse(&fs::read(key)?)?);
    let mut reader = Decryptor::new(&identities).reader(File::open(file)?)?;
    reader.seek(SeekFrom::Start(from.parse()?))?;
    let mut part = Vec::new();
    reader.take(bytes.parse()?).read_to_end(&mut part)?;
    io::stdout().write_all(&part)?;
    Ok(())
}
