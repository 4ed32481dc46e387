//! One end of a link: its master key, its sessions, its counters.

use crate::epoch::Epoch;
use crate::error::{Error, Fault};
use crate::registers::{self as reg, Counter};

/// Access to the registers of one `omd_link`, a word of 32 bits at a time.
pub trait Bus {
    /// Why an access fails, other than by the device's refusal.
    type Error;

    /// The word at this offset, in bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::Refused`] where the device refuses, [`Fault::Bus`] where the bus fails.
    fn read(&mut self, offset: u16) -> Result<u32, Fault<Self::Error>>;

    /// Writes the word at this offset, in bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::Refused`] where the device refuses, [`Fault::Bus`] where the bus fails.
    fn write(&mut self, offset: u16, word: u32) -> Result<(), Fault<Self::Error>>;
}

impl<B: Bus + ?Sized> Bus for &mut B {
    type Error = B::Error;

    fn read(&mut self, offset: u16) -> Result<u32, Fault<Self::Error>> {
        (**self).read(offset)
    }

    fn write(&mut self, offset: u16, word: u32) -> Result<(), Fault<Self::Error>> {
        (**self).write(offset, word)
    }
}

/// Which end this is. One is A and the other B, by agreement.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// Its packets have the direction 0.
    A,
    /// Its packets have the direction 1.
    B,
}

/// The options that the hardware was built with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// The suite: 1 OMD-sha256, 2 OMD-sha512, 3 OMD-blake2b.
    pub suite: u8,
    /// Bytes of a block, and of a master key.
    pub block_bytes: usize,
    /// Bytes of a beat of the frames' streams.
    pub stream_bytes: usize,
    /// Packets of the replay window.
    pub window: usize,
    /// The shortest frame, in bytes.
    pub min_frame: usize,
    /// The longest frame, in bytes.
    pub max_frame: usize,
}

/// The hardware's state.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Status(u32);

impl Status {
    /// It derives keys or erases them.
    #[must_use]
    pub const fn busy(self) -> bool {
        self.0 & reg::STATUS_BUSY != 0
    }
    /// There is a master key.
    #[must_use]
    pub const fn has_master(self) -> bool {
        self.0 & reg::STATUS_HAS_MASTER != 0
    }
    /// There are a session's keys.
    #[must_use]
    pub const fn derived(self) -> bool {
        self.0 & reg::STATUS_DERIVED != 0
    }
    /// The session is confirmed: frames are sealed and packets are opened.
    #[must_use]
    pub const fn enabled(self) -> bool {
        self.0 & reg::STATUS_ENABLED != 0
    }
    /// The counter is at its end: nothing is sealed until there is a new session.
    #[must_use]
    pub const fn exhausted(self) -> bool {
        self.0 & reg::STATUS_EXHAUSTED != 0
    }
    /// The counter has reached the limit at which a new session is asked for.
    #[must_use]
    pub const fn rekey_due(self) -> bool {
        self.0 & reg::STATUS_REKEY_DUE != 0
    }
    /// There are a session's keys, and this end has no store of epochs ([`Epoch::NoStore`]): if it
    /// repeats its randomness, it repeats its key stream.
    #[must_use]
    pub const fn no_own_epoch(self) -> bool {
        self.0 & reg::STATUS_NO_OWN_EPOCH != 0
    }
    /// There are a session's keys, and the other end says that it has no store of epochs.
    #[must_use]
    pub const fn no_peer_epoch(self) -> bool {
        self.0 & reg::STATUS_NO_PEER_EPOCH != 0
    }
}

/// Events: bits of `registers::IRQ_STATUS_*`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Events(pub u32);

/// One end of a link.
#[derive(Debug)]
pub struct Link<B> {
    bus: B,
    capabilities: Capabilities,
}

/// Bytes of an identifier that are drawn; 8 of the epoch follow.
const RANDOM: usize = 16;
const IDENTIFIER: usize = RANDOM + 8;
const MAGIC: u32 = 0x4f4d_444c;
const VERSION: u32 = 0x0202;

impl<B: Bus> Link<B> {
    /// The link whose registers are on this bus. It is left as it is; an erasure, such as that
    /// after a reset, is waited for.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] and [`Error::Version`] where it is another device, [`Error::Stuck`], and
    /// the bus's own.
    pub fn new(bus: B) -> Result<Self, Error<B::Error>> {
        let none = Capabilities {
            suite: 0,
            block_bytes: 0,
            stream_bytes: 0,
            window: 0,
            min_frame: 0,
            max_frame: 0,
        };
        let mut link = Self { bus, capabilities: none };
        let magic = link.read(reg::MAGIC)?;
        if magic != MAGIC {
            return Err(Error::NoDevice { magic });
        }
        let found = link.read(reg::VERSION)?;
        if found != VERSION {
            return Err(Error::Version { found });
        }
        let has = link.read(reg::CAPABILITIES)?;
        let limits = link.read(reg::FRAME_LIMITS)?;
        let field = |word: u32, mask: u32| ((word & mask) >> mask.trailing_zeros()) as usize;
        link.capabilities = Capabilities {
            suite: field(has, reg::CAPABILITIES_SUITE) as u8,
            block_bytes: field(has, reg::CAPABILITIES_BLOCK_BYTES),
            stream_bytes: field(has, reg::CAPABILITIES_STREAM_BYTES),
            window: 8 * field(has, reg::CAPABILITIES_WINDOW),
            min_frame: field(limits, reg::FRAME_LIMITS_MIN_FRAME),
            max_frame: field(limits, reg::FRAME_LIMITS_MAX_FRAME),
        };
        link.settle()?;
        Ok(link)
    }

    /// The options that the hardware was built with.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The bus, given back.
    pub fn into_bus(self) -> B {
        self.bus
    }

    /// The hardware's state.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn status(&mut self) -> Result<Status, Error<B::Error>> {
        Ok(Status(self.read(reg::STATUS)?))
    }

    /// Writes the master key, of [`Capabilities::block_bytes`] bytes. It cannot be read back.
    ///
    /// # Errors
    ///
    /// [`Error::KeyLength`]; [`Error::Refused`] while there is a session: the key before stays.
    pub fn set_master_key(&mut self, key: &[u8]) -> Result<(), Error<B::Error>> {
        let needed = self.capabilities.block_bytes;
        if key.len() != needed {
            return Err(Error::KeyLength { given: key.len(), needed });
        }
        let (first, rest) = key.split_at(4);
        self.write_bytes(reg::MASTER_KEY, first)?;
        // Not every bus brings a refusal back, and a device that refuses keeps the key before. The
        // first word that it takes ends that key.
        if !self.status()?.has_master() {
            self.write_bytes(reg::MASTER_KEY + 4, rest)?;
            if self.status()?.has_master() {
                return Ok(());
            }
        }
        Err(Error::Refused { offset: reg::MASTER_KEY })
    }

    /// Sets the outer addresses of the packets that are sent, which nothing authenticates.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] while there is a session.
    pub fn set_addresses(
        &mut self,
        destination: [u8; 6],
        source: [u8; 6],
    ) -> Result<(), Error<B::Error>> {
        for (offset, address) in [(reg::DESTINATION, destination), (reg::SOURCE, source)] {
            self.write_bytes(offset, &address)?;
            // Not every bus brings a refusal back.
            let [w, x, y, z] = self.read(offset)?.to_le_bytes();
            let [u, v, ..] = self.read(offset + 4)?.to_le_bytes();
            if [w, x, y, z, u, v] != address {
                return Err(Error::Refused { offset });
            }
        }
        Ok(())
    }

    /// Sets the counter at which the hardware asks for a new session.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn set_rekey_limit(&mut self, limit: u64) -> Result<(), Error<B::Error>> {
        self.write_bytes(reg::REKEY_LIMIT, &limit.to_le_bytes())
    }

    /// Begins a session: ends the one before, if there is one, and draws this end's identifier. The
    /// epoch in it is used up, also if this fails.
    ///
    /// # Errors
    ///
    /// [`Error::Randomness`], [`Error::Stuck`], and the bus's own.
    pub fn offer(&mut self, role: Role, epoch: Epoch) -> Result<Offer<'_, B>, Error<B::Error>> {
        let mut identifier = [0; IDENTIFIER];
        let (drawn, counted) = identifier.split_at_mut(RANDOM);
        getrandom::fill(drawn).map_err(|_| Error::Randomness)?;
        counted.copy_from_slice(&epoch.number().to_be_bytes());
        self.stop()?;
        self.write(reg::ROLE, role as u32)?;
        self.write_bytes(reg::OWN_IDENTIFIER, &identifier)?;
        Ok(Offer { link: self, identifier })
    }

    /// Ends the session and erases its keys. The master key stays.
    ///
    /// # Errors
    ///
    /// [`Error::Stuck`], and the bus's own.
    pub fn stop(&mut self) -> Result<(), Error<B::Error>> {
        self.command(reg::CONTROL_STOP)
    }

    /// Ends the session and erases all keys.
    ///
    /// # Errors
    ///
    /// [`Error::Stuck`], and the bus's own.
    pub fn zeroise(&mut self) -> Result<(), Error<B::Error>> {
        self.command(reg::CONTROL_ZEROISE)
    }

    /// The counter of the next packet that is sealed.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn next_counter(&mut self) -> Result<u64, Error<B::Error>> {
        self.read_long(reg::COUNTER)
    }

    /// One of the counters of frames and packets, from the reset on.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn counter(&mut self, counter: Counter) -> Result<u64, Error<B::Error>> {
        self.read_long(reg::COUNTERS + 8 * counter as u16)
    }

    /// The events since the last call.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn take_events(&mut self) -> Result<Events, Error<B::Error>> {
        let events = self.read(reg::IRQ_STATUS)?;
        self.write(reg::IRQ_STATUS, events)?;
        Ok(Events(events))
    }

    /// Says which events raise the interrupt line.
    ///
    /// # Errors
    ///
    /// The bus's own.
    pub fn enable_interrupts(&mut self, events: Events) -> Result<(), Error<B::Error>> {
        self.write(reg::IRQ_ENABLE, events.0)
    }

    fn command(&mut self, command: u32) -> Result<(), Error<B::Error>> {
        self.write(reg::CONTROL, command)?;
        self.settle().map(|_| ())
    }

    /// The status once the device is not busy. A derivation takes a thousand cycles, an erasure of
    /// its buffers some hundreds; a read takes at least one.
    fn settle(&mut self) -> Result<Status, Error<B::Error>> {
        for _ in 0..100_000 {
            let status = self.status()?;
            if !status.busy() {
                return Ok(status);
            }
            core::hint::spin_loop();
        }
        Err(Error::Stuck)
    }

    fn read(&mut self, offset: u16) -> Result<u32, Error<B::Error>> {
        self.bus.read(offset).map_err(|fault| from_fault(fault, offset))
    }

    fn write(&mut self, offset: u16, word: u32) -> Result<(), Error<B::Error>> {
        self.bus.write(offset, word).map_err(|fault| from_fault(fault, offset))
    }

    fn read_long(&mut self, offset: u16) -> Result<u64, Error<B::Error>> {
        let lower = self.read(offset)?;
        Ok(u64::from(self.read(offset + 4)?) << 32 | u64::from(lower))
    }

    fn write_bytes(&mut self, mut offset: u16, bytes: &[u8]) -> Result<(), Error<B::Error>> {
        for part in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..part.len()].copy_from_slice(part);
            self.write(offset, u32::from_le_bytes(word))?;
            offset += 4;
        }
        Ok(())
    }

    fn read_bytes(&mut self, mut offset: u16) -> Result<[u8; 16], Error<B::Error>> {
        let mut bytes = [0; 16];
        for part in bytes.chunks_exact_mut(4) {
            part.copy_from_slice(&self.read(offset)?.to_le_bytes());
            offset += 4;
        }
        Ok(bytes)
    }
}

fn from_fault<E>(fault: Fault<E>, offset: u16) -> Error<E> {
    match fault {
        Fault::Refused => Error::Refused { offset },
        Fault::Bus(error) => Error::Bus(error),
    }
}

/// A session that has begun: the other end must be told the identifier, and its own is needed.
#[derive(Debug)]
#[must_use]
pub struct Offer<'a, B> {
    link: &'a mut Link<B>,
    identifier: [u8; IDENTIFIER],
}

impl<'a, B: Bus> Offer<'a, B> {
    /// This end's identifier, of this session only: 16 bytes that are drawn, 8 of the epoch. It is
    /// no secret.
    #[must_use]
    pub fn identifier(&self) -> &[u8; 24] {
        &self.identifier
    }

    /// Has the keys computed, of the master key and both identifiers.
    ///
    /// # Errors
    ///
    /// [`Error::EqualIdentifiers`]; [`Error::Refused`] without a master key; [`Error::Stuck`], and
    /// the bus's own.
    pub fn derive(self, peers: &[u8; 24]) -> Result<DerivedSession<'a, B>, Error<B::Error>> {
        if self.identifier[..RANDOM] == peers[..RANDOM] {
            return Err(Error::EqualIdentifiers);
        }
        self.link.write_bytes(reg::PEER_IDENTIFIER, peers)?;
        self.link.write(reg::CONTROL, reg::CONTROL_DERIVE)?;
        if !self.link.settle()?.derived() {
            return Err(Error::Refused { offset: reg::CONTROL });
        }
        let confirmation = self.link.read_bytes(reg::OWN_CONFIRMATION)?;
        let session = self.link.read(reg::SESSION)?.to_le_bytes();
        Ok(DerivedSession { link: self.link, confirmation, session })
    }
}

/// A session that has its keys: the other end must be told the confirmation, and its own is needed.
#[derive(Debug)]
#[must_use]
pub struct DerivedSession<'a, B> {
    link: &'a mut Link<B>,
    confirmation: [u8; 16],
    session: [u8; 4],
}

impl<B: Bus> DerivedSession<'_, B> {
    /// This end's confirmation, 16 bytes. It is no secret.
    #[must_use]
    pub fn confirmation(&self) -> &[u8; 16] {
        &self.confirmation
    }

    /// The session's number, as packets have it.
    #[must_use]
    pub fn session(&self) -> [u8; 4] {
        self.session
    }

    /// Compares what the other end has sent; if it is right, frames are sealed and packets opened
    /// from now on.
    ///
    /// # Errors
    ///
    /// [`Error::WrongConfirmation`]: the session's keys are erased. [`Error::Stuck`], and the bus's
    /// own.
    pub fn enable(self, peers: &[u8; 16]) -> Result<(), Error<B::Error>> {
        self.link.write_bytes(reg::PEER_CONFIRMATION, peers)?;
        self.link.write(reg::CONTROL, reg::CONTROL_ENABLE)?;
        if self.link.settle()?.enabled() {
            return Ok(());
        }
        Err(Error::WrongConfirmation)
    }
}
