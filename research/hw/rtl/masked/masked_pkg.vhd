-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Values in two shares, whose exclusive or is the value: index 0 and index 1.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

package masked_pkg is
  subtype masked_bit is slv(0 to 1);
  type masked_block is array (0 to 1) of slv(255 downto 0);
  constant RANDOM_BITS : positive := 42;                  -- of masked_sha256_core, in each cycle
end package;
