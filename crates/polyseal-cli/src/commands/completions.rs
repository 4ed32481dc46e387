//! `completions` and `man`: made from the command line's own definition.

use std::path::Path;
use std::{fs, io};

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use polyseal_file::Suite;

use super::print_bytes;
use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::error::already_exists;
use crate::error::{Failure, Result};

pub(crate) fn completions(args: &CompletionsArgs) -> Result {
    let mut command = Args::command();
    // Before that, commands have no options yet.
    command.build();
    let mut command = with_suites(command);
    if args.shell == Shell::Bash {
        command = with_short_names(command);
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "polyseal", &mut script);
    if args.shell == Shell::Bash {
        script =
            String::from_utf8_lossy(&script).replacen(BASH_OPTIONS, BASH_FILES, 1).into_bytes();
    }
    print_bytes(&script)
}

/// Where the script for bash begins to offer options.
const BASH_OPTIONS: &str = "    case \"${cmd}\" in\n";
/// The same, but behind `--`, where the shell offers files by itself.
const BASH_FILES: &str = "    for i in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"
    do
        [[ \"${i}\" == -- ]] && return 0
    done

    case \"${cmd}\" in\n";

/// The suites of files, or all algorithms.
fn suites(files: bool) -> Vec<&'static str> {
    if files {
        return Suite::allowed().to_vec();
    }
    polyseal::registry::families().iter().map(|family| family.identity.id).collect()
}

/// The same command, whose `--suite` has the names that it takes.
fn with_suites(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let files = sub.get_name() == "encrypt";
        let sub = sub.mut_args(|arg| {
            if ["suite", "suites"].contains(&arg.get_id().as_str()) {
                arg.value_parser(PossibleValuesParser::new(suites(files)))
            } else {
                arg
            }
        });
        if sub.has_subcommands() { with_suites(sub) } else { sub }
    })
}

/// The same command, whose subcommands are also called by their flags: `polyseal -e`.
fn with_short_names(command: Command) -> Command {
    command.mut_subcommands(|sub| match sub.get_short_flag() {
        Some(flag) => sub.visible_alias(&*format!("-{flag}").leak()),
        None => sub,
    })
}

pub(crate) fn man(args: &ManArgs) -> Result {
    let command = Args::command();
    match &args.output {
        Some(directory) => pages(command, directory, args.force),
        None => {
            let mut page = Vec::new();
            // As the pages in a directory have it: `help` has none.
            let command = command.disable_help_subcommand(true);
            let rendered = clap_mangen::Man::new(command).render(&mut page);
            rendered.map_err(|error: io::Error| {
                Failure::io("write", Path::new("the manual page"), &error)
            })?;
            print_bytes(&page)
        }
    }
}

/// Writes a page for every command into `directory`: new files, that anybody may read. Existing
/// ones are replaced if `force` says so; a symbolic link is not followed.
fn pages(command: Command, directory: &Path, force: bool) -> Result {
    let failure = |error| Failure::io("write to", directory, &error);
    let made = tempfile::tempdir_in(directory).map_err(failure)?;
    clap_mangen::generate_to(command, made.path()).map_err(failure)?;
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
