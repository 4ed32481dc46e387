"""Every demonstration of papers/omd_errata.py holds, and says something."""

import pytest

import omd_errata


@pytest.mark.parametrize("show", omd_errata.DEMONSTRATIONS, ids=lambda f: f.__name__)
def test_demonstration(show, capsys):
    show()
    assert capsys.readouterr().out
