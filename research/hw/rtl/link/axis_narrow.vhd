-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Beats of n bytes to beats of W bytes, n / W a power of two.
--
-- s_bytes of a beat count, from the lowest; the others must be 0. Each beat becomes as many as its bytes need, one if
-- it has none, so that a beat may be partial in the midst of a string. s_tlast comes out with the last of them.
-- One beat is kept, and the next is taken after its last has gone. rst erases it.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity axis_narrow is
  generic (
    G_IN : positive := 32;                                -- n
    G_OUT : positive := 8                                 -- W
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_IN - 1 downto 0);
    s_bytes : in length_t;
    s_tlast, s_tvalid : in std_logic;
    s_tready : out std_logic;

    m_tdata : out slv(8 * G_OUT - 1 downto 0);
    m_bytes : out length_t;
    m_tlast, m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of axis_narrow is
  signal data : slv(8 * G_IN - 1 downto 0) := (others => '0');
  signal left : length_t := (others => '0');
  signal last, full : std_logic := '0';
begin
  assert G_IN mod G_OUT = 0 report "axis_narrow: W divides n" severity failure;

  s_tready <= not full;
  m_tdata <= data(8 * G_OUT - 1 downto 0);
  m_bytes <= least(left, G_OUT);
  m_tlast <= last when left <= G_OUT else '0';
  m_tvalid <= full;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if full = '0' then
        data <= s_tdata;
        left <= s_bytes;
        last <= s_tlast;
        full <= s_tvalid;
      elsif m_tready = '1' then
        data <= slv(shift_right(unsigned(data), 8 * G_OUT));
        left <= left - G_OUT;
        if left <= G_OUT then
          full <= '0';
        end if;
      end if;
      if rst = '1' then
        data <= (others => '0');
        left <= (others => '0');
        last <= '0';
        full <= '0';
      end if;
    end if;
  end process;
end architecture;
