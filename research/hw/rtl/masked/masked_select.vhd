-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- w = z xor (x and y), of masked bits, three steps later: SHA-256's Ch(e, f, g) with x = e, y = f xor g, z = g, and
-- Maj(a, b, c) with x = a xor b, y = b xor c, z = b.
--
-- Source: FIPS 180-4, 4.1.2. Both are this form.
-- Maj's x and y share b: in a register each is a sharing by itself, as a and c are shared independently.

library ieee;
use ieee.std_logic_1164.all;
use work.masked_pkg.all;
use work.omd_pkg.all;

entity masked_select is
  port (
    clk, rst, step : in std_logic;
    x, y, z : in masked_bit;
    random : in std_logic;
    w : out masked_bit
  );
end entity;

architecture rtl of masked_select is
  signal x1, y1, z1, z2, product : masked_bit := "00";
  signal masks : slv(0 to 3);
begin
  masks <= ('0', random, '0', random);
  multiply : entity work.masked_and
    port map (clk => clk, rst => rst, step => step, x => x1, y => y1, masks => masks, z => product);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if step = '1' then
        x1 <= x;
        y1 <= y;
        z1 <= z;
        z2 <= z1;
        w <= z2 xor product;
      end if;
      if rst = '1' then
        x1 <= "00";
        y1 <= "00";
        z1 <= "00";
        z2 <= "00";
        w <= "00";
      end if;
    end if;
  end process;
end architecture;
