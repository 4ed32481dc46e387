//! The module of PKCS #11: from where the user says, loaded once for a process.

use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error as ModuleError, RvError};

use crate::{Error, Problem, Result, Settings, Uri};

/// The modules that were loaded, and by which process. They stay until the process ends.
static LOADED: Mutex<Vec<(PathBuf, u32, Pkcs11)>> = Mutex::new(Vec::new());

/// Where the module is. A URI from a file has no query: [`Uri`] refuses it.
pub(super) fn path(uri: &Uri, settings: &Settings) -> Result<PathBuf> {
    let setting = |why: &str| Error::new(Problem::Setting(why.to_owned()));
    let said =
        uri.query("module-path").map(str::to_owned).or_else(|| settings.get("PKCS11_MODULE"));
    let path = said.map(PathBuf::from).ok_or_else(|| {
        setting(
            "no module of PKCS #11: PKCS11_MODULE, or module-path in the URI, is the absolute path \
             of what speaks to the token",
        )
    })?;
    // Else the loader would search for it, also in directories that others can write to.
    if !path.is_absolute() {
        return Err(setting("the path of the module of PKCS #11 is not absolute"));
    }
    Ok(path)
}

pub(super) fn load(path: &Path) -> Result<Pkcs11> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, process, module)) = loaded.iter().find(|(other, ..)| other == path) {
        return if *process == process::id() { Ok(module.clone()) } else { Err(forked()) };
    }
    let failed = |why: String| Error::new(Problem::Setting(format!("{}: {why}", path.display())));
    let module = Pkcs11::new(path)
        .map_err(|error| failed(format!("not a module of PKCS #11 that can be loaded: {error}")))?;
    match module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
        // Something else in this process uses it, too.
        Ok(()) | Err(ModuleError::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
        Err(error) => return Err(failed(format!("it does not start: {error}"))),
    }
    loaded.push((path.to_owned(), process::id(), module.clone()));
    Ok(module)
}

/// The state of a module belongs to the process that loaded it (PKCS #11, section 2.5).
pub(super) fn forked() -> Error {
    let why = "this process was forked from the one that uses it: start it anew instead";
    Problem::Token(why.to_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    #[test]
    fn only_the_user_says_where_it_is() {
        let settings = |value: &'static str| {
            Settings::from_variables(move |name| {
                (name == "PKCS11_MODULE").then(|| value.to_owned())
            })
        };
        let bare = Uri::parse("pkcs11:object=a", Origin::File).unwrap();
        let said = Uri::parse("pkcs11:object=a?module-path=/a.so", Origin::User).unwrap();
        assert_eq!(path(&said, &settings("/b.so")).unwrap(), Path::new("/a.so"));
        assert_eq!(path(&bare, &settings("/b.so")).unwrap(), Path::new("/b.so"));
        for bad in ["", "b.so", "./b.so"] {
            let error = path(&bare, &settings(bad)).unwrap_err();
            assert!(matches!(error.problem(), Problem::Setting(_)), "{bad}");
        }
    }
}
