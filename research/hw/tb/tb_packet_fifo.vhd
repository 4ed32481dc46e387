-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- packet_fifo between clocks of random ratio: packets of random length, dropped, aborted and committed, come out whole
-- and in order, or not at all. packet_fifo itself asserts that of what crosses the clocks one bit changes at a time.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
library vunit_lib;
context vunit_lib.vunit_context;
use vunit_lib.queue_pkg.all;
use work.omd_pkg.all;

entity tb_packet_fifo is
  generic (
    runner_cfg : string;
    G_DROPS : boolean := true;
    G_WR_PS, G_RD_PS : positive := 10000;
    G_STALL : natural := 30;                              -- of the reader
    G_SEED : natural := 0
  );
end entity;

architecture tb of tb_packet_fifo is
  constant BEATS : positive := 32;
  constant PACKETS : positive := 4;
  constant TOTAL : positive := 600;
  signal wr_clk, rd_clk : std_logic := '0';
  signal wr_rst, rd_rst : std_logic := '1';
  signal s_tdata, m_tdata, s_info, m_info : slv(15 downto 0) := (others => '0');
  signal s_tlast, s_tvalid, s_drop, s_tready, abort, overflow, m_tlast, m_tvalid : std_logic := '0';
  signal m_tready : std_logic := '0';
  signal done : boolean := false;
  signal committed, overflows, received : natural := 0;
  constant EXPECTED : queue_t := new_queue;
begin
  wr_clk <= not wr_clk after G_WR_PS * 1 ps / 2;
  rd_clk <= not rd_clk after G_RD_PS * 1 ps / 2;

  dut : entity work.packet_fifo
    generic map (G_BITS => 16, G_INFO => 16, G_BEATS => BEATS, G_PACKETS => PACKETS, G_DROPS => G_DROPS)
    port map (
      wr_clk => wr_clk, wr_rst => wr_rst, s_tdata => s_tdata, s_tlast => s_tlast, s_tvalid => s_tvalid, s_drop => s_drop,
      s_info => s_info, s_tready => s_tready, abort => abort, overflow => overflow, rd_clk => rd_clk, rd_rst => rd_rst,
      m_tdata => m_tdata, m_tlast => m_tlast, m_tvalid => m_tvalid, m_info => m_info, m_tready => m_tready);

  main : process
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 77;
    variable x : real;
    variable beats_of : natural;
    variable drops, aborts, lost : boolean;
    impure function drawn (n : positive) return natural is
    begin
      uniform(seed_1, seed_2, x);
      return integer(floor(x * real(n)));
    end function;
  begin
    test_runner_setup(runner, runner_cfg);
    wait for 50 ns;
    wr_rst <= '0';
    rd_rst <= '0' after drawn(300) * 1 ns;                -- in any order
    for p in 1 to TOTAL loop
      beats_of := 1 + drawn(8);
      if p mod 50 = 0 then
        beats_of := BEATS;
      elsif p mod 51 = 0 and G_DROPS then
        beats_of := BEATS + 1 + drawn(40);
      end if;
      drops := drawn(6) = 0;
      aborts := drawn(9) = 0 and beats_of > 1 and not G_DROPS;
      lost := false;
      for b in 1 to beats_of loop
        while drawn(100) < 10 loop
          wait until rising_edge(wr_clk);
        end loop;
        s_tdata <= slv(to_unsigned(p mod 256, 8)) & slv(to_unsigned(b, 8));
        s_info <= slv(to_unsigned(beats_of, 16));
        s_tlast <= '1' when b = beats_of else '0';
        s_drop <= '1' when drops and b = beats_of else '0';
        s_tvalid <= '1';
        abort <= '1' when aborts and b = beats_of else '0';
        loop
          wait until rising_edge(wr_clk);
          exit when s_tready = '1' or abort = '1';
        end loop;
        s_tvalid <= '0';
        abort <= '0';
      end loop;
      wait until rising_edge(wr_clk);                     -- overflow is known
      lost := overflow = '1';
      check(not lost or (G_DROPS and not drops), "overflow");
      check(not lost or not aborts);
      if not (drops or aborts or lost) then
        push(EXPECTED, p);
        push(EXPECTED, beats_of);
        committed <= committed + 1;
      end if;
      overflows <= overflows + 1 when lost;
    end loop;
    for i in 1 to 2000 loop
      wait until rising_edge(rd_clk);
    end loop;
    info(to_string(committed) & " packets came, " & to_string(overflows) & " had no room");
    check_equal(received, committed);
    check(committed > TOTAL / 3);
    check((overflows > 0) = G_DROPS, "overflows");
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 3 ms);

  read : process
    variable seed_1 : positive := G_SEED + 2;
    variable seed_2 : positive := 99;
    variable x : real;
    variable packet, length, beat : natural := 0;
    variable ready, waits : boolean := false;
    variable was : slv(32 downto 0);
  begin
    uniform(seed_1, seed_2, x);
    ready := x * 100.0 >= real(G_STALL);
    m_tready <= '1' when ready else '0';
    wait until rising_edge(rd_clk);
    assert not (waits and m_tvalid = '0') report "valid was taken back" severity failure;
    assert not waits or was = m_tdata & m_info & m_tlast report "a beat changed" severity failure;
    waits := m_tvalid = '1' and not ready;
    was := m_tdata & m_info & m_tlast;
    if m_tvalid = '1' and ready then
      if beat = 0 then
        -- What is shown before the writer's process knows that it was taken is a packet all the same.
        if is_empty(EXPECTED) then
          wait until not is_empty(EXPECTED) for 200 ns;
        end if;
        check(not is_empty(EXPECTED), "a packet that was not committed");
        packet := pop(EXPECTED);
        length := pop(EXPECTED);
      end if;
      beat := beat + 1;
      check(m_tdata = slv(to_unsigned(packet mod 256, 8)) & slv(to_unsigned(beat, 8)), "the beat of packet " & to_string(packet));
      check_equal(to_integer(unsigned(m_info)), length);
      check((m_tlast = '1') = (beat = length), "tlast");
      if m_tlast = '1' then
        beat := 0;
        received <= received + 1;
      end if;
    end if;
  end process;
end architecture;
