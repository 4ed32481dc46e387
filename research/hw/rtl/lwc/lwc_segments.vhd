-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The segments of a message that come out of the core as they went in: length, and whether it is the last, in their order.
--
-- At most G_SEGMENTS; `full` there. rst forgets them.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

entity lwc_segments is
  generic (G_SEGMENTS : positive := 64);                  -- a power of two
  port (
    clk, rst : in std_logic;
    s_length : in length_t;
    s_eot, s_valid : in std_logic;
    full : out std_logic;
    m_length : out length_t;
    m_eot, m_valid : out std_logic;
    m_ready : in std_logic
  );
end entity;

architecture rtl of lwc_segments is
  constant ADDRESS : positive := log2(G_SEGMENTS);
  type segments is array (0 to G_SEGMENTS - 1) of slv(length_t'length downto 0);
  signal memory : segments := (others => (others => '0'));
  signal oldest : slv(length_t'length downto 0);
  signal write, read : unsigned(ADDRESS downto 0) := (others => '0');
begin
  assert 2 ** ADDRESS = G_SEGMENTS report "lwc_segments: G_SEGMENTS is a power of two" severity failure;

  full <= '1' when write - read = G_SEGMENTS else '0';
  m_valid <= '1' when write /= read else '0';
  oldest <= memory(to_integer(read(ADDRESS - 1 downto 0)));
  m_length <= unsigned(oldest(length_t'length downto 1));
  m_eot <= oldest(0);

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if s_valid = '1' then
        memory(to_integer(write(ADDRESS - 1 downto 0))) <= slv(s_length) & s_eot;
        write <= write + 1;
      end if;
      if m_ready = '1' and write /= read then
        read <= read + 1;
      end if;
      if rst = '1' then
        write <= (others => '0');
        read <= (others => '0');
      end if;
    end if;
  end process;
end architecture;
