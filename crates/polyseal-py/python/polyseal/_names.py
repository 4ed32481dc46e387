"""Names that a store has given, before anything is written under them: whoever answers for the store has chosen them."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence


def leaves(name: str) -> bool:
    """Whether a name would lead out of its folder, or to another name's place, on some system."""
    parts = name.replace("\\", "/").split("/")
    return bool({"", ".", ".."} & set(parts)) or "\0" in name or (os.name == "nt" and ":" in name)


def expect_below(root: str, paths: Sequence[str]) -> None:
    """Raises if one of the local paths, which a root and names of a store make, is not below that root by its name."""
    root = root.rstrip("/")
    for path in paths:
        beneath = path.rstrip("/").removeprefix(root)
        if not path.startswith(root) or (beneath and (beneath[0] != "/" or leaves(beneath[1:]))):
            raise OSError(errno.EINVAL, "the store gives a name that no file below the target can have", path)


__all__ = ["expect_below", "leaves"]
