//! Many messages at once, each in a lane of its own. When one ends, the next begins in its lane.

use core::array;
use core::slice::from_mut;

use zeroize::Zeroize;

use super::calls::Calls;
use super::mode::{ExpandedKey, Run};
use crate::contract::batch::Message;
use crate::contract::release;
use crate::error::Result;
use crate::hash::{Compression, MAX_LANES};

/// As much as messages in lanes leave on the stack.
pub(super) const STACK_BYTES: usize = 9728;

/// A message in a lane: its calls, its tag and its outcome.
struct Lane<'a, C: Compression> {
    run: Run<'a, 'a, 'a, C>,
    tag: &'a mut [u8],
    outcome: &'a mut Result<()>,
}

/// Seals or opens every message, of checked lengths, and sets its outcome. The caller wipes the
/// stack.
#[inline(never)]
pub(super) fn process<C: Compression>(
    expanded: &ExpandedKey<C>,
    seals: bool,
    messages: &mut [Message<'_>],
) {
    let count = C::lanes(expanded.on);
    let (mut chains, mut blocks) = ([C::ZERO; MAX_LANES], [C::ZERO; MAX_LANES]);
    let mut lanes: [Option<Lane<'_, C>>; MAX_LANES] = array::from_fn(|_| None);
    let mut waiting = messages.iter_mut();
    loop {
        let mut busy = 0;
        for i in 0..count {
            busy += usize::from(advance(
                expanded,
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
                for i in 0..count {
                    if let Some(lane) = &mut lanes[i] {
                        expanded.call(&mut chains[i], &blocks[i]);
                        let chain = from_mut(&mut chains[i]);
                        middle(expanded, seals, chain, &mut [Some(&mut lane.run)]);
                    }
                }
            }
            _ => {
                let chains = &mut chains[..count];
                Calls::<C>::once(&expanded.key, chains, &blocks[..count]).run(expanded.on);
                let mut runs = lanes.each_mut().map(|lane| lane.as_mut().map(|lane| &mut lane.run));
                middle(expanded, seals, chains, &mut runs[..count]);
            }
        }
    }
    chains.zeroize();
    blocks.zeroize();
}

/// The blocks in the middle, as long as there is one in every lane that has a message.
fn middle<C: Compression>(
    expanded: &ExpandedKey<C>,
    seals: bool,
    chains: &mut [C::Block],
    runs: &mut [Option<&mut Run<'_, '_, '_, C>>],
) {
    let blocks = runs.iter().flatten().map(|run| run.blocks_in_the_middle()).min().unwrap_or(0);
    Calls::<C>::middle(&expanded.key, seals, chains, runs, blocks).run(expanded.on);
}

/// Readies the next call in a lane, of its message or, after its end, of the next; whether there is
/// any.
fn advance<'a, 'm: 'a, C: Compression>(
    expanded: &'a ExpandedKey<C>,
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
        let run = Run::new(expanded, seals, nonce, ad, (&mut **buffer).into());
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
        debug_assert!(!self.tag.is_empty(), "nothing would be compared");
        let mut expected = C::ZERO;
        let expected = &mut expected.as_mut()[..self.tag.len()];
        self.run.write_tag(expected);
        *self.outcome = release(expected, self.tag, [self.run.output()]);
    }
}
