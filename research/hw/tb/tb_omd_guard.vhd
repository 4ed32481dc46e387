-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- omd_guard against its rules on random packets: those that are well-formed come out as they were, beat for beat; of
-- the others nothing does, and each is counted.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
library vunit_lib;
context vunit_lib.vunit_context;
use vunit_lib.queue_pkg.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity tb_omd_guard is
  generic (runner_cfg : string);
end entity;

architecture tb of tb_omd_guard is
  constant n : positive := 8;
  constant TAG_BYTES : positive := 4;
  constant MOST : positive := 5;
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal zeroise : std_logic := '0';
  signal s_tdata, m_tdata : slv(8 * n - 1 downto 0) := (others => '0');
  signal s_tkeep, m_tkeep : slv(n - 1 downto 0) := (others => '0');
  signal s_tuser : slv(1 downto 0) := "00";
  signal s_tlast, s_tvalid, s_tready, m_tuser, m_tlast, m_tvalid, dropped : std_logic := '0';
  signal m_tready : std_logic := '0';
  signal drops, taken : natural := 0;
  constant EXPECTED : queue_t := new_queue;
begin
  clk <= not clk after 5 ns;
  dut : entity work.omd_guard
    generic map (G_BYTES => n, G_TAG_BYTES => TAG_BYTES, G_BEATS => MOST)
    port map (
      clk => clk, rst => rst, zeroise => zeroise, s_axis_tdata => s_tdata, s_axis_tkeep => s_tkeep, s_axis_tuser => s_tuser,
      s_axis_tlast => s_tlast, s_axis_tvalid => s_tvalid, s_axis_tready => s_tready, m_axis_tdata => m_tdata,
      m_axis_tkeep => m_tkeep, m_axis_tuser => m_tuser, m_axis_tlast => m_tlast, m_axis_tvalid => m_tvalid,
      m_axis_tready => m_tready, dropped => dropped);

  main : process
    variable seed_1 : positive := 45;
    variable seed_2 : positive := 46;
    variable x : real;
    variable number, bad, expected_beats, kind, blocks : natural := 0;
    variable good, opens : boolean;
    variable packet : queue_t;
    impure function drawn (choices : positive) return natural is
    begin
      uniform(seed_1, seed_2, x);
      return integer(floor(x * real(choices)));
    end function;

    procedure send (keep : slv; last, user, first : std_logic) is
    begin
      number := number + 1;
      s_tdata <= slv(to_unsigned(number, 8 * n));
      s_tkeep <= keep;
      s_tlast <= last;
      s_tuser <= first & user;
      s_tvalid <= '1';
      push(packet, slv(to_unsigned(number, 8 * n)) & keep & last & user);
      loop
        wait until rising_edge(clk);
        exit when s_tready = '1';
      end loop;
      s_tvalid <= '0';
      while drawn(5) = 0 loop
        wait until rising_edge(clk);
      end loop;
    end procedure;

    function bytes (count : natural) return slv is
    begin
      return kept(to_unsigned(count, 8), n);
    end function;
    constant HOLED : slv(n - 1 downto 0) := "00010111";
    variable keep : slv(n - 1 downto 0);
    function bit_of (condition : boolean) return std_logic is
    begin
      if condition then
        return '1';
      end if;
      return '0';
    end function;
  begin
    test_runner_setup(runner, runner_cfg);
    wait until rising_edge(clk);
    rst <= '0';
    for p in 1 to 3000 loop
      packet := new_queue;
      kind := drawn(24);                                  -- 0 to 11: a fault
      opens := drawn(2) = 0;
      blocks := 1 + drawn(MOST);
      good := kind > 11;
      case kind is
        when 0 => send(bytes(n), '0', bit_of(opens), '1');
        when 1 => send(HOLED, '0', bit_of(opens), '1');
        when others => send(bytes(drawn(n)), bit_of(drawn(2) = 0), bit_of(opens), '1');
      end case;
      if kind = 2 then
        blocks := MOST + 1 + drawn(4);
      elsif kind = 3 or kind = 7 then
        blocks := maximum(blocks, 2);
      end if;
      for b in 1 to blocks loop
        if b < blocks then
          keep := bytes(n);
          if kind = 3 and b = 1 then
            keep := bytes(drawn(n));
          end if;
          send(keep, '0', '0', '0');
        elsif kind = 11 then                              -- without an end
          null;
        else
          keep := bytes(drawn(n + 1));
          if kind = 4 then
            keep := HOLED;
          elsif kind = 7 then
            keep := bytes(0);
          elsif blocks > 1 then
            keep := bytes(1 + drawn(n));
          end if;
          send(keep, '1', bit_of(kind = 5), '0');
        end if;
      end loop;
      if kind = 6 then                                    -- of a tag more, less or none
        good := not opens;
      elsif kind = 8 then
        good := not opens;
      elsif kind = 9 then
        good := not opens;
      elsif kind = 10 then
        good := not opens;
      end if;
      if opens and kind /= 11 then
        case kind is
          when 6 => send(bytes(TAG_BYTES + 1), '1', '0', '0');
          when 8 => send(bytes(TAG_BYTES - 1), '1', '0', '0');
          when 9 => send(bytes(TAG_BYTES), '1', '1', '0');
          when 10 => null;
          when others => send(bytes(TAG_BYTES), bit_of(drawn(2) = 0), '0', '0');
        end case;
      end if;
      if good then
        while not is_empty(packet) loop
          push(EXPECTED, pop_std_ulogic_vector(packet));
          expected_beats := expected_beats + 1;
        end loop;
      else
        bad := bad + 1;
      end if;
    end loop;
    packet := new_queue;
    for i in 1 to 200 loop
      wait until rising_edge(clk);
    end loop;
    info(to_string(taken) & " beats of good packets, " & to_string(bad) & " bad ones");
    check_equal(taken, expected_beats);
    check(drops = bad or drops + 1 = bad, "dropped " & to_string(drops) & " of " & to_string(bad));  -- the last may wait for its tag
    check(bad > 1000 and taken > 4000);

    -- Zeroised in the midst of a packet: it is gone, and so is what waited.
    packet := new_queue;
    send(bytes(3), '0', '0', '1');
    send(bytes(n), '0', '0', '0');
    zeroise <= '1';
    wait until rising_edge(clk);
    zeroise <= '0';
    wait until rising_edge(clk);
    send(bytes(n), '1', '0', '0');
    for i in 1 to 50 loop
      wait until rising_edge(clk);
    end loop;
    check_equal(taken, expected_beats, "after zeroise");
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 2 ms);

  take : process
    variable seed_1 : positive := 55;
    variable seed_2 : positive := 56;
    variable x : real;
    variable wanted : slv(9 * n + 1 downto 0);
  begin
    uniform(seed_1, seed_2, x);
    m_tready <= '1' when x < 0.8 else '0';
    wait until rising_edge(clk);
    if dropped = '1' then
      drops <= drops + 1;
    end if;
    if m_tvalid = '1' and m_tready = '1' then
      taken <= taken + 1;
      if is_empty(EXPECTED) then
        wait until not is_empty(EXPECTED) for 300 ns;
      end if;
      check(not is_empty(EXPECTED), "a beat that should not come");
      wanted := pop_std_ulogic_vector(EXPECTED);
      check(m_tdata & m_tkeep & m_tlast & m_tuser = wanted, "beat " & to_hstring(wanted));
    end if;
  end process;
end architecture;
