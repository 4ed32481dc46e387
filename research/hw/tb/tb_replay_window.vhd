-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- replay_window against a list of what was opened, on random counters; and nonce_gen, whose counters never repeat in a
-- session.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;

entity tb_replay_window is
  generic (
    runner_cfg : string;
    G_WINDOW : positive := 16
  );
end entity;

architecture tb of tb_replay_window is
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal erase, erased, query, take, opens, query_done, take_done, too_old, replayed : std_logic := '0';
  signal query_counter, take_counter : unsigned(63 downto 0) := (others => '0');
  signal enabled, counter_take, valid, refuses, exhausted, rekey_due : std_logic := '0';
  signal counter : unsigned(63 downto 0);
begin
  clk <= not clk after 5 ns;
  window : entity work.replay_window
    generic map (G_WINDOW => G_WINDOW)
    port map (
      clk => clk, rst => rst, erase => erase, erased => erased, query => query, take => take, opens => opens,
      query_counter => query_counter, take_counter => take_counter, query_done => query_done, take_done => take_done,
      too_old => too_old, replayed => replayed);
  nonces : entity work.nonce_gen
    generic map (G_LAST => to_unsigned(40, 64))
    port map (
      clk => clk, rst => rst, enabled => enabled, rekey_limit => to_unsigned(30, 64), counter => counter, valid => valid,
      take => counter_take, refuses => refuses, exhausted => exhausted, rekey_due => rekey_due);

  main : process
    variable seed_1 : positive := 35;
    variable seed_2 : positive := 36;
    variable x : real;
    constant MOST : positive := 4000;
    type flags is array (0 to MOST) of boolean;
    variable seen : flags;
    variable highest, c, cycles, usual : integer;
    variable old, again : boolean;
    variable base : unsigned(63 downto 0);
    type counts is array (0 to 2) of natural;
    variable answers : counts := (others => 0);

    impure function drawn (n : positive) return natural is
    begin
      uniform(seed_1, seed_2, x);
      return integer(floor(x * real(n)));
    end function;

    procedure ask (takes : boolean) is
    begin
      cycles := 0;
      if takes then
        take <= '1';
        take_counter <= base + c;
      else
        query <= '1';
        query_counter <= base + c;
      end if;
      loop
        wait until rising_edge(clk);
        cycles := cycles + 1;
        exit when (takes and take_done = '1') or (not takes and query_done = '1');
      end loop;
      query <= '0';
      take <= '0';
      check(too_old = '1' xnor old, "too old: " & to_string(c) & ", highest " & to_string(highest));
      check(replayed = '1' xnor (again and not old), "replayed: " & to_string(c) & ", highest " & to_string(highest));
      usual := cycles when usual = 0;
      check_equal(cycles, usual, "cycles of an answer");
    end procedure;
  begin
    test_runner_setup(runner, runner_cfg);
    while test_suite loop
      if run("window") then
        wait until rising_edge(clk);
        wait until rising_edge(clk);
        rst <= '0';
        usual := 0;
        for session in 0 to 3 loop
          -- The last session is at the end of all counters.
          base := (others => '0');
          if session = 3 then
            base := unsigned'(x"FFFFFFFFFFFFFFFF") - MOST;
          elsif session = 2 then
            base := x"00000000FFFFFF00";
          end if;
          seen := (others => false);
          highest := -1;
          wait until rising_edge(clk) and erased = '1';
          for i in 1 to 1500 loop
            case drawn(8) is
              when 0 => c := highest + 1 + drawn(3 * G_WINDOW);
              when 1 => c := highest - G_WINDOW + drawn(3) - 1;
              when 2 | 3 => c := highest + 1;
              when others => c := highest - drawn(2 * G_WINDOW);
            end case;
            c := minimum(maximum(c, 0), MOST);
            old := highest >= 0 and c <= highest - G_WINDOW;
            again := seen(c) and not old;
            opens <= '1' when drawn(4) > 0 else '0';
            answers(0) := answers(0) + 1 when old;
            answers(1) := answers(1) + 1 when again;
            answers(2) := answers(2) + 1 when not old and not again;
            if drawn(2) = 0 then
              ask(false);
            else
              ask(true);
              if opens = '1' and not old and not again then
                seen(c) := true;
                highest := maximum(highest, c);
              end if;
            end if;
            if drawn(3) = 0 then
              wait until rising_edge(clk);
            end if;
          end loop;
          erase <= '1';
          wait until rising_edge(clk);
          erase <= '0';
          wait until rising_edge(clk);
          check_equal(erased, '0');
        end loop;
        for i in answers'range loop
          check(answers(i) > 100, "each answer: " & to_string(answers(i)));
        end loop;

      elsif run("counters") then
        wait until rising_edge(clk);
        rst <= '0';
        for session in 1 to 3 loop
          for i in 1 to 5 loop
            wait until rising_edge(clk);
            check(valid = '0' and refuses = '1', "no session");
            counter_take <= '1' when drawn(2) = 0 else '0';
          end loop;
          enabled <= '1';
          c := 0;
          while c < 40 loop
            counter_take <= '1' when drawn(2) = 0 else '0';
            wait until rising_edge(clk);
            check(valid = '0' or refuses = '0');
            if valid = '1' and counter_take = '1' then
              check_equal(to_integer(counter), c, "the next counter");
              c := c + 1;
            end if;
          end loop;
          for i in 1 to 5 loop
            wait until rising_edge(clk);
            check_equal(valid, '0', "the last counter is not given");
          end loop;
          check(exhausted = '1' and refuses = '1' and rekey_due = '1');
          if session = 2 then                             -- a session in whose midst there is an end
            enabled <= '0';
            wait until rising_edge(clk);
            wait until rising_edge(clk);
            enabled <= '1';
            counter_take <= '1';
            for i in 1 to 20 loop
              wait until rising_edge(clk);
            end loop;
            check(to_integer(counter) > 3 and rekey_due = '0' and exhausted = '0');
          end if;
          enabled <= '0';
          wait until rising_edge(clk);
        end loop;
      end if;
    end loop;
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 2 ms);
end architecture;
