//! Many messages at once: side by side in the lanes, four at a time, where the algorithm itself has
//! one lane.

use core::array;
use core::marker::PhantomData;

use aead::array::typenum::Unsigned;
use aead::inout::InOutBuf;
use zeroize::Zeroize;

use super::MAX_BYTES;
use super::cipher::{Aegis, TagBytes};
use super::state::State;
use super::variant::Variant;
use crate::backend::{Clmul, Isa, Lanes, Task};
use crate::ct;
use crate::error::Result;
use crate::message::Message;

/// How many messages go side by side.
const SIDE_BY_SIDE: usize = 4;
/// The most updates, of associated data and message, of a message that goes side by side with
/// others: a longer one keeps the CPU busy by itself.
const MAX_UPDATES: usize = 8;

impl<V: Variant, T: TagBytes> Aegis<V, T> {
    pub(crate) fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.many::<true>(messages)
    }

    pub(crate) fn open_many(&self, messages: &mut [Message<'_>]) -> Result<()> {
        self.many::<false>(messages)
    }

    fn many<const SEALS: bool>(&self, messages: &mut [Message<'_>]) -> Result<()> {
        for message in &*messages {
            message.check(V::KeySize::USIZE, T::USIZE, MAX_BYTES, MAX_BYTES)?;
        }
        // Messages with one number of updates wait for their like.
        let mut waiting = [[0; SIDE_BY_SIDE]; MAX_UPDATES + 1];
        let mut count = [0; MAX_UPDATES + 1];
        for i in 0..messages.len() {
            // CT: lengths are public.
            let updates = updates::<V>(&messages[i]);
            if V::DEGREE > 1 || updates > MAX_UPDATES {
                self.one::<SEALS>(&mut messages[i]);
                continue;
            }
            waiting[updates][count[updates]] = i;
            count[updates] += 1;
            if count[updates] == SIDE_BY_SIDE {
                let (key, these) = (&self.keyed.key, waiting[updates]);
                let variant = PhantomData;
                self.keyed.on_backend(Four::<V, SEALS> { key, messages, these, updates, variant });
                count[updates] = 0;
            }
        }
        for (waiting, count) in waiting.iter().zip(count) {
            for &i in &waiting[..count] {
                self.one::<SEALS>(&mut messages[i]);
            }
        }
        Ok(())
    }

    fn one<const SEALS: bool>(&self, message: &mut Message<'_>) {
        let Message { nonce, ad, buffer, tag, outcome } = message;
        let buffer: InOutBuf<'_, '_, u8> = (&mut **buffer).into();
        if SEALS {
            self.seal(nonce, ad, buffer, tag);
        } else {
            *outcome = self.open(nonce, ad, buffer, tag);
        }
    }
}

fn updates<V: Variant>(message: &Message<'_>) -> usize {
    message.ad.len().div_ceil(V::RATE) + message.buffer.len().div_ceil(V::RATE)
}

/// Four messages with one number of updates.
struct Four<'a, 'm, V, const SEALS: bool> {
    key: &'a [u8],
    messages: &'a mut [Message<'m>],
    these: [usize; SIDE_BY_SIDE],
    updates: usize,
    variant: PhantomData<V>,
}

impl<V: Variant, const SEALS: bool> Task for Four<'_, '_, V, SEALS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
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
                continue;
            }
            *outcome = ct::verify(expected, tag);
            if outcome.is_err() {
                buffer.zeroize();
            }
        }
    }
}

/// At most a block of `bytes` from `from` on.
#[inline(always)]
fn part(bytes: &[u8], from: usize) -> &[u8] {
    &bytes[from.min(bytes.len())..(from + 16).min(bytes.len())]
}
