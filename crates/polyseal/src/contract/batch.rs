//! Many messages at once: what one is, and in which order they are processed.

use super::LongestInputs;
use crate::backend::{Backend, Isa, Task, wipe_stack};
use crate::error::{Error, Result};

/// One of many messages: its nonce, associated data, message or ciphertext (in place), and tag.
#[derive(Debug)]
pub struct Message<'a> {
    /// The nonce, as long as the algorithm's.
    pub nonce: &'a [u8],
    /// The associated data.
    pub ad: &'a [u8],
    /// The message, to be sealed in place, or the ciphertext, to be opened in place.
    pub buffer: &'a mut [u8],
    /// The tag, to be written or to be verified: as long as the algorithm's.
    pub tag: &'a mut [u8],
    /// `Ok` once the message has been sealed, or opened and found authentic;
    /// [`Error::Unauthentic`] before, and where it is not authentic. Then opening has wiped
    /// `buffer`.
    pub outcome: Result<()>,
}

impl<'a> Message<'a> {
    /// A message that nothing has been done with.
    #[must_use]
    pub fn new(nonce: &'a [u8], ad: &'a [u8], buffer: &'a mut [u8], tag: &'a mut [u8]) -> Self {
        Self { nonce, ad, buffer, tag, outcome: Err(Error::Unauthentic) }
    }

    /// Checks lengths in bytes against the algorithm's.
    pub(crate) fn check(&self, nonce: usize, tag: usize, longest: &LongestInputs) -> Result<()> {
        for (what, expected, actual) in
            [("nonce", nonce, self.nonce.len()), ("tag", tag, self.tag.len())]
        {
            if expected != actual {
                return Err(Error::Length { what, expected, actual });
            }
        }
        longest.check(self.ad.len(), self.buffer.len())
    }
}

/// A cipher that takes many messages at once.
pub trait Batch {
    /// Seals every message in place and writes its tag.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) and [`Error::TooLong`](crate::Error::TooLong), for
    /// any of them: then nothing has been sealed, and no [`outcome`](Message::outcome) is `Ok`.
    fn seal_batch(&self, messages: &mut [Message<'_>]) -> Result<()>;

    /// Opens every message in place and sets its [`outcome`](Message::outcome). One that is not
    /// authentic is wiped, and says nothing about the others: those are opened all the same.
    ///
    /// # Errors
    /// [`Error::Unauthentic`](crate::Error::Unauthentic) if any of them is not authentic: `outcome`
    /// tells which. [`Error::Length`](crate::Error::Length) and
    /// [`Error::TooLong`](crate::Error::TooLong), for any of them: then nothing has been opened,
    /// and no `outcome` is `Ok`.
    fn open_batch(&self, messages: &mut [Message<'_>]) -> Result<()>;
}

/// How many messages go side by side.
pub(crate) const SIDE_BY_SIDE: usize = 4;

/// How many shapes there are at most: messages of one shape can go side by side.
pub(crate) const SHAPES: usize = 10;

/// A cipher that processes messages one by one, and some of them side by side. Each message's
/// outcome is set by what processes it.
pub(crate) trait SideBySide {
    /// Checks a message's lengths.
    fn check(&self, message: &Message<'_>) -> Result<()>;

    /// The back end.
    fn backend(&self) -> Backend;

    /// The shape of a message, below [`SHAPES`]; `None` for one that goes by itself, because that
    /// is faster with so many AES blocks to a register.
    fn shape(&self, register_blocks: usize, message: &Message<'_>) -> Option<usize>;

    /// Seals or opens one message.
    fn one<const SEALS: bool>(&self, message: &mut Message<'_>);

    /// Seals or opens those messages, which are of one shape.
    fn four<const SEALS: bool>(&self, messages: &mut [Message<'_>], these: [usize; SIDE_BY_SIDE]);
}

/// As much as four messages side by side leave on the stack.
const STACK_BYTES: usize = 4608;

/// Seals or opens every message, four of one shape at a time where that pays.
pub(crate) fn process_batch<const SEALS: bool, C: SideBySide>(
    cipher: &C,
    messages: &mut [Message<'_>],
) -> Result<()> {
    // Before anything else can fail: a message has to earn its `Ok`.
    for message in &mut *messages {
        message.outcome = Err(Error::Unauthentic);
    }
    for message in &*messages {
        cipher.check(message)?;
    }
    let register_blocks = register_blocks(cipher.backend());
    // Messages wait until there are enough of one shape.
    let (mut waiting, mut count) = ([[0; SIDE_BY_SIDE]; SHAPES], [0; SHAPES]);
    let mut side_by_side = false;
    for i in 0..messages.len() {
        // CT: lengths are public.
        let Some(shape) = cipher.shape(register_blocks, &messages[i]) else {
            cipher.one::<SEALS>(&mut messages[i]);
            continue;
        };
        waiting[shape][count[shape]] = i;
        count[shape] += 1;
        if count[shape] == SIDE_BY_SIDE {
            cipher.four::<SEALS>(messages, waiting[shape]);
            side_by_side = true;
            count[shape] = 0;
        }
    }
    for (waiting, count) in waiting.iter().zip(count) {
        for &i in &waiting[..count] {
            cipher.one::<SEALS>(&mut messages[i]);
        }
    }
    if side_by_side {
        // Four messages' keys do not fit into the registers.
        wipe_stack::<STACK_BYTES>();
    }
    // CT: verdicts are public.
    messages.iter().try_for_each(|message| message.outcome)
}

/// Whether messages go side by side with instruction set `I`: where a register holds one AES block,
/// single messages keep the CPU as busy, and there is no code for four.
///
/// Valgrind has none of the wider back ends. The code is the same on all of them, so that its test
/// of constant time runs it on narrow registers: for that it is compiled.
pub(crate) const fn goes_side_by_side<I: Isa>() -> bool {
    I::REGISTER_BLOCKS > 1 || cfg!(feature = "memcheck")
}

/// How many AES blocks a register of `backend` holds.
fn register_blocks(backend: Backend) -> usize {
    struct RegisterBlocks;

    impl Task for RegisterBlocks {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, _: I) -> usize {
            I::REGISTER_BLOCKS
        }
    }

    // As `goes_side_by_side`.
    #[cfg(feature = "memcheck")]
    if crate::backend::memcheck::is_running() {
        return 4;
    }
    backend.run(RegisterBlocks)
}
