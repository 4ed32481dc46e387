//! `completions`: made from the command line's own definition.

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Generator;
use clap_complete_nushell::Nushell;
use polyseal_file::Suite;

use super::print_bytes;
use crate::args::{Args, CompletionsArgs, Shell};
use crate::error::Result;

pub(crate) fn completions(args: &CompletionsArgs) -> Result {
    let mut command = Args::command();
    // Before that, commands have no options yet.
    command.build();
    let mut command = with_suites(command);
    if args.shell == Shell::Bash {
        command = with_short_names(command);
    }
    let mut script = Vec::new();
    match args.shell {
        Shell::Bash => write(clap_complete::Shell::Bash, &mut command, &mut script),
        Shell::Elvish => write(clap_complete::Shell::Elvish, &mut command, &mut script),
        Shell::Fish => write(clap_complete::Shell::Fish, &mut command, &mut script),
        Shell::Nushell => write(Nushell, &mut command, &mut script),
        Shell::Powershell => write(clap_complete::Shell::PowerShell, &mut command, &mut script),
        Shell::Zsh => write(clap_complete::Shell::Zsh, &mut command, &mut script),
    }
    if args.shell == Shell::Bash {
        script =
            String::from_utf8_lossy(&script).replacen(BASH_OPTIONS, BASH_FILES, 1).into_bytes();
    }
    print_bytes(&script)
}

fn write(shell: impl Generator, command: &mut Command, script: &mut Vec<u8>) {
    clap_complete::generate(shell, command, "polyseal", script);
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
