"""research/reference/statement.py against the kit, which it regenerates."""

import json

import polyseal_file as pf
import pytest
import statement as s
import statement_kit as kit

INDEX = json.loads((kit.FOLDER / "index.json").read_text())


@pytest.mark.parametrize("test", INDEX["tests"], ids=lambda test: test["statement"])
def test_kit(test):
    data, stored = ((kit.FOLDER / test[name]).read_bytes() for name in ("file", "statement"))
    context = test.get("context", "").encode() or None

    def outcome(keys):
        try:
            return "ok", s.verify(data, stored, [kit.public(kit.ALICE)], keys, context)
        except s.Refused as refused:
            return refused.outcome, None

    found, plaintext = outcome([pf.KeyFile(kit.KEY)])
    assert found == test["outcome"]
    if found == "ok":
        assert plaintext == kit.message(len(plaintext))
    if test["file"] == "short.polyseal":
        # Without a key, all but the holder is checked.
        assert outcome(None)[0] == ("ok" if test["statement"] == "other-holder.sig" else found)


def stored(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("test", INDEX["trees"], ids=lambda test: test["tree"])
def test_trees(test):
    files = stored(kit.FOLDER / "tree") | (stored(kit.FOLDER / test["tree"]) if test["others"] else {})
    for name in test["absent"]:
        del files[name]
    try:
        s.verify_tree(files, [kit.public(kit.ALICE)])
        found = "ok"
    except s.Refused as refused:
        found = refused.outcome
    assert found == test["outcome"]


def test_the_kit_is_what_this_makes():
    made = dict(kit.files())
    assert set(made) == set(stored(kit.FOLDER))
    assert all((kit.FOLDER / name).read_bytes() == data for name, data in made.items())
