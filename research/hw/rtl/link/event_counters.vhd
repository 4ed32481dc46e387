-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Counters of 64 bits of events in other clock domains.
--
-- `counts` are counters of 8 bits in Gray code, each in the clock domain of its events (event_count). They are looked at in
-- turn, ROWS cycles for all; what one has gone on since the last time is added to its 64 bits a cycle later. So a sum is
-- right if fewer than 256 events fall within ROWS cycles and two.
-- Read: `value` is the counter of `index`, a cycle later.
-- rst: all are 0, a row per cycle; the counts must be 0 then, too.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_link_regs.all;

entity event_counters is
  port (
    clk, rst : in std_logic;
    counts : in event_counts(0 to COUNTERS - 1);
    index : in natural range 0 to COUNTERS - 1;
    value : out unsigned(63 downto 0)
  );
end entity;

architecture rtl of event_counters is
  constant ROWS : positive := 32;
  type sums is array (0 to ROWS - 1) of unsigned(63 downto 0);
  type bytes is array (0 to ROWS - 1) of unsigned(7 downto 0);
  signal sum : sums := (others => (others => '0'));
  signal last : bytes := (others => (others => '0'));
  -- Two registers in a row: a count may change while it is taken.
  signal sampled, settled : event_counts(0 to ROWS - 1) := (others => (others => '0'));
  signal row, added_row : unsigned(4 downto 0) := (others => '0');
  signal clears, adds_nothing : std_logic := '1';
  -- Of added_row: its count, how far it has gone on, its sum until now.
  signal now, more : unsigned(7 downto 0) := (others => '0');
  signal before : unsigned(63 downto 0) := (others => '0');

  function binary (gray : event_count_t) return unsigned is
    variable x : unsigned(7 downto 0);
  begin
    x(7) := gray(7);
    for i in 6 downto 0 loop
      x(i) := x(i + 1) xor gray(i);
    end loop;
    return x;
  end function;
begin
  assert COUNTERS <= ROWS report "event_counters: more than ROWS counters" severity failure;

  registers : process (clk)
    variable looked_at, last_one : unsigned(7 downto 0);
    variable total : unsigned(63 downto 0);
  begin
    if rising_edge(clk) then
      sampled(0 to COUNTERS - 1) <= counts;
      settled <= sampled;
      value <= sum(index);

      looked_at := binary(settled(to_integer(row)));
      now <= looked_at;
      more <= looked_at - last(to_integer(row));
      before <= sum(to_integer(row));
      added_row <= row;
      adds_nothing <= clears;
      last_one := now;
      total := before + more;
      if adds_nothing = '1' then
        last_one := (others => '0');
        total := (others => '0');
      end if;
      last(to_integer(added_row)) <= last_one;
      sum(to_integer(added_row)) <= total;

      row <= row + 1;
      if row = ROWS - 1 then
        clears <= '0';
      end if;
      if rst = '1' then
        row <= (others => '0');
        clears <= '1';
        adds_nothing <= '1';
      end if;
    end if;
  end process;
end architecture;
