//! Objects that are named by URLs, `s3://bucket/key`, `gs://`, `az://` and `https://`: read,
//! written, listed and rekeyed, for programs that wait for them. The tool does all of it by this
//! module.
//!
//! A call waits, so it must not be made on a thread of an asynchronous runtime: there it is an
//! error.
//!
//! Every request goes through a [`Connector`] of [`polyseal_http::cloud`], which bounds the effects
//! of a server's answers on this side, and reports a server's misbehaviour. Credentials and
//! endpoints come from the environment.
//!
//! The stored bytes are read and written here as they are. [`Decryptor`](polyseal_file::Decryptor)
//! takes a [`PinnedObject`] where it takes a file:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use polyseal_file::{Decryptor, Identities, Key};
//! use polyseal_object_store::remote::{Object, ObjectUrl, OnNotice, PinnedObject};
//!
//! let on_notice: OnNotice = Arc::new(|notice| eprintln!("{notice:?}"));
//! let url = ObjectUrl::parse("s3://backups/photos.tar.polyseal")?;
//! let identities = Identities::from(&Key::generate()?);
//! let object = PinnedObject::open(&Object::named(&url, &on_notice)?)?;
//! let reader = Decryptor::new(&identities).reader(&object)?;
//! println!("{} bytes", reader.plaintext_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bucket;
mod error;
mod prefetch;
mod reader;
mod rekey;
mod runtime;
mod s3;
#[cfg(feature = "trees")]
mod tree;
mod url;
mod writer;

pub use self::url::ObjectUrl;
pub use bucket::{Bucket, Listing, Notice, Object, OnNotice, key_below};
pub use error::{Error, Problem};
pub use polyseal_http::cloud::answers::{
    BadList, EmptyObject, ExcessBytes, HttpNotAllowed, NoAnswer, NoRanges, Redirected,
    UnusableCredential, find,
};
pub use polyseal_http::cloud::{Connector, Outage, Scheme, Server, SetupError, whole_object};
pub use prefetch::Prefetcher;
pub use reader::{ObjectReader, PinnedObject};
pub use rekey::{VersionCheck, expect_replaceable, replace_header};
#[cfg(feature = "trees")]
pub use tree::{Prefix, StoredObject};
pub use writer::ObjectWriter;
