-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- z = x and y, of masked bits, a step later.
--
-- Source: Gross, Mangard, Korak, Domain-Oriented Masking (TIS 2016), DOM-indep of first order.
-- Each product of two domains has a fresh random bit before its register, so that no wire, whatever its glitches, depends on
-- both shares of x or of y.
-- Limits: x and y must be shared independently, and so must the registers before them.

library ieee;
use ieee.std_logic_1164.all;
use work.masked_pkg.all;

entity masked_and is
  port (
    clk, rst, step : in std_logic;                        -- step: registers move
    x, y : in masked_bit;
    random : in std_logic;
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
        inner <= (x(0) and y(0), x(1) and y(1));
        outer <= ((x(0) and y(1)) xor random, (x(1) and y(0)) xor random);
      end if;
      if rst = '1' then
        inner <= "00";
        outer <= "00";
      end if;
    end if;
  end process;
end architecture;
