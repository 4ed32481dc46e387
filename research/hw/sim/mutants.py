# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether the benches notice each mistake of mutants.toml: `scripts/python research/hw/sim/mutants.py [WORD…]`, those whose descriptions have the words.

First all tests that are named must pass as the sources are; then of each mutant one must fail, within MINUTES: a hang is a failure
of the bench's watchdog.
"""

import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TREE = ROOT / "target" / "hw" / "mutants"
MINUTES = 10


def run(tests, minutes=MINUTES):
    """Whether all pass; None if the sources do not compile."""
    done = subprocess.run([sys.executable, TREE / "research" / "hw" / "sim" / "run.py", "--no-color", *tests], text=True,
                          capture_output=True, timeout=60 * minutes)
    if "Compile failed" in done.stdout or "==== Summary" not in done.stdout:
        return None
    return done.returncode == 0


def main():
    mutants = tomllib.loads((HERE / "mutants.toml").read_text())["mutant"]
    mutants = [m for m in mutants if all(word in m["breaks"] for word in sys.argv[1:])]
    for part in ("research/hw", "research/reference"):
        shutil.rmtree(TREE / part, ignore_errors=True)
        shutil.copytree(ROOT / part, TREE / part, ignore=shutil.ignore_patterns("__pycache__"))
    if not (TREE / "vectors").exists():
        (TREE / "vectors").symlink_to(ROOT / "vectors")

    if not run(sorted({test for m in mutants for test in m["tests"]}), 60):
        raise SystemExit("the tests do not pass as the sources are")
    survivors = 0
    for m in mutants:
        file = TREE / "research" / "hw" / "rtl" / m["file"]
        source = file.read_text()
        if source.count(m["text"]) != 1:
            raise SystemExit(f"{m['file']}: {source.count(m['text'])} times {m['text']!r}")
        began = time.monotonic()
        file.write_text(source.replace(m["text"], m["replacement"]))
        passes = run(m["tests"])
        file.write_text(source)
        if passes is None:
            raise SystemExit(f"{m['breaks']}: this does not compile")
        survivors += passes
        print(f"{'SURVIVES' if passes else 'killed'} ({time.monotonic() - began:.0f} s): {m['breaks']}", flush=True)
    if survivors:
        raise SystemExit(f"{survivors} of {len(mutants)} mutants survive")
    print(f"all {len(mutants)} mutants are killed")


if __name__ == "__main__":
    main()
