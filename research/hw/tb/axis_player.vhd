-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Plays a file as an AXI4-Stream: lines "session tdata tkeep tlast tuser", those of the session that is on, with
-- valid withheld for G_STALL of 100 cycles at random, and before four of ten beats for G_PAUSE cycles: 100 are longer than
-- a call of any hash. Once valid, a beat stays until it is taken, or the session ends.

library ieee;
use ieee.std_logic_1164.all;
use ieee.math_real.all;
use std.textio.all;

entity axis_player is
  generic (
    G_FILE : string;
    G_BITS, G_KEEP : positive;
    G_STALL, G_SEED : natural;
    G_PAUSE : natural := 100
  );
  port (
    clk : in std_logic;
    session : in natural;
    tdata : out std_logic_vector(G_BITS - 1 downto 0);
    tkeep : out std_logic_vector(G_KEEP - 1 downto 0);
    tlast, tuser, tvalid : out std_logic := '0';
    tready : in std_logic
  );
end entity;

architecture tb of axis_player is
begin
  play : process
    file source : text open read_mode is G_FILE;
    variable l : line;
    variable of_session, last, user : natural;
    variable data : std_logic_vector(G_BITS - 1 downto 0);
    variable keep : std_logic_vector(G_KEEP - 1 downto 0);
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 4711;
    variable chance : real;
  begin
    while not endfile(source) loop
      readline(source, l);
      read(l, of_session);
      hread(l, data);
      hread(l, keep);
      read(l, last);
      read(l, user);
      while session < of_session loop
        wait until rising_edge(clk);
      end loop;
      uniform(seed_1, seed_2, chance);
      if G_STALL > 0 and chance < 0.4 then
        for pause in 1 to G_PAUSE loop
          wait until rising_edge(clk);
          exit when session > of_session;
        end loop;
      end if;
      loop
        exit when G_STALL = 0;
        uniform(seed_1, seed_2, chance);
        exit when chance * 100.0 >= real(G_STALL) or session > of_session;
        wait until rising_edge(clk);
      end loop;
      if session = of_session then
        tdata <= data;
        tkeep <= keep;
        tlast <= '1' when last = 1 else '0';
        tuser <= '1' when user = 1 else '0';
        tvalid <= '1';
        loop
          wait until rising_edge(clk);
          exit when tready = '1' or session > of_session;
        end loop;
        tvalid <= '0';
        tdata <= (others => 'X');
        tkeep <= (others => 'X');
      end if;
    end loop;
    wait;
  end process;
end architecture;
