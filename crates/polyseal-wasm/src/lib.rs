//! The suites for files as WebAssembly, for JavaScript that has only AES-GCM (`js/core`).
//!
//! The functions have numbers as arguments, and one buffer, in which bytes go in and out: nothing
//! here reads or writes memory by an address. A segment stands in the buffer as nonce ‖ text ‖ tag,
//! and is sealed and opened in its place, without associated data.
//!
//! Limits: a module has one thread, and 4 GiB of memory at most. A compiler at run time stands
//! between this code and the CPU, so nothing is promised about the time that it takes.

use core::cell::RefCell;

use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::registry::Algorithm;
use zeroize::{Zeroize, Zeroizing};

/// A call's result when it has done nothing, and the buffer is wiped.
const REFUSED: i32 = -1;

#[derive(Default)]
struct Module {
    buffer: Zeroizing<Vec<u8>>,
    /// By their numbers; `None` where one was forgotten.
    keys: Vec<Option<AnyAead>>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

impl Module {
    fn room(&mut self, bytes: usize) -> *mut u8 {
        self.buffer.zeroize();
        // Growing a vector would leave the old bytes behind.
        if self.buffer.capacity() < bytes {
            self.buffer = Zeroizing::new(Vec::with_capacity(bytes));
        }
        self.buffer.resize(bytes, 0);
        self.buffer.as_mut_ptr()
    }

    fn new_key(&mut self, suite_bytes: usize) -> Option<usize> {
        let (suite, key) = self.buffer.split_at_checked(suite_bytes)?;
        let suite: Algorithm = core::str::from_utf8(suite).ok()?.parse().ok()?;
        let aead = AnyAead::new(&suite, key).ok()?;
        let number = self.keys.iter().position(Option::is_none).unwrap_or(self.keys.len());
        match self.keys.get_mut(number) {
            Some(place) => *place = Some(aead),
            None => self.keys.push(Some(aead)),
        }
        self.buffer.zeroize();
        Some(number)
    }

    fn forget_key(&mut self, number: usize) -> Option<()> {
        self.keys.get_mut(number)?.take().map(drop)
    }

    fn aead(&self, number: usize) -> Option<&AnyAead> {
        self.keys.get(number)?.as_ref()
    }

    /// Seals or opens the segment in the buffer.
    fn segment(
        &mut self,
        number: usize,
        apply: impl FnOnce(&AnyAead, &mut [Message<'_>]) -> polyseal::Result<()>,
    ) -> Option<()> {
        let aead = self.keys.get(number)?.as_ref()?;
        let (nonce, rest) = self.buffer.split_at_mut_checked(aead.algorithm().nonce_bytes())?;
        let text = rest.len().checked_sub(aead.algorithm().tag_bytes())?;
        let (text, tag) = rest.split_at_mut(text);
        apply(aead, &mut [Message::new(nonce, &[], text, tag)]).ok()
    }

    fn answer<T>(&mut self, done: Option<T>) -> Option<T> {
        if done.is_none() {
            self.buffer.zeroize();
        }
        done
    }
}

fn call<T>(run: impl FnOnce(&mut Module) -> Option<T>) -> Option<T> {
    MODULE.with_borrow_mut(|module| {
        let done = run(module);
        module.answer(done)
    })
}

/// Empties the buffer, gives it `bytes` zeros and returns its address, which holds until the next
/// call of this function.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_room(bytes: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| module.room(bytes))
}

/// Takes a key from the buffer, which has the suite's name of `suite_bytes` bytes and the key, and
/// wipes it. Returns the key's number.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_new_key(suite_bytes: usize) -> i32 {
    call(|module| i32::try_from(module.new_key(suite_bytes)?).ok()).unwrap_or(REFUSED)
}

/// Wipes a key, whose number may be given to another one.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_forget_key(number: usize) -> i32 {
    call(|module| module.forget_key(number)).map_or(REFUSED, |()| 0)
}

/// The bytes of a nonce of a key's suite.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_nonce_bytes(number: usize) -> i32 {
    call(|module| i32::try_from(module.aead(number)?.algorithm().nonce_bytes()).ok())
        .unwrap_or(REFUSED)
}

/// The bytes of the tag of a key's suite.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_tag_bytes(number: usize) -> i32 {
    call(|module| i32::try_from(module.aead(number)?.algorithm().tag_bytes()).ok())
        .unwrap_or(REFUSED)
}

/// Seals the segment in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_seal(number: usize) -> i32 {
    call(|module| module.segment(number, AnyAead::seal_batch)).map_or(REFUSED, |()| 0)
}

/// Opens the segment in the buffer. If it is not authentic, the buffer is wiped.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_open(number: usize) -> i32 {
    call(|module| module.segment(number, AnyAead::open_batch)).map_or(REFUSED, |()| 0)
}

/// Runs the known answers of every algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_selftest() -> i32 {
    polyseal::selftest::check_all().map_or(REFUSED, |()| 0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn fill(module: &mut Module, parts: &[&[u8]]) {
        let bytes = parts.concat();
        module.room(bytes.len());
        module.buffer.copy_from_slice(&bytes);
    }

    fn keyed(module: &mut Module, suite: &str) -> Option<usize> {
        fill(module, &[suite.as_bytes(), &KEY]);
        module.new_key(suite.len())
    }

    #[test]
    fn segments_are_sealed_and_opened_in_place() {
        for suite in ["aegis-256x2", "aes-256-gcm", "ctx-aegis-256", "flex-och", "omd-sha256"] {
            let mut module = Module::default();
            let number = keyed(&mut module, suite).unwrap();
            assert!(module.buffer.is_empty(), "the key is wiped");
            let algorithm: Algorithm = suite.parse().unwrap();
            let nonce = vec![9; algorithm.nonce_bytes()];
            let tag = vec![0; algorithm.tag_bytes()];
            fill(&mut module, &[&nonce, b"attack", &tag]);
            module.segment(number, AnyAead::seal_batch).unwrap();
            let sealed = module.buffer.to_vec();
            let expected = AnyAead::new(&algorithm, &KEY).unwrap();
            assert_eq!(expected.algorithm().tag_bytes(), tag.len());
            module.segment(number, AnyAead::open_batch).unwrap();
            assert_eq!(&module.buffer[nonce.len()..][..6], b"attack", "{suite}");

            for at in nonce.len()..sealed.len() {
                fill(&mut module, &[&sealed]);
                module.buffer[at] ^= 1;
                let done = module.segment(number, AnyAead::open_batch);
                assert!(module.answer(done).is_none(), "{suite}, byte {at}");
                assert!(module.buffer.is_empty(), "{suite}, byte {at}");
            }
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let mut module = Module::default();
        assert_eq!(keyed(&mut module, "aegis-512"), None);
        assert_eq!(keyed(&mut module, "aegis-128l"), None, "of 16 bytes");
        assert_eq!(keyed(&mut module, "aes-256-gcm"), Some(0));
        assert_eq!(keyed(&mut module, "aegis-256"), Some(1));
        module.room(8);
        assert_eq!(module.new_key(9), None, "longer than the buffer");
        module.forget_key(0).unwrap();
        assert_eq!(module.forget_key(0), None);
        module.room(64);
        assert_eq!(module.segment(0, AnyAead::seal_batch), None, "forgotten");
        assert_eq!(module.segment(2, AnyAead::seal_batch), None, "never there");
        module.room(47);
        assert_eq!(module.segment(1, AnyAead::seal_batch), None, "shorter than nonce and tag");
        assert_eq!(keyed(&mut module, "aes-256-gcm"), Some(0), "a number is used again");
    }
}
