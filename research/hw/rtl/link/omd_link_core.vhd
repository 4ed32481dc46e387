-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The path of frames of omd_link, without its interfaces, keys and registers: four FIFOs, and what lies between them in
-- clk_core.
--
-- Source: research/hw/docs/packet-format.md; the paper's figure 2. Everything but the FIFOs' outer sides is in clk_core.
-- erase: at least four cycles; then `erased` says when all is gone. What was sealed, or opened, stays in the FIFO to
-- its interface.
-- Limits: plaintext in the FIFOs' memories is not erased.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.omd_link_regs.all;

entity omd_link_core is
  generic (
    G_HASH : string := "sha256";
    G_BYTES : positive := 32;                             -- n
    G_HALF_ROUND : boolean := false;
    G_SUITE : natural := 1;
    G_STREAM_BYTES : positive := 8;                       -- W
    G_MAX_FRAME : positive := 9600;
    G_WINDOW : positive := 128;
    G_FIFO_BYTES : positive := 32768;
    G_FIFO_PACKETS : positive := 64;
    G_LAST : unsigned(63 downto 0) := (others => '1')
  );
  port (
    clk_ptxt, rst_ptxt, clk_core, rst_core, clk_ctxt, rst_ctxt : in std_logic;

    -- Of a session.
    erase : in std_logic;
    erased : out std_logic;
    enabled, direction : in std_logic;
    session : in slv(31 downto 0);
    destination, source : in slv(47 downto 0);
    rekey_limit : in unsigned(63 downto 0);
    counter : out unsigned(63 downto 0);
    exhausted, rekey_due, forged : out std_logic;
    key_tdata : in slv(G_BYTES - 1 downto 0);
    seal_key_tvalid, open_key_tvalid : in std_logic;
    seal_key_tready, open_key_tready : out std_logic;
    l_star, seal_tag_a, open_tag_a : in slv(8 * G_BYTES - 1 downto 0);
    counts : out event_counts(0 to COUNTERS - 1);         -- those of clk_core; the others are 0

    ptxt_in_tdata : in slv(8 * G_STREAM_BYTES - 1 downto 0);
    ptxt_in_tlast, ptxt_in_drop, ptxt_in_tvalid : in std_logic;
    ptxt_in_info : in slv(length_t'range);
    ptxt_in_tready, ptxt_overflow : out std_logic;
    ptxt_out_tdata : out slv(8 * G_STREAM_BYTES - 1 downto 0);
    ptxt_out_tlast, ptxt_out_tvalid : out std_logic;
    ptxt_out_info : out slv(length_t'range);
    ptxt_out_tready : in std_logic;

    ctxt_in_tdata : in slv(8 * G_STREAM_BYTES - 1 downto 0);
    ctxt_in_tlast, ctxt_in_drop, ctxt_in_tvalid : in std_logic;
    ctxt_in_info : in slv(length_t'range);
    ctxt_in_tready, ctxt_overflow : out std_logic;
    ctxt_out_tdata : out slv(8 * G_STREAM_BYTES - 1 downto 0);
    ctxt_out_tlast, ctxt_out_tvalid : out std_logic;
    ctxt_out_info : out slv(length_t'range);
    ctxt_out_tready : in std_logic
  );
end entity;

architecture rtl of omd_link_core is
  constant n : positive := G_BYTES;
  constant W : positive := G_STREAM_BYTES;
  constant LENGTH : positive := length_t'length;
  subtype stream_t is slv(8 * W - 1 downto 0);
  subtype block_t is slv(8 * n - 1 downto 0);

  signal forgets : std_logic;

  -- Sealing: FIFO, put, encrypt, get, FIFO.
  signal plain_tdata, packet_tdata : stream_t;
  signal plain_tlast, plain_tvalid, plain_tready, packet_tlast, packet_tvalid, packet_tready : std_logic;
  signal plain_info : slv(length_t'range);
  signal packet_length : length_t;
  signal to_seal_tdata, sealed_tdata : block_t;
  signal to_seal_tkeep : slv(n - 1 downto 0);
  signal to_seal_tlast, to_seal_tvalid, to_seal_tready, sealed_tvalid, sealed_tready : std_logic;
  signal next_counter, seal_counter : unsigned(63 downto 0);
  signal counter_valid, counter_take, refuses : std_logic;
  signal seal_about : slv(64 + LENGTH - 1 downto 0);
  signal seal_admits, seal_admits_ready, seal_about_tvalid, seal_about_tready, seal_begins : std_logic;
  signal seal_done, seal_refused, seal_lost : std_logic;

  -- Opening: FIFO, put, decrypt, get, FIFO.
  signal cipher_tdata, frame_tdata : stream_t;
  signal cipher_tlast, cipher_tvalid, cipher_tready, frame_tlast, frame_tvalid, frame_tready : std_logic;
  signal cipher_info : slv(length_t'range);
  signal frame_length, open_length : length_t;
  signal to_open_tdata, opened_tdata : block_t;
  signal to_open_tkeep : slv(n - 1 downto 0);
  signal to_open_tlast, to_open_tuser, to_open_tvalid, to_open_tready : std_logic;
  signal opened_tlast, opened_refused, opened_tvalid, opened_tready : std_logic;
  signal open_counter : unsigned(63 downto 0);
  signal open_about : slv(64 + LENGTH - 1 downto 0);
  signal open_admits, open_admits_ready, open_about_tvalid, open_about_tready, open_begins, open_ends : std_logic;
  signal open_lost, none_before : std_logic;
  signal query, query_done, take, take_opens, take_done, is_too_old, is_replayed : std_logic;
  signal buffer_erased, window_erased : std_logic;
  signal put_no_session, bad_type, bad_version, bad_suite, bad_reserved, bad_direction, bad_session : std_logic;
  signal put_too_old, put_replayed, got, get_too_old, get_replayed, bad_tag : std_logic;

  signal events : slv(0 to COUNTERS - 1) := (others => '0');

  function is_of_core (i : natural) return boolean is
  begin
    return i = COUNT_SEALED or i = COUNT_PLAIN_NO_SESSION or i = COUNT_OPENED or i >= COUNT_NO_SESSION;
  end function;
begin
  assert G_FIFO_BYTES >= G_MAX_FRAME + OVERHEAD + W report "omd_link_core: a FIFO must have room for a packet"
    severity failure;

  forgets <= rst_core or erase;
  erased <= buffer_erased and window_erased;

  fifo_ptxt : entity work.packet_fifo
    generic map (G_BITS => 8 * W, G_INFO => LENGTH, G_BEATS => G_FIFO_BYTES / W, G_PACKETS => G_FIFO_PACKETS)
    port map (
      wr_clk => clk_ptxt, wr_rst => rst_ptxt, s_tdata => ptxt_in_tdata, s_tlast => ptxt_in_tlast, s_drop => ptxt_in_drop,
      s_tvalid => ptxt_in_tvalid, s_info => ptxt_in_info, s_tready => ptxt_in_tready, overflow => ptxt_overflow,
      rd_clk => clk_core, rd_rst => rst_core, m_tdata => plain_tdata, m_tlast => plain_tlast, m_tvalid => plain_tvalid,
      m_info => plain_info, m_tready => plain_tready);

  nonces : entity work.nonce_gen
    generic map (G_LAST => G_LAST)
    port map (
      clk => clk_core, rst => rst_core, enabled => enabled, rekey_limit => rekey_limit, counter => next_counter,
      valid => counter_valid, take => counter_take, refuses => refuses, exhausted => exhausted, rekey_due => rekey_due);
  counter <= next_counter;

  put_plain : entity work.put_to_enc
    generic map (G_STREAM_BYTES => W, G_BYTES => n)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, s_tdata => plain_tdata, s_tlast => plain_tlast, s_tvalid => plain_tvalid,
      s_length => unsigned(plain_info), s_tready => plain_tready, direction => direction, session => session,
      counter => next_counter, counter_valid => counter_valid, refuses => refuses, counter_take => counter_take,
      about_tvalid => seal_admits, about_tready => seal_admits_ready, m_tdata => to_seal_tdata,
      m_tkeep => to_seal_tkeep, m_tlast => to_seal_tlast, m_tvalid => to_seal_tvalid, m_tready => to_seal_tready,
      no_session => seal_refused);

  seal_queue : entity work.axis_skid
    generic map (G_BITS => 64 + LENGTH)
    port map (
      clk => clk_core, rst => forgets, s_beat => slv(next_counter) & plain_info, s_tvalid => seal_admits,
      s_tready => seal_admits_ready, m_beat => seal_about, m_tvalid => seal_about_tvalid, m_tready => seal_about_tready);
  seal_begins <= seal_admits and seal_admits_ready;
  seal_counter <= unsigned(seal_about(64 + LENGTH - 1 downto LENGTH));

  seals : entity work.encrypt
    generic map (G_HASH => G_HASH, G_BYTES => n, G_HALF_ROUND => G_HALF_ROUND)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, key_tdata => key_tdata, key_tvalid => seal_key_tvalid,
      key_tready => seal_key_tready, l_star => l_star, tag_a => seal_tag_a, s_tdata => to_seal_tdata,
      s_tkeep => to_seal_tkeep, s_tlast => to_seal_tlast, s_tvalid => to_seal_tvalid, s_tready => to_seal_tready,
      m_tdata => sealed_tdata, m_tvalid => sealed_tvalid, m_tready => sealed_tready);

  get_packet : entity work.get_from_enc
    generic map (G_STREAM_BYTES => W, G_BYTES => n, G_SUITE => G_SUITE)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, destination => destination, source => source, direction => direction,
      session => session, about_counter => seal_counter, about_length => unsigned(seal_about(LENGTH - 1 downto 0)),
      about_tvalid => seal_about_tvalid, about_tready => seal_about_tready, s_tdata => sealed_tdata,
      s_tvalid => sealed_tvalid, s_tready => sealed_tready, m_tdata => packet_tdata, m_tlast => packet_tlast,
      m_tvalid => packet_tvalid, m_length => packet_length, m_tready => packet_tready, sealed => seal_done);

  seal_flight : entity work.in_flight
    port map (
      clk => clk_core, rst => rst_core, erase => erase, begins => seal_begins, ends => seal_done, waits => seal_refused,
      none => open, lost => seal_lost);

  fifo_enc : entity work.packet_fifo
    generic map (
      G_BITS => 8 * W, G_INFO => LENGTH, G_BEATS => G_FIFO_BYTES / W, G_PACKETS => G_FIFO_PACKETS, G_DROPS => false)
    port map (
      wr_clk => clk_core, wr_rst => rst_core, s_tdata => packet_tdata, s_tlast => packet_tlast, s_tvalid => packet_tvalid,
      s_info => slv(packet_length), s_tready => packet_tready, abort => erase, overflow => open, rd_clk => clk_ctxt,
      rd_rst => rst_ctxt, m_tdata => ctxt_out_tdata, m_tlast => ctxt_out_tlast, m_tvalid => ctxt_out_tvalid,
      m_info => ctxt_out_info, m_tready => ctxt_out_tready);

  fifo_ctxt : entity work.packet_fifo
    generic map (G_BITS => 8 * W, G_INFO => LENGTH, G_BEATS => G_FIFO_BYTES / W, G_PACKETS => G_FIFO_PACKETS)
    port map (
      wr_clk => clk_ctxt, wr_rst => rst_ctxt, s_tdata => ctxt_in_tdata, s_tlast => ctxt_in_tlast, s_drop => ctxt_in_drop,
      s_tvalid => ctxt_in_tvalid, s_info => ctxt_in_info, s_tready => ctxt_in_tready, overflow => ctxt_overflow,
      rd_clk => clk_core, rd_rst => rst_core, m_tdata => cipher_tdata, m_tlast => cipher_tlast, m_tvalid => cipher_tvalid,
      m_info => cipher_info, m_tready => cipher_tready);

  put_cipher : entity work.put_to_dec
    generic map (G_STREAM_BYTES => W, G_BYTES => n, G_SUITE => G_SUITE)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, enabled => enabled, direction => direction, session => session,
      s_tdata => cipher_tdata, s_tlast => cipher_tlast, s_tvalid => cipher_tvalid, s_length => unsigned(cipher_info),
      s_tready => cipher_tready, query => query, counter => open_counter, query_done => query_done,
      look_too_old => is_too_old, look_replayed => is_replayed, none_before => none_before,
      about_tvalid => open_admits, about_length => open_length, about_tready => open_admits_ready,
      m_tdata => to_open_tdata, m_tkeep => to_open_tkeep, m_tlast => to_open_tlast, m_tuser => to_open_tuser,
      m_tvalid => to_open_tvalid, m_tready => to_open_tready, no_session => put_no_session, bad_type => bad_type,
      bad_version => bad_version, bad_suite => bad_suite, bad_reserved => bad_reserved, bad_direction => bad_direction,
      bad_session => bad_session, too_old => put_too_old, replayed => put_replayed);

  open_queue : entity work.axis_skid
    generic map (G_BITS => 64 + LENGTH)
    port map (
      clk => clk_core, rst => forgets, s_beat => slv(open_counter) & slv(open_length), s_tvalid => open_admits,
      s_tready => open_admits_ready, m_beat => open_about, m_tvalid => open_about_tvalid, m_tready => open_about_tready);
  open_begins <= open_admits and open_admits_ready;

  opens : entity work.decrypt
    generic map (G_HASH => G_HASH, G_BYTES => n, G_HALF_ROUND => G_HALF_ROUND, G_MAX_FRAME => G_MAX_FRAME)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, erased => buffer_erased, key_tdata => key_tdata,
      key_tvalid => open_key_tvalid, key_tready => open_key_tready, l_star => l_star, tag_a => open_tag_a,
      s_tdata => to_open_tdata, s_tkeep => to_open_tkeep, s_tlast => to_open_tlast, s_tuser => to_open_tuser,
      s_tvalid => to_open_tvalid, s_tready => to_open_tready, m_tdata => opened_tdata, m_tlast => opened_tlast,
      m_refused => opened_refused, m_tvalid => opened_tvalid, m_tready => opened_tready);

  replays : entity work.replay_window
    generic map (G_WINDOW => G_WINDOW)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, erased => window_erased, query => query, take => take, opens => take_opens,
      query_counter => open_counter, take_counter => unsigned(open_about(64 + LENGTH - 1 downto LENGTH)),
      query_done => query_done, take_done => take_done, too_old => is_too_old, replayed => is_replayed);

  get_frame : entity work.get_from_dec
    generic map (G_STREAM_BYTES => W, G_BYTES => n)
    port map (
      clk => clk_core, rst => rst_core, erase => erase, about_length => unsigned(open_about(LENGTH - 1 downto 0)),
      about_tvalid => open_about_tvalid, about_tready => open_about_tready, take => take, opens => take_opens,
      take_done => take_done, take_too_old => is_too_old, take_replayed => is_replayed, s_tdata => opened_tdata,
      s_tlast => opened_tlast, s_refused => opened_refused, s_tvalid => opened_tvalid, s_tready => opened_tready,
      m_tdata => frame_tdata, m_tlast => frame_tlast, m_tvalid => frame_tvalid, m_length => frame_length,
      m_tready => frame_tready, opened => got, too_old => get_too_old, replayed => get_replayed, bad_tag => bad_tag);
  open_ends <= got or get_too_old or get_replayed or bad_tag;

  open_flight : entity work.in_flight
    port map (
      clk => clk_core, rst => rst_core, erase => erase, begins => open_begins, ends => open_ends, waits => put_no_session,
      none => none_before, lost => open_lost);

  fifo_dec : entity work.packet_fifo
    generic map (
      G_BITS => 8 * W, G_INFO => LENGTH, G_BEATS => G_FIFO_BYTES / W, G_PACKETS => G_FIFO_PACKETS, G_DROPS => false)
    port map (
      wr_clk => clk_core, wr_rst => rst_core, s_tdata => frame_tdata, s_tlast => frame_tlast, s_tvalid => frame_tvalid,
      s_info => slv(frame_length), s_tready => frame_tready, abort => erase, overflow => open, rd_clk => clk_ptxt,
      rd_rst => rst_ptxt, m_tdata => ptxt_out_tdata, m_tlast => ptxt_out_tlast, m_tvalid => ptxt_out_tvalid,
      m_info => ptxt_out_info, m_tready => ptxt_out_tready);

  forged <= bad_tag;

  events(COUNT_SEALED) <= seal_done;
  events(COUNT_PLAIN_NO_SESSION) <= seal_refused or seal_lost;
  events(COUNT_OPENED) <= got;
  events(COUNT_NO_SESSION) <= put_no_session or open_lost;
  events(COUNT_TYPE) <= bad_type;
  events(COUNT_VERSION) <= bad_version;
  events(COUNT_SUITE) <= bad_suite;
  events(COUNT_RESERVED) <= bad_reserved;
  events(COUNT_DIRECTION) <= bad_direction;
  events(COUNT_SESSION) <= bad_session;
  -- Not at once: what put refuses, it refuses when there is nothing to get.
  events(COUNT_TOO_OLD) <= put_too_old or get_too_old;
  events(COUNT_REPLAYED) <= put_replayed or get_replayed;
  events(COUNT_TAG) <= bad_tag;
  count : for i in 0 to COUNTERS - 1 generate
    here : if is_of_core(i) generate
      counter_of_event : entity work.event_count port map (clk => clk_core, rst => rst_core, happens => events(i), count => counts(i));
    end generate;
    elsewhere : if not is_of_core(i) generate
      events(i) <= '0';
      counts(i) <= (others => '0');
    end generate;
  end generate;
end architecture;
