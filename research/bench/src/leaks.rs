//! Whether the time of an operation tells what is secret.
//!
//! Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (DATE 2017). Inputs of
//! two classes are taken in random order, each is timed alone, and Welch's t-test says whether the
//! classes have one mean: |t| above `THRESHOLD` says that they have not. It finds only what this
//! CPU shows, with these inputs; but it runs where Valgrind, which follows every secret through the
//! code, knows no instructions: on AVX-512.
//!
//! A run also tests two operations that leak on purpose, and fails if it does not notice: it could
//! not fail else.

use core::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::{Backend, aead_on, mac_on};

use crate::dice::Dice;
use crate::options::{Options, parse_backend, parse_suite};

/// Above it, two classes differ. By chance alone, one test in 600,000 does.
const THRESHOLD: f64 = 4.8;
/// A finding counts if it comes as often in a row, with the inputs in other memory each time:
/// another program may disturb one class, and some places in memory are slower than others.
const CONFIRMATIONS: usize = 4;
/// Timed operations of one test.
const MEASUREMENTS: usize = 20_000;
/// Slower ones are left out: interrupts, and other programs.
const KEPT: f64 = 0.9;
/// Inputs of each class.
const POOL: usize = 32;
/// Partial blocks everywhere, and more than one update of the widest algorithm.
const MESSAGE_BYTES: usize = 300;
const AD_BYTES: usize = 21;

/// The tests to run. An empty list means all.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Algorithms of the registry, as `id[:name=value,…]`
    #[arg(short, long = "suite", value_name = "SUITE", value_parser = parse_suite, num_args = 1..)]
    suites: Vec<Algorithm>,

    /// Back ends, as far as this CPU has them
    #[arg(long = "backend", value_name = "BACKEND", value_parser = parse_backend,
          value_delimiter = ',')]
    backends: Vec<Backend>,
}

/// The input of a timed operation.
#[derive(Clone)]
struct Input {
    key: Vec<u8>,
    /// A message, a sealed message or a tag.
    text: Vec<u8>,
}

/// Takes an input and returns the nanoseconds of the operation alone. Inputs of both classes go the
/// same way through the same memory: where something lies in memory must not tell the classes
/// apart.
type Work<'a> = Box<dyn FnMut(&Input) -> f64 + 'a>;

/// Two classes of inputs that nobody may tell apart by the time.
struct Test<'a> {
    name: String,
    classes: [Vec<Input>; 2],
    work: Work<'a>,
}

/// Tests what is selected, and writes what leaks to `out`.
///
/// # Errors
/// As `out` has them; and if something leaks, or what leaks on purpose is not noticed.
pub fn run(selection: Selection, out: &mut dyn Write) -> io::Result<()> {
    let Selection { suites, backends } = selection;
    let options = Options { suites, backends, ..Options::default() };
    for control in [early_exit, skips_zeros] {
        if let Err((name, _)) = leaks(|| control(&mut Dice(1))) {
            return Err(io::Error::other(format!("{name} was not noticed")));
        }
    }
    let (mut tests, mut found) = (0, 0);
    for backend in options.backends() {
        let mut largest = (0.0_f64, String::new());
        for suite in options.suites() {
            for number in 0..suite_tests(&suite, backend, &mut Dice(1)).len() {
                tests += 1;
                match leaks(|| suite_tests(&suite, backend, &mut Dice(1)).swap_remove(number)) {
                    Ok((name, t)) => {
                        found += 1;
                        writeln!(out, "{name} leaks: |t| = {t:.1}")?;
                    }
                    Err((name, t)) if t > largest.0 => largest = (t, name),
                    Err(_) => {}
                }
            }
        }
        let (t, name) = largest;
        writeln!(out, "{}: |t| is at most {t:.1} ({name})", backend.name())?;
        out.flush()?;
    }
    if found > 0 {
        return Err(io::Error::other(format!("{found} of {tests} operations leak")));
    }
    writeln!(out, "{tests} operations show no secret; both that leak on purpose do")
}

impl Test<'_> {
    /// Welch's |t| of one series of measurements.
    fn t(&mut self, dice: &mut Dice) -> f64 {
        let mut times = Vec::with_capacity(MEASUREMENTS);
        for _ in 0..MEASUREMENTS {
            let class = dice.next() as usize % 2;
            times.push(((self.work)(&self.classes[class][dice.below(POOL)]), class));
        }
        let mut sorted: Vec<f64> = times.iter().map(|(time, _)| *time).collect();
        sorted.sort_by(f64::total_cmp);
        let most = sorted[(MEASUREMENTS as f64 * KEPT) as usize];
        times.retain(|(time, _)| *time <= most);
        let of = |class: usize| times.iter().filter(move |time| time.1 == class).map(|time| time.0);
        welch(of(0), of(1))
    }
}

/// Whether a test finds a leak each time: its name, and the |t| that decided.
fn leaks<'a>(make: impl Fn() -> Test<'a>) -> Result<(String, f64), (String, f64)> {
    // All are kept, so that each has other memory.
    let mut tests: Vec<Test<'a>> = Vec::new();
    let mut dice = Dice(2);
    loop {
        let mut test = make();
        let found = (test.name.clone(), test.t(&mut dice));
        tests.push(test);
        if found.1 <= THRESHOLD {
            return Err(found);
        }
        if tests.len() == CONFIRMATIONS {
            return Ok(found);
        }
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

/// How long `operation` takes, in nanoseconds.
fn time<T>(operation: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(operation());
    start.elapsed().as_nanos() as f64
}

/// `POOL` inputs of each class.
fn classes(mut input: impl FnMut(usize) -> Input) -> [Vec<Input>; 2] {
    // In turn, so that no class has a part of memory of its own.
    (0..POOL).map(|_| (input(0), input(1))).unzip().into()
}

/// Sealing and opening: one key and message, and many; refusing: a tag that is wrong at its
/// beginning, and one that is wrong at its end. MACs likewise.
fn suite_tests<'a>(suite: &'a Algorithm, backend: Backend, dice: &mut Dice) -> Vec<Test<'a>> {
    let is_mac = suite.family().identity.kind == Kind::Mac;
    let (nonce, ad) = (dice.bytes(suite.nonce_bytes()), dice.bytes(AD_BYTES));
    let of_key = move |key: &[u8]| aead_on(suite, key, backend).expect("the length is right");
    let of_mac = move |key: &[u8]| mac_on(suite, key, backend).expect("the length is right");
    let test = |operation: &str, classes, work| Test {
        name: format!("{suite} {operation} on {}", backend.name()),
        classes,
        work,
    };
    let mut random = || (dice.bytes(suite.key_bytes()), dice.bytes(MESSAGE_BYTES));
    let fixed = random();
    let mut either = |class| if class == 0 { fixed.clone() } else { random() };
    let messages = classes(|class| {
        let (key, text) = either(class);
        Input { key, text }
    });
    // A sealed message with a bit of its tag inverted.
    let wrong = |mut sealed: Vec<u8>| {
        classes(|class| {
            let tag = sealed.len() - suite.tag_bytes().min(sealed.len());
            let at = if class == 0 { tag } else { sealed.len() - 1 };
            sealed[at] ^= 1;
            let text = sealed.clone();
            sealed[at] ^= 1;
            Input { key: fixed.0.clone(), text }
        })
    };
    if is_mac {
        let tag = of_mac(&fixed.0).mac(&nonce, &fixed.1).expect("it is not too long");
        let (refused, message, nonce_again) = (wrong(tag), fixed.1.clone(), nonce.clone());
        return vec![
            test(
                "mac",
                messages,
                on_copies(move |key| {
                    let (mac, nonce) = (of_mac(key), nonce.clone());
                    move |text: &[u8]| mac.mac(&nonce, text).is_ok()
                }),
            ),
            test(
                "refuse",
                refused,
                on_copies(move |key| {
                    let (mac, nonce, message) = (of_mac(key), nonce_again.clone(), message.clone());
                    move |text: &[u8]| mac.verify(&nonce, &message, text).is_ok()
                }),
            ),
        ];
    }
    let seal = |key: &[u8], text: &[u8]| of_key(key).seal(&nonce, &ad, text).expect("it can be");
    let refused = wrong(seal(&fixed.0, &fixed.1));
    let sealed = messages.clone().map(|class| {
        class.into_iter().map(|i| Input { text: seal(&i.key, &i.text), key: i.key }).collect()
    });
    let opening = |nonce: Vec<u8>, ad: Vec<u8>| {
        on_copies(move |key| {
            let (aead, nonce, ad) = (of_key(key), nonce.clone(), ad.clone());
            move |text: &[u8]| aead.open(&nonce, &ad, text).is_ok()
        })
    };
    let (open, refuse) = (opening(nonce.clone(), ad.clone()), opening(nonce.clone(), ad.clone()));
    vec![
        test(
            "seal",
            messages,
            on_copies(move |key| {
                let (aead, nonce, ad) = (of_key(key), nonce.clone(), ad.clone());
                move |text: &[u8]| aead.seal(&nonce, &ad, text).is_ok()
            }),
        ),
        test("open", sealed, open),
        test("refuse", refused, refuse),
    ]
}

/// Makes an operation of the key, copies the text, and times the operation on the copy.
fn on_copies<'a, O: Fn(&[u8]) -> bool>(make: impl Fn(&[u8]) -> O + 'a) -> Work<'a> {
    let mut text = Vec::new();
    Box::new(move |input| {
        let operation = make(&input.key);
        text.clear();
        text.extend_from_slice(&input.text);
        time(|| operation(black_box(&text)))
    })
}

/// A comparison of tags that ends at the first difference.
fn early_exit(dice: &mut Dice) -> Test<'static> {
    let tag = dice.bytes(32);
    let classes = classes(|class| {
        let mut text = tag.clone();
        text[31 * class] ^= 1;
        Input { key: Vec::new(), text }
    });
    let work = on_copies(move |_| {
        let tag = tag.clone();
        move |text: &[u8]| tag.iter().zip(text).all(|(x, y)| black_box(x) == y)
    });
    Test { name: String::from("a comparison with an early exit"), classes, work }
}

/// A sum that leaves zeros out.
fn skips_zeros(dice: &mut Dice) -> Test<'static> {
    let classes = classes(|class| {
        let text = if class == 0 { vec![0; MESSAGE_BYTES] } else { dice.bytes(MESSAGE_BYTES) };
        Input { key: Vec::new(), text }
    });
    let work = on_copies(|_| {
        |text: &[u8]| {
            let mut sum = 0_u64;
            for byte in text {
                if black_box(*byte) != 0 {
                    sum = black_box(sum.rotate_left(7) ^ u64::from(*byte));
                }
            }
            sum == 0
        }
    });
    Test { name: String::from("a branch on the message"), classes, work }
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
            let suite = name.parse().unwrap();
            let mut tests = suite_tests(&suite, Backend::detect(), &mut dice);
            assert_eq!(tests.len(), operations);
            for test in &mut tests {
                for class in &test.classes {
                    assert_eq!(class.len(), POOL);
                    assert!(class.iter().all(|input| (test.work)(input) > 0.0));
                }
            }
        }
    }
}
