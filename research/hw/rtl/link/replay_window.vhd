-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Which counters a session has opened: the highest and those less than G_WINDOW below it.
--
-- Source: research/hw/docs/packet-format.md, section 5. For each counter modulo G_WINDOW the memory has the rest of the highest
-- such that was
-- opened: so nothing moves when the window does, and each answer takes the same time.
-- query, take: `counter` of the request is asked for, until `done`: a cycle with `too_old` or `replayed` of the packet
--   before it. take with `opens` enters it, if it was neither. take goes before query.
-- erase, rst: everything is forgotten, an entry a cycle; `erased` then.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity replay_window is
  generic (
    G_WINDOW : positive := 128                            -- a power of two
  );
  port (
    clk, rst, erase : in std_logic;
    erased : out std_logic;
    query, take, opens : in std_logic;
    query_counter, take_counter : in unsigned(63 downto 0);
    query_done, take_done, too_old, replayed : out std_logic
  );
end entity;

architecture rtl of replay_window is
  constant LOW : positive := log2(G_WINDOW);
  constant HIGH : positive := 64 - LOW;
  type entries is array (0 to G_WINDOW - 1) of slv(HIGH downto 0);
  signal memory : entries := (others => (others => '0'));
  signal entry : slv(HIGH downto 0) := (others => '0');   -- valid, and the upper bits
  type phase is (ERASES, IDLE, READS, COMPARES, ANSWERS);
  signal state : phase := ERASES;
  signal row : unsigned(LOW - 1 downto 0) := (others => '0');
  signal asked, highest : unsigned(63 downto 0) := (others => '0');
  signal distance : unsigned(64 downto 0) := (others => '0');
  signal has_highest, takes, higher, is_old, is_seen : std_logic := '0';
begin
  assert 2 ** LOW = G_WINDOW report "replay_window: G_WINDOW is a power of two" severity failure;

  erased <= '0' when state = ERASES else '1';
  query_done <= '1' when state = ANSWERS and takes = '0' else '0';
  take_done <= '1' when state = ANSWERS and takes = '1' else '0';
  too_old <= is_old;
  replayed <= is_seen and not is_old;

  registers : process (clk)
    variable writes : boolean;
    variable data : slv(HIGH downto 0);
  begin
    if rising_edge(clk) then
      writes := false;
      data := (others => '0');
      case state is
        when ERASES =>
          writes := true;
          row <= row + 1;
          if row = G_WINDOW - 1 then
            state <= IDLE;
          end if;
        when IDLE =>
          takes <= take;
          asked <= query_counter;
          row <= query_counter(LOW - 1 downto 0);
          if take = '1' then
            asked <= take_counter;
            row <= take_counter(LOW - 1 downto 0);
          end if;
          if take = '1' or query = '1' then
            state <= READS;
          end if;
        when READS =>                                     -- of the memory; highest - asked
          state <= COMPARES;
        when COMPARES =>
          state <= ANSWERS;
          higher <= distance(64) or not has_highest;
          is_old <= '0';
          if has_highest = '1' and distance(64) = '0' and distance(63 downto LOW) /= 0 then
            is_old <= '1';
          end if;
          is_seen <= '0';
          if entry = '1' & slv(asked(63 downto LOW)) then
            is_seen <= '1';
          end if;
        when ANSWERS =>
          state <= IDLE;
          if takes = '1' and opens = '1' and is_old = '0' and is_seen = '0' then
            writes := true;
            data := '1' & slv(asked(63 downto LOW));
            if higher = '1' then
              highest <= asked;
            end if;
            has_highest <= '1';
          end if;
      end case;
      distance <= ('0' & highest) - ('0' & asked);
      entry <= memory(to_integer(row));
      if writes then
        memory(to_integer(row)) <= data;
      end if;
      if rst = '1' or erase = '1' then
        state <= ERASES;
        row <= (others => '0');
        highest <= (others => '0');
        asked <= (others => '0');
        has_highest <= '0';
        takes <= '0';
        is_old <= '0';
        is_seen <= '0';
      end if;
    end if;
  end process;
end architecture;
