//! Encrypts standard input to standard output, or decrypts it: with a key file that it makes if
//! there is none.
//!
//!     tar c photos | cargo run -p polyseal-file --example stream -- encrypt KEYFILE > sealed
//!     cargo run -p polyseal-file --example stream -- decrypt KEYFILE < sealed | tar x
//!
//! Data that come out are verified; only the exit code says that they are all.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output, Recipients};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    let [operation, path] = &args[..] else {
        return Err("usage: stream encrypt|decrypt KEYFILE".into());
    };
    if operation == "encrypt" && !Path::new(path).exists() {
        fs::write(path, Key::generate()?.to_file().reveal())?;
    }
    let key = Key::parse(&fs::read(path)?)?;
    let (mut from, mut to) = (io::stdin(), io::stdout());
    let (input, output) = (Input::Stream(&mut from), Output::Stream(&mut to));
    let summary = match operation.as_str() {
        "encrypt" => Encryptor::new(&Recipients::from(&key)).encrypt(input, output)?,
        "decrypt" => Decryptor::new(&Identities::from(&key)).decrypt(input, output)?,
        other => return Err(format!("{other}: encrypt or decrypt").into()),
    };
    to.flush()?;
    eprintln!("{} bytes", summary.plaintext_bytes);
    Ok(())
}
