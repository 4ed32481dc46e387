-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Counts packets between two ends of a path, so that those that an erasure loses are counted, too.
--
-- begins, ends: a packet enters, has left. erase: those between are lost, and `lost` is 1 for a cycle for each, but not
-- in one in which `waits` is 1.
-- Limits: seven of them.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity in_flight is
  port (
    clk, rst, erase : in std_logic;
    begins, ends, waits : in std_logic;
    none, lost : out std_logic
  );
end entity;

architecture rtl of in_flight is
  signal between, losses : unsigned(2 downto 0) := "000";
begin
  none <= '1' when between = 0 else '0';
  lost <= '1' when losses /= 0 and waits = '0' else '0';

  registers : process (clk)
    variable now : unsigned(2 downto 0);
  begin
    if rising_edge(clk) then
      now := between;
      if begins = '1' and ends = '0' then
        now := between + 1;
      elsif begins = '0' and ends = '1' then
        now := between - 1;
      end if;
      between <= now;
      if losses /= 0 and waits = '0' then
        losses <= losses - 1;
      end if;
      if erase = '1' and now /= 0 then
        losses <= now;
        between <= "000";
      end if;
      if rst = '1' then
        between <= "000";
        losses <= "000";
      end if;
    end if;
  end process;
end architecture;
