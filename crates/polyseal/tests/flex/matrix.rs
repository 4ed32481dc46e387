//! Misuse resistance × place of the nonce × permutation: each cell of the table in
//! docs/choosing-flex.md, on every back end as on the portable one, at the edges of lengths.

use std::collections::BTreeSet;

use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::testing::Backend;

use super::{MODES, config, flex, told};
use crate::common::{bytes, soft};

struct Row {
    config: Config,
    overhead: usize,
    commitment: usize,
}

/// The meaning of a line's words, built as its reader would: a configuration for each mode.
fn row(cells: &[&str]) -> Option<[Row; 4]> {
    let &[permutation, nonce, och, civ, robust, robust_ae, overhead, commitment] = cells else {
        return None;
    };
    let profile = Profile::ALL.into_iter().find(|p| p.name() == permutation)?;
    let form = match nonce {
        "hidden" => NonceForm::Hidden(32.min(profile.block_bytes() as u16 - 1)),
        "public" => NonceForm::Public(24),
        other => panic!("no nonce is {other}"),
    };
    let number = |text: &str| text.parse().expect("a number");
    let cell = |(mode, cfg): (Mode, &str)| {
        let builder = Config::builder(mode).profile(profile).nonce(form).allow_64_bits();
        let config = builder.build().expect("a configuration");
        let bytes = hex::decode(cfg).expect("hexadecimal");
        assert_eq!(config.to_bytes()[..], bytes, "{cells:?}");
        Row { config, overhead: number(overhead), commitment: number(commitment) }
    };
    let modes =
        [(Mode::Och, och), (Mode::Civ, civ), (Mode::Robust, robust), (Mode::RobustAe, robust_ae)];
    Some(modes.map(cell))
}

fn rows() -> Vec<Row> {
    let text = include_str!("../../../../docs/choosing-flex.md");
    let cells = |line: &'static str| -> Vec<&str> {
        line.trim_matches('|').split('|').map(str::trim).collect()
    };
    text.lines().filter_map(|line| row(&cells(line))).flatten().collect()
}

#[test]
fn the_table_has_everything_once() {
    let rows = rows();
    let kinds: BTreeSet<_> = rows.iter().map(|row| row.config.to_bytes()).collect();
    assert_eq!((rows.len(), kinds.len()), (64, 4 * 2 * 8));
    for mode in MODES {
        assert_eq!(rows.iter().filter(|row| row.config.mode() == mode).count(), 16);
    }
    for Row { config, overhead, commitment } in rows {
        assert_eq!(config.overhead_bytes(), overhead, "{config:?}");
        assert_eq!(4 * config.tag_bytes(), commitment, "{config:?}");
    }
}

/// Where a mode does something else, the nonce counted in: short messages, every length of a tail,
/// around two blocks, and around the groups that back ends take at once.
fn edges(config: &Config) -> Vec<usize> {
    let profile = config.profile();
    let (b, hidden) = (profile.block_bytes(), config.hidden_bytes());
    let mut edges: BTreeSet<_> = (0..4).chain(b - 3..2 * b + 2).collect();
    edges.extend([b / 2, 3 * b - 1, 3 * b]);
    for blocks in [4, 8, 16, 32] {
        // The first block is not of the groups.
        for blocks in [blocks - 1, blocks, blocks + 1, blocks + 2] {
            edges.extend([blocks * b, blocks * b + blocks % (b - 1) + 1]);
        }
    }
    if config.mode() == Mode::Och {
        // One stretch of groups and two, and what comes after them.
        edges.extend([(64 * 16 + 18) * b, (128 * 16 + 18) * b + 5]);
    }
    if matches!(config.mode(), Mode::Robust | Mode::RobustAe) {
        edges.extend([128 * b, 129 * b, 129 * b + 1, 130 * b, 131 * b + 5, 258 * b + 31]);
    }
    edges.insert(hidden);
    edges.into_iter().filter_map(|bytes| bytes.checked_sub(hidden)).collect()
}

fn agrees(config: Config) {
    let on = |backend| (Backend::name(backend), flex(backend, config));
    let fast: Vec<_> = Backend::available().map(on).filter(|(name, _)| *name != "soft").collect();
    let portable = flex(soft(), config);
    let nonce = bytes(2, *config.nonce_range().start());
    let opens = |flex: &Flex, ad: &[u8], sealed: &[u8], message: &[u8], name: &str| {
        let opened = flex.open(told(&config, &nonce), ad, sealed).expect(name);
        assert!(*opened.message == message && opened.nonce == nonce, "{name}");
    };
    for length in edges(&config) {
        let (ad, message) = (bytes(3, length % 40), bytes(4, length));
        let name = format!("{config:?}, {length} bytes");
        let sealed = portable.seal(&nonce, &ad, &message).expect(&name);
        assert_eq!(sealed.len(), length + config.overhead_bytes(), "{name}");
        opens(&portable, &ad, &sealed, &message, &name);
        for (backend, flex) in &fast {
            let name = format!("{name} on {backend}");
            assert!(flex.seal(&nonce, &ad, &message).as_ref() == Ok(&sealed), "{name}");
            opens(flex, &ad, &sealed, &message, &name);
        }
    }
}

fn rows_of(mode: Mode) -> impl Iterator<Item = Config> {
    rows().into_iter().map(|row| row.config).filter(move |config| config.mode() == mode)
}

#[test]
fn och_is_one_function_on_every_back_end() {
    rows_of(Mode::Och).for_each(agrees);
}

#[test]
fn civ_is_one_function_on_every_back_end() {
    rows_of(Mode::Civ).for_each(agrees);
}

#[test]
fn robust_is_one_function_on_every_back_end() {
    rows_of(Mode::Robust).for_each(agrees);
}

#[test]
fn robust_ae_is_one_function_on_every_back_end() {
    rows_of(Mode::RobustAe).for_each(agrees);
}

/// Long enough for every step between groups that is kept, and the first that is not, on the widest
/// vectors. (`flex::tests` in the library has the portable back end's.)
#[test]
fn far_blocks_have_the_same_masks() {
    let message = bytes(5, (16 << 12) * 64 + 20 * 64 + 5);
    for mode in MODES {
        let config = config(mode, Profile::S512, NonceForm::Public(24));
        let seal = |backend| {
            let flex = flex(backend, config);
            let sealed = flex.seal(&[7; 24], b"", &message).expect("sealing");
            assert!(*flex.open(&[7; 24], b"", &sealed).expect("opening").message == message[..]);
            sealed
        };
        let wide: Vec<_> = Backend::available().filter(|b| b.name() != "soft").collect();
        let sealed: Vec<_> = wide.iter().map(|&backend| seal(backend)).collect();
        assert!(sealed.windows(2).all(|two| two[0] == two[1]), "{mode:?}");
    }
}
