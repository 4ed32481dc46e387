//! How often the best adversary finds two keys with one commitment under one nonce (FOR-KC), where
//! blocks have a few bits, beside theorem 1 of eprint 2025/758.
//!
//!     cargo run --release -p polyseal --example best_adversary [--long]

mod support;

use polyseal::limits::bounds::Amount;
use polyseal::limits::bounds::commitment::for_kc;

use support::adversary::Game;

fn main() {
    // Three pairs on four bits are 10^7 and more transcripts of two: they take minutes.
    let long = std::env::args().any(|argument| argument == "--long");
    let mut games = vec![(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (5, 2)];
    if long {
        games.push((4, 3));
    }
    println!("n  pairs  best adversary  C(q,2)/2^2n times  theorem 1 allows");
    for (n, pairs) in games {
        // The commitment's counters, which are 1 and 2.
        let best = Game::new(n, 3).best(pairs);
        let intuition = f64::from(pairs * (pairs - 1)) / 2.0 / f64::from(2 * n).exp2();
        let bound = for_kc(Amount::from(pairs), n).amount.log2().exp2().min(1.0);
        println!("{n}  {pairs}      {best:.10}    {:.4}              {bound:.4}", best / intuition);
    }
}
