-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- DECRYPT of the paper's figure 2: omd_core as it opens, with L* and Tag_a of ks_gen, and the buffer that keeps a
-- message back until its tag is verified.
--
-- Between both is a register: whether a tag is right, and what of the buffer's memory that changes, are two cycles.
-- m: the beats of a message, and then an empty one with m_tlast, whose m_refused says that the tag was wrong: then it
-- is the only one.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity decrypt is
  generic (
    G_HASH : string := "sha256";
    G_BYTES : positive := 32;                             -- n
    G_HALF_ROUND : boolean := false;
    G_MAX_FRAME : positive := 9600
  );
  port (
    clk, rst, erase : in std_logic;
    erased : out std_logic;
    key_tdata : in slv(G_BYTES - 1 downto 0);
    key_tvalid : in std_logic;
    key_tready : out std_logic;
    l_star, tag_a : in slv(8 * G_BYTES - 1 downto 0);

    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tkeep : in slv(G_BYTES - 1 downto 0);
    s_tlast, s_tuser, s_tvalid : in std_logic;
    s_tready : out std_logic;
    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tlast, m_refused, m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of decrypt is
  signal tdata : slv(8 * G_BYTES - 1 downto 0);
  signal tkeep : slv(G_BYTES - 1 downto 0);
  signal tuser, m_tuser : slv(1 downto 0);
  signal tlast, tvalid, tready : std_logic;
  signal kept_tdata : slv(8 * G_BYTES - 1 downto 0) := (others => '0');
  signal kept_tkeep : slv(G_BYTES - 1 downto 0) := (others => '0');
  signal kept_tuser : slv(1 downto 0) := "00";
  signal kept_tlast, kept_tvalid : std_logic := '0';
  signal kept_tready : std_logic;
begin
  core : entity work.omd_core
    generic map (
      G_HASH => G_HASH, G_BYTES => G_BYTES, G_TAG_BYTES => TAG_BYTES, G_HALF_ROUND => G_HALF_ROUND, G_AD => false)
    port map (
      clk => clk, rst => rst, zeroise => erase, s_key_tdata => key_tdata, s_key_tvalid => key_tvalid,
      s_key_tready => key_tready, s_ad_tready => open, s_axis_tdata => s_tdata, s_axis_tkeep => s_tkeep,
      s_axis_tuser => s_tuser, s_axis_tlast => s_tlast, s_axis_tvalid => s_tvalid, s_axis_tready => s_tready,
      m_axis_tdata => tdata, m_axis_tkeep => tkeep, m_axis_tuser => tuser, m_axis_tlast => tlast,
      m_axis_tvalid => tvalid, m_axis_tready => tready, l_star => l_star, tag_a => tag_a);

  tready <= kept_tready or not kept_tvalid;
  between : process (clk)
  begin
    if rising_edge(clk) then
      if tready = '1' then
        kept_tdata <= tdata;
        kept_tkeep <= tkeep;
        kept_tuser <= tuser;
        kept_tlast <= tlast;
        kept_tvalid <= tvalid;
      end if;
      if rst = '1' or erase = '1' then
        kept_tdata <= (others => '0');
        kept_tkeep <= (others => '0');
        kept_tuser <= "00";
        kept_tlast <= '0';
        kept_tvalid <= '0';
      end if;
    end if;
  end process;

  keeper : entity work.omd_decrypt_buffer
    generic map (G_BYTES => G_BYTES, G_BEATS => (G_MAX_FRAME + G_BYTES - 1) / G_BYTES)
    port map (
      clk => clk, rst => rst, zeroise => erase, erased => erased,
      s_axis_tdata => kept_tdata, s_axis_tkeep => kept_tkeep, s_axis_tuser => kept_tuser, s_axis_tlast => kept_tlast,
      s_axis_tvalid => kept_tvalid, s_axis_tready => kept_tready, m_axis_tdata => m_tdata, m_axis_tkeep => open, m_axis_tuser => m_tuser,
      m_axis_tlast => m_tlast, m_axis_tvalid => m_tvalid, m_axis_tready => m_tready);
  m_refused <= m_tuser(1);
end architecture;
