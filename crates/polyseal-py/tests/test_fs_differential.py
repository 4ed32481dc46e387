"""Random programs over memory and local files, plain and encrypted. ``POLYSEAL_PROGRAMS`` runs more of them."""

from __future__ import annotations

import os
from pathlib import Path

import fsspec
import polyseal
import pytest
from programs import Side, program

PROGRAMS = int(os.environ.get("POLYSEAL_PROGRAMS", "12"))


@pytest.mark.parametrize("below", ["memory", "file"])
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_program_has_the_same_answers(below: str, seed: int, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(polyseal.SecretKey.generate().to_key_file())
    sides = []
    for name, fs in (
        ("plain", fsspec.filesystem(below)),
        ("encrypted", fsspec.filesystem("polyseal", target_protocol=below, key=f"file:{tmp_path / 'key'}")),
    ):
        (tmp_path / f"outside-{name}").mkdir()
        sides.append(Side(fs, f"{tmp_path}/{name}/root", tmp_path / f"outside-{name}"))
        fs.makedirs(sides[-1].root)
    program(seed, sides[0], sides[1])
