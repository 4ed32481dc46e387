-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Joins the bytes of beats that may be partial anywhere: every beat that comes out is full, but a string's last.
--
-- s_bytes of a beat count, from the lowest; the others must be 0. A beat passes in each cycle, but that a string's last
-- may become two. rst erases what is kept, at most 2W - 1 bytes.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity axis_pack is
  generic (
    G_BYTES : positive := 8                               -- W
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_bytes : in length_t;
    s_tlast, s_tvalid : in std_logic;
    s_tready : out std_logic;

    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of axis_pack is
  constant W : positive := G_BYTES;
  signal rest, data : slv(8 * W - 1 downto 0) := (others => '0');
  signal have : unsigned(log2(W) downto 0) := (others => '0');  -- bytes of rest, less than W
  signal flushes, valid, last : std_logic := '0';         -- flushes: rest is a string's last beat
  signal free, ready : std_logic;
begin
  free <= not valid or m_tready;
  ready <= free and not flushes;
  s_tready <= ready;
  m_tdata <= data;
  m_tlast <= last;
  m_tvalid <= valid;

  registers : process (clk)
    variable joined : unsigned(16 * W - 1 downto 0);
    variable total : unsigned(log2(W) + 1 downto 0);
  begin
    if rising_edge(clk) then
      if free = '1' then
        valid <= '0';
      end if;
      if free = '1' and flushes = '1' then
        data <= rest;
        last <= '1';
        valid <= '1';
        flushes <= '0';
        rest <= (others => '0');
        have <= (others => '0');
      elsif ready = '1' and s_tvalid = '1' then
        joined := resize(unsigned(s_tdata), 16 * W);
        joined := shift_left(joined, 8 * to_integer(have)) or resize(unsigned(rest), 16 * W);
        total := resize(have, log2(W) + 2) + resize(s_bytes(log2(W) downto 0), log2(W) + 2);
        data <= slv(joined(8 * W - 1 downto 0));
        last <= '0';
        if total >= W then
          valid <= '1';
          rest <= slv(joined(16 * W - 1 downto 8 * W));
          have <= resize(total - W, log2(W) + 1);
        else
          rest <= slv(joined(8 * W - 1 downto 0));
          have <= resize(total, log2(W) + 1);
        end if;
        if s_tlast = '1' then
          if total > W then
            flushes <= '1';
          else
            valid <= '1';
            last <= '1';
            rest <= (others => '0');
            have <= (others => '0');
          end if;
        end if;
      end if;
      if rst = '1' then
        rest <= (others => '0');
        data <= (others => '0');
        have <= (others => '0');
        flushes <= '0';
        valid <= '0';
        last <= '0';
      end if;
    end if;
  end process;
end architecture;
