//! `man`: the manual pages, made from the command line's own definition, with the sections of
//! man-pages(7).

use std::io::{self, IsTerminal};
use std::path::Path;
use std::{fs, iter};
#[cfg(unix)]
use std::{
    io::Write,
    process::{self, Stdio},
};

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::print_bytes;
use crate::args::{Args, ManArgs, not_built};
use crate::environment::VARIABLES;
use crate::error::{EXIT_STATUS, Failure, Result, already_exists};

const OF_SEVERAL: &str = "If several files fail, it is the first of 3, 4, 1 and 2 that occurred.";

const FILES: [(&str, &str); 4] = [
    ("*.polyseal", "An encrypted file."),
    (".polyseal-manifest.polyseal", "The list of a tree's files, which proves that it is whole."),
    ("*.header-backup", "The header that a rekey --in-place replaces, until that is done."),
    (
        ".polyseal-*.tmp",
        "An output that is not complete. Once no run writes it, it may be deleted.",
    ),
];

/// Pages with these options have the sections on keys.
const OPTION_OF_KEYS: &str = "passphrase_fd";

pub(crate) fn man(args: &ManArgs) -> Result {
    let command = Args::command();
    if let Some(directory) = &args.output {
        return pages(command, directory, args.force);
    }
    let page = page(&find(built(command), &args.command)?).map_err(|error| not_made(&error))?;
    if io::stdout().is_terminal() && show(&page).is_some() {
        return Ok(());
    }
    print_bytes(&page)
}

fn not_made(error: &io::Error) -> Failure {
    Failure::io("write", Path::new("the manual page"), error)
}

/// Before that, commands have neither options nor whole names.
fn built(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    command
}

/// The command that these words name.
fn find(mut command: Command, words: &[String]) -> Result<Command> {
    for word in words {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| match not_built(word) {
            Some(missing) => Failure::usage(missing),
            None => Failure::usage(format!("there is no command {word}"))
                .hint("polyseal help lists them"),
        })?;
    }
    Ok(command)
}

/// Shows the page as man shows others; nothing where there is no man.
#[cfg(unix)]
fn show(page: &[u8]) -> Option<()> {
    let mut file = tempfile::Builder::new().suffix(".1").tempfile().ok()?;
    file.write_all(page).ok()?;
    // With a slash in it, every man takes it for a file.
    let shown = process::Command::new("man").arg(file.path()).stderr(Stdio::null()).status();
    shown.ok()?.success().then_some(())
}

#[cfg(not(unix))]
fn show(_: &[u8]) -> Option<()> {
    None
}

/// Writes a page for every command into `directory`: new files, that anybody may read. Existing
/// ones are replaced if `force` says so; a symbolic link is not followed.
fn pages(command: Command, directory: &Path, force: bool) -> Result {
    let failure = |error| Failure::io("write to", directory, &error);
    let made = tempfile::tempdir_in(directory).map_err(failure)?;
    write_all(&built(command), made.path()).map_err(failure)?;
    for page in fs::read_dir(made.path()).map_err(failure)? {
        let page = page.map_err(failure)?;
        let target = directory.join(page.file_name());
        if !force && target.symlink_metadata().is_ok() {
            return Err(already_exists(&target));
        }
        fs::rename(page.path(), &target).map_err(failure)?;
    }
    Ok(())
}

fn write_all(command: &Command, directory: &Path) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_all(command, directory)?;
    }
    let name = Man::new(command.clone()).get_filename();
    fs::write(directory.join(name), page(command)?)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).manual("Polyseal").date("");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let whole = command.get_name() == "polyseal";
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = after.split_once("Examples:\n").unwrap_or((&after, ""));
    let mut roff = Roff::new();
    // On the first page they are the section below.
    if !whole && !notes.is_empty() {
        roff.control("SH", ["NOTES"]).text([roman(notes.trim().replace('\n', " "))]);
    }
    if !examples.is_empty() {
        section_of_code(&mut roff, "EXAMPLES", examples.trim_end());
    }
    list(&mut roff, "EXIT STATUS", EXIT_STATUS);
    roff.control("PP", []).text([roman(OF_SEVERAL)]);
    if whole || command.get_arguments().any(|arg| arg.get_id() == OPTION_OF_KEYS) {
        list(&mut roff, "ENVIRONMENT", VARIABLES);
        list(&mut roff, "FILES", FILES);
    }
    let others = see_also(command, whole);
    roff.control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]);
    roff.to_writer(&mut page)?;
    Ok(page)
}

fn list<'a>(roff: &mut Roff, heading: &str, items: impl IntoIterator<Item = (&'a str, &'a str)>) {
    roff.control("SH", [heading]);
    for (name, text) in items {
        roff.control("TP", []).text([clap_mangen::roff::bold(name)]).text([roman(text)]);
    }
}

/// Lines as they are.
fn section_of_code(roff: &mut Roff, heading: &str, lines: &str) {
    roff.control("SH", [heading]).control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
}

fn see_also(command: &Command, whole: bool) -> Vec<String> {
    let page = |name: &str| format!("{}(1)", name.replace(' ', "-"));
    let below = command.get_subcommands().filter(|command| !command.is_hide_set());
    let below = below.filter_map(|command| command.get_display_name()).map(page);
    if whole {
        return below.chain(["age".to_owned() + "(1)"]).collect();
    }
    iter::once("polyseal(1)".to_owned()).chain(below).collect()
}
