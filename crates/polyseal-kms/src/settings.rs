//! The user's settings: the environment, and how a PIN is asked for.

use std::env;
use std::fmt;
use std::sync::Arc;

use polyseal_file::SecretText;

type Ask = dyn Fn(&str) -> Option<SecretText> + Send + Sync;
type Variable = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Where a keeper is and how it is spoken to, from the user, never from a file of somebody else.
#[derive(Clone)]
pub struct Settings {
    variable: Arc<Variable>,
    ask: Option<Arc<Ask>>,
}

impl Settings {
    /// The process's environment. Nobody is asked for a PIN.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::from_variables(|name| env::var(name).ok())
    }

    /// The variables that this function knows, instead of the environment's.
    #[must_use]
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { variable: Arc::new(variable), ask: None }
    }

    /// The same, and a function that asks the user for a PIN, which is named to it.
    #[must_use]
    pub fn ask_with(
        mut self,
        ask: impl Fn(&str) -> Option<SecretText> + Send + Sync + 'static,
    ) -> Self {
        self.ask = Some(Arc::new(ask));
        self
    }

    /// The value of a variable that is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Asks the user for the secret named `what`.
    #[must_use]
    pub fn ask(&self, what: &str) -> Option<SecretText> {
        self.ask.as_ref().and_then(|ask| ask(what))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("asks", &self.ask.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_show_no_secret_that_they_can_get() {
        let settings = Settings::from_variables(|_| Some("1234".to_owned()))
            .ask_with(|_| Some("1234".to_owned().into()));
        let asked = settings.ask("PIN").unwrap();
        assert_eq!((settings.get("PKCS11_PIN").as_deref(), asked.reveal()), (Some("1234"), "1234"));
        assert!(!format!("{settings:?} {asked:?}").contains("1234"));
    }
}
