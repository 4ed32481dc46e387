"""Writes the stubs: the classes of the registry, and the documentation that the extension module has.

``_polyseal.pyi`` has its signatures by hand, and ``algorithms.pyi`` is made. Run it after a change of either.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import polyseal.algorithms
from polyseal import ALGORITHMS, Mac, _polyseal

PACKAGE = Path(__file__).parents[1] / "python/polyseal"
HEAD = '''# Made by tests/stubs.py from the registry.
from typing import Final

from ._polyseal import Aead, Buffer, Mac, SecretKey
from .keys import KeyRef

#: The class of each algorithm, by its registry name.
ALGORITHMS: Final[dict[str, type[Aead] | type[Mac]]]

def algorithm_class(name: str) -> type[Aead] | type[Mac]: ...
def aead(name: str, key: Buffer | SecretKey | KeyRef) -> Aead: ...
def mac(name: str, key: Buffer | SecretKey | KeyRef) -> Mac: ...
'''


def algorithms() -> str:
    """The whole stub of the registry."""
    names = {c.__name__: "Mac" if issubclass(c, Mac) else "Aead" for c in ALGORITHMS.values()}
    classes = "\n".join(f"class {name}({base}): ..." for name, base in names.items())
    exported = ["ALGORITHMS", "aead", "algorithm_class", "mac", *names]
    listed = "".join(f'    "{name}",\n' for name in exported)
    return documented(f"{HEAD}\n{classes}\n\n__all__ = [\n{listed}]\n", polyseal.algorithms)


def members(body: list[ast.stmt], there: object) -> Iterator[tuple[ast.ClassDef | ast.FunctionDef, str | None]]:
    """The classes and functions of a stub, in its order, each with the documentation that is there."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("__"):
            found = inspect.getattr_static(there, node.name)
            found = found if hasattr(found, "__doc__") and not isinstance(found, (classmethod, staticmethod)) else getattr(there, node.name)
            yield node, found.__doc__
            if isinstance(node, ast.ClassDef):
                yield from members(node.body, found)


def documented(text: str, module: ModuleType) -> str:
    """A stub with the documentation that a module has, in the place of its own."""
    lines = text.splitlines()
    for node, found in reversed(list(members(ast.parse(text).body, module))):
        first, indent = node.body[0], " " * (node.col_offset + 4)
        if ast.get_docstring(node, clean=False) is not None:
            del lines[first.lineno - 1 : first.end_lineno]
            at = first.lineno - 1
            alone = len(node.body) == 1
        elif ast.unparse(first) == "...":
            # In the line of its head.
            lines[first.lineno - 1] = lines[first.lineno - 1][: first.col_offset].rstrip()
            at, alone = first.lineno, True
        else:
            at, alone = first.lineno - 1 - len(getattr(first, "decorator_list", ())), False
        if not found:
            if alone:
                lines[at - 1] += " ..."
            continue
        escaped = inspect.cleandoc(found).replace("\\", "\\\\").replace('"""', '\\"\\"\\"').splitlines()
        ends = ['"""'] if len(escaped) > 1 else []
        escaped = [f'"""{escaped[0]}' + ("" if ends else '"""'), *escaped[1:], *ends]
        lines[at:at] = [f"{indent}{line}" if line else "" for line in escaped]
    return "\n".join(lines) + "\n"


def extension() -> str:
    """The stub of the extension module, with its documentation as it is now."""
    return documented((PACKAGE / "_polyseal.pyi").read_text(), _polyseal)


if __name__ == "__main__":
    (PACKAGE / "_polyseal.pyi").write_text(extension())
    (PACKAGE / "algorithms.pyi").write_text(algorithms())
