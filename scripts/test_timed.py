"""timed makes targets, prints what they took, and fails as they do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent
ROOT = SCRIPTS.parent
MAKEFILE = """
quick:
\t@echo quick is made
slow:
\t@i=0; while [ $$i -lt 300000 ]; do i=$$((i + 1)); done
fails:
\t@echo why it fails; exit 3
"""


@pytest.fixture
def timed(tmp_path):
    """Makes targets of MAKEFILE with these budgets."""

    def run(budgets, *targets):
        (tmp_path / "scripts").mkdir()
        shutil.copy(SCRIPTS / "timed", tmp_path / "scripts")
        (tmp_path / "scripts/budgets").write_text(budgets)
        (tmp_path / "Makefile").write_text(MAKEFILE)
        return subprocess.run([tmp_path / "scripts/timed", *targets], cwd=tmp_path, capture_output=True, text=True)

    return run


def test_a_target_over_its_budget_is_a_warning(timed):
    done = timed("# target and seconds\nslow 0\nquick 50\n", "quick", "slow")
    assert done.returncode == 0, done
    assert done.stdout.startswith("quick is made\n")
    rows = [line.split() for line in done.stdout.splitlines()[-4:]]
    assert [row[0] for row in rows] == ["make", "quick", "slow", "all"]
    assert rows[1][2:] == ["50", rows[1][3]] and float(rows[2][1]) > 0
    assert rows[2][4:] == ["WARNING:", "over", "its", "budget"]
    assert done.stdout.count("WARNING") == 1


def test_a_target_that_fails_ends_it(timed):
    done = timed("fails 50\nquick 50\n", "fails", "quick")
    assert done.returncode != 0
    assert done.stdout.startswith("why it fails\n")
    # The table has what was made until then.
    assert [line.split()[0] for line in done.stdout.splitlines()[-3:]] == ["make", "fails", "all"]
    assert "fails" in done.stderr


def test_every_part_of_the_tests_has_a_budget():
    budgets = [line.split() for line in (SCRIPTS / "budgets").read_text().splitlines() if not line.startswith("#")]
    parts = re.search(r"^TEST = (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    assert [name for name, _ in budgets] == parts
    assert all(int(seconds) > 0 for _, seconds in budgets)
