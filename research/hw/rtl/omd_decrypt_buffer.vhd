-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Keeps back what omd_core opens until the tag is verified: a packet is shown whole, or only as refused.
--
-- s_axis is omd_core's m_axis. m_axis is the same stream, in which the beats of a packet come after its last beat
-- was seen. Of a packet whose tag was wrong, or which does not fit, only the last beat is shown, with tuser(1) = 1.
-- What it kept is overwritten with zeros as it is read, and when it is refused. Sealed packets pass in the same way.
-- rst, zeroise: what is kept is forgotten, a beat per cycle; the stream in waits until `erased`, 2 (G_BEATS + 1) cycles.
-- The memory is one block RAM of 9n bits a beat with a registered read: a beat is shown every third cycle at most. It has room for
-- two packets, so that one comes in while the other is read; the stream in goes first.
-- Limits: packets of G_BEATS beats of message, an empty one counting as one. Of one lane: behind omd_lanes each tid needs
-- its own.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity omd_decrypt_buffer is
  generic (
    G_BYTES : positive := 64;
    G_BEATS : positive := 150
  );
  port (
    clk, rst, zeroise : in std_logic;                     -- as omd_core has them: always both together
    erased : out std_logic;

    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tuser : in slv(1 downto 0);
    s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;

    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic
  );
end entity;

architecture rtl of omd_decrypt_buffer is
  constant WIDTH : positive := 9 * G_BYTES;
  constant PLACES : positive := G_BEATS + 1;              -- of a packet: its last beat, too
  type beats is array (0 to 2 * PLACES - 1) of slv(WIDTH - 1 downto 0);
  constant NOTHING : beats := (others => (others => '0'));
  signal memory : beats := NOTHING;
  signal read_beat : slv(WIDTH - 1 downto 0) := (others => '0');

  -- Of each half of the memory: a packet is there whole, with its last beat or refused; how many beats.
  type counts is array (0 to 1) of natural range 0 to PLACES;
  signal full, refused : slv(0 to 1) := "00";
  signal held : counts := (0, 0);
  signal ends : slv(0 to 1) := "00";                      -- tuser(0) of the last beat
  signal fills, empties : natural range 0 to 1 := 0;      -- which half
  signal too_long : std_logic := '0';

  type phase is (ERASES, IDLE, READS, SHOWS, WIPES, REFUSES);
  signal state : phase := ERASES;
  signal address : natural range 0 to 2 * PLACES - 1 := 0;
  signal left : natural range 0 to PLACES := 0;
  signal shows_last, ready, taken : std_logic;

  function first_of (half : natural) return natural is
  begin
    if half = 0 then
      return 0;
    end if;
    return PLACES;
  end function;
begin
  ready <= '1' when state /= ERASES and full(fills) = '0' else '0';
  taken <= ready and s_axis_tvalid;
  s_axis_tready <= ready;
  erased <= '0' when state = ERASES else '1';

  shows_last <= '1' when state = SHOWS and left = 1 else '0';
  m_axis_tvalid <= '1' when state = SHOWS or state = REFUSES else '0';
  m_axis_tlast <= '1' when shows_last = '1' or state = REFUSES else '0';
  m_axis_tdata <= read_beat(WIDTH - 1 downto G_BYTES) when state = SHOWS else (others => '0');
  m_axis_tkeep <= read_beat(G_BYTES - 1 downto 0) when state = SHOWS else (others => '0');
  m_axis_tuser <= "11" when state = REFUSES else '0' & ends(empties) when shows_last = '1' else "00";

  registers : process (clk)
    variable bad : std_logic;
    variable writes : boolean;
    variable write_address : natural range 0 to 2 * PLACES - 1;
    variable data : slv(WIDTH - 1 downto 0);
  begin
    if rising_edge(clk) then
      writes := false;
      write_address := address;
      data := (others => '0');

      -- In.
      if taken = '1' then
        -- pragma translate_off
        assert held /= (0, 0) or full /= "00" or memory = NOTHING
          report "the memory keeps something of another packet" severity failure;
        -- pragma translate_on
        bad := too_long or (s_axis_tlast and s_axis_tuser(1));
        if held(fills) = G_BEATS and s_axis_tlast = '0' then
          bad := '1';
        end if;
        if bad = '0' then
          writes := true;
          write_address := first_of(fills) + held(fills);
          data := s_axis_tdata & s_axis_tkeep;
          held(fills) <= held(fills) + 1;
        end if;
        too_long <= bad;
        if s_axis_tlast = '1' then
          full(fills) <= '1';
          refused(fills) <= bad;
          ends(fills) <= s_axis_tuser(0);
          fills <= 1 - fills;
          too_long <= '0';
        end if;
      end if;

      -- Out.
      case state is
        when ERASES =>
          writes := true;
          if address = 2 * PLACES - 1 then
            address <= 0;
            state <= IDLE;
          else
            address <= address + 1;
          end if;

        when IDLE =>                                      -- and the memory is read where the next packet begins
          left <= held(empties);
          if full(empties) = '1' then
            state <= SHOWS;
            if refused(empties) = '1' then
              state <= WIPES;
            end if;
          end if;

        when READS =>                                     -- the memory is read
          state <= SHOWS;

        when SHOWS =>
          if m_axis_tready = '1' then
            state <= WIPES;
          end if;

        when WIPES =>
          if left = 0 then
            state <= REFUSES;
          elsif taken = '0' then
            writes := true;
            left <= left - 1;
            if left > 1 then
              address <= address + 1;
            end if;
            if refused(empties) = '0' then
              state <= READS;
              if left = 1 then
                state <= IDLE;
                full(empties) <= '0';
                held(empties) <= 0;
                empties <= 1 - empties;
                address <= first_of(1 - empties);
              end if;
            end if;
          end if;

        when REFUSES =>
          if m_axis_tready = '1' then
            full(empties) <= '0';
            refused(empties) <= '0';
            held(empties) <= 0;
            empties <= 1 - empties;
            address <= first_of(1 - empties);
            state <= IDLE;
          end if;
      end case;

      read_beat <= memory(address);
      if writes then
        memory(write_address) <= data;
      end if;
      if rst = '1' or zeroise = '1' then
        state <= ERASES;
        address <= 0;
        held <= (0, 0);
        full <= "00";
        refused <= "00";
        ends <= "00";
        fills <= 0;
        empties <= 0;
        too_long <= '0';
      end if;
    end if;
  end process;
end architecture;
