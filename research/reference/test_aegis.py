"""research/reference/aegis.py against every vector in vectors/ that is not its own work, and against itself."""

import json
from pathlib import Path

import pytest

import aegis
import aegis_vectors

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
AEADS = [*aegis.IETF, *aegis.V1]
MACS = [f"{name}-mac" for name in aegis.IETF]
WYCHEPROOF = {"wycheproof-aegis-128l": "aegis-128l", "wycheproof-aegis-256": "aegis-256"}

h = bytes.fromhex


def load(name):
    return json.loads((VECTORS / f"{name}.json").read_text())


def cases(name):
    for group in load(name)["testGroups"]:
        for test in group["tests"]:
            yield group, test


def check_aead(alg, group, test):
    key, iv, aad, msg, ct, tag = (h(test[f]) for f in ("key", "iv", "aad", "msg", "ct", "tag"))
    if test["result"] == "valid":
        assert alg.Encrypt(msg, aad, key, iv, group["tagSize"]) == (ct, tag), test["tcId"]
        assert alg.Decrypt(ct, tag, aad, key, iv) == msg, test["tcId"]
    else:
        with pytest.raises(aegis.VerificationFailed):
            alg.Decrypt(ct, tag, aad, key, iv)


@pytest.mark.parametrize("name", AEADS)
def test_aead_vectors(name):
    for group, test in cases(name):
        check_aead(aegis.algorithm(name, group.get("params")), group, test)


@pytest.mark.parametrize("name", MACS)
def test_mac_vectors(name):
    alg = aegis.algorithm(name)
    for group, test in cases(name):
        key, iv, msg, tag = (h(test[f]) for f in ("key", "iv", "msg", "tag"))
        if test["result"] == "valid":
            assert alg.Mac(msg, key, iv, group["tagSize"]) == tag, test["tcId"]
            alg.MacVerify(msg, tag, key, iv)
        else:
            with pytest.raises(aegis.VerificationFailed):
                alg.MacVerify(msg, tag, key, iv)


@pytest.mark.parametrize("file", WYCHEPROOF)
def test_wycheproof(file):
    alg = aegis.algorithm(WYCHEPROOF[file])
    for group, test in cases(file):
        check_aead(alg, group, test)


def test_the_printed_vectors_are_all_here():
    """Regenerating keeps the printed groups as it finds them, so count what the sources hold."""
    def printed(name):
        return [t for g, t in cases(name) if g["source"] != aegis_vectors.GENERATED]
    draft = {name: len(printed(name)) for name in aegis.IETF}
    assert draft == {"aegis-128l": 18, "aegis-256": 18, "aegis-128x2": 4, "aegis-128x4": 4,
                     "aegis-256x2": 4, "aegis-256x4": 4}
    assert [len(printed(name)) for name in MACS] == [2] * 6
    assert [len(printed(name)) for name in aegis.V1] == [4 * 2 * 50] * 2


# ── Inside the draft's algorithms ───────────────────────────────────────────────────────────────

STATES = load("internal/aegis-states")


def test_sbox():
    assert aegis.SBOX[:4].hex() == "637c777b" and aegis.SBOX[0x53] == 0xED  # FIPS 197, 5.1.1
    assert sorted(aegis.SBOX) == list(range(256))


def test_aes_round():
    for t in STATES["aesRound"]:
        assert aegis.AESRound(h(t["in"]), h(t["rk"])).hex() == t["out"]


def test_aes_round_builds_aes():
    """FIPS 197, appendix B, round 1."""
    start, key = "193de3bea0f4e22b9ac68d2ae9f84808", "a0fafe1788542cb123a339392a6c7605"
    assert aegis.AESRound(h(start), h(key)).hex() == "a49c7ff2689f352b6b5bea43026a5049"


@pytest.mark.parametrize("t", STATES["update"], ids=lambda t: t["algorithm"])
def test_update(t):
    alg = aegis.algorithm(t["algorithm"])
    m = [h(t[f]) for f in ("M0", "M1", "M") if f in t]
    alg.V = [[h(Sj)] for Sj in t["S"]]
    alg.Update(*m)
    assert [Vj[0].hex() for Vj in alg.V] == t["S'"]
    F = aegis.F_128L if len(m) == 2 else aegis.F_256
    assert [Sj.hex() for Sj in F([h(Sj) for Sj in t["S"]], *m)] == t["S'"]


@pytest.mark.parametrize("t", STATES["init"], ids=lambda t: t["algorithm"])
def test_init(t):
    alg = aegis.algorithm(t["algorithm"])
    assert [c.hex() for c in alg.ctx] == t["ctx"]
    alg.Init(h(t["key"]), h(t["nonce"]))
    assert [[b.hex() for b in Vj] for Vj in alg.V] == t["V"]


@pytest.mark.parametrize("t", STATES["mac"], ids=lambda t: t["algorithm"])
def test_mac_lane_tags(t):
    alg = aegis.algorithm(t["algorithm"])
    for n in (128, 256):
        tag = alg.Mac(h(t["data"]), h(t["key"]), h(t["nonce"]), n)
        assert alg.tags.hex() == t[f"tags{n}"] and tag.hex() == t[f"tag{n}"]


# ── Properties ──────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("name, ietf", [("aegis-128x-v1", "aegis-128l"), ("aegis-256x-v1", "aegis-256")])
def test_degree_1_is_the_base_algorithm(name, ietf):
    """The two transcriptions share only the AES round and the constants."""
    for group, test in cases(ietf):
        check_aead(aegis.algorithm(name, {"degree": 1}), group, test)


@pytest.mark.parametrize("name", aegis.V1)
def test_contexts_separate_the_lanes(name):
    """Equal fragments, one (K, IV): the lanes' ciphertexts must differ in every block."""
    alg = aegis.algorithm(name, {"degree": 16})
    P = bytes(16 * 16)
    C, _ = alg.Encrypt(P, b"", bytes(alg.KEY), bytes(alg.KEY))
    assert len(set(aegis.Split(C, 128))) == 16


@pytest.mark.parametrize("name", AEADS)
def test_tag256_folds_to_tag128(name):
    """True of the 256 family and false of the 128 one: why no (key, nonce) may see two tag lengths."""
    alg = aegis.algorithm(name, {"degree": 2})
    args = b"message", b"ad", bytes(range(alg.KEY)), bytes(alg.KEY)
    (_, t128), (_, t256) = alg.Encrypt(*args, 128), alg.Encrypt(*args, 256)
    assert (aegis.xor(t256[:16], t256[16:]) == t128) == (alg.KEY == 32)


@pytest.mark.parametrize("name", aegis.IETF)
def test_stream(name):
    alg = aegis.algorithm(name)
    key, nonce = bytes(range(alg.KEY)), bytes(alg.KEY)
    msg = bytes(range(1, 100))
    ks = alg.Stream(8 * 99, key)                         # the default nonce is zero
    assert ks == alg.Stream(8 * 99, key, nonce)
    assert alg.Stream(0, key) == b""
    first = alg.R // 8                                   # until a plaintext block has been absorbed
    assert alg.Encrypt(msg, b"", key, nonce)[0][:first] == aegis.xor(msg, ks)[:first]


@pytest.mark.parametrize("name, D", [(n, D) for n in ("aegis-128l", "aegis-256") for D in (3, 5, 16)])
def test_any_degree(name, D):
    alg = aegis.IETF[name][0](D)
    key, nonce = bytes(range(alg.KEY)), bytes(alg.KEY)
    for n in aegis_vectors.edges(alg.R // 8):
        for tag_bits in (128, 256):
            ct, tag = alg.Encrypt(bytes(n), b"ad", key, nonce, tag_bits)
            assert alg.Decrypt(ct, tag, b"ad", key, nonce) == bytes(n)


def test_mac128_refuses_the_degrees_that_forget_a_lane():
    for D in (3, 5):
        with pytest.raises(ValueError):
            aegis.Aegis128X(D).Mac(b"", bytes(16), bytes(16), 128)
        aegis.Aegis128X(D).Mac(b"", bytes(16), bytes(16), 256)
        aegis.Aegis256X(D).Mac(b"", bytes(32), bytes(32), 128)


@pytest.mark.parametrize("name", AEADS)
@pytest.mark.parametrize("tag_bits", (128, 256))
def test_every_flipped_bit_of_a_tag_is_refused(name, tag_bits):
    alg = aegis.algorithm(name, {"degree": 2})
    key, nonce = bytes(range(alg.KEY)), bytes(alg.KEY)
    ct, tag = alg.Encrypt(b"msg", b"ad", key, nonce, tag_bits)
    for bit in range(tag_bits):
        with pytest.raises(aegis.VerificationFailed):
            alg.Decrypt(ct, aegis_vectors.flip(tag, bit), b"ad", key, nonce)


@pytest.mark.parametrize("name", AEADS)
def test_wrong_sizes_are_refused(name):
    alg = aegis.algorithm(name, {"degree": 2})
    good = bytes(alg.KEY)
    for key, nonce, tag in ((good[1:], good, bytes(16)), (good, good + b"\0", bytes(16)),
                            (good, good, bytes(15)), (good, good, b"")):
        with pytest.raises(ValueError):
            alg.Decrypt(b"", tag, b"", key, nonce)


@pytest.mark.parametrize("t", load("attacks/aegis-collisions")["collisions"],
                         ids=lambda t: t["algorithm"])
def test_collisions(t):
    """Not a defect of the implementation: AEGIS does not commit when AD is chosen."""
    alg = aegis.algorithm(t["algorithm"], t.get("params"))
    assert t["key1"] != t["key2"] and t["ad1"] != t["ad2"]
    for tag in ("tag128", "tag256"):
        for key, ad in ((t["key1"], t["ad1"]), (t["key2"], t["ad2"])):
            sealed = alg.Encrypt(h(t["msg"]), h(ad), h(key), h(t["nonce"]), int(tag[3:]))
            assert sealed == (h(t["ct"]), h(t[tag]))
            assert alg.Decrypt(h(t["ct"]), h(t[tag]), h(ad), h(key), h(t["nonce"])) == h(t["msg"])


# ── The files ───────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("name", aegis_vectors.names())
def test_regenerating_gives_the_committed_file(name):
    assert aegis_vectors.build(name) == (VECTORS / f"{name}.json").read_text()


def test_write_makes_every_file(tmp_path):
    aegis_vectors.write(tmp_path)
    assert sorted(p.stem for p in tmp_path.iterdir()) == sorted(aegis_vectors.names())
    for p in tmp_path.iterdir():
        assert p.read_bytes() == (VECTORS / p.name).read_bytes()
