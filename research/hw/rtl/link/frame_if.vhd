-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- PTXT IF and CTXT IF of the paper's figure 2: both directions of one side's streams, each behind registers, and what
-- comes in checked.
--
-- s_axis, m_axis: AXI4-Stream, the first byte lowest, a frame per tlast. s_axis is ready always, but in reset. What
-- axis_guard finds goes to receive.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity frame_if is
  generic (
    G_BYTES : positive := 8;                              -- W
    G_MIN : natural := 14;
    G_MAX : positive := 9600
  );
  port (
    clk, rst : in std_logic;
    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tlast, s_axis_tuser, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;
    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;

    in_tdata : out slv(8 * G_BYTES - 1 downto 0);
    in_tlast, in_bad, in_tvalid : out std_logic;
    in_length : out length_t;
    in_tready : in std_logic;
    holed, errored, oversize, short : out std_logic;

    out_tdata : in slv(8 * G_BYTES - 1 downto 0);
    out_tkeep : in slv(G_BYTES - 1 downto 0);
    out_tlast, out_tvalid : in std_logic;
    out_tready : out std_logic
  );
end entity;

architecture rtl of frame_if is
  constant W : positive := G_BYTES;
  signal in_beat, in_kept : slv(9 * W + 1 downto 0);
  signal out_beat, out_kept : slv(9 * W downto 0);
  signal tvalid, tready : std_logic;
begin
  in_beat <= s_axis_tdata & s_axis_tkeep & s_axis_tlast & s_axis_tuser;
  skid_in : entity work.axis_skid
    generic map (G_BITS => 9 * W + 2)
    port map (
      clk => clk, rst => rst, s_beat => in_beat, s_tvalid => s_axis_tvalid, s_tready => s_axis_tready,
      m_beat => in_kept, m_tvalid => tvalid, m_tready => tready);
  guard : entity work.axis_guard
    generic map (G_BYTES => W, G_MIN => G_MIN, G_MAX => G_MAX)
    port map (
      clk => clk, rst => rst, s_tdata => in_kept(9 * W + 1 downto W + 2), s_tkeep => in_kept(W + 1 downto 2),
      s_tlast => in_kept(1), s_tuser => in_kept(0), s_tvalid => tvalid, s_tready => tready, m_tdata => in_tdata,
      m_tlast => in_tlast, m_bad => in_bad, m_length => in_length, m_tvalid => in_tvalid, m_tready => in_tready,
      holed => holed, errored => errored, oversize => oversize, short => short);

  out_beat <= out_tdata & out_tkeep & out_tlast;
  skid_out : entity work.axis_skid
    generic map (G_BITS => 9 * W + 1)
    port map (
      clk => clk, rst => rst, s_beat => out_beat, s_tvalid => out_tvalid, s_tready => out_tready, m_beat => out_kept,
      m_tvalid => m_axis_tvalid, m_tready => m_axis_tready);
  m_axis_tdata <= out_kept(9 * W downto W + 1);
  m_axis_tkeep <= out_kept(W downto 1);
  m_axis_tlast <= out_kept(0);
end architecture;
