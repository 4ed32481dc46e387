//! Many messages at once, each in a lane of its own. When one ends, the next begins in its lane.

use core::array;

use zeroize::Zeroize;

use super::mode::{Keyed, Run};
use crate::ct;
use crate::error::Result;
use crate::hash::{Compression, MAX_LANES};
use crate::message::Message;

/// A message in a lane: its calls, its tag and its outcome.
struct Lane<'a, C: Compression> {
    run: Run<'a, 'a, 'a, C>,
    tag: &'a mut [u8],
    outcome: &'a mut Result<()>,
}

/// Seals or opens every message, of checked lengths, and sets its outcome.
pub(super) fn work_off<C: Compression>(
    keyed: &Keyed<C>,
    seals: bool,
    messages: &mut [Message<'_>],
) {
    let count = C::lanes(keyed.on);
    let (mut chains, mut blocks) = ([C::ZERO; MAX_LANES], [C::ZERO; MAX_LANES]);
    let mut lanes: [Option<Lane<'_, C>>; MAX_LANES] = array::from_fn(|_| None);
    let mut waiting = messages.iter_mut();
    loop {
        let mut busy = 0;
        for i in 0..count {
            busy += usize::from(advance(
                keyed,
                seals,
                &mut lanes[i],
                &mut waiting,
                &mut chains[i],
                &mut blocks[i],
            ));
        }
        // CT: lengths are public.
        match busy {
            0 => break,
            // All lanes take about as long as two inputs one by one.
            1 | 2 if busy < count => {
                for i in (0..count).filter(|&i| lanes[i].is_some()) {
                    C::compress(keyed.on, &keyed.key, &mut chains[i], &blocks[i]);
                }
            }
            _ => C::compress_many(keyed.on, &keyed.key, &mut chains[..count], &blocks[..count]),
        }
    }
    chains.zeroize();
    blocks.zeroize();
}

/// Readies the next call in a lane, of its message or, after its end, of the next; whether there is any.
fn advance<'a, 'm: 'a, C: Compression>(
    keyed: &'a Keyed<C>,
    seals: bool,
    lane: &mut Option<Lane<'a, C>>,
    waiting: &mut impl Iterator<Item = &'a mut Message<'m>>,
    chain: &mut C::Block,
    block: &mut C::Block,
) -> bool {
    loop {
        if let Some(Lane { run, .. }) = lane
            && run.next(chain, block)
        {
            return true;
        }
        if let Some(ended) = lane.take() {
            ended.finish();
        }
        let Some(message) = waiting.next() else { return false };
        let Message { nonce, ad, buffer, tag, outcome } = message;
        let run = Run::new(keyed, seals, nonce, ad, (&mut **buffer).into());
        *lane = Some(Lane { run, tag, outcome });
    }
}

impl<C: Compression> Lane<'_, C> {
    /// Writes the tag, or compares it.
    fn finish(mut self) {
        if self.run.seals() {
            self.run.write_tag(self.tag);
            *self.outcome = Ok(());
            return;
        }
        let mut expected = C::ZERO;
        let expected = &mut expected.as_mut()[..self.tag.len()];
        self.run.write_tag(expected);
        *self.outcome = ct::verify(expected, self.tag);
        if self.outcome.is_err() {
            self.run.wipe_output();
        }
    }
}
