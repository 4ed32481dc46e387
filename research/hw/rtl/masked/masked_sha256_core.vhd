-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- SHA-256's compression function in two shares, bit by bit: of first order, by domain-oriented masking.
--
-- Source: FIPS 180-4, 6.2.2; docs/spec/omd.md, section 2; masked_and has that of the masking.
-- y = F'(h, k || m), with the ports of sha2_core: with `start`, h and m are taken, while `ready`; 64 ROUND + FORWARD steps later
-- `ready` comes again, with y beside it until the next start: 2883 cycles per call, if each has its random bits.
-- clear: y becomes 0. rst: every register is 0.
-- random: RANDOM_BITS, uniform, independent, new in each cycle in which random_valid is 1. A call moves on in these cycles only.
--   Nothing here sees whether they are random: with a constant there is no masking.
--
-- The state, W and h are shift registers. In a round each word moves down by 32 bits, into the next; the top words of the state
-- and of W move on until the last bit of a sum has come. A rotation's bit that has left its word is in the next one, at the same
-- place. After the last round h is added to the state in one pass.
-- Each share is in registers of its own: no register ever takes the other share's.
-- Limits: first order. No protection from faults. The sharing that comes in must be uniform, each word's independent.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.masked_pkg.all;

entity masked_sha256_core is
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in masked_block;
    y : out masked_block;
    random : in slv(RANDOM_BITS - 1 downto 0);
    random_valid : in std_logic
  );
end entity;

architecture rtl of masked_sha256_core is
  -- Steps from a bit of the state to the bit of the sums that it makes, and from one of W.
  constant SUM_STEPS : positive := 9;
  constant W_STEPS : positive := 4;
  constant ROUND : positive := 32 + SUM_STEPS;
  constant FORWARD : positive := 256 + 2;

  type phases is (IDLE, ROUNDS, FORWARDS);
  signal phase : phases := IDLE;
  signal n : unsigned(8 downto 0) := (others => '0');     -- the step in its round, or forward
  signal t : unsigned(5 downto 0) := (others => '0');     -- the round
  signal constant_k : unsigned(31 downto 0) := (others => '0');

  type windows is array (0 to 1) of slv(511 downto 0);
  signal state, chaining : masked_block := (others => (others => '0'));
  signal W : windows := (others => (others => '0'));      -- W_t lowest

  signal step, loads : std_logic;
  -- Of this step: the bits of words, of the sums' operands.
  signal a0, b0, c0, d0, e0, f0, g0, h0, W0, W9, chaining_0 : masked_bit;
  signal Sigma_0, Sigma_1, lesser_0, lesser_1, W_or_h, K_bit : masked_bit;
  signal x_ch, x_maj, y_maj : masked_bit;
  signal ch, maj, hw, hwk, hwk1, left, right, T1, a_new, e_new, w_left, w_right, W_new : masked_bit;
  type delays is array (1 to 7) of masked_bit;
  signal Sigma_0_delays, Sigma_1_delays, right_delays, d_delays : delays;
  signal firsts : slv(0 to 7) := (others => '0');         -- of the bits that came so many steps ago

  function K_of (round : unsigned(5 downto 0)) return unsigned is
  begin
    return SHA2_K(to_integer(round))(63 downto 32);
  end function;

  -- Bit `by` of a word rotated as it moves down; `word` and `below` are the lowest bits of both words.
  function rotated (x : slv; word, below, by : natural; moved : unsigned(8 downto 0)) return std_logic is
  begin
    if moved < 32 - by then
      return x(word + by);
    end if;
    return x(below + by);
  end function;
  function shifted (x : slv; word, by : natural; moved : unsigned(8 downto 0)) return std_logic is
  begin
    if moved < 32 - by then
      return x(word + by);
    end if;
    return '0';
  end function;
begin
  ready <= '1' when phase = IDLE else '0';
  y <= chaining;
  step <= random_valid when phase /= IDLE else '0';
  loads <= start when phase = IDLE else '0';

  control : process (clk)
  begin
    if rising_edge(clk) then
      if loads = '1' then
        phase <= ROUNDS;
        n <= (others => '0');
        t <= (others => '0');
        constant_k <= K_of("000000");
      elsif step = '1' then
        n <= n + 1;
        if phase = ROUNDS then
          if n > 1 then                                   -- to be added to hw
            constant_k <= '0' & constant_k(31 downto 1);
          end if;
          if n = ROUND - 1 then
            n <= (others => '0');
            t <= t + 1;
            constant_k <= K_of(t + 1);
            if t = 63 then
              phase <= FORWARDS;
            end if;
          end if;
        elsif n = FORWARD - 1 then
          phase <= IDLE;
        end if;
      end if;
      if rst = '1' then
        phase <= IDLE;
        n <= (others => '0');
        t <= (others => '0');
        constant_k <= (others => '0');
      end if;
    end if;
  end process;

  share : for i in 0 to 1 generate
    a0(i) <= state(i)(224);
    b0(i) <= state(i)(192);
    c0(i) <= state(i)(160);
    d0(i) <= state(i)(128);
    e0(i) <= state(i)(96);
    f0(i) <= state(i)(64);
    g0(i) <= state(i)(32);
    h0(i) <= state(i)(0);
    W0(i) <= W(i)(0);
    W9(i) <= W(i)(288);
    chaining_0(i) <= chaining(i)(0);
    Sigma_0(i) <= rotated(state(i), 224, 192, 2, n) xor rotated(state(i), 224, 192, 13, n) xor rotated(state(i), 224, 192, 22, n);
    Sigma_1(i) <= rotated(state(i), 96, 64, 6, n) xor rotated(state(i), 96, 64, 11, n) xor rotated(state(i), 96, 64, 25, n);
    lesser_0(i) <= rotated(W(i), 32, 0, 7, n) xor rotated(W(i), 32, 0, 18, n) xor shifted(W(i), 32, 3, n);
    lesser_1(i) <= rotated(W(i), 448, 416, 17, n) xor rotated(W(i), 448, 416, 19, n) xor shifted(W(i), 448, 10, n);

    registers : process (clk)
    begin
      if rising_edge(clk) then
        if loads = '1' then
          state(i) <= h(i);
          chaining(i) <= h(i);
          for j in 0 to 7 loop
            W(i)(32 * j + 31 downto 32 * j) <= k(i)(255 - 32 * j downto 224 - 32 * j);
            W(i)(32 * j + 287 downto 32 * j + 256) <= m(i)(255 - 32 * j downto 224 - 32 * j);
          end loop;
        elsif step = '1' then
          if phase = FORWARDS then
            state(i) <= '0' & state(i)(255 downto 1);
            chaining(i) <= hw(i) & chaining(i)(255 downto 1);
          else
            state(i)(255 downto 224) <= a_new(i) & state(i)(255 downto 225);
            state(i)(127 downto 96) <= e_new(i) & state(i)(127 downto 97);
            if n < 32 then
              state(i)(223 downto 128) <= state(i)(224 downto 129);
              state(i)(95 downto 0) <= state(i)(96 downto 1);
              W(i)(479 downto 0) <= W(i)(480 downto 1);
            end if;
            if n < 32 + W_STEPS then
              W(i)(511 downto 480) <= W_new(i) & W(i)(511 downto 481);
            end if;
          end if;
        end if;
        if clear = '1' and loads = '0' then
          chaining(i) <= (others => '0');
        end if;
        if rst = '1' then
          state(i) <= (others => '0');
          chaining(i) <= (others => '0');
          W(i) <= (others => '0');
        end if;
      end if;
    end process;
  end generate;

  firsts(0) <= '1' when n(4 downto 0) = 0 and n(5) = '0' else '1' when n(4 downto 0) = 0 and phase = FORWARDS else '0';
  delay : process (clk)
  begin
    if rising_edge(clk) then
      if step = '1' then
        firsts(1 to 7) <= firsts(0 to 6);
        Sigma_0_delays <= Sigma_0 & Sigma_0_delays(1 to 6);
        Sigma_1_delays <= Sigma_1 & Sigma_1_delays(1 to 6);
        right_delays <= right & right_delays(1 to 6);
        d_delays <= d0 & d_delays(1 to 6);
        hwk1 <= hwk;
      end if;
      if rst = '1' then
        firsts(1 to 7) <= (others => '0');
        Sigma_0_delays <= (others => "00");
        Sigma_1_delays <= (others => "00");
        right_delays <= (others => "00");
        d_delays <= (others => "00");
        hwk1 <= "00";
      end if;
    end if;
  end process;

  -- The comments say how many steps after their bits of the state the operands come.
  x_ch <= f0 xor g0;
  x_maj <= a0 xor b0;
  y_maj <= b0 xor c0;
  choice : entity work.masked_select                       -- 0
    port map (clk => clk, rst => rst, step => step, x => e0, y => x_ch, z => g0, random => random(0), w => ch);
  majority : entity work.masked_select                     -- 0
    port map (clk => clk, rst => rst, step => step, x => x_maj, y => y_maj, z => b0, random => random(1), w => maj);

  W_or_h <= chaining_0 when phase = FORWARDS else W0;
  K_bit <= (constant_k(0), '0');
  add_w : entity work.masked_adder                         -- 0
    port map (clk => clk, rst => rst, step => step, first => firsts(0), a => h0, b => W_or_h, random => random(5 downto 2), s => hw);
  add_k : entity work.masked_adder                         -- 2
    port map (clk => clk, rst => rst, step => step, first => firsts(2), a => hw, b => K_bit, random => random(9 downto 6), s => hwk);
  add_ch : entity work.masked_adder                        -- 3
    port map (clk => clk, rst => rst, step => step, first => firsts(3), a => Sigma_1_delays(3), b => ch,
              random => random(13 downto 10), s => left);
  add_maj : entity work.masked_adder                       -- 3
    port map (clk => clk, rst => rst, step => step, first => firsts(3), a => Sigma_0_delays(3), b => maj,
              random => random(17 downto 14), s => right);
  add_t1 : entity work.masked_adder                        -- 5
    port map (clk => clk, rst => rst, step => step, first => firsts(5), a => hwk1, b => left, random => random(21 downto 18), s => T1);
  add_a : entity work.masked_adder                         -- 7
    port map (clk => clk, rst => rst, step => step, first => firsts(7), a => T1, b => right_delays(2), random => random(25 downto 22),
              s => a_new);
  add_e : entity work.masked_adder                         -- 7
    port map (clk => clk, rst => rst, step => step, first => firsts(7), a => T1, b => d_delays(7), random => random(29 downto 26),
              s => e_new);

  add_w_0 : entity work.masked_adder                       -- 0
    port map (clk => clk, rst => rst, step => step, first => firsts(0), a => lesser_0, b => W0, random => random(33 downto 30),
              s => w_right);
  add_w_9 : entity work.masked_adder                       -- 0
    port map (clk => clk, rst => rst, step => step, first => firsts(0), a => lesser_1, b => W9, random => random(37 downto 34),
              s => w_left);
  add_w_16 : entity work.masked_adder                      -- 2
    port map (clk => clk, rst => rst, step => step, first => firsts(2), a => w_left, b => w_right, random => random(41 downto 38),
              s => W_new);
end architecture;
