-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Compares an AXI4-Stream with a file of lines "session tdata tkeep tlast tuser", beat for beat, and withholds ready for
-- G_STALL of 100 cycles at random, and at every other beat until there is one. `finished` is the number of sessions,
-- counted from 0, whose lines are done. Lines of a session that was ended before its end are passed over. A beat that is
-- valid must stay as it is until it is taken, and after a session's last nothing may follow.

library ieee;
use ieee.std_logic_1164.all;
use ieee.math_real.all;
use std.textio.all;

entity axis_judge is
  generic (
    G_FILE : string;
    G_BITS, G_KEEP : positive;
    G_STALL, G_SEED : natural
  );
  port (
    clk : in std_logic;
    session : in natural;
    breaks : in std_logic;                                -- this session may end at any time
    tdata : in std_logic_vector(G_BITS - 1 downto 0);
    tkeep : in std_logic_vector(G_KEEP - 1 downto 0);
    tuser : in std_logic_vector(1 downto 0);
    tlast, tvalid : in std_logic;
    tready : out std_logic := '0';
    finished, beats : out natural := 0
  );
end entity;

architecture tb of axis_judge is
begin
  judge : process
    file source : text open read_mode is G_FILE;
    variable l : line;
    variable of_session, last, user, count, was_session : natural := 0;
    variable data : std_logic_vector(G_BITS - 1 downto 0);
    variable was : std_logic_vector(G_BITS + G_KEEP + 2 downto 0);
    variable keep : std_logic_vector(G_KEEP - 1 downto 0);
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 1147;
    variable chance : real;
    variable taken, waits, ready : boolean := false;
  begin
    while not endfile(source) loop
      readline(source, l);
      read(l, of_session);
      finished <= of_session;
      hread(l, data);
      hread(l, keep);
      read(l, last);
      read(l, user);
      waits := false;
      taken := false;
      while not taken and session <= of_session loop
        uniform(seed_1, seed_2, chance);
        ready := session = of_session and chance * 100.0 >= real(G_STALL)
                 and (G_STALL = 0 or count mod 2 = 0 or tvalid = '1');
        tready <= '1' when ready else '0';
        was_session := session;
        wait until rising_edge(clk);
        assert was_session >= of_session or session >= of_session or tvalid /= '1' report "a beat after the session's last"
          severity failure;
        if was_session = of_session and session = of_session and breaks = '0' then
          assert not (waits and tvalid /= '1') report "valid was taken back" severity failure;
          if tvalid = '1' then
            assert not waits or was = tdata & tkeep & tuser & tlast report "a beat changed while it waited" severity failure;
            waits := true;
            was := tdata & tkeep & tuser & tlast;
          end if;
        end if;
        if tvalid = '1' and ready and session = of_session then
          assert tdata = data and tkeep = keep
            report "beat " & to_string(count) & " of session " & to_string(of_session) & ": " & to_hstring(tdata) & " "
                   & to_hstring(tkeep) & ", and not " & to_hstring(data) & " " & to_hstring(keep) severity failure;
          assert (tlast = '1') = (last = 1) and (tuser(0) = '1') = (user mod 2 = 1) and (tuser(1) = '1') = (user / 2 = 1)
            report "beat " & to_string(count) & " of session " & to_string(of_session) & ": tlast or tuser"
            severity failure;
          taken := true;
          count := count + 1;
          beats <= count;
        end if;
      end loop;
      tready <= '0';
    end loop;
    finished <= natural'high;
    -- Nothing may follow.
    tready <= '1';
    loop
      wait until rising_edge(clk);
      assert tvalid /= '1' report "a beat after the last" severity failure;
    end loop;
  end process;
end architecture;
