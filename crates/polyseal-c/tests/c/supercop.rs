//! The implementations of `contrib/supercop`, compiled as SUPERCOP compiles them.

use std::fs;
use std::path::{Path, PathBuf};

use polyseal::flex::Config;
use polyseal::registry::Algorithm;
use polyseal_c::algorithms::{Row, rows};

use super::compiler::folder;

/// A primitive of SUPERCOP.
pub(crate) struct Primitive {
    pub(crate) name: String,
    /// Where its checksums are.
    pub(crate) folder: PathBuf,
    /// Where its implementations are: `ref` and `opt`.
    implementations: PathBuf,
    /// The algorithm that it is.
    pub(crate) algorithm: &'static Row,
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

impl Primitive {
    /// Every one that there is, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        let place = folder().join("../../contrib/supercop/crypto_aead");
        let mut all: Vec<Self> = fs::read_dir(place)
            .expect("the primitives")
            .map(|entry| Self::new(entry.expect("an entry").path()))
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn new(folder: PathBuf) -> Self {
        let name = folder.file_name().expect("a name").to_str().expect("a name").to_owned();
        // Where SUPERCOP has implementations already, ours have a folder of their own.
        let ours = folder.join("polyseal");
        let implementations = if ours.exists() { ours } else { folder.clone() };
        let api = read(&implementations.join("opt/api.h"));
        let algorithm = rows()
            .find(|row| api.ends_with(&format!(" polyseal_{}_##function\n", row.c)))
            .unwrap_or_else(|| panic!("{name} is no algorithm of the library"));
        Self { name, folder, implementations, algorithm }
    }

    pub(crate) fn opt(&self) -> PathBuf {
        self.implementations.join("opt")
    }

    /// The expected `api.h`, for functions that begin so.
    fn api(&self, prefix: &str) -> String {
        let [key, nonce, tag] = self.algorithm.sizes;
        format!(
            "#define CRYPTO_KEYBYTES {key}\n#define CRYPTO_NSECBYTES 0\n\
             #define CRYPTO_NPUBBYTES {nonce}\n#define CRYPTO_ABYTES {tag}\n\
             #define CRYPTO_NOOVERLAP 1\n#define POLYSEAL(function) {prefix}{}_##function\n",
            self.algorithm.c
        )
    }

    /// The two implementations differ in the library's functions, and in nothing else.
    pub(crate) fn check_files(&self) {
        for (kind, prefix) in [("ref", "polyseal_portable_"), ("opt", "polyseal_")] {
            let place = self.implementations.join(kind);
            assert_eq!(read(&place.join("api.h")), self.api(prefix), "{}, {kind}", self.name);
            let shared = folder().join("../../contrib/supercop");
            for file in ["encrypt.c", "implementors"] {
                let [ours, all] = [&place, &shared].map(|of| read(&of.join(file)));
                assert_eq!(ours, all, "{}, {kind}: {file}", self.name);
            }
        }
    }

    /// The header that SUPERCOP makes of `api.h`, without the name of the implementation.
    pub(crate) fn header(&self) -> String {
        let sizes = self.api("polyseal_").replace(" CRYPTO_", " crypto_aead_");
        sizes + &read(&folder().join("tests/c/supercop.h"))
    }

    /// The lines of [`flat::vectors`](super::flat::vectors) that are of this algorithm and its
    /// sizes.
    pub(crate) fn answers<'a>(&self, vectors: &'a str) -> Vec<&'a str> {
        let own: Algorithm = self.algorithm.name.parse().expect("a name");
        let [key, nonce, _] = self.algorithm.sizes;
        let is_wide = |line: &&str| line.starts_with("wide ");
        let lines = vectors.lines().filter(|line| !is_wide(line)).filter(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let name: Algorithm = fields[1].parse().expect("a name");
            // Configurations of Flex have names, and vectors have configurations.
            let same = match Config::from_algorithm(&own) {
                Some(config) => Config::from_algorithm(&name) == Some(config),
                None => name == own,
            };
            same && fields[4] == "-" && fields[3].len() == 2 * key && fields[5].len() == 2 * nonce
        });
        lines.collect()
    }

    /// Its `checksumsmall` or `checksumbig`.
    pub(crate) fn checksum(&self, size: &str) -> String {
        read(&self.folder.join(format!("checksum{size}")))
    }
}
