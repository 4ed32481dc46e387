-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The reset of a clock domain: on at once when aresetn falls, with or without a clock; off with the clock's fourth edge
-- after it has risen, so that registers with a synchronous reset have seen three.

library ieee;
use ieee.std_logic_1164.all;

entity reset_sync is
  port (
    clk, aresetn : in std_logic;
    rst : out std_logic
  );
end entity;

architecture rtl of reset_sync is
  signal stages : std_logic_vector(3 downto 0) := "1111";
begin
  rst <= stages(3);

  registers : process (clk, aresetn)
  begin
    if aresetn = '0' then
      stages <= "1111";
    elsif rising_edge(clk) then
      stages <= stages(2 downto 0) & '0';
    end if;
  end process;
end architecture;
