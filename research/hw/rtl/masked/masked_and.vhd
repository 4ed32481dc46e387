-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- z = x and y, of masked bits, a step later.
--
-- Source: Gross, Mangard, Korak, Domain-Oriented Masking (TIS 2016), DOM-indep of first order.
-- Each product of two domains has a fresh mask before its register, so that no wire, whatever its glitches, depends on both shares
-- of x or of y.
-- Limits: x and y must be shared independently, and so must the registers before them.

library ieee;
use ieee.std_logic_1164.all;
use work.masked_pkg.all;
use work.omd_pkg.all;

entity masked_and is
  port (
    clk, rst, step : in std_logic;                        -- step: registers move
    x, y : in masked_bit;
    -- Of x0 y0, x0 y1, x1 y1 and x1 y0; their sum is 0. Two random bits that are equal, in the products of two domains, will do,
    -- unless z comes back to x or y.
    masks : in slv(0 to 3);
    z : out masked_bit
  );
end entity;

architecture rtl of masked_and is
  signal inner, outer : masked_bit := "00";               -- of one domain; of two
begin
  z <= inner xor outer;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if step = '1' then
        inner <= ((x(0) and y(0)) xor masks(0), (x(1) and y(1)) xor masks(2));
        outer <= ((x(0) and y(1)) xor masks(1), (x(1) and y(0)) xor masks(3));
      end if;
      if rst = '1' then
        inner <= "00";
        outer <= "00";
      end if;
    end if;
  end process;
end architecture;
