"""POLYVAL, RFC 8452, section 3, in its own field and not by way of GHASH: for gcm_siv.py and och.py.

Letters: H the key, X the blocks; bit i of a number is the coefficient of x^i.
"""

# x^128 + x^127 + x^126 + x^121 + 1.
MODULUS = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1


def number(X):
    return int.from_bytes(X, "little")


def multiply(a, b):
    product = 0
    for i in range(128):
        if b >> i & 1:
            product ^= a << i
    for i in range(254, 127, -1):
        if product >> i & 1:
            product ^= MODULUS << i - 128
    return product


# x^-128 = x^127 + x^124 + x^121 + x^114 + 1.
INVERSE = 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1


def dot(a, b):
    return multiply(multiply(a, b), INVERSE)


def divide(a, b):
    """The c with dot(c, b) = a: only for making vectors. b^(2^128 - 2) is 1/b."""
    factor, inverse = multiply(b, INVERSE), 1
    for _ in range(127):
        factor = multiply(factor, factor)
        inverse = multiply(inverse, factor)
    return multiply(a, inverse)


def POLYVAL(H, X):
    S = 0
    for i in range(0, len(X), 16):
        S = dot(S ^ number(X[i:i + 16]), number(H))
    return S.to_bytes(16, "little")
