"""reference/manifest.py against the kit, which it regenerates."""

import json

import pytest

import manifest as m
import manifest_kit

INDEX = json.loads((manifest_kit.FOLDER / "index.json").read_text())


@pytest.mark.parametrize("test", INDEX["tests"], ids=lambda test: test["file"])
def test_kit(test):
    data = (manifest_kit.FOLDER / test["file"]).read_bytes()
    if test["outcome"] == "ok":
        entries = m.read(data)
        assert list(map(manifest_kit.shown, entries)) == test["entries"]
        assert m.write(entries) == data
    else:
        with pytest.raises(m.Refused) as refused:
            m.read(data)
        assert refused.value.outcome == test["outcome"]


def test_the_kit_is_what_is_written():
    written = manifest_kit.vectors()
    assert {path.name: path.read_bytes() for path in manifest_kit.FOLDER.iterdir()} == written


def test_no_part_of_a_manifest_is_one():
    for n in range(len(manifest_kit.WHOLE)):
        with pytest.raises(m.Refused):
            m.read(manifest_kit.WHOLE[:n])
