"""The variants of AEGIS that its paper describes and does not choose: vectors/experimental, and the paper's text."""

import json

import pytest

import aegis
import experimental_vectors as experimental
from test_aegis import check_aead

K16, IV16 = bytes(range(16)), bytes(range(16, 31)) + b"\0"
K32, IV32 = bytes(range(32)), bytes(range(32, 63)) + b"\0"
FAMILIES = [("128x", K16, IV16, aegis.Aegis128XV1), ("256x", K32, IV32, aegis.Aegis256XV1)]


@pytest.mark.parametrize("name, text", experimental.files().items(), ids=lambda value: value[:30])
def test_vectors(name, text):
    path = experimental.HERE / f"{name}.json"
    assert path.read_text() == text, "experimental_vectors.py writes it"
    for group in json.loads(text)["testGroups"]:
        alg = experimental.algorithm(name, group.get("params"))
        for test in group["tests"]:
            check_aead(alg, group, test)


def test_every_file_is_an_algorithms():
    assert {path.stem for path in experimental.HERE.glob("*.json")} == set(experimental.files())


@pytest.mark.parametrize("family, K, IV, V1", FAMILIES)
def test_a_lane_with_a_short_iv_is_the_base_algorithm_under_another_iv(family, K, IV, V1):
    short = aegis.EXPERIMENTAL[f"aegis-{family}-short-iv"]
    P = bytes(range(64))
    assert short(1).Encrypt(P, b"ad", K, IV) == V1(1).Encrypt(P, b"ad", K, IV)
    C, _ = short(2).Encrypt(P, b"", K, IV)
    for lane in (0, 1):
        mine = b"".join(P[16 * i:16 * i + 16] for i in range(lane, 4, 2))
        theirs = b"".join(C[16 * i:16 * i + 16] for i in range(lane, 4, 2))
        assert V1(1).Encrypt(mine, b"", K, IV[:-1] + bytes([lane]))[0] == theirs
    with pytest.raises(ValueError):
        short(4).Encrypt(P, b"", K, IV[:-1] + b"\3")


@pytest.mark.parametrize("family, K, IV, V1", FAMILIES)
def test_with_the_tags_size_in_the_context_two_sizes_are_two_functions(family, K, IV, V1):
    tagged, P = aegis.EXPERIMENTAL[f"aegis-{family}-tag-context"], bytes(100)
    for nu in (1, 2, 4):
        assert tagged(nu).Encrypt(P, b"ad", K, IV, 128) == V1(nu).Encrypt(P, b"ad", K, IV, 128)
        # As it is, one key stream for both sizes; with the context, two.
        assert V1(nu).Encrypt(P, b"", K, IV, 128)[0] == V1(nu).Encrypt(P, b"", K, IV, 256)[0]
        (C, _), (D, _) = (tagged(nu).Encrypt(P, b"", K, IV, size) for size in (128, 256))
        assert C[:16] != D[:16] and C[-16:] != D[-16:]
