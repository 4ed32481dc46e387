//! The best adversary against F_com in the ideal-cipher model, where blocks have a few bits.
//!
//! Source: eprint 2025/758, section 5.2: F_com(K, U, V) = CMAC_K(U ‖ V) ‖ CMAC_K(U ‖ V ⊕ Δ), with
//! whole blocks U and V. An adversary looks for two keys with one value of F_com under one (U, V).
//! As in the paper's proof it asks in pairs: a forward pair encrypts a and a ⊕ Δ; a backward pair
//! decrypts z to a, and encrypts a ⊕ Δ. We give it more than the theorem does: AES_K(0), of which
//! K1 is made, is free for each key that it asks about, before it chooses what to ask.
//!
//! Every such adversary is a tree of questions and answers. Here is the value of the best one, by
//! dynamic programming over what it may have learnt: each question's answers are averaged, of the
//! questions the best is taken. Nothing is drawn by chance, and nothing is left out; it has won
//! when its transcript holds a collision. All keys are alike, and so is the first one's AES_K(0),
//! for a value that is added to all outputs changes nothing.
//!
//! Letters as in the paper: u and x are the first block's input and output, w and z the second's.
//! Two keys collide if E(w) = E'(w'), E(w ⊕ Δ) = E'(w' ⊕ Δ), and for a u that both know
//! E(u) ⊕ K1 ⊕ w = E'(u) ⊕ K1' ⊕ w'.

use std::collections::HashMap;
use std::rc::Rc;

/// 2^5 values.
const MOST: usize = 32;
const UNKNOWN: u8 = 0xff;

/// The known pairs of one key.
#[derive(Clone, Copy)]
struct Key {
    forward: [u8; MOST],
    backward: [u8; MOST],
    /// K1.
    k1: u8,
}

/// A block of n bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game {
    n: u32,
    delta: u8,
}

/// For each key that the last question of all may follow, with which answers to it a new key wins:
/// the rows of `Wins` for each E(0) and each pair. The same key is met in many transcripts.
type Tables = HashMap<[u8; MOST], Rc<[u32]>>;

/// For a pair of which nothing is known: with which of its answers (z, z') the adversary has won.
struct Wins([u32; MOST]);

impl Game {
    /// Blocks of 2 to 5 bits; Δ is any value but 0.
    pub(crate) fn new(n: u32, delta: u8) -> Self {
        assert!((2..=5).contains(&n) && delta != 0 && u32::from(delta) < 1 << n);
        Self { n, delta }
    }

    fn values(self) -> u8 {
        1 << self.n
    }

    /// The probability with which the best adversary wins after `pairs` pairs of calls.
    pub(crate) fn best(self, pairs: u32) -> f64 {
        self.value(&mut vec![self.fresh(0)], pairs, &mut Tables::new())
    }

    /// A key of which nothing is known but E(0).
    fn fresh(self, e0: u8) -> Key {
        // x · E(0), in the field of 2^n elements.
        let reduction = [0, 0, 0b11, 0b11, 0b11, 0b101][self.n as usize];
        let carry = if e0 >> (self.n - 1) == 1 { reduction } else { 0 };
        let k1 = (e0 << 1 & (self.values() - 1)) ^ carry;
        let mut key = Key { forward: [UNKNOWN; MOST], backward: [UNKNOWN; MOST], k1 };
        key.know(0, e0);
        key
    }

    /// The chance still to win with `pairs` more pairs.
    fn value(self, keys: &mut Vec<Key>, pairs: u32, tables: &mut Tables) -> f64 {
        if pairs == 0 {
            return 0.0;
        }
        // The first key of all is there when the game begins; another one's E(0) is any value.
        let mut best: f64 = 0.0;
        for k in 0..keys.len() {
            best = best.max(self.best_question(keys, k, pairs, tables));
        }
        if keys[0].known() > 1 {
            let sum: f64 = if pairs == 1 {
                self.last_question(keys, tables)
            } else {
                let k = keys.len();
                let of = |e0| {
                    keys.push(self.fresh(e0));
                    let value = self.best_question(keys, k, pairs, tables);
                    keys.pop();
                    value
                };
                (0..self.values()).map(of).sum()
            };
            best = best.max(sum / f64::from(self.values()));
        }
        best
    }

    /// `best_question` about a new key where no other follows, summed over its E(0).
    fn last_question(self, keys: &[Key], tables: &mut Tables) -> f64 {
        let tables: Vec<_> = match keys {
            // Nobody will ask for it again.
            [key] => vec![self.table(key, &mut Tables::new())],
            _ => keys.iter().map(|key| self.table(key, tables)).collect(),
        };
        let inputs = f64::from(self.values() - 1);
        let of = |e0: u8| {
            let (mut best, mut backward) = (0.0_f64, [0.0_f64; MOST]);
            for a in self.halves() {
                let (at, mut sum) = (self.rows(e0, a), 0.0);
                for z in 0..usize::from(self.values()) {
                    let mut row = tables.iter().fold(0, |row, table| row | table[at + z]);
                    sum += f64::from(row.count_ones());
                    // The pair of 0 has one half known: one answer remains.
                    let weight = if a == 0 { 1.0 } else { 1.0 / (inputs - 1.0) };
                    if a != 0 {
                        backward[z] += f64::from(row.count_ones()) * weight;
                    }
                    while row != 0 {
                        backward[row.trailing_zeros() as usize] += weight;
                        row &= row - 1;
                    }
                }
                let answers = if a == 0 { inputs } else { inputs * (inputs - 1.0) };
                best = best.max(sum / answers);
            }
            backward.iter().fold(best, |best, sum| best.max(sum / inputs))
        };
        (0..self.values()).map(of).sum()
    }

    /// Where the rows of a pair stand in a table.
    fn rows(self, e0: u8, a: u8) -> usize {
        (usize::from(e0) << self.n | usize::from(a)) << self.n
    }

    /// The values with which a new key collides with `key`. Those of keys with one pair are kept.
    fn table(self, key: &Key, tables: &mut Tables) -> Rc<[u32]> {
        if let Some(table) = tables.get(&key.forward) {
            return Rc::clone(table);
        }
        let mut table = vec![0; 1 << (3 * self.n)];
        for e0 in 0..self.values() {
            for a in self.halves() {
                let mut pair = [*key, self.fresh(e0)];
                let rows = &mut table[self.rows(e0, a)..][..1 << self.n];
                if a != 0 {
                    rows.copy_from_slice(&self.wins(&pair, 1, a).0[..rows.len()]);
                    continue;
                }
                for z in self.unused(&self.fresh(e0)) {
                    pair[1] = self.fresh(e0);
                    pair[1].know(self.delta, z);
                    rows[0] |= u32::from(self.won(&pair, 1)) << z;
                }
            }
        }
        let table: Rc<[u32]> = table.into();
        if key.known() <= 3 {
            tables.insert(key.forward, Rc::clone(&table));
        }
        table
    }

    /// One input of each pair.
    fn halves(self) -> impl Iterator<Item = u8> + use<> {
        (0..self.values()).filter(move |a| *a < a ^ self.delta)
    }

    /// The best of the questions about key `k`.
    fn best_question(self, keys: &mut Vec<Key>, k: usize, pairs: u32, tables: &mut Tables) -> f64 {
        let mut best: f64 = 0.0;
        // For each z, what is won by decrypting it: the sum over a, by how many there are.
        let mut backward = [0.0_f64; MOST];
        let inputs = f64::from(self.values() - keys[k].known());
        for a in self.halves() {
            let b = a ^ self.delta;
            match (keys[k].forward[usize::from(a)], keys[k].forward[usize::from(b)]) {
                (UNKNOWN, UNKNOWN) => {
                    let mut sum = 0.0;
                    let mut add = |z: u8, other: u8, value: f64| {
                        sum += value;
                        // Either half may be what is decrypted.
                        backward[usize::from(z)] += value / (inputs - 1.0);
                        backward[usize::from(other)] += value / (inputs - 1.0);
                    };
                    self.answers(keys, k, a, pairs, tables, &mut add);
                    best = best.max(sum / (inputs * (inputs - 1.0)));
                }
                (UNKNOWN, _) => {
                    best = best.max(self.half(keys, k, a, pairs, tables, &mut backward));
                }
                (_, UNKNOWN) => {
                    best = best.max(self.half(keys, k, b, pairs, tables, &mut backward));
                }
                _ => {}
            }
        }
        backward.iter().fold(best, |best, sum| best.max(sum / inputs.max(1.0)))
    }

    /// Tells what is left after each answer (z, z') that a and its partner may have, if anything.
    fn answers(
        self,
        keys: &mut Vec<Key>,
        k: usize,
        a: u8,
        pairs: u32,
        tables: &mut Tables,
        add: &mut impl FnMut(u8, u8, f64),
    ) {
        let saved = keys[k];
        let Wins(wins) = self.wins(keys, k, a);
        for (z, mut row) in (0_u8..).zip(wins) {
            while row != 0 {
                add(z, row.trailing_zeros() as u8, 1.0);
                row &= row - 1;
            }
        }
        if pairs == 1 {
            return;
        }
        for z in self.unused(&saved) {
            let open = |other: &u8| *other != z && wins[usize::from(z)] >> other & 1 == 0;
            for other in self.unused(&saved).filter(open) {
                keys[k].know(a, z);
                keys[k].know(a ^ self.delta, other);
                add(z, other, self.value(keys, pairs - 1, tables));
                keys[k] = saved;
            }
        }
    }

    /// A pair of which one half is known already: what is left, on the average over the other.
    fn half(
        self,
        keys: &mut Vec<Key>,
        k: usize,
        a: u8,
        pairs: u32,
        tables: &mut Tables,
        backward: &mut [f64],
    ) -> f64 {
        let saved = keys[k];
        let (mut sum, mut count) = (0.0, 0.0);
        for z in self.unused(&saved) {
            keys[k].know(a, z);
            let value = if self.won(keys, k) { 1.0 } else { self.value(keys, pairs - 1, tables) };
            keys[k] = saved;
            sum += value;
            count += 1.0;
            backward[usize::from(z)] += value;
        }
        sum / count
    }

    fn unused(self, key: &Key) -> impl Iterator<Item = u8> + use<> {
        let backward = key.backward;
        (0..self.values()).filter(move |z| backward[usize::from(*z)] == UNKNOWN)
    }

    /// Whether key `k` collides with another.
    fn won(self, keys: &[Key], k: usize) -> bool {
        (0..keys.len()).any(|j| j != k && self.collide(&keys[k], &keys[j]))
    }

    fn collide(self, one: &Key, other: &Key) -> bool {
        (0..self.values()).any(|w| {
            let (z, z2) = (one.at(w), one.at(w ^ self.delta));
            if z == UNKNOWN || z2 == UNKNOWN || other.backward[usize::from(z)] == UNKNOWN {
                return false;
            }
            let v = other.backward[usize::from(z)];
            if other.at(v ^ self.delta) != z2 {
                return false;
            }
            // E(u) ⊕ E'(u) must be this.
            let wanted = one.k1 ^ other.k1 ^ w ^ v;
            (0..self.values()).any(|u| {
                let (x, y) = (one.at(u), other.at(u));
                x != UNKNOWN && y != UNKNOWN && x ^ y == wanted
            })
        })
    }

    /// All answers (z, z') for a and its partner under key `k` that win: rows of bits. The same as
    /// `won` after each of them, in fewer steps.
    fn wins(self, keys: &[Key], k: usize, a: u8) -> Wins {
        let (key, b) = (&keys[k], a ^ self.delta);
        let mut rows = [0_u32; MOST];
        let free: u32 = self.unused(key).fold(0, |free, z| free | 1 << z);
        for (_, other) in keys.iter().enumerate().filter(|(j, _)| *j != k) {
            let k1 = key.k1 ^ other.k1;
            for v in 0..self.values() {
                let (z, z2) = (other.at(v), other.at(v ^ self.delta));
                if z == UNKNOWN || z2 == UNKNOWN {
                    continue;
                }
                // The new pair is the second block: a is w, and (z, z') the other's.
                let wanted = k1 ^ a ^ v;
                let mut known = (0..self.values()).any(|u| {
                    let (x, y) = (key.at(u), other.at(u));
                    x != UNKNOWN && y != UNKNOWN && x ^ y == wanted
                });
                // It may be the first block as well.
                known |= other.at(a) != UNKNOWN && z ^ other.at(a) == wanted;
                known |= other.at(b) != UNKNOWN && z2 ^ other.at(b) == wanted;
                if known {
                    rows[usize::from(z)] |= 1 << z2;
                }
                // The new pair is the first block of an earlier partial collision.
                let w = key.backward[usize::from(z)];
                if w == UNKNOWN || key.at(w ^ self.delta) != z2 {
                    continue;
                }
                let wanted = k1 ^ w ^ v;
                if other.at(a) != UNKNOWN {
                    rows[usize::from(other.at(a) ^ wanted)] = u32::MAX;
                }
                if other.at(b) != UNKNOWN {
                    let bit = 1 << (other.at(b) ^ wanted);
                    rows.iter_mut().for_each(|row| *row |= bit);
                }
            }
        }
        for (z, row) in rows.iter_mut().enumerate() {
            *row &= if free >> z & 1 == 1 { free & !(1 << z) } else { 0 };
        }
        Wins(rows)
    }

    /// Whether keys that are known in full collide as F_com's definition has it.
    #[cfg(test)]
    pub(crate) fn collisions_are_those_of_f_com(self, pairs: u64) {
        let all: Vec<u8> = (0..self.values()).collect();
        let mut found = 0;
        for seed in 0..pairs {
            let keys = [2 * seed, 2 * seed + 1].map(|seed| {
                let mut outputs = all.clone();
                outputs.sort_by_key(|z| super::toy::mix(super::toy::mix(seed) ^ u64::from(*z)));
                let mut key = self.fresh(outputs[0]);
                all.iter().zip(&outputs).for_each(|(a, z)| key.know(*a, *z));
                key
            });
            let f_com = |key: &Key, u: u8, v: u8| {
                let w = key.at(u) ^ key.k1 ^ v;
                (key.at(w), key.at(w ^ self.delta))
            };
            let collide = all
                .iter()
                .any(|u| all.iter().any(|v| f_com(&keys[0], *u, *v) == f_com(&keys[1], *u, *v)));
            assert_eq!(self.won(&keys, 1), collide, "{self:?}, keys {seed}");
            found += u64::from(collide);
        }
        assert!(found > 0 && found < pairs, "{found} of {pairs}");
    }

    /// The same, answer by answer.
    #[cfg(test)]
    pub(crate) fn wins_are_what_wins(self, pairs: u32) {
        fn walk(game: Game, keys: &mut Vec<Key>, pairs: u32, seed: &mut u64) {
            *seed = super::toy::mix(*seed);
            let k = keys.len() - 1;
            for a in 0..game.values() {
                let b = a ^ game.delta;
                if keys[k].at(a) != UNKNOWN || keys[k].at(b) != UNKNOWN {
                    continue;
                }
                let Wins(rows) = game.wins(keys, k, a);
                let saved = keys[k];
                for z in game.unused(&saved) {
                    for other in game.unused(&saved).filter(|other| *other != z) {
                        keys[k].know(a, z);
                        keys[k].know(b, other);
                        let won = game.won(keys, k);
                        assert_eq!(rows[usize::from(z)] >> other & 1 == 1, won, "{game:?}");
                        let walks = (*seed >> 7).is_multiple_of(61) && pairs > 1 && !won;
                        *seed = super::toy::mix(*seed ^ u64::from(z));
                        if walks {
                            let e0 = (*seed % u64::from(game.values())) as u8;
                            keys.push(game.fresh(e0));
                            walk(game, keys, pairs - 1, seed);
                            keys.pop();
                        }
                        keys[k] = saved;
                    }
                }
            }
        }
        walk(self, &mut vec![self.fresh(0)], pairs, &mut 1);
    }
}

impl Key {
    fn at(&self, a: u8) -> u8 {
        self.forward[usize::from(a)]
    }

    fn know(&mut self, a: u8, z: u8) {
        self.forward[usize::from(a)] = z;
        self.backward[usize::from(z)] = a;
    }

    fn known(&self) -> u8 {
        self.forward.iter().filter(|z| **z != UNKNOWN).count() as u8
    }
}
