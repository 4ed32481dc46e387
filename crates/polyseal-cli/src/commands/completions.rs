//! `completions` and `man`: made from the command line's own definition.

use std::io;
use std::path::Path;

use clap::CommandFactory;

use super::print_bytes;
use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::error::{Failure, Result};

pub(crate) fn completions(args: &CompletionsArgs) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "polyseal", &mut script);
    print_bytes(&script)
}

pub(crate) fn man(args: &ManArgs) -> Result {
    let command = Args::command();
    match &args.output {
        Some(directory) => clap_mangen::generate_to(command, directory)
            .map_err(|error| Failure::io("write to", directory, &error)),
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
