-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Send of the paper's figure 2: frames from a FIFO, which has their length, to an interface, as AXI4-Stream with tkeep.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity send is
  generic (
    G_BYTES : positive := 8                               -- W, a power of two
  );
  port (
    s_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_tlast, s_tvalid : in std_logic;
    s_length : in length_t;
    s_tready : out std_logic;
    m_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_tkeep : out slv(G_BYTES - 1 downto 0);
    m_tlast, m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of send is
  constant LOW : natural := log2(G_BYTES);
  signal rest : unsigned(LOW downto 0);
begin
  m_tdata <= s_tdata;
  m_tlast <= s_tlast;
  m_tvalid <= s_tvalid;
  s_tready <= m_tready;

  -- The bytes of the last beat; of an empty frame none.
  rest <= to_unsigned(G_BYTES, LOW + 1) when s_tlast = '0' or (s_length(LOW - 1 downto 0) = 0 and s_length /= 0)
          else '0' & s_length(LOW - 1 downto 0);
  m_tkeep <= kept(rest, G_BYTES);
end architecture;
