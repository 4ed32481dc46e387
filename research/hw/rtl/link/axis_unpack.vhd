-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Takes strings of any lengths out of a packet, one after the other, W bytes at a time.
--
-- s is a packet in full beats but the last, with s_info at each. m_data begins with the first byte that was not taken;
-- m_valid: there are m_want bytes of it, at most W; m_take takes them. What is beyond the packet's end is anything:
-- whoever takes knows its length (info).
-- has_packet: there is one, and `info` is of it. discard: the rest of it is forgotten; has_packet is 0 in the next
-- cycle, and until the next packet is there. rst erases what is kept, a beat, and forgets where it was.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity axis_unpack is
  generic (
    G_BYTES : positive := 8;                              -- W
    G_INFO : positive := 16
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_info : in slv(G_INFO - 1 downto 0);
    s_tready : out std_logic;

    has_packet : out std_logic;
    info : out slv(G_INFO - 1 downto 0);
    discard : in std_logic;
    m_data : out slv(8 * G_BYTES - 1 downto 0);
    m_want : in length_t;
    m_valid : out std_logic;
    m_take : in std_logic
  );
end entity;

architecture rtl of axis_unpack is
  constant W : positive := G_BYTES;
  signal data : slv(8 * W - 1 downto 0) := (others => '0');
  signal of_packet : slv(G_INFO - 1 downto 0) := (others => '0');
  signal taken : unsigned(log2(W) downto 0) := (others => '0');  -- bytes of data, less than W
  signal inside, valid, last, drains : std_logic := '0';
  signal total : unsigned(log2(W) + 1 downto 0);
  signal there, next_one : std_logic;
begin
  total <= resize(taken, log2(W) + 2) + resize(m_want(log2(W) downto 0), log2(W) + 2);
  there <= valid when total <= W else valid and (s_tvalid or last);
  -- The next beat is taken with the last byte of this one, or when there is none.
  next_one <= '1' when drains = '1' or (discard = '0' and (inside = '0' or (last = '0' and (valid = '0'
              or (m_take = '1' and there = '1' and total >= W))))) else '0';
  s_tready <= next_one;
  has_packet <= inside;
  info <= of_packet;
  m_valid <= there;
  m_data <= slv(resize(shift_right(unsigned(s_tdata) & unsigned(data), 8 * to_integer(taken)), 8 * W));

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if m_take = '1' and there = '1' then
        taken <= resize(total, log2(W) + 1);
        if total >= W then
          taken <= resize(total - W, log2(W) + 1);
          valid <= '0';
        end if;
      end if;
      if drains = '1' then
        if s_tvalid = '1' and s_tlast = '1' then
          drains <= '0';
        end if;
      elsif next_one = '1' and s_tvalid = '1' then
        data <= s_tdata;
        last <= s_tlast;
        valid <= '1';
        of_packet <= s_info;
        inside <= '1';
      end if;
      if discard = '1' and inside = '1' then
        drains <= not last;
        inside <= '0';
        valid <= '0';
        last <= '0';
        taken <= (others => '0');
        data <= (others => '0');
      end if;
      if rst = '1' then
        data <= (others => '0');
        of_packet <= (others => '0');
        taken <= (others => '0');
        inside <= '0';
        valid <= '0';
        last <= '0';
        drains <= '0';
      end if;
    end if;
  end process;
end architecture;
