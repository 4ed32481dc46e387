//! The promises of SECURITY.md on files by name that the scenarios do not reach: interference in
//! the middle, cancelling, and what messages show.

#![cfg(unix)]

use std::fs::{self, File, Permissions};
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use polyseal_file::{Decryptor, Encryptor, ExistingRecipients, Identities, Key, Recipients};
use polyseal_local::{
    Forbidden, LockedFile, NewFile, NewTree, Notice, Options, Outputs, Place, Problem, Progress,
    Rekey, RekeyMode, RekeyPlan, RekeyTarget, Result, SealedTree, Total, TreeSealer, Written,
    decrypt_file, encrypt_file,
};

/// Something that somebody does to a path.
type Put = fn(&Path) -> io::Result<()>;

/// Nobody's number.
const SOMEBODY: u32 = 54_321;

struct TestDir {
    folder: tempfile::TempDir,
    key: Key,
}

impl TestDir {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), key: Key::generate().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn recipients(&self) -> Recipients {
        Recipients::from(&self.key)
    }

    fn identities(&self) -> Identities<'_> {
        Identities::from(&self.key)
    }

    /// A file `c` of these bytes.
    fn seal(&self, bytes: &[u8]) -> PathBuf {
        fs::write(self.at("m"), bytes).unwrap();
        let options = Options::new().overwrite(true);
        encrypt_file(&self.at("m"), &self.at("c"), Encryptor::new(&self.recipients()), &options)
            .unwrap();
        self.at("c")
    }

    fn seal_into(&self, to: NewTree) -> Result<Total> {
        let options = Options::new();
        TreeSealer::new(&self.at("d"), to, &options)?.seal(
            Encryptor::new(&self.recipients()),
            &options,
            &mut |_, done| done.map(drop),
        )
    }
}

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    assert!(root || std::env::var_os("CI").is_none(), "in CI this must be possible");
    root
}

#[test]
fn what_appears_meanwhile_is_not_used() {
    let room = TestDir::new();
    fs::create_dir(room.at("d")).unwrap();
    fs::write(room.at("d/one"), "one").unwrap();
    fs::create_dir(room.at("home")).unwrap();
    let put: [Put; 3] =
        [|out| symlink("home", out), |out| fs::create_dir(out), |out| fs::write(out, "in the way")];
    for (i, put) in put.iter().enumerate() {
        for overwrite in [false, true] {
            let out = room.at(&format!("out{i}{overwrite}"));
            let to = NewTree::new(&out, overwrite).unwrap();
            // While keys are read, somebody puts something there.
            put(&out).unwrap();
            let refused = room.seal_into(to).unwrap_err();
            assert!(matches!(refused.problem(), Problem::Appeared), "{refused}");
            assert_eq!(fs::read_dir(room.at("home")).unwrap().count(), 0);
        }
    }
}

/// They would choose where it goes: to a directory of this user, perhaps.
#[test]
fn a_link_of_another_user_is_no_directory_for_a_tree() {
    if !is_root() {
        return;
    }
    let room = TestDir::new();
    fs::create_dir(room.at("d")).unwrap();
    fs::write(room.at("d/one"), "one").unwrap();
    fs::create_dir(room.at("home")).unwrap();
    symlink("home", room.at("theirs")).unwrap();
    lchown(room.at("theirs"), Some(SOMEBODY), None).unwrap();
    for overwrite in [false, true] {
        let refused = NewTree::new(&room.at("theirs"), overwrite).unwrap_err();
        assert!(matches!(refused.problem(), Problem::NotADirectory), "{refused}");
        assert!(Outputs::beneath(&room.at("theirs")).is_err());
    }
    symlink("home", room.at("ours")).unwrap();
    room.seal_into(NewTree::new(&room.at("ours"), false).unwrap()).unwrap();
    assert_eq!(fs::read_dir(room.at("home")).unwrap().count(), 2);
}

/// A link of this user leads through one of another, who so chooses the file and its mode.
#[test]
fn a_mode_is_not_taken_over_by_way_of_another_users_link() {
    if !is_root() {
        return;
    }
    let room = TestDir::new();
    let sealed = room.seal(b"message");
    fs::create_dir(room.at("theirs")).unwrap();
    chown(room.at("theirs"), Some(SOMEBODY), None).unwrap();
    symlink("../page", room.at("theirs/current")).unwrap();
    symlink("..", room.at("theirs/folder")).unwrap();
    for link in ["theirs/current", "theirs/folder"] {
        lchown(room.at(link), Some(SOMEBODY), None).unwrap();
    }
    symlink("theirs/current", room.at("chain")).unwrap();
    symlink("page", room.at("own")).unwrap();
    for (path, expected) in [("chain", 0o600), ("theirs/folder/page", 0o600), ("own", 0o644)] {
        let _ = fs::remove_file(room.at("page"));
        fs::write(room.at("page"), "old").unwrap();
        fs::set_permissions(room.at("page"), Permissions::from_mode(0o644)).unwrap();
        let (identities, options) = (room.identities(), Options::new().overwrite(true));
        decrypt_file(&sealed, &room.at(path), Decryptor::new(&identities), &options).unwrap();
        assert_eq!(fs::read(room.at("page")).unwrap(), b"message", "{path}");
        assert_eq!(fs::metadata(room.at("page")).unwrap().mode() & 0o777, expected, "{path}");
    }
}

/// Somebody who can rename a folder or a link further up chooses which file is replaced, but not
/// who may read what replaces it.
#[test]
fn who_can_rename_on_the_way_chooses_no_mode() {
    if !is_root() {
        return;
    }
    // Owner, group, mode and list of a folder further up, and the mode of the new file.
    for (owner, group, mode, list, expected) in [
        (0, 0, 0o755, false, 0o644),
        (0, 0, 0o775, false, 0o644),
        (0, 0, 0o1777, false, 0o644),
        (0, SOMEBODY, 0o755, false, 0o644),
        (0, SOMEBODY, 0o775, false, 0o600),
        (0, 0, 0o777, false, 0o600),
        (0, 0, 0o775, true, 0o600),
        (SOMEBODY, 0, 0o755, false, 0o600),
        (SOMEBODY, 0, 0o1777, false, 0o600),
    ] {
        let room = TestDir::new();
        let sealed = room.seal(b"message");
        let file = room.at("shared/site/sub/report");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::create_dir(room.at("links")).unwrap();
        symlink("../shared", room.at("links/further")).unwrap();
        for name in ["shared", "links"] {
            fs::set_permissions(room.at(name), Permissions::from_mode(mode)).unwrap();
            chown(room.at(name), Some(owner), Some(group)).unwrap();
            if list && !give_list(&room.at(name), "system.posix_acl_access") {
                return;
            }
        }
        let (identities, options) = (room.identities(), Options::new().overwrite(true));
        let open = || Decryptor::new(&identities);
        // By its path, through a link, beneath a folder, and by a handle that was opened before.
        let write: [&dyn Fn(); 4] = [
            &|| {
                decrypt_file(&sealed, &file, open(), &options).unwrap();
            },
            &|| {
                let through = room.at("links/further/site/sub/report");
                decrypt_file(&sealed, &through, open(), &options).unwrap();
            },
            &|| {
                let outputs = Outputs::beneath(&room.at("shared/site")).unwrap();
                let place = outputs.place(Path::new("in"), Path::new("sub/report")).unwrap();
                NewFile::create_in(place, true, &Forbidden::NOTHING).unwrap().commit().unwrap();
            },
            &|| {
                let handle = polyseal_local::Directory::open(file.parent().unwrap()).unwrap();
                let place = Place::new(handle, "report".into(), "report".into());
                NewFile::create_in(place, true, &Forbidden::NOTHING).unwrap().commit().unwrap();
            },
        ];
        for (way, write) in write.iter().enumerate() {
            let _ = fs::remove_file(&file);
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            write();
            let new = fs::metadata(&file).unwrap().mode() & 0o777;
            assert_eq!(
                format!("{new:o}"),
                format!("{expected:o}"),
                "{owner} {group} {mode:o} {way}"
            );
        }
    }
}

/// A link in a folder that others can write to may be one of this user's that had another name.
#[test]
fn a_link_that_others_can_rename_chooses_no_mode() {
    if !is_root() {
        return;
    }
    let room = TestDir::new();
    let sealed = room.seal(b"message");
    fs::create_dir_all(room.at("shared")).unwrap();
    fs::create_dir_all(room.at("site")).unwrap();
    symlink("../site", room.at("shared/private")).unwrap();
    chown(room.at("shared"), Some(SOMEBODY), None).unwrap();
    fs::write(room.at("site/report"), "old").unwrap();
    fs::set_permissions(room.at("site/report"), Permissions::from_mode(0o644)).unwrap();
    let (identities, options) = (room.identities(), Options::new().overwrite(true));
    let out = room.at("shared/private/report");
    decrypt_file(&sealed, &out, Decryptor::new(&identities), &options).unwrap();
    assert_eq!(fs::metadata(room.at("site/report")).unwrap().mode() & 0o777, 0o600);
    // Everyone who could read the file can read the same file with other recipients.
    fs::copy(&sealed, room.at("site/report")).unwrap();
    fs::set_permissions(room.at("site/report"), Permissions::from_mode(0o644)).unwrap();
    let to = Recipients::from(&Key::generate().unwrap());
    let plan = RekeyPlan::new(&identities, &to, ExistingRecipients::Remove, RekeyMode::Header);
    Rekey::new(RekeyTarget::File(&room.at("site/report")), &plan).run().unwrap();
    assert_eq!(fs::metadata(room.at("site/report")).unwrap().mode() & 0o777, 0o644);
}

/// Gives a folder an access control list that lets somebody write; whether it has them.
fn give_list(folder: &Path, name: &str) -> bool {
    // Version 2; tag, permissions and number of owner, a user, group, mask and others.
    let entries = [(1, 7, !0), (2, 7, SOMEBODY), (4, 5, !0), (16, 7, !0), (32, 0, !0)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, number) in entries {
        list.extend(u16::to_le_bytes(tag));
        list.extend(u16::to_le_bytes(permissions));
        list.extend(u32::to_le_bytes(number));
    }
    let given = rustix::fs::setxattr(folder, name, &list, rustix::fs::XattrFlags::empty());
    assert!(given.is_ok() || std::env::var_os("CI").is_none(), "in CI this must be possible");
    given.is_ok()
}

/// A folder may have a list that it gives to all that is made in it.
#[test]
fn a_tree_below_a_default_access_list_is_for_its_owner() {
    let room = TestDir::new();
    fs::create_dir(room.at("d")).unwrap();
    fs::write(room.at("d/one"), "one").unwrap();
    fs::set_permissions(room.at("d/one"), Permissions::from_mode(0o640)).unwrap();
    room.seal_into(NewTree::new(&room.at("s"), false).unwrap()).unwrap();
    fs::create_dir(room.at("folder")).unwrap();
    if !give_list(&room.at("folder"), "system.posix_acl_default") {
        return;
    }
    for preserve in [false, true] {
        let (identities, options) = (room.identities(), Options::new());
        let options = options.preserve_permissions(preserve);
        let tree = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &options).unwrap();
        let out = room.at(&format!("folder/{preserve}"));
        tree.decrypt(NewTree::new(&out, false).unwrap(), &mut |_, done| done.map(drop)).unwrap();
        assert_eq!(fs::metadata(out.join("one")).unwrap().mode() & 0o777, 0o600);
    }
}

/// A tree gives no more access than a replaced file did, and none to a group that a folder gives
/// its files, or in a directory in which another user gives names.
#[test]
fn a_tree_gives_no_access_that_was_not_there() {
    if !is_root() {
        return;
    }
    let room = TestDir::new();
    fs::create_dir_all(room.at("d/sub")).unwrap();
    for name in ["d/new", "d/old", "d/sub/theirs"] {
        fs::write(room.at(name), "secret").unwrap();
        fs::set_permissions(room.at(name), Permissions::from_mode(0o644)).unwrap();
    }
    room.seal_into(NewTree::new(&room.at("s"), false).unwrap()).unwrap();
    fs::create_dir_all(room.at("out/sub")).unwrap();
    // For a group alone, which others are not in; and a folder that gives its group.
    fs::write(room.at("out/old"), "old").unwrap();
    chown(room.at("out/old"), None, Some(SOMEBODY)).unwrap();
    fs::set_permissions(room.at("out/old"), Permissions::from_mode(0o604)).unwrap();
    chown(room.at("out"), None, Some(SOMEBODY)).unwrap();
    fs::set_permissions(room.at("out"), Permissions::from_mode(0o2755)).unwrap();
    chown(room.at("out/sub"), Some(SOMEBODY), None).unwrap();
    let (identities, options) = (room.identities(), Options::new().overwrite(true));
    let tree = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &options).unwrap();
    let to = NewTree::new(&room.at("out"), true).unwrap();
    tree.decrypt(to, &mut |_, done| done.map(drop)).unwrap();
    for (name, group, expected) in
        [("out/new", SOMEBODY, 0o604), ("out/old", SOMEBODY, 0o604), ("out/sub/theirs", 0, 0o600)]
    {
        let metadata = fs::metadata(room.at(name)).unwrap();
        assert_eq!(fs::read(room.at(name)).unwrap(), b"secret", "{name}");
        assert_eq!(format!("{:o}", metadata.mode() & 0o777), format!("{expected:o}"), "{name}");
        assert!(name.ends_with("theirs") || metadata.gid() == group, "{name}");
    }
}

/// A file that replaces another may be read by nobody new, whatever was there and wherever it
/// stands.
#[test]
fn nobody_may_read_a_new_file_who_could_not_read_the_old_one() {
    if !is_root() {
        return;
    }
    // Mode and owner of the old file, mode and owner of its folder, and what the new one has.
    for (mode, owner, folder, folder_owner, expected) in [
        (0o644, 0, 0o755, 0, 0o644),
        (0o640, 0, 0o775, 0, 0o640),
        (0o600, 0, 0o755, 0, 0o600),
        (0o444, 0, 0o755, 0, 0o444),
        (0o644, SOMEBODY, 0o755, 0, 0o600),
        (0o644, 0, 0o777, 0, 0o600),
        (0o644, 0, 0o1777, 0, 0o600),
        (0o644, 0, 0o755, SOMEBODY, 0o600),
    ] {
        let room = TestDir::new();
        let sealed = room.seal(b"message");
        fs::create_dir(room.at("d")).unwrap();
        let out = room.at("d/out");
        fs::write(&out, "old").unwrap();
        fs::set_permissions(&out, Permissions::from_mode(mode)).unwrap();
        chown(&out, Some(owner), None).unwrap();
        fs::set_permissions(room.at("d"), Permissions::from_mode(folder)).unwrap();
        chown(room.at("d"), Some(folder_owner), None).unwrap();
        let options = Options::new().overwrite(true);
        decrypt_file(&sealed, &out, Decryptor::new(&room.identities()), &options).unwrap();
        let new = fs::metadata(&out).unwrap();
        let what = format!("{mode:o} {owner} {folder:o} {folder_owner}");
        assert_eq!((new.mode() & 0o7777, new.uid()), (expected, 0), "{what}");
        assert_eq!(fs::read(&out).unwrap(), b"message");
    }
}

/// A file that takes the name after the output was begun is not what was seen.
#[test]
fn what_takes_the_name_meanwhile_gives_no_mode() {
    let room = TestDir::new();
    let (out, other) = (room.at("out"), room.at("other"));
    for name in [&out, &other] {
        fs::write(name, "old").unwrap();
        fs::set_permissions(name, Permissions::from_mode(0o644)).unwrap();
    }
    let new = NewFile::create_at(&out, true, &Forbidden::NOTHING).unwrap();
    fs::rename(&other, &out).unwrap();
    new.commit().unwrap();
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, 0o600);
    // And what is taken from the old one meanwhile is not given back.
    fs::set_permissions(&out, Permissions::from_mode(0o666)).unwrap();
    let new = NewFile::create_at(&out, true, &Forbidden::NOTHING).unwrap();
    fs::set_permissions(&out, Permissions::from_mode(0o640)).unwrap();
    new.commit().unwrap();
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, 0o640);
}

/// Also what is written into the same file, where no other takes the name.
#[test]
fn what_was_read_and_changed_meanwhile_stays() {
    let room = TestDir::new();
    let at = room.at("key");
    let put: [(Put, &[u8]); 5] = [
        (|at| fs::write(at, "new key"), b"new key"),
        (|at| fs::write(at, "old key, and more"), b"old key, and more"),
        (|at| fs::write(at, "old"), b"old"),
        (|at| fs::write(at, ""), b""),
        (
            |at| fs::rename(at, at.with_extension("old")).and_then(|()| fs::write(at, "old key")),
            b"old key",
        ),
    ];
    for (put, there) in put {
        fs::write(&at, "old key").unwrap();
        let read = LockedFile::read(&at, 100, &()).unwrap();
        assert_eq!(read.bytes(), b"old key");
        put(&at).unwrap();
        let refused = read.replace(b"made of the old key", &Options::new()).unwrap_err();
        assert!(matches!(refused.problem(), Problem::Changed), "{refused}");
        assert_eq!(fs::read(&at).unwrap(), there);
    }
    // A longer file is not taken for the contents with which it begins.
    fs::write(&at, "old key").unwrap();
    assert_eq!(LockedFile::read(&at, 3, &()).unwrap().bytes(), b"old ");
    fs::set_permissions(&at, Permissions::from_mode(0o640)).unwrap();
    let read = LockedFile::read(&at, 7, &()).unwrap();
    read.replace(b"new", &Options::new()).unwrap();
    assert_eq!(
        (fs::read(&at).unwrap().as_slice(), fs::metadata(&at).unwrap().mode() & 0o777),
        (&b"new"[..], 0o640)
    );
}

#[test]
fn a_new_file_replaces_nothing_that_comes_meanwhile() {
    let room = TestDir::new();
    let out = room.at("out");
    let new = NewFile::create_at(&out, false, &Forbidden::NOTHING).unwrap();
    fs::write(&out, "theirs").unwrap();
    let refused = new.commit().unwrap_err();
    assert!(matches!(refused.problem(), Problem::Exists), "{refused}");
    assert_eq!(fs::read(&out).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(room.folder.path()).unwrap().count(), 1);
}

/// As of two names that a file system takes for one: what the run has written stays.
#[test]
fn a_run_replaces_nothing_that_it_has_written() {
    let room = TestDir::new();
    let begin = |name: &str, run: &_| {
        NewFile::create_at(&room.at(name), true, &Forbidden::NOTHING)?.in_run(run)
    };
    let write = |name: &str, run: &_, text: &str| {
        let new = begin(name, run)?;
        io::Write::write_all(&mut new.file(), text.as_bytes()).unwrap();
        new.commit()
    };
    for early in [true, false] {
        let run = Written::new();
        fs::write(room.at("README"), "old").unwrap();
        let late = begin("README", &run).unwrap();
        write("Readme", &run, "first").unwrap();
        fs::remove_file(room.at("README")).unwrap();
        fs::hard_link(room.at("Readme"), room.at("README")).unwrap();
        let refused = if early { begin("README", &run).map(drop) } else { late.commit() };
        let refused = refused.unwrap_err();
        assert!(matches!(refused.problem(), Problem::OneFile(_)), "{refused}");
        assert_eq!(fs::read(room.at("Readme")).unwrap(), b"first");
        // Files that it has not written, it replaces; and another run replaces any.
        fs::write(room.at("other"), "old").unwrap();
        write("other", &run, "new").unwrap();
        write("README", &Written::new(), "second").unwrap();
        assert_eq!(fs::read(room.at("README")).unwrap(), b"second");
    }
}

/// Where nothing was before, what is there is of the run: to replace it is no remedy.
#[test]
fn what_takes_a_name_of_a_run_is_not_said_to_be_replaceable() {
    let room = TestDir::new();
    let run = Written::where_nothing_is();
    let new = NewFile::create_at(&room.at("a"), false, &Forbidden::NOTHING).unwrap();
    let new = new.in_run(&run).unwrap();
    run.expect_free(&room.at("a")).unwrap();
    fs::write(room.at("a"), "A").unwrap();
    for refused in [run.expect_free(&room.at("a")), new.commit()] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused.problem(), Problem::OneFile(_)), "{refused}");
    }
    Written::new().expect_free(&room.at("a")).unwrap();
}

/// Counts what it is told, and wants no more after so many bytes.
struct CancellingProgress {
    most: u64,
    bytes: AtomicU64,
    notices: Mutex<Vec<String>>,
}

impl CancellingProgress {
    fn new(most: u64) -> Self {
        Self { most, bytes: AtomicU64::new(0), notices: Mutex::default() }
    }
}

impl Progress for CancellingProgress {
    fn bytes(&self, more: u64) {
        self.bytes.fetch_add(more, Ordering::Relaxed);
    }

    fn notice(&self, notice: Notice<'_>) {
        self.notices.lock().unwrap().push(format!("{notice:?}"));
    }

    fn cancelled(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) >= self.most
    }
}

/// In the middle of a file, too, and nothing appears.
#[test]
fn whoever_wants_no_more_is_heard() {
    let room = TestDir::new();
    fs::write(room.at("m"), vec![7; 64 << 20]).unwrap();
    let few = CancellingProgress::new(1 << 20);
    let options = Options::new().progress(&few);
    let recipients = room.recipients();
    let encryptor = Encryptor::new(&recipients);
    let refused = encrypt_file(&room.at("m"), &room.at("c"), encryptor, &options).unwrap_err();
    assert!(matches!(refused.problem(), Problem::Cancelled), "{refused}");
    assert!(few.bytes.load(Ordering::Relaxed) < 32 << 20);
    assert!(!room.at("c").exists());
    // For a tree, no manifest appears.
    fs::remove_file(room.at("m")).unwrap();
    fs::create_dir(room.at("d")).unwrap();
    (0..100).for_each(|i| fs::write(room.at(&format!("d/{i}")), vec![7; 100_000]).unwrap());
    let few = CancellingProgress::new(1 << 20);
    let options = Options::new().progress(&few);
    let to = NewTree::new(&room.at("s"), false).unwrap();
    let sealer = TreeSealer::new(&room.at("d"), to, &options).unwrap();
    let refused = sealer.seal(encryptor, &options, &mut |_, done| done.map(drop)).unwrap_err();
    assert!(matches!(refused.problem(), Problem::Cancelled), "{refused}");
    assert!(!room.at("s/.polyseal-manifest.polyseal").exists());
}

/// Whatever a name is, no message can move a cursor or begin a line.
#[test]
fn names_are_spelt_out_in_messages() {
    let room = TestDir::new();
    let name = "a\n\u{1b}[2J\u{202e}b";
    let said = decrypt_file(
        &room.at(name),
        &room.at("out"),
        Decryptor::new(&room.identities()),
        &Options::new(),
    );
    let said = said.unwrap_err().to_string();
    assert!(said.contains(r"a\n\u{1b}[2J\u{202e}b"), "{said}");
    assert!(!said.chars().any(polyseal_local::misleads), "{said:?}");
}

/// A path of more than 4096 bytes takes more than one call of the system.
#[test]
fn trees_that_are_deeper_than_one_path() {
    let room = TestDir::new();
    fs::create_dir(room.at("d")).unwrap();
    let name = "n".repeat(200);
    let mut directory = polyseal_local::Directory::open(&room.at("d")).unwrap();
    for _ in 0..25 {
        (directory, _) = directory.make_parents(&Path::new(&name).join("x")).unwrap();
    }
    let new = NewFile::create_in(
        Place::new(directory, "deep".into(), "deep".into()),
        false,
        &Forbidden::NOTHING,
    );
    new.unwrap().commit().unwrap();
    let sealed = room.seal_into(NewTree::new(&room.at("s"), false).unwrap()).unwrap();
    assert_eq!((sealed.files, sealed.directories), (1, 25));
    let identities = room.identities();
    let options = Options::new();
    let tree = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &options).unwrap();
    let back = NewTree::new(&room.at("back"), false).unwrap();
    assert_eq!(tree.decrypt(back, &mut |_, done| done.map(drop)).unwrap().files, 1);
}

#[test]
fn what_is_rekeyed_keeps_its_holes() {
    let room = TestDir::new();
    let sealed = room.seal(b"message");
    let file = File::options().write(true).open(&sealed).unwrap();
    let bytes = 1 << 30;
    file.set_len(bytes).unwrap();
    let other = Key::generate().unwrap();
    let to = Recipients::from(&other);
    let identities = room.identities();
    let plan = RekeyPlan::new(&identities, &to, ExistingRecipients::Remove, RekeyMode::Header);
    Rekey::new(RekeyTarget::File(&sealed), &plan).run().unwrap();
    let new = fs::metadata(&sealed).unwrap();
    assert_eq!(new.len(), bytes);
    assert!(new.blocks() * 512 < 1 << 20, "{}", new.blocks());
}

/// One file under two names waits for nobody, and both names have the new recipients.
#[test]
fn two_names_of_one_file() {
    let room = TestDir::new();
    let sealed = room.seal(b"message");
    fs::hard_link(&sealed, room.at("again")).unwrap();
    let other = Key::generate().unwrap();
    let to = Recipients::from(&other);
    let identities = room.identities();
    let plan = RekeyPlan::new(&identities, &to, ExistingRecipients::Remove, RekeyMode::Header);
    let names = [sealed, room.at("again")].map(Ok).into_iter();
    let total = Rekey::new(RekeyTarget::Files(Box::new(names)), &plan).run().unwrap();
    assert_eq!((total.files, total.failed), (2, 0));
}

/// A file in the way of a copy is reported, and does not keep a new file from being made.
#[test]
fn what_is_no_copy_is_told() {
    let room = TestDir::new();
    let sealed = room.seal(b"message");
    fs::write(room.at("c.header-backup"), "planted").unwrap();
    let other = Key::generate().unwrap();
    let to = Recipients::from(&other);
    let identities = room.identities();
    let few = CancellingProgress::new(u64::MAX);
    let options = Options::new().progress(&few);
    let plan = |how| RekeyPlan::new(&identities, &to, ExistingRecipients::Keep, how);
    let run = |how| Rekey::new(RekeyTarget::File(&sealed), &plan(how)).options(&options).run();
    let refused = run(RekeyMode::InPlace).unwrap_err();
    assert!(matches!(refused.problem(), Problem::BackupNameTaken(_)), "{refused}");
    run(RekeyMode::Header).unwrap();
    assert_eq!(few.notices.into_inner().unwrap().len(), 1);
    assert_eq!(fs::read(room.at("c.header-backup")).unwrap(), b"planted");
}

/// Removes a file when the first bytes of others are read.
struct Removing(PathBuf);

impl Progress for Removing {
    fn bytes(&self, _: u64) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Somebody goes on working in a tree while it is read.
#[test]
fn a_file_that_vanishes_is_told_and_the_rest_is_whole() {
    let room = TestDir::new();
    fs::create_dir(room.at("d")).unwrap();
    for name in ["d/a", "d/b", "d/z"] {
        fs::write(room.at(name), vec![7; 100_000]).unwrap();
    }
    let removing = Removing(room.at("d/z"));
    let options = Options::new().jobs(NonZeroUsize::MIN).progress(&removing);
    let to = NewTree::new(&room.at("s"), false).unwrap();
    let sealer = TreeSealer::new(&room.at("d"), to, &options).unwrap();
    let mut failed = Vec::new();
    let mut tell = |path: &Path, done: Result<_>| {
        failed.extend(done.err().map(|error| (path.to_owned(), error.to_string())));
        Ok(())
    };
    sealer.seal(Encryptor::new(&room.recipients()), &options, &mut tell).unwrap();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].0.ends_with("d/z"), "{failed:?}");
    let (identities, options) = (room.identities(), Options::new());
    let tree = SealedTree::open(&room.at("s"), Decryptor::new(&identities), &options).unwrap();
    let mut missing = Vec::new();
    let mut tell = |path: &Path, done: Result<_>| {
        missing.extend(done.err().map(|error| (path.to_owned(), error)));
        Ok(())
    };
    assert_eq!(tree.verify(&mut tell).unwrap().files, 2);
    let [(path, error)] = &missing[..] else { panic!("{missing:?}") };
    assert!(path.ends_with("s/z") && matches!(error.problem(), Problem::NotTaken { .. }));
}
