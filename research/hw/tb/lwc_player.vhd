-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Plays a file of cryptotvgen's form as a stream of 32-bit words: the hexadecimal words behind "INS = ", "HDR = " and "DAT = ".
-- Other lines are passed over. Valid is withheld for G_STALL of 100 cycles at random; once valid, a word stays until it is taken.

library ieee;
use ieee.std_logic_1164.all;
use ieee.math_real.all;
use std.textio.all;

entity lwc_player is
  generic (
    G_FILE : string;
    G_STALL, G_SEED : natural
  );
  port (
    clk, rst : in std_logic;
    data : out std_logic_vector(31 downto 0) := (others => '0');
    valid : out std_logic := '0';
    ready : in std_logic;
    finished : out boolean := false
  );
end entity;

architecture tb of lwc_player is
begin
  play : process
    file source : text open read_mode is G_FILE;
    variable l : line;
    variable head : string(1 to 6);
    variable word : std_logic_vector(31 downto 0);
    variable good : boolean;
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 5711;
    variable chance : real;
  begin
    wait until rising_edge(clk) and rst = '0';
    while not endfile(source) loop
      readline(source, l);
      read(l, head, good);
      if good and (head = "INS = " or head = "HDR = " or head = "DAT = ") then
        loop
          hread(l, word, good);
          exit when not good;
          loop
            exit when G_STALL = 0;
            uniform(seed_1, seed_2, chance);
            exit when chance * 100.0 >= real(G_STALL);
            wait until rising_edge(clk);
          end loop;
          data <= word;
          valid <= '1';
          wait until rising_edge(clk) and ready = '1';
          valid <= '0';
          data <= (others => 'X');
        end loop;
      end if;
    end loop;
    finished <= true;
    wait;
  end process;
end architecture;
