-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- A network between two links that loses, repeats, reorders, corrupts and truncates packets, each G_NOISE of 100 at
-- random.
--
-- What leaves it is written to G_FILE: a line "phase bytes". It takes every beat. One packet of two hundred or so is
-- kept, and sent again long after.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
use std.textio.all;
library vunit_lib;
context vunit_lib.vunit_context;
use vunit_lib.queue_pkg.all;

entity link_channel is
  generic (
    G_FILE : string;
    G_BYTES : positive;
    G_NOISE, G_STALL, G_SEED : natural
  );
  port (
    in_clk, out_clk : in std_logic;
    phase : in natural;
    s_tdata : in std_logic_vector(8 * G_BYTES - 1 downto 0);
    s_tkeep : in std_logic_vector(G_BYTES - 1 downto 0);
    s_tlast, s_taken : in std_logic;                      -- taken: valid and ready
    m_tdata : out std_logic_vector(8 * G_BYTES - 1 downto 0) := (others => '0');
    m_tkeep : out std_logic_vector(G_BYTES - 1 downto 0) := (others => '0');
    m_tlast, m_tuser, m_tvalid : out std_logic := '0';
    m_tready : in std_logic
  );
end entity;

architecture tb of link_channel is
  constant QUEUE : queue_t := new_queue;
  constant LONGEST : positive := 20000;
begin
  m_tuser <= '0';

  gather : process
    variable packet, held, kept : string(1 to 2 * LONGEST);
    variable length, held_length, kept_length, place : natural := 0;
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 2213;
    variable chance : real;
    impure function drawn (n : positive) return natural is
    begin
      uniform(seed_1, seed_2, chance);
      return integer(floor(chance * real(n)));
    end function;
    impure function happens return boolean is
    begin
      return drawn(100) < G_NOISE;
    end function;
    function flipped (digit : character; bit : natural) return character is
      constant DIGITS : string(1 to 16) := "0123456789ABCDEF";
    begin
      for i in 0 to 15 loop
        if DIGITS(i + 1) = digit then
          return DIGITS(to_integer(to_unsigned(i, 4) xor shift_left(to_unsigned(1, 4), bit)) + 1);
        end if;
      end loop;
      return '?';
    end function;
  begin
    wait until rising_edge(in_clk);
    if s_taken = '1' then
      for i in 0 to G_BYTES - 1 loop
        if s_tkeep(i) = '1' then
          packet(length + 1 to length + 2) := to_hstring(s_tdata(8 * i + 7 downto 8 * i));
          length := length + 2;
        end if;
      end loop;
      if s_tlast = '1' then
        if happens then
          if kept_length > 0 and drawn(4) = 0 then
            push_string(QUEUE, kept(1 to kept_length));
          elsif kept_length = 0 or drawn(4) = 0 then
            kept := packet;
            kept_length := length;
          end if;
        end if;
        if happens then                                   -- repeated
          push_string(QUEUE, packet(1 to length));
        end if;
        if happens then                                   -- corrupted
          place := 1 + drawn(length);
          packet(place) := flipped(packet(place), drawn(4));
        end if;
        if happens then                                   -- truncated
          length := 2 * drawn(length / 2);
        end if;
        if length = 0 or happens then                     -- lost
          null;
        elsif happens and held_length = 0 then            -- after those that follow
          held := packet;
          held_length := length;
        else
          push_string(QUEUE, packet(1 to length));
          if held_length > 0 and drawn(3) = 0 then
            push_string(QUEUE, held(1 to held_length));
            held_length := 0;
          end if;
        end if;
        length := 0;
      end if;
    end if;
  end process;

  give : process
    file sink : text open write_mode is G_FILE;
    variable seed_1 : positive := G_SEED + 2;
    variable seed_2 : positive := 3347;
    variable chance : real;
    variable bytes, sent, part : natural;

    function byte_of (pair : string(1 to 2)) return std_logic_vector is
      variable l : line;
      variable x : std_logic_vector(7 downto 0);
    begin
      l := new string'(pair);
      hread(l, x);
      deallocate(l);
      return x;
    end function;

    procedure send (packet : string) is
    begin
      write(sink, to_string(phase) & " " & packet & LF);
      bytes := packet'length / 2;
      sent := 0;
      while sent < bytes loop
        loop
          exit when G_STALL = 0;
          uniform(seed_1, seed_2, chance);
          exit when chance * 100.0 >= real(G_STALL);
          wait until rising_edge(out_clk);
        end loop;
        part := minimum(bytes - sent, G_BYTES);
        m_tkeep <= (others => '0');
        for i in 0 to part - 1 loop
          m_tdata(8 * i + 7 downto 8 * i) <= byte_of(packet(2 * (sent + i) + 1 to 2 * (sent + i) + 2));
          m_tkeep(i) <= '1';
        end loop;
        sent := sent + part;
        m_tlast <= '1' when sent = bytes else '0';
        m_tvalid <= '1';
        loop
          wait until rising_edge(out_clk);
          exit when m_tready = '1';
        end loop;
        m_tvalid <= '0';
      end loop;
    end procedure;
  begin
    wait until rising_edge(out_clk);
    if not is_empty(QUEUE) then
      send(pop_string(QUEUE));
    end if;
  end process;
end architecture;
