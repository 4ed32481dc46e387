//! Registers that are mapped into memory. The only `unsafe` of the crate: a device's registers are
//! unknown to the compiler.

#![allow(unsafe_code)]

use core::convert::Infallible;
use core::ptr::NonNull;

use crate::error::Fault;
use crate::link::Bus;

/// Registers that are mapped into this program's memory, such as those of a UIO device.
///
/// A refusal of the device does not come back this way on most systems: a write that is refused has
/// no effect, and the driver notices by the status that it reads afterwards.
#[derive(Debug)]
pub struct MappedBus {
    base: NonNull<u32>,
}

impl MappedBus {
    /// Registers from `base` on.
    ///
    /// # Safety
    ///
    /// `base` is the address of the 4096 bytes of an `omd_link`'s registers. They stay mapped,
    /// readable and writable for as long as this value lives, and nobody else reads or writes them.
    #[must_use]
    pub unsafe fn new(base: NonNull<u32>) -> Self {
        Self { base }
    }

    fn register(&self, offset: u16) -> *mut u32 {
        assert!(offset < 4096 && offset.is_multiple_of(4), "no word of the registers");
        // SAFETY: the offset is a word within the 4096 bytes that `new` was promised.
        unsafe { self.base.as_ptr().add(usize::from(offset) / 4) }
    }
}

impl Bus for MappedBus {
    type Error = Infallible;

    fn read(&mut self, offset: u16) -> Result<u32, Fault<Infallible>> {
        // SAFETY: `register` is an aligned word of a device that `new` was promised is there.
        Ok(u32::from_le(unsafe { self.register(offset).read_volatile() }))
    }

    fn write(&mut self, offset: u16, word: u32) -> Result<(), Fault<Infallible>> {
        // SAFETY: as in `read`; and nobody else writes it.
        unsafe { self.register(offset).write_volatile(word.to_le()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_their_offsets_say() {
        let mut words = [0u32; 1024];
        {
            // SAFETY: the array is as long, lives longer, and is not used meanwhile.
            let mut bus = unsafe { MappedBus::new(NonNull::from(&mut words).cast()) };
            bus.write(0x14, 0x0102_0304).expect("never fails");
            bus.write(0xffc, 5).expect("never fails");
            assert_eq!(bus.read(0x14), Ok(0x0102_0304));
        }
        assert_eq!((words[5], words[1023]), (0x0102_0304_u32.to_le(), 5_u32.to_le()));
    }

    #[test]
    #[should_panic(expected = "no word of the registers")]
    fn beyond_the_registers_is_nothing() {
        let mut words = [0u32; 1024];
        // SAFETY: as above.
        let mut bus = unsafe { MappedBus::new(NonNull::from(&mut words).cast()) };
        let _ = bus.read(0x1000);
    }
}
