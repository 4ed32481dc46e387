-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- registers and ks_gen as omd_link has them, under commands from a file; answers go to another, which sim/link_control.py
-- compares. A line in, a line out:
--   w ADDRESS DATA STROBES   writes; answers RESPONSE
--   r ADDRESS                reads; answers DATA RESPONSE
--   t N                      waits N cycles; answers the interrupt line
--   k                        answers the keys that the cores have taken, L* beside each, and Tag_a: seal, then open
--   c ROW N                  counts N events of the counter in that row, in another clock; answers 0
-- The cores are two shift registers that take a beat in three cycles, and forget with `erase`.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;
use work.omd_link_regs.all;
use work.axil_pkg.all;

entity tb_link_control is
  generic (
    runner_cfg : string;
    output_path : string;
    G_COMMANDS : string;
    G_HASH : string := "sha256"
  );
end entity;

architecture tb of tb_link_control is
  constant n : positive := bytes_of(G_HASH);
  function suite_of return natural is
  begin
    if G_HASH = "sha256" then
      return 1;
    elsif G_HASH = "sha512" then
      return 2;
    end if;
    return 3;
  end function;

  signal clk, event_clk : std_logic := '0';
  signal rst : std_logic := '1';
  signal m : axil_to_slave := AXIL_IDLE;
  signal s : axil_to_master;
  signal interrupt : std_logic;
  signal word : slv(31 downto 0);
  signal index : natural range 0 to 15;
  signal write_master, write_own, write_peer, write_confirmation : std_logic;
  signal role, derive, enable, stop, zeroise : std_logic;
  signal may_derive, may_enable, may_write, may_confirm : std_logic;
  signal has_master, derived, busy, enabled, no_own_epoch, no_peer_epoch, refused, ended, was_erased : std_logic;
  signal own_confirmation : slv(127 downto 0);
  signal session : slv(31 downto 0);
  signal destination, source : slv(47 downto 0);
  signal rekey_limit : unsigned(63 downto 0);
  signal counts : event_counts(0 to COUNTERS - 1) := (others => (others => '0'));
  signal erase, direction : std_logic;
  signal key_tdata : slv(n - 1 downto 0);
  signal seal_tvalid, open_tvalid : std_logic;
  signal tready : std_logic := '0';
  signal l_star, seal_tag_a, open_tag_a : slv(8 * n - 1 downto 0);
  signal seal_key, open_key, seal_l, open_l : slv(8 * n - 1 downto 0) := (others => '0');
  signal erased : std_logic := '1';
  signal erasing : natural := 0;
  signal event_row, event_target, events_done : natural := 0;
begin
  clk <= not clk after 5 ns;
  event_clk <= not event_clk after 1.3 ns;

  main : process
    file commands : text;
    file answers : text;
    variable l, o : line;
    variable what : character;
    variable address : slv(11 downto 0);
    variable data : slv(31 downto 0);
    variable strobes : slv(3 downto 0);
    variable response : slv(1 downto 0);
    variable number, row : natural;
  begin
    test_runner_setup(runner, runner_cfg);
    while test_suite loop
      if run("answers") then
        file_open(commands, G_COMMANDS, read_mode);
        file_open(answers, output_path & "/answers.txt", write_mode);
        for i in 1 to 5 loop
          wait until rising_edge(clk);
        end loop;
        rst <= '0';
        while not endfile(commands) loop
          readline(commands, l);
          read(l, what);
          case what is
            when 'w' =>
              hread(l, address);
              hread(l, data);
              hread(l, strobes);
              axil_write(clk, m, s, address, data, strobes, response);
              write(o, to_string(to_integer(unsigned(response))));
            when 'r' =>
              hread(l, address);
              axil_read(clk, m, s, address, data, response);
              write(o, to_hstring(data) & " " & to_string(to_integer(unsigned(response))));
            when 't' =>
              read(l, number);
              for i in 1 to number loop
                wait until rising_edge(clk);
              end loop;
              write(o, to_string(interrupt));
            when 'k' =>
              write(o, to_hstring(seal_key) & " " & to_hstring(seal_l) & " " & to_hstring(seal_tag_a) & " "
                    & to_hstring(open_key) & " " & to_hstring(open_l) & " " & to_hstring(open_tag_a));
            when 'c' =>
              read(l, row);
              read(l, number);
              event_row <= row;
              event_target <= event_target + number;
              wait until events_done = event_target;
              for i in 1 to 40 loop
                wait until rising_edge(clk);
              end loop;
              write(o, string'("0"));
            when others =>
              check(false, "a command that the bench does not have: " & what);
          end case;
          writeline(answers, o);
        end loop;
        file_close(answers);
      end if;
    end loop;
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 2 ms);

  events : process (event_clk)
    variable sum : unsigned(7 downto 0);
  begin
    if rising_edge(event_clk) then
      if events_done /= event_target then
        sum := to_unsigned(0, 8);
        for i in 7 downto 0 loop                          -- binary of the Gray code
          sum(i) := counts(event_row)(i);
          if i < 7 then
            sum(i) := sum(i) xor sum(i + 1);
          end if;
        end loop;
        sum := sum + 1;
        counts(event_row) <= slv(sum xor shift_right(sum, 1));
        events_done <= events_done + 1;
      end if;
    end if;
  end process;

  -- Every third cycle a beat; the buffer takes 20 cycles to erase.
  cores : process (clk)
    variable turn : natural := 0;
  begin
    if rising_edge(clk) then
      turn := (turn + 1) mod 3;
      tready <= '1' when turn = 0 else '0';
      if tready = '1' and seal_tvalid = '1' then
        seal_key <= seal_key(8 * n - n - 1 downto 0) & bytes_reversed(key_tdata);
        seal_l <= l_star;
      end if;
      if tready = '1' and open_tvalid = '1' then
        open_key <= open_key(8 * n - n - 1 downto 0) & bytes_reversed(key_tdata);
        open_l <= l_star;
      end if;
      if erasing > 0 then
        erasing <= erasing - 1;
        erased <= '1' when erasing = 1 else '0';
      end if;
      if erase = '1' then
        seal_key <= (others => '0');
        open_key <= (others => '0');
        seal_l <= (others => '0');
        open_l <= (others => '0');
        erasing <= 20;
        erased <= '0';
      end if;
    end if;
  end process;

  control : entity work.registers
    generic map (G_SUITE => suite_of, G_BYTES => n)
    port map (
      clk => clk, rst => rst,
      s_axil_awaddr => m.awaddr, s_axil_awvalid => m.awvalid, s_axil_awready => s.awready, s_axil_wdata => m.wdata,
      s_axil_wstrb => m.wstrb, s_axil_wvalid => m.wvalid, s_axil_wready => s.wready, s_axil_bresp => s.bresp,
      s_axil_bvalid => s.bvalid, s_axil_bready => m.bready, s_axil_araddr => m.araddr, s_axil_arvalid => m.arvalid,
      s_axil_arready => s.arready, s_axil_rdata => s.rdata, s_axil_rresp => s.rresp, s_axil_rvalid => s.rvalid,
      s_axil_rready => m.rready, interrupt => interrupt,
      word => word, index => index, write_master => write_master, write_own => write_own, write_peer => write_peer,
      write_confirmation => write_confirmation, role => role, derive => derive, enable => enable, stop => stop,
      zeroise => zeroise, may_derive => may_derive, may_enable => may_enable, may_write => may_write,
      may_confirm => may_confirm, has_master => has_master, derived => derived,
      busy => busy, enabled => enabled, no_own_epoch => no_own_epoch, no_peer_epoch => no_peer_epoch,
      refused => refused, ended => ended, was_erased => was_erased,
      own_confirmation => own_confirmation, session => session, destination => destination, source => source,
      counter => x"0123456789ABCDEF", rekey_limit => rekey_limit, exhausted => '0', rekey_due => '0', forged => '0',
      counts => counts);
  keys : entity work.ks_gen
    generic map (G_HASH => G_HASH, G_BYTES => n, G_SUITE => suite_of)
    port map (
      clk => clk, rst => rst, word => word, index => index, write_master => write_master, write_own => write_own,
      write_peer => write_peer, write_confirmation => write_confirmation, role => role, derive => derive,
      enable => enable, stop => stop, zeroise => zeroise, may_derive => may_derive, may_enable => may_enable,
      may_write => may_write, may_confirm => may_confirm,
      has_master => has_master, derived => derived, busy => busy, no_own_epoch => no_own_epoch,
      no_peer_epoch => no_peer_epoch, refused => refused, ended => ended,
      was_erased => was_erased, own_confirmation => own_confirmation, erase => erase, erased => erased,
      enabled => enabled, direction => direction, session => session, key_tdata => key_tdata,
      seal_key_tvalid => seal_tvalid, open_key_tvalid => open_tvalid, seal_key_tready => tready,
      open_key_tready => tready, l_star => l_star, seal_tag_a => seal_tag_a, open_tag_a => open_tag_a);
end architecture;
