-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Plays pdi.txt and sdi.txt in G_DIR to omd_lwc, and compares what comes out with do.txt, word for word: files in the form of
-- GMU's cryptotvgen, which sim/lwc.py writes.
--
-- do_last must be 1 with a status and never else, a word that waits must stay as it is, and without one the bus must be 0.
-- "ANY = ", a line that cryptotvgen does not have, allows any words before the status: of what is sealed, some may have come
-- out before the message is seen to be malformed.
-- Before that the files are played for G_BREAK cycles, to be broken off by a reset; both then begin anew.

library ieee;
use ieee.std_logic_1164.all;
use ieee.math_real.all;
use std.textio.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;

entity tb_omd_lwc is
  generic (
    runner_cfg : string;
    G_DIR : string;
    G_HASH : string;
    G_KEY_BYTES, G_TAG_BYTES, G_BEATS : positive;
    G_BREAK, G_STALL : natural := 0;
    G_SEED : natural := 0
  );
end entity;

architecture tb of tb_omd_lwc is
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
  constant BROKEN_OFF : time := 22 ns + G_BREAK * 10 ns;
  signal is_first : boolean := true;                      -- before the second reset
  type stream is record
    data : slv(31 downto 0);
    valid : std_logic;
    finished : boolean;
  end record;
  type streams is array (boolean) of stream;              -- whether it is the one to be broken off
  signal pdi, sdi : streams;
  signal pdi_data, sdi_data, do_data : slv(31 downto 0);
  signal pdi_valid, pdi_ready, sdi_valid, sdi_ready, do_valid, do_last : std_logic;
  signal do_ready : std_logic := '1';
  signal words, cycle : natural := 0;
begin
  clk <= not clk after 5 ns;
  cycle <= cycle + 1 when rising_edge(clk);
  rst <= '0' after 22 ns, '1' after BROKEN_OFF, '0' after BROKEN_OFF + 20 ns;
  is_first <= false after BROKEN_OFF + 19 ns;

  sources : for first in boolean generate
    signal waits, pdi_takes, sdi_takes : std_logic;
  begin
    waits <= rst when first = is_first else '1';
    pdi_takes <= pdi_ready when first = is_first else '0';
    sdi_takes <= sdi_ready when first = is_first else '0';
    public_source : entity work.lwc_player
      generic map (G_FILE => G_DIR & "/pdi.txt", G_STALL => G_STALL, G_SEED => G_SEED)
      port map (
        clk => clk, rst => waits, data => pdi(first).data, valid => pdi(first).valid, ready => pdi_takes,
        finished => pdi(first).finished);
    secret_source : entity work.lwc_player
      generic map (G_FILE => G_DIR & "/sdi.txt", G_STALL => G_STALL, G_SEED => G_SEED + 1)
      port map (
        clk => clk, rst => waits, data => sdi(first).data, valid => sdi(first).valid, ready => sdi_takes,
        finished => sdi(first).finished);
  end generate;
  pdi_data <= pdi(is_first).data;
  pdi_valid <= pdi(is_first).valid;
  sdi_data <= sdi(is_first).data;
  sdi_valid <= sdi(is_first).valid;

  dut : entity work.omd_lwc
    generic map (
      G_HASH => G_HASH, G_BYTES => bytes_of(G_HASH), G_KEY_BYTES => G_KEY_BYTES, G_TAG_BYTES => G_TAG_BYTES, G_BEATS => G_BEATS)
    port map (
      clk => clk, rst => rst, pdi_data => pdi_data, pdi_valid => pdi_valid, pdi_ready => pdi_ready, sdi_data => sdi_data,
      sdi_valid => sdi_valid, sdi_ready => sdi_ready, do_data => do_data, do_valid => do_valid, do_last => do_last,
      do_ready => do_ready);

  judge : process
    file expected : text;
    variable l : line;
    variable head : string(1 to 6);
    variable word : slv(31 downto 0);
    variable good, skips : boolean := false;
    variable seed_1 : positive := G_SEED + 1;
    variable seed_2 : positive := 1177;
    variable chance : real;
    variable number : natural := 0;

    -- A word, or of any words the status.
    procedure take is
    begin
      loop
        uniform(seed_1, seed_2, chance);
        do_ready <= '1' when chance * 100.0 >= real(G_STALL) else '0';
        wait until rising_edge(clk);
        if do_valid = '1' and do_ready = '1' then
          exit when not skips or do_last = '1';
        end if;
      end loop;
    end procedure;
  begin
    test_runner_setup(runner, runner_cfg);
    file_open(expected, G_DIR & "/do.txt", read_mode);
    wait until not is_first;
    while not endfile(expected) loop
      readline(expected, l);
      number := number + 1;
      read(l, head, good);
      if good and head = "ANY = " then
        skips := true;
      elsif good and (head = "HDR = " or head = "DAT = " or head = "STT = ") then
        loop
          hread(l, word, good);
          exit when not good;
          take;
          check(do_data = word, "line " & to_string(number) & " of do.txt: " & to_hstring(do_data) & ", expected "
                & to_hstring(word));
          check((do_last = '1') = (head = "STT = "), "line " & to_string(number) & " of do.txt: do_last");
          words <= words + 1;
        end loop;
        skips := false;
      end if;
    end loop;
    do_ready <= '1';
    for i in 1 to 500 loop
      wait until rising_edge(clk);
      check(do_valid = '0', "a word after the last");
    end loop;
    check(pdi(false).finished and sdi(false).finished, "everything was taken");
    check(words > 0, "something was compared");
    info(to_string(words) & " words compared, " & to_string(cycle) & " cycles");
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 100 ms);

  check_reset : process
  begin
    wait until rising_edge(clk) and rst = '1';
    check(pdi_ready = '0' and sdi_ready = '0', "a word is taken during reset");
  end process;

  form : process
    variable was : slv(31 downto 0);
    variable waits : boolean := false;
    variable idle : natural := 0;                         -- cycles since a word was taken
  begin
    wait until rising_edge(clk) and rst = '0';
    check(not waits or (do_valid = '1' and do_data = was), "a word changed while it waited");
    check(do_valid = '1' or do_data = (31 downto 0 => '0'), "there is no word, and something is on the bus");
    waits := do_valid = '1' and do_ready = '0';
    was := do_data;
    idle := idle + 1;
    if (pdi_valid and pdi_ready) = '1' or (sdi_valid and sdi_ready) = '1' or (do_valid and do_ready) = '1' then
      idle := 0;
    end if;
    check(idle < 5000, "nothing moves");
  end process;
end architecture;
