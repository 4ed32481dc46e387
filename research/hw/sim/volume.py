# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Thousands of frames through two ends of a link, in Verilator: `scripts/python research/hw/sim/volume.py [FRAMES [HASH]]`.

10,000 frames of 0 to 9600 bytes with BLAKE2b, half of them each way: 9,000 over a clean channel, on which none may be lost, and
1,000 over one that loses, repeats, reorders, alters and cuts, on which none may be wrong. Some packets are compared with
research/reference/omd_link.py. omd_link goes through `ghdl synth` to Verilog; volume.cpp plays the frames.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "research" / "hw" / "syn"), str(ROOT / "research" / "hw" / "driver"), str(ROOT / "research" / "reference")]

import omd_link as reference  # noqa: E402
from omd_link_driver import registers as regs  # noqa: E402
from translate import sources, translate  # noqa: E402


def build(hash, n):
    directory = ROOT / "target" / "hw" / "volume" / hash
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "omd_link.v").write_text(translate(sources("omd_link"), "omd_link", {"G_HASH": hash, "G_MIN_FRAME": 0}))
    names = ("STATUS", "ROLE", "MASTER_KEY", "OWN_IDENTIFIER", "PEER_IDENTIFIER", "CONTROL", "OWN_CONFIRMATION",
             "PEER_CONFIRMATION", "COUNTERS")
    defines = [f"-DADDRESS_{name}={getattr(regs, name)}" for name in names]
    defines += [f"-DBLOCK_BYTES={n}", f"-DOPENED={regs.COUNTER_NAMES.index('opened')}"]
    # Its thousands of warnings about GHDL's Verilog are of use only if a build fails.
    done = subprocess.run(["verilator", "--cc", "--exe", "--build", "-j", str(os.cpu_count()), "-O3", "--x-assign", "fast",
                           "--default-language", "1364-2005", "--top-module", "omd_link", "-Wno-fatal", "-CFLAGS",
                           " ".join(["-O2", *defines]), "--Mdir", directory / "made", "-o", "volume", directory / "omd_link.v",
                           Path(__file__).with_name("volume.cpp")], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return directory / "made" / "volume"


def run(program, suite, MK, frames, noise, seed):
    done = subprocess.run([program, str(frames), "9600", str(noise), str(seed)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    ids, *shown, counts = done.stdout.splitlines()
    id_a, id_b = map(bytes.fromhex, ids.split())
    a, _ = reference.session(suite, MK, id_a, id_b, min_frame=0)
    for i, line in enumerate(shown):
        frame, packet = (bytes.fromhex(x.rstrip("-")) for x in line.split(" "))
        a.counter = 500 * i
        if a.seal(frame) != packet:
            raise SystemExit(f"packet {500 * i} is not the reference's")
    print(f"{suite.family}, of 1000 packets {6 * noise} disturbed: {counts}; {len(shown)} packets are the reference's", flush=True)


def main(total="10000", hash="blake2b"):
    suite = next(s for s in reference.SUITES.values() if s.family == "omd-" + hash)
    n = reference.omd.HASHES[suite.family].n
    program = build(hash, n)
    clean = int(total) * 9 // 20
    run(program, suite, bytes(range(n)), clean, 0, 1)
    run(program, suite, bytes(range(n)), int(total) // 2 - clean, 40, 2)


if __name__ == "__main__":
    main(*sys.argv[1:])
