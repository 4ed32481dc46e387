-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- PUT to DEC of the paper's figure 2: packets from the FIFO, checked, to what decrypt takes.
--
-- Source: research/hw/docs/packet-format.md, section 5. What is in no session, has a wrong header, or was opened already or is
-- too old for the window is drained, and the output of the first reason that holds is 1 for a cycle. What the window
-- refuses is asked for again once all packets before it have their verdict (`none_before`), so that the reason is that
-- of the order in which they came.
-- The counter and the frame's length go to get_from_dec with a packet that is admitted.
-- erase: the packet under way is drained; if it was not admitted yet, it counts as without session.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity put_to_dec is
  generic (
    G_STREAM_BYTES : positive := 8;                       -- W
    G_BYTES : positive := 32;                             -- n
    G_SUITE : natural := 1
  );
  port (
    clk, rst, erase : in std_logic;
    enabled, direction : in std_logic;                    -- direction: of what is sealed here
    session : in slv(31 downto 0);

    s_tdata : in slv(8 * G_STREAM_BYTES - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_length : in length_t;
    s_tready : out std_logic;

    query : out std_logic;
    counter : out unsigned(63 downto 0);
    query_done, look_too_old, look_replayed, none_before : in std_logic;

    about_tvalid : out std_logic;                         -- to get_from_dec: counter and length
    about_length : out length_t;
    about_tready : in std_logic;

    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tkeep : out slv(G_BYTES - 1 downto 0);
    m_tlast, m_tuser, m_tvalid : out std_logic;
    m_tready : in std_logic;

    no_session, bad_type, bad_version, bad_suite, bad_reserved, bad_direction, bad_session, too_old, replayed : out std_logic
  );
end entity;

architecture rtl of put_to_dec is
  constant n : positive := G_BYTES;
  constant W : positive := G_STREAM_BYTES;
  constant PARTS : positive := (HEADER_BYTES + W - 1) / W;
  constant NONCE_KEEP : slv(n - 1 downto 0) := kept(to_unsigned(nonce_bytes(n), length_t'length), n);
  type phase is (IDLE, HEADS, CHECKS, QUERIES, ADMITS, CIPHERS, TAGS);
  signal state : phase := IDLE;
  signal part : natural range 0 to PARTS := 0;
  signal taken : slv(8 * W * PARTS - 1 downto 0) := (others => '0');
  signal header : slv(8 * HEADER_BYTES - 1 downto 0);
  signal left, want : length_t := (others => '0');
  signal has_packet, discard, refuses, there, take : std_logic;
  signal info : slv(length_t'range);
  signal data : slv(8 * W - 1 downto 0);
  signal nonce : slv(8 * nonce_bytes(n) - 1 downto 0);
  signal beat : slv(8 * n - 1 downto 0);
  signal word_last, word_valid, word_ready, beat_valid, beat_ready, forgets, done : std_logic;

  -- Bytes of the header, the first highest.
  function field (bytes : slv(8 * HEADER_BYTES - 1 downto 0); first, last : natural) return slv is
  begin
    return bytes(8 * (HEADER_BYTES - first) - 1 downto 8 * (HEADER_BYTES - 1 - last));
  end function;
begin
  forgets <= rst or erase;
  header <= bytes_reversed(taken(8 * HEADER_BYTES - 1 downto 0));
  counter <= unsigned(field(header, 22, 29));
  query <= '1' when state = QUERIES else '0';
  about_length <= unsigned(info) - OVERHEAD;

  unpack : entity work.axis_unpack
    generic map (G_BYTES => W, G_INFO => length_t'length)
    port map (
      clk => clk, rst => rst, s_tdata => s_tdata, s_tlast => s_tlast, s_tvalid => s_tvalid, s_info => slv(s_length),
      s_tready => s_tready, has_packet => has_packet, info => info, discard => discard, m_data => data, m_want => want,
      m_valid => there, m_take => take);

  want <= least(left, W);
  -- An empty ciphertext is a beat without bytes.
  word_valid <= '1' when (state = CIPHERS and (left = 0 or there = '1')) or (state = TAGS and there = '1') else '0';
  word_last <= '1' when left <= W else '0';
  take <= '1' when state = HEADS else word_ready when state = CIPHERS or state = TAGS else '0';
  done <= '1' when state = TAGS and word_valid = '1' and word_ready = '1' and word_last = '1' else '0';
  discard <= done or refuses or (erase and has_packet);
  about_tvalid <= '1' when state = ADMITS and beat_ready = '1' and erase = '0' else '0';
  beat_valid <= '1' when state = ADMITS and about_tready = '1' and erase = '0' else '0';

  nonce <= "0000000" & not direction & (8 * (nonce_bytes(n) - 13) - 1 downto 0 => '0') & field(header, 18, 29);
  beat <= slv(resize(unsigned(bytes_reversed(nonce)), 8 * n));

  widen : entity work.axis_widen
    generic map (G_IN => W, G_OUT => n)
    port map (
      clk => clk, rst => forgets, s_tdata => data, s_bytes => want, s_tlast => word_last, s_tvalid => word_valid,
      s_tready => word_ready, beat_tdata => beat,
      beat_tkeep => NONCE_KEEP, beat_tuser => '1', beat_tvalid => beat_valid,
      beat_tready => beat_ready, m_tdata => m_tdata, m_tkeep => m_tkeep, m_tlast => m_tlast, m_tuser => m_tuser,
      m_tvalid => m_tvalid, m_tready => m_tready);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      no_session <= '0';
      bad_type <= '0';
      bad_version <= '0';
      bad_suite <= '0';
      bad_reserved <= '0';
      bad_direction <= '0';
      bad_session <= '0';
      too_old <= '0';
      replayed <= '0';
      refuses <= '0';
      case state is
        when IDLE =>
          part <= 0;
          left <= to_unsigned(HEADER_BYTES, length_t'length);
          if has_packet = '1' and refuses = '0' and erase = '0' then
            state <= HEADS;
            if enabled = '0' then
              state <= IDLE;
              no_session <= '1';
              refuses <= '1';
            end if;
          end if;

        when HEADS =>
          if there = '1' then
            for i in 0 to PARTS - 1 loop
              if part = i then
                taken(8 * W * (i + 1) - 1 downto 8 * W * i) <= data;
              end if;
            end loop;
            part <= part + 1;
            left <= left - W;
            if left <= W then
              state <= CHECKS;
            end if;
          end if;

        when CHECKS =>
          state <= IDLE;
          refuses <= '1';
          if field(header, 12, 13) /= PACKET_TYPE then
            bad_type <= '1';
          elsif field(header, 14, 14) /= PACKET_VERSION then
            bad_version <= '1';
          elsif field(header, 15, 15) /= slv(to_unsigned(G_SUITE, 8)) then
            bad_suite <= '1';
          elsif field(header, 17, 17) /= x"00" then
            bad_reserved <= '1';
          elsif field(header, 16, 16) /= "0000000" & not direction then
            bad_direction <= '1';
          elsif field(header, 18, 21) /= session then
            bad_session <= '1';
          else
            state <= QUERIES;
            refuses <= '0';
          end if;

        when QUERIES =>
          if query_done = '1' then
            if look_too_old = '0' and look_replayed = '0' then
              state <= ADMITS;
            elsif none_before = '1' then
              state <= IDLE;
              refuses <= '1';
              too_old <= look_too_old;
              replayed <= look_replayed;
            end if;
          end if;

        when ADMITS =>
          left <= unsigned(info) - OVERHEAD;
          if about_tready = '1' and beat_ready = '1' then
            state <= CIPHERS;
          end if;

        when CIPHERS =>
          if word_valid = '1' and word_ready = '1' then
            left <= left - W;
            if word_last = '1' then
              state <= TAGS;
              left <= to_unsigned(TAG_BYTES, length_t'length);
            end if;
          end if;

        when TAGS =>
          if word_valid = '1' and word_ready = '1' then
            left <= left - W;
            if word_last = '1' then
              state <= IDLE;
            end if;
          end if;
      end case;
      if erase = '1' then
        state <= IDLE;
        refuses <= '0';
        bad_type <= '0';
        bad_version <= '0';
        bad_suite <= '0';
        bad_reserved <= '0';
        bad_direction <= '0';
        bad_session <= '0';
        too_old <= '0';
        replayed <= '0';
        if refuses = '0' and has_packet = '1' and (state = IDLE or state = HEADS or state = CHECKS or state = QUERIES or state = ADMITS) then
          no_session <= '1';
        end if;
      end if;
      if rst = '1' then
        state <= IDLE;
        no_session <= '0';
        refuses <= '0';
      end if;
    end if;
  end process;
end architecture;
