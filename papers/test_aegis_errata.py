"""Every demonstration of papers/aegis_errata.py holds, and says something."""

import pytest

import aegis_errata


@pytest.mark.parametrize("show", aegis_errata.DEMONSTRATIONS, ids=lambda f: f.__name__)
def test_demonstration(show, capsys):
    show()
    assert capsys.readouterr().out
