-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- omd_core as it opens, with its buffer of six beats: for `make -C research hw-gates`.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

entity buffered is
  generic (
    G_HASH : string := "sha256";
    G_BYTES : positive := 32;
    G_TAG_BYTES : positive := 16
  );
  port (
    clk, rst, zeroise : in std_logic;
    s_key_tdata : in slv(G_BYTES - 1 downto 0);
    s_key_tvalid : in std_logic;
    s_key_tready : out std_logic;
    s_ad_tdata : in slv(16 * G_BYTES - 1 downto 0);
    s_ad_tkeep : in slv(2 * G_BYTES - 1 downto 0);
    s_ad_tlast, s_ad_tvalid : in std_logic;
    s_ad_tready : out std_logic;
    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tuser, s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;
    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;
    l_star, tag_a : in slv(8 * G_BYTES - 1 downto 0)      -- not read
  );
end entity;

architecture rtl of buffered is
  signal tdata : slv(8 * G_BYTES - 1 downto 0);
  signal tkeep : slv(G_BYTES - 1 downto 0);
  signal tuser : slv(1 downto 0);
  signal tlast, tvalid, tready : std_logic;
begin
  core : entity work.omd_core
    generic map (G_HASH => G_HASH, G_BYTES => G_BYTES, G_TAG_BYTES => G_TAG_BYTES)
    port map (
      clk => clk, rst => rst, zeroise => zeroise,
      s_key_tdata => s_key_tdata, s_key_tvalid => s_key_tvalid, s_key_tready => s_key_tready,
      s_ad_tdata => s_ad_tdata, s_ad_tkeep => s_ad_tkeep, s_ad_tlast => s_ad_tlast, s_ad_tvalid => s_ad_tvalid,
      s_ad_tready => s_ad_tready,
      s_axis_tdata => s_axis_tdata, s_axis_tkeep => s_axis_tkeep, s_axis_tuser => s_axis_tuser,
      s_axis_tlast => s_axis_tlast, s_axis_tvalid => s_axis_tvalid, s_axis_tready => s_axis_tready,
      m_axis_tdata => tdata, m_axis_tkeep => tkeep, m_axis_tuser => tuser, m_axis_tlast => tlast,
      m_axis_tvalid => tvalid, m_axis_tready => tready);
  keeper : entity work.omd_decrypt_buffer
    generic map (G_BYTES => G_BYTES, G_BEATS => 6)
    port map (
      clk => clk, rst => rst, zeroise => zeroise,
      s_axis_tdata => tdata, s_axis_tkeep => tkeep, s_axis_tuser => tuser, s_axis_tlast => tlast,
      s_axis_tvalid => tvalid, s_axis_tready => tready,
      m_axis_tdata => m_axis_tdata, m_axis_tkeep => m_axis_tkeep, m_axis_tuser => m_axis_tuser,
      m_axis_tlast => m_axis_tlast, m_axis_tvalid => m_axis_tvalid, m_axis_tready => m_axis_tready);
end architecture;
