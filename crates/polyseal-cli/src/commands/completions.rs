//! `completions` and `man`: made from the command line's own definition.

use std::path::Path;
use std::{fs, io};

use clap::CommandFactory;

use super::print_bytes;
use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::error::already_exists;
use crate::error::{Failure, Result};

pub(crate) fn completions(args: &CompletionsArgs) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "polyseal", &mut script);
    print_bytes(&script)
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

/// Writes a page for every command into `directory`: new files, that anybody may read. What has
/// such a name is replaced if `force` says so; a symbolic link is not followed.
fn pages(command: clap::Command, directory: &Path, force: bool) -> Result {
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
