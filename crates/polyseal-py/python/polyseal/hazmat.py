"""Ciphers that are no authenticated encryption, for experts. Their names say what they do not give.

>>> from polyseal.hazmat import WideBlock
>>> cipher = WideBlock(bytes(32), "wide-block-length-preserving-no-authenticity", b"disk 1")
>>> sector = cipher.encipher(b"", b"a sector", b"number 42")
>>> len(sector), cipher.decipher(b"", sector, b"number 42")
(8, b'a sector')
"""

from ._polyseal import WideBlock

__all__ = ["WideBlock"]
