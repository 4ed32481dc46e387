-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The PDI of the LWC API: instructions, and a message's segments to the strings of omd_core.
--
-- A message is an instruction to encrypt or decrypt; a nonce of less than n bytes; associated data; plaintext or ciphertext;
-- to open, a tag of G_TAG_BYTES. Nonce and tag are one segment each, the others one or more, of which all but the last have a
-- multiple of 4 bytes and are not empty; the last may be empty if it is the only one. The message's last segment has Last, and
-- no other has. EOI is not read.
-- What is not so is malformed, and so are other instructions, a message without a key, and, to open, more segments than
-- `segments_full` allows. A malformed message is taken until the end of a segment with Last; then `malformed` is 1 until its
-- status is out, and then it is erased, and so is the key. One in which Last never comes ends with `rst` only.
-- ad: associated data to 2n bytes (axis_widen); text: nonce, message, tag.
-- One message at a time: the next instruction is taken after `status_sent`.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.lwc_pkg.all;

entity lwc_input is
  generic (
    G_BYTES : positive := 64;
    G_TAG_BYTES : positive := 32
  );
  port (
    clk, rst : in std_logic;
    pdi_data : in word_t;
    pdi_valid : in std_logic;
    pdi_ready : out std_logic;

    load_key : out std_logic;
    key_loaded, key_refused : in std_logic;

    data : out slv(31 downto 0);                          -- the first byte lowest
    data_bytes : out length_t;
    data_last : out std_logic;
    ad_valid, text_valid : out std_logic;
    ad_ready, text_ready : in std_logic;

    segment_length : out length_t;
    segment_eot, segment_valid : out std_logic;
    segments_full : in std_logic;

    message_begins, opens, malformed, erase : out std_logic;
    status_sent : in std_logic
  );
end entity;

architecture rtl of lwc_input is
  type phase is (INSTRUCTION, KEY, HEADER, SEGMENT, BAD_HEADER, BAD_SEGMENT, STATUS);
  type string_kind is (NONCE, AD, TEXT, TAG);
  signal state : phase := INSTRUCTION;
  signal kind : string_kind := NONCE;
  signal continues : std_logic := '0';                    -- this is not the first segment of its type
  signal eot, is_last : std_logic := '0';                 -- of the segment under way
  signal left : length_t := (others => '0');
  signal has_key, decrypts, is_malformed : std_logic := '0';
  signal well_formed, awaits_room, target_ready, word_valid, ready : std_logic;
  signal wanted_type : code_t;
begin
  opens <= decrypts;
  malformed <= is_malformed when state = STATUS else '0';

  with kind select wanted_type <=
    NONCE_TYPE when NONCE,
    AD_TYPE when AD,
    TAG_TYPE when TAG,
    PLAINTEXT_TYPE(3 downto 1) & decrypts when TEXT;

  check : process (all)
    variable length : length_t;
    variable last : std_logic;                            -- whether this segment is the message's last
  begin
    length := length_of(pdi_data);
    last := '0';
    if kind = TAG or (kind = TEXT and decrypts = '0') then
      last := ends_type(pdi_data);
    end if;
    well_formed <= '1';
    if code_of(pdi_data) /= wanted_type or ends_message(pdi_data) /= last then
      well_formed <= '0';
    end if;
    case kind is
      when NONCE =>
        if length = 0 or length >= G_BYTES or ends_type(pdi_data) = '0' then
          well_formed <= '0';
        end if;
      when TAG =>
        if length /= G_TAG_BYTES or ends_type(pdi_data) = '0' then
          well_formed <= '0';
        end if;
      when AD | TEXT =>
        if (ends_type(pdi_data) = '0' and (length(1 downto 0) /= 0 or length = 0)) or (continues = '1' and length = 0) then
          well_formed <= '0';
        end if;
        if kind = TEXT and decrypts = '1' and segments_full = '1' then
          well_formed <= '0';
        end if;
    end case;
  end process;

  -- What is sealed comes out as it goes in, so that there will be room.
  awaits_room <= '1' when kind = TEXT and decrypts = '0' and segments_full = '1' else '0';
  segment_length <= length_of(pdi_data);
  segment_eot <= ends_type(pdi_data);
  segment_valid <= '1' when state = HEADER and kind = TEXT and pdi_valid = '1' and awaits_room = '0' and well_formed = '1' else '0';

  word_valid <= '1' when state = SEGMENT and (pdi_valid = '1' or left = 0) else '0';
  ad_valid <= word_valid when kind = AD else '0';
  text_valid <= word_valid when kind /= AD else '0';
  target_ready <= ad_ready when kind = AD else text_ready;
  data <= bytes_reversed(pdi_data);
  data_bytes <= least(left, 4);
  data_last <= eot when left <= 4 else '0';

  with state select ready <=
    '1' when INSTRUCTION | BAD_HEADER | BAD_SEGMENT,
    not awaits_room when HEADER,
    target_ready when SEGMENT,
    '0' when KEY | STATUS;
  pdi_ready <= ready and not rst when state /= SEGMENT or left /= 0 else '0';

  registers : process (clk)
  begin
    if rising_edge(clk) then
      load_key <= '0';
      message_begins <= '0';
      erase <= '0';
      case state is
        when INSTRUCTION =>
          kind <= NONCE;
          continues <= '0';
          is_malformed <= '0';
          if pdi_valid = '1' then
            if code_of(pdi_data) = ACTIVATE_KEY_CODE then
              erase <= '1';
              has_key <= '0';
              load_key <= '1';
              state <= KEY;
            else
              message_begins <= '1';
              decrypts <= '0';
              if code_of(pdi_data) = DECRYPT_CODE then
                decrypts <= '1';
              end if;
              if has_key = '1' and (code_of(pdi_data) = ENCRYPT_CODE or code_of(pdi_data) = DECRYPT_CODE) then
                state <= HEADER;
              else
                is_malformed <= '1';
                state <= BAD_HEADER;
              end if;
            end if;
          end if;

        when KEY =>
          if key_loaded = '1' or key_refused = '1' then
            has_key <= key_loaded;
            state <= INSTRUCTION;
          end if;

        when HEADER | BAD_HEADER =>
          if pdi_valid = '1' and ready = '1' then
            left <= length_of(pdi_data);
            eot <= ends_type(pdi_data);
            is_last <= ends_message(pdi_data);
            state <= SEGMENT;
            if state = BAD_HEADER or well_formed = '0' then
              is_malformed <= '1';
              state <= BAD_SEGMENT;
              if length_of(pdi_data) = 0 then
                state <= BAD_HEADER;
                if ends_message(pdi_data) = '1' then
                  state <= STATUS;
                end if;
              end if;
            end if;
          end if;

        when SEGMENT =>
          if word_valid = '1' and target_ready = '1' then
            left <= left - 4;
            if left <= 4 then
              continues <= not eot;
              state <= HEADER;
              if eot = '1' then
                case kind is
                  when NONCE => kind <= AD;
                  when AD => kind <= TEXT;
                  when TEXT => kind <= TAG;
                  when TAG => null;
                end case;
                if kind = TAG or (kind = TEXT and decrypts = '0') then
                  state <= STATUS;
                end if;
              end if;
            end if;
          end if;

        when BAD_SEGMENT =>
          if pdi_valid = '1' then
            left <= left - 4;
            if left <= 4 then
              state <= BAD_HEADER;
              if is_last = '1' then
                state <= STATUS;
              end if;
            end if;
          end if;

        when STATUS =>
          null;
      end case;

      if status_sent = '1' then
        state <= INSTRUCTION;
        if is_malformed = '1' then
          erase <= '1';
          has_key <= '0';
        end if;
      end if;
      if rst = '1' then
        state <= INSTRUCTION;
        has_key <= '0';
        is_malformed <= '0';
        erase <= '0';
        load_key <= '0';
        message_begins <= '0';
      end if;
    end if;
  end process;
end architecture;
