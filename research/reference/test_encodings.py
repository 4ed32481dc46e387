"""No two inputs have one encoding: what is hashed, put under a MAC, or used as a tweak or a nonce, can be read back.

A test here has a reader for what an encoder of this folder writes. It is a left inverse: read(write(x)) = x for every x
that is tried, and a function with a left inverse is injective. The reader is given only what is fixed beside the
encoding, which its comment names. The x are all lengths around every edge that the encoder has, all values of every
byte of a fixed field, and contents that look like paddings, lengths and other fields. Where the encoding of a
variable field ends with its length, or begins with it, no more than that is used to read it.

Four encoders: Flex (docs/spec/flex.md), files and tickets (docs/spec/file-format.md), manifests (docs/spec/manifest.md),
the link (research/hw/docs/packet-format.md). Encoders are run, not transcribed: the primitive below them is replaced by one that
writes down what it is given.
"""

import copy
import itertools

import blake3
import flex
import manifest
import omd_link
import polyseal_file as pf
import pytest
import ticket
from aegis_vectors import shake
from flex import LE, NH, OCH, PRE, PROFILES, ROBUST, STREAM, VARIABLE, number
from omd import HASHES

# Contents that look like something else. Each is as long as asked for.
LOOKS = {
    "zeros": bytes,
    "ones": lambda n: b"\x01" * n,
    "a padding": lambda n: (b"\x80" + bytes(n))[:n],
    "its own length": lambda n: (bytes(n) + LE(8, n))[8:] if n >= 8 else bytes([n]) * n,
    "anything": lambda n: shake(n, "encodings", n),
}


def contents(lengths):
    return [look(n) for n in lengths for look in LOOKS.values()]


def once(values):
    """No value twice; they are few enough to be compared all with all."""
    values = list(values)
    assert len(set(values)) == len(values)


# ── Flex: the hash ──────────────────────────────────────────────────────────────────────────────

class Recorder:
    """A permutation that writes down what it is given. What it gives is never the same twice."""

    def __init__(self, B):
        self.B, self.calls = B, []

    def __call__(self, X):
        self.calls.append(X)
        return shake(self.B, "recorder", len(self.calls))


def recording(profile):
    profile = copy.copy(profile)
    profile.pi = Recorder(profile.B)
    return profile


def blocks_of_seq(profile, dom, X, ell, tree):
    """The blocks under the chaining value, and how many of them are the last of an S(c)."""
    profile = recording(profile)
    profile.seq(bytes(profile.t), dom, X, ell, tree)
    outputs = -(-ell // profile.B)
    return [call[profile.t:] for call in profile.pi.calls], outputs


def read_seq(blocks, outputs):
    """(dom, X, tree, [c]). Beside the blocks: how many calls were for output, which FIN says."""
    body, lasts = b"".join(blocks[:len(blocks) - outputs]), blocks[len(blocks) - outputs:]
    counters = [last[-2] for last in lasts]
    assert {last[:-2] + last[-1:] for last in lasts} == {lasts[0][:-2] + lasts[0][-1:]}
    whole = body + lasts[0]
    tree, dom, k = whole[-1] >> 7, whole[-1] >> 4 & 7, whole[-1] & 15
    length = number(whole[len(whole) - 2 - k:len(whole) - 2])
    X, padding = whole[:length], whole[length:len(whole) - 2 - k]
    assert not any(padding) and len(padding) < len(lasts[0])
    return dom, X, tree, counters


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_flex_seq_can_be_read(profile):
    r, t = profile.r, profile.t
    lengths = sorted({*range(2 * r + 6), *range(253, 260), 2**16 - 1, 2**16})
    for dom, tree in itertools.product(range(8), (0, 1)):
        for X in contents(lengths if (dom, tree) == (1, 0) else (0, 1, r - 2, r - 1, 255, 256)):
            for ell in (t, profile.B, 3 * t):
                blocks, outputs = blocks_of_seq(profile, dom, X, ell, tree)
                assert read_seq(blocks, outputs) == (dom, X, tree, list(range(outputs)))


def calls_of_F(profile, dom, X):
    """The calls of seq: its chaining value, domain, input, output's length and tree; and a name for what it gave."""
    profile = copy.copy(profile)
    calls = []

    def seq(H, dom, X, ell, tree=0):
        calls.append((H, dom, X, ell, tree))
        return shake(ell, "seq", len(calls))
    profile.seq = seq
    profile.F(bytes(profile.t), dom, X, profile.t)
    return calls


def read_F(calls, t):
    """(dom, X). A chaining value names the call that gave it, as it does where seq is free of collisions."""
    *leaves, (_, dom, X, _, tree) = calls
    if not tree:
        assert not leaves
        return dom, X
    named = {shake(t, "seq", i + 1): leaf for i, leaf in enumerate(leaves)}
    values, length = flex.blocks(X[:-8], t), number(X[-8:])
    parts = []
    for i, value in enumerate(values):
        _, leaf_dom, leaf, _, leaf_tree = named[value]
        assert (leaf_dom, leaf_tree, number(leaf[-8:])) == (flex.LEAF, 0, i)
        parts.append(leaf[:-8])
    assert all(len(part) == 256 for part in parts[:-1]) and 1 <= len(parts[-1]) <= 256
    assert len(b"".join(parts)) == length
    return dom, b"".join(parts)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_flex_F_can_be_read(profile):
    for dom in (1, 2, 3, 4, 5, 7):
        for X in contents((0, 1, 255, 256, 257, 511, 512, 513, 769, 5000)):
            calls = calls_of_F(profile, dom, X)
            assert read_F(calls, profile.t) == (dom, X)
            # A leaf is no other input: the domain is no one else's, and a root has a bit of its own.
            assert dom != flex.LEAF and all(call[1] == flex.LEAF for call in calls[:-1])
            assert calls[-1][4] == (len(calls) > 1)


def recorded(cfg, K, AD_s, work):
    """The calls of F and seq in Init and in work(F)."""
    profile = copy.copy(flex.PROFILES[cfg[2]])
    calls = []

    def note(H, dom, X, ell, tree=0):
        calls.append((dom, X, ell, H))
        return shake(ell, "F", len(calls))
    profile.F = profile.seq = note
    kept = flex.PROFILES[cfg[2]]
    flex.PROFILES[cfg[2]] = profile
    try:
        work(flex.Flex(cfg, K, AD_s, True, True))
    finally:
        flex.PROFILES[cfg[2]] = kept
    return calls


def nothing(_):
    pass


def test_flex_lengths_of_output_belong_to_domains():
    lengths = {}
    for cfg in (bytes([mode, flags, profile, 16, 12 if flags & NH else 255, 0 if flags & NH else 255,
                       8 if flags & STREAM else 0, 0])
                for mode in (1, 2, 3) for flags in range(16) for profile in PROFILES):
        try:
            flex.Configuration.parse(cfg, True, True)
        except flex.InvalidConfiguration:
            continue
        for dom, _, ell, _ in recorded(cfg, bytes(32), b"setup", lambda F: F.seal(bytes(12), b"ad", bytes(700))):
            lengths.setdefault((cfg[2], dom), set()).add(ell)
    assert all(len(found) == 1 for found in lengths.values())
    assert {dom for _, dom in lengths} == {flex.KDF, flex.AD_, flex.NAD, flex.MASK, flex.SEG, flex.HASH}


def read_init(X, r):
    """(K, cfg, AD_s), from the end. Beside X: the profile, whose name is in IV."""
    length = number(X[-2:])
    K, rest = X[:length], X[length:-2]
    padding, rest = rest[:-length % r], rest[-length % r:]
    assert not any(padding)
    return K, rest[:8], rest[8:]


@pytest.mark.parametrize("profile", PROFILES)
def test_flex_init_can_be_read(profile):
    for flags in (0, PRE):
        cfg = bytes([2, flags, profile, 16, 0, 0, 0, 0])
        for K in contents((16, 17, 31, 32, 33, 64, 200, 1024)):
            for AD_s in contents((0, 1, 7, 8, 9, 40)):
                calls = recorded(cfg, K, AD_s, nothing)
                prepared = AD_s
                if flags & PRE:
                    dom, hashed, _, H = calls.pop(0)
                    assert (dom, hashed, H) == (flex.HASH, AD_s, PROFILES[profile].IV)
                    prepared = shake(PROFILES[profile].t, "F", 1)
                dom, X, _, H = calls[0]
                assert (dom, H) == (flex.KDF, PROFILES[profile].IV)
                assert read_init(X, PROFILES[profile].r) == (K, cfg, prepared)


def test_flex_profiles_begin_differently():
    once((profile.t, profile.B, profile.IV) for profile in PROFILES.values())
    for profile in PROFILES.values():
        assert profile.IV.rstrip(b"\0").decode() == f"Flex-1:{profile.name}" and len(profile.IV) == profile.t


def read_ctx(X, NL):
    """(AD, N), from the end. Beside X: NL of cfg, which the key depends on."""
    if NL == VARIABLE:
        NL, X = number(X[-2:]), X[:-2]
    return X[:len(X) - NL], X[len(X) - NL:]


def test_flex_contexts_can_be_read():
    for NL in (0, 8, 24, 1024, VARIABLE):
        cfg = bytes([2, 0, 1, 16]) + LE(2, NL) + bytes(2)
        for AD in contents((0, 1, 2, 255, 256, 300)):
            for N in contents((0, 1, 2, 3, 255, 256, 65535) if NL == VARIABLE else (NL,)):
                dom, X, _, _ = recorded(cfg, bytes(32), b"", lambda F: F.ctx(N, AD))[-1]
                assert dom == flex.NAD and read_ctx(X, NL) == (AD, N)
    hidden = bytes([2, NH, 1, 16, 12, 0, 0, 0])
    for AD in contents((1, 2, 300)):
        assert recorded(hidden, bytes(32), b"", lambda F: F.ctx(b"", AD))[-1][:2] == (flex.AD_, AD)
    # Without associated data the context's key is K1, which no call gives but that of the KDF.
    dom, _, _, _ = recorded(hidden, bytes(32), b"", lambda F: F.ctx(b"", b""))[-1]
    assert dom == flex.MASK


def test_flex_segments_can_be_read():
    cfg = flex.REGISTRY[0x31]
    for j in (0, 1, 255, 256, 2**32, 2**64 - 1):
        for last in (False, True):
            dom, X, _, _ = recorded(cfg, bytes(32), b"", lambda F: F.segment_key(bytes(32), j, last))[-1]
            assert dom == flex.SEG and (number(X[:8]), X[8:]) == (j, bytes([last]))


def test_flex_configurations_can_be_read():
    for cfg in (bytes([mode, flags, 1, TL, NL & 255, NL >> 8, aux, 0])
                for mode in (1, 2, 3) for flags in range(16) for TL in range(0, 40, 4)
                for NL in (0, 1, 8, 63, 1024, VARIABLE) for aux in (0, 8, 16, 24)):
        try:
            c = flex.Configuration.parse(cfg, True, True)
        except flex.InvalidConfiguration:
            continue
        assert bytes([c.mode, c.flags, c.profile.id, c.TL]) + LE(2, c.NL) + LE(2, c.aux) == cfg


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_flex_padding_can_be_read(profile):
    for X in contents(range(profile.B)):
        padded = profile.pad10(X)
        assert padded.rstrip(b"\0")[:-1] == X and padded.rstrip(b"\0")[-1] == 0x80


# ── Flex: the tweaks ────────────────────────────────────────────────────────────────────────────

class Tweaks(flex.TBC):
    """Writes down the tweaks. E~ is the identity, so that nothing costs."""

    def __init__(self, profile, mode):
        super().__init__(profile, mode, bytes(profile.t), [])
        self.used = []

    def D(self, i, j):
        assert 0 <= i < 2**64 and 0 <= j < 16
        self.used.append((i, j, self.committing(j)))
        return bytes(self.profile.B)

    def __call__(self, i, j, X):
        self.D(i, j)
        return X

    inverse = __call__

    def H(self, i, j, X):
        return self(i, j, X)


def shape(profile, length):
    """The part of a message's length that the tag has to tell, beside the blocks."""
    if length < profile.B:
        return "short"
    m, tail = divmod(length, profile.B)
    if tail == 0 or not profile.WIDE:                     # if not WIDE, there is one call for both kinds of tail
        return m, tail > 0
    return m, "below r" if tail < profile.r else "from r"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_flex_tweaks_are_used_once_and_tell_the_shape(profile):
    B = profile.B
    for mode, w in ((1, 0), (1, 12), (2, 0), (3, 0)):
        tags = {}
        for length in range(w, 4 * B + 1):
            E = Tweaks(profile, mode)
            if mode == ROBUST:
                flex.WB(E, bytes(length))
                E.tag(length, 8, bytes(profile.r))
                found = length
            else:
                flex.ENC[mode](E, profile.t, w, bytes(length))
                # CIV has no messages that are short in this sense.
                m, tail = divmod(length, B)
                found = shape(profile, length) if mode == OCH else (m, tail > 0)
            tweaks = [(i, j) for i, j, _ in E.used]
            once(tweaks)
            once(16 * i + j for i, j in tweaks)
            assert all(16 * i + j > 0 for i, j in tweaks)
            # Those on the way to the tag, which are the last: with the block's number, they tell the shape.
            on_the_way = tuple(t for t in E.used if t[2] or mode == OCH and t[1] in (2, 3, 4)
                               or mode == 2 and t[1] in (3, 4))
            assert on_the_way and on_the_way[-1][2] and tags.setdefault(on_the_way, found) == found
        once(tags.values())


def test_flex_masks_differ():
    # p is a polynomial of degree below 68, and n is more: so p ⊗ L is L times something that is not zero, and another
    # for another p.
    for profile in PROFILES.values():
        assert (16 * (2**64 - 1) + 15).bit_length() == 68 < 8 * profile.B
    for i, j in itertools.product((0, 1, 255, 2**63, 2**64 - 1), range(16)):
        assert divmod(16 * i + j, 16) == (i, j)


def test_flex_ciphertexts_have_a_length_for_each_message():
    # Beside |C|: cfg.
    for cfg in flex.REGISTRY.values():
        parsed = flex.Configuration.parse(cfg, True, True)
        edges = {*range(300), 2**16 - 1, 2**16, 2**16 + 1, 2**17, 2**17 + 1}
        once(parsed.ciphertext_length(n) for n in edges)


# ── Files ───────────────────────────────────────────────────────────────────────────────────────

FILE_KEY, FILE_SALT = shake(32, "file key"), shake(32, "file salt")


def header(stanzas=1, segment_size=65536, P=4096, suite="aegis-256x2", context=None, salt=FILE_SALT, how=b""):
    fields = pf.header_fields(FILE_KEY, salt, stanzas, segment_size, P, suite, context)
    made = [pf.make_stanza(pf.F(fields), pf.KEY_FILE, bytes([i]) * 32, shake(32, "stanza", i), how, FILE_KEY)
            for i in range(stanzas)]
    return pf.finish_header(fields, made, P, FILE_KEY), made


def test_headers_can_be_read():
    # Segment sizes, offsets and suites are all that there are.
    for stanzas, size, P, suite, context in itertools.chain(
            ((n, 65536, 24576, "aes-256-gcm", None) for n in (1, 2, 3, 127, 128)),
            ((1, size, 4096, "aes-256-gcm", None) for size in pf.SEGMENT_SIZES),
            ((1, 4096, P, "aes-256-gcm", b"c") for P in pf.PAYLOAD_OFFSETS),
            ((1, 4096, 4096, suite, b"c") for suite in pf.SUITES)):
        raw, made = header(stanzas, size, P, suite, context)
        found = pf.parse_header(raw + b"payload")
        assert (found.segment_size, found.P, found.suite) == (size, P, suite)
        assert (found.file_salt, found.context_tag) == (FILE_SALT, pf.context_tag(FILE_KEY, FILE_SALT, context))
        assert [stanza.raw for stanza in found.stanzas] == made
        assert found.raw == raw and pf.header_fields(FILE_KEY, found.file_salt, len(found.stanzas), found.segment_size,
                                                     found.P, found.suite, context) == raw[:pf.STANZAS]


def test_what_a_header_mac_is_over_is_the_header():
    inputs = []
    for P in pf.PAYLOAD_OFFSETS:
        raw, _ = header(P=P)
        # The payload offset has a fixed place, and says where the input ends.
        assert number(raw[16:24]) == P and len(raw) == P
        inputs.append(raw[:-32])
    once(inputs)


def test_suites_have_fields_of_their_own():
    once(map(pf.suite_field, pf.SUITES))
    for suite in pf.SUITES:
        assert len(pf.suite_field(suite)) == 64 and pf.parse_suite(pf.suite_field(suite)) == suite


def test_stanzas_can_be_read():
    # Beside the tag's input: F, which has a fixed length.
    fields = pf.header_fields(FILE_KEY, FILE_SALT, 1, 65536, 4096, "aegis-256x2", None)
    seen = []
    hows = {pf.KEY_FILE: [b""], pf.PASSPHRASE: [pf.LE(m, 4) + pf.LE(t, 4) + pf.LE(p, 4)
                                                for m, t, p in ((8, 1, 1), (65536, 3, 4), (262144, 10, 16))],
            pf.AGE: [pf.LE(len(text), 2) + text + b"".join(
                         pf.age_recipient_stanza(arguments, body) for arguments, body in recipients)
                     for text in (b"", b"a", b"a b", b"postquantum")
                     for recipients in ([([b"X25519", b"share"], bytes(32))],
                                        [([b"x"], b""), ([b"y", b"-"], bytes(47)), ([b"z"], bytes(48))])]}
    for type_, all_of_type in hows.items():
        for how in all_of_type:
            raw = pf.make_stanza(pf.F(fields), type_, bytes(32), shake(32, "salt"), how, FILE_KEY)
            covered = pf.F(fields) + raw[:-32]
            rest = covered[158:]
            assert covered[:158] == pf.F(fields) and number(rest[2:4]) == len(rest) + 32 - 4
            found = pf.parse_stanza(rest + bytes(32))
            assert (found.type, found.salt, found.how) == (type_, shake(32, "salt"), how)
            if type_ == pf.AGE:
                again = b"".join(pf.age_recipient_stanza(*recipient) for recipient in found.recipients)
                assert pf.LE(len(pf.labels(found)), 2) + pf.labels(found) + again == how
            seen.append(covered)
    once(seen)


# Everything that is derived from a file key with its salt. Each label is followed by what its row says.
LABELS = {b"polyseal-file/1 header": 0, b"polyseal-file/1 ticket": 0, b"polyseal-file/1 context": None,
          b"polyseal-file/1 payload": None, b"polyseal-manifest/2 file key": 158}
LABEL_OF_STANZAS = b"polyseal-file/1 stanza"


def infos(monkeypatch, work):
    found = []
    real = pf.HKDF

    def HKDF(key, salt, info, n):
        found.append((key, salt, info))
        return real(key, salt, info, n)
    monkeypatch.setattr(pf, "HKDF", HKDF)
    work()
    monkeypatch.undo()
    return found


def read_info(info):
    """(label, what follows it), by which label it begins with."""
    labels = [label for label in [*LABELS, LABEL_OF_STANZAS] if info.startswith(label)]
    assert len(labels) == 1, info
    return labels[0], info[len(labels[0]):]


CONTEXTS = [b"a", b"\0", b" context", b"polyseal-file/1 payload", bytes(40), b"\x01" * 65535, shake(300, "context")]


def test_labels_are_no_beginnings_of_one_another():
    for one, other in itertools.permutations([*LABELS, LABEL_OF_STANZAS], 2):
        assert not one.startswith(other)


def test_contexts_and_payload_keys_can_be_read(monkeypatch):
    for context in [None, *CONTEXTS]:
        raw, _ = header(context=context, segment_size=4096, P=8192, suite="xaes-256-gcm")
        if context is not None:
            (key, salt, info), = infos(monkeypatch, lambda: pf.context_tag(FILE_KEY, FILE_SALT, context))
            assert (key, salt) == (FILE_KEY, FILE_SALT)
            assert read_info(info) == (b"polyseal-file/1 context", context)
        (key, salt, info), = infos(monkeypatch, lambda: pf.payload_key(raw, FILE_KEY, context, 32))
        label, rest = read_info(info)
        assert (label, key, salt) == (b"polyseal-file/1 payload", FILE_KEY, FILE_SALT)
        # Four fields of fixed lengths, then the context, which has a byte at least.
        version, size, P, suite, found = rest[:2], rest[2:6], rest[6:14], rest[14:78], rest[78:]
        assert (number(version), number(size), number(P), pf.parse_suite(suite)) == (1, 4096, 8192, "xaes-256-gcm")
        assert (found or None) == context


def test_every_derivation_has_its_label(monkeypatch):
    raw, _ = header()

    def work():
        pf.header_mac(FILE_KEY, FILE_SALT, raw)
        ticket.ticket_key(FILE_KEY, FILE_SALT)
        manifest.key_commitment(raw, FILE_KEY)
        pf.context_tag(FILE_KEY, FILE_SALT, b"c")
        pf.payload_key(raw, FILE_KEY, None, 32)
    found = dict(read_info(info) for _, _, info in infos(monkeypatch, work))
    assert found.keys() == LABELS.keys()
    for label, rest in found.items():
        assert LABELS[label] in (None, len(rest))
    for type_ in (1, 2, 3, 0x7fff):
        (_, _, info), = infos(monkeypatch, lambda: pf.stanza_keys(bytes(32), bytes(32), type_))
        label, rest = read_info(info)
        assert (label, len(rest), number(rest)) == (LABEL_OF_STANZAS, 2, type_)


def test_nonces_of_segments_can_be_read():
    for suite, (_, N, _) in pf.SUITES.items():
        payload = pf.Payload(suite, 4096, b"")
        for i, last in itertools.product((*range(300), 2**16, 2**32, 2**48 - 1), (False, True)):
            nonce = payload.nonce(i, last)
            assert len(nonce) == N and (number(nonce[:8]), nonce[8], any(nonce[9:])) == (i, last, False)
            # So number and flag are in what a key is derived from, where one is: the first 12 bytes.
            assert N >= 12


def test_payloads_can_be_cut():
    class Nothing:
        """An AEAD that changes nothing. Its tag tells the nonce."""

        def Encrypt(self, P, A, K, N, t):
            return P, N[:9].ljust(t // 8, b"\xee")
    for s, lengths in ((4096, (0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 40000)),):
        payload = pf.Payload("aegis-128l", s, b"")
        payload.aead = Nothing()
        stored = []
        for n in lengths:
            plaintext = shake(n, "payload")
            body = payload.seal_all(plaintext)
            segments = payload.cut(body)
            assert b"".join(segment[:-16] for segment in segments) == plaintext
            numbers = [(number(segment[-16:-8]), segment[-8]) for segment in segments]
            assert numbers == [(i, i == len(segments) - 1) for i in range(len(segments))]
            stored.append(len(body))
        once(stored)


def test_tickets_can_be_read():
    raw, _ = header()
    workers, _ = header(stanzas=2)
    keys = [pf.KeyFile(bytes(32))]
    made = []
    for n, v, detached, for_workers in itertools.product(
            (0, 1, 65536, 2**48), (b"v", b"v\0", bytes(4096)), (False, True), (b"", workers)):
        made.append(ticket.write(raw, FILE_KEY, n, v, detached, for_workers))
        found = ticket.read(made[-1], keys, v)
        assert (found.n, found.detached, found.header.raw) == (n, detached, raw)
        assert made[-1][15 + 1 + 1 + 8 + 32:-32] == raw + for_workers
    once(made)


def test_armour_and_key_files_can_be_read():
    for data in contents((1, 2, 3, 46, 47, 48, 49, 96, 97)):
        assert pf.unarmor(pf.armor(data)) == data
    for key in contents((32,)):
        assert pf.parse_key_file(b"polyseal-key-1-" + key.hex().encode() + b"\n") == key


# ── Manifests ───────────────────────────────────────────────────────────────────────────────────

def entries_of(kinds, paths):
    for kind, path in zip(kinds, paths):
        seconds, nanoseconds = -(2**63) + len(path), 10**9 - 1
        if kind == "link":
            yield manifest.Entry("link", path, 0, seconds, nanoseconds, target=b"x" + path[1:], state=0, reason=0)
        elif kind == "directory":
            yield manifest.Entry("directory", path, 0o777, seconds, nanoseconds, state=0, reason=0)
        elif kind == "absent":
            yield manifest.Entry("absent", path, 0, 0, 0, state=manifest.FAILED, reason=255)
        else:
            yield manifest.Entry("file", path, 0o644, seconds, nanoseconds, 2**64 - 1, shake(32, "salt", path),
                                 shake(32, "commitment", path), shake(32, "root", path), state=manifest.UNCHANGED,
                                 reason=0, stamp=shake(16, "stamp", path))


def test_manifests_can_be_read():
    made = []
    names = [b"a", b"aa", b"b", b"e", b"f\n", b"l" * 65535]
    for count in range(4):
        for paths in itertools.combinations(names, count):
            for kinds in itertools.product(manifest.TYPES.values(), repeat=count):
                entries = list(entries_of(kinds, paths))
                data = manifest.write(entries)
                assert manifest.read(data) == entries
                made.append(data)
                made.append(manifest.write(entries, number=2))
                previous = manifest.Previous(*(shake(32, "previous", field) for field in range(3)))
                made.append(manifest.write(entries, previous=previous))
                found = manifest.read_manifest(made[-1])
                assert (found.number, found.previous) == (1, previous)
    inside = list(entries_of(["directory", "file", "file"], [b"d", b"d/a", b"d.a"]))
    assert manifest.read(manifest.write(inside)) == inside
    once(made)


def test_versions_of_manifests_are_told_apart():
    for count in (0, 1, 2):
        entries = list(entries_of(["file"] * count, [b"a", b"b"]))
        bound, unbound = manifest.write(entries), manifest.write(entries, version=manifest.UNBOUND)
        assert bound[18:20] != unbound[18:20] and bound[:18] == unbound[:18] == manifest.MAGIC
        found = manifest.read(unbound, allow_unbound_contents=True)
        assert [(e.path, e.size, e.salt, e.key_commitment) for e in found] == [
            (e.path, e.size, e.salt, None) for e in entries]


def test_contexts_of_manifests_can_be_read():
    for version in (2, 3):
        label = b"polyseal-manifest/%d" % version
        for files in [b"", *CONTEXTS]:
            found = manifest.context(files, version)
            assert found.startswith(label)
            rest = found[len(label):]
            assert (rest[1:] if rest else b"") == files and rest[:1] in (b"", b":")


def test_a_key_commitment_is_over_every_fixed_field(monkeypatch):
    raw, _ = header()
    (key, salt, info), = infos(monkeypatch, lambda: manifest.key_commitment(raw, FILE_KEY))
    label, rest = read_info(info)
    assert (key, salt) == (FILE_KEY, FILE_SALT) and rest == raw[:10] + raw[12:160]
    assert len(label) + 158 == len(info)


def test_roots_of_payloads_can_be_read(monkeypatch):
    calls = []

    def derive_key(context, material):
        calls.append((context, material))
        return shake(32, "blake3", context, material.hex())
    monkeypatch.setattr(blake3, "derive_key", derive_key)
    segment, made = 48, []
    for version in (2, 3):
        for n in (16, 17, 48, 48 + 17, 96, 96 + 16 + 1, 480):
            payload = shake(n, "payload")
            calls.clear()
            manifest.payload_root(payload, segment, version)
            *inner, (context, material) = calls
            assert context == f"polyseal-manifest/{version} root"
            leaves = [call for call in inner if call[0] == "polyseal-manifest/2 leaf"]
            nodes = [call for call in inner if call[0] == "polyseal-manifest/3 node"]
            assert len(leaves) + len(nodes) == len(inner) and (not nodes or version == 3)
            count, values = number(material[-8:]), material[:-8]
            assert count == len(leaves) and len(values) == 32 * (count if version == 2 else 1)
            named = {shake(32, "blake3", of, stored.hex()): stored for of, stored in leaves}
            pairs = {shake(32, "blake3", of, pair.hex()): pair for of, pair in nodes}

            def read(values):
                parts = [values[k:k + 32] for k in range(0, len(values), 32)]
                return b"".join(read(pairs[part]) if part in pairs else named[part] for part in parts)
            assert read(values) == payload
            made.append((context, material))
    once(made)


# ── The link ────────────────────────────────────────────────────────────────────────────────────

class Compression:
    """In the place of a suite's: writes down what it is given."""

    def __init__(self, n):
        self.n, self.calls = n, []

    def compress(self, H, block):
        self.calls.append((H, block))
        return shake(self.n, "compression", len(self.calls))


def derivations(monkeypatch, suite, id_A, id_B):
    """The inputs from which the keys of a session are derived, without the master key; and the associated data."""
    n = HASHES[suite.family].n
    fake = Compression(n)

    class Omd:
        hash = fake
    Omd.n = n
    monkeypatch.setattr(omd_link.omd, "algorithm", lambda family: Omd)
    MK = b"\xa5" * n
    keys = omd_link.Keys(suite, MK, id_A, id_B)
    monkeypatch.undo()
    assert all(len(H) == n and len(block) == 2 * n and block[:n] == MK for H, block in fake.calls)
    return [H + block[n:] for H, block in fake.calls], keys.AD


def identifier_bytes():
    """How long an identifier is: a version of the format may say something else."""
    for n in range(1, 65):
        try:
            omd_link.Keys(omd_link.SUITES[1], bytes(32), bytes(n), b"\1" * n)
        except ValueError:
            continue
        return n
    raise AssertionError("no length of identifiers is taken")


def places_of(encode, length):
    """Where in its output each byte of an input of that length stands. Fields of fixed lengths have such places."""
    tries = [shake(length, "places", k) for k in range(6)]
    outputs = [encode(x) for x in tries]
    places = []
    for k in range(length):
        column = bytes(x[k] for x in tries)
        places.append([p for p in range(len(outputs[0])) if bytes(out[p] for out in outputs) == column])
    assert all(places), "a byte is nowhere"
    return [p[0] for p in places]


@pytest.mark.parametrize("suite", omd_link.SUITES.values(), ids=lambda suite: suite.family)
def test_what_keys_of_the_link_are_derived_from_can_be_read(monkeypatch, suite):
    n = identifier_bytes()
    purposes, AD = derivations(monkeypatch, suite, bytes(n), b"\1" * n)
    once(purposes)                                        # one for each purpose
    for which in range(len(purposes) + 1):
        def encode(ids, which=which):
            inputs, AD = derivations(monkeypatch, suite, ids[:n], ids[n:])
            return [*inputs, AD][which]
        places = places_of(encode, 2 * n)
        # The left inverse: the bytes at their places. Every value of every byte, and anything.
        base = shake(2 * n, "identifiers")
        inputs = [base[:k] + bytes([v]) + base[k + 1:] for k in range(2 * n) for v in range(0, 256, 15)]
        for ids in [*inputs, *(shake(2 * n, "ids", k) for k in range(16))]:
            if ids[:n] != ids[n:]:
                encoded = encode(ids)
                assert bytes(encoded[p] for p in places) == ids


def test_suites_of_the_link_derive_apart(monkeypatch):
    n = identifier_bytes()
    seen, of_AD = [], []
    for suite in omd_link.SUITES.values():
        purposes, AD = derivations(monkeypatch, suite, bytes(n), b"\1" * n)
        seen += [(suite.number, purpose) for purpose in purposes]
        # Two suites may have one compression function's size: the number is in the input.
        assert all(bytes([omd_link.VERSION, suite.number]) in purpose for purpose in purposes)
        assert bytes([omd_link.VERSION, suite.number]) in AD
        of_AD.append(AD)
    once([*(purpose for _, purpose in seen)])
    once(of_AD)


def test_nonces_of_the_link_can_be_read():
    for suite in omd_link.SUITES.values():
        for direction, session, counter in itertools.product(
                (omd_link.A, omd_link.B), (bytes(4), b"\1\2\3\4", b"\xff" * 4), (0, 1, 255, 2**32, omd_link.LAST)):
            nonce = omd_link.nonce(suite, direction, session, counter)
            assert len(nonce) == suite.NONCE
            assert (nonce[0], nonce[-12:-8], int.from_bytes(nonce[-8:], "big")) == (direction, session, counter)
            assert not any(nonce[1:-12])
