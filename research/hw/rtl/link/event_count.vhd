-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Counts events, one a cycle, in 8 bits of Gray code that another clock domain may read (event_counters).
--
-- rst is asynchronous, as the reader may be released first.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity event_count is
  port (
    clk, rst : in std_logic;
    happens : in std_logic;
    count : out slv(7 downto 0)
  );
end entity;

architecture rtl of event_count is
  signal sum : unsigned(7 downto 0) := (others => '0');
  signal gray : slv(7 downto 0) := (others => '0');
begin
  count <= gray;

  registers : process (clk, rst)
  begin
    if rst = '1' then
      sum <= (others => '0');
      gray <= (others => '0');
    elsif rising_edge(clk) then
      if happens = '1' then
        sum <= sum + 1;
        gray <= gray_of(sum + 1);
      end if;
    end if;
  end process;
end architecture;
