"""Encrypted files, slowly and to the letter: the oracle that other readers and writers are held against.

Specification: docs/spec/file-format.md, version 1; "section" in a comment is a section of it. The age
recipient stanzas are those of https://c2sp.org/age.

What it does not give: speed, constant time, erased secrets, streams (a file is a bytes object), or
randomness: salts, keys and ephemeral secrets are arguments, so that the same file can be written twice.
Of age it knows the recipient types X25519 and mlkem768x25519, and skips the others; it writes the first
only, because the hybrid one cannot be given its randomness.

HKDF and HMAC are the standard library's; AEGIS is aegis.py, and the other suites are gcm.py's, xaes.py's,
flex.py's and omd.py's.
From outside: Argon2id (argon2-cffi), and X25519, ChaCha20-Poly1305 and the hybrid HPKE (cryptography).

Letters, as in the specification: P payload offset, F what a stanza is bound to, m, t, p Argon2id's
memory, passes and lanes, l and a the lengths of the labels and of the recipient stanzas of an age stanza.
"""

import base64
import binascii
import enum
import hashlib
import hmac
import itertools
import re
from dataclasses import dataclass

import argon2.low_level
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, MLKEM768X25519PrivateKey, Suite

import aegis
import flex
import gcm
import omd
import xaes


class Outcome(enum.Enum):
    """The outcomes of reading a file; vectors/file-format/index.json has these words."""

    OK = "ok"
    NOT_A_POLYSEAL_FILE = "not-a-polyseal-file"
    UNSUPPORTED_VERSION = "unsupported-version"
    TRUNCATED_HEADER = "truncated-header"
    BAD_HEADER = "bad-header"
    NO_MATCHING_KEY = "no-matching-key"
    HEADER_NOT_AUTHENTIC = "header-not-authentic"
    CONTEXT_MISSING = "context-missing"
    CONTEXT_DIFFERS = "context-differs"
    CONTEXT_UNEXPECTED = "context-unexpected"
    TRUNCATED_PAYLOAD = "truncated-payload"
    CORRUPT_SEGMENT = "corrupt-segment"
    BAD_ARMOR = "bad-armor"
    BAD_KEY_FILE = "bad-key-file"


class Refused(Exception):
    """Not opened. Carries the outcome, and for CORRUPT_SEGMENT the segment's number."""

    def __init__(self, outcome, segment=None):
        super().__init__(outcome.value if segment is None else f"{outcome.value} {segment}")
        self.outcome = outcome
        self.segment = segment


def require(condition, outcome):
    if not condition:
        raise Refused(outcome)


# ── Bytes ───────────────────────────────────────────────────────────────────────────────────────

def LE(n, size):
    return n.to_bytes(size, "little")


def number(x):
    return int.from_bytes(x, "little")


def HMAC(key, data):
    return hmac.new(key, data, "sha256").digest()


def HKDF(key, salt, info, n):
    """RFC 5869 with SHA-256: extract, then expand to n bytes."""
    prk = HMAC(salt, key)
    okm = T = b""
    for i in range(1, -(-n // 32) + 1):
        T = HMAC(prk, T + info + bytes([i]))
        okm += T
    return okm[:n]


def canonical_base64(text, padded):
    """The bytes, or None if this is not the one way to write them."""
    try:
        data = base64.b64decode(text if padded else text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return None
    again = base64.b64encode(data)
    return data if text == (again if padded else again.rstrip(b"=")) else None


# ── Section 1: the header's fields ──────────────────────────────────────────────────────────────

MAGIC = b"polyseal"
VERSION = 1
STANZAS = 160                                            # where they begin
MOST_STANZAS = MOST_RECIPIENTS = 128
SEGMENT_SIZES = [1 << k for k in range(12, 25)]
PAYLOAD_OFFSETS = range(4096, 65536 + 1, 4096)
DEFAULT_SEGMENT_SIZE = 65536
SPARE_ROOM = 2048                                        # that a writer leaves


@dataclass
class Header:
    """The bytes as they stand in the file; `stanzas` has one Stanza for each."""

    raw: bytes
    segment_size: int
    P: int
    file_salt: bytes
    suite: str
    context_tag: bytes
    stanzas: list


@dataclass
class Stanza:
    """One that may be passed over has a type and `raw`, and nothing else."""

    raw: bytes
    type: int
    salt: bytes
    id: bytes
    wrapped_file_key: bytes
    how: bytes                                           # how to get the wrapping key
    tag: bytes
    recipients: list                                     # age: (arguments, body) of each


def F(fields):
    """Section 4: all before the stanzas but their number."""
    return fields[:10] + fields[12:STANZAS]


# ── Section 2: suites ───────────────────────────────────────────────────────────────────────────

# The lengths of key, nonce and tag.
SUITES = {
    "aegis-128l": (16, 16, 16), "aegis-128l:tag=32": (16, 16, 32),
    "aegis-128x2": (16, 16, 16), "aegis-128x2:tag=32": (16, 16, 32),
    "aegis-128x4": (16, 16, 16), "aegis-128x4:tag=32": (16, 16, 32),
    "aegis-256": (32, 32, 16), "aegis-256:tag=32": (32, 32, 32),
    "aegis-256x2": (32, 32, 16), "aegis-256x2:tag=32": (32, 32, 32),
    "aegis-256x4": (32, 32, 16), "aegis-256x4:tag=32": (32, 32, 32),
    "aes-128-gcm": (16, 12, 16),
    "aes-256-gcm": (32, 12, 16),
    "xaes-256-gcm": (32, 24, 16),
    "kc-xaes-256-gcm": (32, 24, 48),
    "dndk-gcm": (32, 24, 16), "dndk-gcm:kc=1": (32, 24, 48),
    "h-aes-256-gcm": (32, 24, 16),
    "h-kc-aes-256-gcm": (32, 24, 48),
    "hkdf-committed-aes-256-gcm": (32, 32, 48),
    "padding-fix-aes-256-gcm": (32, 12, 48),
    "ctx-aes-256-gcm": (32, 12, 32),
    "ctx-aegis-128l": (16, 16, 32), "ctx-aegis-128x2": (16, 16, 32), "ctx-aegis-128x4": (16, 16, 32),
    "ctx-aegis-256": (32, 32, 32), "ctx-aegis-256x2": (32, 32, 32), "ctx-aegis-256x4": (32, 32, 32),
    "flex-och": (32, 32, 64), "flex-och-public": (32, 24, 32), "flex-och-transport": (32, 12, 16),
    "flex-civ": (32, 32, 64), "flex-civ-public": (32, 24, 32), "flex-robust": (32, 24, 32),
    "omd-sha256": (32, 31, 32), "omd-sha512": (64, 32, 64), "omd-blake2b": (64, 32, 64),
}
FLEX = {"flex-och": 0x01, "flex-och-public": 0x02, "flex-och-transport": 0x03,
        "flex-civ": 0x11, "flex-civ-public": 0x12, "flex-robust": 0x21}
DEFAULT_SUITE = "aegis-256x2"


class Flex(flex.Algorithm):
    """The ciphertext is as long as the plaintext. What Flex has before it and behind it is the tag."""

    def Encrypt(self, M, AD, K, N, t):
        assert len(K) == 32 and len(N) in (24, self.cfg.NL)
        C, _ = super().Encrypt(M, AD, K, N)
        head, body, tail = C[:self.cfg.hidden], C[self.cfg.hidden:][:len(M)], C[self.cfg.hidden + len(M):]
        assert 8 * len(head + tail) == t
        return body, head + tail

    def Decrypt(self, C, T, AD, K, N):
        return super().Decrypt(T[:self.cfg.hidden] + C + T[self.cfg.hidden:], b"", AD, K, N)


def algorithm(suite):
    id, _, option = suite.partition(":")
    if id in aegis.IETF:
        return aegis.algorithm(id)
    if id in FLEX:
        return Flex(flex.REGISTRY[FLEX[id]])
    if id in omd.HASHES:
        return omd.algorithm(id)
    if id == "dndk-gcm":
        return xaes.algorithm(id, {"version": 2, "kc": option == "kc=1"})
    return xaes.algorithm(id) if id in xaes.NONCES else gcm.algorithm(id)


def suite_field(suite):
    return suite.encode() + bytes(64 - len(suite))


def parse_suite(field):
    for suite in SUITES:
        if field == suite_field(suite):
            return suite
    raise Refused(Outcome.BAD_HEADER)


# ── Sections 1, 4 and 10: reading a header, before any key ──────────────────────────────────────

KEY_FILE, PASSPHRASE, AGE = 1, 2, 3
PASSED_OVER = range(0x8000, 0xFFFF + 1)                  # types, by who does not know them: all of them


def parse_header(data):
    bad = Outcome.BAD_HEADER
    require(data[:8] == MAGIC, Outcome.NOT_A_POLYSEAL_FILE)
    require(len(data) >= 10, Outcome.TRUNCATED_HEADER)
    require(number(data[8:10]) == VERSION, Outcome.UNSUPPORTED_VERSION)
    require(len(data) >= STANZAS, Outcome.TRUNCATED_HEADER)
    count = number(data[10:12])
    segment_size = number(data[12:16])
    P = number(data[16:24])
    require(P in PAYLOAD_OFFSETS, bad)
    require(len(data) >= P, Outcome.TRUNCATED_HEADER)
    require(segment_size in SEGMENT_SIZES, bad)
    require(data[24:32] == bytes(8), bad)
    suite = parse_suite(data[64:128])

    require(1 <= count <= MOST_STANZAS, bad)
    stanzas, at, end = [], STANZAS, P - 32
    for _ in range(count):
        require(at + 4 <= end, bad)
        after = at + 4 + number(data[at + 2:at + 4])
        require(after <= end, bad)
        stanzas.append(parse_stanza(data[at:after]))
        at = after
    require(data[at:end] == bytes(end - at), bad)

    types = [s.type for s in stanzas]
    require(PASSPHRASE not in types or types == [PASSPHRASE], bad)
    require(sum(max(1, len(s.recipients)) for s in stanzas) <= MOST_RECIPIENTS, bad)
    require(len({labels(s) for s in stanzas if s.type == AGE}) <= 1, bad)
    return Header(data[:P], segment_size, P, data[32:64], suite, data[128:160], stanzas)


def parse_stanza(raw):
    type_ = number(raw[:2])
    if type_ in PASSED_OVER:                             # any length, any contents
        return Stanza(raw, type_, b"", b"", b"", b"", b"", [])
    n = len(raw) - 4 - 104
    require(n >= 0, Outcome.BAD_HEADER)
    how = raw[76:76 + n]
    recipients = []
    if type_ == KEY_FILE:
        require(n == 0, Outcome.BAD_HEADER)
    elif type_ == PASSPHRASE:
        require(n == 12, Outcome.BAD_HEADER)
        m, t, p = argon2id_parameters(how)
        require(1 <= p <= 16 and 1 <= t <= 10 and 8 * p <= m <= 262144, Outcome.BAD_HEADER)
    elif type_ == AGE:
        recipients = parse_age(how)
    else:
        raise Refused(Outcome.BAD_HEADER)
    return Stanza(raw, type_, raw[4:36], raw[36:44], raw[44:76], how, raw[76 + n:], recipients)


def argon2id_parameters(how):
    return number(how[:4]), number(how[4:8]), number(how[8:])


def labels(age_stanza):
    return age_stanza.how[2:2 + number(age_stanza.how[:2])]


def parse_age(how):
    """l ‖ labels ‖ recipient stanzas: the stanzas, as (arguments, body)."""
    require(len(how) >= 2, Outcome.BAD_HEADER)
    l = number(how[:2])
    require(2 + l <= len(how), Outcome.BAD_HEADER)
    text = how[2:2 + l]
    if text:
        require(re.fullmatch(rb"[!-~]+( [!-~]+)*", text), Outcome.BAD_HEADER)
        each = text.split(b" ")
        require(each == sorted(set(each)), Outcome.BAD_HEADER)

    recipients, rest = [], how[2 + l:]
    while rest:
        arguments, rest = first_line(rest)
        require(re.fullmatch(rb"->( [!-~]+)+", arguments), Outcome.BAD_HEADER)
        arguments = arguments[3:].split(b" ")
        require(arguments[0] != b"scrypt", Outcome.BAD_HEADER)
        text, line = b"", bytes(64)
        while len(line) == 64:                           # up to the first that is shorter
            line, rest = first_line(rest)
            require(len(line) <= 64, Outcome.BAD_HEADER)
            text += line
        body = canonical_base64(text, padded=False)
        require(body is not None, Outcome.BAD_HEADER)
        recipients.append((arguments, body))
    require(recipients, Outcome.BAD_HEADER)
    return recipients


def first_line(text):
    line, lf, rest = text.partition(b"\n")
    require(lf, Outcome.BAD_HEADER)
    return line, rest


# ── Sections 3 and 4: opening and making a stanza ───────────────────────────────────────────────

@dataclass(frozen=True)
class KeyFile:
    key: bytes                                           # 32 bytes


@dataclass(frozen=True)
class Passphrase:
    passphrase: bytes


@dataclass(frozen=True)
class AgeIdentity:
    text: str                                            # AGE-SECRET-KEY-1… or AGE-SECRET-KEY-PQ-1…


def stanza_keys(wrapping_key, salt, type_):
    """id, pad, mac key"""
    okm = HKDF(wrapping_key, salt, b"polyseal-file/1 stanza" + LE(type_, 2), 72)
    return okm[:8], okm[8:40], okm[40:]


def make_stanza(F, type_, wrapping_key, salt, how, file_key):
    id, pad, mac_key = stanza_keys(wrapping_key, salt, type_)
    start = LE(type_, 2) + LE(104 + len(how), 2) + salt + id + aegis.xor(file_key, pad) + how
    return start + HMAC(mac_key, F + start)


def unwrap(F, stanza, wrapping_key):
    """The file key. NO_MATCHING_KEY if the id differs, HEADER_NOT_AUTHENTIC if the tag is wrong."""
    id, pad, mac_key = stanza_keys(wrapping_key, stanza.salt, stanza.type)
    require(hmac.compare_digest(id, stanza.id), Outcome.NO_MATCHING_KEY)
    tag = HMAC(mac_key, F + stanza.raw[:-32])
    require(hmac.compare_digest(tag, stanza.tag), Outcome.HEADER_NOT_AUTHENTIC)
    return aegis.xor(stanza.wrapped_file_key, pad)


def wrapping_key_for(stanza, key):
    """The wrapping key of this stanza for `key`; None if that is no key for it."""
    if stanza.type == KEY_FILE and isinstance(key, KeyFile):
        return key.key
    if stanza.type == PASSPHRASE and isinstance(key, Passphrase):
        return stretch(key.passphrase, stanza.salt, *argon2id_parameters(stanza.how))
    if stanza.type == AGE and isinstance(key, AgeIdentity):
        for arguments, body in stanza.recipients:
            wrapping_key = age_unwrap(key, arguments, body)
            if wrapping_key is not None:
                return wrapping_key
    return None


def open_stanza(header, stanza, key):
    """The file key, if this key opens the file by way of this stanza."""
    wrapping_key = wrapping_key_for(stanza, key)
    require(wrapping_key is not None, Outcome.NO_MATCHING_KEY)
    file_key = unwrap(F(header.raw), stanza, wrapping_key)
    mac = header_mac(file_key, header.file_salt, header.raw[:-32])
    require(hmac.compare_digest(mac, header.raw[-32:]), Outcome.HEADER_NOT_AUTHENTIC)
    return file_key


def tries(stanzas, keys):
    """Every stanza with every key; the order makes no difference."""
    return itertools.product(stanzas, keys)


def find_file_key(header, keys):
    found = set()                                        # why they did not open the file
    for stanza, key in tries(header.stanzas, keys):
        try:
            return open_stanza(header, stanza, key)
        except Refused as refused:
            found.add(refused.outcome)
    # Any id was right; else age rejected a recipient stanza; else the file is for other keys.
    for outcome in (Outcome.HEADER_NOT_AUTHENTIC, Outcome.BAD_HEADER):
        require(outcome not in found, outcome)
    raise Refused(Outcome.NO_MATCHING_KEY)


def stretch(passphrase, salt, m, t, p):
    return argon2.low_level.hash_secret_raw(passphrase, salt, time_cost=t, memory_cost=m, parallelism=p,
                                            hash_len=32, type=argon2.low_level.Type.ID, version=0x13)


def key_file_stanza(F, key, salt, file_key):
    return make_stanza(F, KEY_FILE, key, salt, b"", file_key)


def passphrase_stanza(F, passphrase, salt, file_key, m=65536, t=3, p=4):
    how = LE(m, 4) + LE(t, 4) + LE(p, 4)
    return make_stanza(F, PASSPHRASE, stretch(passphrase, salt, m, t, p), salt, how, file_key)


def age_stanza(F, wrapping_key, recipient_stanzas, salt, file_key, labels=b""):
    how = LE(len(labels), 2) + labels + b"".join(recipient_stanzas)
    return make_stanza(F, AGE, wrapping_key, salt, how, file_key)


# ── Section 4: age's recipients (c2sp.org/age) ──────────────────────────────────────────────────

X25519_INFO = b"age-encryption.org/v1/X25519"
HYBRID = Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
HYBRID_INFO = b"age-encryption.org/mlkem768x25519"


def age_unwrap(identity, arguments, body):
    """The 16 bytes, or None if this recipient stanza is for another identity or of another type."""
    hrp, secret = bech32_decode(identity.text)
    if hrp == "age-secret-key-" and arguments[0] == b"X25519":
        share = age_argument(arguments, body, 32)
        own = X25519PrivateKey.from_private_bytes(secret)
        recipient = own.public_key().public_bytes_raw()
        try:
            shared = own.exchange(X25519PublicKey.from_public_bytes(share))
        except ValueError:                               # all zeros
            raise Refused(Outcome.BAD_HEADER) from None
        wrap_key = HKDF(shared, share + recipient, X25519_INFO, 32)
        try:
            return ChaCha20Poly1305(wrap_key).decrypt(bytes(12), body, None)
        except InvalidTag:
            return None
    if hrp == "age-secret-key-pq-" and arguments[0] == b"mlkem768x25519":
        enc = age_argument(arguments, body, 1120)
        seeds = hashlib.shake_256(secret).digest(96)
        own = MLKEM768X25519PrivateKey(MLKEM768PrivateKey.from_seed_bytes(seeds[:64]),
                                       X25519PrivateKey.from_private_bytes(seeds[64:]))
        try:
            return HYBRID.decrypt(enc + body, own, info=HYBRID_INFO)
        except InvalidTag:
            return None
    return None


def age_argument(arguments, body, length):
    """age rejects a stanza of a type it knows in another shape, and does not try the next one."""
    require(len(arguments) == 2 and len(body) == 32, Outcome.BAD_HEADER)
    value = canonical_base64(arguments[1], padded=False)
    require(value is not None and len(value) == length, Outcome.BAD_HEADER)
    return value


def age_recipient_stanza(arguments, body):
    """The text: the arguments' line, and the body in lines of 64 with one that is shorter."""
    text = base64.b64encode(body).rstrip(b"=")
    lines = [text[k:k + 64] for k in range(0, len(text) + 1, 64)]
    return b"".join(line + b"\n" for line in [b"-> " + b" ".join(arguments), *lines])


def x25519_recipient_stanza(recipient, wrapping_key, ephemeral_secret):
    hrp, public = bech32_decode(recipient)
    assert hrp == "age"
    ephemeral = X25519PrivateKey.from_private_bytes(ephemeral_secret)
    share = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    wrap_key = HKDF(shared, share + public, X25519_INFO, 32)
    body = ChaCha20Poly1305(wrap_key).encrypt(bytes(12), wrapping_key, None)
    return age_recipient_stanza([b"X25519", base64.b64encode(share).rstrip(b"=")], body)


def x25519_identity(secret):
    """The identity and its recipient, as age writes them."""
    public = X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    return bech32_encode("age-secret-key-", secret).upper(), bech32_encode("age", public)


BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"              # BIP 173; age has no limit on the length


def bech32_polymod(values):
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for k, g in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= g if top >> k & 1 else 0
    return checksum


def bech32_expand(hrp):
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]


def bech32_encode(hrp, data):
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[k:k + 5], 2) for k in range(0, len(bits), 5)]
    checksum = bech32_polymod(bech32_expand(hrp) + values + [0] * 6) ^ 1
    values += [checksum >> 5 * (5 - k) & 31 for k in range(6)]
    return hrp + "1" + "".join(BECH32[value] for value in values)


def bech32_decode(text):
    assert text in (text.lower(), text.upper())
    hrp, _, data = text.lower().rpartition("1")
    values = [BECH32.index(c) for c in data]
    assert bech32_polymod(bech32_expand(hrp) + values) == 1
    bits = "".join(f"{value:05b}" for value in values[:-6])
    decoded = bytes(int(bits[k:k + 8], 2) for k in range(0, len(bits) - 7, 8))
    assert bech32_encode(hrp, decoded) == text.lower()   # the bits left over are zero
    return hrp, decoded


# ── Section 5: header MAC and context ───────────────────────────────────────────────────────────

def header_mac(file_key, file_salt, before):
    return HMAC(HKDF(file_key, file_salt, b"polyseal-file/1 header", 32), before)


def context_tag(file_key, file_salt, context):
    """Zeros for a file without context (None)."""
    if context is None:
        return bytes(32)
    assert 1 <= len(context) <= 65535
    return HKDF(file_key, file_salt, b"polyseal-file/1 context" + context, 32)


def unlock_header(data, keys):
    """The authentic header and its file key."""
    header = parse_header(data)
    return header, find_file_key(header, keys)


def open_header(data, keys, context):
    """The header and its file key; every check that comes before the payload."""
    header, file_key = unlock_header(data, keys)
    if header.context_tag == bytes(32):
        require(context is None, Outcome.CONTEXT_UNEXPECTED)
    else:
        require(context is not None, Outcome.CONTEXT_MISSING)
        same = hmac.compare_digest(context_tag(file_key, header.file_salt, context), header.context_tag)
        require(same, Outcome.CONTEXT_DIFFERS)
    return header, file_key


# ── Section 6: payload ──────────────────────────────────────────────────────────────────────────

def payload_key(fields, file_key, context, key_length):
    """`fields` are the header's first 128 bytes, as they stand."""
    info = (b"polyseal-file/1 payload" + fields[8:10] + fields[12:16] + fields[16:24] + fields[64:128]
            + (context or b""))
    return HKDF(file_key, fields[32:64], info, key_length)


class Payload:
    """The segments and their cipher: s is the segment size, N and t the lengths of nonce and tag."""

    def __init__(self, suite, s, key):
        _, self.N, self.t = SUITES[suite]
        self.s = s
        self.key = key
        self.aead = algorithm(suite)

    @classmethod
    def of(cls, fields, file_key, context):
        suite = parse_suite(fields[64:128])
        key_length, _, _ = SUITES[suite]
        return cls(suite, number(fields[12:16]), payload_key(fields, file_key, context, key_length))

    def nonce(self, i, last):
        start = LE(i, 8) + bytes([1 if last else 0])
        return start + bytes(self.N - len(start))

    def seal(self, i, last, plaintext):
        ciphertext, tag = self.aead.Encrypt(plaintext, b"", self.key, self.nonce(i, last), 8 * self.t)
        return ciphertext + tag

    def open(self, i, last, segment):
        ciphertext, tag = segment[:-self.t], segment[-self.t:]
        try:
            return self.aead.Decrypt(ciphertext, tag, b"", self.key, self.nonce(i, last))
        except aegis.VerificationFailed:
            raise Refused(Outcome.CORRUPT_SEGMENT, i) from None

    def cut(self, body):
        """The payload's segments, if it has a length that a payload can have."""
        unit = self.s + self.t
        segments = [body[k:k + unit] for k in range(0, len(body), unit)]
        require(segments, Outcome.TRUNCATED_PAYLOAD)
        require(len(segments[-1]) >= self.t, Outcome.TRUNCATED_PAYLOAD)
        require(len(segments[-1]) > self.t or len(segments) == 1, Outcome.TRUNCATED_PAYLOAD)
        return segments

    def seal_all(self, plaintext):
        pieces = [plaintext[k:k + self.s] for k in range(0, len(plaintext), self.s)] or [b""]
        return b"".join(self.seal(i, i == len(pieces) - 1, piece) for i, piece in enumerate(pieces))


def open_file(data, keys, context=None):
    """The plaintext, or Refused. The first segment that does not open is the one that is named."""
    header, file_key = open_header(data, keys, context)
    payload = Payload.of(header.raw, file_key, context)
    segments = payload.cut(data[header.P:])
    return b"".join(payload.open(i, i == len(segments) - 1, s) for i, s in enumerate(segments))


def open_detached(header, payload, keys, context=None):
    """Section 13: the header and the payload, from two places."""
    require(len(header) == parse_header(header).P, Outcome.BAD_HEADER)
    return open_file(header + payload, keys, context)


def open_part(data, keys, start, length, context=None):
    """plaintext[start:start + length], from the segments that it lies in; the last is opened first."""
    header, file_key = open_header(data, keys, context)
    payload = Payload.of(header.raw, file_key, context)
    segments = payload.cut(data[header.P:])
    last = len(segments) - 1
    tail = payload.open(last, True, segments[last])
    first, s = start // payload.s, payload.s
    part = b""
    for i in range(first, min(last, (start + length - 1) // s) + 1):
        part += tail if i == last else payload.open(i, False, segments[i])
    return part[start - first * s:][:length]


# ── Writing ─────────────────────────────────────────────────────────────────────────────────────

def choose_payload_offset(stanzas):
    """The smallest that leaves 2048 bytes, or the largest."""
    length = STANZAS + sum(map(len, stanzas)) + SPARE_ROOM + 32
    return next((P for P in PAYLOAD_OFFSETS if P >= length), PAYLOAD_OFFSETS[-1])


def header_fields(file_key, file_salt, stanza_count, segment_size, P, suite, context):
    """Bytes 0 to 159."""
    return (MAGIC + LE(VERSION, 2) + LE(stanza_count, 2) + LE(segment_size, 4) + LE(P, 8) + bytes(8)
            + file_salt + suite_field(suite) + context_tag(file_key, file_salt, context))


def finish_header(fields, stanzas, P, file_key):
    """The stanzas, the spare room and the MAC behind bytes 0 to 159."""
    before = fields + b"".join(stanzas)
    assert len(before) <= P - 32
    before += bytes(P - 32 - len(before))
    return before + header_mac(file_key, fields[32:64], before)


def write_file(plaintext, file_key, file_salt, make_stanzas, suite=DEFAULT_SUITE, context=None,
               segment_size=DEFAULT_SEGMENT_SIZE, P=None):
    """make_stanzas gives the stanzas that wrap `file_key` for the F it is given, the same ones for the
    same F; key and salts must be fresh."""
    def fields(stanza_count, P):
        return header_fields(file_key, file_salt, stanza_count, segment_size, P, suite, context)

    if P is None:                                        # which does not change their lengths
        P = choose_payload_offset(make_stanzas(F(fields(0, 0))))
    stanzas = make_stanzas(F(fields(0, P)))
    header = finish_header(fields(len(stanzas), P), stanzas, P, file_key)
    parse_header(header)                                 # what it refuses is not written
    return header + Payload.of(header, file_key, context).seal_all(plaintext)


# ── Section 7: changing recipients ──────────────────────────────────────────────────────────────

def change_recipients(data, keys, make_stanzas):
    """The same file for others; make_stanzas gives the stanzas for the F and the file key it is given."""
    header, file_key = unlock_header(data, keys)
    stanzas = make_stanzas(F(header.raw), file_key)
    fields = header.raw[:10] + LE(len(stanzas), 2) + header.raw[12:STANZAS]
    new = finish_header(fields, stanzas, header.P, file_key)
    parse_header(new)
    return new + data[header.P:]


# ── Section 8: key file ─────────────────────────────────────────────────────────────────────────

def parse_key_file(data):
    if len(data) == 32:
        require(not all(0x20 <= byte <= 0x7E or byte in b"\t\n\r" for byte in data), Outcome.BAD_KEY_FILE)
        return data
    require(len(data) <= 16384, Outcome.BAD_KEY_FILE)
    keys = []
    *lines, last = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for line in [*(line.removesuffix(b"\r") for line in lines), last]:
        line = line.strip(b" \t")
        if line == b"" or line.startswith(b"#"):
            continue
        found = re.fullmatch(rb"polyseal-key-1-([0-9A-Fa-f]{64})", line)
        require(found, Outcome.BAD_KEY_FILE)
        keys.append(bytes.fromhex(found[1].decode()))
    require(len(keys) == 1, Outcome.BAD_KEY_FILE)
    return keys[0]


# ── Section 9: ASCII armour ─────────────────────────────────────────────────────────────────────

ARMOR_BEGIN, ARMOR_END = b"-----BEGIN POLYSEAL FILE-----", b"-----END POLYSEAL FILE-----"
ARMOR = re.compile(rb"(?:[ \t]|\r?\n)*" + ARMOR_BEGIN + rb"\r?\n"
                   + rb"((?:[A-Za-z0-9+/]{64}\r?\n)*[A-Za-z0-9+/=]{1,64}\r?\n)"
                   + ARMOR_END + rb"(?:[ \t]|\r?\n)*")


def armor(data, end=b"\n"):
    text = base64.b64encode(data)
    lines = [text[k:k + 64] for k in range(0, len(text), 64)]
    return b"".join(line + end for line in [ARMOR_BEGIN, *lines, ARMOR_END])


def unarmor(text):
    found = ARMOR.fullmatch(text)
    require(found, Outcome.BAD_ARMOR)
    data = canonical_base64(found[1].replace(b"\r", b"").replace(b"\n", b""), padded=True)
    require(data is not None, Outcome.BAD_ARMOR)
    return data
