//! URIs of keys, as RFC 7512 and Tink have them, and what of them may come from a file.
//!
//! Security claim: a URI that was read from a file names a key, and nothing else: no module that
//! would be loaded, no place where a PIN is read.

use std::fmt;

use zeroize::Zeroizing;

use crate::percent;
use crate::{Error, Problem, Result};

const ID: &str = "id";

/// The longest URI, in bytes.
const MAX_BYTES: usize = 2048;

/// The author of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user, in the command that runs.
    User,
    /// A wrapped key file, an identity file or a reference: data of somebody else.
    File,
}

/// Which kind of keeper a URI names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// `aws-kms://`: AWS KMS.
    Aws,
    /// `gcp-kms://`: Google Cloud KMS.
    Gcp,
    /// `azure-kv://`: Azure Key Vault.
    Azure,
    /// `hcvault://`: the transit engine of Vault or OpenBao.
    Vault,
    /// `pkcs11:`: a token behind a module of PKCS #11.
    Pkcs11,
    /// `tpm:`: the TPM 2.0 of this machine.
    Tpm,
    /// `secret-service:`: the keyring of the desktop.
    SecretService,
}

/// All kinds, and how their URIs begin.
const SCHEMES: [(Scheme, &str, &str); 7] = [
    (Scheme::Aws, "aws-kms://", "aws"),
    (Scheme::Gcp, "gcp-kms://", "gcp"),
    (Scheme::Azure, "azure-kv://", "azure"),
    (Scheme::Vault, "hcvault://", "vault"),
    (Scheme::Pkcs11, "pkcs11:", "pkcs11"),
    (Scheme::Tpm, "tpm:", "tpm"),
    (Scheme::SecretService, "secret-service:", "secret-service"),
];

impl Scheme {
    /// The feature of this crate that has the provider.
    #[must_use]
    pub fn feature(self) -> &'static str {
        SCHEMES.iter().find(|(scheme, ..)| *scheme == self).map_or("", |(.., feature)| feature)
    }

    /// Whether a host or a name follows `//`, rather than attributes.
    fn has_authority(self) -> bool {
        SCHEMES.iter().any(|(scheme, start, _)| *scheme == self && start.ends_with("//"))
    }

    /// Whether a URI of this kind names a key pair, rather than a key that wraps keys, if nobody
    /// says which.
    #[must_use]
    pub fn is_of_key_pairs(self) -> bool {
        self == Self::Pkcs11
    }
}

/// The URI of a key that is kept elsewhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Uri {
    text: Zeroizing<String>,
    scheme: Scheme,
    name: usize,
    attributes: Attributes,
    query: Attributes,
}

/// Names and values.
type Attributes = Vec<(String, Zeroizing<Vec<u8>>)>;

impl Uri {
    /// Reads a URI.
    ///
    /// # Errors
    /// [`Problem::Uri`], or [`Problem::NotFromFile`] if it has a part that only a user may set.
    pub fn parse(text: &str, origin: Origin) -> Result<Self> {
        let bad = |why: &str| Error::new(Problem::Uri(why.to_owned()));
        if text.len() > MAX_BYTES {
            return Err(bad("it is longer than 2048 bytes"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("it has a character other than printable ASCII"));
        }
        let found = SCHEMES.iter().find(|(_, start, _)| text.starts_with(start));
        let &(scheme, start, _) = found.ok_or_else(|| {
            let known: Vec<_> = SCHEMES.iter().map(|(_, start, _)| *start).collect();
            Error::new(Problem::Uri(format!("it begins with one of {}", known.join(", "))))
        })?;
        let mut uri = Self {
            text: Zeroizing::new(text.to_owned()),
            scheme,
            name: start.len(),
            attributes: Vec::new(),
            query: Vec::new(),
        };
        if scheme.has_authority() {
            // A name of a service, which has no attributes.
            if uri.name().is_empty() {
                return Err(bad("it names no key"));
            }
            // A file that was made before this was refused must still open.
            let told = origin == Origin::User && uri.userinfo_bytes() > 0;
            return if told {
                Err(bad("a user and a password in it are not taken"))
            } else {
                Ok(uri)
            };
        }
        let (path, query) = uri.name().split_once('?').unwrap_or((uri.name(), ""));
        let (path, query) = (attributes(path, ';')?, attributes(query, '&')?);
        if let Some((name, _)) = path.iter().find(|(name, _)| is_known_query(name)) {
            return Err(match origin {
                Origin::File => Problem::NotFromFile(name.clone()).into(),
                Origin::User => bad(&format!("{name} stands behind a ?")),
            });
        }
        if let Some((name, _)) = query.iter().find(|(name, _)| !is_known_query(name)) {
            return Err(bad(&format!("it has an unknown attribute {name}")));
        }
        if let (Origin::File, Some((name, _))) = (origin, query.first()) {
            return Err(Problem::NotFromFile(name.clone()).into());
        }
        (uri.attributes, uri.query) = (path, query);
        Ok(uri)
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The URI without the parts that only a user may set, to be written to a file.
    #[must_use]
    pub fn for_file(&self) -> Self {
        let text = match self.query.is_empty() {
            true => self.text.clone(),
            false => Zeroizing::new(self.text.split('?').next().unwrap_or_default().to_owned()),
        };
        Self { text, query: Vec::new(), ..self.clone() }
    }

    /// Which kind of keeper it names.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The part after the scheme.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.get(self.name..).unwrap_or_default()
    }

    /// The bytes of `user:password@` in front of a host.
    fn userinfo_bytes(&self) -> usize {
        let host = self.name().split(['/', '?', '#']).next().unwrap_or_default();
        host.rfind('@').map_or(0, |at| at + 1)
    }

    /// An attribute of the path, `token` in `pkcs11:token=ops`.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        find(&self.attributes, name)
    }

    /// The attribute `id` of the path: the only one that need not be text.
    #[must_use]
    pub fn id(&self) -> Option<&[u8]> {
        find_bytes(&self.attributes, ID)
    }

    /// The names of the attributes of the path.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }

    /// An attribute of the query, which only a user can have said.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }
}

/// Only the public part: a PIN may stand in the query, and a password before a host.
impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.for_file();
        let (scheme, name) = shown.as_str().split_at(self.name);
        match self.scheme.has_authority() {
            true => write!(f, "{scheme}{}", &name[self.userinfo_bytes()..]),
            false => f.write_str(shown.as_str()),
        }
    }
}

impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uri({self})")
    }
}

/// Whether RFC 7512, section 2.4, has the attribute.
fn is_known_query(name: &str) -> bool {
    ["module-name", "module-path", "pin-source", "pin-value"].contains(&name)
}

fn find<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    str::from_utf8(find_bytes(attributes, name)?).ok()
}

fn find_bytes<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a [u8]> {
    attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_slice())
}

fn attributes(text: &str, separator: char) -> Result<Attributes> {
    let bad = |why: String| Error::new(Problem::Uri(why));
    let mut found = Attributes::new();
    for part in text.split(separator).filter(|part| !part.is_empty()) {
        let (name, value) =
            part.split_once('=').ok_or_else(|| bad("its parts are NAME=VALUE".to_owned()))?;
        let value = percent::decode_bytes(value)
            .filter(|value| name == ID || str::from_utf8(value).is_ok())
            .ok_or_else(|| bad(format!("the value of {name} is not percent-encoded")))?;
        if find_bytes(&found, name).is_some() {
            return Err(bad(format!("it has {name} twice")));
        }
        found.push((name.to_owned(), Zeroizing::new(value)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_may_not_say() {
        let loads = "pkcs11:token=ops;object=restore?module-path=/tmp/evil.so";
        assert_eq!(
            *Uri::parse(loads, Origin::File).unwrap_err().problem(),
            Problem::NotFromFile("module-path".to_owned())
        );
        for query in ["module-name=m", "pin-source=file:/etc/passwd", "pin-value=1"] {
            let text = format!("pkcs11:token=ops?{query}");
            let error = Uri::parse(&text, Origin::File).unwrap_err();
            assert!(matches!(error.problem(), Problem::NotFromFile(_)), "{query}");
        }
        for name in ["module-path", "module-name", "pin-source", "pin-value"] {
            let text = format!("pkcs11:token=ops;{name}=1234");
            let error = Uri::parse(&text, Origin::File).unwrap_err();
            assert_eq!(*error.problem(), Problem::NotFromFile(name.to_owned()));
            let error = Uri::parse(&text, Origin::User).unwrap_err();
            assert!(!error.to_string().contains("1234"), "{error}");
        }
        let uri = Uri::parse(loads, Origin::User).unwrap();
        assert_eq!(uri.query("module-path"), Some("/tmp/evil.so"));
        assert_eq!(uri.for_file().as_str(), "pkcs11:token=ops;object=restore");
        assert!(Uri::parse(uri.for_file().as_str(), Origin::File).is_ok());
    }

    #[test]
    fn a_pin_is_not_shown() {
        let uri = Uri::parse("pkcs11:token=ops?pin-value=123456", Origin::User).unwrap();
        assert!(!format!("{uri} {uri:?}").contains("123456"));
    }

    #[test]
    fn a_user_and_a_password_are_not_taken_and_not_shown() {
        let host = "vault.example/transit/keys/team";
        for written in ["me:hunter2@", "me@", "a@b:hunter2@"] {
            let text = format!("hcvault://{written}{host}");
            let error = Uri::parse(&text, Origin::User).unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
            let old = Uri::parse(&text, Origin::File).unwrap();
            assert_eq!((old.as_str(), old.to_string()), (&*text, format!("hcvault://{host}")));
        }
        let plain = format!("hcvault://{host}");
        assert_eq!(Uri::parse(&plain, Origin::User).unwrap().to_string(), plain);
        let object = "pkcs11:token=ops;object=me@example.org";
        assert_eq!(Uri::parse(object, Origin::User).unwrap().to_string(), object);
    }

    #[test]
    fn what_is_no_uri() {
        for text in ["", "aws-kms:", "file:///x", "pkcs11:token", "pkcs11:a=1;a=2"] {
            assert!(Uri::parse(text, Origin::User).is_err(), "{text}");
        }
        let id = Uri::parse("pkcs11:id=%a1%00;object=a", Origin::File).unwrap();
        assert_eq!((id.id(), id.attribute("object")), (Some(&[0xa1, 0][..]), Some("a")));
        let others =
            ["pkcs11:object=%a1", "pkcs11:token=%zz", "pkcs11:token=a b", "pkcs11:token=a?foo=1"];
        for text in
            others.into_iter().map(str::to_owned).chain([format!("tpm:{}", "a".repeat(2048))])
        {
            assert!(Uri::parse(&text, Origin::User).is_err(), "{text}");
        }
        assert_eq!(
            Uri::parse("pkcs11:token=my%20token", Origin::File).unwrap().attribute("token"),
            Some("my token")
        );
    }
}
