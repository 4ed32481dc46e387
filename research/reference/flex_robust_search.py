"""A search for attacks on robust encryption that commits, over short programs of an adversary.

`scripts/python research/reference/flex_robust_search.py [CANDIDATE …]` tries six ways to add a tag to the
wide-block cipher of Flex (docs/spec/flex.md, section 9). Each is run on ideal permutations, beside the ideal robust
AEAD of section 9.1: for each of two contexts (key, nonce and associated data) a random injection, and random text for
every ciphertext that nobody sealed.

A program is a few queries. Each seals or opens in one of the contexts, two blocks with or without a tail of half a
block. Each part of what it gives (two blocks, a tail, a tag) is a constant, or what an earlier query brought: at the
same place, or across places, where a tail is the first half of a block. What is looked at is which values are equal,
and which differences of two are equal, in their first halves and at whatever places; and what is accepted. A program
that sees another pattern than with the ideal AEAD is an attack. Halves have 64 bits, so chance makes none.

SEARCHES has the programs that are tried. What is found is a proof of weakness. What is not found is no proof of
strength. That a candidate commits is another question, which this does not ask.
"""

from argparse import ArgumentParser
from functools import reduce
from itertools import combinations, product
from operator import xor
from random import Random
from typing import NamedTuple

BLOCK, TAIL = 128, 64
POLYNOMIAL = 0x87                                        # x^128 + x^7 + x^2 + x + 1


def double(x):
    return (x << 1) % 2**BLOCK ^ (POLYNOMIAL if x >> BLOCK - 1 else 0)


def top(x):
    """The first half: a tail is a block whose second half is zero."""
    return x >> BLOCK - TAIL << BLOCK - TAIL


def padded(tail):
    return tail | 1 << BLOCK - TAIL - 1


class Ideal:
    """E~: a random permutation for each key and tweak, drawn where it is asked for."""

    def __init__(self, random):
        self.random, self.tables, self.calls = random, {}, 0

    def __call__(self, key, tweak, x, inverse=False):
        self.calls += 1
        there, back = self.tables.setdefault((key, tweak), ({}, {}))
        if inverse:
            there, back = back, there
        if x not in there:
            y = self.random.getrandbits(BLOCK)           # never one that is there already
            there[x], back[y] = y, x
        return there[x]


class WideBlock:
    """EME* over E~: what the candidates have in common. The tail is None where there is none."""

    def __init__(self, random):
        self.E = Ideal(random)

    # The parts that a planted mistake replaces.
    def tweak(self, layer, i):
        return layer, i

    def next_mask(self, mask):
        return double(mask)

    def tail_in_sum(self, tail, inner):
        """The summand of MP, which is the outer half's, or of V_0, the inner half's."""
        return padded(tail)

    def eme(self, near, blocks, tail, turn, inverse=False):
        """(blocks, tail, Q): `near` is the key of what comes first, and turn(W) that of the rest, and a pad."""
        E, layers, middle = self.E, ("first", "second"), ("tail in", "tail out")
        if inverse:
            layers, middle = layers[::-1], middle[::-1]
        U = [E(near, self.tweak(layers[0], i), x, inverse) for i, x in enumerate(blocks)]
        MP = reduce(xor, U)
        if tail is not None:
            MP ^= self.tail_in_sum(tail, inverse)
            MM = E(near, middle[0], MP, inverse)
            far, pad = turn(MM)
            MC = E(far, middle[1], MM, inverse)
            tail ^= top(pad)
        elif inverse:                                    # W is the outer half's, so here it comes last
            MC = E(near, "middle", MP, inverse)
            far, _ = turn(MC)
        else:
            far, _ = turn(MP)
            MC = E(far, "middle", MP)
        mask = Q = MP ^ MC
        V = [MC if tail is None else MC ^ self.tail_in_sum(tail, not inverse)]
        for u in U[1:]:
            mask = self.next_mask(mask)
            V.append(u ^ mask)
            V[0] ^= V[-1]
        return [E(far, self.tweak(layers[1], i), v, inverse) for i, v in enumerate(V)], tail, Q


class Appended(WideBlock):
    """ROBUST with CMT: the tag stands behind the enciphered message. 2 calls a block, 3 more with a tail."""

    def seal(self, context, blocks, tail):
        blocks, tail, Q = self.eme(context, blocks, tail, lambda W: (context, W))
        return blocks, tail, self.E(context, ("tag", tail is None), Q)

    def open(self, context, blocks, tail, tag):
        blocks, tail, Q = self.eme(context, blocks, tail, lambda W: (context, W), inverse=True)
        return blocks, tail, self.E(context, ("tag", tail is None), Q) == tag


class MaskedByTag(Appended):
    """The same, and a pad that is made of the tag is added to the first block. 2 calls a block, 4 more."""

    def mask(self, context, blocks, tail, tag):
        return [blocks[0] ^ self.E(context, ("mask", tail is None, 0), tag), *blocks[1:]], tail

    def seal(self, context, blocks, tail):
        blocks, tail, tag = super().seal(context, blocks, tail)
        return *self.mask(context, blocks, tail, tag), tag

    def open(self, context, blocks, tail, tag):
        return super().open(context, *self.mask(context, blocks, tail, tag), tag)


class MaskedWhole(MaskedByTag):
    """The pad is added to all of the enciphered message. 3 calls a block, 4 more."""

    def mask(self, context, blocks, tail, tag):
        blocks = [x ^ self.E(context, ("mask", tail is None, i), tag) for i, x in enumerate(blocks)]
        return blocks, None if tail is None else tail ^ top(self.E(context, "mask of the tail", tag))


class Enciphered(WideBlock):
    """The tag is a hash of the message and enciphered with it. 3 calls a block and two passes; the tag is a block more.

    That it commits is a heuristic, and no sketch of a proof is known to us.
    """

    def tag(self, context, blocks, tail):
        total = 0 if tail is None else self.E(context, "hash of the tail", padded(tail))
        for i, x in enumerate(blocks):
            total ^= self.E(context, ("hash", i), x)
        return self.E(context, ("tag", tail is None), total)

    def seal(self, context, blocks, tail):
        all_blocks = [self.tag(context, blocks, tail), *blocks]
        (tag, *blocks), tail, _ = self.eme(context, all_blocks, tail, lambda W: (context, W))
        return blocks, tail, tag

    def open(self, context, blocks, tail, tag):
        (tag, *blocks), tail, _ = self.eme(context, [tag, *blocks], tail, lambda W: (context, W), inverse=True)
        return blocks, tail, self.tag(context, blocks, tail) == tag


class TagInTheMiddle(WideBlock):
    """The tag is made of W, and the inner half's key of the tag. MM is added to the tail. 2 calls a block, 4 more."""

    def inner(self, context, whole, tag):
        return "inner", self.E(context, ("inner", whole), tag)

    def pad(self, inner, MM):
        return MM

    def seal(self, context, blocks, tail):
        whole, tag = tail is None, None

        def turn(W):
            nonlocal tag
            tag = self.E(context, ("tag", whole), W)
            inner = self.inner(context, whole, tag)
            return inner, None if whole else self.pad(inner, W)

        blocks, tail, _ = self.eme(context, blocks, tail, turn)
        return blocks, tail, tag

    def open(self, context, blocks, tail, tag):
        whole, inner, right = tail is None, self.inner(context, tail is None, tag), None

        def turn(W):
            nonlocal right
            right = self.E(context, ("tag", whole), W) == tag
            return context, None if whole else self.pad(inner, W)

        blocks, tail, _ = self.eme(inner, blocks, tail, turn, inverse=True)
        return blocks, tail, right


class RobustAe(TagInTheMiddle):
    """ROBUST-AE, section 9.1: what is added to the tail has the inner half's key, too. 2 calls a block, 5 more."""

    def pad(self, inner, MM):
        return self.E(inner, "pad", MM)


class Perfect:
    """The ideal robust AEAD."""

    def __init__(self, random):
        self.random, self.sealed, self.opened = random, {}, {}

    def text(self, tail):
        tail = None if tail is None else top(self.random.getrandbits(BLOCK))
        return [self.random.getrandbits(BLOCK) for _ in range(2)], tail

    def seal(self, context, blocks, tail):
        message = context, *blocks, tail
        if message not in self.sealed:
            ciphertext = *self.text(tail), self.random.getrandbits(BLOCK)
            self.sealed[message] = ciphertext
            self.opened[context, *ciphertext[0], *ciphertext[1:]] = blocks, tail, True
        return self.sealed[message]

    def open(self, context, blocks, tail, tag):
        ciphertext = context, *blocks, tail, tag
        if ciphertext not in self.opened:
            self.opened[ciphertext] = *self.text(tail), False
        return self.opened[ciphertext]


CANDIDATES = (Appended, MaskedByTag, MaskedWhole, Enciphered, TagInTheMiddle, RobustAe)
PLACES = ("block 0", "block 1", "tail", "tag")
# The values that the adversary knows from the start, by place: unrelated, so that no equality is their doing.
CONSTANTS = [(top if place == "tail" else int)(Random(place).getrandbits(BLOCK)) for place in PLACES]


class Query(NamedTuple):
    context: int
    seals: bool
    places: tuple                                        # of `inputs`: two blocks, perhaps a tail, and to open a tag
    inputs: tuple                                        # for each which known values are added


def kinds(tails=True):
    """Whether a query seals, and the places of what it gives and brings."""
    for seals, tail in product((True, False), ((), (2,)) if tails else ((),)):
        text = 0, 1, *tail
        yield seals, (text if seals else (*text, 3)), ((*text, 3) if seals else text)


def run(scheme, program):
    """The values, in the order in which they became known; and what was accepted."""
    known, accepted = list(CONSTANTS), []
    for context, seals, places, inputs in program:
        given = {place: reduce(xor, (known[i] for i in added)) for place, added in zip(places, inputs)}
        text = [given[0], given[1]], top(given[2]) if 2 in given else None
        if seals:
            blocks, tail, tag = scheme.seal(context, *text)
        else:
            blocks, tail, right = scheme.open(context, *text, given[3])
            accepted.append(right)
        known += blocks if tail is None else [*blocks, tail]
        if seals:
            known.append(tag)
    return known, accepted


def differences(known):
    """Those of any two values, in the first half."""
    return {top(a ^ b) for a, b in combinations(known, 2)}


def programs(queries, across, contexts=2, tails=True, places=(0, 1, 2, 3)):
    """Every one of `queries` queries, the first in context 0; `places` are those of what is known before."""
    if not queries:
        yield ()
        return

    def choices(place):
        if not across:
            return [(i,) for i, at in enumerate(places) if at == place]
        # Two constants are enough for blocks and tags.
        return [(i,) for i, at in enumerate(places) if (at == 2) == (place == 2) and i != 3]

    for seals, given, brought in kinds(tails):
        for inputs in product(*map(choices, given)):
            for context in range(1 if len(places) == 4 else contexts):
                for rest in programs(queries - 1, across, contexts, tails, (*places, *brought)):
                    yield Query(context, seals, given, inputs), *rest


def random_programs(count):
    """Programs of three to five queries. Each gives what an earlier one gave or brought, but for some parts:

    these are values at any place, or sums of three.
    """
    random, every = Random(1), list(kinds())
    for _ in range(count):
        known, program, texts = 4, [], [{place: (place,) for place in range(4)}]
        for _ in range(random.randint(3, 5)):
            context, (seals, given, brought), text = random.randrange(2), random.choice(every), random.choice(texts)
            inputs = tuple(text[place] if place in text and random.random() < 0.7
                           else tuple(random.sample(range(known), random.choice((1, 1, 3)))) for place in given)
            program.append(Query(context, seals, given, inputs))
            texts += dict(zip(given, inputs)), {place: (known + i,) for i, place in enumerate(brought)}
            known += len(brought)
        yield tuple(program)


# The programs that are tried: 12,400, 34,560, 29,952, 432,800 and 300,000. Values go across places unless it is said.
SEARCHES = {
    "2 queries": lambda: programs(2, across=True),
    "3 queries, each value at its place": lambda: programs(3, across=False),
    "4 queries, each value at its place, one context, no tail":
        lambda: programs(4, across=False, contexts=1, tails=False),
    "3 queries, one context, no tail": lambda: programs(3, across=True, contexts=1, tails=False),
    "3 to 5 queries at random": lambda: random_programs(300_000),
}


def attacks(candidate, tried):
    """Those programs that see what an ideal AEAD does not show."""
    random = Random(1)
    for program in tried:
        known, accepted = run(candidate(random), program)
        ideal, as_ideal = run(Perfect(random), program)
        # Whatever is equal with the ideal is equal with every candidate, so it is enough to count.
        if accepted != as_ideal or len(differences(known)) != len(differences(ideal)):
            yield program


def names(program):
    """Those of the known values: b0.2 is the first block that the second query brought."""
    short = "b0", "b1", "t", "tag"
    brought = {(seals, given): places for seals, given, places in kinds()}
    return [*short, *(f"{short[place]}.{number}" for number, query in enumerate(program, 1)
                      for place in brought[query.seals, query.places])]


def in_words(program):
    """A query in context 1 has an apostrophe."""
    of = names(program)
    return "; ".join(("seal" if query.seals else "open") + "'" * query.context + " "
                     + ", ".join("+".join(of[i] for i in added) for added in query.inputs) for query in program)


def seen(candidate, program):
    """One of the equalities by which the attack is told from the ideal, in words."""
    known, accepted = run(candidate(Random(1)), program)
    ideal, as_ideal = run(Perfect(Random(1)), program)
    of, pairs = names(program), {}
    for a, b in combinations(range(len(known)), 2):
        pairs.setdefault(top(known[a] ^ known[b]), []).append((a, b))
    for difference, equal in sorted(pairs.items()):
        if difference == 0:
            found = [f"{of[a]} = {of[b]}" for a, b in equal if top(ideal[a] ^ ideal[b])]
        else:
            found = [f"{of[a]} + {of[b]} = {of[c]} + {of[d]}" for (a, b), (c, d) in combinations(equal, 2)
                     if top(ideal[a] ^ ideal[b] ^ ideal[c] ^ ideal[d])]
        if found:
            return found[0]
    return "accepted" if accepted != as_ideal else ""


def calls(candidate):
    """The calls of a seal of two blocks and a tail, without the context's."""
    scheme = candidate(Random(0))
    scheme.seal(0, *([1, 2], top(3 << TAIL)))
    return scheme.E.calls


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("candidates", nargs="*", help="all, if none is named")
    wanted = parser.parse_args()
    for candidate in CANDIDATES:
        if wanted.candidates and candidate.__name__ not in wanted.candidates:
            continue
        print(f"{candidate.__name__}: {candidate.__doc__.splitlines()[0]}")
        print(f"    {calls(candidate)} calls for two blocks and a tail")
        for what, tried in SEARCHES.items():
            found = list(attacks(candidate, tried()))
            example = f": {in_words(found[0])}: {seen(candidate, found[0])}" if found else ""
            print(f"    {what}: {len(found)} attacks{example}", flush=True)


if __name__ == "__main__":
    main()
