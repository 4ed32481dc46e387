-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Receive of the paper's figure 2: frames from an interface to its FIFO, and the counts of those that are dropped on
-- the way.
--
-- A frame that the guard has found bad is dropped by the FIFO with its last beat. Each count is in Gray code
-- (event_count).

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity receive is
  generic (
    G_BYTES : positive := 8                               -- W
  );
  port (
    clk, rst : in std_logic;
    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tlast, s_bad, s_tvalid : in std_logic;
    s_length : in length_t;
    s_tready : out std_logic;
    holed, errored, oversize, short : in std_logic;

    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tlast, m_drop, m_tvalid : out std_logic;
    m_info : out slv(length_t'range);
    m_tready, overflow : in std_logic;

    holed_count, errored_count, oversize_count, short_count, overflow_count : out slv(7 downto 0)
  );
end entity;

architecture rtl of receive is
begin
  m_tdata <= s_tdata;
  m_tlast <= s_tlast;
  m_drop <= s_bad;
  m_tvalid <= s_tvalid;
  m_info <= slv(s_length);
  s_tready <= m_tready;

  count_holed : entity work.event_count port map (clk => clk, rst => rst, happens => holed, count => holed_count);
  count_errored : entity work.event_count port map (clk => clk, rst => rst, happens => errored, count => errored_count);
  count_oversize : entity work.event_count port map (clk => clk, rst => rst, happens => oversize, count => oversize_count);
  count_short : entity work.event_count port map (clk => clk, rst => rst, happens => short, count => short_count);
  count_overflow : entity work.event_count port map (clk => clk, rst => rst, happens => overflow, count => overflow_count);
end architecture;
