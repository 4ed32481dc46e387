-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Checks the frames of a stream, and marks the last beat of each that is to be dropped.
--
-- s_axis: AXI4-Stream, the first byte lowest, a frame per tlast, tuser = 1 marks a frame as erroneous at any of its
-- beats.
-- m_axis: the same beats; with m_last, m_bad of the frame and m_length. Of a frame that is longer than G_MAX the
--   beats that follow do not pass, but the last.
-- A frame is bad for the first of these reasons that holds, and then that output is 1 for a cycle:
--   holed      a gap: tkeep does not begin at byte 0 or is not contiguous; a beat that is not full and not the last; a
--              last beat without bytes after others
--   errored    tuser
--   oversize   more than G_MAX bytes
--   short      less than G_MIN bytes

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity axis_guard is
  generic (
    G_BYTES : positive := 8;                              -- of a beat
    G_MIN : natural := 14;
    G_MAX : positive := 9600
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tkeep : in slv(G_BYTES - 1 downto 0);
    s_tlast, s_tuser, s_tvalid : in std_logic;
    s_tready : out std_logic;
    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tlast, m_bad, m_tvalid : out std_logic;
    m_length : out length_t;
    m_tready : in std_logic;
    holed, errored, oversize, short : out std_logic
  );
end entity;

architecture rtl of axis_guard is
  signal valid, ready : std_logic := '0';
  signal length : length_t := (others => '0');            -- of what has come, to one beat beyond G_MAX
  signal has_hole, has_error, inside : std_logic := '0';
begin
  assert G_MAX + 2 * G_BYTES < 2 ** length_t'length report "axis_guard: G_MAX is too large" severity failure;

  ready <= '1' when valid = '0' or m_tready = '1' else '0';
  s_tready <= ready;
  m_tvalid <= valid;

  registers : process (clk)
    variable bytes, total : length_t;
    variable hole, error, bad_length : boolean;
  begin
    if rising_edge(clk) then
      holed <= '0';
      errored <= '0';
      oversize <= '0';
      short <= '0';
      if ready = '1' then
        valid <= '0';
        if s_tvalid = '1' then
          bytes := (others => '0');
          hole := has_hole = '1';
          for i in 0 to G_BYTES - 1 loop
            if s_tkeep(i) = '1' then
              bytes := bytes + 1;
            elsif s_tlast = '0' then
              hole := true;
            end if;
            if i > 0 and s_tkeep(i) = '1' and s_tkeep(maximum(i, 1) - 1) = '0' then
              hole := true;
            end if;
          end loop;
          if inside = '1' and s_tkeep(0) = '0' then
            hole := true;
          end if;
          error := has_error = '1' or s_tuser = '1';
          total := length;
          if length <= G_MAX then
            total := length + bytes;
          end if;
          bad_length := total < G_MIN or total > G_MAX;

          m_tdata <= s_tdata;
          m_tlast <= s_tlast;
          m_length <= total;
          m_bad <= '0';
          if hole or error or bad_length then
            m_bad <= '1';
          end if;
          if s_tlast = '1' or length <= G_MAX then
            valid <= '1';
          end if;
          length <= total;
          inside <= '1';
          if hole then
            has_hole <= '1';
          end if;
          if error then
            has_error <= '1';
          end if;
          if s_tlast = '1' then
            if hole then
              holed <= '1';
            elsif error then
              errored <= '1';
            elsif total > G_MAX then
              oversize <= '1';
            elsif total < G_MIN then
              short <= '1';
            end if;
            length <= (others => '0');
            inside <= '0';
            has_hole <= '0';
            has_error <= '0';
          end if;
        end if;
      end if;
      if rst = '1' then
        valid <= '0';
        length <= (others => '0');
        inside <= '0';
        has_hole <= '0';
        has_error <= '0';
        holed <= '0';
        errored <= '0';
        oversize <= '0';
        short <= '0';
      end if;
    end if;
  end process;
end architecture;
