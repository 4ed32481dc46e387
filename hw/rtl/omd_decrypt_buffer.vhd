-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Keeps back what omd_core opens until the tag is verified: a packet is shown whole, or only as refused.
--
-- s_axis is omd_core's m_axis. m_axis is the same stream, in which the beats of a packet come after its last beat
-- was seen. Of a packet whose tag was wrong, or which does not fit, only the last beat is shown, with tuser(1) = 1.
-- What it kept is overwritten with zeros as it is read, and when it is refused. Sealed packets pass in the same way.
-- rst, zeroise: what is kept is forgotten, a beat per cycle; the stream in waits for G_BEATS cycles.
-- Limits: packets of G_BEATS beats of message, an empty one counting as one; one packet at a time: the stream in waits
-- while one is read or erased. Of one lane: behind omd_lanes each tid needs its own.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity omd_decrypt_buffer is
  generic (
    G_BYTES : positive := 64;
    G_BEATS : positive := 150
  );
  port (
    clk, rst, zeroise : in std_logic;                     -- as omd_core has them: always both together

    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tuser : in slv(1 downto 0);
    s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;

    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic
  );
end entity;

architecture rtl of omd_decrypt_buffer is
  constant WIDTH : positive := 9 * G_BYTES;
  type beats is array (0 to G_BEATS - 1) of slv(WIDTH - 1 downto 0);
  constant NOTHING : beats := (others => (others => '0'));
  signal memory : beats := NOTHING;

  type phase is (FILLS, SHOWS, ERASES, ENDS);
  signal at : phase := ERASES;
  signal held : natural range 0 to G_BEATS := G_BEATS;    -- how many there are, or are to be erased
  signal next_one : natural range 0 to G_BEATS := 0;
  signal too_long : std_logic := '0';
  signal end_tdata : slv(8 * G_BYTES - 1 downto 0) := (others => '0');
  signal end_tkeep : slv(G_BYTES - 1 downto 0) := (others => '0');
  signal end_tuser : slv(1 downto 0) := "00";
  signal shown : slv(WIDTH - 1 downto 0);
begin
  -- pragma translate_off
  assert at /= FILLS or held > 0 or memory = NOTHING report "the memory keeps something of another packet" severity failure;
  -- pragma translate_on

  s_axis_tready <= '1' when at = FILLS else '0';
  shown <= memory(next_one) when at = SHOWS and next_one < G_BEATS else (others => '0');
  m_axis_tvalid <= '1' when at = SHOWS or at = ENDS else '0';
  m_axis_tlast <= '1' when at = ENDS else '0';
  m_axis_tdata <= shown(WIDTH - 1 downto G_BYTES) when at = SHOWS else end_tdata;
  m_axis_tkeep <= shown(G_BYTES - 1 downto 0) when at = SHOWS else end_tkeep;
  m_axis_tuser <= end_tuser when at = ENDS else "00";

  registers : process (clk)
    variable bad : std_logic;
    variable writes : boolean;
    variable address : natural range 0 to G_BEATS;
    variable data : slv(WIDTH - 1 downto 0);
  begin
    if rising_edge(clk) then
      writes := false;
      address := next_one;
      data := (others => '0');
      case at is
        when FILLS =>
          if s_axis_tvalid = '1' then
            if s_axis_tlast = '1' then
              bad := s_axis_tuser(1) or too_long;
              end_tuser <= bad & s_axis_tuser(0);
              end_tdata <= s_axis_tdata;
              end_tkeep <= s_axis_tkeep;
              next_one <= 0;
              if bad = '1' then
                end_tdata <= (others => '0');
                end_tkeep <= (others => '0');
                at <= ERASES;
              elsif held = 0 then
                at <= ENDS;
              else
                at <= SHOWS;
              end if;
            elsif held = G_BEATS then
              too_long <= '1';
            else
              writes := true;
              address := held;
              data := s_axis_tdata & s_axis_tkeep;
              held <= held + 1;
            end if;
          end if;

        when SHOWS =>
          if m_axis_tready = '1' then
            writes := true;
            next_one <= next_one + 1;
            if next_one + 1 = held then
              at <= ENDS;
            end if;
          end if;

        when ERASES =>
          if next_one < held then
            writes := true;
            next_one <= next_one + 1;
          else
            at <= ENDS;
            if end_tuser(0) = '0' then                    -- after rst: there is no packet to end
              at <= FILLS;
              held <= 0;
            end if;
          end if;

        when ENDS =>
          if m_axis_tready = '1' then
            at <= FILLS;
            held <= 0;
            too_long <= '0';
            end_tuser <= "00";
            end_tdata <= (others => '0');
            end_tkeep <= (others => '0');
          end if;
      end case;
      if writes then
        memory(address) <= data;
      end if;
      if rst = '1' or zeroise = '1' then
        at <= ERASES;
        held <= G_BEATS;
        next_one <= 0;
        too_long <= '0';
        end_tuser <= "00";
        end_tdata <= (others => '0');
        end_tkeep <= (others => '0');
      end if;
    end if;
  end process;
end architecture;
