-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Strings in beats of W bytes to beats of n bytes, n / W a power of two: full ones, but the last of a string.
--
-- s_bytes of a beat count, from the lowest; only a string's last beat (s_tlast) may have fewer than W, or none.
-- Beside it a whole beat can be given, with user and keep of its own, when nothing of a string is under way.
-- Two beats are kept: one that grows and one that waits. rst erases both. In the cycle in which the one that is full
-- takes the place of the other nothing is taken: so m_tready ends in registers.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity axis_widen is
  generic (
    G_IN : positive := 8;                                 -- W
    G_OUT : positive := 32                                -- n
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_IN - 1 downto 0);
    s_bytes : in length_t;
    s_tlast, s_tvalid : in std_logic;
    s_tready : out std_logic;

    beat_tdata : in slv(8 * G_OUT - 1 downto 0);
    beat_tkeep : in slv(G_OUT - 1 downto 0);
    beat_tuser, beat_tvalid : in std_logic;
    beat_tready : out std_logic;

    m_tdata : out slv(8 * G_OUT - 1 downto 0);
    m_tkeep : out slv(G_OUT - 1 downto 0);
    m_tlast, m_tuser, m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of axis_widen is
  constant PARTS : positive := G_OUT / G_IN;
  signal data, waiting : slv(8 * G_OUT - 1 downto 0) := (others => '0');
  signal keep, waiting_keep : slv(G_OUT - 1 downto 0) := (others => '0');
  signal part : natural range 0 to PARTS - 1 := 0;
  signal last, user, full, waiting_last, waiting_user, waits : std_logic := '0';
  signal moves, ready : std_logic;
begin
  assert PARTS * G_IN = G_OUT report "axis_widen: W divides n" severity failure;

  moves <= full and (not waits or m_tready);
  ready <= not full;
  s_tready <= ready;
  beat_tready <= ready when part = 0 else '0';
  m_tdata <= waiting;
  m_tkeep <= waiting_keep;
  m_tlast <= waiting_last;
  m_tuser <= waiting_user;
  m_tvalid <= waits;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if m_tready = '1' then
        waits <= '0';
      end if;
      if moves = '1' then
        waiting <= data;
        waiting_keep <= keep;
        waiting_last <= last;
        waiting_user <= user;
        waits <= '1';
        full <= '0';
        keep <= (others => '0');
      end if;
      if ready = '1' and s_tvalid = '1' then
        for i in 0 to PARTS - 1 loop
          if part = i then
            data(8 * G_IN * (i + 1) - 1 downto 8 * G_IN * i) <= s_tdata;
            keep(G_IN * (i + 1) - 1 downto G_IN * i) <= kept(s_bytes, G_IN);
          end if;
        end loop;
        last <= s_tlast;
        user <= '0';
        if part = PARTS - 1 or s_tlast = '1' then
          part <= 0;
          full <= '1';
        else
          part <= part + 1;
        end if;
      elsif ready = '1' and beat_tvalid = '1' and part = 0 then
        data <= beat_tdata;
        keep <= beat_tkeep;
        last <= '1';
        user <= beat_tuser;
        full <= '1';
      end if;
      if rst = '1' then
        data <= (others => '0');
        keep <= (others => '0');
        waiting <= (others => '0');
        waiting_keep <= (others => '0');
        part <= 0;
        full <= '0';
        waits <= '0';
        last <= '0';
        user <= '0';
        waiting_last <= '0';
        waiting_user <= '0';
      end if;
    end if;
  end process;
end architecture;
