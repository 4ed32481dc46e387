-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- s = a + b, of masked words that come bit by bit, the lowest first; each bit of s two steps after those of a and b.
--
-- first: 1 with the lowest bit: no carry comes before it. The last carry is lost.
-- The carry is g xor (p and c), with g = a and b, p = a xor b. The form with one product, c xor ((a xor c) and (b xor c)), has
-- both shares of c before one register, where glitches show it. The products p and c come while p changes: so that none is seen
-- beside the p that it is made of, each has a mask of its own, from a register.

library ieee;
use ieee.std_logic_1164.all;
use work.masked_pkg.all;
use work.omd_pkg.all;

entity masked_adder is
  port (
    clk, rst, step : in std_logic;
    first : in std_logic;
    a, b : in masked_bit;
    random : in slv(3 downto 0);
    s : out masked_bit
  );
end entity;

architecture rtl of masked_adder is
  signal g, p, c, g_before, pc_before : masked_bit;
  signal g_masks, pc_masks : slv(0 to 3);
  signal is_first : std_logic;
begin
  g_masks <= ('0', random(0), '0', random(0));
  generates : entity work.masked_and
    port map (clk => clk, rst => rst, step => step, x => a, y => b, masks => g_masks, z => g);
  propagates : entity work.masked_and
    port map (clk => clk, rst => rst, step => step, x => p, y => c, masks => pc_masks, z => pc_before);
  c <= "00" when is_first = '1' else g_before xor pc_before;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if step = '1' then
        is_first <= first;
        pc_masks <= (random(1), random(2), random(1) xor random(2) xor random(3), random(3));
        p <= a xor b;
        g_before <= g;
        s <= p xor c;
      end if;
      if rst = '1' then
        is_first <= '0';
        pc_masks <= "0000";
        p <= "00";
        g_before <= "00";
        s <= "00";
      end if;
    end if;
  end process;
end architecture;
