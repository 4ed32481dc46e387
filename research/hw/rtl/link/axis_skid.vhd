-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- A register slice of a stream, AXI4-Stream's handshake: every output comes of a register, and a beat passes in each
-- cycle.
--
-- It keeps at most two beats. rst erases them; until a cycle after it there is no ready.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

entity axis_skid is
  generic (
    G_BITS : positive                                     -- all of a beat: data, keep, last, user
  );
  port (
    clk, rst : in std_logic;
    s_beat : in slv(G_BITS - 1 downto 0);
    s_tvalid : in std_logic;
    s_tready : out std_logic;
    m_beat : out slv(G_BITS - 1 downto 0);
    m_tvalid : out std_logic;
    m_tready : in std_logic
  );
end entity;

architecture rtl of axis_skid is
  signal shown, kept : slv(G_BITS - 1 downto 0) := (others => '0');
  signal shown_valid, kept_valid, ready : std_logic := '0';
begin
  s_tready <= ready;
  m_beat <= shown;
  m_tvalid <= shown_valid;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      if shown_valid = '0' or m_tready = '1' then
        shown <= s_beat;
        shown_valid <= s_tvalid and ready;
        if kept_valid = '1' then
          shown <= kept;
          shown_valid <= '1';
        end if;
        kept_valid <= '0';
        ready <= '1';
      elsif s_tvalid = '1' and ready = '1' then
        kept <= s_beat;
        kept_valid <= '1';
        ready <= '0';
      end if;
      if rst = '1' then
        shown <= (others => '0');
        kept <= (others => '0');
        shown_valid <= '0';
        kept_valid <= '0';
        ready <= '0';
      end if;
    end if;
  end process;
end architecture;
