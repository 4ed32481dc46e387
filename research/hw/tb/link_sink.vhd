-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Takes the frames of an AXI4-Stream and writes each to a file: a line "phase, time of its first and last beat in ns,
-- bytes".
--
-- ready is withheld for G_STALL of 100 cycles at random, and at every other beat until there is one. A beat that is
-- valid must stay as it is until it is taken, but in a reset; beats are full but the last, without holes, and a beat
-- without bytes is a frame's only one.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
use std.textio.all;

entity link_sink is
  generic (
    G_FILE : string;
    G_BYTES : positive;
    G_STALL, G_SEED : natural
  );
  port (
    clk, aresetn : in std_logic;
    phase : in natural;
    closed : in std_logic := '0';                         -- takes nothing
    tdata : in std_logic_vector(8 * G_BYTES - 1 downto 0);
    tkeep : in std_logic_vector(G_BYTES - 1 downto 0);
    tlast, tvalid : in std_logic;
    tready : out std_logic := '0'
  );
end entity;

architecture tb of link_sink is
begin
  take : process
    file sink : text open write_mode is G_FILE;
    variable l : line;
    variable began : time;
    variable bytes, count : natural := 0;
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 1847;
    variable chance : real;
    variable ready, waits : boolean := false;
    variable was : std_logic_vector(9 * G_BYTES downto 0);
  begin
    l := new string'("");
    loop
      uniform(seed_1, seed_2, chance);
      ready := closed = '0' and chance * 100.0 >= real(G_STALL) and (G_STALL = 0 or count mod 2 = 0 or tvalid = '1');
      tready <= '1' when ready else '0';
      wait until rising_edge(clk);
      if aresetn = '0' then
        waits := false;
        bytes := 0;
        deallocate(l);
        l := new string'("");
      else
        assert not (is_x(tvalid)) report G_FILE & ": valid is undefined" severity failure;
        assert not (waits and tvalid = '0') report G_FILE & ": valid was taken back" severity failure;
        assert not waits or was = tdata & tkeep & tlast report G_FILE & ": a beat changed while it waited" severity failure;
        waits := tvalid = '1' and not ready;
        was := tdata & tkeep & tlast;
        if tvalid = '1' and ready then
          count := count + 1;
          if bytes = 0 then
            began := now;
          end if;
          for i in 0 to G_BYTES - 1 loop
            if tkeep(i) = '1' then
              assert i = 0 or tkeep(maximum(i, 1) - 1) = '1' report G_FILE & ": a hole" severity failure;
              hwrite(l, tdata(8 * i + 7 downto 8 * i));
              bytes := bytes + 1;
            else
              assert tlast = '1' and (i > 0 or bytes = 0) report G_FILE & ": a partial beat" severity failure;
            end if;
          end loop;
          if tlast = '1' then
            write(sink, to_string(phase) & " " & to_string(began / 1 ns) & " " & to_string(now / 1 ns) & " " & l.all & LF);
            deallocate(l);
            l := new string'("");
            bytes := 0;
          end if;
        end if;
      end if;
    end loop;
  end process;
end architecture;
