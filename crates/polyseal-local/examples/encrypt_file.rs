//! Encrypts a file to another, which appears when it is complete; and back.
//!
//!     cargo run -p polyseal-local --example encrypt_file -- letter.txt

use std::env;
use std::error::Error;
use std::path::PathBuf;

use polyseal_file::{Decryptor, Encryptor, Identities, Key, Recipients};
use polyseal_local::{Options, decrypt_file, encrypt_file};

fn main() -> Result<(), Box<dyn Error>> {
    let letter = PathBuf::from(env::args().nth(1).ok_or("usage: encrypt_file FILE")?);
    let (sealed, back) = (letter.with_extension("polyseal"), letter.with_extension("back"));

    // `key.to_file()` is what a key file has: keep it, or nobody opens the file again.
    let key = Key::generate()?;
    let recipients = Recipients::from(&key);
    let summary = encrypt_file(&letter, &sealed, Encryptor::new(&recipients), &Options::new())?;
    println!("{}: {} bytes", sealed.display(), summary.plaintext_bytes);

    let identities = Identities::from(&key);
    decrypt_file(&sealed, &back, Decryptor::new(&identities), &Options::new())?;
    println!("{}", back.display());
    Ok(())
}
