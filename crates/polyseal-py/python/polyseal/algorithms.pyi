# Made by tests/stubs.py from the registry.
from typing import Final

from ._polyseal import Aead, Buffer, Mac, SecretKey
from .keys import KeyRef

#: The class of each algorithm, by its registry name.
ALGORITHMS: Final[dict[str, type[Aead] | type[Mac]]]

def algorithm_class(name: str) -> type[Aead] | type[Mac]:
    """The class of any algorithm by its registry name, such as ``aegis-128l:tag=32``.

    >>> algorithm_class("aegis-128l:tag=32").tag_bytes
    32
    """
def aead(name: str, key: Buffer | SecretKey | KeyRef) -> Aead:
    """An AEAD under a key, by its registry name.

    >>> key = algorithm_class("aegis-256x2").generate_key()
    >>> cipher = aead("aegis-256x2", key)
    >>> cipher.open(cipher.seal(b"attack at dawn"))
    b'attack at dawn'
    """
def mac(name: str, key: Buffer | SecretKey | KeyRef) -> Mac:
    """A MAC under a key, by its registry name."""

class Aegis128L(Aead):
    """AEGIS-128L, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-128L.
    """
class AegisMac128L(Mac):
    """AEGISMAC-128L, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aegis128X2(Aead):
    """AEGIS-128X2, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-128X.
    """
class AegisMac128X2(Mac):
    """AEGISMAC-128X2, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aegis128X4(Aead):
    """AEGIS-128X4, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-128X.
    """
class AegisMac128X4(Mac):
    """AEGISMAC-128X4, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aegis256(Aead):
    """AEGIS-256, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-256.
    """
class AegisMac256(Mac):
    """AEGISMAC-256, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aegis256X2(Aead):
    """AEGIS-256X2, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-256X.
    """
class AegisMac256X2(Mac):
    """AEGISMAC-256X2, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aegis256X4(Aead):
    """AEGIS-256X4, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to the key, for fixed associated data.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGIS-256X.
    """
class AegisMac256X4(Mac):
    """AEGISMAC-256X4, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 16 bytes.
    Nonces: a repeated one does no harm.
    Commitment: none.
    Specification: RFC 10032 (draft-irtf-cfrg-aegis-aead-18), AEGISMAC.
    """
class Aes128Gcm(Aead):
    """AES-128-GCM, under a key.

    Sizes: key 16 bytes, nonce 12 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: none.
    Specification: NIST SP 800-38D, section 7.
    """
class Aes256Gcm(Aead):
    """AES-256-GCM, under a key.

    Sizes: key 32 bytes, nonce 12 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: none.
    Specification: NIST SP 800-38D, section 7.
    """
class Aes256GcmSiv(Aead):
    """AES-256-GCM-SIV, under a key.

    Sizes: key 32 bytes, nonce 12 bytes, tag 16 bytes.
    Nonces: a repeated one shows whether messages are equal, and nothing else. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: none.
    Specification: RFC 8452, section 5.
    """
class CtxAegis128L(Aead):
    """CTX over AEGIS-128L, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAegis128X2(Aead):
    """CTX over AEGIS-128X2, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAegis128X4(Aead):
    """CTX over AEGIS-128X4, under a key.

    Sizes: key 16 bytes, nonce 16 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAegis256(Aead):
    """CTX over AEGIS-256, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAegis256X2(Aead):
    """CTX over AEGIS-256X2, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAegis256X4(Aead):
    """CTX over AEGIS-256X4, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class CtxAes256Gcm(Aead):
    """CTX over AES-256-GCM, under a key.

    Sizes: key 32 bytes, nonce 12 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: J. Chan, P. Rogaway, On Committing Authenticated Encryption (eprint 2022/1260), CTX, with HMAC-SHA256.
    """
class DndkGcm(Aead):
    """DNDK-GCM, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: draft-gueron-cfrg-dndkgcm, -01, -03.
    """
class FlexAead(Aead):
    """Flex, any configuration that commits, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 64 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 4.
    """
class FlexCiv(Aead):
    """Flex CIV with a hidden nonce, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 64 bytes.
    Nonces: a repeated one shows whether messages are equal, and nothing else. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 8, configuration 11.
    """
class FlexCivPublic(Aead):
    """Flex CIV, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one shows whether messages are equal, and nothing else. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 8, configuration 12.
    """
class FlexCivStream(Aead):
    """Flex CIV in segments of 64 KiB, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 8 and 10, configuration 32.
    """
class FlexOch(Aead):
    """Flex OCH with a hidden nonce, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 64 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 7, configuration 01.
    """
class FlexOchPublic(Aead):
    """Flex OCH, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 7, configuration 02.
    """
class FlexOchStream(Aead):
    """Flex OCH in segments of 64 KiB, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 7 and 10, configuration 31.
    """
class FlexOchTransport(Aead):
    """Flex OCH for transport, under a key.

    Sizes: key 32 bytes, nonce 12 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 7, configuration 03.
    """
class FlexRobust(Aead):
    """Flex ROBUST, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one shows whether messages are equal, and nothing else. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 9, configuration 21.
    """
class FlexRobustAe(Aead):
    """Flex ROBUST-AE, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 32 bytes.
    Nonces: a repeated one shows whether messages are equal, and nothing else. `seal` draws nonces at random.
    Commitment: to key, nonce, associated data and message (CMT-4).
    Specification: Flex-1, docs/spec/flex.md, section 9.1, configuration 24.
    """
class HAes256Gcm(Aead):
    """HMAC-derived AES-256-GCM, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key Commitment for Nonce-Derived Schemes (eprint 2025/758), table 4, as defined here.
    """
class HKcAes256Gcm(Aead):
    """HMAC-derived AES-256-GCM with key commitment, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 48 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key and nonce (CMT-2).
    Specification: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key Commitment for Nonce-Derived Schemes (eprint 2025/758), table 4, as defined here.
    """
class HkdfCommittedAes256Gcm(Aead):
    """HKDF-derived AES-256-GCM with key commitment, under a key.

    Sizes: key 32 bytes, nonce 32 bytes, tag 48 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key and nonce (CMT-2).
    Specification: AWS Encryption SDK specification, algorithm suite 0x0478, derivation and commitment.
    """
class KcXaes256Gcm(Aead):
    """KC-XAES-256-GCM, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 48 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: to key and nonce (CMT-2).
    Specification: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key Commitment for Nonce-Derived Schemes (eprint 2025/758), figure 2, specification 1.
    """
class OmdBlake2b(Aead):
    """OMD-BLAKE2b, under a key.

    Sizes: key 64 bytes, nonce 32 bytes, tag 64 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: docs/spec/omd.md: ours, after an idea of D. Maimuț and A. Mega, section 2.
    """
class OmdSha256(Aead):
    """OMD-SHA-256, under a key.

    Sizes: key 32 bytes, nonce 31 bytes, tag 32 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: docs/spec/omd.md: OMD v2.0, secure empty inputs, section 4.
    """
class OmdSha512(Aead):
    """OMD-SHA-512, under a key.

    Sizes: key 64 bytes, nonce 32 bytes, tag 64 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: docs/spec/omd.md: OMD v2.0, secure empty inputs, section 4.
    """
class PaddingFixAes256Gcm(Aead):
    """AES-256-GCM with the padding fix, under a key.

    Sizes: key 32 bytes, nonce 12 bytes, tag 48 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. Count the nonces: `seal` raises `LimitExceeded`, as random ones would repeat.
    Commitment: to the key (CMT-1).
    Specification: A. Albertini et al., How to Abuse and Fix Authenticated Encryption Without Key Commitment (eprint 2020/1456), section 5.3.
    """
class Xaes256Gcm(Aead):
    """XAES-256-GCM, under a key.

    Sizes: key 32 bytes, nonce 24 bytes, tag 16 bytes.
    Nonces: a repeated one breaks confidentiality and authenticity. `seal` draws nonces at random.
    Commitment: none.
    Specification: c2sp.org/XAES-256-GCM.
    """

__all__ = [
    "ALGORITHMS",
    "aead",
    "algorithm_class",
    "mac",
    "Aegis128L",
    "AegisMac128L",
    "Aegis128X2",
    "AegisMac128X2",
    "Aegis128X4",
    "AegisMac128X4",
    "Aegis256",
    "AegisMac256",
    "Aegis256X2",
    "AegisMac256X2",
    "Aegis256X4",
    "AegisMac256X4",
    "Aes128Gcm",
    "Aes256Gcm",
    "Aes256GcmSiv",
    "CtxAegis128L",
    "CtxAegis128X2",
    "CtxAegis128X4",
    "CtxAegis256",
    "CtxAegis256X2",
    "CtxAegis256X4",
    "CtxAes256Gcm",
    "DndkGcm",
    "FlexAead",
    "FlexCiv",
    "FlexCivPublic",
    "FlexCivStream",
    "FlexOch",
    "FlexOchPublic",
    "FlexOchStream",
    "FlexOchTransport",
    "FlexRobust",
    "FlexRobustAe",
    "HAes256Gcm",
    "HKcAes256Gcm",
    "HkdfCommittedAes256Gcm",
    "KcXaes256Gcm",
    "OmdBlake2b",
    "OmdSha256",
    "OmdSha512",
    "PaddingFixAes256Gcm",
    "Xaes256Gcm",
]
