//! The completions and the manual know every command.

#![cfg(unix)]

use std::process::Command;

use crate::common::{TestDir, have};

/// The commands, as help lists them.
fn commands(room: &TestDir, of: &[&str]) -> Vec<String> {
    let help = room.run([of, &["--help"]].concat(), b"").succeeds();
    let help = String::from_utf8(help).unwrap();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    // Some have a short flag, too: `encrypt, -e`.
    let names = names.map(|line| line.split([' ', ',']).find(|word| !word.is_empty()).unwrap());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn completions_know_every_command() {
    let room = TestDir::new();
    let commands = commands(&room, &[]);
    assert!(commands.len() >= 10, "{commands:?}");
    let begins = [("bash", "_polyseal"), ("zsh", "#compdef polyseal"), ("fish", "#")];
    for (shell, begin) in begins.into_iter().chain([("nushell", "module completions")]) {
        let script = room.run(["completions", shell], b"").succeeds();
        let text = String::from_utf8(script.clone()).unwrap();
        assert!(text.starts_with(begin), "{shell}");
        for command in &commands {
            assert!(text.contains(command.as_str()), "{shell}, {command}");
        }
        assert!(text.contains("passphrase-fd") && text.contains("hybrid"), "{shell}");
        room.write(shell, &script);
        // Zsh's are read by zsh only, and so are fish's.
        if have(shell) {
            let check = Command::new(shell).args(["-n", shell]).current_dir(room.0.path()).output();
            let check = check.unwrap();
            assert!(check.status.success() && check.stderr.is_empty(), "{shell}: {check:?}");
        } else if shell == "bash" {
            crate::common::cannot("bash is missing");
        }
    }
    room.run(["completions", "csh"], b"").fails(2, "csh");
}

/// The words that bash offers for the last of these.
fn offered(room: &TestDir, words: &[&str]) -> Vec<String> {
    let script = r#". ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _polyseal polyseal "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["-c", script, "bash", "polyseal"]).args(words).current_dir(room.0.path());
    let done = bash.output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let text = String::from_utf8(done.stdout).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_offers_what_may_stand_there() {
    if !have("bash") {
        return crate::common::cannot("bash is missing");
    }
    let room = TestDir::new();
    room.write("bash", &room.run(["completions", "bash"], b"").succeeds());
    let has = |words: &[&str], word: &str| offered(&room, words).iter().any(|it| it == word);
    assert!(has(&["encrypt", "--rec"], "--recursive") && has(&["-e", "--rec"], "--recursive"));
    assert!(has(&["-d", "--id"], "--identity") && has(&["kms", "rew"], "rewrap"));
    // A file there may have the name of an option.
    for words in [&["encrypt", "--", ""][..], &["encrypt", "--", "-"], &["--", "a", "--"]] {
        assert_eq!(offered(&room, words), [""; 0], "{words:?}");
    }
    assert!(has(&["encrypt", "a", "--"], "--suite"));
    assert!(has(&["encrypt", "--suite", "aegis-2"], "aegis-256x2"));
    assert!(!has(&["encrypt", "--suite", "aegis"], "aegis-256-mac"), "it is for no file");
    assert!(has(&["encrypt", "-s", ""], "kc-xaes-256-gcm"));
    assert!(has(&["aead", "seal", "--suite", "omd"], "omd-sha256"));
    assert!(has(&["limits", "xaes"], "xaes-256-gcm"));
}

#[test]
fn every_command_has_a_page() {
    let room = TestDir::new();
    std::fs::create_dir(room.path("man")).unwrap();
    room.run(["man", "-o", "man"], b"").succeeds();
    let mut expected = vec!["polyseal.1".to_owned()];
    for command in commands(&room, &[]) {
        expected.push(format!("polyseal-{command}.1"));
    }
    for of in ["aead", "hazmat", "kms"] {
        let pages =
            commands(&room, &[of]).into_iter().map(|name| format!("polyseal-{of}-{name}.1"));
        expected.extend(pages);
    }
    expected.sort();
    assert_eq!(crate::common::names(&room.path("man")), expected);
    for name in &expected {
        let page = String::from_utf8(room.read(&format!("man/{name}"))).unwrap();
        let title = name.strip_suffix(".1").unwrap().replace('-', "\\-");
        assert!(page.contains(&format!(".SH NAME\n{title} \\- ")), "{name}");
        for section in ["SYNOPSIS", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(page.contains(&format!(".SH {section}\n")), "{name}, {section}");
        }
        assert!(!page.contains("EXTRA"), "{name}");
    }
    let page = room.run(["man"], b"").succeeds();
    assert!(page == room.read("man/polyseal.1"));
    let of_encrypt = room.run(["man", "encrypt"], b"").succeeds();
    assert!(of_encrypt == room.read("man/polyseal-encrypt.1"));
    let of_encrypt = String::from_utf8(of_encrypt).unwrap();
    // An example is a line of its own.
    let begin = of_encrypt.find(".SH EXAMPLES\n.nf\n").unwrap();
    let (code, _) = of_encrypt[begin..].split_once("\n.fi\n").unwrap();
    assert!(
        code.lines().skip(2).count() >= 7 && code.contains("\npolyseal encrypt \\-p "),
        "{code}"
    );
    for part in [".SH ENVIRONMENT\n", "POLYSEAL_KEY_FILE", ".SH FILES\n"] {
        assert!(of_encrypt.contains(part), "{part}");
    }
    assert!(
        room.run(["man", "kms", "check"], b"").succeeds() == room.read("man/polyseal-kms-check.1")
    );
    room.run(["man", "encript"], b"").fails(2, "no command encript");
    room.run(["man", "-o", "man"], b"").fails(2, "already exists");
    // A link is replaced, and not what it leads to.
    std::fs::remove_file(room.path("man/polyseal.1")).unwrap();
    std::os::unix::fs::symlink("../k", room.path("man/polyseal.1")).unwrap();
    let key = room.read("k");
    room.run(["man", "-f", "-o", "man"], b"").succeeds();
    assert!(room.read("k") == key && room.read("man/polyseal.1") == page);
    room.run(["man", "-o", "absent"], b"").fails(1, "absent");
}
