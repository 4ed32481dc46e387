//! The table is whole, the predicates are the registry's claims, and the order is the measured one.

use super::{CpuClass, Need, fastest};
use crate::backend::Backend;
use crate::error::Error;
use crate::family::{CLAIMLESS, Claims, FamilyLimits, FamilySizes};
use crate::registry::{
    Algorithm, Commitment, Family, Kind, Level, Misuse, Sizes, families, family,
};

use Need::{
    Committing, Fips, Key256, MisuseResistant, NonceHiding, Online, Parallel, RandomNonces, Tag256,
};

fn algorithm(text: &str) -> Algorithm {
    text.parse().expect(text)
}

/// The choice from all algorithms.
fn chosen(machine: CpuClass, needs: &[Need]) -> Option<Algorithm> {
    fastest(machine, needs, |_| true)
}

#[test]
fn the_table_is_whole() {
    for (i, &need) in Need::ALL.iter().enumerate() {
        assert_eq!(need as usize, i, "one is missing");
        assert_eq!(need.name().parse(), Ok(need));
        assert!(need.name().chars().all(|c| c == '-' || c.is_ascii_digit() || c.is_lowercase()));
        assert!(!need.description().is_empty() && !need.description().contains('\n'));
        let same = Need::ALL.iter().filter(|other| other.name() == need.name());
        assert_eq!(same.count(), 1, "{need}");
    }
    assert_eq!("length-preserving".parse::<Need>(), Err(Error::LengthPreserving));
    for text in ["", "Committing", "committing ", "key", "key-128"] {
        assert_eq!(text.parse::<Need>(), Err(Error::UnknownNeed), "{text:?}");
    }
}

#[test]
fn aegis_meets_what_it_claims_and_no_more() {
    for (text, met) in [
        ("aegis-128l", &[Online][..]),
        ("aegis-128l:tag=32", &[Online, Tag256]),
        ("aegis-128x2", &[Parallel, Online]),
        ("aegis-128x4:tag=32", &[Parallel, Online, Tag256]),
        ("aegis-256", &[Online, RandomNonces, Key256]),
        ("aegis-256x2", &[Parallel, Online, RandomNonces, Key256]),
        ("aegis-256x4:tag=32", &[Parallel, Online, RandomNonces, Key256, Tag256]),
        ("aegis-128l-mac", &[Online, MisuseResistant, RandomNonces]),
    ] {
        let a = algorithm(text);
        for &need in Need::ALL {
            assert_eq!(need.met_by(&a), met.contains(&need), "{text}: {need}");
        }
    }
}

#[test]
fn gcm_and_what_is_built_on_it_meet_what_they_claim_and_no_more() {
    for (text, met) in [
        ("aes-128-gcm", &[Parallel, Online, Fips][..]),
        ("aes-256-gcm", &[Parallel, Online, Fips, Key256]),
        ("aes-256-gcm:nonce=512", &[Parallel, Online, Fips, Key256]),
        ("xaes-256-gcm", &[Parallel, Online, Fips, Key256, RandomNonces]),
        ("kc-xaes-256-gcm", &[Parallel, Online, Fips, Key256, RandomNonces, Tag256, Committing]),
        ("h-kc-aes-256-gcm", &[Parallel, Online, Fips, Key256, RandomNonces, Tag256, Committing]),
        (
            "hkdf-committed-aes-256-gcm",
            &[Parallel, Online, Key256, RandomNonces, Tag256, Committing],
        ),
        (
            "kc-xaes-256-gcm:nonce=20",
            &[Parallel, Online, Fips, Key256, RandomNonces, Tag256, Committing],
        ),
        ("dndk-gcm", &[Parallel, Online, Key256, RandomNonces]),
        // A shorter nonce has not what the default has.
        ("dndk-gcm:nonce=20", &[Parallel, Online, Key256, RandomNonces]),
        ("dndk-gcm:nonce=19", &[Parallel, Online, Key256]),
        ("dndk-gcm:nonce=12", &[Parallel, Online, Key256]),
        // FOR-KC is less than what committing asks for, and random nonces repeat its commitment.
        ("dndk-gcm:kc=1", &[Parallel, Online, Key256, Tag256]),
        ("padding-fix-aes-256-gcm", &[Parallel, Online, Fips, Key256, Tag256, Committing]),
        (
            "padding-fix-xaes-256-gcm",
            &[Parallel, Online, Fips, Key256, RandomNonces, Tag256, Committing],
        ),
        // FOR-KC again.
        ("kc-c3-xaes-256-gcm", &[Parallel, Online, Fips, Key256, Tag256]),
        (
            "f-com-h-aes-256-gcm",
            &[Parallel, Online, Fips, Key256, RandomNonces, Tag256, Committing],
        ),
        ("f-com-dndk-gcm", &[Parallel, Online, Key256, RandomNonces, Tag256, Committing]),
        ("ctx-aes-256-gcm", &[Parallel, Online, Key256, Tag256, Committing]),
        ("ctx-aegis-128l", &[Online, Tag256, Committing]),
    ] {
        let a = algorithm(text);
        for &need in Need::ALL {
            assert_eq!(need.met_by(&a), met.contains(&need), "{text}: {need}");
        }
    }
}

#[test]
fn flex_and_och_meet_what_they_claim_and_no_more() {
    let both = [Committing, Parallel, Key256];
    for (text, more) in [
        ("flex-och", &[NonceHiding, Online, RandomNonces, Tag256][..]),
        ("flex-och-public", &[Online, RandomNonces, Tag256]),
        ("flex-och-transport", &[Online]),
        ("flex-civ", &[NonceHiding, MisuseResistant, RandomNonces, Tag256]),
        ("flex-civ-public", &[MisuseResistant, RandomNonces, Tag256]),
        ("flex-civ-public:nonce=0", &[MisuseResistant, Tag256]),
        ("flex-civ-public:nonce=19", &[MisuseResistant, Tag256]),
        ("flex-robust", &[MisuseResistant, RandomNonces, Tag256]),
        ("flex-robust-ae", &[MisuseResistant, RandomNonces, Tag256]),
        ("flex-och-stream", &[Online, RandomNonces, Tag256]),
        // Under a repeated nonce its segments can be exchanged.
        ("flex-civ-stream", &[Online, RandomNonces, Tag256]),
        // A row for all says what holds for all.
        ("flex", &[RandomNonces, Tag256]),
        ("flex:cfg=02000110ffff0000", &[]),
        // A nonce is no tag.
        ("flex:cfg=0101011020000000", &[]),
        ("och-areion-p", &[Online, RandomNonces, Tag256]),
        ("och-areion-s", &[NonceHiding, Online, RandomNonces, Tag256]),
    ] {
        let a = algorithm(text);
        for &need in Need::ALL {
            let met = both.contains(&need) || more.contains(&need);
            assert_eq!(need.met_by(&a), met, "{text}: {need}");
        }
    }
}

/// An unreviewed algorithm is taken only where nothing else will do, however fast it is.
#[test]
fn what_is_reviewed_comes_first() {
    for &machine in CpuClass::ALL {
        // Where there are no AES instructions, these are within a few per cent of each other.
        let resistant = match machine {
            CpuClass::Ssse3 => "flex-robust",
            _ => "flex-civ",
        };
        for (needs, expected) in [
            (&[NonceHiding][..], "flex-och"),
            (&[NonceHiding, Online, RandomNonces], "flex-och"),
            (&[MisuseResistant], resistant),
            (&[MisuseResistant, Committing], resistant),
            (&[MisuseResistant, NonceHiding], "flex-civ"),
            (&[Committing], "kc-xaes-256-gcm"),
        ] {
            assert_eq!(chosen(machine, needs), Some(algorithm(expected)), "{machine:?} {needs:?}");
        }
        assert_eq!(chosen(machine, &[MisuseResistant, Online]), None);
        assert_eq!(chosen(machine, &[NonceHiding, Fips]), None);
    }
    let new = |f: &Family| {
        let id = f.identity.id;
        id.starts_with("flex") || id.starts_with("och") || id == "omd-blake2b"
    };
    assert!(families().iter().all(|f| f.claims.reviewed != new(f)));
}

/// Claims that no row of the registry makes yet.
#[test]
fn what_others_claim_is_seen() {
    const fn commits(level: Level, bits: u32) -> [Commitment; 1] {
        [Commitment { level, tag_bytes: 16, bits, condition: "" }]
    }
    static ROWS: [(Family, &[Need]); 16] = [
        (Family { ..CLAIMLESS }, &[]),
        (
            Family {
                claims: Claims { commitment: &commits(Level::None, 128), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::KeyFixedAd, 128), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::ForKc, 128), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::Cmt1, 63), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::Cmt1, 64), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[Committing],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::Cmt2, 128), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[Committing],
        ),
        (
            Family {
                claims: Claims { commitment: &commits(Level::Cmt4, 128), ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[Committing],
        ),
        (
            Family {
                claims: Claims { misuse: Misuse::Resistant, ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[MisuseResistant],
        ),
        (
            Family {
                claims: Claims { misuse: Misuse::NotNeeded, ..CLAIMLESS.claims },
                ..CLAIMLESS
            },
            &[MisuseResistant],
        ),
        (
            Family { claims: Claims { nonce_hiding: true, ..CLAIMLESS.claims }, ..CLAIMLESS },
            &[NonceHiding],
        ),
        (Family { claims: Claims { fips: true, ..CLAIMLESS.claims }, ..CLAIMLESS }, &[Fips]),
        (
            Family { claims: Claims { parallel: true, ..CLAIMLESS.claims }, ..CLAIMLESS },
            &[Parallel],
        ),
        (Family { claims: Claims { online: true, ..CLAIMLESS.claims }, ..CLAIMLESS }, &[Online]),
        (
            Family {
                sizes: FamilySizes { nonce_bytes: Sizes::one(20), ..CLAIMLESS.sizes },
                limits: FamilyLimits { random_nonce_messages_log2: Some(64), ..CLAIMLESS.limits },
                ..CLAIMLESS
            },
            &[RandomNonces],
        ),
        // Twelve bytes are too few, whatever a row says.
        (
            Family {
                limits: FamilyLimits { random_nonce_messages_log2: Some(64), ..CLAIMLESS.limits },
                ..CLAIMLESS
            },
            &[],
        ),
    ];
    for (i, (family, claimed)) in ROWS.iter().enumerate() {
        let short_key = Algorithm::new(family).with("key", 16).expect("such a key");
        for &need in Need::ALL {
            assert_eq!(need.met_by(&short_key), claimed.contains(&need), "{i}: {need}");
        }
    }

    // The default comes first, then the shortest that will do.
    let family = &ROWS[0].0;
    let lengths = |a: Algorithm| (a.key_bytes(), a.tag_bytes());
    let tags = [3, 4, 12, 16, 32];
    let short = tags.map(|tag| (16, tag));
    let long = tags.map(|tag| (32, tag));
    let expected = [(32, 16)].into_iter().chain(short).chain(long);
    assert!(Algorithm::instances(family).map(lengths).eq(expected));
}

#[test]
fn the_order_is_the_measured_one() {
    for (machine, order) in [
        (CpuClass::Vaes512, ["128x4", "128x2", "256x4", "256x2", "128l", "256"]),
        (CpuClass::Vaes256, ["128x2", "128x4", "256x4", "256x2", "128l", "256"]),
        (CpuClass::AesNi, ["128l", "128x2", "256x2", "256", "256x4", "128x4"]),
        (CpuClass::Neon, ["128l", "128x2", "256x2", "256", "256x4", "128x4"]),
        (CpuClass::Soft, ["128l", "128x2", "128x4", "256", "256x2", "256x4"]),
    ] {
        for (i, expected) in order.iter().enumerate() {
            let rest = |id: &str| order[i..].iter().any(|o| id.strip_prefix("aegis-") == Some(o));
            let best = fastest(machine, &[], |f| rest(f.identity.id)).expect("one is left");
            let name = best.family().identity.id.strip_prefix("aegis-");
            assert_eq!(name, Some(*expected), "{} {i}", machine.name());
        }
    }
}

#[test]
fn needs_narrow_the_choice() {
    for (machine, needs, expected) in [
        (CpuClass::Vaes512, &[][..], "aegis-128x4"),
        (CpuClass::Vaes512, &[Tag256], "aegis-128x4:tag=32"),
        (CpuClass::Vaes512, &[Key256], "aegis-256x4"),
        (CpuClass::Vaes256, &[Parallel], "aegis-128x2"),
        (CpuClass::Vaes256, &[RandomNonces, Online], "aegis-256x4"),
        (CpuClass::AesNi, &[Parallel], "aegis-128x2"),
        (CpuClass::AesNi, &[Online, Online], "aegis-128l"),
        (CpuClass::Soft, &[Key256, Tag256], "aegis-256:tag=32"),
        (CpuClass::Vaes512, &[Committing], "kc-xaes-256-gcm"),
        (CpuClass::Soft, &[Committing, RandomNonces, Online], "kc-xaes-256-gcm"),
        (CpuClass::AesNi, &[Fips], "aes-128-gcm"),
        (CpuClass::Vaes256, &[Fips, Key256], "aes-256-gcm"),
        (CpuClass::Neon, &[Fips, RandomNonces], "xaes-256-gcm"),
        (CpuClass::Vaes512, &[Fips, Committing], "kc-xaes-256-gcm"),
    ] {
        assert_eq!(chosen(machine, needs), Some(algorithm(expected)), "{machine:?} {needs:?}");
    }
    for &machine in CpuClass::ALL {
        for need in [Committing, Fips, MisuseResistant, NonceHiding] {
            let aegis = fastest(machine, &[need], |f| f.identity.id.starts_with("aegis-"));
            assert_eq!(aegis, None, "no AEGIS is {need}");
        }
        assert_eq!(fastest(machine, &[], |_| false), None);
    }
}

#[test]
fn only_aeads_for_new_data_are_chosen() {
    for f in families() {
        let found = fastest(CpuClass::Soft, &[], |other| other.identity.id == f.identity.id);
        assert_eq!(found, f.cost.map(|_| Algorithm::new(f)), "{}", f.identity.id);
        let old = f.identity.kind == Kind::Mac || f.identity.id.ends_with("-v1");
        let whole = f.identity.id == "flex" || Algorithm::new(f).is_whole();
        // Algorithms for those who already use them, and to compare with.
        let compared = [
            "dndk",
            "h-",
            "hkdf",
            "padding",
            "kc-c3",
            "f-com",
            "ctx",
            "omd",
            "aes-256-gcm-siv",
            "flex-robust-ae",
            "och",
        ]
        .iter()
        .any(|p| f.identity.id.starts_with(p));
        assert_eq!(f.cost.is_some(), !old && !compared && !whole, "{}", f.identity.id);
    }
}

#[test]
fn no_cost_is_missing() {
    for cost in families().iter().filter_map(|f| f.cost.as_ref()) {
        assert!(CpuClass::ALL.iter().all(|machine| machine.millicycles(cost) > 0), "{cost:?}");
    }
    assert!(family("aegis-128l").is_some_and(|f| f.cost.is_some()));
}

#[test]
fn this_machine_is_the_back_end_that_runs() {
    assert_eq!(CpuClass::here().name(), Backend::detect().name());
}

/// The same claim stands in two places of a row.
#[test]
fn what_is_listed_as_parallel_is_parallel() {
    for f in families() {
        assert_eq!(
            f.claims.properties.contains(&"parallelizable"),
            f.claims.parallel,
            "{}",
            f.identity.id
        );
    }
}
