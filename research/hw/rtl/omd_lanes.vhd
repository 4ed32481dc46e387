-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Four packets at once through one omd_core with G_INTERLEAVE = 4: a stream in for each, one stream out.
--
-- Each lane is what omd_core says, with bit l of every s_..._tvalid and the l-th part of its data. m_axis has the lane
-- in tid. One beat is kept at the way out, so that a lane that is not read stops the others at their next beat. What a lane
-- shows is looked at in the cycle before its own, and taken, if it is, in its own: AXI4-Stream keeps it there.
-- The key is the same for all lanes.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity omd_lanes is
  generic (
    G_HASH : string := "blake2b";
    G_BYTES : positive := 64;
    G_TAG_BYTES : positive := 64;
    G_DECRYPT : boolean := true;
    G_AD : boolean := true
  );
  port (
    clk, rst, zeroise : in std_logic;

    s_key_tdata : in slv(G_BYTES - 1 downto 0);
    s_key_tvalid : in std_logic;
    s_key_tready : out std_logic;

    s_ad_tdata : in slv(64 * G_BYTES - 1 downto 0) := (others => '0');
    s_ad_tkeep : in slv(8 * G_BYTES - 1 downto 0) := (others => '0');
    s_ad_tlast, s_ad_tvalid : in slv(3 downto 0) := "0000";
    s_ad_tready : out slv(3 downto 0);

    s_axis_tdata : in slv(32 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(4 * G_BYTES - 1 downto 0);
    s_axis_tuser, s_axis_tlast, s_axis_tvalid : in slv(3 downto 0);
    s_axis_tready : out slv(3 downto 0);

    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tid, m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;

    l_star : in slv(8 * G_BYTES - 1 downto 0) := (others => '0');
    tag_a : in slv(32 * G_BYTES - 1 downto 0) := (others => '0')
  );
end entity;

architecture rtl of omd_lanes is
  constant n : positive := G_BYTES;
  signal lane, next_lane : unsigned(1 downto 0) := "00";
  signal erase : std_logic;

  signal ad_tdata : slv(16 * n - 1 downto 0);
  signal ad_tkeep : slv(2 * n - 1 downto 0);
  signal ad_tlast, ad_tvalid, ad_tready : std_logic;
  signal tdata, tag : slv(8 * n - 1 downto 0);
  signal tkeep : slv(n - 1 downto 0);
  signal tuser, tlast, tvalid, tready : std_logic;
  signal out_tdata, kept_tdata : slv(8 * n - 1 downto 0);
  signal out_tkeep, kept_tkeep : slv(n - 1 downto 0);
  signal out_tuser, kept_tuser, kept_tid : slv(1 downto 0);
  signal out_tlast, out_tvalid, out_tready, kept_tlast, kept_tvalid : std_logic;

  -- Part i of four.
  function part (x : slv; i : unsigned(1 downto 0)) return slv is
    constant w : natural := x'length / 4;
    alias a : slv(4 * w - 1 downto 0) is x;
    variable y : slv(w - 1 downto 0) := (others => '0');
  begin
    for j in 0 to 3 loop
      if i = j then
        y := a(w * j + w - 1 downto w * j);
      end if;
    end loop;
    return y;
  end function;
begin
  erase <= rst or zeroise;
  next_lane <= lane + 1;

  ready_of_lanes : process (all)
  begin
    for l in 0 to 3 loop
      s_ad_tready(l) <= '0';
      s_axis_tready(l) <= '0';
      if lane = l then
        s_ad_tready(l) <= ad_tready;
        s_axis_tready(l) <= tready;
      end if;
    end loop;
  end process;

  out_tready <= m_axis_tready or not kept_tvalid;
  m_axis_tdata <= kept_tdata;
  m_axis_tkeep <= kept_tkeep;
  m_axis_tid <= kept_tid;
  m_axis_tuser <= kept_tuser;
  m_axis_tlast <= kept_tlast;
  m_axis_tvalid <= kept_tvalid;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      lane <= next_lane;
      ad_tdata <= part(s_ad_tdata, next_lane);
      ad_tkeep <= part(s_ad_tkeep, next_lane);
      ad_tlast <= s_ad_tlast(to_integer(next_lane));
      ad_tvalid <= s_ad_tvalid(to_integer(next_lane));
      tdata <= part(s_axis_tdata, next_lane);
      tkeep <= part(s_axis_tkeep, next_lane);
      tuser <= s_axis_tuser(to_integer(next_lane));
      tlast <= s_axis_tlast(to_integer(next_lane));
      tvalid <= s_axis_tvalid(to_integer(next_lane));
      tag <= part(tag_a, next_lane);
      if out_tready = '1' then
        kept_tdata <= out_tdata;
        kept_tkeep <= out_tkeep;
        kept_tid <= slv(lane);
        kept_tuser <= out_tuser;
        kept_tlast <= out_tlast;
        kept_tvalid <= out_tvalid;
      end if;
      if erase = '1' then
        lane <= "00";
        ad_tdata <= (others => '0');
        ad_tkeep <= (others => '0');
        ad_tlast <= '0';
        ad_tvalid <= '0';
        tdata <= (others => '0');
        tkeep <= (others => '0');
        tuser <= '0';
        tlast <= '0';
        tvalid <= '0';
        tag <= (others => '0');
        kept_tdata <= (others => '0');
        kept_tkeep <= (others => '0');
        kept_tid <= "00";
        kept_tuser <= "00";
        kept_tlast <= '0';
        kept_tvalid <= '0';
      end if;
    end if;
  end process;

  core : entity work.omd_core
    generic map (
      G_HASH => G_HASH, G_BYTES => G_BYTES, G_TAG_BYTES => G_TAG_BYTES, G_INTERLEAVE => 4, G_DECRYPT => G_DECRYPT,
      G_AD => G_AD)
    port map (
      clk => clk, rst => rst, zeroise => zeroise,
      s_key_tdata => s_key_tdata, s_key_tvalid => s_key_tvalid, s_key_tready => s_key_tready,
      s_ad_tdata => ad_tdata, s_ad_tkeep => ad_tkeep, s_ad_tlast => ad_tlast, s_ad_tvalid => ad_tvalid,
      s_ad_tready => ad_tready,
      s_axis_tdata => tdata, s_axis_tkeep => tkeep, s_axis_tuser => tuser, s_axis_tlast => tlast,
      s_axis_tvalid => tvalid, s_axis_tready => tready,
      m_axis_tdata => out_tdata, m_axis_tkeep => out_tkeep, m_axis_tuser => out_tuser, m_axis_tlast => out_tlast,
      m_axis_tvalid => out_tvalid, m_axis_tready => out_tready,
      l_star => l_star, tag_a => tag);
end architecture;
