//! Files and trees by name, from the command line: what each function of this crate does, without
//! the tool's prompts and words. The scenarios that compare all fronts run it as the door of Rust.
//!
//!     files OPERATION key=value …
//!
//! The result is a line: `ok`, or the name of the problem and what is said of it.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use polyseal_file::{Decryptor, Encryptor, ExistingRecipients, Identities, Key, Recipients};
use polyseal_local::{
    Error, FileOutcome, NewTree, Options, Problem, Rekey, RekeyMode, RekeyPlan, RekeyTarget,
    RekeyedCheck, RekeyedFile, Result, SealedTree, TreeSealer, decrypt_file, encrypt_file,
    verify_file,
};

type Arguments = HashMap<String, String>;

fn keys(of: &Arguments, name: &str) -> Vec<Key> {
    let paths = of.get(name).map(String::as_str).unwrap_or_default().split(',');
    let read = |path: &str| std::fs::read(path).ok().and_then(|key| Key::parse(&key).ok());
    paths.filter(|path| !path.is_empty()).filter_map(read).collect()
}

fn run(operation: &str, of: &Arguments) -> Result {
    let path = |name: &str| Path::new(of.get(name).map(String::as_str).unwrap_or_default());
    let is = |name: &str| of.get(name).is_some_and(|value| value == "true");
    let (mut recipients, mut identities) = (Recipients::new(), Identities::new());
    for key in keys(of, "key") {
        recipients = recipients.key(key.clone());
        identities = identities.key(key);
    }
    let to = keys(of, "to").into_iter().fold(Recipients::new(), Recipients::key);
    let new = keys(of, "to").into_iter().fold(Identities::new(), Identities::key);
    let options =
        Options::new().overwrite(is("overwrite")).preserve_permissions(is("preserve_permissions"));
    let (encryptor, decryptor) = (Encryptor::new(&recipients), Decryptor::new(&identities));
    let others = if is("keep") { ExistingRecipients::Keep } else { ExistingRecipients::Remove };
    let how = if is("new_key") { RekeyMode::NewKey } else { RekeyMode::Header };
    let plan =
        RekeyPlan::new(&identities, &to, others, how).rekeyed_check(RekeyedCheck::Opens(&new));
    let rekey = |target| Rekey::new(target, &plan).options(&options);
    // The result is the error of the first file that fails.
    let mut failed = None;
    let mut tell = |_: &Path, done: Result<FileOutcome>| {
        failed = failed.take().or(done.err());
        Ok(())
    };
    let (input, output) = (path("input"), path("output"));
    match operation {
        "encrypt" => encrypt_file(input, output, encryptor, &options).map(drop),
        "decrypt" => decrypt_file(input, output, decryptor, &options).map(drop),
        "verify" => verify_file(input, decryptor, &options).map(drop),
        "rekey" if output.as_os_str().is_empty() => rekey(RekeyTarget::File(input)).run().map(drop),
        "rekey" => RekeyedFile::open(input, &plan)?.write_to_file(output, &options),
        "encrypt_tree" => NewTree::new(output, is("overwrite"))
            .and_then(|to| TreeSealer::new(input, to, &options))
            .and_then(|tree| tree.seal(encryptor, &options, &mut tell))
            .map(drop),
        "decrypt_tree" => {
            let to = NewTree::new(output, is("overwrite"))?;
            SealedTree::open(input, decryptor, &options)?.decrypt(to, &mut tell).map(drop)
        }
        "verify_tree" => SealedTree::open(input, decryptor, &options)?.verify(&mut tell).map(drop),
        "rekey_tree" => rekey(RekeyTarget::Tree(input)).on_file(&mut tell).run().map(drop),
        _ => Err(Error::new(Path::new(operation), Problem::NotAFile)),
    }?;
    failed.map_or(Ok(()), Err)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(operation) = arguments.next() else { return ExitCode::from(2) };
    let of: Arguments = arguments
        .filter_map(|argument| {
            let (name, value) = argument.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        })
        .collect();
    match run(&operation, &of) {
        Ok(()) => println!("ok"),
        Err(error) => {
            let problem = match error.problem() {
                Problem::File(error) => format!("File {error:?}"),
                Problem::Sealing(error) => format!("Sealing {error:?}"),
                other => format!("{other:?}"),
            };
            println!("{problem}");
            eprintln!("{error}");
        }
    }
    ExitCode::SUCCESS
}
