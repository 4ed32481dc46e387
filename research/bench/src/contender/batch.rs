//! Many messages under one key: together, and one at a time.

use core::hint::black_box;
use core::slice;

use polyseal::batch::{Batch, Message};

use super::{Contender, Work};
use crate::ring::{Nonce, Ring, Tag};

impl Contender {
    /// `cipher` sealing `count` messages of the ring's length at once, or `together` false, one at
    /// a time. All of them count as one message. The lengths of nonce and tag are in bytes.
    pub fn batch(
        name: impl Into<String>,
        cipher: Box<dyn Batch>,
        (nonce_bytes, tag_bytes): (usize, usize),
        count: usize,
        together: bool,
    ) -> Self {
        let sealed = vec![Slot { nonce: [0x5a; 32], message: Vec::new(), tag: [0; 64] }; count];
        let work = Batching { cipher, nonce_bytes, tag_bytes, together, slots: sealed, counter: 0 };
        Self { name: name.into(), work: Box::new(work) }
    }
}

#[derive(Clone)]
struct Slot {
    nonce: Nonce,
    message: Vec<u8>,
    tag: Tag,
}

struct Batching {
    cipher: Box<dyn Batch>,
    nonce_bytes: usize,
    tag_bytes: usize,
    together: bool,
    slots: Vec<Slot>,
    counter: u64,
}

impl Work for Batching {
    fn prepare(&mut self, ring: &mut Ring) {
        self.slots.iter_mut().for_each(|slot| slot.message.resize(ring.message_bytes(), 0xa5));
    }

    fn run(&mut self, _: &mut Ring, messages: u32) {
        for _ in 0..messages {
            for slot in &mut self.slots {
                self.counter += 1;
                slot.nonce[..8].copy_from_slice(&self.counter.to_le_bytes());
            }
            let (nonce, tag) = (self.nonce_bytes, self.tag_bytes);
            let mut batch: Vec<Message<'_>> = self
                .slots
                .iter_mut()
                .map(|s| Message::new(&s.nonce[..nonce], b"", &mut s.message, &mut s.tag[..tag]))
                .collect();
            let sealed = if self.together {
                self.cipher.seal_batch(black_box(&mut batch))
            } else {
                let mut each = batch.iter_mut().map(slice::from_mut);
                each.try_for_each(|message| self.cipher.seal_batch(black_box(message)))
            };
            sealed.expect("the lengths are the algorithm's");
            black_box(&mut batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use aead::KeyInit;
    use polyseal::gcm::Xaes256Gcm;

    use super::*;
    use crate::ring::Lengths;

    fn batching(together: bool) -> Batching {
        Batching {
            cipher: Box::new(Xaes256Gcm::new(&[7; 32].into())),
            nonce_bytes: 24,
            tag_bytes: 16,
            together,
            slots: vec![Slot { nonce: [0x5a; 32], message: Vec::new(), tag: [0; 64] }; 8],
            counter: 0,
        }
    }

    /// Both do the same work, and on every message.
    #[test]
    fn together_and_apart_give_the_same() {
        let mut ring = Ring::new(Lengths::message(50));
        let [mut together, mut apart] = [true, false].map(batching);
        for work in [&mut together, &mut apart] {
            work.prepare(&mut ring);
            work.run(&mut ring, 3);
            assert!(work.slots.iter().all(|slot| slot.tag[..16] != [0; 16]));
        }
        for (one, other) in together.slots.iter().zip(&apart.slots) {
            assert_eq!((&one.message, one.tag), (&other.message, other.tag));
            assert_ne!(one.message, [0xa5; 50]);
        }
    }
}
