"""The files offered to Wycheproof are of its schema, and have the references' results."""

import copy
import json

import pytest
import wycheproof
from wycheproof import ALGORITHMS, ROOT, algorithm, convert, lint

FIELDS = ("key", "iv", "aad", "msg", "ct", "tag", "result")


def contents(groups):
    return [tuple(test[field] for field in FIELDS) for group in groups for test in group["tests"]]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_it_is_of_the_schema_and_has_every_vector(name):
    file, document = convert(name)
    lint(document)
    ours = contents(json.loads((ROOT / "vectors" / f"{name}.json").read_text())["testGroups"])
    # The references compute these: test_aegis.py and test_xaes.py.
    assert contents(document["testGroups"])[:len(ours)] == ours
    assert file.endswith("_test.json")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_nonce_of_another_length_is_refused(name):
    alg = algorithm(name)
    tests = [test for group in convert(name)[1]["testGroups"] for test in group["tests"]
             if test["flags"] == ["InvalidNonceSize"]]
    assert len(tests) >= len(ALGORITHMS[name][1])
    for test in tests:
        key, iv, aad, msg, ct, tag = (bytes.fromhex(test[field]) for field in FIELDS[:-1])
        right = len(key) if name.startswith("aegis") else alg.NONCE
        with pytest.raises(ValueError):
            alg.Decrypt(ct, tag, aad, key, iv)
        # Only its length is wrong.
        assert alg.Decrypt(ct, tag, aad, key, iv[:right].ljust(right, b"\0")) == msg


def test_keys_are_committed_to_by_one_of_the_two():
    results = {}
    for name in ("xaes-256-gcm", "kc-xaes-256-gcm"):
        tests = [test for group in convert(name)[1]["testGroups"] for test in group["tests"]
                 if {"KeyCollision", "KeyCommitment"} & set(test["flags"])]
        first, second = tests
        assert first["key"] != second["key"] and all(first[f] == second[f] for f in ("iv", "aad", "ct", "tag"))
        results[name] = [test["result"] for test in tests]
    assert results == {"xaes-256-gcm": ["valid", "valid"], "kc-xaes-256-gcm": ["valid", "invalid"]}


@pytest.mark.parametrize("change", [
    lambda document: document.pop("header"),
    lambda document: document.update(generator="x"),
    lambda document: document.update(numberOfTests=1),
    lambda document: document["notes"]["Ktv"].pop("bugType"),
    lambda document: document["notes"].pop("Ktv"),
    lambda document: document["notes"].update(Unused={"bugType": "BASIC"}),
    lambda document: document["testGroups"][0].update(params={}),
    lambda document: document["testGroups"][0].update(keySize="256"),
    lambda document: document["testGroups"][0].update(ivSize=96),
    lambda document: document["testGroups"][0]["source"].update(version=""),
    lambda document: document["testGroups"][0]["tests"][0].pop("aad"),
    lambda document: document["testGroups"][0]["tests"][0].update(result="maybe"),
    lambda document: document["testGroups"][0]["tests"][0].update(tcId=True),
    lambda document: document["testGroups"][0]["tests"][0].update(ct="0"),
])
def test_the_check_refuses(change):
    document = copy.deepcopy(convert("xaes-256-gcm")[1])
    change(document)
    with pytest.raises((AssertionError, ValueError)):
        lint(document)


def test_a_word_of_a_schema_that_is_not_known_is_an_error():
    with pytest.raises(AssertionError, match="does not know"):
        wycheproof.validate("x", {"pattern": "y"}, "test")
