"""The permutations under Flex v1 and their inverses, slowly and to the letter.

  Simpira v2        Gueron and Mouha, ASIACRYPT 2016, eprint 2016/122: b = 2, 3, 4, 8 words.
  Areion-256, -512  Isobe et al., CHES 2023, eprint 2023/794, in the version of its vectors of 2023-09-21:
                    Areion-512 ends with a rotation of the words, which some implementations leave out.
  Keccak-p[1600,12] FIPS 202: its last 12 rounds, as in TurboSHAKE.
  Ascon-p[12]       NIST SP 800-232: all 12 rounds, the words little-endian.

Everything is bytes to bytes. Simpira and Areion work on words of 16 bytes, which are AES states, column by column.

What it does not give: speed, or constant time.

Letters: x[0], x[1], ... the words of a state, b their number, c the counter of Simpira's constants, RC Areion's
constants; θ, ρ, π, χ, ι the steps of Keccak, A its lanes, lane (x, y) at x + 5y.
"""

from aegis import AESRound, SBOX, gf_mul, xor

ZERO = bytes(16)


# ── The instructions of AES, on the round of aegis.py ───────────────────────────────────────────

SBOX_INVERSE = bytes(SBOX.index(a) for a in range(256))
TIMES = {c: bytes(gf_mul(a, c) for a in range(256)) for c in (9, 11, 13, 14)}

# ShiftRows moves the byte at 5i mod 16 to i.
SHIFT_ROWS = [5 * i % 16 for i in range(16)]
SHIFT_ROWS_INVERSE = [13 * i % 16 for i in range(16)]


def AESENC(x, k):
    return AESRound(x, k)


def AESENCLAST(x, k):
    s = x.translate(SBOX)
    return xor(bytes(s[i] for i in SHIFT_ROWS), k)


def AESENC_inverse(y, k):
    """FIPS 197, 5.3.3: InvMixColumns, then as the last round."""
    s = xor(y, k)
    rows = [bytes(s[i - i % 4 + (i + n) % 4] for i in range(16)) for n in range(4)]
    s = xor(rows[0].translate(TIMES[14]), rows[1].translate(TIMES[11]), rows[2].translate(TIMES[13]),
            rows[3].translate(TIMES[9]))
    return AESENCLAST_inverse(s, ZERO)


def AESENCLAST_inverse(y, k):
    s = xor(y, k)
    return bytes(s[i] for i in SHIFT_ROWS_INVERSE).translate(SBOX_INVERSE)


def words(state):
    return [state[i:i + 16] for i in range(0, len(state), 16)]


# ── Simpira v2 ──────────────────────────────────────────────────────────────────────────────────

def simpira_F(c, b, x):
    C = b"".join((n ^ c ^ b).to_bytes(4, "little") for n in (0x00, 0x10, 0x20, 0x30))
    return AESENC(AESENC(x, C), ZERO)


def simpira_steps(b):
    """(to, from) of every call of F, in order: x[to] ^= F(x[from]). The counter c of the first is 1."""
    steps = []
    if b in (2, 3):
        for r in range(6 * b + 3):
            steps.append(((r + 1) % b, r % b))
    elif b == 4:
        for r in range(15):
            steps += [((r + 1) % 4, r % 4), ((r + 3) % 4, (r + 2) % 4)]
    else:
        assert b == 8
        s, u = (0, 1, 6, 5, 4, 3), (2, 7)
        for r in range(18):
            steps += [(s[(r + 1) % 6], s[r % 6]), (s[(r + 5) % 6], u[r % 2]), (s[(r + 3) % 6], s[(r + 4) % 6]),
                      (u[(r + 1) % 2], s[(r + 2) % 6])]
    return list(enumerate(steps, 1))


def simpira(b, inverse=False):
    steps = simpira_steps(b)
    if inverse:
        steps.reverse()

    def permutation(state):
        x = words(state)
        assert len(x) == b
        for c, (to, from_) in steps:
            x[to] = xor(x[to], simpira_F(c, b, x[from_]))
        return b"".join(x)
    return permutation


# ── Areion ──────────────────────────────────────────────────────────────────────────────────────

def fraction_of_pi(digits):
    """The first hexadecimal digits of π - 3, as an integer: Machin's 16 arctan(1/5) - 4 arctan(1/239)."""
    guard = 16
    one = 16 ** (digits + guard)

    def arctan_of_inverse(n):
        total, power, k = 0, one // n, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total
    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239) - 3 * one >> 4 * guard


def areion_constants():
    digits = f"{fraction_of_pi(15 * 32):0{15 * 32}x}"
    RC = [int(digits[32 * i:32 * i + 32], 16) for i in range(15)]
    RC[7] <<= 4                         # the published constant: its first digit, a zero, is left out, and one follows
    return [x.to_bytes(16, "little") for x in RC]


RC = areion_constants()


def areion_256(state):
    x = words(state)
    for i in range(10):
        a, b = i % 2, (i + 1) % 2
        x[b] = AESENC(AESENC(x[a], RC[i]), x[b])
        x[a] = AESENCLAST(x[a], ZERO)
    return x[0] + x[1]


def areion_256_inverse(state):
    x = words(state)
    for i in reversed(range(10)):
        a, b = i % 2, (i + 1) % 2
        x[a] = AESENCLAST_inverse(x[a], ZERO)
        x[b] = AESENC(AESENC(x[a], RC[i]), x[b])
    return x[0] + x[1]


def areion_512(state):
    x = words(state)
    for i in range(15):
        a, b, c, d = (i % 4, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4)
        x[b] = AESENC(x[a], x[b])
        x[d] = AESENC(x[c], x[d])
        x[a] = AESENCLAST(x[a], ZERO)
        x[c] = AESENC(AESENCLAST(x[c], RC[i]), ZERO)
    return x[3] + x[0] + x[1] + x[2]


def areion_512_inverse(state):
    x = words(state[16:] + state[:16])
    for i in reversed(range(15)):
        a, b, c, d = (i % 4, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4)
        x[c] = AESENCLAST_inverse(AESENC_inverse(x[c], ZERO), RC[i])
        x[a] = AESENCLAST_inverse(x[a], ZERO)
        x[d] = AESENC(x[c], x[d])
        x[b] = AESENC(x[a], x[b])
    return b"".join(x)


# ── Words of 64 bits, and χ on five of them ─────────────────────────────────────────────────────

MASK = 2**64 - 1


def rotl(x, n):
    n %= 64
    return (x << n | x >> 64 - n) & MASK


def lanes(state):
    return [int.from_bytes(state[i:i + 8], "little") for i in range(0, len(state), 8)]


def join(A):
    return b"".join(x.to_bytes(8, "little") for x in A)


def chi(x):
    return [x[i] ^ (~x[(i + 1) % 5] & MASK & x[(i + 2) % 5]) for i in range(5)]


def chi_inverse(x):
    """χ on five bits has order 4."""
    return chi(chi(chi(x)))


# ── Keccak-p[1600,12] ───────────────────────────────────────────────────────────────────────────

def rho_offsets():
    """FIPS 202, 3.2.2."""
    offsets, x, y = [0] * 25, 1, 0
    for t in range(24):
        offsets[x + 5 * y] = (t + 1) * (t + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    return offsets


def iota_constants():
    """FIPS 202, 3.2.5: bit 2^j - 1 of round i is rc(j + 7i), from the register x^8 + x^6 + x^5 + x^4 + 1."""
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << 2**j - 1
            register <<= 1
            register ^= 0x171 if register >> 8 else 0
        constants.append(constant)
    return constants


RHO = rho_offsets()
IOTA = iota_constants()


def parity(A):
    return [A[x] ^ A[x + 5] ^ A[x + 10] ^ A[x + 15] ^ A[x + 20] for x in range(5)]


def effect(C, n=1):
    """The addition of θ to every lane of a column, from the columns' parities; n: in the nth power of θ, n = 2^k."""
    return [C[(x - n) % 5] ^ rotl(C[(x + n) % 5], n) for x in range(5)]


def theta(A):
    D = effect(parity(A))
    return [A[i] ^ D[i % 5] for i in range(25)]


def theta_inverse(A):
    """On the parities θ is a factor p whose 192nd power is 1: so p^191 restores them, and they the lanes.

    A power of p by 2^k has three terms, as p has; 191 = 1 + 2 + 4 + 8 + 16 + 32 + 128.
    """
    C = parity(A)
    for n in (1, 2, 4, 8, 16, 32, 128):
        C = [c ^ d for c, d in zip(C, effect(C, n))]
    D = effect(C)
    return [A[i] ^ D[i % 5] for i in range(25)]


def keccak_p(state):
    A = lanes(state)
    for i in range(12, 24):
        A = theta(A)
        B = [0] * 25
        for x in range(5):
            for y in range(5):                                             # ρ and π
                B[y + 5 * ((2 * x + 3 * y) % 5)] = rotl(A[x + 5 * y], RHO[x + 5 * y])
        A = [lane for y in range(5) for lane in chi(B[5 * y:5 * y + 5])]
        A[0] ^= IOTA[i]
    return join(A)


def keccak_p_inverse(state):
    A = lanes(state)
    for i in reversed(range(12, 24)):
        A[0] ^= IOTA[i]
        B = [lane for y in range(5) for lane in chi_inverse(A[5 * y:5 * y + 5])]
        A = [0] * 25
        for x in range(5):
            for y in range(5):
                A[x + 5 * y] = rotl(B[y + 5 * ((2 * x + 3 * y) % 5)], -RHO[x + 5 * y])
        A = theta_inverse(A)
    return join(A)


# ── Ascon-p[12] ─────────────────────────────────────────────────────────────────────────────────

ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))


def diffuse(x, n=1):
    """p_L; n: its nth power, n = 2^k, which has three terms, too."""
    return [w ^ rotl(w, -a * n) ^ rotl(w, -b * n) for w, (a, b) in zip(x, ROTATIONS)]


def diffuse_inverse(x):
    """The 64th power of p_L is 1, and 63 = 1 + 2 + 4 + 8 + 16 + 32."""
    for n in (1, 2, 4, 8, 16, 32):
        x = diffuse(x, n)
    return x


def ascon_p(state):
    x = lanes(state)
    for i in range(12):
        x[2] ^= 0xf0 - 0x0f * i
        x[0] ^= x[4]; x[4] ^= x[3]; x[2] ^= x[1]                           # p_S
        x = chi(x)
        x[1] ^= x[0]; x[0] ^= x[4]; x[3] ^= x[2]; x[2] ^= MASK
        x = diffuse(x)
    return join(x)


def ascon_p_inverse(state):
    x = lanes(state)
    for i in reversed(range(12)):
        x = diffuse_inverse(x)
        x[2] ^= MASK; x[3] ^= x[2]; x[0] ^= x[4]; x[1] ^= x[0]
        x = chi_inverse(x)
        x[2] ^= x[1]; x[4] ^= x[3]; x[0] ^= x[4]
        x[2] ^= 0xf0 - 0x0f * i
    return join(x)


# ── By name: bytes, forward, inverse ────────────────────────────────────────────────────────────

PERMUTATIONS = {
    "Simpira v2, b = 2": (32, simpira(2), simpira(2, inverse=True)),
    "Simpira v2, b = 3": (48, simpira(3), simpira(3, inverse=True)),
    "Simpira v2, b = 4": (64, simpira(4), simpira(4, inverse=True)),
    "Simpira v2, b = 8": (128, simpira(8), simpira(8, inverse=True)),
    "Areion-256": (32, areion_256, areion_256_inverse),
    "Areion-512": (64, areion_512, areion_512_inverse),
    "Keccak-p[1600, 12]": (200, keccak_p, keccak_p_inverse),
    "Ascon-p[12]": (40, ascon_p, ascon_p_inverse),
}
