//! Rows of the registry that compose two families: transforms of one over the AEADs of others.

#[cfg(feature = "aegis")]
use crate::aegis::names::FAMILIES as AEGIS;
#[cfg(feature = "gcm")]
use crate::gcm::names::FAMILIES as GCM;
use crate::row::{Commitment, Family, Level, Maker, Specification};
use crate::sizes::Sizes;

/// CTX commits to everything, whatever the AEAD is.
const CTX: &[Commitment] = &[Commitment {
    level: Level::Cmt4,
    tag_bytes: 32,
    bits: 128,
    condition: "as far as SHA-256 resists collisions, between keys of one length",
}];

/// CTX over `inner`. It leaves encryption as it is, with its limits; and who forges its tag has forged
/// the inner one, or found another message that has the same.
const fn ctx(id: &'static str, name: &'static str, inner: &Family, maker: Maker) -> Family {
    Family {
        id,
        name,
        tag_bytes: Sizes::one(&[32]),
        nonce_bytes: default_only(inner),
        commitment: CTX,
        fips: false,
        cost: None,
        properties: if inner.parallel {
            &["full-commitment", "inverse-free", "parallelizable", "streamable"]
        } else {
            &["full-commitment", "inverse-free", "streamable"]
        },
        specification: Specification {
            title: "J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260)",
            section: "CTX, with HMAC-SHA256",
        },
        maker,
        ..*inner
    }
}

/// The nonce length that is the default.
const fn default_only(inner: &Family) -> Sizes {
    match inner.nonce_bytes.default {
        12 => Sizes::one(&[12]),
        16 => Sizes::one(&[16]),
        _ => Sizes::one(&[32]),
    }
}

/// The rows, in the order in which tables show them.
pub(crate) const FAMILIES: &[Family] = &[
    #[cfg(feature = "gcm")]
    ctx("ctx-aes-256-gcm", "CTX over AES-256-GCM", &GCM[1], makers::CTX_AES_256_GCM),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-128l", "CTX over AEGIS-128L", &AEGIS[0], makers::CTX_AEGIS[0]),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-128x2", "CTX over AEGIS-128X2", &AEGIS[1], makers::CTX_AEGIS[1]),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-128x4", "CTX over AEGIS-128X4", &AEGIS[2], makers::CTX_AEGIS[2]),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-256", "CTX over AEGIS-256", &AEGIS[3], makers::CTX_AEGIS[3]),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-256x2", "CTX over AEGIS-256X2", &AEGIS[4], makers::CTX_AEGIS[4]),
    #[cfg(feature = "aegis")]
    ctx("ctx-aegis-256x4", "CTX over AEGIS-256X4", &AEGIS[5], makers::CTX_AEGIS[5]),
];

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use alloc::boxed::Box;

    use aead::inout::InOutBuf;

    #[cfg(feature = "aegis")]
    use crate::aegis::{Aegis, X128, X256};
    use crate::commit::{Ctx, Tagged};
    use crate::dynamic::DynAead;
    use crate::error::Result;
    #[cfg(feature = "gcm")]
    use crate::gcm::Aes256Gcm;
    use crate::row::Maker;

    const fn ctx<A: Tagged + Send + Sync + 'static>() -> Maker {
        Maker::Aead(|_, key, backend| Box::new(Ctx::<A>::on(key, backend)))
    }

    #[cfg(feature = "gcm")]
    pub(super) const CTX_AES_256_GCM: Maker = ctx::<Aes256Gcm>();
    #[cfg(feature = "aegis")]
    pub(super) const CTX_AEGIS: [Maker; 6] = [
        ctx::<Aegis<X128<1>>>(),
        ctx::<Aegis<X128<2>>>(),
        ctx::<Aegis<X128<4>>>(),
        ctx::<Aegis<X256<1>>>(),
        ctx::<Aegis<X256<2>>>(),
        ctx::<Aegis<X256<4>>>(),
    ];

    impl<A: Tagged + Send + Sync> DynAead for Ctx<A> {
        fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
            self.seal(nonce, ad, buffer, tag);
        }

        fn open(
            &self,
            nonce: &[u8],
            ad: &[u8],
            buffer: InOutBuf<'_, '_, u8>,
            tag: &[u8],
        ) -> Result<()> {
            self.open(nonce, ad, buffer, tag)
        }
    }
}

/// Without an allocator there are no instances by name; nor in unit tests, which would compile every
/// algorithm once more.
#[cfg(not(all(feature = "alloc", not(test))))]
mod makers {
    use crate::row::Maker;

    pub(super) const CTX_AES_256_GCM: Maker = Maker::Unmade;
    pub(super) const CTX_AEGIS: [Maker; 6] = [Maker::Unmade; 6];
}
