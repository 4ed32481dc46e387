-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The registers of omd_link on AXI4-Lite. research/hw/docs/registers.md has the table, research/hw/regs.toml makes it.
--
-- One write and one read at a time, each answered before the next is taken; ready comes of registers alone. Refused with SLVERR, and
-- without effect: an address without a register, what may not be written or not now, and a write of part of a word.
-- Nothing that is secret can be read: keys go to ks_gen by `word`, and are kept there.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.omd_link_regs.all;

entity registers is
  generic (
    G_SUITE : natural := 1;
    G_BYTES : positive := 32;                             -- n
    G_STREAM_BYTES : positive := 8;
    G_WINDOW : positive := 128;
    G_MIN_FRAME : natural := 14;
    G_MAX_FRAME : positive := 9600
  );
  port (
    clk, rst : in std_logic;

    s_axil_awaddr : in slv(ADDRESS_BITS - 1 downto 0);
    s_axil_awprot : in slv(2 downto 0) := "000";
    s_axil_awvalid : in std_logic;
    s_axil_awready : out std_logic;
    s_axil_wdata : in slv(31 downto 0);
    s_axil_wstrb : in slv(3 downto 0);
    s_axil_wvalid : in std_logic;
    s_axil_wready : out std_logic;
    s_axil_bresp : out slv(1 downto 0);
    s_axil_bvalid : out std_logic;
    s_axil_bready : in std_logic;
    s_axil_araddr : in slv(ADDRESS_BITS - 1 downto 0);
    s_axil_arprot : in slv(2 downto 0) := "000";
    s_axil_arvalid : in std_logic;
    s_axil_arready : out std_logic;
    s_axil_rdata : out slv(31 downto 0);
    s_axil_rresp : out slv(1 downto 0);
    s_axil_rvalid : out std_logic;
    s_axil_rready : in std_logic;
    interrupt : out std_logic;

    -- To and from ks_gen.
    word : out slv(31 downto 0);                          -- the first byte highest
    index : out natural range 0 to 15;
    write_master, write_own, write_peer, write_confirmation : out std_logic;
    role, derive, enable, stop, zeroise : out std_logic;
    may_derive, may_enable, may_write, may_confirm : in std_logic;
    has_master, derived, busy, enabled, no_own_epoch, no_peer_epoch : in std_logic;
    refused, ended, was_erased : in std_logic;
    own_confirmation : in slv(127 downto 0);
    session : in slv(31 downto 0);

    -- To and from the path of frames. Addresses have the first byte highest.
    destination, source : out slv(47 downto 0);
    counter : in unsigned(63 downto 0);
    rekey_limit : out unsigned(63 downto 0);
    exhausted, rekey_due, forged : in std_logic;          -- forged: for a cycle
    counts : in event_counts(0 to COUNTERS - 1)
  );
end entity;

architecture rtl of registers is
  constant MAGIC : slv(31 downto 0) := x"4F4D444C";
  constant VERSION : slv(31 downto 0) := x"00000202";
  constant OKAY : slv(1 downto 0) := "00";
  constant SLVERR : slv(1 downto 0) := "10";

  function capabilities return slv is
    variable x : slv(31 downto 0) := (others => '0');
  begin
    x(CAPABILITIES_SUITE_HIGH downto CAPABILITIES_SUITE_LOW) := slv(to_unsigned(G_SUITE, 8));
    x(CAPABILITIES_BLOCK_BYTES_HIGH downto CAPABILITIES_BLOCK_BYTES_LOW) := slv(to_unsigned(G_BYTES, 8));
    x(CAPABILITIES_STREAM_BYTES_HIGH downto CAPABILITIES_STREAM_BYTES_LOW) := slv(to_unsigned(G_STREAM_BYTES, 8));
    x(CAPABILITIES_WINDOW_HIGH downto CAPABILITIES_WINDOW_LOW) := slv(to_unsigned(G_WINDOW / 8, 8));
    return x;
  end function;

  function frame_limits return slv is
    variable x : slv(31 downto 0) := (others => '0');
  begin
    x(FRAME_LIMITS_MAX_FRAME_HIGH downto FRAME_LIMITS_MAX_FRAME_LOW) := slv(to_unsigned(G_MAX_FRAME, 16));
    x(FRAME_LIMITS_MIN_FRAME_HIGH downto FRAME_LIMITS_MIN_FRAME_LOW) := slv(to_unsigned(G_MIN_FRAME, 16));
    return x;
  end function;

  subtype offset is unsigned(ADDRESS_BITS - 1 downto 0);

  -- Whether the address is a word of what begins at `first` and has that many bytes.
  function within (address : offset; first : natural; bytes : positive := 4) return boolean is
    constant number : unsigned(ADDRESS_BITS - 3 downto 0) := address(ADDRESS_BITS - 1 downto 2);
  begin
    return number >= first / 4 and number < (first + bytes + 3) / 4;
  end function;

  -- Which word of it, of at most 16.
  function word_of (address : offset; first : natural) return natural is
  begin
    return to_integer(address(5 downto 2) - to_unsigned(first / 4 mod 16, 4));
  end function;

  -- A word of a text of at most 16 bytes as it lies in memory: the first byte lowest.
  function part (text : slv; number : natural) return slv is
    variable whole_text : slv(127 downto 0) := (others => '0');
    variable x : slv(31 downto 0) := (others => '0');
  begin
    whole_text(text'length - 1 downto 0) := bytes_reversed(text);
    for i in 0 to 3 loop
      if number = i then
        x := whole_text(32 * i + 31 downto 32 * i);
      end if;
    end loop;
    return x;
  end function;

  signal write_address, read_address : offset := (others => '0');
  signal write_data : slv(31 downto 0) := (others => '0');
  signal has_address, has_data, whole, answers, reads, waits, shows : std_logic := '0';
  signal side : std_logic := '0';
  signal irq_status, irq_enable : slv(5 downto 0) := (others => '0');
  signal limit : unsigned(63 downto 0) := (48 => '1', others => '0');
  signal to_address, from_address : slv(47 downto 0) := (others => '0');  -- of packets, as they lie in memory
  signal upper, lower_limit : unsigned(31 downto 0) := (others => '0');
  signal was_due, was_exhausted : std_logic := '0';
  signal awake : std_logic := '0';                        -- no access is taken in reset
  signal value : unsigned(63 downto 0);
  signal row : natural range 0 to COUNTERS - 1;
begin
  assert AT_COUNTERS mod 256 = 0 report "registers: the counters' rows are bits 7 to 3 of their addresses" severity failure;
  assert AT_OWN_IDENTIFIER mod 32 = 0 and AT_PEER_IDENTIFIER mod 32 = 0 and AT_PEER_CONFIRMATION mod 32 = 0
    report "registers: the index of a word in these is bits 4 to 2 of its address" severity failure;

  s_axil_awready <= awake and not has_address;
  s_axil_wready <= awake and not has_data;
  s_axil_bvalid <= answers;
  s_axil_arready <= awake and not (reads or waits or shows);
  s_axil_rvalid <= shows;
  role <= side;
  rekey_limit <= limit;
  destination <= bytes_reversed(to_address);
  source <= bytes_reversed(from_address);
  word <= bytes_reversed(write_data);

  row <= to_integer(read_address(7 downto 3)) when within(read_address, AT_COUNTERS, 8 * COUNTERS) else 0;
  sums : entity work.event_counters
    port map (clk => clk, rst => rst, counts => counts, index => row, value => value);

  process (clk)
    variable taken : boolean;
    variable flags : slv(irq_status'range);
    variable address : offset;
    variable data, x : slv(31 downto 0);
    variable found : boolean;
  begin
    if rising_edge(clk) then
      write_master <= '0';
      write_own <= '0';
      write_peer <= '0';
      write_confirmation <= '0';
      derive <= '0';
      enable <= '0';
      stop <= '0';
      zeroise <= '0';
      address := write_address;
      data := write_data;
      awake <= not rst;

      -- Writing.
      if s_axil_awvalid = '1' and has_address = '0' then
        write_address <= unsigned(s_axil_awaddr);
        has_address <= '1';
      end if;
      if s_axil_wvalid = '1' and has_data = '0' then
        write_data <= s_axil_wdata;
        whole <= s_axil_wstrb(0) and s_axil_wstrb(1) and s_axil_wstrb(2) and s_axil_wstrb(3);
        has_data <= '1';
      end if;
      if answers = '1' and s_axil_bready = '1' then
        answers <= '0';
        has_address <= '0';
        has_data <= '0';
        write_data <= (others => '0');
      end if;

      flags := irq_status;
      if has_address = '1' and has_data = '1' and answers = '0' then
        taken := false;
        if whole = '1' and address(1 downto 0) = 0 then
          if within(address, AT_CONTROL) then
            if data(CONTROL_ZEROISE) = '1' then
              zeroise <= '1';
              taken := true;
            elsif data(CONTROL_STOP) = '1' then
              stop <= '1';
              taken := true;
            elsif data(CONTROL_DERIVE) = '1' and data(CONTROL_ENABLE) = '0' then
              derive <= '1';
              taken := may_derive = '1';
            elsif data(CONTROL_ENABLE) = '1' and data(CONTROL_DERIVE) = '0' then
              enable <= '1';
              taken := may_enable = '1';
            end if;
          elsif within(address, AT_IRQ_STATUS) then
            flags := flags and not data(flags'range);
            taken := true;
          elsif within(address, AT_IRQ_ENABLE) then
            irq_enable <= data(irq_enable'range);
            taken := true;
          elsif within(address, AT_REKEY_LIMIT) then      -- until the upper word comes, so that both change at once
            lower_limit <= unsigned(data);
            taken := true;
          elsif within(address, AT_REKEY_LIMIT + 4) then
            limit <= unsigned(data) & lower_limit;
            taken := true;
          elsif within(address, AT_PEER_CONFIRMATION, BYTES_OF_PEER_CONFIRMATION) then
            write_confirmation <= may_confirm;
            taken := may_confirm = '1';
          elsif may_write = '1' then
            taken := true;
            if within(address, AT_ROLE) then
              side <= data(0);
            elsif within(address, AT_MASTER_KEY, G_BYTES) then
              write_master <= '1';
            elsif within(address, AT_OWN_IDENTIFIER, BYTES_OF_OWN_IDENTIFIER) then
              write_own <= '1';
            elsif within(address, AT_PEER_IDENTIFIER, BYTES_OF_PEER_IDENTIFIER) then
              write_peer <= '1';
            elsif within(address, AT_DESTINATION) then
              to_address(31 downto 0) <= data;
            elsif within(address, AT_DESTINATION + 4) then
              to_address(47 downto 32) <= data(15 downto 0);
            elsif within(address, AT_SOURCE) then
              from_address(31 downto 0) <= data;
            elsif within(address, AT_SOURCE + 4) then
              from_address(47 downto 32) <= data(15 downto 0);
            else
              taken := false;
            end if;
          end if;
        end if;
        index <= word_of(address, AT_OWN_IDENTIFIER) mod 8;
        if within(address, AT_MASTER_KEY, BYTES_OF_MASTER_KEY) then
          index <= word_of(address, AT_MASTER_KEY);
        end if;
        answers <= '1';
        s_axil_bresp <= OKAY when taken else SLVERR;
      end if;

      -- What happens.
      was_due <= rekey_due;
      was_exhausted <= exhausted;
      flags(IRQ_STATUS_DERIVED) := flags(IRQ_STATUS_DERIVED) or ended;
      flags(IRQ_STATUS_REFUSED) := flags(IRQ_STATUS_REFUSED) or refused;
      flags(IRQ_STATUS_REKEY_DUE) := flags(IRQ_STATUS_REKEY_DUE) or (rekey_due and not was_due);
      flags(IRQ_STATUS_EXHAUSTED) := flags(IRQ_STATUS_EXHAUSTED) or (exhausted and not was_exhausted);
      flags(IRQ_STATUS_FORGED) := flags(IRQ_STATUS_FORGED) or forged;
      flags(IRQ_STATUS_ERASED) := flags(IRQ_STATUS_ERASED) or was_erased;
      irq_status <= flags;
      interrupt <= or(irq_status and irq_enable);

      -- Reading: the address, a counter's row a cycle later, the word.
      if s_axil_arvalid = '1' and reads = '0' and waits = '0' and shows = '0' then
        read_address <= unsigned(s_axil_araddr);
        reads <= '1';
      end if;
      if reads = '1' then
        reads <= '0';
        waits <= '1';
      end if;
      if shows = '1' and s_axil_rready = '1' then
        shows <= '0';
        s_axil_rdata <= (others => '0');
      end if;
      address := read_address;
      if waits = '1' then
        waits <= '0';
        shows <= '1';
        found := address(1 downto 0) = 0;
        x := (others => '0');
        if within(address, AT_MAGIC) then
          x := MAGIC;
        elsif within(address, AT_VERSION) then
          x := VERSION;
        elsif within(address, AT_CAPABILITIES) then
          x := capabilities;
        elsif within(address, AT_FRAME_LIMITS) then
          x := frame_limits;
        elsif within(address, AT_STATUS) then
          x(STATUS_BUSY) := busy;
          x(STATUS_HAS_MASTER) := has_master;
          x(STATUS_DERIVED) := derived;
          x(STATUS_ENABLED) := enabled;
          x(STATUS_EXHAUSTED) := exhausted;
          x(STATUS_REKEY_DUE) := rekey_due;
          x(STATUS_NO_OWN_EPOCH) := no_own_epoch;
          x(STATUS_NO_PEER_EPOCH) := no_peer_epoch;
        elsif within(address, AT_IRQ_STATUS) then
          x(irq_status'range) := irq_status;
        elsif within(address, AT_IRQ_ENABLE) then
          x(irq_enable'range) := irq_enable;
        elsif within(address, AT_ROLE) then
          x(0) := side;
        elsif within(address, AT_SESSION) then
          x := bytes_reversed(session);
        elsif within(address, AT_REKEY_LIMIT) then
          x := slv(limit(31 downto 0));
          upper <= limit(63 downto 32);
        elsif within(address, AT_COUNTER) then
          x := slv(counter(31 downto 0));
          upper <= counter(63 downto 32);
        elsif within(address, AT_REKEY_LIMIT + 4) or within(address, AT_COUNTER + 4)
              or (within(address, AT_COUNTERS, 8 * COUNTERS) and address(2) = '1') then
          x := slv(upper);
        elsif within(address, AT_COUNTERS, 8 * COUNTERS) then
          x := slv(value(31 downto 0));
          upper <= value(63 downto 32);
        elsif within(address, AT_OWN_CONFIRMATION, BYTES_OF_OWN_CONFIRMATION) then
          x := part(own_confirmation, word_of(address, AT_OWN_CONFIRMATION));
        elsif within(address, AT_DESTINATION, 8) then
          x := part(bytes_reversed(to_address), word_of(address, AT_DESTINATION));
        elsif within(address, AT_SOURCE, 8) then
          x := part(bytes_reversed(from_address), word_of(address, AT_SOURCE));
        else
          found := found and (within(address, AT_CONTROL) or within(address, AT_MASTER_KEY, G_BYTES)
                              or within(address, AT_OWN_IDENTIFIER, BYTES_OF_OWN_IDENTIFIER)
                              or within(address, AT_PEER_IDENTIFIER, BYTES_OF_PEER_IDENTIFIER)
                              or within(address, AT_PEER_CONFIRMATION, BYTES_OF_PEER_CONFIRMATION));
        end if;
        s_axil_rdata <= x;
        s_axil_rresp <= OKAY;
        if not found then
          s_axil_rdata <= (others => '0');
          s_axil_rresp <= SLVERR;
        end if;
      end if;

      if rst = '1' then
        has_address <= '0';
        has_data <= '0';
        answers <= '0';
        reads <= '0';
        waits <= '0';
        shows <= '0';
        side <= '0';
        irq_status <= (others => '0');
        irq_enable <= (others => '0');
        limit <= (48 => '1', others => '0');
        lower_limit <= (others => '0');
        upper <= (others => '0');
        to_address <= (others => '0');
        from_address <= (others => '0');
        write_data <= (others => '0');
        s_axil_rdata <= (others => '0');
        s_axil_rresp <= OKAY;
        s_axil_bresp <= OKAY;
        interrupt <= '0';
        was_due <= '0';
        was_exhausted <= '0';
      end if;
    end if;
  end process;
end architecture;
