# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The masked parts under a probe with glitches: `scripts/python --in research research/hw/formal/masking.py`.

Source: Faust, Grosso, Merino Del Pozo, Paglialonga, Standaert, Composable Masking Schemes in the Presence of Physical Defaults
(CHES 2018). A probe of a net sees all registers and inputs that its logic has, as they are and as they were a cycle before.
What it sees must have the same distribution whatever the secrets are. All secrets, masks and random bits are tried, in words of
BITS bits: so this is exact. Each mistake of MUTANTS must show.
Limits: parts one by one, with inputs that are shared uniformly and independently; whether the core gives them such, the t-test
alone says.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sim"))

from leakage import KINDS, MUTANTS, UNSEEN, gates  # noqa: E402

BITS = 2
# The inputs of each port: sums of independent secrets.
PARTS = {
    "masked_select": {"x": "ab", "y": "bc", "z": "b"},    # as Maj, the harder of both
    "masked_adder": {"a": "a", "b": "b"},
}
CYCLES = 3                                                # after the last bit


def tables(n):
    """All values of n variables, as the bits of integers."""
    for j in range(n):
        x = (1 << (1 << j)) - 1 << (1 << j)
        for k in range(j + 1, n):
            x |= x << (1 << k)
        yield x


class Part:
    def __init__(self, top, mutant=None):
        module = gates(top, mutant)
        self.ports = {name: [b if isinstance(b, int) else int(b) for b in p["bits"]] for name, p in module["ports"].items()}
        self.flops, self.made = [], {}
        for cell in module["cells"].values():
            pins = {pin: b[0] if isinstance(b[0], int) else int(b[0] == "1") for pin, b in cell["connections"].items()}
            if cell["type"].startswith("$_DFF"):
                self.flops.append((pins["D"], pins.get("E", 1), pins["Q"]))
            else:
                self.made[pins["Y"]] = KINDS[cell["type"]], [pins[p] for p in "ABS" if p in pins]
        self.order, self.cones = [], {}
        for net in self.made:
            self.visit(net)

    def visit(self, net):
        """The registers and ports that a net is made of."""
        if net not in self.made:
            return {net} if net > 1 else set()
        if net not in self.cones:
            self.cones[net] = set().union(*(self.visit(x) for x in self.made[net][1]))
            self.order.append(net)
        return self.cones[net]

    def shows(self, inputs):
        """A probe that tells something of the secrets, and None if there is none."""
        secrets = sorted(set("".join(inputs.values())))
        random_ports = self.ports["random"]
        n_random = len(random_ports) * (BITS + 1)
        *shared, = tables(n_random + 2 * BITS * len(secrets))
        randoms, masks, values = (shared[:n_random], shared[n_random:n_random + BITS * len(secrets)],
                                  shared[n_random + BITS * len(secrets):])
        every, rows = (1 << (1 << len(shared))) - 1, 1 << BITS * len(secrets)
        state = {q: 0 for _, _, q in self.flops}
        before, looked_at = {}, set()
        for t in range(BITS + CYCLES):
            net = {0: 0, 1: every} | state
            for name, bits in self.ports.items():
                for bit in bits:
                    net.setdefault(bit, every if name == "step" or name == "first" and t == 0 else 0)
            seen_as = {}                                  # of a port the sources, which glitches show one by one
            for port, of in inputs.items():
                for share in (0, 1):
                    parts = []
                    for secret in of:
                        at = BITS * secrets.index(secret) + t
                        mask = masks[at] if t < BITS else 0
                        parts.append(mask if share or t >= BITS else mask ^ values[at])
                    x = 0
                    for part in parts:
                        x ^= part
                    net[self.ports[port][share]] = x
                    seen_as[self.ports[port][share]] = parts
            for i, bit in enumerate(random_ports):
                net[bit] = randoms[len(random_ports) * t + i] if t <= BITS else 0
            for out in self.order:
                kind, pins = self.made[out]
                a, b = net[pins[0]], net[pins[1]] if len(pins) > 1 else 0
                net[out] = (every ^ a, a & b, a | b, a ^ b, a ^ (a ^ b) & net[pins[-1]])[kind]
            now = {x: seen_as.get(x, [net[x]]) for x in net if x not in self.made}
            for cone in {frozenset(c) for c in (*self.cones.values(), *({d} for d, _, _ in self.flops))}:
                seen = {x for source in cone if source not in self.made for x in now[source] + before.get(source, [])}
                seen = frozenset(seen - {0, every})
                if seen not in looked_at and tells(list(seen), rows, (1 << len(shared)) // 8):
                    return t, len(seen)
                looked_at.add(seen)
            before = now
            state = {q: net[d] & net[e] | net[q] & ~net[e] for d, e, q in self.flops}
        return None


def tells(seen, rows, size):
    """Whether the distribution of these, of `size` bytes, differs with the secrets, the highest variables: then some sum of them
    has a bias that does."""
    x, step = 0, size // rows
    for i in range(1, 1 << len(seen)):
        x ^= seen[(i & -i).bit_length() - 1]              # in the order of Gray's code
        table = x.to_bytes(size, "little")
        if len({int.from_bytes(table[at:at + step], "little").bit_count() for at in range(0, size, step)}) > 1:
            return True
    return False


def main():
    failed = []
    for top, inputs in PARTS.items():
        shown = Part(top).shows(inputs)
        print(f"{top}: {'shows ' + str(shown) if shown else 'no probe shows anything'}", flush=True)
        failed += [top] if shown else []
    for name, mutant in (MUTANTS | UNSEEN).items():
        shown = any(Part(top, mutant).shows(inputs) for top, inputs in PARTS.items())
        print(f"{name}: {'is shown' if shown else 'is not noticed'}", flush=True)
        failed += [] if shown else [name]
    if failed:
        raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main()
