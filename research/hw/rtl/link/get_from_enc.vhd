-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- GET from ENC of the paper's figure 2: header, ciphertext and tag, joined to a packet for the FIFO.
--
-- Source: research/hw/docs/packet-format.md, section 2. `about` is of put_to_enc, in the order of frames: counter and length.
-- `sealed` is 1 for a cycle when the FIFO has all of a packet. erase: the packet under way is forgotten; the FIFO's
-- `abort` must be the same.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity get_from_enc is
  generic (
    G_STREAM_BYTES : positive := 8;                       -- W
    G_BYTES : positive := 32;                             -- n
    G_SUITE : natural := 1
  );
  port (
    clk, rst, erase : in std_logic;
    destination, source : in slv(47 downto 0);            -- the first byte highest
    direction : in std_logic;
    session : in slv(31 downto 0);

    about_counter : in unsigned(63 downto 0);
    about_length : in length_t;
    about_tvalid : in std_logic;
    about_tready : out std_logic;

    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tvalid : in std_logic;
    s_tready : out std_logic;

    m_tdata : out slv(8 * G_STREAM_BYTES - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_length : out length_t;
    m_tready : in std_logic;
    sealed : out std_logic
  );
end entity;

architecture rtl of get_from_enc is
  constant n : positive := G_BYTES;
  constant W : positive := G_STREAM_BYTES;
  type phase is (HEADS, CIPHERS, TAGS, ENDS);
  signal state : phase := HEADS;
  signal left : length_t := (others => '0');
  signal header : slv(8 * HEADER_BYTES - 1 downto 0);
  signal beat : slv(8 * n - 1 downto 0);
  signal beat_bytes, word_bytes : length_t;
  signal beat_last, beat_valid, beat_ready, word_last, word_valid, word_ready, last, valid, forgets : std_logic;
  signal word : slv(8 * W - 1 downto 0);
begin
  forgets <= rst or erase;
  header <= destination & source & PACKET_TYPE & PACKET_VERSION & slv(to_unsigned(G_SUITE, 8)) & "0000000" & direction
            & x"00" & session & slv(about_counter);

  beat <= slv(resize(unsigned(bytes_reversed(header)), 8 * n)) when state = HEADS else s_tdata;
  beat_bytes <= to_unsigned(HEADER_BYTES, length_t'length) when state = HEADS
                else to_unsigned(TAG_BYTES, length_t'length) when state = TAGS else least(left, n);
  beat_last <= '1' when state = TAGS else '0';
  beat_valid <= about_tvalid when state = HEADS else s_tvalid when state = CIPHERS or state = TAGS else '0';
  s_tready <= beat_ready when state = CIPHERS or state = TAGS else '0';
  about_tready <= '1' when state = ENDS and valid = '1' and last = '1' and m_tready = '1' else '0';
  m_length <= about_length + OVERHEAD;
  m_tlast <= last;
  m_tvalid <= valid;

  narrow : entity work.axis_narrow
    generic map (G_IN => n, G_OUT => W)
    port map (
      clk => clk, rst => forgets, s_tdata => beat, s_bytes => beat_bytes, s_tlast => beat_last, s_tvalid => beat_valid,
      s_tready => beat_ready, m_tdata => word, m_bytes => word_bytes, m_tlast => word_last, m_tvalid => word_valid,
      m_tready => word_ready);
  pack : entity work.axis_pack
    generic map (G_BYTES => W)
    port map (
      clk => clk, rst => forgets, s_tdata => word, s_bytes => word_bytes, s_tlast => word_last, s_tvalid => word_valid,
      s_tready => word_ready, m_tdata => m_tdata, m_tlast => last, m_tvalid => valid, m_tready => m_tready);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      sealed <= '0';
      if beat_valid = '1' and beat_ready = '1' then
        case state is
          when HEADS =>
            left <= about_length;
            state <= CIPHERS;
          when CIPHERS =>
            left <= left - n;
            if left <= n then
              state <= TAGS;
            end if;
          when TAGS =>
            state <= ENDS;
          when ENDS =>
            null;
        end case;
      end if;
      if state = ENDS and valid = '1' and last = '1' and m_tready = '1' then
        state <= HEADS;
        sealed <= not erase;
      end if;
      if forgets = '1' then
        state <= HEADS;
      end if;
      if rst = '1' then
        sealed <= '0';
      end if;
    end if;
  end process;
end architecture;
