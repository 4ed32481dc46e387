# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The masked parts under a probe with glitches: `scripts/python --in research research/hw/formal/masking.py`.

Source: Faust, Grosso, Merino Del Pozo, Paglialonga, Standaert, Composable Masking Schemes in the Presence of Physical Defaults
(CHES 2018). A probe of a net sees all registers and inputs that its logic has, as they are and as they were a cycle before.
What it sees must have the same distribution whatever the secrets are. All secrets, masks and random bits are tried, in words of
BITS bits: so this is exact. Each mistake of MUTANTS and UNSEEN must show, in words of BITS_OF_MUTANTS.
Limits: parts one by one, with inputs that are shared uniformly and independently; whether the core gives them such, the t-test
alone says.
"""

import functools
import hashlib
import itertools
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sim"))

from masked import MUTANTS, UNSEEN, cells, gates, net  # noqa: E402

BITS, BITS_OF_MUTANTS = 3, 2
# The inputs of each port: sums of independent secrets.
PARTS = {
    "masked_select": {"x": "ab", "y": "bc", "z": "b"},    # as Maj, the harder of both
    "masked_adder": {"a": "a", "b": "b"},
}
PUBLIC = ("clk", "rst", "step", "first")
CYCLES = 3                                                # after the last bit


@functools.cache
def tables(n):
    """All values of n variables, the first the fastest: each as 2^n bits."""
    whole = numpy.arange(1 << n, dtype=numpy.uint32)
    return [numpy.packbits((whole >> j & 1).astype(numpy.uint8), bitorder="little") for j in range(n)]


class Part:
    def __init__(self, top, inputs, width, mutant=None):
        module = gates(top, mutant)
        self.inputs, self.width = inputs, width
        self.ports = {name: [net(b) for b in p["bits"]] for name, p in module["ports"].items()}
        self.flops, self.made = cells(module)
        self.order, self.cones = [], {}
        for out in self.made:
            self.visit(out)
        public = {x for name in PUBLIC for x in self.ports.get(name, ())}
        cones = {frozenset(self.visit(x) - public) for x in (*self.made, *(x for d, _, q in self.flops for x in (d, q)))}
        # A probe that sees less than another is not tried.
        self.probes = [sorted(c) for c in cones if not any(c < other for other in cones)]
        self.secrets = sorted(set("".join(inputs.values())))
        self.with_none = list(self.seen(0))

    def visit(self, x):
        """The registers and ports that a net is made of."""
        if x not in self.made:
            return {x} if x > 1 else set()
        if x not in self.cones:
            self.cones[x] = set().union(*(self.visit(y) for y in self.made[x][1:]))
            self.order.append(x)
        return self.cones[x]

    def seen(self, row):
        """In each step the distribution of what each probe sees, hashed, with the secrets that are the bits of `row`."""
        width, random_ports = self.width, self.ports["random"]
        n_masks = width * len(self.secrets)
        variables = tables(n_masks + len(random_ports) * (width + 1))
        none = numpy.zeros_like(variables[0])
        every = ~none
        state = {q: none for _, _, q in self.flops}
        before = {}
        for t in range(width + CYCLES):
            at = {0: none, 1: every} | state
            for name, bits in self.ports.items():
                for bit in bits:
                    at.setdefault(bit, every if name == "step" or name == "first" and t == 0 else none)
            seen_as = {}                                  # of a port the sources, which glitches show one by one
            for (port, of), share in itertools.product(self.inputs.items(), (0, 1)):
                sources = []
                for secret in of:
                    i = width * self.secrets.index(secret) + t
                    mask = variables[i] if t < width else none
                    sources.append(~mask if not share and t < width and row >> i & 1 else mask)
                at[self.ports[port][share]] = numpy.bitwise_xor.reduce(sources)
                seen_as[self.ports[port][share]] = sources
            for i, bit in enumerate(random_ports):
                at[bit] = variables[n_masks + len(random_ports) * t + i] if t <= width else none
            for out in self.order:
                kind, *pins = self.made[out]
                a, b = at[pins[0]], at[pins[1]] if len(pins) > 1 else none
                at[out] = (lambda: ~a, lambda: a & b, lambda: a | b, lambda: a ^ b, lambda: a ^ (a ^ b) & at[pins[-1]])[kind]()
            now = {x: seen_as.get(x, [at[x]]) for x in at if x not in self.made}
            # Random bits that are still to come are seen by none.
            known = 1 << min(n_masks + len(random_ports) * (t + 1), len(variables))
            for probe in self.probes:
                values = numpy.zeros(known, numpy.uint32)
                sources = [x for source in probe for x in (*now[source], *before.get(source, ()))]
                for i, x in enumerate(sources):
                    values |= numpy.unpackbits(x[:known + 7 >> 3], count=known, bitorder="little").astype(numpy.uint32) << i
                yield hashlib.sha256(numpy.bincount(values, minlength=1 << len(sources))).digest()
            before = now
            state = {q: at[d] & at[e] | at[q] & ~at[e] for d, e, q in self.flops}

    def differs(self, row):
        """The first probe, of all steps, to which `row` looks another than no secrets do; None if there is none."""
        for i, (seen, other) in enumerate(zip(self.seen(row), self.with_none)):
            if seen != other:
                return divmod(i, len(self.probes))
        return None

    def shows(self, pool):
        rows = range(1, 1 << self.width * len(self.secrets))
        return next((x for x in pool.imap(self.differs, rows) if x), None)


def main():
    failed = []
    with Pool() as pool:
        for top, inputs in PARTS.items():
            part = Part(top, inputs, BITS)
            shown = part.shows(pool)
            print(f"{top}, words of {BITS} bits, {len(part.probes)} probes in {BITS + CYCLES} steps: "
                  f"{f'shows step and probe {shown}' if shown else 'no probe shows anything'}", flush=True)
            failed += [top] if shown else []
        for name, mutant in (MUTANTS | UNSEEN).items():
            shown = any(Part(top, inputs, BITS_OF_MUTANTS, mutant).shows(pool) for top, inputs in PARTS.items())
            print(f"{name}: {'is shown' if shown else 'is not noticed'}", flush=True)
            failed += [] if shown else [name]
    if failed:
        raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main()
