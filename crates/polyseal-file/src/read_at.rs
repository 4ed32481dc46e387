//! Sources that can be read at any offset, by several threads at once.

use std::io;
use std::sync::Arc;

use crate::error::{Error, Result, io as io_error};
use crate::opener::Opener;
use crate::version::Version;

/// Something that can be read at any offset, such as a file, a mapped one or an object in a store.
///
/// ```
/// use polyseal_file::ReadAt;
///
/// let mut part = [0; 3];
/// assert_eq!(b"attack at dawn"[..].read_at(&mut part, 7)?, 3);
/// assert_eq!(&part, b"at ");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ReadAt {
    /// Reads some bytes from `offset`; 0 only at the end.
    ///
    /// # Errors
    /// The source's error.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The size in bytes.
    ///
    /// # Errors
    /// The source's error.
    fn size(&self) -> io::Result<u64>;

    /// The opener that [`Decryptor::reader`](crate::Decryptor::reader) goes on with. A source some
    /// of whose bytes have been fetched for an opener gives a [fork](Opener::fork) of that one, so
    /// that they are not read again.
    ///
    /// # Errors
    /// That of [`size`](Self::size).
    fn opener(&self) -> io::Result<Opener> {
        Ok(Opener::for_version(Version::new(self.size()?)).sequential())
    }
}

#[cfg(any(unix, windows))]
impl ReadAt for std::fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, buffer, offset);
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let n = buffer.len().min(self.len() - from);
        buffer[..n].copy_from_slice(&self[from..from + n]);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self[..].read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self[..].size()
    }
}

/// A pointer to a source is a source, too.
macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<T: ReadAt + ?Sized> ReadAt for $pointer {
            fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
                (**self).read_at(buffer, offset)
            }

            fn size(&self) -> io::Result<u64> {
                (**self).size()
            }

            fn opener(&self) -> io::Result<Opener> {
                (**self).opener()
            }
        }
    )*};
}

pointers!(&T, Box<T>, Arc<T>);

/// Fills `buffer` from `offset`, in one read if the source gives everything at once.
pub(crate) fn fill(source: &impl ReadAt, mut buffer: &mut [u8], mut offset: u64) -> Result<()> {
    while !buffer.is_empty() {
        match source.read_at(buffer, offset) {
            Ok(0) => return Err(Error::InputChanged),
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(io_error("read the input")(e)),
        }
    }
    Ok(())
}
