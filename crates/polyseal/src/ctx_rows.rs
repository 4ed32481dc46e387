//! Rows of the registry that compose two families: transforms of one over the AEADs of others.

#[cfg(feature = "aegis")]
use crate::aegis::{Aegis, X128, X256, names::FAMILIES as AEGIS};
use crate::family::{
    Claims, Commitment, Family, FamilySizes, Identity, Level, Maker, Specification, maker,
};
#[cfg(feature = "gcm")]
use crate::gcm::{Aes256Gcm, names::FAMILIES as GCM};
use crate::sizes::Sizes;

/// CTX commits to everything, whatever the AEAD is.
const CTX: &[Commitment] = &[Commitment {
    level: Level::Cmt4,
    tag_bytes: 32,
    bits: 128,
    condition: "as far as SHA-256 resists collisions, between keys of one length",
}];

/// CTX over `inner`. It leaves encryption as it is, with its limits; and anyone who forges its tag
/// has forged the inner one, or found another message that has the same.
const fn ctx(id: &'static str, name: &'static str, inner: &Family, maker: Maker) -> Family {
    Family {
        identity: Identity {
            id,
            name,
            purpose: "commits to key, nonce, AD, message",
            specification: Specification {
                title: "J. Chan, P. Rogaway, On Committing Authenticated Encryption \
                        (eprint 2022/1260)",
                section: "CTX, with HMAC-SHA256",
            },
            ..inner.identity
        },
        sizes: FamilySizes {
            tag_bytes: Sizes::one(32),
            nonce_bytes: Sizes::one(inner.sizes.nonce_bytes.default),
            ..inner.sizes
        },
        claims: Claims {
            commitment: CTX,
            fips: false,
            properties: if inner.claims.parallel {
                &["full-commitment", "inverse-free", "parallelizable", "streamable"]
            } else {
                &["full-commitment", "inverse-free", "streamable"]
            },
            ..inner.claims
        },
        cost: None,
        maker,
        ..*inner
    }
}

/// The rows, in the order in which tables show them.
pub(crate) const FAMILIES: &[Family] = &[
    #[cfg(feature = "gcm")]
    ctx("ctx-aes-256-gcm", "CTX over AES-256-GCM", &GCM[1], maker!(Aead: makers::ctx::<Aes256Gcm>)),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-128l",
        "CTX over AEGIS-128L",
        &AEGIS[0],
        maker!(Aead: makers::ctx::<Aegis<X128<1>>>),
    ),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-128x2",
        "CTX over AEGIS-128X2",
        &AEGIS[1],
        maker!(Aead: makers::ctx::<Aegis<X128<2>>>),
    ),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-128x4",
        "CTX over AEGIS-128X4",
        &AEGIS[2],
        maker!(Aead: makers::ctx::<Aegis<X128<4>>>),
    ),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-256",
        "CTX over AEGIS-256",
        &AEGIS[3],
        maker!(Aead: makers::ctx::<Aegis<X256<1>>>),
    ),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-256x2",
        "CTX over AEGIS-256X2",
        &AEGIS[4],
        maker!(Aead: makers::ctx::<Aegis<X256<2>>>),
    ),
    #[cfg(feature = "aegis")]
    ctx(
        "ctx-aegis-256x4",
        "CTX over AEGIS-256X4",
        &AEGIS[5],
        maker!(Aead: makers::ctx::<Aegis<X256<4>>>),
    ),
];

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use crate::backend::Backend;
    use crate::commit::{Ctx, InnerAead};
    use crate::contract::dynamic::{BoxedAead, boxed};
    use crate::family::Algorithm;

    pub(super) fn ctx<A: InnerAead + Send + Sync + 'static>(
        _: &Algorithm,
        key: &[u8],
        backend: Backend,
    ) -> BoxedAead {
        boxed(Ctx::<A>::on(key, backend))
    }
}
