"""research/reference/polyseal_file.py against the kit, against itself, and against what others have printed."""

import hashlib
import json

import pytest

import file_format_kit
import kit.draft
import kit.entry
import kit.keys
import polyseal_file as f

FOLDER = file_format_kit.FOLDER
INDEX = json.loads((FOLDER / "index.json").read_text())


def as_bytes(value):
    return bytes.fromhex(value["hex"]) * value.get("times", 1)


def key(name):
    entry = INDEX["keys"][name]
    if entry["kind"] == "key-file":
        return f.KeyFile(as_bytes(entry))
    if entry["kind"] == "passphrase":
        return f.Passphrase(as_bytes(entry))
    return f.AgeIdentity(entry["identity"])


def label(test):
    return f"{test['file']}-{'+'.join(test.get('keys', []))}"


def check(test, read):
    """read(data, keys, context) comes to what the entry says."""
    data = (FOLDER / test["file"]).read_bytes()
    context = test["context"] and as_bytes(test["context"])
    keys = [key(name) for name in test["keys"]]
    try:
        plaintext = read(data, keys, context)
    except f.Refused as refused:
        found = {"outcome": refused.outcome.value}
        if refused.segment is not None:
            found["segment"] = refused.segment
    else:
        found = {"outcome": "ok", **kit.entry.plaintext(plaintext)}
    expected = ("outcome", "segment", "plaintext", "plaintextLength", "plaintextSha256")
    assert found == {name: test[name] for name in expected if name in test}


@pytest.mark.parametrize("test", INDEX["tests"], ids=label)
def test_kit(test):
    def read(data, keys, context):
        return f.open_file(f.unarmor(data) if test["armored"] else data, keys, context)

    check(test, read)


@pytest.mark.parametrize("test", [t for t in INDEX["tests"] if not t["armored"]], ids=label)
def test_header_and_payload_from_two_places(test):
    def read(data, keys, context):
        P = f.parse_header(data).P
        return f.open_detached(data[:P], data[P:], keys, context)

    check(test, read)


def test_a_header_of_its_own_ends_with_its_mac():
    data = (FOLDER / next(t["file"] for t in INDEX["tests"] if t["outcome"] == "ok" and not t["armored"])).read_bytes()
    P = f.parse_header(data).P
    with pytest.raises(f.Refused):
        f.open_detached(data[:P + 1], data[P:], [], None)


def header_outcome(data, keys, context):
    try:
        f.open_header(data, keys, context)
    except f.Refused as refused:
        return refused.outcome
    return f.Outcome.OK


@pytest.mark.parametrize("test", [t for t in INDEX["tests"] if not t["armored"]], ids=label)
def test_the_order_of_stanzas_and_keys_makes_no_difference(test, monkeypatch):
    data = (FOLDER / test["file"]).read_bytes()
    context = test["context"] and as_bytes(test["context"])
    keys = [key(name) for name in test["keys"]]
    forwards = header_outcome(data, keys, context)
    in_order = f.tries
    monkeypatch.setattr(f, "tries", lambda stanzas, keys: in_order(stanzas[::-1], keys[::-1]))
    assert header_outcome(data, keys, context) == forwards


@pytest.mark.parametrize("test", INDEX["parts"], ids=label)
def test_parts(test):
    def read(data, keys, context):
        return f.open_part(data, keys, test["start"], test["length"], context)

    check(test, read)


@pytest.mark.parametrize("test", INDEX["keyFiles"], ids=lambda test: test["file"])
def test_key_files(test):
    data = (FOLDER / test["file"]).read_bytes()
    if test["outcome"] == "ok":
        assert f.parse_key_file(data).hex() == test["key"]
    else:
        with pytest.raises(f.Refused) as refused:
            f.parse_key_file(data)
        assert refused.value.outcome.value == test["outcome"]


def test_the_kit_is_what_the_generator_writes():
    assert file_format_kit.differences() == []


def test_the_kit_has_every_outcome_and_every_file_is_used():
    entries = INDEX["tests"] + INDEX["parts"] + INDEX["keyFiles"]
    assert {entry["outcome"] for entry in entries} == {outcome.value for outcome in f.Outcome}
    assert {entry["file"] for entry in entries} == file_format_kit.present().keys() - {"index.json"}
    assert sum(map(len, file_format_kit.present().values())) < 4 << 20


@pytest.mark.parametrize("file, name", [("minimal", "key-file-1"), ("age-two-recipients", "age-1"),
                                        ("passphrase-minimal", "passphrase")])
def test_no_byte_of_a_file_can_be_changed(file, name):
    """Every byte, in one bit; for the zeros between stanzas and MAC every 61st."""
    data = (FOLDER / f"{file}.polyseal").read_bytes()
    keys = [key(name)]
    f.open_file(data, keys)
    spare = range(len(data[:4096 - 32].rstrip(b"\0")), 4096 - 32)
    for at in range(len(data)):
        if at in spare and at % 61:
            continue
        changed = kit.draft.flip(data, at)
        with pytest.raises(f.Refused):
            f.open_file(changed, keys)


@pytest.mark.parametrize("suite", f.SUITES)
def test_suites_have_the_lengths_of_the_table(suite):
    key, nonce, tag = f.SUITES[suite]
    aead = f.algorithm(suite)
    ciphertext, found = aead.Encrypt(b"123", b"", bytes(key), bytes(nonce), 8 * tag)
    assert (len(ciphertext), len(found)) == (3, tag)
    for wrong in ((key + 1, nonce), (key, nonce + 1)):
        if not suite.startswith(("aegis", "aes", "omd")):  # which take what they are given, or other nonces
            with pytest.raises((ValueError, AssertionError)):
                aead.Encrypt(b"", b"", *map(bytes, wrong), 8 * tag)


def test_a_writer_leaves_spare_room():
    def offset_with(key_file_stanzas):
        return f.choose_payload_offset([bytes(108)] * key_file_stanzas)

    # 160 + 108 k + 2048 + 32 <= 4096
    assert [offset_with(k) for k in (1, 17, 18, 128)] == [4096, 4096, 8192, 16384]


def test_round_trip_with_defaults():
    file_key, file_salt, salt = bytes(range(32)), b"s" * 32, b"t" * 32
    def stanzas(F):
        return [f.key_file_stanza(F, b"k" * 32, salt, file_key)]

    for length in (0, 1, 1000, 65536, 65537):
        data = f.write_file(bytes(length), file_key, file_salt, stanzas)
        assert len(data) == 4096 + length + 16 * max(1, -(-length // 65536))
        assert f.open_file(data, [f.KeyFile(b"k" * 32)]) == bytes(length)
        assert f.unarmor(f.armor(data)) == data


def test_a_writer_writes_nothing_that_a_reader_refuses():
    file_key, salts = bytes(32), [b"s" * 32, b"t" * 32]

    def key_file(F):
        return f.key_file_stanza(F, b"k" * 32, salts[0], file_key)

    def passphrase(F):
        return f.passphrase_stanza(F, b"p", salts[1], file_key, 8, 1, 1)

    data = f.write_file(b"", file_key, b"f" * 32, lambda F: [key_file(F)])
    for stanzas in (lambda F: [], lambda F: [key_file(F), passphrase(F)]):
        with pytest.raises(f.Refused):
            f.write_file(b"", file_key, b"f" * 32, stanzas)
        with pytest.raises(f.Refused):
            f.change_recipients(data, [f.KeyFile(b"k" * 32)], lambda F, _, stanzas=stanzas: stanzas(F))


def test_what_age_rejects_does_not_keep_others_from_being_tried():
    """Not in the kit, as below."""
    file_key = bytes(32)
    identity, recipient = kit.keys.AGE_1
    rejected = f.x25519_recipient_stanza(recipient, bytes(16), b"e" * 32)[:-44] + b"A" * 40 + b"\n"

    def stanzas(F):
        return [f.age_stanza(F, bytes(16), [rejected], b"s" * 32, file_key),
                f.key_file_stanza(F, b"k" * 32, b"t" * 32, file_key)]

    data = f.write_file(b"x", file_key, b"f" * 32, stanzas)
    age, right, wrong = f.AgeIdentity(identity), f.KeyFile(b"k" * 32), f.KeyFile(b"w" * 32)
    assert f.open_file(data, [age, right]) == b"x"
    changed = data[:4095] + bytes([data[4095] ^ 1]) + data[4096:]
    for data, keys, outcome in ((data, [wrong], f.Outcome.NO_MATCHING_KEY),
                                (data, [age, wrong], f.Outcome.BAD_HEADER),
                                (changed, [age, wrong], f.Outcome.BAD_HEADER),
                                (changed, [age, right], f.Outcome.HEADER_NOT_AUTHENTIC)):
        with pytest.raises(f.Refused) as refused:
            f.open_file(data, keys)
        assert refused.value.outcome == outcome


# ── What others have printed ────────────────────────────────────────────────────────────────────

def test_hkdf():
    """RFC 5869, A.1."""
    okm = f.HKDF(b"\x0b" * 22, bytes(range(13)), bytes(range(0xF0, 0xFA)), 42)
    assert okm.hex() == ("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                         "34007208d5b887185865")


def test_age_identity():
    """c2sp.org/age, the X25519 recipient type."""
    identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    assert f.x25519_identity(b"\x42" * 32) == (identity, recipient)


def test_age_recipient_stanzas():
    """Those of age 1.3.1 give the wrapping key that it was given."""
    for which, (identity, _) in (("x25519", kit.keys.AGE_1), ("hybrid", kit.keys.AGE_HYBRID)):
        (recipient,) = f.parse_age(bytes(2) + kit.keys.from_age(which))
        assert f.age_unwrap(f.AgeIdentity(identity), *recipient) == kit.keys.FROM_AGE_KEY


@pytest.mark.parametrize("change", [
    lambda stanza: stanza.replace(b"X25519 ", b"X25519 more "),
    lambda stanza: stanza.replace(b"X25519 ", b"X25519 AAAA"),
    lambda stanza: b"-> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" + stanza[53:],
    lambda stanza: stanza[:-44] + b"A" * 40 + b"\n",
])
def test_age_rejects_a_recipient_stanza_of_another_shape(change):
    """Another argument, a longer share, a share that gives zeros, a shorter body. Not in the kit: the
    specification leaves to age what this is called."""
    identity, recipient = kit.keys.AGE_1
    stanza = f.x25519_recipient_stanza(recipient, bytes(16), b"e" * 32)
    (good,) = f.parse_age(bytes(2) + stanza)
    assert f.age_unwrap(f.AgeIdentity(identity), *good) == bytes(16)
    (changed,) = f.parse_age(bytes(2) + change(stanza))
    with pytest.raises(f.Refused):
        f.age_unwrap(f.AgeIdentity(identity), *changed)
