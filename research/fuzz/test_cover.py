"""cover.py keeps the inputs that add the most, and those that have names."""

import hashlib

import pytest

import cover


@pytest.fixture
def inputs(tmp_path):
    """Makes a file of each content, by its SHA-1 if no name is given, that reaches these features."""
    def make(*wanted):
        found = {}
        for data, features, *name in wanted:
            path = tmp_path / (name[0] if name else hashlib.sha1(data).hexdigest())
            path.write_bytes(data)
            found[path] = set(features)
        return found

    return make


def chosen(inputs, share=0):
    return [path.read_bytes() for path in cover.cover(inputs, share)]


def test_what_adds_the_most_comes_first_and_what_adds_nothing_is_left_out(inputs):
    some = inputs((b"two", [1, 2]), (b"three", [3, 4, 5]), (b"one of them", [4]), (b"one more", [4, 6]))
    assert chosen(some) == [b"three", b"two", b"one more"]


def test_of_two_that_add_as_much_the_shorter_one_comes_first(inputs):
    assert chosen(inputs((b"longer", [1]), (b"short", [1]))) == [b"short"]


def test_what_adds_less_than_its_share_is_left_out(inputs):
    assert chosen(inputs((b"a", [1]), (b"b", [2, 3]), (b"c", [4, 5, 6])), 1 / 3) == [b"c", b"b"]


def test_what_has_a_name_stays(inputs):
    some = inputs((b"adds nothing", [], "a-case"), (b"adds little", [1], "another"), (b"b", [1, 2, 3]))
    assert chosen(some, 1 / 2) == [b"adds nothing", b"adds little", b"b"]


def test_what_libfuzzer_puts_down_is_read():
    control = "2\n1\nfound/a\ncorpus/b\nSTARTED 0 3\nFT 0 7 9\nCOV 0 1\nSTARTED 1 5\nFT 1\nCOV 1\n"
    found = {str(path): features for path, features in cover.reached(control).items()}
    assert found == {"found/a": {7, 9}, "corpus/b": set()}
