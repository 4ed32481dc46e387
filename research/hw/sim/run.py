# SPDX-License-Identifier: Apache-2.0 OR MIT
"""VUnit runs the testbenches on GHDL: `scripts/python research/hw/sim/run.py [--long] [VUnit's options] [PATTERN…]`.

A pattern is of a test's whole name, as `*.sha512.timing.packets`; one that is no test's is a failure.
"""

import fnmatch
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import link_control  # noqa: E402
import link_tests  # noqa: E402
import lwc  # noqa: E402
import stimulus  # noqa: E402
from vunit import VUnit, VUnitCLI  # noqa: E402

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
if "--output-path" not in " ".join(sys.argv) and "-o" not in sys.argv:
    sys.argv += ["--output-path", str(HERE.parents[2] / "target" / "hw" / "vunit")]

args = VUnitCLI().parse_args()
vu = VUnit.from_args(args, compile_builtins=False)
vu.add_vhdl_builtins()
lib = vu.add_library("omd")
lib.add_source_files(HERE.parent / "rtl" / "*.vhd")
lib.add_source_files(HERE.parent / "rtl" / "link" / "*.vhd")
lib.add_source_files(HERE.parent / "rtl" / "lwc" / "*.vhd")
lib.add_source_files(HERE.parent / "rtl" / "masked" / "*.vhd")
lib.add_source_files(HERE.parent / "tb" / "*.vhd")
vu.set_sim_option("ghdl.sim_flags", ["--ieee-asserts=disable-at-0"])

SIZES = {"sha256": 32, "sha512": 64, "blake2b": 64}
TAGS = {"sha256": (16, 32, 8), "sha512": (32, 64, 16), "blake2b": (32, 64)}
bench = lib.test_bench("tb_omd")
# All of them for each: VUnit carries over what another configuration has set.
DEFAULTS = {"G_AD": True, "G_DECRYPT": True, "G_HALF_ROUND": False, "G_KEEP": False, "G_LANES": 1, "G_MASKED": False, "G_SEED": 0,
            "G_STALL": 0, "G_TIMING": False}


def config(name, hash, tag, sessions, buffer_beats=None, **generics):
    path = HERE.parents[2] / "target" / "hw" / "stimulus" / name

    def write(output_path):
        sessions().write(path, buffer_beats)
        return True

    bench.add_config(name, pre_config=write, generics=DEFAULTS | generics | {
        "G_DIR": str(path), "G_HASH": hash, "G_TAG_BYTES": tag, "G_BUFFER": buffer_beats is not None})


for hash, n in SIZES.items():
    slow = {"sha256": 12, "sha512": 10, "blake2b": 16}[hash]
    tags = TAGS[hash] if LONG else TAGS[hash][:1]
    edges = stimulus.edges(n)
    for tag in tags:
        config(f"{hash}.{tag}.vectors", hash, tag,
               lambda h=hash, t=tag, c=slow: stimulus.from_vectors(h, t, 10**6 if LONG else c, 10**4 if LONG else 400))
        config(f"{hash}.{tag}.stalls", hash, tag, lambda h=hash, t=tag, e=edges: stimulus.drawn(h, t, 1, e, breaks=3),
               G_STALL=40, G_SEED=1)
    # Every L[i] of 9600 bytes, and of BLAKE2b the first that it waits for.
    blocks = 1026 if hash == "blake2b" else 9600 // n if LONG else 9
    config(f"{hash}.timing", hash, n, lambda h=hash, n=n, m=n * blocks: stimulus.drawn(
        h, n, 2, [(m, 0), (2 * n, 0)], opens=False), G_AD=False, G_DECRYPT=False, G_TIMING=True)
    config(f"{hash}.timing.opens", hash, n, lambda h=hash, n=n: stimulus.drawn(
        h, n, 2, [(2 * n, 0), (3 * n - 1, 0)], opens=True), G_AD=False, G_TIMING=True)
    config(f"{hash}.timing.ad", hash, n, lambda h=hash, n=n: stimulus.drawn(h, n, 2, [(2 * n, 6 * n + 3)], opens=False),
           G_TIMING=True)
    config(f"{hash}.keep", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(h, n, 12, e, breaks=2, keeps=True),
           G_KEEP=True, G_STALL=20, G_SEED=7)
    config(f"{hash}.timing.keep", hash, n, lambda h=hash, n=n: stimulus.drawn(
        h, n, 2, [(2 * n, 3 * n), (n, 3 * n), (2 * n, 3 * n)], keeps=True), G_KEEP=True, G_TIMING=True)
    config(f"{hash}.given", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(h, n, 3, e, breaks=1), G_AD=False)
    config(f"{hash}.lanes", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(
        h, n, 4, e if LONG else e[:6], lanes=4, breaks=1), G_LANES=4)
    config(f"{hash}.lanes.timing", hash, n, lambda h=hash, n=n: stimulus.drawn(
        h, n, 2, [(3 * n, 0), (2 * n, 0)], lanes=4, opens=False), G_AD=False, G_DECRYPT=False, G_LANES=4, G_TIMING=True)
    config(f"{hash}.lanes.stalls", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(
        h, n, 5, e if LONG else e[1:4], lanes=4), G_LANES=4, G_STALL=30, G_SEED=9)
    config(f"{hash}.lanes.given", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(
        h, n, 9, e if LONG else e[1:6], lanes=4, breaks=1), G_AD=False, G_LANES=4, G_STALL=30, G_SEED=11)
    config(f"{hash}.buffer", hash, n, lambda h=hash, n=n, e=edges: stimulus.drawn(
        h, n, 6, e, breaks=3), 6, G_STALL=20, G_SEED=3)
config("blake2b.half", "blake2b", 64, lambda: stimulus.drawn("blake2b", 64, 8, stimulus.edges(64), breaks=3),
       G_HALF_ROUND=True, G_STALL=20, G_SEED=5)
config("blake2b.half.timing", "blake2b", 64, lambda: stimulus.drawn("blake2b", 64, 9, [(1500, 0)], opens=False), G_AD=False,
       G_HALF_ROUND=True, G_TIMING=True)
config("sha256.masked", "sha256", 16, lambda: stimulus.from_vectors(
    "sha256", 16, 200 if LONG else 4, 10**4 if LONG else 80, opens=False), G_MASKED=True, G_STALL=10,
       G_SEED=6)
config("sha256.masked.timing", "sha256", 32, lambda: stimulus.drawn("sha256", 32, 2, [(64, 0), (32, 0)], opens=False),
       G_AD=False, G_DECRYPT=False, G_MASKED=True, G_TIMING=True)
for hash, n in SIZES.items():
    if LONG or hash == "blake2b":
        config(f"{hash}.hundreds", hash, n,
               lambda h=hash, n=n: stimulus.drawn(h, n, 7, [(i % 200, i % 131) for i in range(300)]))
if LONG:
    for hash, n in SIZES.items():
        for seed in range(4):
            config(f"{hash}.long.{seed}", hash, n, lambda h=hash, n=n, s=seed: stimulus.drawn(
                h, n, 100 + s, [(i * 37 % 9601, i * 91 % 600) for i in range(100)], breaks=10),
                G_STALL=10 * seed, G_SEED=seed)

# Words that are not valid are X in this bench.
lib.test_bench("tb_omd_lwc").set_sim_option("ghdl.sim_flags", ["--ieee-asserts=disable"])
for name, hash, script, stall, broken_off in lwc.configurations(LONG):
    path = HERE.parents[2] / "target" / "hw" / "stimulus" / f"lwc.{name}"

    def save_words(output_path, script=script, path=path):
        script().save(path)
        return True

    lib.test_bench("tb_omd_lwc").add_config(name, pre_config=save_words, generics={
        "G_DIR": str(path), "G_HASH": hash, "G_KEY_BYTES": lwc.KEY_BYTES, "G_TAG_BYTES": SIZES[hash] // 2, "G_BEATS": lwc.BEATS,
        "G_BREAK": broken_off, "G_STALL": stall, "G_SEED": len(name)})

control = lib.test_bench("tb_link_control")
for hash in SIZES if LONG else ("sha256",):
    script = link_control.script(hash)
    path = HERE.parents[2] / "target" / "hw" / "stimulus" / f"control.{hash}.txt"

    def save(output_path, script=script, path=path):
        script.save(path)
        return True

    control.add_config(hash, pre_config=save, post_check=script.check, generics={"G_COMMANDS": str(path), "G_HASH": hash})

for drops in (True, False):
    for seed, (write_ps, read_ps, stall) in enumerate(((10000, 10000, 30), (7000, 31000, 0), (29000, 3000, 70))):
        lib.test_bench("tb_packet_fifo").add_config(
            f"{'drops' if drops else 'waits'}.{seed}", generics={
                "G_DROPS": drops, "G_WR_PS": write_ps, "G_RD_PS": read_ps, "G_STALL": stall, "G_SEED": seed})

for name, run, generics in link_tests.configurations(LONG):
    path = HERE.parents[2] / "target" / "hw" / "stimulus" / f"link.{name}"

    def save_link(output_path, run=run, path=path):
        run.save(path)
        return True

    lib.test_bench("tb_omd_link").add_config(name, pre_config=save_link, post_check=run.check,
                                             generics=generics | {"G_DIR": str(path)})



def check_patterns(results):
    """VUnit runs nothing for a pattern that no test has, and is content."""
    names = list(results.get_report().tests)
    without = [pattern for pattern in args.test_patterns if not fnmatch.filter(names, pattern)]
    if without:
        # VUnit ends with 1 and drops the message of an exception.
        print(f"run.py: no test has the name: {' '.join(without)}", file=sys.stderr)
        raise SystemExit(1)


vu.main(check_patterns)
