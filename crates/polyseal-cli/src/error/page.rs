//! `docs/errors.md` has a part of every message, under the exit code that the tool gives it, and
//! nothing that no message has.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::{fs, io};

use polyseal_file::age::KeyProblem;
use polyseal_file::manifest::{Problem as ManifestProblem, Reason};
use polyseal_file::statement::Problem as StatementProblem;
use polyseal_file::{Error as FileError, HeaderError, KeyFileError};
use polyseal_kms::Problem as KmsProblem;
use polyseal_local::{BackupProblem, Error as LocalError, Problem, UnsupportedByAge};
#[cfg(feature = "stores")]
use polyseal_object_store::remote::{Error as StoreError, Problem as StoreProblem};

use super::{Code, EXIT_STATUS, Failure};

/// A file, named from the root of the repository.
fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Errors of one type: one of each variant, as it is told, beside the variants that the tool does
/// not meet, or whose words are another program's.
struct Kind {
    source: &'static str,
    name: &'static str,
    not_told: &'static [&'static str],
    told: Vec<(String, Failure)>,
}

/// The name with which this text begins.
fn first_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric()).collect()
}

impl Kind {
    fn new<E: Debug>(
        source: &'static str,
        name: &'static str,
        not_told: &'static [&'static str],
        errors: impl IntoIterator<Item = E>,
        tell: impl Fn(E) -> Failure,
    ) -> Self {
        let told = errors
            .into_iter()
            .map(|error| (first_name(&format!("{error:?}")), tell(error)))
            .collect();
        Self { source, name, not_told, told }
    }

    /// The names of its variants, in its source.
    fn variants(&self) -> BTreeSet<String> {
        let source = read(self.source);
        let (_, body) =
            source.split_once(&format!("pub enum {} {{\n", self.name)).expect(self.name);
        let (body, _) = body.split_once("\n}\n").expect(self.name);
        let names = body.lines().filter_map(|line| line.strip_prefix("    "));
        names
            .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
            .map(first_name)
            .collect()
    }
}

fn refused() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

fn of_statements() -> Kind {
    use StatementProblem as P;

    let problems = [
        P::Missing,
        P::Version,
        P::Text,
        P::Signature,
        P::Hashes,
        P::List,
        P::OtherFile,
        P::NotAccepted,
        P::Signers(3),
        P::Key,
    ];
    Kind::new("crates/polyseal-file/src/statement/mod.rs", "Problem", &[], problems, |problem| {
        FileError::Statement(problem).into()
    })
}

fn of_files() -> Kind {
    use FileError as E;

    let header = HeaderError::Padding;
    let errors = [
        E::Io { what: "read the input", source: refused() },
        E::Io { what: "write the output", source: refused() },
        E::OtherFile,
        E::OtherContents,
        E::Statement(StatementProblem::Text),
        E::NotAsSigned { segment: 3 },
        E::InputChanged,
        E::Replaced,
        E::NotAPolysealFile,
        E::AgeFile,
        E::Armored,
        E::AgeVersion,
        E::AgeKeyFile,
        E::AgePassphrase,
        E::AgeWork { required: 30, limit: 22 },
        E::UnsupportedVersion(2),
        E::Header(header),
        E::NoMatchingKey,
        E::PassphraseNeeded,
        E::WrongPassphrase,
        E::Passphrase,
        E::Stretch,
        E::Context,
        E::ContextMissing,
        E::ContextDiffers,
        E::ContextUnexpected,
        E::NoRecipients,
        E::TooManyRecipients,
        E::PassphraseNotAlone,
        E::MixedRecipients,
        E::AgeTries,
        E::NotArmored,
        E::Armor(2),
        E::HeaderNotAuthentic,
        E::Corrupt { segment: 3, last: false },
        E::Corrupt { segment: 3, last: true },
        E::CutShort,
        E::Extended,
        E::Truncated,
        E::Suite("aes".to_owned()),
        E::SuiteLeftOut { suite: "flex-civ", feature: "flex" },
        E::SuiteOfSegments("aegis-256".to_owned()),
        E::SegmentSize(3),
        E::KeyFile(KeyFileError::Empty),
        E::Random,
        E::Cipher(polyseal::Error::Unauthentic),
    ];
    let not_told = &[
        "Age",
        "AgePlugin",
        "BufferBytes",
        "Cancelled",
        "ExpectedInParts",
        "Keeper",
        "NotFetched",
        "OutputNotEmpty",
        "PartBytes",
        "SealedOtherwise",
        "SourceChanged",
        "SourceVersion",
        "Ticket",
        "TooLong",
    ];
    Kind::new("crates/polyseal-file/src/error.rs", "Error", not_told, errors, Failure::from)
}

fn of_key_files() -> Kind {
    use KeyFileError as E;

    let errors = [
        E::Empty,
        E::NoKey,
        E::SeveralKeys,
        E::BadLine(1),
        E::Version(1),
        E::Length { line: 1, digits: 3 },
        E::Digit(1),
        E::Utf16,
        E::NotText(33),
        E::Password,
        E::Identity,
        E::Recipient,
        E::Wrapped,
        E::TooLong,
    ];
    Kind::new("crates/polyseal-file/src/error.rs", "KeyFileError", &[], errors, |error| {
        FileError::from(error).into()
    })
}

fn of_age_keys() -> Kind {
    use KeyProblem as P;

    let problems = [
        P::SecretAsRecipient,
        P::RecipientAsIdentity,
        P::KeyFileAsIdentity,
        P::Length { what: "recipient of age", found: 3, expected: 62 },
        P::NotARecipient,
        P::NotAnIdentity,
        P::Damaged("identity of age"),
        P::NoRecipients,
        P::NoneSupported,
        P::NoIdentities,
        P::TooLong(1),
        P::Empty,
        P::Utf16,
        P::NotText,
        P::SshType("ecdsa".to_owned()),
        P::SshRsaSize,
        P::SshFormat,
        P::SshCipher("3des".to_owned()),
        P::SshFileNotAlone,
        P::Plugin("x".to_owned()),
        P::RecipientNotTold("x".to_owned()),
        P::NotAPoint,
        P::Feature { what: "SSH keys", feature: "ssh" },
        P::EncryptedDamaged,
        P::NotForPassphrase,
        P::WorkFactor { required: 30, limit: 22 },
        P::NoPassphrase,
        P::WrongPassphrase,
    ];
    let not_told = &["Random", "Refused"];
    Kind::new(
        "crates/polyseal-file/src/age/error.rs",
        "KeyProblem",
        not_told,
        problems,
        |problem| polyseal_file::age::KeyError::from(problem).into(),
    )
}

fn of_names() -> Kind {
    use Problem as P;

    let other = || Path::new("other").to_owned();
    let problems = [
        P::Io { what: "read", source: refused() },
        P::File(FileError::CutShort),
        P::Sealing(FileError::NoRecipients),
        P::Exists,
        P::DanglingLink,
        P::NoSuchDirectory,
        P::NotAFile,
        P::NotRekeyable,
        P::NotWithAge(UnsupportedByAge::InPlace),
        P::NotWithAge(UnsupportedByAge::Context),
        P::MoreThanHeader,
        P::Forbidden("a key file"),
        P::Changed,
        P::ChangedLength,
        P::Grew,
        P::Torn(refused()),
        P::Busy,
        P::Interrupted,
        P::BadBackup(BackupProblem::Foreign),
        P::BadBackup(BackupProblem::NoHeader("why".to_owned())),
        P::BadBackup(BackupProblem::Unread("why".to_owned())),
        P::BackupNameTaken(BackupProblem::OtherHeaders(other())),
        P::NoManifest,
        P::Manifest(ManifestProblem::UnboundContents),
        P::Manifest(ManifestProblem::Length),
        P::Missing,
        P::Added,
        P::AddedCopy,
        P::NotTaken { reason: Reason::Read, kept: true },
        P::NotTaken { reason: Reason::Read, kept: false },
        P::InterruptedUpdate,
        P::UpdatedMeanwhile,
        P::NotSigned,
        P::OlderTree(7),
        P::BusyTree,
        P::EmptySource,
        P::ChecksumNeedsKey,
        P::NotInTree,
        P::NoStateFolder,
        P::NotAState,
        P::TreeIsGone(other()),
        P::OtherFile,
        P::OtherContents,
        P::LinkLeadsOut(b"..".to_vec()),
        P::LeadsOut,
        P::Nested(other()),
        P::NotEmpty,
        P::Occupied(other()),
        P::InAStore,
        P::NotADirectory,
        P::NotOurs,
        P::Appeared,
        P::ReservedName,
        P::SameName(other()),
        P::ImpossibleName("reserved"),
        P::OneFile(other()),
        P::Special,
    ];
    let not_told = &["Caller", "Cancelled", "Store"];
    Kind::new("crates/polyseal-local/src/error.rs", "Problem", not_told, problems, |problem| {
        LocalError::new("name".as_ref(), problem).into()
    })
}

fn of_keepers() -> Kind {
    use KmsProblem as P;

    let says = || "its words".to_owned();
    let problems = [
        P::Uri(says()),
        P::Context(says()),
        P::NotBuilt("aws"),
        P::Unsupported("rewrap"),
        P::NotFromFile(says()),
        P::Credentials(says()),
        P::Denied(says()),
        P::Disabled(says()),
        P::NotFound(says()),
        P::Refused(says()),
        P::Check,
        P::Throttled(says()),
        P::Unreachable(says()),
        P::Clock(says()),
        P::Pin,
        P::PinLocked,
        P::NoPin,
        P::Token(says()),
        P::OtherPublicKey,
        P::Service(says()),
        P::File(says()),
        P::Random,
    ];
    Kind::new("crates/polyseal-kms/src/error.rs", "Problem", &["Setting"], problems, |problem| {
        polyseal_kms::Error::new(problem).into()
    })
}

#[cfg(feature = "stores")]
fn of_objects() -> Kind {
    use StoreProblem as P;

    let problems = [
        P::NoName("why".to_owned()),
        P::Password,
        P::ReadOnly,
        P::NotFound,
        P::Exists,
        P::Replaced,
        P::Credentials,
        P::Permission,
        P::NoRanges,
        P::NoLists,
        P::NoTag,
        P::NoCopies,
        P::NoConditions,
        P::TooMany(5_000_000),
        P::Io(refused()),
        P::File(FileError::CutShort),
    ];
    let source = "crates/polyseal-object-store/src/remote/error.rs";
    Kind::new(source, "Problem", &["Setup", "Store"], problems, |problem| {
        super::store_failure("read", &StoreError::new("s3://bucket/key", problem))
    })
}

fn kinds() -> Vec<Kind> {
    vec![
        of_files(),
        of_key_files(),
        of_age_keys(),
        of_statements(),
        of_names(),
        of_keepers(),
        #[cfg(feature = "stores")]
        of_objects(),
    ]
}

/// The tool's own messages that the page has, each with its code, as they stand in the sources.
const OWN: [(Code, &str, &str); 3] = [
    (Code::NoKey, "no key was given", "keys.rs"),
    (Code::NoKey, "no passphrase was typed", "prompt.rs"),
    (Code::Usage, "there is no terminal", "prompt.rs"),
];

/// Parts of messages on the page, each with its section's code.
struct Page {
    parts: Vec<(Code, String)>,
}

impl Page {
    fn read() -> Self {
        let text = read("docs/errors.md");
        let mut parts = Vec::new();
        for (code, section) in sections(&text) {
            let rows = section.lines().filter(|line| line.starts_with('`'));
            // Without the feature, there are no errors of objects to compare with.
            let rows = rows.filter(|row| cfg!(feature = "stores") || !row.contains("(stores.md"));
            for row in rows {
                let messages = row.split('|').next().expect("a cell");
                parts.extend(messages.split('`').skip(1).step_by(2).map(|p| (code, p.to_owned())));
            }
        }
        Self { parts }
    }

    fn has(&self, code: Code, message: &str) -> bool {
        self.parts.iter().any(|(its, part)| *its == code && message.contains(part.as_str()))
    }
}

fn sections(text: &str) -> impl Iterator<Item = (Code, &str)> {
    let codes = [Code::Io, Code::Usage, Code::Content, Code::NoKey, Code::NotSigned, Code::Foreign];
    codes.into_iter().map(move |code| {
        let heading = format!("## Exit code {}\n", code as u8);
        let (_, section) = text.split_once(&heading).unwrap_or_else(|| panic!("{heading}"));
        (code, section.split("\n## ").next().unwrap_or_default())
    })
}

#[test]
fn every_variant_is_told_or_not() {
    for kind in kinds() {
        let told = kind.told.iter().map(|(variant, _)| variant.clone());
        let known: BTreeSet<String> =
            told.chain(kind.not_told.iter().map(|&name| name.to_owned())).collect();
        assert_eq!(kind.variants(), known, "{}: {}", kind.source, kind.name);
    }
}

#[test]
fn the_page_has_every_message_under_its_code() {
    let page = Page::read();
    let kinds = kinds();
    let told = kinds.iter().flat_map(|kind| &kind.told);
    let missing: Vec<_> = told
        .filter(|(_, failure)| !page.has(failure.code, failure.message()))
        .map(|(variant, failure)| format!("{:?} {variant}: {}", failure.code, failure.message()))
        .collect();
    assert!(missing.is_empty(), "docs/errors.md has no part of these: {missing:#?}");
    for (code, message, source) in OWN {
        assert!(page.has(code, message), "docs/errors.md lacks {message}");
        let source = read(&format!("crates/polyseal-cli/src/{source}"));
        let told = [format!("{code:?}, \"{message}"), format!("usage(\"{message}")];
        assert!(told.iter().any(|told| source.contains(told)), "no such message: {message}");
    }
}

#[test]
fn the_page_has_nothing_that_is_no_message() {
    let kinds = kinds();
    let told = kinds.iter().flat_map(|kind| &kind.told);
    let own = OWN.map(|(code, message, _)| (code, message));
    let messages: Vec<_> =
        told.map(|(_, failure)| (failure.code, failure.message())).chain(own).collect();
    let page = Page::read();
    let stale = page.parts.iter().filter(|(code, part)| {
        !messages.iter().any(|(its, message)| its == code && message.contains(part.as_str()))
    });
    let stale: Vec<_> = stale.collect();
    assert!(stale.is_empty(), "no message has these parts: {stale:#?}");
    assert!(page.parts.len() > 80, "{}", page.parts.len());
}

/// The codes mean on the page what they mean in the manual.
#[test]
fn the_page_says_what_a_code_means() {
    let text = read("docs/errors.md");
    for (code, section) in sections(&text) {
        let status = EXIT_STATUS.iter().find(|(number, _)| *number == (code as u8).to_string());
        let (number, meaning) = *status.unwrap();
        assert_eq!(number, (code as u8).to_string());
        let flat = section.replace('\n', " ");
        assert!(flat.trim_start().starts_with(meaning), "{number}: {meaning}");
    }
}
