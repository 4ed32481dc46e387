"""Prints python/polyseal/algorithms.pyi: the classes of the registry, for those who check types."""

from polyseal import ALGORITHMS, Mac

HEAD = '''# Made by tests/algorithm_stubs.py from the registry.
from typing import Final

from ._polyseal import Aead, Buffer, Mac, SecretKey
from .keys import KeyRef

ALGORITHMS: Final[dict[str, type[Aead] | type[Mac]]]

def algorithm_class(name: str) -> type[Aead] | type[Mac]: ...
def aead(name: str, key: Buffer | SecretKey | KeyRef) -> Aead: ...
def mac(name: str, key: Buffer | SecretKey | KeyRef) -> Mac: ...
'''


def stub() -> str:
    """The whole stub."""
    names = {c.__name__: "Mac" if issubclass(c, Mac) else "Aead" for c in ALGORITHMS.values()}
    classes = "\n".join(f"class {name}({base}): ..." for name, base in names.items())
    exported = ["ALGORITHMS", "aead", "algorithm_class", "mac", *names]
    listed = "".join(f'    "{name}",\n' for name in exported)
    return f"{HEAD}\n{classes}\n\n__all__ = [\n{listed}]\n"


if __name__ == "__main__":
    print(stub(), end="")
