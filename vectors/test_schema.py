"""Every vectors/*.json has the one schema: Wycheproof's, with the rules of SOURCES.md on top."""

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.json"))
FIELDS = {
    "AeadTest": ("key", "iv", "aad", "msg", "ct", "tag"),
    "MacTest": ("key", "iv", "msg", "tag"),
}
HEX = re.compile(r"([0-9a-f]{2})*")
RESULTS = {"valid", "invalid", "acceptable"}


def ours(path):
    """Copied files keep the schema of their origin, not our additions to it."""
    return not path.stem.startswith("wycheproof-")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_schema(path):
    doc = json.loads(path.read_text())
    assert {"algorithm", "schema", "numberOfTests", "header", "notes", "testGroups"} <= doc.keys()
    if ours(path):
        assert path.stem == doc["algorithm"], "a file is named after its algorithm"
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", doc["algorithm"])
    all_tests = [t for g in doc["testGroups"] for t in g["tests"]]
    assert doc["numberOfTests"] == len(all_tests) > 0
    ids = [t["tcId"] for t in all_tests]
    assert len(set(ids)) == len(ids)
    if ours(path):
        assert ids == list(range(1, len(ids) + 1))
    assert all(line and isinstance(line, str) for line in doc["header"])
    for note in doc["notes"].values():
        assert note["bugType"] and note["description"]
    assert {f for t in all_tests for f in t["flags"]} <= doc["notes"].keys()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_groups(path):
    for group in json.loads(path.read_text())["testGroups"]:
        # CMAC has no nonce. A MAC of ours has one.
        assert "ivSize" in group or group["type"] == "MacTest" and not ours(path)
        fields = [f for f in FIELDS[group["type"]] if f != "iv" or "ivSize" in group]
        assert group["source"]["name"] and group["source"]["version"]
        assert all(isinstance(v, (int, str)) for v in group.get("params", {}).values())
        for t in group["tests"]:
            assert {"tcId", "comment", "flags", "result", *fields} == t.keys(), t["tcId"]
            assert t["result"] in RESULTS
            assert all(HEX.fullmatch(t[f]) for f in fields), t["tcId"]
            assert len(t["key"]) * 4 == group["keySize"]
            assert "iv" not in fields or len(t["iv"]) * 4 == group["ivSize"]
            if ours(path) or t["result"] == "valid":
                assert len(t["tag"]) * 4 == group["tagSize"]
            if "ct" in fields and ours(path) and group["tagSize"] > 0:
                assert len(t["ct"]) == len(t["msg"]), "ct has the message's length"
            elif "ct" in fields and ours(path) and t["result"] == "valid":
                assert len(t["ct"]) >= len(t["msg"]), "ct is everything"


def test_there_is_something_to_check():
    assert FILES
