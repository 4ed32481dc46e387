//! Outputs that are no regular files: they are written to as they are.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::SECURITY_IDENTIFICATION;

/// The devices that may be written to. Other names of devices are refused, as those of files.
const OURS: [&str; 3] = ["NUL", "CON", "CONOUT$"];
/// How the names of all that is no file begin.
const DEVICES: [&str; 2] = [r"\\.\", "//./"];

fn is_ours(name: &str) -> bool {
    OURS.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// A device, such as `NUL`, or a pipe, under a name.
#[derive(Debug)]
pub struct SpecialFile {
    path: PathBuf,
}

impl SpecialFile {
    /// The device or pipe at `path`; `None` for anything else.
    #[must_use]
    pub fn find(path: &Path) -> Option<Self> {
        let text = path.to_string_lossy();
        let is_special = is_ours(&text) || DEVICES.iter().any(|it| text.starts_with(it));
        is_special.then(|| Self { path: path.to_owned() })
    }

    /// Whether the system itself provides this device. The first process to ask makes a pipe, and
    /// would read what is written.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let text = self.path.to_string_lossy();
        is_ours(DEVICES.iter().find_map(|it| text.strip_prefix(it)).unwrap_or(&text))
    }

    /// Opens it to be written to.
    ///
    /// # Errors
    /// An I/O error.
    pub fn open(&self) -> io::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options.write(true).security_qos_flags(SECURITY_IDENTIFICATION);
        options.open(&self.path).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_pipes() {
        let found = |path: &str| SpecialFile::find(Path::new(path)).map(|it| it.is_ours());
        for ours in ["NUL", "nul", "CON", r"\\.\NUL", "//./CON"] {
            assert_eq!(found(ours), Some(true), "{ours}");
        }
        for other in [r"\\.\pipe\x", "//./pipe/x", r"\\.\PhysicalDrive0"] {
            assert_eq!(found(other), Some(false), "{other}");
        }
        for file in ["a", r"C:\a\b", r"\\server\share\a", "null", "aux", "nul.txt"] {
            assert_eq!(found(file), None, "{file}");
        }
    }
}
