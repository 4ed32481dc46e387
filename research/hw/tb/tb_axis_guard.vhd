-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- axis_guard against its rules, read off the bytes of random frames: what is good passes as it was; what is bad is
-- marked, for the first reason; and the next good one passes.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;
use work.link_pkg.all;

entity tb_axis_guard is
  generic (
    runner_cfg : string;
    G_MIN : natural := 5;
    G_MAX : positive := 22
  );
end entity;

architecture tb of tb_axis_guard is
  constant W : positive := 4;
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal s_tdata, m_tdata : slv(8 * W - 1 downto 0) := (others => '0');
  signal s_tkeep : slv(W - 1 downto 0) := (others => '0');
  signal s_tlast, s_tuser, s_tvalid, s_tready, m_tlast, m_bad, m_tvalid : std_logic := '0';
  signal m_tready : std_logic := '0';
  signal m_length : length_t;
  signal holed, errored, oversize, short : std_logic;
  type counts is array (0 to 4) of natural;               -- good, holed, errored, oversize, short
  signal seen, expected : counts := (others => 0);
  signal beats_of, number : natural := 0;                 -- that have come out, of the frame under way; frames
begin
  clk <= not clk after 5 ns;
  dut : entity work.axis_guard
    generic map (G_BYTES => W, G_MIN => G_MIN, G_MAX => G_MAX)
    port map (
      clk => clk, rst => rst, s_tdata => s_tdata, s_tkeep => s_tkeep, s_tlast => s_tlast, s_tuser => s_tuser,
      s_tvalid => s_tvalid, s_tready => s_tready, m_tdata => m_tdata, m_tlast => m_tlast, m_bad => m_bad,
      m_tvalid => m_tvalid, m_length => m_length, m_tready => m_tready, holed => holed, errored => errored,
      oversize => oversize, short => short);

  main : process
    variable seed_1 : positive := 15;
    variable seed_2 : positive := 16;
    variable x : real;
    variable beats, bytes, kind, reason : natural;
    variable gap, error, ended : boolean;
    impure function drawn (n : positive) return natural is
    begin
      uniform(seed_1, seed_2, x);
      return integer(floor(x * real(n)));
    end function;
  begin
    test_runner_setup(runner, runner_cfg);
    wait until rising_edge(clk);
    rst <= '0';
    for f in 1 to 3000 loop
      beats := 1 + drawn((G_MAX + 3 * W) / W);
      kind := drawn(4);                                   -- 0: any tkeep, 1: perhaps an error
      gap := false;
      error := false;
      bytes := 0;
      for b in 1 to beats loop
        s_tdata <= slv(to_unsigned(f mod 65536, 16)) & slv(to_unsigned(b, 16));
        s_tkeep <= (others => '1');
        if b = beats then
          s_tkeep <= kept(to_unsigned(drawn(W + 1), 8), W);
        end if;
        if kind = 0 and drawn(3) = 0 then
          s_tkeep <= slv(to_unsigned(drawn(2 ** W), W));
        end if;
        s_tlast <= '1' when b = beats else '0';
        s_tuser <= '1' when kind = 1 and drawn(3) = 0 else '0';
        s_tvalid <= '1';
        loop
          wait until rising_edge(clk);
          exit when s_tready = '1';
        end loop;
        s_tvalid <= '0';
        -- The rules.
        ended := false;
        for i in 0 to W - 1 loop
          if s_tkeep(i) = '1' then
            gap := gap or ended;
            bytes := bytes + 1;
          else
            ended := true;
          end if;
        end loop;
        gap := gap or (ended and b < beats) or (s_tkeep(0) = '0' and b > 1);
        error := error or s_tuser = '1';
        while drawn(4) = 0 loop
          wait until rising_edge(clk);
        end loop;
      end loop;
      reason := 1 when gap else 2 when error else 3 when bytes > G_MAX else 4 when bytes < G_MIN else 0;
      expected(reason) <= expected(reason) + 1;
      -- It has come out, and with the right mark.
      while number < f loop
        wait until rising_edge(clk);
      end loop;
      wait until rising_edge(clk);
      check(seen = expected, "frame " & to_string(f) & " of " & to_string(bytes) & " bytes, reason " & to_string(reason));
      if reason = 0 then
        check_equal(beats_of, beats, "beats of a good frame");
        check_equal(to_integer(m_length), bytes, "length");
      end if;
      check(beats_of <= G_MAX / W + 3, "beats that pass");
    end loop;
    for i in counts'range loop
      check(seen(i) > 50, "each reason: " & to_string(seen(i)));
    end loop;
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 2 ms);

  take : process
    variable seed_1 : positive := 25;
    variable seed_2 : positive := 26;
    variable x : real;
    variable count : natural := 0;
    variable good : boolean;
  begin
    uniform(seed_1, seed_2, x);
    m_tready <= '1' when x < 0.7 else '0';
    wait until rising_edge(clk);
    good := false;
    if m_tvalid = '1' and m_tready = '1' then
      count := count + 1;
      check(m_bad = '1' or to_integer(unsigned(m_tdata(15 downto 0))) = count, "a beat of another place");
      if m_tlast = '1' then
        beats_of <= count;
        count := 0;
        number <= number + 1;
        good := m_bad = '0';
      end if;
    end if;
    if good then
      seen(0) <= seen(0) + 1;
    end if;
    if holed = '1' then
      seen(1) <= seen(1) + 1;
    end if;
    if errored = '1' then
      seen(2) <= seen(2) + 1;
    end if;
    if oversize = '1' then
      seen(3) <= seen(3) + 1;
    end if;
    if short = '1' then
      seen(4) <= seen(4) + 1;
    end if;
  end process;
end architecture;
