//! SoftHSM in a directory of its own, and a process of its own for each test: what a module holds
//! is of the process, and so is which PIN was wrong.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use polyseal_kms::{Origin, Settings, Uri};

pub(crate) const PIN: &str = "1234-user";
const OFFICER_PIN: &str = "1234-officer";
const OURS: &str = "POLYSEAL_TEST_HSM";

/// Debian's path, if the environment names none.
const SOFTHSM: &str = "/usr/lib/softhsm/libsofthsm2.so";

pub(crate) struct Hsm(PathBuf);

/// Runs `test`, the test of this name, in a process of its own with a new token `ops`.
pub(crate) fn alone(name: &str, test: impl FnOnce(&Hsm)) {
    if let Some(directory) = env::var_os(OURS) {
        return test(&Hsm(directory.into()));
    }
    let directory = tempfile::tempdir().unwrap();
    let hsm = Hsm(directory.path().to_owned());
    fs::create_dir(hsm.path("tokens")).unwrap();
    let configuration = format!("directories.tokendir = {}\n", hsm.path("tokens").display());
    fs::write(hsm.path("softhsm2.conf"), configuration).unwrap();
    hsm.make_token("ops");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pkcs11/shim.c");
    run(Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(hsm.module()).arg(source));
    // The plugin first, for age and for the client of this workspace.
    let plugin = Path::new(env!("CARGO_BIN_EXE_age-plugin-polyseal-kms")).parent().unwrap();
    let paths = env::var_os("PATH").unwrap();
    let paths = env::join_paths([plugin.to_owned()].into_iter().chain(env::split_paths(&paths)));
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([&format!("pkcs11::{name}"), "--exact", "--nocapture"]).env(OURS, directory.path());
    child.env("SHIM", directory.path()).env("PATH", paths.unwrap());
    child.env("PKCS11_MODULE", hsm.module()).env_remove("PKCS11_PIN").env_remove("PKCS11_PIN_FILE");
    // A name that no test has runs none, and passes.
    assert!(run(hsm.environment(&mut child)).contains("1 passed"), "{name}");
}

/// Everything that the command says, which must succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    said.into_owned()
}

impl Hsm {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Passes everything on to SoftHSM, and writes down what it is asked for.
    pub(crate) fn module(&self) -> PathBuf {
        self.path("shim.so")
    }

    fn environment<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let softhsm = env::var_os("SOFTHSM2_MODULE").unwrap_or(SOFTHSM.into());
        command.env("SOFTHSM2_CONF", self.path("softhsm2.conf")).env("SOFTHSM2_MODULE", softhsm)
    }

    pub(crate) fn make_token(&self, label: &str) {
        let mut tool = Command::new("softhsm2-util");
        tool.args(["--init-token", "--free", "--label", label, "--pin", PIN]);
        run(self.environment(tool.args(["--so-pin", OFFICER_PIN])));
    }

    /// As a user says it, with the module.
    pub(crate) fn uri(&self, names: &str) -> Uri {
        let text = format!("pkcs11:{names}?module-path={}", self.module().display());
        Uri::parse(&text, Origin::User).unwrap()
    }

    /// The environment names the module and this PIN, if any.
    pub(crate) fn settings(&self, pin: impl Into<Option<&'static str>>) -> Settings {
        let (module, pin) = (self.module().to_str().unwrap().to_owned(), pin.into());
        Settings::from_variables(move |name| match name {
            "PKCS11_MODULE" => Some(module.clone()),
            "PKCS11_PIN" => pin.map(str::to_owned),
            _ => None,
        })
    }

    /// How often the module was asked for this.
    pub(crate) fn count(&self, what: &str) -> usize {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().filter(|line| *line == what).count()
    }

    pub(crate) fn set(&self, name: &str, value: u64) {
        fs::write(self.path(name), format!("{value:x}")).unwrap();
    }
}
