"""The script that reproduces the published design of OMD, on a design of the same ports that this test makes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import omd_published
from omd_published import omd
from published import value

SCRIPT = Path(omd_published.__file__)

# It adds the key, and what was in the mask's first entry: it answers after 5 cycles, and then every 3.
DESIGN = """
library ieee;
use ieee.std_logic_1164.all;

entity {entity} is
    port (
        CLK, RST, START : in std_logic;
        PTXT_DATA : in std_logic_vector(511 downto 0);
        PTXT_DATA_VALID : in std_logic;
        PTXT_RDY : out std_logic;
        PTXT_CTRL, FRAME_LENGTH : in std_logic_vector(15 downto 0);
        WR_EN_RAM_L : in std_logic;
        WR_ADDR_RAM_L : in std_logic_vector(3 downto 0);
        WR_DATA_RAM_L, TAG_A, KEY : in std_logic_vector(511 downto 0);
        READY : out std_logic;
        CTXT_DATA : out std_logic_vector(511 downto 0);
        CTXT_DATA_VALID : out std_logic;
        CTXT_CTRL : out std_logic_vector(15 downto 0);
        TAG : out std_logic_vector(511 downto 0));
end {entity};

architecture rtl of {entity} is
    signal ls, chain : std_logic_vector(511 downto 0);
    signal wait_for : integer range -1 to 15;
begin
    READY <= '0';
    CTXT_CTRL <= PTXT_CTRL;
    TAG <= chain xor TAG_A;
    process (CLK)
    begin
        if rising_edge(CLK) then
            PTXT_RDY <= '0';
            CTXT_DATA_VALID <= '0';
            if WR_EN_RAM_L = '1' and WR_ADDR_RAM_L = "0000" then ls <= WR_DATA_RAM_L; end if;
            if RST = '1' then
                wait_for <= -1;
                chain <= (others => '0');
            elsif wait_for < 0 then
                if START = '1' and PTXT_DATA_VALID = '1' then
                    {clear}
                    wait_for <= 3;
                end if;
            elsif wait_for > 0 then
                wait_for <= wait_for - 1;
            else
                CTXT_DATA <= PTXT_DATA xor KEY xor ls;
                chain <= chain xor PTXT_DATA;
                CTXT_DATA_VALID <= '1';
                PTXT_RDY <= '{answers}';
                wait_for <= 2;
                if PTXT_CTRL(15 downto 8) = x"55" then wait_for <= -1; end if;
            end if;
        end if;
    end process;
end rtl;
"""
UTILIZATION = """
| CLB LUTs                   | {luts:.0f} |     0 |   1182240 |  1.28 |
|   LUT as Logic             | 14828 |     0 |   1182240 |  1.25 |
|   LUT as Memory            |   296 |     0 |    591840 |  0.05 |
| Block RAM Tile    |  7.5 |     0 |      2160 |  0.35 |
"""
TIMING = """
    WNS(ns)      TNS(ns)  TNS Failing Endpoints
    -------      -------  ---------------------
      0.594        0.000                      0

clk    {0.000 8.000}      16.000          62.500
"""


@pytest.fixture
def checkout(tmp_path):
    def make(clear="chain <= (others => '0');", answers=1, entity="encrypt", luts=value("omd.repository.report.luts")):
        project = tmp_path / omd_published.DESIGN
        sources, runs = project / "template.srcs" / "sources_1" / "new", project / "template.runs" / "impl_1"
        for folder in (sources, runs):
            folder.mkdir(parents=True)
        design = DESIGN.replace("{entity}", entity).replace("{clear}", clear).replace("{answers}", str(answers))
        (sources / "design.vhd").write_text(design)
        (runs / "TOP_utilization_placed.rpt").write_text(UTILIZATION.format(luts=luts))
        (runs / "TOP_timing_summary_routed.rpt").write_text(TIMING)
        return tmp_path
    assert shutil.which("ghdl"), "GHDL is needed"
    return make


def test_what_a_design_does_is_told(checkout):
    folder = checkout()
    run = subprocess.run([sys.executable, SCRIPT, folder, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    assert found["cycles"] == {"to the first output": [5], "between outputs": [3], "a block more": [3], "a packet of 2": 8}
    assert found["an equal packet behind it gives the same"] and found["a first packet is OMD's over"] == []
    assert found["constants"] == "none found"
    assert found["the report is that of research/papers/published.toml"] and found["MHz that the report allows"] == 64.9
    assert found["report"]["block-ram"] == 7.5 and found["report"]["slack"] == 0.594
    # It is no checkout of the design that the page is about.
    assert omd_published.COMMIT in run.stderr


def test_blake_512_is_that_of_its_authors():
    """One byte of zero, padded: a block of eight bits."""
    block = (b"\0\x80".ljust(111, b"\0") + b"\1" + bytes(15) + b"\x08")
    digest = omd_published.Blake512(omd_published.BLAKE_512).compress(omd.SHA512.initial(), block, t=8)
    assert digest.hex() == ("97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4"
                            "ff9102b9f69e2bbdb83be13d4b9c06091e5fa0b48bd081b634058be0ec49beb3")


def test_the_constants_are_those_of_the_source(checkout):
    folder = checkout()
    source = folder / omd_published.DESIGN / "template.srcs" / "sources_1" / "new" / "blake512.vhd"
    lines = ", ".join(f'(x"{c:016X}")' for c in range(16))
    source.write_text(f'entity blake512 is\n--signal C : c_const := ((x"{1:016X}"));\nsignal C : c_const := ({lines});\n')
    assert omd_published.constants(folder) == [*range(16)]


def test_a_second_packet_that_differs_is_noticed(checkout):
    found = omd_published.reproduce(checkout(clear="", luts=15125))
    assert not found["an equal packet behind it gives the same"]
    assert not found["the report is that of research/papers/published.toml"]


def test_what_is_not_the_design_is_refused(checkout, tmp_path):
    folder = checkout(answers=0)
    with pytest.raises(omd_published.Refused, match="does not answer in packet 1, of 2 blocks"):
        omd_published.reproduce(folder)
    (folder / omd_published.DESIGN / "template.runs" / "impl_1" / "TOP_timing_summary_routed.rpt").write_text("")
    with pytest.raises(omd_published.Refused, match="does not say constraint"):
        omd_published.vendor(folder)
    run = subprocess.run([sys.executable, SCRIPT, tmp_path / "nothing"], capture_output=True, text=True)
    assert run.returncode == 1 and "no entity `encrypt`" in run.stderr
