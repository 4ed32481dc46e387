//! AEGIS-256 and AEGIS-256X: six registers, one word an update.
//!
//! Source: RFC 10032, sections 4 and 5; the paper's Algorithm 3 with its
//! initialisation corrected (`research/papers/aegis.md`).
//! Letters: `s` the state S0…S5, `m` a message, `c` its ciphertext, `z` the key stream.

use super::state::{C0, C1, State, settle};
use crate::backend::{Isa, Lanes};

// Secret, and nothing outside can name it.
#[allow(missing_debug_implementations)]
#[derive(Clone, Copy)]
pub struct State256<L>([L; 6]);

impl<L: Lanes> State256<L> {
    /// `Update` with `S'0 = AESRound(S5, k) ⊕ x` where `k ⊕ x = S0 ⊕ M`; see
    /// [`State128`](super::state128::State128) for why.
    #[inline(always)]
    fn update(&mut self, k: L, x: L) {
        let [_, s1, s2, s3, s4, s5] = self.0;
        self.rounds([k, s1, s2, s3, s4, s5]);
        self.0[0] = self.0[0].xor(x);
    }

    /// Two updates of initialisation. The context that it adds to S3 and S5 before each cancels
    /// out: it is here already, and is afterwards unless this is the `end`. So it is added to what
    /// the second update's rounds start from, and not to their keys.
    #[inline(always)]
    fn update_twice(&mut self, [m, next]: [L; 2], context: Option<L>, end: bool) {
        self.update(m, self.0[0]);
        let mut keys = self.0;
        let s = &mut self.0;
        if let Some(context) = context {
            (s[3], s[5]) = (s[3].xor(context), s[5].xor(context));
            if end {
                (keys[3], keys[5]) = (s[3], s[5]);
            }
        }
        let s0 = self.0[0];
        keys[0] = next;
        self.rounds(keys);
        self.0[0] = self.0[0].xor(s0);
    }

    /// `S'i = AESRound(S(i − 1), keys[i])`.
    #[inline(always)]
    fn rounds(&mut self, keys: [L; 6]) {
        let [s0, s1, s2, s3, s4, s5] = self.0;
        let [k0, k1, k2, k3, k4, k5] = keys;
        // From the last register to the first, each can be computed in place.
        let [t0, t5, t4, t3, t2, t1] =
            L::aes_rounds([s5, s4, s3, s2, s1, s0], [k0, k5, k4, k3, k2, k1]);
        self.0 = [t0, t1, t2, t3, t4, t5];
    }
}

impl<L: Lanes> State<L> for State256<L> {
    type Words = [L; 1];
    const WORDS: usize = 1;

    #[inline(always)]
    fn init(isa: L::Isa, [k0, k1]: [L; 2], [n0, n1]: [L; 2], context: Option<L>) -> Self {
        let (c0, c1) = (L::broadcast(isa, &C0), L::broadcast(isa, &C1));
        let (mixed0, mixed1) = (k0.xor(n0), k1.xor(n1));
        let mut state = Self([mixed0, mixed1, c1, c0, k0.xor(c0), k1.xor(c1)]);
        if let Some(context) = context {
            state.0[3] = state.0[3].xor(context);
            state.0[5] = state.0[5].xor(context);
        }
        for _ in 0..3 {
            state.update_twice([k0, k1], context, false);
            state.update_twice([mixed0, mixed1], context, false);
        }
        state.update_twice([k0, k1], context, false);
        state.update_twice([mixed0, mixed1], context, true);
        state
    }

    #[inline(always)]
    fn filled(x: L) -> Self {
        Self([x; 6])
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
    fn words(x: L) -> [L; 1] {
        [x; 1]
    }

    #[inline(always)]
    fn absorb(&mut self, [m]: [L; 1]) {
        self.update(m, self.0[0]);
    }

    #[inline(always)]
    fn encrypt(&mut self, m: [L; 1]) -> [L; 1] {
        let z = self.key_stream();
        let mut c = [m[0].xor(z[0])];
        settle(&mut c);
        self.update(m[0], self.0[0]);
        c
    }

    #[inline(always)]
    fn decrypt(&mut self, c: [L; 1]) -> [L; 1] {
        let mut m = [c[0].xor(self.key_stream()[0])];
        settle(&mut m);
        // M0 is known late, and the AES instruction must not wait for it: see `State128`. Where the
        // state leaves registers free, S0 does not go through the instruction either, which gains a
        // twentieth on Zen 3.
        let s0 = self.0[0];
        if const {
            <L::Isa as Isa>::ROUNDS_ARE_CALLS
                || <L::Isa as Isa>::REGISTERS < 32 && L::BLOCKS > <L::Isa as Isa>::REGISTER_BLOCKS
        } {
            self.update(s0, m[0]);
        } else {
            self.update(s0.xor(s0), m[0]);
            self.0[0] = self.0[0].xor(s0);
        }
        m
    }

    #[inline(always)]
    fn key_stream(&self) -> [L; 1] {
        let s = &self.0;
        [s[1].xor(s[4]).xor(s[5]).xor(s[2].and(s[3]))]
    }

    #[inline(always)]
    fn mix_lengths(&mut self, lengths: L) {
        let t = self.0[3].xor(lengths);
        for _ in 0..7 {
            self.absorb([t]);
        }
    }

    #[inline(always)]
    fn tag128(&self) -> L {
        let [left, right] = self.tag256();
        left.xor(right)
    }

    #[inline(always)]
    fn tag256(&self) -> [L; 2] {
        let s = &self.0;
        [s[0].xor(s[1]).xor(s[2]), s[3].xor(s[4]).xor(s[5])]
    }
}
