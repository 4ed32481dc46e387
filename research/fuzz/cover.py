"""Writes the inputs of a fuzz target that add the most to what is reached into a folder.

    python3 research/fuzz/cover.py CONTROL LONGEST FOLDER

CONTROL is what libFuzzer's merge has put down (-set_cover_merge=1 -merge_control_file=CONTROL): the inputs,
and what each of them reaches with its first LONGEST bytes. libFuzzer's own choice ends when nothing is
left to reach. But most of its inputs add a branch or two, in one of many copies of generic code. Here each
input adds a share of all that is reached, so that there are never more inputs than that.

An input that has a name, and not the SHA-1 of what is in it, stays in any case.
"""

import hashlib
import re
import sys
from pathlib import Path

SHARE = 1 / 800  # With this, the corpus in the tree has less than 400 inputs, which reach nine tenths.


def reached(control):
    """The path of each input, and the features that it reaches."""
    lines = control.splitlines()
    paths = lines[2:2 + int(lines[0])]
    features = [set() for _ in paths]
    for line in lines[2 + len(paths):]:
        kind, at, *numbers = line.split()
        if kind == "FT":
            features[int(at)].update(map(int, numbers))
    return dict(zip(map(Path, paths), features, strict=True))


def is_named(path):
    return not re.fullmatch("[0-9a-f]{40}", path.name)


def cover(inputs, share):
    """Paths: those that have names, then at each step the one that adds the most, the shortest of these."""
    least = share * len(set().union(*inputs.values()))
    chosen = sorted(path for path in inputs if is_named(path))
    covered = set().union(*(inputs[path] for path in chosen))
    rest = {path: features - covered for path, features in inputs.items() if path not in chosen}
    while rest:
        best = min(rest, key=lambda path: (-len(rest[path]), path.stat().st_size, path.name))
        added = rest[best]
        if not added or len(added) < least:
            break
        chosen.append(best)
        rest = {path: features - added for path, features in rest.items() if path != best}
    return chosen


def main():
    control, longest, folder = sys.argv[1:]
    for path in cover(reached(Path(control).read_text()), SHARE):
        data = path.read_bytes()[:int(longest)]
        name = path.name if is_named(path) else hashlib.sha1(data).hexdigest()
        (Path(folder) / name).write_bytes(data)


if __name__ == "__main__":
    main()
