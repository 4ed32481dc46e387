-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- NONCE GEN of the paper's figure 2: the counters of a session's packets, each given once.
--
-- Source: research/hw/docs/packet-format.md, section 4. The rest of the nonce, direction and session, is ks_gen's.
-- A counter is given with `valid` and `take`; what was taken is never given again within a session, whatever becomes of
-- the packet. It goes back to 0 when a session is enabled, and never otherwise but by rst.
-- G_LAST is not given: from then on it `refuses`, as without a session.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity nonce_gen is
  generic (
    G_LAST : unsigned(63 downto 0) := (others => '1')
  );
  port (
    clk, rst : in std_logic;
    enabled : in std_logic;                               -- a session is
    rekey_limit : in unsigned(63 downto 0);
    counter : out unsigned(63 downto 0);
    valid : out std_logic;
    take : in std_logic;
    refuses, exhausted, rekey_due : out std_logic
  );
end entity;

architecture rtl of nonce_gen is
  signal next_one : unsigned(63 downto 0) := (others => '0');
  signal was_enabled, compared, is_last, is_due : std_logic := '0';
begin
  counter <= next_one;
  valid <= enabled and was_enabled and compared and not is_last;
  refuses <= not enabled or (was_enabled and compared and is_last);
  exhausted <= is_last;
  rekey_due <= is_due;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      was_enabled <= enabled;
      -- A cycle after each step, so that no path is a sum and a comparison.
      compared <= '1';
      if compared = '0' then
        is_last <= '0';
        if next_one = G_LAST then
          is_last <= '1';
        end if;
      end if;
      is_due <= '0';
      if next_one >= rekey_limit then
        is_due <= '1';
      end if;
      if enabled = '1' and was_enabled = '0' then
        next_one <= (others => '0');
        compared <= '0';
      elsif take = '1' and enabled = '1' and was_enabled = '1' and compared = '1' and is_last = '0' then
        next_one <= next_one + 1;
        compared <= '0';
      end if;
      if rst = '1' then
        next_one <= (others => '0');
        was_enabled <= '0';
        compared <= '0';
        is_last <= '0';
        is_due <= '0';
      end if;
    end if;
  end process;
end architecture;
