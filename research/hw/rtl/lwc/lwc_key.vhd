-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- A key from the SDI of the LWC API to omd_core's s_key.
--
-- begin_load, for a cycle: the next key is taken: an instruction (what is none that loads a key is passed over), the header
-- of the one segment, with EOT and Last, and G_KEY_BYTES bytes; zeros are put behind them. Then `loaded` or `refused` is 1 for
-- a cycle. Refused is a segment of another type or length, or without EOT or Last: it is taken and forgotten, and if it has
-- neither, so are those after it, up to one that has. Of the key nothing is kept here afterwards.
-- After `rst` in the midst of a key the source must begin anew: of the rest, a word may be taken for an instruction.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.lwc_pkg.all;

entity lwc_key is
  generic (
    G_BYTES : positive := 64;                             -- n
    G_KEY_BYTES : positive := 32                          -- a multiple of 4, at most n
  );
  port (
    clk, rst : in std_logic;
    begin_load : in std_logic;
    loaded, refused : out std_logic;

    sdi_data : in word_t;
    sdi_valid : in std_logic;
    sdi_ready : out std_logic;

    s_key_tdata : out slv(G_BYTES - 1 downto 0);
    s_key_tvalid : out std_logic;
    s_key_tready : in std_logic
  );
end entity;

architecture rtl of lwc_key is
  constant WORDS : positive := G_BYTES / 4;
  constant KEY_WORDS : positive := G_KEY_BYTES / 4;
  constant BEAT_WORDS : positive := WORDS / 8;            -- 1 or 2

  type phase is (IDLE, INSTRUCTION, HEADER, KEY, ZEROS, FORGETS);
  signal state : phase := IDLE;
  signal count : natural range 0 to WORDS - 1 := 0;       -- words that the core has, or its next beat
  signal forgotten : length_t := (others => '0');
  signal refuses, ends : std_logic := '0';                -- this key; with the segment under way
  signal first : word_t := (others => '0');               -- of a beat of two words
  signal word : word_t;
  signal word_valid, word_taken, ends_beat : std_logic;
begin
  assert G_KEY_BYTES mod 4 = 0 and G_KEY_BYTES <= G_BYTES report "lwc_key: G_KEY_BYTES" severity failure;

  word <= bytes_reversed(sdi_data) when state = KEY else (others => '0');
  word_valid <= '1' when (state = KEY and sdi_valid = '1') or state = ZEROS else '0';
  ends_beat <= '1' when count mod BEAT_WORDS = BEAT_WORDS - 1 else '0';
  word_taken <= word_valid and (s_key_tready or not ends_beat);
  s_key_tvalid <= word_valid and ends_beat;
  one : if BEAT_WORDS = 1 generate
    s_key_tdata <= word;
  end generate;
  two : if BEAT_WORDS = 2 generate
    s_key_tdata <= word & first;
  end generate;

  sdi_ready <= '0' when rst = '1' or state = IDLE or state = ZEROS
               else s_key_tready or not ends_beat when state = KEY
               else '1';

  registers : process (clk)
  begin
    if rising_edge(clk) then
      loaded <= '0';
      refused <= '0';
      case state is
        when IDLE =>
          refuses <= '0';
          if begin_load = '1' then
            state <= INSTRUCTION;
          end if;

        when INSTRUCTION =>
          if sdi_valid = '1' and code_of(sdi_data) = LOAD_KEY_CODE then
            state <= HEADER;
          end if;

        when HEADER =>
          count <= 0;
          forgotten <= length_of(sdi_data);
          ends <= ends_type(sdi_data) or ends_message(sdi_data);
          if sdi_valid = '1' then
            if refuses = '0' and code_of(sdi_data) = KEY_TYPE and length_of(sdi_data) = G_KEY_BYTES
              and ends_type(sdi_data) = '1' and ends_message(sdi_data) = '1' then
              state <= KEY;
            else
              refuses <= '1';
              if length_of(sdi_data) /= 0 then
                state <= FORGETS;
              elsif ends_type(sdi_data) = '1' or ends_message(sdi_data) = '1' then
                refused <= '1';
                state <= IDLE;
              end if;
            end if;
          end if;

        when KEY | ZEROS =>
          if word_taken = '1' then
            first <= word;
            if ends_beat = '1' then
              first <= (others => '0');
            end if;
            if count = WORDS - 1 then
              loaded <= '1';
              state <= IDLE;
            else
              count <= count + 1;
              if count = KEY_WORDS - 1 then
                state <= ZEROS;
              end if;
            end if;
          end if;

        when FORGETS =>
          if sdi_valid = '1' then
            forgotten <= forgotten - 4;
            if forgotten <= 4 then
              state <= HEADER;
              if ends = '1' then
                refused <= '1';
                state <= IDLE;
              end if;
            end if;
          end if;
      end case;
      if rst = '1' then
        state <= IDLE;
        first <= (others => '0');
        loaded <= '0';
        refused <= '0';
      end if;
    end if;
  end process;
end architecture;
