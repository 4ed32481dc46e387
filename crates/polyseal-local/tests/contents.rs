//! A tree's manifest binds contents: what a reader of one file, or a holder of a recipient, puts
//! there is noticed, and nothing of it gets a name.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{
    Entry, FileBinding, Kind, Lineage, NO_STAMP, Problem as ManifestProblem, State, Timestamp,
    Writer, context,
};
use polyseal_file::{
    Decryptor, Encryptor, Error as FileError, ExistingRecipients, Identities, Input, Key, Output,
    Recipients, Sealer, SourceVersion,
};
use polyseal_local::{
    Error, FileOutcome, NewTree, Options, Problem, Rekey, RekeyMode, RekeyPlan, RekeyTarget,
    RekeyedCheck, Result, SealedTree, TreeSealer,
};

const HONEST: &[u8] = b"pay 10 to Alice";
const OTHER: &[u8] = b"pay 99 to Bobby";
const MANIFEST: &str = ".polyseal-manifest.polyseal";

/// A sealed tree `s` of one file, `f`, and another file with the very header of that.
struct TestDir {
    folder: tempfile::TempDir,
    key: Key,
    forged: Vec<u8>,
}

/// Two files of one file key, as two processes with one ticket can make them. Anyone who can open
/// the first can do the same.
fn twins(key: &Key, texts: [&[u8]; 2]) -> [Vec<u8>; 2] {
    let (recipients, identities) = (Recipients::from(key), Identities::from(key));
    let version = SourceVersion::new("1").unwrap();
    let sealer = Encryptor::new(&recipients).sealer(HONEST.len() as u64, &version).unwrap();
    let ticket = sealer.ticket().unwrap();
    texts.map(|text| {
        let worker = Sealer::from_ticket(&ticket, &identities, None, &version).unwrap();
        worker.seal_stored(0..worker.stored_bytes(), &version, text).unwrap()
    })
}

impl TestDir {
    fn new() -> Self {
        let (folder, key) = (tempfile::tempdir().unwrap(), Key::generate().unwrap());
        let [honest, forged] = twins(&key, [HONEST, OTHER]);
        let room = Self { folder, key, forged };
        fs::create_dir(room.at("s")).unwrap();
        fs::write(room.at("s/f.polyseal"), honest).unwrap();
        room.write_manifest(&room.manifest());
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn entry(&self) -> Entry {
        let identities = Identities::from(&self.key);
        let file = File::open(self.at("s/f.polyseal")).unwrap();
        let summary = Decryptor::new(&identities).committing().verify(Input::File(&file)).unwrap();
        let bound = FileBinding::Contents(summary.commitment.unwrap());
        let stamp = NO_STAMP;
        let kind = Kind::File { plaintext_bytes: summary.plaintext_bytes, bound, stamp };
        let modified = Timestamp { seconds: 1, nanoseconds: 0 };
        Entry { path: b"f".to_vec(), state: State::New, mode: 0o644, modified, kind }
    }

    fn manifest(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &Lineage::FIRST).unwrap();
        writer.push(&self.entry()).unwrap();
        writer.finish().unwrap()
    }

    /// The same of version 1, by the letter of the specification.
    fn unbound_manifest(&self) -> Vec<u8> {
        let bytes = self.manifest();
        let (magic, first) = (&bytes[..18], 124);
        let (path, rest) = (&bytes[first..first + 4], &bytes[first + 6..first + 60]);
        [magic, b"\x01\0", path, rest, b"e", &1_u64.to_le_bytes()].concat()
    }

    fn write_manifest(&self, mut plaintext: &[u8]) {
        let (recipients, mut file) =
            (Recipients::from(&self.key), File::create(self.at("s").join(MANIFEST)).unwrap());
        let (mut sealed, own) = (Vec::new(), context(None).unwrap());
        let encryptor = Encryptor::new(&recipients);
        // Version 1 has the context of the files: none.
        let is_old = plaintext[18] == 1;
        if is_old { encryptor } else { encryptor.context(&own) }
            .encrypt(Input::Stream(&mut plaintext), Output::Stream(&mut sealed))
            .unwrap();
        file.write_all(&sealed).unwrap();
    }

    fn forge(&self) {
        let honest = fs::read(self.at("s/f.polyseal")).unwrap();
        assert_eq!(honest[..4096], self.forged[..4096]);
        fs::write(self.at("s/f.polyseal"), &self.forged).unwrap();
    }

    fn open<T>(&self, options: &Options<'_>, work: impl FnOnce(&SealedTree<'_>) -> T) -> Result<T> {
        let identities = Identities::from(&self.key);
        Ok(work(&SealedTree::open(&self.at("s"), Decryptor::new(&identities), options)?))
    }

    fn verified(&self, options: &Options<'_>) -> Result<Vec<FileOutcome>> {
        all(|tell| self.open(options, |tree| tree.verify(tell))?)
    }

    fn rekeyed(&self, to: &Key, how: RekeyMode) -> Result<Vec<FileOutcome>> {
        let (identities, recipients) = (Identities::from(&self.key), Recipients::from(to));
        let new = Identities::from(to);
        let plan = RekeyPlan::new(&identities, &recipients, ExistingRecipients::Keep, how);
        let plan = plan.rekeyed_check(RekeyedCheck::OpensAdded(&new));
        all(|tell| Rekey::new(RekeyTarget::Tree(&self.at("s")), &plan).on_file(tell).run())
    }
}

/// The outcome of each file, or the first failure.
fn all<T>(
    work: impl FnOnce(&mut (dyn FnMut(&Path, Result<FileOutcome>) -> Result + Send)) -> Result<T>,
) -> Result<Vec<FileOutcome>> {
    let (mut done, mut failed) = (Vec::new(), None);
    work(&mut |_, outcome| {
        match outcome {
            Ok(it) => done.push(it),
            Err(error) => failed = failed.take().or(Some(error)),
        }
        Ok(())
    })?;
    failed.map_or(Ok(done), Err)
}

fn is_other_contents(error: &Error) -> bool {
    matches!(error.problem(), Problem::OtherContents)
}

#[test]
fn other_contents_under_a_files_own_header_are_noticed_and_get_no_name() {
    let (room, options) = (TestDir::new(), Options::new());
    assert_eq!(room.verified(&options).unwrap().len(), 1);
    room.forge();
    // By itself the file is authentic.
    let identities = Identities::from(&room.key);
    let mut opened = Vec::new();
    Decryptor::new(&identities)
        .decrypt(Input::Stream(&mut &room.forged[..]), Output::Stream(&mut opened))
        .unwrap();
    assert_eq!(opened, OTHER);

    assert!(is_other_contents(&room.verified(&options).unwrap_err()));
    let to = |name: &str| NewTree::new(&room.at(name), false).unwrap();
    let decrypted = all(|tell| room.open(&options, |tree| tree.decrypt(to("out"), tell))?);
    assert!(is_other_contents(&decrypted.unwrap_err()));
    assert!(!room.at("out").exists());

    let recipients = Recipients::from(&room.key);
    let encryptor = Encryptor::new(&recipients);
    let anew =
        all(|tell| room.open(&options, |tree| tree.reencrypt(to("new"), encryptor, tell))?);
    assert!(is_other_contents(&anew.unwrap_err()));
    assert!(!room.at("new/f.polyseal").exists());

    let before = fs::read(room.at("s").join(MANIFEST)).unwrap();
    let bound = all(|tell| room.open(&options, |tree| tree.bind_contents(encryptor, tell))?);
    assert!(is_other_contents(&bound.unwrap_err()));
    assert_eq!(fs::read(room.at("s").join(MANIFEST)).unwrap(), before);
}

/// A file whose contents are a manifest, as somebody gives it to be encrypted; and one that is
/// sealed under the header of a file, by somebody who can open that.
#[test]
fn no_file_is_taken_for_a_manifest() {
    let room = TestDir::new();
    let plaintext = room.manifest();
    let recipients = Recipients::from(&room.key);
    let mut sealed = Vec::new();
    Encryptor::new(&recipients)
        .encrypt(Input::Stream(&mut &plaintext[..]), Output::Stream(&mut sealed))
        .unwrap();
    fs::write(room.at("s").join(MANIFEST), sealed).unwrap();
    for allowed in [false, true] {
        let options = Options::new().allow_unbound_contents(allowed);
        let refused = room.verified(&options).unwrap_err();
        assert!(
            matches!(refused.problem(), Problem::File(FileError::ContextUnexpected)),
            "{refused}"
        );
    }
}

#[test]
fn headers_change_and_the_commitment_stays() {
    for how in [RekeyMode::Header, RekeyMode::InPlace] {
        let (mut room, new) = (TestDir::new(), Key::generate().unwrap());
        let before = room.entry();
        assert_eq!(room.rekeyed(&new, how).unwrap(), [FileOutcome::Rekeyed]);
        assert_eq!(room.entry(), before);
        room.key = new;
        assert_eq!(room.entry(), before);
        assert_eq!(room.verified(&Options::new()).unwrap().len(), 1);
    }
}

#[test]
fn another_key_under_the_same_salt_and_recipient_is_another_file() {
    let room = TestDir::new();
    let honest = fs::read(room.at("s/f.polyseal")).unwrap();
    let mut entry = room.entry();
    let Kind::File { bound: FileBinding::Contents(commitment), .. } = &mut entry.kind else {
        return;
    };
    // As if the manifest were of a file with this salt and payload, and another key.
    commitment.key[31] ^= 1;
    let mut writer = Writer::new(Vec::new(), &Lineage::FIRST).unwrap();
    writer.push(&entry).unwrap();
    room.write_manifest(&writer.finish().unwrap());
    let is_other = |error: Error| matches!(error.problem(), Problem::OtherFile);
    assert!(is_other(room.verified(&Options::new()).unwrap_err()));
    assert!(is_other(room.rekeyed(&Key::generate().unwrap(), RekeyMode::Header).unwrap_err()));
    assert_eq!(fs::read(room.at("s/f.polyseal")).unwrap(), honest);
    // A new key that opens it already does not make it the file.
    assert!(is_other(room.rekeyed(&room.key, RekeyMode::Header).unwrap_err()));
}

#[test]
fn a_manifest_that_binds_no_contents_is_taken_only_by_whoever_asks_for_it() {
    let (room, options) = (TestDir::new(), Options::new());
    room.write_manifest(&room.unbound_manifest());
    let unbound = |error: &Error| {
        matches!(error.problem(), Problem::Manifest(ManifestProblem::UnboundContents))
    };
    assert!(unbound(&room.verified(&options).unwrap_err()));
    assert!(unbound(&room.rekeyed(&Key::generate().unwrap(), RekeyMode::Header).unwrap_err()));
    let allowed = options.allow_unbound_contents(true);
    assert_eq!(room.verified(&allowed).unwrap().len(), 1);

    // One command makes one that binds them; then the option is not needed.
    let recipients = Recipients::from(&room.key);
    let bind = || {
        let encryptor = Encryptor::new(&recipients);
        all(|tell| room.open(&allowed, |tree| tree.bind_contents(encryptor, tell))?)
    };
    fs::write(room.at("s/stranger"), "").unwrap();
    let [FileOutcome::Verified { bytes }, FileOutcome::Left] = bind().unwrap()[..] else {
        panic!("not bound")
    };
    assert_eq!(bytes, HONEST.len() as u64);
    fs::remove_file(room.at("s/stranger")).unwrap();
    assert_eq!(room.verified(&options).unwrap().len(), 1);
    room.forge();
    assert!(is_other_contents(&room.verified(&options).unwrap_err()));

    // A change that an unbound manifest does not notice, and a missing file.
    room.write_manifest(&room.unbound_manifest());
    assert_eq!(room.verified(&allowed).unwrap().len(), 1);
    fs::remove_file(room.at("s/f.polyseal")).unwrap();
    assert!(matches!(bind().unwrap_err().problem(), Problem::Missing));
    let mut manifest = Vec::new();
    File::open(room.at("s").join(MANIFEST)).unwrap().read_to_end(&mut manifest).unwrap();
    assert!(unbound(&room.verified(&options).unwrap_err()));
}

/// Files of several batches and threads, of every length around a segment.
#[test]
fn a_tree_of_all_lengths_is_bound_as_it_is_sealed() {
    let (folder, key) = (tempfile::tempdir().unwrap(), Key::generate().unwrap());
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("d")).unwrap();
    let segment = 65_536;
    for bytes in [0, 1, segment - 1, segment, segment + 1, 5 * segment, 41 * segment + 7] {
        fs::write(at("d").join(bytes.to_string()), vec![7; bytes]).unwrap();
    }
    let (recipients, identities) = (Recipients::from(&key), Identities::from(&key));
    let options = Options::new();
    let to = NewTree::new(&at("s"), false).unwrap();
    let sealer = TreeSealer::new(&at("d"), to, &options).unwrap();
    all(|tell| sealer.seal(Encryptor::new(&recipients), &options, tell)).unwrap();
    let tree = SealedTree::open(&at("s"), Decryptor::new(&identities), &options).unwrap();
    assert_eq!(all(|tell| tree.verify(tell)).unwrap().len(), 7);
    let to = NewTree::new(&at("n"), false).unwrap();
    all(|tell| tree.reencrypt(to, Encryptor::new(&recipients), tell)).unwrap();
    let tree = SealedTree::open(&at("n"), Decryptor::new(&identities), &options).unwrap();
    assert_eq!(all(|tell| tree.verify(tell)).unwrap().len(), 7);
}

/// Somebody else rekeys the manifest in place while the files are read for another.
#[test]
fn a_manifest_that_is_rekeyed_meanwhile_is_not_replaced() {
    let (room, new) = (TestDir::new(), Key::generate().unwrap());
    room.write_manifest(&room.unbound_manifest());
    let (identities, recipients) = (Identities::from(&room.key), Recipients::from(&room.key));
    let options = Options::new().allow_unbound_contents(true);
    let tree = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &options).unwrap();
    let (to, manifest) = (Recipients::from(&new), room.at("s").join(MANIFEST));
    let plan = RekeyPlan::new(&identities, &to, ExistingRecipients::Keep, RekeyMode::InPlace);
    Rekey::new(RekeyTarget::File(&manifest), &plan).run().unwrap();
    let rekeyed = fs::read(&manifest).unwrap();
    let bound = all(|tell| tree.bind_contents(Encryptor::new(&recipients), tell));
    assert!(matches!(bound.unwrap_err().problem(), Problem::Changed));
    assert_eq!(fs::read(&manifest).unwrap(), rekeyed);
}

/// Otherwise, anyone who can write to the tree could keep a key in the manifest.
#[test]
fn what_is_altered_or_put_in_a_files_place_keeps_no_key_in_the_manifest() {
    let alter = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[200] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let replace = |path: &Path| {
        fs::remove_file(path).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", path).unwrap();
        #[cfg(windows)]
        fs::create_dir(path).unwrap();
    };
    for spoil in [alter as fn(&Path), replace] {
        let (room, new) = (TestDir::new(), Key::generate().unwrap());
        spoil(&room.at("s/f.polyseal"));
        let (identities, recipients) = (Identities::from(&room.key), Recipients::from(&new));
        let (others, how) = (ExistingRecipients::Remove, RekeyMode::Header);
        let plan = RekeyPlan::new(&identities, &recipients, others, how);
        let rekeyed =
            all(|tell| Rekey::new(RekeyTarget::Tree(&room.at("s")), &plan).on_file(tell).run());
        rekeyed.unwrap_err();
        let manifest = File::open(room.at("s").join(MANIFEST)).unwrap();
        let own = context(None).unwrap();
        let opens = |key| {
            let identities = Identities::from(key);
            Decryptor::new(&identities).context(&own).verify(Input::File(&manifest)).is_ok()
        };
        assert!(opens(&new) && !opens(&room.key));
    }
}

#[test]
fn a_part_is_not_taken_for_what_is_expected_of_a_whole_file() {
    let room = TestDir::new();
    let (identities, entry) = (Identities::from(&room.key), room.entry());
    let Kind::File { bound: FileBinding::Contents(commitment), .. } = entry.kind else { return };
    let decryptor = Decryptor::new(&identities).expecting(&commitment);
    let refused = decryptor.reader(&room.forged[..]).unwrap_err();
    assert!(matches!(refused, FileError::ExpectedInParts));
}
