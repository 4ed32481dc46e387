-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Before omd_core: passes a packet whole once all of it has been seen to be well-formed; of any other the core gets
-- nothing.
--
-- s_axis: omd_core's, and with tuser(1) = 1 at the first beat of a packet, the nonce. tuser(0) of the nonce is 1 to
--   open; of every other beat it marks the packet as erroneous. m_axis: omd_core's s_axis.
-- Well-formed is: tkeep from byte 0 without holes; a nonce of less than n bytes; a message of full beats but the last,
-- at most
--   G_BEATS, whose last is empty only if it is the only one; to open, a tag of G_TAG_BYTES; no error; and no nonce
-- before its end. `dropped` is 1 for a cycle for each packet that is not. Beats before a packet's first are taken and
-- forgotten.
-- rst, zeroise: what is kept is forgotten, but the memory is not overwritten.
-- Limits: that a nonce is used once is for the source to see to.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity omd_guard is
  generic (
    G_BYTES : positive := 64;                             -- n
    G_TAG_BYTES : positive := 64;
    G_BEATS : positive := 150
  );
  port (
    clk, rst, zeroise : in std_logic;
    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tuser : in slv(1 downto 0);
    s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;
    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tuser, m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;
    dropped : out std_logic
  );
end entity;

architecture rtl of omd_guard is
  constant n : positive := G_BYTES;
  constant TAG_KEEP : slv(n - 1 downto 0) := kept(to_unsigned(G_TAG_BYTES, length_t'length), n);
  constant FULL : slv(n - 1 downto 0) := (others => '1');

  -- What comes is registered: `ready` depends on it.
  signal beat : slv(9 * n + 2 downto 0);
  signal in_beat : slv(9 * n + 2 downto 0);
  signal valid, ready : std_logic;
  alias data : slv(8 * n - 1 downto 0) is beat(9 * n + 2 downto n + 3);
  alias keep : slv(n - 1 downto 0) is beat(n + 2 downto 3);
  alias begins : std_logic is beat(2);
  alias user : std_logic is beat(1);
  alias last : std_logic is beat(0);

  type phase is (NONCE, MESSAGE, TAG);
  signal state : phase := NONCE;
  signal opens, bad : std_logic := '0';
  signal beats : natural range 0 to G_BEATS := 0;
  signal erase, legal, hole, interrupts, ends, room, puts, abort : std_logic;
  signal kept_beat : slv(9 * n + 1 downto 0);
begin
  erase <= rst or zeroise;

  in_beat <= s_axis_tdata & s_axis_tkeep & s_axis_tuser & s_axis_tlast;
  skid : entity work.axis_skid
    generic map (G_BITS => 9 * n + 3)
    port map (
      clk => clk, rst => erase, s_beat => in_beat, s_tvalid => s_axis_tvalid, s_tready => s_axis_tready, m_beat => beat,
      m_tvalid => valid, m_tready => ready);

  hole <= '1' when (keep(n - 1 downto 1) and not keep(n - 2 downto 0)) /= (n - 2 downto 0 => '0') else '0';
  -- A nonce before the packet's end: first that packet is forgotten.
  interrupts <= '1' when valid = '1' and begins = '1' and state /= NONCE else '0';
  ready <= room and not interrupts;
  ends <= '1' when (state = MESSAGE and last = '1' and opens = '0') or state = TAG else '0';

  checks : process (all)
  begin
    legal <= not hole;
    case state is
      when NONCE =>
        if keep = FULL then
          legal <= '0';
        end if;
      when MESSAGE =>
        if user = '1' or beats = G_BEATS or (last = '0' and keep /= FULL) or (keep(0) = '0' and beats > 0) then
          legal <= '0';
        end if;
      when TAG =>
        if user = '1' or keep /= TAG_KEEP then
          legal <= '0';
        end if;
    end case;
  end process;

  puts <= '1' when valid = '1' and ready = '1' and legal = '1' and bad = '0' and (state /= NONCE or begins = '1') else '0';
  abort <= '1' when interrupts = '1' or (valid = '1' and ready = '1' and legal = '0') else '0';

  control : process (clk)
  begin
    if rising_edge(clk) then
      dropped <= '0';
      if interrupts = '1' then
        state <= NONCE;
        bad <= '0';
        dropped <= '1';
      elsif valid = '1' and ready = '1' and (state /= NONCE or begins = '1') then
        bad <= bad or not legal;
        case state is
          when NONCE =>
            opens <= user;
            beats <= 0;
            state <= MESSAGE;
          when MESSAGE =>
            if beats < G_BEATS then
              beats <= beats + 1;
            end if;
            if last = '1' then
              state <= TAG;
            end if;
          when TAG =>
            null;
        end case;
        if ends = '1' then
          state <= NONCE;
          bad <= '0';
          dropped <= bad or not legal;
        end if;
      end if;
      if erase = '1' then
        state <= NONCE;
        bad <= '0';
        opens <= '0';
        dropped <= '0';
      end if;
    end if;
  end process;

  store : entity work.packet_fifo
    generic map (
      G_BITS => 9 * n + 2, G_INFO => 1, G_BEATS => 2 ** log2(G_BEATS + 2), G_PACKETS => 2 ** log2(G_BEATS / 2 + 2),
      G_DROPS => false)
    port map (
      wr_clk => clk, wr_rst => erase, s_tdata => beat(9 * n + 2 downto 3) & user & last, s_tlast => ends, s_tvalid => puts,
      s_info => "0", s_tready => room, abort => abort, overflow => open, rd_clk => clk, rd_rst => erase,
      m_tdata => kept_beat, m_tlast => open, m_tvalid => m_axis_tvalid, m_info => open, m_tready => m_axis_tready);
  m_axis_tdata <= kept_beat(9 * n + 1 downto n + 2);
  m_axis_tkeep <= kept_beat(n + 1 downto 2);
  m_axis_tuser <= kept_beat(1);
  m_axis_tlast <= kept_beat(0);
end architecture;
