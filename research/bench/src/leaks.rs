//! Whether the time of an operation tells what is secret.
//!
//! Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (DATE 2017). Inputs of two classes are
//! taken in random order, each is timed alone, and Welch's t-test says whether the classes have one mean: |t| above
//! [`THRESHOLD`] says that they have not. It finds only what this CPU shows, with these inputs; but it runs where
//! Valgrind, which follows every secret through the code, knows no instructions: on AVX-512.
//!
//! A run also tests two operations that leak on purpose, and fails if it does not notice: it could not fail else.

use core::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on, mac_on};

use crate::dice::Dice;
use crate::options::Options;

/// Above it, two classes differ. By chance alone, one test in 600,000 does.
const THRESHOLD: f64 = 4.8;
/// What is found counts if it is found as often in a row: another program may have disturbed one class by chance.
const CONFIRMATIONS: usize = 3;
/// Timed operations of one test.
const MEASUREMENTS: usize = 20_000;
/// Slower ones are left out: interrupts, and other programs.
const KEPT: f64 = 0.9;
/// Inputs of each class, all in memory of their own.
const POOL: usize = 32;
/// Partial blocks everywhere, and more than one update of the widest algorithm.
const MESSAGE_BYTES: usize = 300;
const AD_BYTES: usize = 21;

/// Something whose time is measured, bound to its input.
type Work = Box<dyn FnMut()>;

/// Two classes of inputs that nobody may tell apart by the time.
struct Test {
    name: String,
    classes: [Vec<Work>; 2],
}

/// Tests every algorithm of `options` on its back ends, and writes what leaks to `out`.
///
/// # Errors
/// As `out` has them; and if something leaks, or what leaks on purpose is not noticed.
pub fn run(options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let mut dice = Dice(1);
    let controls = [early_exit(&mut dice), skips_zeros(&mut dice)];
    for mut control in controls {
        if !control.leaks(&mut dice) {
            return Err(io::Error::other(format!("{} was not noticed", control.name)));
        }
    }
    let (mut tests, mut leaks) = (0, 0);
    for backend in options.backends() {
        let mut largest = (0.0_f64, String::new());
        for suite in options.suites() {
            for mut test in of_suite(&suite, backend, &mut dice) {
                tests += 1;
                let t = test.t(&mut dice);
                if t > THRESHOLD && test.leaks(&mut dice) {
                    leaks += 1;
                    writeln!(out, "{} leaks: |t| = {t:.1}", test.name)?;
                } else if t > largest.0 && t <= THRESHOLD {
                    largest = (t, test.name);
                }
            }
        }
        let (t, name) = largest;
        writeln!(out, "{}: |t| is at most {t:.1} ({name})", backend.name())?;
        out.flush()?;
    }
    if leaks > 0 {
        return Err(io::Error::other(format!("{leaks} of {tests} operations leak")));
    }
    writeln!(out, "{tests} operations show no secret; both that leak on purpose do")
}

impl Test {
    /// Welch's |t| of one series of measurements.
    fn t(&mut self, dice: &mut Dice) -> f64 {
        let mut times = Vec::with_capacity(MEASUREMENTS);
        for _ in 0..MEASUREMENTS {
            let class = dice.next() as usize % 2;
            let work = &mut self.classes[class][dice.below(POOL)];
            let start = Instant::now();
            work();
            times.push((start.elapsed().as_nanos() as f64, class));
        }
        let mut sorted: Vec<f64> = times.iter().map(|(time, _)| *time).collect();
        sorted.sort_by(f64::total_cmp);
        let most = sorted[(MEASUREMENTS as f64 * KEPT) as usize];
        times.retain(|(time, _)| *time <= most);
        let of = |class: usize| times.iter().filter(move |time| time.1 == class).map(|time| time.0);
        welch(of(0), of(1))
    }

    fn leaks(&mut self, dice: &mut Dice) -> bool {
        (0..CONFIRMATIONS).all(|_| self.t(dice) > THRESHOLD)
    }
}

/// Welch's |t| of two samples.
fn welch(a: impl Iterator<Item = f64>, b: impl Iterator<Item = f64>) -> f64 {
    let moments = |values: Vec<f64>| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    };
    let ((mean_a, error_a), (mean_b, error_b)) = (moments(a.collect()), moments(b.collect()));
    // Where all times are alike there is nothing to tell.
    ((mean_a - mean_b) / (error_a + error_b).sqrt().max(f64::MIN_POSITIVE)).abs()
}

/// Sealing and opening: one key and message, and many; refusing: a tag that is wrong at its beginning, and one that
/// is wrong at its end. Macs likewise.
fn of_suite(suite: &Algorithm, backend: Backend, dice: &mut Dice) -> Vec<Test> {
    let (nonce, ad) = (dice.bytes(suite.nonce_bytes()), dice.bytes(AD_BYTES));
    let fixed = (dice.bytes(suite.key_bytes()), dice.bytes(MESSAGE_BYTES));
    let mut tests = Vec::new();
    let operations: &[&str] = match suite.family().identity.kind {
        Kind::Mac => &["mac", "refuse"],
        _ => &["seal", "open", "refuse"],
    };
    for operation in operations {
        let classes = [0, 1].map(|class| {
            let work = |_| {
                let (key, message) = match class {
                    1 if *operation != "refuse" => {
                        (dice.bytes(suite.key_bytes()), dice.bytes(MESSAGE_BYTES))
                    }
                    _ => fixed.clone(),
                };
                let wrong = |sealed: &mut Vec<u8>| {
                    let tag = sealed.len() - suite.tag_bytes().min(sealed.len());
                    let at = if class == 0 { tag } else { sealed.len() - 1 };
                    sealed[at] ^= 1;
                };
                let (nonce, ad) = (nonce.clone(), ad.clone());
                if suite.family().identity.kind == Kind::Mac {
                    return on_mac(suite, backend, operation, &key, nonce, message, wrong);
                }
                let aead = aead_on(suite, &key, backend).expect("the length is the algorithm's");
                let mut sealed = aead.seal(&nonce, &ad, &message).expect("it can be sealed");
                if *operation == "refuse" {
                    wrong(&mut sealed);
                }
                match *operation {
                    "seal" => Box::new(move || {
                        black_box(aead.seal(&nonce, &ad, black_box(&message)).is_ok());
                    }) as Work,
                    _ => Box::new(move || {
                        black_box(aead.open(&nonce, &ad, black_box(&sealed)).is_ok());
                    }),
                }
            };
            (0..POOL).map(work).collect()
        });
        tests.push(Test { name: format!("{suite} {operation} on {}", backend.name()), classes });
    }
    tests
}

fn on_mac(
    suite: &Algorithm,
    backend: Backend,
    operation: &str,
    key: &[u8],
    nonce: Vec<u8>,
    message: Vec<u8>,
    wrong: impl Fn(&mut Vec<u8>),
) -> Work {
    let mac = mac_on(suite, key, backend).expect("the length is the algorithm's");
    let mut tag = mac.mac(&nonce, &message).expect("it is not too long");
    if operation == "refuse" {
        wrong(&mut tag);
        return Box::new(move || {
            black_box(mac.verify(&nonce, &message, black_box(&tag)).is_ok());
        });
    }
    Box::new(move || {
        black_box(mac.mac(&nonce, black_box(&message)).is_ok());
    })
}

/// A comparison of tags that ends at the first difference.
fn early_exit(dice: &mut Dice) -> Test {
    let tag = dice.bytes(32);
    let classes = [0, 31].map(|at| {
        let work = |_| {
            let (tag, mut other) = (tag.clone(), tag.clone());
            other[at] ^= 1;
            Box::new(move || {
                let mut pairs = tag.iter().zip(&other);
                black_box(pairs.all(|(x, y)| black_box(x) == y));
            }) as Work
        };
        (0..POOL).map(work).collect()
    });
    Test { name: String::from("a comparison with an early exit"), classes }
}

/// A sum that leaves zeros out.
fn skips_zeros(dice: &mut Dice) -> Test {
    let classes = [true, false].map(|zeros| {
        let work = |_| {
            let secret = if zeros { vec![0; MESSAGE_BYTES] } else { dice.bytes(MESSAGE_BYTES) };
            Box::new(move || {
                let mut sum = 0_u64;
                for byte in &secret {
                    if black_box(*byte) != 0 {
                        sum = black_box(sum.rotate_left(7) ^ u64::from(*byte));
                    }
                }
                black_box(sum);
            }) as Work
        };
        (0..POOL).map(work).collect()
    });
    Test { name: String::from("a branch on the message"), classes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_of_known_samples() {
        // Means 2 and 4, variances 1 and 4: t = 2 ÷ √(1/3 + 4/3).
        let t = welch([1.0, 2.0, 3.0].into_iter(), [2.0, 4.0, 6.0].into_iter());
        assert!((t - 2.0 / (5.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{t}");
        assert_eq!(welch([1.0, 1.0].into_iter(), [1.0, 1.0].into_iter()), 0.0);
    }

    #[test]
    fn every_operation_has_two_classes_and_does_its_work() {
        let mut dice = Dice(3);
        for (name, operations) in [("aes-256-gcm", 3), ("aegis-128l-mac", 2)] {
            let mut tests = of_suite(&name.parse().unwrap(), Backend::detect(), &mut dice);
            assert_eq!(tests.len(), operations);
            for test in &mut tests {
                for class in &mut test.classes {
                    assert_eq!(class.len(), POOL);
                    class.iter_mut().for_each(|work| work());
                }
            }
        }
    }
}
