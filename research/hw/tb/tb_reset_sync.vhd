-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- reset_sync: on without a clock, off with the fourth edge; and event_count: a step of Gray code for each event.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;
use work.link_pkg.all;

entity tb_reset_sync is
  generic (runner_cfg : string);
end entity;

architecture tb of tb_reset_sync is
  signal clk, aresetn, rst, event : std_logic := '0';
  signal count : slv(7 downto 0);
begin
  dut : entity work.reset_sync port map (clk => clk, aresetn => aresetn, rst => rst);
  counter : entity work.event_count port map (clk => clk, rst => rst, happens => event, count => count);

  main : process
    procedure pulse is
    begin
      wait for 5 ns;
      clk <= '1';
      wait for 5 ns;
      clk <= '0';
      wait for 1 ns;
    end procedure;
    variable was : slv(7 downto 0);
    variable bits : natural;
  begin
    test_runner_setup(runner, runner_cfg);
    for round in 1 to 3 loop
      wait for 3 ns;
      check_equal(rst, '1', "in reset");
      check_equal(count, std_logic_vector'(x"00"), "no count in reset");
      aresetn <= '1';
      for i in 1 to 3 loop
        pulse;
        check_equal(rst, '1', "still in reset");
      end loop;
      pulse;
      check_equal(rst, '0', "released");
      for i in 1 to 300 loop
        was := count;
        event <= '1' when i mod 3 > 0 else '0';
        wait for 1 ns;
        pulse;
        bits := 0;
        for b in 0 to 7 loop
          if count(b) /= was(b) then
            bits := bits + 1;
          end if;
        end loop;
        check((bits = 1 and event = '1') or (bits = 0 and event = '0'), "bits that change");
      end loop;
      check_equal(to_integer(number_of(count)), 200);
      aresetn <= '0';                                     -- without a clock
      wait for 1 ps;
      check_equal(rst, '1', "at once");
      if round = 2 then                                   -- and though it was short
        aresetn <= '1';
        wait for 1 ps;
        check_equal(rst, '1', "until the clock");
        aresetn <= '0';
      end if;
    end loop;
    test_runner_cleanup(runner);
  end process;
end architecture;
