-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Plays sessions, each of one key and many packets, to omd_core, omd_lanes, omd_core with omd_decrypt_buffer,
-- or omd_masked.
--
-- G_DIR has what sim/stimulus.py writes: sessions.txt, a line per session: after how many of the core's beats, and how many
-- cycles then, it is broken off, or 0 0; key.txt; ad<l>.txt, s<l>.txt, m<l>.txt, given<l>.txt for each lane l. After each
-- session the key is zeroised, by `zeroise` of two sessions and by `rst` of two, in turn. G_TIMING: without stalls, cycles are
-- printed and must be those that CALL, the cycles of a call, promises; of lanes, those of lane 0, which are four times as
-- many, and one for the register at the way out.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use ieee.math_real.all;
use std.textio.all;
library vunit_lib;
context vunit_lib.vunit_context;
use work.omd_pkg.all;
use work.masked_pkg.all;

entity tb_omd is
  generic (
    runner_cfg : string;
    G_DIR : string;
    G_HASH : string;
    G_TAG_BYTES : positive;
    G_LANES : positive := 1;
    G_AD : boolean := true;
    G_DECRYPT : boolean := true;
    G_HALF_ROUND : boolean := false;
    G_BUFFER : boolean := false;
    G_MASKED : boolean := false;
    G_KEEP : boolean := false;                            -- all packets of a session have the associated data of the first
    G_STALL : natural := 0;
    G_SEED : natural := 0;
    G_TIMING : boolean := false
  );
end entity;

architecture tb of tb_omd is
  constant n : positive := bytes_of(G_HASH);
  impure function call_cycles return positive is
  begin
    if G_MASKED then
      return 2883;
    end if;
    return steps_of(G_HASH, G_HALF_ROUND) + 1;
  end function;
  constant CALL : positive := call_cycles;
  constant LANES : positive := G_LANES;
  signal clk : std_logic := '0';
  signal rst, zeroise, breaks : std_logic := '0';
  signal session : natural := 0;
  signal cycle : natural := 0;

  signal key_tdata : slv(n - 1 downto 0);
  signal key_tvalid, key_tready : std_logic;
  signal ad_tdata : slv(LANES * 16 * n - 1 downto 0);
  signal ad_tkeep : slv(LANES * 2 * n - 1 downto 0);
  signal ad_tlast, ad_tvalid, ad_tready : slv(LANES - 1 downto 0);
  signal s_tdata, l_star, tag_a : slv(LANES * 8 * n - 1 downto 0);  -- L* is the same for all
  signal s_tkeep : slv(LANES * n - 1 downto 0);
  signal s_tlast, s_tuser, s_tvalid, s_tready : slv(LANES - 1 downto 0);
  signal m_tdata : slv(8 * n - 1 downto 0);
  signal m_tkeep : slv(n - 1 downto 0);
  signal m_tuser, m_tid : slv(1 downto 0) := "00";
  signal m_tlast, m_tvalid, m_tready : std_logic;
  signal judge_tvalid, judge_tready : slv(LANES - 1 downto 0);
  type naturals is array (0 to LANES - 1) of natural;
  signal finished, beats : naturals;
  signal core_takes, core_ends : std_logic;               -- a beat that the core gives; the last of a packet
  signal core_beats, of_packet : natural := 0;            -- those of the session; since the last end of a packet
  signal keep_tag_a : std_logic;
begin
  clk <= not clk after 5 ns;
  keep_tag_a <= '1' when G_KEEP else '0';
  cycle <= cycle + 1 when rising_edge(clk);

  main : process
    file sessions : text;
    variable l : line;
    variable break_beats, break_after : natural;
    variable all_done : boolean;
    variable total : natural := 0;
  begin
    test_runner_setup(runner, runner_cfg);
    while test_suite loop
      if run("packets") then
        file_open(sessions, G_DIR & "/sessions.txt", read_mode);
        rst <= '1';
        wait until rising_edge(clk);
        wait until rising_edge(clk);
        rst <= '0';
        loop
          readline(sessions, l);
          read(l, break_beats);
          read(l, break_after);
          breaks <= '1' when break_after > 0 else '0';
          if break_after > 0 then
            while core_beats < break_beats loop
              wait until rising_edge(clk);
            end loop;
            for c in 1 to break_after loop
              wait until rising_edge(clk);
            end loop;
            check(break_beats = 0 or of_packet > 0, "broken off in the midst of a packet");
          else
            loop
              wait until rising_edge(clk);
              all_done := true;
              for j in 0 to LANES - 1 loop
                all_done := all_done and finished(j) > session;
              end loop;
              exit when all_done;
            end loop;
          end if;
          exit when endfile(sessions);
          if session / 2 mod 2 = 0 then
            zeroise <= '1';
          else
            rst <= '1';
          end if;
          wait until rising_edge(clk);
          wait until rising_edge(clk);
          session <= session + 1;
          wait until rising_edge(clk);
          zeroise <= '0';
          rst <= '0';
        end loop;
        for c in 1 to 200 loop
          wait until rising_edge(clk);
        end loop;
        for j in 0 to LANES - 1 loop
          total := total + beats(j);
        end loop;
        check(total > 0, "something was compared");
        info(to_string(session + 1) & " sessions, " & to_string(total) & " beats compared, " & to_string(cycle)
             & " cycles");
      end if;
    end loop;
    test_runner_cleanup(runner);
  end process;
  test_runner_watchdog(runner, 20 ms);

  key_source : entity work.axis_player
    generic map (G_FILE => G_DIR & "/key.txt", G_BITS => n, G_KEEP => 4, G_STALL => G_STALL, G_SEED => G_SEED)
    port map (clk => clk, session => session, tdata => key_tdata, tkeep => open, tlast => open, tuser => open,
              tvalid => key_tvalid, tready => key_tready);

  lane : for j in 0 to LANES - 1 generate
    signal number_of : natural := 0;
  begin
    ad : if G_AD generate
      ad_source : entity work.axis_player
        generic map (G_FILE => G_DIR & "/ad" & to_string(j) & ".txt", G_BITS => 16 * n, G_KEEP => 2 * n,
                     G_STALL => G_STALL, G_SEED => G_SEED + 10 + j)
        port map (clk => clk, session => session, tdata => ad_tdata(16 * n * (j + 1) - 1 downto 16 * n * j),
                  tkeep => ad_tkeep(2 * n * (j + 1) - 1 downto 2 * n * j), tlast => ad_tlast(j), tuser => open,
                  tvalid => ad_tvalid(j), tready => ad_tready(j));
    end generate;
    source : entity work.axis_player
      generic map (G_FILE => G_DIR & "/s" & to_string(j) & ".txt", G_BITS => 8 * n, G_KEEP => n,
                   G_STALL => G_STALL, G_SEED => G_SEED + 20 + j)
      port map (clk => clk, session => session, tdata => s_tdata(8 * n * (j + 1) - 1 downto 8 * n * j),
                tkeep => s_tkeep(n * (j + 1) - 1 downto n * j), tlast => s_tlast(j), tuser => s_tuser(j),
                tvalid => s_tvalid(j), tready => s_tready(j));
    judge_tvalid(j) <= m_tvalid when unsigned(m_tid) = j else '0';
    judge : entity work.axis_judge
      generic map (G_FILE => G_DIR & "/m" & to_string(j) & ".txt", G_BITS => 8 * n, G_KEEP => n,
                   G_STALL => G_STALL, G_SEED => G_SEED + 30 + j)
      port map (clk => clk, session => session, breaks => breaks, tdata => m_tdata, tkeep => m_tkeep, tuser => m_tuser,
                tlast => m_tlast, tvalid => judge_tvalid(j), tready => judge_tready(j), finished => finished(j),
                beats => beats(j));
    given : if not G_AD generate
      -- L* of the session, Tag_a of the packet: one line for each.
      follow : process
        file of_packets : text open read_mode is G_DIR & "/given" & to_string(j) & ".txt";
        variable l : line;
        variable of_session : natural;
        variable of_key, of_next : slv(8 * n - 1 downto 0);
      begin
        while not endfile(of_packets) loop
          readline(of_packets, l);
          read(l, of_session);
          hread(l, of_key);
          hread(l, of_next);
          while session < of_session loop
            wait until rising_edge(clk);
          end loop;
          if session = of_session then
            l_star(8 * n * (j + 1) - 1 downto 8 * n * j) <= of_key;
            tag_a(8 * n * (j + 1) - 1 downto 8 * n * j) <= of_next;
            loop
              wait until rising_edge(clk);
              exit when session > of_session
                or (m_tvalid = '1' and m_tready = '1' and m_tlast = '1' and unsigned(m_tid) = j);
            end loop;
          end if;
        end loop;
        wait;
      end process;
    end generate;
  end generate;

  one : if LANES = 1 and not G_MASKED generate
    signal core_tdata : slv(8 * n - 1 downto 0);
    signal core_tkeep : slv(n - 1 downto 0);
    signal core_tuser : slv(1 downto 0);
    signal core_tlast, core_tvalid, core_tready : std_logic;
  begin
    core : entity work.omd_core
      generic map (
        G_HASH => G_HASH, G_BYTES => n, G_TAG_BYTES => G_TAG_BYTES, G_AD => G_AD, G_DECRYPT => G_DECRYPT,
        G_HALF_ROUND => G_HALF_ROUND)
      port map (
        clk => clk, rst => rst, zeroise => zeroise,
        s_key_tdata => key_tdata, s_key_tvalid => key_tvalid, s_key_tready => key_tready,
        s_ad_tdata => ad_tdata, s_ad_tkeep => ad_tkeep, s_ad_tlast => ad_tlast(0), s_ad_tvalid => ad_tvalid(0),
        s_ad_tready => ad_tready(0), keep_tag_a => keep_tag_a,
        s_axis_tdata => s_tdata, s_axis_tkeep => s_tkeep, s_axis_tuser => s_tuser(0), s_axis_tlast => s_tlast(0),
        s_axis_tvalid => s_tvalid(0), s_axis_tready => s_tready(0),
        m_axis_tdata => core_tdata, m_axis_tkeep => core_tkeep, m_axis_tuser => core_tuser,
        m_axis_tlast => core_tlast, m_axis_tvalid => core_tvalid, m_axis_tready => core_tready,
        l_star => l_star(8 * n - 1 downto 0), tag_a => tag_a);
    buffered : if G_BUFFER generate
      keeper : entity work.omd_decrypt_buffer
        generic map (G_BYTES => n, G_BEATS => 6)
        port map (
          clk => clk, rst => rst, zeroise => zeroise,
          s_axis_tdata => core_tdata, s_axis_tkeep => core_tkeep, s_axis_tuser => core_tuser,
          s_axis_tlast => core_tlast, s_axis_tvalid => core_tvalid, s_axis_tready => core_tready,
          m_axis_tdata => m_tdata, m_axis_tkeep => m_tkeep, m_axis_tuser => m_tuser, m_axis_tlast => m_tlast,
          m_axis_tvalid => m_tvalid, m_axis_tready => m_tready);
    else generate
      m_tdata <= core_tdata;
      m_tkeep <= core_tkeep;
      m_tuser <= core_tuser;
      m_tlast <= core_tlast;
      m_tvalid <= core_tvalid;
      core_tready <= m_tready;
    end generate;
    m_tready <= judge_tready(0);
    core_takes <= core_tvalid and core_tready;
    core_ends <= core_tlast;
  end generate;

  masked : if G_MASKED generate
    signal random : slv(RANDOM_BITS - 1 downto 0) := (others => '0');
    signal random_valid : std_logic := '0';
    signal out_tdata : slv(16 * n - 1 downto 0);

    -- Two shares, the second made of the value: this is about what comes out, not about what leaks.
    function in_shares (x : slv) return slv is
      constant of_x : unsigned(x'length - 1 downto 0) := unsigned(x);
      constant second : slv(x'length - 1 downto 0) := not slv(rotate_left(of_x, 13));
    begin
      return second & (x xor second);
    end function;
  begin
    core : entity work.omd_masked
      generic map (G_TAG_BYTES => G_TAG_BYTES, G_AD => G_AD)
      port map (
        clk => clk, rst => rst, zeroise => zeroise,
        s_key_tdata => in_shares(key_tdata), s_key_tvalid => key_tvalid, s_key_tready => key_tready,
        s_ad_tdata => in_shares(ad_tdata), s_ad_tkeep => ad_tkeep, s_ad_tlast => ad_tlast(0), s_ad_tvalid => ad_tvalid(0),
        s_ad_tready => ad_tready(0), keep_tag_a => keep_tag_a,
        s_axis_tdata => in_shares(s_tdata), s_axis_tkeep => s_tkeep, s_axis_tlast => s_tlast(0),
        s_axis_tvalid => s_tvalid(0), s_axis_tready => s_tready(0),
        m_axis_tdata => out_tdata, m_axis_tkeep => m_tkeep, m_axis_tuser => m_tuser, m_axis_tlast => m_tlast,
        m_axis_tvalid => m_tvalid, m_axis_tready => m_tready,
        l_star => in_shares(l_star), tag_a => in_shares(tag_a), random => random, random_valid => random_valid);
    m_tdata <= out_tdata(16 * n - 1 downto 8 * n) xor out_tdata(8 * n - 1 downto 0);
    m_tready <= judge_tready(0);
    core_takes <= m_tvalid and m_tready;
    core_ends <= m_tlast;

    draw : process (clk)
      variable seed1, seed2 : positive := G_SEED + 1;
      variable drawn : real;
    begin
      if rising_edge(clk) then
        uniform(seed1, seed2, drawn);
        random <= random(RANDOM_BITS - 22 downto 0) & slv(to_unsigned(integer(trunc(drawn * 2.0 ** 21)), 21));
        uniform(seed1, seed2, drawn);
        random_valid <= '0' when 100.0 * drawn < real(G_STALL) else '1';
      end if;
    end process;
  end generate;

  four : if LANES = 4 generate
    lanes_of_core : entity work.omd_lanes
      generic map (
        G_HASH => G_HASH, G_BYTES => n, G_TAG_BYTES => G_TAG_BYTES, G_AD => G_AD, G_DECRYPT => G_DECRYPT)
      port map (
        clk => clk, rst => rst, zeroise => zeroise,
        s_key_tdata => key_tdata, s_key_tvalid => key_tvalid, s_key_tready => key_tready,
        s_ad_tdata => ad_tdata, s_ad_tkeep => ad_tkeep, s_ad_tlast => ad_tlast, s_ad_tvalid => ad_tvalid,
        s_ad_tready => ad_tready,
        s_axis_tdata => s_tdata, s_axis_tkeep => s_tkeep, s_axis_tuser => s_tuser, s_axis_tlast => s_tlast,
        s_axis_tvalid => s_tvalid, s_axis_tready => s_tready,
        m_axis_tdata => m_tdata, m_axis_tkeep => m_tkeep, m_axis_tid => m_tid, m_axis_tuser => m_tuser,
        m_axis_tlast => m_tlast, m_axis_tvalid => m_tvalid, m_axis_tready => m_tready,
        l_star => l_star(8 * n - 1 downto 0), tag_a => tag_a);
    m_tready <= judge_tready(to_integer(unsigned(m_tid)));
    core_takes <= m_tvalid and m_tready;
    core_ends <= m_tlast;
  end generate;

  count : process (clk)
  begin
    if rising_edge(clk) then
      if zeroise = '1' or rst = '1' then
        core_beats <= 0;
        of_packet <= 0;
      elsif core_takes = '1' then
        core_beats <= core_beats + 1;
        of_packet <= 0 when core_ends = '1' else of_packet + 1;
      end if;
    end if;
  end process;

  -- A core that hangs is found by then, and not by the end of the simulation's time.
  hang : process (clk)
    variable idle : natural := 0;
  begin
    if rising_edge(clk) then
      idle := idle + 1;
      if rst = '1' or zeroise = '1' or (key_tvalid and key_tready) = '1' or (m_tvalid and m_tready) = '1'
         or (ad_tvalid and ad_tready) /= (LANES - 1 downto 0 => '0') or (s_tvalid and s_tready) /= (LANES - 1 downto 0 => '0')
      then
        idle := 0;
      end if;
      assert idle < 20000 report "nothing moves any more" severity failure;
    end if;
  end process;

  quiet : process (clk)
  begin
    if rising_edge(clk) and cycle > 2 then
      assert m_tvalid = '1' or unsigned(m_tdata & m_tkeep & m_tuser & m_tlast) = 0
        report "something is on the bus without a beat" severity failure;
    end if;
  end process;

  -- From edge to edge, when all is valid and ready: the first key's beat to the first of associated data, each of
  -- these, the last of them or the nonce to the first beat out, each of these, the tag, the next packet's first.
  timing : if G_TIMING generate
    measure : process
      variable key_at, ad_at, nonce_at, out_at : natural := 0;
      variable in_message, in_packet, in_ad, has_key, has_ad, opens, takes_tag : boolean := false;
      variable packets : natural := 0;
      variable number : natural := 0;                     -- of the block in its message

      -- For masks: at block 2^k - 1 and the next, k - 9 cycles, if a call has only 13.
      impure function waits return natural is
      begin
        for k in 10 to 20 loop
          if CALL = 13 and (number = 2 ** k - 1 or number = 2 ** k) then
            return k - 9;
          end if;
        end loop;
        return 0;
      end function;

      procedure expect (what : string; since, cycles : natural) is
      begin
        info(G_HASH & ": " & what & " " & to_string(cycle - since) & " cycles");
        check_equal(cycle - since, cycles, what);
      end procedure;
    begin
      wait until rising_edge(clk);
      if key_tvalid = '1' and key_tready = '1' and not has_key then
        has_key := true;
        key_at := cycle;
      end if;
      if G_AD and ad_tvalid(0) = '1' and ad_tready(0) = '1' then
        if in_ad then
          expect("block of associated data", ad_at, CALL);
        elsif not has_ad then
          expect("new key to first associated data", key_at, CALL + 14);
        end if;
        has_ad := true;
        in_ad := ad_tlast(0) = '0';
        ad_at := cycle;
      end if;
      if judge_tvalid(0) = '1' and judge_tready(0) = '1' then
        number := number + 1 when in_packet else 1;
        if m_tlast = '1' then
          expect("tag", out_at, LANES * CALL);
          packets := packets + 1;
        elsif in_packet then
          expect("block", out_at, LANES * CALL + waits);
        elsif G_KEEP and packets > 0 then
          expect("tag or verdict to the next packet's first block, Tag_a kept", out_at, 2 * CALL + 2);
        elsif G_AD then
          expect("last associated data to first block", ad_at, 3 * CALL);
        elsif packets = 0 then
          expect("nonce to first block", nonce_at, LANES * (2 * CALL + 1) + LANES / 4);
        elsif opens then                                  -- the nonce is taken after the verdict
          expect("verdict to the next packet's first block", out_at, LANES * (2 * CALL + 2));
        else
          expect("tag to the next packet's first block", out_at, LANES * (2 * CALL + 1));
        end if;
        in_packet := m_tlast = '0';
        out_at := cycle;
      end if;
      if s_tvalid(0) = '1' and s_tready(0) = '1' then
        if in_message then
          in_message := s_tlast(0) = '0';
          takes_tag := opens and s_tlast(0) = '1';
        elsif takes_tag then
          takes_tag := false;
        else
          nonce_at := cycle;
          in_message := true;
          opens := s_tuser(0) = '1';
        end if;
      end if;
    end process;
  end generate;
end architecture;
