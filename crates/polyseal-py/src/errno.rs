//! The numbers of C's library for errors with files, as Python's `errno` has them here.

/// A number.
#[derive(Clone, Copy)]
pub(crate) struct Errno(i32);

impl Errno {
    pub(crate) fn number(self) -> i32 {
        self.0
    }
}

#[cfg(unix)]
impl Errno {
    pub(crate) const ACCESS: Self = Self(rustix::io::Errno::ACCESS.raw_os_error());
    pub(crate) const EXIST: Self = Self(rustix::io::Errno::EXIST.raw_os_error());
    pub(crate) const INVAL: Self = Self(rustix::io::Errno::INVAL.raw_os_error());
    pub(crate) const ISDIR: Self = Self(rustix::io::Errno::ISDIR.raw_os_error());
    pub(crate) const NOENT: Self = Self(rustix::io::Errno::NOENT.raw_os_error());
    pub(crate) const NOTDIR: Self = Self(rustix::io::Errno::NOTDIR.raw_os_error());
    pub(crate) const TIMEDOUT: Self = Self(rustix::io::Errno::TIMEDOUT.raw_os_error());
}

/// The numbers of the Universal C Runtime, and of sockets where Python has that.
#[cfg(windows)]
impl Errno {
    pub(crate) const ACCESS: Self = Self(13);
    pub(crate) const EXIST: Self = Self(17);
    pub(crate) const INVAL: Self = Self(22);
    pub(crate) const ISDIR: Self = Self(21);
    pub(crate) const NOENT: Self = Self(2);
    pub(crate) const NOTDIR: Self = Self(20);
    pub(crate) const TIMEDOUT: Self = Self(10060);
}
