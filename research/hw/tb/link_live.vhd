-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Two omd_link, side A and side B, under commands that a program gives while the simulation runs: a line in, a line out, through two
-- files that may be named pipes. Between the commands no time passes. All six clocks have their own frequency.
--   w SIDE ADDRESS DATA   writes a register of side 0 or 1; answers the response
--   r SIDE ADDRESS        reads one; answers data and response
--   s PORT FRAME          plays a frame, hexadecimal ("-": an empty one), into port 0 (A's plaintext), 1 (A's packets), 2 or 3 (B's);
--                         answers 0 at once
--   g PORT                answers the next frame that has come out of the port, or "none"
--   t N                   lets N cycles of A's core pass; answers both interrupt lines
--   n                     answers the time in nanoseconds
-- It ends with the file of commands.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;
use work.omd_pkg.all;
use work.axil_pkg.all;
use work.frame_queue_pkg.all;

entity link_live is
  generic (
    G_COMMANDS, G_ANSWERS : string;
    G_HASH : string := "sha256";
    G_WIDTH : positive := 64;
    G_MIN_FRAME : natural := 14;
    G_MAX_FRAME : positive := 9600
  );
end entity;

architecture tb of link_live is
  constant W : positive := G_WIDTH / 8;
  type times is array (0 to 1) of time;
  constant OF_PTXT : times := (8 ns, 8.1 ns);
  constant OF_CORE : times := (12.5 ns, 11.7 ns);
  constant OF_CTXT : times := (6.4 ns, 6.3 ns);

  type beats is array (0 to 3) of slv(8 * W - 1 downto 0);
  type keeps is array (0 to 3) of slv(W - 1 downto 0);
  signal in_data, out_data : beats;
  signal in_keep, out_keep : keeps;
  signal in_last, in_valid, in_ready, out_last, out_valid : slv(0 to 3) := "0000";
  signal clk_ptxt, clk_core, clk_ctxt, clk_of_port : slv(0 to 3) := "0000";  -- of the first three two are used
  signal aresetn : std_logic := '0';
  type masters is array (0 to 1) of axil_to_slave;
  type slaves is array (0 to 1) of axil_to_master;
  signal m_0, m_1 : axil_to_slave := AXIL_IDLE;
  signal m : masters;
  signal s : slaves;
  signal s_0, s_1 : axil_to_master;
  signal interrupt : slv(0 to 1);
  signal done : boolean := false;

  shared variable to_play_0, to_play_1, to_play_2, to_play_3 : frame_queue;
  shared variable come_0, come_1, come_2, come_3 : frame_queue;

  impure function waiting (port_number : natural) return natural is
  begin
    case port_number is
      when 0 => return to_play_0.waits;
      when 1 => return to_play_1.waits;
      when 2 => return to_play_2.waits;
      when others => return to_play_3.waits;
    end case;
  end function;

  impure function next_to_play (port_number : natural) return string is
  begin
    case port_number is
      when 0 => return to_play_0.get;
      when 1 => return to_play_1.get;
      when 2 => return to_play_2.get;
      when others => return to_play_3.get;
    end case;
  end function;

  procedure put_to_play (port_number : natural; text : string) is
  begin
    case port_number is
      when 0 => to_play_0.put(text);
      when 1 => to_play_1.put(text);
      when 2 => to_play_2.put(text);
      when others => to_play_3.put(text);
    end case;
  end procedure;

  procedure put_come (port_number : natural; text : string) is
  begin
    case port_number is
      when 0 => come_0.put(text);
      when 1 => come_1.put(text);
      when 2 => come_2.put(text);
      when others => come_3.put(text);
    end case;
  end procedure;

  impure function next_come (port_number : natural) return string is
  begin
    case port_number is
      when 0 => if come_0.waits > 0 then return come_0.get; end if;
      when 1 => if come_1.waits > 0 then return come_1.get; end if;
      when 2 => if come_2.waits > 0 then return come_2.get; end if;
      when others => if come_3.waits > 0 then return come_3.get; end if;
    end case;
    return "none";
  end function;

  function digit (c : character) return slv is
  begin
    if c >= '0' and c <= '9' then
      return slv(to_unsigned(character'pos(c) - character'pos('0'), 4));
    end if;
    return slv(to_unsigned(character'pos(c) - character'pos('a') + 10, 4));
  end function;
begin
  clocks : for side in 0 to 1 generate
    clk_ptxt(side) <= not clk_ptxt(side) after OF_PTXT(side) / 2 when not done;
    clk_core(side) <= not clk_core(side) after OF_CORE(side) / 2 when not done;
    clk_ctxt(side) <= not clk_ctxt(side) after OF_CTXT(side) / 2 when not done;
    clk_of_port(2 * side) <= clk_ptxt(side);
    clk_of_port(2 * side + 1) <= clk_ctxt(side);
  end generate;
  m <= (m_0, m_1);
  s_0 <= s(0);
  s_1 <= s(1);

  main : process
    file commands : text;
    file answers : text;
    variable l, o : line;
    variable what, space : character;
    variable side : natural;
    variable address : slv(11 downto 0);
    variable data : slv(31 downto 0);
    variable response : slv(1 downto 0);
    variable number : natural;
  begin
    file_open(commands, G_COMMANDS, read_mode);
    file_open(answers, G_ANSWERS, write_mode);
    wait for 100 ns;
    aresetn <= '1';
    wait for 500 ns;
    while not endfile(commands) loop
      readline(commands, l);
      read(l, what);
      case what is
        when 'w' =>
          read(l, side);
          hread(l, address);
          hread(l, data);
          if side = 0 then
            axil_write(clk_core(0), m_0, s_0, address, data, "1111", response);
          else
            axil_write(clk_core(1), m_1, s_1, address, data, "1111", response);
          end if;
          write(o, to_string(to_integer(unsigned(response))));
        when 'r' =>
          read(l, side);
          hread(l, address);
          if side = 0 then
            axil_read(clk_core(0), m_0, s_0, address, data, response);
          else
            axil_read(clk_core(1), m_1, s_1, address, data, response);
          end if;
          write(o, to_hstring(data) & " " & to_string(to_integer(unsigned(response))));
        when 's' =>
          read(l, number);
          read(l, space);
          put_to_play(number, l.all);
          write(o, string'("0"));
        when 'g' =>
          read(l, number);
          write(o, next_come(number));
        when 't' =>
          read(l, number);
          for i in 1 to number loop
            wait until rising_edge(clk_core(0));
          end loop;
          write(o, to_string(interrupt));
        when 'n' =>
          write(o, integer'image(now / 1 ns));
        when others =>
          report "no command: " & what severity failure;
      end case;
      writeline(answers, o);
      flush(answers);
    end loop;
    done <= true;
    wait;
  end process;

  ports : for p in 0 to 3 generate
    play : process
      variable l : line;
      variable bytes, sent : natural;
      variable data : slv(8 * W - 1 downto 0);
      variable keep : slv(W - 1 downto 0);
    begin
      wait until rising_edge(clk_of_port(p));
      if waiting(p) > 0 then
        l := new string'(next_to_play(p));
        bytes := 0;
        if l.all /= "-" then
          bytes := l'length / 2;
        end if;
        sent := 0;
        loop
          data := (others => '0');
          keep := (others => '0');
          for i in 0 to W - 1 loop
            if sent + i < bytes then
              data(8 * i + 7 downto 8 * i) := digit(l(l'left + 2 * (sent + i))) & digit(l(l'left + 2 * (sent + i) + 1));
              keep(i) := '1';
            end if;
          end loop;
          sent := sent + W;
          in_data(p) <= data;
          in_keep(p) <= keep;
          in_last(p) <= '1' when sent >= bytes else '0';
          in_valid(p) <= '1';
          loop
            wait until rising_edge(clk_of_port(p));
            exit when in_ready(p) = '1';
          end loop;
          exit when sent >= bytes;
        end loop;
        in_valid(p) <= '0';
        deallocate(l);
      end if;
    end process;

    record_it : process (clk_of_port(p))
      variable l : line;
    begin
      if rising_edge(clk_of_port(p)) and out_valid(p) = '1' then
        for i in 0 to W - 1 loop
          if out_keep(p)(i) = '1' then
            hwrite(l, out_data(p)(8 * i + 7 downto 8 * i));
          end if;
        end loop;
        if out_last(p) = '1' then
          if l = null then
            write(l, string'("-"));
          end if;
          put_come(p, l.all);
          deallocate(l);
        end if;
      end if;
    end process;
  end generate;

  sides : for side in 0 to 1 generate
    link : entity work.omd_link
      generic map (
        G_HASH => G_HASH, G_WIDTH => G_WIDTH, G_MIN_FRAME => G_MIN_FRAME, G_MAX_FRAME => G_MAX_FRAME)
      port map (
        clk_ptxt => clk_ptxt(side), ptxt_aresetn => aresetn, s_ptxt_tdata => in_data(2 * side),
        s_ptxt_tkeep => in_keep(2 * side), s_ptxt_tlast => in_last(2 * side), s_ptxt_tuser => '0',
        s_ptxt_tvalid => in_valid(2 * side), s_ptxt_tready => in_ready(2 * side), m_ptxt_tdata => out_data(2 * side),
        m_ptxt_tkeep => out_keep(2 * side), m_ptxt_tlast => out_last(2 * side), m_ptxt_tvalid => out_valid(2 * side),
        m_ptxt_tready => '1',
        clk_ctxt => clk_ctxt(side), ctxt_aresetn => aresetn, s_ctxt_tdata => in_data(2 * side + 1),
        s_ctxt_tkeep => in_keep(2 * side + 1), s_ctxt_tlast => in_last(2 * side + 1), s_ctxt_tuser => '0',
        s_ctxt_tvalid => in_valid(2 * side + 1), s_ctxt_tready => in_ready(2 * side + 1),
        m_ctxt_tdata => out_data(2 * side + 1), m_ctxt_tkeep => out_keep(2 * side + 1),
        m_ctxt_tlast => out_last(2 * side + 1), m_ctxt_tvalid => out_valid(2 * side + 1), m_ctxt_tready => '1',
        clk_core => clk_core(side), core_aresetn => aresetn, s_axil_awaddr => m(side).awaddr,
        s_axil_awvalid => m(side).awvalid, s_axil_awready => s(side).awready, s_axil_wdata => m(side).wdata,
        s_axil_wstrb => m(side).wstrb, s_axil_wvalid => m(side).wvalid, s_axil_wready => s(side).wready,
        s_axil_bresp => s(side).bresp, s_axil_bvalid => s(side).bvalid, s_axil_bready => m(side).bready,
        s_axil_araddr => m(side).araddr, s_axil_arvalid => m(side).arvalid, s_axil_arready => s(side).arready,
        s_axil_rdata => s(side).rdata, s_axil_rresp => s(side).rresp, s_axil_rvalid => s(side).rvalid,
        s_axil_rready => m(side).rready, interrupt => interrupt(side));
  end generate;
end architecture;
