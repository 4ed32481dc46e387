-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- What comes out of the core to the DO of the LWC API: segments as they came in, the tag of what was sealed, and a status.
--
-- word: the words of a packet out, an empty beat being a word of no bytes; word_last with the last of tag or verdict, and
-- then, of what was opened, word_refused if it is not to be shown: then the status alone comes out, failure. It comes,
-- too, where `malformed` is 1, after the word that is on offer: of what is sealed this may be in the midst of a segment, and
-- only do_last, which is 1 with a status alone, tells it from data.
-- do_data is 0 where do_valid is, and do_valid stays until do_ready. status_sent: 1 as the status is taken.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.lwc_pkg.all;

entity lwc_output is
  generic (G_TAG_BYTES : positive := 32);
  port (
    clk, rst : in std_logic;
    message_begins, opens, malformed : in std_logic;
    status_sent : out std_logic;

    segment_length : in length_t;
    segment_eot, segment_valid : in std_logic;
    segment_ready : out std_logic;

    word : in slv(31 downto 0);                           -- the first byte lowest
    word_last, word_refused, word_valid : in std_logic;
    word_ready : out std_logic;

    do_data : out word_t;
    do_valid, do_last : out std_logic;
    do_ready : in std_logic
  );
end entity;

architecture rtl of lwc_output is
  type phase is (IDLE, VERDICT, HEADER, EMPTY, SEGMENT, TAG_HEADER, TAG, VERIFIED, STATUS);
  signal state : phase := IDLE;
  signal left : length_t := (others => '0');
  signal eot, failed, valid, takes_word : std_logic := '0';
  signal shown : word_t;
begin
  valid <= segment_valid when state = HEADER
           else word_valid when state = SEGMENT or state = TAG
           else '1' when state = TAG_HEADER or state = STATUS
           else '0';

  show : process (all)
  begin
    shown <= bytes_reversed(word);
    if state = HEADER and opens = '1' then
      shown <= header_word(PLAINTEXT_TYPE, segment_eot, segment_eot, segment_length);
    elsif state = HEADER then
      shown <= header_word(CIPHERTEXT_TYPE, segment_eot, '0', segment_length);
    elsif state = TAG_HEADER then
      shown <= header_word(TAG_TYPE, '1', '1', to_unsigned(G_TAG_BYTES, length_t'length));
    elsif state = STATUS and failed = '1' then
      shown <= status_word(FAILURE_CODE);
    elsif state = STATUS then
      shown <= status_word(SUCCESS_CODE);
    end if;
  end process;

  do_valid <= valid;
  do_data <= shown when valid = '1' else (others => '0');
  do_last <= '1' when state = STATUS else '0';
  status_sent <= do_ready when state = STATUS else '0';
  segment_ready <= do_ready when state = HEADER else '0';

  takes_word <= do_ready when state = SEGMENT or state = TAG
                else word_last when state = VERDICT
                else '1' when state = EMPTY or state = VERIFIED
                else '0';
  word_ready <= takes_word;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      case state is
        when IDLE =>
          failed <= '0';
          if message_begins = '1' then
            state <= HEADER;
            if opens = '1' then
              state <= VERDICT;
            end if;
          end if;

        when VERDICT =>                                   -- a packet that is shown has a beat before its verdict
          if word_valid = '1' then
            state <= HEADER;
            if word_last = '1' then
              failed <= '1';
              state <= STATUS;
            end if;
          end if;

        when HEADER =>
          left <= segment_length;
          eot <= segment_eot;
          if segment_valid = '1' and do_ready = '1' then
            state <= SEGMENT;
            if segment_length = 0 then
              state <= EMPTY;
            end if;
          end if;

        when EMPTY | SEGMENT =>
          if word_valid = '1' and takes_word = '1' then
            left <= left - 4;
            if left <= 4 then
              state <= HEADER;
              if eot = '1' then
                state <= TAG_HEADER;
                if opens = '1' then
                  state <= VERIFIED;
                end if;
              end if;
            end if;
          end if;

        when TAG_HEADER =>
          if do_ready = '1' then
            state <= TAG;
          end if;

        when TAG =>
          if word_valid = '1' and do_ready = '1' and word_last = '1' then
            state <= STATUS;
          end if;

        when VERIFIED =>
          if word_valid = '1' then
            failed <= word_refused;
            state <= STATUS;
          end if;

        when STATUS =>
          if do_ready = '1' then
            state <= IDLE;
          end if;
      end case;
      if malformed = '1' and state /= IDLE and state /= STATUS and (valid = '0' or do_ready = '1') then
        failed <= '1';
        state <= STATUS;
      end if;
      if rst = '1' then
        state <= IDLE;
        failed <= '0';
      end if;
    end if;
  end process;
end architecture;
