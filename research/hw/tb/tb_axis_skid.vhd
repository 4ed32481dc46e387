-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- axis_skid: beats in order, each once; one in each cycle where both sides will; and nothing comes out that is not of a
-- register: valid, ready and data change with the clock only.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;

entity tb_axis_skid is
  generic (runner_cfg : string);
end entity;

architecture tb of tb_axis_skid is
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal s_beat, m_beat : slv(15 downto 0) := (others => '0');
  signal s_tvalid, s_tready, m_tvalid, m_tready : std_logic := '0';
  signal edge : time := 0 ns;
begin
  clk <= not clk after 5 ns;
  dut : entity work.axis_skid
    generic map (G_BITS => 16)
    port map (
      clk => clk, rst => rst, s_beat => s_beat, s_tvalid => s_tvalid, s_tready => s_tready, m_beat => m_beat,
      m_tvalid => m_tvalid, m_tready => m_tready);

  edge <= now when rising_edge(clk);
  registered : process (m_beat, m_tvalid, s_tready)
  begin
    assert now = 0 ns or clk'last_event = 0 ns report "an output changed without the clock" severity failure;
  end process;

  main : process
    variable seed_1 : positive := 5;
    variable seed_2 : positive := 6;
    variable x : real;
    variable sent, taken : natural := 0;
    variable offers : boolean := false;
    variable cycles : natural;
  begin
    test_runner_setup(runner, runner_cfg);
    check_equal(s_tready, '0', "ready in reset");
    wait until rising_edge(clk);
    rst <= '0';
    for round in 0 to 8 loop                              -- of 9: sink and source at 100, 60, 20 of 100 cycles
      for cycle in 1 to 400 loop
        -- Inputs change in the midst of a cycle.
        wait for 2 ns;
        uniform(seed_1, seed_2, x);
        if not offers then
          offers := x < 1.0 - 0.4 * real(round mod 3);
          s_beat <= slv(to_unsigned(sent mod 65536, 16)) when offers else (others => 'X');
          s_tvalid <= '1' when offers else '0';
        end if;
        uniform(seed_1, seed_2, x);
        m_tready <= '1' when x < 1.0 - 0.4 * real(round / 3) else '0';
        wait until rising_edge(clk);
        if s_tvalid = '1' and s_tready = '1' then
          sent := sent + 1;
          offers := false;
        end if;
        if m_tvalid = '1' and m_tready = '1' then
          check_equal(to_integer(unsigned(m_beat)), taken mod 65536);
          taken := taken + 1;
        end if;
        check(sent - taken <= 2 and sent >= taken, "beats that are kept");
      end loop;
      if round = 0 then
        check(taken >= 396, "a beat in each cycle");
      end if;
    end loop;
    -- Reset: what was kept is gone.
    m_tready <= '0';
    wait until rising_edge(clk);
    wait until rising_edge(clk);
    rst <= '1';
    s_tvalid <= '0';
    wait until rising_edge(clk);
    wait for 1 ns;
    check_equal(m_tvalid, '0');
    check_equal(s_tready, '0');
    check_equal(m_beat, std_logic_vector'(x"0000"));
    rst <= '0';
    wait until rising_edge(clk);
    wait for 1 ns;
    check_equal(m_tvalid, '0');
    check_equal(s_tready, '1');
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 100 us);
end architecture;
