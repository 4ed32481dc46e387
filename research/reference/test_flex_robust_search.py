"""The search finds the attacks that are known and mistakes that were planted, and none on ROBUST-AE."""

import pytest

import flex_robust_search as search

# The parts of ROBUST-AE that each puts others in the place of.
PLANTED = {
    "one tweak for all blocks of a half": {"tweak": lambda self, layer, i: layer},
    "one tweak for all blocks of the outer half":
        {"tweak": lambda self, layer, i: layer if layer == "first" else (layer, i)},
    "one tweak for all blocks of the inner half":
        {"tweak": lambda self, layer, i: layer if layer == "second" else (layer, i)},
    "a mask that is not doubled": {"next_mask": lambda self, mask: mask},
    "no mask": {"next_mask": lambda self, mask: 0},
    "V_0 without the tail": {"tail_in_sum": lambda self, tail, inner: 0 if inner else search.padded(tail)},
    "MP without the tail": {"tail_in_sum": lambda self, tail, inner: search.padded(tail) if inner else 0},
    "a constant inner key": {"inner": lambda self, context, whole, tag: ("inner", context)},
    "an inner key of the tag alone": {"inner": lambda self, context, whole, tag: ("inner", whole, tag)},
    "MM as the pad of the tail": {"pad": lambda self, inner, MM: MM},
}


def first(candidate, tried):
    """The first attack in words, and what it sees."""
    program = next(search.attacks(candidate, tried), None)
    return program and f"{search.in_words(program)}: {search.seen(candidate, program)}"


@pytest.mark.parametrize("mistake", PLANTED)
def test_planted_mistakes_are_found(mistake):
    planted = type("Planted", (search.RobustAe,), PLANTED[mistake])
    assert first(planted, search.SEARCHES["2 queries"]())
    assert first(planted, search.random_programs(5000))


def test_all_programs_of_two_queries():
    found = {candidate.__name__: first(candidate, search.SEARCHES["2 queries"]()) for candidate in search.CANDIDATES}
    assert found == {
        "Appended": "seal b0, b0; open b0.1, b1.1, b0: b0 = b0.2",
        "MaskedByTag": "open b0, b0, b0; seal b0.1, b1.1: b0 = b1.2",
        "MaskedWhole": None,
        "Enciphered": None,
        "TagInTheMiddle": "open b0, b0, t, b0; seal b0.1, b1.1, t.1: t = t.2",
        "RobustAe": None}


def test_more_queries():
    # A message that was opened and then sealed shows the difference of two tags' masks.
    tried = search.SEARCHES["4 queries, each value at its place, one context, no tail"]
    assert first(search.MaskedWhole, tried()) == \
        "open b0, b1, tag; seal b0.1, b1.1; open b0, b1, tag.2; open b0.2, b1.2, tag: b0.3 = b0.4"
    assert not first(search.RobustAe, search.SEARCHES["3 queries, each value at its place"]())
    assert not first(search.RobustAe, search.random_programs(5000))


def test_the_ideal_is_not_told_from_itself():
    assert not first(search.Perfect, search.random_programs(1000))


@pytest.mark.parametrize("tail", (None, search.top(3 << search.TAIL)))
def test_candidates_open_what_they_sealed(tail):
    planted = [type("Planted", (search.RobustAe,), mistake) for mistake in PLANTED.values()]
    for candidate in (*search.CANDIDATES, search.Perfect, *planted):
        scheme = candidate(search.Random(1))
        blocks, *rest = scheme.seal(0, [1, 2], tail)
        assert scheme.open(0, blocks, *rest) == ([1, 2], tail, True)
        assert not scheme.open(0, blocks, rest[0], rest[1] ^ 1)[2]
        assert not scheme.open(1, blocks, *rest)[2]


def test_calls_are_those_that_are_told():
    assert [search.calls(candidate) for candidate in search.CANDIDATES] == [7, 8, 10, 12, 8, 9]
