"""Every demonstration of papers/flex_errata.py holds, and says something."""

import pytest

import flex_errata


@pytest.mark.parametrize("show", flex_errata.DEMONSTRATIONS, ids=lambda f: f.__name__)
def test_demonstration(show, capsys):
    show()
    assert capsys.readouterr().out
