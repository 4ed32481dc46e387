"""The search finds the attacks that are known, and none on ROBUST-AE."""

import flex_robust_search as search


def test_all_programs_of_two_queries():
    found = {candidate.__name__: list(search.attacks(candidate, search.programs(2))) for candidate in search.CANDIDATES}
    assert {name: len(attacks) for name, attacks in found.items()} == {
        "Appended": 2, "MaskedByTag": 1, "MaskedWhole": 0, "Enciphered": 0, "TagInTheMiddle": 1, "RobustAe": 0}
    program, equal, _ = found["TagInTheMiddle"][0]
    assert search.in_words(program) == "open 0, 0, 0, 0; seal out1, out1, out1"
    assert {search.PARTS[part] for part, *_ in equal} == {"tail"}


def test_random_programs_of_five_queries():
    assert not list(search.attacks(search.RobustAe, search.random_programs(5, 2000)))
    assert list(search.attacks(search.Appended, search.random_programs(5, 2000)))


def test_candidates_open_what_they_sealed():
    for candidate in (*search.CANDIDATES, search.Perfect):
        E, scheme = search.Ideal(1), candidate()
        *blocks, tail, tag = *(sealed := scheme.seal(E, [1, 2], 3))[0], *sealed[1:]
        assert scheme.open(E, blocks, tail, tag) == ([1, 2], 3, True)
        assert not scheme.open(E, blocks, tail, tag ^ 1)[2]
