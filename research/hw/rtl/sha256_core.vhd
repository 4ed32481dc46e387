-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- SHA-256's compression function: sha2_core at words of 32 bits; 65 cycles per call. See there.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

entity sha256_core is
  generic (G_INTERLEAVE : positive := 1);
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in slv(255 downto 0);
    y : out slv(255 downto 0)
  );
end entity;

architecture rtl of sha256_core is
begin
  core : entity work.sha2_core
    generic map (G_WORD => 32, G_INTERLEAVE => G_INTERLEAVE)
    port map (clk => clk, rst => rst, start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);
end architecture;
