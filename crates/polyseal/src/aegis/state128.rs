//! AEGIS-128L and AEGIS-128X: eight registers, two words an update.
//!
//! Source: RFC 10032, sections 3 and 5; the paper's section 3.1.
//! Letters: `s` the state S0…S7, `m` a message, `c` its ciphertext, `z` the key stream.

use super::state::{C0, C1, State, settle};
use crate::backend::{Isa, Lanes};

// Secret, and nothing outside can name it.
#[allow(missing_debug_implementations)]
#[derive(Clone, Copy)]
pub struct State128<L>([L; 8]);

impl<L: Lanes> State128<L> {
    /// `Update` with `S'0 = AESRound(S7, k0) ⊕ x0` and `S'4 = AESRound(S3, k4) ⊕ x4`.
    ///
    /// The draft has `S'0 = AESRound(S7, S0 ⊕ M0)`. The AES round adds its key last, so any split
    /// `k0 ⊕ x0 = S0 ⊕ M0` is the same; what is known first goes into the AES instruction, which
    /// keeps it off the critical path from one update to the next.
    #[inline(always)]
    fn update(&mut self, [k0, k4]: [L; 2], [x0, x4]: [L; 2]) {
        let [_, s1, s2, s3, _, s5, s6, s7] = self.0;
        self.rounds([k0, s1, s2, s3, k4, s5, s6, s7]);
        self.0[0] = self.0[0].xor(x0);
        self.0[4] = self.0[4].xor(x4);
    }

    /// Two updates with the same message. Their additions to S0 and S4 cancel out in the end, and
    /// so does the context that initialisation adds to S3 and S7 before each: it is here already,
    /// and is afterwards unless this is the `end`. So it is added to the start of the second
    /// update's rounds, and not to their keys.
    #[inline(always)]
    fn update_twice(&mut self, [m0, m4]: [L; 2], context: Option<L>, end: bool) {
        self.rounds(self.0);
        let mut keys = self.0;
        let s = &mut self.0;
        (s[0], s[4]) = (s[0].xor(m0), s[4].xor(m4));
        if let Some(context) = context {
            (s[3], s[7]) = (s[3].xor(context), s[7].xor(context));
            if end {
                (keys[3], keys[7]) = (s[3], s[7]);
            }
        }
        self.rounds(keys);
    }

    /// `S'i = AESRound(S(i − 1), keys[i])`.
    #[inline(always)]
    fn rounds(&mut self, keys: [L; 8]) {
        let [s0, s1, s2, s3, s4, s5, s6, s7] = self.0;
        let [k0, k1, k2, k3, k4, k5, k6, k7] = keys;
        // From the last register to the first, each can be computed in place.
        let [t0, t7, t6, t5, t4, t3, t2, t1] =
            L::aes_rounds([s7, s6, s5, s4, s3, s2, s1, s0], [k0, k7, k6, k5, k4, k3, k2, k1]);
        self.0 = [t0, t1, t2, t3, t4, t5, t6, t7];
    }
}

impl<L: Lanes> State<L> for State128<L> {
    type Words = [L; 2];
    const WORDS: usize = 2;

    #[inline(always)]
    fn init(isa: L::Isa, [key, _]: [L; 2], [nonce, _]: [L; 2], context: Option<L>) -> Self {
        let (c0, c1) = (L::broadcast(isa, &C0), L::broadcast(isa, &C1));
        let mixed = key.xor(nonce);
        let mut state = Self([mixed, c1, c0, c1, mixed, key.xor(c0), key.xor(c1), key.xor(c0)]);
        if let Some(context) = context {
            state.0[3] = state.0[3].xor(context);
            state.0[7] = state.0[7].xor(context);
        }
        for _ in 0..4 {
            state.update_twice([nonce, key], context, false);
        }
        state.update_twice([nonce, key], context, true);
        state
    }

    #[inline(always)]
    fn filled(x: L) -> Self {
        Self([x; 8])
    }

    #[inline(always)]
    fn registers(&self) -> &[L] {
        &self.0
    }

    #[inline(always)]
    fn registers_mut(&mut self) -> &mut [L] {
        &mut self.0
    }

    #[inline(always)]
    fn words(x: L) -> [L; 2] {
        [x; 2]
    }

    #[inline(always)]
    fn absorb(&mut self, m: [L; 2]) {
        self.update(m, [self.0[0], self.0[4]]);
    }

    #[inline(always)]
    fn encrypt(&mut self, m: [L; 2]) -> [L; 2] {
        let z = self.key_stream();
        let mut c = [m[0].xor(z[0]), m[1].xor(z[1])];
        settle(&mut c);
        self.update(m, [self.0[0], self.0[4]]);
        c
    }

    #[inline(always)]
    fn decrypt(&mut self, c: [L; 2]) -> [L; 2] {
        let z = self.key_stream();
        let mut m = [c[0].xor(z[0]), c[1].xor(z[1])];
        settle(&mut m);
        // S0 ⊕ M0 split in another way than for sealing: here M0 is known late, and the AES
        // instruction must not wait for it.
        let [s0, s4] = [self.0[0], self.0[4]];
        if const { <L::Isa as Isa>::REGISTERS < 32 } {
            self.update([s0, s4], m);
        } else {
            // One instruction adds both, so that S0 does not go through the AES round either.
            let zero = s0.xor(s0);
            self.update([zero; 2], m);
            self.0[0] = self.0[0].xor(s0);
            self.0[4] = self.0[4].xor(s4);
        }
        m
    }

    #[inline(always)]
    fn key_stream(&self) -> [L; 2] {
        let s = &self.0;
        [s[6].xor(s[1]).xor(s[2].and(s[3])), s[2].xor(s[5]).xor(s[6].and(s[7]))]
    }

    #[inline(always)]
    fn mix_lengths(&mut self, lengths: L) {
        let t = self.0[2].xor(lengths);
        for _ in 0..3 {
            self.update_twice([t, t], None, true);
        }
        self.absorb([t, t]);
    }

    #[inline(always)]
    fn tag128(&self) -> L {
        let s = &self.0;
        let [left, right] = [s[0].xor(s[1]).xor(s[2].xor(s[3])), s[4].xor(s[5]).xor(s[6])];
        left.xor(right)
    }

    #[inline(always)]
    fn tag256(&self) -> [L; 2] {
        let s = &self.0;
        [s[0].xor(s[1]).xor(s[2].xor(s[3])), s[4].xor(s[5]).xor(s[6].xor(s[7]))]
    }
}
