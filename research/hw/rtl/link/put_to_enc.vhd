-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- PUT to ENC of the paper's figure 2: frames from the FIFO to what encrypt takes, each with the next nonce.
--
-- Source: research/hw/docs/packet-format.md, sections 2 and 4. A frame is admitted when it takes a counter from nonce_gen, which
-- goes with its length to get_from_enc. Without a session, or without a counter, a frame is drained and `no_session` is
-- 1 for a cycle.
-- erase: the frame under way is drained; of what it was nothing is kept.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity put_to_enc is
  generic (
    G_STREAM_BYTES : positive := 8;                       -- W
    G_BYTES : positive := 32                              -- n
  );
  port (
    clk, rst, erase : in std_logic;

    s_tdata : in slv(8 * G_STREAM_BYTES - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_length : in length_t;
    s_tready : out std_logic;

    direction : in std_logic;
    session : in slv(31 downto 0);
    counter : in unsigned(63 downto 0);
    counter_valid, refuses : in std_logic;
    counter_take : out std_logic;

    about_tvalid : out std_logic;                         -- to get_from_enc: counter and s_length
    about_tready : in std_logic;

    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tkeep : out slv(G_BYTES - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_tready : in std_logic;
    no_session : out std_logic
  );
end entity;

architecture rtl of put_to_enc is
  constant n : positive := G_BYTES;
  constant W : positive := G_STREAM_BYTES;
  constant NONCE_KEEP : slv(n - 1 downto 0) := kept(to_unsigned(nonce_bytes(n), length_t'length), n);
  type phase is (IDLE, PUTS, DRAINS);
  signal state : phase := IDLE;
  signal bytes, left : length_t := (others => '0');
  signal nonce : slv(8 * nonce_bytes(n) - 1 downto 0);
  signal beat : slv(8 * n - 1 downto 0);
  signal beat_ready, admits, word_valid, word_ready, forgets : std_logic;
begin
  forgets <= rst or erase;
  admits <= '1' when state = IDLE and s_tvalid = '1' and counter_valid = '1' and about_tready = '1' and beat_ready = '1'
            and erase = '0' else '0';
  counter_take <= admits;
  about_tvalid <= admits;
  word_valid <= s_tvalid when state = PUTS else '0';
  s_tready <= '1' when state = DRAINS else word_ready when state = PUTS else '0';
  bytes <= least(left, W);

  nonce <= "0000000" & direction & (8 * (nonce_bytes(n) - 13) - 1 downto 0 => '0') & session & slv(counter);
  beat <= slv(resize(unsigned(bytes_reversed(nonce)), 8 * G_BYTES));

  widen : entity work.axis_widen
    generic map (G_IN => W, G_OUT => n)
    port map (
      clk => clk, rst => forgets, s_tdata => s_tdata, s_bytes => bytes, s_tlast => s_tlast, s_tvalid => word_valid,
      s_tready => word_ready, beat_tdata => beat,
      beat_tkeep => NONCE_KEEP, beat_tuser => '0',
      beat_tvalid => admits, beat_tready => beat_ready, m_tdata => m_tdata, m_tkeep => m_tkeep, m_tlast => m_tlast,
      m_tuser => open, m_tvalid => m_tvalid, m_tready => m_tready);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      no_session <= '0';
      case state is
        when IDLE =>
          left <= s_length;
          if admits = '1' then
            state <= PUTS;
          elsif s_tvalid = '1' and refuses = '1' then
            state <= DRAINS;
            no_session <= '1';
          end if;
        when PUTS =>
          if s_tvalid = '1' and word_ready = '1' then
            left <= left - W;
            if s_tlast = '1' then
              state <= IDLE;
            end if;
          end if;
          if erase = '1' and not (s_tvalid = '1' and word_ready = '1' and s_tlast = '1') then
            state <= DRAINS;
          end if;
        when DRAINS =>
          if s_tvalid = '1' and s_tlast = '1' then
            state <= IDLE;
          end if;
      end case;
      if rst = '1' then
        state <= IDLE;
        no_session <= '0';
      end if;
    end if;
  end process;
end architecture;
