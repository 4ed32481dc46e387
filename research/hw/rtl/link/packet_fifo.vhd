-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The FIFOs of the paper's figure 2: whole packets from one clock domain to another.
--
-- Beats go into a block RAM. A packet's last beat commits it: only then does the reader learn of it, by a descriptor
-- (number of beats and s_info). With s_drop at the last beat, or abort, the packet is forgotten: the write pointer goes
-- back.
-- Nothing but three pointers crosses between the clocks, in Gray code, one step a cycle: those of the
-- descriptors, and the reader's into the RAM. The writer's into the RAM does not: what it points to is known by the
-- descriptor.
-- No room: with G_DROPS the rest of the packet is taken and all of it forgotten, and `overflow` is 1 for a cycle,
--   unless s_drop said so anyway; without G_DROPS s_tready is 0, so a packet must not be longer than G_BEATS.
-- m_info is there with each beat of its packet. A beat passes in each cycle.
-- rst of both sides begins at once (reset_sync); they may end in any order. It is asynchronous for what crosses.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity packet_fifo is
  generic (
    G_BITS : positive := 64;                              -- of a beat
    G_INFO : positive := 16;
    G_BEATS : positive := 2048;                           -- a power of two
    G_PACKETS : positive := 64;                           -- a power of two
    G_DROPS : boolean := true
  );
  port (
    wr_clk, wr_rst : in std_logic;
    s_tdata : in slv(G_BITS - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_drop : in std_logic := '0';
    s_info : in slv(G_INFO - 1 downto 0);
    s_tready : out std_logic;
    abort : in std_logic := '0';
    overflow : out std_logic;

    rd_clk, rd_rst : in std_logic;
    m_tdata : out slv(G_BITS - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_info : out slv(G_INFO - 1 downto 0);
    m_tready : in std_logic
  );
end entity;

architecture rtl of packet_fifo is
  constant ADDRESS_BITS : positive := log2(G_BEATS);
  constant PACKET_BITS : positive := log2(G_PACKETS);
  type beats is array (0 to G_BEATS - 1) of slv(G_BITS - 1 downto 0);
  type descriptors is array (0 to G_PACKETS - 1) of slv(ADDRESS_BITS + 1 + G_INFO - 1 downto 0);
  signal memory : beats := (others => (others => '0'));
  signal descriptor : descriptors := (others => (others => '0'));

  -- The writer's. A pointer has a bit more than an address.
  signal write, start : unsigned(ADDRESS_BITS downto 0) := (others => '0');
  signal write_packet : unsigned(PACKET_BITS downto 0) := (others => '0');
  signal loses : std_logic := '0';
  signal has_room, has_descriptor, ready : std_logic;
  signal freed : unsigned(ADDRESS_BITS downto 0) := (others => '0');
  signal freed_packet : unsigned(PACKET_BITS downto 0) := (others => '0');

  -- The reader's: what is in the RAM's output, and what is shown.
  signal read, left : unsigned(ADDRESS_BITS downto 0) := (others => '0');
  signal read_packet : unsigned(PACKET_BITS downto 0) := (others => '0');
  signal info, fetched_info, shown_info : slv(G_INFO - 1 downto 0) := (others => '0');
  signal fetched, shown : slv(G_BITS - 1 downto 0) := (others => '0');
  signal fetched_valid, fetched_last, shown_valid, shown_last : std_logic := '0';
  signal fetches, shows, loads : std_logic;

  -- What crosses, and the registers that take it over.
  signal write_packet_gray, write_packet_1, write_packet_2 : slv(PACKET_BITS downto 0) := (others => '0');
  signal read_packet_gray, read_packet_1, read_packet_2 : slv(PACKET_BITS downto 0) := (others => '0');
  signal read_gray, read_1, read_2 : slv(ADDRESS_BITS downto 0) := (others => '0');
begin
  assert 2 ** ADDRESS_BITS = G_BEATS and 2 ** PACKET_BITS = G_PACKETS report "packet_fifo: sizes are powers of two" severity failure;

  has_room <= '1' when write - freed /= G_BEATS else '0';
  has_descriptor <= '1' when write_packet - freed_packet /= G_PACKETS else '0';
  ready <= '1' when G_DROPS or (has_room = '1' and has_descriptor = '1') else '0';
  s_tready <= ready;

  writer : process (wr_clk)
    variable lost : boolean;
  begin
    if rising_edge(wr_clk) then
      overflow <= '0';
      freed <= number_of(read_2);
      freed_packet <= number_of(read_packet_2);
      if s_tvalid = '1' and ready = '1' then
        lost := loses = '1' or has_room = '0';
        if not lost then
          memory(to_integer(write(ADDRESS_BITS - 1 downto 0))) <= s_tdata;
          write <= write + 1;
        end if;
        if lost then
          loses <= '1';
        end if;
        if s_tlast = '1' then
          loses <= '0';
          if s_drop = '1' or lost or has_descriptor = '0' then
            write <= start;
            overflow <= not s_drop;
          else
            start <= write + 1;
            descriptor(to_integer(write_packet(PACKET_BITS - 1 downto 0))) <= slv(write + 1 - start) & s_info;
            write_packet <= write_packet + 1;
          end if;
        end if;
      end if;
      if abort = '1' then
        write <= start;
        start <= start;
        write_packet <= write_packet;
        loses <= '0';
        overflow <= '0';
      end if;
      if wr_rst = '1' then
        write <= (others => '0');
        start <= (others => '0');
        write_packet <= (others => '0');
        loses <= '0';
        overflow <= '0';
      end if;
    end if;
  end process;

  shows <= '1' when shown_valid = '0' or m_tready = '1' else '0';
  fetches <= '1' when (fetched_valid = '0' or shows = '1') and left /= 0 else '0';
  loads <= '1' when (left = 0 or (left = 1 and fetches = '1')) and slv(gray_of(read_packet)) /= write_packet_2 else '0';
  m_tdata <= shown;
  m_tlast <= shown_last;
  m_tvalid <= shown_valid;
  m_info <= shown_info;

  ram : process (rd_clk)
  begin
    if rising_edge(rd_clk) then
      if fetches = '1' then
        fetched <= memory(to_integer(read(ADDRESS_BITS - 1 downto 0)));
      end if;
    end if;
  end process;

  reader : process (rd_clk)
    variable next_one : slv(ADDRESS_BITS + 1 + G_INFO - 1 downto 0);
  begin
    if rising_edge(rd_clk) then
      if shows = '1' then
        shown <= fetched;
        shown_last <= fetched_last;
        shown_info <= fetched_info;
        shown_valid <= fetched_valid;
        fetched_valid <= '0';
      end if;
      if fetches = '1' then
        read <= read + 1;
        left <= left - 1;
        fetched_valid <= '1';
        fetched_info <= info;
        fetched_last <= '0';
        if left = 1 then
          fetched_last <= '1';
        end if;
      end if;
      if loads = '1' then
        next_one := descriptor(to_integer(read_packet(PACKET_BITS - 1 downto 0)));
        left <= unsigned(next_one(ADDRESS_BITS + G_INFO downto G_INFO));
        info <= next_one(G_INFO - 1 downto 0);
        read_packet <= read_packet + 1;
      end if;
      if rd_rst = '1' then
        read <= (others => '0');
        left <= (others => '0');
        read_packet <= (others => '0');
        fetched_valid <= '0';
        shown_valid <= '0';
      end if;
    end if;
  end process;

  -- pragma translate_off
  one_step : process (wr_clk, rd_clk)
    function distance (a, b : slv) return natural is
      variable n : natural := 0;
    begin
      for i in a'range loop
        if a(i) /= b(i) then
          n := n + 1;
        end if;
      end loop;
      return n;
    end function;
  begin
    assert not rising_edge(wr_clk) or wr_rst = '1' or distance(gray_of(write_packet), write_packet_gray) <= 1
      report "packet_fifo: the writer's pointer goes more than a step" severity failure;
    assert not rising_edge(rd_clk) or rd_rst = '1'
           or (distance(gray_of(read), read_gray) <= 1 and distance(gray_of(read_packet), read_packet_gray) <= 1)
      report "packet_fifo: a pointer of the reader goes more than a step" severity failure;
  end process;
  -- pragma translate_on

  to_reader : process (wr_clk, wr_rst)
  begin
    if wr_rst = '1' then
      write_packet_gray <= (others => '0');
      read_1 <= (others => '0');
      read_2 <= (others => '0');
      read_packet_1 <= (others => '0');
      read_packet_2 <= (others => '0');
    elsif rising_edge(wr_clk) then
      write_packet_gray <= gray_of(write_packet);
      read_1 <= read_gray;
      read_2 <= read_1;
      read_packet_1 <= read_packet_gray;
      read_packet_2 <= read_packet_1;
    end if;
  end process;

  to_writer : process (rd_clk, rd_rst)
  begin
    if rd_rst = '1' then
      read_gray <= (others => '0');
      read_packet_gray <= (others => '0');
      write_packet_1 <= (others => '0');
      write_packet_2 <= (others => '0');
    elsif rising_edge(rd_clk) then
      read_gray <= gray_of(read);
      read_packet_gray <= gray_of(read_packet);
      write_packet_1 <= write_packet_gray;
      write_packet_2 <= write_packet_1;
    end if;
  end process;
end architecture;
