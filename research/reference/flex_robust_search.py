"""A search for attacks on robust encryption that commits, over all short programs of an adversary.

`scripts/python research/reference/flex_robust_search.py [--queries N] [--random PROGRAMS]` tries six ways to add a tag to the wide-block cipher of
Flex (docs/spec/flex.md, section 9). Each is run on ideal permutations of 32 bits, beside an ideal robust AEAD: a random
injection, and random text for every ciphertext that nobody sealed.

An adversary's program is three queries, or N, under one key, nonce and associated data. Each query seals or opens; each
part of it (two blocks, a tail of 16 bits, a tag) is a constant, or what an earlier query took or gave at that place.
What is looked at is which parts are equal, and which differences of two are equal. A program that sees an equality
which the ideal AEAD does not show is an attack. All programs of that form are tried, or as many random ones as are asked for.
What is found is a proof of weakness. What is not found is no proof of strength. That a candidate commits is another
question, which this does not ask.
"""

import itertools
from argparse import ArgumentParser
from random import Random

BLOCK, TAIL = 32, 16
POLYNOMIAL = 0x8D                                        # x^32 + x^7 + x^3 + x^2 + 1


def double(x):
    return (x << 1 & 0xFFFFFFFF) ^ (POLYNOMIAL if x >> 31 else 0)


def padded(tail):
    return tail << 16 | 0x8000


class Ideal:
    """E~: a random permutation for each key and tweak, drawn where it is asked for."""

    def __init__(self, seed):
        self.random, self.tables, self.calls = Random(seed), {}, 0

    def __call__(self, key, tweak, x, inverse=False):
        self.calls += 1
        there, back = self.tables.setdefault((key, tweak), ({}, {}))
        if inverse:
            there, back = back, there
        if x not in there:
            y = self.random.getrandbits(BLOCK)
            while y in back:
                y = self.random.getrandbits(BLOCK)
            there[x], back[y] = y, x
        return there[x]


def eme(E, blocks, tail, near, turn, inverse=False):
    """(blocks, tail, Q) of EME*: `near` is the key of what comes first, and turn(W) gives that of the rest and the pad.

    A tail is always there, so W is MM.
    """
    layers, middle = ("first", "second"), ("tail in", "tail out")
    if inverse:
        layers, middle = layers[::-1], middle[::-1]
    U = [E(near, (layers[0], i), x, inverse) for i, x in enumerate(blocks)]
    MP = padded(tail)
    for u in U:
        MP ^= u
    MM = E(near, middle[0], MP, inverse)
    far, pad = turn(MM)
    tail ^= pad >> 16
    MC = E(far, middle[1], MM, inverse)
    mask = Q = MP ^ MC
    V = [MC ^ padded(tail)]
    for u in U[1:]:
        mask = double(mask)
        V.append(u ^ mask)
        V[0] ^= V[-1]
    return [E(far, (layers[1], i), v, inverse) for i, v in enumerate(V)], tail, Q


class Appended:
    """ROBUST with CMT: the tag stands behind the enciphered message. 2 calls a block, 3 more with a tail."""

    def seal(self, E, blocks, tail):
        blocks, tail, Q = eme(E, blocks, tail, 0, lambda w: (0, w))
        return blocks, tail, E(0, "tag", Q)

    def open(self, E, blocks, tail, tag):
        blocks, tail, Q = eme(E, blocks, tail, 0, lambda w: (0, w), inverse=True)
        return blocks, tail, E(0, "tag", Q) == tag


class MaskedByTag(Appended):
    """The same, and a pad that is made of the tag is added to the first block. 2 calls a block, 4 more."""

    def mask(self, E, blocks, tail, tag):
        return [blocks[0] ^ E(0, "mask", tag), *blocks[1:]], tail

    def seal(self, E, blocks, tail):
        blocks, tail, tag = super().seal(E, blocks, tail)
        return *self.mask(E, blocks, tail, tag), tag

    def open(self, E, blocks, tail, tag):
        return super().open(E, *self.mask(E, blocks, tail, tag), tag)


class MaskedWhole(MaskedByTag):
    """The pad is added to all of the enciphered message. 3 calls a block, 4 more."""

    def mask(self, E, blocks, tail, tag):
        blocks = [x ^ E(0, ("mask", i), tag) for i, x in enumerate(blocks)]
        return blocks, tail ^ E(0, "mask of the tail", tag) >> 16


class Enciphered:
    """The tag is a hash of the message and enciphered with it. 3 calls a block and two passes; the tag is a block more.

    That it commits is a heuristic, and no sketch of a proof is known to us.
    """

    def tag(self, E, blocks, tail):
        total = E(0, "hash of the tail", padded(tail))
        for i, x in enumerate(blocks):
            total ^= E(0, ("hash", i), x)
        return E(0, "tag", total)

    def seal(self, E, blocks, tail):
        (tag, *blocks), tail, _ = eme(E, [self.tag(E, blocks, tail), *blocks], tail, 0, lambda w: (0, w))
        return blocks, tail, tag

    def open(self, E, blocks, tail, tag):
        (tag, *blocks), tail, _ = eme(E, [tag, *blocks], tail, 0, lambda w: (0, w), inverse=True)
        return blocks, tail, self.tag(E, blocks, tail) == tag


class TagInTheMiddle:
    """The tag is made of MM, and is the key of the inner half. MM itself is added to the tail. 2 calls a block, 4 more."""

    def pad(self, E, inner, MM):
        return MM

    def seal(self, E, blocks, tail):
        def turn(MM):
            nonlocal tag
            tag = E(0, "tag", MM)
            return ("inner", tag), self.pad(E, ("inner", tag), MM)
        tag = None
        blocks, tail, _ = eme(E, blocks, tail, 0, turn)
        return blocks, tail, tag

    def open(self, E, blocks, tail, tag):
        def turn(MM):
            nonlocal right
            right = E(0, "tag", MM) == tag
            return 0, self.pad(E, ("inner", tag), MM)
        right = None
        blocks, tail, _ = eme(E, blocks, tail, ("inner", tag), turn, inverse=True)
        return blocks, tail, right


class RobustAe(TagInTheMiddle):
    """ROBUST-AE, section 9.1: what is added to the tail has the inner half's key, too. 2 calls a block, 5 more."""

    def pad(self, E, inner, MM):
        return E(inner, "pad", MM)


class Perfect:
    """An ideal robust AEAD."""

    def __init__(self):
        self.sealed, self.opened = {}, {}

    def seal(self, E, blocks, tail):
        message = (*blocks, tail)
        if message not in self.sealed:
            r = E.random.getrandbits
            ciphertext = (*(r(BLOCK) for _ in blocks), r(TAIL), r(BLOCK))
            self.sealed[message] = ciphertext
            self.opened[ciphertext] = (*message, True)
        *blocks, tail, tag = self.sealed[message]
        return blocks, tail, tag

    def open(self, E, blocks, tail, tag):
        ciphertext = (*blocks, tail, tag)
        if ciphertext not in self.opened:
            r = E.random.getrandbits
            self.opened[ciphertext] = (*(r(BLOCK) for _ in blocks), r(TAIL), False)
        *blocks, tail, right = self.opened[ciphertext]
        return blocks, tail, right


CANDIDATES = (Appended, MaskedByTag, MaskedWhole, Enciphered, TagInTheMiddle, RobustAe)
PARTS = ("block 0", "block 1", "tail", "tag")


def run(scheme, E, program):
    """The values at each of the four places, in the order in which they became known; and what was accepted."""
    known = [[0x01010101 * (i + 1)] for i in range(4)]
    known[2] = [0x1234]
    accepted = []
    for seals, places in program:
        given = [known[part][place] for part, place in enumerate(places)]
        for part, value in enumerate(given):
            known[part].append(value)
        if seals:
            blocks, tail, tag = scheme.seal(E, given[:2], given[2])
            outcome = [*blocks, tail, tag]
        else:
            blocks, tail, right = scheme.open(E, given[:2], *given[2:])
            accepted.append(right)
            outcome = [*blocks, tail]
        for part, value in enumerate(outcome):
            known[part].append(value)
    return known, accepted


def equalities(known):
    """Which values at a place are equal, and which differences of two."""
    seen = set()
    for part, values in enumerate(known):
        differences = {}
        for pair in itertools.combinations(range(len(values)), 2):
            difference = values[pair[0]] ^ values[pair[1]]
            if difference == 0:
                seen.add((part, pair))
            else:
                differences.setdefault(difference, []).append(pair)
        for pairs in differences.values():
            seen.update((part, *two) for two in itertools.combinations(pairs, 2))
    return seen


def programs(queries, known=(1, 1, 1, 1)):
    """Every one of `queries` queries."""
    if not queries:
        yield ()
        return
    for seals in (True, False):
        parts = 3 if seals else 4
        for places in itertools.product(*(range(n) for n in known[:parts])):
            # Each part has one value more that was given and one that came; the tag has one if sealed or given.
            after = tuple(n + 2 if part < 3 else n + 1 for part, n in enumerate(known))
            for rest in programs(queries - 1, after):
                yield ((seals, places), *rest)


def random_programs(queries, count):
    random = Random(1)
    for _ in range(count):
        known, program = [1, 1, 1, 1], []
        for _ in range(queries):
            seals = random.random() < 0.5
            program.append((seals, tuple(random.randrange(n) for n in known[:3 if seals else 4])))
            known = [n + 2 for n in known[:3]] + [known[3] + 1]
        yield tuple(program)


def attacks(candidate, tried, seed=1):
    """Those programs that see what an ideal AEAD does not show."""
    for number, program in enumerate(tried):
        # 16 bits of a tail are equal by chance now and then: not twice.
        for once in range(3):
            E = Ideal(f"{seed} {number} {once}")
            known, accepted = run(candidate(), E, program)
            ideal, as_ideal = run(Perfect(), E, program)
            more = equalities(known) - equalities(ideal)
            if not more and accepted == as_ideal:
                break
        else:
            yield program, more, accepted != as_ideal


def in_words(program):
    def value(part, place):
        query, came = divmod(place - 1, 2)
        if place and part == 3:
            return f"tag{place}"
        return "0" if place == 0 else f"{'out' if came else 'in'}{query + 1}"
    return "; ".join(("seal " if seals else "open ") + ", ".join(value(part, place) for part, place in enumerate(places))
                     for seals, places in program)


def calls(candidate):
    """The calls of a seal of two blocks and a tail, without the context's."""
    E = Ideal(0)
    candidate().seal(E, [1, 2], 3)
    return E.calls


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=3)
    parser.add_argument("--random", type=int, metavar="PROGRAMS", help="random programs, and not all of them")
    wanted = parser.parse_args()
    for candidate in CANDIDATES:
        tried = random_programs(wanted.queries, wanted.random) if wanted.random else programs(wanted.queries)
        found = list(attacks(candidate, tried))
        print(f"{candidate.__name__}: {candidate.__doc__.splitlines()[0]}")
        print(f"    {calls(candidate)} calls for two blocks and a tail; {len(found)} attacks of {wanted.queries} queries")
        if found:
            program, more, _ = found[0]
            part = sorted(more)[0] if more else None
            print(f"    one of them: {in_words(program)}" + (f"; equal at {PARTS[part[0]]}" if part else ""))


if __name__ == "__main__":
    main()
