//! Many messages at once: side by side in the lanes, four at a time, where the algorithm itself has
//! one lane.

use core::array;
use core::marker::PhantomData;

use aead::array::typenum::Unsigned;

use super::cipher::{Aegis, LONGEST, TagBytes};
use super::state::State;
use super::variant::Variant;
use crate::backend::{Backend, Clmul, Isa, Lanes, Task};
use crate::contract::batch::{
    Batch, Message, SIDE_BY_SIDE, SideBySide, goes_side_by_side, process_batch,
};
use crate::contract::{process_one, release};
use crate::error::Result;

/// The most updates, of associated data and message, of a message that goes side by side with
/// others, if any does: a longer one keeps the CPU busy by itself.
///
/// Speed divided by that of one at a time, on an AMD Zen 4: AEGIS-256 with AVX-512, 1.5 falling to
/// 1.3 at 8 updates; with 256-bit registers, 1.2 at 2 and 0.84 at 4. AEGIS-128L with AVX-512, 1.06
/// at 1 and 0.95 at 2, because an update of two blocks leaves less to gain. All else, less than 1.
fn most_updates<V: Variant>(register_blocks: usize) -> Option<usize> {
    let is_256 = V::KeySize::USIZE == 32;
    match register_blocks {
        _ if V::DEGREE > 1 => None,
        2 if is_256 => Some(2),
        4 if is_256 => Some(8),
        4 => Some(1),
        _ => None,
    }
}

impl<V: Variant, T: TagBytes> Batch for Aegis<V, T> {
    fn seal_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        process_batch::<true, _>(self, messages)
    }

    fn open_batch(&self, messages: &mut [Message<'_>]) -> Result<()> {
        process_batch::<false, _>(self, messages)
    }
}

impl<V: Variant, T: TagBytes> SideBySide for Aegis<V, T> {
    fn check(&self, message: &Message<'_>) -> Result<()> {
        message.check(V::KeySize::USIZE, T::USIZE, &LONGEST)
    }

    fn backend(&self) -> Backend {
        self.key.backend
    }

    fn shape(&self, register_blocks: usize, message: &Message<'_>) -> Option<usize> {
        let (most, updates) = (most_updates::<V>(register_blocks)?, updates::<V>(message));
        (updates <= most).then_some(updates)
    }

    fn one<const SEALS: bool>(&self, message: &mut Message<'_>) {
        process_one(self, SEALS, message);
    }

    fn four<const SEALS: bool>(&self, messages: &mut [Message<'_>], these: [usize; SIDE_BY_SIDE]) {
        let (key, updates) = (&self.key.bytes, updates::<V>(&messages[these[0]]));
        let variant = PhantomData;
        self.key.backend.run(FourMessages::<V, SEALS> { key, messages, these, updates, variant });
    }
}

fn updates<V: Variant>(message: &Message<'_>) -> usize {
    message.ad.len().div_ceil(V::RATE) + message.buffer.len().div_ceil(V::RATE)
}

/// Four messages with one number of updates.
struct FourMessages<'a, 'm, V, const SEALS: bool> {
    key: &'a [u8],
    messages: &'a mut [Message<'m>],
    these: [usize; SIDE_BY_SIDE],
    updates: usize,
    variant: PhantomData<V>,
}

impl<V: Variant, const SEALS: bool> Task for FourMessages<'_, '_, V, SEALS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        if const { !goes_side_by_side::<I>() } {
            unreachable!("one by one");
        }
        let Self { key, messages, these, updates, .. } = self;
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let words = const { <V::State<I::X4> as State<I::X4>>::WORDS };

        let mut nonce = [[zero; SIDE_BY_SIDE]; 2];
        for lane in 0..SIDE_BY_SIDE {
            let message = &messages[these[lane]];
            [nonce[0][lane], nonce[1][lane]] = V::State::<I::X1>::blocks(isa, message.nonce);
        }
        let key = V::State::<I::X4>::blocks(isa, key);
        let nonce = [I::X4::join(nonce[0]), I::X4::join(nonce[1])];
        let mut state = V::State::<I::X4>::init(isa, key, nonce, None);

        for step in 0..updates {
            let key_stream = state.key_stream();
            let mut taken = [[zero; SIDE_BY_SIDE]; 2];
            for lane in 0..SIDE_BY_SIDE {
                let Message { ad, buffer, .. } = &mut messages[these[lane]];
                let ad_updates = ad.len().div_ceil(V::RATE);
                for w in 0..words {
                    if step < ad_updates {
                        let block = step * V::RATE + 16 * w;
                        taken[w][lane] = I::X1::load_partial(isa, part(ad, block));
                        continue;
                    }
                    let from = (step - ad_updates) * V::RATE + 16 * w;
                    let (from, to) = (from.min(buffer.len()), (from + 16).min(buffer.len()));
                    let block = &mut buffer[from..to];
                    let input = I::X1::load_partial(isa, block);
                    let output = input.xor(key_stream.as_ref()[w].block(lane));
                    output.store_partial(block);
                    taken[w][lane] = if SEALS { input } else { output.truncate(block.len()) };
                }
            }
            let mut update = V::State::<I::X4>::words(I::X4::join([zero; SIDE_BY_SIDE]));
            for w in 0..words {
                update.as_mut()[w] = I::X4::join(taken[w]);
            }
            state.absorb(update);
        }

        let lengths: [[u8; 16]; SIDE_BY_SIDE] = array::from_fn(|lane| {
            let Message { ad, buffer, .. } = &messages[these[lane]];
            let (ad, message) = (8 * ad.len() as u64, 8 * buffer.len() as u64);
            (u128::from(message) << 64 | u128::from(ad)).to_le_bytes()
        });
        state.mix_lengths(I::X4::load(isa, lengths.as_flattened()));
        let (short, [left, right]) = (state.tag128(), state.tag256());
        for lane in 0..SIDE_BY_SIDE {
            let Message { buffer, tag, outcome, .. } = &mut messages[these[lane]];
            let mut expected = [0; 32];
            let expected = &mut expected[..tag.len()];
            if expected.len() == 16 {
                short.block(lane).store(expected);
            } else {
                left.block(lane).store(&mut expected[..16]);
                right.block(lane).store(&mut expected[16..]);
            }
            if SEALS {
                tag.copy_from_slice(expected);
                *outcome = Ok(());
                continue;
            }
            *outcome = release(expected, tag, [buffer]);
        }
    }
}

/// At most a block of `bytes` from `from` on.
#[inline(always)]
fn part(bytes: &[u8], from: usize) -> &[u8] {
    &bytes[from.min(bytes.len())..(from + 16).min(bytes.len())]
}
