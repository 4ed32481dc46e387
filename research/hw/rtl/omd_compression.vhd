-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- F', the compression function of the hash that G_HASH names: sha256_core, sha512_core or blake2b_core. See there.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

entity omd_compression is
  generic (
    G_HASH : string;                                      -- sha256, sha512, blake2b
    G_BYTES : positive;                                   -- n: 32 for sha256, otherwise 64
    G_INTERLEAVE : positive := 1;                         -- 1 or 4
    G_HALF_ROUND : boolean := false                       -- blake2b, without interleaving
  );
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in slv(8 * G_BYTES - 1 downto 0);
    y : out slv(8 * G_BYTES - 1 downto 0)
  );
end entity;

architecture rtl of omd_compression is
begin
  assert G_HASH = "sha256" or G_HASH = "sha512" or G_HASH = "blake2b"
    report "omd_compression: G_HASH is sha256, sha512 or blake2b" severity failure;
  assert bytes_of(G_HASH) = G_BYTES report "omd_compression: G_BYTES is 32 for sha256, otherwise 64" severity failure;
  assert G_HASH = "blake2b" or not G_HALF_ROUND report "omd_compression: G_HALF_ROUND is for blake2b" severity failure;

  sha256 : if G_HASH = "sha256" generate
    F : entity work.sha256_core
      generic map (G_INTERLEAVE => G_INTERLEAVE)
      port map (clk => clk, rst => rst, start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);
  end generate;
  sha512 : if G_HASH = "sha512" generate
    F : entity work.sha512_core
      generic map (G_INTERLEAVE => G_INTERLEAVE)
      port map (clk => clk, rst => rst, start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);
  end generate;
  blake2b : if G_HASH = "blake2b" generate
    F : entity work.blake2b_core
      generic map (G_INTERLEAVE => G_INTERLEAVE, G_HALF_ROUND => G_HALF_ROUND)
      port map (clk => clk, rst => rst, start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);
  end generate;
end architecture;
