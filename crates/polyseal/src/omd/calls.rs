//! Calls of F, in the registers of a kernel: one of any kind, or those of the blocks in the middle
//! of messages, where the chaining value and the mask stay in registers.

// H the chaining value, Δ the mask, M a block of the message, C of the ciphertext.

use super::mode::Run;
use crate::backend::hashes::HashBackend;
use crate::hash::{Compression, HashTask, Kernel, MAX_LANES};

/// The purpose of the calls.
enum Inputs<'x, 'r, 'a, 'i, 'o, C: Compression> {
    /// One call, with these blocks.
    Given(&'x [C::Block]),
    /// As many as `blocks` for each message's next blocks in the middle.
    Middle { seals: bool, runs: &'x mut [Option<&'r mut Run<'a, 'i, 'o, C>>], blocks: usize },
}

/// Calls with one key, of one input or of as many as a kernel has lanes.
pub(super) struct Calls<'x, 'r, 'a, 'i, 'o, C: Compression> {
    key: &'x C::Key,
    chains: &'x mut [C::Block],
    inputs: Inputs<'x, 'r, 'a, 'i, 'o, C>,
}

impl<'x, 'r, 'a, 'i, 'o, C: Compression> Calls<'x, 'r, 'a, 'i, 'o, C> {
    /// H = F_K(H, M) for every one of `chains` with its block.
    pub(super) fn once(
        key: &'x C::Key,
        chains: &'x mut [C::Block],
        blocks: &'x [C::Block],
    ) -> Self {
        Self { key, chains, inputs: Inputs::Given(blocks) }
    }

    /// The next `blocks` blocks of every run, which are so many before the last or more; a lane
    /// without a run computes on what is there.
    pub(super) fn middle(
        key: &'x C::Key,
        seals: bool,
        chains: &'x mut [C::Block],
        runs: &'x mut [Option<&'r mut Run<'a, 'i, 'o, C>>],
        blocks: usize,
    ) -> Self {
        Self { key, chains, inputs: Inputs::Middle { seals, runs, blocks } }
    }

    /// Computes them, one by one if there is one chaining value and otherwise in lanes; on the
    /// stack, which the caller wipes at the end.
    pub(super) fn run(self, on: HashBackend) {
        if self.chains.len() == 1 { C::one(on, self) } else { C::many(on, self) }
    }
}

impl<C: Compression> HashTask<C> for Calls<'_, '_, '_, '_, '_, C> {
    #[inline(always)]
    fn run<K: Kernel<C>>(self, kernel: K) {
        let Self { key, chains, mut inputs } = self;
        let lanes = K::LANES;
        let mut bytes = [C::ZERO; MAX_LANES];
        let mut left = 1;
        match &inputs {
            Inputs::Given(blocks) => bytes[..lanes].copy_from_slice(&blocks[..lanes]),
            Inputs::Middle { runs, blocks, .. } => {
                left = *blocks;
                for (bytes, run) in bytes[..lanes].iter_mut().zip(&**runs) {
                    if let Some(run) = run {
                        *bytes = run.delta;
                    }
                }
            }
        }
        let mut m = kernel.load(&bytes[..lanes]);
        let mut delta = m;
        let mut h = kernel.chains(kernel.load(&chains[..lanes]));
        // CT: lengths are public.
        while left > 0 {
            if let Inputs::Middle { seals, runs, .. } = &mut inputs {
                for (bytes, run) in bytes[..lanes].iter_mut().zip(&mut **runs) {
                    if let Some(run) = run {
                        run.read(bytes);
                    }
                }
                // C = H ⊕ M
                let input = kernel.load(&bytes[..lanes]);
                let output = kernel.xor(input, kernel.words(h));
                kernel.store(output, &mut bytes[..lanes]);
                for (bytes, run) in bytes[..lanes].iter_mut().zip(&mut **runs) {
                    if let Some(run) = run {
                        run.write(bytes);
                        *bytes = *run.next_mask();
                    }
                }
                m = if *seals { input } else { output };
                // Δ = Δ ⊕ L[ntz(i)]
                delta = kernel.xor(delta, kernel.load(&bytes[..lanes]));
                h = kernel.mask(h, delta);
            }
            // H = F_K(H ⊕ Δ, M)
            h = kernel.compress(key, h, m);
            left -= 1;
        }
        kernel.store(kernel.words(h), &mut chains[..lanes]);
        if let Inputs::Middle { runs, .. } = &mut inputs {
            kernel.store(delta, &mut bytes[..lanes]);
            for (bytes, run) in bytes[..lanes].iter().zip(&mut **runs) {
                if let Some(run) = run {
                    run.delta = *bytes;
                }
            }
        }
    }
}
