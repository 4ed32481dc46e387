//! age's own files: the format age-encryption.org/v1.
//!
//! Source: c2sp.org/age. A file is a header in text, whose stanzas wrap a file key of 16 bytes for
//! each recipient, then a nonce of 16 bytes, then the plaintext in chunks of 64 KiB, each with
//! ChaCha20-Poly1305. What the types of recipients do is up to [`age`](super), the armour is that
//! of [`ArmorReader`](crate::ArmorReader), and the chunks go through the same pipeline as the
//! segments of Polyseal's files.
//!
//! Security claim: age's: 128 bits; nobody without the file key makes an altered, shortened,
//! lengthened or reordered file that opens. It is no goal of age that a file commits to its key.
//!
//! Limits: a header may have 1 MiB, and 128 stanzas of type `ssh-rsa` with one tag. The work factor
//! of a passphrase may be 2^22, as in age, which takes 4 GiB of memory: whoever makes a file
//! chooses that. A file says nothing of what it is for: there is no context.
//! [`Decryptor`](crate::Decryptor) opens these files too; only what makes them is here.
//!
//! ```
//! use polyseal_file::age::{self, IdentityKind, NoCallbacks};
//! use polyseal_file::{Decryptor, Identities, Input, Output, Recipients};
//!
//! let identity = age::generate(IdentityKind::X25519, None)?;
//! let mine = age::parse_identities(identity.file.reveal().as_bytes(), None, &NoCallbacks)?;
//! let theirs = age::to_recipients(identity.file.reveal().as_bytes(), None, &NoCallbacks)?;
//! let (mut message, mut sealed, mut opened) = (&b"attack at dawn"[..], Vec::new(), Vec::new());
//!
//! let recipients = Recipients::new().age(theirs);
//! let encryptor = age::v1::Encryptor::new(&recipients);
//! encryptor.encrypt(Input::Stream(&mut message), Output::Stream(&mut sealed))?;
//! assert!(sealed.starts_with(b"age-encryption.org/v1\n"));
//!
//! let identities = Identities::new().age(mine);
//! let decryptor = Decryptor::new(&identities);
//! decryptor.decrypt(Input::Stream(&mut &sealed[..]), Output::Stream(&mut opened))?;
//! assert_eq!(opened, b"attack at dawn");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunks;
mod encryptor;
mod header;
mod inspect;
#[cfg(feature = "passphrase")]
mod passphrase;

pub(crate) use chunks::ChunkCipher;
pub use encryptor::Encryptor;
pub(crate) use header::is_header_start;
pub use header::{AuthenticHeader, Header, MAX_HEADER_BYTES};
pub use inspect::Inspection;
#[cfg(feature = "passphrase")]
pub(crate) use passphrase::{unwrap_scrypt, wrap_scrypt};

/// The bytes of plaintext in a full chunk.
pub const CHUNK_BYTES: u32 = 64 * 1024;

/// The logarithm of the work that the passphrase of a new file takes, as age has it: 256 MiB.
pub const WORK_FACTOR: u8 = 18;

/// The logarithm of the most work that the passphrase of a file may take, as age has it: 4 GiB.
pub const MAX_WORK_FACTOR: u8 = 22;
