-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- One end of a link: frames of the trusted side are sealed and sent to the untrusted one, and packets of that opened.
--
-- Source: research/hw/docs/packet-format.md; figure 2 of the paper, whose names the entities have. research/hw/docs/registers.md has the
-- registers.
-- Three clocks without relation: clk_ptxt, clk_core and clk_ctxt, of the plaintext's streams, of the cores and
-- registers, of the packets' streams. Any aresetn resets all; each clock is released after its own, in any order.
-- Streams: AXI4-Stream, the first byte lowest, tkeep without holes, full beats but the last, a frame per tlast, without
-- its check sequence. tuser = 1 with any beat of a frame that comes: it is erroneous. What comes is taken in every
-- cycle: a frame for which there is no room is dropped whole. Every output comes of a register, and nothing
-- combinational leads from one interface to another.
-- Events are counted rightly if within 34 cycles of clk_core fewer than 256 of a kind occur.
-- Security: sections 3 and 6 there. Keys and what the cores hold are erased by `zeroise`, `stop` and reset; frames in
-- the FIFOs' memories are not overwritten.
-- Limits: the identifiers are drawn by the driver, not here, and the epochs in them are its own to keep.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;
use work.omd_link_regs.all;

entity omd_link is
  generic (
    G_HASH : string := "sha256";                          -- sha256, sha512, blake2b
    G_HALF_ROUND : boolean := false;                      -- blake2b: half a round per cycle
    G_WIDTH : positive := 64;                             -- bits of a beat: 32, 64, 128, 256, 512, at most 8n
    G_MIN_FRAME : natural := 14;                          -- bytes
    G_MAX_FRAME : positive := 9600;
    G_WINDOW : positive := 128;                           -- packets; a power of two
    G_FIFO_BYTES : positive := 32768;                     -- of each of the four; a power of two
    G_FIFO_PACKETS : positive := 64;                      -- at most, in each; a power of two
    G_LAST : unsigned(63 downto 0) := (others => '1')     -- the first counter that is not used
  );
  port (
    clk_ptxt, ptxt_aresetn : in std_logic;
    s_ptxt_tdata : in slv(G_WIDTH - 1 downto 0);
    s_ptxt_tkeep : in slv(G_WIDTH / 8 - 1 downto 0);
    s_ptxt_tlast, s_ptxt_tuser, s_ptxt_tvalid : in std_logic;
    s_ptxt_tready : out std_logic;
    m_ptxt_tdata : out slv(G_WIDTH - 1 downto 0);
    m_ptxt_tkeep : out slv(G_WIDTH / 8 - 1 downto 0);
    m_ptxt_tlast, m_ptxt_tvalid : out std_logic;
    m_ptxt_tready : in std_logic;

    clk_ctxt, ctxt_aresetn : in std_logic;
    s_ctxt_tdata : in slv(G_WIDTH - 1 downto 0);
    s_ctxt_tkeep : in slv(G_WIDTH / 8 - 1 downto 0);
    s_ctxt_tlast, s_ctxt_tuser, s_ctxt_tvalid : in std_logic;
    s_ctxt_tready : out std_logic;
    m_ctxt_tdata : out slv(G_WIDTH - 1 downto 0);
    m_ctxt_tkeep : out slv(G_WIDTH / 8 - 1 downto 0);
    m_ctxt_tlast, m_ctxt_tvalid : out std_logic;
    m_ctxt_tready : in std_logic;

    clk_core, core_aresetn : in std_logic;
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
    interrupt : out std_logic
  );
end entity;

architecture rtl of omd_link is
  constant n : positive := bytes_of(G_HASH);
  constant W : positive := G_WIDTH / 8;

  function suite_of (hash : string) return positive is
  begin
    if hash = "sha256" then
      return 1;
    elsif hash = "sha512" then
      return 2;
    end if;
    return 3;
  end function;
  constant SUITE : positive := suite_of(G_HASH);

  signal aresetn, rst_ptxt, rst_core, rst_ctxt : std_logic;

  signal word : slv(31 downto 0);
  signal index : natural range 0 to 15;
  signal write_master, write_own, write_peer, write_confirmation : std_logic;
  signal role, derive, enable, stop, zeroise, may_derive, may_enable, may_write, may_confirm : std_logic;
  signal has_master, derived, busy, enabled, no_own_epoch, no_peer_epoch, refused, ended, was_erased : std_logic;
  signal own_confirmation : slv(127 downto 0);
  signal session : slv(31 downto 0);
  signal destination, source : slv(47 downto 0);
  signal counter, rekey_limit : unsigned(63 downto 0);
  signal exhausted, rekey_due, forged, erase, erased, direction : std_logic;
  signal key_tdata : slv(n - 1 downto 0);
  signal seal_key_tvalid, seal_key_tready, open_key_tvalid, open_key_tready : std_logic;
  signal l_star, seal_tag_a, open_tag_a : slv(8 * n - 1 downto 0);
  signal counts, counts_of_core : event_counts(0 to COUNTERS - 1);

  -- From an interface to its FIFO, and from a FIFO to its interface: plaintext's side, and the packets'.
  signal p_in_tdata, p_fifo_tdata, p_send_tdata, p_out_tdata : slv(8 * W - 1 downto 0);
  signal p_in_tlast, p_in_bad, p_in_tvalid, p_in_tready, p_fifo_tlast, p_fifo_drop, p_fifo_tvalid, p_fifo_tready : std_logic;
  signal p_overflow, p_holed, p_errored, p_oversize, p_short : std_logic;
  signal p_send_tlast, p_send_tvalid, p_send_tready, p_out_tlast, p_out_tvalid, p_out_tready : std_logic;
  signal p_in_length : length_t;
  signal p_fifo_info, p_send_info : slv(length_t'range);
  signal p_out_tkeep : slv(W - 1 downto 0);
  signal c_in_tdata, c_fifo_tdata, c_send_tdata, c_out_tdata : slv(8 * W - 1 downto 0);
  signal c_in_tlast, c_in_bad, c_in_tvalid, c_in_tready, c_fifo_tlast, c_fifo_drop, c_fifo_tvalid, c_fifo_tready : std_logic;
  signal c_overflow, c_holed, c_errored, c_oversize, c_short : std_logic;
  signal c_send_tlast, c_send_tvalid, c_send_tready, c_out_tlast, c_out_tvalid, c_out_tready : std_logic;
  signal c_in_length : length_t;
  signal c_fifo_info, c_send_info : slv(length_t'range);
  signal c_out_tkeep : slv(W - 1 downto 0);
begin
  assert G_WIDTH = 32 or G_WIDTH = 64 or G_WIDTH = 128 or G_WIDTH = 256 or (G_WIDTH = 512 and n = 64)
    report "omd_link: G_WIDTH is 32, 64, 128, 256 or 512, and at most 8n" severity failure;

  aresetn <= ptxt_aresetn and core_aresetn and ctxt_aresetn;
  reset_of_ptxt : entity work.reset_sync port map (clk => clk_ptxt, aresetn => aresetn, rst => rst_ptxt);
  reset_of_core : entity work.reset_sync port map (clk => clk_core, aresetn => aresetn, rst => rst_core);
  reset_of_ctxt : entity work.reset_sync port map (clk => clk_ctxt, aresetn => aresetn, rst => rst_ctxt);

  ptxt_if : entity work.frame_if
    generic map (G_BYTES => W, G_MIN => G_MIN_FRAME, G_MAX => G_MAX_FRAME)
    port map (
      clk => clk_ptxt, rst => rst_ptxt, s_axis_tdata => s_ptxt_tdata, s_axis_tkeep => s_ptxt_tkeep,
      s_axis_tlast => s_ptxt_tlast, s_axis_tuser => s_ptxt_tuser, s_axis_tvalid => s_ptxt_tvalid,
      s_axis_tready => s_ptxt_tready, m_axis_tdata => m_ptxt_tdata, m_axis_tkeep => m_ptxt_tkeep,
      m_axis_tlast => m_ptxt_tlast, m_axis_tvalid => m_ptxt_tvalid, m_axis_tready => m_ptxt_tready,
      in_tdata => p_in_tdata, in_tlast => p_in_tlast, in_bad => p_in_bad, in_tvalid => p_in_tvalid,
      in_length => p_in_length, in_tready => p_in_tready, holed => p_holed, errored => p_errored,
      oversize => p_oversize, short => p_short, out_tdata => p_out_tdata, out_tkeep => p_out_tkeep,
      out_tlast => p_out_tlast, out_tvalid => p_out_tvalid, out_tready => p_out_tready);
  ptxt_receive : entity work.receive
    generic map (G_BYTES => W)
    port map (
      clk => clk_ptxt, rst => rst_ptxt, s_tdata => p_in_tdata, s_tlast => p_in_tlast, s_bad => p_in_bad,
      s_tvalid => p_in_tvalid, s_length => p_in_length, s_tready => p_in_tready, holed => p_holed, errored => p_errored,
      oversize => p_oversize, short => p_short, m_tdata => p_fifo_tdata, m_tlast => p_fifo_tlast, m_drop => p_fifo_drop,
      m_tvalid => p_fifo_tvalid, m_info => p_fifo_info, m_tready => p_fifo_tready, overflow => p_overflow,
      holed_count => counts(COUNT_PLAIN_HOLED), errored_count => counts(COUNT_PLAIN_ERRORED),
      oversize_count => counts(COUNT_PLAIN_OVERSIZE), short_count => counts(COUNT_PLAIN_SHORT),
      overflow_count => counts(COUNT_PLAIN_OVERFLOW));
  ptxt_send : entity work.send
    generic map (G_BYTES => W)
    port map (
      s_tdata => p_send_tdata, s_tlast => p_send_tlast, s_tvalid => p_send_tvalid, s_length => unsigned(p_send_info),
      s_tready => p_send_tready, m_tdata => p_out_tdata, m_tkeep => p_out_tkeep, m_tlast => p_out_tlast,
      m_tvalid => p_out_tvalid, m_tready => p_out_tready);

  ctxt_if : entity work.frame_if
    generic map (G_BYTES => W, G_MIN => G_MIN_FRAME + OVERHEAD, G_MAX => G_MAX_FRAME + OVERHEAD)
    port map (
      clk => clk_ctxt, rst => rst_ctxt, s_axis_tdata => s_ctxt_tdata, s_axis_tkeep => s_ctxt_tkeep,
      s_axis_tlast => s_ctxt_tlast, s_axis_tuser => s_ctxt_tuser, s_axis_tvalid => s_ctxt_tvalid,
      s_axis_tready => s_ctxt_tready, m_axis_tdata => m_ctxt_tdata, m_axis_tkeep => m_ctxt_tkeep,
      m_axis_tlast => m_ctxt_tlast, m_axis_tvalid => m_ctxt_tvalid, m_axis_tready => m_ctxt_tready,
      in_tdata => c_in_tdata, in_tlast => c_in_tlast, in_bad => c_in_bad, in_tvalid => c_in_tvalid,
      in_length => c_in_length, in_tready => c_in_tready, holed => c_holed, errored => c_errored,
      oversize => c_oversize, short => c_short, out_tdata => c_out_tdata, out_tkeep => c_out_tkeep,
      out_tlast => c_out_tlast, out_tvalid => c_out_tvalid, out_tready => c_out_tready);
  ctxt_receive : entity work.receive
    generic map (G_BYTES => W)
    port map (
      clk => clk_ctxt, rst => rst_ctxt, s_tdata => c_in_tdata, s_tlast => c_in_tlast, s_bad => c_in_bad,
      s_tvalid => c_in_tvalid, s_length => c_in_length, s_tready => c_in_tready, holed => c_holed, errored => c_errored,
      oversize => c_oversize, short => c_short, m_tdata => c_fifo_tdata, m_tlast => c_fifo_tlast, m_drop => c_fifo_drop,
      m_tvalid => c_fifo_tvalid, m_info => c_fifo_info, m_tready => c_fifo_tready, overflow => c_overflow,
      holed_count => counts(COUNT_HOLED), errored_count => counts(COUNT_ERRORED),
      oversize_count => counts(COUNT_OVERSIZE), short_count => counts(COUNT_SHORT),
      overflow_count => counts(COUNT_OVERFLOW));
  ctxt_send : entity work.send
    generic map (G_BYTES => W)
    port map (
      s_tdata => c_send_tdata, s_tlast => c_send_tlast, s_tvalid => c_send_tvalid, s_length => unsigned(c_send_info),
      s_tready => c_send_tready, m_tdata => c_out_tdata, m_tkeep => c_out_tkeep, m_tlast => c_out_tlast,
      m_tvalid => c_out_tvalid, m_tready => c_out_tready);

  path : entity work.omd_link_core
    generic map (
      G_HASH => G_HASH, G_BYTES => n, G_HALF_ROUND => G_HALF_ROUND, G_SUITE => SUITE, G_STREAM_BYTES => W,
      G_MAX_FRAME => G_MAX_FRAME, G_WINDOW => G_WINDOW, G_FIFO_BYTES => G_FIFO_BYTES, G_FIFO_PACKETS => G_FIFO_PACKETS,
      G_LAST => G_LAST)
    port map (
      clk_ptxt => clk_ptxt, rst_ptxt => rst_ptxt, clk_core => clk_core, rst_core => rst_core, clk_ctxt => clk_ctxt,
      rst_ctxt => rst_ctxt, erase => erase, erased => erased, enabled => enabled, direction => direction,
      session => session, destination => destination, source => source, rekey_limit => rekey_limit, counter => counter,
      exhausted => exhausted, rekey_due => rekey_due, forged => forged, key_tdata => key_tdata,
      seal_key_tvalid => seal_key_tvalid, open_key_tvalid => open_key_tvalid, seal_key_tready => seal_key_tready,
      open_key_tready => open_key_tready, l_star => l_star, seal_tag_a => seal_tag_a, open_tag_a => open_tag_a,
      counts => counts_of_core,
      ptxt_in_tdata => p_fifo_tdata, ptxt_in_tlast => p_fifo_tlast, ptxt_in_drop => p_fifo_drop,
      ptxt_in_tvalid => p_fifo_tvalid, ptxt_in_info => p_fifo_info, ptxt_in_tready => p_fifo_tready,
      ptxt_overflow => p_overflow, ptxt_out_tdata => p_send_tdata, ptxt_out_tlast => p_send_tlast,
      ptxt_out_tvalid => p_send_tvalid, ptxt_out_info => p_send_info, ptxt_out_tready => p_send_tready,
      ctxt_in_tdata => c_fifo_tdata, ctxt_in_tlast => c_fifo_tlast, ctxt_in_drop => c_fifo_drop,
      ctxt_in_tvalid => c_fifo_tvalid, ctxt_in_info => c_fifo_info, ctxt_in_tready => c_fifo_tready,
      ctxt_overflow => c_overflow, ctxt_out_tdata => c_send_tdata, ctxt_out_tlast => c_send_tlast,
      ctxt_out_tvalid => c_send_tvalid, ctxt_out_info => c_send_info, ctxt_out_tready => c_send_tready);

  counts(COUNT_SEALED) <= counts_of_core(COUNT_SEALED);
  counts(COUNT_PLAIN_NO_SESSION) <= counts_of_core(COUNT_PLAIN_NO_SESSION);
  counts(COUNT_OPENED) <= counts_of_core(COUNT_OPENED);
  counts(COUNT_NO_SESSION to COUNTERS - 1) <= counts_of_core(COUNT_NO_SESSION to COUNTERS - 1);

  keys : entity work.ks_gen
    generic map (
      G_HASH => G_HASH, G_BYTES => n, G_TAG_BYTES => TAG_BYTES, G_SUITE => SUITE, G_HALF_ROUND => G_HALF_ROUND)
    port map (
      clk => clk_core, rst => rst_core, word => word, index => index, write_master => write_master,
      write_own => write_own, write_peer => write_peer, write_confirmation => write_confirmation, role => role,
      derive => derive, enable => enable, stop => stop, zeroise => zeroise, may_derive => may_derive,
      may_enable => may_enable, may_write => may_write, may_confirm => may_confirm, has_master => has_master,
      derived => derived, busy => busy, no_own_epoch => no_own_epoch, no_peer_epoch => no_peer_epoch,
      refused => refused, ended => ended, was_erased => was_erased,
      own_confirmation => own_confirmation, erase => erase, erased => erased, enabled => enabled,
      direction => direction, session => session, key_tdata => key_tdata, seal_key_tvalid => seal_key_tvalid,
      open_key_tvalid => open_key_tvalid, seal_key_tready => seal_key_tready, open_key_tready => open_key_tready,
      l_star => l_star, seal_tag_a => seal_tag_a, open_tag_a => open_tag_a);

  control : entity work.registers
    generic map (
      G_SUITE => SUITE, G_BYTES => n, G_STREAM_BYTES => W, G_WINDOW => G_WINDOW, G_MIN_FRAME => G_MIN_FRAME,
      G_MAX_FRAME => G_MAX_FRAME)
    port map (
      clk => clk_core, rst => rst_core, s_axil_awaddr => s_axil_awaddr, s_axil_awprot => s_axil_awprot,
      s_axil_awvalid => s_axil_awvalid, s_axil_awready => s_axil_awready, s_axil_wdata => s_axil_wdata,
      s_axil_wstrb => s_axil_wstrb, s_axil_wvalid => s_axil_wvalid, s_axil_wready => s_axil_wready,
      s_axil_bresp => s_axil_bresp, s_axil_bvalid => s_axil_bvalid, s_axil_bready => s_axil_bready,
      s_axil_araddr => s_axil_araddr, s_axil_arprot => s_axil_arprot, s_axil_arvalid => s_axil_arvalid,
      s_axil_arready => s_axil_arready, s_axil_rdata => s_axil_rdata, s_axil_rresp => s_axil_rresp,
      s_axil_rvalid => s_axil_rvalid, s_axil_rready => s_axil_rready, interrupt => interrupt, word => word,
      index => index, write_master => write_master, write_own => write_own, write_peer => write_peer,
      write_confirmation => write_confirmation, role => role, derive => derive, enable => enable, stop => stop,
      zeroise => zeroise, may_derive => may_derive, may_enable => may_enable, may_write => may_write,
      may_confirm => may_confirm, has_master => has_master, derived => derived, busy => busy, enabled => enabled,
      no_own_epoch => no_own_epoch, no_peer_epoch => no_peer_epoch, refused => refused, ended => ended,
      was_erased => was_erased, own_confirmation => own_confirmation, session => session, destination => destination,
      source => source, counter => counter,
      rekey_limit => rekey_limit, exhausted => exhausted, rekey_due => rekey_due, forged => forged, counts => counts);
end architecture;
