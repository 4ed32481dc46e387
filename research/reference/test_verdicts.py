"""The verdicts on the fuzz targets' inputs, which the program in Rust is held against, are the reference's."""

import io
import json

import pytest

import verdicts


@pytest.mark.parametrize("target", verdicts.VERDICTS)
def test_the_verdicts_in_the_tree_are_what_the_reference_says(target):
    assert (verdicts.FUZZ / "verdicts" / f"{target}.json").read_text() == verdicts.written(target)


def test_headers_are_accepted_and_refused_for_every_reason():
    """So that the corpus shows something: but for what a header alone cannot be."""
    found = {verdict["outcome"] for verdict in verdicts.table("authentic_header").values()}
    not_of_a_header = {"truncated-payload", "corrupt-segment", "bad-armor", "bad-key-file"}
    assert found == {outcome.value for outcome in verdicts.Outcome} - not_of_a_header


def test_a_pipe_is_answered():
    sink = io.BytesIO()
    verdicts.serve(io.BytesIO(b"t\3\0\0\0key" + b"a\0\0\0\0"), sink)
    first, second = map(json.loads, sink.getvalue().splitlines())
    assert first == {"key": None, "armor": None}
    assert second["outcome"] == "not-a-polyseal-file"
