-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- ENCRYPT of the paper's figure 2: omd_core as it seals, with L* and Tag_a of ks_gen.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity encrypt is
  generic (
    G_HASH : string := "sha256";
    G_BYTES : positive := 32;                             -- n
    G_HALF_ROUND : boolean := false
  );
  port (
    clk, rst, erase : in std_logic;
    key_tdata : in slv(G_BYTES - 1 downto 0);
    key_tvalid : in std_logic;
    key_tready : out std_logic;
    l_star, tag_a : in slv(8 * G_BYTES - 1 downto 0);

    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tkeep : in slv(G_BYTES - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_tready : out std_logic;
    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of encrypt is
begin
  core : entity work.omd_core
    generic map (
      G_HASH => G_HASH, G_BYTES => G_BYTES, G_TAG_BYTES => TAG_BYTES, G_HALF_ROUND => G_HALF_ROUND, G_DECRYPT => false,
      G_AD => false)
    port map (
      clk => clk, rst => rst, zeroise => erase, s_key_tdata => key_tdata, s_key_tvalid => key_tvalid,
      s_key_tready => key_tready, s_ad_tready => open, s_axis_tdata => s_tdata, s_axis_tkeep => s_tkeep,
      s_axis_tuser => '0', s_axis_tlast => s_tlast, s_axis_tvalid => s_tvalid, s_axis_tready => s_tready,
      m_axis_tdata => m_tdata, m_axis_tkeep => open, m_axis_tuser => open, m_axis_tlast => open,
      m_axis_tvalid => m_tvalid, m_axis_tready => m_tready, l_star => l_star, tag_a => tag_a);
end architecture;
