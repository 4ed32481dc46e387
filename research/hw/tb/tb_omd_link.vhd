-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- One omd_link, or two with a channel between them, under commands of sim/link.py; what happens goes to files, which it
-- compares with research/reference/omd_link.py.
--
-- G_DIR has commands.txt, and for each side ptxt<i>.txt and, without a channel, ctxt<i>.txt: beats as axis_player has
-- them, whose session is the phase. Commands, and what goes to answers.txt for each:
--   w SIDE ADDRESS DATA STROBES   writes a register: the response
--   r SIDE ADDRESS                reads one: data and response
--   t N                           waits N cycles of side 0's core: the interrupt lines
--   p N                           phase N begins: 0
--   i N                           waits until no stream has a valid beat for N cycles: 0
--   n SIDE N                      waits until N beats more have come in as plaintext: 0
--   c SIDE BIT                    from then on no sink of this side takes anything (1), or does: 0
--   z SIDE WHICH N                resets by aresetn 0 (ptxt), 1 (core) or 2 (ctxt) for N ns: 0
-- The time of the whole is limited by G_MICROSECONDS of simulated time.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;
use work.omd_link_regs.all;
use work.axil_pkg.all;

entity tb_omd_link is
  generic (
    runner_cfg : string;
    output_path : string;
    G_DIR : string;
    G_HASH : string := "sha256";
    G_WIDTH : positive := 64;
    G_MIN_FRAME : natural := 14;
    G_MAX_FRAME : positive := 600;
    G_WINDOW : positive := 128;
    G_FIFO_BYTES : positive := 2048;
    G_FIFO_PACKETS : positive := 16;
    G_LAST : natural := 0;                                -- 0: 2^64 - 1
    G_CHANNEL : boolean := false;                         -- two links
    G_NOISE, G_STALL, G_SEED : natural := 0;
    G_PTXT_PS, G_CORE_PS, G_CTXT_PS : positive := 10000;  -- side 0's clocks; side 1's are a tenth slower, and two of them exchanged
    G_MICROSECONDS : positive := 2000
  );
end entity;

architecture tb of tb_omd_link is
  constant W : positive := G_WIDTH / 8;
  constant SIDES : positive := 2;
  function last_of (n : natural) return unsigned is
  begin
    if n = 0 then
      return (63 downto 0 => '1');
    end if;
    return to_unsigned(n, 64);
  end function;

  function half (side, of_0, of_1 : natural) return time is
  begin
    if side = 0 then
      return of_0 * (1 ps) / 2;
    end if;
    return of_1 * (1 ps) * 11 / 20;
  end function;

  type to_slaves is array (0 to SIDES - 1) of axil_to_slave;
  type to_masters is array (0 to SIDES - 1) of axil_to_master;
  type streams is array (0 to SIDES - 1) of slv(8 * W - 1 downto 0);
  type keeps is array (0 to SIDES - 1) of slv(W - 1 downto 0);
  type naturals is array (0 to SIDES - 1) of natural;
  subtype bits is slv(0 to SIDES - 1);

  signal phase : natural := 0;
  signal clk_ptxt, clk_core, clk_ctxt : bits := "00";
  signal ptxt_aresetn, core_aresetn, ctxt_aresetn, aresetn : bits := "00";
  signal m_0, m_1 : axil_to_slave := AXIL_IDLE;
  signal s : to_masters;
  signal interrupt : bits := "00";
  signal closed : bits := "00";
  signal beats_in : naturals := (0, 0);
  signal p_in_tdata, p_out_tdata, c_in_tdata, c_out_tdata : streams;
  signal p_in_tkeep, p_out_tkeep, c_in_tkeep, c_out_tkeep : keeps;
  signal p_in_tlast, p_in_tuser, p_in_tvalid, p_in_tready, p_out_tlast, p_out_tvalid, p_out_tready : bits := "00";
  signal c_in_tlast, c_in_tuser, c_in_tvalid, c_in_tready, c_out_tlast, c_out_tvalid, c_out_tready : bits := "00";
begin
  main : process
    file commands : text;
    file answers : text;
    variable l : line;
    variable what : character;
    variable address : slv(11 downto 0);
    variable data : slv(31 downto 0);
    variable strobes : slv(3 downto 0);
    variable response : slv(1 downto 0);
    variable side, number, which, quiet : natural;

    procedure answer (text : string) is
    begin
      write(answers, text & LF);
    end procedure;
  begin
    test_runner_setup(runner, runner_cfg);
    while test_suite loop
      if run("link") then
        file_open(commands, G_DIR & "/commands.txt", read_mode);
        file_open(answers, output_path & "/answers.txt", write_mode);
        wait for 100 ns;
        ptxt_aresetn <= "11";
        wait for 33 ns;
        ctxt_aresetn <= "11";
        wait for 21 ns;
        core_aresetn <= "11";
        while not endfile(commands) loop
          readline(commands, l);
          read(l, what);
          case what is
            when 'w' =>
              read(l, side);
              hread(l, address);
              hread(l, data);
              hread(l, strobes);
              if side = 0 then
                axil_write(clk_core(0), m_0, s(0), address, data, strobes, response);
              else
                axil_write(clk_core(1), m_1, s(1), address, data, strobes, response);
              end if;
              answer(to_string(to_integer(unsigned(response))));
            when 'r' =>
              read(l, side);
              hread(l, address);
              if side = 0 then
                axil_read(clk_core(0), m_0, s(0), address, data, response);
              else
                axil_read(clk_core(1), m_1, s(1), address, data, response);
              end if;
              answer(to_hstring(data) & " " & to_string(to_integer(unsigned(response))));
            when 't' =>
              read(l, number);
              for i in 1 to number loop
                wait until rising_edge(clk_core(0));
              end loop;
              answer(to_string(interrupt));
            when 'p' =>
              read(l, number);
              phase <= number;
              answer("0");
            when 'i' =>
              read(l, number);
              quiet := 0;
              while quiet < number loop
                wait until rising_edge(clk_core(0));
                quiet := quiet + 1;
                if (p_in_tvalid or c_in_tvalid or p_out_tvalid or c_out_tvalid) /= "00" then
                  quiet := 0;
                end if;
              end loop;
              answer("0");
            when 'n' =>
              read(l, side);
              read(l, number);
              number := number + beats_in(side);
              while beats_in(side) < number loop
                wait until rising_edge(clk_core(0));
              end loop;
              answer("0");
            when 'c' =>
              read(l, side);
              read(l, number);
              closed(side) <= '1' when number = 1 else '0';
              answer("0");
            when 'z' =>
              read(l, side);
              read(l, which);
              read(l, number);
              if which = 0 then
                ptxt_aresetn(side) <= '0';
              elsif which = 1 then
                core_aresetn(side) <= '0';
              else
                ctxt_aresetn(side) <= '0';
              end if;
              wait for number * 1 ns;
              ptxt_aresetn(side) <= '1';
              core_aresetn(side) <= '1';
              ctxt_aresetn(side) <= '1';
              answer("0");
            when others =>
              check(false, "a command that the bench does not have: " & what);
          end case;
        end loop;
        file_close(answers);
      end if;
    end loop;
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, G_MICROSECONDS * 1 us);

  aresetn <= ptxt_aresetn and core_aresetn and ctxt_aresetn;

  side_of : for i in 0 to SIDES - 1 generate
    constant ACTIVE : boolean := i = 0 or G_CHANNEL;
    constant PTXT_HALF : time := half(i, G_PTXT_PS, G_CTXT_PS);
    constant CORE_HALF : time := half(i, G_CORE_PS, G_CORE_PS);
    constant CTXT_HALF : time := half(i, G_CTXT_PS, G_PTXT_PS);
  begin
    there : if ACTIVE generate
      signal m : axil_to_slave;
    begin
      clk_ptxt(i) <= not clk_ptxt(i) after PTXT_HALF;
      clk_core(i) <= not clk_core(i) after CORE_HALF;
      clk_ctxt(i) <= not clk_ctxt(i) after CTXT_HALF;
      m <= m_0 when i = 0 else m_1;

      ptxt_source : entity work.axis_player
        generic map (G_FILE => G_DIR & "/ptxt" & to_string(i) & ".txt", G_BITS => 8 * W, G_KEEP => W, G_PAUSE => 12, G_STALL => G_STALL,
                     G_SEED => G_SEED + 10 * i)
        port map (clk => clk_ptxt(i), session => phase, tdata => p_in_tdata(i), tkeep => p_in_tkeep(i),
                  tlast => p_in_tlast(i), tuser => p_in_tuser(i), tvalid => p_in_tvalid(i), tready => p_in_tready(i));
      ptxt_sink : entity work.link_sink
        generic map (G_FILE => output_path & "/frames" & to_string(i) & ".txt", G_BYTES => W, G_STALL => G_STALL,
                     G_SEED => G_SEED + 10 * i + 1)
        port map (clk => clk_ptxt(i), aresetn => aresetn(i), phase => phase, closed => closed(i), tdata => p_out_tdata(i),
                  tkeep => p_out_tkeep(i), tlast => p_out_tlast(i), tvalid => p_out_tvalid(i), tready => p_out_tready(i));
      ctxt_sink : entity work.link_sink
        generic map (G_FILE => output_path & "/packets" & to_string(i) & ".txt", G_BYTES => W, G_STALL => G_STALL,
                     G_SEED => G_SEED + 10 * i + 2)
        port map (clk => clk_ctxt(i), aresetn => aresetn(i), phase => phase, closed => closed(i), tdata => c_out_tdata(i),
                  tkeep => c_out_tkeep(i), tlast => c_out_tlast(i), tvalid => c_out_tvalid(i), tready => c_out_tready(i));
      from_file : if not G_CHANNEL generate
        ctxt_source : entity work.axis_player
          generic map (G_FILE => G_DIR & "/ctxt" & to_string(i) & ".txt", G_BITS => 8 * W, G_KEEP => W, G_PAUSE => 12,
                       G_STALL => G_STALL, G_SEED => G_SEED + 10 * i + 3)
          port map (clk => clk_ctxt(i), session => phase, tdata => c_in_tdata(i), tkeep => c_in_tkeep(i),
                    tlast => c_in_tlast(i), tuser => c_in_tuser(i), tvalid => c_in_tvalid(i), tready => c_in_tready(i));
      end generate;
      from_other : if G_CHANNEL generate
        signal taken : std_logic;
      begin
        taken <= c_out_tvalid(1 - i) and c_out_tready(1 - i);
        channel : entity work.link_channel
          generic map (G_FILE => output_path & "/delivered" & to_string(i) & ".txt", G_BYTES => W, G_NOISE => G_NOISE,
                       G_STALL => G_STALL, G_SEED => G_SEED + 10 * i + 4)
          port map (in_clk => clk_ctxt(1 - i), out_clk => clk_ctxt(i), phase => phase, s_tdata => c_out_tdata(1 - i),
                    s_tkeep => c_out_tkeep(1 - i), s_tlast => c_out_tlast(1 - i), s_taken => taken,
                    m_tdata => c_in_tdata(i), m_tkeep => c_in_tkeep(i), m_tlast => c_in_tlast(i), m_tuser => c_in_tuser(i),
                    m_tvalid => c_in_tvalid(i), m_tready => c_in_tready(i));
      end generate;

      count : process (clk_ptxt(i))
      begin
        if rising_edge(clk_ptxt(i)) then
          if p_in_tvalid(i) = '1' and p_in_tready(i) = '1' then
            beats_in(i) <= beats_in(i) + 1;
          end if;
        end if;
      end process;

      link : entity work.omd_link
        generic map (
          G_HASH => G_HASH, G_WIDTH => G_WIDTH, G_MIN_FRAME => G_MIN_FRAME, G_MAX_FRAME => G_MAX_FRAME,
          G_WINDOW => G_WINDOW, G_FIFO_BYTES => G_FIFO_BYTES, G_FIFO_PACKETS => G_FIFO_PACKETS, G_LAST => last_of(G_LAST))
        port map (
          clk_ptxt => clk_ptxt(i), ptxt_aresetn => ptxt_aresetn(i), s_ptxt_tdata => p_in_tdata(i),
          s_ptxt_tkeep => p_in_tkeep(i), s_ptxt_tlast => p_in_tlast(i), s_ptxt_tuser => p_in_tuser(i),
          s_ptxt_tvalid => p_in_tvalid(i), s_ptxt_tready => p_in_tready(i), m_ptxt_tdata => p_out_tdata(i),
          m_ptxt_tkeep => p_out_tkeep(i), m_ptxt_tlast => p_out_tlast(i), m_ptxt_tvalid => p_out_tvalid(i),
          m_ptxt_tready => p_out_tready(i), clk_ctxt => clk_ctxt(i), ctxt_aresetn => ctxt_aresetn(i),
          s_ctxt_tdata => c_in_tdata(i), s_ctxt_tkeep => c_in_tkeep(i), s_ctxt_tlast => c_in_tlast(i),
          s_ctxt_tuser => c_in_tuser(i), s_ctxt_tvalid => c_in_tvalid(i), s_ctxt_tready => c_in_tready(i),
          m_ctxt_tdata => c_out_tdata(i), m_ctxt_tkeep => c_out_tkeep(i), m_ctxt_tlast => c_out_tlast(i),
          m_ctxt_tvalid => c_out_tvalid(i), m_ctxt_tready => c_out_tready(i), clk_core => clk_core(i),
          core_aresetn => core_aresetn(i),
          s_axil_awaddr => m.awaddr, s_axil_awvalid => m.awvalid, s_axil_awready => s(i).awready,
          s_axil_wdata => m.wdata, s_axil_wstrb => m.wstrb, s_axil_wvalid => m.wvalid, s_axil_wready => s(i).wready,
          s_axil_bresp => s(i).bresp, s_axil_bvalid => s(i).bvalid, s_axil_bready => m.bready,
          s_axil_araddr => m.araddr, s_axil_arvalid => m.arvalid, s_axil_arready => s(i).arready,
          s_axil_rdata => s(i).rdata, s_axil_rresp => s(i).rresp, s_axil_rvalid => s(i).rvalid, s_axil_rready => m.rready,
          interrupt => interrupt(i));
    end generate;
  end generate;
end architecture;
