# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether the masked core's toggles depend on what it computes: `scripts/python --in research research/hw/sim/leakage.py
[PART [TRACES]]`.

Test vector leakage assessment (Goodwill, Jun, Jaffe, Rohatgi, 2011). A trace is the number of toggles in each cycle, glitches
with them, of a group of nets (masked.py) or of all. Traces are of four classes in turn, with new sharings and random bits each:
two fixed inputs, one semi-fixed, one random; each of the three is compared with the random one by Welch's t-test.
There are as many tests as cycles, groups and classes: chance alone reaches the limit in one of them with probability
FALSE_ALARM, by Bonferroni's correction. (It came to 5.48 at 65,536 traces of the function, and to 4.64 at 100,000.) The paper's
rule, 4.5 with the same sign in both halves of the traces, notices only what has about 6.4 in all.
PART: `function`, the compression function, or `core`, omd_masked as it takes a key, seals a block with associated data, and gives
the tag. `controls` shows that a leak would be noticed. Each of MUTANTS, the function without masks, and the variance of its
toggles (second order, which two shares do not hide) must exceed the limit with one of CONTROLS traces, whatever TRACES is.
TRACES: at least 4096, as t is taken to be normal.
The netlist is yosys's, in gates of no device. Delays of gates are 1, or drawn from 1 to 3 (DELAYS).
Limits: toggles are no measurement. Nothing here has capacitances, coupling of wires or a device's placement.
"""

import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "research" / "reference")]

import omd  # noqa: E402
from masked import CORE, FUNCTION, INPUTS, MUTANTS, gates, netlist  # noqa: E402

CALL = 2883
FALSE_ALARM = 0.001
SEEDS = (2, 3)
DELAYS = (1, 3)                                           # the longest, of two models
CLASSES = ("fixed", "zeros", "semi-fixed")                # against random
TRACES = {"function": 100_000, "core": 20_000}
# The numbers of traces that are tried, until a control is noticed.
CONTROLS = (4096, 16384, 65536)
NO_MASKS = "neither masks nor random bits"
SECOND_ORDER = "second order"


def bits(x, width, order="little"):
    """The lowest first."""
    return f"{int.from_bytes(x, order):0{width}b}"[::-1]


@dataclass
class Play:
    cycles: int
    high: list                                            # ports that are 1
    streams: list                                         # valid, ready, ports in two shares, public ports, beats of both
    out: tuple                                            # valid, port in two shares
    expected: list                                        # its last, as they must be for the fixed inputs


def classes(beats, is_fixed):
    """The beats of each class; `-` is drawn for each trace."""
    return beats, ["0" * len(x) for x in beats], beats if is_fixed else ["-" * len(x) for x in beats]


def plays(top):
    r = random.Random("leakage")
    if top == FUNCTION:
        # Semi-fixed: the schedule is, in all rounds.
        K, h, m = (r.randbytes(32) for _ in range(3))
        K_h_m = [classes([bits(x, 256, "big")], x is not h) for x in (K, h, m)]
        beats = [["".join(part[0] for part in of_class)] for of_class in zip(*K_h_m)]
        return Play(CALL + 3, [], [("start", "ready", ("k", "h", "m"), (), beats, [])], ("ready", "y"),
                    [bits(omd.SHA256.compress(h, K + m), 256, "big")])
    # Semi-fixed: the key is.
    K, N, A, M = (r.randbytes(n) for n in (32, 31, 50, 32))
    C, T = omd.algorithm("omd-sha256").Encrypt(M, A, K, N, 256)
    streams = [
        ("s_key_tvalid", "s_key_tready", ("s_key_tdata",), (),
         classes([bits(K[i:i + 4], 32) for i in range(0, 32, 4)], True), []),
        ("s_ad_tvalid", "s_ad_tready", ("s_ad_tdata",), ("s_ad_tkeep", "s_ad_tlast"), classes([bits(A, 512)], False),
         [f"{'1' * 50:0<64}1"]),
        ("s_axis_tvalid", "s_axis_tready", ("s_axis_tdata",), ("s_axis_tkeep", "s_axis_tlast"),
         classes([bits(N, 256), bits(M, 256)], False), ["1" * 31 + "01", "1" * 33])]
    return Play(6 * CALL + 60, ["m_axis_tready"], streams, ("m_axis_tvalid", "m_axis_tdata"), [bits(C, 256), bits(T, 256)])


def compiled(directory):
    program = directory / "leakage"
    subprocess.run(["g++", "-O2", "-march=native", "-Wall", "-Wno-psabi", "-o", program, HERE / "leakage.cpp"], check=True)
    return program


def welch(mean, variance, n):
    """Each class against the last."""
    difference, deviation = mean[..., :-1] - mean[..., -1:], numpy.sqrt((variance[..., :-1] + variance[..., -1:]) / n)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        t = difference / deviation
    t[numpy.isnan(t)] = 0                                 # no toggle, or always as many
    return t


def t_tests(sums, n):
    """The t of first order and of second, the squares of what is centred: by cycle, group and class."""
    s1, s2, s3, s4 = numpy.moveaxis(sums / n, 2, 0)
    variance = s2 - s1 ** 2
    fourth = s4 - 4 * s1 * s3 + 6 * s1 ** 2 * s2 - 3 * s1 ** 4
    return welch(s1, variance, n), welch(variance, numpy.maximum(fourth - variance ** 2, 0), n)


class Found:
    """The tests of a netlist: of `order`, by group the largest |t|, its cycle and class."""

    def __init__(self, program, directory, module, play, delay, traces, masked=True):
        text, names, self.size = netlist(module, delay, play)
        (directory / "netlist").write_text(text)
        self.names = [*names, "all nets"]
        outs = [directory / f"sums{seed}" for seed in SEEDS]
        each = max(1, round(traces / len(SEEDS) / 512)) * 512
        kind = "masked" if masked else "unmasked"
        running = [subprocess.Popen([program, directory / "netlist", str(each), str(seed), kind, out],
                                    stdout=subprocess.PIPE, text=True) for seed, out in zip(SEEDS, outs)]
        for process in running:
            lines = process.communicate()[0].split()
            if process.returncode or lines[-len(play.expected):] != play.expected:
                raise SystemExit("the netlist does not compute what the reference does")
        halves = [numpy.fromfile(out).reshape(play.cycles, len(self.names), 4, len(CLASSES) + 1) for out in outs]
        n = each // (len(CLASSES) + 1)
        self.traces = each * len(SEEDS)
        self.orders = t_tests(sum(halves), n * len(SEEDS))
        self.limit = -NormalDist().inv_cdf(FALSE_ALARM / 2 / max(1, numpy.count_nonzero(self.orders[0])))
        first, second = (t_tests(half, n)[0] for half in halves)
        self.both = numpy.where(first * second > 0, numpy.minimum(abs(first), abs(second)), 0).max()

    def worst(self, order):
        """By group, the largest first."""
        t = abs(self.orders[order - 1])
        for g in sorted(range(len(self.names)), key=lambda g: -t[:, g].max()):
            cycle, of_class = numpy.unravel_index(t[:, g].argmax(), t[:, g].shape)
            yield self.names[g], t[cycle, g, of_class], cycle, CLASSES[of_class]

    def leaks(self, order=1):
        return [x for x in self.worst(order) if x[1] >= self.limit]


def told(group, t, cycle, of_class):
    return f"{t:.2f} ({group}, cycle {cycle}, {of_class})"


def parts(program, directory, part, traces):
    """Whether a part leaks."""
    top, delays = {"function": (FUNCTION, DELAYS), "core": (CORE, DELAYS[:1])}[part]
    for delay in delays:
        found = Found(program, directory, gates(top), plays(top), delay, traces)
        print(f"{top}, {found.traces} traces, delays to {delay}: {found.size}; the limit {found.limit:.2f}; "
              f"by the paper's rule {found.both:.2f}; |t| at most, by group:")
        print("  " + "\n  ".join(told(*x) for x in found.worst(1)), flush=True)
        if found.leaks():
            yield f"{top} leaks"


def controls(program, directory):
    """Whether a control is not seen."""
    for name, mutant in {SECOND_ORDER: None, NO_MASKS: None, **MUTANTS}.items():
        module, order = gates(FUNCTION, mutant), 2 if name == SECOND_ORDER else 1
        for traces in CONTROLS:
            found = Found(program, directory, module, plays(FUNCTION), 1, traces, masked=name != NO_MASKS)
            seen = [x for x in found.leaks(order) if x[0] != INPUTS]
            if seen:
                break
        else:
            yield f"{name} is not noticed"
        print(f"{name}, {found.traces} traces, the limit {found.limit:.2f}: "
              f"{'; '.join(told(*x) for x in seen) or f'not noticed, {told(*next(found.worst(order)))}'}", flush=True)


def main(*arguments):
    chosen, traces = (arguments or (None,))[0], int(arguments[1]) if arguments[1:] else None
    if traces is not None and traces < CONTROLS[0]:
        raise SystemExit(f"at least {CONTROLS[0]} traces")
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        program = compiled(directory)
        failed = []
        for part in [chosen] if chosen else ["controls", *TRACES]:
            if part == "controls":
                failed += controls(program, directory)
            else:
                failed += parts(program, directory, part, traces or TRACES[part])
    if failed:
        raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
