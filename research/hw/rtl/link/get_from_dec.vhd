-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- GET from DEC of the paper's figure 2: frames whose tag was right to the FIFO, and the last word on replays.
--
-- Source: research/hw/docs/packet-format.md, section 5. `about` is of put_to_dec, in the order of packets: counter and length.
-- With the verdict the window is asked once more, as another packet of the same counter may have been opened since, and
-- moved if the tag was right. `opened` is 1 for a cycle when the FIFO has all of a frame, `too_old`, `replayed` and
-- `bad_tag` when one is dropped.
-- erase: the frame under way is forgotten; the FIFO's `abort` must be the same.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity get_from_dec is
  generic (
    G_STREAM_BYTES : positive := 8;                       -- W
    G_BYTES : positive := 32                              -- n
  );
  port (
    clk, rst, erase : in std_logic;

    about_length : in length_t;
    about_tvalid : in std_logic;
    about_tready : out std_logic;

    take, opens : out std_logic;                          -- of about's counter
    take_done, take_too_old, take_replayed : in std_logic;

    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tlast, s_refused, s_tvalid : in std_logic;
    s_tready : out std_logic;

    m_tdata : out slv(8 * G_STREAM_BYTES - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_length : out length_t;
    m_tready : in std_logic;
    opened, too_old, replayed, bad_tag : out std_logic
  );
end entity;

architecture rtl of get_from_dec is
  constant n : positive := G_BYTES;
  constant W : positive := G_STREAM_BYTES;
  type phase is (ASKS, GETS, LEAVES, ENDS);
  signal state : phase := ASKS;
  signal left, beat_bytes : length_t := (others => '0');
  signal beat_last, beat_valid, beat_ready, last, valid, forgets : std_logic;
begin
  forgets <= rst or erase;
  take <= '1' when state = ASKS and about_tvalid = '1' and s_tvalid = '1' else '0';
  -- Of what is refused there is the last beat only; an empty frame is a beat before it.
  opens <= not s_tlast;
  beat_bytes <= least(left, n);
  beat_last <= '1' when left <= n else '0';
  beat_valid <= s_tvalid when state = GETS else '0';
  s_tready <= beat_ready when state = GETS else '1' when state = ENDS else '0';
  about_tready <= '1' when state = ENDS and s_tvalid = '1' and s_tlast = '1' else '0';
  m_length <= about_length;
  m_tlast <= last;
  m_tvalid <= valid;

  narrow : entity work.axis_narrow
    generic map (G_IN => n, G_OUT => W)
    port map (
      clk => clk, rst => forgets, s_tdata => s_tdata, s_bytes => beat_bytes, s_tlast => beat_last, s_tvalid => beat_valid,
      s_tready => beat_ready, m_tdata => m_tdata, m_bytes => open, m_tlast => last, m_tvalid => valid, m_tready => m_tready);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      opened <= '0';
      too_old <= '0';
      replayed <= '0';
      bad_tag <= '0';
      case state is
        when ASKS =>
          left <= about_length;
          if take_done = '1' then
            state <= GETS;
            if take_too_old = '1' or take_replayed = '1' or s_refused = '1' then
              state <= ENDS;
              too_old <= take_too_old;
              replayed <= take_replayed;
              bad_tag <= not (take_too_old or take_replayed);
            end if;
          end if;
        when GETS =>
          if beat_valid = '1' and beat_ready = '1' then
            left <= left - n;
            if beat_last = '1' then
              state <= LEAVES;
            end if;
          end if;
        when LEAVES =>
          if valid = '1' and last = '1' and m_tready = '1' then
            opened <= '1';
            state <= ENDS;
          end if;
        when ENDS =>
          if s_tvalid = '1' and s_tlast = '1' then
            state <= ASKS;
          end if;
      end case;
      if forgets = '1' then
        state <= ASKS;
        opened <= '0';
        too_old <= '0';
        replayed <= '0';
        bad_tag <= '0';
      end if;
    end if;
  end process;
end architecture;
