"""XAES-256-GCM, KC-XAES and their relatives, slowly and to the letter.

Each derives an AES-256-GCM key for every nonce, and most commit to the key by a value K_C beside the tag:
  XAES-256-GCM   c2sp.org/XAES-256-GCM.
  KC-XAES        Kampanakis, Halevi, Ebeid, Campagna, "Blockcipher-Based Key Commitment for Nonce-Derived
                 Schemes", eprint 2025/758: figures 2 and 3, specification 1.
  DNDK-GCM       draft-gueron-cfrg-dndkgcm: v1 is -00 and -01, v2 is -02 and -03; -04 (2026-03-18) was not compared.
  H-AES, H-KC    the same paper's section 6: HMAC-SHA256 in the place of CMAC. That one call gives 32 bytes is ours.
  HKDF           the AWS Encryption SDK's algorithm suite 0x0478.

As in the paper, a nonce-derived scheme is a function (K, N) -> (K_U, IV), and the commitment a combinator
over any of them: Committing takes the scheme as it is and adds K_C, which depends on nothing but K and N.
The last five names are what the paper describes and does not choose (appendix C, section 1): to be compared, and not to
be used.

What it does not give: speed, constant time, erased secrets, or limits on use. Two nonce lengths under one key
can repeat a GCM nonce: an object is for one length.

Letters: K key, N nonce of b bytes, U = N[0:12] and V = N[b-12:b] (overlapping when b < 24), L, K1, X1 as in
CMAC, K_U the derived key, K_C the commitment, T tag. A tag of ours is T ‖ K_C.
"""

import hmac

from aegis import VerificationFailed, ZeroPad, bits, xor
from gcm import AES, Gcm, PaddingFix, subkeys

GCM = Gcm(32)


class NonceDerived:
    """derive(K, N) gives (K_U, IV)."""

    KEY = 32
    TAG = 16

    def __init__(self, derive, nonce):
        self.derive, self.NONCE = derive, nonce

    def _check(self, K, N, t):
        if len(K) != self.KEY or len(N) != self.NONCE or t != 8 * self.TAG:
            raise ValueError("key, nonce or tag of a wrong length")

    def Encrypt(self, P, A, K, N, t=128):
        self._check(K, N, t)
        K_U, IV = self.derive(K, N)
        return GCM.Encrypt(P, A, K_U, IV)

    def Decrypt(self, C, T, A, K, N):
        self._check(K, N, bits(T))
        K_U, IV = self.derive(K, N)
        return GCM.Decrypt(C, T, A, K_U, IV)


class Committing:
    """The combinator: commit(K, N) gives K_C, which is checked together with T."""

    KEY = 32
    TAG = 48

    def __init__(self, scheme, commit):
        self.scheme, self.commit, self.NONCE = scheme, commit, scheme.NONCE

    def _check(self, t):
        if t != 8 * self.TAG:
            raise ValueError("tag of a wrong length")

    def Encrypt(self, P, A, K, N, t=384):
        self._check(t)
        C, T = self.scheme.Encrypt(P, A, K, N)
        return C, T + self.commit(K, N)

    def Decrypt(self, C, T, A, K, N):
        self._check(bits(T))
        P = self.scheme.Decrypt(C, T[:16], A, K, N)
        if not hmac.compare_digest(T[16:], self.commit(K, N)):
            raise VerificationFailed
        return P


# ── XAES and KC-XAES ────────────────────────────────────────────────────────────────────────────

def xaes(K, N):
    K1, _ = subkeys(K)
    U, V = N[:12], N[-12:]
    M1, M2 = b"\x00\x01X\x00" + U, b"\x00\x02X\x00" + U
    return AES(K, xor(M1, K1)) + AES(K, xor(M2, K1)), V


def kc_xaes(K, N):
    K1, _ = subkeys(K)
    U, V = N[:12], N[-12:]
    X1 = AES(K, b"XCMT" + U)
    c4, c5 = (bytes([24 - len(N), 0x01, 0x00, i]) for i in (1, 2))
    return AES(K, xor(X1, V + c4, K1)) + AES(K, xor(X1, V + c5, K1))


def kc_c3(K, N):
    """Appendix C.3: from N[0:15] alone, with the counter first. One block, so that no X1 is needed."""
    K1, _ = subkeys(K)
    return b"".join(AES(K, xor(bytes([i]) + N[:15], K1)) for i in (1, 2))


# ── DNDK-GCM ────────────────────────────────────────────────────────────────────────────────────

def dndk_v1(K, N, kc=True):
    """(DK, K_C): the blocks of the two halves of the nonce alternate, and block i starts with byte i."""
    blocks = 10 if kc else 6
    X = [AES(K, bytes([i, 0, 0, 0]) + (N[:12] if i % 2 == 0 else N[12:])) for i in range(blocks)]
    Y = [xor(X[i], X[0], X[i + 1], X[1]) for i in range(2, blocks, 2)]
    return Y[0] + Y[1], b"".join(Y[2:])


def dndk_v2(K, N, kc):
    """(DK, K_C): ConfigByte makes the two choices of kc, and all lengths of N, derive different keys."""
    head = ZeroPad(N, 8 * 27)[:15]
    ConfigByte = 128 * kc + 8 * (len(N) - 12)
    X = [AES(K, head + bytes([ConfigByte + i])) for i in range(5 if kc else 3)]
    Y = [xor(X[i], X[0]) for i in range(1, len(X))]
    return Y[0] + Y[1], b"".join(Y[2:])


def dndk(version, kc, nonce):
    if version == 1:
        scheme = NonceDerived(lambda K, N: (dndk_v1(K, N, kc)[0], bytes(12)), nonce)
        commit = lambda K, N: dndk_v1(K, N)[1]
    else:
        scheme = NonceDerived(lambda K, N: (dndk_v2(K, N, kc)[0], ZeroPad(N, 8 * 27)[15:]), nonce)
        commit = lambda K, N: dndk_v2(K, N, kc)[1]
    return Committing(scheme, commit) if kc else scheme


# ── HMAC and HKDF ───────────────────────────────────────────────────────────────────────────────

def h_aes(K, N):
    U, V = N[:12], N[12:]
    return hmac.digest(K, b"\x00\x01X\x00" + U, "sha256"), V


def h_kc_aes(K, N):
    U, V = N[:12], N[12:]
    return hmac.digest(K, b"XCMT" + U + V + b"\x00\x01\x00\x01", "sha256")


def HKDF_SHA512(salt, IKM, info):
    """RFC 5869, for 32 bytes: one block of the expansion, cut."""
    PRK = hmac.digest(salt, IKM, "sha512")
    return hmac.digest(PRK, info + b"\x01", "sha512")[:32]


def hkdf(K, N):
    return HKDF_SHA512(N, K, b"\x04\x78" + b"DERIVEKEY"), bytes(12)


def kc_hkdf(K, N):
    return HKDF_SHA512(N, K, b"COMMITKEY")


# ── The registry's names ────────────────────────────────────────────────────────────────────────

NONCES = {
    "xaes-256-gcm": [24],
    "kc-xaes-256-gcm": [24, 20, 21, 22, 23],
    "dndk-gcm": [24, *range(12, 24), 25, 26, 27],
    "h-aes-256-gcm": [24],
    "h-kc-aes-256-gcm": [24],
    "hkdf-committed-aes-256-gcm": [32],
    "padding-fix-xaes-256-gcm": [24],
    "kc-c3-xaes-256-gcm": [24],
    "f-com-h-aes-256-gcm": [24],
    "f-com-hkdf-aes-256-gcm": [24],
    "f-com-dndk-gcm": [24],
}


def algorithm(name, params=None, nonce=None):
    """The algorithm that a vector file names; nonce is its length in bytes, if not the default."""
    nonce = nonce or NONCES[name][0]
    version, kc = (params["version"], params.get("kc", False)) if params else (2, False)
    if nonce not in (NONCES[name] if version == 2 else [24]):
        raise ValueError("nonce of a wrong length")
    match name:
        case "xaes-256-gcm":
            return NonceDerived(xaes, nonce)
        case "kc-xaes-256-gcm":
            return Committing(NonceDerived(xaes, nonce), kc_xaes)
        case "dndk-gcm":
            return dndk(version, kc, nonce)
        case "h-aes-256-gcm":
            return NonceDerived(h_aes, nonce)
        case "h-kc-aes-256-gcm":
            return Committing(NonceDerived(h_aes, nonce), h_kc_aes)
        case "hkdf-committed-aes-256-gcm":
            return Committing(NonceDerived(hkdf, nonce), kc_hkdf)
        case "padding-fix-xaes-256-gcm":
            return PaddingFix(NonceDerived(xaes, nonce))
        case "kc-c3-xaes-256-gcm":
            return Committing(NonceDerived(xaes, nonce), kc_c3)
        case "f-com-h-aes-256-gcm":
            return Committing(NonceDerived(h_aes, nonce), kc_xaes)
        case "f-com-hkdf-aes-256-gcm":
            return Committing(NonceDerived(hkdf, nonce), kc_xaes)
        case "f-com-dndk-gcm":
            return Committing(dndk(version, False, nonce), kc_xaes)
