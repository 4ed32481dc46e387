//! Statements: what a signature covers, and what ends it.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use polyseal_file::statement::{
    AllowedSigners, Binding, Coverage, Problem, SegmentHashes, SignedStatement, Signer, Statement,
};
use polyseal_file::{
    Context, Decryptor, Encryptor, Error, ExistingRecipients, Header, Identities, Input, Key,
    Output, Recipients, Result, SegmentSize,
};
use proptest::test_runner::{RngAlgorithm, TestRng};

const ALICE: &str = include_str!("statements/alice");
const SIGNERS: &str = include_str!("statements/allowed_signers");
const SIGNED_AT: u64 = 1_796_000_000;
const TWO_ENDS_KEY: [u8; 32] = [
    0x2d, 0xcc, 0xbc, 0x71, 0xeb, 0x8d, 0x0b, 0xe0, 0xd9, 0xfb, 0xcd, 0xcb, 0xb1, 0x6b, 0x0d, 0x45,
    0xfa, 0xb7, 0x77, 0xa6, 0x68, 0xa5, 0xc8, 0xd2, 0xee, 0x28, 0x6b, 0xc5, 0x42, 0x39, 0x21, 0x76,
];

struct Signed {
    key: Key,
    text: Vec<u8>,
    file: Vec<u8>,
    statement: Vec<u8>,
}

fn signed(bytes: usize) -> Signed {
    let key = Key::generate().unwrap();
    let text: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
    let (recipients, mut file) = (Recipients::from(&key), Vec::new());
    let encryptor = Encryptor::new(&recipients).segment_size(SegmentSize::new(4096).unwrap());
    let (input, output) = (Input::Stream(&mut &text[..]), Output::Stream(&mut file));
    let (_, statement, hashes) = encryptor.encrypt_stated(input, output, SIGNED_AT).unwrap();
    let statement = sign(&statement, &hashes);
    Signed { key, text, file, statement }
}

fn sign(statement: &Statement, hashes: &SegmentHashes) -> Vec<u8> {
    let signature = Signer::from_openssh(ALICE).unwrap().sign(statement).unwrap();
    SignedStatement::with_signatures(statement, &[signature], hashes).unwrap()
}

fn coverage(statement: &[u8]) -> Result<Arc<Coverage>> {
    let signed = SignedStatement::read(&statement)?;
    let signers = AllowedSigners::parse(SIGNERS)?;
    signed.accepted(&signers, Some("alice@example.org"), SIGNED_AT)?;
    signed.coverage(Box::new(statement.to_vec())).map(Arc::new)
}

/// Decrypts a file by its statement; also the plaintext that was given out before an error.
fn decrypt(key: &Key, file: &[u8], statement: &[u8]) -> (Vec<u8>, Result<()>) {
    let mut text = Vec::new();
    let decrypted = coverage(statement).and_then(|coverage| {
        let identities = Identities::from(key);
        let decryptor = Decryptor::new(&identities).covered_by(&coverage);
        decryptor.decrypt(Input::Stream(&mut &file[..]), Output::Stream(&mut text)).map(drop)
    });
    (text, decrypted)
}

#[test]
fn a_signed_file_opens_wholly_and_in_parts() {
    for bytes in [0, 1, 4096, 4097, 150_000, 600_000] {
        let Signed { key, text, file, statement } = signed(bytes);
        let (found, decrypted) = decrypt(&key, &file, &statement);
        decrypted.unwrap();
        assert!(found == text);
        let coverage = coverage(&statement).unwrap();
        let identities = Identities::from(&key);
        let reader = Decryptor::new(&identities).covered_by(&coverage).reader(&file[..]).unwrap();
        for start in [0, bytes / 3, bytes.saturating_sub(5)] {
            let mut part = vec![0; 5.min(bytes - start)];
            reader.read_at(&mut part, start as u64).unwrap();
            assert!(part == text[start..start + part.len()]);
        }
    }
}

#[test]
fn a_file_that_is_changed_by_somebody_who_can_open_it_is_not_the_signed_one() {
    let Signed { key, file, statement, mut text } = signed(150_000);
    let again = |text: &[u8]| {
        let (recipients, mut other) = (Recipients::from(&key), Vec::new());
        let encryptor = Encryptor::new(&recipients).segment_size(SegmentSize::new(4096).unwrap());
        encryptor.encrypt(Input::Stream(&mut &text[..]), Output::Stream(&mut other)).unwrap();
        other
    };
    text[70_000] ^= 1;
    let other = again(&text);
    let (given_out, refused) = decrypt(&key, &other, &statement);
    assert!(matches!(refused, Err(Error::Statement(Problem::OtherFile))), "{refused:?}");
    assert_eq!(given_out, b"");
    // Under the header of the signed file.
    let mut mixed = file[..4096].to_vec();
    mixed.extend_from_slice(&other[4096..]);
    let (given_out, refused) = decrypt(&key, &mixed, &statement);
    assert!(matches!(refused, Err(Error::NotAsSigned { segment: 0 })), "{refused:?}");
    assert_eq!(given_out, b"");
}

#[test]
fn other_recipients_keep_a_statement_that_is_bound_to_the_key() {
    let Signed { key, text, file, statement } = signed(10_000);
    let other = Key::generate().unwrap();
    let header = Header::read(&mut &file[..]).unwrap();
    let identities = Identities::from(&key);
    let opened = header.authenticate(&identities).unwrap();
    let new = opened.rekey(&Recipients::from(&other), ExistingRecipients::Remove).unwrap();
    let rekeyed = [new.as_bytes(), &file[new.as_bytes().len()..]].concat();
    let (found, decrypted) = decrypt(&other, &rekeyed, &statement);
    decrypted.unwrap();
    assert!(found == text);
    // One that is bound to the header ends.
    let (stated, hashes) = Statement::of_stored(&mut &file[..], SIGNED_AT).unwrap();
    assert!(matches!(stated.binding, Binding::Header(_)));
    let statement = sign(&stated, &hashes);
    decrypt(&key, &file, &statement).1.unwrap();
    let (given_out, refused) = decrypt(&other, &rekeyed, &statement);
    assert!(matches!(refused, Err(Error::Statement(Problem::OtherFile))), "{refused:?}");
    assert_eq!(given_out, b"");
    // The same statement as that of the encryption, but for the binding.
    let (opened_stated, _) = Statement::of_opened(&opened, &mut &file[4096..], SIGNED_AT).unwrap();
    assert_eq!(Statement { binding: opened_stated.binding, ..stated }, opened_stated);
}

/// Whatever is changed, nothing is given out but what was signed.
#[test]
fn five_hundred_manipulations_of_file_statement_and_hashes() {
    let Signed { key, text, file, statement } = signed(300_000);
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut below = |most: usize| {
        use proptest::prelude::Rng;
        (random.next_u64() % most as u64) as usize
    };
    let mut refused = 0;
    for turn in 0..500 {
        let (mut file, mut statement) = (file.clone(), statement.clone());
        let of = if turn % 2 == 0 { &mut statement } else { &mut file };
        match below(5) {
            0 => of.truncate(of.len() - 1 - below(of.len() - 1)),
            1 => of.push(0),
            2 => {
                let at = below(of.len() - 100);
                of.swap(at, at + 64);
            }
            3 => {
                let at = below(of.len());
                of.remove(at);
            }
            _ => {
                let at = below(of.len());
                of[at] ^= 1 << below(8);
            }
        }
        let (given_out, done) = decrypt(&key, &file, &statement);
        assert!(text.starts_with(&given_out));
        match done {
            Ok(()) => assert!(given_out == text),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 480, "{refused}");
}

#[test]
fn only_an_allowed_signer_is_accepted() {
    let Signed { statement, .. } = signed(5000);
    let signed = SignedStatement::read(&&statement[..]).unwrap();
    let signers = AllowedSigners::parse(SIGNERS).unwrap();
    let accepted = signed.accepted(&signers, None, SIGNED_AT).unwrap();
    assert_eq!(accepted.principal, "alice@example.org");
    assert!(accepted.fingerprint.starts_with("SHA256:"));
    for by in ["bob@example.org", "mallory@example.org"] {
        let refused = signed.accepted(&signers, Some(by), SIGNED_AT).unwrap_err();
        assert!(matches!(refused, Error::Statement(Problem::NotAccepted)), "{by}");
    }
    let nobody = AllowedSigners::parse("").unwrap();
    assert!(signed.accepted(&nobody, None, SIGNED_AT).is_err());
    // The signature is of this text and no other.
    let text = String::from_utf8_lossy(&statement).replace("time 1796000000", "time 1796000001");
    let at = text.find("-----END").unwrap() + 30;
    let other = SignedStatement::read(&text.as_bytes()[..at].as_ref());
    let refused = other.and_then(|other| other.accepted(&signers, None, SIGNED_AT).map(drop));
    assert!(refused.is_err());
}

/// `ssh-keygen` is a second verifier, and signs what is read here.
#[test]
fn statements_are_those_of_ssh_keygen() {
    let Signed { statement, .. } = signed(20_000);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let signed = SignedStatement::read(&&statement[..]).unwrap();
    let armored = &statement[signed.text().len()..];
    std::fs::write(at("signature"), armored).unwrap();
    std::fs::write(at("allowed_signers"), SIGNERS).unwrap();
    let verify = |text: &str| {
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", "verify", "-n", "polyseal", "-I", "alice@example.org", "-f"]);
        command.arg(at("allowed_signers")).arg("-s").arg(at("signature"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().ok()?;
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Some(child.wait().unwrap().success())
    };
    let Some(is_verified) = verify(signed.text()) else {
        println!("this test needs ssh-keygen");
        return;
    };
    assert!(is_verified);
    assert_eq!(verify(&signed.text().replace("aegis", "sigea")), Some(false));
}

/// The kit of the reference, in `vectors/statement`.
#[test]
fn every_file_and_statement_of_the_kit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/statement");
    let read =
        |name: &serde_json::Value| std::fs::read(folder.join(name.as_str().unwrap())).unwrap();
    let index = std::fs::read(folder.join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_slice(&index).unwrap();
    let signers = std::fs::read_to_string(folder.join("allowed_signers")).unwrap();
    let signers = AllowedSigners::parse(&signers).unwrap();
    let key = Key::from_bytes(&[0x11; 32]);
    let identities = Identities::from(&key);
    let tests = index["tests"].as_array().unwrap();
    for test in tests {
        let (file, statement) = (read(&test["file"]), read(&test["statement"]));
        let context = test["context"].as_str().map(|text| Context::new(text).unwrap());
        let covered = || {
            let signed = SignedStatement::read(&&statement[..])?;
            signed.accepted(&signers, None, SIGNED_AT)?;
            signed.coverage(Box::new(statement.clone())).map(Arc::new)
        };
        let open = || {
            let coverage = covered()?;
            let mut decryptor = Decryptor::new(&identities).covered_by(&coverage);
            if let Some(context) = &context {
                decryptor = decryptor.context(context);
            }
            decryptor.verify(Input::Stream(&mut &file[..]))?;
            coverage.verify_stored(&&file[..], NonZeroUsize::MIN).map(drop)
        };
        let outcome = match open() {
            Ok(()) => "ok",
            Err(Error::Statement(problem)) => match problem {
                Problem::Version => "version",
                Problem::Text => "text",
                Problem::Signature => "signature",
                Problem::Hashes => "hashes",
                Problem::OtherFile => "other file",
                Problem::NotAccepted => "not accepted",
                other => panic!("{test}: {other}"),
            },
            Err(Error::NotAsSigned { .. }) => "segment",
            Err(other) => panic!("{test}: {other}"),
        };
        assert_eq!(outcome, test["outcome"].as_str().unwrap(), "{test}");
    }
    assert!(tests.len() > 25);
}

/// The signed trees of the kit: what of them is verified without a file system.
#[test]
fn every_tree_of_the_kit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/statement");
    let read = |path: &str| std::fs::read(folder.join(path));
    let index: serde_json::Value = serde_json::from_slice(&read("index.json").unwrap()).unwrap();
    let signers = String::from_utf8(read("allowed_signers").unwrap()).unwrap();
    let signers = AllowedSigners::parse(&signers).unwrap();
    let own = format!(".polyseal-signed/{}", "0f".repeat(32));
    let trees = index["trees"].as_array().unwrap();
    let mut refused = 0;
    for test in trees {
        let has = |list: &str, name: &str| {
            test[list].as_array().unwrap().iter().any(|it| it.as_str() == Some(name))
        };
        let stored = |name: &str| {
            let tree = if has("others", name) { test["tree"].as_str().unwrap() } else { "tree" };
            if has("absent", name) { Vec::new() } else { read(&format!("{tree}/{name}")).unwrap() }
        };
        let (manifest, statement) =
            (stored(".polyseal-manifest.polyseal"), stored(&format!("{own}.sig")));
        let verify = || {
            let signed = SignedStatement::read(&&statement[..])?;
            signed.accepted(&signers, None, SIGNED_AT)?;
            let (coverage, version) = signed.tree_coverage(Box::new(statement.clone()))?;
            coverage.verify_stored(&&manifest[..], NonZeroUsize::MIN)?;
            assert_eq!(version.number, 7);
            let listed = version.read_list(&stored(&format!("{own}.list")))?;
            let file = listed.find(b"a/long").ok_or(Error::Truncated)?;
            let encrypted = stored("a/long.polyseal");
            let hashes = stored(&format!(".polyseal-signed/{}.hashes", "07".repeat(32)));
            let header = Header::read(&mut &encrypted[..]).map_err(|_| Error::Truncated)?;
            let bytes = encrypted.len() as u64;
            let coverage =
                Coverage::of_commitment(&file.commitment, &header, bytes, Box::new(hashes))?;
            let coverage = Arc::new(coverage);
            coverage.verify_stored(&&encrypted[..], NonZeroUsize::MIN)?;
            // With a key, the commitment to that is compared, too.
            let key = Key::from_bytes(&[0x11; 32]);
            let identities = Identities::from(&key);
            let reader =
                Decryptor::new(&identities).covered_by(&coverage).reader(&encrypted[..])?;
            reader.read_at(&mut [0; 9], 4090).map_err(|_| Error::Truncated)?;
            let mut other = file.commitment;
            other.key[0] ^= 1;
            let other = Coverage::of_commitment(
                &other,
                &header,
                bytes,
                Box::new(stored(&format!(".polyseal-signed/{}.hashes", "07".repeat(32)))),
            )?;
            let (other, decryptor) = (Arc::new(other), Decryptor::new(&identities));
            let refused = decryptor.covered_by(&other).reader(&encrypted[..]).map(drop);
            assert!(matches!(refused, Err(Error::Statement(Problem::OtherFile))));
            Ok(())
        };
        let outcome = match verify() {
            Ok(()) => "ok",
            Err(Error::Statement(problem)) => match problem {
                Problem::Signature => "not signed",
                Problem::List => "list",
                Problem::Hashes => "hashes",
                Problem::OtherFile => "other file",
                Problem::NotAccepted => "not accepted",
                other => panic!("{test}: {other}"),
            },
            Err(Error::NotAsSigned { .. }) => "segment",
            Err(Error::Truncated) => "missing",
            Err(other) => panic!("{test}: {other}"),
        };
        match test["outcome"].as_str().unwrap() {
            // That takes a listing.
            "added" => assert_eq!(outcome, "ok"),
            expected => assert_eq!(outcome, expected, "{test}"),
        }
        refused += usize::from(outcome != "ok");
    }
    assert!(refused > 14);
}

/// Whoever makes a file of a suite that does not commit can let one stored segment open to two
/// texts: as the last one, and as another. The statement says where the payload ends.
#[test]
fn a_file_that_opens_to_two_texts_is_signed_with_one_end() {
    let file = include_bytes!("../../../vectors/attacks/two-ends.polyseal");
    let statement = include_bytes!("../../../vectors/attacks/two-ends.sig");
    let signers =
        AllowedSigners::parse(include_str!("../../../vectors/attacks/two-ends.signers")).unwrap();
    let signed = SignedStatement::read(&&statement[..]).unwrap();
    signed.accepted(&signers, None, SIGNED_AT).unwrap();
    let coverage = Arc::new(signed.coverage(Box::new(statement.to_vec())).unwrap());
    let key = Key::from_bytes(&TWO_ENDS_KEY);
    let identities = Identities::from(&key);
    let decrypt = |file: &[u8], decryptor: Decryptor<'_>| {
        let (mut file, mut text) = (file, Vec::new());
        let done = decryptor.decrypt(Input::Stream(&mut file), Output::Stream(&mut text));
        (done.is_ok(), text)
    };
    let (anything, covered) =
        (Decryptor::new(&identities), Decryptor::new(&identities).covered_by(&coverage));
    let cut = &file[..4096 + 4112];
    let (whole, text) = decrypt(file, covered);
    let (other, other_text) = decrypt(cut, anything);
    assert!(whole && other && !text.starts_with(&other_text));
    assert_eq!(decrypt(cut, covered), (false, Vec::new()));
    assert!(covered.reader(cut).is_err() && covered.reader(&file[..]).is_ok());
}

#[test]
fn a_stream_that_is_sealed_in_pieces_has_a_statement() {
    for bytes in [0, 1, 4096, 150_000] {
        let (key, text) = (Key::generate().unwrap(), vec![7; bytes]);
        let recipients = Recipients::from(&key);
        let encryptor = Encryptor::new(&recipients).segment_size(SegmentSize::new(4096).unwrap());
        let (mut sealer, pending) = encryptor.stated_stream_sealer().unwrap();
        let mut file = sealer.header().as_bytes().to_vec();
        let taken = bytes.saturating_sub(1) / 4096 / 2;
        let (one, two) = (sealer.take(taken as u64).unwrap(), sealer.take(taken as u64).unwrap());
        let (first, rest) = text.split_at(taken * 4096);
        let (second, rest) = rest.split_at(taken * 4096);
        // In any order.
        let second = two.seal(&[second]).unwrap();
        file.extend(one.seal(&[first]).unwrap());
        file.extend(second);
        file.extend(sealer.finish(&[rest]).unwrap());
        let (statement, hashes) = pending.finish(SIGNED_AT).unwrap();
        let (opened, decrypted) = decrypt(&key, &file, &sign(&statement, &hashes));
        decrypted.unwrap();
        assert!(opened == text);
    }
    let recipients = Recipients::from(&Key::generate().unwrap());
    let (mut sealer, pending) = Encryptor::new(&recipients).stated_stream_sealer().unwrap();
    let piece = sealer.take(1).unwrap();
    sealer.finish(&[b"the end"]).unwrap();
    drop(piece);
    // A piece was not sealed.
    assert!(matches!(pending.finish(SIGNED_AT), Err(Error::PartBytes { .. })));
}

#[test]
fn hashes_that_somebody_else_fetches_cover_what_is_read_while_they_are_held() {
    let Signed { key, text, file, statement } = signed(600_000);
    let read = SignedStatement::read(&statement).unwrap();
    let coverage = Arc::new(read.coverage_in_parts(statement.len() as u64).unwrap());
    assert!(read.coverage_in_parts(statement.len() as u64 + 1).is_err());
    let identities = Identities::from(&key);
    let reader = Decryptor::new(&identities).covered_by(&coverage).reader(&file[..]).unwrap();
    let mut part = [0; 9];
    let uncovered = reader.read_at(&mut part, 300_000);
    assert!(matches!(uncovered, Err(Error::NotFetched)), "{uncovered:?}");

    let mut held = coverage.hold(300_000..300_009);
    let missing = held.missing().unwrap();
    assert!(missing.end - missing.start <= 2048);
    let stored = &statement[missing.start as usize..missing.end as usize];
    assert!(matches!(held.take(&stored[1..]), Err(Error::PartBytes { .. })));
    let mut other = stored.to_vec();
    other[40] ^= 1;
    assert!(matches!(held.take(&other), Err(Error::Statement(Problem::Hashes))));
    assert_eq!(held.missing(), Some(missing.clone()));
    held.take(stored).unwrap();
    assert_eq!(held.missing(), None);
    reader.read_at(&mut part, 300_000).unwrap();
    assert!(part == text[300_000..300_009]);
    assert_eq!(coverage.hold(300_000..300_009).missing(), None);
    // All, of which some are there; and nothing behind the end.
    let all = coverage.hold(0..u64::MAX).missing().unwrap();
    assert_eq!(all.end, statement.len() as u64);
    assert_eq!(coverage.hold(600_000_000..700_000_000).missing(), None);
}

#[test]
fn a_statement_with_many_signatures_is_fetched_in_two_steps() {
    let Signed { file, .. } = signed(600_000);
    let (statement, hashes) = Statement::of_stored(&mut &file[..], SIGNED_AT).unwrap();
    let signature = Signer::from_openssh(ALICE).unwrap().sign(&statement).unwrap();
    let lengths = [1, 20].map(|count| {
        let signatures = vec![signature.clone(); count];
        let stored = SignedStatement::with_signatures(&statement, &signatures, &hashes).unwrap();
        let size = stored.len() as u64;
        let (mut have, mut steps) = (0, 0);
        while !SignedStatement::wanted(&stored[..have], size).is_empty() {
            have = SignedStatement::wanted(&stored[..have], size).end as usize;
            steps += 1;
        }
        let read = SignedStatement::read(&stored[..have].to_vec()).unwrap();
        read.coverage_in_parts(size).unwrap();
        (have, steps)
    });
    assert_eq!(lengths[0], (4096, 1));
    assert_eq!(lengths[1].1, 2);
}

#[test]
fn a_signed_file_that_was_cut_short_or_extended_is_not_opened() {
    let Signed { key, file, statement, .. } = signed(150_000);
    let coverage = coverage(&statement).unwrap();
    let identities = Identities::from(&key);
    let decryptor = Decryptor::new(&identities).covered_by(&coverage);
    let segment = 4096 + 16;
    let cut = decryptor.reader(&file[..file.len() - segment]).map(drop);
    assert!(matches!(cut, Err(Error::Truncated)), "{cut:?}");
    let longer = decryptor.reader([&file[..], &[0; 4112]].concat()).map(drop);
    assert!(matches!(longer, Err(Error::Extended)), "{longer:?}");
}
