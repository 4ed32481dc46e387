-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- OMD with the interface of the LWC hardware API, W = SW = 32: PDI, SDI and DO.
--
-- Source: the API's specification (lwc_pkg); docs/spec/omd.md.
-- To seal: nonce, associated data, plaintext; out come ciphertext, tag, success. To open: the same with ciphertext, and a tag; out
-- come plaintext and success, or failure alone: of what has a wrong tag nothing is shown (omd_decrypt_buffer). Segments come out
-- with the lengths with which they came in. lwc_input says what is malformed; it is answered with failure, and costs the key.
-- A key is activated before the first message, and for as long as it is good: another erases the core, and so does rst.
-- Nonces are the source's to choose, each once under a key.
-- What is sealed comes out as it goes in, block by block, and may be of any length. What is opened is kept back whole: it
-- has at most G_BEATS blocks and G_SEGMENTS segments; if it has more, the answer is failure. Too many segments are malformed, and
-- cost the key; too many blocks do not.
-- After `rst` PDI and SDI must begin anew, with an instruction.
-- Limits: one message at a time: the next instruction is taken after the status. No hash, no two keys at once. The associated
-- data goes into the core as it comes, for each message anew. The last block that went in stays in registers until the next
-- message, key or rst.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.lwc_pkg.all;

entity omd_lwc is
  generic (
    G_HASH : string := "blake2b";                         -- sha256, sha512, blake2b
    G_BYTES : positive := 64;                             -- n: 32 for sha256, otherwise 64
    G_KEY_BYTES : positive := 32;                         -- a multiple of 4, at most n
    G_TAG_BYTES : positive := 32;                         -- the same
    G_BEATS : positive := 150;
    G_SEGMENTS : positive := 64                           -- a power of two, at least 64
  );
  port (
    clk, rst : in std_logic;
    pdi_data : in word_t;
    pdi_valid : in std_logic;
    pdi_ready : out std_logic;
    sdi_data : in word_t;
    sdi_valid : in std_logic;
    sdi_ready : out std_logic;
    do_data : out word_t;
    do_valid, do_last : out std_logic;
    do_ready : in std_logic
  );
end entity;

architecture rtl of omd_lwc is
  constant n : positive := G_BYTES;
  constant NO_BEAT : slv(8 * n - 1 downto 0) := (others => '0');
  constant NO_AD_BEAT : slv(16 * n - 1 downto 0) := (others => '0');
  signal erase, erases : std_logic;
  signal load_key, key_loaded, key_refused : std_logic;
  signal key_tdata : slv(n - 1 downto 0);
  signal key_tvalid, key_tready : std_logic;

  signal data : slv(31 downto 0);
  signal data_bytes : length_t;
  signal data_last, ad_valid, ad_ready, text_valid, text_ready : std_logic;
  signal ad_tdata : slv(16 * n - 1 downto 0);
  signal ad_tkeep : slv(2 * n - 1 downto 0);
  signal ad_tlast, ad_tvalid, ad_tready : std_logic;
  signal text_tdata : slv(8 * n - 1 downto 0);
  signal text_tkeep : slv(n - 1 downto 0);
  signal text_tlast, text_tvalid, text_tready : std_logic;

  signal core_tdata, buffer_tdata, out_tdata : slv(8 * n - 1 downto 0);
  signal core_tkeep, buffer_tkeep, out_tkeep : slv(n - 1 downto 0);
  signal core_tuser, buffer_tuser : slv(1 downto 0);
  signal core_tlast, core_tvalid, core_tready, buffer_tlast, buffer_tvalid, out_tlast, out_tvalid, out_tready : std_logic;
  signal to_buffer_tvalid, to_buffer_tready, from_buffer_tready : std_logic;
  signal word : slv(31 downto 0);
  signal word_last, word_valid, word_ready : std_logic;
  signal refused : std_logic := '0';

  signal in_length, out_length, out_bytes : length_t;
  signal in_eot, in_valid, segments_full, forgets_segments, out_eot, segment_valid, segment_ready : std_logic;
  signal message_begins, opens, malformed, status_sent : std_logic;
begin
  assert G_TAG_BYTES mod 4 = 0 and G_SEGMENTS >= 64 report "omd_lwc: G_TAG_BYTES or G_SEGMENTS" severity failure;
  erases <= rst or erase;

  secret_input : entity work.lwc_key
    generic map (G_BYTES => n, G_KEY_BYTES => G_KEY_BYTES)
    port map (
      clk => clk, rst => rst, begin_load => load_key, loaded => key_loaded, refused => key_refused, sdi_data => sdi_data,
      sdi_valid => sdi_valid, sdi_ready => sdi_ready, s_key_tdata => key_tdata, s_key_tvalid => key_tvalid,
      s_key_tready => key_tready);

  public_input : entity work.lwc_input
    generic map (G_BYTES => n, G_TAG_BYTES => G_TAG_BYTES)
    port map (
      clk => clk, rst => rst, pdi_data => pdi_data, pdi_valid => pdi_valid, pdi_ready => pdi_ready, load_key => load_key,
      key_loaded => key_loaded, key_refused => key_refused, data => data, data_bytes => data_bytes, data_last => data_last,
      ad_valid => ad_valid, text_valid => text_valid, ad_ready => ad_ready, text_ready => text_ready,
      segment_length => in_length, segment_eot => in_eot, segment_valid => in_valid, segments_full => segments_full,
      message_begins => message_begins, opens => opens, malformed => malformed, erase => erase, status_sent => status_sent);

  widen_ad : entity work.axis_widen
    generic map (G_IN => 4, G_OUT => 2 * n)
    port map (
      clk => clk, rst => erases, s_tdata => data, s_bytes => data_bytes, s_tlast => data_last, s_tvalid => ad_valid,
      s_tready => ad_ready, beat_tdata => NO_AD_BEAT, beat_tkeep => NO_AD_BEAT(2 * n - 1 downto 0), beat_tuser => '0',
      beat_tvalid => '0', beat_tready => open, m_tdata => ad_tdata, m_tkeep => ad_tkeep, m_tlast => ad_tlast, m_tuser => open,
      m_tvalid => ad_tvalid, m_tready => ad_tready);

  widen_text : entity work.axis_widen
    generic map (G_IN => 4, G_OUT => n)
    port map (
      clk => clk, rst => erases, s_tdata => data, s_bytes => data_bytes, s_tlast => data_last, s_tvalid => text_valid,
      s_tready => text_ready, beat_tdata => NO_BEAT, beat_tkeep => NO_BEAT(n - 1 downto 0), beat_tuser => '0',
      beat_tvalid => '0', beat_tready => open, m_tdata => text_tdata, m_tkeep => text_tkeep, m_tlast => text_tlast,
      m_tuser => open, m_tvalid => text_tvalid, m_tready => text_tready);

  core : entity work.omd_core
    generic map (G_HASH => G_HASH, G_BYTES => n, G_TAG_BYTES => G_TAG_BYTES)
    port map (
      clk => clk, rst => rst, zeroise => erase, s_key_tdata => key_tdata, s_key_tvalid => key_tvalid,
      s_key_tready => key_tready, s_ad_tdata => ad_tdata, s_ad_tkeep => ad_tkeep, s_ad_tlast => ad_tlast,
      s_ad_tvalid => ad_tvalid, s_ad_tready => ad_tready, s_axis_tdata => text_tdata, s_axis_tkeep => text_tkeep,
      s_axis_tuser => opens, s_axis_tlast => text_tlast, s_axis_tvalid => text_tvalid, s_axis_tready => text_tready,
      m_axis_tdata => core_tdata, m_axis_tkeep => core_tkeep, m_axis_tuser => core_tuser, m_axis_tlast => core_tlast,
      m_axis_tvalid => core_tvalid, m_axis_tready => core_tready);

  to_buffer_tvalid <= core_tvalid and opens;
  core_tready <= to_buffer_tready when opens = '1' else out_tready;
  keeper : entity work.omd_decrypt_buffer
    generic map (G_BYTES => n, G_BEATS => G_BEATS)
    port map (
      clk => clk, rst => rst, zeroise => erase, erased => open, s_axis_tdata => core_tdata, s_axis_tkeep => core_tkeep,
      s_axis_tuser => core_tuser, s_axis_tlast => core_tlast, s_axis_tvalid => to_buffer_tvalid,
      s_axis_tready => to_buffer_tready, m_axis_tdata => buffer_tdata, m_axis_tkeep => buffer_tkeep,
      m_axis_tuser => buffer_tuser, m_axis_tlast => buffer_tlast, m_axis_tvalid => buffer_tvalid,
      m_axis_tready => from_buffer_tready);

  from_buffer_tready <= out_tready and opens;
  out_tdata <= buffer_tdata when opens = '1' else core_tdata;
  out_tkeep <= buffer_tkeep when opens = '1' else core_tkeep;
  out_bytes <= count_of(out_tkeep);
  out_tlast <= buffer_tlast when opens = '1' else core_tlast;
  out_tvalid <= buffer_tvalid when opens = '1' else core_tvalid;

  verdict : process (clk)
  begin
    if rising_edge(clk) then
      if out_tvalid = '1' and out_tready = '1' then
        refused <= opens and buffer_tuser(1);
      end if;
      if erases = '1' then
        refused <= '0';
      end if;
    end if;
  end process;

  narrow : entity work.axis_narrow
    generic map (G_IN => n, G_OUT => 4)
    port map (
      clk => clk, rst => erases, s_tdata => out_tdata, s_bytes => out_bytes, s_tlast => out_tlast,
      s_tvalid => out_tvalid, s_tready => out_tready, m_tdata => word, m_bytes => open, m_tlast => word_last,
      m_tvalid => word_valid, m_tready => word_ready);

  -- Those of a message that was refused have not come out.
  forgets_segments <= erases or message_begins;
  segment_queue : entity work.lwc_segments
    generic map (G_SEGMENTS => G_SEGMENTS)
    port map (
      clk => clk, rst => forgets_segments, s_length => in_length, s_eot => in_eot, s_valid => in_valid, full => segments_full,
      m_length => out_length, m_eot => out_eot, m_valid => segment_valid, m_ready => segment_ready);

  data_output : entity work.lwc_output
    generic map (G_TAG_BYTES => G_TAG_BYTES)
    port map (
      clk => clk, rst => rst, message_begins => message_begins, opens => opens, malformed => malformed,
      status_sent => status_sent, segment_length => out_length, segment_eot => out_eot, segment_valid => segment_valid,
      segment_ready => segment_ready, word => word, word_last => word_last, word_refused => refused,
      word_valid => word_valid, word_ready => word_ready, do_data => do_data, do_valid => do_valid, do_last => do_last,
      do_ready => do_ready);
end architecture;
