"""BLAKE3, slowly and to the letter: hash, keyed hash and key derivation, with output of any length.

Source: O'Connor, Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", section 2;
the names are those of the paper. Needs nothing but the standard library.

What it does not give: speed, or input in parts (an input is a bytes object).

Letters: h chaining value of 8 words, m message block of 16 words, t counter, b length of the block in
bytes, d flags, v state of the compression function.
"""

BLOCK, CHUNK = 64, 1024                                  # bytes
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = (
    1 << k for k in range(7))
IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
QUARTERS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),        # columns
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))        # diagonals
M32 = 0xFFFFFFFF


def words(data):
    return [int.from_bytes(data[k:k + 4], "little") for k in range(0, len(data), 4)]


def rotated(x, n):
    """To the right."""
    return x >> n | x << (32 - n) & M32


def G(v, a, b, c, d, m0, m1):
    v[a] = v[a] + v[b] + m0 & M32
    v[d] = rotated(v[d] ^ v[a], 16)
    v[c] = v[c] + v[d] & M32
    v[b] = rotated(v[b] ^ v[c], 12)
    v[a] = v[a] + v[b] + m1 & M32
    v[d] = rotated(v[d] ^ v[a], 8)
    v[c] = v[c] + v[d] & M32
    v[b] = rotated(v[b] ^ v[c], 7)


def compress(h, m, t, b, d):
    """All 16 words; a chaining value is the first 8."""
    v = [*h, *IV[:4], t & M32, t >> 32, b, d]
    for _ in range(7):
        for k, (x, y, z, w) in enumerate(QUARTERS):
            G(v, x, y, z, w, m[2 * k], m[2 * k + 1])
        m = [m[k] for k in PERMUTATION]
    return [v[k] ^ v[k + 8] for k in range(8)] + [v[k + 8] ^ h[k] for k in range(8)]


def chunk(data, t, key, d):
    """The inputs of the last compression of chunk number t."""
    h = key
    blocks = [data[k:k + BLOCK] for k in range(0, len(data), BLOCK)] or [b""]
    for k, block in enumerate(blocks):
        flags = d | (CHUNK_START if k == 0 else 0) | (CHUNK_END if k == len(blocks) - 1 else 0)
        node = h, words(block.ljust(BLOCK, b"\0")), t, len(block), flags
        if k < len(blocks) - 1:
            h = compress(*node)[:8]
    return node


def tree(data, t, key, d):
    """The inputs of the top compression over data, whose first chunk is number t. The left subtree has the
    largest power of two of chunks that leaves one byte at least to the right one."""
    if len(data) <= CHUNK:
        return chunk(data, t, key, d)
    chunks = 1
    while 2 * chunks * CHUNK < len(data):
        chunks *= 2
    left = compress(*tree(data[:chunks * CHUNK], t, key, d))[:8]
    right = compress(*tree(data[chunks * CHUNK:], t + chunks, key, d))[:8]
    return key, left + right, 0, BLOCK, d | PARENT


def output(data, key, d, n):
    h, m, _, b, flags = tree(data, 0, key, d)
    blocks = [compress(h, m, t, b, flags | ROOT) for t in range(-(-n // BLOCK))]
    return b"".join(word.to_bytes(4, "little") for block in blocks for word in block)[:n]


def hash(data, n=32):
    return output(data, IV, 0, n)


def keyed_hash(key, data, n=32):
    assert len(key) == 32
    return output(data, words(key), KEYED_HASH, n)


def derive_key(context, material, n=32):
    """context is a str, a constant of the program."""
    context_key = output(context.encode(), IV, DERIVE_KEY_CONTEXT, 32)
    return output(material, words(context_key), DERIVE_KEY_MATERIAL, n)
