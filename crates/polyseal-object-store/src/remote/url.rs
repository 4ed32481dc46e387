//! Names of objects: `s3://bucket/key`, `gs://bucket/key`, `az://container/key`, and URLs of web
//! servers.
//!
//! Keys are literal, to the byte: all after the bucket is the key, and `%`, `#` and `?` in it are
//! characters like others, as other programs have them. Keys that the crate `object_store` cannot
//! have are refused by name: with an empty part (`//`, or `/` at its end), with `.` or `..` as a
//! part, or with control characters.
//!
//! `http:` and `https:` are URLs (RFC 3986). A query may be a signature: it is sent and never
//! shown. A user and a password are refused, and not repeated.

use std::fmt;

use object_store::path::Path;
use polyseal_http::cloud::Scheme;
use url::{Position, Url};

use super::error::{Error, Problem};

const SCHEMES: [(&str, Scheme); 6] = [
    ("s3", Scheme::S3),
    ("gs", Scheme::Gs),
    ("az", Scheme::Az),
    ("abfss", Scheme::Az),
    ("http", Scheme::Web),
    ("https", Scheme::Web),
];

/// The name of an object, or the prefix of several.
///
/// ```
/// use polyseal_object_store::remote::ObjectUrl;
///
/// let url = ObjectUrl::parse("s3://backups/day=2026-11-25 10%3A00/#1")?;
/// assert_eq!((url.bucket(), url.key()), ("backups", "day=2026-11-25 10%3A00/#1"));
///
/// let signed = ObjectUrl::parse("https://example.org/c?signature=secret")?;
/// assert_eq!(signed.to_string(), "https://example.org/c?…");
/// # Ok::<(), polyseal_object_store::remote::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ObjectUrl {
    scheme: Scheme,
    /// As it is written, with `://`.
    begins: &'static str,
    bucket: String,
    key: String,
    web: Option<Url>,
}

impl ObjectUrl {
    /// Whether `text` is meant for one: it begins with one of the schemes, and `://`.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        known_scheme(text).is_some()
    }

    /// Reads a name. Whether there is such an object is not asked.
    ///
    /// # Errors
    /// [`Problem::NoName`] and [`Problem::Password`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let Some((begins, scheme, rest)) = known_scheme(text) else {
            return Err(no_name(text, "it is not of the form scheme://bucket/key"));
        };
        if scheme == Scheme::Web {
            return Self::web(begins, text);
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        // Azure has the account behind it.
        let shaped = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let shaped = |c: char| shaped(c) || scheme == Scheme::Az && "@$".contains(c);
        if bucket.contains('@') && scheme != Scheme::Az || bucket.contains(':') {
            // A key of Amazon's may have a `/` in it.
            return Err(Error::new(format!("{begins}://…"), Problem::Password));
        }
        if bucket.is_empty() || !bucket.chars().all(shaped) {
            return Err(no_name(text, "a bucket has letters, digits, '-', '_' and '.'"));
        }
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        Ok(Self { scheme, begins, bucket, key, web: None })
    }

    fn web(begins: &'static str, text: &str) -> Result<Self, Error> {
        let url = Url::parse(text).map_err(|error| {
            // Not repeated: there may be a password in it.
            Error::new(format!("{begins}://…"), Problem::NoName(error.to_string()))
        })?;
        let bucket = url[Position::BeforeHost..Position::AfterPort].to_owned();
        let key = url.path().trim_start_matches('/').to_owned();
        let parsed = Self { scheme: Scheme::Web, begins, bucket, key, web: Some(url.clone()) };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::new(format!("{begins}://…"), Problem::Password));
        }
        if url.fragment().is_some() {
            return Err(Error::new(
                parsed.to_string(),
                Problem::NoName("a server is sent no fragment (#…)".to_owned()),
            ));
        }
        Ok(parsed)
    }

    /// Where it is.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The bucket or container; of a web server, its host and port.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The key, as it is written; empty for all of a bucket.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The URL that is asked for, if it is one of a web server.
    pub(super) fn web_url(&self) -> Option<&Url> {
        self.web.as_ref()
    }

    /// Whether it names all objects whose keys begin with it: it ends in `/`, or is a bucket.
    #[must_use]
    pub fn is_prefix(&self) -> bool {
        self.scheme != Scheme::Web && (self.key.is_empty() || self.key.ends_with('/'))
    }

    /// The same with another key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// The key, as `object_store` takes it.
    pub(super) fn path(&self) -> Result<Path, Error> {
        if self.scheme == Scheme::Web {
            // The request is for the URL; this name is only shown.
            let name = self.key.rsplit('/').next().filter(|name| !name.is_empty());
            let name = name.unwrap_or("object");
            let decoded = Path::from_url_path(name).ok().filter(|path| path.parts_count() == 1);
            return Ok(decoded.unwrap_or_else(|| Path::from(name)));
        }
        if self.key.is_empty() {
            return Err(no_name(&self.to_string(), "there is no key"));
        }
        literal(&self.key).ok_or_else(|| {
            no_name(
                &self.to_string(),
                "no key has an empty part, '.', '..' or a control character here",
            )
        })
    }

    /// The beginning that the keys of all below it share, without the `/` at its end; `None` for a
    /// bucket.
    pub(super) fn prefix(&self) -> Result<Option<Path>, Error> {
        match self.key.strip_suffix('/').unwrap_or(&self.key) {
            "" if self.key.is_empty() => Ok(None),
            key => self.with_key(key).path().map(Some),
        }
    }
}

/// The scheme of a name, as it is written here, and the rest. Upper and lower case are one (RFC
/// 3986, section 3.1).
fn known_scheme(text: &str) -> Option<(&'static str, Scheme, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let (name, scheme) = SCHEMES.into_iter().find(|it| it.0.eq_ignore_ascii_case(scheme))?;
    Some((name, scheme, rest))
}

/// A key that `object_store` has to the byte.
pub(super) fn literal(key: &str) -> Option<Path> {
    Path::parse(key).ok().filter(|path| path.as_ref() == key)
}

fn no_name(text: &str, why: &str) -> Error {
    Error::new(text.to_owned(), Problem::NoName(why.to_owned()))
}

impl fmt::Display for ObjectUrl {
    /// Without the query, which may be a signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query =
            if self.web.as_ref().is_some_and(|url| url.query().is_some()) { "?…" } else { "" };
        let between = if self.key.is_empty() && self.web.is_none() { "" } else { "/" };
        write!(f, "{}://{}{between}{}{query}", self.begins, self.bucket, self.key)
    }
}

impl fmt::Debug for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_literal() {
        for (text, bucket, key) in [
            ("s3://b/2024%2Freport", "b", "2024%2Freport"),
            ("s3://b/a b", "b", "a b"),
            ("gs://b/a#b?c", "b", "a#b?c"),
            ("az://c@account/k", "c@account", "k"),
            ("abfss://c@account.dfs.core.windows.net/é", "c@account.dfs.core.windows.net", "é"),
        ] {
            let url = ObjectUrl::parse(text).unwrap();
            assert_eq!((url.bucket(), url.key()), (bucket, key));
            assert_eq!(url.path().unwrap().as_ref(), key);
            assert_eq!(url.to_string(), text);
        }
        for key in ["", "/a", "a/", "a//b", "./a", "a/..", "x/../y", "t\tab", "\u{7f}"] {
            let refused = ObjectUrl::parse(&format!("s3://b/{key}")).unwrap().path();
            assert!(matches!(refused.unwrap_err().problem(), Problem::NoName(_)), "{key}");
        }
    }

    #[test]
    fn prefixes() {
        let prefix = |text: &str| ObjectUrl::parse(text).unwrap();
        assert_eq!(prefix("s3://b").prefix().unwrap(), None);
        assert_eq!(prefix("s3://b/").prefix().unwrap(), None);
        assert_eq!(prefix("s3://b/a/").prefix().unwrap(), Some(Path::from("a")));
        assert!(prefix("s3://b//").prefix().is_err() && prefix("s3://b/a//").prefix().is_err());
        assert!(prefix("s3://b").is_prefix() && prefix("s3://b/a/").is_prefix());
        assert!(!prefix("s3://b/a").is_prefix() && !prefix("https://h/a/").is_prefix());
    }

    #[test]
    fn a_query_is_not_shown_and_a_password_not_repeated() {
        let url = ObjectUrl::parse("https://h:8443/a%20b?X-Amz-Signature=secret").unwrap();
        assert_eq!(url.to_string(), "https://h:8443/a%20b?…");
        assert!(!format!("{url:?}").contains("secret"));
        assert_eq!(url.web_url().unwrap().query(), Some("X-Amz-Signature=secret"));
        for text in [
            "https://u:secret@h/a",
            "https://secret@h/a",
            "s3://u:secret@b/a",
            "gs://secret@b/a",
            "s3://AKIA:x/secret/y@bucket/key",
            "HTTPS://u:secret@h/a",
        ] {
            let refused = ObjectUrl::parse(text).unwrap_err();
            assert!(matches!(refused.problem(), Problem::Password), "{text}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
        assert!(
            !ObjectUrl::parse("https://u:secret@h:x/").unwrap_err().to_string().contains("secret")
        );
        assert!(ObjectUrl::parse("http://h/a#b").is_err());
    }

    #[test]
    fn what_is_meant_for_one() {
        for object in ["s3://bucket/key", "gs://b/k", "az://c/k", "https://example.org/k"] {
            assert!(ObjectUrl::is_meant(object), "{object}");
        }
        for file in ["s3", "s3:/a", "./s3://a", "ftp://a/b", "file:///a", "-", "a://b"] {
            assert!(!ObjectUrl::is_meant(file), "{file}");
        }
        assert!(ObjectUrl::parse("s3:///k").is_err() && ObjectUrl::parse("s3://b c/k").is_err());
    }
}
