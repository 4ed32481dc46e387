"""research/reference/manifest.py against the kit, which it regenerates, and against who may change what."""

import json

import pytest

import blake3
import manifest as m
import manifest_kit as kit
import polyseal_file as pf

INDEX = json.loads((kit.FOLDER / "index.json").read_text())
PAYLOADS = json.loads((kit.FOLDER / "payloads.json").read_text())
KEYS = [pf.KeyFile(kit.KEY)]


def file(name):
    return (kit.FOLDER / name).read_bytes()


def context(test):
    return test["context"] and bytes.fromhex(test["context"])


# ── Manifests ───────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("allowed", [False, True], ids=["default", "allowed"])
@pytest.mark.parametrize("test", INDEX["tests"], ids=lambda test: test["file"])
def test_kit(test, allowed):
    data, outcome = file(test["file"]), test["outcomeIfAllowed" if allowed else "outcome"]
    if outcome == "ok":
        manifest = m.read_manifest(data, allow_unbound_contents=allowed)
        assert list(map(kit.shown, manifest.entries)) == test["entries"]
        assert manifest.is_complete() == all(entry.get("state") != 2 for entry in test["entries"])
        again = {"number": manifest.number, "previous": manifest.previous} if test["version"] == 3 else {}
        assert m.write(manifest.entries, version=test["version"], **again) == data
    else:
        with pytest.raises(m.Refused) as refused:
            m.read(data, allow_unbound_contents=allowed)
        assert refused.value.outcome == outcome


def test_the_kit_is_what_is_written():
    assert {path.name: path.read_bytes() for path in kit.FOLDER.iterdir()} == kit.vectors()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_no_part_of_a_manifest_is_one(version):
    whole = m.write(kit.TREE, version=version)
    for n in range(len(whole)):
        with pytest.raises(m.Refused):
            m.read(whole[:n], allow_unbound_contents=True)


def test_a_file_is_not_written_without_what_binds_it():
    entry = kit.file(b"a")
    entry.payload_root = None
    with pytest.raises(TypeError):
        m.write([entry])


# ── What an entry binds ─────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("test", PAYLOADS["files"], ids=lambda test: test["file"])
def test_the_entry_of_a_file(test):
    data = file(test["file"])
    header, file_key = pf.unlock_header(data, KEYS)
    assert m.key_commitment(bytes.fromhex(test["header"]), file_key).hex() == test["keyCommitment"]
    entry = m.entry_of(b"a", data, KEYS, context(test))
    assert entry.key_commitment.hex() == test["keyCommitment"]
    assert m.payload_root(data[header.P:], test["segment"]).hex() == entry.payload_root.hex() == test["payloadRoot"]
    assert m.payload_root(data[header.P:], test["segment"], 2).hex() == test["payloadRootInVersion2"]


@pytest.mark.parametrize("test", PAYLOADS["entries"], ids=lambda test: f"{test['file']}-{test['entryOf']}")
def test_a_file_and_an_entry(test):
    tests = {each["file"]: each for each in PAYLOADS["files"]}
    this, that = tests[test["file"]], tests[test["entryOf"]]
    data = file(this["file"])
    entry, = m.read(m.write([m.entry_of(b"a", file(that["file"]), KEYS, context(that))]))
    listed, = m.read(m.write([m.entry_of(b"a", file(that["file"]), KEYS, context(that), version=2)], version=2))
    of_version_1, = m.read(m.write([entry], version=1), allow_unbound_contents=True)

    def outcome(entry, **told):
        try:
            m.open_entry(entry, data, KEYS, context(this), **told)
        except m.Refused as refused:
            return refused.outcome
        return "ok"

    words = {True: "ok", False: "other-file"}
    assert outcome(listed) == words[test["belongs"]]
    assert outcome(entry) == outcome(entry, allow_unbound_contents=True) == words[test["belongs"]]
    assert outcome(of_version_1) == "unbound-contents"
    assert outcome(of_version_1, allow_unbound_contents=True) == words[test["belongsInVersion1"]]


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("field", ["size", "salt", "key_commitment", "payload_root"])
def test_each_field_of_an_entry_is_compared(field, version):
    entry = m.entry_of(b"a", kit.SHORT, KEYS, version=version)
    setattr(entry, field, 15 if field == "size" else bytes(32))
    entry, = m.read(m.write([entry], version=version), allow_unbound_contents=True)
    if version == 1 and field in ("key_commitment", "payload_root"):
        assert m.open_entry(entry, kit.SHORT, KEYS, allow_unbound_contents=True) == kit.message(14)
        return
    with pytest.raises(m.Refused, match="other-file"):
        m.open_entry(entry, kit.SHORT, KEYS, allow_unbound_contents=True)


def test_a_file_that_does_not_open_belongs_to_no_entry():
    entry = m.entry_of(b"a", kit.SHORT, KEYS)
    for data, keys in [(kit.SHORT[:-1] + bytes([kit.SHORT[-1] ^ 1]), KEYS), (kit.SHORT, [pf.KeyFile(bytes(32))])]:
        with pytest.raises(pf.Refused):
            m.open_entry(entry, data, keys)


def test_a_key_commitment_is_to_the_key_and_all_before_the_stanzas_but_their_number():
    header, file_key = pf.unlock_header(kit.SHORT, KEYS)
    commitment = m.key_commitment(header.raw, file_key)
    for at in range(160):
        other = bytearray(header.raw)
        other[at] ^= 1
        assert (m.key_commitment(bytes(other), file_key) == commitment) == (at in (10, 11)), at
    assert m.key_commitment(header.raw[:160] + b"anything", file_key) == commitment
    for at in range(32):
        other = bytearray(file_key)
        other[at] ^= 1
        assert m.key_commitment(header.raw, bytes(other)) != commitment


@pytest.mark.parametrize("test", PAYLOADS["roots"], ids=lambda test: f"{test['length']}-by-{test['segment']}")
def test_roots(test):
    for version, root in [(3, test["payloadRoot"]), (2, test["payloadRootInVersion2"])]:
        assert m.payload_root(kit.message(test["length"]), test["segment"], version).hex() == root


@pytest.mark.parametrize("version", [2, 3])
def test_a_root_is_of_these_segments_in_this_order(version):
    a, b, c = (bytes([x]) * 48 for x in b"abc")
    inner = b"".join(m.leaves(a + b, 48)) + (2).to_bytes(8, "little")
    node = m.leaves(a, 48)[0] + m.leaves(b, 48)[0]
    payloads = [node, blake3.derive_key("polyseal-manifest/3 node", node), a, a + b, b + a, a + b + c, a + c + b, a + b + a, a + b + b, a + b + b[:16], a + b[:16], a[:16],
                inner, blake3.derive_key("polyseal-manifest/2 root", inner)]
    roots = {m.payload_root(payload, 48, version) for payload in payloads}
    roots |= {m.payload_root(a + b, 96, version), m.payload_root(a + b, 32, version)}
    assert len(roots) == len(payloads) + 2


def test_every_byte_of_a_payload_is_in_the_root():
    payload = kit.message(100)
    root = m.payload_root(payload, 48)
    for at in range(len(payload)):
        assert m.payload_root(payload[:at] + bytes([payload[at] ^ 1]) + payload[at + 1:], 48) != root


def test_a_segment_is_shown_with_a_hash_for_each_level_above_it():
    """The root and the number of segments are enough: the shape says on which side each hash is."""
    def path(i, leaves):
        n = len(leaves)
        if n == 1:
            return []
        k = 1 << (n - 1).bit_length() - 1
        return path(i, leaves[:k]) + [m.tree(leaves[k:])] if i < k else path(i - k, leaves[k:]) + [m.tree(leaves[:k])]

    def climb(leaf, i, n, hashes):
        if n == 1:
            return leaf
        k = 1 << (n - 1).bit_length() - 1
        below = climb(leaf, i if i < k else i - k, k if i < k else n - k, hashes[:-1])
        pair = below + hashes[-1] if i < k else hashes[-1] + below
        return blake3.derive_key("polyseal-manifest/3 node", pair)

    for n in range(1, 35):
        payload = kit.message(48 * n - 5)
        leaves, root = m.leaves(payload, 48), m.payload_root(payload, 48)
        for i, leaf in enumerate(leaves):
            hashes = path(i, leaves)
            assert len(hashes) <= (n - 1).bit_length()
            top = climb(leaf, i, n, hashes) + n.to_bytes(8, "little")
            assert blake3.derive_key("polyseal-manifest/3 root", top) == root
