"""Reproduces what research/papers/omd.md says of the design that the paper on OMD published, from a checkout of it.

    git clone https://github.com/megastefan22/OMD && git -C OMD checkout a1999d03210aa0029c0cd09ef57060672eb92859
    scripts/python research/papers/omd_published.py OMD [--json]

Needs GHDL. The design's entity `encrypt` is simulated with packets: of 2 to 6 blocks, each after a reset, for the cycles of
its phases; then two equal packets in a row, whose outputs must be equal, for the nonce is a constant of the design. L* and
Tag_a, which it is given, and the ciphertext and tag that there should be are those of OMD in research/reference/omd.py: over
BLAKE2b, and over BLAKE-512 with the constants that the design's source has. The vendor's reports are read beside it. Nothing
of the checkout is kept.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "reference"))

import omd  # noqa: E402
from aegis_vectors import shake  # noqa: E402
from published import value  # noqa: E402

COMMIT = "a1999d03210aa0029c0cd09ef57060672eb92859"
DESIGN = "OMD512_v2_s/template"
OTHER = "OMD512v1_b/template"               # entities that the design's own folder lacks
REPORTS = {"luts": ("utilization_placed", r"\| CLB LUTs +\| +(\d+)"),
           "luts-logic": ("utilization_placed", r"\|   LUT as Logic +\| +(\d+)"),
           "lut-ram": ("utilization_placed", r"\|   LUT as Memory +\| +(\d+)"),
           "block-ram": ("utilization_placed", r"\| Block RAM Tile +\| +([\d.]+)"),
           "constraint": ("timing_summary_routed", r"^clk +\{[^}]*\} +([\d.]+) +[\d.]+ *$"),
           "slack": ("timing_summary_routed", r"WNS\(ns\).*\n.*---.*\n +(-?[\d.]+)")}
NONCE = bytes.fromhex("2d" * 16 + "c1" * 16)    # as the design has it
KEY, TAG_BITS = bytes.fromhex("c1" * 32 + "4f" * 32), 256
OF_PACKETS = 2, 3, 4, 5, 6
IN_A_ROW = 4


class Refused(Exception):
    pass


# ── The design ──────────────────────────────────────────────────────────────────────────────────

def entities(folder):
    """{entity: file} of the design's sources, without its testbenches."""
    found = {}
    for project in (DESIGN, OTHER):
        for path in sorted((folder / project).glob("*.srcs/sources_1/**/*.vhd")):
            for name in re.findall(r"(?im)^\s*entity\s+(\w+)\s+is", path.read_text(errors="replace")):
                found.setdefault(name.lower(), path)
    if "encrypt" not in found:
        raise Refused(f"no entity `encrypt` below {folder / DESIGN}: is it a checkout of the design?")
    return found


def commit(folder):
    run = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def vendor(folder):
    """The figures in the vendor's reports, by the names of research/papers/published.toml."""
    said = {}
    for name, (report, pattern) in REPORTS.items():
        path = folder / DESIGN / "template.runs" / "impl_1" / f"TOP_{report}.rpt"
        if not path.exists():
            raise Refused(f"no report {path}")
        found = re.search(pattern, path.read_text(errors="replace"), re.M)
        if not found:
            raise Refused(f"{path} does not say {name}")
        said[name] = float(found[1])
    return said


# ── BLAKE ───────────────────────────────────────────────────────────────────────────────────────

# Digits of pi, which BLAKE-512 has and the design does not.
BLAKE_512 = [int(c, 16) for c in """
    243F6A8885A308D3 13198A2E03707344 A4093822299F31D0 082EFA98EC4E6C89 452821E638D01377 BE5466CF34E90C6C
    C0AC29B7C97C50DD 3F84D5B5B5470917 9216D5D98979FB1B D1310BA698DFB5AC 2FFD72DBD01ADFB7 B8E1AFED6A267E96
    BA7C9045F12C7F99 24A19947B3916CF7 0801F2E2858EFC16 636920D871574E69""".split()]


def constants(folder):
    """The sixteen of the design's `blake512`, if it has them."""
    path = entities(folder).get("blake512")
    found = path and re.search(r"^\s*signal C : c_const :=([^;]*);", path.read_text(errors="replace"), re.M)
    return [int(c, 16) for c in re.findall(r'x"(\w{16})"', found[1])] if found else None


class Blake512:
    """The compression function of BLAKE-512 (J.-P. Aumasson et al., 2010), without a salt, with any constants."""

    n = 64

    def __init__(self, C):
        self.C = C

    def compress(self, H, block, t=0):
        mask, C = (1 << 64) - 1, self.C
        h, m = omd.words(H, 8, "big"), omd.words(block, 8, "big")
        v = h + C[:8]
        v[12] ^= t
        v[13] ^= t

        def G(a, b, c, d, x, y):
            v[a] = v[a] + v[b] + (m[x] ^ C[y]) & mask
            v[d] = omd.rotate(v[d] ^ v[a], 32, 64)
            v[c] = v[c] + v[d] & mask
            v[b] = omd.rotate(v[b] ^ v[c], 25, 64)
            v[a] = v[a] + v[b] + (m[y] ^ C[x]) & mask
            v[d] = omd.rotate(v[d] ^ v[a], 16, 64)
            v[c] = v[c] + v[d] & mask
            v[b] = omd.rotate(v[b] ^ v[c], 11, 64)

        for i in range(16):
            s = omd.SIGMA[i % 10]
            for k in range(4):
                G(k, 4 + k, 8 + k, 12 + k, s[2 * k], s[2 * k + 1])
            for k in range(4):
                G(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4, s[8 + 2 * k], s[9 + 2 * k])
        return b"".join((h[i] ^ v[i] ^ v[i + 8]).to_bytes(8, "big") for i in range(8))


# ── Simulation ──────────────────────────────────────────────────────────────────────────────────

BENCH = r"""
library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;

entity bench is end bench;

architecture sim of bench is
    constant PERIOD : time := 10 ns;
    type blocks is array (natural range <>) of std_logic_vector(511 downto 0);
    constant MASKS  : blocks := ({masks});
    constant BLOCK_OF : blocks := ({message});
    signal clk, rst, start, valid, wr : std_logic := '0';
    signal rdy, ready, out_valid : std_logic;
    signal data, mask, c, t : std_logic_vector(511 downto 0) := (others => '0');
    signal ctrl, out_ctrl, frame : std_logic_vector(15 downto 0) := (others => '0');
    signal addr : std_logic_vector(3 downto 0) := (others => '0');
    signal cycle : natural := 0;

    function bits(number, width : natural) return std_logic_vector is
        variable rest : natural := number;
        variable v : std_logic_vector(width - 1 downto 0);
    begin
        for i in 0 to width - 1 loop
            if rest mod 2 = 1 then v(i) := '1'; else v(i) := '0'; end if;
            rest := rest / 2;
        end loop;
        return v;
    end bits;

    function hex(v : std_logic_vector(511 downto 0)) return string is
        constant DIGITS : string(1 to 16) := "0123456789abcdef";
        variable s : string(1 to 128);
        variable n : natural;
    begin
        for i in 0 to 127 loop
            n := 0;
            for b in 3 downto 0 loop
                n := 2 * n;
                if v(4 * (127 - i) + b) = '1' then n := n + 1; end if;
            end loop;
            s(i + 1) := DIGITS(n + 1);
        end loop;
        return s;
    end hex;

    procedure say(words : string) is
        variable l : line;
    begin
        write(l, words);
        writeline(output, l);
    end say;
begin
    clk <= not clk after PERIOD / 2;
    cycle <= cycle + 1 when rising_edge(clk);

    uut : entity work.encrypt port map (
        CLK => clk, RST => rst, START => start, PTXT_DATA => data, PTXT_DATA_VALID => valid, PTXT_RDY => rdy,
        PTXT_CTRL => ctrl, FRAME_LENGTH => frame, WR_EN_RAM_L => wr, WR_ADDR_RAM_L => addr, WR_DATA_RAM_L => mask,
        TAG_A => {tag_a}, KEY => {key}, READY => ready, CTXT_DATA => c, CTXT_DATA_VALID => out_valid,
        CTXT_CTRL => out_ctrl, TAG => t);

    -- What comes out, and when.
    process (clk)
        variable before : std_logic := '0';
    begin
        if rising_edge(clk) then
            if out_valid = '1' and before /= '1' then
                say("out " & integer'image(cycle) & " " & hex(c) & " " & hex(t));
            end if;
            before := out_valid;
        end if;
    end process;

    process
        procedure reset is
        begin
            rst <= '1';
            wait for 8 * PERIOD;
            rst <= '0';
            for i in MASKS'range loop
                addr <= bits(i, 4); mask <= MASKS(i); wr <= '1';
                wait for PERIOD;
            end loop;
            wr <= '0';
            wait for 2 * PERIOD;
        end reset;

        procedure packet(count : positive) is
        begin
            say("packet " & integer'image(count) & " " & integer'image(cycle));
            frame <= bits(64 * count, 16);
            for i in 0 to count - 1 loop
                data <= BLOCK_OF(i);
                if i < count - 1 then ctrl <= x"AA00"; else ctrl <= x"5500"; end if;
                valid <= '1';
                start <= '0';
                if i = 0 then start <= '1'; end if;
                wait for PERIOD;
                wait until rdy = '1' for 1000 * PERIOD;
                if rdy /= '1' then say("stuck"); wait; end if;
                wait until falling_edge(clk);
            end loop;
            valid <= '0'; start <= '0';
            wait for 8 * PERIOD;
        end packet;
    begin
        wait until falling_edge(clk);
{packets}
        say("done");
        wait;
    end process;
end sim;
"""


def vector(data):
    return f'x"{data.hex()}"'


def array(items):
    return ", ".join(f"{i} => {vector(item)}" for i, item in enumerate(items))


def bench(masks, tag_a, message):
    calls = [f"        reset; packet({count});" for count in OF_PACKETS]
    calls.append(f"        reset; packet({IN_A_ROW}); packet({IN_A_ROW});")
    fields = {"masks": array(masks), "message": array(message), "tag_a": vector(tag_a), "key": vector(KEY),
              "packets": "\n".join(calls)}
    return re.sub(r"\{(\w+)\}", lambda name: fields[name[1]], BENCH)


def simulated(folder, text):
    """Packets: (blocks, cycle at the start, [(cycle, C, T)])."""
    sources = sorted(set(entities(folder).values()))
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        (work / "bench.vhd").write_text(text)
        flags = ["--std=93c", "-fsynopsys", "-fexplicit"]
        for step in (["-i", *flags, *sources, "bench.vhd"], ["-m", *flags, "bench"]):
            run = subprocess.run(["ghdl", *step], cwd=work, capture_output=True, text=True)
            if run.returncode:
                raise Refused(f"ghdl {step[0]}: {run.stderr.strip()}")
        command = ["ghdl", "-r", *flags, "bench", "--ieee-asserts=disable", "--stop-time=1ms"]
        run = subprocess.run(command, cwd=work, capture_output=True, text=True)
    packets = []
    for line in run.stdout.splitlines():
        match line.split():
            case ["packet", count, cycle]:
                packets.append((int(count), int(cycle), []))
            case ["out", cycle, C, T]:
                packets[-1][2].append((int(cycle), C, T))
            case ["done"]:
                return packets
            case ["stuck"]:
                raise Refused(f"the design does not answer in packet {len(packets)}, of {packets[-1][0]} blocks")
    raise Refused(f"the simulation did not end: {run.stderr.strip()}")


def phases(packets):
    """Cycles before the first output, between outputs, and that a block adds: each value that occurs."""
    firsts, between = set(), set()
    for count, start, outs in packets:
        if len(outs) != count:
            raise Refused(f"a packet of {count} blocks has {len(outs)} outputs")
        cycles = [cycle for cycle, *_ in outs]
        firsts.add(cycles[0] - start)
        # The last output waits for the tag.
        between |= {after - before for before, after in zip(cycles[:-2], cycles[1:-1])}
    whole = [outs[-1][0] - start for _, start, outs in packets]
    return {"to the first output": sorted(firsts), "between outputs": sorted(between),
            "a block more": sorted({after - before for before, after in zip(whole, whole[1:])}),
            f"a packet of {packets[0][0]}": whole[0]}


class Over(omd.Omd):
    """OMD, version 2, over any compression function."""

    def __init__(self, F):
        self.rule, self.version, self.hash, self.n = omd.SECURE, 2, F, F.n


def run(folder, F):
    """The design's packets, with the masks of OMD over F; and for each, whether it is what that OMD gives."""
    cipher = Over(F)
    keyed = cipher.Keyed(cipher, KEY, TAG_BITS)
    message = [shake(64, "published", i) for i in range(max(OF_PACKETS))]
    masks = [keyed.Ls, *(keyed.L(i) for i in range(15))]
    packets = simulated(folder, bench(masks, keyed.hash(b""), message))
    right = []
    for count, _, outs in packets:
        C, T = cipher.Encrypt(b"".join(message[:count]), b"", KEY, NONCE, TAG_BITS)
        right.append("".join(out[1] for out in outs) == C.hex() and outs[-1][2].startswith(T.hex()))
    return packets, right


def reproduce(folder):
    functions = {"BLAKE2b": omd.BLAKE2B}
    own = constants(folder)
    if own:
        functions["BLAKE-512 with the constants of its source"] = Blake512(own)
    runs = {name: run(folder, F) for name, F in functions.items()}
    *alone, first, second = runs["BLAKE2b"][0]
    report = vendor(folder)
    return {
        "commit": commit(folder) or "none: no checkout by git",
        "cycles": phases(alone),
        "a first packet is OMD's over": [name for name, (_, right) in runs.items() if all(right[:-1])],
        "constants": "BLAKE-512's" if own == BLAKE_512 else "its own" if own else "none found",
        "an equal packet behind it gives the same": [out[1:] for out in first[2]] == [out[1:] for out in second[2]],
        "report": report,
        "the report is that of research/papers/published.toml": all(
            report[name] == value(f"omd.repository.report.{name}") for name in report),
        "MHz that the report allows": round(1000 / (report["constraint"] - report["slack"]), 1),
    }


def main(arguments):
    folders = [argument for argument in arguments if argument != "--json"]
    if len(folders) != 1:
        sys.exit(__doc__)
    try:
        found = reproduce(Path(folders[0]))
    except Refused as refused:
        sys.exit(f"omd_published: {refused}")
    if found["commit"] != COMMIT:
        print(f"omd_published: what research/papers/omd.md says is of commit {COMMIT}", file=sys.stderr)
    if "--json" in arguments:
        print(json.dumps(found, indent=2))
    else:
        for name, what in found.items():
            print(f"{name}: {what}")


if __name__ == "__main__":
    main(sys.argv[1:])
