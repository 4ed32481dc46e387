//! Memory of our own for results that are then copied out. It is kept from call to call.

use std::cell::RefCell;

/// As much memory as a thread keeps.
pub(crate) const KEPT: usize = 1 << 20;

thread_local!(static HERE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });

/// Memory with so many bytes, of any contents. The user of it wipes secrets.
pub(crate) fn with_scratch<R>(bytes: usize, work: impl FnOnce(&mut [u8]) -> R) -> R {
    if bytes > KEPT {
        return work(&mut vec![0; bytes]);
    }
    HERE.with(|here| {
        // Taken: `work` may come by here again.
        let mut memory = here.take();
        if memory.len() < bytes {
            memory = vec![0; bytes.next_power_of_two()];
        }
        let result = work(&mut memory[..bytes]);
        here.replace(memory);
        result
    })
}

/// Writes zeros, even if nobody reads them. At the speed of memory, where `Zeroize` takes a byte at
/// a time.
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    zeroize::optimization_barrier(bytes);
}
