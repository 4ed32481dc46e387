# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether an erasure leaves nothing: `scripts/python research/hw/sim/erasure.py`; with --long of SLOW, too.

Each design goes through `ghdl synth` to Verilog, where each register can be seen, and Icarus Verilog runs it: one session
after another is broken off at a cycle of its own, and erased. Then every net, and every word of every memory, must be as
it was after the reset, before anything came; CYCLES says how long after the edge that takes `zeroise`. Beside that, the
erasure is taken out of one register at a time (MUTANTS): each must be found, or this looks at the wrong things.
"""

import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
sys.path.insert(0, str(HERE.parent / "syn"))

from translate import translate  # noqa: E402

CORES = ["omd_pkg", "blake2b_core", "sha2_core", "sha256_core", "sha512_core", "omd_compression", "omd_mode", "omd_core"]
MASKED_CORE = ["omd_pkg", "omd_mode", *(f"masked/{name}" for name in (
    "masked_pkg", "masked_and", "masked_select", "masked_adder", "masked_sha256_core", "omd_masked"))]
CALL = {"sha256": 65, "sha512": 81, "blake2b": 13}
BYTES = {"sha256": 32, "sha512": 64, "blake2b": 64}

# Plays a session to omd_core, which gets all that it takes, and whose output is taken.
CORE = """
  omd_core dut (.clk(clk), .rst(rst), .zeroise(zeroise),
    .s_key_tdata(noise[{b}:0] & {{{b1}{{on}}}}), .s_key_tvalid(on), .s_key_tready(),
    .s_ad_tdata(noise[{ad}:0] & {{{ad1}{{on}}}}), .s_ad_tkeep({{{two_n}{{on}}}}), .s_ad_tlast(on & noise[9]), .s_ad_tvalid(on),
    .s_ad_tready(), .keep_tag_a(1'b0), .s_axis_tdata(noise[{block}:0] & {{{block1}{{on}}}}),
    .s_axis_tkeep({{1'b0, {{{n1}{{on}}}}}}), .s_axis_tuser(on & noise[1]), .s_axis_tlast(on & noise[2] & noise[3]),
    .s_axis_tvalid(on), .s_axis_tready(), .m_axis_tdata(), .m_axis_tkeep(), .m_axis_tuser(), .m_axis_tlast(),
    .m_axis_tvalid(), .m_axis_tready(on), .l_star({{{block1}{{1'b0}}}}), .tag_a({{{block1}{{1'b0}}}}));
"""

# The same to omd_masked, whose call is long: sessions end within the first two.
MASKED = """
  omd_masked dut (.clk(clk), .rst(rst), .zeroise(zeroise), .s_key_tdata(noise[63:0] & {{64{{on}}}}), .s_key_tvalid(on),
    .s_key_tready(), .s_ad_tdata(noise & {{1024{{on}}}}), .s_ad_tkeep({{64{{on}}}}), .s_ad_tlast(on & noise[9]), .s_ad_tvalid(on),
    .s_ad_tready(), .keep_tag_a(1'b0), .s_axis_tdata(noise[511:0] & {{512{{on}}}}), .s_axis_tkeep({{1'b0, {{31{{on}}}}}}),
    .s_axis_tlast(on), .s_axis_tvalid(on), .s_axis_tready(), .m_axis_tdata(), .m_axis_tkeep(), .m_axis_tuser(), .m_axis_tlast(),
    .m_axis_tvalid(), .m_axis_tready(on), .l_star(512'b0), .tag_a(512'b0), .random(noise[41:0] & {{42{{on}}}}), .random_valid(on));
"""

# ks_gen: words of the master key, of both identifiers, `derive`; the cores take every beat.
KEYS = """
  wire [7:0] step = cycle[7:0];
  wire master = on & (cycle < {words}), own = on & (cycle >= 24) & (cycle < 30), peer = on & (cycle >= 32) & (cycle < 38);
  ks_gen dut (.clk(clk), .rst(rst), .word(noise[31:0] & {{32{{on}}}}), .index(master ? step[3:0] : (step[3:0] & 4'h7)),
    .write_master(master), .write_own(own), .write_peer(peer), .write_confirmation(on), .role(on & noise[5]),
    .derive(on & (cycle == 40)), .enable(1'b0), .stop(1'b0), .zeroise(zeroise), .may_derive(), .may_enable(),
    .may_write(), .may_confirm(), .has_master(), .derived(), .busy(), .no_own_epoch(), .no_peer_epoch(), .refused(), .ended(), .was_erased(),
    .own_confirmation(), .erase(), .erased(1'b1), .enabled(), .direction(), .session(), .key_tdata(), .seal_key_tvalid(),
    .open_key_tvalid(), .seal_key_tready(1'b1), .open_key_tready(1'b1), .l_star(), .seal_tag_a(), .open_tag_a());
"""

BENCH = """`timescale 1ns/1ns
module bench;
  reg clk = 0, rst = 1, zeroise = 0, on = 0;
  reg [1023:0] noise = 0;
  integer cycle = 0, i, seed = {seed};
  always #5 clk = ~clk;
  always @(negedge clk) for (i = 0; i < 32; i = i + 1) noise[32 * i +: 32] = $random(seed);
  always @(posedge clk) if (on) cycle <= cycle + 1;
{dut}
  task dump; begin
    $dumpon; #1; $dumpoff;
{memories}
    $display("dump");
  end endtask
  task session(input integer cycles); begin
    @(negedge clk) on = 1; cycle = 0;
    repeat (cycles) @(negedge clk);
    zeroise = 1;
    @(negedge clk) zeroise = 0; on = 0; cycle = 0;
    repeat ({wait}) @(negedge clk);
    dump;
  end endtask
  initial begin
    $dumpfile("{vcd}");
    $dumpvars(0, dut);
    $dumpoff;
    repeat (3) @(negedge clk);
    rst = 0;
    repeat ({wait}) @(negedge clk);
    dump;
{sessions}
    $finish;
  end
endmodule
"""

# Design: what plays it, its sources and generics, cycles from the end of `zeroise` on, and of the longest session.
DESIGNS = {
    f"omd_core {hash}": (CORE, "omd_core", CORES, {"G_HASH": hash, "G_BYTES": n, "G_TAG_BYTES": n}, 1, 12 * CALL[hash])
    for hash, n in BYTES.items()
} | {
    f"ks_gen {hash}": (KEYS, "ks_gen", [*CORES, "link/ks_gen"], {"G_HASH": hash, "G_BYTES": n}, 9, 9 * CALL[hash] + 110)
    for hash, n in BYTES.items()
} | {
    "omd_masked": (MASKED, "omd_masked", MASKED_CORE, {}, 1, 5000),
}
SLOW = ("omd_core sha512", "ks_gen sha512", "omd_masked")

# Design: (source, text, instead).
MUTANTS = [
    ("omd_masked", "masked/masked_sha256_core", "          W(i) <= (others => '0');\n", ""),
    ("omd_masked", "masked/masked_and", '        outer <= "00";\n', ""),
    ("omd_core sha256", "omd_mode", "        K <= ZERO;\n", ""),
    ("omd_core sha256", "omd_mode", "        Ta(1 to LANES) <= (others => ZERO);\n", ""),
    ("omd_core sha256", "omd_mode", "        D(1 to LANES) <= (others => ZERO);\n", ""),
    ("ks_gen sha256", "link/ks_gen", "        MK <= ZERO;\n", ""),
    ("ks_gen sha256", "link/ks_gen", "        tag_seal <= ZERO;\n", ""),
]


def nets_of(vcd):
    """For each dump, the value of each net."""
    names, scope, dumps, now = {}, [], [], None
    for line in vcd.splitlines():
        if line.startswith("$scope"):
            scope.append(line.split()[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            _, kind, _, code, name, *_ = line.split()
            if kind != "parameter":
                names.setdefault(code, ".".join([*scope, name]))
        elif line.startswith("$dumpon"):
            now = {}
            dumps.append(now)
        elif line.startswith("$dumpoff"):
            now = None
        elif now is not None and line[:1] in "01xzb":
            value, code = line[1:].split() if line[0] == "b" else (line[0], line[1:])
            now[code] = value
    return names, dumps


def memories(verilog, top):
    """(name, words) of those of the top module."""
    text = verilog[verilog.index(f"module {top}\n") if f"module {top}\n" in verilog else verilog.index(f"module {top} "):]
    text = text[:text.index("endmodule")]
    return [(name, int(high) + 1) for name, high in re.findall(r"reg \[[^]]*\] (\w+)\[(\d+):0\]", text)]


def leftovers(design, mutation=None):
    """The traces that an erasure leaves, as the names of nets; no session should leave any."""
    player, top, sources, generics, cycles, longest = DESIGNS[design]
    n = generics.get("G_BYTES", 32)
    r = random.Random(design)
    ends = sorted(r.sample(range(9, longest), 10))
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        files = []
        for name in sources:
            text = (RTL / f"{name}.vhd").read_text()
            if mutation and mutation[0] == name:
                assert text.count(mutation[1]) == 1, f"{name} has not once: {mutation[1]}"
                text = text.replace(mutation[1], mutation[2])
            path = directory / f"{name.split('/')[-1]}.vhd"
            path.write_text(text)
            files.append(path)
        verilog = translate(files, top, generics)
        dut = player.format(b=n - 1, b1=n, ad=16 * n - 1, ad1=16 * n, two_n=2 * n, block=8 * n - 1, block1=8 * n, n1=n - 1,
                            words=n // 4)
        words = "\n".join(f'    for (i = 0; i < {count}; i = i + 1) $display("{name}[%0d] %h", i, dut.{name}[i]);'
                          for name, count in memories(verilog, top))
        vcd = directory / "nets.vcd"
        (directory / "bench.v").write_text(BENCH.format(
            seed=n, dut=dut, memories=words, wait=cycles, vcd=vcd,
            sessions="\n".join(f"    session({end});" for end in ends)))
        (directory / "dut.v").write_text(verilog)
        subprocess.run(["iverilog", "-g2005", "-o", directory / "run", directory / "bench.v", directory / "dut.v"], check=True)
        shown = subprocess.run(["vvp", directory / "run"], check=True, capture_output=True, text=True).stdout
        names, dumps = nets_of(vcd.read_text())
        of_memories = [re.findall(r"^\w+\[\d+\] \w+$", part, re.M) for part in shown.split("dump\n")[:-1]]
    if len(dumps) != len(ends) + 1 or len(of_memories) != len(dumps) or len(names) < 50:
        raise SystemExit(f"{design}: {len(dumps)} dumps of {len(names)} nets")
    left = set()
    for now, words in zip(dumps[1:], of_memories[1:]):
        left |= {names[code] for code, value in now.items() if dumps[0].get(code) != value}
        left |= {word.split()[0] for before, word in zip(of_memories[0], words) if before != word}
    return sorted(left), len(names)


def main():
    if sys.argv[1:] not in ([], ["--long"]):
        raise SystemExit(__doc__)
    for design in DESIGNS:
        if design in SLOW and not sys.argv[1:]:
            continue
        left, nets = leftovers(design)
        if left:
            raise SystemExit(f"{design}: an erasure leaves {', '.join(left[:8])}")
        print(f"{design}: nothing is left in {nets} nets")
    for design, *mutation in MUTANTS:
        if design in SLOW and not sys.argv[1:]:
            continue
        left, _ = leftovers(design, mutation)
        if not left:
            raise SystemExit(f"{design} without {mutation[1].strip()!r}: nobody notices")
        print(f"{design} without {mutation[1].strip()!r}: {len(left)} nets show it")


if __name__ == "__main__":
    main()
