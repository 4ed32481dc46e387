//! Section 11 of `docs/spec/flex.md`, written once more from the page, in logarithms to base 2.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{algorithm, pow};
use crate::limits::Nonces;
use crate::limits::bounds::{Bound, Load, assess};

/// Names and configurations of section 4, and some that have no name.
const CONFIGURATIONS: [(&str, [u8; 8], usize); 13] = [
    ("flex-och", [1, 1, 1, 0x20, 0x20, 0, 0, 0], 32),
    ("flex-och-public", [1, 0, 1, 0x20, 0x18, 0, 0, 0], 24),
    ("flex-och-transport", [1, 0, 1, 0x10, 0x0c, 0, 0, 0], 12),
    ("flex-civ", [2, 1, 1, 0x20, 0x20, 0, 0, 0], 32),
    ("flex-civ-public", [2, 0, 1, 0x20, 0xff, 0xff, 0, 0], 24),
    ("flex-robust", [3, 4, 1, 0, 0xff, 0xff, 0, 0], 24),
    ("flex-robust-ae", [4, 0, 1, 0x20, 0xff, 0xff, 0, 0], 24),
    ("flex-och-stream", [1, 8, 1, 0x20, 0x18, 0, 0x10, 0], 24),
    // A short tag, S384, S1024 with a stretch, K1600, and two of the 64-bit level.
    ("", [2, 1, 1, 0x10, 0x10, 0, 0, 0], 16),
    ("", [1, 0, 4, 0x20, 0x18, 0, 0, 0], 24),
    ("", [3, 4, 3, 0x07, 0x10, 0, 0, 0], 16),
    ("", [2, 8, 7, 0x18, 0x18, 0, 0x08, 0], 24),
    ("", [1, 1, 2, 0x10, 0x10, 0, 0, 0], 16),
];

/// Logarithms of messages, forgeries, work and keys, and the bytes of a message and its AD.
const LOADS: [(f64, f64, f64, f64, u64, u64); 4] = [
    (112.0, 32.0, 80.0, 0.0, 1 << 16, 16),
    (64.0, 60.0, 100.0, 0.0, 100_003, 1100),
    (40.0, 20.0, 64.0, 10.0, 20, 0),
    (20.0, 90.0, 10.0, 0.0, 0, 256),
];

/// The logarithm of 2^a + 2^b.
fn plus(a: f64, b: f64) -> f64 {
    let (more, less) = (a.max(b), a.min(b));
    more + (1.0 + (less - more).exp2()).log2()
}

fn log2(n: usize) -> f64 {
    (n as f64).log2()
}

/// B and t, by the profile's id (section 2).
fn profile(id: u8) -> (usize, usize) {
    [(64, 32), (32, 16), (128, 32), (48, 32), (64, 32), (32, 16), (200, 32), (40, 16)]
        [usize::from(id) - 1]
}

/// The blocks of seq(H, dom, X, ell) for ell up to B (section 3).
fn seq(x: usize, r: usize) -> usize {
    let k = (0..).find(|&k| x < 1 << (8 * k)).expect("a length");
    let least = x + k + 2;
    (least..).find(|length| length % r == 0).expect("z zeros") / r
}

/// The blocks of F(H, dom, X, t).
fn f(x: usize, (b, t): (usize, usize)) -> usize {
    let r = b - t;
    if x <= 256 {
        return seq(x, r);
    }
    let (mut rest, mut m, mut blocks) = (x, 0, 0);
    while rest > 0 {
        let chunk = rest.min(256);
        blocks += seq(chunk + 8, r);
        rest -= chunk;
        m += 1;
    }
    blocks + seq(m * t + 8, r)
}

/// Section 11's terms: names and logarithms.
fn terms(cfg: [u8; 8], nonce: usize, load: &Load) -> Vec<(&'static str, f64)> {
    let [mode, flags, id, tl, nl0, nl1, aux, _] = cfg;
    let (nh, cmt, stream) = (flags & 1 != 0, flags & 4 != 0, flags & 8 != 0);
    let (b, t) = profile(id);
    let (message, ad) = (load.message_bytes as usize, load.ad_bytes as usize);
    let (q, q_d, u) = (load.messages.log2(), load.forgeries.log2(), load.keys.log2());
    let (n, tau) = (8.0 * b as f64, 8.0 * t as f64);
    let rho = n - tau;
    let robust = mode == 3;
    let (lambda, tl) = if robust { (usize::from(tl), t) } else { (0, usize::from(tl)) };
    assert_eq!(robust, cmt, "ROBUST that commits");

    // ctx(N, AD) of section 5.
    let length = if [nl0, nl1] == [0xff; 2] { 2 } else { 0 };
    let mut chains = match nh {
        true if ad == 0 => 0,
        true => f(ad, (b, t)),
        false => f(ad + nonce + length, (b, t)),
    };
    let blocks = |bytes: usize| if bytes == 0 { 1 } else { bytes.div_ceil(b) };
    let mut segments = 1;
    let body = if stream {
        // Segment by segment.
        let (mut rest, mut body) = (message, 0);
        segments = 0;
        while segments == 0 || rest > 0 {
            let segment = rest.min(1 << aux);
            body += blocks(segment) + seq(9, b - t);
            rest -= segment;
            segments += 1;
        }
        body
    } else {
        blocks(message + lambda + if nh { nonce } else { 0 })
    };
    let sigma = plus(q, q_d) + log2(chains + body);
    // The key of a stream is a chaining value, too.
    chains += usize::from(stream);
    let h = match chains {
        0 => 0.0,
        _ => plus(0.0, plus(q, q_d) + log2(chains)),
    };
    let q = q + log2(segments);
    // All that other keys do is the adversary's own work.
    let p = if u > 0.0 { plus(load.work.log2(), u + sigma) } else { load.work.log2() };

    let mut told = plus(1.0 + p + sigma - n, 2.0 * sigma - n);
    if mode >= 3 {
        told = plus(told, 2.0 * sigma - n);
    }
    let tag = 8.0 * tl as f64;
    let forged = match mode {
        1 => plus(q_d - tag, 1.0 + q_d - rho),
        3 => q_d - tau.min(rho),
        _ => q_d - tag,
    };
    let mut terms = Vec::from([
        ("inner states meet", 2.0 * sigma - (tau + 1.0)),
        ("inner state guessed", p + h - tau),
        ("distinguishing", told),
        ("tag inputs meet", 2.0 * q - rho),
        ("forgery", forged),
    ]);
    if mode == 2 || mode == 4 || (mode == 1 && nh && nonce + message < b) {
        terms.push(("tags meet", 2.0 * q - (tag + 1.0)));
    }
    if mode == 4 {
        terms.push(("opened keys meet", 2.0 * q_d - (tau + 1.0)));
        let l = message + if nh { nonce } else { 0 };
        terms.push(("opened texts meet", 2.0 * q_d - (8.0 * l as f64 + 1.0)));
    }
    for (_, term) in &mut terms {
        *term += u;
    }
    // Commitment: two ciphertexts of one configuration, whatever the use.
    terms.push(("two of anything", 2.0 * load.work.log2() - tag));
    terms
}

#[test]
fn flex_has_every_term_of_section_11() {
    let mut loads = 0;
    for (name, cfg, nonce) in CONFIGURATIONS {
        let named = match name {
            "" => {
                let digits: String = cfg.iter().map(|byte| format!("{byte:02x}")).collect();
                let level = if profile(cfg[2]).1 == 16 { "allow-64-bit=1," } else { "" };
                format!("flex:{level}cfg={digits}")
            }
            name => name.into(),
        };
        let a = algorithm(&named);
        assert_eq!(a.nonce_bytes(), nonce, "{named}");
        for (messages, forgeries, work, keys, message_bytes, ad_bytes) in LOADS {
            let load = Load {
                keys: pow(keys),
                messages: pow(messages),
                message_bytes,
                ad_bytes,
                nonces: Nonces::Counted,
                forgeries: pow(forgeries),
                work: pow(work),
            };
            loads += 1;
            let found = assess(&a, &load);
            let all = || found.usage.iter().chain(&found.offline).chain(&found.not_counted);
            let expected = terms(cfg, nonce, &load);
            let near = |found: f64, expected: f64| (found - expected.min(0.0)).abs() < 1e-6;
            for &(term, log2) in &expected {
                let row = all().find(|bound| bound.name == term);
                let row = row.unwrap_or_else(|| panic!("{named}, {load:?}: no {term}"));
                let row = row.probability().log2();
                assert!(near(row, log2), "{named}, {load:?}: {term}: 2^{row}, not 2^{log2}");
            }
            // No other term, and the sum is theirs.
            let elsewhere =
                |bound: &&Bound| !["key search", "commitment repeats"].contains(&bound.name);
            assert_eq!(all().filter(elsewhere).count(), expected.len(), "{named}");
            let used = expected
                .iter()
                .filter(|(name, _)| !["opened texts meet", "two of anything"].contains(name));
            let sum = used.fold(f64::NEG_INFINITY, |sum, &(_, log2)| plus(sum, log2));
            let total = found.total().log2();
            assert!(near(total, sum), "{named}, {load:?}: 2^{total}, not 2^{sum}");
        }
    }
    assert!(loads >= 40, "{loads}");
}

/// A short message of OCH with its nonce is one below a block, of 64 bytes.
#[test]
fn tags_encrypt_short_messages() {
    for (name, message, expected) in [
        ("flex-och", 31, true),
        ("flex-och", 32, false),
        ("flex-och-public", 31, false),
        ("flex-civ", 1000, true),
        ("flex-robust", 10, false),
        ("flex-robust-ae", 10, true),
    ] {
        let found = assess(&algorithm(name), &Load::one_message(message, 0));
        let named = |rows: &[Bound], name| rows.iter().any(|bound| bound.name == name);
        assert_eq!(named(&found.usage, "tags meet"), expected, "{name}, {message}");
        assert_ne!(named(&found.not_counted, "commitment repeats"), expected, "{name}, {message}");
    }
}

/// The examples that the figures were wrong for.
#[test]
fn long_messages_of_flex_count() {
    let row = |load: &Load, name| {
        let found = assess(&algorithm("flex-och"), load);
        let rows = found.usage.iter().chain(&found.offline);
        let row = rows.into_iter().find(|bound| bound.name == name).expect(name);
        row.probability().log2()
    };
    let load = Load { messages: pow(112.0), ..Load::one_message(1 << 16, 16) };
    // σ = 2^112 (2^10 + 2): a block for the nonce, and one for the associated data.
    let sigma = 112.0 + 1026_f64.log2();
    assert!((row(&load, "inner states meet") - (2.0 * sigma - 257.0)).abs() < 1e-9);
    assert_eq!(format!("{:.1}", row(&load, "inner states meet")), "-13.0");
    assert_eq!(row(&load, "tag inputs meet"), -32.0);
    assert_eq!(row(&load, "two of anything"), 160.0 - 256.0);
}
